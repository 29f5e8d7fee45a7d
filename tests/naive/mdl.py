"""Fayyad and Irani's intervals in plain loops, cases repeated rather than weighted."""

from collections import Counter
from itertools import pairwise
from math import log2


def entropy(labels):
    shares = [count / len(labels) for count in Counter(labels).values()]
    return -sum(share * log2(share) for share in shares)


def gain_and_price(values, labels, cut):
    """The information that a cut gains, and what it must gain to be kept."""
    left = [label for value, label in zip(values, labels, strict=True) if value <= cut]
    right = [label for value, label in zip(values, labels, strict=True) if value > cut]
    n = len(labels)
    after = (len(left) * entropy(left) + len(right) * entropy(right)) / n
    k, k_left, k_right = (len(set(part)) for part in (labels, left, right))
    delta = log2(3**k - 2) - (
        k * entropy(labels) - k_left * entropy(left) - k_right * entropy(right)
    )
    return entropy(labels) - after, delta, (log2(n - 1) + delta) / n


def cut_points(values, labels):
    """The cuts, ascending; of cuts that gain the same the lowest is tried."""
    distinct = sorted(set(values))
    middles = [(low + high) / 2 for low, high in pairwise(distinct)]
    if not middles:
        return []
    tried = {cut: gain_and_price(values, labels, cut) for cut in middles}
    most = max(gain for gain, _, _ in tried.values())
    cut = next(cut for cut in middles if tried[cut][0] > most - 1e-12)
    gain, _, price = tried[cut]
    if gain <= price:
        return []
    pairs = list(zip(values, labels, strict=True))
    sides = [[pair for pair in pairs if (pair[0] <= cut) == is_left] for is_left in (True, False)]
    left, right = (cut_points(*zip(*side, strict=True)) for side in sides)
    return [*left, cut, *right]
