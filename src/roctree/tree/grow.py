"""Grow a tree from a data set: sort every attribute once, then split to the leaves."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import Any

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
from roctree.tree.coding import code_rows
from roctree.tree.columns import Cases, Columns, Rows, describe_columns, sort_columns
from roctree.tree.growth import Growth, weight_grid
from roctree.tree.kernels import layout
from roctree.tree.kernels.binned import evaluate_binned
from roctree.tree.kernels.categories import best_sets, enter_categories, no_categories
from roctree.tree.kernels.descend import DONE, FULL, TAKE, grow_binned
from roctree.tree.kernels.divide import divide_binary, divide_complete, divide_shared
from roctree.tree.kernels.inside import refine
from roctree.tree.kernels.numeric import best_c45_cut, best_cut
from roctree.tree.kernels.rows import divide_rows_complete, divide_rows_shared, sort_rows
from roctree.tree.kernels.scan import scan_all, scan_bounded
from roctree.tree.kernels.subtree import grow_sorted
from roctree.tree.tree import Tree
from roctree.tree.workspace import Workspace

# Nodes of at most so many cases are finished in sorted columns, which then fit the cache.
_NARROW = 2048
_TASKS_PER_THREAD = 8
# Up to so many values a tree has grown from sorted columns, to the same bytes, before the kernels
# of bins could be compiled.
_NOT_WORTH_THE_WAIT = 1 << 23
_NEVER = 1 << 62
# Codes have 16 bits, with one code for missing values; so have branches, but for the sign.
_MOST_CATEGORIES = (1 << 16) - 1
_MOST_BRANCHES = (1 << 15) - 1


def grow(dataset: Dataset, growth: Growth, n_threads: int = 1) -> Tree:
    """Grow the tree of a data set; cases without weight take no part."""
    values, labels, weights = weighty(dataset.values, dataset.labels, dataset.weights)
    weights, quantum = weight_grid(weights)
    # Beside a very large weight a very small one has been rounded to zero.
    values, labels, weights = weighty(values, labels, weights)
    counts = class_counts(labels, weights, dataset.schema.n_classes)
    columns = describe_columns(values, dataset.schema.n_categories, float(counts.sum()), growth)
    refuse_many_branches(columns, dataset.schema.names, growth)
    space = Workspace(columns, counts.size)
    space.start(counts)
    if splittable(counts, growth):
        check_score(counts, growth)
        cases = Cases(labels, weights, quantum)
        if labels.size > _NARROW and may_use_bins(columns, growth):
            grow_by_what_is_compiled(columns, cases, growth, space, n_threads)
        else:
            grow_from_order(columns, cases, growth, space)
    return as_tree(space, columns)


def refuse_many_branches(columns: Columns, names: tuple[str, ...], growth: Growth) -> None:
    """Refuse an attribute with more categories than a node can have branches."""
    many = columns.n_categories > _MOST_BRANCHES
    if growth.nominal == "multiway" and many.any():
        raise DataError(
            f"column {names[int(np.argmax(many))]!r} has more than {_MOST_BRANCHES} categories, "
            "too many for a branch each: use nominal='binary' or leave the column out."
        )


def may_use_bins(columns: Columns, growth: Growth) -> bool:
    """Whether the search may begin with bins: bounds hold, and every category has a code."""
    bounded = growth.bounded() and not growth.needs_every_cut
    return bounded and int(columns.n_categories.max(initial=0)) <= _MOST_CATEGORIES


def weighty(
    values: NDArray[np.float64], labels: NDArray[np.int32], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
    """The cases that have weight."""
    used = weights > 0.0
    return (values, labels, weights) if used.all() else (values[used], labels[used], weights[used])


def class_counts(
    labels: NDArray[np.int32], weights: NDArray[np.float64], n_classes: int
) -> NDArray[np.float64]:
    """The weight of each class."""
    return np.bincount(labels, weights, minlength=n_classes).astype(np.float64)


def splittable(counts: NDArray[np.float64], growth: Growth) -> bool:
    """Whether the root may be split at all."""
    limits = growth.limits(quantum=0.0)
    smallest = max(limits[layout.MIN_SPLIT], 2.0 * limits[layout.MIN_LEAF])
    impure = np.count_nonzero(counts * growth.class_weight) > 1
    return bool(impure and counts.sum() >= smallest and growth.max_depth != 0)


def grow_from_order(columns: Columns, cases: Cases, growth: Growth, space: Workspace) -> None:
    """Split the root and all below it with every attribute sorted once."""
    space.make_sorted(cases.size)
    space.order, space.rank = sort_columns(columns)
    space.cases[layout.LABEL] = cases.labels
    space.cases[layout.ID] = np.arange(cases.size)
    space.weights[:] = cases.weights
    space.push(cases.size)
    shares = growth.missing != "branch" and bool((space.rank == layout.MISSING_RANK).any())
    kernels = kernels_for(growth, columns, shares=shares, many=cases.size > _NARROW)
    functions = compile_kernels(growth, kernels, grow_sorted)
    limits = growth.limits(cases.quantum)
    run = compiled(grow_sorted)
    while not run(
        columns.values, columns.table, *space.sorted_arguments(), limits, growth.class_weight,
        *functions, *space.scan_arguments(), *space.node_arguments(),
    ):  # fmt: skip
        space.make_room()


def grow_by_what_is_compiled(
    columns: Columns, cases: Cases, growth: Growth, space: Workspace, n_threads: int
) -> None:
    """Split the root and all below it by bins, unless one would wait for the compiler longer.

    Then the columns are sorted this time, and the kernels of bins are compiled for the next.
    """
    shares = growth.missing != "branch" and bool(np.isnan(columns.values).any())
    kernels = kernels_of_bins(growth, columns, shares=shares)
    few = columns.values.size <= _NOT_WORTH_THE_WAIT
    if few and not all(map(is_compiled, (*kernels, grow_binned))):
        grow_from_order(columns, cases, growth, space)
        compile_later((*kernels, grow_binned))
    else:
        grow_from_bins(columns, cases, growth, space, n_threads, shares=shares)


def grow_from_bins(
    columns: Columns,
    cases: Cases,
    growth: Growth,
    space: Workspace,
    n_threads: int,
    *,
    shares: bool,
) -> None:
    """Split the root and all below it, nodes with many cases by bins."""
    rows = Rows.of(code_rows(columns, n_threads), cases)
    kernels = kernels_of_bins(growth, columns, shares=shares)
    functions = compile_kernels(growth, kernels, grow_binned)
    limits_and_kernels = (growth.limits(cases.quantum), growth.class_weight, *functions)
    grove = Grove(columns, limits_and_kernels, n_threads, copies=shares)
    grove.grow(rows, space)


class Grove:
    """Subtrees that grow side by side: a thread that splits a node of many cases gives one away."""

    def __init__(
        self, columns: Columns, arguments: tuple[Any, ...], n_threads: int, *, copies: bool
    ) -> None:
        self.columns, self.arguments, self.n_threads = columns, arguments, n_threads
        self.copies = copies
        self.stopped = Event()
        self.given: list[tuple[Workspace, int, Workspace, Future[None]]] = []

    def grow(self, rows: Rows, space: Workspace) -> None:
        """Grow the tree of the rows, and put all that grew elsewhere in its place."""
        if self.n_threads == 1:
            self._grow(rows, space)
            return
        least = max(rows.size // (_TASKS_PER_THREAD * self.n_threads), 4 * _NARROW)
        with ThreadPoolExecutor(self.n_threads) as pool, _stopping(self.stopped):
            pool.submit(self._grow, rows, space, pool, least).result()
            # Whatever a subtree gave away is in the list by the time that it is done.
            for _, _, _, task in self.given:
                task.result()
        for home, node, other, _ in reversed(self.given):
            home.graft(node, other)

    def _grow(
        self,
        rows: Rows,
        space: Workspace,
        pool: ThreadPoolExecutor | None = None,
        least: int = _NEVER,
    ) -> None:
        """Grow the tree of some rows; of two nodes with ``least`` cases one is given away."""
        space.make_rows(rows, self.columns, copies=self.copies)
        space.make_sorted(_NARROW)
        space.push_rows(rows)
        run = compiled(grow_binned)
        while not self.stopped.is_set():
            status = run(
                _NARROW, least, self.columns.values, self.columns.table, *space.row_arguments(),
                *space.sorted_arguments(), *self.arguments, *space.scan_arguments(),
                *space.bin_arguments(), *space.node_arguments(), space.row_stack,
            )  # fmt: skip
            if status == DONE:
                space.forget_rows()
                return
            if status == FULL:
                space.make_room()
            elif status == TAKE and pool is not None:
                self._give_away(space, pool, least)

    def _give_away(self, space: Workspace, pool: ThreadPoolExecutor, least: int) -> None:
        taken = space.take_rows(copies=self.copies)
        other = Workspace(self.columns, space.n_classes)
        other.start(space.node_floats[taken.node, layout.COUNTS :])
        task = pool.submit(self._grow, taken, other, pool, least)
        self.given.append((space, taken.node, other, task))


@contextmanager
def _stopping(stopped: Event) -> Iterator[None]:
    """Tell the other threads to stop when this one is interrupted."""
    try:
        yield
    except BaseException:
        stopped.set()
        raise


def kernels_for(
    growth: Growth, columns: Columns, *, shares: bool, many: bool
) -> tuple[Callable[..., Any], ...]:
    """The scan, the search of numeric and nominal attributes and the division of this growth.

    Kernels that it does not want are not compiled; another stands in their place. Few cases are
    scored sooner than bounded.
    """
    search = best_c45_cut if growth.c45_numeric_minimum else best_cut
    return (
        scan_bounded if many and growth.bounded() else scan_all,
        search,
        best_sets if columns.n_codes > 0 else search,
        _division(columns, shares=shares),
    )


def kernels_of_bins(
    growth: Growth, columns: Columns, *, shares: bool
) -> tuple[Callable[..., Any], ...]:
    """All that a growth hands to the driver that begins with bins."""
    return (
        *kernels_for(growth, columns, shares=shares, many=True),
        enter_categories if columns.n_codes > 0 else no_categories,
        refine,
        evaluate_binned,
        divide_rows_shared if shares else divide_rows_complete,
        sort_rows,
        grow_sorted,
    )


def compile_kernels(
    growth: Growth, kernels: Sequence[Callable[..., Any]], driver: Callable[..., Any]
) -> tuple[Any, ...]:
    """The compiled criterion and kernels, to be handed to the driver, which is compiled too."""
    score = growth.criterion.function
    with compiling(*kernels, driver):
        criterion = table_score(score), block_score(score, growth.class_weight.size)
    return (*criterion, *map(compiled, kernels))


def check_score(counts: NDArray[np.float64], growth: Growth) -> None:
    """Refuse a criterion that has no score for the root: every comparison with it would fail."""
    score = table_score(growth.criterion.function)((counts * growth.class_weight)[None])
    if not np.isfinite(score):
        raise ParameterError(
            f"the criterion {growth.criterion!r} gives {score} for the class counts of the root, "
            "and a score must be a finite number."
        )


def _division(columns: Columns, *, shares: bool) -> Callable[..., int]:
    if shares:
        return divide_shared
    return divide_complete if columns.n_codes > 0 else divide_binary


def as_tree(space: Workspace, columns: Columns) -> Tree:
    """The nodes grown, in breadth-first order."""
    n_nodes = space.state[layout.N_NODES]
    ints, floats = space.node_ints[:n_nodes], space.node_floats[:n_nodes]
    missing_branch = ints[:, layout.NODE_MISSING].copy()
    inner = ints[:, layout.N_CHILDREN] > 0
    feature = ints[:, layout.FEATURE]
    own = inner & columns.own_code[feature]
    last = ints[own, layout.CATEGORY_START] + columns.n_categories[feature[own]] - 1
    missing_branch[own] = space.category_branch[last]
    return from_creation_order(
        first_child=ints[:, layout.FIRST_CHILD],
        n_children=ints[:, layout.N_CHILDREN],
        feature=feature,
        threshold=floats[:, layout.THRESHOLD],
        missing_branch=missing_branch,
        gain=floats[:, layout.NODE_GAIN],
        counts=floats[:, layout.COUNTS :],
        category_start=ints[:, layout.CATEGORY_START],
        category_branch=space.category_branch,
        n_categories=columns.n_categories - columns.own_code,
    )
