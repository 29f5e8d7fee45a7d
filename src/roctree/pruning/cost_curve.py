"""Cost-pruning curves: a tree pruned under a range of cost ratios, as points in ROC space.

Bradley and Lovell (1995) prune a tree under one cost ratio after another. Each ratio gives a
smaller tree with labels of its own, hence one point (false positive rate, true positive rate).
Conversely, the points show which costs to prune with to reach a required error rate.

The tree changes at finitely many ratios, and ``breakpoints`` finds them all. Let a false alarm cost
1 and a miss r. A pruned tree then costs A r + B, where A is the expected number of misses and B
that of false alarms, and pruning selects a tree of lowest cost. So the cost as a function of r is a
lower envelope of lines, and each tree on it is selected on one interval.
"""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.arrays import Floats, Floats2D
from roctree.data import encode_labels
from roctree.errors import DataError, ParameterError
from roctree.pruning.by_counts import ErrorBased, MinimumError, leaves_by_cost
from roctree.pruning.protocol import TIE, Pruned, Pruner, PrunesUnderCosts, inherit_labels
from roctree.roc.arithmetic import upper_hull
from roctree.roc.curve import IN_PARTS
from roctree.strategy import configure, is_finite_number
from roctree.text import DisplayTable
from roctree.tree.prediction import mix
from roctree.tree.shape import collapse, kept_nodes, nodes_in
from roctree.tree.tree import Tree

# Costs of a miss (false negative) and a false alarm (false positive), section 4.1 of the paper.
PAPER_COSTS = (
    *((1.0, 8.0), (1.0, 4.0), (1.0, 2.0), (1.0, 1.5), (1.0, 1.25), (1.0, 1.0), (1.25, 1.0)),
    *((1.5, 1.0), (2.0, 1.0), (4.0, 1.0), (8.0, 1.0), (16.0, 1.0), (32.0, 1.0)),
)
_PAPER_OPTIONS: dict[str, dict[str, float]] = {
    "minimum_error": {"m": 8.0},
    "error_based": {"cf": 0.01},
}
# Ratios of costs between which all breakpoints are found.
_RATIOS = (1e-9, 1e9)
# Trees whose costs differ by less are equally good.
_SAME_COST = 1e-10


def paper_options(method: str | Pruner, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a pruner; one given by name has those of the paper by default."""
    usual = _PAPER_OPTIONS.get(method, {}) if isinstance(method, str) else {}
    return usual | options


class CostPoint(NamedTuple):
    """A tree pruned under costs, and its error rates.

    Parameters
    ----------
    cost_fn, cost_fp : float
        Costs of a false negative (miss) and of a false positive (false alarm).
    fpr, tpr : float
        False and true positive rate.
    n_leaves : float or None
        Leaves of the tree, the mean of several trees, or None if not known.
    cost : float
        Mean cost per case under these costs.
    chi_squared : float
        Pearson's statistic of the confusion matrix, without continuity correction: 0 if predictions
        are independent of the classes, the number of cases if they are perfect.
    operating : bool
        Whether the point is a vertex of the convex hull: no other point, and no mixture of two, has
        a lower false positive rate at the same true positive rate, or vice versa.
    pruner : Pruner or None
        Pruner that makes this tree, for ``tree.pruned(point.pruner)``; None if not known.
    """

    cost_fn: float
    cost_fp: float
    fpr: float
    tpr: float
    n_leaves: float | None
    cost: float
    chi_squared: float
    operating: bool
    pruner: Pruner | None

    @property
    def fnr(self) -> float:
        """False negative rate."""
        return 1.0 - self.tpr


@dataclass(frozen=True, eq=False, repr=False)
class CostPruningCurve(DisplayTable, Sequence[CostPoint]):
    """One point per cost ratio, in the given order.

    Parameters
    ----------
    points : tuple of CostPoint
        The points.
    positive, negative : object
        Labels of the classes.
    in_parts : bool, default False
        Whether cases are divided among leaves and count fractionally, while ``predict`` gives each
        a single label: rates are then approximate.
    breakpoints : tuple of float, default ()
        For ``costs="all"``, the cost ratios (miss : false alarm) at which the tree changes, one
        between any two successive points. Inner nodes at which cases stop, as in cells, belong to
        it with their labels.
    """

    head: ClassVar = ("miss : false alarm", "FPR", "TPR", "leaves", "cost", "chi2", "operating")

    points: tuple[CostPoint, ...]
    positive: Any
    negative: Any
    in_parts: bool = False
    breakpoints: tuple[float, ...] = ()

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, place: Any) -> Any:
        return self.points[place]

    @property
    def fpr(self) -> Floats:
        """False positive rate of each point."""
        return np.array([point.fpr for point in self.points])

    @property
    def tpr(self) -> Floats:
        """True positive rate of each point."""
        return np.array([point.tpr for point in self.points])

    @property
    def cost_ratio(self) -> Floats:
        """Cost ratio (miss : false alarm) of each point."""
        return np.array([point.cost_fn / point.cost_fp for point in self.points])

    @property
    def on_hull(self) -> NDArray[np.bool_]:
        """Whether each point is a vertex of the convex hull."""
        return np.array([point.operating for point in self.points])

    @property
    def auc(self) -> float:
        """Area under the points, joined from left to right, and the corners (0, 0) and (1, 1)."""
        order = np.lexsort((self.tpr, self.fpr))
        fpr = np.array([0.0, *self.fpr[order], 1.0])
        tpr = np.array([0.0, *self.tpr[order], 1.0])
        return float(np.diff(fpr) @ (tpr[1:] + tpr[:-1]) / 2.0)

    def for_fpr(self, most: float) -> CostPoint:
        """Return the point of highest true positive rate with at most this false positive rate."""
        _check_rate(most)
        allowed = [point for point in self.points if point.fpr <= most + TIE]
        if not allowed:
            raise ParameterError(
                f"None of the costs keeps the false positive rate at {most:g}: the lowest is "
                f"{self.fpr.min():.3g}; try higher costs of false alarms."
            )
        return min(allowed, key=lambda point: (-point.tpr, point.fpr, point.n_leaves or 0))

    def for_fnr(self, most: float) -> CostPoint:
        """Return the point of lowest false positive rate with at most this false negative rate."""
        _check_rate(most)
        allowed = [point for point in self.points if point.fnr <= most + TIE]
        if not allowed:
            raise ParameterError(
                f"None of the costs keeps the false negative rate at {most:g}: the lowest is "
                f"{1.0 - self.tpr.max():.3g}; try higher costs of misses."
            )
        return min(allowed, key=lambda point: (point.fpr, -point.tpr, point.n_leaves or 0))

    def columns(self) -> dict[str, Any]:
        """Return the points as columns."""
        names = ("cost_fn", "cost_fp", "fpr", "tpr", "n_leaves", "cost", "chi_squared", "operating")
        return {name: [getattr(point, name) for point in self.points] for name in names}

    @property
    def caption(self) -> str:
        """Number of cost ratios, and the positive class."""
        approximate = f", {IN_PARTS}" if self.in_parts else ""
        return f"{len(self)} cost ratios, positive class {self.positive!r}{approximate}"

    def cells(self) -> list[list[str]]:
        """Return the table as text, one list of cells per point."""
        return [
            [
                f"{point.cost_fn:.4g} : {point.cost_fp:.4g}",
                f"{point.fpr:.3f}",
                f"{point.tpr:.3f}",
                "" if point.n_leaves is None else f"{point.n_leaves:g}",
                f"{point.cost:.4g}",
                f"{point.chi_squared:.4g}",
                "yes" if point.operating else "",
            ]
            for point in self.points
        ]


def cost_pruning_curve(
    tree: Tree,
    pruner: Pruner,
    costs: Any,
    counts: Floats2D,
    classes: Sequence[Any],
    positive: int,
    *,
    stopped: Floats2D | None = None,
    divided: tuple[Floats2D, Floats2D] | None = None,
) -> CostPruningCurve:
    """Prune a tree under each of several costs, and return the points.

    Parameters
    ----------
    tree : Tree
        A tree of two classes.
    pruner : Pruner
        The pruner, whose costs are replaced.
    costs : iterable, "all" or None
        Pairs (cost of a miss, cost of a false alarm), or numbers, the ratio of the two. None for
        those of the paper; "all" for one ratio between any two ``breakpoints``.
    counts : float64[nodes, classes]
        Class counts of the cases whose errors are counted.
    classes : sequence
        Class labels.
    positive : int
        Index of the positive class.
    stopped : float64[nodes, classes], optional
        Those cases that end at an inner node, because they fit none of its branches.
    divided : (values, weights), optional
        Further cases that are divided among leaves and labelled by the mean: their values, and
        their weights, float64[cases, classes].

    Returns
    -------
    CostPruningCurve
        One point per pair of costs.
    """
    if tree.n_classes != 2:
        raise ParameterError(
            f"The tree has {tree.n_classes} classes: a cost-pruning curve needs exactly two."
        )
    if not isinstance(pruner, PrunesUnderCosts):
        raise ParameterError(
            f"{pruner!r} does not prune under costs: choose from 'minimum_error', 'error_based', "
            "'pessimistic'."
        )
    totals = counts[0] if divided is None else counts[0] + divided[1].sum(axis=0)
    for label, weight in zip(classes, totals, strict=True):
        if weight == 0.0:
            raise DataError(f"There is no case of class {label!r} to count errors of.")
    points: list[CostPoint] = []
    changes: tuple[float, ...] = ()
    if isinstance(costs, str) and costs == "all":
        changes = breakpoints(tree, pruner, positive)
        if stopped is not None:
            changes = _with_label_changes(changes, tree, pruner, positive, stopped)
        costs = _between(changes)
    for cost_fn, cost_fp in _pairs(costs):
        # The cost of a class is the cost of predicting it wrongly.
        by_class = (cost_fn, cost_fp) if positive == 1 else (cost_fp, cost_fn)
        costly = configure(pruner, {"costs": by_class})
        pruned = costly.labelled(tree)
        called = _called_positive(tree, pruned, counts, stopped, divided, positive)
        fp, tp = float(called[1 - positive]), float(called[positive])
        point = _point((cost_fn, cost_fp), fp, tp, totals[1 - positive], totals[positive])
        points.append(point._replace(n_leaves=pruned.tree.n_leaves, pruner=costly))
    labels = classes[positive], classes[1 - positive]
    return CostPruningCurve(_mark_hull(points), *labels, breakpoints=changes)


def breakpoints(tree: Tree, pruner: Pruner, positive: int) -> tuple[float, ...]:
    """Return all cost ratios (miss : false alarm) at which the pruned tree changes, in order.

    The lines of the trees at two ratios cross in between. If no tree is cheaper there, the tree
    changes there and nowhere else between the two; otherwise both sides are searched.

    Parameters
    ----------
    tree : Tree
        A tree of two classes.
    pruner : Pruner
        ``MinimumError`` or ``ErrorBased``; its costs are ignored.
    positive : int
        Index of the positive class.
    """
    if not isinstance(pruner, MinimumError | ErrorBased):
        raise ParameterError(
            f"{pruner!r} does not minimise a cost: its breakpoints are not known, so give the "
            "costs, or choose 'minimum_error' or 'error_based'."
        )
    if isinstance(pruner, ErrorBased) and pruner.collapse:
        tree = collapse(tree)
    errors = pruner.errors_by_label(tree)

    def line(ratio: float) -> tuple[float, float]:
        """Return the expected misses and false alarms of the tree that is cheapest at a ratio."""
        prices = (ratio, 1.0) if positive == 1 else (1.0, ratio)
        final, labels = leaves_by_cost(tree, errors * np.array(prices), pruner.leaves)
        ends = kept_nodes(tree, final) & (final | tree.is_leaf)
        sums = [float(errors[ends & (labels == label), label].sum()) for label in (0, 1)]
        return sums[1 - positive], sums[positive]

    found: list[float] = []
    open_: list[tuple[tuple[float, float], ...]] = [tuple(line(ratio) for ratio in _RATIOS)]
    while open_:
        (misses, alarms), (fewer_misses, more_alarms) = low, high = open_.pop()
        saved, lost = misses - fewer_misses, more_alarms - alarms
        if saved <= TIE * misses or lost <= 0.0:
            continue
        ratio = lost / saved
        middle, least = line(ratio), ratio * misses + alarms
        if ratio * middle[0] + middle[1] < least * (1.0 - _SAME_COST):
            open_ += [(middle, high), (low, middle)]
        else:
            found.append(ratio)
    return tuple(found)


def _with_label_changes(
    changes: tuple[float, ...], tree: Tree, pruner: Any, positive: int, stopped: Floats2D
) -> tuple[float, ...]:
    """Return breakpoints, and ratios at which inner nodes where cases stop change their label."""
    errors = pruner.errors_by_label(tree)
    # A node without training cases has the label of its parent.
    judged = inherit_labels(tree, np.arange(tree.n_nodes))
    found = set(changes)
    for ratio, (low, high) in zip(
        _between(changes), itertools.pairwise([0.0, *changes, math.inf]), strict=True
    ):
        prices = (ratio, 1.0) if positive == 1 else (1.0, ratio)
        pruned = configure(pruner, {"costs": prices}).labelled(tree).tree
        inner = nodes_in(tree, pruned)[~pruned.is_leaf]
        of_cases = errors[judged[inner[stopped[inner].any(axis=1)]]]
        misses, alarms = of_cases[:, 1 - positive], of_cases[:, positive]
        ratios = alarms[misses > 0.0] / misses[misses > 0.0]
        found |= {each for each in ratios.tolist() if low < each < high}
    return tuple(sorted(found))


def _between(changes: Sequence[float]) -> list[float]:
    """Return a ratio from each interval between the breakpoints, 1 where it is inside."""
    if not changes:
        return [1.0]
    ends = [changes[0] / 4.0, *changes, changes[-1] * 4.0]
    return [
        1.0 if low < 1.0 < high else math.sqrt(low * high) for low, high in itertools.pairwise(ends)
    ]


def curve_of_labels(y: Any, predictions: Any, costs: Any, positive: Any = None) -> CostPruningCurve:
    """Return the points of labels that were predicted under each pair of costs.

    Parameters
    ----------
    y : array-like
        True class of each case.
    predictions : sequence of array-like
        For each pair of costs, the predicted labels of all cases.
    costs : iterable
        Pairs (cost of a miss, cost of a false alarm), or numbers, the ratio of the two.
    positive : object, optional
        The positive class; the last in sorted order by default.

    Examples
    --------
    >>> curve_of_labels(["no", "yes"], [["no", "no"], ["yes", "yes"]], [0.1, 10])
    2 cost ratios, positive class 'yes'
    miss : false alarm    FPR    TPR  leaves  cost  chi2  operating
               0.1 : 1  0.000  0.000          0.05     0        yes
                10 : 1  1.000  1.000           0.5     0        yes
    """
    classes, codes = encode_labels(y)
    if len(classes) != 2:
        raise DataError(f"y has {len(classes)} classes: a cost-pruning curve needs exactly two.")
    labels = classes.tolist()
    if positive is not None and positive not in labels:
        raise ParameterError(
            parameter="positive",
            value=positive,
            reason="is not a class; the classes are {classes}",
            classes=", ".join(map(repr, labels)),
        )
    place = 1 if positive is None else labels.index(positive)
    pairs, truth = _pairs(costs), codes == place
    found = [_is_class(each, labels, place) for each in predictions]
    if len(found) != len(pairs) or any(each.shape != truth.shape for each in found):
        raise DataError(
            f"There are {len(pairs)} pairs of costs and {len(truth)} cases: give the labels of all "
            "cases for each pair."
        )
    n_positive, n_negative = float(truth.sum()), float((~truth).sum())
    points = [
        _point(
            pair,
            float((called & ~truth).sum()),
            float((called & truth).sum()),
            n_negative,
            n_positive,
        )
        for pair, called in zip(pairs, found, strict=True)
    ]
    return CostPruningCurve(_mark_hull(points), labels[place], labels[1 - place])


def mean_curve(curves: Sequence[CostPruningCurve]) -> CostPruningCurve:
    """Return the mean of curves over the same costs; a single curve is returned as it is."""
    if len(curves) == 1:
        return curves[0]
    requests = {
        (curve.positive, tuple((point.cost_fn, point.cost_fp) for point in curve.points))
        for curve in curves
    }
    if len(requests) != 1:
        raise ParameterError("A mean needs curves with the same costs and the same positive class.")
    points = []
    for same in zip(*curves, strict=True):
        numbers = [(point.fpr, point.tpr, point.cost, point.chi_squared) for point in same]
        fpr, tpr, cost, chi_squared = np.mean(numbers, axis=0).tolist()
        sizes = [point.n_leaves for point in same if point.n_leaves is not None]
        n_leaves = float(np.mean(sizes)) if len(sizes) == len(same) else None
        mean = same[0]._replace(fpr=fpr, tpr=tpr, cost=cost, n_leaves=n_leaves, operating=False)
        points.append(mean._replace(chi_squared=chi_squared))
    in_parts = any(curve.in_parts for curve in curves)
    return CostPruningCurve(_mark_hull(points), curves[0].positive, curves[0].negative, in_parts)


def _pairs(costs: Any) -> list[tuple[float, float]]:
    """Return pairs (cost of a miss, cost of a false alarm)."""
    if costs is None:
        return list(PAPER_COSTS)
    if not isinstance(costs, Iterable) or isinstance(costs, str):
        raise ParameterError(
            parameter="costs",
            value=costs,
            reason="must be a list of pairs (cost of a miss, cost of a false alarm)",
        )
    pairs = [_pair(cost) for cost in costs]
    if not pairs:
        raise ParameterError(
            parameter="costs",
            reason="is empty: give pairs (cost of a miss, cost of a false alarm)",
        )
    return pairs


def _pair(cost: Any) -> tuple[float, float]:
    pair = (cost, 1.0) if is_finite_number(cost) else cost
    right = isinstance(pair, Sequence | np.ndarray) and len(pair) == 2
    if not right or not all(is_finite_number(each) and each > 0 for each in pair):
        raise ParameterError(
            parameter="costs",
            reason="contains {cost!r}: give the costs of a miss and of a false alarm as a pair of "
            "numbers above 0, or their ratio as a number",
            cost=cost,
        )
    return float(pair[0]), float(pair[1])


def _point(
    costs: tuple[float, float], fp: float, tp: float, n_negative: float, n_positive: float
) -> CostPoint:
    """Return the point for the given false and true positives, not yet compared with others."""
    cost_fn, cost_fp = costs
    cost = (cost_fp * fp + cost_fn * (n_positive - tp)) / (n_negative + n_positive)
    rates = float(fp / n_negative), float(tp / n_positive)
    # Pearson's statistic of a table of two rows and columns.
    total, called = n_negative + n_positive, fp + tp
    spread = n_negative * n_positive * called * (total - called)
    difference = tp * (n_negative - fp) - fp * (n_positive - tp)
    chi_squared = total * difference * difference / spread if spread > 0.0 else 0.0
    return CostPoint(
        cost_fn,
        cost_fp,
        *rates,
        None,
        float(cost),
        float(chi_squared),
        operating=False,
        pruner=None,
    )


def _is_class(predicted: Any, classes: list[Any], place: int) -> NDArray[np.bool_]:
    """Return which predictions are of one class; raise ``DataError`` if some are of none."""
    given = np.asarray(predicted)
    if not np.isin(given, classes).all():
        wrong = given[~np.isin(given, classes)].ravel()[0].item()
        raise DataError(
            f"predictions contain {wrong!r}, which is not a class of y; the classes are "
            f"{', '.join(map(repr, classes))}."
        )
    return np.asarray(given == classes[place])


def _called_positive(
    tree: Tree,
    pruned: Pruned,
    counts: Floats2D,
    stopped: Floats2D | None,
    divided: tuple[Floats2D, Floats2D] | None,
    positive: int,
) -> Floats:
    """Return the weight of each class that is predicted positive."""
    if pruned.labels is None:
        raise ParameterError("The pruner does not label its leaves.")
    places, called = nodes_in(tree, pruned.tree), pruned.labels == positive
    sums = counts[places[called & pruned.tree.is_leaf]].sum(axis=0)
    if stopped is not None:
        sums += stopped[places[called & ~pruned.tree.is_leaf]].sum(axis=0)
    if divided is not None:
        votes = mix(pruned.tree, divided[0], np.eye(tree.n_classes)[pruned.labels])
        sums += divided[1][votes.argmax(axis=1) == positive].sum(axis=0)
    return np.asarray(sums)


def _mark_hull(points: list[CostPoint]) -> tuple[CostPoint, ...]:
    """Return the points, marking vertices of the convex hull with (0, 0) and (1, 1)."""
    x = np.array([0.0, *(point.fpr for point in points), 1.0])
    y = np.array([0.0, *(point.tpr for point in points), 1.0])
    order = np.lexsort((y, x))
    # A point lower than one to its left is not a vertex, and neither is one raised to that height.
    heights = np.maximum.accumulate(y[order])
    corners = [(x[order[place]], heights[place]) for place in upper_hull(x[order], heights)]
    # The hull may begin with a vertical and end with a horizontal line: only the better end counts.
    good = {
        (fpr, tpr)
        for fpr, tpr in corners
        if not any(a <= fpr and b >= tpr and (a, b) != (fpr, tpr) for a, b in corners)
    }
    return tuple(point._replace(operating=(point.fpr, point.tpr) in good) for point in points)


def _check_rate(rate: float) -> None:
    if not is_finite_number(rate) or not 0.0 <= rate <= 1.0:
        raise ParameterError(f"{rate!r} is not a rate: give a number from 0 to 1.")
