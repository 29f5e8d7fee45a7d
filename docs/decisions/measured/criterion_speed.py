"""Nanoseconds per candidate split of two classes, for each criterion and for a custom one.

The first number is what growth uses: the criterion inlined into a loop around a table of known
size on the stack. The second is the same criterion in a loop around a table of any size
(decision 0001).
"""

from time import perf_counter

import numpy as np

import roctree
from roctree import _jit
from roctree._jit import compiled
from roctree.criteria import CRITERIA

N_CANDIDATES = 200_000


@roctree.criterion(convex=True)
def margin(table):
    """How many more cases of a branch's larger class than of the other."""
    total = 0.0
    for branch in range(table.shape[0]):
        total += abs(table[branch, 0] - table[branch, 1])
    return total


def main():
    """Print both numbers for each criterion."""
    steps = np.random.default_rng(0).integers(0, 2, (N_CANDIDATES, 2))
    lefts = np.cumsum(steps, axis=0).astype(float)
    print(f"{'criterion':<12s} {'on the stack':>14s} {'any size':>10s}")
    for name, criterion in [*CRITERIA.items(), ("custom", margin)]:
        pair = compiled(_jit.block_score(criterion, 2))
        block = compiled(_jit.block_score(criterion, 3))
        print(
            f"{name:<12s} {nanoseconds(pair, lefts):11.1f} ns {nanoseconds(block, lefts):7.1f} ns"
        )


def nanoseconds(scorer, lefts):
    """The time of one candidate, the least of ten runs."""
    scores, weights, total = np.empty(len(lefts)), np.ones(2), lefts[-1] + 1.0
    times = []
    for _ in range(10):
        begin = perf_counter()
        scorer(lefts, 0, len(lefts), total, weights, scores)
        times.append(perf_counter() - begin)
    return 1e9 * min(times) / len(lefts)


if __name__ == "__main__":
    main()
