"""What the points of a curve cost, and the curves that show it for all costs at once."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.errors import DataError, ParameterError
from roctree.roc.inputs import check_cost, check_rate, check_two_classes

if TYPE_CHECKING:
    from roctree.roc.curve import Curve

Floats = NDArray[np.float64]


class CostCurve(NamedTuple):
    """The least expected cost, from 0 to 1, for all costs and priors (Drummond and Holte).

    Parameters
    ----------
    weight : share of the positives in what could be lost, prior times cost of a miss, scaled to 1
    cost : least expected cost there; straight between neighbours
    """

    weight: Floats
    cost: Floats

    @property
    def area(self) -> float:
        """The mean of the least expected cost, if all weights are equally likely."""
        return float(np.trapezoid(self.cost, self.weight))


class BrierCurve(NamedTuple):
    """The loss where a probability above the share of a false alarm in the costs means positive.

    Parameters
    ----------
    cost : share of a false alarm in the cost of one false alarm and one miss together
    loss : expected loss, with both costs adding up to 2; straight between neighbours
    """

    cost: Floats
    loss: Floats

    @property
    def area(self) -> float:
        """The Brier score of the scores as probabilities."""
        return float(np.trapezoid(self.loss, self.cost))


def expected_cost(
    curve: "Curve", cost_fp: float = 1.0, cost_fn: float = 1.0, prior: float | None = None
) -> Floats:
    """Return the expected cost per case at every point of a curve.

    It is not a number where it depends on a class without cases.

    Parameters
    ----------
    curve : the curve
    cost_fp, cost_fn : cost of a false alarm, and of a miss
    prior : share of the positives where the cases come from; None for that of the curve
    """
    for name, cost in (("cost_fp", cost_fp), ("cost_fn", cost_fn)):
        check_cost(name, cost)
    if prior is not None:
        check_rate("prior", prior)
    share = curve.prior if prior is None else prior
    none = np.zeros_like(curve.tp)
    misses = none if share == 0.0 else (1.0 - curve.tpr) * share * cost_fn
    alarms = none if share == 1.0 else curve.fpr * (1.0 - share) * cost_fp
    return misses + alarms


def cost_curve(curve: "Curve") -> CostCurve:
    """Return the lower envelope of the cost lines of all points: the hull, seen as costs."""
    check_two_classes(curve, "a cost curve")
    hull = curve.hull()
    rise, run = np.diff(hull.tpr), np.diff(hull.fpr)
    # Neighbours on the hull cost the same where the line of equal cost lies along their edge, and
    # between two such weights one corner is the cheapest.
    weight = np.concatenate([[0.0], run / (rise + run), [1.0]])
    corner = np.append(np.arange(len(hull.tpr)), len(hull.tpr) - 1)
    cost = weight * (1.0 - hull.tpr[corner]) + (1.0 - weight) * hull.fpr[corner]
    return CostCurve(weight, cost)


def brier_curve(curve: "Curve") -> BrierCurve:
    """Return the loss of taking scores for probabilities (Hernández-Orallo, Flach and Ferri)."""
    if curve.scores[0] > 1.0 or curve.scores[-1] < 0.0:
        raise ParameterError("A Brier curve is of probabilities: scores must be from 0 to 1.")
    total = curve.n_positive + curve.n_negative
    if total == 0.0:
        raise DataError("There are no cases: a Brier curve needs some.")
    # Between two neighbouring scores the cases from the higher one on are positive.
    ends = curve.scores[::-1]
    cost = np.concatenate([[0.0], np.repeat(ends, 2), [1.0]])
    regime = np.repeat(np.arange(len(ends), -1, -1), 2)
    misses, alarms = curve.n_positive - curve.tp[regime], curve.fp[regime]
    return BrierCurve(cost, 2.0 * (cost * alarms + (1.0 - cost) * misses) / total)
