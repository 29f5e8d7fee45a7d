"""The loops of pruning by area; see ``roctree.pruning.auc_path`` for what they do."""

import numpy as np
from numpy.typing import NDArray

from roctree._jit import kernel, typed_kernel
from roctree.tree.passes import Ints
from roctree.tree.tree import Tree

# Sums are kept while no more than one leaf of so many is gone.
_PART = 8
# A node with more leaves than these has to wait until there are fewer.
FEW = 16
# Of 53 bits 32 are kept when losses are compared: what is equal on paper must tie.
_KEEP_32_BITS = 2.0**21 + 1.0
# A loss of a smaller part of all pairs is none.
_NOTHING = 1e-13
_MATRIX, _CUBE, _LINKS = "Array(float64, 2, 'C')", "Array(float64, 3, 'C')", "Array(int64, 2, 'C')"

# The lines of ``links``: what the tree is made of, and what becomes of each node: the step that
# made it a leaf, whether it is gone, its leaves if few, its place in the heap, and two lists.
_FIRST, _MANY, _PARENT, STEP, _GONE, _LEAVES, _PLACE, _LIVE, _HEAP = range(9)


def new_links(tree: Tree) -> Ints:
    """Return the whole numbers of each node as they are at the start."""
    links = np.zeros((9, tree.n_nodes), dtype=np.int64)
    links[_FIRST], links[_MANY], links[_PARENT] = tree.first_child, tree.n_children, tree.parent
    links[_LIVE] = np.arange(tree.n_nodes)
    return links


@typed_kernel(
    f"int64(int64, {_LINKS}, {_LINKS}, {_MATRIX}, {_CUBE}, Array(float64, 1, 'C'), "
    f"Array(int64, 1, 'C'), {_LINKS})"
)
def prune(
    least: int,
    links: NDArray[np.int64],
    ranks: NDArray[np.int64],
    masses: NDArray[np.float64],
    sums: NDArray[np.float64],
    key: NDArray[np.float64],
    n_leaves: NDArray[np.int64],
    room: NDArray[np.int64],
) -> int:
    """Make leaves of nodes, step by step, until few are left; return how many steps.

    Parameters
    ----------
    least : how many leaves are few enough
    links : int64[9, nodes], whole numbers of each node, see above
    ranks : int64[nodes, rankings]
    masses : float64[nodes, rankings + 1], see ``_masses``
    sums : float64[rankings, ranks, 2], room for sums of negatives and positives over the ranks
    key : float64[nodes], room for the loss of each node for each leaf saved
    n_leaves : int64[steps + 1], filled with the leaves after each step
    room : int64[3, ...], room for the leaves of a node, for nodes to be visited, and for sorting
    """
    step, n_live = 0, ranks.shape[0]
    n_leaves[0] = _count_leaves(links, n_live)
    while n_leaves[step] > least:
        for ranking in range(ranks.shape[1]):
            _sum_up(ranking, n_live, links, ranks, masses, sums[ranking])
        size = 0
        for place in range(n_live - 1, -1, -1):
            node = links[_LIVE, place]
            if not _is_leaf(node, links) and _is_small(node, links):
                key[node] = _loss_per_leaf(node, links, ranks, masses, sums, room)
                size = _push(node, links, size, key)
        enough = max(least, n_leaves[step] - max(1, n_leaves[step] // _PART))
        while n_leaves[step] > enough:
            node = links[_HEAP, 0]
            step += 1
            n_leaves[step] = n_leaves[step - 1] - links[_LEAVES, node] + 1
            size = _close(node, links, size, key, room)
            links[STEP, node] = step
            above = _with_fewer_leaves(node, links)
            while above >= 0 and _is_small(above, links):
                key[above] = _loss_per_leaf(above, links, ranks, masses, sums, room)
                if links[_PLACE, above] < 0:
                    size = _push(above, links, size, key)
                else:
                    _settle(above, links, size, key)
                above = links[_PARENT, above]
        n_live = _drop_gone(links, n_live)
        _count_leaves(links, n_live)
    return step


@kernel
def _is_leaf(node: int, links: NDArray[np.int64]) -> bool:
    """Whether a node is a leaf, from the start or by now."""
    return bool(links[_MANY, node] == 0 or links[STEP, node] > 0)


@kernel
def _is_small(node: int, links: NDArray[np.int64]) -> bool:
    """Whether a node has few leaves, or none but its children."""
    return bool(links[_LEAVES, node] <= max(FEW, links[_MANY, node]))


@kernel
def _count_leaves(links: NDArray[np.int64], n_live: int) -> int:
    """Count the leaves of each node, return all; no node has a place in the heap."""
    for place in range(n_live):
        node = links[_LIVE, place]
        links[_PLACE, node] = -1
        links[_LEAVES, node] = 1 if _is_leaf(node, links) else 0
    for place in range(n_live - 1, 0, -1):
        node = links[_LIVE, place]
        links[_LEAVES, links[_PARENT, node]] += links[_LEAVES, node]
    return int(links[_LEAVES, 0])


@kernel
def _sum_up(
    ranking: int,
    n_live: int,
    links: NDArray[np.int64],
    ranks: NDArray[np.int64],
    masses: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """Sum up negatives and positives of the leaves up to each rank, of its own one half."""
    sums[:] = 0.0
    for place in range(n_live):
        node = links[_LIVE, place]
        if _is_leaf(node, links):
            positive = masses[node, ranking]
            sums[ranks[node, ranking], 0] += masses[node, ranks.shape[1]] - positive
            sums[ranks[node, ranking], 1] += positive
    negatives = positives = 0.0
    for rank in range(sums.shape[0]):
        negative, positive = sums[rank, 0], sums[rank, 1]
        sums[rank, 0], sums[rank, 1] = negatives + 0.5 * negative, positives + 0.5 * positive
        negatives += negative
        positives += positive


@kernel
def _loss_per_leaf(
    node: int,
    links: NDArray[np.int64],
    ranks: NDArray[np.int64],
    masses: NDArray[np.float64],
    sums: NDArray[np.float64],
    room: NDArray[np.int64],
) -> float:
    """Return the pairs out of order by making a leaf of a node, for each leaf saved.

    The last bits are left out.
    """
    n_leaves, loss, bits = _gather(node, links, room), 0.0, 1
    while n_leaves > 1 << bits:
        bits += 1
    leaves, keys = room[0], room[2]
    for ranking in range(ranks.shape[1]):
        # A rank and the place of its leaf are one number: what is sorted need not be looked up.
        for place in range(n_leaves):
            keys[place] = ranks[leaves[place], ranking] << bits | place
        _sort(keys, n_leaves)
        loss += _loss(
            ranks[node, ranking], ranking, n_leaves, bits, masses, sums[ranking], leaves, keys
        )
    if abs(loss) < _NOTHING * masses[0, 0] * (masses[0, ranks.shape[1]] - masses[0, 0]):
        return 0.0
    loss /= n_leaves - 1.0
    large = loss * _KEEP_32_BITS
    return large - (large - loss)


@kernel
def _gather(node: int, links: NDArray[np.int64], room: NDArray[np.int64]) -> int:
    """List the leaves of a node, and return how many there are."""
    n_leaves, n_open = 0, 1
    room[1, 0] = node
    while n_open > 0:
        n_open -= 1
        node = room[1, n_open]
        if _is_leaf(node, links):
            room[0, n_leaves] = node
            n_leaves += 1
            continue
        for child in range(links[_FIRST, node], links[_FIRST, node] + links[_MANY, node]):
            room[1, n_open] = child
            n_open += 1
    return n_leaves


@kernel
def _sort(keys: NDArray[np.int64], n_keys: int) -> None:
    """Sort a few numbers, after Shell: there may be many of a nominal split."""
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
    own: int,
    ranking: int,
    n_leaves: int,
    bits: int,
    masses: NDArray[np.float64],
    sums: NDArray[np.float64],
    leaves: NDArray[np.int64],
    keys: NDArray[np.int64],
) -> float:
    """Return the pairs of one ranking that are out of order when leaves become one of rank ``own``.

    Sums are less the negatives times all positives, which remains the same.
    """
    group, of_all = -1, masses.shape[1] - 1
    positives = negatives = before = inside = lower = higher = 0.0
    group_positives = group_negatives = 0.0
    for place in range(n_leaves):
        leaf, rank = leaves[keys[place] & ((1 << bits) - 1)], keys[place] >> bits
        if rank != group:
            inside += group_positives * (negatives - 0.5 * group_negatives)
            group, group_positives, group_negatives = rank, 0.0, 0.0
        positive = masses[leaf, ranking]
        negative = masses[leaf, of_all] - positive
        before += positive * sums[rank, 0] - negative * sums[rank, 1]
        # How much of the leaf is below the node, ties one half.
        part = 1.0 if rank < own else 0.5 if rank == own else 0.0
        lower += part * negative
        higher += (1.0 - part) * positive
        group_positives += positive
        group_negatives += negative
        positives += positive
        negatives += negative
    inside += group_positives * (negatives - 0.5 * group_negatives)
    # Pairs of two of the leaves count from both ends. Those of the node with its former leaves do
    # not count, but those of its cases among themselves, all ties.
    after = positives * (sums[own, 0] - lower) - negatives * (sums[own, 1] + higher)
    return float(before - inside - after - 0.5 * positives * negatives)


@kernel
def _close(
    node: int,
    links: NDArray[np.int64],
    size: int,
    key: NDArray[np.float64],
    room: NDArray[np.int64],
) -> int:
    """Take a new leaf out of the heap, and all below it out of the tree; return the new size."""
    size = _remove(node, links, size, key)
    n_open = 1
    room[1, 0] = node
    while n_open > 0:
        n_open -= 1
        above = room[1, n_open]
        if _is_leaf(above, links):
            continue
        for child in range(links[_FIRST, above], links[_FIRST, above] + links[_MANY, above]):
            links[_GONE, child] = 1
            if links[_PLACE, child] >= 0:
                size = _remove(child, links, size, key)
            room[1, n_open] = child
            n_open += 1
    return size


@kernel
def _with_fewer_leaves(node: int, links: NDArray[np.int64]) -> int:
    """Count the leaves above a new leaf anew, where they are few, and return its parent."""
    links[_LEAVES, node] = 1
    above = links[_PARENT, node]
    while above >= 0:
        n_leaves, most = 0, max(FEW, links[_MANY, above])
        for child in range(links[_FIRST, above], links[_FIRST, above] + links[_MANY, above]):
            n_leaves += links[_LEAVES, child]
            if n_leaves > most:
                return int(links[_PARENT, node])
        links[_LEAVES, above] = n_leaves
        above = links[_PARENT, above]
    return int(links[_PARENT, node])


@kernel
def _comes_first(one: int, other: int, key: NDArray[np.float64]) -> bool:
    """Whether one node is taken before another: it loses less, or as much and is further up."""
    return bool(key[one] < key[other] or (key[one] == key[other] and one < other))


@kernel
def _push(node: int, links: NDArray[np.int64], size: int, key: NDArray[np.float64]) -> int:
    """Put a node into the heap, and return the new size."""
    links[_HEAP, size], links[_PLACE, node] = node, size
    _settle(node, links, size + 1, key)
    return size + 1


@kernel
def _remove(node: int, links: NDArray[np.int64], size: int, key: NDArray[np.float64]) -> int:
    """Take a node out of the heap, and return the new size."""
    place, last = links[_PLACE, node], links[_HEAP, size - 1]
    links[_PLACE, node] = -1
    if last != node:
        links[_HEAP, place], links[_PLACE, last] = last, place
        _settle(last, links, size - 1, key)
    return size - 1


@kernel
def _settle(node: int, links: NDArray[np.int64], size: int, key: NDArray[np.float64]) -> None:
    """Move a node up or down the heap to where it belongs."""
    heap, place = links[_HEAP], links[_PLACE, node]
    while place > 0 and _comes_first(node, heap[(place - 1) // 2], key):
        heap[place] = heap[(place - 1) // 2]
        links[_PLACE, heap[place]] = place
        place = (place - 1) // 2
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and _comes_first(heap[below + 1], heap[below], key):
            below += 1
        if not _comes_first(heap[below], node, key):
            break
        heap[place] = heap[below]
        links[_PLACE, heap[place]] = place
        place = below
    heap[place], links[_PLACE, node] = node, place


@kernel
def _drop_gone(links: NDArray[np.int64], n_live: int) -> int:
    """Leave out the nodes that are gone, and return how many are left."""
    kept = 0
    for place in range(n_live):
        node = links[_LIVE, place]
        if links[_GONE, node] == 0:
            links[_LIVE, kept] = node
            kept += 1
    return kept
