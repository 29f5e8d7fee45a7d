"""Count the classes of the bins of a node, and bound what cuts inside a bin can gain."""

from typing import Any

import numpy as np

from roctree._jit import kernel
from roctree.tree.kernels.choice import EPSILON, binary_info
from roctree.tree.kernels.layout import (
    BIN,
    FILLED,
    JOIN_MISSING,
    KNOWN,
    LOOK,
    MIN_LEAF,
    MISSING,
    N_CATEGORIES,
    ROW_LABEL,
    SHIFT,
    TOTAL,
)
from roctree.tree.kernels.numeric import (
    enter_cut,
    improvement,
    weight_of,
)
from roctree.tree.kernels.scan import CHUNK, bound_stretches


@kernel
def count_bins(
    begin: int,
    end: int,
    columns: np.ndarray,
    codes: np.ndarray,
    row_ints: np.ndarray,
    weights: np.ndarray,
    histogram: np.ndarray,
) -> None:
    """Add up the classes of every bin of every attribute."""
    for row in range(histogram.shape[0]):
        for label in range(histogram.shape[1]):
            histogram[row, label] = 0.0
    for i in range(begin, end):
        label, weight = row_ints[ROW_LABEL, i], weights[i]
        for feature in range(codes.shape[1]):
            place = columns[BIN, feature] + (codes[i, feature] >> columns[SHIFT, feature])
            histogram[place, label] += weight


@kernel
def subtract_bins(histogram: np.ndarray, other: np.ndarray) -> None:
    """Take the counts of some cases away; sums are exact, and so are differences."""
    for row in range(histogram.shape[0]):
        for label in range(histogram.shape[1]):
            histogram[row, label] -= other[row, label]


@kernel
def load_bins(
    feature: int,
    columns: np.ndarray,
    histogram: np.ndarray,
    lefts: np.ndarray,
    places: np.ndarray,
    bins: np.ndarray,
    vectors: np.ndarray,
) -> int:
    """Cumulate the filled bins of an attribute into ``lefts``; returns how many there are."""
    start, missing_bin = columns[BIN, feature], columns[BIN, feature + 1] - 1
    n_classes = vectors.shape[1]
    n = 0
    for label in range(n_classes):
        lefts[0, label] = 0.0
        vectors[MISSING, label] = histogram[missing_bin, label]
    for place in range(start, missing_bin):
        if weight_of(histogram, place) <= 0.0:
            continue
        bins[FILLED, n] = place - start
        places[n] = (place - start) << columns[SHIFT, feature]
        n += 1
        for label in range(n_classes):
            lefts[n, label] = lefts[n - 1, label] + histogram[place, label]
    places[n] = (missing_bin - start) << columns[SHIFT, feature]
    for label in range(n_classes):
        vectors[KNOWN, label] = lefts[n, label]
    return n


@kernel
def enter_bins(
    feature: int,
    n: int,
    columns: np.ndarray,
    limits: np.ndarray,
    class_weight: np.ndarray,
    table: Any,
    block: Any,
    scan: Any,
    categories: Any,
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
    bin_lefts: np.ndarray,
    bins: np.ndarray,
) -> None:
    """Enter the best split between the ``n`` filled bins of an attribute, which are loaded."""
    if columns[N_CATEGORIES, feature] > 0:
        for i in range(n):
            places[i] = bins[FILLED, i]
            for label in range(class_weight.size):
                bin_lefts[i, label] = lefts[i + 1, label] - lefts[i, label]
        categories(
            feature, bin_lefts, places, n, columns, limits, class_weight, table, block, scan,
            lefts, edges, corners, finest, scores, bounds, vectors, found_floats, found_ints,
            branch_of,
        )  # fmt: skip
    else:
        enter_cut(
            feature, n, limits, class_weight, table, block, scan, lefts, edges, corners,
            finest, scores, bounds, places, vectors, found_floats, found_ints,
        )  # fmt: skip


@kernel
def least_info(low: float, high: float, limits: np.ndarray, vectors: np.ndarray) -> float:
    """The least that a gain is divided by where ``low`` to ``high`` of the weight are on the left.

    The information of a split is concave, hence least at one of the ends.
    """
    known = weight_of(vectors, TOTAL)
    node = weight_of(vectors, KNOWN) + weight_of(vectors, MISSING)
    info = np.inf
    for left in (max(low, limits[MIN_LEAF]), min(high, known - limits[MIN_LEAF])):
        info = min(info, binary_info(left, known, node, limits))
    return max(info, EPSILON)


@kernel
def mark_bins(
    n: int,
    least: float,
    limits: np.ndarray,
    class_weight: np.ndarray,
    table: Any,
    block: Any,
    lefts: np.ndarray,
    edges: np.ndarray,
    corners: np.ndarray,
    finest: np.ndarray,
    scores: np.ndarray,
    bounds: np.ndarray,
    vectors: np.ndarray,
    bins: np.ndarray,
) -> tuple[float, float]:
    """Mark the bins where some cut may gain ``least``; returns bounds on gain and ratio."""
    total = vectors[TOTAL]
    highest = highest_ratio = -np.inf
    # Gains are linear in the score. These are bounds, looked at with some slack: rounding is free.
    nothing = improvement(0.0, limits, class_weight, table, vectors)
    share = 1.0
    if not limits[JOIN_MISSING]:
        known = weight_of(vectors, KNOWN)
        share = known / (known + weight_of(vectors, MISSING))
    for j in range(n):
        bins[LOOK, j] = 0
    n_edges = (n + CHUNK - 1) // CHUNK + 1
    for j in range(n_edges):
        for label in range(total.size):
            edges[j, label] = lefts[min(j * CHUNK, n), label]
    bound_stretches(edges, n_edges, total, class_weight, table, block, corners, finest, scores)
    for j in range(n_edges - 1):
        # All bins of a stretch without a promising bound are passed over at once.
        if scores[j] * share + nothing < least:
            continue
        first, last = j * CHUNK, min((j + 1) * CHUNK, n)
        for i in range(first, last + 1):
            for label in range(total.size):
                edges[i - first, label] = lefts[i, label]
        n_bins = last - first
        bound_stretches(
            edges, n_bins + 1, total, class_weight, table, block, corners, finest, bounds
        )
        for i in range(n_bins):
            gain = bounds[i] * share + nothing
            if gain >= least:
                low, high = weight_of(lefts, first + i), weight_of(lefts, first + i + 1)
                bins[LOOK, first + i] = 1
                highest = max(highest, gain)
                highest_ratio = max(highest_ratio, gain / least_info(low, high, limits, vectors))
    return highest, highest_ratio
