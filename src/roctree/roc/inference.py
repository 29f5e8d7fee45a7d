"""Uncertainty of areas and curves: DeLong's variance and test, bootstrap and fixed-width bands.

DeLong's variance comes from placements: for each positive the share of negatives below it, for each
negative the share of positives above it, ties counting half. All cases with one score share their
placement, so the leaves of a tree are all that is needed.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roctree.arrays import Floats
from roctree.errors import DataError
from roctree.roc.arithmetic import (
    area,
    cumulative,
    group_sums,
    interpolate,
    placements,
    tie_groups,
)
from roctree.roc.inputs import (
    check_choice,
    check_confidence,
    check_integer,
    check_scores,
    check_two_classes,
    is_positive,
)

if TYPE_CHECKING:
    from roctree.roc.curve import Curve


_GRID_SIZE = 201


class Interval(NamedTuple):
    """A confidence interval.

    Parameters
    ----------
    low : float
        Lower end.
    high : float
        Upper end.

    Examples
    --------
    >>> from roctree.roc import Curve
    >>> curve = Curve.from_leaves([0.9, 0.6, 0.2], [8, 4, 3], [2, 4, 9])
    >>> interval = curve.auc_interval()
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.551, 0.884)
    """

    low: float
    high: float


class Comparison(NamedTuple):
    """The areas of two scores on the same cases, and a test of their difference.

    Parameters
    ----------
    first, second : float
        The areas.
    difference : float
        First minus second.
    deviation : float
        Standard deviation of the difference.
    z : float
        Difference in standard deviations.
    p : float
        Two-sided p-value.
    interval : Interval
        Confidence interval of the difference.

    Examples
    --------
    >>> from roctree.roc import compare
    >>> found = compare([0, 0, 1, 1, 0, 1], [1, 4, 3, 8, 2, 7], [2, 3, 1, 9, 5, 6])
    >>> round(found.difference, 3), round(found.p, 3)
    (0.222, 0.371)
    """

    first: float
    second: float
    difference: float
    deviation: float
    z: float
    p: float
    interval: Interval


class Band(NamedTuple):
    """Lower and upper bounds of the true positive rate on a grid of false positive rates.

    Parameters
    ----------
    fpr : float64 array
        Grid of false positive rates.
    low : float64 array
        Lower bounds.
    high : float64 array
        Upper bounds.

    Examples
    --------
    >>> from roctree.roc import Curve
    >>> curve = Curve.from_leaves([0.9, 0.6, 0.2], [8, 4, 3], [2, 4, 9])
    >>> band = curve.band(n_samples=100)
    >>> bool((band.low <= band.high).all())
    True
    """

    fpr: Floats
    low: Floats
    high: Floats


def auc_variance(curve: "Curve") -> float:
    """Return DeLong's variance of the area; weights count as numbers of cases.

    Parameters
    ----------
    curve : Curve
        The curve; weights count as numbers of cases.

    Returns
    -------
    float
        The variance.

    Examples
    --------
    >>> from roctree.roc import Curve
    >>> curve = Curve.from_leaves([0.9, 0.5, 0.1], [8, 3, 1], [1, 4, 7])
    >>> round(curve.auc_variance(), 5)
    0.00605
    """
    _check_sizes(curve.n_positive, curve.n_negative)
    of_positives, of_negatives = placements(curve.positives, curve.negatives)
    return _weighted_variance_of_mean(of_positives, curve.positives) + _weighted_variance_of_mean(
        of_negatives, curve.negatives
    )


def auc_interval(
    curve: "Curve", level: float = 0.95, method: Literal["logit", "wald"] = "logit"
) -> Interval:
    """Return a confidence interval of the area.

    The variance of separated classes is zero. Their interval is the exact one-sided binomial bound
    for as many pairs as the smaller class has cases.

    Parameters
    ----------
    curve : Curve
        The curve; weights count as numbers of cases.
    level : float
        Confidence level.
    method : {"logit", "wald"}
        "logit" works on the log-odds scale and stays within 0 and 1; "wald" is symmetric.

    Returns
    -------
    Interval
        The interval.

    Examples
    --------
    >>> from roctree.roc import Curve
    >>> curve = Curve.from_leaves([0.9, 0.5, 0.1], [8, 3, 1], [1, 4, 7])
    >>> interval = curve.auc_interval()
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.632, 0.95)
    """
    check_confidence(level)
    check_choice("method", method, ("logit", "wald"))
    auc, deviation = curve.auc, math.sqrt(auc_variance(curve))
    width = _normal_deviate(level)
    if auc in (0.0, 1.0):
        least = ((1.0 - level) / 2.0) ** (1.0 / min(curve.n_positive, curve.n_negative))
        return Interval(least, 1.0) if auc == 1.0 else Interval(0.0, 1.0 - least)
    if method == "wald":
        return Interval(max(auc - width * deviation, 0.0), min(auc + width * deviation, 1.0))
    odds, spread = math.log(auc / (1.0 - auc)), width * deviation / (auc * (1.0 - auc))
    return Interval(_logistic(odds - spread), _logistic(odds + spread))


def _normal_deviate(level: float) -> float:
    """Return how many standard deviations a two-sided normal interval extends to each side."""
    from statistics import NormalDist

    return -NormalDist().inv_cdf((1.0 - level) / 2.0)


def _logistic(odds: float) -> float:
    """Return the probability of log-odds."""
    return 1.0 / (1.0 + math.exp(-odds)) if odds > 0.0 else math.exp(odds) / (1.0 + math.exp(odds))


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

    The test is a normal approximation for many cases of both classes. If neither area can vary,
    such as those of a constant score and of one that separates the classes, z is infinite.

    Parameters
    ----------
    y : array-like
        Class of each case.
    first, second : array-like
        Two scores of each case.
    positive : label, optional
        Positive class; by default the last in sorted order.
    level : float
        Confidence level of the interval of the difference.
    exact : bool
        Whether scores tie only if equal to the last bit; otherwise if equal to 12 decimals.

    Returns
    -------
    Comparison
        Areas, difference, z and p-value.

    Examples
    --------
    >>> y = ["no", "no", "no", "yes", "no", "yes", "yes", "yes"]
    >>> scores = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    >>> found = compare(y, scores, [0.4, 0.1, 0.6, 0.5, 0.7, 0.3, 0.8, 0.9])
    >>> found.first, found.second, round(found.p, 3)
    (0.9375, 0.6875, 0.221)
    """
    check_confidence(level)
    truth = is_positive(y, positive)
    _check_sizes(float(truth.sum()), float((~truth).sum()))
    one, other = (
        _place_cases(truth, check_scores(scores, truth), exact) for scores in (first, second)
    )
    difference = one.area - other.area
    deviation = math.sqrt(
        _variance_of_mean(one.positives - other.positives)
        + _variance_of_mean(one.negatives - other.negatives)
    )
    certain = math.copysign(math.inf, difference) if difference else 0.0
    z = difference / deviation if deviation > 0.0 else certain
    width = _normal_deviate(level) * deviation
    interval = Interval(difference - width, difference + width)
    p = math.erfc(abs(z) / math.sqrt(2.0))
    return Comparison(one.area, other.area, difference, deviation, z, p, interval)


class _Placements(NamedTuple):
    """The area of a score, and the placements of all positive and all negative cases."""

    area: float
    positives: Floats
    negatives: Floats


def _place_cases(truth: NDArray[np.bool_], scores: Floats, exact: bool) -> _Placements:
    distinct, groups = tie_groups(scores, exact)
    counts = [group_sums(groups, kind, len(distinct)) for kind in (truth, ~truth)]
    of_positives, of_negatives = placements(*counts)
    return _Placements(area(*counts), of_positives[groups[truth]], of_negatives[groups[~truth]])


def _variance_of_mean(values: Floats) -> float:
    return float(np.var(values, ddof=1)) / len(values)


def _weighted_variance_of_mean(values: Floats, counts: Floats) -> float:
    total = counts.sum()
    mean = values @ counts / total
    return float(((values - mean) ** 2) @ counts / (total - 1.0) / total)


def _check_sizes(n_positive: float, n_negative: float) -> None:
    if min(n_positive, n_negative) <= 1.0:
        raise DataError(
            f"There are {n_positive:g} positives and {n_negative:g} negatives: the uncertainty "
            "of an area needs more than one of each."
        )


def band(
    curve: "Curve",
    level: float = 0.95,
    method: Literal["bootstrap", "fixed_width"] = "bootstrap",
    n_samples: int = 1000,
    seed: int = 0,
) -> Band:
    """Return a confidence band of the curve, by resampling its positives and negatives.

    If the scores separate the classes, all samples agree and the band has no width; use
    ``auc_interval`` instead.

    Parameters
    ----------
    curve : Curve
        Its weights count as numbers of cases.
    level : float
        Confidence level.
    method : {"bootstrap", "fixed_width"}
        "bootstrap" covers each point with this confidence. "fixed_width" covers the whole curve at
        once, between two shifted copies of it (Campbell 1994, Macskassy and Provost 2004).
    n_samples : int
        Number of bootstrap samples.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    Band
        Bounds on a grid of false positive rates.

    Examples
    --------
    >>> from roctree.roc import Curve
    >>> curve = Curve.from_leaves([0.9, 0.5, 0.1], [8, 3, 1], [1, 4, 7])
    >>> band = curve.band(n_samples=100)
    >>> band.fpr.shape == band.low.shape == band.high.shape
    True
    """
    check_confidence(level)
    check_two_classes(curve, "a band")
    check_choice("method", method, ("bootstrap", "fixed_width"))
    check_integer("n_samples", n_samples, 2)
    check_integer("seed", seed, 0)
    return (_pointwise if method == "bootstrap" else _simultaneous)(curve, level, n_samples, seed)


def _pointwise(curve: "Curve", level: float, n_samples: int, seed: int) -> Band:
    grid = np.linspace(0.0, 1.0, _GRID_SIZE)
    rates = np.stack([interpolate(*sample, grid) for sample in _samples(curve, n_samples, seed)])
    tail = (1.0 - level) / 2.0
    return Band(grid, np.quantile(rates, tail, axis=0), np.quantile(rates, 1.0 - tail, axis=0))


def _simultaneous(curve: "Curve", level: float, n_samples: int, seed: int) -> Band:
    """Shift the curve along the diagonal on which chance moves its points, in both directions."""
    grid = np.linspace(0.0, 1.0, _GRID_SIZE)
    across = 1.0 / np.sqrt(curve.n_negative)
    up = 1.0 / np.sqrt(curve.n_positive)
    needed = [
        _enclosing_shift(curve, fpr, tpr, across, up)
        for fpr, tpr in _samples(curve, n_samples, seed)
    ]
    step = float(np.quantile(needed, level))
    low = interpolate(curve.fpr + step * across, curve.tpr - step * up, grid)
    high = interpolate(curve.fpr - step * across, curve.tpr + step * up, grid)
    return Band(grid, np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0))


def _enclosing_shift(curve: "Curve", fpr: Floats, tpr: Floats, across: float, up: float) -> float:
    """Return how far the curve must shift in both directions to enclose another curve.

    Rotated so that the shift is along one axis, both curves are functions of the other axis. They
    are piecewise linear, so their largest distance is at a vertex of one of them.
    """
    position, along = tpr / up + fpr / across, tpr / up - fpr / across
    own_position = curve.tpr / up + curve.fpr / across
    own_along = curve.tpr / up - curve.fpr / across
    apart = [
        np.abs(along - np.interp(position, own_position, own_along)),
        np.abs(own_along - np.interp(own_position, position, along)),
    ]
    # A shift of one moves a point by two along the axis: one up and one across.
    return float(np.concatenate(apart).max() / 2.0)


def _samples(curve: "Curve", n_samples: int, seed: int) -> Iterator[tuple[Floats, Floats]]:
    """Yield the rates of bootstrap samples of the same size as the curve."""
    random = np.random.default_rng(seed)
    for _ in range(n_samples):
        yield _resampled_rates(random, curve.negatives), _resampled_rates(random, curve.positives)


def _resampled_rates(random: np.random.Generator, counts: Floats) -> Floats:
    total = max(round(float(counts.sum())), 1)
    return cumulative(random.multinomial(total, counts / counts.sum()).astype(np.float64)) / total
