"""Precision and recall of the points of a curve, plain and as gains over always saying yes."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.roc.inputs import check_two_classes
from roctree.roc.line import heights

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

    It begins where the recall gain is 0, between two points if need be: before that, saying yes to
    everything is better. Straight between neighbours.
    """

    precision: Floats
    recall: Floats

    @property
    def area(self) -> float:
        """Area under the curve, related to the expected F1 score."""
        return float(np.trapezoid(self.precision, self.recall))


def precision_recall(curve: "Curve") -> PrecisionRecall:
    """Return precision and recall at every threshold.

    Precision is 1 where nothing is called positive, recall not a number without positives.
    """
    called = curve.tp[1:] + curve.fp[1:]
    precision = np.divide(curve.tp[1:], called, out=np.ones_like(called), where=called > 0.0)
    return PrecisionRecall(precision, curve.tpr[1:], curve.scores)


def precision_recall_gain(curve: "Curve") -> PrecisionRecallGain:
    """Return precision gain and recall gain, (x - prior) / ((1 - prior) x)."""
    check_two_classes(curve, "a precision-recall-gain curve")
    # Recall is the prior where its gain is 0.
    least = curve.n_positive * curve.prior
    later = curve.tp > least
    # The lowest number of false positives there is the highest seen from the other end.
    crossing = -heights(-curve.tp[::-1], -curve.fp[::-1], -least)
    tp, fp = np.append(least, curve.tp[later]), np.append(crossing, curve.fp[later])
    odds = curve.n_positive / curve.n_negative
    return PrecisionRecallGain(1.0 - odds * fp / tp, 1.0 - odds * (curve.n_positive - tp) / tp)
