"""Passes over all nodes, from the leaves up or from the root down, by loops without recursion.

Parents come before their children: the last node is always a leaf, and the first the root.
"""

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled, typed_kernel
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]

_PARENTS = "Array(int64, 1, 'C', readonly=True)"
_VECTOR = "Array(float64, 1, 'C')"
_FLAGS = "Array(bool, 1, 'C')"
_MIXED, _UNKNOWN = -1, -2


def kept_nodes(tree: Tree, final: Flags) -> Flags:
    """Return which nodes stay when the flagged ones become leaves."""
    kept = np.ones(tree.n_nodes, dtype=np.bool_)
    compiled(_drop_below)(tree.parent, np.array(final, dtype=np.bool_), kept)
    return kept


def over_subtrees(tree: Tree, values: Floats) -> Floats:
    """Return for each node the sum of its value and those of all nodes below it."""
    sums = np.array(values, dtype=np.float64)
    compiled(_add_to_parents)(tree.parent, sums)
    return sums


def over_leaves(tree: Tree, values: Floats) -> Floats:
    """Return for each node the sum of the values of the leaves below it, its own if a leaf."""
    return over_subtrees(tree, np.where(tree.is_leaf, values, 0.0))


def with_those_below(tree: Tree, counts: Floats) -> Floats:
    """Return the counts of each node and of all below it, float64[nodes, columns]."""
    return np.column_stack([over_subtrees(tree, column) for column in counts.T])


def importances(tree: Tree, n_features: int) -> Floats:
    """Return what the splits of each attribute improve the criterion by, as shares of the total."""
    inner = ~tree.is_leaf
    improvement = (tree.weight * tree.gain)[inner]
    sums = np.bincount(tree.feature[inner], improvement, minlength=n_features)
    return np.asarray(sums / (sums.sum() or 1.0))


def better_as_leaves(tree: Tree, loss: Floats, slack: Floats | float = 0.0) -> Flags:
    """Return which nodes lose no more as leaves than their subtrees, pruned before, plus slack.

    Parameters
    ----------
    tree : the tree
    loss : what each node loses as a leaf; a subtree loses the sum of its leaves
    slack : how much more a leaf may lose
    """
    final = tree.is_leaf.copy()
    lost, granted = np.array(loss, dtype=np.float64), np.full(tree.n_nodes, slack)
    compiled(_close)(tree.parent, lost, granted, np.zeros(tree.n_nodes), final)
    return final


def of_one_label(tree: Tree, final: Flags, labels: Ints) -> tuple[Flags, Ints]:
    """Return the nodes whose final descendants all have one label, and labels with theirs so."""
    one, of_subtree = final | tree.is_leaf, np.array(labels, dtype=np.int64)
    compiled(_join_labels)(tree.parent, one, of_subtree)
    return one, np.where(one, of_subtree, labels)


def places_in(tree: Tree, part: Tree) -> Ints:
    """Return the number in a tree of each node of a part of it, whose leaves may be inner nodes."""
    places = np.zeros(part.n_nodes, dtype=np.int64)
    compiled(_follow)(tree.first_child, part.parent, part.branch, places)
    return places


@typed_kernel(f"void({_PARENTS}, {_PARENTS}, {_PARENTS}, Array(int64, 1, 'C'))")
def _follow(
    first_child: NDArray[np.int64],
    parent: NDArray[np.int64],
    branch: NDArray[np.int64],
    places: NDArray[np.int64],
) -> None:
    """Find each node by the place of its parent, from the root down."""
    for node in range(1, places.size):
        places[node] = first_child[places[parent[node]]] + branch[node]


@typed_kernel(f"void({_PARENTS}, {_FLAGS}, {_FLAGS})")
def _drop_below(
    parent: NDArray[np.int64], final: NDArray[np.bool_], kept: NDArray[np.bool_]
) -> None:
    """Drop the nodes below a final one from the kept."""
    for node in range(1, parent.size):
        kept[node] = kept[parent[node]] and not final[parent[node]]


@typed_kernel(f"void({_PARENTS}, {_VECTOR})")
def _add_to_parents(parent: NDArray[np.int64], sums: NDArray[np.float64]) -> None:
    """Add up from the last node to the first."""
    for node in range(parent.size - 1, 0, -1):
        sums[parent[node]] += sums[node]


@typed_kernel(f"void({_PARENTS}, {_VECTOR}, {_VECTOR}, {_VECTOR}, {_FLAGS})")
def _close(
    parent: NDArray[np.int64],
    loss: NDArray[np.float64],
    slack: NDArray[np.float64],
    below: NDArray[np.float64],
    final: NDArray[np.bool_],
) -> None:
    """Flag nodes from below; ``below`` adds up what the children lose after their own pruning."""
    for node in range(parent.size - 1, -1, -1):
        if final[node] or loss[node] <= below[node] + slack[node]:
            final[node] = True
            below[node] = loss[node]
        if node > 0:
            below[parent[node]] += below[node]


@typed_kernel(f"void({_PARENTS}, {_FLAGS}, Array(int64, 1, 'C'))")
def _join_labels(
    parent: NDArray[np.int64], one: NDArray[np.bool_], labels: NDArray[np.int64]
) -> None:
    """Flag the nodes below which all final nodes agree, and put that label in their place."""
    for node in range(parent.size):
        if not one[node]:
            labels[node] = _UNKNOWN
    for node in range(parent.size - 1, -1, -1):
        if labels[node] >= 0:
            one[node] = True
        if node > 0:
            above = parent[node]
            if not one[above]:
                joined = labels[above] == _UNKNOWN or labels[above] == labels[node]
                labels[above] = labels[node] if joined else _MIXED
