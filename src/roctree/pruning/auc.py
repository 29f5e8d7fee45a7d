"""Pruning by the area under the ROC curve (AUC).

Ferri, Flach and Hernández-Orallo (2002, 2003) name this as future work; the method is ours, see
docs/decisions/0010-auc-pruning.md. ``AUCPruning`` makes a nested sequence of trees: each step makes
a leaf of the node with the smallest loss of training AUC per leaf removed. The size is selected on
held-out cases.

A node is scored by its class frequencies, which pruning elsewhere does not change, so all nodes
have a fixed rank. Given the sums of positives and negatives over the leaves up to each rank, the
exact loss of making a node a leaf needs only a look at the leaves below it. Other leaves affect
this loss too, but little: the sums are refreshed when an eighth of the leaves is gone. Below
sixteen leaves that is after every step, and every loss is exact. Only nodes with few leaves, or
whose children are all leaves, are candidates; others wait.

Unlike error in cost-complexity pruning, the loss per leaf does not rise monotonically along the
path, because pairs that two new leaves put out of order count only once both are leaves. Trees of
the path are therefore identified by size, not by a price.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled, kernel, record_array_type, typed_kernel
from roctree.arrays import (
    Bools,
    Floats,
    Floats2D,
    Ints,
    Ints2D,
    ReadonlyFloats,
    ReadonlyInt32s,
    ReadonlyInts,
)
from roctree.errors import DataError, ParameterError
from roctree.pruning.protocol import Fold, Folds, Need
from roctree.roc.multiclass import hand_till, ranks_of
from roctree.strategy import check_choices, is_integer, reject_option
from roctree.tree.shape import cut, kept_nodes
from roctree.tree.tree import Tree

# Number of sizes of a path that are evaluated on held-out cases.
_N_SIZES = 50


@dataclass(frozen=True)
class AUCPruning:
    """Choose the tree that ranks best from a nested sequence that loses the least AUC per leaf.

    Training cases are ranked by the class frequencies of their leaves. With more than two classes
    the AUC is Hand and Till's M.

    Parameters
    ----------
    max_leaves : int or "auto", default "auto"
        Maximum number of leaves; "auto" selects it by cross-validation, or on validation data.
        Held-out cases are ranked by Laplace-corrected frequencies, because raw ones would rule out
        leaves with a single case.
    choice : {"best", "one_se"}, default "best"
        With "auto": "best" selects the smallest tree of largest AUC, "one_se" the smallest tree
        within one standard error of it.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["no", "no", "yes", "no", "yes", "yes"]
    >>> tree = ROCTreeClassifier().fit(X, y)
    >>> tree.pruned("auc", max_leaves=3).get_n_leaves()
    3
    """

    max_leaves: int | Literal["auto"] = "auto"
    choice: Literal["best", "one_se"] = "best"

    def __post_init__(self) -> None:
        check_choices(self)
        if self.max_leaves != "auto" and not _is_size(self.max_leaves):
            reject_option(self, "max_leaves", "give an integer of at least 1, or 'auto'")

    @property
    def needs(self) -> Need:
        """Folds if the size is to be selected."""
        return "folds" if self.max_leaves == "auto" else "counts"

    def __call__(self, tree: Tree, folds: Folds = ()) -> Tree:
        """Return the pruned tree."""
        if self.max_leaves == "auto":
            return self.settled(tree, folds)(tree)
        if tree.n_leaves <= self.max_leaves:
            return tree
        path = auc_pruning_path(tree, int(self.max_leaves))
        return cut(tree, path.final(path.first_within(self.max_leaves)))

    def settled(self, tree: Tree, folds: Folds) -> "AUCPruning":
        """Return the pruner with the size selected from the tree's path by held-out AUC."""
        if tree.n_leaves == 1:
            return replace(self, max_leaves=1)
        if not folds:
            raise ParameterError(
                owner=self,
                parameter="max_leaves",
                value="auto",
                reason="needs cases that did not grow the tree: use it with fit and more rows, "
                "pass {X_val and y_val}, or give a number",
            )
        sizes = _sizes(tree)
        areas = np.array([held_out_areas(fold, sizes) for fold in folds])
        areas = areas[~np.isnan(areas[:, 0, 0])]
        if not len(areas):
            raise DataError("The held-out cases are all of one class: give cases of others too.")
        means, variances = areas.mean(axis=0).T
        variance = variances[int(means.argmax())] / len(areas)
        allowed = np.sqrt(variance) if self.choice == "one_se" else 0.0
        good = np.flatnonzero(means >= means.max() - allowed - 1e-12)
        return replace(self, max_leaves=int(sizes[good[-1]]))


def held_out_areas(fold: Fold, sizes: Ints) -> Floats2D:
    """Return AUC and variance, float64[sizes, 2], of a fold's tree pruned to each size.

    Both are NaN if the held-out cases are all of one class.
    """
    tree, path, ranks = fold.tree, auc_pruning_path(fold.tree), ranks_of(_shares(fold.tree, 1.0))
    areas = np.empty((len(sizes), 2))
    for number, size in enumerate(sizes):
        final = path.final(path.first_within(int(size)))
        leaves = kept_nodes(tree, final) & final
        areas[number] = hand_till(ranks[leaves], fold.counts[leaves])
    return areas


def _is_size(value: Any) -> bool:
    return is_integer(value) and int(value) >= 1


def _sizes(tree: Tree) -> Ints:
    """Return some sizes of the tree's path, falling, in roughly equal ratios."""
    path = auc_pruning_path(tree)
    sizes = np.rint(np.geomspace(tree.n_leaves, 1.0, _N_SIZES)).astype(np.int64)
    steps = np.unique([path.first_within(size) for size in sizes])
    return np.asarray(path.n_leaves[steps])


def _shares(tree: Tree, added: float) -> Floats2D:
    """Return class frequencies with cases of each class added; an empty node has its parent's."""
    totals = tree.weight + added * tree.n_classes
    shares = (tree.counts + added) / np.where(tree.weight > 0.0, totals, 1.0)[:, None]
    for node in np.flatnonzero(tree.weight[1:] == 0.0) + 1:
        shares[node] = shares[tree.parent[node]]
    return np.asarray(shares)


# The path.


@dataclass(frozen=True)
class AUCPath:
    """The nested trees of pruning by AUC, from the whole tree down.

    Parameters
    ----------
    n_leaves : int64[steps]
        Leaves of each tree, falling.
    step : int64[nodes]
        Step at which each node becomes a leaf: 0 for leaves, the number of steps for nodes that
        never become one.
    """

    n_leaves: Ints
    step: Ints

    def final(self, step: int) -> Bools:
        """Return which nodes are leaves, or below one, at a step."""
        return np.asarray(self.step <= step)

    def first_within(self, max_leaves: int) -> int:
        """Return the first step with at most this many leaves."""
        return int(np.searchsorted(-self.n_leaves, -max_leaves))


def auc_pruning_path(tree: Tree, minimum: int = 1) -> AUCPath:
    """Return the path of pruning by AUC, down to the first tree of at most ``minimum`` leaves.

    Examples
    --------
    >>> auc_pruning_path(Tree.single_leaf([3, 1])).n_leaves
    array([1])
    """
    n = tree.n_nodes
    state = PrunedState(
        first_child=tree.first_child,
        n_children=tree.n_children,
        parent=tree.parent,
        step=np.zeros(n, dtype=np.int64),
        cut_off=np.zeros(n, dtype=np.bool_),
        n_leaves=np.zeros(n, dtype=np.int64),
        live=np.arange(n, dtype=np.int64),
    )
    rankings = _rankings(tree, ranks_of(_shares(tree, 0.0)))
    heap = CandidateHeap(
        nodes=np.zeros(n, dtype=np.int64),
        place=np.zeros(n, dtype=np.int64),
        key=np.zeros(n),
        size=np.zeros(1, dtype=np.int64),
    )
    room = 2 * max(_CANDIDATE_LEAVES, int(tree.n_children.max()))
    scratch = LeafScratch(*(np.zeros(room, dtype=np.int64) for _ in range(3)))
    n_leaves = np.zeros(int(np.count_nonzero(~tree.is_leaf)) + 1, dtype=np.int64)
    n_steps = 1 + compiled(_prune, microseconds=1000.0 * n * rankings.rank.shape[1])(
        minimum, state, rankings, heap, scratch, n_leaves
    )
    step = np.where(tree.is_leaf | (state.step > 0), state.step, n_steps)
    return AUCPath(n_leaves[:n_steps], step)


def _rankings(tree: Tree, ranks: Ints2D) -> "NodeRanks":
    """Return the rankings that make up the AUC.

    Two classes need one ranking, with unscaled counts, whose sums are exact. With more classes,
    each is ranked against the others, all classes having the same total weight; the mean of these
    AUCs is Hand and Till's M.
    """
    totals = tree.counts[0]
    classes = np.flatnonzero(totals > 0.0) if totals.any() else np.zeros(1, dtype=np.int64)
    if len(classes) <= 2:
        classes = classes[-1:]
        positives, everything = tree.counts[:, classes], tree.weight
    else:
        positives = tree.counts[:, classes] / totals[classes]
        everything = positives.sum(axis=1)
    rank = np.ascontiguousarray(ranks[:, classes])
    return NodeRanks(
        rank=rank,
        positives=np.ascontiguousarray(positives),
        total=everything,
        up_to=np.zeros((len(classes), int(rank.max()) + 1), dtype=_SUMS),
    )


# Kernels.

# Sums over ranks are recomputed whenever one leaf in this many has been removed.
_REFRESH = 8
# A node with more leaves is not a candidate, unless they are all its children.
_CANDIDATE_LEAVES = 16
# Losses are compared by 32 of their 53 bits: those that are mathematically equal must tie.
_KEEP_32_BITS = 2.0**21 + 1.0
# A loss below this fraction of all pairs is zero.
_ZERO_LOSS = 1e-13


class PrunedState(NamedTuple):
    """The tree, and the state of each node."""

    first_child: ReadonlyInts
    n_children: ReadonlyInt32s
    parent: ReadonlyInts
    step: Ints  # the step that made the node a leaf; 0 if none did
    cut_off: Bools
    n_leaves: Ints  # below the node; out of date where there are more than a candidate may have
    live: Ints  # the nodes not cut off, in order; the first entries


# Sums of positives and negatives that are looked up together lie together.
_SUMS = np.dtype([("positives", np.float64), ("negatives", np.float64)])


class NodeRanks(NamedTuple):
    """The rank of each node and its positives in each ranking, and sums over ranks.

    ``up_to[ranking, rank]`` holds the positives and negatives of the current leaves of lower rank,
    and half of those of the same rank.
    """

    rank: Ints2D  # [nodes, rankings]
    positives: Floats2D  # [nodes, rankings]
    total: ReadonlyFloats  # [nodes], positives and negatives of any ranking
    up_to: Annotated[NDArray[Any], record_array_type(_SUMS, 2)]


class CandidateHeap(NamedTuple):
    """Candidates, the one with the least loss per leaf saved on top."""

    nodes: Ints
    place: Ints  # of each node in ``nodes``; -1 if it is not in the heap
    key: Floats  # loss per leaf saved of each node
    size: Ints  # one number


class LeafScratch(NamedTuple):
    """Working memory for the leaves below a node."""

    leaves: Ints
    pending: Ints  # nodes to visit
    sorted: Ints  # ranks of the leaves, each combined with the leaf's place


@typed_kernel
def _prune(
    minimum: int,
    state: PrunedState,
    rankings: NodeRanks,
    heap: CandidateHeap,
    scratch: LeafScratch,
    n_leaves: Ints,
) -> int:
    """Turn nodes into leaves until at most ``minimum`` leaves are left; return the number of steps.

    ``n_leaves`` is filled with the number of leaves after each step.
    """
    step, n_live = 0, state.live.size
    n_leaves[0] = _count_leaves(state, n_live)
    while n_leaves[step] > minimum:
        for ranking in range(rankings.rank.shape[1]):
            _sum_over_ranks(ranking, n_live, state, rankings)
        _fill_heap(n_live, state, rankings, heap, scratch)
        enough = max(minimum, n_leaves[step] - max(1, n_leaves[step] // _REFRESH))
        while n_leaves[step] > enough:
            node = heap.nodes[0]
            step += 1
            n_leaves[step] = n_leaves[step - 1] - state.n_leaves[node] + 1
            _cut_below(node, state, heap, scratch)
            state.step[node] = step
            _update_leaf_counts(node, state)
            above = state.parent[node]
            while above >= 0 and _is_candidate(above, state):
                heap.key[above] = _loss_per_leaf(above, state, rankings, scratch)
                if heap.place[above] < 0:
                    _push(above, heap)
                else:
                    _sift(above, heap)
                above = state.parent[above]
        n_live = _drop_cut_off(state, n_live)
        _count_leaves(state, n_live)
    return step


@kernel
def _is_leaf(node: int, state: PrunedState) -> bool:
    """Whether a node is a leaf, originally or after pruning."""
    return bool(state.n_children[node] == 0 or state.step[node] > 0)


@kernel
def _is_candidate(node: int, state: PrunedState) -> bool:
    """Whether an inner node has few leaves, or only its children."""
    return bool(state.n_leaves[node] <= max(_CANDIDATE_LEAVES, state.n_children[node]))


@kernel
def _count_leaves(state: PrunedState, n_live: int) -> int:
    """Count the leaves below each node and return the total."""
    for place in range(n_live):
        node = state.live[place]
        state.n_leaves[node] = 1 if _is_leaf(node, state) else 0
    for place in range(n_live - 1, 0, -1):
        node = state.live[place]
        state.n_leaves[state.parent[node]] += state.n_leaves[node]
    return int(state.n_leaves[0])


@kernel
def _sum_over_ranks(ranking: int, n_live: int, state: PrunedState, rankings: NodeRanks) -> None:
    """Sum positives and negatives of the leaves up to each rank, half of those of the same rank."""
    up_to = rankings.up_to[ranking]
    for rank in range(up_to.size):
        up_to[rank]["positives"] = up_to[rank]["negatives"] = 0.0
    for place in range(n_live):
        node = state.live[place]
        if _is_leaf(node, state):
            positive = rankings.positives[node, ranking]
            sums = up_to[rankings.rank[node, ranking]]
            sums["positives"] += positive
            sums["negatives"] += rankings.total[node] - positive
    positives = negatives = 0.0
    for rank in range(up_to.size):
        positive, negative = up_to[rank]["positives"], up_to[rank]["negatives"]
        up_to[rank]["positives"] = positives + 0.5 * positive
        up_to[rank]["negatives"] = negatives + 0.5 * negative
        positives += positive
        negatives += negative


@kernel
def _fill_heap(
    n_live: int, state: PrunedState, rankings: NodeRanks, heap: CandidateHeap, scratch: LeafScratch
) -> None:
    """Empty the heap and add all candidates."""
    heap.size[0] = 0
    for place in range(n_live - 1, -1, -1):
        node = state.live[place]
        heap.place[node] = -1
        if not _is_leaf(node, state) and _is_candidate(node, state):
            heap.key[node] = _loss_per_leaf(node, state, rankings, scratch)
            _push(node, heap)


@kernel
def _loss_per_leaf(
    node: int, state: PrunedState, rankings: NodeRanks, scratch: LeafScratch
) -> float:
    """Return the pairs put out of order by making a node a leaf, per leaf saved, rounded."""
    n_leaves, loss, bits = _collect_leaves(node, state, scratch), 0.0, 1
    while n_leaves > 1 << bits:
        bits += 1
    for ranking in range(rankings.rank.shape[1]):
        # A rank and the place of its leaf are one number, so that sorting needs no lookup.
        for place in range(n_leaves):
            rank = rankings.rank[scratch.leaves[place], ranking]
            scratch.sorted[place] = rank << bits | place
        _sort(scratch.sorted, n_leaves)
        loss += _loss(node, ranking, n_leaves, bits, rankings, scratch)
    positives = rankings.positives[0, 0]
    if abs(loss) < _ZERO_LOSS * positives * (rankings.total[0] - positives):
        return 0.0
    loss /= n_leaves - 1.0
    large = loss * _KEEP_32_BITS
    return large - (large - loss)


@kernel
def _collect_leaves(node: int, state: PrunedState, scratch: LeafScratch) -> int:
    """List the leaves below a node and return their number."""
    n_leaves, n_pending = 0, 1
    scratch.pending[0] = node
    while n_pending > 0:
        n_pending -= 1
        node = scratch.pending[n_pending]
        if _is_leaf(node, state):
            scratch.leaves[n_leaves] = node
            n_leaves += 1
            continue
        first = state.first_child[node]
        for child in range(first, first + state.n_children[node]):
            scratch.pending[n_pending] = child
            n_pending += 1
    return n_leaves


@kernel
def _sort(keys: Ints, n_keys: int) -> None:
    """Shell sort: usually few numbers, but a nominal split may have many branches."""
    gap = 1
    while 3 * gap + 1 < n_keys:
        gap = 3 * gap + 1
    while gap > 0:
        for end in range(gap, n_keys):
            key, place = keys[end], end
            while place >= gap and keys[place - gap] > key:
                keys[place] = keys[place - gap]
                place -= gap
            keys[place] = key
        gap //= 3


@kernel
def _loss(
    node: int, ranking: int, n_leaves: int, bits: int, rankings: NodeRanks, scratch: LeafScratch
) -> float:
    """Return the pairs of one ranking put out of order when the leaves below a node become one.

    A constant, negatives times all positives, is left out of both sums that are compared.
    """
    own, group, up_to = rankings.rank[node, ranking], -1, rankings.up_to[ranking]
    positives = negatives = before = inside = lower = higher = 0.0
    group_positives = group_negatives = 0.0
    for place in range(n_leaves):
        key = scratch.sorted[place]
        leaf, rank = scratch.leaves[key & ((1 << bits) - 1)], key >> bits
        if rank != group:
            inside += group_positives * (negatives - 0.5 * group_negatives)
            group, group_positives, group_negatives = rank, 0.0, 0.0
        positive = rankings.positives[leaf, ranking]
        negative = rankings.total[leaf] - positive
        before += positive * up_to[rank]["negatives"] - negative * up_to[rank]["positives"]
        # The part of the leaf that ranks below the node, one half if tied.
        part = 1.0 if rank < own else 0.5 if rank == own else 0.0
        lower += part * negative
        higher += (1.0 - part) * positive
        group_positives += positive
        group_negatives += negative
        positives += positive
        negatives += negative
    inside += group_positives * (negatives - 0.5 * group_negatives)
    # Pairs within the leaves are counted from both ends. The node does not form pairs with its
    # former leaves; its own cases all tie.
    above, below = up_to[own]["positives"] + higher, up_to[own]["negatives"] - lower
    after = positives * below - negatives * above
    return float(before - inside - after - 0.5 * positives * negatives)


@kernel
def _cut_below(node: int, state: PrunedState, heap: CandidateHeap, scratch: LeafScratch) -> None:
    """Remove a new leaf from the heap, and cut off all nodes below it."""
    _remove(node, heap)
    n_pending = 1
    scratch.pending[0] = node
    while n_pending > 0:
        n_pending -= 1
        above = scratch.pending[n_pending]
        if _is_leaf(above, state):
            continue
        first = state.first_child[above]
        for child in range(first, first + state.n_children[above]):
            state.cut_off[child] = True
            if heap.place[child] >= 0:
                _remove(child, heap)
            scratch.pending[n_pending] = child
            n_pending += 1


@kernel
def _update_leaf_counts(node: int, state: PrunedState) -> None:
    """Count the leaves of the ancestors of a new leaf, as long as they are few."""
    state.n_leaves[node] = 1
    above = state.parent[node]
    while above >= 0:
        n_leaves, most = 0, max(_CANDIDATE_LEAVES, state.n_children[above])
        first = state.first_child[above]
        for child in range(first, first + state.n_children[above]):
            n_leaves += state.n_leaves[child]
            if n_leaves > most:
                return
        state.n_leaves[above] = n_leaves
        above = state.parent[above]


@kernel
def _drop_cut_off(state: PrunedState, n_live: int) -> int:
    """Remove nodes that are cut off from the list of live ones; return the number left."""
    kept = 0
    for place in range(n_live):
        node = state.live[place]
        if not state.cut_off[node]:
            state.live[kept] = node
            kept += 1
    return kept


@kernel
def _precedes(one: int, other: int, key: Floats) -> bool:
    """Whether a node loses less than another, or as much with a lower number."""
    return bool(key[one] < key[other] or (key[one] == key[other] and one < other))


@kernel
def _push(node: int, heap: CandidateHeap) -> None:
    """Add a node to the heap."""
    heap.nodes[heap.size[0]], heap.place[node] = node, heap.size[0]
    heap.size[0] += 1
    _sift(node, heap)


@kernel
def _remove(node: int, heap: CandidateHeap) -> None:
    """Remove a node from the heap."""
    heap.size[0] -= 1
    place, last = heap.place[node], heap.nodes[heap.size[0]]
    heap.place[node] = -1
    if last != node:
        heap.nodes[place], heap.place[last] = last, place
        _sift(last, heap)


@kernel
def _sift(node: int, heap: CandidateHeap) -> None:
    """Move a node up or down the heap to where it belongs."""
    nodes, key, size, place = heap.nodes, heap.key, heap.size[0], heap.place[node]
    while place > 0 and _precedes(node, nodes[(place - 1) // 2], key):
        nodes[place] = nodes[(place - 1) // 2]
        heap.place[nodes[place]] = place
        place = (place - 1) // 2
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and _precedes(nodes[below + 1], nodes[below], key):
            below += 1
        if not _precedes(nodes[below], node, key):
            break
        nodes[place] = nodes[below]
        heap.place[nodes[place]] = place
        place = below
    nodes[place], heap.place[node] = node, place
