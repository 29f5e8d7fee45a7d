"""The best threshold of a numeric attribute at a node whose cases are sorted."""

import math
from collections.abc import Callable
from typing import Annotated, TypeAlias

from roctree._jit import TableScore, function_type, inlined, kernel, typed_kernel
from roctree.arrays import Floats, Floats2D
from roctree.tree.kernels.records import (
    MISSING_RANK,
    BestSplits,
    Candidates,
    Cases,
    Features,
    KernelRules,
    Node,
    SearchScratch,
)
from roctree.tree.kernels.scan import Search, binary_info, prefer_even
from roctree.tree.tree import NO_BRANCH

# C4.5 treats values within this distance as equal, and requires at most this many cases per branch.
C45_GAP = 1e-5
C45_LARGEST_MINIMUM = 25.0


@kernel
def sum_of(counts: Floats) -> float:
    """Return the sum of some class counts."""
    weight = 0.0
    for label in range(counts.size):
        weight += counts[label]
    return weight


@kernel
def weight_of(counts: Floats2D, row: int) -> float:
    """Return the sum of a row of class counts."""
    weight = 0.0
    for label in range(counts.shape[1]):
        weight += counts[row, label]
    return weight


@kernel
def count_two(feature: int, begin: int, end: int, cases: Cases, candidates: Candidates) -> int:
    """Count two classes before each distinct value.

    Every case writes a row, which stays if the case starts a new value: no branches for the
    processor to mispredict.
    """
    order, rank, lefts, places = cases.order, cases.rank, candidates.lefts, candidates.places
    first, second, n, before = 0.0, 0.0, 0, MISSING_RANK
    for i in range(begin, end):
        place = order[feature, i]
        lefts[n, 0], lefts[n, 1], places[n] = first, second, i
        n += 1 if rank[feature, place] != before else 0
        before = rank[feature, place]
        of_second = cases.weight[place] * cases.label[place]
        second += of_second
        first += cases.weight[place] - of_second
    lefts[n, 0], lefts[n, 1] = first, second
    return n


@kernel
def count_many(feature: int, begin: int, end: int, cases: Cases, candidates: Candidates) -> int:
    """Count any number of classes before each distinct value."""
    order, rank, lefts, places = cases.order, cases.rank, candidates.lefts, candidates.places
    n, before, n_classes = 0, MISSING_RANK, lefts.shape[1]
    for label in range(n_classes):
        lefts[0, label] = 0.0
    for i in range(begin, end):
        place = order[feature, i]
        if rank[feature, place] != before:
            before = rank[feature, place]
            places[n] = i
            n += 1
            for label in range(n_classes):
                lefts[n, label] = lefts[n - 1, label]
        lefts[n, cases.label[place]] += cases.weight[place]
    return n


@kernel
def count_values(feature: int, node: Node, cases: Cases, candidates: Candidates) -> int:
    """Count the classes before each distinct value into ``lefts``; return the number of values.

    ``places`` gets where each value starts in the order; one further row holds all known cases.
    """
    begin, end, missing = node.begin, node.end, candidates.missing
    for label in range(missing.size):
        missing[label] = 0.0
    while end > begin and cases.rank[feature, cases.order[feature, end - 1]] == MISSING_RANK:
        end -= 1
        place = cases.order[feature, end]
        missing[cases.label[place]] += cases.weight[place]
    if missing.size == 2:
        n = count_two(feature, begin, end, cases, candidates)
    else:
        n = count_many(feature, begin, end, cases, candidates)
    candidates.places[n] = end
    for label in range(missing.size):
        candidates.known[label] = candidates.lefts[n, label]
    return n


@kernel
def merge_close(
    feature: int, n: int, features: Features, cases: Cases, candidates: Candidates
) -> int:
    """Drop the cuts between values that C4.5 treats as equal; return how many values remain."""
    values, order, row = features.values, cases.order, cases.row
    lefts, places = candidates.lefts, candidates.places
    kept = 1
    for i in range(1, n + 1):
        apart = i == n
        if not apart:
            low = values[row[order[feature, places[i] - 1]], feature]
            # The sum, not the difference: if values differ by 1e-5, rounding decides.
            apart = low + C45_GAP < values[row[order[feature, places[i]]], feature]
        if apart:
            places[kept] = places[i]
            for label in range(lefts.shape[1]):
                lefts[kept, label] = lefts[i, label]
            kept += 1
    return kept - 1


@inlined
def join_missing(rules: KernelRules, candidates: Candidates) -> bool:
    """Set the total; return whether missing cases take part in the split, on one side."""
    joins = rules.join_missing and sum_of(candidates.missing) > 0.0
    for label in range(candidates.total.size):
        candidates.total[label] = candidates.known[label]
        if joins:
            candidates.total[label] += candidates.missing[label]
    return joins


@inlined
def add_missing_to_lefts(n: int, candidates: Candidates) -> None:
    """Add the missing cases to the first ``n`` left branches; sums are exact."""
    for i in range(n):
        for label in range(candidates.missing.size):
            candidates.lefts[i, label] += candidates.missing[label]


@inlined
def smallest_branch(known: float, rules: KernelRules) -> float:
    """Return the minimum weight of a branch; C4.5 requires up to 25 cases if many are known."""
    if rules.c45_minimum:
        share = 0.1 * known / rules.class_weight.size
        return max(rules.min_leaf, min(share, C45_LARGEST_MINIMUM))
    return rules.min_leaf


@kernel
def improvement(
    score: float, rules: KernelRules, table: TableScore, candidates: Candidates
) -> float:
    """Return the gain of a split over the unsplit node; only known cases can gain (C4.5)."""
    for label in range(rules.class_weight.size):
        candidates.whole[0, label] = candidates.total[label] * rules.class_weight[label]
    gain = score - table(candidates.whole)
    if rules.join_missing:
        return gain
    known = sum_of(candidates.known)
    return gain * (known / (known + sum_of(candidates.missing)))


@kernel
def enter_cut(
    feature: int, n: int, search: Search, candidates: Candidates, found: BestSplits
) -> None:
    """Enter the best cut between ``n`` values whose counts are among the candidates.

    Missing cases that join a branch are tried on both sides, and against all known cases.
    """
    if n == 0:
        return
    rules, scoring, lefts = search.rules, search.scoring, candidates.lefts
    joins = join_missing(rules, candidates)
    known = sum_of(candidates.known)
    node = known + sum_of(candidates.missing)
    minimum = smallest_branch(known, rules)
    last, side = (n + 1, 1) if joins else (n, NO_BRANCH)
    cut, score, n_cuts = search.scan(1, last, minimum, candidates, rules, scoring)
    cut, score, uneven = prefer_even(1, last, minimum, cut, score, search, candidates)
    left = weight_of(lefts, max(cut, 0))
    if joins:
        known = node
        add_missing_to_lefts(n + 1, candidates)
        other, other_score, n_others = search.scan(1, n, minimum, candidates, rules, scoring)
        other, other_score, other_uneven = prefer_even(
            1, n, minimum, other, other_score, search, candidates
        )
        n_cuts += n_others
        if other_score > score:
            cut, score, side, left = other, other_score, 0, weight_of(lefts, other)
            uneven = other_uneven
    if cut < 0:
        return
    gain = improvement(score, rules, scoring.table, candidates)
    if rules.penalty:
        gain -= math.log2(n_cuts) / node
        if gain <= rules.tolerance:
            return
    found.gain[feature], found.score[feature], found.uneven[feature] = gain, score, uneven
    found.info[feature] = binary_info(left, known, node, rules.correction)
    found.n_branches[feature] = 2
    found.cut[feature] = candidates.places[cut]
    found.missing_branch[feature] = side


@inlined
def is_constant(feature: int, node: Node, cases: Cases) -> bool:
    """Whether all cases of a node have the same value, or all values are missing."""
    order, rank = cases.order, cases.rank
    return rank[feature, order[feature, node.begin]] == rank[feature, order[feature, node.end - 1]]


@typed_kernel(python=False)
def find_cuts(
    node: Node, features: Features, cases: Cases, search: Search, work: SearchScratch
) -> None:
    """Enter the best threshold of every numeric attribute at a node."""
    for feature in range(features.n_categories.size):
        if features.n_categories[feature] == 0 and not is_constant(feature, node, cases):
            n = count_values(feature, node, cases, work.candidates)
            enter_cut(feature, n, search, work.candidates, work.found)


@typed_kernel(python=False)
def find_c45_cuts(
    node: Node, features: Features, cases: Cases, search: Search, work: SearchScratch
) -> None:
    """As ``find_cuts``, without cuts between values that C4.5 treats as equal."""
    for feature in range(features.n_categories.size):
        if features.n_categories[feature] == 0 and not is_constant(feature, node, cases):
            n = count_values(feature, node, cases, work.candidates)
            n = merge_close(feature, n, features, cases, work.candidates)
            enter_cut(feature, n, search, work.candidates, work.found)


# The search of all numeric, or of all nominal, attributes at a sorted node.
FindSplits: TypeAlias = Annotated[Callable[..., None], function_type(find_cuts)]
