"""The doors to the search for nominal splits: from sorted cases, and from counts of bins."""

from typing import Any

import numpy as np

from roctree._jit import typed_kernel
from roctree.tree.kernels.layout import (
    CATEGORIES_SIGNATURE,
    EVALUATE_SIGNATURE,
)
from roctree.tree.kernels.nominal import divide_categories
from roctree.tree.kernels.numeric import count_values


@typed_kernel(EVALUATE_SIGNATURE, python=False)
def best_sets(
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
    """Enter the best division of the categories of ``feature`` at the node ``begin:end``."""
    n = count_values(feature, begin, end, order, rank, cases, weights, lefts, places, vectors)
    counts = np.empty((n + 1, class_weight.size))
    codes = np.empty(n + 1, np.int64)
    for i in range(n):
        codes[i] = rank[feature, order[feature, places[i]]]
        for label in range(class_weight.size):
            counts[i, label] = lefts[i + 1, label] - lefts[i, label]
    divide_categories(
        feature, counts, codes, n, columns, limits, class_weight, table, block, scan, lefts,
        edges, corners, finest, scores, bounds, vectors, found_floats, found_ints, branch_of,
    )  # fmt: skip


@typed_kernel(CATEGORIES_SIGNATURE, python=False)
def enter_categories(
    feature: int,
    counts: np.ndarray,
    codes: np.ndarray,
    n: int,
    columns: np.ndarray,
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
    vectors: np.ndarray,
    found_floats: np.ndarray,
    found_ints: np.ndarray,
    branch_of: np.ndarray,
) -> None:
    """Enter the best division of categories that were counted elsewhere."""
    divide_categories(
        feature, counts, codes, n, columns, limits, class_weight, table, block, scan, lefts,
        edges, corners, finest, scores, bounds, vectors, found_floats, found_ints, branch_of,
    )  # fmt: skip


@typed_kernel(CATEGORIES_SIGNATURE, python=False)
def no_categories(
    feature: int,
    counts: np.ndarray,
    codes: np.ndarray,
    n: int,
    columns: np.ndarray,
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
    vectors: np.ndarray,
    found_floats: np.ndarray,
    found_ints: np.ndarray,
    branch_of: np.ndarray,
) -> None:
    """Stand in where no attribute is nominal."""
