"""Bradley and Lovell's experiment: a tree pruned under one ratio of costs after another.

Each ratio gives a smaller tree with labels of its own, and that is one point in the plane of false
and true positives. Read the other way round, the points say which costs to prune with for a wanted
rate of errors.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.data.labels import encode_labels
from roctree.errors import DataError, ParameterError
from roctree.pruning.protocol import Pruned, Pruner
from roctree.roc.curve import IN_PARTS
from roctree.roc.ranking import upper_hull
from roctree.strategy import configured, is_number
from roctree.table import as_frame, as_html, as_rich, as_text
from roctree.tree.apply import mix
from roctree.tree.passes import Floats, places_in
from roctree.tree.tree import Tree

# Of a miss and of a false alarm, as in section 4.1 of the paper.
PAPER_COSTS = (
    *((1.0, 8.0), (1.0, 4.0), (1.0, 2.0), (1.0, 1.5), (1.0, 1.25), (1.0, 1.0), (1.25, 1.0)),
    *((1.5, 1.0), (2.0, 1.0), (4.0, 1.0), (8.0, 1.0), (16.0, 1.0), (32.0, 1.0)),
)
_PAPER_OPTIONS: dict[str, dict[str, float]] = {
    "minimum_error": {"m": 8.0},
    "error_based": {"cf": 0.01},
}
_HEAD = ("miss : false alarm", "FPR", "TPR", "leaves", "cost", "operating")
# Rates that exceed a wanted one by less than this do not.
_TIE = 1e-12


def paper_options(method: str | Pruner, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a pruner; where only its name is given, those that the paper has."""
    usual = _PAPER_OPTIONS.get(method, {}) if isinstance(method, str) else {}
    return usual | options


class CostPoint(NamedTuple):
    """A tree pruned under costs, and how it errs.

    Parameters
    ----------
    cost_fn, cost_fp : the costs of a miss and of a false alarm
    fpr, tpr : shares of negatives and of positives that are called positive
    n_leaves : leaves of the tree, in the mean of several; None if not known
    cost : per case, by these costs
    operating : whether it is worth using: no other point, and no mixture of two, has as few false
        and more true positives, or the other way round; it is a corner of the convex hull
    pruner : what makes this tree, for ``tree.pruned(point.pruner)``; None if not known
    """

    cost_fn: float
    cost_fp: float
    fpr: float
    tpr: float
    n_leaves: float | None
    cost: float
    operating: bool
    pruner: Pruner | None

    @property
    def fnr(self) -> float:
        """Share of positives that are called negative."""
        return 1.0 - self.tpr


@dataclass(frozen=True, eq=False)
class CostPruningCurve(Sequence[CostPoint]):
    """A point for each ratio of costs, in the order they were given.

    Parameters
    ----------
    points : the points
    positive, negative : labels of the classes
    in_parts : whether cases count in parts that ``predict`` labels as a whole: rates are
        approximate
    """

    points: tuple[CostPoint, ...]
    positive: Any
    negative: Any
    in_parts: bool = False

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
        """What a miss costs at each point, in false alarms."""
        return np.array([point.cost_fn / point.cost_fp for point in self.points])

    @property
    def on_hull(self) -> NDArray[np.bool_]:
        """Which points are worth using."""
        return np.array([point.operating for point in self.points])

    def for_fpr(self, most: float) -> CostPoint:
        """Return the point of most true positives with no more than this rate of false ones."""
        _check_rate(most)
        allowed = [point for point in self.points if point.fpr <= most + _TIE]
        if not allowed:
            raise ParameterError(
                f"No costs tried keep the false positive rate at {most:g}: the least is "
                f"{self.fpr.min():.3g}; try dearer false alarms."
            )
        return min(allowed, key=lambda point: (-point.tpr, point.fpr, point.n_leaves or 0))

    def for_fnr(self, most: float) -> CostPoint:
        """Return the point of fewest false positives with no more than this rate of misses."""
        _check_rate(most)
        allowed = [point for point in self.points if point.fnr <= most + _TIE]
        if not allowed:
            raise ParameterError(
                f"No costs tried keep the false negative rate at {most:g}: the least is "
                f"{1.0 - self.tpr.max():.3g}; try dearer misses."
            )
        return min(allowed, key=lambda point: (point.fpr, -point.tpr, point.n_leaves or 0))

    def to_text(self) -> str:
        """Return the points as a table, a line for each."""
        return as_text(_HEAD, self._cells())

    def columns(self) -> dict[str, Any]:
        """Return the points as columns."""
        names = ("cost_fn", "cost_fp", "fpr", "tpr", "n_leaves", "cost", "operating")
        return {name: [getattr(point, name) for point in self.points] for name in names}

    def to_pandas(self) -> Any:
        """Return the points as a pandas data frame."""
        return as_frame("pandas", self.columns())

    def to_polars(self) -> Any:
        """Return the points as a polars data frame."""
        return as_frame("polars", self.columns())

    def __repr__(self) -> str:
        return f"{self._title()}\n{self.to_text()}"

    def __rich__(self) -> Any:
        return as_rich(_HEAD, self._cells(), self._title())

    def _repr_html_(self) -> str:
        return as_html(_HEAD, self._cells(), self._title())

    def _title(self) -> str:
        approximate = f", {IN_PARTS}" if self.in_parts else ""
        return f"{len(self)} ratios of costs, positive {self.positive!r}{approximate}"

    def _cells(self) -> list[list[str]]:
        return [
            [
                f"{point.cost_fn:g} : {point.cost_fp:g}",
                f"{point.fpr:.3f}",
                f"{point.tpr:.3f}",
                "" if point.n_leaves is None else f"{point.n_leaves:g}",
                f"{point.cost:.4g}",
                "yes" if point.operating else "",
            ]
            for point in self.points
        ]


def cost_pruning_curve(
    tree: Tree,
    pruner: Pruner,
    costs: Any,
    counts: Floats,
    classes: Sequence[Any],
    positive: int,
    *,
    stopped: Floats | None = None,
    apart: tuple[Floats, Floats] | None = None,
) -> CostPruningCurve:
    """Prune a tree under each of some costs, and return the points.

    Parameters
    ----------
    tree : the tree, of two classes
    pruner : what prunes it, but for the costs
    costs : pairs of the costs of a miss and of a false alarm, or numbers, the first in terms of
        the second; None for those of the paper
    counts : float64[nodes, classes], the cases to count errors of
    classes : labels
    positive : number of the positive class
    stopped : float64[nodes, classes], those of the cases that stay at an inner node, because none
        of its branches is theirs; None if there are no such cases
    apart : values of further cases, which are divided among leaves and labelled by their mean, and
        float64[cases, classes], their weights
    """
    if tree.n_classes != 2:
        raise ParameterError(
            f"There are {tree.n_classes} classes: false and true positives need two of them."
        )
    if not hasattr(pruner, "labelled"):
        raise ParameterError(
            f"{pruner!r} does not prune under costs: choose from 'minimum_error', 'error_based', "
            "'pessimistic'."
        )
    totals = counts[0] if apart is None else counts[0] + apart[1].sum(axis=0)
    for label, weight in zip(classes, totals, strict=True):
        if weight == 0.0:
            raise DataError(f"There is no case of class {label!r} to count errors of.")
    points = []
    for cost_fn, cost_fp in _pairs(costs):
        # The cost of a class is that of predicting it wrongly.
        by_class = (cost_fn, cost_fp) if positive == 1 else (cost_fp, cost_fn)
        costly = configured(pruner, {"costs": by_class})
        pruned = costly.labelled(tree)
        false, true = _called_positive(tree, pruned, counts, stopped, apart, positive)
        n_negative, n_positive = totals[1 - positive], totals[positive]
        cost = (cost_fp * false + cost_fn * (n_positive - true)) / (n_negative + n_positive)
        rates = float(false / n_negative), float(true / n_positive)
        n_leaves = pruned.tree.n_leaves
        points.append(CostPoint(cost_fn, cost_fp, *rates, n_leaves, float(cost), False, costly))
    return CostPruningCurve(_marked(points), classes[positive], classes[1 - positive])


def curve_of_labels(y: Any, predictions: Any, costs: Any, positive: Any = None) -> CostPruningCurve:
    """Return a point for each pair of costs, of the labels that were given under it.

    Parameters
    ----------
    y : the class of each case
    predictions : for each pair of costs the labels of all cases
    costs : pairs of the costs of a miss and of a false alarm, or numbers
    positive : the positive class; None for the last in sorted order
    """
    classes, codes = encode_labels(y)
    if len(classes) != 2:
        raise DataError(f"y has {len(classes)} classes: false and true positives need two of them.")
    labels = classes.tolist()
    if positive is not None and positive not in labels:
        raise ParameterError(
            f"positive={positive!r} is no class; the classes are {', '.join(map(repr, labels))}."
        )
    place = 1 if positive is None else labels.index(positive)
    pairs, truth = _pairs(costs), codes == place
    found = [_is_class(each, labels, place) for each in predictions]
    if len(found) != len(pairs) or any(each.shape != truth.shape for each in found):
        raise DataError(
            f"There are {len(pairs)} pairs of costs and {len(truth)} cases: give the labels of all "
            "cases for each pair."
        )
    points = []
    for (cost_fn, cost_fp), called in zip(pairs, found, strict=True):
        false, true = float((called & ~truth).sum()), float((called & truth).sum())
        n_positive, n_negative = float(truth.sum()), float((~truth).sum())
        cost = (cost_fp * false + cost_fn * (n_positive - true)) / len(truth)
        rates = false / n_negative, true / n_positive
        points.append(CostPoint(cost_fn, cost_fp, *rates, None, cost, False, None))
    return CostPruningCurve(_marked(points), labels[place], labels[1 - place])


def _is_class(predicted: Any, classes: list[Any], place: int) -> NDArray[np.bool_]:
    """Return which predictions are of one of the classes; all must be of some."""
    given = np.asarray(predicted)
    if not np.isin(given, classes).all():
        wrong = given[~np.isin(given, classes)].ravel()[0].item()
        raise DataError(
            f"predictions have {wrong!r}, which is no class of y; those are "
            f"{', '.join(map(repr, classes))}."
        )
    return np.asarray(given == classes[place])


def mean_curve(curves: Sequence[CostPruningCurve]) -> CostPruningCurve:
    """Return the mean of curves over the same costs; of one, itself."""
    if len(curves) == 1:
        return curves[0]
    asked = {
        (curve.positive, tuple((point.cost_fn, point.cost_fp) for point in curve.points))
        for curve in curves
    }
    if len(asked) != 1:
        raise ParameterError(
            "A mean needs curves, all of the same costs and of the same positive class."
        )
    points = []
    for same in zip(*curves, strict=True):
        fpr, tpr, cost = np.mean([(point.fpr, point.tpr, point.cost) for point in same], 0).tolist()
        sizes = [point.n_leaves for point in same if point.n_leaves is not None]
        n_leaves = float(np.mean(sizes)) if len(sizes) == len(same) else None
        mean = same[0]._replace(fpr=fpr, tpr=tpr, cost=cost, n_leaves=n_leaves, operating=False)
        points.append(mean)
    in_parts = any(curve.in_parts for curve in curves)
    return CostPruningCurve(_marked(points), curves[0].positive, curves[0].negative, in_parts)


def _pairs(costs: Any) -> list[tuple[float, float]]:
    """Return the costs of a miss and of a false alarm, however they were given."""
    if costs is None:
        return list(PAPER_COSTS)
    if not isinstance(costs, Iterable) or isinstance(costs, str):
        raise ParameterError(f"costs={costs!r} is no sweep: give pairs (miss, false alarm).")
    pairs = [_pair(cost) for cost in costs]
    if not pairs:
        raise ParameterError("costs is empty: give pairs (miss, false alarm).")
    return pairs


def _pair(cost: Any) -> tuple[float, float]:
    pair = (cost, 1.0) if is_number(cost) else cost
    right = isinstance(pair, Sequence | np.ndarray) and len(pair) == 2
    if not right or not all(is_number(each) and each > 0 for each in pair):
        raise ParameterError(
            f"costs has {cost!r}: give the costs of a miss and of a false alarm as a pair of "
            "numbers above 0, or the first in terms of the second."
        )
    return float(pair[0]), float(pair[1])


def _called_positive(
    tree: Tree,
    pruned: Pruned,
    counts: Floats,
    stopped: Floats | None,
    apart: tuple[Floats, Floats] | None,
    positive: int,
) -> tuple[float, float]:
    """Return the weight of the negatives and of the positives that are called positive."""
    if pruned.labels is None:
        raise ParameterError("The pruner gives no labels to its leaves.")
    places, called = places_in(tree, pruned.tree), pruned.labels == positive
    sums = counts[places[called & pruned.tree.is_leaf]].sum(axis=0)
    if stopped is not None:
        sums += stopped[places[called & ~pruned.tree.is_leaf]].sum(axis=0)
    if apart is not None:
        votes = mix(pruned.tree, apart[0], np.eye(tree.n_classes)[pruned.labels])
        sums += apart[1][votes.argmax(axis=1) == positive].sum(axis=0)
    return float(sums[1 - positive]), float(sums[positive])


def _marked(points: list[CostPoint]) -> tuple[CostPoint, ...]:
    """Return the points with the corners of their hull, (0, 0) and (1, 1) included, marked."""
    x = np.array([0.0, *(point.fpr for point in points), 1.0])
    y = np.array([0.0, *(point.tpr for point in points), 1.0])
    order = np.lexsort((y, x))
    # A point below one to its left is no corner, whether there or as high as that.
    heights = np.maximum.accumulate(y[order])
    corners = [(x[order[place]], heights[place]) for place in upper_hull(x[order], heights)]
    # The hull may begin with a vertical line and end with a level one: of these one end is best.
    good = {
        (fpr, tpr)
        for fpr, tpr in corners
        if not any(a <= fpr and b >= tpr and (a, b) != (fpr, tpr) for a, b in corners)
    }
    return tuple(point._replace(operating=(point.fpr, point.tpr) in good) for point in points)


def _check_rate(rate: float) -> None:
    if not is_number(rate) or not 0.0 <= rate <= 1.0:
        raise ParameterError(f"{rate!r} is no rate: give a number from 0 to 1.")
