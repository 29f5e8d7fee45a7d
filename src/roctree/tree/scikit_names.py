"""How scikit-learn spells a tree, for tools that read such trees: SHAP, dtreeviz and others.

Its arrays of left and right children describe binary trees only.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from roctree.tree.tree import Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def node_count(tree: "Tree") -> int:
    """Return the number of nodes."""
    return tree.n_nodes


def n_features(tree: "Tree") -> int:
    """Return the number of attributes up to the last one that the tree uses."""
    return int(tree.feature.max()) + 1


def n_outputs(tree: "Tree") -> int:
    """Return the number of targets: one."""
    return 1


def max_n_classes(tree: "Tree") -> int:
    """Return the number of classes."""
    return tree.n_classes


def children_left(tree: "Tree") -> Ints:
    """Return branch 0 of each node, -1 at leaves."""
    _require_binary(tree)
    return np.where(tree.is_leaf, -1, tree.first_child)


def children_right(tree: "Tree") -> Ints:
    """Return branch 1 of each node, -1 at leaves."""
    _require_binary(tree)
    return np.where(tree.is_leaf, -1, tree.first_child + 1)


def value(tree: "Tree") -> Floats:
    """Return class frequencies as float64[n, 1, classes], uniform at nodes without weight."""
    _require_binary(tree)
    empty = tree.weight[:, None] == 0
    shares = (tree.counts + empty) / (tree.weight[:, None] + empty * tree.n_classes)
    return np.asarray(shares)[:, None, :]


def impurity(tree: "Tree") -> Floats:
    """Return the Gini impurity of each node."""
    return np.asarray(1.0 - np.square(value(tree)[:, 0]).sum(axis=1))


def weighted_n_node_samples(tree: "Tree") -> Floats:
    """Return the weight of the training cases of each node."""
    _require_binary(tree)
    return tree.weight


def n_node_samples(tree: "Tree") -> Ints:
    """Return the weight of each node, rounded: a tree does not know how many rows made it up."""
    return np.rint(weighted_n_node_samples(tree)).astype(np.int64)


def _require_binary(tree: "Tree") -> None:
    wide = tree.n_children > 2
    if wide.any():
        node = int(np.argmax(wide))
        raise ValueError(
            f"Node {node} has {tree.n_children[node]} children, and scikit-learn's names describe "
            "binary trees only."
        )
