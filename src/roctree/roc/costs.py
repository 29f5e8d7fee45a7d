"""Expected costs of the points of a curve, and the curves that show them for all costs at once."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.errors import DataError, ParameterError
from roctree.roc.inputs import check_cost, check_rate, check_two_classes

if TYPE_CHECKING:
    from roctree.roc.curve import Curve

Floats = NDArray[np.float64]


class CostCurve(NamedTuple):
    """The lowest expected cost, normalised to 0 to 1, over all costs and priors (Drummond, Holte).

    Parameters
    ----------
    weight : float64[n]
        Probability cost: the prior of the positives times the cost of a miss, divided by the same
        sum over both classes.
    cost : float64[n]
        Lowest expected cost there; linear in between.
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
    """

    cost: Floats
    loss: Floats

    @property
    def area(self) -> float:
        """Brier score of the scores as probabilities."""
        return float(np.trapezoid(self.loss, self.cost))


def expected_cost(
    curve: "Curve", cost_fp: float = 1.0, cost_fn: float = 1.0, prior: float | None = None
) -> Floats:
    """Return the expected cost per case at every point; NaN if it depends on an empty class.

    Parameters
    ----------
    curve : Curve
    cost_fp, cost_fn : float
        Cost of a false alarm, and of a miss.
    prior : float, optional
        Share of positives in the target population; by default that of the curve.
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
    """Return the lower envelope of the cost lines of all points: the dual of the hull."""
    check_two_classes(curve, "a cost curve")
    hull = curve.hull()
    rise, run = np.diff(hull.tpr), np.diff(hull.fpr)
    # Two adjacent vertices of the hull cost the same where the iso-cost line is parallel to their
    # edge; between two such weights a single vertex is cheapest.
    weight = np.concatenate([[0.0], run / (rise + run), [1.0]])
    vertex = np.append(np.arange(len(hull.tpr)), len(hull.tpr) - 1)
    cost = weight * (1.0 - hull.tpr[vertex]) + (1.0 - weight) * hull.fpr[vertex]
    return CostCurve(weight, cost)


def brier_curve(curve: "Curve") -> BrierCurve:
    """Return the loss of using the scores as probabilities (Hernández-Orallo, Flach, Ferri)."""
    if curve.scores[0] > 1.0 or curve.scores[-1] < 0.0:
        raise ParameterError("A Brier curve needs probabilities: scores must be from 0 to 1.")
    total = curve.n_positive + curve.n_negative
    if total == 0.0:
        raise DataError("There are no cases: a Brier curve needs at least one.")
    # Between two adjacent scores, the cases from the higher one upwards are predicted positive.
    ends = curve.scores[::-1]
    cost = np.concatenate([[0.0], np.repeat(ends, 2), [1.0]])
    regime = np.repeat(np.arange(len(ends), -1, -1), 2)
    misses, alarms = curve.n_positive - curve.tp[regime], curve.fp[regime]
    return BrierCurve(cost, 2.0 * (cost * alarms + (1.0 - cost) * misses) / total)
