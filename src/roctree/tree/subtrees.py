"""The memory of one growth, and the threads that grow the subtrees of a large tree.

A workspace holds the records that the kernels share, enlarged when they are full.

A node with more than a thread's share of the rows is split by a *team* of threads, each of which
counts, gathers and moves a block of the rows. Smaller nodes are grown to the leaves by one thread,
which hands large subtrees to idle threads. Every subtree grows in its own workspace and is grafted
onto its parent at the end, so the tree does not depend on the number of threads.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from threading import Event, Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled, new_record
from roctree.arrays import Floats, Ints, Result, shared_pool
from roctree.tree.columns import Columns
from roctree.tree.kernels.bins import NodeScratch
from roctree.tree.kernels.blocks import (
    assign_block,
    choose_feature,
    count_block,
    gather_block,
    mark_feature,
    mark_features,
    move_block,
    open_divided,
    search_all_between,
    search_all_in_bins,
    search_in_bins_of,
    search_marked,
)
from roctree.tree.kernels.coding import STEPS
from roctree.tree.kernels.grow import DONE, FULL, HAND_OVER, BinnedFunctions, GrowthScratch
from roctree.tree.kernels.records import (
    FILLED,
    NOT_YET,
    READY,
    BestSplits,
    BinScratch,
    Candidates,
    Cases,
    Division,
    GrowthState,
    Node,
    NodeCategories,
    Nodes,
    Rows,
    RowStack,
    SearchScratch,
    Stack,
)
from roctree.tree.kernels.rows import BinnedData

AnyRecord = TypeVar("AnyRecord", bound=tuple[Any, ...])

# Nodes of at most this many cases are grown from sorted columns, which then fit the cache. If bins
# are never searched inside, they are faster down to a quarter of that.
NARROW = 2048
_TASKS_PER_THREAD = 8
# A block of fewer rows is not worth a thread.
_BLOCK_ROWS = 1 << 14
_NEVER = 1 << 62

# Kernels of teams with more than one thread.
TEAM_KERNELS = (
    count_block,
    search_all_between,
    search_all_in_bins,
    search_in_bins_of,
    mark_features,
    mark_feature,
    gather_block,
    search_marked,
    choose_feature,
    assign_block,
    open_divided,
    move_block,
)


# --- The memory of one growth ---

_FIRST_NODES = 256
# The number of cuts inside bins that are scored at once.
_INNER_CUTS = 1 << 15


@dataclass(frozen=True)
class Subtree:
    """A node to be grown from bins: its rows, its depth, and its number in the parent workspace.

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


def new_division(widest: int) -> Division:
    """Allocate a division into at most ``widest`` branches, without arrays for cases."""
    return Division(
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


class Workspace:
    """The nodes grown so far and the working memory of growth.

    ``make_sorted`` and ``make_binned`` add the memory of the two forms of a node.
    """

    def __init__(self, columns: Columns, n_classes: int) -> None:
        self.n_classes, self.n_features = n_classes, columns.n_categories.size
        self.n_codes = columns.n_codes
        self.widest = max(2, int(columns.n_categories.max(initial=0)))
        n_features, widest = self.n_features, self.widest
        self.found = BestSplits(
            n_branches=np.empty(n_features, np.int64),
            gain=np.empty(n_features),
            info=np.empty(n_features),
            score=np.empty(n_features),
            cut=np.empty(n_features, np.int64),
            cut_value=np.empty(n_features),
            missing_branch=np.empty(n_features, np.int64),
            uneven=np.empty(n_features),
            highest=np.empty(n_features),
            highest_ratio=np.empty(n_features),
            branch_of=np.empty(max(self.n_codes, 1), np.int16),
        )
        # The attribute with most categories, plus missing values.
        n_categories = widest + 1
        self.categories = NodeCategories(
            counts=np.empty((n_categories, n_classes)),
            codes=np.empty(n_categories, np.int64),
            order=np.empty(n_categories, np.int64),
            shares=np.empty(n_categories),
            branches=np.empty((n_categories, n_classes)),
        )
        self.division = new_division(widest)
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
        self.stack = Stack(*np.zeros((len(Stack._fields), room), np.int64))
        self.row_stack = RowStack(*np.zeros((len(RowStack._fields), room), np.int64))
        self.filled = new_record(FILLED)
        self._make_candidates(0)
        self._make_nothing()

    def _make_nothing(self) -> None:
        """Release the memory for rows and cases."""
        nothing, n_classes = np.empty(0, np.int64), self.n_classes
        self.cases = Cases(
            order=np.empty((self.n_features, 0), np.uint32),
            rank=np.empty((self.n_features, 0), np.uint32),
            label=np.empty(0, np.uint32),
            row=np.empty(0, np.uint32),
            weight=np.empty(0),
        )
        self.rows = self.spare = self._new_rows(0)
        no_counts = np.empty((0, n_classes))
        self.bin_work = BinScratch(
            filled=nothing,
            is_marked=nothing,
            number=nothing,
            lefts=no_counts,
            cells=no_counts,
            keys=nothing,
            buffer=nothing,
            starts=nothing,
        )
        self.histograms = np.empty((0, 0, n_classes))

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
    def work(self) -> SearchScratch:
        """The scratch memory of the search."""
        return SearchScratch(self.candidates, self.categories, self.found)

    @property
    def grown(self) -> GrowthState:
        """The nodes and the stacks."""
        return GrowthState(self.nodes, self.stack, self.row_stack, self.filled)

    @property
    def memory(self) -> GrowthScratch:
        """The scratch memory of growth by bins."""
        return GrowthScratch(
            self.cases, self.spare, self.work, self.bin_work, self.division, self.histograms
        )

    def make_sorted(self, n_cases: int) -> None:
        """Allocate memory for sorted nodes of up to ``n_cases`` cases."""
        if self.cases.weight.size < n_cases:
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
        """Load the rows of a node, and allocate memory for binned nodes.

        Spare places are needed only if cases are copied to several branches.
        """
        self.rows = subtree.rows
        self._make_histograms(subtree, int(columns.bins.start[-1]), copies=copies)
        self.make_bins(columns, _INNER_CUTS, subtree.size)
        if copies:
            self._make_row_scratch(subtree.size)

    def _new_rows(self, n_rows: int) -> Rows:
        return Rows(
            codes=np.empty((n_rows, self.n_features), np.uint16),
            label=np.empty(n_rows, np.uint32),
            row=np.empty(n_rows, np.uint32),
            branch=np.empty(n_rows, np.uint32),
            weight=np.empty(n_rows),
        )

    def make_bins(self, columns: Columns, n_candidates: int = 0, n_rows: int = 0) -> None:
        """Allocate memory for the bins of one attribute, and for sorting the rows in them."""
        most_bins = max(int(np.diff(columns.bins.start).max()), STEPS)
        n_keys = max(n_rows, most_bins) + 1
        if self.bin_work.keys.size < n_keys:
            self.bin_work = BinScratch(
                filled=np.empty(most_bins, np.int64),
                is_marked=np.empty(most_bins, np.int64),
                number=np.empty(most_bins, np.int64),
                lefts=np.empty((most_bins, self.n_classes)),
                cells=np.empty((max(2 * most_bins, n_candidates), self.n_classes)),
                keys=np.empty(n_keys, np.int64),
                buffer=np.empty(n_keys, np.int64),
                starts=np.empty(n_keys, np.int64),
            )
        if max(most_bins, n_candidates) + 2 > self.candidates.scores.size:
            self._make_candidates(max(most_bins, n_candidates))

    def _make_histograms(self, subtree: Subtree, n_bins: int, *, copies: bool) -> None:
        """Allocate the histograms of a node and of the nodes that wait for it.

        Each of these is at most half as large as the one before. If cases are copied, children
        do not add up to their parent, and histograms are not kept. Together they take no more
        memory than the codes.
        """
        room = subtree.rows.codes.nbytes // (8 * n_bins * self.n_classes)
        n_slots = 1 if copies else max(1, min(subtree.size.bit_length(), room))
        if len(self.histograms) < n_slots:
            self.histograms = np.empty((n_slots, n_bins, self.n_classes))
        if subtree.histogram is not None:
            self.histograms[0] = subtree.histogram

    def start(self, counts: NDArray[np.float64]) -> None:
        """Make the root, a leaf with these class counts."""
        self.nodes.counts[0] = counts
        self.filled.n_nodes = 1

    def push_sorted(self, n_cases: int) -> None:
        """Put the root on the stack of sorted nodes."""
        stack = self.stack
        stack.begin[0], stack.end[0], stack.in_use[0] = 0, n_cases, n_cases
        stack.depth[0] = stack.node[0] = 0
        self.filled.n_stack = 1

    def push_binned(self, subtree: Subtree) -> None:
        """Put the root on the stack of binned nodes."""
        stack = self.row_stack
        stack.begin[0], stack.end[0], stack.depth[0] = 0, subtree.size, subtree.depth
        stack.node[0] = stack.slot[0] = 0
        stack.counted[0] = NOT_YET if subtree.histogram is None else READY
        self.filled.n_row_stack = 1

    def pop_subtree(self, *, copies: bool) -> Subtree:
        """Pop the top binned node, to be grown in another workspace.

        Its rows are the last in use, and no other node touches them, unless cases are copied to
        several branches and nodes below it on the stack need the space.
        """
        stack, top = self.row_stack, self.filled.n_row_stack - 1
        self.filled.n_row_stack = top
        rows = _row_range(self.rows, slice(stack.begin[top], stack.end[top]))
        is_counted = stack.counted[top] == READY
        return Subtree(
            rows=mapped(np.copy, rows) if copies else rows,
            depth=int(stack.depth[top]),
            node=int(stack.node[top]),
            histogram=self.histograms[stack.slot[top]].copy() if is_counted else None,
        )

    def release_memory(self) -> GrowthScratch:
        """Return the working memory; only the nodes are kept."""
        memory = self.memory
        self._make_nothing()
        self.division = new_division(0)
        return memory

    def reuse_memory(self, memory: GrowthScratch) -> None:
        """Reuse the working memory of another growth of the same data."""
        self.cases, self.spare, work, self.bin_work, self.division, self.histograms = memory
        self.candidates, self.categories, self.found = work

    def make_room(self) -> None:
        """Double the full arrays: nodes, or cases, which are copied where a value is missing."""
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
            self.rows = _doubled(self.rows)
            self._make_row_scratch(self.rows.weight.size)

    def _make_row_scratch(self, n_rows: int) -> None:
        """Allocate memory to divide and sort this many rows, unless there is enough.

        It may come from another subtree, larger than needed, and must not grow with every use.
        """
        if self.spare.weight.size < n_rows:
            self.spare = self._new_rows(n_rows)
        if self.bin_work.keys.size <= n_rows:
            keys = np.empty((3, n_rows + 1), np.int64)
            self.bin_work = self.bin_work._replace(keys=keys[0], buffer=keys[1], starts=keys[2])

    def _double_nodes(self) -> None:
        doubled = _doubled(self.nodes)
        self.nodes = doubled._replace(category_branch=self.nodes.category_branch)

    def _double_categories(self) -> None:
        branches = self.nodes.category_branch
        self.nodes = self.nodes._replace(category_branch=_twice(branches))


def mapped(function: Callable[[NDArray[Any]], NDArray[Any]], record: AnyRecord) -> AnyRecord:
    """Return the record with a function applied to each of its arrays."""
    return type(record)(*map(function, record))


def _doubled(record: AnyRecord, axis: int = 0) -> AnyRecord:
    """Return the record with arrays twice as long."""
    return mapped(lambda array: _twice(array, axis), record)


def _twice(array: NDArray[Any], axis: int = 0) -> NDArray[Any]:
    return np.concatenate([array, np.zeros_like(array)], axis=axis)


# --- Threads ---


def needs_team(n_rows: int, n_threads: int, *, copies: bool) -> bool:
    """Whether a node is large enough for several threads.

    If cases go to several branches, the children may need more space than their parent.
    """
    return n_threads > 1 and n_rows >= 2 * _BLOCK_ROWS and not copies


@dataclass(frozen=True)
class _HandedOver:
    """A subtree that grows in its own workspace, and the node that it will replace."""

    home: Workspace
    node: int
    other: Workspace
    task: "Future[None]"


def graft(root: Workspace, handed_over: Sequence[_HandedOver]) -> None:
    """Replace nodes by the trees that were grown in other workspaces.

    All nodes are put one after the other. The root of a tree is copied to the node that it
    replaces, and its own place becomes unreachable.
    """
    spaces = [root, *(subtree.other for subtree in handed_over)]
    sizes = [int(space.filled.n_nodes) for space in spaces]
    widths = [int(space.filled.n_category_branches) for space in spaces]
    starts = dict(zip(map(id, spaces), np.cumsum([0, *sizes]).tolist(), strict=False))
    for space, first, start in zip(
        spaces, starts.values(), np.cumsum([0, *widths]).tolist(), strict=False
    ):
        space.nodes.first_child[:] += first
        space.nodes.category_start[:] += start

    def joined(column: int, lengths: list[int]) -> NDArray[Any]:
        own = zip(spaces, lengths, strict=True)
        return np.concatenate([space.nodes[column][:length] for space, length in own])

    lengths = [sizes] * (len(root.nodes) - 1) + [widths]
    nodes = Nodes(*(joined(column, own) for column, own in enumerate(lengths)))
    places = [starts[id(subtree.home)] + subtree.node for subtree in handed_over]
    roots = [starts[id(subtree.other)] for subtree in handed_over]
    for column in nodes[:-1]:
        column[places] = column[roots]
    root.nodes, root.filled.n_nodes = nodes, sum(sizes)
    root.filled.n_category_branches = sum(widths)


class SubtreePool:
    """The threads that grow the subtrees of one tree; ``run`` is ``grow_binned``."""

    def __init__(
        self,
        columns: Columns,
        run: Callable[..., int],
        functions: BinnedFunctions,
        n_threads: int,
        *,
        copies: bool,
    ) -> None:
        self.run = run
        self.columns, self.functions, self.n_threads = columns, functions, n_threads
        self.copies = copies
        self.narrow = max(1, NARROW // 4) if columns.bins.exact.all() else NARROW
        self.stopped, self.lock = Event(), Lock()
        self.handed_over: list[_HandedOver] = []
        # How many subtrees are growing or wait for a thread, and the least number of rows of a node
        # that is handed over.
        self.n_tasks, self.min_handed_over = 0, np.array([_NEVER])
        # Working memory of finished subtrees and members, for reuse: allocation is slow, especially
        # in many threads.
        self.idle: list[GrowthScratch] = []
        self.idle_members: list[Workspace] = []

    def grow(self, root: Subtree, space: Workspace) -> None:
        """Grow the tree from the root, and graft the subtrees grown by other threads."""
        if self.n_threads == 1:
            self._grow_alone(root, space)
            return
        self.n_rows, self.smallest = root.size, 2 * NARROW
        self.usual = max(root.size // (_TASKS_PER_THREAD * self.n_threads), self.smallest)
        self.members = shared_pool(self.n_threads)
        with ThreadPoolExecutor(self.n_threads) as self.pool, _stopping(self.stopped):
            room = mapped(np.empty_like, root.rows) if self.team_size(root) > 1 else None
            self._submit(root, room, space).result()
            # When a subtree is finished, everything it handed over is in the list.
            for subtree in self.handed_over:
                subtree.task.result()
        graft(space, self.handed_over)

    def team_size(self, subtree: Subtree) -> int:
        """Return how many threads split a node, in proportion to its rows."""
        if not needs_team(subtree.size, self.n_threads, copies=self.copies):
            return 1
        share = round(self.n_threads * subtree.size / self.n_rows)
        return max(1, min(share, subtree.size // _BLOCK_ROWS))

    def member_space(self, n_rows: int) -> Workspace:
        """Return working memory to search a node of this many rows."""
        try:
            space = self.idle_members.pop()
        except IndexError:
            space = Workspace(self.columns, self.functions.sorted.search.rules.class_weight.size)
        space.make_bins(self.columns, _INNER_CUTS, n_rows)
        return space

    def _submit(self, root: Subtree, room: Rows | None, space: Workspace) -> "Future[None]":
        self._count_tasks(1)
        return self.pool.submit(self._grow, root, room, space)

    def _count_tasks(self, change: int) -> None:
        """Note that subtrees have been added or finished.

        While a thread has nothing to do, smaller subtrees than usual are handed over: splits may be
        so uneven that one thread would grow most of the tree.
        """
        with self.lock:
            self.n_tasks += change
            self.min_handed_over[0] = (
                self.usual if self.n_tasks >= self.n_threads else self.smallest
            )

    def _grow(self, root: Subtree, room: Rows | None, space: Workspace) -> None:
        """Grow a subtree; ``room`` is free memory as large as its rows, if a team may need it."""
        try:
            if room is None or self.team_size(root) == 1:
                self._grow_alone(root, space)
                return
            for child, child_room in Team(self, root, room, space).split():
                self._hand_over(child, child_room, space)
        finally:
            self._count_tasks(-1)

    def _grow_alone(self, root: Subtree, space: Workspace) -> None:
        """Grow a subtree in this thread, except for the nodes that are handed over."""
        if self.idle:
            space.reuse_memory(self.idle.pop())
        space.make_binned(root, self.columns, copies=self.copies)
        space.make_sorted(self.narrow)
        space.push_binned(root)
        while not self.stopped.is_set():
            data = BinnedData(self.columns.features, self.columns.bins, space.rows)
            status = self.run(
                self.narrow, self.min_handed_over, data, self.functions, space.memory, space.grown
            )
            if status == DONE:
                self.idle.append(space.release_memory())
                return
            if status == FULL:
                space.make_room()
            elif status == HAND_OVER:
                self._hand_over(space.pop_subtree(copies=self.copies), None, space)

    def _hand_over(self, subtree: Subtree, room: Rows | None, space: Workspace) -> None:
        """Let another thread grow a subtree of a workspace, in a workspace of its own."""
        other = Workspace(self.columns, space.n_classes)
        other.start(space.nodes.counts[subtree.node])
        task = self._submit(subtree, room, other)
        self.handed_over.append(_HandedOver(space, subtree.node, other, task))


class Team:
    """Threads that split the root of a subtree together.

    Parameters
    ----------
    root : Subtree
        Its rows are moved to ``room``, which is free and as large.
    room : Rows
    space : Workspace
        Holds the root and receives its children.
    """

    def __init__(self, pool: SubtreePool, root: Subtree, room: Rows, space: Workspace) -> None:
        self.pool, self.columns, self.functions = pool, pool.columns, pool.functions
        self.root, self.room, self.space = root, room, space
        self.data = BinnedData(self.columns.features, self.columns.bins, root.rows)
        self.node = Node(
            begin=0,
            end=root.size,
            depth=root.depth,
            number=0,
            first_child=int(space.filled.n_nodes),
            in_use=0,
        )
        self.size, self.narrow = pool.team_size(root), pool.narrow
        space.make_bins(self.columns, _INNER_CUTS, root.size)

    def split(self) -> Iterator[tuple[Subtree, Rows]]:
        """Split the node; yield the children that may be split again, each with free memory."""
        histogram = self.root.histogram
        if histogram is None:
            histogram = self._count(self.root.rows)
        feature = self._search(histogram)
        if feature < 0:
            return
        sizes = self._assign(feature)
        self._move(sizes)
        ends = np.cumsum(sizes.sum(axis=0))
        branches = [
            slice(end - size, end) for end, size in zip(ends, sizes.sum(axis=0), strict=True)
        ]
        kept = np.flatnonzero(self.space.division.size[: len(branches)])
        for branch, counted in zip(
            kept, self._count_children(branches, kept, histogram), strict=True
        ):
            yield (
                Subtree(
                    _row_range(self.room, branches[branch]),
                    self.root.depth + 1,
                    self.node.first_child + int(branch),
                    counted,
                ),
                _row_range(self.root.rows, branches[branch]),
            )

    def _share(self, run: Callable[[int], Result]) -> list[Result]:
        """Return the results of all members, by number; this thread is the first member."""
        tasks = [self.pool.members.submit(run, number) for number in range(1, self.size)]
        return [run(0), *(task.result() for task in tasks)]

    def _blocks(self, n: int) -> list[tuple[int, int]]:
        """Return the ranges into which ``n`` rows or attributes are divided among members."""
        return list(pairwise(np.linspace(0, n, self.size + 1).astype(np.int64).tolist()))

    def _count(self, rows: Rows) -> Floats:
        """Return the class counts of the bins of some rows."""
        blocks, n_bins = self._blocks(rows.label.size), int(self.columns.bins.start[-1])
        tables = np.empty((self.size, n_bins, self.space.n_classes))
        run = compiled(count_block)
        self._share(lambda member: run(*blocks[member], self.columns.bins, rows, tables[member]))
        return np.asarray(tables.sum(axis=0))

    def _search(self, histogram: Floats) -> int:
        """Find the best split of the node; return the attribute to split on, or -1."""
        data, functions, space = self.data, self.functions, self.space
        memory = NodeScratch(histogram, space.work, space.bin_work)
        best = compiled(search_all_between)(data, functions, memory)
        if not self.columns.bins.exact.all():
            marked = np.zeros(space.n_features, np.int64)
            if compiled(mark_features)(best, data, functions, memory, marked):
                if marked.any():
                    self._search_marked(np.flatnonzero(marked), best, memory)
            else:
                compiled(search_all_in_bins)(best, self.node, data, functions, memory)
        rules = functions.sorted.search.rules
        return int(compiled(choose_feature)(self.columns.features, space.found, rules))

    def _search_marked(self, features: Ints, best: float, memory: NodeScratch) -> None:
        """Search the bins where some cut may be the best.

        The attribute with the highest gain is likely to have most of these rows, so all members
        find them together. Its best cut raises the bar for the other attributes, each of which is
        searched by one member.
        """
        found, keys = self.space.found, memory.bin_work.keys
        gains = np.where(found.n_branches[features] > 0, found.gain[features], -np.inf)
        first, *others = features[np.argsort(-gains, kind="stable")].tolist()
        n_bins = compiled(mark_feature)(first, best, self.data, self.functions, memory)
        if n_bins > 0:
            n_keys = self._gather(first, memory.bin_work.starts, keys)
            search, bins = compiled(search_marked), (first, n_keys, n_bins)
            best = max(best, search(*bins, best, self.data, self.functions, memory))
        waiting, run = iter(others), compiled(search_in_bins_of)

        def search_others(_: int) -> None:
            space = self.pool.member_space(self.root.size)
            own = memory._replace(
                work=memory.work._replace(candidates=space.candidates), bin_work=space.bin_work
            )
            for feature in waiting:
                run(feature, best, self.node, self.data, self.functions, own)
            self.pool.idle_members.append(space)

        if others:
            self._share(search_others)

    def _gather(self, feature: int, is_marked: Ints, keys: Ints) -> int:
        """Write the rows in marked bins to ``keys``; return how many there are."""
        blocks, run = self._blocks(self.root.size), compiled(gather_block)
        found = [np.empty(end - begin, np.int64) for begin, end in blocks]
        sizes = self._share(
            lambda own: int(run(feature, *blocks[own], self.data, is_marked, found[own]))
        )
        n_keys = sum(sizes)
        np.concatenate(
            [own[:size] for own, size in zip(found, sizes, strict=True)], out=keys[:n_keys]
        )
        return n_keys

    def _assign(self, feature: int) -> Ints:
        """Assign all rows to branches and open the node; return the sizes, [member, branch]."""
        space, blocks = self.space, self._blocks(self.root.size)
        n_branches = int(space.found.n_branches[feature])
        counts = np.zeros((self.size, n_branches, space.n_classes))
        beside = np.empty((self.size, 2))
        divisions = [new_division(space.widest) for _ in range(self.size)]
        run = compiled(assign_block)

        def assign(own: int) -> None:
            block = Node(*blocks[own], self.root.depth, 0, 0, 0)
            run(feature, block, self.data, space.found, divisions[own], counts[own], beside[own])

        self._share(assign)
        sizes = np.array([division.size[:n_branches] for division in divisions])
        space.division.size[:n_branches] = sizes.sum(axis=0)
        space.division.weight[:n_branches] = sum(each.weight[:n_branches] for each in divisions)
        first = self.node.first_child
        space.nodes.counts[first : first + n_branches] = counts.sum(axis=0)
        compiled(open_divided)(
            self.node,
            feature,
            np.array([beside[:, 0].max(), beside[:, 1].min()]),
            self.columns.features,
            self.functions.sorted.search.rules,
            space.found,
            space.division,
            space.grown,
        )
        return sizes

    def _move(self, sizes: Ints) -> None:
        """Move the rows to their branches; each member moves its block."""
        of_branch = np.cumsum(sizes.sum(axis=0)) - sizes.sum(axis=0)
        cursors = of_branch + np.cumsum(sizes, axis=0) - sizes
        blocks, run = self._blocks(self.root.size), compiled(move_block)
        self._share(lambda own: run(*blocks[own], cursors[own], self.root.rows, self.room))

    def _count_children(
        self, branches: list[slice], kept: Ints, histogram: Floats
    ) -> Iterator[Floats | None]:
        """Yield the histograms of the kept children, the largest one by subtraction.

        Narrow children need none; None is yielded for children that are counted later.
        """
        sizes = np.array([part.stop - part.start for part in branches])
        largest = int(kept[np.argmax(sizes[kept])]) if kept.size else -1
        if largest < 0 or sizes[largest] <= self.narrow:
            yield from [None] * kept.size
            return
        others = {
            branch: self._count(_row_range(self.room, part))
            for branch, part in enumerate(branches)
            if branch != largest and sizes[branch] > 0
        }
        for other in others.values():
            histogram = histogram - other
        for branch in kept.tolist():
            yield histogram if branch == largest else others[branch]


def _row_range(rows: Rows, part: slice) -> Rows:
    """Return the rows of a range."""
    return mapped(lambda column: column[part], rows)


@contextmanager
def _stopping(stopped: Event) -> Iterator[None]:
    """Stop the other threads when this one is interrupted."""
    try:
        yield
    except BaseException:
        stopped.set()
        raise
