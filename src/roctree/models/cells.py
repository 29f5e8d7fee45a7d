"""Cells of a 2^N-tree: hypercubes that are halved along every axis; only those with cases are kept.

A cell is identified by its level, the number of times every side of the whole space was halved, and
by its corner, the leading bits of the addresses in it. An address has ``BITS`` bits for each
attribute: the first bit is the half of the range that the value is in, the second bit the half of
that half, and so on. Addresses are ordered by the first bits of all attributes, then by the second
bits, and so on (Morton order), so that the cases of a cell are consecutive. All cells are in one
table, level by level in the order of their addresses, so that the parts of a cell are found by
bisection.

The class counts of the cells are a ``Tree`` without splits, so that pruners, smoothers and
labellers work on cells as on any tree. ``FittedCells`` is the fitted Multiscale Classifier, which
does not need scikit-learn. In it every cell counts as a leaf: a row in a part of a divided cell
that training never saw stops at the smallest cell around it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar, NamedTuple, Self

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
from roctree.data import Dataset, Schema, check_rows_given, check_test_cases, encode_columns
from roctree.errors import DataError, ParameterError
from roctree.files.document import Section
from roctree.files.parts import (
    read_parameters,
    read_point,
    read_schema,
    read_strategies,
    read_training,
    write_parameters,
    write_point,
    write_schema,
    write_strategies,
    write_training,
)
from roctree.fitted import FittedNodes, leaves_by_counts
from roctree.fitting import prune
from roctree.labelling import Leaves
from roctree.parameters import RULES, Rule, check_parameter
from roctree.pruning import (
    CostPruningCurve,
    CriticalValue,
    Pruner,
    cost_pruning_curve,
    need,
    paper_options,
    resolve_pruner,
)
from roctree.requests import held_out_cases
from roctree.roc.arithmetic import group_sums
from roctree.smoothing import Frequencies, Smoother, choices, probabilities, resolve_smoother
from roctree.strategy import is_integer
from roctree.tally import LeafTable
from roctree.text import quote_if_needed
from roctree.tree.growth import breadth_first, consecutive, weight_grid
from roctree.tree.shape import nodes_in, subtree_counts
from roctree.tree.text import (
    ALL_DIGITS,
    NodePredictions,
    check_limits,
    format_number,
    node_lines,
)
from roctree.tree.tree import NO_BRANCH, Tree, check_structure, read_only

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
        compiled(locate, microseconds=5 * addresses.size)(
            np.ascontiguousarray(addresses), table, found
        )
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
            part = _part_around(addresses, row, cells, cell)
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
def _part_around(addresses: Addresses, row: int, cells: CellTable, cell: int) -> int:
    """Return the part of a cell that an address is in, or -1."""
    low = cells.first_child[cell]
    high = low + cells.n_children[cell]
    bit = BITS - 1 - cells.level[cell]
    while low < high:
        middle = (low + high) // 2
        order = _compare_bit(addresses, row, cells.corner, middle, bit)
        if order == 0:
            return middle
        if order < 0:
            high = middle
        else:
            low = middle + 1
    return -1


@kernel
def _compare_bit(addresses: Addresses, row: int, corner: Addresses, cell: int, bit: int) -> int:
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
    n_cells = compiled(divide, microseconds=10 * ordered.size)(
        _shared_levels(ordered), classes, grown
    )
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


# --- The fitted model: its parameters, its text and its model file ---

# All attributes are halved at once: a line with all of them would be as long as the table is wide.
MAX_ATTRIBUTES_SHOWN = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedCells(FittedNodes):
    """Cells with class probabilities.

    Parameters
    ----------
    cell_tree : CellTree
        Ranges of the attributes, cells and class counts; merged cells are one leaf of its tree.
    """

    estimator_name: ClassVar[str] = "MultiscaleClassifier"
    default_parameters: ClassVar[Mapping[str, Any]] = {
        "max_level": 30,
        "bounds": "training",
        "pruning": "none",
        "merge_leaves": False,
        "smoothing": "laplace",
        "labels": "probability",
        "keep_cases": True,
    }

    cell_tree: CellTree

    @property
    def tree(self) -> Tree:
        """Class counts of the cells, without splits."""
        return self.cell_tree.tree

    @property
    def depth(self) -> int:
        """Number of times that the sides of the smallest cell were halved."""
        return int(self.cell_tree.cells.level.max())

    # Changes: each returns another model

    def smoothed(self, smoother: Smoother) -> Self:
        """Return the cells with their probabilities smoothed by another method."""
        smooth = probabilities(smoother, self.tree)
        other = replace(self, smoother=smoother, probabilities=smooth, calibration=None)
        return other.with_point_of(self)

    def pruned(self, pruner: Pruner, *, merge_leaves: bool = False) -> Self:
        """Return the cells pruned by their counts.

        Parameters
        ----------
        pruner : Pruner
        merge_leaves : bool
            Whether pruning may also merge some of the parts of a cell and leave the others.
        """
        self.check_prunable()
        cell_tree, node_labels = prune_cells(self.cell_tree, pruner, merge_leaves=merge_leaves)
        other = replace(
            self,
            cell_tree=cell_tree,
            pruner=pruner,
            probabilities=probabilities(self.smoother, cell_tree.tree),
            node_labels=node_labels,
            operating_point=None,
        )
        return other.with_point_of(self)

    def cost_pruning_curve(
        self,
        costs: Any = None,
        X_test: Any = None,
        y_test: Any = None,
        *,
        sample_weight: Any = None,
        method: str | Pruner = "minimum_error",
        positive: Any = None,
        merge_leaves: bool = False,
        **options: Any,
    ) -> CostPruningCurve:
        """Return the errors of these cells pruned under a sequence of cost ratios."""
        place = self.positive_index(positive)
        check_test_cases(X_test, y_test)
        cells = self.cell_tree.grouped() if merge_leaves else self.cell_tree
        pruner = pruner_of_cells(method, **paper_options(method, options))
        counts, stopped = cells.tree.counts, None
        if X_test is not None:
            stopped = cells.stops(self.dataset(X_test, y_test, sample_weight))
            counts = subtree_counts(cells.tree, stopped)
        labels = self.classes.tolist()
        return cost_pruning_curve(cells.tree, pruner, costs, counts, labels, place, stopped=stopped)

    # Rows and their labels

    def encode(self, X: Any, n_threads: int = 1) -> Floats:
        """Return rows as numbers, float64[rows, features]; missing values are an error."""
        values = np.asarray(encode_columns(X, self.schema, n_threads), dtype=np.float64)
        refuse_missing(values, self.schema)
        return values

    def dataset(self, X: Any, y: Any, sample_weight: Any = None) -> Dataset:
        """Return labelled rows of positive weight, encoded according to the schema."""
        return complete_cases(super().dataset(X, y, sample_weight))

    def apply(self, X: Any) -> Ints:
        """Return the node of ``tree`` where each row stops."""
        return self.cell_tree.nodes(self.encode(X))

    def row_probabilities(self, values: Floats, n_threads: int = 1) -> Floats:
        """Return the class probabilities of encoded rows, float64[rows, classes]."""
        return np.asarray(self.probabilities[self.cell_tree.nodes(values)])

    def row_labels(self, values: Floats, n_threads: int = 1) -> Ints:
        """Return the class index of each encoded row."""
        nodes = self.cell_tree.nodes(values)
        return self.decision.per_draw(values, lambda votes: votes[nodes].argmax(axis=1))

    # Counts

    def leaf_table(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> LeafTable:
        """Return the class probabilities of each node, and the class counts that stop there."""
        check_rows_given(X, y, sample_weight)
        stops = self.cell_tree.stops(None if X is None else self.dataset(X, y, sample_weight))
        return LeafTable(self.probabilities, stops, self.stopping_nodes, self.classes)

    @property
    def stopping_nodes(self) -> Ints:
        """All nodes."""
        return np.arange(self.n_nodes)

    def stopping_counts(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Return the class counts of labelled cases that stop at each node."""
        return self.cell_tree.stops(self.dataset(X, y, sample_weight))

    def group_weights(self, values: Floats, weights: Floats) -> Floats:
        """Return the weight of encoded rows that stop at each node."""
        return group_sums(self.cell_tree.nodes(values), weights, self.n_nodes)

    def row_intervals(self, values: Floats) -> Floats:
        """Return intervals of the probabilities of encoded rows, float64[rows, classes, 2]."""
        return np.asarray(self.node_intervals[self.cell_tree.nodes(values)])

    def labelling_leaves(self, counts: Any, positive: int) -> Leaves:
        """Return every node as a leaf with the cases that stop there."""
        frequencies, nodes = Frequencies()(self.tree), np.arange(self.n_nodes)
        if isinstance(counts, tuple):
            stops = self.cell_tree.stops(self.dataset(*held_out_cases(counts)))
            return Leaves.from_counts(self.tree, stops, frequencies, positive, nodes)
        stopping = replace(self.tree, counts=self.cell_tree.stops())
        return leaves_by_counts(stopping, self.probabilities, frequencies, counts, positive, nodes)

    # Descriptions

    def to_text(self, *, max_depth: int | None = None, digits: int = 4) -> str:
        """Return the cells as text, one line each, with the labels that ``predict`` gives."""
        predictions = self.node_predictions_of(self.tree, self.decision.labels, self.probabilities)
        return cells_to_text(
            self.cell_tree, self.schema, predictions, max_depth=max_depth, digits=digits
        )


def prune_cells(
    cells: CellTree, pruner: Pruner, *, merge_leaves: bool
) -> tuple[CellTree, Ints | None]:
    """Return pruned cells, and the labels that costs give their nodes."""
    return (cells.grouped() if merge_leaves else cells).pruned(pruner)


# Parameters and data that are allowed

_RULES = {
    "max_level": Rule(
        f"an integer from 0 to {BITS}", lambda value: is_integer(value) and 0 <= value <= BITS
    ),
    "merge_leaves": RULES["collapse"],
    "keep_cases": RULES["collapse"],
    "labels": RULES["labels"],
}


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Raise ``ParameterError`` for the first parameter that is not allowed."""
    for name in _RULES:
        check_parameter(name, parameters[name], _RULES)
    pruner_of_cells(parameters["pruning"])
    smoother_of_cells(parameters["smoothing"])


def pruner_of_cells(pruning: str | Pruner, **options: Any) -> Pruner:
    """Return a pruner that needs only the counts of cells; others are an error."""
    pruner = resolve_pruner(pruning, **options)
    if isinstance(pruner, CriticalValue):
        raise ParameterError(
            reason="critical_value uses the gain of splits, and cells are halved whatever the "
            "gain: choose another pruning, such as {pruning='minimum_error'}"
        )
    if need(pruner) != "counts":
        raise ParameterError(
            reason="{pruner!r} needs more than the counts of the cells: choose another pruning, "
            "such as {pruning='minimum_error'}",
            pruner=pruner,
        )
    return pruner


def smoother_of_cells(smoothing: str | Smoother, **options: Any) -> Smoother:
    """Return a smoother; one with an option left to cross-validation is an error."""
    smoother = resolve_smoother(smoothing, **options)
    if len(choices(smoother)) > 1:
        raise ParameterError(
            reason="{smoother!r} needs cross-validation, which cells do not have: give a number",
            smoother=smoother,
        )
    return smoother


def resolve_bounds(bounds: Any, values: Floats) -> CellBounds:
    """Return the range of each attribute."""
    if isinstance(bounds, str) and bounds == "training":
        return CellBounds.from_values(values)
    n_features = values.shape[1]
    try:
        pairs = np.broadcast_to(np.asarray(bounds, dtype=np.float64), (n_features, 2))
    except (TypeError, ValueError):
        pairs = np.full((1, 2), np.nan)
    if not np.isfinite(pairs).all() or (pairs[:, 0] >= pairs[:, 1]).any():
        raise ParameterError(
            parameter="bounds",
            value=bounds,
            reason="is not allowed: give 'training', a pair of numbers (low, high) with "
            f"low < high, or such a pair for each of the {n_features} attributes",
        )
    return CellBounds(pairs[:, 0].copy(), pairs[:, 1].copy())


def complete_cases(cases: Dataset) -> Dataset:
    """Return the cases of positive weight; categories and missing values are an error."""
    refuse_nominal(cases.schema)
    refuse_missing(cases.values, cases.schema)
    return cases.drop_zero_weight()


def refuse_nominal(schema: Schema) -> None:
    """Raise ``DataError`` if a column holds categories."""
    if schema.nominal.any():
        name = schema.names[int(schema.nominal.argmax())]
        raise DataError(
            reason="column {column!r} holds categories, and only numbers can be halved: convert it "
            "to numbers, leave it out, or use ROCTreeClassifier",
            column=name,
        )


def refuse_missing(values: Floats, schema: Schema) -> None:
    """Raise ``DataError`` if a value is missing."""
    missing = np.isnan(values)
    if missing.any():
        row, column = map(int, np.unravel_index(missing.argmax(), missing.shape))
        raise DataError(
            reason="column {column!r} is missing (NaN) in {numbered_row}, and a case "
            "with a missing value is in no cell: fill it in, or use ROCTreeClassifier",
            column=schema.names[column],
            row=row,
        )


# Cells as text


def cells_to_text(
    cell_tree: CellTree,
    schema: Schema,
    predictions: NodePredictions,
    *,
    max_depth: int | None,
    digits: int,
) -> str:
    """Return a line for each cell, followed by its parts.

    A cell at the edge of the range has no bound there, since values outside are clipped. Merged
    parts are only counted.

    Parameters
    ----------
    cell_tree : the cells
    schema : names and classes
    predictions : label and probability of each node
    max_depth : number of levels to show; None for all
    digits : significant digits of bounds and weights
    """
    check_limits(max_depth, digits)
    bounds, cells, tree = cell_tree.bounds, cell_tree.cells, cell_tree.tree
    names = [quote_if_needed(name) for name in schema.names]
    cell_of = np.zeros(tree.n_nodes, dtype=np.int64)
    cell_of[cells.node] = np.arange(cells.n_cells)
    n_cells = np.bincount(cells.node, minlength=tree.n_nodes)

    def condition(node: int) -> str:
        if n_cells[node] == 1:
            return _box_text(cells, int(cell_of[node]), bounds, names, digits)
        return f"any of {n_cells[node]} cells"

    return node_lines(
        tree, schema.classes, condition, max_depth=max_depth, digits=digits, predictions=predictions
    )


def _box_text(cells: Cells, cell: int, bounds: CellBounds, names: list[str], digits: int) -> str:
    """Return the bounds of a cell, for the first attributes that vary."""
    side = 2 ** (BITS - int(cells.level[cell]))
    sides = (
        _side_text(name, bounds, attribute, int(cells.corner[cell, attribute]), side, digits)
        for attribute, name in enumerate(names)
        if bounds.low[attribute] < bounds.high[attribute]
    )
    shown = list(islice(sides, MAX_ATTRIBUTES_SHOWN))
    n_more = sum(1 for _ in sides)
    return ", ".join(shown) + f", … ({n_more} more)" * (n_more > 0)


def _side_text(
    name: str, bounds: CellBounds, attribute: int, begin: int, length: int, digits: int
) -> str:
    """Return the bounds of a cell in one attribute."""
    low, high = bounds.value(attribute, begin), bounds.value(attribute, begin + length)
    while format_number(low, digits) == format_number(high, digits) and digits < ALL_DIGITS:
        digits += 1
    above = f"{format_number(low, digits)} <= " * (begin > 0)
    below = f" < {format_number(high, digits)}" * (begin + length < 2**BITS)
    return f"{above}{name}{below}"


# Model files. The training cases are not written, so that a file reveals no more about them than
# the cells do.


SECTIONS = (
    *("training", "parameters", "schema", "bounds", "cells", "nodes", "smoothing", "pruning"),
    "operating_point",
)
_CELLS = ("n_children", "level", "corner", "node")


def write(model: FittedCells, omitted: list[str]) -> dict[str, Any]:
    """Return the sections of a fitted model.

    Parameters
    ----------
    model : FittedCells
    omitted : list of str
        Receives the parameters whose value a file cannot hold.
    """
    bounds, cells, tree = model.cell_tree.bounds, model.cell_tree.cells, model.tree
    return {
        "training": write_training(model.training),
        "parameters": write_parameters(model.parameters, omitted),
        "schema": write_schema(model.schema),
        "bounds": {"low": bounds.low.tolist(), "high": bounds.high.tolist()},
        "cells": {name: getattr(cells, name).tolist() for name in _CELLS},
        "nodes": {
            "n_children": tree.n_children.tolist(),
            "counts": tree.counts[tree.leaves].tolist(),
        },
        **write_strategies(model.smoother, model.probabilities, model.pruner, model.node_labels),
        "operating_point": write_point(model.operating_point),
    }


def read(section: Section) -> FittedCells:
    """Return the fitted model of a document."""
    schema = read_schema(section)
    try:
        refuse_nominal(schema)
    except DataError as error:
        section.reject("schema", f"is not valid: {error}")
    tree = _read_tree(section, schema.n_classes)
    bounds = _read_bounds(section, schema.n_features)
    cell_tree = CellTree(bounds, _read_cells(section, tree, schema.n_features), tree)
    strategies = read_strategies(section, tree)
    parameters = read_parameters(section, FittedCells.default_parameters, check_parameters)
    return FittedCells(
        schema=schema,
        training=read_training(section),
        parameters=parameters,
        operating_point=read_point(section, tree.n_classes, tree.n_nodes),
        cell_tree=cell_tree,
        smoother=strategies.smoother,
        pruner=strategies.pruner,
        probabilities=strategies.probabilities,
        node_labels=strategies.node_labels,
        labels=parameters["labels"],
    )


def _read_bounds(section: Section, n_features: int) -> CellBounds:
    found = section.section("bounds", ("low", "high"))
    low, high = found.floats("low", n_features), found.floats("high", n_features)
    if (low > high).any():
        section.reject("bounds", "ends before it begins")
    return CellBounds(low, high)


def _read_tree(section: Section, n_classes: int) -> Tree:
    """Return the tree of counts; a file holds those of the leaves."""
    found = section.section("nodes", ("n_children", "counts"))
    n_children = _n_children(found)
    leaves = np.flatnonzero(n_children == 0)
    counts = np.zeros((len(n_children), n_classes))
    counts[leaves] = found.nonnegative("counts", len(leaves), n_classes)
    with np.errstate(over="ignore"):
        if not np.isfinite(counts.sum()):
            found.reject("counts", "has numbers too large to add up")
    return tree_of_counts(n_children, counts)


def _n_children(section: Section) -> NDArray[np.int32]:
    found = section.ints("n_children", np.int32, len(section.items("n_children")))
    if len(found) == 0:
        section.reject("n_children", "is empty")
    check_structure(found)
    return found


def _read_cells(section: Section, tree: Tree, n_features: int) -> Cells:
    """Return the cells, each within the one that it is part of, side by side in order."""
    found = section.section("cells", _CELLS)
    n_children = _n_children(found)
    level = found.ints("level", np.uint8, len(n_children))
    if (level > BITS - (n_children > 0)).any():
        found.reject("level", f"halves a side more than {BITS} times")
    corner = found.ints("corner", np.uint32, len(n_children), n_features)
    cells = Cells(n_children, level, corner, found.ints("node", np.int64, len(n_children)))
    if (level != cells.level).any() or (level[1:] <= level[cells.parent[1:]]).any():
        found.reject("level", "has a part that is no smaller than its cell")
    if (corner != cells.corner).any() or not _in_their_places(cells):
        found.reject("corner", "has a part that is not where its cell is, or not in order")
    if not _are_nodes(cells, tree):
        found.reject("node", "has cells that are not arranged as the nodes are")
    return cells


def _in_their_places(cells: Cells) -> bool:
    """Return whether parts begin with the address of their cell and are in order."""
    parent = cells.parent[1:]
    parts, level = cells.corner[1:], cells.level[parent]
    apart = (parts ^ cells.corner[parent]) & leading_bits(level)[:, None]
    halves = parts >> (BITS - 1 - level).astype(np.uint32)[:, None] & np.uint32(1)
    keys = np.packbits(halves.astype(np.bool_), axis=1)
    order = np.ascontiguousarray(keys).view(f"S{keys.shape[1]}")[:, 0]
    siblings = parent[1:] == parent[:-1]
    return not apart.any() and bool((order[1:] > order[:-1])[siblings].all())


def _are_nodes(cells: Cells, tree: Tree) -> bool:
    """Return whether cells match nodes: each divided cell its own, and parents their parents."""
    node, divided = cells.node, cells.n_children > 0
    if not ((node >= 0) & (node < tree.n_nodes)).all() or node[0] != 0:
        return False
    return bool(
        np.bincount(node, minlength=tree.n_nodes).all()
        and np.count_nonzero(divided) == tree.n_nodes - tree.n_leaves
        and (divided != tree.is_leaf[node]).all()
        and (tree.parent[node[1:]] == node[cells.parent[1:]]).all()
    )
