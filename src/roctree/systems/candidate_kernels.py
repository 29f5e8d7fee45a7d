"""The compiled choice among candidates: the splits that C4.5 would make, judged by Naive Bayes."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import kernel, typed_kernel
from roctree.systems.c45_kernels import DIVIDED, cut_numbers, divide_categories
from roctree.systems.naive_bayes_kernels import N_FOLDS
from roctree.systems.nbtree_kernels import NODE, errors_of_members
from roctree.systems.weka_kernels import deal_cases

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Int = Any  # Python's or NumPy's

NO_SPLIT = -1
# A branch of fewer cases is not looked into; numbers need a case more than categories.
LEAST_CASES, LEAST_CASES_OF_CUT = N_FOLDS, np.nextafter(N_FOLDS, np.inf)


@typed_kernel(
    f"Tuple((int64, float64, float64))({NODE}, float64, Array(int64, 1, 'C', readonly=True), "
    f"Array(int64, 1, 'C'), Array(int64, 1, 'C'), Array(float64, 1, 'C'))"
)
def best_candidate(
    values: Floats,
    ranked: Ints,
    n_known: Ints,
    n_categories: Ints,
    labels: Ints,
    copies: Floats,
    weights: Floats,
    n_classes: Int,
    table: Floats,
    limit: float,
    state: Ints,
    order: Ints,
    branch: Ints,
    shares: Floats,
) -> tuple[Int, float, float]:
    """Find the attribute whose split has the fewest errors, the first of equals.

    Return its number, -1 if none has fewer than the limit, its threshold, NaN of categories, and
    the errors.

    Parameters
    ----------
    values, ranked, n_known, n_categories, labels, copies, weights, n_classes, table : of the node
    limit : of the errors
    state : int64[2], that of Java's random numbers, by which the cases of each candidate are dealt
    order : int64[cases], the cases in Weka's order; each attribute leaves them in an order of its
        own to the next, and in the end to the branches
    branch, shares : of a ``Split``: int64[cases] and float64[branches] with room for the most
    """
    best, threshold = NO_SPLIT, math.nan
    tried, parts = np.empty_like(branch), np.empty_like(shares)
    for feature in range(values.shape[0]):
        n_branches = n_categories[feature] if n_categories[feature] > 0 else 2
        if n_branches > shares.size:
            continue
        cut, least_cases = math.nan, float(LEAST_CASES)
        if n_categories[feature] > 0:
            is_possible = divide_categories(
                values[feature], weights, order, tried, parts[:n_branches]
            )
        else:
            cut = cut_numbers(
                values[feature], ranked[feature, : n_known[feature]], labels, copies, weights,
                n_classes, table, order, tried, parts[:2],
            )  # fmt: skip
            is_possible, least_cases = not math.isnan(cut), LEAST_CASES_OF_CUT
        if not is_possible:
            continue
        errors = errors_of_split(
            values, ranked, n_known, n_categories, labels, copies, weights, n_classes, table, order,
            tried, parts[:n_branches], least_cases, limit, state.copy(),
        )  # fmt: skip
        if errors < limit:
            best, threshold, limit = feature, cut, errors
            branch[:], shares[:] = tried, parts
    return best, threshold, limit


@kernel
def errors_of_split(
    values: Floats,
    ranked: Ints,
    n_known: Ints,
    n_categories: Ints,
    labels: Ints,
    copies: Floats,
    weights: Floats,
    n_classes: Int,
    table: Floats,
    order: Ints,
    branch: Ints,
    shares: Floats,
    least_cases: float,
    limit: float,
    state: Ints,
) -> float:
    """Return the errors of Naive Bayes in the branches of a split.

    They are infinite if fewer than two branches have cases enough, or if they reach a limit: what
    is left of the branches is not looked at then.

    Parameters
    ----------
    values, ranked, n_known, n_categories, labels, copies, weights, n_classes, table : of the node
    order : int64[cases], the cases in Weka's order
    branch, shares : of a ``Split``
    least_cases : in branches of fewer every case is an error
    limit : of the errors
    state : int64[2], that of Java's random numbers, by which cases are dealt to folds
    """
    members, part = np.empty(order.size, dtype=np.int64), np.empty(order.size)
    errors, n_large = 0.0, 0
    for number in range(shares.size):
        n, n_cases = 0, 0.0
        for case in order:
            is_divided = branch[case] == DIVIDED
            if is_divided or branch[case] == number:
                members[n] = case
                part[n] = weights[case] * (shares[number] if is_divided else 1.0)
                n_cases += copies[case]
                n += 1
        if n_cases < least_cases:
            for k in range(n):
                errors += part[k]
        else:
            n_large += 1
            sequence = np.empty(n, dtype=np.int64)
            deal_cases(sequence, labels[members[:n]], N_FOLDS, state)
            cells, cuts = (
                np.empty((values.shape[0], n), dtype=np.int64),
                np.empty((values.shape[0], n)),
            )
            n_cells = np.empty(values.shape[0], dtype=np.int64)
            errors += errors_of_members(
                values, ranked, n_known, n_categories, labels, copies, members[:n], part[:n],
                sequence, n_classes, table, limit - errors, cells, n_cells, cuts,
            )  # fmt: skip
        if errors >= limit:
            return float(np.inf)
    return errors if n_large > 1 else float(np.inf)
