"""Grow a tree from a data set: every choice made, every limit a number.

``Growth`` holds the criterion, the kinds of split and the limits. ``grow`` sorts every attribute
once and splits to the leaves; tables with many rows are searched by bins first, with the same
result, and their subtrees may grow in several threads. The loops are in ``roctree.tree.kernels``.
"""

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from roctree._jit import (
    block_score,
    compile_later,
    compiled,
    compiling,
    is_compiled,
    table_score,
)
from roctree.data.dataset import Dataset
from roctree.errors import DataError, ParameterError
from roctree.tree.arrange import from_creation_order
from roctree.tree.columns import Columns, code_rows, describe_columns, sort_columns
from roctree.tree.kernels import records
from roctree.tree.kernels.bins import evaluate_binned, refine
from roctree.tree.kernels.divide import divide_binary, divide_complete, divide_shared
from roctree.tree.kernels.grow import (
    DONE,
    FULL,
    TAKE,
    BinnedFunctions,
    SortedFunctions,
    grow_binned,
    grow_sorted,
)
from roctree.tree.kernels.nominal import enter_categories, find_sets, no_categories
from roctree.tree.kernels.numeric import find_c45_cuts, find_cuts
from roctree.tree.kernels.records import Rows, Rules, Scoring
from roctree.tree.kernels.rows import (
    BinnedData,
    divide_rows_complete,
    divide_rows_shared,
    sort_rows,
)
from roctree.tree.kernels.scan import Search, scan_all, scan_bounded
from roctree.tree.tree import Tree
from roctree.tree.workspace import Subtree, Workspace

Missing = Literal["fractional", "category", "branch"]
Nominal = Literal["binary", "multiway", "one_vs_rest"]
Kernel = Callable[..., Any]

_NOMINAL = {
    "binary": records.BINARY,
    "multiway": records.MULTIWAY,
    "one_vs_rest": records.ONE_VS_REST,
}
_CORRECTION = {
    "none": records.NO_CORRECTION,
    "split_info": records.SPLIT_INFO,
    "log2": records.LOG2,
}
# Shares of cases with missing values are rounded, so a branch may fall slightly short of a whole
# number.
_ENOUGH = 1.0 - 1e-6
# Nodes of at most this many cases are finished in sorted columns, which then fit the cache.
_NARROW = 2048
_TASKS_PER_THREAD = 8
# Up to this many values, growing from sorted columns, to the same bytes, takes less time than
# compiling the kernels of bins.
_NOT_WORTH_THE_WAIT = 1 << 23
_NEVER = 1 << 62
# Codes have 16 bits, with one code for missing values; branches have 15 bits.
_MOST_CATEGORIES = (1 << 16) - 1
_MOST_BRANCHES = (1 << 15) - 1


class SplitCriterion(Protocol):
    """What the grower needs of a criterion; ``roctree.criteria`` describes what it means."""

    @property
    def function(self) -> Callable[[NDArray[np.float64]], float]:
        """The score of a table, as a plain function."""

    @property
    def children_correction(self) -> Literal["none", "log2", "split_info"]:
        """What the improvement is divided by."""

    @property
    def penalty(self) -> bool:
        """Whether a threshold is penalised for the number of candidates."""

    @property
    def tolerance(self) -> float:
        """Scores that differ by less are ties."""

    def convex(self, n_classes: int) -> bool:
        """Whether dividing a branch further can never lower the score."""


@dataclass(frozen=True)
class Growth:
    """The criterion, the kinds of split and the limits of growth.

    ``min_class_weighted_leaf`` is the least weight of a branch after class weights; all other
    limits count the weight of the cases as given.
    """

    criterion: SplitCriterion
    class_weight: NDArray[np.float64]
    nominal: Nominal = "binary"
    missing: Missing = "fractional"
    max_depth: int | None = None
    min_split: float = 2.0
    min_leaf: float = 1.0
    min_class_weighted_leaf: float = 0.0
    min_gain: float = 0.0
    c45_numeric_minimum: bool = False

    @property
    def needs_every_cut(self) -> bool:
        """Whether the cuts of an attribute are counted, so that none may be skipped."""
        return self.criterion.penalty or self.c45_numeric_minimum

    @property
    def guard(self) -> str:
        """Which gains a ratio may come from: "c45", "average" or "none".

        Unless a criterion says otherwise, the gain must reach the mean gain if it is divided by the
        split's information, as in C4.5, so that tiny branches do not win.
        """
        divides = self.criterion.children_correction == "split_info"
        return str(getattr(self.criterion, "guard", "average" if divides else "none"))

    def bounded(self) -> bool:
        """Whether candidates may be skipped if a bound on their scores is too low."""
        convex = self.criterion.convex(self.class_weight.size)
        return convex and self.criterion.tolerance == 0.0

    def rules(self, quantum: float) -> Rules:
        """Return everything that the kernels need to know."""
        return Rules(
            max_depth=math.inf if self.max_depth is None else float(self.max_depth),
            min_split=self.min_split * _ENOUGH,
            min_leaf=self.min_leaf * _ENOUGH,
            min_class_weighted_leaf=self.min_class_weighted_leaf * _ENOUGH,
            min_gain=float(self.min_gain),
            c45_minimum=self.c45_numeric_minimum,
            join_missing=self.missing == "branch",
            nominal=_NOMINAL[self.nominal],
            correction=_CORRECTION[self.criterion.children_correction],
            guard=self.guard != "none",
            penalty=self.criterion.penalty,
            tolerance=float(self.criterion.tolerance),
            quantum=float(quantum),
            class_weight=np.array(self.class_weight, np.float64),
        )


def weight_grid(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Round weights to a power of two so coarse that every sum of them is exact in float64.

    Integers stay as they are. The grid depends only on the number of cases and their largest
    weight, hence not on their order.
    """
    quantum = grid_of(weights.size, float(weights.max()))
    return on_grid(weights, quantum), quantum


def grid_of(n_cases: int, largest: float) -> float:
    """Return the unit of the grid for this many cases with at most this weight."""
    return math.ldexp(1.0, math.frexp(largest * n_cases)[1] - 52)


def on_grid(weights: NDArray[np.float64], quantum: float) -> NDArray[np.float64]:
    """Round weights to integer multiples of the unit."""
    units = weights / quantum
    return np.multiply(np.rint(units, out=units), quantum, out=units)


def drop_zero_weight(
    values: NDArray[np.float64], labels: NDArray[np.int32], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
    """Return the cases with a positive weight."""
    used = weights > 0.0
    return (values, labels, weights) if used.all() else (values[used], labels[used], weights[used])


def class_counts(
    labels: NDArray[np.int32], weights: NDArray[np.float64], n_classes: int
) -> NDArray[np.float64]:
    """Return the weight of each class."""
    return np.bincount(labels, weights, minlength=n_classes).astype(np.float64)


def grow(dataset: Dataset, growth: Growth, n_threads: int = 1) -> Tree:
    """Grow the tree of a data set; cases without weight are ignored."""
    values, labels, weights = drop_zero_weight(dataset.values, dataset.labels, dataset.weights)
    weights, quantum = weight_grid(weights)
    # Next to a very large weight, a very small one has been rounded to zero.
    values, labels, weights = drop_zero_weight(values, labels, weights)
    counts = class_counts(labels, weights, dataset.schema.n_classes)
    columns = describe_columns(values, dataset.schema.n_categories, float(counts.sum()), growth)
    refuse_many_branches(columns, dataset.schema.names, growth)
    space = Workspace(columns, counts.size)
    space.start(counts)
    if splittable(counts, growth):
        check_score(counts, growth)
        cases = WeightedLabels(labels, weights, quantum)
        if labels.size <= _NARROW or not _may_use_bins(columns, growth):
            grow_from_order(columns, cases, growth, space)
        else:
            kernels = BinnedKernels.choose(growth, columns)
            few = values.size <= _NOT_WORTH_THE_WAIT
            if few and not all(map(is_compiled, (*kernels.all, grow_binned))):
                grow_from_order(columns, cases, growth, space)
                compile_later((*kernels.all, grow_binned))
            else:
                grow_from_bins(columns, cases, growth, kernels, space, n_threads)
    return _as_tree(space, columns)


def refuse_many_branches(columns: Columns, names: tuple[str, ...], growth: Growth) -> None:
    """Refuse an attribute with more categories than a node can have branches."""
    many = columns.n_categories > _MOST_BRANCHES
    if growth.nominal == "multiway" and many.any():
        name = names[int(np.argmax(many))]
        raise DataError(
            reason=f"column {{column!r}} has more than {_MOST_BRANCHES} categories, too many for a "
            "branch each: use {nominal='binary'} or leave the column out",
            column=name,
        )


def splittable(counts: NDArray[np.float64], growth: Growth) -> bool:
    """Whether the root may be split at all."""
    rules = growth.rules(quantum=0.0)
    smallest = max(rules.min_split, 2.0 * rules.min_leaf)
    impure = np.count_nonzero(counts * growth.class_weight) > 1
    return bool(impure and counts.sum() >= smallest and growth.max_depth != 0)


def check_score(counts: NDArray[np.float64], growth: Growth) -> None:
    """Refuse a criterion without a score for the root: every comparison with it would fail."""
    score = table_score(growth.criterion.function)((counts * growth.class_weight)[None])
    if not np.isfinite(score):
        raise ParameterError(
            f"the criterion {growth.criterion!r} gives {score} for the class counts of the root, "
            "and a score must be a finite number."
        )


@dataclass(frozen=True)
class WeightedLabels:
    """The class and weight of each case, the weights on a grid."""

    labels: NDArray[np.int32]
    weights: NDArray[np.float64]
    quantum: float

    @property
    def size(self) -> int:
        """The number of cases."""
        return self.labels.size


def _may_use_bins(columns: Columns, growth: Growth) -> bool:
    """Whether the search may begin with bins: bounds hold, and every category has a code."""
    bounded = growth.bounded() and not growth.needs_every_cut
    return bounded and int(columns.n_categories.max(initial=0)) <= _MOST_CATEGORIES


def grow_from_order(
    columns: Columns, cases: WeightedLabels, growth: Growth, space: Workspace
) -> None:
    """Split the root and all below it with every attribute sorted once."""
    space.make_sorted(cases.size)
    order, rank = sort_columns(columns)
    space.cases = space.cases._replace(order=order, rank=rank, weight=cases.weights.copy())
    space.cases.label[:] = cases.labels
    space.cases.row[:] = np.arange(cases.size)
    space.push_sorted(cases.size)
    shares = growth.missing != "branch" and bool((rank == records.MISSING_RANK).any())
    kernels = SortedKernels.choose(growth, columns, shares=shares, many=cases.size > _NARROW)
    functions = kernels.compiled(growth, cases.quantum)
    run = compiled(grow_sorted)
    while not run(
        columns.features, space.cases, functions, space.work, space.division, space.grown
    ):
        space.make_room()


def grow_from_bins(
    columns: Columns,
    cases: WeightedLabels,
    growth: Growth,
    kernels: "BinnedKernels",
    space: Workspace,
    n_threads: int,
) -> None:
    """Split the root and all below it, nodes with many cases by bins."""
    rows = Rows(
        codes=code_rows(columns, n_threads),
        label=cases.labels.astype(np.uint32),
        row=np.arange(cases.size, dtype=np.uint32),
        branch=np.empty(cases.size, np.uint32),
        weight=cases.weights.copy(),
    )
    functions = kernels.compiled(growth, cases.quantum)
    SubtreePool(columns, functions, n_threads, copies=kernels.shares).grow(Subtree(rows), space)


@dataclass(frozen=True)
class SortedKernels:
    """The kernels of sorted nodes that a growth uses.

    Kernels that are not needed are not compiled; another takes their place. If there are few cases,
    scoring them all is faster than bounding.
    """

    scan: Kernel
    find_cuts: Kernel
    find_sets: Kernel
    divide: Kernel

    @classmethod
    def choose(
        cls, growth: Growth, columns: Columns, *, shares: bool, many: bool
    ) -> "SortedKernels":
        """Choose the kernels; ``shares`` if cases go to several branches, ``many`` for many."""
        cuts = find_c45_cuts if growth.c45_numeric_minimum else find_cuts
        divide = divide_complete if columns.n_codes > 0 else divide_binary
        return cls(
            scan_bounded if many and growth.bounded() else scan_all,
            cuts,
            find_sets if columns.n_codes > 0 else cuts,
            divide_shared if shares else divide,
        )

    @property
    def all(self) -> tuple[Kernel, ...]:
        """All of them."""
        return self.scan, self.find_cuts, self.find_sets, self.divide

    def compiled(self, growth: Growth, quantum: float) -> SortedFunctions:
        """Return the compiled kernels, with the criterion and the rules."""
        search = compile_search(growth, quantum, self.scan, *self.all, grow_sorted)
        return SortedFunctions(search, *map(compiled, self.all[1:]))


@dataclass(frozen=True)
class BinnedKernels:
    """The kernels of binned nodes that a growth uses, and those of the sorted nodes below."""

    shares: bool
    below: SortedKernels
    enter_categories: Kernel
    divide: Kernel

    @classmethod
    def choose(cls, growth: Growth, columns: Columns) -> "BinnedKernels":
        """Choose the kernels; with missing values, cases may go to several branches."""
        shares = growth.missing != "branch" and bool(np.isnan(columns.values).any())
        return cls(
            shares,
            SortedKernels.choose(growth, columns, shares=shares, many=True),
            enter_categories if columns.n_codes > 0 else no_categories,
            divide_rows_shared if shares else divide_rows_complete,
        )

    @property
    def all(self) -> tuple[Kernel, ...]:
        """All of them."""
        return (
            *self.below.all,
            self.enter_categories,
            refine,
            evaluate_binned,
            self.divide,
            sort_rows,
            grow_sorted,
        )

    def compiled(self, growth: Growth, quantum: float) -> BinnedFunctions:
        """Return the compiled kernels, with the criterion and the rules."""
        search = compile_search(growth, quantum, self.below.scan, *self.all, grow_binned)
        return BinnedFunctions(
            compiled(self.enter_categories),
            compiled(refine),
            compiled(evaluate_binned),
            compiled(self.divide),
            compiled(sort_rows),
            SortedFunctions(search, *map(compiled, self.below.all[1:])),
            compiled(grow_sorted),
        )


def compile_search(growth: Growth, quantum: float, scan: Kernel, *kernels: Kernel) -> Search:
    """Return the rules, the compiled criterion and the compiled scan; compile other kernels too."""
    score = growth.criterion.function
    with compiling(scan, *kernels):
        scoring = Scoring(table_score(score), block_score(score, growth.class_weight.size))
    return Search(growth.rules(quantum), scoring, compiled(scan))


class SubtreePool:
    """Subtrees that grow in parallel: a thread that splits a large node gives one child away."""

    def __init__(
        self, columns: Columns, functions: BinnedFunctions, n_threads: int, *, copies: bool
    ) -> None:
        self.columns, self.functions, self.n_threads = columns, functions, n_threads
        self.copies = copies
        self.stopped = Event()
        self.given: list[tuple[Workspace, int, Workspace, Future[None]]] = []

    def grow(self, root: Subtree, space: Workspace) -> None:
        """Grow the tree of the root, and graft the subtrees that grew elsewhere."""
        if self.n_threads == 1:
            self._grow(root, space)
            return
        least = max(root.size // (_TASKS_PER_THREAD * self.n_threads), 4 * _NARROW)
        with ThreadPoolExecutor(self.n_threads) as pool, _stopping(self.stopped):
            pool.submit(self._grow, root, space, pool, least).result()
            # Whatever a subtree gave away is in the list by the time that it is done.
            for _, _, _, task in self.given:
                task.result()
        for home, node, other, _ in reversed(self.given):
            home.graft(node, other)

    def _grow(
        self,
        root: Subtree,
        space: Workspace,
        pool: ThreadPoolExecutor | None = None,
        least: int = _NEVER,
    ) -> None:
        """Grow a subtree; of two nodes with at least ``least`` cases one is given away."""
        space.make_binned(root, self.columns, copies=self.copies)
        space.make_sorted(_NARROW)
        space.push_binned(root)
        run = compiled(grow_binned)
        while not self.stopped.is_set():
            data = BinnedData(self.columns.features, self.columns.bins, space.rows)
            status = run(_NARROW, least, data, self.functions, space.memory, space.grown)
            if status == DONE:
                space.free()
                return
            if status == FULL:
                space.make_room()
            elif status == TAKE and pool is not None:
                self._give_away(space, pool, least)

    def _give_away(self, space: Workspace, pool: ThreadPoolExecutor, least: int) -> None:
        taken = space.take_subtree(copies=self.copies)
        other = Workspace(self.columns, space.n_classes)
        other.start(space.nodes.counts[taken.node])
        task = pool.submit(self._grow, taken, other, pool, least)
        self.given.append((space, taken.node, other, task))


@contextmanager
def _stopping(stopped: Event) -> Iterator[None]:
    """Stop the other threads when this one is interrupted."""
    try:
        yield
    except BaseException:
        stopped.set()
        raise


def _as_tree(space: Workspace, columns: Columns) -> Tree:
    """Return the nodes grown, in breadth-first order."""
    n_nodes, nodes = int(space.filled.n_nodes), space.nodes
    feature, missing_branch = nodes.feature[:n_nodes], nodes.missing_branch[:n_nodes].copy()
    n_children, category_start = nodes.n_children[:n_nodes], nodes.category_start[:n_nodes]
    own = (n_children > 0) & columns.own_code[feature]
    last = category_start[own] + columns.n_categories[feature[own]] - 1
    missing_branch[own] = nodes.category_branch[last]
    return from_creation_order(
        first_child=nodes.first_child[:n_nodes],
        n_children=n_children,
        feature=feature,
        threshold=nodes.threshold[:n_nodes],
        missing_branch=missing_branch,
        gain=nodes.gain[:n_nodes],
        counts=nodes.counts[:n_nodes],
        category_start=category_start,
        category_branch=nodes.category_branch,
        n_categories=columns.n_categories - columns.own_code,
    )
