"""A decision tree: nodes in breadth-first order, one array per field, class counts at every node.

The children of a node are consecutive, and groups of siblings are in the order of their parents.
The number of children of each node is therefore the whole structure: no sequence of numbers can
express a cycle, a dangling child or a node with two parents.
"""

from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roctree.arrays import Floats, Ints
from roctree.errors import ModelFileError
from roctree.text import pluralize

if TYPE_CHECKING:
    from roctree.tree.kernels.descent import Paths

NO_BRANCH = -1
# Branches are stored as 16-bit integers.
MAX_BRANCHES = (1 << 15) - 1
# A soft threshold does not divide a row if a branch would receive less than this part of it.
MIN_PART = 0.001
# Scores are compared after rounding: shares that are mathematically equal may differ in the last
# bit.
SCORE_DECIMALS = 12
# "At most this" is true of every number: the threshold between known and missing values.
IS_PRESENT = float(np.finfo(np.float64).max)


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes of a decision tree, read-only.

    Parameters
    ----------
    n_children : int32[n]
        Number of children: 0 at leaves, 2 at a threshold, any number but 1 at a nominal split.
    feature : int32[n]
        Attribute that splits the node, -1 at leaves.
    threshold : float64[n]
        Values up to the threshold go to branch 0, larger ones to branch 1; NaN unless numeric.
    category_branch : int16[...]
        Branch of each category code, one nominal node after another. -1 marks a category that
        does not occur in the training cases of the node: it is treated as missing there.
    category_offsets : int32[n + 1]
        Where the categories of each node begin and end in ``category_branch``.
    missing_branch : int16[n]
        Branch of missing values, or -1 for all branches in proportion to their weights.
    counts : float64[n, classes]
        Weight of the training cases of each class.
    softness : float64[n]
        Half-width of the zone around the threshold in which a prediction mixes both branches; 0
        for a hard threshold.
    gain : float64[n]
        Improvement of the criterion by the split, 0 at leaves.
    """

    n_children: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: Floats
    category_branch: NDArray[np.int16]
    category_offsets: NDArray[np.int32]
    missing_branch: NDArray[np.int16]
    counts: Floats
    softness: Floats
    gain: Floats

    def __post_init__(self) -> None:
        for name, array in self._arrays().items():
            object.__setattr__(self, name, read_only(array))

    @classmethod
    def single_leaf(cls, counts: Any) -> "Tree":
        """Return a tree of one leaf with the given class counts."""
        return cls(
            n_children=np.zeros(1, dtype=np.int32),
            feature=np.full(1, -1, dtype=np.int32),
            threshold=np.full(1, np.nan),
            category_branch=np.empty(0, dtype=np.int16),
            category_offsets=np.zeros(2, dtype=np.int32),
            missing_branch=np.full(1, NO_BRANCH, dtype=np.int16),
            counts=np.array([counts], dtype=np.float64),
            softness=np.zeros(1),
            gain=np.zeros(1),
        )

    def validate(self, n_features: int | None = None) -> "Tree":
        """Return this tree; raise ``ModelFileError`` if its arrays do not describe a tree."""
        check_tree(self, n_features)
        return self

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.n_children)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return len(self.leaves)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.counts.shape[1])

    @property
    def max_depth(self) -> int:
        """Depth of the deepest node; 0 if the root is a leaf."""
        return len(self.level_starts) - 2

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each node is a leaf."""
        return read_only(self.n_children == 0)

    @cached_property
    def leaves(self) -> Ints:
        """The leaves in the order of their numbers."""
        return read_only(np.flatnonzero(self.is_leaf))

    @cached_property
    def weight(self) -> Floats:
        """Weight of the training cases of each node."""
        return read_only(self.counts.sum(axis=1))

    @cached_property
    def first_child(self) -> Ints:
        """First child of each node; for a leaf, the position its first child would have."""
        return read_only(1 + np.cumsum(self.n_children, dtype=np.int64) - self.n_children)

    @cached_property
    def parent(self) -> Ints:
        """Parent of each node, -1 for the root."""
        parents = np.repeat(np.arange(self.n_nodes), self.n_children)
        return read_only(np.concatenate([[-1], parents]))

    @cached_property
    def branch(self) -> Ints:
        """Which branch of its parent each node is, -1 for the root."""
        branches = np.arange(self.n_nodes) - self.first_child[self.parent]
        branches[0] = NO_BRANCH
        return read_only(branches)

    @cached_property
    def depth(self) -> Ints:
        """Number of splits between the root and each node."""
        return read_only(np.repeat(np.arange(self.max_depth + 1), np.diff(self.level_starts)))

    @cached_property
    def level_starts(self) -> Ints:
        """First node of each depth, followed by the number of nodes."""
        # One cheap step per level: a chain of 10^5 levels takes milliseconds.
        next_start = self.first_child + self.n_children
        starts = [0, 1]
        while starts[-2] < starts[-1] < self.n_nodes:
            starts.append(int(next_start[starts[-1] - 1]))
        return read_only(np.array(starts))

    @cached_property
    def share(self) -> Floats:
        """Share of each node in the total weight of its siblings and itself; 1 for the root.

        If all siblings are empty, their shares are equal.
        """
        totals = np.bincount(self.parent[1:], self.weight[1:], self.n_nodes)
        empty = totals == 0.0
        parts = np.ones(self.n_nodes)
        of = self.parent[1:]
        parts[1:] = (self.weight[1:] + empty[of]) / (totals + empty * self.n_children)[of]
        return read_only(parts)

    @cached_property
    def heaviest_branch(self) -> NDArray[np.int16]:
        """Heaviest branch of each node, the first on ties; -1 at leaves."""
        branches = np.full(self.n_nodes, NO_BRANCH, dtype=np.int16)
        inner = ~self.is_leaf
        if inner.any():
            starts = self.first_child[inner] - 1
            heaviest = np.maximum.reduceat(self.weight[1:], starts)
            lighter = self.weight[1:] < np.repeat(heaviest, self.n_children[inner])
            branches[inner] = np.minimum.reduceat(
                np.where(lighter, self.n_nodes, self.branch[1:]), starts
            )
        return read_only(branches)

    # Descents are packed when first needed, which loads the compiler.

    @cached_property
    def all_paths(self) -> "Paths":
        """Descent of rows that may be divided among branches."""
        return self._paths(self.missing_branch, self.softness)

    @cached_property
    def all_hard_paths(self) -> "Paths":
        """Descent of rows that only missing values divide among branches: thresholds are hard."""
        if not self.softness.any():
            return self.all_paths
        return self._paths(self.missing_branch, np.zeros(self.n_nodes))

    @cached_property
    def single_path(self) -> "Paths":
        """Descent of rows to a single leaf."""
        branch = np.where(self.missing_branch < 0, self.heaviest_branch, self.missing_branch)
        return self._paths(branch, np.zeros(self.n_nodes))

    def _paths(self, missing_branch: NDArray[np.int16], softness: Floats) -> "Paths":
        from roctree.tree.prediction import node_paths

        return node_paths(self, missing_branch, softness)

    @cached_property
    def used_attributes(self) -> tuple[Ints, NDArray[np.uint32], NDArray[np.bool_]]:
        """The attributes of splits, the position among them of each node's, and which are numeric.

        A leaf has the attribute of its parent. An attribute is numeric if it has thresholds only.
        """
        used = np.unique(self.feature[~self.is_leaf]).astype(np.int64)
        of_node = np.where(self.is_leaf, self.feature[self.parent], self.feature)
        place = np.searchsorted(used, np.maximum(of_node, 0)).astype(np.uint32)
        nominal = self.feature[np.diff(self.category_offsets) > 0]
        return used, place, ~np.isin(used, nominal)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        pairs = zip(self._arrays().values(), other._arrays().values(), strict=True)
        return all(
            mine.dtype == theirs.dtype and np.array_equal(mine, theirs, equal_nan=True)
            for mine, theirs in pairs
        )

    __hash__ = None  # type: ignore[assignment]  # its fields are arrays

    def __reduce__(self) -> tuple[Any, ...]:
        # Only the fields, so that equal trees have equal pickles whatever has been cached.
        return Tree, tuple(self._arrays().values())

    def __repr__(self) -> str:
        leaves = pluralize(self.n_leaves, "leaf", "leaves")
        return f"<Tree of {pluralize(self.n_nodes, 'node')}, {leaves}, depth {self.max_depth}>"

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self, name) for name in _field_names(Tree)}

    # scikit-learn's names for a binary tree, for tools that read such trees: SHAP, dtreeviz, ...

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return self.n_nodes

    @property
    def n_features(self) -> int:
        """Number of attributes up to the last one that the tree uses."""
        return int(self.feature.max()) + 1

    @property
    def n_outputs(self) -> int:
        """Number of targets: one."""
        return 1

    @property
    def max_n_classes(self) -> int:
        """Number of classes."""
        return self.n_classes

    @property
    def children_left(self) -> Ints:
        """Branch 0 of each node, -1 at leaves."""
        self._require_binary()
        return np.where(self.is_leaf, -1, self.first_child)

    @property
    def children_right(self) -> Ints:
        """Branch 1 of each node, -1 at leaves."""
        self._require_binary()
        return np.where(self.is_leaf, -1, self.first_child + 1)

    @property
    def value(self) -> Floats:
        """Class frequencies as float64[n, 1, classes], uniform at nodes without weight."""
        self._require_binary()
        empty = self.weight[:, None] == 0
        shares = (self.counts + empty) / (self.weight[:, None] + empty * self.n_classes)
        return np.asarray(shares)[:, None, :]

    @property
    def impurity(self) -> Floats:
        """Gini impurity of each node."""
        return np.asarray(1.0 - np.square(self.value[:, 0]).sum(axis=1))

    @property
    def weighted_n_node_samples(self) -> Floats:
        """Weight of the training cases of each node."""
        self._require_binary()
        return self.weight

    @property
    def n_node_samples(self) -> Ints:
        """Weight of each node, rounded: the tree does not store numbers of rows."""
        return np.rint(self.weighted_n_node_samples).astype(np.int64)

    def _require_binary(self) -> None:
        wide = self.n_children > 2
        if wide.any():
            node = int(np.argmax(wide))
            raise ValueError(
                f"Node {node} has {self.n_children[node]} children, but scikit-learn's attributes "
                "describe binary trees only."
            )


def make_read_only(value: Any) -> None:
    """Replace the arrays among the fields of a frozen dataclass by read-only views."""
    for name in _field_names(value.__class__):
        array = getattr(value, name)
        if isinstance(array, np.ndarray):
            object.__setattr__(value, name, read_only(array))


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def read_only(array: Any) -> NDArray[Any]:
    """Return a contiguous read-only view; the flags of the array itself do not change."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


# --- Validation: the checks between an untrusted file and a tree in use ---
#
# A tree that passes can be descended, drawn and pruned without reading outside any array. The first
# violation is reported, with its node.

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


def check_tree(tree: Tree, n_features: int | None = None) -> None:
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


def _check_types(tree: Tree) -> None:
    for name, dtype in DTYPES.items():
        actual = getattr(tree, name).dtype
        if actual != dtype:
            raise ModelFileError(
                f"{name} of the tree has type {actual} instead of {np.dtype(dtype)}."
            )


def _check_shapes(tree: Tree) -> None:
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
    _reject(n_children < 0, "has a negative number of children")
    _reject(n_children == 1, "has a single child")
    children_before = np.cumsum(n_children, dtype=np.int64) - n_children
    _reject(children_before < np.arange(n_children.size), "is not a child of an earlier node")
    n_described = 1 + int(children_before[-1]) + int(n_children[-1])
    if n_described != n_children.size:
        raise ModelFileError(
            f"The tree has {n_children.size} nodes, but n_children describes {n_described}."
        )


def _check_features(tree: Tree, n_features: int | None) -> None:
    leaf = tree.n_children == 0
    _reject(leaf & (tree.feature != -1), "is a leaf with an attribute")
    _reject(~leaf & (tree.feature < 0), "splits on a negative attribute")
    if n_features is not None:
        unknown = f"splits on an attribute that is not among the {n_features} of the schema"
        _reject(tree.feature >= n_features, unknown)


def _check_splits(tree: Tree) -> None:
    """Check that each node is a leaf, a threshold with two children, or a list of categories."""
    offsets = tree.category_offsets.astype(np.int64)
    sizes = np.diff(offsets)
    _reject(sizes < 0, "has a list of categories that ends before it begins")
    if offsets[0] != 0 or offsets[-1] != tree.category_branch.size:
        raise ModelFileError("The lists of categories do not fill category_branch of the tree.")
    nominal, leaf = sizes > 0, tree.n_children == 0
    numeric = ~nominal & ~leaf
    _reject(leaf & nominal, "is a leaf with a list of categories")
    _reject(numeric & ~np.isfinite(tree.threshold), "has neither categories nor a threshold")
    _reject(numeric & (tree.n_children != 2), "has a threshold, but not two children")
    _reject(~numeric & ~np.isnan(tree.threshold), "has a threshold, but no numeric split")


def _check_categories(tree: Tree) -> None:
    node = np.repeat(np.arange(tree.n_children.size), np.diff(tree.category_offsets))
    outside = (tree.category_branch < -1) | (tree.category_branch >= tree.n_children[node])
    if outside.any():
        raise ModelFileError(
            f"Node {node[np.argmax(outside)]} sends a category to a branch that does not exist."
        )


def _check_missing(tree: Tree) -> None:
    outside = (tree.missing_branch < -1) | (tree.missing_branch >= tree.n_children)
    # A leaf has no branches, so -1 is its only valid value.
    _reject(outside, "sends missing values to a branch that does not exist")


def _check_counts(tree: Tree) -> None:
    counts = tree.counts
    impossible = ~(np.isfinite(counts) & (counts >= 0))
    _reject(np.any(impossible, axis=1), "has negative or infinite counts")
    with np.errstate(over="ignore"):
        weights = counts.sum(axis=1)
    _reject(~np.isfinite(weights), "has counts too large to add up")
    inner = tree.n_children > 0
    if not inner.any():
        return
    starts = (np.cumsum(tree.n_children, dtype=np.int64) - tree.n_children)[inner]
    with np.errstate(over="ignore"):
        sums = np.add.reduceat(counts[1:], starts, axis=0)
    apart = np.zeros(counts.shape, dtype=np.bool_)
    apart[inner] = np.abs(sums - counts[inner]) > TOLERANCE * weights[0]
    _reject(np.any(apart, axis=1), "has counts that are not the sum of its children's")


def _check_numbers(tree: Tree) -> None:
    valid = np.isfinite(tree.softness) & (tree.softness >= 0)
    _reject(~valid, "has a negative or infinite softness")
    _reject(~np.isfinite(tree.gain), "has a gain that is not a finite number")


def _reject(wrong: NDArray[np.bool_], what: str) -> None:
    if wrong.any():
        raise ModelFileError(f"Node {int(np.argmax(wrong))} of the tree {what}.")
