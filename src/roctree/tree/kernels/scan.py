"""Find the best candidate of an attribute, and the best attribute of a node.

Candidates are binary splits, given by the cumulative class counts of their left branches. Refining
a split never lowers a convex criterion, so between two candidates no score exceeds the scores at
the corners of the box that their counts span: ``scan_bounded`` skips whole stretches whose bound is
too low. ``scan_all`` scores every candidate. Both find the same candidate, the first on ties.

Attributes are compared by improvement, or by C4.5's ratio behind its average-gain guard.
"""

import math
from collections.abc import Callable
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from roctree._jit import function_type, inlined, kernel, typed_kernel
from roctree.arrays import Floats, Floats2D
from roctree.tree.kernels.records import (
    NO_CORRECTION,
    SPLIT_INFO,
    BestSplits,
    Candidates,
    Features,
    KernelRules,
    Scoring,
)

CHUNK = 16
# Bounds have rounding errors, larger with many classes: candidates this close to the best are
# scored.
RELATIVE_SLACK = 1e-10
ABSOLUTE_SLACK = 1e-12
# C4.5's tolerance: gains this close to the average pass, and smaller split infos do not divide.
EPSILON = 1e-3
ROUNDING = 1e-12


@kernel
def is_large_enough(
    counts: Floats2D, i: int, right: int, total: Floats, minimum: float, rules: KernelRules
) -> bool:
    """Whether the left (or the right) branch of candidate ``i`` has enough weight."""
    weight = weighted = 0.0
    for label in range(total.size):
        count = total[label] - counts[i, label] if right else counts[i, label]
        weight += count
        weighted += count * rules.class_weight[label]
    return weight >= minimum and weighted >= rules.min_class_weighted_leaf


@typed_kernel(python=False)
def scan_all(
    begin: int,
    end: int,
    minimum: float,
    candidates: Candidates,
    rules: KernelRules,
    scoring: Scoring,
) -> tuple[int, float, int]:
    """Return the best admissible candidate (-1: none), its score and the number of admissible ones.

    Left counts increase along the candidates, so the admissible ones are a range.
    """
    lefts, scores, total = candidates.lefts, candidates.scores, candidates.total
    while begin < end and not is_large_enough(lefts, begin, 0, total, minimum, rules):
        begin += 1
    while end > begin and not is_large_enough(lefts, end - 1, 1, total, minimum, rules):
        end -= 1
    scoring.block(lefts, begin, end, total, rules.class_weight, scores)
    best, best_score = -1, -np.inf
    for i in range(begin, end):
        if scores[i] > best_score + rules.tolerance:
            best, best_score = i, scores[i]
    return best, best_score, end - begin


@kernel
def bound_stretches(
    n: int, candidates: Candidates, class_weight: Floats, scoring: Scoring, bounds: Floats
) -> None:
    """Bound the scores between adjacent edges, of which there are ``n``, into ``bounds[:n - 1]``.

    With two classes the corners of the box are the tightest bound. With more, the bound is the
    score of a split finer than all candidates between: it separates what lies between by class.
    """
    edges, corners, finest = candidates.edges, candidates.corners, candidates.finest
    total = candidates.total
    n_classes = total.size
    if n_classes == 2:
        for j in range(n - 1):
            corners[2 * j, 0] = edges[j, 0]
            corners[2 * j, 1] = edges[j + 1, 1]
            corners[2 * j + 1, 0] = edges[j + 1, 0]
            corners[2 * j + 1, 1] = edges[j, 1]
        scoring.block(corners, 0, 2 * (n - 1), total, class_weight, bounds)
        for j in range(n - 1):
            bounds[j] = max(bounds[2 * j], bounds[2 * j + 1])
        return
    for branch in range(n_classes + 2):
        for label in range(n_classes):
            finest[branch, label] = 0.0
    for j in range(n - 1):
        for label in range(n_classes):
            between = edges[j + 1, label] - edges[j, label]
            finest[0, label] = edges[j, label] * class_weight[label]
            finest[1, label] = (total[label] - edges[j + 1, label]) * class_weight[label]
            finest[label + 2, label] = between * class_weight[label]
        bounds[j] = scoring.table(finest)


@typed_kernel(python=False)
def scan_bounded(
    begin: int,
    end: int,
    minimum: float,
    candidates: Candidates,
    rules: KernelRules,
    scoring: Scoring,
) -> tuple[int, float, int]:
    """As ``scan_all``, for convex criteria: stretches whose bound is too low are not scored."""
    lefts, edges, scores = candidates.lefts, candidates.edges, candidates.scores
    total, bounds = candidates.total, candidates.bounds
    while begin < end and not is_large_enough(lefts, begin, 0, total, minimum, rules):
        begin += 1
    while end > begin and not is_large_enough(lefts, end - 1, 1, total, minimum, rules):
        end -= 1
    best, best_score = -1, -np.inf
    step = CHUNK if end - begin > 4 * CHUNK else 1
    n_edges = 0 if begin == end else (end - begin + step - 2) // step + 1
    for j in range(n_edges):
        i = min(begin + j * step, end - 1)
        for label in range(total.size):
            edges[j, label] = lefts[i, label]
    scoring.block(edges, 0, n_edges, total, rules.class_weight, scores)
    for j in range(n_edges):
        if scores[j] > best_score:
            best, best_score = min(begin + j * step, end - 1), scores[j]
    if step == 1:
        return best, best_score, end - begin

    bound_stretches(n_edges, candidates, rules.class_weight, scoring, bounds)
    # An edge that ties with the whole stretch is its first candidate, so the stretch is skipped.
    lowest = best_score - RELATIVE_SLACK * abs(best_score) - ABSOLUTE_SLACK
    j = 0
    while j < n_edges - 1:
        if bounds[j] < lowest:
            j += 1
            continue
        first = begin + j * CHUNK + 1
        while j < n_edges - 1 and bounds[j] >= lowest:
            j += 1
        last = min(begin + j * CHUNK, end - 1)
        scoring.block(lefts, first, last, total, rules.class_weight, scores)
        for i in range(first, last):
            if scores[i] > best_score or (scores[i] == best_score and i < best):
                best, best_score = i, scores[i]
    return best, best_score, end - begin


Scan: TypeAlias = Annotated[Callable[..., tuple[int, float, int]], function_type(scan_all)]


class Search(NamedTuple):
    """How the best candidate of an attribute is found: the rules, the criterion and the scan."""

    rules: KernelRules
    scoring: Scoring
    scan: Scan


@kernel
def prefer_even(
    begin: int,
    end: int,
    minimum: float,
    cut: int,
    score: float,
    search: Search,
    candidates: Candidates,
) -> tuple[int, float, float]:
    """Return the best candidate if it gains, otherwise the one that divides the cases most evenly.

    Where no candidate of a convex criterion gains, all have the score of the unsplit node. The
    first would divide a few cases from all others, level after level: a chain as long as there are
    cases. The one nearest to the middle halves the node, and the first on ties.

    Returns the candidate, its score, and for one without gain how far it is from the middle.
    """
    rules, total, lefts = search.rules, candidates.total, candidates.lefts
    if cut < 0 or not rules.even:
        return cut, score, 0.0
    half = 0.0
    for label in range(total.size):
        candidates.whole[0, label] = total[label] * rules.class_weight[label]
        half += 0.5 * total[label]
    unsplit = search.scoring.table(candidates.whole)
    if score - unsplit > ROUNDING:
        return cut, score, 0.0
    least = np.inf
    for i in range(begin, end):
        weight = 0.0
        for label in range(total.size):
            weight += lefts[i, label]
        if abs(weight - half) >= least:
            continue
        if not is_large_enough(lefts, i, 0, total, minimum, rules):
            continue
        if is_large_enough(lefts, i, 1, total, minimum, rules):
            cut, least = i, abs(weight - half)
    return cut, unsplit, least


@inlined
def information(weight: float, total: float) -> float:
    """Return one term of an entropy in bits: -p log2 p of the share ``weight / total``."""
    if weight <= 0.0:
        return 0.0
    return -weight / total * math.log2(weight / total)


@inlined
def binary_info(left: float, known: float, node: float, correction: int) -> float:
    """Return the divisor of a two-way split's improvement; missing cases are a third branch."""
    if correction != SPLIT_INFO:
        return 1.0
    right, missing = known - left, node - known
    return information(left, node) + information(right, node) + information(missing, node)


@kernel
def mean_gain(gains: Floats, features: Features, found: BestSplits) -> float:
    """Return the mean of the possible gains, or of their bounds; infinite if there is none."""
    total, n = 0.0, 0
    for feature in range(gains.size):
        possible = found.n_branches[feature] > 0 and found.gain[feature] > -EPSILON
        if possible and features.countable[feature]:
            total += gains[feature]
            n += 1
    return total / n if n > 0 else np.inf


@kernel
def worth(feature: int, found: BestSplits, correction: int) -> float:
    """Return the value by which attributes are compared: gain or ratio; -inf without a split."""
    if found.n_branches[feature] == 0:
        return -np.inf
    if correction == NO_CORRECTION:
        return found.gain[feature]
    info = found.info[feature]
    return found.gain[feature] / info if info > EPSILON else -np.inf


@kernel
def best_feature(features: Features, found: BestSplits, rules: KernelRules) -> int:
    """Return the attribute to split on, the first on ties; -1 if no split is good enough."""
    corrected = rules.correction != NO_CORRECTION
    average = -np.inf
    if rules.guard:
        average = mean_gain(found.gain, features, found)
    best, best_value = -1, -np.inf
    if corrected:
        # C4.5 starts below zero, so that a split without gain is better than none; Weka, the
        # program with a tolerance, does not.
        best_value = -EPSILON if rules.tolerance == 0.0 else 0.0
    for feature in range(found.n_branches.size):
        value = found.gain[feature]
        if found.n_branches[feature] == 0:
            continue
        if corrected:
            if value < average - EPSILON or found.info[feature] <= EPSILON:
                continue
            value /= found.info[feature]
        if value > best_value + rules.tolerance:
            best, best_value = feature, value
    if best >= 0 and found.gain[best] < rules.min_gain - ROUNDING:
        return -1
    return best
