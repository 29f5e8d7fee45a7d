"""The loops of growth by the area of the whole tree; see ``auc_growth`` for what they do.

The leaves of a tree are kept in Fenwick trees, one for each pair of classes and each of the two:
sums over the leaves up to a rank, and changes of a leaf, take as many steps as a rank has bits.
"""

import numpy as np
from numpy.typing import NDArray

from roctree._jit import kernel, typed_kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

# The lines of ``links``.
FIRST_CHILD, N_CHILDREN = range(2)
# The lines of ``sums[pair]``.
_FIRST, _SECOND = range(2)
# Gains of area are compared by so many of their bits: what is equal on paper must tie.
_GRID = 2.0**40


@typed_kernel(
    "void(int64, Array(int64, 2, 'C'), Array(float64, 2, 'C'), Array(float64, 1, 'C'), "
    "Array(int64, 2, 'C'), Array(int64, 2, 'C'), Array(float64, 3, 'C'), Array(int64, 1, 'C'), "
    "Array(bool, 1, 'C'))"
)
def open_leaves(
    max_leaves: int,
    links: Ints,
    shares: Floats,
    worth: Floats,
    pairs: Ints,
    ranks: Ints,
    sums: Floats,
    waiting: Ints,
    final: Flags,
) -> None:
    """Open the leaf that raises the area most, again and again.

    Parameters
    ----------
    max_leaves : most leaves
    links : int64[2, nodes], first child of each node and how many there are
    shares : float64[nodes, classes], how much of its class is at each node
    worth : float64[nodes], which of two leaves that raise the area as much is opened
    pairs : int64[pairs, 2], the classes of each
    ranks : int64[pairs, nodes], from 1; nodes with more of the first of two classes rank higher
    sums : float64[pairs, 2, ranks + 1], zeros
    waiting : int64[nodes], room for the leaves that could be opened
    final : bool[nodes], True; of the nodes that are opened False
    """
    n_leaves, n_waiting = 1, 0
    _change(0, 1.0, shares, pairs, ranks, sums)
    if links[N_CHILDREN, 0] > 0:
        waiting[0] = 0
        n_waiting = 1
    while n_waiting > 0:
        best, most = -1, -np.inf
        for place in range(n_waiting):
            node = waiting[place]
            if n_leaves + links[N_CHILDREN, node] - 1 > max_leaves:
                continue
            gain = np.rint(_gain(node, links, shares, pairs, ranks, sums) * _GRID)
            if best < 0 or gain > most or (gain == most and _before(node, waiting[best], worth)):
                best, most = place, gain
        if best < 0:
            return
        node = waiting[best]
        final[node] = False
        n_leaves += links[N_CHILDREN, node] - 1
        n_waiting -= 1
        waiting[best] = waiting[n_waiting]
        _change(node, -1.0, shares, pairs, ranks, sums)
        first = links[FIRST_CHILD, node]
        for child in range(first, first + links[N_CHILDREN, node]):
            _change(child, 1.0, shares, pairs, ranks, sums)
            if links[N_CHILDREN, child] > 0:
                waiting[n_waiting] = child
                n_waiting += 1


@kernel
def _before(node: int, other: int, worth: Floats) -> bool:
    """Whether a leaf is opened before another that raises the area as much."""
    if worth[node] == worth[other]:
        return node < other
    return bool(worth[node] > worth[other])


@kernel
def _change(node: int, sign: float, shares: Floats, pairs: Ints, ranks: Ints, sums: Floats) -> None:
    """Make a node one of the leaves, or no longer one."""
    for pair in range(pairs.shape[0]):
        one, two = sign * shares[node, pairs[pair, 0]], sign * shares[node, pairs[pair, 1]]
        rank = ranks[pair, node]
        while rank < sums.shape[2]:
            sums[pair, _FIRST, rank] += one
            sums[pair, _SECOND, rank] += two
            rank += rank & -rank


@kernel
def _gain(node: int, links: Ints, shares: Floats, pairs: Ints, ranks: Ints, sums: Floats) -> float:
    """Return by how much opening a leaf raises the sum of the areas of all pairs of classes."""
    first = links[FIRST_CHILD, node]
    end = first + links[N_CHILDREN, node]
    gain = 0.0
    for pair in range(pairs.shape[0]):
        one, two, rank = pairs[pair, 0], pairs[pair, 1], ranks[pair, node]
        whole_one, whole_two = shares[node, one], shares[node, two]
        # Both include the node itself, whose own cases tie with one another.
        gain -= _standing(whole_one, whole_two, rank, sums[pair]) - 0.5 * whole_one * whole_two
        for child in range(first, end):
            own_one, own_two, own = shares[child, one], shares[child, two], ranks[pair, child]
            gain += _standing(own_one, own_two, own, sums[pair])
            # The node is a leaf no longer, and its children meet each other instead.
            gain -= own_one * whole_two * _half(rank, own) + own_two * whole_one * _half(own, rank)
            for other in range(first, end):
                gain += own_one * shares[other, two] * _half(ranks[pair, other], own)
    return gain


@kernel
def _standing(one: float, two: float, rank: int, sums: Floats) -> float:
    """Return the pairs in order that some cases of a rank make with the cases of all leaves."""
    beaten = 0.5 * (_up_to(rank, sums[_SECOND]) + _up_to(rank - 1, sums[_SECOND]))
    not_above = 0.5 * (_up_to(rank, sums[_FIRST]) + _up_to(rank - 1, sums[_FIRST]))
    return one * beaten + two * (1.0 - not_above)


@kernel
def _half(rank: int, other: int) -> float:
    """Return 1 if a rank is below the other, one half if it is the same, else 0."""
    return 1.0 if rank < other else (0.5 if rank == other else 0.0)


@kernel
def _up_to(rank: int, sums: Floats) -> float:
    """Return the sum over all leaves up to a rank."""
    total = 0.0
    while rank > 0:
        total += sums[rank]
        rank -= rank & -rank
    return total
