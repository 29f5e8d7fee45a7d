"""Cells of a 2^N-tree: cubes of halved sides, and only those that hold cases.

A cell is known by its level, the number of times that every side of the whole space was halved,
and by its corner, the first bits of the addresses in it. All cells stand in one table, level by
level and in the order of their addresses, so that the parts of a cell are found by bisection.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.systems.cell_kernels import BITS, divide, locate
from roctree.tree.arrange import consecutive
from roctree.tree.growth import weight_grid
from roctree.tree.passes import places_in, with_those_below
from roctree.tree.tree import NO_BRANCH, Tree, read_only

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Addresses = NDArray[np.uint32]

# The largest number below one: a value at the upper bound belongs to the last cell, not the first.
BELOW_ONE = 1.0 - 2.0**-53


@dataclass(frozen=True, eq=False)
class Bounds:
    """The range of each attribute that is halved again and again.

    Parameters
    ----------
    low, high : float64[features]; values outside count as the nearest inside
    """

    low: Floats
    high: Floats

    @classmethod
    def of(cls, values: Floats) -> "Bounds":
        """Return the least and the largest values of each column."""
        return cls(values.min(axis=0), values.max(axis=0))

    def addresses(self, values: Floats, max_level: int) -> Addresses:
        """Return for each value the halves that it is in, a bit for each level, highest first."""
        # Halved before, lest the difference of huge numbers be infinite.
        width = 0.5 * self.high - 0.5 * self.low
        with np.errstate(over="ignore"):
            share = np.divide(
                0.5 * values - 0.5 * self.low, width, out=np.zeros(values.shape), where=width > 0.0
            )
        np.clip(share, 0.0, BELOW_ONE, out=share)
        steps = np.floor(np.ldexp(share, max_level))
        return np.ldexp(steps, BITS - max_level).astype(np.uint32)

    def value(self, attribute: int, address: float) -> float:
        """Return where an address begins."""
        share = address * 2.0**-BITS
        return float(self.low[attribute] * (1.0 - share) + self.high[attribute] * share)


@dataclass(frozen=True, eq=False)
class Cells:
    """A table of cells; the first is the whole space, and the parts of a cell stand together.

    Parameters
    ----------
    n_children : int32[n], number of parts with cases; 0 if the cell is not divided
    level : uint8[n], how often each side was halved
    corner : uint32[n, features], the first ``level`` bits of the addresses in the cell
    node : int64[n], the node, of a tree of counts, that stands for the cell
    """

    n_children: NDArray[np.int32]
    level: NDArray[np.uint8]
    corner: Addresses
    node: Ints

    def __post_init__(self) -> None:
        # A cell that is not divided ends where its siblings do, however alike its cases are.
        level = np.array(self.level)
        whole = self.n_children == 0
        level[whole] = level[self.parent[whole]] + 1
        level[0] *= self.n_children[0] > 0
        object.__setattr__(self, "n_children", read_only(self.n_children))
        object.__setattr__(self, "level", read_only(level))
        object.__setattr__(self, "corner", read_only(self.corner & first_bits(level)[:, None]))
        object.__setattr__(self, "node", read_only(self.node))

    @property
    def n_cells(self) -> int:
        """Number of cells in the table."""
        return len(self.n_children)

    @property
    def nbytes(self) -> int:
        """Memory of the table."""
        return sum(array.nbytes for array in self._arrays())

    @cached_property
    def first_child(self) -> Ints:
        """The first part of each cell; of one without, where it would stand."""
        return read_only(1 + np.cumsum(self.n_children, dtype=np.int64) - self.n_children)

    @cached_property
    def parent(self) -> Ints:
        """The cell that each is part of, -1 for the whole space."""
        return read_only(np.append(-1, np.repeat(np.arange(self.n_cells), self.n_children)))

    def nodes(self, addresses: Addresses) -> Ints:
        """Return the node of the smallest cell with cases that each address is in."""
        found = np.empty(len(addresses), dtype=np.int64)
        compiled(locate)(
            np.ascontiguousarray(addresses),
            self.n_children,
            self.first_child,
            self.level,
            self.corner,
            found,
        )
        return np.asarray(self.node[found])

    def renumbered(self, numbers: Ints) -> "Cells":
        """Return the same cells where each node has another number."""
        return replace(self, node=numbers[self.node])

    def pruned(self, tree: Tree, part: Tree) -> "Cells":
        """Return the cells that a part of their tree still divides; their nodes are those of it."""
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


def first_bits(level: NDArray[np.uint8]) -> Addresses:
    """Return for each level the bits of an address that say which cell of it one is in."""
    return np.asarray(~(np.uint64(2**BITS - 1) >> level.astype(np.uint64)).astype(np.uint32))


def grow(
    addresses: Addresses, labels: NDArray[np.int32], weights: Floats, n_classes: int
) -> tuple[Cells, Tree]:
    """Divide the space until no cell has cases of different addresses and classes.

    Return the cells, and their class counts as a tree; the order of the cases does not matter.
    """
    order = _order(addresses)
    ordered, classes = addresses[order], labels[order]
    room = 2 * len(order)
    n_children, level = np.empty(room, dtype=np.int32), np.zeros(room, dtype=np.uint8)
    begin, end = np.empty((2, room), dtype=np.int64)
    n_cells = compiled(divide)(_shared_levels(ordered), classes, n_children, level, begin, end)
    n_children, begin, end = n_children[:n_cells], begin[:n_cells], end[:n_cells]
    sizes = np.where(n_children == 0, end - begin, 0)
    places = np.repeat(np.arange(n_cells), sizes)
    cases = consecutive(begin, sizes)
    exact, _ = weight_grid(weights)
    counts = tally(places, classes[cases], exact[order][cases], n_cells, n_classes)
    cells = Cells(n_children, level[:n_cells], ordered[begin], np.arange(n_cells))
    return cells, hierarchy(n_children, counts)


def hierarchy(n_children: NDArray[np.int32], counts: Floats) -> Tree:
    """Make a tree of class counts alone, for whatever needs no splits.

    Parameters
    ----------
    n_children : int32[n]
    counts : float64[n, classes], of the cases that are at a node and at none below it
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
    return replace(tree, counts=with_those_below(tree, counts))


def tally(
    nodes: Ints, labels: NDArray[np.int32], weights: Floats, n_nodes: int, n_classes: int
) -> Floats:
    """Return the weight of the cases of each class at each node."""
    counts = np.bincount(nodes * n_classes + labels, weights, n_nodes * n_classes)
    return np.asarray(counts.reshape(n_nodes, n_classes))


def numbers_in(tree: Tree, part: Tree) -> Ints:
    """Return the number, in a part of a tree, of each node or of the leaf that it is now in."""
    numbers = np.full(tree.n_nodes, -1, dtype=np.int64)
    numbers[places_in(tree, part)] = np.arange(part.n_nodes)
    for depth in range(1, tree.max_depth + 1):
        nodes = np.arange(tree.level_starts[depth], tree.level_starts[depth + 1])
        gone = nodes[numbers[nodes] < 0]
        numbers[gone] = numbers[tree.parent[gone]]
    return numbers


def _order(addresses: Addresses) -> Ints:
    """Return the cases in the order of the first bits of all attributes, then the second, ..."""
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
    """Return how many first bits of all attributes each case has in common with that before."""
    apart = np.bitwise_or.reduce(ordered[1:] ^ ordered[:-1], axis=1)
    n_bits = np.frexp(apart)[1]
    return np.append(0, BITS - n_bits).astype(np.uint8)
