"""Arithmetic of a ranking: ties, ordered pairs, and polylines through cumulative counts.

``positives`` and ``negatives`` are always the case weights at each distinct score, highest score
first.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roctree.arrays import Floats
from roctree.tree.tree import SCORE_DECIMALS

# Above this, floats resolve fewer decimals than scores are rounded to, and rounding might overflow.
_COARSE = 1e4


def tie_groups(scores: Floats, exact: bool) -> tuple[Floats, NDArray[np.int64]]:
    """Group tied scores.

    Parameters
    ----------
    scores : float64[n]
    exact : bool
        Whether scores tie only if they are equal to the last bit; otherwise to 12 decimals.

    Returns
    -------
    distinct : float64[groups]
        The lowest score of each group, highest group first.
    groups : int64[n]
        The group of each score.
    """
    order = np.argsort(scores)[::-1]
    falling = scores[order]
    compared = falling if exact else _round_scores(falling)
    begins = np.append(True, compared[1:] < compared[:-1])
    groups = np.empty(len(scores), dtype=np.int64)
    groups[order] = np.cumsum(begins) - 1
    # The unrounded score: a case must reach the threshold that is its own score.
    return falling[np.append(begins[1:], True)], groups


def _round_scores(scores: Floats) -> Floats:
    coarse = np.abs(scores) > _COARSE
    return np.where(coarse, scores, np.round(np.where(coarse, 0.0, scores), SCORE_DECIMALS))


def group_sums(groups: NDArray[np.int64], weights: NDArray[Any], n_groups: int) -> Floats:
    """Return the total weight of each group."""
    return np.bincount(groups, weights, minlength=n_groups).astype(np.float64)


def cumulative(weights: Floats) -> Floats:
    """Return the cumulative sums, starting from 0."""
    return np.append(0.0, np.cumsum(weights))


def area(positives: Floats, negatives: Floats) -> float:
    """Return the share of pairs in which the positive has the higher score; ties count half."""
    tp, fp = cumulative(positives), cumulative(negatives)
    # Twice the number of pairs. Dividing by the sum of both, not by the product of the totals,
    # gives separated classes an area of exactly 1 and integer weights a single rounding error.
    right = float(negatives @ (tp[:-1] + tp[1:]))
    wrong = float(positives @ (fp[:-1] + fp[1:]))
    return right / (right + wrong) if right + wrong > 0.0 else np.nan


def placements(positives: Floats, negatives: Floats) -> tuple[Floats, Floats]:
    """Return per score the share of negatives below and of positives above; ties count half."""
    tp, fp = cumulative(positives), cumulative(negatives)
    return 1.0 - (fp[:-1] + fp[1:]) / (2.0 * fp[-1]), (tp[:-1] + tp[1:]) / (2.0 * tp[-1])


def interpolate(x: Floats, y: Floats, places: ArrayLike) -> Floats:
    """Return y on a nondecreasing polyline; the highest where it is vertical, constant outside."""
    at = np.asarray(places, dtype=np.float64)
    before = np.maximum(np.searchsorted(x, at, side="right") - 1, 0)
    after = np.minimum(before + 1, len(x) - 1)
    run = x[after] - x[before]
    part = np.divide(at - x[before], run, out=np.zeros_like(at), where=run > 0.0)
    return np.asarray(y[before] + np.maximum(part, 0.0) * (y[after] - y[before]))


def upper_hull(x: Floats, y: Floats) -> NDArray[np.int64]:
    """Return the indices of the vertices of the upper convex hull of a nondecreasing polyline.

    The first and the last point always belong to it; points on an edge between two vertices do not.
    """
    # Elements of a list are several times faster to read than those of an array.
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    hull: list[int] = []
    for number, point in enumerate(points):
        while len(hull) > 1 and not _turns_right(points[hull[-2]], points[hull[-1]], point):
            hull.pop()
        hull.append(number)
    return np.array(hull)


def _turns_right(
    first: tuple[float, float], second: tuple[float, float], third: tuple[float, float]
) -> bool:
    rise = (second[1] - first[1]) * (third[0] - first[0])
    run = (third[1] - first[1]) * (second[0] - first[0])
    return rise > run
