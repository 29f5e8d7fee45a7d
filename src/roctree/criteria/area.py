"""Areas under the ROC curve of a split's branches, for all pairs of classes.

``extra`` is the count that smoothing adds to every cell of the table. Whether a class is present
in the node is asked of the counts themselves.
"""

from functools import cache

from roctree._jit import inlined
from roctree.criteria.protocol import Score, Table

# Shares that are equal on paper may differ in their last bits when weights are fractions.
_EQUAL_SHARES = 1e-12


@cache
def mean_area(pairs: str, extra: float) -> Score:
    """The area over the pairs of classes; 0.5 with fewer than two classes present."""
    many_classes = {"hand_till": _hand_till, "renormalised": _renormalised}[pairs]

    def score(table: Table) -> float:
        if table.shape[1] == 2:
            return _pair_area(table, 0, 1, extra)
        return many_classes(table, extra)

    return score


@inlined
def _pair_area(table: Table, i: int, j: int, extra: float) -> float:
    """The area for classes i and j alone, the branches in the order of n_i / (n_i + n_j).

    Two branches b and c contribute the larger of n_i(b) n_j(c) and n_i(c) n_j(b), one branch
    half of n_i n_j. This adds up to one half plus half the sum of the absolute differences: no
    sorting, and equal shares need no care.
    """
    of_i = 0.0
    of_j = 0.0
    differences = 0.0
    for branch in range(table.shape[0]):
        of_i += table[branch, i]
        of_j += table[branch, j]
        for other in range(branch):
            there = (table[branch, i] + extra) * (table[other, j] + extra)
            back = (table[other, i] + extra) * (table[branch, j] + extra)
            differences += abs(there - back)
    pairs = (of_i + extra * table.shape[0]) * (of_j + extra * table.shape[0])
    return 0.5 + 0.5 * differences / pairs if of_i * of_j > 0.0 else 0.5


@inlined
def _renormalised(table: Table, extra: float) -> float:
    """The mean of the two-class areas over the pairs of classes present."""
    areas = 0.0
    n_pairs = 0
    for i in range(table.shape[1]):
        of_i = class_total(table, i)
        for j in range(i):
            if of_i * class_total(table, j) > 0.0:
                areas += _pair_area(table, i, j, extra)
                n_pairs += 1
    return areas / n_pairs if n_pairs > 0 else 0.5


@inlined
def _hand_till(table: Table, extra: float) -> float:
    """Hand and Till's M: the mean of A(i|j) over the ordered pairs of classes present.

    A(i|j) is one half plus, for any two branches b and c of which b has the larger share of i,
    (n_i(b) n_j(c) - n_i(c) n_j(b)) / (2 n_i n_j). As the order depends on i only, the sum over j
    can be taken first; the terms with j = i cancel.
    """
    n_present = 0
    for label in range(table.shape[1]):
        if class_total(table, label) > 0.0:
            n_present += 1
    margin = 0.0
    for branch in range(table.shape[0]):
        for other in range(branch):
            margin += _order_margin(table, branch, other, extra)
    return 0.5 + 0.5 * margin / (n_present * (n_present - 1)) if n_present > 1 else 0.5


@inlined
def _order_margin(table: Table, branch: int, other: int, extra: float) -> float:
    """What two branches add to the sum of 2 A(i|j) - 1 over the ordered pairs of classes."""
    weight = 0.0
    weight_other = 0.0
    rates = 0.0
    rates_other = 0.0
    for label in range(table.shape[1]):
        rate = _inverse_total(table, label, extra)
        weight += table[branch, label] + extra
        weight_other += table[other, label] + extra
        rates += (table[branch, label] + extra) * rate
        rates_other += (table[other, label] + extra) * rate
    margin = 0.0
    for label in range(table.shape[1]):
        count = table[branch, label] + extra
        count_other = table[other, label] + extra
        order = _compare(count * weight_other, count_other * weight)
        gap = count * rates_other - count_other * rates
        margin += order * gap * _inverse_total(table, label, extra)
    return margin


@inlined
def _compare(a: float, b: float) -> float:
    """1, 0 or -1 as a is above, at or below b, last bits apart."""
    slack = _EQUAL_SHARES * (a + b)
    return (1.0 if a - b > slack else 0.0) - (1.0 if b - a > slack else 0.0)


@inlined
def _inverse_total(table: Table, label: int, extra: float) -> float:
    """One over the smoothed weight of a class; 0 for an absent class, which leaves it out."""
    total = class_total(table, label)
    return 1.0 / (total + extra * table.shape[0]) if total > 0.0 else 0.0


@inlined
def class_total(table: Table, label: int) -> float:
    """The weight of a class in the node."""
    total = 0.0
    for branch in range(table.shape[0]):
        total += table[branch, label]
    return total
