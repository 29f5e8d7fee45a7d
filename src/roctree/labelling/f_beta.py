"""The labels of the best F-measure."""

from dataclasses import dataclass

import numpy as np

from roctree.labelling.least_cost import prior_of
from roctree.labelling.leaves import Labelling, Leaves, sure
from roctree.strategy import check_number


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
        check_number(self, "beta", above_zero=True)

    def __call__(self, leaves: Leaves) -> Labelling:
        """Return the labels, of the fewest positive leaves on ties."""
        curve = leaves.curve
        share = prior_of(self.prior, leaves)[leaves.positive]
        hits = np.nan_to_num(curve.tpr) * share
        alarms = np.nan_to_num(curve.fpr) * (1.0 - share)
        square = self.beta**2
        below = square * share + hits + alarms
        scores = (1.0 + square) * hits / np.where(below > 0.0, below, 1.0)
        return sure(leaves.first_positive(int(scores.argmax())))
