"""Split criteria: the quality of a split as a function of its contingency table.

A criterion maps a table of weights, one row per branch of the split and one column per class, to a
score; higher is better. Notation: at a branch, ``n`` are the class counts, ``w`` their sum and
``p = n / w`` the class distribution; ``W`` is the weight of the node.

==============  ========================================================  ======================
name            score                                                     source
==============  ========================================================  ======================
``gini``        - sum over branches of w/W (1 - sum p^2)                  Breiman et al. 1984
``entropy``     - sum over branches of w/W (- sum p log2 p)               Quinlan 1986
``gain_ratio``  that of ``entropy``; gain divided by split information    Quinlan 1993
``dkm``         - sum over branches of w/W 2 sqrt(p q)                    Dietterich et al. 1996
``error``       - sum over branches of w/W (1 - max p)
``auc``         area under the ROC curve whose segments are the branches  Ferri et al. 2002
``msee``        - sum over branches of w/W (squared error of p)           Ferri et al. 2003
``f_measure``   absolute change of the F-measure                          Stadler, Corlett 2017
``hellinger``   distance between the classes' distributions               Cieslak, Chawla 2008
==============  ========================================================  ======================

The grower compares splits by their *gain*: the score of the split minus the score of the unsplit
node (a table with a single row). Some criteria divide the gain, so that splits with many branches
do not win by their number alone.

To add a criterion, write a class below and add it to ``CRITERIA``. A class for an impurity derives
from ``Impurity`` and defines the impurity of one branch; any other derives from ``TableCriterion``
and returns a function of the table. The parameter check, the command line, the documentation table
and the benchmarks use the registry, and the laws in ``tests/criteria`` the pairs in
``tests/criteria/variants.py``. User-defined criteria need no class: see ``criterion``.

Criterion functions are compiled by Numba with the size of the table known and all helpers inlined,
so that the compiler scores several candidate splits at once. For that they are written as plain
loops without early exits or allocations.
"""

import inspect
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from operator import attrgetter
from typing import Any, ClassVar, Literal, Protocol, overload, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roctree._jit import Score, inlined
from roctree.errors import DataError, ParameterError
from roctree.strategy import check_choices, check_number, lookup

__all__ = [
    "AUC",
    "CRITERIA",
    "DKM",
    "MSEE",
    "Criterion",
    "CustomCriterion",
    "Entropy",
    "Error",
    "FMeasure",
    "GainRatio",
    "Gini",
    "Hellinger",
    "Impurity",
    "TableCriterion",
    "criterion",
    "resolve_criterion",
]

ContingencyTable = NDArray[np.float64]  # [branch, class]
BranchImpurity = Callable[[ContingencyTable, int, float, float], float]
Correction = Literal["none", "log2", "split_info"]
SplitSmoothing = Literal["none", "laplace", "m_estimate"]


@runtime_checkable
class Criterion(Protocol):
    """What the grower needs to know about a criterion, built in or user-defined."""

    @property
    def function(self) -> Score:
        """The score of a table, as a plain function that can be compiled.

        Equal criteria return the same function object, so that it is compiled once.
        """

    @property
    def children_correction(self) -> Correction:
        """The divisor of the gain.

        "none", "log2" of the number of branches, or "split_info", the entropy of the branch
        weights.
        """

    @property
    def penalty(self) -> bool:
        """Whether a threshold's gain is reduced by log2(number of candidate thresholds) / W."""

    @property
    def tolerance(self) -> float:
        """Scores that differ by less than this are ties."""

    def convex(self, n_classes: int) -> bool:
        """Whether the score is convex in the counts, or an increasing function of one.

        Refining a split then never lowers the score, and the score between two thresholds is
        bounded by the counts at both, so the grower can skip candidates.
        """

    def __call__(self, table: ArrayLike) -> float:
        """The score of a table, given as an array or nested lists."""


class TableCriterion:
    """Base class of criteria: checks options, evaluates tables; no penalty and no tolerance."""

    penalty = False
    tolerance = 0.0

    def __post_init__(self) -> None:
        check_choices(self)

    def __call__(self: Criterion, table: ArrayLike) -> float:
        """Return the score of a table, given as an array or nested lists."""
        return float(self.function(as_table(table)))


# Impurities: how mixed are the classes within each branch?


@dataclass(frozen=True)
class Impurity(TableCriterion):
    """Minus the weighted mean impurity of the branches.

    The maximum, zero, is reached when every branch contains a single class. Subclasses define
    ``impurity``.

    Parameters
    ----------
    split_smoothing : {"none", "laplace", "m_estimate"}, default "none"
        "laplace" estimates the class distribution of a branch as (n + 1) / (w + classes),
        "m_estimate" as (n + 4 / classes) / (w + 4). Branch weights are not smoothed, so an
        uninformative split scores lower than the unsplit node.
    children_correction : {"none", "log2", "split_info"}, default "none"
        Divisor of the gain: nothing, log2 of the number of branches, or the split information.
    """

    split_smoothing: SplitSmoothing = "none"
    children_correction: Correction = "none"
    # Whether f is concave in p. Growth skips candidates on that promise: ``check_criterion`` tests
    # it.
    concave: ClassVar[bool] = False

    @staticmethod
    def impurity(table: ContingencyTable, branch: int, weight: float, extra: float) -> float:
        """Return w f(p) for one branch, where f is the impurity of a class distribution p.

        Using counts instead of p saves divisions and makes the impurity of a pure branch exactly
        zero. ``extra`` is the pseudocount that smoothing adds to every class; ``weight`` includes
        it.
        """
        raise NotImplementedError

    @property
    def function(self) -> Score:
        """Minus the mean impurity."""
        return _mean_purity(self.impurity, self.split_smoothing)

    def convex(self, n_classes: int) -> bool:
        """Whether the impurity is concave in p, and not smoothed."""
        return self.concave and self.split_smoothing == "none"


class Gini(Impurity):
    """Gini index of CART, 1 - sum p^2: the probability that two cases of a branch differ in class.

    Parameters
    ----------
    split_smoothing : {"none", "laplace", "m_estimate"}, default "none"
        "laplace" estimates the class distribution of a branch as (n + 1) / (w + classes),
        "m_estimate" as (n + 4 / classes) / (w + 4).
    children_correction : {"none", "log2", "split_info"}, default "none"
        Divisor of the gain: nothing, log2 of the number of branches, or the split information.

    Examples
    --------
    >>> round(Gini()([[9, 1], [3, 7]]), 4)
    -0.3
    """

    concave: ClassVar[bool] = True

    @staticmethod
    @inlined
    def impurity(table: ContingencyTable, branch: int, weight: float, extra: float) -> float:
        """1 - sum p^2."""
        squares = 0.0
        for label in range(table.shape[1]):
            count = table[branch, label] + extra
            squares += count * count
        return weight - squares / weight


class Entropy(Impurity):
    """Entropy of the class distribution in bits, - sum p log2 p; its gain is information gain.

    Parameters
    ----------
    split_smoothing : {"none", "laplace", "m_estimate"}, default "none"
        "laplace" estimates the class distribution of a branch as (n + 1) / (w + classes),
        "m_estimate" as (n + 4 / classes) / (w + 4).
    children_correction : {"none", "log2", "split_info"}, default "none"
        Divisor of the gain: nothing, log2 of the number of branches, or the split information.

    Examples
    --------
    >>> round(Entropy()([[9, 1], [3, 7]]), 4)
    -0.6751
    """

    concave: ClassVar[bool] = True

    @staticmethod
    @inlined
    def impurity(table: ContingencyTable, branch: int, weight: float, extra: float) -> float:
        """- sum p log2 p."""
        bits = 0.0
        for label in range(table.shape[1]):
            count = table[branch, label] + extra
            bits -= count * log2(count / weight)
        return bits


class Error(Impurity):
    """Training error, 1 - max p: the fraction of cases not in the majority class of their branch.

    Parameters
    ----------
    split_smoothing : {"none", "laplace", "m_estimate"}, default "none"
        "laplace" estimates the class distribution of a branch as (n + 1) / (w + classes),
        "m_estimate" as (n + 4 / classes) / (w + 4).
    children_correction : {"none", "log2", "split_info"}, default "none"
        Divisor of the gain: nothing, log2 of the number of branches, or the split information.

    Examples
    --------
    >>> round(Error()([[9, 1], [3, 7]]), 4)
    -0.2
    """

    concave: ClassVar[bool] = True

    @staticmethod
    @inlined
    def impurity(table: ContingencyTable, branch: int, weight: float, extra: float) -> float:
        """1 - max p."""
        largest = 0.0
        for label in range(table.shape[1]):
            largest = max(largest, table[branch, label] + extra)
        return weight - largest


class MSEE(Impurity):
    """Mean squared error of p as a probability estimate, after Ferri et al. (2003).

    For each class i the error is p_i (1 - p_i) ((1 - p_i)^2 + sum over j != i of p_j^2).

    Parameters
    ----------
    split_smoothing : {"none", "laplace", "m_estimate"}, default "none"
        "laplace" estimates the class distribution of a branch as (n + 1) / (w + classes),
        "m_estimate" as (n + 4 / classes) / (w + 4).
    children_correction : {"none", "log2", "split_info"}, default "none"
        Divisor of the gain: nothing, log2 of the number of branches, or the split information.

    Examples
    --------
    >>> round(MSEE()([[9, 1], [3, 7]]), 4)
    -0.1956
    """

    concave: ClassVar[bool] = True

    @staticmethod
    @inlined
    def impurity(table: ContingencyTable, branch: int, weight: float, extra: float) -> float:
        """Sum of p_i (1 - p_i) (1 - 2 p_i + sum p^2)."""
        scale = 1.0 / weight
        squares = 0.0
        for label in range(table.shape[1]):
            share = (table[branch, label] + extra) * scale
            squares += share * share
        error = 0.0
        for label in range(table.shape[1]):
            count = table[branch, label] + extra
            share = count * scale
            error += share * (weight - count) * (1.0 - 2.0 * share + squares)
        return error


@dataclass(frozen=True)
class GainRatio(TableCriterion):
    """Gain ratio of C4.5: the information gain divided by the split information.

    Parameters
    ----------
    split_smoothing : {"none", "laplace", "m_estimate"}, default "none"
        "laplace" estimates the class distribution of a branch as (n + 1) / (w + classes),
        "m_estimate" as (n + 4 / classes) / (w + 4).
    penalty : bool, default False
        Whether to subtract log2(number of candidate thresholds) / W from the gain of a threshold,
        as C4.5 Release 8 does.
    tolerance : float, default 0.0
        Scores that differ by less are ties; Weka uses 1e-6.
    guard : {"c45", "average", "none"}, default "c45"
        Which attributes may win by their ratio. "average": those whose gain is at least the mean
        gain of all attributes. "c45": the same, but the mean excludes nominal attributes with very
        many values. "none": any.

    Examples
    --------
    The score is the entropy; the grower divides the gain.

    >>> GainRatio()([[9, 1], [3, 7]]) == Entropy()([[9, 1], [3, 7]])
    True
    """

    split_smoothing: SplitSmoothing = "none"
    penalty: bool = False
    tolerance: float = 0.0
    guard: Literal["c45", "average", "none"] = "c45"
    children_correction: ClassVar[Correction] = "split_info"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self, "tolerance", above_zero=False)

    @property
    def function(self) -> Score:
        """That of ``Entropy``."""
        return Entropy(self.split_smoothing).function

    def convex(self, n_classes: int) -> bool:
        """True without smoothing. This refers to the gain; the ratio is not convex."""
        return self.split_smoothing == "none"


@dataclass(frozen=True)
class DKM(TableCriterion):
    """Criterion of Dietterich, Kearns and Mansour (1996): 2 sqrt(p q) for two classes.

    Parameters
    ----------
    multiclass : {"pairwise", "one_vs_rest", "largest"}, default "pairwise"
        Extension to more than two classes. "pairwise" sums 2 sqrt(p_i p_j) over pairs of classes,
        "one_vs_rest" sums sqrt(p (1 - p)) over classes. "largest" uses the most frequent class
        only, as CORElearn does; it is not concave and may rate a good split below no split.
    split_smoothing : {"none", "laplace", "m_estimate"}, default "none"
        "laplace" estimates the class distribution of a branch as (n + 1) / (w + classes),
        "m_estimate" as (n + 4 / classes) / (w + 4).
    children_correction : {"none", "log2", "split_info"}, default "none"
        Divisor of the gain.

    Examples
    --------
    >>> round(DKM()([[9, 1], [3, 7]]), 4)
    -0.7583
    """

    multiclass: Literal["pairwise", "one_vs_rest", "largest"] = "pairwise"
    split_smoothing: SplitSmoothing = "none"
    children_correction: Correction = "none"

    @property
    def function(self) -> Score:
        """Minus the mean of 2 sqrt(p q), extended to more classes."""
        forms = {
            "pairwise": _dkm_pairwise,
            "one_vs_rest": _dkm_one_vs_rest,
            "largest": _dkm_largest,
        }
        return _mean_purity(forms[self.multiclass], self.split_smoothing)

    def convex(self, n_classes: int) -> bool:
        """True without smoothing, except for "largest" with more than two classes."""
        concave = self.multiclass != "largest" or n_classes <= 2
        return concave and self.split_smoothing == "none"


@inlined
def _dkm_pairwise(table: ContingencyTable, branch: int, weight: float, extra: float) -> float:
    """Sum of 2 sqrt(p_i p_j) over pairs of classes."""
    if table.shape[1] == 2:
        return 2.0 * math.sqrt((table[branch, 0] + extra) * (table[branch, 1] + extra))
    earlier = 0.0
    pairs = 0.0
    for label in range(table.shape[1]):
        root = math.sqrt(table[branch, label] + extra)
        pairs += root * earlier
        earlier += root
    return 2.0 * pairs


@inlined
def _dkm_one_vs_rest(table: ContingencyTable, branch: int, weight: float, extra: float) -> float:
    """Sum of sqrt(p (1 - p)) over classes."""
    spread = 0.0
    for label in range(table.shape[1]):
        count = table[branch, label] + extra
        spread += math.sqrt(count * (weight - count))
    return spread


@inlined
def _dkm_largest(table: ContingencyTable, branch: int, weight: float, extra: float) -> float:
    """2 sqrt(p (1 - p)) for the most frequent class."""
    largest = 0.0
    for label in range(table.shape[1]):
        largest = max(largest, table[branch, label] + extra)
    return 2.0 * math.sqrt(largest * (weight - largest))


@cache
def _mean_purity(impurity: BranchImpurity, smoothing: SplitSmoothing) -> Score:
    """Return the score: minus the mean impurity of the branches by their unsmoothed weights."""
    added, m = _pseudocounts(smoothing)

    def score(table: ContingencyTable) -> float:
        extra = m / table.shape[1] if m > 0.0 else added
        total = 0.0
        impure = 0.0
        for branch in range(table.shape[0]):
            weight = 0.0
            for label in range(table.shape[1]):
                weight += table[branch, label]
            if weight > 0.0:
                total += weight
                smoothed = weight + extra * table.shape[1]
                share = weight / smoothed if extra > 0.0 else 1.0
                impure += share * impurity(table, branch, smoothed, extra)
        # Subtracted from zero: negating 0.0 would display as -0.0.
        return 0.0 - impure / total if total > 0.0 else 0.0

    return score


# AUC: how well do the branches rank the cases?


@dataclass(frozen=True)
class AUC(TableCriterion):
    """Area under the ROC curve whose segments are the branches; 0.5 for an unsplit node.

    Ordering the branches by their proportion of a class yields a ROC curve with one segment per
    branch: the AUCsplit of Ferri, Flach and Hernández-Orallo (2002). With more than two classes it
    is the mean over the pairs of classes present in the node.

    ``criterion="auc"`` divides the gain by the split information. The AUCsplit of the paper's
    definition 8 has no such correction: ``AUC(children_correction="none")``, and as its experiments
    ran it ``AUC(children_correction="none", split_smoothing="laplace")``. The MAUCsplit of 2003
    (definition 2) has a correction whose formula is not published.

    Parameters
    ----------
    pairs : {"hand_till", "renormalised"}, default "hand_till"
        How branches are ordered for a pair of classes i and j. "hand_till" orders them by p_i, then
        by p_j, and averages the two areas. "renormalised" orders them by n_i / (n_i + n_j). Both
        agree for two classes.
    split_smoothing : {"none", "laplace", "m_estimate"}, default "none"
        "laplace" adds one to every cell of the table, for both the order and the area;
        "m_estimate" adds 4 / classes.
    children_correction : {"none", "log2", "split_info"}, default "split_info"
        Divisor of the gain, the improvement over 0.5.

    Examples
    --------
    >>> round(AUC()([[9, 1], [3, 7]]), 4)
    0.8125
    """

    pairs: Literal["hand_till", "renormalised"] = "hand_till"
    split_smoothing: SplitSmoothing = "none"
    children_correction: Correction = "split_info"

    @property
    def function(self) -> Score:
        """The area, between 0 and 1."""
        return _mean_area(self.pairs, self.split_smoothing)

    def convex(self, n_classes: int) -> bool:
        """True without smoothing, except for "hand_till" with more than two classes."""
        ordered_by_pair = self.pairs == "renormalised" or n_classes <= 2
        return ordered_by_pair and self.split_smoothing == "none"


@cache
def _mean_area(pairs: str, smoothing: SplitSmoothing) -> Score:
    """Return the score: mean area over pairs of classes, 0.5 if fewer than two are present."""
    added, m = _pseudocounts(smoothing)
    many_classes = {"hand_till": _hand_till, "renormalised": _renormalised}[pairs]

    def score(table: ContingencyTable) -> float:
        extra = m / table.shape[1] if m > 0.0 else added
        if table.shape[1] == 2:
            return _pair_area(table, 0, 1, extra)
        return many_classes(table, extra)

    return score


@inlined
def _pair_area(table: ContingencyTable, i: int, j: int, extra: float) -> float:
    """Area for classes i and j alone, branches ordered by n_i / (n_i + n_j).

    Two branches b and c contribute the larger of n_i(b) n_j(c) and n_i(c) n_j(b); a single branch
    contributes half of n_i n_j. The sum is one half plus half the sum of absolute differences, so
    neither sorting nor tie handling is needed.
    """
    of_i = 0.0
    of_j = 0.0
    differences = 0.0
    for branch in range(table.shape[0]):
        of_i += table[branch, i]
        of_j += table[branch, j]
        for other in range(branch):
            there = (table[branch, i] + extra) * (table[other, j] + extra)
            back = (table[other, i] + extra) * (table[branch, j] + extra)
            differences += abs(there - back)
    pairs = (of_i + extra * table.shape[0]) * (of_j + extra * table.shape[0])
    return 0.5 + 0.5 * differences / pairs if of_i * of_j > 0.0 else 0.5


@inlined
def _renormalised(table: ContingencyTable, extra: float) -> float:
    """Mean of the two-class areas over the pairs of classes present."""
    areas = 0.0
    n_pairs = 0
    for i in range(table.shape[1]):
        of_i = _class_total(table, i)
        for j in range(i):
            if of_i * _class_total(table, j) > 0.0:
                areas += _pair_area(table, i, j, extra)
                n_pairs += 1
    return areas / n_pairs if n_pairs > 0 else 0.5


@inlined
def _hand_till(table: ContingencyTable, extra: float) -> float:
    """Hand and Till's M: mean of A(i|j) over the ordered pairs of classes present.

    A(i|j) is one half plus, for any two branches b and c of which b has the larger proportion of i,
    (n_i(b) n_j(c) - n_i(c) n_j(b)) / (2 n_i n_j). The order depends on i only, so the sum over j
    can be taken first; the terms with j = i cancel.
    """
    n_present = 0
    for label in range(table.shape[1]):
        if _class_total(table, label) > 0.0:
            n_present += 1
    margin = 0.0
    for branch in range(table.shape[0]):
        for other in range(branch):
            margin += _order_margin(table, branch, other, extra)
    return 0.5 + 0.5 * margin / (n_present * (n_present - 1)) if n_present > 1 else 0.5


@inlined
def _order_margin(table: ContingencyTable, branch: int, other: int, extra: float) -> float:
    """Contribution of two branches to the sum of 2 A(i|j) - 1 over ordered pairs of classes."""
    weight = 0.0
    weight_other = 0.0
    rates = 0.0
    rates_other = 0.0
    for label in range(table.shape[1]):
        rate = _inverse_total(table, label, extra)
        weight += table[branch, label] + extra
        weight_other += table[other, label] + extra
        rates += (table[branch, label] + extra) * rate
        rates_other += (table[other, label] + extra) * rate
    margin = 0.0
    for label in range(table.shape[1]):
        count = table[branch, label] + extra
        count_other = table[other, label] + extra
        order = _sign_of_difference(count * weight_other, count_other * weight)
        gap = count * rates_other - count_other * rates
        margin += order * gap * _inverse_total(table, label, extra)
    return margin


# Proportions that are mathematically equal may differ in their last bits if weights are fractions.
_EQUAL_SHARES = 1e-12


@inlined
def _sign_of_difference(a: float, b: float) -> float:
    """1, 0 or -1 if a is above, equal to or below b, up to rounding."""
    slack = _EQUAL_SHARES * (a + b)
    return (1.0 if a - b > slack else 0.0) - (1.0 if b - a > slack else 0.0)


@inlined
def _inverse_total(table: ContingencyTable, label: int, extra: float) -> float:
    """One over the smoothed weight of a class; 0 for an absent class, which excludes it."""
    total = _class_total(table, label)
    return 1.0 / (total + extra * table.shape[0]) if total > 0.0 else 0.0


@inlined
def _class_total(table: ContingencyTable, label: int) -> float:
    """Weight of a class in the node."""
    total = 0.0
    for branch in range(table.shape[0]):
        total += table[branch, label]
    return total


# F-measure: how well does each branch predict its majority class?


@dataclass(frozen=True)
class FMeasure(TableCriterion):
    """Absolute change of the F-measure when branches, not the node, predict their majority class.

    The change counts in either direction, as Stadler and Corlett (2017) published it: a split that
    lowers the F-measure is rewarded too, and so is an uninformative one. Ties for the majority go
    to the first class.

    Parameters
    ----------
    beta : float, default 1.0
        Weight of recall relative to precision; squared in the formula.
    children_correction : {"none", "log2", "split_info"}, default "none"
        Divisor of the gain.

    Examples
    --------
    >>> round(FMeasure()([[9, 1], [3, 7]]), 4)
    0.048
    """

    beta: float = 1.0
    children_correction: Correction = "none"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self, "beta", above_zero=True)

    @property
    def function(self) -> Score:
        """The absolute change; 0 for an unsplit node."""
        return _f_change(float(self.beta) ** 2)

    def convex(self, n_classes: int) -> bool:
        """False: refining a split may undo the change."""
        return False


@cache
def _f_change(beta_squared: float) -> Score:
    def score(table: ContingencyTable) -> float:
        total = 0.0
        majority = 0.0
        for label in range(table.shape[1]):
            cases = _class_total(table, label)
            total += cases
            majority = max(majority, cases)
        branches = 0.0
        for branch in range(table.shape[0]):
            branches += _branch_f(table, branch, beta_squared)
        node = _f(majority, 0.0, total - majority, beta_squared)
        return abs(node - branches / total) if total > 0.0 else 0.0

    return score


@inlined
def _branch_f(table: ContingencyTable, branch: int, beta_squared: float) -> float:
    """F-measure of the branch's majority class, times the weight of the branch."""
    weight = 0.0
    hits = 0.0
    missed = 0.0
    for label in range(table.shape[1]):
        count = table[branch, label]
        weight += count
        if count > hits:
            hits = count
            missed = _class_total(table, label) - count
    return weight * _f(hits, missed, weight - hits, beta_squared)


@inlined
def _f(hits: float, missed: float, wrong: float, beta_squared: float) -> float:
    found = (1.0 + beta_squared) * hits
    return found / (found + beta_squared * missed + wrong) if found > 0.0 else 0.0


# Hellinger: how differently are the classes distributed over the branches?


@dataclass(frozen=True)
class Hellinger(TableCriterion):
    """Hellinger distance between the classes' distributions over the branches.

    For two classes it is the square root of the sum, over branches, of (sqrt(P(branch | positive))
    - sqrt(P(branch | negative)))^2, between 0 and sqrt(2) (Cieslak and Chawla 2008). It does not
    depend on class frequencies. For more classes it is the root mean square distance over the pairs
    of classes present in the node, an extension of ours.

    Parameters
    ----------
    split_smoothing : {"none", "laplace", "m_estimate"}, default "none"
        "laplace" adds one to every cell of the table, which reduces the distance of small branches;
        "m_estimate" adds 4 / classes.
    children_correction : {"none", "log2", "split_info"}, default "none"
        Divisor of the gain.

    Examples
    --------
    >>> round(Hellinger()([[9, 1], [3, 7]]), 4)
    0.6725
    """

    split_smoothing: SplitSmoothing = "none"
    children_correction: Correction = "none"

    @property
    def function(self) -> Score:
        """The distance; 0 for an unsplit node."""
        return _hellinger(self.split_smoothing)

    def convex(self, n_classes: int) -> bool:
        """True without smoothing: refining a split never brings two distributions closer."""
        return self.split_smoothing == "none"


@cache
def _hellinger(smoothing: SplitSmoothing) -> Score:
    added, m = _pseudocounts(smoothing)

    def score(table: ContingencyTable) -> float:
        extra = m / table.shape[1] if m > 0.0 else added
        if table.shape[1] == 2:
            return _distance_of_two(table, extra)
        return _distance_of_many(table, extra)

    return score


@inlined
def _distance_of_two(table: ContingencyTable, extra: float) -> float:
    """The distance times sqrt(n_0 n_1), then divided: equal proportions give exactly zero."""
    of_0 = _class_total(table, 0)
    of_1 = _class_total(table, 1)
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
def _distance_of_many(table: ContingencyTable, extra: float) -> float:
    """Root of the mean square over pairs, which is twice the variance over classes."""
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
def _root_share(table: ContingencyTable, branch: int, label: int, extra: float) -> float:
    """Square root of P(branch | class), or -1 if the class is absent from the node."""
    total = _class_total(table, label)
    smoothed = total + extra * table.shape[0]
    return math.sqrt((table[branch, label] + extra) / smoothed) if total > 0.0 else -1.0


# User-defined criteria.


@overload
def criterion(function: Score) -> "CustomCriterion": ...


@overload
def criterion(
    *, convex: bool = False, children_correction: Correction = "none"
) -> Callable[[Score], "CustomCriterion"]: ...


def criterion(
    function: Score | None = None,
    *,
    convex: bool = False,
    children_correction: Correction = "none",
) -> Any:
    """Turn a function ``table[branch, class] -> score``, higher is better, into a criterion.

    The function is compiled, so write it as loops over the cells, using ``math`` and plain numbers;
    ``_distance_of_two`` in this module is an example.

    Parameters
    ----------
    function : callable, optional
        Function of one contingency table. Omit it to use ``@criterion(...)`` with options.
    convex : bool, default False
        Declare that the score is a convex function of the counts, or an increasing function of one,
        so that refining a split never lowers it. This speeds up growth. A false declaration leads
        to wrong trees; ``roctree.checks.check_criterion`` tests it.
    children_correction : {"none", "log2", "split_info"}, default "none"
        Divisor of the gain: nothing, log2 of the number of branches, or the split information of
        C4.5.

    Returns
    -------
    CustomCriterion or decorator

    Notes
    -----
    Worker processes of joblib, such as those of ``GridSearchCV(n_jobs=2)``, receive the function by
    value, wherever it was defined. A pickle refers to it by name: to load a pickled tree elsewhere,
    define the function at the top level of an importable module, not in a notebook or inside
    another function.

    Examples
    --------
    >>> @criterion(convex=True)
    ... def majority(table):
    ...     correct = 0.0
    ...     for branch in range(table.shape[0]):
    ...         correct += max(table[branch, 0], table[branch, 1])
    ...     return correct
    >>> majority([[8, 1], [2, 5]])
    13.0
    """

    def decorate(function: Score) -> CustomCriterion:
        plain = getattr(function, "py_func", function)  # in case Numba has compiled it already
        name = getattr(plain, "__name__", repr(plain))
        return CustomCriterion(name, plain, convex, children_correction)

    return decorate if function is None else decorate(function)


@dataclass(frozen=True)
class CustomCriterion(TableCriterion):
    """A user-defined criterion, made by ``@criterion``."""

    name: str
    function: Score
    convex_: bool = False
    children_correction: Correction = "none"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _takes_one_argument(self.function):
            raise ParameterError(
                f"the criterion {self.name!r} must be a function of one argument, the table."
            )

    def convex(self, n_classes: int) -> bool:
        """Return the declaration made in the decorator."""
        return self.convex_

    def __reduce__(self) -> tuple[Any, ...]:
        # The decorated name now refers to the criterion, so pickle would not find the function
        # there. Point it to the attribute of the criterion instead.
        if _object_at(self.function) is self:
            self.function.__qualname__ += ".function"
        return CustomCriterion, tuple(getattr(self, field.name) for field in fields(self))


def _takes_one_argument(function: Any) -> bool:
    if not inspect.isfunction(function):
        return False
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        return False
    return True


def _object_at(function: Any) -> Any:
    """Return the object that the function's module and qualified name refer to, or None."""
    try:
        return attrgetter(function.__qualname__)(sys.modules[function.__module__])
    except (AttributeError, KeyError):
        return None


# Helpers.


def as_table(table: ArrayLike) -> ContingencyTable:
    """Return the table as a float64 array; raise ``DataError`` unless its cells are weights."""
    try:
        cells = np.ascontiguousarray(table, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            "A contingency table must contain numbers, in rows of equal length."
        ) from None
    if cells.ndim != 2 or cells.size == 0:
        raise DataError(
            "A contingency table must have one row per branch and one column per class; "
            f"the shape given is {cells.shape}."
        )
    if not (np.isfinite(cells).all() and (cells >= 0.0).all()):
        raise DataError("The cells of a contingency table must be finite, non-negative weights.")
    return cells


def _pseudocounts(smoothing: SplitSmoothing) -> tuple[float, float]:
    """Return the count that smoothing adds to every cell, and the one it divides among classes."""
    return {"none": (0.0, 0.0), "laplace": (1.0, 0.0), "m_estimate": (0.0, 4.0)}[smoothing]


_MANTISSA_BITS = 52
_HALF_OCTAVE = 0x3FE6A09E667F3BCD  # bit pattern of sqrt(0.5)


@inlined
def log2(x: float) -> float:
    """Binary logarithm of a positive number; -1023 at zero, so that 0 log2(0) is 0.

    The C library's ``log2`` differs in the last bit between systems, and loops that call it are not
    vectorised. This function consists of additions, multiplications and one division: it returns
    the same bits everywhere, compiled or not, and makes entropy several times faster. It is exact
    for powers of two, and within a few units in the last place elsewhere.

    x is a power of two times a mantissa m between sqrt(1/2) and sqrt(2), and log m = 2 artanh(r) =
    2 (r + r^3/3 + r^5/5 + ...) with r = (m - 1) / (m + 1). Seven terms, interpolated at Chebyshev
    points, replace the infinite tail.
    """
    bits = np.float64(x).view(np.int64)
    octave = (bits - _HALF_OCTAVE) >> _MANTISSA_BITS
    mantissa = np.int64(bits - (octave << _MANTISSA_BITS)).view(np.float64)
    r = (mantissa - 1.0) / (mantissa + 1.0)
    r2 = r * r
    r4 = r2 * r2
    # Summed in pairs: a single chain of dependent operations would take twice as long.
    low = 0.961796693925976 + 0.5770780163541355 * r2
    middle = 0.412198583898078 + 0.32059873801756367 * r2
    high = 0.2623236397004895 + 0.221189987214124 * r2 + 0.21087079476015172 * r4
    tail = low + r4 * (middle + r4 * high)
    return float(octave) + r * (2.8853900817779268 + r2 * tail)


CRITERIA: dict[str, Criterion] = {
    "gini": Gini(),
    "entropy": Entropy(),
    "gain_ratio": GainRatio(),
    "dkm": DKM(),
    "error": Error(),
    "auc": AUC(),
    "msee": MSEE(),
    "f_measure": FMeasure(),
    "hellinger": Hellinger(),
}


def node_impurities(criterion: Criterion, counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the impurity of each node, which cost-complexity pruning adds up over the leaves.

    Parameters
    ----------
    criterion : Criterion
        The entropy for ``Entropy`` and ``GainRatio``, the error rate for ``Error``, the Gini index
        for all others, some of which judge splits and not nodes.
    counts : float64[nodes, classes]
        Class counts.

    Examples
    --------
    >>> node_impurities(Gini(), np.array([[1.0, 1.0], [2.0, 0.0]]))
    array([0.5, 0. ])
    """
    totals = counts.sum(axis=1, keepdims=True)
    shares = counts / np.where(totals > 0.0, totals, 1.0)
    if isinstance(criterion, Entropy | GainRatio):
        logarithms = np.log2(shares, out=np.zeros_like(shares), where=shares > 0.0)
        return np.asarray(-(shares * logarithms).sum(axis=1))
    pure = shares.max(axis=1) if isinstance(criterion, Error) else np.square(shares).sum(axis=1)
    return np.asarray(np.where(totals[:, 0] > 0.0, 1.0 - pure, 0.0))


# scikit-learn's names for criteria that have other names here.
ALIASES = {"log_loss": "entropy"}


def resolve_criterion(criterion: str | Criterion) -> Criterion:
    """Return the criterion of that name, or the criterion itself."""
    if isinstance(criterion, str):
        criterion = ALIASES.get(criterion, criterion)
    return lookup("criterion", criterion, CRITERIA, lambda value: isinstance(value, Criterion))
