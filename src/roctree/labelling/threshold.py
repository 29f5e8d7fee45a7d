"""Labels by a threshold on the probability."""

from dataclasses import dataclass

import numpy as np

from roctree.labelling.leaves import Labelling, Leaves, sure
from roctree.strategy import check_number


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
        check_number(self, "value", most=1.0)

    def __call__(self, leaves: Leaves) -> Labelling:
        """Return the labels."""
        leaves.check_two_classes()
        enough = leaves.shares[:, leaves.positive] >= self.value - _ROUNDING
        return sure(np.where(enough, leaves.positive, 1 - leaves.positive))


_ROUNDING = 1e-12
