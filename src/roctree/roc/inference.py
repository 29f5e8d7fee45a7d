"""How certain an area under the curve is: DeLong's variance, with ties as trees make them.

The variance comes from placements: for each positive the share of negatives below it, for each
negative the share of positives above, half of the ties in both. All cases of one score share
theirs, so that the leaves of a tree are all that is needed.
"""

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from roctree.errors import DataError, ParameterError

if TYPE_CHECKING:
    from roctree.roc.curve import Curve

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """From ``low`` to ``high``, at a level of confidence."""

    low: float
    high: float


class Comparison(NamedTuple):
    """Two areas under the curve of the same cases, and whether they differ."""

    first: float
    second: float
    difference: float
    deviation: float
    z: float
    p: float
    interval: Interval


def auc_variance(curve: "Curve") -> float:
    """Return DeLong's variance of the area; weights count as numbers of cases."""
    _check_sizes(curve.n_positive, curve.n_negative)
    of_positives, of_negatives = placements(curve)
    return _spread(of_positives, curve.positives) + _spread(of_negatives, curve.negatives)


def auc_interval(
    curve: "Curve", level: float = 0.95, method: Literal["logit", "wald"] = "logit"
) -> Interval:
    """Return a confidence interval of the area.

    Parameters
    ----------
    curve : the curve
    level : of confidence
    method : "logit" on the scale of log-odds, which stays inside 0 and 1; "wald" plus and minus.
        Where the classes are separated the variance is zero, and the interval says what as many
        pairs as the smaller class has cases allow.
    """
    check_level(level)
    if method not in ("logit", "wald"):
        raise ParameterError(f"method={method!r} is not known: choose from 'logit', 'wald'")
    auc, deviation = curve.auc, math.sqrt(auc_variance(curve))
    width = float(ndtri(0.5 + level / 2.0))
    if auc in (0.0, 1.0):
        least = ((1.0 - level) / 2.0) ** (1.0 / min(curve.n_positive, curve.n_negative))
        return Interval(least, 1.0) if auc == 1.0 else Interval(0.0, 1.0 - least)
    if method == "wald":
        return Interval(max(auc - width * deviation, 0.0), min(auc + width * deviation, 1.0))
    odds, spread = math.log(auc / (1.0 - auc)), width * deviation / (auc * (1.0 - auc))
    return Interval(_logistic(odds - spread), _logistic(odds + spread))


def compare(
    y: ArrayLike, first: ArrayLike, second: ArrayLike, *, positive: Any = None, level: float = 0.95
) -> Comparison:
    """Test whether two scores of the same cases have different areas (DeLong's paired test).

    Parameters
    ----------
    y : the class of each case
    first, second : two scores of each case
    positive : the class that counts as positive; None for the last in sorted order
    level : of confidence, for the interval of the difference
    """
    from roctree.roc.curve import is_positive

    check_level(level)
    truth = is_positive(np.asarray(y), positive)
    placed = [_case_placements(truth, np.asarray(scores)) for scores in (first, second)]
    _check_sizes(float(truth.sum()), float((~truth).sum()))
    areas = [float(of_positives.mean()) for of_positives, _ in placed]
    variance = sum(
        float(np.var(placed[0][side] - placed[1][side], ddof=1)) / len(placed[0][side])
        for side in (0, 1)
    )
    difference, deviation = areas[0] - areas[1], math.sqrt(variance)
    z = difference / deviation if deviation > 0.0 else math.copysign(math.inf, difference)
    z = 0.0 if difference == 0.0 else z
    width = float(ndtri(0.5 + level / 2.0)) * deviation
    interval = Interval(difference - width, difference + width)
    p = 2.0 * float(ndtr(-abs(z)))
    return Comparison(areas[0], areas[1], difference, deviation, z, p, interval)


def placements(curve: "Curve") -> tuple[Floats, Floats]:
    """Return for each score the share of negatives below it, and of positives above, ties half."""
    below = curve.n_negative - curve.fp[1:] + curve.negatives / 2.0
    above = curve.tp[:-1] + curve.positives / 2.0
    return below / curve.n_negative, above / curve.n_positive


def check_level(level: float) -> None:
    """Refuse a level of confidence that is none."""
    if not 0.0 < level < 1.0:
        raise ParameterError(f"level={level!r} is no level of confidence: give one such as 0.95.")


def _case_placements(truth: NDArray[np.bool_], scores: NDArray[Any]) -> tuple[Floats, Floats]:
    from roctree.roc.curve import Curve

    if scores.shape != truth.shape:
        raise DataError(f"There are {scores.size} scores for {truth.size} cases.")
    rounded, place = np.unique(scores, return_inverse=True)
    ours, theirs = (np.bincount(place, kind, minlength=len(rounded)) for kind in (truth, ~truth))
    of_positives, of_negatives = placements(Curve.from_leaves(rounded, ours, theirs, exact=True))
    # Curves run from the highest score down.
    return of_positives[::-1][place[truth]], of_negatives[::-1][place[~truth]]


def _spread(placed: Floats, counts: Floats) -> float:
    """The variance of a mean of placements."""
    total = counts.sum()
    mean = placed @ counts / total
    return float(((placed - mean) ** 2) @ counts / (total - 1.0) / total)


def _check_sizes(n_positive: float, n_negative: float) -> None:
    if min(n_positive, n_negative) <= 1.0:
        raise DataError(
            f"There are {n_positive:g} positives and {n_negative:g} negatives: the uncertainty "
            "of an area needs more than one of each."
        )


def _logistic(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value))
