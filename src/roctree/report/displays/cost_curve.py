"""What errors cost at best, for all costs and priors at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from roctree.report.displays.drawing import (
    BLUE,
    FOLD,
    GREEN,
    GREY,
    MOST_POINTS,
    axes,
    finish,
    labelled,
    line_style,
    of_positive,
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
    weight_of_positives,
)
from roctree.roc import Curve


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
    positive : the positive class, for the axes; None if not known

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
        point: Rates | None = None,
        weight: float | None = None,
        name: str | None = None,
        positive: Any = None,
    ) -> None:
        self.curves: list[Curve] = listed(curves)
        self.point = point
        self.weight = weight
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
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> "CostCurveDisplay":
        """Draw the costs of a fitted classifier on some cases.

        The parameters are those of ``ROCHullDisplay.from_estimator``.
        """
        positive = positive_class(estimator, positive)
        curve = curve_of(estimator, X, y, positive, sample_weight)
        display = cls(
            curve,
            point=rates_of_labels(estimator.predict(X), y, positive, sample_weight),
            weight=weight_of_positives(
                isocost_slope(curve, cost_fp, cost_fn, prior, point_of(estimator, positive))
            ),
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
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> "CostCurveDisplay":
        """Draw the costs of scored cases; the parameters are those of ``from_estimator``."""
        curve = Curve.from_scores(y, scores, positive=positive, sample_weight=sample_weight)
        weight = weight_of_positives(isocost_slope(curve, cost_fp, cost_fn, prior))
        positive = positive_of_labels(y, positive)
        display = cls(curve, weight=weight, name=name, positive=positive)
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
    ) -> "CostCurveDisplay":
        """Draw the costs of each fold; see ``ROCHullDisplay.from_cv_results``."""
        curves = curves_of_folds(cv_results, X, y, positive, sample_weight)
        positive = positive_of_folds(cv_results, positive)
        return cls(curves, name=name, positive=positive).plot(ax=ax, **options)

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
        self.figure_, self.ax_ = axes(ax)
        name = self.name if name is None else name
        self.trivial_ = self._plot_trivial()
        self.labellings_ = self._plot_labellings(labellings)
        if len(self.curves) > 1:
            self._plot_folds(name, line_options)
        else:
            self._plot_curve(name, line_options)
        self.point_ = self.weight_ = None
        self._plot_costs()
        across = of_positive(
            "weight of positives: prior times cost of a miss, scaled", self.positive
        )
        finish(
            self.ax_, across, "normalised expected cost", (0.0, 1.0),
            (0.0, max(0.6, 1.05 * self._highest())), loc="lower center",
            bbox_to_anchor=(0.5, 1.0), ncols=2,
        )  # fmt: skip
        return self

    def _plot_trivial(self) -> list[Any]:
        style = {"color": GREY, "linewidth": 1.2}
        none = self.ax_.plot([0, 1], [0, 1], linestyle=":", label="all negative", **style)
        every = self.ax_.plot([0, 1], [1, 0], linestyle="--", label="all positive", **style)
        return [*none, *every]

    def _plot_labellings(self, wanted: bool | None) -> Any:
        hull = self.curves[0].hull()
        if len(self.curves) > 1 or not (len(hull.fpr) <= MOST_POINTS if wanted is None else wanted):
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
        label = labelled(name, f"least cost, mean {costs.area:.3f}")
        style = line_style({"color": BLUE, "linewidth": 2.0}, options)
        (self.line_,) = self.ax_.plot(costs.weight, costs.cost, label=label, **style)

    def _plot_folds(self, name: str | None, options: dict[str, Any]) -> None:
        self.line_, style = [], line_style(FOLD, options)
        grid, every = np.linspace(0.0, 1.0, 201), [curve.cost_curve() for curve in self.curves]
        for number, costs in enumerate(every):
            label = f"{len(every)} folds" if number == 0 else None
            self.line_ += self.ax_.plot(costs.weight, costs.cost, label=label, **style)
        mean = np.mean([np.interp(grid, costs.weight, costs.cost) for costs in every], axis=0)
        areas = [costs.area for costs in every]
        facts = f"mean of least cost, {np.mean(areas):.3f} ± {np.std(areas):.3f}"
        (self.mean_,) = self.ax_.plot(
            grid, mean, color=BLUE, linewidth=2.0, label=labelled(name, facts)
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
