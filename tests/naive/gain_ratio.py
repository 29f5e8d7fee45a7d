"""How release 8 of C4.5 chooses the attribute of a node, missing values included.

A column is a list whose missing values are None; a nominal column holds category codes
0, 1, ... and its number of declared categories is given.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

from tests.naive.criteria import information

MARGIN = 0.001  # C4.5's: a gain this much short of the mean is still good enough
DISTINCT = 1e-5  # values closer than this are the same


@dataclass
class Candidate:
    gain: float  # after the penalty, if there is one
    split_info: float
    threshold: float | None = None  # the midpoint
    tries: int = 0

    @property
    def ratio(self):
        return self.gain / self.split_info


def gain_and_info(table, unknown):
    """Gain and split information of branches of known cases, and the weight of the others."""
    known = sum(map(sum, table))
    total = known + unknown
    before = information([sum(column) / known for column in zip(*table, strict=True)])
    after = sum(
        sum(branch) / known * information([n / sum(branch) for n in branch])
        for branch in table
        if sum(branch) > 0
    )
    branches = [sum(branch) / total for branch in table] + [unknown / total]
    return known / total * (before - after), information(branches)


def tabulate(branch_of_row, n_branches, labels, n_classes, weights):
    table = [[0.0] * n_classes for _ in range(n_branches)]
    for branch, label, weight in zip(branch_of_row, labels, weights, strict=True):
        if branch is not None:
            table[branch][label] += weight
    return table


def nominal_candidate(codes, n_categories, labels, n_classes, weights, min_objects=2):
    """One branch a category, or None unless two branches are heavy enough."""
    table = tabulate(codes, n_categories, labels, n_classes, weights)
    if sum(sum(branch) >= min_objects for branch in table) < 2:
        return None
    return Candidate(*gain_and_info(table, _unknown(codes, weights)))


def numeric_candidate(values, labels, n_classes, weights, min_objects=2, penalty=True):
    """The threshold of largest gain, the lowest of equals, or None."""
    unknown = _unknown(values, weights)
    known = sum(weights) - unknown
    if known < 2 * min_objects:
        return None
    tenth = 0.1 * known / n_classes
    least = min_objects if tenth <= min_objects else min(tenth, 25)
    best, tries = None, 0
    distinct = sorted({value for value in values if value is not None})
    for low, high in pairwise(distinct):
        sides = [None if value is None else int(value > low) for value in values]
        table = tabulate(sides, 2, labels, n_classes, weights)
        if low + DISTINCT < high and min(map(sum, table)) >= least:
            tries += 1
            gain, info = gain_and_info(table, unknown)
            if best is None or gain > best.gain + 1e-12:
                best = Candidate(gain, info, (low + high) / 2)
    return _penalised(best, tries, sum(weights) if penalty else math.inf)


def _penalised(best, tries, weight):
    if best is None:
        return None
    best.tries = tries
    best.gain -= math.log2(tries) / weight
    return best if best.gain > 0 or weight == math.inf else None


def _unknown(column, weights):
    return sum(weight for value, weight in zip(column, weights, strict=True) if value is None)


def choose(candidates, left_out_of_mean=()):
    """The position of the chosen candidate, or None; the first of equal ratios.

    ``left_out_of_mean`` are the positions of nominal attributes with very many categories.
    """
    possible = [i for i, c in enumerate(candidates) if c is not None and c.gain > -MARGIN]
    counted = [i for i in possible if i not in left_out_of_mean]
    if not counted:
        return None  # the program then takes a million for the mean
    mean = sum(candidates[i].gain for i in counted) / len(counted)
    best = None
    for i in possible:
        candidate = candidates[i]
        good = candidate.gain >= mean - MARGIN and candidate.split_info > MARGIN
        if good and (best is None or candidate.ratio > candidates[best].ratio):
            best = i
    return best


def left_out_of_mean(n_categories, n_training):
    """The positions of nominal attributes with 0.3 of the training cases as categories or more.

    ``n_categories`` is None for a numeric attribute.
    """
    many = {i for i, n in enumerate(n_categories) if n is not None and n >= 0.3 * n_training}
    return set() if len(many) == len(n_categories) else many
