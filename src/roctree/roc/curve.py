"""The ROC curve: cases sorted by a score, and how many of them are positive and negative.

Everything about a ranking of two classes follows from one cumulative pass over its distinct scores:
area, hull, costs, precision and their uncertainty are methods of the curve.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roctree.data.labels import check_weights
from roctree.errors import DataError, ParameterError
from roctree.roc import bands, costs, inference, inputs, precision
from roctree.roc.line import convex, heights
from roctree.roc.ranking import area, cumulated, sums, tie_groups
from roctree.strategy import is_number

Floats = NDArray[np.float64]
# What is said of figures that take a case for its parts.
IN_PARTS = "approximate, as cases divided among leaves count in parts"


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

    Make one by ``from_leaves``, ``from_scores``, or ``roc`` of a fitted tree. What a class without
    cases leaves undefined is not a number (rates, areas), or refused (intervals, cost curves).

    Parameters
    ----------
    scores : float64[n], distinct and falling
    positives, negatives : float64[n], weights of the cases with each score
    in_parts : whether cases count in parts that are labelled as a whole: all is approximate

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

    def __post_init__(self) -> None:
        for name in ("scores", "positives", "negatives"):
            # What is derived from them is kept, so that they must not change.
            view = getattr(self, name).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    @classmethod
    def from_leaves(
        cls, scores: ArrayLike, positives: ArrayLike, negatives: ArrayLike, *, exact: bool = False
    ) -> "Curve":
        """Make the curve of a table of leaves: their scores, and the cases that came to each.

        Parameters
        ----------
        scores : one for each leaf, usually from training
        positives, negatives : weights of the cases of any data set in each leaf
        exact : whether scores are ties only if equal to the last bit, as in scikit-learn; else if
            equal to 12 decimals
        """
        values = inputs.numbers("scores", scores)
        ours = inputs.counts("positives", inputs.numbers("positives", positives))
        theirs = inputs.counts("negatives", inputs.numbers("negatives", negatives))
        if not len(values) == len(ours) == len(theirs) or len(values) == 0:
            raise DataError(
                f"There are {len(values)} scores, {len(ours)} counts of positives and "
                f"{len(theirs)} of negatives: give one of each for every leaf, and at least one."
            )
        distinct, groups = tie_groups(values, exact)
        n = len(distinct)
        return cls(distinct, sums(groups, ours, n), sums(groups, theirs, n))

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
        """Make the curve of scored cases.

        Parameters
        ----------
        y : the class of each case
        scores : higher for cases that seem more likely positive
        positive : the class that counts as positive; None for the last in sorted order
        sample_weight : weights of the cases, None for ones
        exact : whether scores are ties only if equal to the last bit, as in scikit-learn; else if
            equal to 12 decimals
        """
        truth = inputs.is_positive(y, positive)
        values = inputs.scored(scores, truth)
        weights = check_weights(sample_weight, len(truth))
        return cls.from_leaves(values, weights * truth, weights * ~truth, exact=exact)

    @cached_property
    def tp(self) -> Floats:
        """Positives with at least each score, after a zero."""
        return cumulated(self.positives)

    @cached_property
    def fp(self) -> Floats:
        """Negatives with at least each score, after a zero."""
        return cumulated(self.negatives)

    @property
    def n_positive(self) -> float:
        """Weight of all positives."""
        return float(self.tp[-1])

    @property
    def n_negative(self) -> float:
        """Weight of all negatives."""
        return float(self.fp[-1])

    @property
    def has_both_classes(self) -> bool:
        """Whether there are positives and negatives."""
        return min(self.n_positive, self.n_negative) > 0.0

    @property
    def prior(self) -> float:
        """Share of the positives; not a number where there are no cases."""
        total = self.n_positive + self.n_negative
        return self.n_positive / total if total > 0.0 else np.nan

    @cached_property
    def tpr(self) -> Floats:
        """True positive rates; not a number where there are no positives."""
        return _rates(self.tp)

    @cached_property
    def fpr(self) -> Floats:
        """False positive rates; not a number where there are no negatives."""
        return _rates(self.fp)

    @cached_property
    def auc(self) -> float:
        """Area under the curve: the chance that a positive scores above a negative, ties half.

        Not a number where there are no positives or no negatives.
        """
        return area(self.positives, self.negatives)

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
            sums(groups, self.positives, len(steps)),
            sums(groups, self.negatives, len(steps)),
        )

    def partial_auc(self, max_fpr: float = 1.0, standardised: bool = True) -> float:
        """Return the area up to a false positive rate.

        Parameters
        ----------
        max_fpr : above 0, at most 1
        standardised : whether to scale it so that chance is 0.5 and a perfect curve 1 (McClish)
        """
        if not is_number(max_fpr) or not 0.0 < max_fpr <= 1.0:
            raise ParameterError(f"max_fpr={max_fpr!r} is no rate: give a number above 0, up to 1.")
        if max_fpr == 1.0 or not self.has_both_classes:
            return self.auc
        stop = int(np.searchsorted(self.fpr, max_fpr, side="right"))
        end = heights(self.fpr, self.tpr, max_fpr)
        part = float(
            np.trapezoid(np.append(self.tpr[:stop], end), np.append(self.fpr[:stop], max_fpr))
        )
        least = 0.5 * max_fpr**2
        return 0.5 * (1.0 + (part - least) / (max_fpr - least)) if standardised else part

    def at(self, *, fpr: float | None = None, tpr: float | None = None) -> Point:
        """Return the point with a rate, between two thresholds if need be.

        It takes the highest true, or the lowest false, positive rate of those with that rate. The
        threshold is that of the corner before: between corners some ties must be called positive.
        """
        if fpr is not None and tpr is None:
            return self._at_fpr(fpr)
        if tpr is not None and fpr is None:
            return self._at_tpr(tpr)
        raise ParameterError("Give at() either fpr or tpr.")

    def _at_fpr(self, fpr: float) -> Point:
        inputs.check_rate("fpr", fpr)
        if not self.has_both_classes:
            return Point(fpr, np.nan, np.nan)
        corner = int(np.searchsorted(self.fpr, fpr, side="right")) - 1
        found = float(heights(self.fpr, self.tpr, fpr))
        return Point(fpr, found, float(self.points().threshold[corner]))

    def _at_tpr(self, tpr: float) -> Point:
        inputs.check_rate("tpr", tpr)
        if not self.has_both_classes:
            return Point(np.nan, tpr, np.nan)
        after = int(np.searchsorted(self.tpr, tpr, side="left"))
        corner = after if self.tpr[after] == tpr else after - 1
        # Seen from the other end, the lowest false positive rate is the highest.
        found = 0.0 - float(heights(-self.tpr[::-1], -self.fpr[::-1], -tpr))
        return Point(found, tpr, float(self.points().threshold[corner]))

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
            f"{self.n_negative:g} negatives, AUC {self.auc:.4f}"
            + (f", {IN_PARTS}>" if self.in_parts else ">")
        )


def _rates(counts: Floats) -> Floats:
    total = counts[-1]
    return counts / total if total > 0.0 else np.full_like(counts, np.nan)
