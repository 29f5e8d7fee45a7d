"""Validation of a tree: the checks between an untrusted file and a ``Tree`` in use.

A tree that passes can be descended, drawn and pruned without reading outside any array. The first
violation is reported, with its node.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ModelFileError

if TYPE_CHECKING:
    from roctree.tree.tree import Tree

DTYPES = {
    "n_children": np.int32,
    "feature": np.int32,
    "threshold": np.float64,
    "category_branch": np.int16,
    "category_offsets": np.int32,
    "missing_branch": np.int16,
    "counts": np.float64,
    "softness": np.float64,
    "gain": np.float64,
}
# Rounding error allowed in the sum of the children's counts, relative to the weight of the root.
TOLERANCE = 1e-9


def check_tree(tree: "Tree", n_features: int | None = None) -> None:
    """Raise ``ModelFileError`` unless the arrays are a tree on ``n_features`` attributes."""
    _check_types(tree)
    _check_shapes(tree)
    check_structure(tree.n_children)
    _check_features(tree, n_features)
    _check_splits(tree)
    _check_categories(tree)
    _check_missing(tree)
    _check_counts(tree)
    _check_numbers(tree)


def _check_types(tree: "Tree") -> None:
    for name, dtype in DTYPES.items():
        actual = getattr(tree, name).dtype
        if actual != dtype:
            raise ModelFileError(
                f"{name} of the tree has type {actual} instead of {np.dtype(dtype)}."
            )


def _check_shapes(tree: "Tree") -> None:
    n_nodes = tree.n_children.size
    shapes = dict.fromkeys(DTYPES, (n_nodes,))
    shapes["category_offsets"] = (n_nodes + 1,)
    shapes["category_branch"] = (tree.category_branch.size,)
    shapes["counts"] = (n_nodes, *tree.counts.shape[1:2])
    for name, shape in shapes.items():
        actual = getattr(tree, name).shape
        if actual != shape:
            raise ModelFileError(f"{name} of the tree has shape {actual} instead of {shape}.")
    if n_nodes == 0 or tree.counts.ndim != 2 or tree.counts.size == 0:
        raise ModelFileError("The tree has no nodes or no classes.")


def check_structure(n_children: NDArray[np.int32]) -> None:
    """Raise ``ModelFileError`` unless these numbers of children describe a tree."""
    _refuse(n_children < 0, "has a negative number of children")
    _refuse(n_children == 1, "has a single child")
    children_before = np.cumsum(n_children, dtype=np.int64) - n_children
    _refuse(children_before < np.arange(n_children.size), "is not a child of an earlier node")
    n_described = 1 + int(children_before[-1]) + int(n_children[-1])
    if n_described != n_children.size:
        raise ModelFileError(
            f"The tree has {n_children.size} nodes, but n_children describes {n_described}."
        )


def _check_features(tree: "Tree", n_features: int | None) -> None:
    leaf = tree.n_children == 0
    _refuse(leaf & (tree.feature != -1), "is a leaf with an attribute")
    _refuse(~leaf & (tree.feature < 0), "splits on a negative attribute")
    if n_features is not None:
        unknown = f"splits on an attribute that is not among the {n_features} of the schema"
        _refuse(tree.feature >= n_features, unknown)


def _check_splits(tree: "Tree") -> None:
    """Check that each node is a leaf, a threshold with two children, or a list of categories."""
    offsets = tree.category_offsets.astype(np.int64)
    sizes = np.diff(offsets)
    _refuse(sizes < 0, "has a list of categories that ends before it begins")
    if offsets[0] != 0 or offsets[-1] != tree.category_branch.size:
        raise ModelFileError("The lists of categories do not fill category_branch of the tree.")
    nominal, leaf = sizes > 0, tree.n_children == 0
    numeric = ~nominal & ~leaf
    _refuse(leaf & nominal, "is a leaf with a list of categories")
    _refuse(numeric & ~np.isfinite(tree.threshold), "has neither categories nor a threshold")
    _refuse(numeric & (tree.n_children != 2), "has a threshold, but not two children")
    _refuse(~numeric & ~np.isnan(tree.threshold), "has a threshold, but no numeric split")


def _check_categories(tree: "Tree") -> None:
    node = np.repeat(np.arange(tree.n_children.size), np.diff(tree.category_offsets))
    outside = (tree.category_branch < -1) | (tree.category_branch >= tree.n_children[node])
    if outside.any():
        raise ModelFileError(
            f"Node {node[np.argmax(outside)]} sends a category to a branch that does not exist."
        )


def _check_missing(tree: "Tree") -> None:
    outside = (tree.missing_branch < -1) | (tree.missing_branch >= tree.n_children)
    # A leaf has no branches, so -1 is its only valid value.
    _refuse(outside, "sends missing values to a branch that does not exist")


def _check_counts(tree: "Tree") -> None:
    counts = tree.counts
    impossible = ~(np.isfinite(counts) & (counts >= 0))
    _refuse(np.any(impossible, axis=1), "has negative or infinite counts")
    with np.errstate(over="ignore"):
        weights = counts.sum(axis=1)
    _refuse(~np.isfinite(weights), "has counts too large to add up")
    inner = tree.n_children > 0
    if not inner.any():
        return
    starts = (np.cumsum(tree.n_children, dtype=np.int64) - tree.n_children)[inner]
    with np.errstate(over="ignore"):
        sums = np.add.reduceat(counts[1:], starts, axis=0)
    apart = np.zeros(counts.shape, dtype=np.bool_)
    apart[inner] = np.abs(sums - counts[inner]) > TOLERANCE * weights[0]
    _refuse(np.any(apart, axis=1), "has counts that are not the sum of its children's")


def _check_numbers(tree: "Tree") -> None:
    valid = np.isfinite(tree.softness) & (tree.softness >= 0)
    _refuse(~valid, "has a negative or infinite softness")
    _refuse(~np.isfinite(tree.gain), "has a gain that is not a finite number")


def _refuse(wrong: NDArray[np.bool_], what: str) -> None:
    if wrong.any():
        raise ModelFileError(f"Node {int(np.argmax(wrong))} of the tree {what}.")
