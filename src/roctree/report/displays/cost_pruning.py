"""Trees pruned under one pair of costs after another."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.pruning import CostPruningCurve, curve_of_labels, mean_curve
from roctree.report.displays.drawing import (
    BLUE,
    GREY,
    ORANGE,
    axes,
    diagonal,
    finish_roc,
    labelled,
    line_style,
)
from roctree.report.displays.judged import folds_of, listed

Floats = NDArray[np.float64]

# Words beside points nearer than this would run into each other.
_APART = 0.05


class CostPruningDisplay:
    """Trees pruned under one pair of costs after another, in ROC space (Bradley and Lovell 1995).

    Parameters
    ----------
    curves : of ``tree.cost_pruning_curve(...)``, or one for each fold, of the same costs, of which
        the mean is drawn
    name : for the legend

    Attributes
    ----------
    ax_, figure_ : where it is drawn
    line_, hull_, equal_, chance_level_ : the trees, their hull, the tree of equal costs if it was
        tried, the diagonal
    folds_ : the points of single folds, if any
    ratios_ : the cost ratios beside the trees on the hull
    """

    def __init__(
        self, curves: CostPruningCurve | Sequence[CostPruningCurve], *, name: str | None = None
    ) -> None:
        self.curves: list[CostPruningCurve] = listed(curves)
        self.curve = mean_curve(self.curves)
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        sample_weight: Any = None,
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
        sample_weight : of these
        name : for the legend; None for the name of the class
        ax : axes to draw on; None for new ones
        pruning : arguments of ``cost_pruning_curve``
        options : of ``plot``
        """
        judged = {"X_test": X, "y_test": y, "sample_weight": sample_weight}
        curve = estimator.cost_pruning_curve(**judged, **(pruning or {}))
        name = type(estimator).__name__ if name is None else name
        return cls(curve, name=name).plot(ax=ax, **options)

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        predictions: Any,
        costs: Any,
        *,
        positive: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> "CostPruningDisplay":
        """Draw the labels that trees, or any classifiers, gave under one pair of costs each.

        Parameters
        ----------
        y : the class of each case
        predictions : for each pair of costs the labels of all cases
        costs : pairs of the costs of a miss and of a false alarm, or numbers, the first in terms
            of the second
        positive : the positive class; None for the last in sorted order
        name : for the legend
        ax : axes to draw on; None for new ones
        options : of ``plot``
        """
        curve = curve_of_labels(y, predictions, costs, positive)
        return cls(curve, name=name).plot(ax=ax, **options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        name: str | None = None,
        ax: Any = None,
        pruning: dict[str, Any] | None = None,
        **options: Any,
    ) -> "CostPruningDisplay":
        """Prune the tree of each fold under many costs, and draw the mean over the folds.

        Parameters
        ----------
        cv_results : of ``cross_validate(..., return_estimator=True, return_indices=True)``
        X, y : what was given to it
        sample_weight : of the cases
        name : for the legend
        ax : axes to draw on; None for new ones
        pruning : arguments of ``cost_pruning_curve``
        options : of ``plot``
        """
        curves = [
            each.cost_pruning_curve(
                X_test=X_test, y_test=y_test, sample_weight=weights, **(pruning or {})
            )
            for each, X_test, y_test, weights in folds_of(cv_results, X, y, sample_weight)
        ]
        return cls(curves, name=name).plot(ax=ax, **options)

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
        self.figure_, self.ax_ = axes(ax)
        name = self.name if name is None else name
        self.chance_level_ = diagonal(self.ax_) if plot_chance_level else None
        fpr, tpr = np.asarray(self.curve.fpr), np.asarray(self.curve.tpr)
        order = np.lexsort((tpr, fpr))
        self.folds_ = self._plot_folds() if len(self.curves) > 1 else []
        usual = {"color": BLUE, "linewidth": 1.2, "marker": "o", "markersize": 4}
        label = labelled(name, f"pruned under {len(fpr)} pairs of costs")
        style = line_style(usual, line_options)
        (self.line_,) = self.ax_.plot(fpr[order], tpr[order], label=label, **style)
        self._plot_hull(fpr, tpr)
        self._plot_equal_costs(fpr, tpr)
        self.ratios_ = self._write_ratios(fpr, tpr) if ratios else []
        finish_roc(self.ax_, self.curve.positive)
        return self

    def _plot_folds(self) -> list[Any]:
        rates = [(curve.fpr, curve.tpr) for curve in self.curves]
        label = f"{len(rates)} folds"
        return [
            self.ax_.plot(
                *points, linestyle="none", marker=".", color=GREY, alpha=0.5, markersize=4,
                label=None if number else label,
            )[0]
            for number, points in enumerate(rates)
        ]  # fmt: skip

    def _plot_hull(self, fpr: Floats, tpr: Floats) -> None:
        # A tree of one leaf is at either end.
        corners = np.column_stack([fpr, tpr])[np.asarray(self.curve.on_hull)]
        corners = np.unique([[0.0, 0.0], *corners, [1.0, 1.0]], axis=0)
        (self.hull_,) = self.ax_.plot(
            *corners.T, color=ORANGE, linestyle="--", linewidth=1.6, label="hull",
        )  # fmt: skip

    def _plot_equal_costs(self, fpr: Floats, tpr: Floats) -> None:
        self.equal_ = None
        equal = np.flatnonzero(self.curve.cost_ratio == 1.0)
        if not len(equal):
            return
        place = int(equal[0])
        (self.equal_,) = self.ax_.plot(
            fpr[place], tpr[place], linestyle="none", marker="x", markersize=10, color="black",
            markeredgewidth=2.0, zorder=4,
            label="equal costs",
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


def _range(low: float, high: float) -> str:
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
