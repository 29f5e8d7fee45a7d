"""Find the best splits of nodes of which only the tables are known: class counts of every bin.

This is the search of the exact engine between bins, and nothing else: where every bin holds one
value, both find the same splits.
"""

from typing import Any

import numpy as np

from roctree._jit import BLOCK_FUNCTION, TABLE_FUNCTION, kernel, typed_kernel, types
from roctree.tree.kernels.bins import enter_bins, load_bins
from roctree.tree.kernels.choice import choose
from roctree.tree.kernels.layout import (
    BIN,
    BRANCHES,
    BRANCHES_2D,
    C45_MINIMUM,
    CATEGORIES_FUNCTION,
    CUT,
    FILLED,
    FLOATS,
    FLOATS_2D,
    FLOATS_3D,
    GAIN,
    INT,
    INTS,
    INTS_2D,
    MISSING_BRANCH,
    N_BRANCHES,
    N_CATEGORIES,
    OFFSET,
    SCAN_FUNCTION,
    SPLIT_BRANCHES,
    SPLIT_CUT,
    SPLIT_FEATURE,
    SPLIT_GAIN,
    SPLIT_MISSING,
    SPLIT_THRESHOLD,
    SPLIT_UNKNOWN,
)
from roctree.tree.kernels.numeric import C45_GAP, weight_of
from roctree.tree.kernels.subtree import ALL_VALUES, middle

SEARCH_SIGNATURE = types.void(
    INT, INT, FLOATS_3D, INTS, INTS_2D, FLOATS_2D, FLOATS_2D, FLOATS, FLOATS,
    TABLE_FUNCTION, BLOCK_FUNCTION, SCAN_FUNCTION, CATEGORIES_FUNCTION,
    FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS, FLOATS, INTS, FLOATS_2D,
    FLOATS_2D, INTS_2D, BRANCHES, FLOATS_2D, INTS_2D,
    INTS_2D, FLOATS_2D, BRANCHES_2D, FLOATS_3D,
)  # fmt: skip


@kernel
def merge_close_bins(
    feature: int,
    n: int,
    lowest: np.ndarray,
    highest: np.ndarray,
    lefts: np.ndarray,
    places: np.ndarray,
    bins: np.ndarray,
) -> int:
    """Drop the cuts between bins that C4.5 takes for equal; returns how many remain."""
    kept = 1
    for i in range(1, n + 1):
        apart = i == n
        if not apart:
            low = highest[feature, bins[FILLED, i - 1]]
            apart = low + C45_GAP < lowest[feature, bins[FILLED, i]]
        if apart:
            places[kept] = places[i]
            for label in range(lefts.shape[1]):
                lefts[kept, label] = lefts[i, label]
            kept += 1
    return kept - 1


@kernel
def threshold_between(
    feature: int,
    cut: int,
    start: int,
    n_bins: int,
    histogram: np.ndarray,
    lowest: np.ndarray,
    highest: np.ndarray,
) -> float:
    """The middle of the values beside a cut, or all values where none is on its right."""
    if cut == n_bins:
        return ALL_VALUES
    left = cut - 1
    while weight_of(histogram, start + left) <= 0.0:
        left -= 1
    return middle(highest[feature, left], lowest[feature, cut])


@kernel
def count_children(
    node: int,
    feature: int,
    columns: np.ndarray,
    histogram: np.ndarray,
    found_ints: np.ndarray,
    split_floats: np.ndarray,
    split_branch: np.ndarray,
    children: np.ndarray,
) -> None:
    """Add the bins up that go to each branch; cases that go to all branches are left out."""
    start, missing_bin = columns[BIN, feature], columns[BIN, feature + 1] - 1
    for branch in range(found_ints[feature, N_BRANCHES]):
        for label in range(histogram.shape[1]):
            children[node, branch, label] = 0.0
    for place in range(start, missing_bin + 1):
        if place == missing_bin:
            side = found_ints[feature, MISSING_BRANCH]
        elif columns[N_CATEGORIES, feature] > 0:
            side = int(split_branch[node, place - start])
        else:
            side = 0 if place - start < found_ints[feature, CUT] else 1
        if side < 0:
            split_floats[node, SPLIT_UNKNOWN] += weight_of(histogram, place)
            continue
        for label in range(histogram.shape[1]):
            children[node, side, label] += histogram[place, label]


@kernel
def enter_split(
    node: int,
    feature: int,
    columns: np.ndarray,
    histogram: np.ndarray,
    lowest: np.ndarray,
    highest: np.ndarray,
    found_floats: np.ndarray,
    found_ints: np.ndarray,
    branch_of: np.ndarray,
    split_ints: np.ndarray,
    split_floats: np.ndarray,
    split_branch: np.ndarray,
    children: np.ndarray,
) -> None:
    """Write down the split of a node, and count its children."""
    split_ints[node, SPLIT_FEATURE] = feature
    if feature < 0:
        return
    start, n_bins = columns[BIN, feature], columns[BIN, feature + 1] - columns[BIN, feature] - 1
    split_ints[node, SPLIT_BRANCHES] = found_ints[feature, N_BRANCHES]
    split_ints[node, SPLIT_CUT] = found_ints[feature, CUT]
    split_ints[node, SPLIT_MISSING] = found_ints[feature, MISSING_BRANCH]
    split_floats[node, SPLIT_GAIN] = found_floats[feature, GAIN]
    split_floats[node, SPLIT_UNKNOWN] = 0.0
    split_floats[node, SPLIT_THRESHOLD] = np.nan
    if columns[N_CATEGORIES, feature] == 0:
        cut = found_ints[feature, CUT]
        split_floats[node, SPLIT_THRESHOLD] = threshold_between(
            feature, cut, start, n_bins, histogram, lowest, highest
        )
    for code in range(columns[N_CATEGORIES, feature]):
        split_branch[node, code] = branch_of[columns[OFFSET, feature] + code]
    count_children(
        node, feature, columns, histogram, found_ints, split_floats, split_branch, children
    )


@typed_kernel(SEARCH_SIGNATURE)
def search_tables(
    begin: int,
    end: int,
    tables: np.ndarray,
    slots: np.ndarray,
    columns: np.ndarray,
    lowest: np.ndarray,
    highest: np.ndarray,
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
    split_ints: np.ndarray,
    split_floats: np.ndarray,
    split_branch: np.ndarray,
    children: np.ndarray,
) -> None:
    """Enter the best splits of nodes ``begin:end``, whose tables are in ``slots``."""
    for node in range(begin, end):
        histogram = tables[slots[node]]
        for feature in range(found_ints.shape[0]):
            found_ints[feature, N_BRANCHES] = 0
            n = load_bins(feature, columns, histogram, lefts, places, bins, vectors)
            if limits[C45_MINIMUM] and columns[N_CATEGORIES, feature] == 0:
                n = merge_close_bins(feature, n, lowest, highest, lefts, places, bins)
            enter_bins(
                feature, n, columns, limits, class_weight, table, block, scan, categories, lefts,
                edges, corners, finest, scores, bounds, places, vectors, found_floats, found_ints,
                branch_of, bin_lefts, bins,
            )  # fmt: skip
        feature = choose(columns, found_floats, found_ints, limits)
        enter_split(
            node, feature, columns, histogram, lowest, highest, found_floats, found_ints,
            branch_of, split_ints, split_floats, split_branch, children,
        )  # fmt: skip
