"""The ROC curve: the numbers of positives and negatives at each distinct score.

Everything about a ranking of two classes follows from one cumulative pass over its distinct scores:
area, hull, costs, precision and their uncertainty are methods of the curve.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from roctree.arrays import Floats
from roctree.data import check_weights
from roctree.errors import DataError, ParameterError
from roctree.roc import inference, threshold_choice
from roctree.roc.arithmetic import (
    area,
    cumulative,
    group_sums,
    interpolate,
    tie_groups,
    upper_hull,
)
from roctree.roc.inputs import (
    check_cost,
    check_counts,
    check_rate,
    check_scores,
    check_two_classes,
    check_vector,
    is_positive,
)
from roctree.roc.reliability import reliability
from roctree.strategy import is_finite_number

# Shown wherever counts contain fractions of cases.
IN_PARTS = "approximate: cases divided among leaves count fractionally"


class Point(NamedTuple):
    """A point of a curve; ``threshold`` is the lowest score predicted positive.

    Parameters
    ----------
    fpr : float
        False positive rate.
    tpr : float
        True positive rate.
    threshold : float
        The lowest score predicted positive.

    Examples
    --------
    >>> from roctree.roc import Curve
    >>> curve = Curve.from_leaves([0.9, 0.6, 0.2], [8, 4, 3], [2, 4, 9])
    >>> round(curve.at(fpr=0.5).tpr, 3)
    0.833
    """

    fpr: float
    tpr: float
    threshold: float


class CurvePoints(NamedTuple):
    """All points of a curve, from (0, 0), where nothing is predicted positive, to (1, 1).

    Parameters
    ----------
    fpr : float64 array
        False positive rates.
    tpr : float64 array
        True positive rates.
    threshold : float64 array
        The lowest score predicted positive.

    Examples
    --------
    >>> from roctree.roc import Curve
    >>> curve = Curve.from_leaves([0.9, 0.6, 0.2], [8, 4, 3], [2, 4, 9])
    >>> curve.points().tpr.round(3)
    array([0.   , 0.533, 0.8  , 1.   ])
    """

    fpr: Floats
    tpr: Floats
    threshold: Floats


class PrecisionRecall(NamedTuple):
    """Precision and recall at each threshold, highest first.

    Parameters
    ----------
    precision : float64 array
        Precision at each threshold.
    recall : float64 array
        Recall at each threshold.
    threshold : float64 array
        The lowest score predicted positive.

    Examples
    --------
    >>> from roctree.roc import Curve
    >>> curve = Curve.from_leaves([0.9, 0.6, 0.2], [8, 4, 3], [2, 4, 9])
    >>> round(curve.precision_recall().average, 3)
    0.704
    """

    precision: Floats
    recall: Floats
    threshold: Floats

    @property
    def average(self) -> float:
        """Average precision: the mean of the precisions, weighted by the increments of recall."""
        return float(np.sum(np.diff(self.recall, prepend=0.0) * self.precision))


class PrecisionRecallGain(NamedTuple):
    """Precision and recall gain: a harmonic scale on which "always positive" is 0 (Flach, Kull).

    The curve starts where the recall gain is 0, interpolated if necessary: before that, predicting
    everything positive is better. It is linear between points.

    Parameters
    ----------
    precision : float64 array
        Precision gains.
    recall : float64 array
        Recall gains.

    Examples
    --------
    >>> from roctree.roc import Curve
    >>> curve = Curve.from_leaves([0.9, 0.6, 0.2], [8, 4, 3], [2, 4, 9])
    >>> round(curve.precision_recall_gain().area, 3)
    0.547
    """

    precision: Floats
    recall: Floats

    @property
    def area(self) -> float:
        """Area under the curve, related to the expected F1 score."""
        return float(np.trapezoid(self.precision, self.recall))


class CostCurve(NamedTuple):
    """The lowest expected cost, normalised to 0 to 1, over all costs and priors (Drummond, Holte).

    Parameters
    ----------
    weight : float64[n]
        Probability cost: the prior of the positives times the cost of a miss, divided by the same
        sum over both classes.
    cost : float64[n]
        Lowest expected cost there; linear in between.

    Examples
    --------
    >>> from roctree.roc import Curve
    >>> curve = Curve.from_leaves([0.9, 0.6, 0.2], [8, 4, 3], [2, 4, 9])
    >>> round(curve.cost_curve().area, 3)
    0.195
    """

    weight: Floats
    cost: Floats

    @property
    def area(self) -> float:
        """Mean of the lowest expected cost if all weights are equally likely."""
        return float(np.trapezoid(self.cost, self.weight))


class BrierCurve(NamedTuple):
    """The loss of the threshold that is optimal if the scores are calibrated probabilities.

    Parameters
    ----------
    cost : float64[n]
        Cost of a false alarm, as a share of the costs of one false alarm and one miss.
    loss : float64[n]
        Expected loss with the two costs scaled to sum to 2; linear in between.

    Examples
    --------
    >>> from roctree.roc import Curve
    >>> curve = Curve.from_leaves([0.9, 0.6, 0.2], [8, 4, 3], [2, 4, 9])
    >>> round(curve.brier_curve().area, 3)
    0.202
    """

    cost: Floats
    loss: Floats

    @property
    def area(self) -> float:
        """Brier score of the scores as probabilities."""
        return float(np.trapezoid(self.loss, self.cost))


@dataclass(frozen=True, eq=False)
class Curve:
    """The positives and negatives at each distinct score, highest first.

    Construct it with ``from_leaves``, ``from_scores``, or the ``roc`` method of a fitted tree. If a
    class has no cases, its rates and the areas are NaN, and methods that need both classes
    (intervals, bands, cost curves) raise ``DataError``.

    Parameters
    ----------
    scores : float64[n]
        Distinct scores in decreasing order.
    positives, negatives : float64[n]
        Weights of the cases at each score.
    in_parts : bool
        Whether the counts contain fractions of cases that are predicted as a whole, which makes
        the curve approximate.
    positive_class : label
        The positive class, where it is known; None otherwise.

    Examples
    --------
    >>> curve = Curve.from_leaves([5 / 6, 2 / 3, 3 / 8], positives=[5, 4, 3], negatives=[1, 2, 5])
    >>> curve.auc
    0.71875
    """

    scores: Floats
    positives: Floats
    negatives: Floats
    in_parts: bool = False
    positive_class: Any = None

    def __post_init__(self) -> None:
        # Derived values are cached, so the arrays must not change.
        for name in ("scores", "positives", "negatives"):
            view = getattr(self, name).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    @classmethod
    def from_leaves(
        cls, scores: ArrayLike, positives: ArrayLike, negatives: ArrayLike, *, exact: bool = False
    ) -> "Curve":
        """Return the curve of a table of leaves: their scores and the cases that reached each.

        Parameters
        ----------
        scores : array-like
            One score per leaf, usually from training.
        positives, negatives : array-like
            Weights of the cases of any data set in each leaf.
        exact : bool
            Whether scores tie only if equal to the last bit, as in scikit-learn; otherwise if equal
            to 12 decimals.

        Returns
        -------
        Curve
            The curve.

        Examples
        --------
        >>> Curve.from_leaves([0.9, 0.5, 0.1], [8, 3, 1], [1, 4, 7]).auc
        0.8506944444444444
        """
        values = check_vector("scores", scores)
        ours = check_counts("positives", check_vector("positives", positives))
        theirs = check_counts("negatives", check_vector("negatives", negatives))
        if not len(values) == len(ours) == len(theirs) or len(values) == 0:
            raise DataError(
                f"There are {len(values)} scores, {len(ours)} counts of positives and "
                f"{len(theirs)} of negatives: pass one of each per leaf, for at least one leaf."
            )
        distinct, groups = tie_groups(values, exact)
        n = len(distinct)
        return cls(distinct, group_sums(groups, ours, n), group_sums(groups, theirs, n))

    @classmethod
    def from_scores(
        cls,
        y: Any,
        scores: ArrayLike,
        *,
        positive: Any = None,
        sample_weight: ArrayLike | None = None,
        exact: bool = False,
    ) -> "Curve":
        """Return the curve of scored cases.

        Parameters
        ----------
        y : array-like
            Class of each case.
        scores : array-like
            Score of each case; higher means more likely positive.
        positive : label, optional
            Positive class; by default the last in sorted order.
        sample_weight : array-like, optional
            Weights of the cases.
        exact : bool
            Whether scores tie only if equal to the last bit, as in scikit-learn; otherwise if equal
            to 12 decimals.

        Returns
        -------
        Curve
            The curve.

        Examples
        --------
        >>> Curve.from_scores(["no", "yes", "yes"], [0.2, 0.7, 0.1]).auc
        0.5
        """
        truth = is_positive(y, positive)
        values = check_scores(scores, truth)
        weights = check_weights(sample_weight, len(truth))
        return cls.from_leaves(values, weights * truth, weights * ~truth, exact=exact)

    @cached_property
    def tp(self) -> Floats:
        """Cumulative weight of the positives, starting from 0."""
        return cumulative(self.positives)

    @cached_property
    def fp(self) -> Floats:
        """Cumulative weight of the negatives, starting from 0."""
        return cumulative(self.negatives)

    @property
    def n_positive(self) -> float:
        """Total weight of the positives."""
        return float(self.tp[-1])

    @property
    def n_negative(self) -> float:
        """Total weight of the negatives."""
        return float(self.fp[-1])

    @property
    def has_both_classes(self) -> bool:
        """Whether there are positives and negatives."""
        return min(self.n_positive, self.n_negative) > 0.0

    @property
    def prior(self) -> float:
        """Share of positives; NaN without cases."""
        total = self.n_positive + self.n_negative
        return self.n_positive / total if total > 0.0 else np.nan

    @cached_property
    def tpr(self) -> Floats:
        """True positive rates; NaN without positives."""
        return _rates_of(self.tp)

    @cached_property
    def fpr(self) -> Floats:
        """False positive rates; NaN without negatives."""
        return _rates_of(self.fp)

    @cached_property
    def auc(self) -> float:
        """Area under the curve: the probability that a positive scores above a negative.

        Ties count half. NaN unless both classes have cases.
        """
        return area(self.positives, self.negatives)

    def points(self) -> CurvePoints:
        """Return the points and their thresholds; that of (0, 0) is infinite.

        Returns
        -------
        CurvePoints
            Rates and thresholds.

        Examples
        --------
        >>> curve = Curve.from_scores([0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.9])
        >>> curve.points().tpr.round(2)
        array([0.  , 0.33, 0.67, 0.67, 1.  , 1.  ])
        """
        return CurvePoints(self.fpr, self.tpr, np.append(np.inf, self.scores))

    def hull(self) -> "Curve":
        """Return the upper convex hull as a curve.

        The scores along an edge are merged into the lowest of them.

        Returns
        -------
        Curve
            The hull.

        Examples
        --------
        >>> curve = Curve.from_scores([0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.9])
        >>> len(curve.scores), len(curve.hull().scores)
        (5, 3)
        """
        vertices = upper_hull(self.fp, self.tp)
        steps = np.diff(vertices)
        groups = np.repeat(np.arange(len(steps)), steps)
        return Curve(
            self.scores[vertices[1:] - 1],
            group_sums(groups, self.positives, len(steps)),
            group_sums(groups, self.negatives, len(steps)),
        )

    def partial_auc(self, max_fpr: float = 1.0, standardised: bool = True) -> float:
        """Return the area up to a false positive rate.

        Parameters
        ----------
        max_fpr : float
            Above 0 and at most 1.
        standardised : bool
            Whether to rescale it so that chance is 0.5 and a perfect curve is 1 (McClish).

        Returns
        -------
        float
            The area.

        Examples
        --------
        >>> curve = Curve.from_scores([0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.9])
        >>> round(curve.partial_auc(0.5), 3)
        0.778
        """
        if not is_finite_number(max_fpr) or not 0.0 < max_fpr <= 1.0:
            raise ParameterError(
                parameter="max_fpr", value=max_fpr, reason="must be a number above 0 and at most 1"
            )
        if max_fpr == 1.0 or not self.has_both_classes:
            return self.auc
        stop = int(np.searchsorted(self.fpr, max_fpr, side="right"))
        end = interpolate(self.fpr, self.tpr, max_fpr)
        part = float(
            np.trapezoid(np.append(self.tpr[:stop], end), np.append(self.fpr[:stop], max_fpr))
        )
        least = 0.5 * max_fpr**2
        return 0.5 * (1.0 + (part - least) / (max_fpr - least)) if standardised else part

    def at(self, *, fpr: float | None = None, tpr: float | None = None) -> Point:
        """Return the point with a given rate, interpolated between thresholds if necessary.

        Where several points have that rate, it is the one with the highest true, or the lowest
        false, positive rate. The threshold is that of the preceding vertex: between vertices some
        of the tied cases must be predicted positive at random.

        Parameters
        ----------
        fpr : float or None
            False positive rate.
        tpr : float or None
            True positive rate; give one of the two.

        Returns
        -------
        Point
            Rates and threshold.

        Examples
        --------
        >>> curve = Curve.from_scores([0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.9])
        >>> point = curve.at(fpr=0.5)
        >>> point.tpr, point.threshold
        (1.0, 0.35)
        """
        if fpr is not None and tpr is None:
            return self._at_fpr(fpr)
        if tpr is not None and fpr is None:
            return self._at_tpr(tpr)
        raise ParameterError("at() needs exactly one of fpr and tpr.")

    def _at_fpr(self, fpr: float) -> Point:
        check_rate("fpr", fpr)
        if not self.has_both_classes:
            return Point(fpr, np.nan, np.nan)
        vertex = int(np.searchsorted(self.fpr, fpr, side="right")) - 1
        found = float(interpolate(self.fpr, self.tpr, fpr))
        return Point(fpr, found, float(self.points().threshold[vertex]))

    def _at_tpr(self, tpr: float) -> Point:
        check_rate("tpr", tpr)
        if not self.has_both_classes:
            return Point(np.nan, tpr, np.nan)
        after = int(np.searchsorted(self.tpr, tpr, side="left"))
        vertex = after if self.tpr[after] == tpr else after - 1
        # Seen from the other end, the lowest false positive rate is the highest.
        found = 0.0 - float(interpolate(-self.tpr[::-1], -self.fpr[::-1], -tpr))
        return Point(found, tpr, float(self.points().threshold[vertex]))

    def precision_recall(self) -> PrecisionRecall:
        """Return precision and recall at every threshold.

        Precision is 1 where nothing is predicted positive; recall is NaN without positives.

        Returns
        -------
        PrecisionRecall
            The curve; ``average`` is the average precision.

        Examples
        --------
        >>> curve = Curve.from_scores([0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.9])
        >>> round(curve.precision_recall().average, 3)
        0.917
        """
        called = self.tp[1:] + self.fp[1:]
        precision = np.divide(self.tp[1:], called, out=np.ones_like(called), where=called > 0.0)
        return PrecisionRecall(precision, self.tpr[1:], self.scores)

    def precision_recall_gain(self) -> PrecisionRecallGain:
        """Return precision gain and recall gain, (x - prior) / ((1 - prior) x).

        Returns
        -------
        PrecisionRecallGain
            The curve; ``area`` is the area under it.

        Examples
        --------
        >>> curve = Curve.from_scores([0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.9])
        >>> round(curve.precision_recall_gain().area, 3)
        0.531
        """
        check_two_classes(self, "a precision-recall-gain curve")
        # The recall gain is 0 where recall equals the prior.
        least = self.n_positive * self.prior
        later = self.tp > least
        # Seen from the other end, the lowest number of false positives is the highest.
        crossing = -interpolate(-self.tp[::-1], -self.fp[::-1], -least)
        tp, fp = np.append(least, self.tp[later]), np.append(crossing, self.fp[later])
        odds = self.n_positive / self.n_negative
        return PrecisionRecallGain(1.0 - odds * fp / tp, 1.0 - odds * (self.n_positive - tp) / tp)

    def expected_cost(
        self, cost_fp: float = 1.0, cost_fn: float = 1.0, prior: float | None = None
    ) -> Floats:
        """Return the expected cost per case at every point; NaN if it depends on an empty class.

        Parameters
        ----------
        cost_fp, cost_fn : float
            Cost of a false alarm, and of a miss.
        prior : float, optional
            Share of positives in the target population; by default that of the curve.

        Returns
        -------
        float64 array
            Cost at each point of the curve.

        Examples
        --------
        >>> curve = Curve.from_scores([0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.9])
        >>> curve.expected_cost(cost_fp=1, cost_fn=5).round(2)
        array([3. , 2. , 1. , 1.2, 0.2, 0.4])
        """
        for name, cost in (("cost_fp", cost_fp), ("cost_fn", cost_fn)):
            check_cost(name, cost)
        if prior is not None:
            check_rate("prior", prior)
        share = self.prior if prior is None else prior
        none = np.zeros_like(self.tp)
        misses = none if share == 0.0 else (1.0 - self.tpr) * share * cost_fn
        alarms = none if share == 1.0 else self.fpr * (1.0 - share) * cost_fp
        return misses + alarms

    def cost_curve(self) -> CostCurve:
        """Return the lower envelope of the cost lines of all points: the dual of the hull.

        Returns
        -------
        CostCurve
            The curve.

        Examples
        --------
        >>> curve = Curve.from_scores([0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.9])
        >>> round(float(curve.cost_curve().cost.max()), 3)
        0.2
        """
        check_two_classes(self, "a cost curve")
        hull = self.hull()
        rise, run = np.diff(hull.tpr), np.diff(hull.fpr)
        # Two adjacent vertices of the hull cost the same where the iso-cost line is parallel to
        # their edge; between two such weights a single vertex is cheapest.
        weight = np.concatenate([[0.0], run / (rise + run), [1.0]])
        vertex = np.append(np.arange(len(hull.tpr)), len(hull.tpr) - 1)
        cost = weight * (1.0 - hull.tpr[vertex]) + (1.0 - weight) * hull.fpr[vertex]
        return CostCurve(weight, cost)

    def brier_curve(self) -> BrierCurve:
        """Return the loss of using the scores as probabilities (Hernández-Orallo, Flach, Ferri).

        Returns
        -------
        BrierCurve
            The curve; its area is the Brier score.

        Examples
        --------
        >>> curve = Curve.from_scores([0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.9])
        >>> round(curve.brier_curve().area, 3)
        0.129
        """
        if self.scores[0] > 1.0 or self.scores[-1] < 0.0:
            raise ParameterError("A Brier curve needs probabilities: scores must be from 0 to 1.")
        total = self.n_positive + self.n_negative
        if total == 0.0:
            raise DataError("There are no cases: a Brier curve needs at least one.")
        # Between two adjacent scores, the cases from the higher one upwards are predicted positive.
        ends = self.scores[::-1]
        cost = np.concatenate([[0.0], np.repeat(ends, 2), [1.0]])
        regime = np.repeat(np.arange(len(ends), -1, -1), 2)
        misses, alarms = self.n_positive - self.tp[regime], self.fp[regime]
        return BrierCurve(cost, 2.0 * (cost * alarms + (1.0 - cost) * misses) / total)

    loss_curve = threshold_choice.loss_curve
    expected_loss = threshold_choice.expected_loss
    h_measure = threshold_choice.h_measure
    reliability = reliability
    auc_variance = inference.auc_variance
    auc_interval = inference.auc_interval
    band = inference.band

    def __repr__(self) -> str:
        named = "" if self.positive_class is None else f"{self.positive_class!r}, "
        return (
            f"<Curve of {named}{len(self.scores)} scores, {self.n_positive:g} positives and "
            f"{self.n_negative:g} negatives, AUC {self.auc:.4f}"
            + (f", {IN_PARTS}>" if self.in_parts else ">")
        )


def _rates_of(counts: Floats) -> Floats:
    total = counts[-1]
    return counts / total if total > 0.0 else np.full_like(counts, np.nan)
