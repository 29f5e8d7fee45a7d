"""The impurity of one branch, and its mean over the branches of a split.

An impurity function gives w f(n / w) for a branch with class counts n and weight w: counts rather
than shares save divisions and keep a pure branch at exactly zero. ``extra`` is the count that
smoothing adds to every class, and ``weight`` already includes it.

The compiler sees these loops with the size of the table known and the functions inlined, and
then scores several candidate splits at once. That is why they have no exits and no allocations.
"""

import math
from collections.abc import Callable
from functools import cache

from roctree._jit import inlined
from roctree.criteria.logarithm import log2
from roctree.criteria.protocol import Score, Table

BranchImpurity = Callable[[Table, int, float, float], float]


@cache
def mean_purity(impurity: BranchImpurity, extra: float) -> Score:
    """Minus the mean impurity of the branches, each weighted by its unsmoothed share."""

    def score(table: Table) -> float:
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
        # Subtracted from zero, because minus zero would look odd.
        return 0.0 - impure / total if total > 0.0 else 0.0

    return score


@inlined
def gini(table: Table, branch: int, weight: float, extra: float) -> float:
    """1 - sum p^2."""
    squares = 0.0
    for label in range(table.shape[1]):
        count = table[branch, label] + extra
        squares += count * count
    return weight - squares / weight


@inlined
def entropy(table: Table, branch: int, weight: float, extra: float) -> float:
    """- sum p log2 p."""
    bits = 0.0
    for label in range(table.shape[1]):
        count = table[branch, label] + extra
        bits -= count * log2(count / weight)
    return bits


@inlined
def error(table: Table, branch: int, weight: float, extra: float) -> float:
    """1 - max p."""
    largest = 0.0
    for label in range(table.shape[1]):
        largest = max(largest, table[branch, label] + extra)
    return weight - largest


@inlined
def msee(table: Table, branch: int, weight: float, extra: float) -> float:
    """Sum of p_i (1 - p_i) (1 - 2 p_i + sum p^2), Ferri et al.'s error of estimation."""
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


@inlined
def dkm_pairwise(table: Table, branch: int, weight: float, extra: float) -> float:
    """Sum of 2 sqrt(p_i p_j) over the pairs of classes."""
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
def dkm_one_vs_rest(table: Table, branch: int, weight: float, extra: float) -> float:
    """Sum of sqrt(p (1 - p)) over the classes."""
    spread = 0.0
    for label in range(table.shape[1]):
        count = table[branch, label] + extra
        spread += math.sqrt(count * (weight - count))
    return spread


@inlined
def dkm_largest(table: Table, branch: int, weight: float, extra: float) -> float:
    """2 sqrt(p (1 - p)) of the largest share."""
    largest = 0.0
    for label in range(table.shape[1]):
        largest = max(largest, table[branch, label] + extra)
    return 2.0 * math.sqrt(largest * (weight - largest))
