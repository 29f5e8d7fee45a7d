"""Grow a tree from a data set, given resolved options.

``GrowthRules`` holds the criterion, the kinds of split and the limits. ``grow`` sorts every
attribute once and splits to the leaves; tables with many rows are searched by bins first, with the
same result, and their subtrees may grow in several threads. The loops are in
``roctree.tree.kernels``, their memory and threads in ``roctree.tree.subtrees``. At the end the
nodes are put in breadth-first order.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from roctree._jit import (
    Kernel,
    block_score,
    choose,
    compile_later,
    compiled,
    is_compiled,
    table_score,
    typed_kernel,
)
from roctree.arrays import Floats, Ints, ReadonlyInts, any_missing, in_threads, row_parts
from roctree.data.dataset import Dataset
from roctree.errors import DataError, ParameterError
from roctree.tree.columns import Columns, code_rows, describe_columns, sort_columns
from roctree.tree.kernels import records
from roctree.tree.kernels.bins import evaluate_binned, refine, skip_refinement
from roctree.tree.kernels.divide import divide_binary, divide_complete, divide_shared
from roctree.tree.kernels.grow import (
    BinnedFunctions,
    SortedFunctions,
    grow_binned,
    grow_sorted,
)
from roctree.tree.kernels.nominal import enter_categories, find_sets, no_categories
from roctree.tree.kernels.numeric import find_c45_cuts, find_cuts
from roctree.tree.kernels.records import KernelRules, Nodes, Rows, Scoring
from roctree.tree.kernels.rows import (
    divide_rows_complete,
    divide_rows_shared,
    sort_rows,
)
from roctree.tree.kernels.scan import Search, scan_all, scan_bounded
from roctree.tree.subtrees import (
    NARROW,
    TEAM_KERNELS,
    Subtree,
    SubtreePool,
    Workspace,
    mapped,
    needs_team,
)
from roctree.tree.tree import MAX_BRANCHES, NO_BRANCH, Tree

if TYPE_CHECKING:
    from roctree.criteria import Criterion


Shrinkage = float | Literal["auto"] | None
Missing = Literal["fractional", "category", "branch"]
Nominal = Literal["binary", "multiway", "one_vs_rest"]
# Returns a kernel compiled or interpreted; see ``roctree._jit.choose``.
Pick = Callable[[Kernel], Kernel]

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
# Up to this many values, growing from sorted columns, with the same result, takes less time than
# compiling the kernels of bins.
_NOT_WORTH_THE_WAIT = 1 << 23
# Microseconds to grow from sorted columns with interpreted kernels, per value of the table.
_MICROSECONDS_PER_VALUE = 60.0
# Codes have 16 bits, with one code for missing values.
_MAX_CATEGORIES = (1 << 16) - 1


@dataclass(frozen=True)
class GrowthRules:
    """The criterion, the kinds of split and the limits of growth.

    ``min_class_weighted_leaf`` is the least weight of a branch after class weights; all other
    limits count the weight of the cases as given. ``category_shrinkage`` counts cases, each of
    weight ``unit``.
    """

    criterion: "Criterion"
    class_weight: NDArray[np.float64]
    nominal: Nominal = "binary"
    missing: Missing = "fractional"
    max_depth: int | None = None
    min_split: float = 2.0
    min_leaf: float = 1.0
    min_class_weighted_leaf: float = 0.0
    min_gain: float = 0.0
    c45_numeric_minimum: bool = False
    category_shrinkage: Shrinkage = None
    unit: float = 1.0

    @property
    def needs_every_cut(self) -> bool:
        """Whether the number of cuts of an attribute matters, so that none may be skipped."""
        return self.criterion.penalty or self.c45_numeric_minimum

    @property
    def guard(self) -> str:
        """The gains that a ratio may be based on: "c45", "average" or "none".

        Unless a criterion says otherwise, the gain must reach the mean gain if it is divided by the
        split's information, as in C4.5, so that tiny branches do not win.
        """
        divides = self.criterion.children_correction == "split_info"
        return str(getattr(self.criterion, "guard", "average" if divides else "none"))

    @property
    def bounded(self) -> bool:
        """Whether candidates may be skipped if a bound on their scores is too low."""
        convex = self.criterion.convex(self.class_weight.size)
        return convex and self.criterion.tolerance == 0.0

    @property
    def _even(self) -> bool:
        """Whether a split without gain halves a node; C4.5 takes the first, or none."""
        corrected = self.criterion.children_correction != "none" or self.criterion.penalty
        return self.bounded and not corrected

    def kernel_rules(self, quantum: float) -> KernelRules:
        """Return the rules in the form that kernels use."""
        return KernelRules(
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
            even=self._even,
            quantum=float(quantum),
            class_weight=np.array(self.class_weight, np.float64),
        )


def weight_grid(
    weights: NDArray[np.float64], n_threads: int = 1
) -> tuple[NDArray[np.float64], float]:
    """Round weights to multiples of a power of two so that every sum of them is exact in float64.

    Integers are unchanged. The grid depends only on the number of cases and their largest weight,
    not on their order.
    """
    quantum = grid_unit(weights.size, float(weights.max()))
    rounded = np.empty(weights.size)

    def round_part(rows: slice) -> None:
        round_to_grid(weights[rows], quantum, rounded[rows])

    in_threads(n_threads, round_part, row_parts(weights.size, n_threads))
    return rounded, quantum


def grid_unit(n_cases: int, largest: float) -> float:
    """Return the unit of the grid for this many cases with at most this weight."""
    return math.ldexp(1.0, math.frexp(largest * n_cases)[1] - 52)


def round_to_grid(
    weights: NDArray[np.float64], quantum: float, out: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Round weights to integer multiples of the unit, into ``out`` if it is given."""
    units = np.divide(weights, quantum, out=out)
    return np.multiply(np.rint(units, out=units), quantum, out=units)


def drop_zero_weight(
    values: NDArray[np.float64], labels: NDArray[np.int32], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
    """Return the cases with a positive weight."""
    used = weights > 0.0
    return (values, labels, weights) if used.all() else (values[used], labels[used], weights[used])


def class_counts(
    labels: NDArray[np.int32],
    weights: NDArray[np.float64],
    n_classes: int,
    n_threads: int = 1,
) -> NDArray[np.float64]:
    """Return the weight of each class.

    Several threads need weights on a grid, whose sums do not depend on their order.
    """

    def count(rows: slice) -> NDArray[np.float64]:
        return np.bincount(labels[rows], weights[rows], minlength=n_classes).astype(np.float64)

    parts = in_threads(n_threads, count, row_parts(labels.size, n_threads))
    return parts[0] if len(parts) == 1 else np.asarray(np.sum(parts, axis=0))


def grow(dataset: Dataset, rules: GrowthRules, n_threads: int = 1) -> Tree:
    """Grow the tree of a data set; cases without weight are ignored."""
    values, labels, weights = drop_zero_weight(dataset.values, dataset.labels, dataset.weights)
    weights, quantum = weight_grid(weights, n_threads)
    # Very small weights may be rounded to zero next to very large ones.
    values, labels, weights = drop_zero_weight(values, labels, weights)
    counts = class_counts(labels, weights, dataset.schema.n_classes, n_threads)
    columns = describe_columns(values, dataset.schema.n_categories, float(counts.sum()), rules)
    refuse_many_branches(columns, dataset.schema.names, rules)
    set_shrinkage(columns, rules, lambda each: count_categories(columns, each, labels, weights))
    space = Workspace(columns, counts.size)
    space.start(counts)
    if splittable(counts, rules):
        check_score(counts, rules)
        cases = WeightedLabels(labels, weights, quantum)
        if labels.size <= NARROW or not _may_use_bins(columns, rules):
            grow_from_order(columns, cases, rules, space)
        else:
            unknown = any_missing(values, n_threads)
            kernels = BinnedKernels.choose(rules, columns, unknown=unknown)
            few = values.size <= _NOT_WORTH_THE_WAIT
            if few and not all(map(is_compiled, kernels.all)):
                grow_from_order(columns, cases, rules, space)
                compile_later(kernels.all)
            else:
                rows = coded_rows(code_rows(columns, n_threads), labels, weights)
                kernels.grow(columns, rows, rules, quantum, space, n_threads)
    return as_tree(space, columns)


def refuse_many_branches(columns: Columns, names: tuple[str, ...], rules: GrowthRules) -> None:
    """Raise ``DataError`` if an attribute has more categories than a node can have branches."""
    many = columns.n_categories > MAX_BRANCHES
    if rules.nominal == "multiway" and many.any():
        name = names[int(np.argmax(many))]
        raise DataError(
            reason=f"column {{column!r}} has more than {MAX_BRANCHES} categories, too many for a "
            "branch each: use {nominal='binary'} or leave the column out",
            column=name,
        )


def splittable(counts: NDArray[np.float64], rules: GrowthRules) -> bool:
    """Whether the root may be split at all."""
    kernel_rules = rules.kernel_rules(quantum=0.0)
    smallest = max(kernel_rules.min_split, 2.0 * kernel_rules.min_leaf)
    impure = np.count_nonzero(counts * rules.class_weight) > 1
    return bool(impure and counts.sum() >= smallest and rules.max_depth != 0)


def check_score(counts: NDArray[np.float64], rules: GrowthRules) -> None:
    """Raise an error if the criterion does not score the root: every comparison would fail."""
    run = compiled(table_score(rules.criterion), microseconds=10.0 * counts.size)
    with np.errstate(all="ignore"):
        score = run((counts * rules.class_weight)[None])
    if not np.isfinite(score):
        raise ParameterError(
            f"the criterion {rules.criterion!r} gives {score} for the class counts of the root, "
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


def _may_use_bins(columns: Columns, rules: GrowthRules) -> bool:
    """Whether the search may begin with bins: bounds hold, and every category has a code."""
    bounded = rules.bounded and not rules.needs_every_cut
    return bounded and int(columns.n_categories.max(initial=0)) <= _MAX_CATEGORIES


def grow_from_order(
    columns: Columns, cases: WeightedLabels, rules: GrowthRules, space: Workspace
) -> None:
    """Grow the tree from sorted columns; every attribute is sorted once."""
    space.make_sorted(cases.size)
    order, rank = sort_columns(columns)
    space.cases = space.cases._replace(order=order, rank=rank, weight=cases.weights.copy())
    space.cases.label[:] = cases.labels
    space.cases.row[:] = np.arange(cases.size)
    space.push_sorted(cases.size)
    shares = rules.missing != "branch" and bool((rank == records.MISSING_RANK).any())
    kernels = SortedKernels.choose(rules, columns, shares=shares, many=cases.size > NARROW)
    microseconds = _MICROSECONDS_PER_VALUE * cases.size * len(columns.n_categories)
    pick = choose(microseconds, *kernels.all, *scorers(rules), grow_sorted)
    functions = kernels.picked(pick, rules, cases.quantum)
    run = pick(grow_sorted)
    features, bins = columns.features, columns.bins
    while not run(features, bins, space.cases, functions, space.work, space.division, space.grown):
        space.make_room()


def coded_rows(
    codes: NDArray[np.uint16], labels: NDArray[Any], weights: NDArray[np.float64]
) -> Rows:
    """Return the rows of a binned root; codes and weights are changed in place as it grows."""
    return Rows(
        codes=codes,
        label=labels.astype(np.uint32),
        row=np.arange(labels.size, dtype=np.uint32),
        branch=np.empty(labels.size, np.uint32),
        weight=weights,
    )


@dataclass(frozen=True)
class SortedKernels:
    """The kernels of sorted nodes that a growth uses.

    Kernels that are not needed are replaced by others, so that they are not compiled. With few
    cases, scoring all candidates is faster than computing bounds.
    """

    scan: Kernel
    find_cuts: Kernel
    find_sets: Kernel
    divide: Kernel

    @classmethod
    def choose(
        cls, rules: GrowthRules, columns: Columns, *, shares: bool, many: bool
    ) -> "SortedKernels":
        """Choose the kernels; ``shares`` if cases go to several branches, ``many`` for many."""
        cuts = find_c45_cuts if rules.c45_numeric_minimum else find_cuts
        divide = divide_complete if columns.n_codes > 0 else divide_binary
        return cls(
            scan=scan_bounded if many and rules.bounded else scan_all,
            find_cuts=cuts,
            find_sets=find_sets if columns.n_codes > 0 else cuts,
            divide=divide_shared if shares else divide,
        )

    @property
    def all(self) -> tuple[Kernel, ...]:
        """All of them."""
        return self.scan, self.find_cuts, self.find_sets, self.divide

    def picked(self, pick: Pick, rules: GrowthRules, quantum: float) -> SortedFunctions:
        """Return the kernels, compiled or interpreted, with the criterion and the rules."""
        search = pick_search(pick, rules, quantum, self.scan)
        return SortedFunctions(
            search=search,
            find_cuts=pick(self.find_cuts),
            find_sets=pick(self.find_sets),
            divide=pick(self.divide),
        )


@dataclass(frozen=True)
class BinnedKernels:
    """The kernels of binned nodes that a growth uses, and those of the sorted nodes below."""

    shares: bool
    below: SortedKernels
    enter_categories: Kernel
    refine: Kernel
    divide: Kernel

    @classmethod
    def choose(cls, rules: GrowthRules, columns: Columns, *, unknown: bool) -> "BinnedKernels":
        """Choose the kernels; ``unknown`` if some values are missing.

        Cases with an unknown branch go to all of them.
        """
        shares = rules.missing != "branch" and unknown
        return cls(
            shares=shares,
            below=SortedKernels.choose(rules, columns, shares=shares, many=True),
            enter_categories=enter_categories if columns.n_codes > 0 else no_categories,
            refine=skip_refinement if columns.bins.exact.all() else refine,
            divide=divide_rows_shared if shares else divide_rows_complete,
        )

    @property
    def all(self) -> tuple[Kernel, ...]:
        """All of them."""
        return (
            *self.below.all,
            self.enter_categories,
            self.refine,
            evaluate_binned,
            self.divide,
            sort_rows,
            grow_sorted,
            grow_binned,
        )

    def grow(
        self,
        columns: Columns,
        rows: Rows,
        rules: GrowthRules,
        quantum: float,
        space: Workspace,
        n_threads: int,
    ) -> None:
        """Grow the tree from a root with these rows."""
        root = Subtree(rows)
        by_team = TEAM_KERNELS if needs_team(root.size, n_threads, copies=self.shares) else ()
        microseconds = math.inf if by_team else 0.5 * _MICROSECONDS_PER_VALUE * rows.codes.size
        pick = choose(microseconds, *self.all, *scorers(rules), *by_team)
        functions = self._picked(pick, rules, quantum)
        pool = SubtreePool(columns, pick(grow_binned), functions, n_threads, copies=self.shares)
        pool.grow(root, space)

    def _picked(self, pick: Pick, rules: GrowthRules, quantum: float) -> BinnedFunctions:
        """Return the kernels, compiled or interpreted, with the criterion and the rules."""
        return BinnedFunctions(
            enter_categories=pick(self.enter_categories),
            refine=pick(self.refine),
            evaluate=pick(evaluate_binned),
            divide=pick(self.divide),
            sort=pick(sort_rows),
            sorted=self.below.picked(pick, rules, quantum),
            grow_sorted=pick(grow_sorted),
        )


def scorers(rules: GrowthRules) -> tuple[Kernel, Kernel]:
    """Return the kernels of the criterion: of a table, and of a block of binary candidates."""
    criterion = rules.criterion
    return table_score(criterion), block_score(criterion, rules.class_weight.size)


def pick_search(pick: Pick, rules: GrowthRules, quantum: float, scan: Kernel) -> Search:
    """Return the rules, the criterion and the scan, compiled or interpreted."""
    scoring = Scoring(*map(pick, scorers(rules)))
    return Search(rules.kernel_rules(quantum), scoring, pick(scan))


# --- Nodes in breadth-first order ---


def as_tree(space: Workspace, columns: Columns) -> Tree:
    """Return the tree, with its nodes in breadth-first order."""
    n_nodes, category_branch = int(space.filled.n_nodes), space.nodes.category_branch
    nodes = mapped(lambda values: values[:n_nodes], space.nodes)
    missing_branch = nodes.missing_branch.copy()
    own = (nodes.n_children > 0) & columns.own_code[nodes.feature]
    last = nodes.category_start[own] + columns.n_categories[nodes.feature[own]] - 1
    missing_branch[own] = category_branch[last]
    nodes = nodes._replace(missing_branch=missing_branch, category_branch=category_branch)
    return from_creation_order(nodes, columns.n_categories - columns.own_code)


def from_creation_order(nodes: Nodes, n_categories: NDArray[Any]) -> Tree:
    """Return the tree of nodes in any order; node 0 is the root.

    Nodes that are not reachable from the root are left out. What the arrays hold at leaves does not
    matter, apart from the counts.
    """
    order = breadth_first(nodes.first_child, nodes.n_children)
    n_children, feature = nodes.n_children[order], nodes.feature[order]
    threshold = nodes.threshold[order]
    inner = n_children > 0
    sizes = np.where(inner & np.isnan(threshold), n_categories[np.where(inner, feature, -1)], 0)
    places = consecutive(nodes.category_start[order], sizes)
    return Tree(
        n_children=n_children.astype(np.int32),
        feature=np.where(inner, feature, -1).astype(np.int32),
        threshold=np.where(inner, threshold, np.nan),
        category_branch=nodes.category_branch[places].astype(np.int16),
        category_offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
        missing_branch=np.where(inner, nodes.missing_branch[order], NO_BRANCH).astype(np.int16),
        counts=nodes.counts[order].astype(np.float64),
        softness=np.zeros(order.size),
        gain=np.where(inner, nodes.gain[order], 0.0),
    )


def breadth_first(first_child: NDArray[Any], n_children: NDArray[Any]) -> NDArray[np.int64]:
    """Return the nodes that are reachable from node 0, level by level."""
    order = np.zeros(n_children.size, dtype=np.int64)
    list_by_level = compiled(_list_by_level, microseconds=order.size)
    n_reached = list_by_level(first_child.astype(np.int64), n_children.astype(np.int64), order)
    if n_reached < 0:
        raise ValueError("Some node is a child of two nodes, so these nodes are not a tree.")
    return order[:n_reached]


def consecutive(starts: NDArray[Any], sizes: NDArray[Any]) -> NDArray[np.int64]:
    """Return ``starts[i], ..., starts[i] + sizes[i] - 1`` for each i, one after the other."""
    ends = np.cumsum(sizes, dtype=np.int64)
    shifts = np.repeat(starts - (ends - sizes), sizes)
    return np.asarray(np.arange(shifts.size) + shifts, dtype=np.int64)


@typed_kernel
def _list_by_level(first_child: ReadonlyInts, n_children: ReadonlyInts, order: Ints) -> int:
    """Fill ``order``, a queue that begins with the root; -1 if it runs over."""
    n_reached = 1
    head = 0
    while head < n_reached:
        node = order[head]
        if n_reached + n_children[node] > order.size:
            return -1
        for child in range(first_child[node], first_child[node] + n_children[node]):
            order[n_reached] = child
            n_reached += 1
        head += 1
    return n_reached


# --- Shrinkage of categories ---
#
# The best division of many categories into two sets has a high score even if they are
# uninformative, because each rare category ends up on the side that happens to fit. So categories
# are divided by shrunk counts, as if each had some additional cases from a common distribution. The
# fewer cases a category has, the closer it is to that distribution.
#
# The strength, a number of cases, is estimated once per attribute, from the class counts of its
# categories at the root. As in the James-Stein estimator, it is larger if the categories differ
# little beyond chance. Attributes with at most ten categories are not shrunk.
# ``kernels.nominal.shrink`` shrinks the counts at each node.

# With up to this many categories, counts are not shrunk.
_MAX_UNSHRUNK = 10
# Lower bound of the statistic's excess over chance, which keeps the strength finite.
_MIN_EXCESS = 0.1


def estimate_strength(counts: Floats) -> float:
    """Return the strength for an attribute with these class counts, ``[category, class]``.

    Examples
    --------
    >>> estimate_strength(np.array([[5.0, 0.0], [0.0, 5.0]] * 10)) == 50 / 89
    True
    >>> estimate_strength(np.eye(2))
    0.0
    """
    counts = counts[counts.sum(axis=1) > 0.0][:, counts.sum(axis=0) > 0.0]
    sizes, totals = counts.sum(axis=1), counts.sum(axis=0)
    n_categories, total = len(sizes), sizes.sum()
    if n_categories <= _MAX_UNSHRUNK or totals.size < 2:
        return 0.0
    by_chance = (totals**2).sum() / total
    between = (counts**2 / sizes[:, None]).sum() - by_chance
    statistic = (total - 1.0) * between / (total - by_chance)
    freedom = n_categories - _MAX_UNSHRUNK
    typical = (total - (sizes**2).sum() / total) / (n_categories - 1)
    return float(typical * freedom / max(statistic - freedom, _MIN_EXCESS))


def set_shrinkage(columns: Columns, rules: GrowthRules, count: Callable[[int], Floats]) -> None:
    """Set the strength of each nominal attribute that is divided into two sets.

    Parameters
    ----------
    columns : Columns
        Receives the strengths.
    growth : GrowthRules
    count : callable
        Returns the class counts of the codes of an attribute at the root, ``[code, class]``; the
        last code is that of missing values.
    """
    strength = rules.category_shrinkage
    if rules.nominal != "binary" or strength is None:
        return
    for feature in np.flatnonzero(columns.n_categories):
        n_cases = strength
        if n_cases == "auto":
            n_cases = 0.0
            # Missing values that join a branch are one more category.
            if columns.n_categories[feature] >= _MAX_UNSHRUNK:
                counts = count(int(feature))
                known = counts if rules.missing == "branch" else counts[:-1]
                n_cases = estimate_strength(known / rules.unit)
        columns.features.shrinkage[feature] = n_cases * rules.unit


def count_categories(columns: Columns, feature: int, labels: Any, weights: Floats) -> Floats:
    """Return the class counts of the categories of an attribute, with missing values last."""
    values = columns.values[:, feature]
    missing = columns.n_categories[feature] - columns.own_code[feature]
    return count_codes(
        columns, feature, np.where(np.isnan(values), missing, values), labels, weights
    )


def count_codes(columns: Columns, feature: int, codes: Any, labels: Any, weights: Floats) -> Floats:
    """Return the class counts of the codes of an attribute."""
    n_codes, n_classes = int(columns.n_categories[feature]) + 1, int(labels.max()) + 1
    cells = codes.astype(np.int64) * n_classes + labels
    found = np.bincount(cells, weights, minlength=n_codes * n_classes)
    return found.astype(np.float64).reshape(n_codes, n_classes)
