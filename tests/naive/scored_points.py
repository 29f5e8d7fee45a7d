"""Operating points by the scores of cases, in plain loops: every threshold between two scores.

A case is a tuple of score, whether it is positive, and weight.
"""

from math import fsum


def rates_of(cases, is_flagged):
    """False and true positive rates of the cases for which ``is_flagged(score)``."""
    found = []
    for wanted in (False, True):
        side = [(score, weight) for score, positive, weight in cases if positive is wanted]
        flagged = fsum(weight for score, weight in side if is_flagged(score))
        total = fsum(weight for _, weight in side)
        found.append(flagged / total if total else float("nan"))
    return tuple(found)


def all_rates(cases):
    """The rates of all thresholds, from no positive case to all."""
    thresholds = sorted({score for score, _, _ in cases}, reverse=True)
    none = rates_of(cases, lambda score: False)
    return [none, *(rates_of(cases, lambda score, low=low: score >= low) for low in thresholds)]


def max_fpr(cases, rate):
    """The highest true positive rate that a false positive rate allows."""
    return max(tpr for fpr, tpr in all_rates(cases) if fpr <= rate + 1e-12)


def min_tpr(cases, rate):
    """The lowest false positive rate that a true positive rate needs."""
    return min(fpr for fpr, tpr in all_rates(cases) if tpr >= rate - 1e-12)


def randomised(cases, rate):
    """The true positive rate on the line between the two thresholds next to a rate."""
    below = [point for point in all_rates(cases) if point[0] <= rate + 1e-12][-1]
    above = [point for point in all_rates(cases) if point[0] > rate + 1e-12]
    if not above:
        return below[1]
    part = (rate - below[0]) / (above[0][0] - below[0])
    return below[1] + part * (above[0][1] - below[1])


def best_f_beta(cases, beta):
    """The highest F-measure of all thresholds."""
    share = fsum(w for _, positive, w in cases if positive) / fsum(w for _, _, w in cases)
    found = []
    for fpr, tpr in all_rates(cases):
        hits, alarms, misses = tpr * share, fpr * (1 - share), (1 - tpr) * share
        below = (1 + beta**2) * hits + beta**2 * misses + alarms
        found.append((1 + beta**2) * hits / below if hits else 0.0)
    return max(found)


def cheapest(shares, matrix):
    """The predicted classes of least expected cost, matrix[predicted][true]."""
    costs = [fsum(s * cost for s, cost in zip(shares, row, strict=True)) for row in matrix]
    return [place for place, cost in enumerate(costs) if cost <= min(costs) + 1e-9]
