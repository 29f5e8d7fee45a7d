"""The compiled splits that C4.5 would make on an attribute, in Weka's version of it.

They are the candidates of a Naive Bayes tree; no gains are compared between attributes.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import kernel
from roctree.systems.mdl_kernels import LOG_2, x_log_x
from roctree.systems.weka_kernels import sort_cases

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Int = Any  # Python's or NumPy's

# What Weka takes for no difference between two sums, and between two values.
SMALL, TOO_CLOSE = 1e-6, 1e-5
# The least weight of two branches, and the most that C4.5 demands of both sides of a cut.
LEAST_BRANCH, MOST_SIDE = 2.0, 25.0
DIVIDED = -1


@kernel
def divide_categories(
    values: Floats, weights: Floats, order: Ints, branch: Ints, shares: Floats
) -> bool:
    """Write the branch of each case; say whether two branches have cases enough.

    Parameters
    ----------
    values, weights : float64[cases]
    order : int64[cases], the cases in Weka's order
    branch : int64[cases], -1 of a case that is divided among the branches
    shares : float64[branches], the part of such a case that each branch gets
    """
    shares[:] = 0.0
    total = 0.0
    for case in order:
        branch[case] = DIVIDED
        if values[case] == values[case]:
            branch[case] = int(values[case])
            shares[branch[case]] += weights[case]
            total += weights[case]
    n_large = 0
    for number in range(shares.size):
        if shares[number] > LEAST_BRANCH - SMALL:
            n_large += 1
        shares[number] /= max(total, SMALL)
    return n_large > 1


@kernel
def cut_numbers(
    values: Floats,
    ranked: Ints,
    labels: Ints,
    copies: Floats,
    weights: Floats,
    n_classes: Int,
    table: Floats,
    order: Ints,
    branch: Ints,
    shares: Floats,
) -> float:
    """Sort the cases, write the branch of each, and return the threshold; NaN if there is none.

    Parameters
    ----------
    values, weights, branch, shares : as in ``divide_categories``
    ranked : int64[known], the cases with a known number in ascending order
    labels, copies : int64[cases], float64[cases], how many cases each case stands for
    n_classes, table : number of classes, and x ln x of the first whole numbers
    order : int64[cases], the cases as they stood before, and in the end by their values
    """
    n_known = ranked.size
    if n_known == order.size and all_differ(values, ranked):
        order[:] = ranked
    else:
        # Weka sorts twice, and its sort is not stable.
        sort_cases(order, values)
        sort_cases(order, values)
    best = best_cut(values, labels, weights, copies, n_classes, table, order, n_known)
    if best < 0:
        return math.nan
    shares[:] = 0.0
    branch[:] = DIVIDED
    for i in range(n_known):
        case = order[i]
        branch[case] = int(i > best)
        shares[branch[case]] += weights[case]
    shares[:] = shares / (shares[0] + shares[1])
    low, high = float(values[order[best]]), float(values[order[best + 1]])
    middle = (low + high) / 2.0
    # Where the middle rounds to the larger value, that would go to the wrong side.
    return low if middle == high else middle


@kernel
def all_differ(values: Floats, ranked: Ints) -> bool:
    """Say whether no two of the cases have the same number, so that any sort gives one order."""
    n_equal = 0
    for i in range(ranked.size - 1):
        n_equal += int(values[ranked[i]] == values[ranked[i + 1]])
    return n_equal == 0


@kernel
def best_cut(
    values: Floats,
    labels: Ints,
    weights: Floats,
    copies: Floats,
    n_classes: Int,
    table: Floats,
    order: Ints,
    n_known: Int,
) -> Int:
    """Return the place of the last case left of the cut that gains most, -1 if there is none."""
    left, right = np.zeros(n_classes), np.zeros(n_classes)
    known, total, n_cases = 0.0, 0.0, 0.0
    for i in range(order.size):
        total += weights[order[i]]
        if i < n_known:
            right[labels[order[i]]] += weights[order[i]]
            known += weights[order[i]]
            n_cases += copies[order[i]]
    least_side = least_side_of(known, n_classes)
    if 2.0 * least_side - n_cases > SMALL:
        return -1
    before = bits(known, table) - sum_of_bits(right, table)
    share = 1.0 - (total - known) / total
    n_left, n_right = 0.0, known
    best_gain, best, n_cuts = 0.0, -1, 0
    for i in range(n_known - 1):
        case = order[i]
        left[labels[case]] += weights[case]
        right[labels[case]] -= weights[case]
        n_left += weights[case]
        n_right -= weights[case]
        if not values[case] + TOO_CLOSE < values[order[i + 1]]:
            continue
        if n_left > least_side - SMALL and n_right > least_side - SMALL:
            gain = gain_of(before, left, right, n_left, n_right, share, table) / known
            if gain - best_gain > SMALL:
                best_gain, best = gain, i
            n_cuts += 1
    # The more cuts were tried, the more the best must gain.
    if best < 0 or best_gain - math.log(n_cuts) / LOG_2 / total < SMALL:
        return -1
    return best


@kernel
def least_side_of(known: float, n_classes: Int) -> float:
    """Return the least weight on a side of a cut: a tenth of the mean class, within limits."""
    tenth = 0.1 * known / n_classes
    if tenth - LEAST_BRANCH < SMALL:
        return LEAST_BRANCH
    return MOST_SIDE if tenth - MOST_SIDE > SMALL else tenth


@kernel
def gain_of(
    before: float,
    left: Floats,
    right: Floats,
    n_left: float,
    n_right: float,
    share: float,
    table: Floats,
) -> float:
    """Return the information gained by a cut, of which only the share of known values counts."""
    purity = 0.0
    for label in range(left.size):
        purity += bits(left[label], table)
    purity -= bits(n_left, table)
    for label in range(right.size):
        purity += bits(right[label], table)
    purity -= bits(n_right, table)
    gained = share * (before + purity)
    return gained if abs(gained) >= SMALL else 0.0


@kernel
def sum_of_bits(counts: Floats, table: Floats) -> float:
    """Return the sum of x log2 x over all classes."""
    added = 0.0
    for label in range(counts.size):
        added += bits(counts[label], table)
    return added


@kernel
def bits(x: float, table: Floats) -> float:
    """Return x log2 x, 0 for next to nothing."""
    return x_log_x(x, table) / LOG_2 if x >= SMALL else 0.0
