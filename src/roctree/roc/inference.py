"""How certain an area under the curve is: DeLong's variance, with ties as trees make them.

The variance comes from placements: for each positive the share of negatives below it, for each
negative the share of positives above, half of the ties in both. All cases of one score share
theirs, so that the leaves of a tree are all that is needed.
"""

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, ndtr, ndtri

from roctree.errors import DataError, ParameterError
from roctree.roc.inputs import check_level, is_positive, scored
from roctree.roc.ranking import area, placements, sums, tie_groups

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
    of_positives, of_negatives = placements(curve.positives, curve.negatives)
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
        raise ParameterError(f"method={method!r} is not known: choose from 'logit', 'wald'.")
    auc, deviation = curve.auc, math.sqrt(auc_variance(curve))
    width = float(ndtri(0.5 + level / 2.0))
    if auc in (0.0, 1.0):
        least = ((1.0 - level) / 2.0) ** (1.0 / min(curve.n_positive, curve.n_negative))
        return Interval(least, 1.0) if auc == 1.0 else Interval(0.0, 1.0 - least)
    if method == "wald":
        return Interval(max(auc - width * deviation, 0.0), min(auc + width * deviation, 1.0))
    odds, spread = math.log(auc / (1.0 - auc)), width * deviation / (auc * (1.0 - auc))
    return Interval(float(expit(odds - spread)), float(expit(odds + spread)))


def compare(
    y: Any,
    first: ArrayLike,
    second: ArrayLike,
    *,
    positive: Any = None,
    level: float = 0.95,
    exact: bool = False,
) -> Comparison:
    """Test whether two scores of the same cases have different areas (DeLong's paired test).

    Approximate: z is normal for many cases of both classes. Where neither area can vary, as that
    of a constant score and that of one that separates the classes, z is infinite.

    Parameters
    ----------
    y : the class of each case
    first, second : two scores of each case
    positive : the class that counts as positive; None for the last in sorted order
    level : of confidence, for the interval of the difference
    exact : whether scores are ties only if equal to the last bit; else if equal to 12 decimals

    Examples
    --------
    >>> y = ["no", "no", "no", "yes", "no", "yes", "yes", "yes"]
    >>> scores = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    >>> found = compare(y, scores, [0.4, 0.1, 0.6, 0.5, 0.7, 0.3, 0.8, 0.9])
    >>> found.first, found.second, round(found.p, 3)
    (0.9375, 0.6875, 0.221)
    """
    check_level(level)
    truth = is_positive(y, positive)
    _check_sizes(float(truth.sum()), float((~truth).sum()))
    ours, theirs = (_placed(truth, scored(given, truth), exact) for given in (first, second))
    difference = ours.area - theirs.area
    deviation = math.sqrt(
        _variance_of_mean(ours.positives - theirs.positives)
        + _variance_of_mean(ours.negatives - theirs.negatives)
    )
    certain = math.copysign(math.inf, difference) if difference else 0.0
    z = difference / deviation if deviation > 0.0 else certain
    width = float(ndtri(0.5 + level / 2.0)) * deviation
    interval = Interval(difference - width, difference + width)
    p = 2.0 * float(ndtr(-abs(z)))
    return Comparison(ours.area, theirs.area, difference, deviation, z, p, interval)


class _Placed(NamedTuple):
    """The area of a score, and the placements of all positive and all negative cases."""

    area: float
    positives: Floats
    negatives: Floats


def _placed(truth: NDArray[np.bool_], scores: Floats, exact: bool) -> _Placed:
    distinct, groups = tie_groups(scores, exact)
    counts = [sums(groups, kind, len(distinct)) for kind in (truth, ~truth)]
    of_positives, of_negatives = placements(*counts)
    return _Placed(area(*counts), of_positives[groups[truth]], of_negatives[groups[~truth]])


def _variance_of_mean(values: Floats) -> float:
    return float(np.var(values, ddof=1)) / len(values)


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
