"""Cases sorted by a score: which are ties, and how many pairs are in order.

Positives and negatives are weights of the cases with each distinct score, highest first.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Scores are compared after rounding: shares that are equal on paper may differ in the last bit.
DIGITS = 12
# From here on floats have fewer decimals than that, and rounding might overflow.
_COARSE = 1e4


def tie_groups(scores: Floats, exact: bool) -> tuple[Floats, NDArray[np.int64]]:
    """Return the least score of each group of ties, highest first, and the group of each case.

    Parameters
    ----------
    scores : of each case or leaf
    exact : whether scores are ties only if equal to the last bit
    """
    order = np.argsort(scores)[::-1]
    falling = scores[order]
    compared = falling if exact else _rounded(falling)
    begins = np.append(True, compared[1:] < compared[:-1])
    groups = np.empty(len(scores), dtype=np.int64)
    groups[order] = np.cumsum(begins) - 1
    # Not the rounded score: a case must reach the threshold that is its own score.
    return falling[np.append(begins[1:], True)], groups


def sums(groups: NDArray[np.int64], weights: NDArray[Any], n: int) -> Floats:
    """Return the weight of each of n groups."""
    return np.bincount(groups, weights, minlength=n).astype(np.float64)


def area(positives: Floats, negatives: Floats) -> float:
    """Return the share of pairs where the positive has the higher score, half of the ties."""
    tp, fp = cumulated(positives), cumulated(negatives)
    # Twice the pairs. Right over both, not over their number: then separated classes have an area
    # of exactly 1 whatever the weights, and whole numbers an area without any error but the last.
    right = float(negatives @ (tp[:-1] + tp[1:]))
    wrong = float(positives @ (fp[:-1] + fp[1:]))
    return right / (right + wrong) if right + wrong > 0.0 else np.nan


def placements(positives: Floats, negatives: Floats) -> tuple[Floats, Floats]:
    """Return for each score the share of negatives below it, and of positives above, ties half."""
    tp, fp = cumulated(positives), cumulated(negatives)
    return 1.0 - (fp[:-1] + fp[1:]) / (2.0 * fp[-1]), (tp[:-1] + tp[1:]) / (2.0 * tp[-1])


def cumulated(weights: Floats) -> Floats:
    """Return the weight of all scores before each, and of all."""
    return np.append(0.0, np.cumsum(weights))


def _rounded(scores: Floats) -> Floats:
    coarse = np.abs(scores) > _COARSE
    return np.where(coarse, scores, np.round(np.where(coarse, 0.0, scores), DIGITS))
