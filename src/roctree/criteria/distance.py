"""Criteria that ask how far apart the classes fall over the branches."""

import math
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from roctree._jit import inlined
from roctree.criteria.area import class_total
from roctree.criteria.protocol import Correction, Score, Smoothing, Table, evaluate, pseudocount
from roctree.strategy import check_choices


@dataclass(frozen=True)
class Hellinger:
    """The Hellinger distance between the classes' distributions over the branches.

    That of Cieslak and Chawla's trees: the root of the sum, over the branches, of
    (sqrt(P(branch | positive)) - sqrt(P(branch | negative)))^2, from 0 to sqrt(2). It does not
    depend on how frequent the classes are. For more than two classes it is the root of the mean
    squared distance over the pairs of classes present in the node, which is ours.

    Parameters
    ----------
    split_smoothing
        "laplace" adds one to every cell of the table, which keeps small branches from looking far
        apart.
    children_correction
        What the improvement is divided by.

    Examples
    --------
    >>> round(Hellinger()([[9, 1], [3, 7]]), 4)
    0.6725
    """

    split_smoothing: Smoothing = "none"
    children_correction: Correction = "none"
    penalty: ClassVar[bool] = False
    tolerance: ClassVar[float] = 0.0
    __call__ = evaluate

    def __post_init__(self) -> None:
        check_choices(self)

    @property
    def function(self) -> Score:
        """The distance; 0 for an unsplit node."""
        return _hellinger(pseudocount(self.split_smoothing))

    def convex(self, n_classes: int) -> bool:
        """True without smoothing: dividing a branch never brings two distributions closer."""
        return self.split_smoothing == "none"


@cache
def _hellinger(extra: float) -> Score:
    def score(table: Table) -> float:
        if table.shape[1] == 2:
            return _distance_of_two(table, extra)
        return _distance_of_many(table, extra)

    return score


@inlined
def _distance_of_two(table: Table, extra: float) -> float:
    """The distance times sqrt(n_0 n_1), then divided: equal shares give exactly zero."""
    of_0 = class_total(table, 0)
    of_1 = class_total(table, 1)
    both = of_0 * of_1 > 0.0
    of_0 += extra * table.shape[0]
    of_1 += extra * table.shape[0]
    square = 0.0
    for branch in range(table.shape[0]):
        here = math.sqrt((table[branch, 0] + extra) * of_1)
        gap = here - math.sqrt((table[branch, 1] + extra) * of_0)
        square += gap * gap
    return math.sqrt(square / (of_0 * of_1)) if both else 0.0


@inlined
def _distance_of_many(table: Table, extra: float) -> float:
    """The root of the mean square over pairs, which is twice the variance over classes."""
    square = 0.0
    n_present = 0
    for branch in range(table.shape[0]):
        roots = 0.0
        n_present = 0
        for label in range(table.shape[1]):
            root = _root_share(table, branch, label, extra)
            if root >= 0.0:
                roots += root
                n_present += 1
        for label in range(table.shape[1]):
            root = _root_share(table, branch, label, extra)
            if root >= 0.0:
                gap = root - roots / n_present
                square += gap * gap
    return math.sqrt(2.0 * square / (n_present - 1)) if n_present > 1 else 0.0


@inlined
def _root_share(table: Table, branch: int, label: int, extra: float) -> float:
    """The root of P(branch | class), or -1 if the class is absent from the node."""
    total = class_total(table, label)
    smoothed = total + extra * table.shape[0]
    return math.sqrt((table[branch, label] + extra) / smoothed) if total > 0.0 else -1.0
