"""The ROC curve of a tree, its hull, and what costs choose on it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roctree.report.displays.drawing import (
    BLUE,
    FOLD,
    GREEN,
    MOST_POINTS,
    ORANGE,
    axes,
    diagonal,
    finish_roc,
    labelled,
    line_style,
)
from roctree.report.displays.judged import (
    Rates,
    curve_of,
    curves_of_folds,
    isocost_slope,
    listed,
    point_of,
    positive_class,
    positive_of_folds,
    positive_of_labels,
    rates_of_labels,
)
from roctree.roc import Band, Curve
from roctree.roc.inputs import check_two_classes

Floats = NDArray[np.float64]


class ROCHullDisplay:
    """ROC curve, its hull, the labellings, and what costs choose among them.

    Parameters
    ----------
    curves : one curve, or one for each fold
    point : the rates of the labels that are predicted, a circle; None for none
    slope : of the line of equal cost that touches the hull; None for none
    band : confidence band of the curve
    name : for the legend
    positive : the positive class, for the axes; None if not known

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
        point: Rates | None = None,
        slope: float | None = None,
        band: Band | None = None,
        name: str | None = None,
        positive: Any = None,
    ) -> None:
        self.curves: list[Curve] = listed(curves)
        self.point = point
        self.slope = slope
        self.band = band
        self.name = name
        self.positive = positive

    @classmethod
    def from_estimator(  # noqa: PLR0913 - scikit-learn's conventions
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        positive: Any = None,
        sample_weight: Any = None,
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
        sample_weight : of the cases
        cost_fp, cost_fn, prior : for the line of equal cost; None for those given to ``at``, if any
        band : "bootstrap" for a band of the points, "fixed_width" for one of the whole curve
        level : of confidence
        name : for the legend; None for the name of the class
        ax : axes to draw on; None for new ones
        options : of ``plot``
        """
        positive = positive_class(estimator, positive)
        curve = curve_of(estimator, X, y, positive, sample_weight)
        display = cls(
            curve,
            point=rates_of_labels(estimator.predict(X), y, positive, sample_weight),
            slope=isocost_slope(curve, cost_fp, cost_fn, prior, point_of(estimator, positive)),
            band=None if band is None else curve.band(level=level, method=band),  # type: ignore[arg-type]
            name=type(estimator).__name__ if name is None else name,
            positive=positive,
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
        check_two_classes(curve, "a plot of rates")
        display = cls(
            curve,
            slope=isocost_slope(curve, cost_fp, cost_fn, prior),
            band=None if band is None else curve.band(level=level, method=band),  # type: ignore[arg-type]
            name=name,
            positive=positive_of_labels(y, positive),
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
        sample_weight: Any = None,
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
        sample_weight : of the cases
        name : for the legend
        ax : axes to draw on; None for new ones
        options : of ``plot``
        """
        curves = curves_of_folds(cv_results, X, y, positive, sample_weight)
        positive = positive_of_folds(cv_results, positive)
        return cls(curves, name=name, positive=positive).plot(ax=ax, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        hull: bool = True,
        labellings: bool | None = None,
        drawstyle: str = "default",
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
        drawstyle : "default" goes straight between labellings, the line under which AUC is the
            area; "steps-post" goes through what labels without chance achieve
        plot_chance_level : whether to draw the diagonal
        line_options : of the curve's line, for matplotlib
        """
        self.figure_, self.ax_ = axes(ax)
        name = self.name if name is None else name
        self.band_ = self.hull_ = self.labellings_ = self.isocost_ = self.point_ = None
        self.chance_level_ = diagonal(self.ax_) if plot_chance_level else None
        if len(self.curves) > 1:
            self._plot_folds(name, line_options)
        else:
            self._plot_band()
            self._plot_curve(name, drawstyle, labellings, line_options)
            self.hull_ = self._plot_hull() if hull else None
            self._plot_costs()
        finish_roc(self.ax_, self.positive)
        return self

    def _plot_curve(
        self, name: str | None, drawstyle: str, labellings: bool | None, options: dict[str, Any]
    ) -> None:
        curve = self.curves[0]
        style = line_style({"color": BLUE, "linewidth": 1.2, "drawstyle": drawstyle}, options)
        label = labelled(name, f"AUC = {curve.auc:.3f}")
        (self.line_,) = self.ax_.plot(curve.fpr, curve.tpr, label=label, **style)
        few = len(curve.fpr) <= MOST_POINTS
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
        self.line_, style = [], line_style(FOLD, options)
        for number, curve in enumerate(self.curves):
            label = f"{len(self.curves)} folds" if number == 0 else None
            self.line_ += self.ax_.plot(curve.fpr, curve.tpr, label=label, **style)
        grid = np.linspace(0.0, 1.0, 201)
        mean = np.mean([_tpr_at(curve, grid) for curve in self.curves], axis=0)
        areas = [curve.auc for curve in self.curves]
        facts = f"AUC = {np.mean(areas):.3f} ± {np.std(areas):.3f}"
        (self.mean_,) = self.ax_.plot(
            np.append(0.0, grid), np.append(0.0, mean), color=BLUE, linewidth=2.0,
            label=labelled(name, f"mean, {facts}"),
        )  # fmt: skip


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
