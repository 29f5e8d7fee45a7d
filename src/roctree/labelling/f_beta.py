"""The labels of the best F-measure."""

from dataclasses import dataclass

import numpy as np

from roctree.errors import ParameterError
from roctree.labelling.least_cost import prior_of
from roctree.labelling.leaves import Labelling, Leaves, sure
from roctree.strategy import is_number


@dataclass(frozen=True)
class FBeta:
    """The labelling of the highest F-beta, which is always one of the optimal labellings.

    Parameters
    ----------
    beta
        How many times more recall counts than precision.
    prior
        Share of the positives where the tree will be used; that of the leaves' cases if not given.
    """

    beta: float = 1.0
    prior: float | tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if not is_number(self.beta) or self.beta <= 0.0:
            raise ParameterError(f"beta={self.beta!r} is no weight: give a number above 0.")

    def __call__(self, leaves: Leaves) -> Labelling:
        """Return the labels, of the fewest positive leaves on ties."""
        leaves.check_two_classes("The F-measure of beta")
        curve = leaves.curve
        share = prior_of(self.prior, leaves)[leaves.positive]
        hits = np.nan_to_num(curve.tpr) * share
        alarms = np.nan_to_num(curve.fpr) * (1.0 - share)
        # The square of beta over one more than it, which no beta makes overflow.
        weight = self.beta / (self.beta + 1.0 / self.beta)
        below = weight * share + (1.0 - weight) * (hits + alarms)
        scores = hits / np.where(below > 0.0, below, 1.0)
        return sure(leaves.first_positive(int((scores >= scores.max() - _TIE).argmax())))


_TIE = 1e-12
