"""Labels that keep a rate: the Neyman-Pearson points of a tree."""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roctree.labelling.leaves import Labelling, Leaves, check_share, sure

Floats = NDArray[np.float64]

# A rate that is met but for rounding is met.
_MET = 1e-12
# Who calls at(...) is so many calls above a warning.
_AT = 6


@dataclass(frozen=True)
class MaxFPR:
    """As many true positives as a false positive rate allows.

    Leaves become positive in their order, the highest share of positives first. Where the first
    exceed the rate, none is positive, and a warning says so.

    Parameters
    ----------
    rate
        The highest false positive rate.
    randomise
        Whether to hit it exactly, by calling cases of one more group of leaves positive by chance.
    """

    rate: float
    randomise: bool = False

    def __post_init__(self) -> None:
        check_share("max_fpr", self.rate, "rate")

    def __call__(self, leaves: Leaves) -> Labelling:
        """Return the labels, of the highest true positive rate where several have the rate."""
        leaves.check_two_classes("The rate of max_fpr")
        leaves.check_cases("max_fpr", "negative", leaves.curve.n_negative)
        fpr = leaves.curve.fpr
        corner = int(np.flatnonzero(fpr <= self.rate + _MET)[-1])
        if self.randomise:
            return _between(leaves, corner, fpr, self.rate)
        if corner == 0 and leaves.curve.n_positive > 0.0:
            self._warn(float(fpr[1]))
        return sure(leaves.first_positive(_without_idle_alarms(leaves, corner)))

    def _warn(self, least: float) -> None:
        """Say that nothing is called positive, which may not be what was wanted."""
        by_chance = ", or let chance call some of them positive, by randomise" * (self.rate > 0.0)
        warnings.warn(
            f"max_fpr={self.rate:g} leaves no case positive: the leaves that would be first have a "
            f"false positive rate of {least:.4g}. Raise max_fpr{by_chance}.",
            stacklevel=_AT,
        )


@dataclass(frozen=True)
class MinTPR:
    """As few false positives as a true positive rate, or recall, needs.

    Parameters
    ----------
    rate
        The lowest true positive rate.
    randomise
        Whether to hit it exactly, by calling cases of the last group of leaves positive by chance.
    """

    rate: float
    randomise: bool = False

    def __post_init__(self) -> None:
        check_share("min_tpr", self.rate, "rate")

    def __call__(self, leaves: Leaves) -> Labelling:
        """Return the labels."""
        leaves.check_two_classes("The rate of min_tpr")
        leaves.check_cases("min_tpr", "positive", leaves.curve.n_positive)
        tpr = leaves.curve.tpr
        needed = int(np.flatnonzero(tpr >= self.rate - _MET)[0])
        if self.randomise and needed > 0:
            return _between(leaves, needed - 1, tpr, self.rate)
        return sure(leaves.first_positive(needed))


def _between(leaves: Leaves, corner: int, rates: Floats, rate: float) -> Labelling:
    """The labels of a corner of the curve, by chance those of the next, so that the rate is hit."""
    if corner + 1 == len(rates):
        return sure(leaves.first_positive(corner))
    chance = float((rate - rates[corner]) / (rates[corner + 1] - rates[corner]))
    # What is left of a rate that a corner meets is rounding.
    if chance < _MET or chance > 1.0 - _MET:
        return sure(leaves.first_positive(corner + round(chance)))
    return Labelling(leaves.first_positive(corner), leaves.first_positive(corner + 1), chance)


def _without_idle_alarms(leaves: Leaves, corner: int) -> int:
    """The corner, or one before it with as many true and fewer false positives."""
    curve = leaves.curve
    as_good = np.flatnonzero(curve.tp[: corner + 1] == curve.tp[corner])
    cheapest = curve.fp[as_good] == curve.fp[as_good[0]]
    return int(as_good[cheapest][-1])
