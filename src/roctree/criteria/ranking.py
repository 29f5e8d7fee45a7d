"""Criteria that ask how well a split ranks or labels the cases, not how pure its branches are.

Ordering the branches of a split by their share of a class gives a ROC curve with one segment a
branch. ``AUC`` is the area under it: the AUCsplit of Ferri, Flach and Hernandez-Orallo for two
classes, the mean over pairs of classes for more.

``FMeasure`` takes each branch as a prediction of its majority class, after Stadler and Corlett.
"""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Literal

from roctree._jit import inlined
from roctree.criteria.area import class_total, mean_area
from roctree.criteria.protocol import Correction, Score, Smoothing, Table, evaluate, pseudocount
from roctree.strategy import check_choices, check_number


@dataclass(frozen=True)
class AUC:
    """The area under the ROC curve whose segments are the branches; 0.5 for an unsplit node.

    With more than two classes it is the mean over the pairs of classes present in the node.

    Parameters
    ----------
    pairs
        For a pair of classes "hand_till" orders the branches by the share of the one class and
        then of the other, out of all classes, and takes the mean of both areas. "renormalised"
        orders them by n_i / (n_i + n_j). For two classes these are the same.
    split_smoothing
        "laplace" adds one to every cell of the table, for the order and for the area.
    children_correction
        What the improvement over 0.5 is divided by.

    Examples
    --------
    >>> round(AUC()([[9, 1], [3, 7]]), 4)
    0.8125
    """

    pairs: Literal["hand_till", "renormalised"] = "hand_till"
    split_smoothing: Smoothing = "none"
    children_correction: Correction = "split_info"
    penalty: ClassVar[bool] = False
    tolerance: ClassVar[float] = 0.0
    __call__ = evaluate

    def __post_init__(self) -> None:
        check_choices(self)

    @property
    def function(self) -> Score:
        """The area, between 0 and 1."""
        return mean_area(self.pairs, pseudocount(self.split_smoothing))

    def convex(self, n_classes: int) -> bool:
        """True without smoothing, except for Hand and Till's mean over more than two classes."""
        ordered_by_pair = self.pairs == "renormalised" or n_classes <= 2
        return ordered_by_pair and self.split_smoothing == "none"


@dataclass(frozen=True)
class FMeasure:
    """How much the F-measure changes when the branches rather than the node predict.

    The change counts in either direction, as published: a split that lowers the F-measure is
    rewarded too, and so is one that tells nothing. A branch predicts its majority class, the
    first of equals.

    Parameters
    ----------
    beta
        The weight of recall against precision, squared in the formula.
    children_correction
        What the improvement is divided by.

    Examples
    --------
    >>> round(FMeasure()([[9, 1], [3, 7]]), 4)
    0.048
    """

    beta: float = 1.0
    children_correction: Correction = "none"
    penalty: ClassVar[bool] = False
    tolerance: ClassVar[float] = 0.0
    __call__ = evaluate

    def __post_init__(self) -> None:
        check_choices(self)
        check_number(self, "beta", above_zero=True)

    @property
    def function(self) -> Score:
        """The absolute change; 0 for an unsplit node."""
        return _f_change(float(self.beta) ** 2)

    def convex(self, n_classes: int) -> bool:
        """False: dividing a branch may well bring the F-measure back to that of the node."""
        return False


@cache
def _f_change(beta_squared: float) -> Score:
    def score(table: Table) -> float:
        total = 0.0
        majority = 0.0
        for label in range(table.shape[1]):
            cases = class_total(table, label)
            total += cases
            majority = max(majority, cases)
        branches = 0.0
        for branch in range(table.shape[0]):
            branches += _branch_f(table, branch, beta_squared)
        node = _f(majority, 0.0, total - majority, beta_squared)
        return abs(node - branches / total) if total > 0.0 else 0.0

    return score


@inlined
def _branch_f(table: Table, branch: int, beta_squared: float) -> float:
    """The F-measure of the branch's majority class, times the weight of the branch."""
    weight = 0.0
    hits = 0.0
    missed = 0.0
    for label in range(table.shape[1]):
        count = table[branch, label]
        weight += count
        if count > hits:
            hits = count
            missed = class_total(table, label) - count
    return weight * _f(hits, missed, weight - hits, beta_squared)


@inlined
def _f(hits: float, missed: float, wrong: float, beta_squared: float) -> float:
    found = (1.0 + beta_squared) * hits
    return found / (found + beta_squared * missed + wrong) if found > 0.0 else 0.0
