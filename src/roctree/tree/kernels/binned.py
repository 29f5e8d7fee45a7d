"""Find the best splits of a node with many cases from counts of bins, and still exactly.

The classes of every bin of every attribute are counted beforehand. Cuts between bins are scored
first. A bin is looked into, case by case, only where a bound on the scores of the cuts inside it
reaches the best score so far.
"""

from typing import Any

import numpy as np

from roctree._jit import (
    BLOCK_FUNCTION,
    TABLE_FUNCTION,
    borrow,
    inlined,
    kernel,
    typed_kernel,
    types,
)
from roctree.tree.kernels.bins import enter_bins, load_bins
from roctree.tree.kernels.choice import EPSILON, mean_gain, worth
from roctree.tree.kernels.layout import (
    BRANCHES,
    CATEGORIES_FUNCTION,
    CODES_2D,
    CORRECTION,
    COUNTABLE,
    CUT_VALUE,
    EXACT,
    FLOATS,
    FLOATS_2D,
    GAIN,
    GUARD,
    HIGHEST,
    HIGHEST_RATIO,
    INT,
    INTS,
    INTS_2D,
    LOG2,
    N_BRANCHES,
    N_CATEGORIES,
    NO_CORRECTION,
    PLACES_2D,
    REFINE_FUNCTION,
    SCAN_FUNCTION,
    VALUES,
)
from roctree.tree.kernels.scan import ABSOLUTE_SLACK, RELATIVE_SLACK

# evaluate(begin, end, ...): enter the splits of attributes; that of the best is exact
BINNED_SIGNATURE = types.void(
    INT, INT, VALUES, INTS_2D, CODES_2D, PLACES_2D, FLOATS,
    FLOATS, FLOATS, TABLE_FUNCTION, BLOCK_FUNCTION, SCAN_FUNCTION,
    CATEGORIES_FUNCTION, REFINE_FUNCTION,
    FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS, FLOATS, INTS, FLOATS_2D,
    FLOATS_2D, INTS_2D, BRANCHES, FLOATS_2D, FLOATS_2D, INTS_2D, INTS_2D,
)  # fmt: skip
BINNED_FUNCTION = types.FunctionType(BINNED_SIGNATURE)


@kernel
def is_open(
    feature: int, columns: np.ndarray, found_floats: np.ndarray, found_ints: np.ndarray
) -> bool:
    """Whether the mean over the gains of all attributes may move when this one is searched."""
    unknown = found_floats[feature, HIGHEST] > found_floats[feature, GAIN]
    return bool(columns[COUNTABLE, feature] and found_ints[feature, N_BRANCHES] > 0 and unknown)


@kernel
def next_to_search(
    columns: np.ndarray, found_floats: np.ndarray, found_ints: np.ndarray, limits: np.ndarray
) -> int:
    """The attribute whose bins to look into next; -1 once it is known which one is the best.

    The attribute with the highest ratio, or with the highest bound on it. Once that is searched
    it is the best, unless the mean may still rise above its gain: then whichever attribute may
    move the mean most.
    """
    low = high = -np.inf
    if limits[GUARD]:
        low = mean_gain(GAIN, columns, found_floats, found_ints) - EPSILON
        high = mean_gain(HIGHEST, columns, found_floats, found_ints) - EPSILON
    best, best_ratio = -1, -np.inf
    for feature in range(found_ints.shape[0]):
        ratio = found_floats[feature, HIGHEST_RATIO]
        if ratio > best_ratio and found_floats[feature, HIGHEST] >= low:
            best, best_ratio = feature, ratio
    if best < 0 or found_floats[best, HIGHEST] > found_floats[best, GAIN]:
        return best
    if found_floats[best, GAIN] >= high:
        return -1
    widest, width = -1, 0.0
    for feature in range(found_ints.shape[0]):
        if is_open(feature, columns, found_floats, found_ints):
            gap = found_floats[feature, HIGHEST] - found_floats[feature, GAIN]
            widest, width = (feature, gap) if gap > width else (widest, width)
    return widest


@inlined
def slack(value: float) -> float:
    """By how much the rounding of a value or of a bound on it may mislead."""
    return RELATIVE_SLACK * abs(value) + ABSOLUTE_SLACK


@kernel
def enter_bounds(
    feature: int,
    searched: bool,
    found_floats: np.ndarray,
    found_ints: np.ndarray,
    limits: np.ndarray,
) -> None:
    """Complete the bounds on the gain and ratio of an attribute by the split found."""
    own = found_floats[feature, GAIN] if found_ints[feature, N_BRANCHES] > 0 else -np.inf
    ratio = worth(feature, found_floats, found_ints, limits)
    if searched or found_floats[feature, HIGHEST] == -np.inf:
        found_floats[feature, GAIN] = found_floats[feature, HIGHEST] = own
        found_floats[feature, HIGHEST_RATIO] = ratio
        return
    highest = max(own, found_floats[feature, HIGHEST])
    ratio = max(ratio, found_floats[feature, HIGHEST_RATIO])
    found_floats[feature, HIGHEST] = highest + slack(highest)
    found_floats[feature, HIGHEST_RATIO] = ratio + slack(ratio)


@kernel
def refine_ratios(
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
    """Look into bins where ratios are compared, perhaps behind a mean over all attributes.

    The ratio of an attribute is that of its cut with the highest gain, which wants a search of its
    own. First the gain and the ratio of every attribute are bounded; then one after the other is
    searched, until no bound reaches the best.
    """
    n_bounded, n_features = 0, found_ints.shape[0]
    while True:
        feature = n_bounded
        if n_bounded == n_features:
            feature = next_to_search(columns, found_floats, found_ints, limits)
            if feature < 0:
                return
        own = found_floats[feature, GAIN] if found_ints[feature, N_BRANCHES] > 0 else -np.inf
        # Whether there is a split at all decides how many the mean is taken over.
        looks = n_bounded == n_features or own <= -EPSILON
        n_bounded = min(n_bounded + 1, n_features)
        if not columns[EXACT, feature]:
            least = own - slack(own) if own > -EPSILON else -np.inf
            refine(
                feature, least, looks, begin, end, values, columns, codes, row_ints, weights,
                limits, class_weight, table, block, scan, lefts, edges, corners, finest, scores,
                bounds, places, vectors, found_floats, found_ints, histogram, bin_lefts, bins,
                keys,
            )  # fmt: skip
        searched = looks or columns[EXACT, feature] > 0
        enter_bounds(feature, searched, found_floats, found_ints, limits)


@typed_kernel(BINNED_SIGNATURE, python=False)
def evaluate_binned(
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
    """Enter splits of all attributes at rows ``begin:end``, which are counted in ``histogram``.

    An attribute that cannot be chosen may be left with the best of its cuts between bins.
    """
    columns, codes, row_ints = borrow(columns), borrow(codes), borrow(row_ints)
    weights, limits, class_weight = borrow(weights), borrow(limits), borrow(class_weight)
    lefts, edges, corners = borrow(lefts), borrow(edges), borrow(corners)
    finest, scores, bounds = borrow(finest), borrow(scores), borrow(bounds)
    places, vectors, branch_of = borrow(places), borrow(vectors), borrow(branch_of)
    values, found_floats, found_ints = borrow(values), borrow(found_floats), borrow(found_ints)
    histogram, bin_lefts = borrow(histogram), borrow(bin_lefts)
    bins, keys = borrow(bins), borrow(keys)
    best = -np.inf
    for feature in range(found_ints.shape[0]):
        found_ints[feature, N_BRANCHES] = 0
        n = load_bins(feature, columns, histogram, lefts, places, bins, vectors)
        enter_bins(
            feature, n, columns, limits, class_weight, table, block, scan, categories, lefts,
            edges, corners, finest, scores, bounds, places, vectors, found_floats, found_ints,
            branch_of, bin_lefts, bins,
        )  # fmt: skip
        if columns[N_CATEGORIES, feature] == 0:
            found_floats[feature, CUT_VALUE] = -np.inf
        best = max(best, worth(feature, found_floats, found_ints, limits))
    if limits[CORRECTION] == NO_CORRECTION or (limits[CORRECTION] == LOG2 and not limits[GUARD]):
        # What the gain of two branches is divided by is one, for all thresholds.
        for feature in range(found_ints.shape[0]):
            if columns[EXACT, feature]:
                continue
            least = best - slack(best) if best > -np.inf else best
            refine(
                feature, least, True, begin, end, values, columns, codes, row_ints, weights,
                limits, class_weight, table, block, scan, lefts, edges, corners, finest, scores,
                bounds, places, vectors, found_floats, found_ints, histogram, bin_lefts, bins,
                keys,
            )  # fmt: skip
            best = max(best, worth(feature, found_floats, found_ints, limits))
        return
    refine_ratios(
        begin, end, values, columns, codes, row_ints, weights, limits, class_weight,
        table, block, scan, refine, lefts, edges, corners, finest, scores, bounds, places, vectors,
        found_floats, found_ints, histogram, bin_lefts, bins, keys,
    )  # fmt: skip
