"""The compiled search for the split of a Naive Bayes tree, attribute by attribute, as Weka does it.

A candidate is the split that C4.5 would make on an attribute. It is judged by the errors that Naive
Bayes makes in its branches when each fold of their cases is unlearned in turn.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import kernel, typed_kernel
from roctree.systems.mdl_kernels import LOG_2, x_log_x
from roctree.systems.naive_bayes_kernels import N_FOLDS, cross_validated_errors, find_cells
from roctree.systems.weka_kernels import SEED, begin_random, shuffle, sort_cases, stratify

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Int = Any  # Python's or NumPy's

# What Weka takes for no difference between two sums, and between two values.
SMALL, TOO_CLOSE = 1e-6, 1e-5
# The least weight of two branches, and the most that C4.5 demands of both sides of a cut.
LEAST_BRANCH, MOST_SIDE = 2.0, 25.0
# What follows from columns of ``result``.
ERRORS, THRESHOLD = 0, 1

_VALUES = "Array(float64, 2, 'C', readonly=True)"
_RANKED = "Array(int64, 2, 'C', readonly=True)"
_GIVEN = "Array(float64, 1, 'C', readonly=True)"
_NUMBERS = "Array(int64, 1, 'C', readonly=True)"
_CASES = f"{_VALUES}, {_RANKED}, {_NUMBERS}, {_NUMBERS}, {_NUMBERS}, {_GIVEN}, {_GIVEN}"


@typed_kernel(
    f"float64({_CASES}, int64, {_GIVEN}, {_NUMBERS}, "
    "Array(int64, 2, 'C'), Array(int64, 1, 'C'), Array(float64, 2, 'C'))"
)
def judge_node(
    values: Floats,
    ranked: Ints,
    n_known: Ints,
    n_categories: Ints,
    labels: Ints,
    weights: Floats,
    copies: Floats,
    n_classes: Int,
    table: Floats,
    order: Ints,
    cells: Ints,
    n_cells: Ints,
    cuts: Floats,
) -> float:
    """Write the cells of all cases of a node; return the errors, by folds in the order of cases.

    Parameters
    ----------
    values, ranked, n_known, n_categories, labels, copies : as in ``find_cells``
    weights : float64[cases]
    n_classes, table : number of classes, and x ln x of the first whole numbers
    order : int64[cases], the cases as Weka would have them
    cells, n_cells, cuts : as in ``find_cells``
    """
    members = np.arange(labels.size)
    find_cells(
        values, ranked, n_known, n_categories, members, weights, labels, copies, n_classes, table,
        cells, n_cells, cuts,
    )  # fmt: skip
    return cross_validated_errors(cells, n_cells, members, weights, labels, order, n_classes)


@typed_kernel(
    f"int64(int64, {_CASES}, int64, {_GIVEN}, Array(int64, 1, 'C'), "
    "Array(int64, 1, 'C'), Array(float64, 1, 'C'), Array(float64, 1, 'C'))"
)
def try_attribute(
    feature: Int,
    values: Floats,
    ranked: Ints,
    n_known: Ints,
    n_categories: Ints,
    labels: Ints,
    weights: Floats,
    copies: Floats,
    n_classes: Int,
    table: Floats,
    order: Ints,
    branch: Ints,
    shares: Floats,
    result: Floats,
) -> int:
    """Split by an attribute and judge the branches; return whether the split is admissible.

    Parameters
    ----------
    feature : which attribute
    values, ..., order : as in ``judge_node``; the order becomes that of the attribute's numbers
    branch : int64[cases], the branch of each case, -1 if it is divided among them
    shares : float64[branches], the part of a divided case that each branch gets
    result : float64[2], the errors, and the threshold of a number
    """
    is_number = n_categories[feature] == 0
    if is_number:
        # Weka sorts twice, and its sort is not stable.
        sort_cases(order, order.size, values[feature])
        sort_cases(order, order.size, values[feature])
        result[THRESHOLD] = cut_of_numbers(
            values[feature], labels, weights, copies, order, n_classes, table, branch, shares
        )
        if math.isnan(result[THRESHOLD]):
            return 0
    elif not divide_categories(values[feature], weights, order, branch, shares):
        return 0
    state = np.empty(2, dtype=np.int64)
    begin_random(state, SEED)
    result[ERRORS] = 0.0
    n_large = 0
    for number in range(shares.size):
        members, left = members_of(number, branch, shares, weights, order)
        known = 0.0
        for k in range(members.size):
            known += copies[members[k]]
        # Numbers need a case more than categories.
        if known < N_FOLDS or (is_number and known <= N_FOLDS):
            for k in range(members.size):
                result[ERRORS] += left[k]
            continue
        n_large += 1
        cells = np.empty((values.shape[0], members.size), dtype=np.int64)
        cuts = np.empty((values.shape[0], members.size))
        n_cells = np.empty(values.shape[0], dtype=np.int64)
        find_cells(
            values, ranked, n_known, n_categories, members, left, labels, copies, n_classes, table,
            cells, n_cells, cuts,
        )  # fmt: skip
        sequence = np.arange(members.size)
        shuffle(sequence, members.size, state)
        stratify(sequence, members.size, labels[members], N_FOLDS)
        result[ERRORS] += cross_validated_errors(
            cells, n_cells, members, left, labels, sequence, n_classes
        )
    return int(n_large > 1)


@kernel
def members_of(
    number: Int, branch: Ints, shares: Floats, weights: Floats, order: Ints
) -> tuple[Ints, Floats]:
    """Return the cases of a branch, in order, and what is left of each."""
    members, left = np.empty(order.size, dtype=np.int64), np.empty(order.size)
    n = 0
    for case in order:
        if branch[case] == number or branch[case] < 0:
            members[n] = case
            left[n] = weights[case] * (1.0 if branch[case] >= 0 else shares[number])
            n += 1
    return members[:n].copy(), left[:n].copy()


@kernel
def divide_categories(
    values: Floats, weights: Floats, order: Ints, branch: Ints, shares: Floats
) -> bool:
    """Write the branch of each category and its share; say whether two have cases enough."""
    shares[:] = 0.0
    total = 0.0
    for case in order:
        branch[case] = -1
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
def cut_of_numbers(
    values: Floats,
    labels: Ints,
    weights: Floats,
    copies: Floats,
    order: Ints,
    n_classes: Int,
    table: Floats,
    branch: Ints,
    shares: Floats,
) -> float:
    """Return the cut that C4.5 would make of sorted cases, and write branches; NaN if none."""
    left, right = np.zeros(n_classes), np.zeros(n_classes)
    n_known, known, total = 0, 0.0, 0.0
    n_cases = 0.0
    for case in order:
        total += weights[case]
        if values[case] == values[case]:
            right[labels[case]] += weights[case]
            known += weights[case]
            n_cases += copies[case]
            n_known += 1
    least_side = 0.1 * known / n_classes
    if least_side - LEAST_BRANCH < SMALL:
        least_side = LEAST_BRANCH
    elif least_side - MOST_SIDE > SMALL:
        least_side = MOST_SIDE
    if 2.0 * least_side - n_cases > SMALL:
        return math.nan
    before = bits(known, table) - sum_of_bits(right, table)
    n_left, n_right = 0.0, known
    best_gain, best, n_cuts = 0.0, -1, 0
    for i in range(n_known - 1):
        case, after = order[i], order[i + 1]
        left[labels[case]] += weights[case]
        right[labels[case]] -= weights[case]
        n_left += weights[case]
        n_right -= weights[case]
        if not values[case] + TOO_CLOSE < values[after]:
            continue
        if n_left > least_side - SMALL and n_right > least_side - SMALL:
            gain = gain_of(before, left, right, n_left, n_right, total, table)
            if gain - best_gain > SMALL:
                best_gain, best = gain, i
            n_cuts += 1
    if best < 0 or best_gain - math.log(n_cuts) / LOG_2 / total < SMALL:
        return math.nan
    shares[:] = 0.0
    for i in range(order.size):
        case = order[i]
        branch[case] = -1
        if i < n_known:
            branch[case] = int(i > best)
            shares[branch[case]] += weights[case]
    shares[:] = shares / known
    low, high = values[order[best]], values[order[best + 1]]
    # Where the middle rounds to the larger value, that would go to the wrong side.
    return low if (low + high) / 2.0 == high else (low + high) / 2.0


@kernel
def gain_of(
    before: float,
    left: Floats,
    right: Floats,
    n_left: float,
    n_right: float,
    total: float,
    table: Floats,
) -> float:
    """Return the information gained by a cut, less as values are missing."""
    purity = 0.0
    for label in range(left.size):
        purity += bits(left[label], table)
    purity -= bits(n_left, table)
    for label in range(right.size):
        purity += bits(right[label], table)
    purity -= bits(n_right, table)
    known = n_left + n_right
    gained = (1.0 - (total - known) / total) * (before + purity)
    return gained / known if abs(gained) >= SMALL else 0.0


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
