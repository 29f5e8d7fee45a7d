"""Smaller trees from a tree: cut, collapsed, or grown best-first to a number of leaves.

Only the counts and gains of nodes are needed, not the rows, except for moving thresholds to
observed values. The first part contains the passes over all nodes that pruning builds on. Nodes are
in breadth-first order, so a loop from the last node to the first meets children before their
parents, and no pass recurses.
"""

import heapq
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled, kernel, typed_kernel
from roctree.arrays import Bools, Floats, Floats2D, Ints, Ints2D, ReadonlyInt32s, ReadonlyInts
from roctree.tree.kernels.descent import add_to_parents
from roctree.tree.prediction import decision_path
from roctree.tree.tree import IS_PRESENT, NO_BRANCH, Tree

if TYPE_CHECKING:
    from roctree.tree.growth import GrowthRules

# Number of rows whose paths are listed at a time.
_PATH_ROWS = 1 << 16


# --- Passes over all nodes ---


def kept_nodes(tree: Tree, final: Bools) -> Bools:
    """Return which nodes remain if the flagged ones become leaves."""
    kept = np.ones(tree.n_nodes, dtype=np.bool_)
    compiled(_drop_below, microseconds=tree.n_nodes)(
        tree.parent, np.array(final, dtype=np.bool_), kept
    )
    return kept


@typed_kernel
def _drop_below(parent: ReadonlyInts, final: Bools, kept: Bools) -> None:
    for node in range(1, parent.size):
        kept[node] = kept[parent[node]] and not final[parent[node]]


def subtree_sums(tree: Tree, values: Floats) -> Floats:
    """Return for each node the sum of its value and the values of all nodes below it."""
    return subtree_counts(tree, values[:, None])[:, 0]


def subtree_counts(tree: Tree, counts: Floats) -> Floats:
    """Return ``subtree_sums`` of each column of some counts."""
    sums = np.array(counts, dtype=np.float64, order="C")
    compiled(add_to_parents, microseconds=sums.size)(tree.parent, sums)
    return sums


def leaf_sums(tree: Tree, values: Floats) -> Floats:
    """Return for each node the sum of the values of its leaves; a leaf has its own value."""
    return subtree_sums(tree, np.where(tree.is_leaf, values, 0.0))


def importances(tree: Tree, n_features: int) -> Floats:
    """Return the improvement of the criterion due to each attribute, as a share of the total."""
    inner = ~tree.is_leaf
    improvement = (tree.weight * tree.gain)[inner]
    sums = np.bincount(tree.feature[inner], improvement, minlength=n_features)
    return np.asarray(sums / (sums.sum() or 1.0))


def better_as_leaves(tree: Tree, loss: Floats, slack: Floats | float = 0.0) -> Bools:
    """Return the nodes whose loss as leaves is at most that of their pruned subtrees, plus a slack.

    Nodes are decided from the leaves up, so a subtree is compared after its own pruning.

    Parameters
    ----------
    tree : Tree
    loss : float64[nodes]
        Loss of each node as a leaf; a subtree loses the sum of its leaves.
    slack : float or float64[nodes]
        How much more a leaf may lose.
    """
    final = tree.is_leaf.copy()
    lost, granted = np.array(loss, dtype=np.float64), np.full(tree.n_nodes, slack)
    compiled(_flag_leaves, microseconds=2 * tree.n_nodes)(
        tree.parent, lost, granted, np.zeros(tree.n_nodes), final
    )
    return final


@typed_kernel
def _flag_leaves(
    parent: ReadonlyInts, loss: Floats, slack: Floats, below: Floats, final: Bools
) -> None:
    """Flag nodes from the last to the first; ``below`` sums the losses of the pruned children."""
    for node in range(parent.size - 1, -1, -1):
        if final[node] or loss[node] <= below[node] + slack[node]:
            final[node] = True
            below[node] = loss[node]
        if node > 0:
            below[parent[node]] += below[node]


_MIXED, _UNKNOWN = -1, -2


def uniform_subtrees(tree: Tree, final: Bools, labels: Ints) -> tuple[Bools, Ints]:
    """Return the nodes whose final descendants share a label, and the labels with it entered."""
    one, of_subtree = final | tree.is_leaf, np.array(labels, dtype=np.int64)
    compiled(_join_labels, microseconds=2 * tree.n_nodes)(tree.parent, one, of_subtree)
    return one, np.where(one, of_subtree, labels)


@typed_kernel
def _join_labels(parent: ReadonlyInts, one: Bools, labels: Ints) -> None:
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


def nodes_in(tree: Tree, part: Tree) -> Ints:
    """Return the node of ``tree`` that corresponds to each node of ``part``, a cut of it."""
    places = np.zeros(part.n_nodes, dtype=np.int64)
    compiled(_follow, microseconds=part.n_nodes)(tree.first_child, part.parent, part.branch, places)
    return places


@typed_kernel
def _follow(
    first_child: ReadonlyInts, parent: ReadonlyInts, branch: ReadonlyInts, places: Ints
) -> None:
    for node in range(1, places.size):
        places[node] = first_child[places[parent[node]]] + branch[node]


# --- Cutting ---


def cut(tree: Tree, final: Bools) -> Tree:
    """Turn the flagged nodes into leaves and drop their subtrees; the counts stay."""
    kept = kept_nodes(tree, final)
    leaf = (tree.is_leaf | final)[kept]
    n_categories = np.where(final | ~kept, 0, np.diff(tree.category_offsets))
    return Tree(
        n_children=_unless(leaf, tree.n_children[kept], 0),
        feature=_unless(leaf, tree.feature[kept], -1),
        threshold=_unless(leaf, tree.threshold[kept], np.nan),
        category_branch=tree.category_branch[
            np.repeat(n_categories > 0, np.diff(tree.category_offsets))
        ],
        category_offsets=np.concatenate([[0], np.cumsum(n_categories[kept])]).astype(np.int32),
        missing_branch=_unless(leaf, tree.missing_branch[kept], NO_BRANCH),
        counts=tree.counts[kept],
        softness=_unless(leaf, tree.softness[kept], 0.0),
        gain=_unless(leaf, tree.gain[kept], 0.0),
    )


def _unless(leaf: Bools, values: NDArray[Any], at_leaves: float) -> NDArray[Any]:
    return np.where(leaf, values.dtype.type(at_leaves), values)


# C4.5 treats up to this many additional errors of a leaf as none.
_COLLAPSE_SLACK = 0.001


def collapse(tree: Tree) -> Tree:
    """Turn nodes into leaves, from the bottom up, whose subtrees do not reduce the training error.

    C4.5 does this during growth. Such splits improve the ranking of cases but not their
    classification.
    """
    errors = tree.weight - tree.counts.max(axis=1)
    return cut(tree, better_as_leaves(tree, errors, _COLLAPSE_SLACK))


def observed_thresholds(tree: Tree, values: Floats, n_categories: NDArray[Any]) -> Tree:
    """Lower each threshold to the next value in the training data, as C4.5 does.

    Parameters
    ----------
    tree : Tree
        Thresholds are between the values of the training cases at a node.
    values : float64[n, features]
        All training cases, NaN where missing.
    n_categories : int[features]
        Number of categories of each attribute, 0 if numeric.
    """
    thresholds = tree.threshold.copy()
    movable = ~tree.is_leaf & ~np.isnan(thresholds) & (thresholds != IS_PRESENT)
    for feature in np.flatnonzero(np.asarray(n_categories) == 0):
        nodes = np.flatnonzero(movable & (tree.feature == feature))
        if nodes.size > 0:
            column = values[:, feature]
            known = np.sort(column[~np.isnan(column)])
            place = np.searchsorted(known, thresholds[nodes], side="right") - 1
            thresholds[nodes] = np.where(place >= 0, known[np.maximum(place, 0)], thresholds[nodes])
    return replace(tree, threshold=thresholds)


def node_thresholds(tree: Tree, values: Floats) -> Tree:
    """Lower each threshold to the largest value on its left among the training cases of the node.

    Parameters
    ----------
    tree : Tree
        Thresholds are between the values of the training cases at a node.
    values : float64[n, features]
        All training cases, NaN where missing.
    """
    movable = ~tree.is_leaf & ~np.isnan(tree.threshold) & (tree.threshold != IS_PRESENT)
    largest = np.where(movable, -np.inf, tree.threshold)
    for begin in range(0, len(values), _PATH_ROWS):
        block = values[begin : begin + _PATH_ROWS]
        rows, nodes = decision_path(tree, block).nonzero()
        rows, nodes = rows[movable[nodes]], nodes[movable[nodes]]
        found = block[rows, tree.feature[nodes]]
        left = found <= tree.threshold[nodes]
        np.maximum.at(largest, nodes[left], found[left])
    found_none = np.isneginf(largest)
    return replace(tree, threshold=np.where(found_none, tree.threshold, largest))


# --- Best-first growth: the tree with at most a given number of leaves ---

_SHALLOW_LEAVES = 64


def grow_best_first(
    grow: "Callable[[GrowthRules], Tree]",
    rules: "GrowthRules",
    max_leaves: int,
    part: Callable[[Tree, int], Tree] | None = None,
) -> Tree:
    """Grow the tree that repeatedly opens the best leaf until it has ``max_leaves``.

    That tree is a part of the fully grown one, and if it ends above the depth that was grown,
    growing deeper would not change it. So a shallow tree is tried first; a tree of n leaves has
    depth n - 1 at most.

    Parameters
    ----------
    grow : callable
        Grows a tree under the given rules.
    rules : GrowthRules
    max_leaves : int
    part : callable, default=open_best_first
        Selects the part of a tree: ``open_best_first`` or ``open_best_first_by_auc``.
    """
    part = part or open_best_first
    most = int(max_leaves)
    # Trees with few leaves are rarely deeper; with more leaves there is little to save.
    likely = 2 * (most - 1).bit_length() + 4 if most <= _SHALLOW_LEAVES else most
    for depth in (min(likely, most), most):
        limit = depth if rules.max_depth is None else min(depth, rules.max_depth)
        tree = part(grow(replace(rules, max_depth=limit)), most)
        if tree.max_depth < limit or limit == rules.max_depth:
            break
    return tree


def open_best_first(tree: Tree, max_leaves: int) -> Tree:
    """Return the part of the tree that best-first growth makes with at most ``max_leaves`` leaves.

    It opens the leaf with the largest gain times weight, the first on ties. A leaf whose split
    would make too many leaves stays one, and the next best is tried.
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


def _openable(tree: Tree, worth: Floats, first: int, end: int) -> list[tuple[float, int]]:
    """Return heap entries for the inner nodes from ``first`` to ``end``, the best one smallest."""
    return [(-float(worth[node]), node) for node in range(first, end) if tree.n_children[node]]


# The same by the area under the ROC curve of the whole tree: of all leaves that could be split, the
# one is split that raises this area most. A split that separates classes in a leaf whose
# probability many others share counts for more than one whose leaves stay at the end of the
# ranking. With more than two classes it is the mean area of all pairs, each pair ranked by its own
# two classes, so that a split never lowers it. How a leaf is split is the criterion's choice.
#
# The rank of a node among all nodes is known from the start. A split changes only pairs of cases
# within the leaf, and pairs with cases of leaves that rank between its children. Sums over leaves
# by rank are kept in Fenwick trees, one per pair of classes and class: a sum up to a rank, or the
# change of one leaf, takes as many steps as a rank has bits.


def open_best_first_by_auc(tree: Tree, max_leaves: int) -> Tree:
    """Return the part of the tree that growth by the area under the ROC curve makes.

    Among leaves that raise the area equally, the one with the largest gain times weight is split,
    the first on ties. A leaf whose split would make more than ``max_leaves`` leaves stays one, and
    the next best is tried.
    """
    totals = tree.counts[0]
    present = np.flatnonzero(totals > 0.0)
    pairs = np.array(list(combinations(present, 2)), dtype=np.int64).reshape(-1, 2)
    ranks = _ranks(tree.counts, pairs)
    final = np.ones(tree.n_nodes, dtype=np.bool_)
    room = (len(pairs), int(ranks.max(initial=0)) + 1)
    ranking = _Ranking(
        first_child=tree.first_child,
        n_children=tree.n_children,
        shares=tree.counts / np.where(totals > 0.0, totals, 1.0),
        worth=tree.gain * tree.weight,
        first_class=pairs[:, 0].copy(),
        second_class=pairs[:, 1].copy(),
        ranks=ranks,
        first_sums=np.zeros(room),
        second_sums=np.zeros(room),
    )
    # Each leaf that is opened is the best of those that wait, each judged by every pair.
    microseconds = 10.0 * min(max_leaves, tree.n_nodes) ** 2 * len(pairs)
    compiled(_open_leaves, microseconds)(
        max_leaves, ranking, np.empty(tree.n_nodes, dtype=np.int64), final
    )
    return cut(tree, final)


def _ranks(counts: Floats, pairs: Ints) -> Ints:
    """Return the rank of each node by its share of the first of two classes, from 1."""
    ranks = np.ones((len(pairs), len(counts)), dtype=np.int64)
    for place, (one, two) in enumerate(pairs):
        both = counts[:, one] + counts[:, two]
        share = np.divide(counts[:, one], both, out=np.full(len(counts), 0.5), where=both > 0.0)
        ranks[place] += np.unique(share, return_inverse=True)[1]
    return ranks


# Gains of area are compared by this many of their bits, so that equal gains tie despite rounding.
_GAIN_SCALE = 2.0**40


class _Ranking(NamedTuple):
    """The nodes of a tree, and the leaves of a part of it by rank.

    Parameters
    ----------
    first_child, n_children : int64[nodes] and int32[nodes]
    shares : float64[nodes, classes]
        Share of each class at each node.
    worth : float64[nodes]
        Decides between leaves that raise the area equally.
    first_class, second_class : int64[pairs]
        The classes of each pair.
    ranks : int64[pairs, nodes]
        Ranks from 1; nodes with more of the first class rank higher.
    first_sums, second_sums : float64[pairs, ranks + 1]
        Fenwick trees of the shares of each class at the leaves.
    """

    first_child: ReadonlyInts
    n_children: ReadonlyInt32s
    shares: Floats2D
    worth: Floats
    first_class: Ints
    second_class: Ints
    ranks: Ints2D
    first_sums: Floats2D
    second_sums: Floats2D


@typed_kernel
def _open_leaves(max_leaves: int, ranking: _Ranking, waiting: Ints, final: Bools) -> None:
    """Repeatedly open the leaf that raises the area most; opened nodes are not ``final`` any more.

    ``waiting`` is memory for the leaves that could be opened.
    """
    n_children = ranking.n_children
    n_leaves, n_waiting = 1, 0
    _change(0, 1.0, ranking)
    if n_children[0] > 0:
        waiting[0] = 0
        n_waiting = 1
    while n_waiting > 0:
        best, most = -1, -np.inf
        for place in range(n_waiting):
            node = waiting[place]
            if n_leaves + n_children[node] - 1 > max_leaves:
                continue
            gain = np.rint(_gain(node, ranking) * _GAIN_SCALE)
            tie = gain == most and _before(node, waiting[best], ranking.worth)
            if best < 0 or gain > most or tie:
                best, most = place, gain
        if best < 0:
            return
        node = waiting[best]
        final[node] = False
        n_leaves += n_children[node] - 1
        n_waiting -= 1
        waiting[best] = waiting[n_waiting]
        _change(node, -1.0, ranking)
        first = ranking.first_child[node]
        for child in range(first, first + n_children[node]):
            _change(child, 1.0, ranking)
            if n_children[child] > 0:
                waiting[n_waiting] = child
                n_waiting += 1


@kernel
def _before(node: int, other: int, worth: Floats) -> bool:
    """Return whether a leaf is opened before another that raises the area equally."""
    if worth[node] == worth[other]:
        return node < other
    return bool(worth[node] > worth[other])


@kernel
def _change(node: int, sign: float, ranking: _Ranking) -> None:
    """Add a node to the leaves, or remove it."""
    shares, end = ranking.shares, ranking.first_sums.shape[1]
    for pair in range(ranking.ranks.shape[0]):
        one = sign * shares[node, ranking.first_class[pair]]
        two = sign * shares[node, ranking.second_class[pair]]
        rank = ranking.ranks[pair, node]
        while rank < end:
            ranking.first_sums[pair, rank] += one
            ranking.second_sums[pair, rank] += two
            rank += rank & -rank


@kernel
def _gain(node: int, ranking: _Ranking) -> float:
    """Return the increase of the sum of the areas of all class pairs if a leaf is opened."""
    shares, ranks = ranking.shares, ranking.ranks
    first = ranking.first_child[node]
    end = first + ranking.n_children[node]
    gain = 0.0
    for pair in range(ranks.shape[0]):
        one, two, rank = ranking.first_class[pair], ranking.second_class[pair], ranks[pair, node]
        whole_one, whole_two = shares[node, one], shares[node, two]
        # Both include the node itself, whose own cases tie with one another.
        gain -= _standing(whole_one, whole_two, rank, pair, ranking) - 0.5 * whole_one * whole_two
        for child in range(first, end):
            own_one, own_two, own = shares[child, one], shares[child, two], ranks[pair, child]
            gain += _standing(own_one, own_two, own, pair, ranking)
            # The node is no longer a leaf, and its children meet each other instead.
            gain -= own_one * whole_two * _half(rank, own) + own_two * whole_one * _half(own, rank)
            for other in range(first, end):
                gain += own_one * shares[other, two] * _half(ranks[pair, other], own)
    return gain


@kernel
def _standing(one: float, two: float, rank: int, pair: int, ranking: _Ranking) -> float:
    """Return the pairs in order that cases of a rank form with the cases of all leaves."""
    first, second = ranking.first_sums[pair], ranking.second_sums[pair]
    beaten = 0.5 * (_up_to(rank, second) + _up_to(rank - 1, second))
    not_above = 0.5 * (_up_to(rank, first) + _up_to(rank - 1, first))
    return one * beaten + two * (1.0 - not_above)


@kernel
def _half(rank: int, other: int) -> float:
    """Return 1 if a rank is below the other, one half if they are equal, else 0."""
    return 1.0 if rank < other else (0.5 if rank == other else 0.0)


@kernel
def _up_to(rank: int, sums: Floats) -> float:
    """Return the sum over all leaves up to a rank."""
    total = 0.0
    while rank > 0:
        total += sums[rank]
        rank -= rank & -rank
    return total
