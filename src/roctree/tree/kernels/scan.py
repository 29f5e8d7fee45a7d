"""Find the best of the binary splits of one attribute.

Candidates come as cumulative class counts of their left branches. Refining a split never lowers a
convex criterion, so between two candidates no score exceeds the scores at the corners of the box
that their counts span: ``scan_bounded`` passes over whole stretches on the strength of a bound.
``scan_all`` scores every candidate. Both find the same candidate, the lowest on ties.
"""

from typing import Any

import numpy as np

from roctree._jit import kernel, typed_kernel
from roctree.tree.kernels.layout import (
    MIN_STEERED,
    SCAN_SIGNATURE,
    TOLERANCE,
)

CHUNK = 16
# A bound is itself rounded, the more so with many classes: what lies this close below the best is
# looked at.
RELATIVE_SLACK = 1e-10
ABSOLUTE_SLACK = 1e-12


@kernel
def enough(
    lefts: np.ndarray,
    i: int,
    right: int,
    total: np.ndarray,
    class_weight: np.ndarray,
    minimum: float,
    min_steered: float,
) -> bool:
    """Whether the left (or the right) branch of candidate ``i`` holds enough weight."""
    weight = steered = 0.0
    for label in range(total.size):
        count = total[label] - lefts[i, label] if right else lefts[i, label]
        weight += count
        steered += count * class_weight[label]
    return weight >= minimum and steered >= min_steered


@typed_kernel(SCAN_SIGNATURE, python=False)
def scan_all(
    lefts: np.ndarray,
    begin: int,
    end: int,
    total: np.ndarray,
    minimum: float,
    limits: np.ndarray,
    class_weight: np.ndarray,
    table: Any,
    block: Any,
    edges: np.ndarray,
    corners: np.ndarray,
    finest: np.ndarray,
    scores: np.ndarray,
    bounds: np.ndarray,
) -> tuple[int, float, int]:
    """The best admissible candidate (-1: none), its score, and how many are admissible.

    Left counts grow along the candidates, so the admissible ones are a range.
    """
    steered, tolerance = limits[MIN_STEERED], limits[TOLERANCE]
    while begin < end and not enough(lefts, begin, 0, total, class_weight, minimum, steered):
        begin += 1
    while end > begin and not enough(lefts, end - 1, 1, total, class_weight, minimum, steered):
        end -= 1
    block(lefts, begin, end, total, class_weight, scores)
    best, best_score = -1, -np.inf
    for i in range(begin, end):
        if scores[i] > best_score + tolerance:
            best, best_score = i, scores[i]
    return best, best_score, end - begin


@kernel
def bound_stretches(
    edges: np.ndarray,
    n: int,
    total: np.ndarray,
    class_weight: np.ndarray,
    table: Any,
    block: Any,
    corners: np.ndarray,
    finest: np.ndarray,
    bounds: np.ndarray,
) -> None:
    """Bound the scores between neighbours among the ``n`` edges, into ``bounds[:n - 1]``.

    With two classes the corners of the box are the tightest bound. With more, the bound is the
    score of a split finer than all candidates between: it keeps what lies between apart by class.
    """
    n_classes = total.size
    if n_classes == 2:
        for j in range(n - 1):
            corners[2 * j, 0] = edges[j, 0]
            corners[2 * j, 1] = edges[j + 1, 1]
            corners[2 * j + 1, 0] = edges[j + 1, 0]
            corners[2 * j + 1, 1] = edges[j, 1]
        block(corners, 0, 2 * (n - 1), total, class_weight, bounds)
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
        bounds[j] = table(finest)


@typed_kernel(SCAN_SIGNATURE, python=False)
def scan_bounded(
    lefts: np.ndarray,
    begin: int,
    end: int,
    total: np.ndarray,
    minimum: float,
    limits: np.ndarray,
    class_weight: np.ndarray,
    table: Any,
    block: Any,
    edges: np.ndarray,
    corners: np.ndarray,
    finest: np.ndarray,
    scores: np.ndarray,
    bounds: np.ndarray,
) -> tuple[int, float, int]:
    """As ``scan_all``, for convex criteria: stretches whose bound is too low are not scored."""
    steered = limits[MIN_STEERED]
    while begin < end and not enough(lefts, begin, 0, total, class_weight, minimum, steered):
        begin += 1
    while end > begin and not enough(lefts, end - 1, 1, total, class_weight, minimum, steered):
        end -= 1
    best, best_score = -1, -np.inf
    step = CHUNK if end - begin > 4 * CHUNK else 1
    n_edges = 0 if begin == end else (end - begin + step - 2) // step + 1
    for j in range(n_edges):
        i = min(begin + j * step, end - 1)
        for label in range(total.size):
            edges[j, label] = lefts[i, label]
    block(edges, 0, n_edges, total, class_weight, scores)
    for j in range(n_edges):
        if scores[j] > best_score:
            best, best_score = min(begin + j * step, end - 1), scores[j]
    if step == 1:
        return best, best_score, end - begin

    bound_stretches(edges, n_edges, total, class_weight, table, block, corners, finest, bounds)
    # An edge that ties with all between it and the next is the lower candidate: no need to look.
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
        block(lefts, first, last, total, class_weight, scores)
        for i in range(first, last):
            if scores[i] > best_score or (scores[i] == best_score and i < best):
                best, best_score = i, scores[i]
    return best, best_score, end - begin
