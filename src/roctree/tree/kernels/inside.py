"""Look inside bins: score the cuts between the cases of the bins that a bound lets pass."""

from typing import Any

import numpy as np

from roctree._jit import kernel, typed_kernel
from roctree.tree.kernels.bins import load_bins, mark_bins
from roctree.tree.kernels.choice import binary_info
from roctree.tree.kernels.layout import (
    BIN,
    BUFFER_KEYS,
    CUT,
    CUT_VALUE,
    FILLED,
    GAIN,
    HIGHEST,
    HIGHEST_RATIO,
    INFO,
    KEYS,
    KNOWN,
    LOOK,
    MIN_LEAF,
    MISSING,
    MISSING_BRANCH,
    N_BRANCHES,
    NO_BRANCH,
    REFINE_SIGNATURE,
    ROW_LABEL,
    RUNNING,
    SCORE,
    SHIFT,
    STARTS,
    TOTAL,
)
from roctree.tree.kernels.numeric import (
    improvement,
    join_missing,
    shift_lefts,
    weight_of,
)
from roctree.tree.kernels.ordering import PLACE_BITS, PLACE_MASK, sort_keys, sort_ties, value_of


@kernel
def gather(
    feature: int,
    n: int,
    begin: int,
    end: int,
    values: np.ndarray,
    columns: np.ndarray,
    codes: np.ndarray,
    row_ints: np.ndarray,
    bins: np.ndarray,
    keys: np.ndarray,
) -> int:
    """Sort the cases of the marked bins by value into ``keys``; returns how many there are."""
    shift = columns[SHIFT, feature]
    # Bins that are not filled may still hold cases, whose shares of a case are rounded to zero.
    for place in range(columns[BIN, feature + 1] - columns[BIN, feature]):
        keys[STARTS, place] = 0
    for j in range(n):
        keys[STARTS, bins[FILLED, j]] = bins[LOOK, j]
    n_keys = 0
    for i in range(begin, end):
        code = int(codes[i, feature])
        keys[KEYS, n_keys] = (code << PLACE_BITS) | (i - begin)
        n_keys += keys[STARTS, code >> shift]
    sort_keys(keys[KEYS], n_keys, keys[BUFFER_KEYS], keys[STARTS])
    sort_ties(keys[KEYS], n_keys, begin, values, feature, row_ints)
    return n_keys


@kernel
def is_better(
    score: float,
    side: int,
    code: int,
    feature: int,
    found_floats: np.ndarray,
    found_ints: np.ndarray,
) -> bool:
    """Whether a cut beats the one found: by score, else missing on the right, else further left.

    That is the order of a search without bins. Scores are compared rather than gains, in whose
    rounding scores may become equal.
    """
    if found_ints[feature, N_BRANCHES] == 0:
        return True
    if score != found_floats[feature, SCORE]:
        return score > found_floats[feature, SCORE]
    if side != found_ints[feature, MISSING_BRANCH]:
        return side > found_ints[feature, MISSING_BRANCH]
    return code < found_ints[feature, CUT]


@kernel
def enter_inner(
    feature: int,
    m: int,
    side: int,
    begin: int,
    values: np.ndarray,
    row_ints: np.ndarray,
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
    keys: np.ndarray,
) -> None:
    """Enter the best of ``m`` cuts inside bins if it is better than the one found."""
    cut, score, _ = scan(
        lefts, 0, m, vectors[TOTAL], limits[MIN_LEAF], limits, class_weight, table, block,
        edges, corners, finest, scores, bounds,
    )  # fmt: skip
    if cut < 0:
        return
    key = keys[KEYS, places[cut]]
    if not is_better(score, side, key >> PLACE_BITS, feature, found_floats, found_ints):
        return
    gain = improvement(score, limits, class_weight, table, vectors)
    known = weight_of(vectors, TOTAL)
    node = weight_of(vectors, KNOWN) + weight_of(vectors, MISSING)
    found_floats[feature, GAIN], found_floats[feature, SCORE] = gain, score
    found_floats[feature, INFO] = binary_info(weight_of(lefts, cut), known, node, limits)
    found_floats[feature, CUT_VALUE] = value_of(key, begin, values, feature, row_ints)
    found_ints[feature, N_BRANCHES] = 2
    found_ints[feature, CUT] = key >> PLACE_BITS
    found_ints[feature, MISSING_BRANCH] = side


@kernel
def look_inside(
    feature: int,
    n_keys: int,
    side: int,
    begin: int,
    values: np.ndarray,
    columns: np.ndarray,
    row_ints: np.ndarray,
    weights: np.ndarray,
    limits: np.ndarray,
    class_weight: np.ndarray,
    table: Any,
    block: Any,
    scan: Any,
    bin_lefts: np.ndarray,
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
    keys: np.ndarray,
) -> None:
    """Score the cuts inside the marked bins, whose cases are the first ``n_keys`` keys.

    ``bin_lefts[b]`` holds the counts before bin b.
    """
    m, current_bin, before = 0, -1, 0.0
    for i in range(n_keys):
        key = keys[KEYS, i]
        value = value_of(key, begin, values, feature, row_ints)
        if key >> (PLACE_BITS + columns[SHIFT, feature]) != current_bin:
            current_bin = key >> (PLACE_BITS + columns[SHIFT, feature])
            for label in range(class_weight.size):
                vectors[RUNNING, label] = bin_lefts[current_bin, label]
        elif value != before:
            places[m] = i
            for label in range(class_weight.size):
                lefts[m, label] = vectors[RUNNING, label]
            m += 1
        before = value
        place = begin + (key & PLACE_MASK)
        vectors[RUNNING, row_ints[ROW_LABEL, place]] += weights[place]
        if m == scores.size // 2 or i == n_keys - 1:
            enter_inner(
                feature, m, side, begin, values, row_ints, limits, class_weight, table, block,
                scan, lefts, edges, corners, finest, scores, bounds, places, vectors,
                found_floats, found_ints, keys,
            )  # fmt: skip
            m = 0


@typed_kernel(REFINE_SIGNATURE, python=False)
def refine(
    feature: int,
    least: float,
    looks: bool,
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
    """Look into the bins of an attribute where some cut may gain ``least``.

    Where missing cases join a branch, once with them on the right and once on the left. If
    ``looks`` is false, enter only what no cut in these bins exceeds.
    """
    found_floats[feature, HIGHEST] = found_floats[feature, HIGHEST_RATIO] = -np.inf
    for side in range(1, -1, -1):
        n = load_bins(feature, columns, histogram, lefts, places, bins, vectors)
        joins = join_missing(limits, vectors)
        if side == 0:
            if not joins:
                return
            shift_lefts(lefts, n + 1, vectors, 1.0)
        gain, ratio = mark_bins(
            n, least, limits, class_weight, table, block, lefts, edges, corners, finest, scores,
            bounds, vectors, bins,
        )  # fmt: skip
        found_floats[feature, HIGHEST] = max(found_floats[feature, HIGHEST], gain)
        found_floats[feature, HIGHEST_RATIO] = max(found_floats[feature, HIGHEST_RATIO], ratio)
        if not looks or gain == -np.inf:
            continue
        for j in range(n):
            for label in range(class_weight.size):
                bin_lefts[bins[FILLED, j], label] = lefts[j, label]
        n_keys = gather(feature, n, begin, end, values, columns, codes, row_ints, bins, keys)
        look_inside(
            feature, n_keys, side if joins else NO_BRANCH, begin, values, columns, row_ints,
            weights, limits, class_weight, table, block, scan, bin_lefts, lefts, edges, corners,
            finest, scores, bounds, places, vectors, found_floats, found_ints, keys,
        )  # fmt: skip
