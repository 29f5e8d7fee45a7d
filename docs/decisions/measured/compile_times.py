"""How long Numba takes over one small loop, written in several ways (decision 0001)."""

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numba import njit, types

FLOATS = types.Array(types.float64, 1, "C")
INTS = types.Array(types.int64, 1, "C")
FOUR = (FLOATS, INTS, FLOATS, FLOATS)
OPTIONS = {"nogil": True, "error_model": "numpy"}


class Arrays(NamedTuple):
    """The same arrays as one record."""

    values: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    counts: np.ndarray


def plain(values, labels, weights, counts):
    """Return the cut with the highest squared weight of class 0 per total weight on its left."""
    best, best_score = -1, -np.inf
    for label in range(counts.size):
        counts[label] = 0.0
    for i in range(values.size - 1):
        counts[labels[i]] += weights[i]
        if values[i] == values[i + 1]:
            continue
        total = 0.0
        for label in range(counts.size):
            total += counts[label]
        score = counts[0] * counts[0] / total
        if score > best_score:
            best, best_score = i, score
    return best


def allocating(values, labels, weights, counts):
    """The same, with a local array."""
    counts = np.zeros(counts.size)
    best, best_score = -1, -np.inf
    for i in range(values.size - 1):
        counts[labels[i]] += weights[i]
        if values[i] == values[i + 1]:
            continue
        total = 0.0
        for label in range(counts.size):
            total += counts[label]
        score = counts[0] * counts[0] / total
        if score > best_score:
            best, best_score = i, score
    return best


def in_a_record(arrays):
    """The same, with its arrays in a record."""
    best, best_score = -1, -np.inf
    for label in range(arrays.counts.size):
        arrays.counts[label] = 0.0
    for i in range(arrays.values.size - 1):
        arrays.counts[arrays.labels[i]] += arrays.weights[i]
        if arrays.values[i] == arrays.values[i + 1]:
            continue
        total = 0.0
        for label in range(arrays.counts.size):
            total += arrays.counts[label]
        score = arrays.counts[0] * arrays.counts[0] / total
        if score > best_score:
            best, best_score = i, score
    return best


def main():
    """Print the seconds of each, in a separate process, because Numba caches compiled code."""
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as processes:
        for what in CASES:
            print(f"{what:<40s} {min(processes.map(seconds, [what] * 3)):.2f} s")


def seconds(what):
    """Compile one of the cases."""
    # Load the compiler itself first.
    njit(types.float64(types.float64), **OPTIONS)(lambda x: x + 1.0)
    begin = perf_counter()
    CASES[what]()
    return perf_counter() - begin


def compiled(function, signature=FOUR):
    """The function as a kernel."""
    return njit(types.int64(*signature), **OPTIONS)(function)


def with_callers(n_callers):
    """The loop and some kernels that call it, each of one line."""
    inner = compiled(plain)
    for _ in range(n_callers):

        def caller(values, labels, weights, counts):
            return inner(values, labels, weights, counts)

        compiled(caller)


CASES = {
    "a loop over arrays": partial(compiled, plain),
    "with np.zeros inside": partial(compiled, allocating),
    "its arrays in a NamedTuple": partial(compiled, in_a_record, (types.NamedTuple(FOUR, Arrays),)),
    "the loop and 1 kernel that calls it": partial(with_callers, 1),
    "the loop and 4 kernels that call it": partial(with_callers, 4),
}

if __name__ == "__main__":
    main()
