"""Confidence bands of a curve, by resampling its positives and negatives."""

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError
from roctree.roc.inference import check_level

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
    """Return a confidence band of the curve.

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
    if method not in ("bootstrap", "fixed_width"):
        raise ParameterError(f"method={method!r} is not known: choose 'bootstrap', 'fixed_width'")
    if n_samples < 2:
        raise ParameterError(f"n_samples={n_samples!r} is too few: give some hundreds.")
    return (_pointwise if method == "bootstrap" else _simultaneous)(curve, level, n_samples, seed)


def _pointwise(curve: "Curve", level: float, n_samples: int, seed: int) -> Band:
    grid = np.linspace(0.0, 1.0, _GRID)
    rates = np.stack([_at(grid, *sample) for sample in _samples(curve, n_samples, seed)])
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
    return Band(
        grid,
        _at(grid, curve.fpr + step * across, curve.tpr - step * up),
        _at(grid, curve.fpr - step * across, curve.tpr + step * up),
    )


def _distance(curve: "Curve", fpr: Floats, tpr: Floats, across: float, up: float) -> float:
    """How far the curve must move both ways to enclose another.

    Along the direction of the move a point of either curve has a coordinate, and across it the
    difference of their coordinates is the distance.
    """
    own_along, own_across = curve.tpr / up - curve.fpr / across, curve.tpr / up + curve.fpr / across
    along, position = tpr / up - fpr / across, tpr / up + fpr / across
    apart = [
        np.abs(along - np.interp(position, own_across, own_along)),
        np.abs(own_along - np.interp(own_across, position, along)),
    ]
    return float(np.concatenate(apart).max() / 2.0)


def _samples(curve: "Curve", n_samples: int, seed: int) -> list[tuple[Floats, Floats]]:
    """Curves of as many cases, drawn from those of the curve with replacement."""
    random = np.random.default_rng(seed)
    drawn = []
    for counts in (curve.negatives, curve.positives):
        total = max(round(float(counts.sum())), 1)
        numbers = random.multinomial(total, counts / counts.sum(), size=n_samples)
        cumulated = np.cumsum(numbers, axis=1) / total
        drawn.append(np.column_stack([np.zeros(n_samples), cumulated]))
    return list(zip(*drawn, strict=True))


def _at(grid: Floats, fpr: Floats, tpr: Floats) -> Floats:
    """The highest true positive rate at each false positive rate, from 0 to 1."""
    last = np.append(fpr[1:] > fpr[:-1], True)
    rates = np.interp(grid, fpr[last], tpr[last], left=0.0, right=1.0)
    return np.asarray(np.clip(rates, 0.0, 1.0))
