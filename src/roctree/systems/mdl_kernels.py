"""The compiled search for a cut of Fayyad and Irani (1993), and what makes it worth its price.

Sums are made in the order in which Weka makes them: two cuts may be equally good, and rounding then
says which is found.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import inlined, kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = NDArray[Any]  # int64 where all are whole, else float64

LOG_2 = math.log(2.0)
NOTHING = 1e-6
# By which part of the largest possible sum differences may be wrong that were added up.
ROUGH = 1e-9
NO_CUT = -1


@inlined
def x_log_x(x: float, table: Floats) -> float:
    """Return x ln x, from a table where x is a whole number that it has."""
    if 0.0 <= x < table.size and x == int(x):
        return float(table[int(x)])
    return x * math.log(x) if x > 0.0 else 0.0


@kernel
def entropy(counts: Numbers, table: Floats) -> float:
    """Return the entropy of class counts, in bits."""
    spread = 0.0
    total = 0.0
    for label in range(counts.size):
        spread -= x_log_x(counts[label], table)
        total += counts[label]
    if total < NOTHING:
        return 0.0
    return (spread + x_log_x(total, table)) / (total * LOG_2)


@inlined
def entropy_of_parts(left: Numbers, right: Numbers, table: Floats) -> float:
    """Return the mean entropy of two parts, in bits."""
    purity = 0.0
    n_left = 0.0
    for label in range(left.size):
        purity += x_log_x(left[label], table)
        n_left += left[label]
    purity -= x_log_x(n_left, table)
    n_right = 0.0
    for label in range(right.size):
        purity += x_log_x(right[label], table)
        n_right += right[label]
    purity -= x_log_x(n_right, table)
    if n_left + n_right < NOTHING:
        return 0.0
    return -purity / ((n_left + n_right) * LOG_2)


@kernel
def n_present(counts: Numbers) -> int:
    """Return how many classes there are cases of."""
    found = 0
    for label in range(counts.size):
        if counts[label] > 0.0:
            found += 1
    return found


@kernel
def best_cut(
    values: Floats,
    labels: Ints,
    weights: Numbers,
    begin: int,
    end: int,
    table: Floats,
    price: float,
    counts: Numbers,
    purities: Floats,
) -> int:
    """Find the last case left of the cut of least entropy, or -1 if none is worth its price.

    ``counts`` are [5, classes]: of all cases, which are given, of the parts of the cut that is
    tried, and of the parts of the best. ``purities`` is room for a number of each case, and
    ``price`` the least bits that a cut must gain of all cases.
    """
    whole, left, right = counts[0], counts[1], counts[2]
    most = rough_purities(values, labels, weights, begin, end, table, counts, purities)
    total = whole.sum()
    rough = ROUGH * (1.0 + x_log_x(total, table))
    if total * entropy(whole, table) + most / LOG_2 < price - rough:
        return NO_CUT
    # Entropies in Weka's order of sums decide among those that are the best but for rounding.
    enough = most - rough
    left[:] = 0
    right[:] = whole
    least = entropy(whole, table)
    best = NO_CUT
    for i in range(begin, end - 1):
        left[labels[i]] += weights[i]
        right[labels[i]] -= weights[i]
        if purities[i] >= enough and values[i] < values[i + 1]:
            found = entropy_of_parts(left, right, table)
            if found < least:
                least = found
                best = i
                counts[3] = left
                counts[4] = right
    return best


@kernel
def rough_purities(
    values: Floats,
    labels: Ints,
    weights: Numbers,
    begin: int,
    end: int,
    table: Floats,
    counts: Numbers,
    purities: Floats,
) -> float:
    """Write how pure both parts are after each case, and return the most.

    Where no cut is possible they are infinitely impure. A case that stands alone changes the counts
    of one class only; taking differences adds up what is rounded.
    """
    left, right = counts[1], counts[2]
    left[:] = 0
    right[:] = counts[0]
    n_right = right.sum()
    n_left = n_right - n_right
    purity = sum_of_x_log_x(left, right, table)
    stands_alone = True
    most = -np.inf
    for i in range(begin, end - 1):
        label, weight = labels[i], weights[i]
        before_left, before_right = left[label], right[label]
        left[label] = before_left + weight
        right[label] = before_right - weight
        n_left += weight
        n_right -= weight
        if not values[i] < values[i + 1]:
            purities[i] = -np.inf
            stands_alone = False
            continue
        if stands_alone:
            gained = x_log_x(left[label], table) - x_log_x(before_left, table)
            lost = x_log_x(before_right, table) - x_log_x(right[label], table)
            purity += gained - lost
        else:
            purity = sum_of_x_log_x(left, right, table)
            stands_alone = True
        purities[i] = purity - x_log_x(n_left, table) - x_log_x(n_right, table)
        if purities[i] > most:
            most = purities[i]
    return most


@kernel
def sum_of_x_log_x(left: Numbers, right: Numbers, table: Floats) -> float:
    """Return the sum over all classes in both parts."""
    added = 0.0
    for label in range(left.size):
        added += x_log_x(left[label], table) + x_log_x(right[label], table)
    return added


@kernel
def least_price(n_cases: float, table: Floats, whole: Numbers) -> float:
    """Return the bits that any cut must gain of all cases of these classes, at the least.

    None takes less to describe than one between pure parts; where nothing can be cut, it is
    infinite.
    """
    n_all = n_present(whole)
    if n_cases < 2.0 or n_all < 2:
        return float(np.inf)
    positions = math.log((n_cases - 1.0) * (3.0**n_all - 2.0)) / LOG_2
    return positions - n_all * entropy(whole, table) - NOTHING


@kernel
def is_worth_its_description(n_cases: float, weight: float, table: Floats, counts: Numbers) -> bool:
    """Say whether the best cut gains more than it takes to describe it.

    Every case is a place for a cut, however little missing values have left of it here; the price
    is shared by what is left of all.
    """
    before = entropy(counts[0], table)
    gain = before - entropy_of_parts(counts[3], counts[4], table)
    n_all, n_left, n_right = n_present(counts[0]), n_present(counts[3]), n_present(counts[4])
    right = n_right * entropy(counts[4], table)
    left = n_left * entropy(counts[3], table)
    delta = math.log(3.0**n_all - 2.0) / LOG_2 - (n_all * before - right - left)
    price = math.log(n_cases - 1.0) / LOG_2 + delta
    return gain > price / weight
