"""The width of a threshold by its definition: every cut tried, in plain loops.

Cases are tuples of value, label and weight, all with a known value.
"""

from fractions import Fraction
from math import log, sqrt


def width(cases, threshold, n_classes):
    """The smaller of the two widths of the threshold of a node."""
    interval = interval_of_cut(cases, threshold, n_classes)
    return min(by_spread(cases), (interval[1] - interval[0]) / 2)


def by_spread(cases):
    """By the standard deviation, in fractions of the range: squares of tiny numbers would be 0."""
    cases = [(Fraction(value), Fraction(weight)) for value, _, weight in cases]
    total = sum(weight for _, weight in cases)
    mean = sum(weight * value for value, weight in cases) / total
    extent = max(abs(value - mean) for value, _ in cases) or 1
    variance = sum(weight * ((value - mean) / extent) ** 2 for value, weight in cases) / total
    return sqrt(3) * 1.2 * sqrt(variance) * float(extent) * float(total) ** -0.2


def interval_of_cut(cases, threshold, n_classes, drop=16):
    """From the lowest to the highest value that the cut may be next to, step by step."""
    values = sorted({value for value, _, _ in cases})
    least = likelihood(cases, threshold, n_classes) - drop
    low = high = threshold
    for value in reversed([value for value in values if value <= threshold]):
        low = value
        below = max((other for other in values if other < value), default=value - 1)
        if likelihood(cases, below, n_classes) < least:
            break
    for value in [value for value in values if value > threshold]:
        high = value
        if likelihood(cases, value, n_classes) < least:
            break
    return low, high


def likelihood(cases, cut, n_classes):
    """Logarithm of the likelihood of the labels on both sides of a cut."""
    total = 0.0
    for side in (True, False):
        counts = [0.0] * n_classes
        for value, label, weight in cases:
            if (value <= cut) == side:
                counts[label] += weight
        total += sum(count * log(count / sum(counts)) for count in counts if count > 0)
    return total
