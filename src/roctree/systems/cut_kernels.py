"""The compiled search for all cuts of Fayyad and Irani (1993) in a column."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import kernel, of_kind, typed_kernel
from roctree.systems.mdl_kernels import (
    NO_CUT,
    best_cut,
    entropy,
    is_worth_its_description,
    least_price,
)
from roctree.systems.whole_cut_kernels import best_whole_cut

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = NDArray[Any]  # int64 where all are whole, else float64

_GIVEN = "Array(float64, 1, 'C', readonly=True)"
_NUMBERS = "Array(int64, 1, 'C', readonly=True)"
# By the weights, the third of the arguments.
_best_cut = of_kind(best_whole_cut, best_cut, 2)


@kernel
def find_cuts(
    values: Floats,
    labels: Ints,
    weights: Numbers,
    copies: Numbers,
    n: int,
    table: Floats,
    counts: Numbers,
    purities: Floats,
    stretches: Ints,
    cuts: Floats,
) -> int:
    """Write the cuts of ``n`` cases in the order of their values, ascending; return how many.

    ``copies`` is how many cases each case stands for, and ``weights`` what is left of them here;
    both are integers where all are whole and ``table`` has that of all. ``counts``, ``purities``
    and ``stretches`` are room, [5, classes], float64[n], int64[2, n + 1].
    """
    stretches[0, 0], stretches[1, 0] = 0, n
    n_waiting = 1
    n_cuts = 0
    while n_waiting > 0:
        n_waiting -= 1
        begin, end = stretches[0, n_waiting], stretches[1, n_waiting]
        n_cases = 0.0
        weight = 0.0
        counts[0] = 0
        for i in range(begin, end):
            n_cases += copies[i]
            weight += weights[i]
            counts[0, labels[i]] += weights[i]
        price = least_price(n_cases, table, counts[0])
        if weight * entropy(counts[0], table) < price:
            continue
        stretch = values, labels, weights, begin, end, table, price, counts, purities
        best = _best_cut(*stretch)
        if best == NO_CUT or not is_worth_its_description(n_cases, weight, table, counts):
            continue
        insert(cuts, n_cuts, (values[best] + values[best + 1]) / 2.0)
        n_cuts += 1
        stretches[0, n_waiting], stretches[1, n_waiting] = begin, best + 1
        stretches[0, n_waiting + 1], stretches[1, n_waiting + 1] = best + 1, end
        n_waiting += 2
    return n_cuts


@kernel
def insert(numbers: Floats, n: int, number: float) -> None:
    """Put a number in its place among ``n`` ascending ones."""
    place = n
    while place > 0 and numbers[place - 1] > number:
        numbers[place] = numbers[place - 1]
        place -= 1
    numbers[place] = number


@typed_kernel(f"int64({_GIVEN}, {_NUMBERS}, {_GIVEN}, int64, {_GIVEN}, Array(float64, 1, 'C'))")
def cuts_of_column(
    values: Floats, labels: Ints, weights: Floats, n_classes: int, table: Floats, cuts: Floats
) -> int:
    """Write the cuts of cases in the order of their values; return how many."""
    counts, purities = np.empty((5, n_classes)), np.empty(values.size)
    stretches = np.empty((2, values.size + 1), dtype=np.int64)
    return find_cuts(
        values, labels, weights, weights, values.size, table, counts, purities, stretches, cuts,
    )  # fmt: skip
