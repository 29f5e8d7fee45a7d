"""Labels by a threshold on the probability."""

from dataclasses import dataclass

import numpy as np

from roctree.labelling.leaves import Labelling, Leaves, check_share, sure


@dataclass(frozen=True)
class Threshold:
    """Leaves are positive from a probability on.

    Parameters
    ----------
    value
        The least probability, from 0 to 1.
    """

    value: float = 0.5

    def __post_init__(self) -> None:
        check_share("threshold", self.value, "probability")

    def __call__(self, leaves: Leaves) -> Labelling:
        """Return the labels."""
        leaves.check_two_classes("A threshold")
        votes = np.zeros_like(leaves.shares)
        votes[:, leaves.positive] = leaves.shares[:, leaves.positive] - self.value + _ROUNDING
        return sure(votes)


_ROUNDING = 1e-12
