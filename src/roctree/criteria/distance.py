"""Criteria that ask how far apart the classes fall over the branches."""

import math
from dataclasses import dataclass
from typing import ClassVar

from roctree.criteria.protocol import Correction, Score, Table, check_choices, evaluate


@dataclass(frozen=True)
class Hellinger:
    """The Hellinger distance between the classes' distributions over the branches.

    That of Cieslak and Chawla's trees: the root of the sum, over the branches, of
    (sqrt(P(branch | positive)) - sqrt(P(branch | negative)))^2, from 0 to sqrt(2). It does not
    depend on how frequent the classes are. For more than two classes it is the mean over the
    pairs of classes present in the node, which is ours.
    """

    children_correction: Correction = "none"
    penalty: ClassVar[bool] = False
    tolerance: ClassVar[float] = 0.0
    __call__ = evaluate

    def __post_init__(self) -> None:
        check_choices(self)

    @property
    def function(self) -> Score:
        """The distance; 0 for an unsplit node."""
        return _hellinger

    def convex(self, n_classes: int) -> bool:
        """True: dividing a branch never brings two distributions closer."""
        return True


def _hellinger(table: Table) -> float:
    distances = 0.0
    n_pairs = 0
    for i in range(table.shape[1]):
        for j in range(i):
            of_i = 0.0
            of_j = 0.0
            for branch in range(table.shape[0]):
                of_i += table[branch, i]
                of_j += table[branch, j]
            pairs = of_i * of_j
            if pairs > 0.0:
                square = 0.0
                for branch in range(table.shape[0]):
                    gap = math.sqrt(table[branch, i] * of_j) - math.sqrt(table[branch, j] * of_i)
                    square += gap * gap
                distances += math.sqrt(square / pairs)
                n_pairs += 1
    return distances / n_pairs if n_pairs > 0 else 0.0
