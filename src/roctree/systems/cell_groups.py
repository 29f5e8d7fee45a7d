"""Partial removal of subtrees, which Bradley and Lovell (1995) propose: merging some leaves.

A cell may have hundreds of parts, and pruning can make one leaf of all of them or of none. Here the
parts that are leaves first form groups: of weight below 2, with those below 4, with those below 8,
and so on. A pruner then decides for each group, as for any node, whether it is better as a leaf. So
every pruner can remove a subtree in part, by its own rule: single cases that err are merged with
their like, and heavier parts stay. Groups do not look at classes, by which every group would seem
worth its leaves.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.systems.cells import Ints, hierarchy
from roctree.tree.arrange import breadth_first
from roctree.tree.tree import Tree


class Arranged(NamedTuple):
    """A tree, and the number in it of each node of the tree before; -1 if it is gone."""

    tree: Tree
    numbers: Ints


def grouped(tree: Tree) -> Arranged:
    """Return the tree with the leaves of each node in groups, each within the next."""
    if tree.n_nodes == 1:
        return Arranged(tree, np.zeros(1, dtype=np.int64))
    leaves = tree.leaves
    sizes = np.stack([tree.parent[leaves], np.frexp(tree.weight[leaves])[1]])
    pairs, of_pair, n_leaves = np.unique(sizes, axis=1, return_inverse=True, return_counts=True)
    cell = pairs[0]
    so_far = _sums_within(cell, n_leaves)
    # One leaf is no group, nor are all parts: these are the cell itself.
    is_group = (so_far > 1) & (so_far < tree.n_children[cell])
    group = np.where(is_group, tree.n_nodes + np.cumsum(is_group) - 1, -1)
    # The next group of the same cell, or the cell.
    follows = np.append(cell[1:] == cell[:-1], False)
    above = np.where(follows & (np.append(group[1:], -1) >= 0), np.append(group[1:], -1), cell)
    parent = tree.parent.copy()
    parent[leaves] = np.where(is_group, group, above)[of_pair.reshape(-1)]
    return _arranged(tree, np.append(parent, above[is_group]))


def dissolved(tree: Tree, idle: NDArray[np.bool_]) -> Arranged:
    """Return the tree without some inner nodes, whose children go to the nodes above them."""
    if not idle.any():
        return Arranged(tree, np.arange(tree.n_nodes))
    parent = tree.parent.copy()
    while idle[parent[1:]].any():
        parent[1:] = np.where(idle[parent[1:]], parent[parent[1:]], parent[1:])
    kept = np.flatnonzero(~idle)
    numbers = np.full(tree.n_nodes, -1)
    numbers[kept] = np.arange(len(kept))
    parents = np.append(-1, numbers[parent[kept[1:]]])
    arranged = _arranged(tree, parents, kept)
    numbers[kept] = arranged.numbers
    return Arranged(arranged.tree, numbers)


def _sums_within(group: Ints, values: Ints) -> Ints:
    """Return the sums of values from the first of their group on; groups stand together."""
    sums = np.cumsum(values)
    first = np.searchsorted(group, group)
    return np.asarray(sums - (sums - values)[first])


def _arranged(tree: Tree, parent: Ints, kept: Ints | None = None) -> Arranged:
    """Line up nodes by the parent that each has now.

    Parameters
    ----------
    tree : the tree that was
    parent : of the nodes that are to be, -1 for the first
    kept : which nodes of the tree they are; None for all of it and new ones after these
    """
    before = np.arange(tree.n_nodes) if kept is None else kept
    together = np.argsort(parent, kind="stable")
    n_children = np.bincount(parent[1:], minlength=len(parent))
    first_child = 1 + np.cumsum(n_children) - n_children
    order = together[breadth_first(first_child[together], n_children[together])]
    counts = np.zeros((len(parent), tree.n_classes))
    counts[: len(before)] = np.where(tree.is_leaf[:, None], tree.counts, 0.0)[before]
    numbers = np.empty(len(parent), dtype=np.int64)
    numbers[order] = np.arange(len(order))
    made = hierarchy(n_children[order].astype(np.int32), counts[order])
    return Arranged(made, numbers[: len(before)])
