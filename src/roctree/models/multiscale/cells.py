"""Cells of a 2^N-tree: hypercubes that are halved along every axis, and only those with cases.

A cell is identified by its level, the number of times every side of the whole space was halved, and
by its corner, the leading bits of the addresses in it. An address has ``BITS`` bits for each
attribute; the first bits tell in which halves a case is, the second bits in which halves of these,
and so on. Addresses are ordered by the first bits of all attributes, then by the second bits of
all, and so on (Morton order), so that the cases of a cell are consecutive. All cells are in one
table, level by level in the order of their addresses, so that the parts of a cell are found by
bisection.

The class counts of the cells are a ``Tree`` without splits, so that pruners, smoothers and
labellers work on cells as on any tree.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled, kernel, typed_kernel
from roctree.arrays import (
    Bytes,
    Floats,
    Int32s,
    Ints,
    ReadonlyBytes,
    ReadonlyInt32s,
    ReadonlyInts,
    ReadonlyPlaces2D,
)
from roctree.data import Dataset
from roctree.fitting import prune
from roctree.pruning import Pruner
from roctree.tree.growth import breadth_first, consecutive, weight_grid
from roctree.tree.shape import nodes_in, subtree_counts
from roctree.tree.tree import NO_BRANCH, Tree, read_only

Addresses = NDArray[np.uint32]

BITS = 32
# The largest number below one: a value at the upper bound belongs to the last cell.
BELOW_ONE = 1.0 - 2.0**-53


@dataclass(frozen=True, eq=False)
class CellBounds:
    """The range of each attribute that is halved repeatedly.

    Parameters
    ----------
    low, high : float64[features]; values outside are clipped to the range
    """

    low: Floats
    high: Floats

    @classmethod
    def from_values(cls, values: Floats) -> "CellBounds":
        """Return the minimum and maximum of each column."""
        return cls(values.min(axis=0), values.max(axis=0))

    def addresses(self, values: Floats, max_level: int) -> Addresses:
        """Return the address of each value, one bit per level, highest first."""
        # Halved first, so that the difference of huge numbers does not overflow.
        width = 0.5 * self.high - 0.5 * self.low
        with np.errstate(over="ignore"):
            share = np.divide(
                0.5 * values - 0.5 * self.low, width, out=np.zeros(values.shape), where=width > 0.0
            )
        np.clip(share, 0.0, BELOW_ONE, out=share)
        steps = np.floor(np.ldexp(share, max_level))
        return np.ldexp(steps, BITS - max_level).astype(np.uint32)

    def value(self, attribute: int, address: float) -> float:
        """Return the lower bound of an address."""
        share = address * 2.0**-BITS
        return float(self.low[attribute] * (1.0 - share) + self.high[attribute] * share)


@dataclass(frozen=True, eq=False)
class Cells:
    """A table of cells; the first is the whole space, and the parts of a cell are consecutive.

    Parameters
    ----------
    n_children : int32[n], number of parts with cases; 0 if the cell is not divided
    level : uint8[n], number of times each side was halved
    corner : uint32[n, features], the first ``level`` bits of the addresses in the cell
    node : int64[n], the node of the tree of counts that the cell belongs to
    """

    n_children: NDArray[np.int32]
    level: NDArray[np.uint8]
    corner: Addresses
    node: Ints

    def __post_init__(self) -> None:
        # A cell that is not divided is as large as its siblings, however close its cases are.
        level = np.array(self.level)
        undivided = self.n_children == 0
        level[undivided] = level[self.parent[undivided]] + 1
        level[0] *= self.n_children[0] > 0
        object.__setattr__(self, "n_children", read_only(self.n_children))
        object.__setattr__(self, "level", read_only(level))
        object.__setattr__(self, "corner", read_only(self.corner & leading_bits(level)[:, None]))
        object.__setattr__(self, "node", read_only(self.node))

    @property
    def n_cells(self) -> int:
        """Number of cells in the table."""
        return len(self.n_children)

    @property
    def nbytes(self) -> int:
        """Size of the table in bytes."""
        return sum(array.nbytes for array in self._arrays())

    @cached_property
    def first_child(self) -> Ints:
        """The first part of each cell; for an undivided cell, where it would be."""
        return read_only(1 + np.cumsum(self.n_children, dtype=np.int64) - self.n_children)

    @cached_property
    def parent(self) -> Ints:
        """The cell that each is part of, -1 for the whole space."""
        return read_only(np.append(-1, np.repeat(np.arange(self.n_cells), self.n_children)))

    def nodes(self, addresses: Addresses) -> Ints:
        """Return the node of the smallest cell with cases around each address."""
        found = np.empty(len(addresses), dtype=np.int64)
        table = CellTable(self.n_children, self.first_child, self.level, self.corner)
        compiled(locate, steps=5 * addresses.size)(np.ascontiguousarray(addresses), table, found)
        return np.asarray(self.node[found])

    def renumbered(self, numbers: Ints) -> "Cells":
        """Return the same cells with nodes renumbered."""
        return replace(self, node=numbers[self.node])

    def pruned(self, tree: Tree, part: Tree) -> "Cells":
        """Return the cells that remain when their tree is pruned to a part of it."""
        node = numbers_in(tree, part)[self.node]
        closed = part.is_leaf[node]
        kept = np.append(True, ~closed[self.parent[1:]])
        n_children = np.where(closed, np.int32(0), self.n_children)
        return Cells(n_children[kept], self.level[kept], self.corner[kept], node[kept])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cells):
            return NotImplemented
        return all(map(np.array_equal, self._arrays(), other._arrays()))

    __hash__ = None  # type: ignore[assignment]  # its fields are arrays

    def __reduce__(self) -> tuple[object, ...]:
        # Only the fields: equal cells have equal pickles, whatever has been derived from them.
        return Cells, self._arrays()

    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return self.n_children, self.level, self.corner, self.node


def leading_bits(level: NDArray[np.uint8]) -> Addresses:
    """Return a mask of the address bits that identify a cell of each level."""
    return np.asarray(~(np.uint64(2**BITS - 1) >> level.astype(np.uint64)).astype(np.uint32))


class CellTable(NamedTuple):
    """The cells, as the kernel reads them.

    Parameters
    ----------
    n_children : int32[n]
    first_child : int64[n]
    level : uint8[n]
    corner : uint32[n, features]
    """

    n_children: ReadonlyInt32s
    first_child: ReadonlyInts
    level: ReadonlyBytes
    corner: ReadonlyPlaces2D


@typed_kernel
def locate(addresses: ReadonlyPlaces2D, cells: CellTable, found: Ints) -> None:
    """Write the smallest cell with cases around each address.

    A cell that was skipped has the same cases as its only part, so that the part is found.
    """
    for row in range(addresses.shape[0]):
        cell = 0
        while cells.n_children[cell] > 0 and _is_inside(addresses, row, cells, cell):
            part = _part(addresses, row, cells, cell)
            if part < 0:
                break
            cell = part
        found[row] = cell


@kernel
def _is_inside(addresses: Addresses, row: int, cells: CellTable, cell: int) -> bool:
    """Return whether an address begins with that of a cell."""
    rest = np.uint64(BITS - cells.level[cell])
    for attribute in range(addresses.shape[1]):
        apart = np.uint64(addresses[row, attribute] ^ cells.corner[cell, attribute])
        if apart >> rest:
            return False
    return True


@kernel
def _part(addresses: Addresses, row: int, cells: CellTable, cell: int) -> int:
    """Return the part of a cell that an address is in, or -1."""
    low = cells.first_child[cell]
    high = low + cells.n_children[cell]
    bit = BITS - 1 - cells.level[cell]
    while low < high:
        middle = (low + high) // 2
        order = _compare(addresses, row, cells.corner, middle, bit)
        if order == 0:
            return middle
        if order < 0:
            high = middle
        else:
            low = middle + 1
    return -1


@kernel
def _compare(addresses: Addresses, row: int, corner: Addresses, cell: int, bit: int) -> int:
    """Compare one bit of all attributes; the first that differs decides."""
    for attribute in range(addresses.shape[1]):
        mine = (addresses[row, attribute] >> bit) & 1
        its = (corner[cell, attribute] >> bit) & 1
        if mine != its:
            return 1 if mine > its else -1
    return 0


def grow_cells(
    addresses: Addresses, labels: NDArray[np.int32], weights: Floats, n_classes: int
) -> tuple[Cells, Tree]:
    """Divide the space until the cases of each cell have one address or one class.

    Return the cells and the tree of their class counts; the order of the cases does not matter.
    """
    order = _morton_order(addresses)
    ordered, classes = addresses[order], labels[order]
    room = 2 * len(order)
    grown = GrownCells(
        np.empty(room, dtype=np.int32),
        np.zeros(room, dtype=np.uint8),
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int64),
    )
    n_cells = compiled(divide, steps=10 * ordered.size)(_shared_levels(ordered), classes, grown)
    n_children, begin, end = grown.n_children[:n_cells], grown.begin[:n_cells], grown.end[:n_cells]
    sizes = np.where(n_children == 0, end - begin, 0)
    places = np.repeat(np.arange(n_cells), sizes)
    cases = consecutive(begin, sizes)
    exact, _ = weight_grid(weights)
    counts = count_classes(places, classes[cases], exact[order][cases], n_cells, n_classes)
    cells = Cells(n_children, grown.level[:n_cells], ordered[begin], np.arange(n_cells))
    return cells, tree_of_counts(n_children, counts)


class GrownCells(NamedTuple):
    """Cells as they grow, with room for twice as many as there are cases.

    Parameters
    ----------
    n_children : int32[room]
    level : uint8[room], not set for leaves
    begin, end : int64[room], the cases of each cell
    """

    n_children: Int32s
    level: Bytes
    begin: Ints
    end: Ints


@typed_kernel
def divide(shared: ReadonlyBytes, labels: ReadonlyInt32s, cells: GrownCells) -> int:
    """Divide cells until each has cases of one class or of one address; return their number.

    Cells are written level by level, siblings in the order of their addresses. A cell whose cases
    are all in the same part of it is skipped: the part replaces it.

    Parameters
    ----------
    shared : number of levels that each case, in Morton order, shares with its predecessor
    labels : classes of the cases
    cells : receives the cells
    """
    cells.begin[0], cells.end[0] = 0, labels.size
    n_cells = 1
    cell = 0
    while cell < n_cells:
        first, last = cells.begin[cell], cells.end[cell]
        least = BITS
        pure = True
        for case in range(first + 1, last):
            least = min(least, shared[case])
            pure = pure and labels[case] == labels[first]
        cells.n_children[cell] = 0
        if not pure and least < BITS:
            cells.level[cell] = least
            start = first
            for case in range(first + 1, last + 1):
                if case == last or shared[case] == least:
                    cells.begin[n_cells], cells.end[n_cells] = start, case
                    n_cells += 1
                    cells.n_children[cell] += 1
                    start = case
        cell += 1
    return n_cells


def _morton_order(addresses: Addresses) -> Ints:
    """Return the cases ordered by the first bits of all attributes, then the second bits, ..."""
    differing = int(np.bitwise_or.reduce(addresses ^ addresses[0], axis=None))
    planes = [
        np.packbits(addresses & np.uint32(1 << bit) != 0, axis=1)
        for bit in reversed(range(BITS))
        if differing >> bit & 1
    ]
    if not planes:
        return np.arange(len(addresses))
    keys = np.concatenate(planes, axis=1)
    return np.argsort(keys.view(f"S{keys.shape[1]}")[:, 0], kind="stable")


def _shared_levels(ordered: Addresses) -> NDArray[np.uint8]:
    """Return the number of leading bits of all attributes that each case shares with the last."""
    apart = np.bitwise_or.reduce(ordered[1:] ^ ordered[:-1], axis=1)
    n_bits = np.frexp(apart)[1]
    return np.append(0, BITS - n_bits).astype(np.uint8)


def tree_of_counts(n_children: NDArray[np.int32], counts: Floats) -> Tree:
    """Return a tree of class counts without splits.

    Parameters
    ----------
    n_children : int32[n]
    counts : float64[n, classes], cases that are at a node and at none below it
    """
    n_nodes = len(n_children)
    tree = Tree(
        n_children=n_children,
        feature=np.full(n_nodes, -1, dtype=np.int32),
        threshold=np.full(n_nodes, np.nan),
        category_branch=np.empty(0, dtype=np.int16),
        category_offsets=np.zeros(n_nodes + 1, dtype=np.int32),
        missing_branch=np.full(n_nodes, NO_BRANCH, dtype=np.int16),
        counts=counts,
        softness=np.zeros(n_nodes),
        gain=np.zeros(n_nodes),
    )
    return replace(tree, counts=subtree_counts(tree, counts))


def count_classes(
    nodes: Ints, labels: NDArray[np.int32], weights: Floats, n_nodes: int, n_classes: int
) -> Floats:
    """Return the weight of the cases of each class at each node."""
    counts = np.bincount(nodes * n_classes + labels, weights, n_nodes * n_classes)
    return np.asarray(counts.reshape(n_nodes, n_classes))


def numbers_in(tree: Tree, part: Tree) -> Ints:
    """Return the number in a pruned tree of each node, or of the leaf that has replaced it."""
    numbers = np.full(tree.n_nodes, -1, dtype=np.int64)
    numbers[nodes_in(tree, part)] = np.arange(part.n_nodes)
    for depth in range(1, tree.max_depth + 1):
        nodes = np.arange(tree.level_starts[depth], tree.level_starts[depth + 1])
        gone = nodes[numbers[nodes] < 0]
        numbers[gone] = numbers[tree.parent[gone]]
    return numbers


@dataclass(frozen=True, eq=False)
class CellTree:
    """Cells, the ranges they divide, and their class counts.

    Parameters
    ----------
    bounds : the range of each attribute
    cells : the cells, and the node of the tree that each belongs to
    tree : class counts of the nodes; it has no splits
    """

    bounds: CellBounds
    cells: Cells
    tree: Tree

    @classmethod
    def grown(cls, cases: Dataset, bounds: CellBounds, max_level: int) -> "CellTree":
        """Return the cells that separate the classes of these cases."""
        addresses = bounds.addresses(cases.values, max_level)
        return cls(
            bounds, *grow_cells(addresses, cases.labels, cases.weights, cases.schema.n_classes)
        )

    def nodes(self, values: Floats) -> Ints:
        """Return the node where each row stops: an inner one if its cell was never seen."""
        return self.cells.nodes(self.bounds.addresses(values, BITS))

    def stops(self, cases: Dataset | None = None) -> Floats:
        """Return the class counts of the cases that stop at each node; None for training cases."""
        tree = self.tree
        if cases is None:
            return np.where(tree.is_leaf[:, None], tree.counts, 0.0)
        nodes = self.nodes(cases.values)
        return count_classes(nodes, cases.labels, cases.weights, tree.n_nodes, tree.n_classes)

    def grouped(self) -> "CellTree":
        """Return the same cells with leaves grouped, so that pruning can merge some of them."""
        together = group_leaves(self.tree)
        cells = self.cells.renumbered(together.numbers)
        return replace(self, cells=cells, tree=together.tree)

    def pruned(self, pruner: Pruner) -> tuple["CellTree", Ints | None]:
        """Return the pruned cells, and the labels that costs give their nodes."""
        smaller = prune(pruner, self.tree)
        cells, labels = self.cells.pruned(self.tree, smaller.tree), smaller.labels
        # Groups that were not merged have no cell of their own.
        idle = np.bincount(cells.node, minlength=smaller.tree.n_nodes) == 0
        tree, numbers = dissolve(smaller.tree, idle)
        if labels is not None:
            labels = labels[np.argsort(numbers)[np.count_nonzero(idle) :]]
        return replace(self, cells=cells.renumbered(numbers), tree=tree), labels


# Partial removal of subtrees, proposed by Bradley and Lovell (1995): merging some of the leaves.
#
# A cell may have hundreds of parts, and pruning makes one leaf of all of them or of none. So its
# parts that are leaves first form nested groups: those of weight below 2, those below 4, those
# below 8, and so on. A pruner then decides for each group, as for any node, whether it becomes a
# leaf. This works with every pruner and its own rule: single misclassified cases are merged, and
# heavier parts stay. Groups ignore the classes, by which every group would seem worth its leaves.


class Renumbered(NamedTuple):
    """A tree, and the number in it of each node of an earlier tree; -1 if it is gone."""

    tree: Tree
    numbers: Ints


def group_leaves(tree: Tree) -> Renumbered:
    """Return the tree with the leaves of each node in nested groups."""
    if tree.n_nodes == 1:
        return Renumbered(tree, np.zeros(1, dtype=np.int64))
    leaves = tree.leaves
    sizes = np.stack([tree.parent[leaves], np.frexp(tree.weight[leaves])[1]])
    pairs, of_pair, n_leaves = np.unique(sizes, axis=1, return_inverse=True, return_counts=True)
    cell = pairs[0]
    so_far = _cumulative_within(cell, n_leaves)
    # A single leaf is not a group, nor are all parts: these are the cell itself.
    is_group = (so_far > 1) & (so_far < tree.n_children[cell])
    group = np.where(is_group, tree.n_nodes + np.cumsum(is_group) - 1, -1)
    # The next group of the same cell, or the cell.
    follows = np.append(cell[1:] == cell[:-1], False)
    above = np.where(follows & (np.append(group[1:], -1) >= 0), np.append(group[1:], -1), cell)
    parent = tree.parent.copy()
    parent[leaves] = np.where(is_group, group, above)[of_pair.reshape(-1)]
    return _rearranged(tree, np.append(parent, above[is_group]))


def dissolve(tree: Tree, idle: NDArray[np.bool_]) -> Renumbered:
    """Return the tree without some inner nodes, whose children move to the nodes above."""
    if not idle.any():
        return Renumbered(tree, np.arange(tree.n_nodes))
    parent = tree.parent.copy()
    while idle[parent[1:]].any():
        parent[1:] = np.where(idle[parent[1:]], parent[parent[1:]], parent[1:])
    kept = np.flatnonzero(~idle)
    numbers = np.full(tree.n_nodes, -1)
    numbers[kept] = np.arange(len(kept))
    parents = np.append(-1, numbers[parent[kept[1:]]])
    rearranged = _rearranged(tree, parents, kept)
    numbers[kept] = rearranged.numbers
    return Renumbered(rearranged.tree, numbers)


def _cumulative_within(group: Ints, values: Ints) -> Ints:
    """Return cumulative sums that start again with each group; groups are consecutive."""
    sums = np.cumsum(values)
    first = np.searchsorted(group, group)
    return np.asarray(sums - (sums - values)[first])


def _rearranged(tree: Tree, parent: Ints, kept: Ints | None = None) -> Renumbered:
    """Arrange nodes breadth first by their new parents.

    Parameters
    ----------
    tree : the earlier tree
    parent : parent of each node of the new tree, -1 for the first
    kept : numbers of the new nodes in the earlier tree; None for all of it, followed by new nodes
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
    made = tree_of_counts(n_children[order].astype(np.int32), counts[order])
    return Renumbered(made, numbers[: len(before)])
