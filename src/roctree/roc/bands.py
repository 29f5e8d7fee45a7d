"""Confidence bands of a curve, by resampling its positives and negatives."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError
from roctree.roc.inputs import check_level, check_two_classes, check_whole
from roctree.roc.line import heights
from roctree.roc.ranking import cumulated

if TYPE_CHECKING:
    from roctree.roc.curve import Curve

Floats = NDArray[np.float64]

_GRID = 201


class Band(NamedTuple):
    """The lowest and highest true positive rates at some false positive rates."""

    fpr: Floats
    low: Floats
    high: Floats


def band(
    curve: "Curve",
    level: float = 0.95,
    method: Literal["bootstrap", "fixed_width"] = "bootstrap",
    n_samples: int = 1000,
    seed: int = 0,
) -> Band:
    """Return a confidence band of the curve, approximate as all that is resampled.

    Of classes that the scores separate no sample differs, and the band has no width: then
    ``auc_interval`` says more.

    Parameters
    ----------
    curve : the curve; weights count as numbers of cases
    level : of confidence
    method : "bootstrap" covers each point with this confidence, "fixed_width" the whole curve at
        once, between two copies of it moved aside (Campbell 1994, Macskassy and Provost 2004)
    n_samples : how often to resample
    seed : of the random numbers
    """
    check_level(level)
    check_two_classes(curve, "a band")
    if method not in ("bootstrap", "fixed_width"):
        raise ParameterError(f"method={method!r} is not known: choose 'bootstrap', 'fixed_width'.")
    check_whole("n_samples", n_samples, 2, "some hundreds")
    check_whole("seed", seed, 0, "a whole number from 0 on")
    return (_pointwise if method == "bootstrap" else _simultaneous)(curve, level, n_samples, seed)


def _pointwise(curve: "Curve", level: float, n_samples: int, seed: int) -> Band:
    grid = np.linspace(0.0, 1.0, _GRID)
    rates = np.stack([heights(*sample, grid) for sample in _samples(curve, n_samples, seed)])
    tail = (1.0 - level) / 2.0
    return Band(grid, np.quantile(rates, tail, axis=0), np.quantile(rates, 1.0 - tail, axis=0))


def _simultaneous(curve: "Curve", level: float, n_samples: int, seed: int) -> Band:
    """Move the curve along the direction in which chance moves its points, far enough."""
    grid = np.linspace(0.0, 1.0, _GRID)
    across = 1.0 / np.sqrt(curve.n_negative)
    up = 1.0 / np.sqrt(curve.n_positive)
    needed = [
        _distance(curve, fpr, tpr, across, up) for fpr, tpr in _samples(curve, n_samples, seed)
    ]
    step = float(np.quantile(needed, level))
    low = heights(curve.fpr + step * across, curve.tpr - step * up, grid)
    high = heights(curve.fpr - step * across, curve.tpr + step * up, grid)
    return Band(grid, np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0))


def _distance(curve: "Curve", fpr: Floats, tpr: Floats, across: float, up: float) -> float:
    """How far the curve must move both ways to enclose another.

    Turned so that the curve moves along one axis, both curves are functions of the other axis. They
    are straight between corners, so that they are farthest apart at a corner of one of them.
    """
    position, along = tpr / up + fpr / across, tpr / up - fpr / across
    own_position = curve.tpr / up + curve.fpr / across
    own_along = curve.tpr / up - curve.fpr / across
    apart = [
        np.abs(along - np.interp(position, own_position, own_along)),
        np.abs(own_along - np.interp(own_position, position, along)),
    ]
    # One step moves a point by two: by one up, and by one across.
    return float(np.concatenate(apart).max() / 2.0)


def _samples(curve: "Curve", n_samples: int, seed: int) -> Iterator[tuple[Floats, Floats]]:
    """Rates of as many cases, drawn from those of the curve with replacement, one by one."""
    random = np.random.default_rng(seed)
    for _ in range(n_samples):
        yield _resampled(random, curve.negatives), _resampled(random, curve.positives)


def _resampled(random: np.random.Generator, counts: Floats) -> Floats:
    total = max(round(float(counts.sum())), 1)
    return cumulated(random.multinomial(total, counts / counts.sum()).astype(np.float64)) / total
