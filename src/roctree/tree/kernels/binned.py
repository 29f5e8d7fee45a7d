"""Find the best splits of a node with many cases from counts of bins, and still exactly.

One pass over the node's coded rows counts the classes of every bin of every attribute. Cuts
between bins are scored first. A bin is looked into, case by case, only where a bound on the scores
of the cuts inside it reaches the best score so far.
"""

from typing import Any

import numpy as np

from roctree._jit import BLOCK_FUNCTION, TABLE_FUNCTION, borrow, kernel, typed_kernel, types
from roctree.tree.kernels.choice import EPSILON, binary_info, mean_gain
from roctree.tree.kernels.layout import (
    BIN,
    BRANCHES,
    CATEGORIES_FUNCTION,
    CODES_2D,
    CORRECTION,
    CUT,
    CUT_VALUE,
    EXACT,
    FLOATS,
    FLOATS_2D,
    GAIN,
    HIGHEST,
    INFO,
    INT,
    INTS,
    INTS_2D,
    KNOWN,
    MIN_LEAF,
    MISSING,
    MISSING_BRANCH,
    N_BRANCHES,
    N_CATEGORIES,
    NO_BRANCH,
    NO_CORRECTION,
    PLACES_2D,
    REFINE_FUNCTION,
    REFINE_SIGNATURE,
    ROW_LABEL,
    RUNNING,
    SCAN_FUNCTION,
    SCORE,
    SHIFT,
    TOTAL,
    VALUES,
)
from roctree.tree.kernels.numeric import (
    enter_cut,
    improvement,
    join_missing,
    shift_lefts,
    weight_of,
)
from roctree.tree.kernels.ordering import PLACE_BITS, PLACE_MASK, sort_keys, sort_ties, value_of
from roctree.tree.kernels.scan import ABSOLUTE_SLACK, CHUNK, RELATIVE_SLACK, bound_stretches

# evaluate(first, last, begin, end, ...): enter the best splits of attributes first..last-1
BINNED_SIGNATURE = types.void(
    INT, INT, INT, INT, VALUES, INTS_2D, CODES_2D, PLACES_2D, FLOATS,
    FLOATS, FLOATS, TABLE_FUNCTION, BLOCK_FUNCTION, SCAN_FUNCTION,
    CATEGORIES_FUNCTION, REFINE_FUNCTION,
    FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS, FLOATS, INTS, FLOATS_2D,
    FLOATS_2D, INTS_2D, BRANCHES, FLOATS_2D, FLOATS_2D, INTS_2D, INTS_2D,
)  # fmt: skip
BINNED_FUNCTION = types.FunctionType(BINNED_SIGNATURE)

# keys[row, ...]: KEYS and BUFFER_KEYS are as long as the node, STARTS as the digits of the sort.
KEYS, BUFFER_KEYS, STARTS = range(3)
# The steps of the search where ratios are compared.
BOUND, CONTEND, ALL = range(3)
# bins[row, ...]: the bins of one attribute that hold cases, and which of them to look into.
FILLED, LOOK = range(2)


@kernel
def count_bins(
    first: int,
    last: int,
    begin: int,
    end: int,
    columns: np.ndarray,
    codes: np.ndarray,
    row_ints: np.ndarray,
    weights: np.ndarray,
    histogram: np.ndarray,
) -> None:
    """Add up the classes of every bin of attributes ``first`` to ``last - 1``."""
    for row in range(columns[BIN, first], columns[BIN, last]):
        for label in range(histogram.shape[1]):
            histogram[row, label] = 0.0
    for i in range(begin, end):
        label, weight = row_ints[ROW_LABEL, i], weights[i]
        for feature in range(first, last):
            place = columns[BIN, feature] + (codes[i, feature] >> columns[SHIFT, feature])
            histogram[place, label] += weight


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
) -> float:
    """Mark the bins in which some cut may gain ``least``; returns what no cut there exceeds."""
    total = vectors[TOTAL]
    highest = -np.inf
    for j in range(n):
        bins[LOOK, j] = 0
    n_edges = (n + CHUNK - 1) // CHUNK + 1
    for j in range(n_edges):
        for label in range(total.size):
            edges[j, label] = lefts[min(j * CHUNK, n), label]
    bound_stretches(edges, n_edges, total, class_weight, table, block, corners, finest, scores)
    for j in range(n_edges - 1):
        # All bins of a stretch without a promising bound are passed over at once.
        if improvement(scores[j], limits, class_weight, table, vectors) < least:
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
            gain = improvement(bounds[i], limits, class_weight, table, vectors)
            if gain >= least:
                bins[LOOK, first + i] = 1
                highest = max(highest, gain)
    return highest


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
) -> float:
    """Look into the bins of an attribute where some cut may gain ``least``.

    Where missing cases join a branch, once with them on the right and once on the left. Returns
    what no cut gains more than; if ``looks`` is false, that is all it does.
    """
    highest = least
    for side in range(1, -1, -1):
        n = load_bins(feature, columns, histogram, lefts, places, bins, vectors)
        joins = join_missing(limits, vectors)
        if side == 0:
            if not joins:
                return highest
            shift_lefts(lefts, n + 1, vectors, 1.0)
        bound = mark_bins(
            n, least, limits, class_weight, table, block, lefts, edges, corners, finest, scores,
            bounds, vectors, bins,
        )  # fmt: skip
        highest = max(highest, bound)
        if not looks or bound == -np.inf:
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
    return highest


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
        if last - first == found_ints.shape[0]:
            mean = mean_gain(GAIN, columns, found_floats, found_ints) - EPSILON
        if step == ALL and not mean_is_open(columns, found_floats, found_ints):
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
