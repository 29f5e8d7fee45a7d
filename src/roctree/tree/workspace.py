"""The memory of one growth: the records that the kernels share, enlarged when they are full."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from roctree._jit import new_record
from roctree.tree.columns import Columns
from roctree.tree.kernels.grow import Memory
from roctree.tree.kernels.records import (
    FILLED,
    NOT_YET,
    READY,
    BinWork,
    Candidates,
    Cases,
    Categories,
    Division,
    Found,
    Grown,
    Nodes,
    Rows,
    RowStack,
    Stack,
    Work,
)

_FIRST_NODES = 256
# The number of cuts inside bins that are scored at once.
_INNER_CUTS = 1 << 15

AnyRecord = TypeVar("AnyRecord", bound=tuple[Any, ...])


@dataclass(frozen=True)
class Subtree:
    """A node to be grown from bins: its rows, its depth, and its number where it was made.

    ``histogram`` holds the class counts of its bins if they have been counted.
    """

    rows: Rows
    depth: int = 0
    node: int = 0
    histogram: NDArray[np.float64] | None = None

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.rows.weight.size


class Workspace:
    """The nodes grown so far and the working memory of growth.

    ``make_sorted`` and ``make_binned`` add the memory of the two forms of a node.
    """

    def __init__(self, columns: Columns, n_classes: int) -> None:
        self.n_classes, self.n_features = n_classes, columns.n_categories.size
        self.n_codes = columns.n_codes
        self.widest = max(2, int(columns.n_categories.max(initial=0)))
        n_features, widest = self.n_features, self.widest
        self.found = Found(
            n_branches=np.empty(n_features, np.int64),
            gain=np.empty(n_features),
            info=np.empty(n_features),
            score=np.empty(n_features),
            cut=np.empty(n_features, np.int64),
            cut_value=np.empty(n_features),
            missing_branch=np.empty(n_features, np.int64),
            highest=np.empty(n_features),
            highest_ratio=np.empty(n_features),
            branch_of=np.empty(max(self.n_codes, 1), np.int16),
        )
        # The widest attribute and the missing values.
        n_categories = widest + 1
        self.categories = Categories(
            counts=np.empty((n_categories, n_classes)),
            codes=np.empty(n_categories, np.int64),
            order=np.empty(n_categories, np.int64),
            shares=np.empty(n_categories),
            branches=np.empty((n_categories, n_classes)),
        )
        self.division = Division(
            size=np.empty(widest, np.int64),
            kept=np.empty(widest, np.int64),
            cursor=np.empty(widest, np.int64),
            stop=np.empty(widest, np.int64),
            weight=np.empty(widest),
            share=np.empty(widest),
            branch=np.empty(0, np.uint32),
            twin=np.empty(0, np.uint32),
            buffer=np.empty(0, np.uint32),
        )
        room = max(_FIRST_NODES, 4 * widest)
        self.nodes = Nodes(
            first_child=np.zeros(room, np.int64),
            n_children=np.zeros(room, np.int64),
            feature=np.zeros(room, np.int64),
            missing_branch=np.zeros(room, np.int64),
            category_start=np.zeros(room, np.int64),
            threshold=np.zeros(room),
            gain=np.zeros(room),
            counts=np.zeros((room, n_classes)),
            category_branch=np.zeros(4 * max(self.n_codes, 1), np.int16),
        )
        self.stack = Stack(*np.zeros((5, room), np.int64))
        self.row_stack = RowStack(*np.zeros((6, room), np.int64))
        self.filled = new_record(FILLED)
        self._make_candidates(0)

    def _make_candidates(self, n_candidates: int) -> None:
        size, n_classes = max(n_candidates, 4 * self.widest) + 2, self.n_classes
        self.candidates = Candidates(
            lefts=np.empty((size, n_classes)),
            places=np.empty(size, np.int64),
            known=np.empty(n_classes),
            missing=np.empty(n_classes),
            total=np.empty(n_classes),
            running=np.empty(n_classes),
            whole=np.empty((1, n_classes)),
            edges=np.empty((size, n_classes)),
            corners=np.empty((size, n_classes)),
            finest=np.empty((n_classes + 2, n_classes)),
            scores=np.empty(size),
            bounds=np.empty(size),
        )

    @property
    def work(self) -> Work:
        """The working memory of the search."""
        return Work(self.candidates, self.categories, self.found)

    @property
    def grown(self) -> Grown:
        """The nodes and the stacks."""
        return Grown(self.nodes, self.stack, self.row_stack, self.filled)

    @property
    def memory(self) -> Memory:
        """The working memory of growth by bins."""
        return Memory(
            self.cases, self.spare, self.work, self.bin_work, self.division, self.histograms
        )

    def make_sorted(self, n_cases: int) -> None:
        """Make room for sorted nodes of up to ``n_cases`` cases."""
        self.cases = Cases(
            order=np.empty((self.n_features, n_cases), np.uint32),
            rank=np.empty((self.n_features, n_cases), np.uint32),
            label=np.empty(n_cases, np.uint32),
            row=np.empty(n_cases, np.uint32),
            weight=np.empty(n_cases),
        )
        self._make_division(n_cases)
        if n_cases + 2 > self.candidates.scores.size:
            self._make_candidates(n_cases)

    def _make_division(self, n_cases: int) -> None:
        branch, twin, buffer = np.empty((3, n_cases), np.uint32)
        self.division = self.division._replace(branch=branch, twin=twin, buffer=buffer)

    def make_binned(self, subtree: Subtree, columns: Columns, *, copies: bool) -> None:
        """Load the rows of a node, and make room for binned nodes.

        Rows need spare places to be divided only if cases are copied to several branches.
        """
        self.rows = subtree.rows
        n_spare = subtree.size if copies else 0
        self.spare = Rows(
            codes=np.empty((n_spare, self.n_features), np.uint16),
            label=np.empty(n_spare, np.uint32),
            row=np.empty(n_spare, np.uint32),
            branch=np.empty(n_spare, np.uint32),
            weight=np.empty(n_spare),
        )
        self._make_histograms(subtree, int(columns.bins.start[-1]), copies=copies)
        self.make_bins(columns, _INNER_CUTS, subtree.size)

    def make_bins(self, columns: Columns, n_candidates: int = 0, n_rows: int = 0) -> None:
        """Make room for the bins of one attribute, and to sort the rows in them."""
        most_bins = int(np.diff(columns.bins.start).max())
        n_keys = max(n_rows, most_bins, 256) + 1
        self.bin_work = BinWork(
            filled=np.empty(most_bins, np.int64),
            look=np.empty(most_bins, np.int64),
            lefts=np.empty((most_bins + 1, self.n_classes)),
            keys=np.empty(n_keys, np.int64),
            buffer=np.empty(n_keys, np.int64),
            starts=np.empty(n_keys, np.int64),
        )
        self._make_candidates(max(most_bins, n_candidates))

    def _make_histograms(self, subtree: Subtree, n_bins: int, *, copies: bool) -> None:
        """Make room for the histogram of a node and of those that wait for it.

        Each of these is at most half as large as the one before. If cases are copied, children
        do not add up to their parent, and histograms are not kept. All together take no more
        memory than the codes.
        """
        room = subtree.rows.codes.nbytes // (8 * n_bins * self.n_classes)
        n_slots = 1 if copies else max(1, min(subtree.size.bit_length(), room))
        self.histograms = np.empty((n_slots, n_bins, self.n_classes))
        if subtree.histogram is not None:
            self.histograms[0] = subtree.histogram

    def start(self, counts: NDArray[np.float64]) -> None:
        """Make the root, a leaf with these class counts."""
        self.nodes.counts[0] = counts
        self.filled.n_nodes = 1

    def push_sorted(self, n_cases: int) -> None:
        """Put the root on the stack of sorted nodes."""
        for column, value in zip(self.stack, (0, n_cases, 0, 0, n_cases), strict=True):
            column[0] = value
        self.filled.n_stack = 1

    def push_binned(self, subtree: Subtree) -> None:
        """Put the root on the stack of binned nodes."""
        counted = NOT_YET if subtree.histogram is None else READY
        entry = 0, subtree.size, subtree.depth, 0, 0, counted
        for column, value in zip(self.row_stack, entry, strict=True):
            column[0] = value
        self.filled.n_row_stack = 1

    def take_subtree(self, *, copies: bool) -> Subtree:
        """Take the node on top of the binned ones off the stack, to be grown elsewhere.

        Its rows are the last in use, and no other node touches them, unless cases are copied to
        several branches and the nodes below it on the stack need the room.
        """
        top = self.filled.n_row_stack - 1
        begin, end, depth, node, slot, counted = (int(column[top]) for column in self.row_stack)
        self.filled.n_row_stack = top
        rows = _mapped(lambda column: column[begin:end], self.rows)
        return Subtree(
            _mapped(np.copy, rows) if copies else rows,
            depth,
            node,
            self.histograms[slot].copy() if counted == READY else None,
        )

    def free(self) -> None:
        """Release all memory but the nodes."""
        del self.rows, self.spare, self.histograms, self.bin_work, self.cases
        self._make_division(0)
        self._make_candidates(0)

    def graft(self, node: int, other: "Workspace") -> None:
        """Put the tree that was grown elsewhere in the place of ``node``."""
        n_nodes, n_branches = int(other.filled.n_nodes), int(other.filled.n_category_branches)
        first, start = int(self.filled.n_nodes) - 1, int(self.filled.n_category_branches)
        while first + n_nodes > self.nodes.feature.size:
            self._double_nodes()
        while start + n_branches > self.nodes.category_branch.size:
            self._double_categories()
        other.nodes.first_child[:n_nodes] += first
        other.nodes.category_start[:n_nodes] += start
        for own, its in zip(self.nodes[:-1], other.nodes[:-1], strict=True):
            own[node] = its[0]
            own[first + 1 : first + n_nodes] = its[1:n_nodes]
        branches = other.nodes.category_branch[:n_branches]
        self.nodes.category_branch[start : start + n_branches] = branches
        self.filled.n_nodes += n_nodes - 1
        self.filled.n_category_branches += n_branches

    def make_room(self) -> None:
        """Double what is full: nodes, else the cases, which are copied where a value is unknown."""
        filled, full = self.filled, False
        if filled.n_nodes + self.widest > self.nodes.feature.size:
            self._double_nodes()
            full = True
        if filled.n_category_branches + self.n_codes > self.nodes.category_branch.size:
            self._double_categories()
            full = True
        if max(filled.n_stack, filled.n_row_stack) + self.widest > self.stack.begin.size:
            self.stack, self.row_stack = _doubled(self.stack), _doubled(self.row_stack)
            full = True
        if not full and filled.n_stack > 0:
            self.cases = _doubled(self.cases, axis=-1)
            self._make_division(self.cases.weight.size)
            if self.cases.weight.size + 2 > self.candidates.scores.size:
                self._make_candidates(self.cases.weight.size)
        elif not full:
            self.rows, self.spare = _doubled(self.rows), _doubled(self.spare)
            keys = np.empty((3, 2 * self.bin_work.keys.size), np.int64)
            self.bin_work = self.bin_work._replace(keys=keys[0], buffer=keys[1], starts=keys[2])

    def _double_nodes(self) -> None:
        doubled = _doubled(self.nodes)
        self.nodes = doubled._replace(category_branch=self.nodes.category_branch)

    def _double_categories(self) -> None:
        branches = self.nodes.category_branch
        self.nodes = self.nodes._replace(category_branch=_twice(branches))


def _mapped(function: Callable[[NDArray[Any]], NDArray[Any]], record: AnyRecord) -> AnyRecord:
    """Return the record with a function applied to each of its arrays."""
    return type(record)(*map(function, record))


def _doubled(record: AnyRecord, axis: int = 0) -> AnyRecord:
    """Return the record with arrays twice as long."""
    return _mapped(lambda array: _twice(array, axis), record)


def _twice(array: NDArray[Any], axis: int = 0) -> NDArray[Any]:
    return np.concatenate([array, np.zeros_like(array)], axis=axis)
