"""The compiled search for the best cut of cases that count as whole numbers.

It finds what ``mdl_kernels.best_cut`` finds, by logarithms that are all looked up.

Cases of two classes in ascending order are a path, a step to the right for one class and a step up
for the other. How pure the parts of a cut are is a convex function of the point at which it parts
the path, and every way between two points stays in the rectangle that they span. So no cut between
them makes purer parts than one at a corner would, and most cases are stepped over.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import kernel
from roctree.systems.mdl_kernels import (
    LOG_2,
    NO_CUT,
    ROUGH,
    entropy,
    entropy_of_parts,
    least_price,
    n_present,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Numbers = NDArray[Any]  # whole, as int64 or float64
Int = Any  # Python's or NumPy's

# How many cases are stepped over at once.
STRIDE = 16
# Both counts of a step are in one number, the second in its upper half.
UP = 1 << 32


@kernel
def find_hopeless(
    ranked: Ints,
    n_known: Ints,
    n_categories: Ints,
    labels: Ints,
    members: Ints,
    weights: Ints,
    n_classes: Int,
    table: Floats,
    hopeless: Bools,
) -> None:
    """Mark attributes in which no cut of the members can be worth its description.

    Parameters
    ----------
    ranked, n_known, n_categories, labels, n_classes, table : of the node
    members, weights : int64[members], some of its cases, and how many each stands for
    hopeless : bool[features]
    """
    class_counts = np.zeros(n_classes, dtype=np.int64)
    for k in range(members.size):
        class_counts[labels[members[k]]] += weights[k]
    if n_present(class_counts) != 2:
        return
    n = class_counts.sum()
    price = least_price(float(n), table, class_counts)
    least = least_purity(class_counts, price, table)
    last = last_present(class_counts)
    steps = np.zeros(labels.size, dtype=np.int64)
    for k in range(members.size):
        steps[members[k]] = weights[k] * (UP if labels[members[k]] == last else 1)
    all_up = class_counts[last]
    for feature in range(hopeless.size):
        if n_categories[feature] == 0 and n_known[feature] == labels.size:
            hopeless[feature] = not may_be_cut(
                ranked[feature], steps, n - all_up, all_up, least, table
            )


@kernel
def least_purity(class_counts: Ints, price: float, table: Floats) -> float:
    """Return how pure the parts of a cut are, at the least, that gains its price in bits."""
    n = class_counts.sum()
    lacking = price - n * entropy(class_counts, table)
    return float(LOG_2 * lacking - ROUGH * (1.0 + table[int(n)]))


@kernel
def last_present(class_counts: Ints) -> Int:
    """Return the last class that there are cases of."""
    last = class_counts.size - 1
    while class_counts[last] == 0:
        last -= 1
    return last


@kernel
def may_be_cut(
    ranked: Ints, steps: Ints, all_right: Int, all_up: Int, least: float, table: Floats
) -> bool:
    """Say whether a cut of a column might make parts that are pure enough.

    Parameters
    ----------
    ranked : int64[cases], the cases of the node in ascending order
    steps : int64[cases], what each adds to the path, 0 if it is in another branch
    all_right, all_up : the end of the path
    least : how pure the parts must be
    table : float64[...], x ln x of the first whole numbers
    """
    right, up = 0, 0
    for begin in range(0, ranked.size, STRIDE):
        step = 0
        for i in range(begin, min(begin + STRIDE, ranked.size)):
            step += steps[ranked[i]]
        next_right, next_up = right + step % UP, up + step // UP
        if purest_corner(right, up, next_right, next_up, all_right, all_up, table) >= least:
            return True
        right, up = next_right, next_up
    return False


@kernel
def purest_corner(
    right: Int, up: Int, next_right: Int, next_up: Int, all_right: Int, all_up: Int, table: Floats
) -> float:
    """Return how pure parts can be if a path is parted between two points, the first excluded."""
    by_right = purity(next_right, up, all_right, all_up, table)
    by_up = purity(right, next_up, all_right, all_up, table)
    return max(by_right, by_up, purity(next_right, next_up, all_right, all_up, table))


@kernel
def purity(right: Int, up: Int, all_right: Int, all_up: Int, table: Floats) -> float:
    """Return how pure the parts are, in Weka's order of sums for classes that go right, then up."""
    after_right, after_up = all_right - right, all_up - up
    before = table[int(right)] + table[int(up)] - table[int(right + up)]
    after = table[int(after_right + after_up)]
    return float(before + table[int(after_right)] + table[int(after_up)] - after)


@kernel
def best_whole_cut(
    values: Floats,
    labels: Ints,
    weights: Numbers,
    begin: Int,
    end: Int,
    table: Floats,
    price: float,
    counts: Numbers,
    purities: Floats,
) -> Int:
    """Find the last case left of the cut of least entropy, as ``mdl_kernels.best_cut`` does."""
    if n_present(counts[0]) == 2:
        return best_cut_of_two(values, labels, weights, begin, end, table, price, counts, purities)
    return best_cut_of_many(values, labels, weights, begin, end, table, price, counts, purities)


@kernel
def best_cut_of_two(
    values: Floats,
    labels: Ints,
    weights: Numbers,
    begin: Int,
    end: Int,
    table: Floats,
    price: float,
    counts: Numbers,
    purities: Floats,
) -> Int:
    """Find it among two classes, stretch by stretch."""
    last = last_present(counts[0])
    first = last_present(counts[0, :last])
    all_right, all_up = counts[0, first], counts[0, last]
    enough = least_purity(counts[0], price, table)
    purest = -np.inf
    right, up = all_right - all_right, all_up - all_up
    for start in range(begin, end, STRIDE):
        stop = min(start + STRIDE, end)
        step, risen = steps_of(labels, weights, start, stop, last)
        next_right, next_up = right + step, up + risen
        purities[start] = purest_corner(right, up, next_right, next_up, all_right, all_up, table)
        right, up = next_right, next_up
        if stop < end and values[stop - 1] < values[stop]:
            purest = max(purest, purity(right, up, all_right, all_up, table))
    enough = max(enough, purest - ROUGH * (1.0 + table[int(all_right + all_up)]))
    least, purest, best = entropy(counts[0], table), -np.inf, NO_CUT
    weight = (all_right + all_up) * LOG_2
    right, up = all_right - all_right, all_up - all_up
    for start in range(begin, end, STRIDE):
        stop = min(start + STRIDE, end)
        if purities[start] < enough:
            step, risen = steps_of(labels, weights, start, stop, last)
            right, up = right + step, up + risen
            continue
        for i in range(start, min(stop, end - 1)):
            rises = int(labels[i] == last) * weights[i]
            up += rises
            right += weights[i] - rises
            if not values[i] < values[i + 1]:
                continue
            found = purity(right, up, all_right, all_up, table)
            # Two that differ may be one after the division.
            if found > purest and -found / weight < least:
                purest, least, best = found, -found / weight, i
                counts[3], counts[4] = 0, counts[0]
                counts[3, last], counts[4, last] = up, all_up - up
                counts[3, first], counts[4, first] = right, all_right - right
    return best


@kernel
def steps_of(labels: Ints, weights: Ints, start: Int, stop: Int, last: Int) -> tuple[Int, Int]:
    """Return how far a stretch of the path goes, right and up."""
    step, risen = weights[start] - weights[start], weights[start] - weights[start]
    for i in range(start, stop):
        step += weights[i]
        risen += weights[i] * int(labels[i] == last)
    return step - risen, risen


@kernel
def best_cut_of_many(
    values: Floats,
    labels: Ints,
    weights: Numbers,
    begin: Int,
    end: Int,
    table: Floats,
    price: float,
    counts: Numbers,
    purities: Floats,
) -> Int:
    """Find it among any number of classes, first roughly, by differences that are added up."""
    whole, left, right = counts[0], counts[1], counts[2]
    most = rough_whole_purities(values, labels, weights, begin, end, table, counts, purities)
    if most < least_purity(whole, price, table):
        return NO_CUT
    enough = most - ROUGH * (1.0 + table[int(whole.sum())])
    left[:] = 0
    right[:] = whole
    least, best = entropy(whole, table), NO_CUT
    for i in range(begin, end - 1):
        left[labels[i]] += weights[i]
        right[labels[i]] -= weights[i]
        if purities[i] >= enough:
            found = entropy_of_parts(left, right, table)
            if found < least:
                least, best = found, i
                counts[3], counts[4] = left, right
    return best


@kernel
def rough_whole_purities(
    values: Floats,
    labels: Ints,
    weights: Ints,
    begin: Int,
    end: Int,
    table: Floats,
    counts: Ints,
    purities: Floats,
) -> float:
    """Write how pure both parts are after each case, and return the most.

    Where no cut is possible they are infinitely impure. A case changes the counts of one class.
    """
    left, right = counts[1], counts[2]
    left[:] = 0
    right[:] = counts[0]
    n = right.sum()
    n_left = n - n
    added = 0.0
    for label in range(right.size):
        added += table[int(right[label])]
    most = -np.inf
    for i in range(begin, end - 1):
        label, weight = labels[i], weights[i]
        before_left, before_right = left[label], right[label]
        left[label] = before_left + weight
        right[label] = before_right - weight
        n_left += weight
        gained = table[int(before_left + weight)] - table[int(before_left)]
        added += gained - (table[int(before_right)] - table[int(before_right - weight)])
        purities[i] = -np.inf
        if values[i] < values[i + 1]:
            purities[i] = added - table[int(n_left)] - table[int(n - n_left)]
            most = max(most, purities[i])
    return most
