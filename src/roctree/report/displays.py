"""Plots of what a tree achieves, by scikit-learn's conventions for displays.

A display holds numbers. ``from_estimator``, ``from_predictions`` and ``from_cv_results`` make one
and draw it; ``plot`` draws it again, on other axes if wanted. Lines differ in style and points in
shape, not in colour alone, so that the plots can be printed.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roctree.errors import ParameterError
from roctree.pruning import CostPruningCurve
from roctree.roc import Band, Curve

Floats = NDArray[np.float64]

# Colours of Okabe and Ito, which colour-blind eyes can tell apart.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#777777"

_FOLD: dict[str, Any] = {"color": GREY, "linewidth": 0.8, "alpha": 0.7}
# On plots of curves beyond so many points these would be a blot.
_MOST_POINTS = 200
# Words beside points nearer than this would run into each other.
_APART = 0.05


class OperatingPoint(NamedTuple):
    """The rates of some labels."""

    fpr: float
    tpr: float


class ROCHullDisplay:
    """ROC curve, its hull, the labellings, and what costs choose among them.

    Parameters
    ----------
    curves : one curve, or one for each fold
    point : the rates of the labels that are predicted, a circle; None for none
    slope : of the line of equal cost that touches the hull; None for none
    band : confidence band of the curve
    name : for the legend

    Attributes
    ----------
    ax_, figure_ : where it is drawn
    line_ : the curve, a list of them for folds
    mean_ : the mean of the folds
    hull_, labellings_, isocost_, point_, band_, chance_level_ : what else is drawn, or None
    """

    def __init__(
        self,
        curves: Curve | Sequence[Curve],
        *,
        point: OperatingPoint | None = None,
        slope: float | None = None,
        band: Band | None = None,
        name: str | None = None,
    ) -> None:
        self.curves = [curves] if isinstance(curves, Curve) else list(curves)
        self.point = point
        self.slope = slope
        self.band = band
        self.name = name

    @classmethod
    def from_estimator(  # noqa: PLR0913 - scikit-learn's conventions
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        positive: Any = None,
        cost_fp: float | None = None,
        cost_fn: float | None = None,
        prior: float | None = None,
        band: str | None = None,
        level: float = 0.95,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> "ROCHullDisplay":
        """Draw the curve of a fitted classifier on some cases, and where its labels are.

        Parameters
        ----------
        estimator : a tree, or any classifier with probabilities or scores of two classes
        X, y : labelled cases
        positive : the positive class; None for that of the operating point, or the second
        cost_fp, cost_fn, prior : for the line of equal cost; None for those given to ``at``, if any
        band : "bootstrap" for a band of the points, "fixed_width" for one of the whole curve
        level : of confidence
        name : for the legend; None for the name of the class
        ax : axes to draw on; None for new ones
        options : of ``plot``
        """
        positive = _positive(estimator, positive)
        curve = _curve_of(estimator, X, y, positive)
        display = cls(
            curve,
            point=_rates_of_labels(estimator.predict(X), y, positive),
            slope=_slope(curve, cost_fp, cost_fn, prior, _point_of(estimator, positive)),
            band=None if band is None else curve.band(level=level, method=band),  # type: ignore[arg-type]
            name=type(estimator).__name__ if name is None else name,
        )
        return display.plot(ax=ax, **options)

    @classmethod
    def from_predictions(  # noqa: PLR0913 - scikit-learn's conventions
        cls,
        y: ArrayLike,
        scores: ArrayLike,
        *,
        positive: Any = None,
        sample_weight: ArrayLike | None = None,
        cost_fp: float | None = None,
        cost_fn: float | None = None,
        prior: float | None = None,
        band: str | None = None,
        level: float = 0.95,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> "ROCHullDisplay":
        """Draw the curve of scored cases; the parameters are those of ``from_estimator``."""
        curve = Curve.from_scores(y, scores, positive=positive, sample_weight=sample_weight)
        display = cls(
            curve,
            slope=_slope(curve, cost_fp, cost_fn, prior),
            band=None if band is None else curve.band(level=level, method=band),  # type: ignore[arg-type]
            name=name,
        )
        return display.plot(ax=ax, **options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Any,
        X: Any,
        y: Any,
        *,
        positive: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> "ROCHullDisplay":
        """Draw the curve of each fold, on the cases that it was not fitted to, and their mean.

        Parameters
        ----------
        cv_results : of ``cross_validate(..., return_estimator=True, return_indices=True)``
        X, y : what was given to it
        positive : the positive class; None for the second
        name : for the legend
        ax : axes to draw on; None for new ones
        options : of ``plot``
        """
        return cls(_curves_of_folds(cv_results, X, y, positive), name=name).plot(ax=ax, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        hull: bool = True,
        labellings: bool | None = None,
        drawstyle: str = "steps-post",
        plot_chance_level: bool = True,
        **line_options: Any,
    ) -> "ROCHullDisplay":
        """Draw it.

        Parameters
        ----------
        ax : axes to draw on; None for new ones
        name : for the legend; None for the display's own
        hull : whether to draw the hull
        labellings : whether to mark every labelling; None for where there are not too many
        drawstyle : "steps-post" goes through what labels without chance achieve, "default" straight
            between labellings, by chance; AUC is the area under the latter
        plot_chance_level : whether to draw the diagonal
        line_options : of the curve's line, for matplotlib
        """
        self.figure_, self.ax_ = _axes(ax)
        name = self.name if name is None else name
        self.band_ = self.hull_ = self.labellings_ = self.isocost_ = self.point_ = None
        self.chance_level_ = _diagonal(self.ax_) if plot_chance_level else None
        if len(self.curves) > 1:
            self._plot_folds(name, line_options)
        else:
            self._plot_band()
            self._plot_curve(name, drawstyle, labellings, line_options)
            self.hull_ = self._plot_hull() if hull else None
            self._plot_costs()
        _finish_roc(self.ax_)
        return self

    def _plot_curve(
        self, name: str | None, drawstyle: str, labellings: bool | None, options: dict[str, Any]
    ) -> None:
        curve = self.curves[0]
        style = {"color": BLUE, "linewidth": 1.2, "drawstyle": drawstyle} | options
        label = _labelled(name, f"AUC = {curve.auc:.3f}")
        (self.line_,) = self.ax_.plot(curve.fpr, curve.tpr, label=label, **style)
        few = len(curve.fpr) <= _MOST_POINTS
        if few if labellings is None else labellings:
            (self.labellings_,) = self.ax_.plot(
                curve.fpr, curve.tpr, linestyle="none", marker="o", markersize=4,
                markerfacecolor="white", markeredgecolor=self.line_.get_color(), zorder=3,
                label=f"{len(curve.fpr)} labellings",
            )  # fmt: skip

    def _plot_hull(self) -> Any:
        corners = self.curves[0].hull()
        (line,) = self.ax_.plot(
            corners.fpr, corners.tpr, color=ORANGE, linestyle="--", linewidth=1.6,
            label=f"hull (AUC = {corners.auc:.3f})",
        )  # fmt: skip
        return line

    def _plot_band(self) -> None:
        if self.band is not None:
            self.band_ = self.ax_.fill_between(
                self.band.fpr, self.band.low, self.band.high, color=BLUE, alpha=0.15, linewidth=0,
                label="confidence band",
            )  # fmt: skip

    def _plot_costs(self) -> None:
        if self.slope is not None:
            ends = _isocost(self.curves[0].hull(), self.slope)
            (self.isocost_,) = self.ax_.plot(
                *ends, color=GREEN, linestyle="-.", linewidth=1.4,
                label=f"equal cost (slope {self.slope:.3g})",
            )  # fmt: skip
        if self.point is not None:
            (self.point_,) = self.ax_.plot(
                *self.point, linestyle="none", marker="D", markersize=8, color="black", zorder=4,
                label=f"labels: FPR {self.point.fpr:.2f}, TPR {self.point.tpr:.2f}",
            )  # fmt: skip

    def _plot_folds(self, name: str | None, options: dict[str, Any]) -> None:
        self.line_ = []
        for number, curve in enumerate(self.curves):
            label = f"{len(self.curves)} folds" if number == 0 else None
            self.line_ += self.ax_.plot(curve.fpr, curve.tpr, label=label, **_FOLD | options)
        grid = np.linspace(0.0, 1.0, 201)
        mean = np.mean([_tpr_at(curve, grid) for curve in self.curves], axis=0)
        areas = [curve.auc for curve in self.curves]
        facts = f"AUC = {np.mean(areas):.3f} ± {np.std(areas):.3f}"
        (self.mean_,) = self.ax_.plot(
            np.append(0.0, grid), np.append(0.0, mean), color=BLUE, linewidth=2.0,
            label=_labelled(name, f"mean, {facts}"),
        )  # fmt: skip


class CostCurveDisplay:
    """The expected cost of the best labelling, for all costs and priors at once.

    Along the axis the share of positives in what errors can cost grows: prior times cost of a miss,
    over that and the same of a false alarm. The cost is a share of the most that errors can cost.

    Parameters
    ----------
    curves : one ROC curve, or one for each fold
    point : the rates of the labels that are predicted: a line, for labels that do not change
    weight : where the costs and the prior at hand are; None if not known
    name : for the legend

    Attributes
    ----------
    ax_, figure_ : where it is drawn
    line_ : the least cost, a list of lines for folds
    mean_ : the mean of the folds
    trivial_ : the costs of calling all cases negative, or all positive
    labellings_, point_, weight_ : what else is drawn, or None
    """

    def __init__(
        self,
        curves: Curve | Sequence[Curve],
        *,
        point: OperatingPoint | None = None,
        weight: float | None = None,
        name: str | None = None,
    ) -> None:
        self.curves = [curves] if isinstance(curves, Curve) else list(curves)
        self.point = point
        self.weight = weight
        self.name = name

    @classmethod
    def from_estimator(  # noqa: PLR0913 - scikit-learn's conventions
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        positive: Any = None,
        cost_fp: float | None = None,
        cost_fn: float | None = None,
        prior: float | None = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> "CostCurveDisplay":
        """Draw the costs of a fitted classifier on some cases.

        The parameters are those of ``ROCHullDisplay.from_estimator``.
        """
        positive = _positive(estimator, positive)
        curve = _curve_of(estimator, X, y, positive)
        display = cls(
            curve,
            point=_rates_of_labels(estimator.predict(X), y, positive),
            weight=_weight(_slope(curve, cost_fp, cost_fn, prior, _point_of(estimator, positive))),
            name=type(estimator).__name__ if name is None else name,
        )
        return display.plot(ax=ax, **options)

    @classmethod
    def from_predictions(  # noqa: PLR0913 - scikit-learn's conventions
        cls,
        y: ArrayLike,
        scores: ArrayLike,
        *,
        positive: Any = None,
        sample_weight: ArrayLike | None = None,
        cost_fp: float | None = None,
        cost_fn: float | None = None,
        prior: float | None = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> "CostCurveDisplay":
        """Draw the costs of scored cases; the parameters are those of ``from_estimator``."""
        curve = Curve.from_scores(y, scores, positive=positive, sample_weight=sample_weight)
        weight = _weight(_slope(curve, cost_fp, cost_fn, prior))
        return cls(curve, weight=weight, name=name).plot(ax=ax, **options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Any,
        X: Any,
        y: Any,
        *,
        positive: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> "CostCurveDisplay":
        """Draw the costs of each fold; see ``ROCHullDisplay.from_cv_results``."""
        return cls(_curves_of_folds(cv_results, X, y, positive), name=name).plot(ax=ax, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        labellings: bool | None = None,
        **line_options: Any,
    ) -> "CostCurveDisplay":
        """Draw it.

        Parameters
        ----------
        ax : axes to draw on; None for new ones
        name : for the legend; None for the display's own
        labellings : whether to draw a line for each labelling on the hull; None for where there
            are not too many
        line_options : of the line of least cost, for matplotlib
        """
        self.figure_, self.ax_ = _axes(ax)
        name = self.name if name is None else name
        self.trivial_ = self._plot_trivial()
        self.labellings_ = self._plot_labellings(labellings)
        if len(self.curves) > 1:
            self._plot_folds(name, line_options)
        else:
            self._plot_curve(name, line_options)
        self.point_ = self.weight_ = None
        self._plot_costs()
        _finish(
            self.ax_, "weight of positives: prior times cost of a miss, scaled",
            "normalised expected cost", (0.0, 1.0), (0.0, max(0.6, 1.05 * self._highest())),
            "upper center",
        )  # fmt: skip
        return self

    def _plot_trivial(self) -> list[Any]:
        style = {"color": GREY, "linewidth": 1.2}
        none = self.ax_.plot([0, 1], [0, 1], linestyle=":", label="all negative", **style)
        every = self.ax_.plot([0, 1], [1, 0], linestyle="--", label="all positive", **style)
        return [*none, *every]

    def _plot_labellings(self, wanted: bool | None) -> Any:
        hull = self.curves[0].hull()
        if len(self.curves) > 1 or not (
            len(hull.fpr) <= _MOST_POINTS if wanted is None else wanted
        ):
            return None
        # One broken line for all: gaps of nan.
        ends = np.stack([hull.fpr, 1.0 - hull.tpr, np.full(len(hull.fpr), np.nan)], axis=1)
        places = np.tile([0.0, 1.0, np.nan], len(hull.fpr))
        (lines,) = self.ax_.plot(
            places, ends.ravel(), color=BLUE, linewidth=0.5, alpha=0.35,
            label=f"{len(hull.fpr)} labellings of the hull",
        )  # fmt: skip
        return lines

    def _plot_curve(self, name: str | None, options: dict[str, Any]) -> None:
        costs = self.curves[0].cost_curve()
        label = _labelled(name, f"least cost, mean {costs.area:.3f}")
        style: dict[str, Any] = {"color": BLUE, "linewidth": 2.0} | options
        (self.line_,) = self.ax_.plot(costs.weight, costs.cost, label=label, **style)

    def _plot_folds(self, name: str | None, options: dict[str, Any]) -> None:
        self.line_ = []
        grid, every = np.linspace(0.0, 1.0, 201), [curve.cost_curve() for curve in self.curves]
        for number, costs in enumerate(every):
            label = f"{len(every)} folds" if number == 0 else None
            self.line_ += self.ax_.plot(costs.weight, costs.cost, label=label, **_FOLD | options)
        mean = np.mean([np.interp(grid, costs.weight, costs.cost) for costs in every], axis=0)
        areas = [costs.area for costs in every]
        facts = f"mean of least cost, {np.mean(areas):.3f} ± {np.std(areas):.3f}"
        (self.mean_,) = self.ax_.plot(
            grid, mean, color=BLUE, linewidth=2.0, label=_labelled(name, facts)
        )

    def _plot_costs(self) -> None:
        if self.point is not None:
            (self.point_,) = self.ax_.plot(
                [0.0, 1.0], [self.point.fpr, 1.0 - self.point.tpr], color="black", linestyle="-.",
                linewidth=1.4, marker="D", markersize=6, label="labels as they are",
            )  # fmt: skip
        if self.weight is not None:
            self.weight_ = self.ax_.axvline(
                self.weight, color=GREEN, linestyle=(0, (1, 2)), linewidth=1.6,
                label=f"costs at hand ({self.weight:.2f})",
            )  # fmt: skip

    def _highest(self) -> float:
        drawn = [float(curve.cost_curve().cost.max()) for curve in self.curves]
        if self.point is not None:
            drawn += [self.point.fpr, 1.0 - self.point.tpr]
        return max(drawn)


class CostPruningDisplay:
    """Trees pruned under one pair of costs after another, in ROC space (Bradley and Lovell 1995).

    Parameters
    ----------
    curve : rates, cost ratios and which trees are on the hull, of ``tree.cost_pruning_curve(...)``
    name : for the legend

    Attributes
    ----------
    ax_, figure_ : where it is drawn
    line_, hull_, equal_, chance_level_ : the trees, their hull, the tree of equal costs, the
        diagonal
    ratios_ : the cost ratios beside the trees on the hull
    """

    def __init__(self, curve: CostPruningCurve, *, name: str | None = None) -> None:
        self.curve = curve
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        name: str | None = None,
        ax: Any = None,
        pruning: dict[str, Any] | None = None,
        **options: Any,
    ) -> "CostPruningDisplay":
        """Prune a fitted tree under many costs and draw what comes of it.

        Parameters
        ----------
        estimator : a fitted tree
        X, y : the cases that its pruned trees are judged by; None for the training counts
        name : for the legend; None for the name of the class
        ax : axes to draw on; None for new ones
        pruning : arguments of ``cost_pruning_curve``
        options : of ``plot``
        """
        curve = estimator.cost_pruning_curve(X_test=X, y_test=y, **(pruning or {}))
        name = type(estimator).__name__ if name is None else name
        return cls(curve, name=name).plot(ax=ax, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        ratios: bool = True,
        plot_chance_level: bool = True,
        **line_options: Any,
    ) -> "CostPruningDisplay":
        """Draw it.

        Parameters
        ----------
        ax : axes to draw on; None for new ones
        name : for the legend; None for the display's own
        ratios : whether to write the cost ratios beside the trees on the hull
        plot_chance_level : whether to draw the diagonal
        line_options : of the line, for matplotlib
        """
        self.figure_, self.ax_ = _axes(ax)
        name = self.name if name is None else name
        self.chance_level_ = _diagonal(self.ax_) if plot_chance_level else None
        fpr, tpr = np.asarray(self.curve.fpr), np.asarray(self.curve.tpr)
        order = np.lexsort((tpr, fpr))
        style: dict[str, Any] = {"color": BLUE, "linewidth": 1.2, "marker": "o", "markersize": 4}
        label = _labelled(name, f"pruned under {len(fpr)} pairs of costs")
        (self.line_,) = self.ax_.plot(fpr[order], tpr[order], label=label, **style | line_options)
        self._plot_hull(fpr, tpr)
        self._plot_equal_costs(fpr, tpr)
        self.ratios_ = self._write_ratios(fpr, tpr) if ratios else []
        _finish_roc(self.ax_)
        return self

    def _plot_hull(self, fpr: Floats, tpr: Floats) -> None:
        # A tree of one leaf is at either end.
        corners = np.column_stack([fpr, tpr])[np.asarray(self.curve.on_hull)]
        corners = np.unique([[0.0, 0.0], *corners, [1.0, 1.0]], axis=0)
        (self.hull_,) = self.ax_.plot(
            *corners.T, color=ORANGE, linestyle="--", linewidth=1.6, label="hull",
        )  # fmt: skip

    def _plot_equal_costs(self, fpr: Floats, tpr: Floats) -> None:
        with np.errstate(divide="ignore"):
            place = int(np.abs(np.log(np.asarray(self.curve.cost_ratio, dtype=float))).argmin())
        (self.equal_,) = self.ax_.plot(
            fpr[place], tpr[place], linestyle="none", marker="x", markersize=10, color="black",
            markeredgewidth=2.0, zorder=4,
            label=f"equal costs (ratio {self.curve.cost_ratio[place]:.3g})",
        )  # fmt: skip

    def _write_ratios(self, fpr: Floats, tpr: Floats) -> list[Any]:
        """Write the range of ratios beside trees on the hull, where there is room."""
        ranges: dict[tuple[float, float], list[float]] = {}
        for place in np.flatnonzero(self.curve.on_hull):
            point = float(fpr[place]), float(tpr[place])
            ranges.setdefault(point, []).append(float(self.curve.cost_ratio[place]))
        written: list[tuple[float, float]] = []
        for point in sorted(ranges):
            if not written or np.hypot(*np.subtract(point, written[-1])) > _APART:
                written.append(point)
        return [
            self.ax_.annotate(
                _range(min(ranges[point]), max(ranges[point])), point, xytext=(6, -9),
                fontsize="x-small", textcoords="offset points",
            )
            for point in written
        ]  # fmt: skip


def _axes(ax: Any) -> tuple[Any, Any]:
    """The figure and the axes, new ones if none are given."""
    if ax is not None:
        return ax.figure, ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(
            "Plots are drawn by matplotlib, which is not installed: pip install roctree[plot]."
        ) from None
    figure, ax = pyplot.subplots(layout="constrained")
    return figure, ax


def _diagonal(ax: Any) -> Any:
    (line,) = ax.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1.2, label="chance")
    return line


def _finish_roc(ax: Any) -> None:
    _finish(ax, "false positive rate", "true positive rate", (0.0, 1.0), (0.0, 1.0), "lower right")
    ax.set_aspect("equal")


def _finish(
    ax: Any, x_label: str, y_label: str, x: tuple[float, float], y: tuple[float, float], place: str
) -> None:
    # Room for lines and markers that lie on the border.
    room = 0.02
    ax.set(xlabel=x_label, ylabel=y_label, xlim=(x[0] - room, x[1] + room),
           ylim=(y[0] - room, y[1] + room))  # fmt: skip
    ax.legend(loc=place, fontsize="small", framealpha=0.95)


def _labelled(name: str | None, facts: str) -> str:
    return facts if name is None else f"{name} ({facts})"


def _range(low: float, high: float) -> str:
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"


def _positive(estimator: Any, positive: Any) -> Any:
    """The positive class of a classifier of two."""
    classes = list(estimator.classes_)
    if positive is not None:
        if positive not in classes:
            known = ", ".join(map(repr, classes))
            raise ParameterError(f"positive={positive!r} is no class; the classes are {known}.")
        return positive
    if len(classes) != 2:
        raise ParameterError(f"There are {len(classes)} classes: say which is positive.")
    point = getattr(estimator, "operating_point_", None)
    return classes[1 if point is None else point.positive]


def _point_of(estimator: Any, positive: Any) -> Any:
    """The operating point of a tree, if it is one of this positive class."""
    point = getattr(estimator, "operating_point_", None)
    same = point is not None and estimator.classes_[point.positive] == positive
    return point if same else None


def _curve_of(estimator: Any, X: Any, y: Any, positive: Any) -> Curve:
    """The curve of a tree by its leaves, of another classifier by its scores."""
    if hasattr(estimator, "roc"):
        curve: Curve = estimator.roc(X, y, positive=positive)
        return curve
    place = list(estimator.classes_).index(positive)
    if hasattr(estimator, "predict_proba"):
        scores = estimator.predict_proba(X)[:, place]
    else:
        scores = np.asarray(estimator.decision_function(X))
        scores = scores[:, place] if scores.ndim == 2 else scores * (1.0 if place == 1 else -1.0)
    return Curve.from_scores(y, scores, positive=positive)


def _curves_of_folds(cv_results: Any, X: Any, y: Any, positive: Any) -> list[Curve]:
    if not ("estimator" in cv_results and "indices" in cv_results):
        raise ParameterError(
            "cv_results has no estimators and indices: use cross_validate(..., "
            "return_estimator=True, return_indices=True)."
        )
    folds = zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True)
    return [
        _curve_of(each, _rows(X, test), _rows(y, test), _positive(each, positive))
        for each, test in folds
    ]


def _rows(data: Any, places: NDArray[np.int64]) -> Any:
    if hasattr(data, "iloc"):
        return data.iloc[places]
    if isinstance(data, list | tuple):
        return [data[place] for place in places]
    return data[places]


def _rates_of_labels(found: ArrayLike, y: ArrayLike, positive: Any) -> OperatingPoint:
    labels, truth = np.asarray(found) == positive, np.asarray(y) == positive
    return OperatingPoint(float(labels[~truth].mean()), float(labels[truth].mean()))


def _slope(
    curve: Curve,
    cost_fp: float | None,
    cost_fn: float | None,
    prior: float | None,
    point: Any = None,
) -> float | None:
    """The slope of the lines of equal cost, if anything is known of costs."""
    if cost_fp is None and cost_fn is None and prior is None:
        return None if point is None else point.isocost_slope
    share = curve.prior if prior is None else prior
    alarm = (1.0 if cost_fp is None else cost_fp) * (1.0 - share)
    miss = (1.0 if cost_fn is None else cost_fn) * share
    if not (alarm >= 0.0 and miss > 0.0):
        raise ParameterError(
            f"cost_fp={cost_fp!r}, cost_fn={cost_fn!r} and prior={prior!r} give no line of equal "
            "cost: misses must cost something, and positives occur."
        )
    return alarm / miss


def _weight(slope: float | None) -> float | None:
    """The share of the positives in what errors can cost."""
    return None if slope is None else 1.0 / (1.0 + slope)


def _isocost(hull: Curve, slope: float) -> tuple[Floats, Floats]:
    """The part in the unit square of the line of equal cost that touches the hull."""
    level = float((hull.tpr - slope * hull.fpr).max())
    ends = np.array([0.0, 1.0])
    if level < 0.0 or slope + level > 1.0:
        ends = np.array([max(0.0, -level / slope), min(1.0, (1.0 - level) / slope)])
    return ends, level + slope * ends


def _tpr_at(curve: Curve, grid: Floats) -> Floats:
    """The highest true positive rate at each false positive rate, straight between points."""
    last = np.append(np.diff(curve.fpr) > 0.0, True)
    return np.asarray(np.interp(grid, curve.fpr[last], curve.tpr[last]))
