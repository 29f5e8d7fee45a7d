"""Seconds to grow one tree by bins, in sorted columns, and by threads (decisions 0004 and 0006).

Usage: search_modes.py [number of rows], 200 000 by default. The trees must be the same.
"""

import os
import sys
from time import perf_counter

import numpy as np

from roctree.criteria import Gini
from roctree.data import Dataset
from roctree.tree import growth as growing
from roctree.tree.growth import GrowthRules

N_FEATURES = 20
RUNS = 3


def main():
    """Print the seconds of each way, the least of three runs."""
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    dataset = made_up(n_rows)
    growth = GrowthRules(Gini(), np.ones(2), min_leaf=20.0)
    print(f"{n_rows} x {N_FEATURES}, leaves of at least 20 cases, {os.cpu_count()} processors")
    first = report("by bins, sorted from 2048 cases on", dataset, growth, 1)
    usual, growing._NARROW = growing._NARROW, n_rows
    others = [report("in sorted columns all the way", dataset, growth, 1)]
    growing._NARROW = usual
    others += [report(f"by bins, {n} threads", dataset, growth, n) for n in (2, 4)]
    print(f"{first!r}, the same each time: {all(first == other for other in others)}")


def made_up(n_rows):
    """Numeric attributes, some of them informative, for two classes."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n_rows, N_FEATURES)).astype(np.float32)
    signal = values[:, 0] * values[:, 1] + values[:, 2] + rng.normal(size=n_rows)
    return Dataset.from_data(values, signal > 0.5)


def report(what, dataset, growth, n_threads):
    """Grow some times, print the least time, return the tree."""
    times = []
    growing.grow(dataset, growth, n_threads)  # compiles
    for _ in range(RUNS):
        begin = perf_counter()
        tree = growing.grow(dataset, growth, n_threads)
        times.append(perf_counter() - begin)
    print(f"{what:<40s} {min(times):6.2f} s")
    return tree


if __name__ == "__main__":
    main()
