"""Trees made from trees by their counts and gains alone: cut, collapsed, best-first.

No function here needs the rows, but for the one that moves thresholds to values of the data.
"""

import heapq
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.tree.passes import better_as_leaves, kept_nodes
from roctree.tree.tree import IS_PRESENT, NO_BRANCH, Tree

# What C4.5 grants a leaf: so many errors more than its subtree are none.
_COLLAPSE_SLACK = 0.001


def cut(tree: Tree, final: NDArray[np.bool_]) -> Tree:
    """Make leaves of the flagged nodes; what is below them goes, other counts stay."""
    kept = kept_nodes(tree, final)
    leaf = (tree.is_leaf | final)[kept]
    n_categories = np.where(final | ~kept, 0, np.diff(tree.category_offsets))
    return Tree(
        n_children=_unless(leaf, tree.n_children[kept], 0),
        feature=_unless(leaf, tree.feature[kept], -1),
        threshold=_unless(leaf, tree.threshold[kept], np.nan),
        category_branch=tree.category_branch[_of_nodes(n_categories > 0, tree)],
        category_offsets=_offsets(n_categories[kept]),
        missing_branch=_unless(leaf, tree.missing_branch[kept], NO_BRANCH),
        counts=tree.counts[kept],
        softness=_unless(leaf, tree.softness[kept], 0.0),
        gain=_unless(leaf, tree.gain[kept], 0.0),
    )


def collapse(tree: Tree) -> Tree:
    """Make leaves, from below, of nodes that err as little as leaves as with their subtrees.

    So does C4.5 while it grows: such splits serve the ranking, but not the training error.
    """
    errors = tree.weight - tree.counts.max(axis=1)
    return cut(tree, better_as_leaves(tree, errors, _COLLAPSE_SLACK))


def best_first(tree: Tree, max_leaves: int) -> Tree:
    """Return the part of the tree that best-first growth makes with so many leaves.

    It opens the leaf with the largest gain times weight, the first on ties. A leaf whose split
    would make too many stays one, and the next best is tried.
    """
    worth = tree.gain * tree.weight
    final = np.ones(tree.n_nodes, dtype=np.bool_)
    n_leaves, queue = 1, _openable(tree, worth, 0, 1)
    while queue:
        node = heapq.heappop(queue)[1]
        more = int(tree.n_children[node]) - 1
        if n_leaves + more > max_leaves:
            continue
        n_leaves += more
        final[node] = False
        first = int(tree.first_child[node])
        for entry in _openable(tree, worth, first, first + int(tree.n_children[node])):
            heapq.heappush(queue, entry)
    return cut(tree, final)


def observed_thresholds(
    tree: Tree, values: NDArray[np.float64], n_categories: NDArray[Any]
) -> Tree:
    """Move each threshold down to the next value that the training data have, as C4.5 does.

    Parameters
    ----------
    tree : thresholds between the values of the training cases at a node
    values : float64[n, features], all training cases, NaN where missing
    n_categories : number of categories of each attribute, 0 if numeric
    """
    thresholds = tree.threshold.copy()
    movable = ~tree.is_leaf & ~np.isnan(thresholds) & (thresholds != IS_PRESENT)
    for feature in np.flatnonzero(np.asarray(n_categories) == 0):
        nodes = np.flatnonzero(movable & (tree.feature == feature))
        if nodes.size > 0:
            thresholds[nodes] = _next_below(thresholds[nodes], values[:, feature])
    return replace(tree, threshold=thresholds)


def _openable(tree: Tree, worth: NDArray[Any], first: int, end: int) -> list[tuple[float, int]]:
    """The inner nodes of a range, the most worthwhile at the head of a heap."""
    return [(-float(worth[node]), node) for node in range(first, end) if tree.n_children[node]]


def _next_below(thresholds: NDArray[np.float64], column: NDArray[np.float64]) -> NDArray[Any]:
    """Each threshold's largest known value at or below it, itself where there is none."""
    known = np.sort(column[~np.isnan(column)])
    place = np.searchsorted(known, thresholds, side="right") - 1
    return np.where(place >= 0, known[np.maximum(place, 0)], thresholds)


def _unless(leaf: NDArray[np.bool_], values: NDArray[Any], at_leaves: float) -> NDArray[Any]:
    return np.where(leaf, values.dtype.type(at_leaves), values)


def _offsets(sizes: NDArray[Any]) -> NDArray[np.int32]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)


def _of_nodes(chosen: NDArray[np.bool_], tree: Tree) -> NDArray[np.bool_]:
    """Whether each entry of ``category_branch`` belongs to a chosen node."""
    return np.repeat(chosen, np.diff(tree.category_offsets))
