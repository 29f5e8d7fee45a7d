"""Java's random numbers, and Weka's sort, shuffle and stratification, reproduced to the last swap.

A tree equals Weka's only if its cross-validations use the same folds. The folds depend on the order
of the cases, which Weka changes by an unstable quicksort whenever it evaluates a numeric attribute.
"""

from typing import Any

import numpy as np

from roctree._jit import kernel
from roctree.arrays import Floats, Ints

Int = Any  # a Python or NumPy integer

# The multiplier 0x5DEECE66D in two halves of 24 bits: products of halves fit in 63 bits.
_HALF = 1 << 24
_HIGH, _LOW, _ADDEND = 0x5DE, 0xECE66D, 0xB
_SCRAMBLE = 0x5DEECE66D
_INT = 1 << 31
_LAST = float(np.finfo(np.float64).max)


@kernel(allocates=True)
def deal_cases(cases: Ints, labels: Ints, n_folds: Int, state: Ints) -> None:
    """Write the numbers 0, 1, ... in ``cases``, shuffled and dealt to stratified folds.

    ``state`` is that of Java's random number generator.
    """
    for i in range(cases.size):
        cases[i] = i
    shuffle(cases, state)
    stratify(cases, labels, n_folds)


def java_random(seed: int) -> Ints:
    """Return the state of ``new java.util.Random(seed)``: two halves of 24 bits."""
    scrambled = seed ^ _SCRAMBLE
    return np.array([(scrambled >> 24) % _HALF, scrambled % _HALF])


@kernel
def next_bits(state: Ints) -> Int:
    """Return the next 31 random bits."""
    high, low = state[0], state[1]
    sum_low = low * _LOW + _ADDEND
    sum_high = high * _LOW + low * _HIGH + (sum_low >> 24)
    state[0] = sum_high & (_HALF - 1)
    state[1] = sum_low & (_HALF - 1)
    return (state[0] << 7) | (state[1] >> 17)


@kernel
def next_int(state: Ints, bound: Int) -> Int:
    """Return a random number below ``bound``, as ``nextInt(bound)`` does."""
    if bound & (bound - 1) == 0:
        return (bound * next_bits(state)) >> 31
    while True:
        bits = next_bits(state)
        number = bits % bound
        # The last numbers would be less frequent than the others: Java draws again.
        if bits - number + bound - 1 < _INT:
            return number


@kernel
def shuffle(cases: Ints, state: Ints) -> None:
    """Shuffle the cases."""
    for last in range(cases.size - 1, 0, -1):
        other = next_int(state, last + 1)
        cases[last], cases[other] = cases[other], cases[last]


@kernel(allocates=True)
def stratify(cases: Ints, labels: Ints, n_folds: Int) -> None:
    """Deal the cases, class after class, to folds, and write one fold after the other."""
    n = cases.size
    place = 1
    while place < n:
        label = labels[cases[place - 1]]
        for other in range(place, n):
            if labels[cases[other]] == label:
                cases[place], cases[other] = cases[other], cases[place]
                place += 1
        place += 1
    by_class = cases.copy()
    dealt = 0
    for start in range(n_folds):
        for i in range(start, n, n_folds):
            cases[dealt] = by_class[i]
            dealt += 1


@kernel(allocates=True)
def sort_cases(cases: Ints, values: Floats) -> None:
    """Sort the cases by their values, missing ones last, exactly as Weka's quicksort does."""
    keys = np.empty(cases.size)
    for i in range(cases.size):
        value = values[cases[i]]
        keys[i] = value if value == value else _LAST
    _quicksort(keys, cases)


@kernel(allocates=True)
def _quicksort(keys: Floats, index: Ints) -> None:
    """Sort keys and ``index`` with a median-of-three pivot; three or fewer are swapped directly."""
    waiting = np.empty((index.size + 1, 2), dtype=np.int64)
    waiting[0, 0], waiting[0, 1] = 0, index.size - 1
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        left, right = waiting[n_waiting, 0], waiting[n_waiting, 1]
        if right - left < 1:
            continue
        if right - left == 1:
            _order(keys, index, left, right)
            continue
        middle = (left + right) // 2
        _order(keys, index, left, middle)
        _order(keys, index, left, right)
        _order(keys, index, middle, right)
        if right - left == 2:
            continue
        _swap(keys, index, middle, right - 1)
        centre = _partition(keys, index, left, right - 1)
        _swap(keys, index, centre, right - 1)
        waiting[n_waiting, 0], waiting[n_waiting, 1] = left, centre - 1
        waiting[n_waiting + 1, 0], waiting[n_waiting + 1, 1] = centre + 1, right
        n_waiting += 2


@kernel
def _swap(keys: Floats, index: Ints, first: Int, second: Int) -> None:
    keys[first], keys[second] = keys[second], keys[first]
    index[first], index[second] = index[second], index[first]


@kernel
def _order(keys: Floats, index: Ints, first: Int, second: Int) -> None:
    if keys[first] > keys[second]:
        _swap(keys, index, first, second)


@kernel
def _partition(keys: Floats, index: Ints, left: Int, right: Int) -> Int:
    """Move keys below the pivot, the key at ``right``, to the left; return where they end."""
    pivot = keys[right]
    while True:
        left += 1
        while keys[left] < pivot:
            left += 1
        right -= 1
        while keys[right] > pivot:
            right -= 1
        if left >= right:
            return left
        _swap(keys, index, left, right)
