"""The criteria as the definitions say them: plain loops, exact fractions where they are rational.

A table is a list of branches, a branch a list of class weights.
"""

import math
from fractions import Fraction


def exact(table, extra=0):
    return [[Fraction(cell) + extra for cell in branch] for branch in table]


def merged(table):
    return [[sum(column) for column in zip(*table, strict=True)]]


def added_to_cells(table, smoothing):
    return {"none": 0, "laplace": 1, "m_estimate": Fraction(4, len(table[0]))}[smoothing]


def mean_impurity(table, impurity, smoothing="none"):
    extra = added_to_cells(table, smoothing)
    total = sum(sum(branch) for branch in exact(table))
    result = 0
    for branch in exact(table):
        weight = sum(branch)
        if weight > 0:
            smoothed = weight + extra * len(branch)
            shares = [(count + extra) / smoothed for count in branch]
            result += weight / total * impurity(shares)
    return result


def gini(table, smoothing="none"):
    return -mean_impurity(table, lambda shares: 1 - sum(p * p for p in shares), smoothing)


def entropy(table, smoothing="none"):
    return -mean_impurity(table, information, smoothing)


def information(shares):
    return -sum(float(p) * math.log2(p) for p in shares if p > 0)


def error(table, smoothing="none"):
    return -mean_impurity(table, lambda shares: 1 - max(shares), smoothing)


def msee(table, smoothing="none"):
    return -mean_impurity(table, _estimation_error, smoothing)


def _estimation_error(shares):
    result = 0
    for i, p in enumerate(shares):
        others = sum(q * q for j, q in enumerate(shares) if j != i)
        result += p * (1 - p) * ((1 - p) ** 2 + others)
    return result


def dkm(table, multiclass="pairwise", smoothing="none"):
    forms = {"pairwise": _dkm_pairwise, "one_vs_rest": _dkm_one_vs_rest, "largest": _dkm_largest}
    return -mean_impurity(table, forms[multiclass], smoothing)


def _dkm_pairwise(shares):
    return sum(2 * math.sqrt(p * q) for i, p in enumerate(shares) for q in shares[:i])


def _dkm_one_vs_rest(shares):
    return sum(math.sqrt(p * (1 - p)) for p in shares)


def _dkm_largest(shares):
    return 2 * math.sqrt(max(shares) * (1 - max(shares)))


def auc(table, pairs="hand_till", smoothing="none"):
    """Compare every case with every case of another class."""
    present = [label for label, weight in enumerate(merged(table)[0]) if weight > 0]
    cells = exact(table, extra=added_to_cells(table, smoothing))
    areas = [
        area(cells, i, j, share_in_pair if pairs == "renormalised" else share_of)
        for i in present
        for j in present
        if i != j
    ]
    return sum(areas) / len(areas) if areas else Fraction(1, 2)


def area(cells, i, j, share):
    """The probability that a case of class i has a larger share of i than a case of class j."""
    right = comparisons = 0
    for b in cells:
        for c in cells:
            weight = b[i] * c[j]
            comparisons += weight
            if weight > 0:
                ahead, behind = share(b, i, j), share(c, i, j)
                right += weight * (1 if ahead > behind else Fraction(ahead == behind, 2))
    return right / comparisons


def share_of(branch, i, j):
    return branch[i] / sum(branch)


def share_in_pair(branch, i, j):
    return branch[i] / (branch[i] + branch[j])


def f_measure(table, beta=1):
    """The change of the F-measure, in either direction."""
    cells = exact(table)
    total = sum(map(sum, cells))
    after = sum(sum(b) / total * f_of([b], [c for c in cells if c is not b], beta) for b in cells)
    return abs(f_of(cells, [], beta) - after)


def f_of(inside, outside, beta):
    counts = merged(inside)[0]
    label = counts.index(max(counts))
    hits = counts[label]
    wrong = sum(counts) - hits
    missed = sum(branch[label] for branch in outside)
    b2 = Fraction(beta) ** 2
    return (1 + b2) * hits / ((1 + b2) * hits + b2 * missed + wrong) if hits > 0 else Fraction(0)


def hellinger(table, smoothing="none"):
    """The root of the mean over pairs of classes of the squared distance."""
    present = [label for label, weight in enumerate(merged(exact(table))[0]) if weight > 0]
    cells = exact(table, extra=added_to_cells(table, smoothing))
    totals = merged(cells)[0]
    squares = [
        sum((math.sqrt(b[i] / totals[i]) - math.sqrt(b[j] / totals[j])) ** 2 for b in cells)
        for i in present
        for j in present
        if i < j
    ]
    return math.sqrt(sum(squares) / len(squares)) if squares else 0.0


def split_info(table):
    total = sum(map(sum, exact(table)))
    return information([sum(branch) / total for branch in exact(table)])


def improvement(score, table):
    return score(table) - score(merged(table))
