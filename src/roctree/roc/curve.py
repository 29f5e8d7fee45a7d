"""The ROC curve: cases sorted by a score, and how many of them are positive and negative.

Everything about a ranking of two classes follows from one cumulative pass over its distinct scores:
area, hull, costs, precision and their uncertainty are methods of the curve.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roctree.errors import DataError, ParameterError
from roctree.roc import bands, costs, inference, precision
from roctree.roc.hull import convex

Floats = NDArray[np.float64]

# Scores are compared after rounding: shares that are equal on paper may differ in the last bit.
DIGITS = 12


class Point(NamedTuple):
    """A point of a curve; ``threshold`` is the least score called positive."""

    fpr: float
    tpr: float
    threshold: float


class Points(NamedTuple):
    """All points of a curve, from (0, 0), where nothing is positive, to (1, 1)."""

    fpr: Floats
    tpr: Floats
    threshold: Floats


@dataclass(frozen=True, eq=False)
class Curve:
    """Positives and negatives of every distinct score, highest first.

    Parameters
    ----------
    scores : float64[n], distinct and falling
    positives, negatives : float64[n], weights of the cases with each score

    Examples
    --------
    >>> curve = Curve.from_leaves([5 / 6, 2 / 3, 3 / 8], positives=[5, 4, 3], negatives=[1, 2, 5])
    >>> curve.auc
    0.71875
    """

    scores: Floats
    positives: Floats
    negatives: Floats

    @classmethod
    def from_leaves(
        cls, scores: ArrayLike, positives: ArrayLike, negatives: ArrayLike, *, exact: bool = False
    ) -> "Curve":
        """Make the curve of a table of leaves: their scores, and the cases that came to each.

        Parameters
        ----------
        scores : one for each leaf, usually from training
        positives, negatives : weights of the cases of any data set in each leaf
        exact : whether scores are ties only if equal to the last bit, as in scikit-learn
        """
        values = _checked("scores", scores)
        ours, theirs = _checked("positives", positives), _checked("negatives", negatives)
        if not len(values) == len(ours) == len(theirs) or len(values) == 0:
            raise DataError(
                f"There are {len(values)} scores, {len(ours)} counts of positives and "
                f"{len(theirs)} of negatives: give one of each for every leaf, and at least one."
            )
        if (ours < 0.0).any() or (theirs < 0.0).any():
            raise DataError("Counts of positives and negatives must not be negative.")
        distinct, place = np.unique(
            values if exact else np.round(values, DIGITS), return_inverse=True
        )
        n = len(distinct)
        return cls(
            distinct[::-1],
            _sums(place, ours, n)[::-1],
            _sums(place, theirs, n)[::-1],
        )

    @classmethod
    def from_scores(
        cls,
        y: ArrayLike,
        scores: ArrayLike,
        *,
        positive: Any = None,
        sample_weight: ArrayLike | None = None,
        exact: bool = False,
    ) -> "Curve":
        """Make the curve of scored cases.

        Parameters
        ----------
        y : the class of each case
        scores : higher for cases that seem more likely positive
        positive : the class that counts as positive; None for the last in sorted order
        sample_weight : weights of the cases, None for ones
        exact : whether scores are ties only if equal to the last bit, as in scikit-learn
        """
        truth = is_positive(np.asarray(y), positive)
        weights = np.ones(len(truth)) if sample_weight is None else _checked("w", sample_weight)
        if len(weights) != len(truth):
            raise DataError(f"There are {len(weights)} weights for {len(truth)} cases.")
        return cls.from_leaves(
            scores, np.where(truth, weights, 0.0), np.where(truth, 0.0, weights), exact=exact
        )

    @cached_property
    def tp(self) -> Floats:
        """Positives with at least each score, after a zero."""
        return np.append(0.0, np.cumsum(self.positives))

    @cached_property
    def fp(self) -> Floats:
        """Negatives with at least each score, after a zero."""
        return np.append(0.0, np.cumsum(self.negatives))

    @property
    def n_positive(self) -> float:
        """Weight of all positives."""
        return float(self.tp[-1])

    @property
    def n_negative(self) -> float:
        """Weight of all negatives."""
        return float(self.fp[-1])

    @property
    def prior(self) -> float:
        """Share of the positives."""
        return self.n_positive / (self.n_positive + self.n_negative)

    @cached_property
    def tpr(self) -> Floats:
        """True positive rates; not a number where there are no positives."""
        return _rates(self.tp)

    @cached_property
    def fpr(self) -> Floats:
        """False positive rates; not a number where there are no negatives."""
        return _rates(self.fp)

    @property
    def auc(self) -> float:
        """Area under the curve: the chance that a positive scores above a negative, ties half."""
        return float(np.trapezoid(self.tpr, self.fpr))

    def points(self) -> Points:
        """Return the points, with the threshold of each; that of (0, 0) is infinite."""
        return Points(self.fpr, self.tpr, np.append(np.inf, self.scores))

    def hull(self) -> "Curve":
        """Return the upper convex hull as a curve: scores between its corners are merged.

        Each has the lowest score of its segment.
        """
        corners = convex(self.fp, self.tp)
        steps = np.diff(corners)
        groups = np.repeat(np.arange(len(steps)), steps)
        return Curve(
            self.scores[corners[1:] - 1],
            _sums(groups, self.positives, len(steps)),
            _sums(groups, self.negatives, len(steps)),
        )

    def partial_auc(self, max_fpr: float = 1.0, standardised: bool = True) -> float:
        """Return the area up to a false positive rate.

        Parameters
        ----------
        max_fpr : above 0, at most 1
        standardised : whether to scale it so that chance is 0.5 and a perfect curve 1 (McClish)
        """
        if not 0.0 < max_fpr <= 1.0:
            raise ParameterError(f"max_fpr={max_fpr!r} is no rate: give a number above 0, up to 1.")
        stop = int(np.searchsorted(self.fpr, max_fpr, side="right"))
        fpr = np.append(self.fpr[:stop], max_fpr)
        tpr = np.append(
            self.tpr[:stop], np.interp(max_fpr, self.fpr[stop - 1 :], self.tpr[stop - 1 :])
        )
        area = float(np.trapezoid(tpr, fpr))
        if not standardised or max_fpr == 1.0:
            return area
        least = 0.5 * max_fpr**2
        return 0.5 * (1.0 + (area - least) / (max_fpr - least))

    def at(self, *, fpr: float | None = None, tpr: float | None = None) -> Point:
        """Return the point with a rate, between two thresholds if need be.

        It takes the highest true, or the lowest false, positive rate of those with that rate. The
        threshold is that of the corner before: between corners some ties must be called positive.
        """
        if (fpr is None) == (tpr is None):
            raise ParameterError("Give at() either fpr or tpr.")
        name, wanted = ("fpr", fpr) if fpr is not None else ("tpr", tpr)
        if wanted is None or not 0.0 <= wanted <= 1.0:
            raise ParameterError(f"{name}={wanted!r} is no rate: give a number from 0 to 1.")
        along, other = (self.fpr, self.tpr) if fpr is not None else (self.tpr, self.fpr)
        side: Literal["left", "right"] = "right" if fpr is not None else "left"
        after = int(np.searchsorted(along, wanted, side=side))
        before = max(after - 1, 0) if fpr is not None else min(after, len(along) - 1)
        if along[before] == wanted or len(along) == 1:
            found, corner = float(other[before]), before
        else:
            first = before if fpr is not None else before - 1
            part = (wanted - along[first]) / (along[first + 1] - along[first])
            found = float(other[first] + part * (other[first + 1] - other[first]))
            corner = first
        rates = (wanted, found) if fpr is not None else (found, wanted)
        return Point(*rates, float(self.points().threshold[corner]))

    cost_curve = costs.cost_curve
    brier_curve = costs.brier_curve
    expected_cost = costs.expected_cost
    precision_recall = precision.precision_recall
    precision_recall_gain = precision.precision_recall_gain
    auc_variance = inference.auc_variance
    auc_interval = inference.auc_interval
    band = bands.band

    def __repr__(self) -> str:
        return (
            f"<Curve of {len(self.scores)} scores, {self.n_positive:g} positives and "
            f"{self.n_negative:g} negatives, AUC {self.auc:.4f}>"
        )


def is_positive(y: NDArray[Any], positive: Any) -> NDArray[np.bool_]:
    """Return which labels are the positive class, None for the last of two in sorted order."""
    if y.ndim != 1:
        raise DataError(f"y has shape {y.shape}: give one label for each case.")
    if positive is not None:
        return np.asarray(y == positive)
    classes = np.unique(y)
    if len(classes) > 2:
        raise DataError(f"y has {len(classes)} classes: say which one is positive.")
    if len(classes) == 1 and classes[0] in (0, -1, False):
        return np.zeros(len(y), dtype=np.bool_)
    return np.asarray(y == classes[-1]) if len(classes) else np.zeros(0, dtype=np.bool_)


def _sums(groups: NDArray[Any], weights: Floats, n: int) -> Floats:
    """The weights of each group."""
    return np.bincount(groups, weights, minlength=n).astype(np.float64)


def _rates(cumulated: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(cumulated / cumulated[-1])


def _checked(name: str, values: ArrayLike) -> Floats:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise DataError(f"{name} must be finite numbers in one row; shape {numbers.shape}.")
    return numbers
