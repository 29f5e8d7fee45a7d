"""Find the best splits of a node with many cases from counts of bins, and still exactly.

One pass over the node's coded rows counts the classes of every bin of every attribute. Cuts
between bins are scored first. A bin is looked into, case by case, only where a bound on the scores
of the cuts inside it reaches the best score so far.
"""

from typing import Any

import numpy as np

from roctree._jit import BLOCK_FUNCTION, TABLE_FUNCTION, borrow, kernel, typed_kernel, types
from roctree.tree.kernels.bins import count_bins, load_bins
from roctree.tree.kernels.choice import EPSILON, mean_gain
from roctree.tree.kernels.layout import (
    BRANCHES,
    CATEGORIES_FUNCTION,
    CODES_2D,
    CORRECTION,
    CUT_VALUE,
    EXACT,
    FILLED,
    FLOATS,
    FLOATS_2D,
    GAIN,
    GUARD,
    HIGHEST,
    INT,
    INTS,
    INTS_2D,
    N_BRANCHES,
    N_CATEGORIES,
    NO_CORRECTION,
    PLACES_2D,
    REFINE_FUNCTION,
    SCAN_FUNCTION,
    VALUES,
)
from roctree.tree.kernels.numeric import (
    enter_cut,
)
from roctree.tree.kernels.scan import ABSOLUTE_SLACK, RELATIVE_SLACK

# evaluate(first, last, begin, end, ...): enter the best splits of attributes first..last-1
BINNED_SIGNATURE = types.void(
    INT, INT, INT, INT, VALUES, INTS_2D, CODES_2D, PLACES_2D, FLOATS,
    FLOATS, FLOATS, TABLE_FUNCTION, BLOCK_FUNCTION, SCAN_FUNCTION,
    CATEGORIES_FUNCTION, REFINE_FUNCTION,
    FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS, FLOATS, INTS, FLOATS_2D,
    FLOATS_2D, INTS_2D, BRANCHES, FLOATS_2D, FLOATS_2D, INTS_2D, INTS_2D,
)  # fmt: skip
BINNED_FUNCTION = types.FunctionType(BINNED_SIGNATURE)
# The steps of the search where ratios are compared.
BOUND, CONTEND, ALL = range(3)


@kernel
def mean_is_open(columns: np.ndarray, found_floats: np.ndarray, found_ints: np.ndarray) -> bool:
    """Whether gains known only up to HIGHEST may move the mean over that of some attribute."""
    low = mean_gain(GAIN, columns, found_floats, found_ints) - EPSILON
    high = mean_gain(HIGHEST, columns, found_floats, found_ints) - EPSILON
    for feature in range(found_ints.shape[0]):
        if found_ints[feature, N_BRANCHES] > 0 and low <= found_floats[feature, GAIN] < high:
            return True
    return False


@kernel
def refine_ratios(
    first: int,
    last: int,
    begin: int,
    end: int,
    values: np.ndarray,
    columns: np.ndarray,
    codes: np.ndarray,
    row_ints: np.ndarray,
    weights: np.ndarray,
    limits: np.ndarray,
    class_weight: np.ndarray,
    table: Any,
    block: Any,
    scan: Any,
    refine: Any,
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
    histogram: np.ndarray,
    bin_lefts: np.ndarray,
    bins: np.ndarray,
    keys: np.ndarray,
) -> None:
    """Look into bins where ratios are compared, behind a mean over all attributes.

    Each attribute then wants its own best gain: at once those that may reach the mean, the others
    only where they may move it over one of these.
    """
    for step in (BOUND, CONTEND, ALL):
        mean = -np.inf
        if limits[GUARD] and last - first == found_ints.shape[0]:
            mean = mean_gain(GAIN, columns, found_floats, found_ints) - EPSILON
        if step == ALL and limits[GUARD] and not mean_is_open(columns, found_floats, found_ints):
            return
        for feature in range(first, last):
            own = found_floats[feature, GAIN] if found_ints[feature, N_BRANCHES] > 0 else -np.inf
            if columns[EXACT, feature]:
                found_floats[feature, HIGHEST] = own
                continue
            highest = found_floats[feature, HIGHEST]
            if (step == CONTEND and own > -np.inf and highest < mean) or (
                step == ALL and highest <= own
            ):
                continue
            least = own - RELATIVE_SLACK * abs(own) - ABSOLUTE_SLACK
            if own == -np.inf:
                least = own
            highest = refine(
                feature, least, step != BOUND, begin, end, values, columns, codes, row_ints,
                weights, limits, class_weight, table, block, scan, lefts, edges, corners, finest,
                scores, bounds, places, vectors, found_floats, found_ints, histogram, bin_lefts,
                bins, keys,
            )  # fmt: skip
            found_floats[feature, HIGHEST] = highest
            if step != BOUND:
                found_floats[feature, HIGHEST] = found_floats[feature, GAIN]


@typed_kernel(BINNED_SIGNATURE, python=False)
def evaluate_binned(
    first: int,
    last: int,
    begin: int,
    end: int,
    values: np.ndarray,
    columns: np.ndarray,
    codes: np.ndarray,
    row_ints: np.ndarray,
    weights: np.ndarray,
    limits: np.ndarray,
    class_weight: np.ndarray,
    table: Any,
    block: Any,
    scan: Any,
    categories: Any,
    refine: Any,
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
    histogram: np.ndarray,
    bin_lefts: np.ndarray,
    bins: np.ndarray,
    keys: np.ndarray,
) -> None:
    """Enter the best splits of attributes ``first`` to ``last - 1`` at rows ``begin:end``."""
    columns, codes, row_ints = borrow(columns), borrow(codes), borrow(row_ints)
    weights, limits, class_weight = borrow(weights), borrow(limits), borrow(class_weight)
    lefts, edges, corners = borrow(lefts), borrow(edges), borrow(corners)
    finest, scores, bounds = borrow(finest), borrow(scores), borrow(bounds)
    places, vectors, branch_of = borrow(places), borrow(vectors), borrow(branch_of)
    values, found_floats, found_ints = borrow(values), borrow(found_floats), borrow(found_ints)
    histogram, bin_lefts = borrow(histogram), borrow(bin_lefts)
    bins, keys = borrow(bins), borrow(keys)
    count_bins(first, last, begin, end, columns, codes, row_ints, weights, histogram)
    best = -np.inf
    for feature in range(first, last):
        found_ints[feature, N_BRANCHES] = 0
        n = load_bins(feature, columns, histogram, lefts, places, bins, vectors)
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
            found_floats[feature, CUT_VALUE] = -np.inf
        if found_ints[feature, N_BRANCHES] > 0:
            best = max(best, found_floats[feature, GAIN])
    if limits[CORRECTION] == NO_CORRECTION:
        for feature in range(first, last):
            if columns[EXACT, feature]:
                continue
            least = best - RELATIVE_SLACK * abs(best) - ABSOLUTE_SLACK
            refine(
                feature, least, True, begin, end, values, columns, codes, row_ints, weights,
                limits, class_weight, table, block, scan, lefts, edges, corners, finest, scores,
                bounds, places, vectors, found_floats, found_ints, histogram, bin_lefts, bins,
                keys,
            )  # fmt: skip
            if found_ints[feature, N_BRANCHES] > 0:
                best = max(best, found_floats[feature, GAIN])
        return

    refine_ratios(
        first, last, begin, end, values, columns, codes, row_ints, weights, limits, class_weight,
        table, block, scan, refine, lefts, edges, corners, finest, scores, bounds, places, vectors,
        found_floats, found_ints, histogram, bin_lefts, bins, keys,
    )  # fmt: skip
