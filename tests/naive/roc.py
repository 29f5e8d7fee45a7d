"""ROC curves as the definitions say them: exact fractions, every pair of cases compared.

A leaf is (score, positives, negatives). Points are (false, true positive rate), the first with
nothing called positive.
"""

from fractions import Fraction
from itertools import combinations, pairwise


def exact(leaves):
    return [(score, Fraction(ours), Fraction(theirs)) for score, ours, theirs in leaves]


def totals(leaves):
    return sum(leaf[1] for leaf in exact(leaves)), sum(leaf[2] for leaf in exact(leaves))


def auc(leaves):
    """The chance that a positive has a higher score than a negative, ties half."""
    right = pairs = Fraction(0)
    for score, ours, _ in exact(leaves):
        for other, _, theirs in exact(leaves):
            pairs += ours * theirs
            right += ours * theirs * (Fraction(score == other, 2) if score <= other else 1)
    return right / pairs


def called(leaves, threshold):
    """How many positives and negatives have at least this score."""
    chosen = [leaf for leaf in exact(leaves) if leaf[0] >= threshold]
    return sum(leaf[1] for leaf in chosen), sum(leaf[2] for leaf in chosen)


def thresholds(leaves):
    return sorted({score for score, _, _ in leaves}, reverse=True)


def points(leaves):
    n_positive, n_negative = totals(leaves)
    found = [(Fraction(0), Fraction(0))]
    for threshold in thresholds(leaves):
        tp, fp = called(leaves, threshold)
        found.append((fp / n_negative, tp / n_positive))
    return found


def hull(leaves):
    """The points that lie above every line from a point before to a point after."""
    found = sorted(set(points(leaves)))
    below = {
        middle for first, middle, last in combinations(found, 3) if side(first, last, middle) <= 0
    }
    return [point for point in found if point not in below]


def side(first, last, point):
    """Above 0 if a point is above the line through two others."""
    return (last[0] - first[0]) * (point[1] - first[1]) - (last[1] - first[1]) * (
        point[0] - first[0]
    )


def area(line):
    return sum(
        (second[0] - first[0]) * (first[1] + second[1]) / 2 for first, second in pairwise(line)
    )


def height(line, x):
    """The highest point of the line at x."""
    return max(
        y
        for first, last in pairwise(line)
        if first[0] <= x <= last[0]
        for y in _between(first, last, x)
    )


def _between(first, last, x):
    if first[0] == last[0]:
        return [first[1], last[1]]
    return [first[1] + (x - first[0]) / (last[0] - first[0]) * (last[1] - first[1])]


def partial_auc(leaves, max_fpr):
    line = points(leaves)
    return area(
        [*(point for point in line if point[0] <= max_fpr), (max_fpr, height(line, max_fpr))]
    )


def mirrored(line):
    """The line with its axes exchanged, seen from its other end."""
    return [(-y, -x) for x, y in reversed(line)]


# Uncertainty: the cases one by one.


def order(score, other):
    return Fraction(score == other, 2) if score <= other else Fraction(1)


def placements(positives, negatives):
    """For each positive the share of negatives below, for each negative of positives above."""
    of_positives = [sum(order(p, n) for n in negatives) / len(negatives) for p in positives]
    of_negatives = [sum(order(p, n) for p in positives) / len(positives) for n in negatives]
    return of_positives, of_negatives


def covariance(first, second):
    means = sum(first) / len(first), sum(second) / len(second)
    products = [(a - means[0]) * (b - means[1]) for a, b in zip(first, second, strict=True)]
    return sum(products) / (len(first) - 1)


def delong_covariance(first, second):
    """Of the areas of two scores; each is (scores of the positives, scores of the negatives)."""
    ours, theirs = placements(*first), placements(*second)
    return sum(covariance(a, b) / len(a) for a, b in zip(ours, theirs, strict=True))


# Costs: every threshold tried.


def least_cost(leaves, weight):
    """Weight is what misses count, and 1 - weight what false alarms count."""
    return min(weight * (1 - tpr) + (1 - weight) * fpr for fpr, tpr in points(leaves))


def brier_score(leaves):
    loss = sum(
        ours * (1 - Fraction(score)) ** 2 + theirs * Fraction(score) ** 2
        for score, ours, theirs in exact(leaves)
    )
    return loss / sum(totals(leaves))


def brier_loss(leaves, cost):
    """The loss where false alarms cost 2 c, misses 2 (1 - c), and a score above c is positive."""
    loss = sum(
        2 * cost * theirs if score > cost else 2 * (1 - cost) * ours
        for score, ours, theirs in exact(leaves)
    )
    return loss / sum(totals(leaves))


# Precision and recall.


def average_precision(leaves):
    n_positive, _ = totals(leaves)
    result, before = Fraction(0), Fraction(0)
    for threshold in thresholds(leaves):
        tp, fp = called(leaves, threshold)
        if tp + fp > 0:
            result += (tp - before) / n_positive * tp / (tp + fp)
        before = tp
    return result


def gain(share, prior):
    return (share - prior) / ((1 - prior) * share)


def gains(leaves):
    """(recall gain, precision gain) of all points from where recall is the prior."""
    n_positive, n_negative = totals(leaves)
    prior = n_positive / (n_positive + n_negative)
    line = points(leaves)
    first = -height(mirrored(line), -prior), prior
    found = []
    for fpr, tpr in [first, *(point for point in line if point[1] > prior)]:
        precision = tpr * n_positive / (tpr * n_positive + fpr * n_negative)
        found.append((gain(tpr, prior), gain(precision, prior)))
    return found


# Several classes: scores and counts are lists of rows with a column for each class.


def pairs_area(scores, counts, i, j, renormalised=False):
    """The area of class i against class j, by the score of i; None where one has no cases."""
    leaves = [
        (_share(row[i], row[j]) if renormalised else Fraction(row[i]), count[i], count[j])
        for row, count in zip(scores, counts, strict=True)
    ]
    return auc(leaves) if all(totals(leaves)) else None


def mauc(scores, counts, renormalised=False):
    n = len(scores[0])
    areas = [
        pairs_area(scores, counts, i, j, renormalised) for i in range(n) for j in range(n) if i != j
    ]
    known = [found for found in areas if found is not None]
    return sum(known) / len(known)


def _share(ours, theirs):
    ours, theirs = Fraction(ours), Fraction(theirs)
    return ours / (ours + theirs) if ours + theirs > 0 else Fraction(1, 2)


def loss(leaves, cost, tp, fp):
    """Loss per case at a cost of a false alarm, with the costs of both errors adding up to 2."""
    n_positive, n_negative = totals(leaves)
    return 2 * (cost * fp + (1 - cost) * (n_positive - tp)) / (n_positive + n_negative)


def chosen(leaves, choice, cost, threshold=Fraction(1, 2)):
    """How many positives and negatives are called positive at a cost."""
    if choice == "fixed":
        return called(leaves, threshold)
    if choice == "score_driven":
        return called(leaves, cost)
    everything = [(0, 0), *(called(leaves, each) for each in thresholds(leaves))]
    if choice == "optimal":
        return min(everything, key=lambda counts: loss(leaves, cost, *counts))
    # Rate-driven: a share 1 - cost is called positive, cases of one score in part.
    wanted = (1 - cost) * sum(totals(leaves))
    for (tp, fp), (more_tp, more_fp) in pairwise(everything):
        if tp + fp <= wanted <= more_tp + more_fp:
            part = (wanted - tp - fp) / (more_tp + more_fp - tp - fp)
            return tp + part * (more_tp - tp), fp + part * (more_fp - fp)
    raise AssertionError


def expected_loss(leaves, choice, density, n_steps=600):
    """The mean loss over costs with a density, by the midpoints of many small steps."""
    costs = [Fraction(2 * step + 1, 2 * n_steps) for step in range(n_steps)]
    weights = [density(float(cost)) for cost in costs]
    losses = [float(loss(leaves, cost, *chosen(leaves, choice, cost))) for cost in costs]
    return sum(w * each for w, each in zip(weights, losses, strict=True)) / sum(weights)


def isotonic(leaves):
    """The share of positives at each score, lowest first, that only rises: the min-max formula.

    It is the largest, over all starts up to the score, of the least mean from there to any end from
    the score on.
    """
    distinct = [
        (score, [leaf for leaf in exact(leaves) if leaf[0] == score])
        for score in sorted({score for score, ours, theirs in exact(leaves) if ours + theirs > 0})
    ]
    ours = [sum(leaf[1] for leaf in group) for _, group in distinct]
    cases = [sum(leaf[1] + leaf[2] for leaf in group) for _, group in distinct]
    n = len(distinct)

    def mean(start, end):
        return sum(ours[start : end + 1]) / sum(cases[start : end + 1])

    return {
        distinct[i][0]: max(min(mean(a, b) for b in range(i, n)) for a in range(i + 1))
        for i in range(n)
    }
