"""Categories shrunk towards a common pot, in fractions, and every pair of sets tried.

Counts are lists ``[category][class]``; a strength of m adds, in effect, m cases of the pot to every
category. Weights are numbers of cases.
"""

from fractions import Fraction
from itertools import combinations


def strength(counts):
    """The strength that the counts of all training cases suggest."""
    counts = [[Fraction(k) for k in row] for row in counts if sum(row) > 0]
    sizes, totals = (
        [sum(row) for row in counts],
        [sum(column) for column in zip(*counts, strict=True)],
    )
    n_categories, total = len(counts), sum(sizes)
    if n_categories <= 10 or sum(k > 0 for k in totals) < 2:
        return Fraction(0)
    chance = sum(k * k for k in totals) / total
    between = sum(k * k / n for row, n in zip(counts, sizes, strict=True) for k in row) - chance
    statistic = (total - 1) * between / (total - chance)
    freedom = n_categories - 10
    typical = (total - sum(n * n for n in sizes) / total) / (n_categories - 1)
    return typical * freedom / max(statistic - freedom, Fraction(1, 10))


def shrunk(counts, m):
    """The counts of each category with a share m / (n + m) of them replaced by the pot's."""
    if m == 0:
        return [[Fraction(k) for k in row] for row in counts]
    shares = [Fraction(m) / (sum(row) + m) for row in counts]
    pot = [
        sum(a * k for a, k in zip(shares, column, strict=True))
        for column in zip(*counts, strict=True)
    ]
    return [
        [(1 - a) * k + a * sum(row) * p / sum(pot) for k, p in zip(row, pot, strict=True)]
        for a, row in zip(shares, counts, strict=True)
    ]


def best_gain(counts, m, score, min_leaf=1):
    """The best improvement by two sets of categories, scored by their shrunk counts, or None."""
    counts = shrunk([row for row in counts if sum(row) > 0], m)
    totals = [sum(column) for column in zip(*counts, strict=True)]
    best = None
    for size in range(1, len(counts)):
        for chosen in combinations(range(1, len(counts)), size):
            left = [sum(counts[i][j] for i in chosen) for j in range(len(totals))]
            right = [whole - part for whole, part in zip(totals, left, strict=True)]
            if min(sum(left), sum(right)) < min_leaf:
                continue
            gain = float(score([left, right]) - score([totals]))
            best = gain if best is None else max(best, gain)
    return best
