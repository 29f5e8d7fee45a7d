"""The best threshold of a numeric attribute at a node whose cases are sorted."""

import math
from typing import Any

import numpy as np

from roctree._jit import inlined, kernel, typed_kernel
from roctree.tree.kernels.choice import binary_info
from roctree.tree.kernels.layout import (
    C45_MINIMUM,
    CUT,
    EVALUATE_SIGNATURE,
    GAIN,
    ID,
    INFO,
    JOIN_MISSING,
    KNOWN,
    LABEL,
    MIN_LEAF,
    MISSING,
    MISSING_BRANCH,
    MISSING_RANK,
    N_BRANCHES,
    NO_BRANCH,
    PENALTY,
    SCORE,
    SINGLE,
    TOLERANCE,
    TOTAL,
)

# C4.5 takes values that are no further apart for equal, and never asks for more cases a branch.
C45_GAP = 1e-5
C45_LARGEST_MINIMUM = 25.0


@kernel
def weight_of(matrix: np.ndarray, row: int) -> float:
    """The sum of a row of class counts."""
    weight = 0.0
    for label in range(matrix.shape[1]):
        weight += matrix[row, label]
    return weight


@kernel
def count_two(
    feature: int,
    begin: int,
    end: int,
    order: np.ndarray,
    rank: np.ndarray,
    cases: np.ndarray,
    weights: np.ndarray,
    lefts: np.ndarray,
    places: np.ndarray,
) -> int:
    """Count two classes before each distinct value.

    Every case writes a row, which stays where the case starts a new value: no jumps for the
    machine to mispredict.
    """
    first, second, n, before = 0.0, 0.0, 0, MISSING_RANK
    for i in range(begin, end):
        place = order[feature, i]
        lefts[n, 0], lefts[n, 1], places[n] = first, second, i
        n += 1 if rank[feature, place] != before else 0
        before = rank[feature, place]
        of_second = weights[place] * cases[LABEL, place]
        second += of_second
        first += weights[place] - of_second
    lefts[n, 0], lefts[n, 1] = first, second
    return n


@kernel
def count_many(
    feature: int,
    begin: int,
    end: int,
    order: np.ndarray,
    rank: np.ndarray,
    cases: np.ndarray,
    weights: np.ndarray,
    lefts: np.ndarray,
    places: np.ndarray,
) -> int:
    """Count any number of classes before each distinct value."""
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
        lefts[n, cases[LABEL, place]] += weights[place]
    return n


@kernel
def count_values(
    feature: int,
    begin: int,
    end: int,
    order: np.ndarray,
    rank: np.ndarray,
    cases: np.ndarray,
    weights: np.ndarray,
    lefts: np.ndarray,
    places: np.ndarray,
    vectors: np.ndarray,
) -> int:
    """Count the classes before each distinct value into ``lefts``; returns how many there are.

    ``places`` gets where each value starts in the order; one further row holds all known cases.
    """
    for label in range(vectors.shape[1]):
        vectors[MISSING, label] = 0.0
    while end > begin and rank[feature, order[feature, end - 1]] == MISSING_RANK:
        end -= 1
        place = order[feature, end]
        vectors[MISSING, cases[LABEL, place]] += weights[place]
    if vectors.shape[1] == 2:
        n = count_two(feature, begin, end, order, rank, cases, weights, lefts, places)
    else:
        n = count_many(feature, begin, end, order, rank, cases, weights, lefts, places)
    places[n] = end
    for label in range(vectors.shape[1]):
        vectors[KNOWN, label] = lefts[n, label]
    return n


@kernel
def merge_close(
    values: np.ndarray,
    feature: int,
    n: int,
    order: np.ndarray,
    cases: np.ndarray,
    lefts: np.ndarray,
    places: np.ndarray,
) -> int:
    """Drop the cuts between values that C4.5 takes for equal; returns how many values remain."""
    kept = 1
    for i in range(1, n + 1):
        apart = i == n
        if not apart:
            low = values[cases[ID, order[feature, places[i] - 1]], feature]
            # The sum, not the difference: where steps are 1e-5 the rounding decides.
            apart = low + C45_GAP < values[cases[ID, order[feature, places[i]]], feature]
        if apart:
            places[kept] = places[i]
            for label in range(lefts.shape[1]):
                lefts[kept, label] = lefts[i, label]
            kept += 1
    return kept - 1


@inlined
def join_missing(limits: np.ndarray, vectors: np.ndarray) -> bool:
    """Set the total; true where missing cases take part in the split, on one side."""
    joins = limits[JOIN_MISSING] > 0.0 and weight_of(vectors, MISSING) > 0.0
    for label in range(vectors.shape[1]):
        vectors[TOTAL, label] = vectors[KNOWN, label]
        if joins:
            vectors[TOTAL, label] += vectors[MISSING, label]
    return joins


@inlined
def shift_lefts(lefts: np.ndarray, n: int, vectors: np.ndarray, sign: float) -> None:
    """Add the missing cases to the left branches, or take them away again; sums are exact."""
    for i in range(n):
        for label in range(vectors.shape[1]):
            lefts[i, label] += sign * vectors[MISSING, label]


@inlined
def smallest_branch(known: float, limits: np.ndarray, class_weight: np.ndarray) -> float:
    """The least weight of a branch; C4.5 asks for up to 25 cases where many are known."""
    if limits[C45_MINIMUM]:
        share = 0.1 * known / class_weight.size
        return max(limits[MIN_LEAF], min(share, C45_LARGEST_MINIMUM))
    return limits[MIN_LEAF]


@kernel
def improvement(
    score: float, limits: np.ndarray, class_weight: np.ndarray, table: Any, vectors: np.ndarray
) -> float:
    """What a split gains over the node left whole; only known cases can gain (C4.5)."""
    for label in range(class_weight.size):
        vectors[SINGLE, label] = vectors[TOTAL, label] * class_weight[label]
    gain = score - table(vectors[SINGLE:])
    if limits[JOIN_MISSING]:
        return gain
    known = weight_of(vectors, KNOWN)
    return gain * (known / (known + weight_of(vectors, MISSING)))


@kernel
def enter_cut(
    feature: int,
    n: int,
    limits: np.ndarray,
    class_weight: np.ndarray,
    table: Any,
    block: Any,
    scan: Any,
    lefts: np.ndarray,
    edges: np.ndarray,
    corners: np.ndarray,
    finest: np.ndarray,
    scores: np.ndarray,
    bounds: np.ndarray,
    places: np.ndarray,
    vectors: np.ndarray,
    found_floats: np.ndarray,
    found_ints: np.ndarray,
) -> None:
    """Enter the best cut between ``n`` values whose counts are in ``lefts`` and ``vectors``.

    Missing cases that join a branch are tried on both sides, and against all that is known.
    """
    if n == 0:
        return
    joins = join_missing(limits, vectors)
    known, total = weight_of(vectors, KNOWN), vectors[TOTAL]
    node = known + weight_of(vectors, MISSING)
    minimum = smallest_branch(known, limits, class_weight)
    last, side = (n + 1, 1) if joins else (n, NO_BRANCH)
    cut, score, n_cuts = scan(
        lefts, 1, last, total, minimum, limits, class_weight, table, block,
        edges, corners, finest, scores, bounds,
    )  # fmt: skip
    left = weight_of(lefts, max(cut, 0))
    if joins:
        known = node
        shift_lefts(lefts, n + 1, vectors, 1.0)
        other, other_score, n_others = scan(
            lefts, 1, n, total, minimum, limits, class_weight, table, block,
            edges, corners, finest, scores, bounds,
        )  # fmt: skip
        n_cuts += n_others
        if other_score > score:
            cut, score, side, left = other, other_score, 0, weight_of(lefts, other)
    if cut < 0:
        return
    gain = improvement(score, limits, class_weight, table, vectors)
    if limits[PENALTY]:
        gain -= math.log2(n_cuts) / node
        if gain <= limits[TOLERANCE]:
            return
    found_floats[feature, GAIN], found_floats[feature, SCORE] = gain, score
    found_floats[feature, INFO] = binary_info(left, known, node, limits)
    found_ints[feature, N_BRANCHES] = 2
    found_ints[feature, CUT] = places[cut]
    found_ints[feature, MISSING_BRANCH] = side


@typed_kernel(EVALUATE_SIGNATURE, python=False)
def best_cut(
    feature: int,
    begin: int,
    end: int,
    values: np.ndarray,
    columns: np.ndarray,
    order: np.ndarray,
    rank: np.ndarray,
    cases: np.ndarray,
    weights: np.ndarray,
    limits: np.ndarray,
    class_weight: np.ndarray,
    table: Any,
    block: Any,
    scan: Any,
    lefts: np.ndarray,
    edges: np.ndarray,
    corners: np.ndarray,
    finest: np.ndarray,
    scores: np.ndarray,
    bounds: np.ndarray,
    places: np.ndarray,
    vectors: np.ndarray,
    found_floats: np.ndarray,
    found_ints: np.ndarray,
    branch_of: np.ndarray,
) -> None:
    """Enter the best threshold of ``feature`` at the node ``begin:end`` of the orders."""
    n = count_values(feature, begin, end, order, rank, cases, weights, lefts, places, vectors)
    enter_cut(
        feature, n, limits, class_weight, table, block, scan, lefts, edges, corners, finest,
        scores, bounds, places, vectors, found_floats, found_ints,
    )  # fmt: skip


@typed_kernel(EVALUATE_SIGNATURE, python=False)
def best_c45_cut(
    feature: int,
    begin: int,
    end: int,
    values: np.ndarray,
    columns: np.ndarray,
    order: np.ndarray,
    rank: np.ndarray,
    cases: np.ndarray,
    weights: np.ndarray,
    limits: np.ndarray,
    class_weight: np.ndarray,
    table: Any,
    block: Any,
    scan: Any,
    lefts: np.ndarray,
    edges: np.ndarray,
    corners: np.ndarray,
    finest: np.ndarray,
    scores: np.ndarray,
    bounds: np.ndarray,
    places: np.ndarray,
    vectors: np.ndarray,
    found_floats: np.ndarray,
    found_ints: np.ndarray,
    branch_of: np.ndarray,
) -> None:
    """As ``best_cut``, with values that C4.5 takes for equal kept together."""
    n = count_values(feature, begin, end, order, rank, cases, weights, lefts, places, vectors)
    n = merge_close(values, feature, n, order, cases, lefts, places)
    enter_cut(
        feature, n, limits, class_weight, table, block, scan, lefts, edges, corners, finest,
        scores, bounds, places, vectors, found_floats, found_ints,
    )  # fmt: skip
