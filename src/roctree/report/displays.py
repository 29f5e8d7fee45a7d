"""Plots of the performance of a classifier, following scikit-learn's display conventions.

A display holds numbers. ``from_estimator``, ``from_predictions`` and ``from_cv_results`` make one
and draw it; ``plot`` draws it again, optionally on other axes. Lines differ in style and points in
shape, not in colour alone, so that the plots survive printing in black and white.

========================  ====================================================================
``ROCHullDisplay``        ROC curve, its convex hull, the labellings, and what costs choose
``CostCurveDisplay``      normalised expected cost against the weight of positives
``LossCurveDisplay``      expected loss at each cost, by the way in which thresholds are chosen
``BrierCurveDisplay``     loss of using scores as probabilities, and the least loss
``ReliabilityDisplay``    share of positives against the probability
``CostPruningDisplay``    trees pruned under a sequence of cost ratios, in ROC space
``FrontierDisplay``       quality against the number of leaves
========================  ====================================================================
"""

import html
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roctree.arrays import Floats, Ints
from roctree.data import encode_labels, take_rows
from roctree.errors import ParameterError, how_to_install
from roctree.export.text import case_count, label_colour
from roctree.fitted import FittedTree
from roctree.pruning import CostPruningCurve, curve_of_labels, mean_curve
from roctree.requests import class_index
from roctree.roc import Band, Curve, Reliability
from roctree.roc.inputs import check_two_classes, is_positive
from roctree.roc.threshold_choice import ThresholdChoice
from roctree.strategy import is_finite_number
from roctree.text import quote_if_needed, shorten
from roctree.tree.text import (
    DIGITS,
    HTML_LEVELS,
    WHOLE_TREE_LEAVES,
    branch_conditions,
    check_limits,
    depth_first,
)

if TYPE_CHECKING:
    from roctree.experiment import Ranks
    from roctree.experiment.frontier import Frontier, FrontierPoint


FrontierMeasure = Literal["auc", "log_loss", "cost"]

# The colour-blind safe palette of Okabe and Ito, and a brown.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#777777"
PURPLE, SKY, AMBER, BLACK, BROWN = "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#7F5539"

_FOLD_STYLE: dict[str, Any] = {"color": GREY, "linewidth": 0.8, "alpha": 0.7}
# Markers of longer curves would overlap.
_MAX_MARKERS = 200
# Number of leaves whose labellings are all drawn: 65,536 points.
_MAX_LEAVES = 16
# Annotations of points nearer than this would overlap.
_ANNOTATION_GAP = 0.05
# The numbers of colours, markers and line styles are coprime, so that no two lines look alike.
_COLOURS = (BLUE, ORANGE, GREEN, GREY, PURPLE, SKY, AMBER, BLACK, BROWN)
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_LINES = ("-", "--", ":", "-.", (0, (5, 1)))


class Classifier(Protocol):
    """A fitted classifier in the sense of scikit-learn."""

    classes_: Any

    def predict(self, X: Any) -> Any:
        """Return labels."""


class ProbabilityClassifier(Classifier, Protocol):
    """A fitted classifier that estimates probabilities."""

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class."""


class PrunableClassifier(Protocol):
    """A fitted tree or cells, which can be pruned under costs."""

    def cost_pruning_curve(self, costs: Any = None, **options: Any) -> CostPruningCurve:
        """Return the errors after pruning under a sequence of cost ratios."""


class Rates(NamedTuple):
    """False and true positive rate."""

    fpr: float
    tpr: float


class _CurveDisplay:
    """Base class of displays of ROC curves, computed from a classifier or from scores."""

    def __init__(
        self,
        curves: Curve | Sequence[Curve],
        *,
        point: Rates | None = None,
        name: str | None = None,
        positive: Any = None,
    ) -> None:
        self.curves: list[Curve] = _curve_list(curves)
        self.point = point
        self.name = name
        self.positive = positive

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
    ) -> Self:
        """Draw the curve of each fold on its test cases, and their mean.

        Parameters
        ----------
        cv_results : dict
            Result of ``cross_validate(..., return_estimator=True, return_indices=True)``.
        X, y : table, array
            The data given to ``cross_validate``.
        positive : label
            The positive class; by default that of the operating point, else the rarer one for
            roctree's classifiers and the second for others.
        sample_weight : array of shape (n_samples,)
            Weights of the cases; None for equal weights.
        name : str or None
            Name of the line.
        ax : matplotlib axes or None
            None for new axes.
        **options
            Options of ``plot``.

        Returns
        -------
        display

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.model_selection import cross_validate
        >>> from roctree import ROCHullDisplay, ROCTreeClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> tree = ROCTreeClassifier(max_leaf_nodes=4)
        >>> folds = cross_validate(tree, X, y, cv=3, return_estimator=True, return_indices=True)
        >>> len(ROCHullDisplay.from_cv_results(folds, X, y).curves)
        3
        """
        curves = [
            _curve_of(each, X_test, y_test, _positive_class(each, positive), weights)
            for each, X_test, y_test, weights in _folds_of(cv_results, X, y, sample_weight)
        ]
        positive = _positive_class(cv_results["estimator"][0], positive)
        return cls(curves, name=name, positive=positive).plot(ax=ax, **options)

    def plot(self, ax: Any = None, **options: Any) -> Self:
        """Draw the display."""
        raise NotImplementedError


class ROCHullDisplay(_CurveDisplay):
    """ROC curve, its convex hull, the labellings, and the optimal one for given costs.

    Parameters
    ----------
    curves : Curve or sequence of Curve
        One curve, or one per fold.
    point : Rates or None
        Rates of the predicted labels, drawn as a marker.
    slope : float or None
        Slope of the line of equal cost that touches the hull.
    band : Band or None
        Confidence band of the curve.
    name : str or None
        Name of the line.
    positive : label or None
        The positive class, for the axes.
    all_labellings : bool
        Whether to draw all 2^n ways to label the n leaves, not only the n + 1 in the order of their
        scores (Ferri, Flach and Hernández-Orallo 2002, figure 1). Leaves with equal scores count as
        one.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    line_ : the curve, or a list of curves for folds
    mean_ : the mean of the folds
    all_labellings_, hull_, labellings_, isocost_, point_, band_, chance_level_ : other artists, or
        None

    Examples
    --------
    >>> from roctree import ROCHullDisplay
    >>> from roctree.roc import Curve
    >>> display = ROCHullDisplay(Curve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8]))
    >>> display.curves[0].auc
    0.75
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
        all_labellings: bool = False,
    ) -> None:
        super().__init__(curves, point=point, name=name, positive=positive)
        self.slope = slope
        self.band = band
        self.all_labellings = all_labellings

    @classmethod
    def from_estimator(  # noqa: PLR0913 - scikit-learn's conventions
        cls,
        estimator: Classifier,
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
        """Draw the curve of a fitted classifier, and the point of its labels.

        Parameters
        ----------
        estimator : classifier
            A tree, or any fitted classifier with probabilities or scores of two classes.
        X, y : table, array
            Labelled cases.
        positive : label
            The positive class; by default that of the operating point, else the rarer one for
            roctree's classifiers and the second for others.
        sample_weight : array of shape (n_samples,)
            Weights of the cases; None for equal weights.
        cost_fp, cost_fn, prior : float or None
            For the line of equal cost; by default those given to ``at``, if any.
        band : {"bootstrap", "fixed_width"} or None
            "bootstrap" for a pointwise band, "fixed_width" for a band of the whole curve.
        level : float
            Confidence level of the band.
        name : str or None
            Name of the line; by default the name of the class.
        ax : matplotlib axes or None
            None for new axes.
        **options
            Options of ``plot``.

        Returns
        -------
        ROCHullDisplay

        Examples
        --------
        >>> from roctree import ROCTreeClassifier, ROCHullDisplay
        >>> rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "yes", "no", "yes"]
        >>> tree = ROCTreeClassifier(max_leaf_nodes=2).fit(rows, labels)
        >>> display = ROCHullDisplay.from_estimator(tree, rows, labels)
        >>> len(display.curves)
        1
        """
        positive = _positive_class(estimator, positive)
        curve = _curve_of(estimator, X, y, positive, sample_weight)
        display = cls(
            curve,
            point=_rates_of_labels(estimator.predict(X), y, positive, sample_weight),
            slope=_requested_slope(curve, cost_fp, cost_fn, prior, _point_of(estimator, positive)),
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
        """Draw the curve of scored cases; see ``from_estimator`` for the parameters.

        Parameters
        ----------
        y : array of shape (n_samples,)
            Class of each case.
        scores : array of shape (n_samples,)
            Score of each case, higher for the positive class.
        positive : label or None
            Positive class; by default the last in sorted order.
        sample_weight : array of shape (n_samples,) or None
            Weights of the cases; None for equal weights.
        cost_fp, cost_fn : float or None
            Costs of a false alarm and of a miss, for the line of equal cost.
        prior : float or None
            Share of positives; by default that of the cases.
        band : {"bootstrap", "fixed_width"} or None
            Confidence band to draw.
        level : float
            Confidence level of the band.
        name : str or None
            Name of the line.
        ax : matplotlib Axes or None
            Where to draw; by default in a new figure.
        **options
            Passed on to ``plot``.

        Examples
        --------
        >>> from roctree import ROCHullDisplay
        >>> display = ROCHullDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8])
        >>> round(display.curves[0].auc, 2)
        0.75
        """
        curve = Curve.from_scores(y, scores, positive=positive, sample_weight=sample_weight)
        check_two_classes(curve, "a plot of rates")
        display = cls(
            curve,
            slope=_requested_slope(curve, cost_fp, cost_fn, prior),
            band=None if band is None else curve.band(level=level, method=band),  # type: ignore[arg-type]
            name=name,
            positive=_positive_of_labels(y, positive),
        )
        return display.plot(ax=ax, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        hull: bool = True,
        labellings: bool | None = None,
        all_labellings: bool | None = None,
        drawstyle: str = "default",
        plot_chance_level: bool = True,
        **line_options: Any,
    ) -> "ROCHullDisplay":
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib axes or None
            None for new axes.
        name : str or None
            Name of the line; by default that of the display.
        hull : bool
            Whether to draw the convex hull.
        labellings : bool or None
            Whether to mark every labelling; None for only if there are few.
        all_labellings : bool or None
            Whether to draw all 2^n ways to label the leaves; None for what the display says.
        drawstyle : {"default", "steps-post"}
            "default" connects the labellings, the line that AUC is the area under; "steps-post"
            shows what labels without randomisation achieve.
        plot_chance_level : bool
            Whether to draw the diagonal.
        **line_options
            Options of matplotlib for the line of the curve.

        Returns
        -------
        ROCHullDisplay

        Examples
        --------
        >>> from roctree import ROCHullDisplay
        >>> from roctree.roc import Curve
        >>> display = ROCHullDisplay(Curve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8]))
        >>> display.plot().ax_.get_xlabel()
        'false positive rate'
        """
        self.figure_, self.ax_ = _axes(ax)
        name = self.name if name is None else name
        self.band_ = self.hull_ = self.labellings_ = self.isocost_ = self.point_ = None
        self.all_labellings_: Any = None
        self.chance_level_ = _diagonal(self.ax_) if plot_chance_level else None
        if len(self.curves) > 1:
            self._plot_folds(name, line_options)
        else:
            if self.all_labellings if all_labellings is None else all_labellings:
                self.all_labellings_ = self._plot_all_labellings()
            self._plot_band()
            self._plot_curve(name, drawstyle, labellings, line_options)
            self.hull_ = self._plot_hull() if hull else None
            self._plot_costs()
        _finish_roc(self.ax_, self.positive)
        return self

    def _plot_curve(
        self, name: str | None, drawstyle: str, labellings: bool | None, options: dict[str, Any]
    ) -> None:
        curve = self.curves[0]
        style = _line_style({"color": BLUE, "linewidth": 1.2, "drawstyle": drawstyle}, options)
        label = _labelled(name, f"AUC = {curve.auc:.3f}")
        (self.line_,) = self.ax_.plot(curve.fpr, curve.tpr, label=label, **style)
        few = len(curve.fpr) <= _MAX_MARKERS
        if few if labellings is None else labellings:
            (self.labellings_,) = self.ax_.plot(
                curve.fpr, curve.tpr, linestyle="none", marker="o", markersize=4,
                markerfacecolor="white", markeredgecolor=self.line_.get_color(), zorder=3,
                label=f"{len(curve.fpr)} labellings",
            )  # fmt: skip

    def _plot_all_labellings(self) -> Any:
        """Draw the sum of the segments of each set of leaves."""
        steps = np.diff(np.column_stack([self.curves[0].fpr, self.curves[0].tpr]), axis=0)
        if len(steps) > _MAX_LEAVES:
            raise ParameterError(
                f"A curve of {len(steps)} leaves has 2^{len(steps)} labellings: all of them are "
                f"drawn for at most {_MAX_LEAVES} leaves."
            )
        points = np.zeros((1, 2))
        for step in steps:
            points = np.concatenate([points, points + step])
        (line,) = self.ax_.plot(
            *points.T, linestyle="none", marker=".", markersize=5, color=GREY, clip_on=False,
            label=f"all {len(points):,} labellings",
        )  # fmt: skip
        return line

    def _plot_hull(self) -> Any:
        corners = self.curves[0].hull()
        (line,) = self.ax_.plot(
            corners.fpr, corners.tpr, color=ORANGE, alpha=0.4, linewidth=6.0, zorder=1.5,
            solid_capstyle="round", label=f"hull (AUC = {corners.auc:.3f})",
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
        self.line_, style = [], _line_style(_FOLD_STYLE, options)
        for number, curve in enumerate(self.curves):
            label = f"{len(self.curves)} folds" if number == 0 else None
            self.line_ += self.ax_.plot(curve.fpr, curve.tpr, label=label, **style)
        grid = np.linspace(0.0, 1.0, 201)
        mean = np.mean([_tpr_at(curve, grid) for curve in self.curves], axis=0)
        areas = [curve.auc for curve in self.curves]
        facts = f"AUC = {np.mean(areas):.3f} ± {np.std(areas):.3f}"
        (self.mean_,) = self.ax_.plot(
            np.append(0.0, grid), np.append(0.0, mean), color=BLUE, linewidth=2.0,
            label=_labelled(name, f"mean, {facts}"),
        )  # fmt: skip


class CostCurveDisplay(_CurveDisplay):
    """Normalised expected cost of the best labelling, for all costs and priors at once.

    The horizontal axis is the weight of positives: prior times cost of a miss, divided by that plus
    the same product for negatives and false alarms. Costs are fractions of the largest possible.

    Parameters
    ----------
    curves : Curve or sequence of Curve
        One ROC curve, or one per fold.
    point : Rates or None
        Rates of the predicted labels, drawn as the cost line of fixed labels.
    weight : float or None
        Weight of positives at the given costs and prior.
    name : str or None
        Name of the line.
    positive : label or None
        The positive class, for the axes.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    line_ : the least cost, or a list of lines for folds
    mean_ : the mean of the folds
    trivial_ : the costs of predicting all negative, and all positive
    labellings_, point_, weight_ : other artists, or None

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "yes", "no", "yes"]
    >>> tree = ROCTreeClassifier(max_leaf_nodes=2).fit(rows, labels)
    >>> display = CostCurveDisplay.from_estimator(tree, rows, labels)
    >>> display.ax_.get_xlabel()
    'weight of positives: prior times cost of a miss, scaled (positive: yes)'
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
        super().__init__(curves, point=point, name=name, positive=positive)
        self.weight = weight

    @classmethod
    def from_estimator(  # noqa: PLR0913 - scikit-learn's conventions
        cls,
        estimator: Classifier,
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
        """Draw the costs of a fitted classifier.

        See ``ROCHullDisplay.from_estimator`` for the parameters.

        Parameters
        ----------
        estimator : classifier
            A fitted classifier.
        X : table of shape (n_samples, n_features)
            The cases.
        y : array of shape (n_samples,)
            Class of each case.
        positive : label or None
            The positive class; by default that of the operating point, else the rarer one for
            roctree's classifiers and the second for others.
        sample_weight : array of shape (n_samples,) or None
            Weights of the cases; None for equal weights.
        cost_fp, cost_fn, prior : float or None
            Costs of a false alarm and of a miss, and share of positives, to be marked on the
            horizontal axis; by default those given to ``at``, if any.
        name : str or None
            Name of the line; by default the name of the class.
        ax : matplotlib Axes or None
            Where to draw; by default in a new figure.
        **options
            Passed on to ``plot``.

        Examples
        --------
        >>> from roctree import ROCTreeClassifier, CostCurveDisplay
        >>> rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "yes", "no", "yes"]
        >>> tree = ROCTreeClassifier(max_leaf_nodes=2).fit(rows, labels)
        >>> display = CostCurveDisplay.from_estimator(tree, rows, labels)
        >>> len(display.curves)
        1
        """
        positive = _positive_class(estimator, positive)
        curve = _curve_of(estimator, X, y, positive, sample_weight)
        display = cls(
            curve,
            point=_rates_of_labels(estimator.predict(X), y, positive, sample_weight),
            weight=_weight_of_positives(
                _requested_slope(curve, cost_fp, cost_fn, prior, _point_of(estimator, positive))
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
        """Draw the costs of scored cases; see ``ROCHullDisplay.from_estimator``.

        Parameters
        ----------
        y : array of shape (n_samples,)
            Class of each case.
        scores : array of shape (n_samples,)
            Score of each case, higher for the positive class.
        positive : label or None
            Positive class; by default the last in sorted order.
        sample_weight : array of shape (n_samples,) or None
            Weights of the cases; None for equal weights.
        cost_fp, cost_fn : float or None
            Costs of a false alarm and of a miss, to be marked on the horizontal axis.
        prior : float or None
            Share of positives; by default that of the cases.
        name : str or None
            Name of the line.
        ax : matplotlib Axes or None
            Where to draw; by default in a new figure.
        **options
            Passed on to ``plot``.

        Examples
        --------
        >>> from roctree import CostCurveDisplay
        >>> display = CostCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8])
        >>> round(display.curves[0].auc, 2)
        0.75
        """
        curve = Curve.from_scores(y, scores, positive=positive, sample_weight=sample_weight)
        weight = _weight_of_positives(_requested_slope(curve, cost_fp, cost_fn, prior))
        positive = _positive_of_labels(y, positive)
        display = cls(curve, weight=weight, name=name, positive=positive)
        return display.plot(ax=ax, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        labellings: bool | None = None,
        **line_options: Any,
    ) -> "CostCurveDisplay":
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib axes or None
            None for new axes.
        name : str or None
            Name of the line; by default that of the display.
        labellings : bool or None
            Whether to draw a line per labelling on the hull; None for only if there are few.
        **line_options
            Options of matplotlib for the line of least cost.

        Returns
        -------
        CostCurveDisplay

        Examples
        --------
        >>> from roctree import CostCurveDisplay
        >>> from roctree.roc import Curve
        >>> display = CostCurveDisplay(Curve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8]))
        >>> display.plot().ax_.get_xlabel()
        'weight of positives: prior times cost of a miss, scaled'
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
        across = _of_positive(
            "weight of positives: prior times cost of a miss, scaled", self.positive
        )
        _finish_axes(
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
        if len(self.curves) > 1 or not (
            len(hull.fpr) <= _MAX_MARKERS if wanted is None else wanted
        ):
            return None
        # One line with gaps at NaN.
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
        style = _line_style({"color": BLUE, "linewidth": 2.0}, options)
        (self.line_,) = self.ax_.plot(costs.weight, costs.cost, label=label, **style)

    def _plot_folds(self, name: str | None, options: dict[str, Any]) -> None:
        self.line_, style = [], _line_style(_FOLD_STYLE, options)
        grid, every = np.linspace(0.0, 1.0, 201), [curve.cost_curve() for curve in self.curves]
        for number, costs in enumerate(every):
            label = f"{len(every)} folds" if number == 0 else None
            self.line_ += self.ax_.plot(costs.weight, costs.cost, label=label, **style)
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
                linewidth=1.4, marker="D", markersize=6, label="current labels",
            )  # fmt: skip
        if self.weight is not None:
            self.weight_ = self.ax_.axvline(
                self.weight, color=GREEN, linestyle=(0, (1, 2)), linewidth=1.6,
                label=f"given costs ({self.weight:.2f})",
            )  # fmt: skip

    def _highest(self) -> float:
        drawn = [float(curve.cost_curve().cost.max()) for curve in self.curves]
        if self.point is not None:
            drawn += [self.point.fpr, 1.0 - self.point.tpr]
        return max(drawn)


class _ProbabilityDisplay(_CurveDisplay):
    """Base class of displays of probabilities."""

    @classmethod
    def from_estimator(
        cls,
        estimator: ProbabilityClassifier,
        X: Any,
        y: Any,
        *,
        positive: Any = None,
        sample_weight: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the display of a fitted classifier.

        Parameters
        ----------
        estimator : classifier
            A tree, or any fitted classifier with probabilities of two classes.
        X, y : table, array
            Labelled cases.
        positive : label
            The positive class; by default that of the operating point, else the rarer one for
            roctree's classifiers and the second for others.
        sample_weight : array of shape (n_samples,)
            Weights of the cases; None for equal weights.
        name : str or None
            Name of the line; by default the name of the class.
        ax : matplotlib axes or None
            None for new axes.
        **options
            Options of ``plot``.

        Returns
        -------
        display

        Examples
        --------
        >>> from roctree import BrierCurveDisplay, ROCTreeClassifier
        >>> rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "yes", "no", "yes"]
        >>> tree = ROCTreeClassifier(max_leaf_nodes=2).fit(rows, labels)
        >>> display = BrierCurveDisplay.from_estimator(tree, rows, labels)
        >>> len(display.curves)
        1
        """
        positive = _positive_class(estimator, positive)
        column = list(estimator.classes_).index(positive)
        scores = np.asarray(estimator.predict_proba(X))[:, column]
        curve = Curve.from_scores(y, scores, positive=positive, sample_weight=sample_weight)
        name = type(estimator).__name__ if name is None else name
        return cls(curve, name=name, positive=positive).plot(ax=ax, **options)

    @classmethod
    def from_predictions(
        cls,
        y: ArrayLike,
        scores: ArrayLike,
        *,
        positive: Any = None,
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the display of scored cases.

        Parameters
        ----------
        y : array of shape (n_samples,)
            Class of each case.
        scores : array of shape (n_samples,)
            Probability of the positive class.
        positive : label or None
            Positive class; by default the last in sorted order.
        sample_weight : array of shape (n_samples,) or None
            Weights of the cases; None for equal weights.
        name : str or None
            Name of the line.
        ax : matplotlib Axes or None
            Where to draw; by default in a new figure.
        **options
            Passed on to ``plot``.

        Returns
        -------
        display

        Examples
        --------
        >>> from roctree import BrierCurveDisplay
        >>> display = BrierCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8])
        >>> round(display.curves[0].auc, 2)
        0.75
        """
        curve = Curve.from_scores(y, scores, positive=positive, sample_weight=sample_weight)
        positive = _positive_of_labels(y, positive)
        return cls(curve, name=name, positive=positive).plot(ax=ax, **options)


class LossCurveDisplay(_ProbabilityDisplay):
    """Expected loss at each cost, by the way in which the threshold is chosen for it.

    The horizontal axis is the cost of a false alarm as a share of the costs of one false alarm and
    one miss; ``Curve.loss_curve`` defines the ways. The area under a line is the expected loss if
    all costs are equally likely (Hernández-Orallo, Flach and Ferri 2012).

    Parameters
    ----------
    curves : Curve or sequence of Curve
        One ROC curve, or one per fold; of probabilities if thresholds are score-driven.
    choices : sequence of {"fixed", "score_driven", "rate_driven", "optimal"} or None
        The lines to draw; None for all but "fixed".
    name : str or None
        Name of the line.
    positive : label or None
        The positive class, for the axes.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    lines_ : the line of each choice, or a list of lines for folds

    Examples
    --------
    >>> from roctree import LossCurveDisplay
    >>> from roctree.roc import Curve
    >>> display = LossCurveDisplay(Curve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8]))
    >>> display.choices
    ('score_driven', 'rate_driven', 'optimal')
    """

    _USUAL: tuple[ThresholdChoice, ...] = ("score_driven", "rate_driven", "optimal")

    def __init__(
        self,
        curves: Curve | Sequence[Curve],
        *,
        choices: Sequence[ThresholdChoice] | None = None,
        name: str | None = None,
        positive: Any = None,
    ) -> None:
        super().__init__(curves, name=name, positive=positive)
        self.choices = self._USUAL if choices is None else tuple(choices)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        threshold: float = 0.5,
        **line_options: Any,
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib axes or None
            None for new axes.
        name : str or None
            Name of the line; by default that of the display.
        threshold : float
            Lowest score that is predicted positive, for "fixed".
        **line_options
            Options of matplotlib for the lines.

        Returns
        -------
        display

        Examples
        --------
        >>> from roctree import LossCurveDisplay
        >>> from roctree.roc import Curve
        >>> display = LossCurveDisplay(Curve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8]))
        >>> display.plot().ax_.get_xlabel()
        'cost of a false alarm, of one false alarm and one miss'
        """
        self.figure_, self.ax_ = _axes(ax)
        name = self.name if name is None else name
        self.lines_: dict[str, Any] = {}
        top = 0.0
        for choice in self.choices:
            found = [curve.loss_curve(choice, threshold=threshold) for curve in self.curves]
            mean = float(np.mean([each.area for each in found]))
            label = _labelled(name, f"{_CHOICE_NAMES[choice]} {mean:.4f}")
            thin = {} if len(found) == 1 else {"linewidth": 0.8, "alpha": 0.6}
            style = _line_style(_CHOICE_STYLES[choice] | thin, line_options)
            drawn = []
            for number, each in enumerate(found):
                costs, losses = each.points()
                top = max(top, float(losses.max()))
                drawn += self.ax_.plot(costs, losses, label=None if number else label, **style)
            self.lines_[choice] = drawn[0] if len(found) == 1 else drawn
        _finish_axes(
            self.ax_,
            _of_positive("cost of a false alarm, of one false alarm and one miss", self.positive),
            "expected loss",
            (0.0, 1.0),
            (0.0, max(0.5, 1.05 * top)),
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
        )
        return self


class BrierCurveDisplay(LossCurveDisplay):
    """Loss of using the scores as probabilities, and the least loss, for all costs.

    The area under the first is the Brier score, that under the second what it would be if the
    scores were calibrated (Hernández-Orallo, Flach and Ferri 2011).

    Parameters
    ----------
    curves : Curve or sequence of Curve
        One ROC curve of probabilities, or one per fold.
    choices : sequence of {"fixed", "score_driven", "rate_driven", "optimal"} or None
        The lines to draw; None for "score_driven" and "optimal".
    name : str or None
        Name of the line.
    positive : label or None
        The positive class, for the axes.

    Examples
    --------
    >>> from roctree import BrierCurveDisplay
    >>> from roctree.roc import Curve
    >>> display = BrierCurveDisplay(Curve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8]))
    >>> round(display.curves[0].brier_curve().area, 4)
    0.175
    """

    _USUAL: tuple[ThresholdChoice, ...] = ("score_driven", "optimal")


_CHOICE_NAMES = {
    "fixed": "fixed threshold, error rate",
    "score_driven": "score-driven, Brier score",
    "rate_driven": "rate-driven",
    "optimal": "optimal thresholds",
}
_CHOICE_STYLES: dict[str, dict[str, Any]] = {
    "fixed": {"color": GREY, "linewidth": 1.4, "linestyle": "-."},
    "score_driven": {"color": BLUE, "linewidth": 2.0},
    "rate_driven": {"color": GREEN, "linewidth": 1.6, "linestyle": ":"},
    "optimal": {"color": ORANGE, "linewidth": 1.6, "linestyle": "--"},
}


class ReliabilityDisplay(_ProbabilityDisplay):
    """Reliability diagram: the share of positives against the probability, without bins.

    The line is the isotonic regression of the classes on the probabilities, with a confidence
    interval for each pool; on the diagonal probabilities are correct. Each distinct probability
    with enough cases, such as that of a leaf, is a dot of its own (Dimitriadis, Gneiting and Jordan
    2021).

    Parameters
    ----------
    curves : Curve or sequence of Curve
        One ROC curve of probabilities, or one per fold.
    name : str or None
        Name of the line.
    positive : label or None
        The positive class, for the axes.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    lines_ : the line of each curve
    intervals_, dots_ : intervals of the pools and dots of the scores, or None for folds

    Examples
    --------
    >>> from roctree import ReliabilityDisplay
    >>> from roctree.roc import Curve
    >>> display = ReliabilityDisplay(Curve.from_leaves([0.9, 0.2], [8, 3], [2, 7]))
    >>> display.curves[0].reliability().probability
    array([0.3, 0.8])
    """

    def __init__(
        self,
        curves: Curve | Sequence[Curve],
        *,
        name: str | None = None,
        positive: Any = None,
    ) -> None:
        super().__init__(curves, name=name, positive=positive)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        level: float = 0.95,
        min_cases: float = 10.0,
        **line_options: Any,
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib axes or None
            None for new axes.
        name : str or None
            Name of the line; by default that of the display.
        level : float
            Confidence level of the intervals.
        min_cases : float
            Scores of fewer cases have no dot of their own.
        **line_options
            Options of matplotlib for the line.

        Returns
        -------
        display

        Examples
        --------
        >>> from roctree import ReliabilityDisplay
        >>> from roctree.roc import Curve
        >>> display = ReliabilityDisplay(Curve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8]))
        >>> display.plot().ax_.get_xlabel()
        'probability'
        """
        self.figure_, self.ax_ = _axes(ax)
        name = self.name if name is None else name
        found = [curve.reliability(level) for curve in self.curves]
        self.ax_.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1.2, label="calibrated")
        miscalibration = float(np.mean([each.miscalibration for each in found]))
        label = _labelled(name, f"miscalibration {miscalibration:.4f}")
        thin = {} if len(found) == 1 else {"linewidth": 0.8, "alpha": 0.6}
        style = _line_style({"color": BLUE, "linewidth": 2.0} | thin, line_options)
        self.lines_ = []
        for number, each in enumerate(found):
            scores = np.column_stack([each.score_from, each.score_to]).ravel()
            shares = np.repeat(each.probability, 2)
            self.lines_ += self.ax_.plot(scores, shares, label=None if number else label, **style)
        self.intervals_ = self.dots_ = None
        if len(found) == 1:
            self._plot_pools(self.curves[0], found[0], min_cases)
        self.ax_.set_aspect("equal")
        _finish_axes(
            self.ax_,
            _of_positive("probability", self.positive),
            "share of positives",
            (0.0, 1.0),
            (0.0, 1.0),
            loc="upper left",
        )
        return self

    def _plot_pools(self, curve: Curve, pools: Reliability, min_cases: float) -> None:
        middle = (pools.score_from + pools.score_to) / 2.0
        below, above = np.abs(pools.intervals.T - pools.probability)
        self.intervals_ = self.ax_.errorbar(
            middle,
            pools.probability,
            yerr=(below, above),
            fmt="none",
            ecolor=BLUE,
            elinewidth=1.0,
            capsize=3.0,
            label=f"{pools.level:.0%} interval",
        )
        cases = curve.positives + curve.negatives
        shown = cases >= max(min_cases, 1e-12)
        self.dots_ = self.ax_.scatter(
            curve.scores[shown],
            (curve.positives / np.where(cases > 0.0, cases, 1.0))[shown],
            # Areas in proportion to the cases.
            s=10.0 + 150.0 * cases[shown] / cases.max(),
            facecolors="none",
            edgecolors=ORANGE,
            label="cases of one probability",
        )


class CostPruningDisplay:
    """Trees pruned under a sequence of cost ratios, in ROC space (Bradley and Lovell 1995).

    Parameters
    ----------
    curves : CostPruningCurve or sequence of CostPruningCurve
        From ``tree.cost_pruning_curve(...)``; or one per fold, for the same costs, to draw their
        mean.
    name : str or None
        Name of the line.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    line_, hull_, equal_, chance_level_ : the trees, their hull, the tree of equal costs if it was
        tried, the diagonal
    folds_ : the points of single folds, if any
    ratios_ : the cost ratios beside the trees on the hull

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "yes", "no", "yes"]
    >>> tree = ROCTreeClassifier(max_leaf_nodes=2).fit(rows, labels)
    >>> display = CostPruningDisplay.from_estimator(tree, rows, labels)
    >>> display.ax_.get_xlabel()
    'false positive rate (positive: yes)'
    """

    def __init__(
        self, curves: CostPruningCurve | Sequence[CostPruningCurve], *, name: str | None = None
    ) -> None:
        self.curves: list[CostPruningCurve] = _curve_list(curves)
        self.curve = mean_curve(self.curves)
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: "PrunableClassifier",
        X: Any = None,
        y: Any = None,
        *,
        sample_weight: Any = None,
        name: str | None = None,
        ax: Any = None,
        pruning: dict[str, Any] | None = None,
        **options: Any,
    ) -> "CostPruningDisplay":
        """Prune a fitted tree under a sequence of cost ratios and draw the results.

        Parameters
        ----------
        estimator : ROCTreeClassifier or MultiscaleClassifier
            A fitted tree.
        X, y : table, array
            Cases to evaluate the pruned trees on; None for the training counts.
        sample_weight : array of shape (n_samples,)
            Weights of the cases; None for equal weights.
        name : str or None
            Name of the line; by default the name of the class.
        ax : matplotlib axes or None
            None for new axes.
        pruning : dict or None
            Arguments of ``cost_pruning_curve``.
        **options
            Options of ``plot``.

        Returns
        -------
        CostPruningDisplay

        Examples
        --------
        >>> from roctree import CostPruningDisplay, ROCTreeClassifier
        >>> rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "yes", "no", "yes"]
        >>> tree = ROCTreeClassifier().fit(rows, labels)
        >>> display = CostPruningDisplay.from_estimator(tree, rows, labels)
        >>> display.ax_.get_xlabel()
        'false positive rate (positive: yes)'
        """
        cases = {"X_test": X, "y_test": y, "sample_weight": sample_weight}
        curve = estimator.cost_pruning_curve(**cases, **(pruning or {}))
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
        """Draw labels that classifiers predicted, each under one pair of costs.

        Parameters
        ----------
        y : array of shape (n_samples,)
            True classes.
        predictions : sequence of arrays
            For each pair of costs the labels of all cases.
        costs : sequence
            Pairs (cost of a miss, cost of a false alarm), or their ratios.
        positive : label
            The positive class; by default the last in sorted order.
        name : str or None
            Name of the line.
        ax : matplotlib axes or None
            None for new axes.
        **options
            Options of ``plot``.

        Returns
        -------
        CostPruningDisplay

        Examples
        --------
        >>> from roctree import CostPruningDisplay
        >>> y, predictions = ["no", "yes", "no", "yes"], [["no"] * 4, ["no", "yes", "yes", "yes"]]
        >>> display = CostPruningDisplay.from_predictions(y, predictions, [(1, 2), (4, 1)])
        >>> display.ax_.get_ylabel()
        'true positive rate (positive: yes)'
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
        """Prune the tree of each fold under a sequence of cost ratios, and draw the mean.

        Parameters
        ----------
        cv_results : dict
            Result of ``cross_validate(..., return_estimator=True, return_indices=True)``.
        X, y : table, array
            The data given to ``cross_validate``.
        sample_weight : array of shape (n_samples,)
            Weights of the cases; None for equal weights.
        name : str or None
            Name of the line.
        ax : matplotlib axes or None
            None for new axes.
        pruning : dict or None
            Arguments of ``cost_pruning_curve``.
        **options
            Options of ``plot``.

        Returns
        -------
        CostPruningDisplay

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.model_selection import cross_validate
        >>> from roctree import CostPruningDisplay, ROCTreeClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> tree = ROCTreeClassifier(max_leaf_nodes=4)
        >>> folds = cross_validate(tree, X, y, cv=3, return_estimator=True, return_indices=True)
        >>> CostPruningDisplay.from_cv_results(folds, X, y).ax_.get_xlabel()
        'false positive rate (positive: 0)'
        """
        curves = [
            each.cost_pruning_curve(
                X_test=X_test, y_test=y_test, sample_weight=weights, **(pruning or {})
            )
            for each, X_test, y_test, weights in _folds_of(cv_results, X, y, sample_weight)
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
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib axes or None
            None for new axes.
        name : str or None
            Name of the line; by default that of the display.
        ratios : bool
            Whether to annotate the trees on the hull with their cost ratios.
        plot_chance_level : bool
            Whether to draw the diagonal.
        **line_options
            Options of matplotlib for the line.

        Returns
        -------
        CostPruningDisplay

        Examples
        --------
        >>> from roctree import CostPruningDisplay, ROCTreeClassifier
        >>> rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "yes", "no", "yes"]
        >>> tree = ROCTreeClassifier().fit(rows, labels)
        >>> curve = tree.cost_pruning_curve(None, rows, labels)
        >>> CostPruningDisplay(curve).plot().ax_.get_ylabel()
        'true positive rate (positive: yes)'
        """
        self.figure_, self.ax_ = _axes(ax)
        name = self.name if name is None else name
        self.chance_level_ = _diagonal(self.ax_) if plot_chance_level else None
        fpr, tpr = np.asarray(self.curve.fpr), np.asarray(self.curve.tpr)
        order = np.lexsort((tpr, fpr))
        self.folds_ = self._plot_folds() if len(self.curves) > 1 else []
        usual = {"color": BLUE, "linewidth": 1.2, "marker": "o", "markersize": 4}
        label = _labelled(name, f"pruned under {len(fpr)} pairs of costs")
        style = _line_style(usual, line_options)
        (self.line_,) = self.ax_.plot(fpr[order], tpr[order], label=label, **style)
        self._plot_hull(fpr, tpr)
        self._plot_equal_costs(fpr, tpr)
        self.ratios_ = self._write_ratios(fpr, tpr) if ratios else []
        _finish_roc(self.ax_, self.curve.positive)
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
        # Trees of one leaf are the two ends.
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
        """Annotate trees on the hull with their range of ratios, where there is room."""
        ranges: dict[tuple[float, float], list[float]] = {}
        for place in np.flatnonzero(self.curve.on_hull):
            point = float(fpr[place]), float(tpr[place])
            ranges.setdefault(point, []).append(float(self.curve.cost_ratio[place]))
        written: list[tuple[float, float]] = []
        for point in sorted(ranges):
            if not written or np.hypot(*np.subtract(point, written[-1])) > _ANNOTATION_GAP:
                written.append(point)
        return [self._write_ratio(point, ranges[point]) for point in written]

    def _write_ratio(self, point: tuple[float, float], ratios: list[float]) -> Any:
        """Write a range of ratios below and to the right of a point, above the axis."""
        return self.ax_.annotate(
            _range_text(min(ratios), max(ratios)), point, fontsize="x-small",
            xytext=(12, 0) if point[1] < _ANNOTATION_GAP else (6, -9), textcoords="offset points",
        )  # fmt: skip


_MEASURE_NAMES = {"auc": "AUC", "log_loss": "log-loss", "cost": "cost of a case"}


def check_frontier_measure(measure: Any) -> None:
    """Raise ``ParameterError`` unless this is a measure of a frontier."""
    if measure not in get_args(FrontierMeasure):
        raise ParameterError(
            parameter="measure",
            value=measure,
            reason="is not known: give auc, log_loss or cost",
        )


# Distance of names that would lie on top of each other, in points.
_LINE_OF_TEXT = 11.0


class FrontierDisplay:
    """Quality of trees against their number of leaves, a line for each way to limit the size.

    Parameters
    ----------
    frontier : Frontier
        Result of ``roctree.frontier(...)``.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    lines_ : one line per way

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from roctree import frontier
    >>> sizes = frontier(*load_iris(return_X_y=True), leaves=[2, 4], ways=["best_first"], folds=2)
    >>> display = FrontierDisplay(sizes).plot("auc")
    >>> display.ax_.get_ylabel()
    'AUC'
    """

    def __init__(self, frontier: "Frontier") -> None:
        self.frontier = frontier

    def plot(self, measure: FrontierMeasure = "auc", *, ax: Any = None) -> "FrontierDisplay":
        """Draw one measure against the number of leaves.

        Parameters
        ----------
        measure : {"auc", "log_loss", "cost"}
        ax : matplotlib axes or None
            None for new axes.

        Returns
        -------
        FrontierDisplay

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from roctree import FrontierDisplay, frontier
        >>> X, y = load_iris(return_X_y=True)
        >>> sizes = frontier(X, y, leaves=[2, 4], ways=["best_first"], folds=2)
        >>> FrontierDisplay(sizes).plot("log_loss").ax_.get_ylabel()
        'log-loss'
        """
        check_frontier_measure(measure)
        self.figure_, self.ax_ = _axes(ax)
        self.lines_ = []
        for number, way in enumerate(self.frontier.ways):
            points = self.frontier.of(way)
            (line,) = self.ax_.plot(
                [point.n_leaves for point in points],
                [getattr(point, measure) for point in points],
                color=_COLOURS[number % len(_COLOURS)],
                marker=_MARKERS[number % len(_MARKERS)],
                linestyle=_LINES[number % len(_LINES)],
                label=way.replace("_", " "),
            )
            self.lines_.append(line)
            if measure == "auc":
                self._plot_deviations(points, line.get_color())
        self.ax_.set_xscale("log", base=2)
        self.ax_.xaxis.set_major_formatter("{x:g}")
        self.ax_.set(xlabel="leaves", ylabel=_MEASURE_NAMES[measure])
        # Room for the names at the ends of the lines.
        self.ax_.margins(x=0.18)
        self._write_ways()
        _open_frame(self.ax_)
        return self

    def _plot_deviations(self, points: Sequence["FrontierPoint"], colour: Any) -> None:
        """Draw the standard deviation over the folds at each point."""
        self.ax_.errorbar(
            [point.n_leaves for point in points], [point.auc for point in points],
            yerr=[point.auc_deviation for point in points], fmt="none", ecolor=colour,
            elinewidth=1.0, capsize=2.5, alpha=0.6,
        )  # fmt: skip

    def _write_ways(self) -> None:
        """Write the name of each way beside the end of its line, without overlaps."""
        ends = sorted(self.lines_, key=lambda line: float(line.get_ydata()[-1]))
        points_per_pixel = 72.0 / self.figure_.dpi
        above = -np.inf
        for line in ends:
            x, y = line.get_xdata()[-1], line.get_ydata()[-1]
            place = self.ax_.transData.transform((x, y))[1] * points_per_pixel
            above = max(place, above + _LINE_OF_TEXT)
            self.ax_.annotate(
                line.get_label(), (x, y), xytext=(8, above - place), textcoords="offset points",
                va="center", fontsize="small", color=line.get_color(),
            )  # fmt: skip


# Critical differences

# Sizes in pixels, of which matplotlib counts 72 per inch.
_MIN_AXIS, _MIN_MARGIN, _LETTER_WIDTH = 240, 140.0, 6.4
_AXIS_HEIGHT, _LABEL_STEP, _BAR_STEP = 60, 20, 12


def critical_difference_svg(ranks: "Ranks", width: int) -> str:
    """Return the diagram as SVG text.

    Parameters
    ----------
    ranks : Ranks
        The mean ranks.
    width : int
        Width in pixels; larger if the names need it.
    """
    order = np.argsort(ranks.mean_ranks, kind="stable")
    labels = [f"{ranks.names[i]} {ranks.mean_ranks[i]:.2f}" for i in order]
    n = len(order)
    margin = max(_MIN_MARGIN, 20.0 + _LETTER_WIDTH * max(map(len, labels)))
    width = max(width, round(2 * margin + _MIN_AXIS))
    n_left, groups = (n + 1) // 2, ranks.cliques
    labels_begin = _AXIS_HEIGHT + _BAR_STEP * len(groups) + 14
    height = labels_begin + _LABEL_STEP * (n_left + 1) + 6
    scale = (width - 2 * margin) / (n - 1)
    figure = pyplot().figure(figsize=(width / 72, height / 72), dpi=72)
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set(xlim=(0, width), ylim=(height, 0))
    ax.set_axis_off()

    def x(rank: float) -> float:
        return margin + (rank - 1.0) * scale

    def line(xs: tuple[float, ...], ys: tuple[float, ...], thickness: float = 1.0) -> None:
        ax.plot(xs, ys, color="black", linewidth=thickness, solid_capstyle="butt")

    line((x(1), x(n)), (_AXIS_HEIGHT, _AXIS_HEIGHT))
    for rank in range(1, n + 1):
        line((x(rank), x(rank)), (_AXIS_HEIGHT - 5, _AXIS_HEIGHT))
        ax.text(x(rank), _AXIS_HEIGHT - 10, str(rank), ha="center", va="baseline")
    length = min(ranks.critical_difference * scale, width - margin)
    line((margin, margin + length), (25, 25), 2.0)
    ax.text(margin, 17, f"critical difference {ranks.critical_difference:.2f}", va="baseline")
    for place, i in enumerate(order):
        on_left = place < n_left
        y = labels_begin + _LABEL_STEP * (place if on_left else n - 1 - place)
        end = margin - 8 if on_left else width - margin + 8
        position = x(float(ranks.mean_ranks[i]))
        line((position, position, end), (_AXIS_HEIGHT, y, y))
        side = "right" if on_left else "left"
        label = labels[place].replace("$", r"\$")
        ax.text(end + (-4 if on_left else 4), y, label, ha=side, va="center")
    positions = dict(zip(ranks.names, ranks.mean_ranks, strict=True))
    for number, group in enumerate(groups):
        y = _AXIS_HEIGHT + 10 + _BAR_STEP * number
        ends = (x(float(positions[group[0]])) - 4, x(float(positions[group[-1]])) + 4)
        line(ends, (y, y), 4.0)
    return svg_text(figure)


# Helpers


def _isocost(hull: Curve, slope: float) -> tuple[Floats, Floats]:
    """Return the part in the unit square of the line of equal cost that touches the hull."""
    level = float((hull.tpr - slope * hull.fpr).max())
    ends = np.array([0.0, 1.0])
    if level < 0.0 or slope + level > 1.0:
        ends = np.array([max(0.0, -level / slope), min(1.0, (1.0 - level) / slope)])
    return ends, level + slope * ends


def _tpr_at(curve: Curve, grid: Floats) -> Floats:
    """Return the highest true positive rate at each false positive rate, interpolated."""
    last = np.append(np.diff(curve.fpr) > 0.0, True)
    return np.asarray(np.interp(grid, curve.fpr[last], curve.tpr[last]))


def _range_text(low: float, high: float) -> str:
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"


def _positive_class(estimator: Classifier, positive: Any) -> Any:
    """Return the positive class of a classifier; required if there are not two classes."""
    if not hasattr(estimator, "classes_"):
        raise ParameterError(
            f"{type(estimator).__name__} has no classes_: fit a classifier first, then draw it."
        )
    classes = np.asarray(estimator.classes_).tolist()
    if positive is not None:
        return classes[class_index(positive, estimator.classes_)]
    if len(classes) != 2:
        raise ParameterError(f"There are {len(classes)} classes: give positive=.")
    point = getattr(estimator, "operating_point_", None)
    if point is not None:
        return point.positive_class
    return getattr(estimator, "positive_class_", classes[1])


def _positive_of_labels(y: Any, positive: Any) -> Any:
    """Return the positive class of some labels; None if not given and there are not two classes."""
    if positive is not None:
        return positive
    classes = encode_labels(y)[0].tolist()
    return classes[1] if len(classes) == 2 else None


def _point_of(estimator: Classifier, positive: Any) -> Any:
    """Return the operating point of a tree, if it has one for this positive class."""
    point = getattr(estimator, "operating_point_", None)
    return point if point is not None and point.positive_class == positive else None


def _curve_of(
    estimator: Classifier, X: Any, y: Any, positive: Any, sample_weight: Any = None
) -> Curve:
    """Return the ROC curve: of a tree from its leaves, of another classifier from its scores."""
    if hasattr(estimator, "roc"):
        curve: Curve = estimator.roc(X, y, positive=positive, sample_weight=sample_weight)
    else:
        scores = _scores_of(estimator, X, positive)
        curve = Curve.from_scores(y, scores, positive=positive, sample_weight=sample_weight)
    check_two_classes(curve, "a plot of rates")
    return curve


def _scores_of(estimator: Classifier, X: Any, positive: Any) -> NDArray[Any]:
    place = list(estimator.classes_).index(positive)
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X))[:, place]
    if hasattr(estimator, "decision_function"):
        scores = np.asarray(estimator.decision_function(X))
        return scores[:, place] if scores.ndim == 2 else scores * (1.0 if place == 1 else -1.0)
    raise ParameterError(
        f"{type(estimator).__name__} has neither predict_proba nor decision_function: give a "
        "classifier that scores cases."
    )


def _folds_of(
    cv_results: Any, X: Any, y: Any, sample_weight: Any
) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Yield the classifier of each fold with its test cases and their weights."""
    if not ("estimator" in cv_results and "indices" in cv_results):
        raise ParameterError(
            "cv_results has no estimators and indices: use cross_validate(..., "
            "return_estimator=True, return_indices=True)."
        )
    for each, test in zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True):
        weights = None if sample_weight is None else _taken(sample_weight, test)
        yield each, take_rows(X, test), _taken(y, test), weights


def _taken(values: Any, places: NDArray[np.int64]) -> Any:
    if isinstance(values, list | tuple):
        return [values[place] for place in places]
    return np.asarray(values)[places]


def _rates_of_labels(
    found: ArrayLike, y: ArrayLike, positive: Any, sample_weight: ArrayLike | None = None
) -> Rates:
    """Return the rates of predicted labels."""
    labels, truth = np.asarray(found) == positive, is_positive(y, positive)
    weights = np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight, float)
    return Rates(*(float(np.average(labels[of], weights=weights[of])) for of in (~truth, truth)))


def _curve_list(curves: Any) -> list[Any]:
    """Return the given curve or curves as a list."""
    given = [curves] if hasattr(curves, "fpr") else curves
    found = list(given) if isinstance(given, Iterable) else []
    if not found or not all(hasattr(each, "fpr") for each in found):
        raise ParameterError(f"{curves!r} cannot be drawn: give a curve, or a list of curves.")
    return found


def _requested_slope(
    curve: Curve,
    cost_fp: float | None,
    cost_fn: float | None,
    prior: float | None,
    point: Any = None,
) -> float | None:
    """Return the slope of the lines of equal cost; None without costs, prior or operating point."""
    if cost_fp is None and cost_fn is None and prior is None:
        return None if point is None else point.isocost_slope
    given = {"cost_fp": cost_fp, "cost_fn": cost_fn, "prior": prior}
    for name, value in given.items():
        if value is not None and not is_finite_number(value):
            raise ParameterError(f"{name}={value!r} must be a finite number.")
    share = curve.prior if prior is None else prior
    alarm = (1.0 if cost_fp is None else cost_fp) * (1.0 - share)
    miss = (1.0 if cost_fn is None else cost_fn) * share
    if not (alarm >= 0.0 and miss > 0.0):
        raise ParameterError(
            f"cost_fp={cost_fp!r}, cost_fn={cost_fn!r} and prior={prior!r} do not define a "
            "line of equal cost: misses must have a cost and positives a positive share."
        )
    return alarm / miss


def _weight_of_positives(slope: float | None) -> float | None:
    """Return the weight of positives for a slope of the lines of equal cost."""
    return None if slope is None else 1.0 / (1.0 + slope)


def pyplot() -> Any:
    """Return ``matplotlib.pyplot``; raise an error that explains how to install it."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(
            f"Plots need matplotlib, which is not installed: {how_to_install('plot')}."
        ) from None
    return pyplot


def svg_text(figure: Any) -> str:
    """Return a figure as SVG text, byte-equal for equal drawings, and close it."""
    library = pyplot()
    text = StringIO()
    # Keep labels as text: the file is smaller and can be searched.
    with library.rc_context({"svg.fonttype": "none", "svg.hashsalt": "roctree"}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    library.close(figure)
    return text.getvalue()


def _axes(ax: Any) -> tuple[Any, Any]:
    """Return the figure and the axes; new ones if none are given."""
    if ax is not None:
        return ax.figure, ax
    figure, ax = pyplot().subplots(layout="constrained")
    return figure, ax


def _diagonal(ax: Any) -> Any:
    """Draw the diagonal of chance."""
    (line,) = ax.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1.2, label="chance")
    return line


def _finish_roc(ax: Any, positive: Any) -> None:
    """Label the axes of a ROC plot and make it square."""
    false, true = (_of_positive(f"{kind} positive rate", positive) for kind in ("false", "true"))
    ax.set_aspect("equal")
    _finish_axes(ax, false, true, (0.0, 1.0), (0.0, 1.0), loc="lower right")


def _of_positive(what: str, positive: Any) -> str:
    """Return an axis label with the positive class, if known."""
    return what if positive is None else f"{what} (positive: {positive})"


def _finish_axes(
    ax: Any,
    x_label: str,
    y_label: str,
    x: tuple[float, float],
    y: tuple[float, float],
    **legend: Any,
) -> None:
    """Label the axes and set their limits; name the lines beside them, or in the legend."""
    # A margin for lines and markers on the border.
    room = 0.02
    ax.set(xlabel=x_label, ylabel=y_label, xlim=(x[0] - room, x[1] + room),
           ylim=(y[0] - room, y[1] + room))  # fmt: skip
    _open_frame(ax)
    _name_lines(ax, **legend)


# Names beside lines: distances from the line in points, and the number of places tried along it.
_LABEL = "roctree-label"
_DIRECTIONS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)]
_DISTANCES, _PLACES = (5.0, 11.0, 18.0, 28.0), 24
# Spacing in pixels of the points at which lines are tested against texts; a text that covers more
# than the maximum of such points goes into the legend.
_STEP, _MAX_CROSSED = 3.0, 4.0
# Distances in pixels that look the same, and the cost at which the search for a place stops.
_NEAR, _GOOD = 6.0, 0.3
# Space between texts, and between texts and the frame, in pixels.
_TEXT_MARGIN = 3.0
# Points this near to a text, in pixels, are inside it: half the width of a usual line.
_HALF_LINE = 1.0


def _name_lines(ax: Any, **legend: Any) -> None:
    """Write the label of every line, band and set of points beside it, in its colour.

    Labels that do not fit go into a legend. Existing names are placed again, so that several
    displays can share axes.
    """
    _remove_names(ax)
    # The layout moves the axes, so places are known only after it.
    figure = ax.get_figure(root=True)
    figure.draw_without_rendering()
    named = dict(zip(*ax.get_legend_handles_labels()[::-1], strict=True))
    # Lines of the same name look alike and are named once.
    labels, handles = list(named), list(named.values())
    unnamed = [line for line in ax.lines if line not in handles]
    left_out: set[int] = set()
    for _ in range(len(labels) + 1):
        _remove_names(ax)
        if left_out:
            chosen = sorted(left_out)
            names = [handles[i] for i in chosen], [labels[i] for i in chosen]
            ax.legend(*names, fontsize="small", framealpha=0.95, **legend)
            figure.draw_without_rendering()
        drawn = [_pixels_of(ax, each) for each in (*handles, *unnamed)]
        taken = [text.get_window_extent().extents for text in ax.texts]
        if ax.get_legend() is not None:
            taken.append(ax.get_legend().get_window_extent().extents)
        rest = sorted(set(range(len(labels))) - left_out, key=lambda i: (-len(labels[i]), i))
        more = {i for i in rest if not _write_name(ax, handles[i], labels[i], i, drawn, taken)}
        if not more:
            break
        left_out |= more


def _remove_names(ax: Any) -> None:
    for text in [each for each in ax.texts if each.get_gid() == _LABEL]:
        text.remove()
    if ax.get_legend() is not None:
        ax.get_legend().remove()


def _write_name(
    ax: Any, handle: Any, label: str, own: int, drawn: list[Floats], taken: list[Floats]
) -> bool:
    """Write a label where it crosses least; return False if there is no room."""
    points = drawn[own]
    inside = points[_overlap(ax.bbox.extents, points)]
    if not len(inside):
        return False
    style = {"fontsize": "small", "color": _colour_of(handle), "gid": _LABEL, "zorder": 5}
    text = ax.text(0.5, 0.5, label, **style)
    size = np.array(text.get_window_extent().size)
    text.remove()
    places = np.unique(np.linspace(0, len(inside) - 1, _PLACES).astype(int))
    # From the middle to the ends.
    anchors = inside[places[np.argsort(np.abs(places - len(inside) / 2.0), kind="stable")]]
    scale = ax.figure.dpi / 72.0
    others = [each for number, each in enumerate(drawn) if number != own and len(each)]
    foreign = np.concatenate([np.empty((0, 2)), *others])
    best: tuple[float, Any, Any, Any, Any] | None = None
    for distance, direction, anchor in product(_DISTANCES, np.array(_DIRECTIONS, float), anchors):
        middle = anchor + direction * (distance * scale + size / 2.0)
        box = np.concatenate([middle - size / 2.0, middle + size / 2.0])
        if not _is_free(box, ax.bbox.extents, taken):
            continue
        # A name is nearer to its own line than to any other, or as near where two lines meet.
        astray = _away(box, points) - _away(box, foreign)
        cost = _inside(box, foreign) + _inside(box, points) + 0.02 * distance
        cost += 100.0 if astray > _NEAR else 0.5 * (astray > -_NEAR)
        if best is None or cost < best[0]:
            best = cost, anchor, direction, distance, box
        if best[0] < _GOOD:
            break
    if best is None or best[0] > _MAX_CROSSED:
        return False
    _, anchor, direction, distance, box = best
    taken.append(box)
    sides = {-1.0: ("right", "top"), 0.0: ("center", "center"), 1.0: ("left", "bottom")}
    ax.annotate(
        label, ax.transData.inverted().transform(anchor), xytext=tuple(direction * distance),
        textcoords="offset points", ha=sides[direction[0]][0], va=sides[direction[1]][1], **style,
    )  # fmt: skip
    return True


def _is_free(box: Floats, frame: Floats, taken: list[Floats]) -> bool:
    """Whether a text is inside the frame and apart from other texts."""
    if (box[:2] < frame[:2] + _TEXT_MARGIN).any() or (box[2:] > frame[2:] - _TEXT_MARGIN).any():
        return False
    return not any(
        (box[:2] < other[2:] + _TEXT_MARGIN).all() and (box[2:] > other[:2] - _TEXT_MARGIN).all()
        for other in taken
    )


def _inside(box: Floats, points: Floats) -> int:
    """Return the number of points in a box."""
    return int(_overlap(box, points).sum())


def _overlap(box: Floats, points: Floats) -> NDArray[np.bool_]:
    near = (points >= box[:2] - _HALF_LINE) & (points <= box[2:] + _HALF_LINE)
    return np.asarray(near.all(axis=1))


def _away(box: Floats, points: Floats) -> float:
    """Return the distance of a box from the nearest point."""
    if not len(points):
        return np.inf
    apart = np.maximum(np.maximum(box[:2] - points, points - box[2:]), 0.0)
    return float(np.hypot(*apart.T).min())


def _pixels_of(ax: Any, handle: Any) -> Floats:
    """Return points along what a handle of a legend stands for, in pixels, float64[points, 2]."""
    if hasattr(handle, "get_xydata"):
        corners = handle.get_transform().transform(handle.get_xydata())
        if handle.get_linestyle() == "None":
            return np.asarray(corners)
        half = handle.get_linewidth() / 2.0 * ax.figure.dpi / 72.0
        sides = half * np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
        wide = sides if half > 1.0 + _HALF_LINE else sides[:1]
        return np.asarray((_along(corners)[:, None] + wide).reshape(-1, 2))
    if len(getattr(handle, "get_sizes", list)()):
        # Dots: circles around the points.
        middles = ax.transData.transform(handle.get_offsets())
        radii = np.sqrt(handle.get_sizes()) / 2.0 * ax.figure.dpi / 72.0
        angles = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
        around = np.column_stack([np.cos(angles), np.sin(angles)])
        radii = np.broadcast_to(radii, len(middles))
        return np.asarray((middles[:, None] + radii[:, None, None] * around).reshape(-1, 2))
    if hasattr(handle, "get_paths"):
        found = [handle.get_transform().transform(path.vertices) for path in handle.get_paths()]
        return np.concatenate([np.empty((0, 2)), *map(_along, found)])
    segments = [each for bars in handle[2] for each in bars.get_segments()]
    return np.concatenate(
        [np.empty((0, 2)), *(_along(ax.transData.transform(each)) for each in segments)]
    )


def _along(corners: Floats) -> Floats:
    """Return points along a line, a few pixels apart; gaps are left out."""
    parts = [corners[:1]]
    for start, end in pairwise(corners):
        if np.isfinite(start).all() and np.isfinite(end).all():
            n = max(1, int(np.ceil(np.hypot(*(end - start)) / _STEP)))
            parts.append(start + (end - start) * (np.arange(1, n + 1) / n)[:, None])
    found = np.concatenate(parts)
    return np.asarray(found[np.isfinite(found).all(axis=1)])


def _colour_of(handle: Any) -> Any:
    """Return the colour of a handle without its transparency."""
    from matplotlib.colors import to_rgb

    if hasattr(handle, "get_color"):
        return to_rgb(handle.get_color())
    if hasattr(handle, "get_edgecolor"):
        edges, faces = handle.get_edgecolor(), handle.get_facecolor()
        return to_rgb((edges if len(edges) else faces)[0])
    return to_rgb(handle[2][0].get_color()[0])


def _open_frame(ax: Any) -> None:
    """Hide the sides of the frame without a scale."""
    ax.spines[["top", "right"]].set_visible(False)


def _labelled(name: str | None, facts: str) -> str:
    """Return the label of a line."""
    return facts if name is None else f"{name} ({facts})"


def _line_style(usual: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Return the style of a line: the default, with the options of the user."""
    if "pos_label" in options:
        raise ParameterError(
            f"pos_label is called positive here: give positive={options['pos_label']!r}."
        )
    return usual | options


# A tree: branches from left to right, a box for each leaf

_FONT_SIZE = 9.0
# In inches at this size of letters, which are about half as wide as high.
_LETTER = 0.56 * _FONT_SIZE / 72.0
_ROW, _MARGIN, _GAP = 0.34, 0.1, 0.25
_MAX_LETTERS = 44


def plot_tree(model: FittedTree, ax: Any = None, *, max_depth: int | None = None) -> Any:
    """Draw a tree and return the axes.

    Parameters
    ----------
    model : FittedTree
    ax : matplotlib axes or None
        Where to draw, with text scaled to fit; None for a new figure of the size of the tree.
    max_depth : int or None
        Number of levels to show; None for all, or for three of a tree of more than 16 leaves.
    """
    check_limits(max_depth, DIGITS)
    tree = model.tree
    if max_depth is None and tree.n_leaves > WHOLE_TREE_LEAVES:
        max_depth = HTML_LEVELS
    shown = list(depth_first(tree, max_depth))
    ends = [node for node in shown if tree.is_leaf[node] or tree.depth[node] == max_depth]
    conditions = short_conditions(model, shown, _MAX_LETTERS)
    outcomes = {node: outcome_text(model, node, _MAX_LETTERS) for node in ends}

    columns = column_places(tree.depth, conditions)
    rows = row_places(model, shown, ends)
    right = max(columns[tree.depth[node]] + text_width(text) for node, text in outcomes.items())
    size = right + _MARGIN, _ROW * len(ends) + 2 * _MARGIN
    if ax is None:
        library = pyplot()
        ax = library.figure(figsize=size).add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set(xlim=(0.0, size[0]), ylim=(size[1], 0.0))
    ax.set_axis_off()
    font = {"fontsize": _FONT_SIZE * _scale(ax, size)}
    for node, text in conditions.items():
        parent = int(tree.parent[node])
        x, y = columns[tree.depth[parent]], rows[node]
        ax.plot([x, x, columns[tree.depth[node]]], [rows[parent], y, y], color=GREY, linewidth=0.8)
        ax.text(x + _MARGIN, y - 0.02, text, va="bottom", **font)
    for node, text in outcomes.items():
        colour = label_colour(model, int(model.display_labels[node]))
        box = {"boxstyle": "round,pad=0.25", "facecolor": colour, "edgecolor": GREY}
        x = columns[tree.depth[node]] + 0.5 * _MARGIN
        ax.text(x, rows[node], text, va="center", bbox=box, **font)
    return ax


def short_conditions(model: FittedTree, shown: list[int], most: int) -> dict[int, str]:
    """Return the conditions of the nodes below the root, with at most ``most`` letters."""
    tree, names = model.tree, model.schema.names
    found = branch_conditions(tree, model.schema, shown[1:])
    return {
        node: shorten(text, most, quote_if_needed(names[tree.feature[tree.parent[node]]]))
        for node, text in found.items()
    }


def outcome_text(model: FittedTree, node: int, most: int) -> str:
    """Return the letter and label of a node, its number and its cases."""
    label = shorten(model.node_predictions.label_text(node), most)
    cases = case_count(model.tree, node, DIGITS)
    more = "" if model.tree.is_leaf[node] else " …"
    return f"{label}: {model.node_predictions.share_text(node)}, {cases}{more}"


def column_places(depth: Ints, conditions: dict[int, str]) -> Floats:
    """Return the horizontal position of each depth in inches: conditions fit between them."""
    widths = np.zeros(1 + max((int(depth[node]) for node in conditions), default=0))
    for node, text in conditions.items():
        widths[depth[node]] = max(widths[depth[node]], text_width(text))
    return np.asarray(_MARGIN + np.cumsum(widths))


def text_width(text: str) -> float:
    """Return the width of a text in inches, with some room beside it."""
    return _GAP + _LETTER * len(text)


def row_places(model: FittedTree, shown: list[int], ends: list[int]) -> Floats:
    """Return the vertical position of each node in inches: leaves in rows, parents halfway."""
    tree = model.tree
    rows = np.zeros(tree.n_nodes)
    rows[ends] = _MARGIN + _ROW * (0.5 + np.arange(len(ends)))
    at_end = set(ends)
    for node in reversed(shown):
        if node not in at_end:
            first = int(tree.first_child[node])
            rows[node] = (rows[first] + rows[first + int(tree.n_children[node]) - 1]) / 2
    return rows


def _scale(ax: Any, size: tuple[float, float]) -> float:
    """Return the size of the axes in units of the size of the drawing, at most 1."""
    room = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    return float(min(1.0, room.width / size[0], room.height / size[1]))


# A preview of a tree and its ROC curve for notebooks, as inline SVG without dependencies


# Sizes in pixels, and the largest tree that is drawn.
_PLOT, _PLOT_GAP, _EDGE = 210, 46, 10
_PREVIEW_ROWS, _PREVIEW_LETTERS = 16, 26
# The tree is laid out in inches, as by matplotlib.
_PIXELS = 96.0
_BOX = 19
_WIDEST = 7.0
_LINE, _INK, _CURVE = "#9aa4af", "#1b1f24", "#cc5500"


def preview_svg(model: FittedTree) -> str:
    """Return the top of a tree as SVG, with its training ROC curve for two classes.

    The text is empty if the first levels have too many branches to draw.
    """
    tree = model.tree
    shown = list(depth_first(tree, HTML_LEVELS))
    ends = [node for node in shown if tree.is_leaf[node] or tree.depth[node] == HTML_LEVELS]
    if len(ends) > _PREVIEW_ROWS:
        return ""
    conditions = short_conditions(model, shown, _PREVIEW_LETTERS)
    outcomes = {node: outcome_text(model, node, _PREVIEW_LETTERS) for node in ends}
    x = _PIXELS * column_places(tree.depth, conditions)
    y = _EDGE + _PIXELS * row_places(model, shown, ends)
    right = max(x[tree.depth[node]] + _PIXELS * text_width(text) for node, text in outcomes.items())
    width, height = round(right) + _EDGE, round(float(y[ends].max())) + 2 * _EDGE
    parts = [*_preview_branches(model, conditions, x, y), *_preview_leaves(model, outcomes, x, y)]
    if tree.n_classes == 2:
        parts += _preview_curve(model, width + _PLOT_GAP)
        width, height = width + _PLOT_GAP + _PLOT + _EDGE, max(height, _PLOT + 50)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" style="max-width:100%;height:auto" role="img" '
        f'aria-label="The top of the tree" font-family="system-ui, sans-serif" font-size="12" '
        f'fill="currentColor">{"".join(parts)}</svg>'
    )


def _preview_branches(
    model: FittedTree, conditions: dict[int, str], x: Floats, y: Floats
) -> Iterator[str]:
    """Draw the branches, wider for more cases, with their conditions above them."""
    tree = model.tree
    for node, text in conditions.items():
        parent = int(tree.parent[node])
        x0, x1 = x[tree.depth[parent]], x[tree.depth[node]]
        wide = max(1.0, _WIDEST * float(tree.weight[node] / tree.weight[0]))
        yield (
            f'<path d="M{x0:.1f} {y[parent]:.1f}V{y[node]:.1f}H{x1:.1f}" fill="none" '
            f'stroke="{_LINE}" stroke-opacity="0.6" stroke-width="{wide:.1f}" '
            f'stroke-linejoin="round"/>{_words(x0 + 8, y[node] - 3 - wide / 2, text)}'
        )


def _preview_leaves(
    model: FittedTree, outcomes: dict[int, str], x: Floats, y: Floats
) -> Iterator[str]:
    """Draw the leaves and what is not shown below: boxes in the colour of their label."""
    for node, text in outcomes.items():
        left, middle = x[model.tree.depth[node]], y[node]
        colour = label_colour(model, int(model.node_predictions.labels[node]))
        yield (
            f'<rect x="{left:.1f}" y="{middle - _BOX / 2:.1f}" height="{_BOX}" rx="4" '
            f'width="{_PIXELS * text_width(text) - 14:.0f}" fill="{colour}" stroke="{_LINE}"/>'
            f"{_words(left + 5, middle + 4, text, colour=_INK)}"
        )


def _preview_curve(model: FittedTree, left: int) -> Iterator[str]:
    """Draw the training ROC curve, unless all cases are of one class."""
    curve = model.roc()
    if not curve.has_both_classes:
        return
    bottom = _EDGE + _PLOT
    x, y = left + _PLOT * curve.fpr, bottom - _PLOT * curve.tpr
    line = " ".join(f"{across:.1f},{up:.1f}" for across, up in zip(x, y, strict=True))
    yield (
        f'<path d="M{left} {_EDGE}V{bottom}H{left + _PLOT}M{left} {bottom}L{left + _PLOT} '
        f'{_EDGE}" fill="none" stroke="{_LINE}"/><polyline points="{line}" fill="none" '
        f'stroke="{_CURVE}" stroke-width="2.5"/>'
        f"{_words(left + _PLOT / 2, bottom + 18, 'false positive rate', anchor='middle')}"
        f"{_words(left + _PLOT - 6, bottom - 10, f'training AUC {curve.auc:.3f}', anchor='end')}"
    )


def _words(x: float, y: float, text: str, *, anchor: str = "start", colour: str = "") -> str:
    fill = f' fill="{colour}"' if colour else ""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f"<text {place}{fill}>{html.escape(text)}</text>"
