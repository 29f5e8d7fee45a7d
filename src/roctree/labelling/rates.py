"""Labels that keep a rate: the Neyman-Pearson points of a tree."""

from dataclasses import dataclass

import numpy as np

from roctree.labelling.leaves import Labelling, Leaves
from roctree.strategy import check_number

# A rate that is met but for rounding is met.
_MET = 1e-12


@dataclass(frozen=True)
class MaxFPR:
    """As many true positives as a false positive rate allows.

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
        check_number(self, "rate", most=1.0)

    def __call__(self, leaves: Leaves) -> Labelling:
        """Return the labels, of the highest true positive rate where several have the rate."""
        fpr = leaves.curve.fpr
        allowed = int(np.flatnonzero(fpr <= self.rate + _MET)[-1])
        return _between(leaves, allowed, fpr, self.rate, self.randomise)


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
        check_number(self, "rate", most=1.0)

    def __call__(self, leaves: Leaves) -> Labelling:
        """Return the labels."""
        tpr = leaves.curve.tpr
        needed = int(np.flatnonzero(tpr >= self.rate - _MET)[0])
        if not self.randomise or needed == 0:
            return _between(leaves, needed, tpr, self.rate, randomise=False)
        return _between(leaves, needed - 1, tpr, self.rate, randomise=True)


def _between(
    leaves: Leaves, corner: int, rates: np.ndarray, rate: float, randomise: bool
) -> Labelling:
    """The labels of a corner of the curve, by chance those of the next, so that the rate is hit."""
    labels = leaves.first_positive(corner)
    if not randomise or corner + 1 == len(rates):
        return Labelling(labels, labels)
    chance = (rate - rates[corner]) / (rates[corner + 1] - rates[corner])
    return Labelling(labels, leaves.first_positive(corner + 1), float(np.clip(chance, 0.0, 1.0)))
