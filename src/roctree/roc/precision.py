"""Precision and recall of the points of a curve, plain and as gains over always saying yes."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from roctree.roc.curve import Curve

Floats = NDArray[np.float64]


class PrecisionRecall(NamedTuple):
    """Precision and recall with at least each score, from the highest on."""

    precision: Floats
    recall: Floats
    threshold: Floats

    @property
    def average(self) -> float:
        """Average precision: the sum of precisions, weighted by the steps of recall."""
        return float(np.sum(np.diff(self.recall, prepend=0.0) * self.precision))


class PrecisionRecallGain(NamedTuple):
    """Precision and recall on a harmonic scale where always saying yes is 0 (Flach and Kull).

    Points that are worse than that have no gain and are left out, but for where the curve crosses
    a recall gain of 0.
    """

    precision: Floats
    recall: Floats

    @property
    def area(self) -> float:
        """Area under the curve, related to the expected F1 score."""
        return float(np.trapezoid(self.precision, self.recall))


def precision_recall(curve: "Curve") -> PrecisionRecall:
    """Return precision and recall at every threshold."""
    called = curve.tp[1:] + curve.fp[1:]
    # Nothing is called positive at scores that no case has, where the next precision would hold.
    precision = np.divide(curve.tp[1:], called, out=np.ones_like(called), where=called > 0.0)
    recall = curve.tpr[1:] if curve.n_positive > 0.0 else np.ones_like(called)
    return PrecisionRecall(precision, recall, curve.scores)


def precision_recall_gain(curve: "Curve") -> PrecisionRecallGain:
    """Return precision gain and recall gain, (x - prior) / ((1 - prior) x)."""
    tp, fp = _from_where_recall_gains(curve)
    fn = curve.n_positive - tp
    odds = curve.n_positive / curve.n_negative if curve.n_negative > 0.0 else np.inf
    precision = 1.0 - odds * fp / tp
    recall = 1.0 - odds * fn / tp
    return PrecisionRecallGain(precision, recall)


def _from_where_recall_gains(curve: "Curve") -> tuple[Floats, Floats]:
    """The counts of true and false positives, beginning where recall is the prior."""
    least = curve.n_positive * curve.prior
    after = int(np.searchsorted(curve.tp, least, side="left"))
    crossing = np.interp(least, curve.tp[after - 1 : after + 1], curve.fp[after - 1 : after + 1])
    start = after if curve.tp[after] > least else after + 1
    return np.append(least, curve.tp[start:]), np.append(crossing, curve.fp[start:])
