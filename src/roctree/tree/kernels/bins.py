"""Find the best splits of a node with many cases from counts of bins, and still exactly.

The classes of every bin of every attribute are counted first. Cuts between bins are scored first. A
bin is searched case by case only if a bound on the scores of the cuts inside it reaches the best
score so far.
"""

from collections.abc import Callable
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from roctree._jit import Floats2D, Ints, function_type, inlined, kernel, typed_kernel
from roctree.tree.kernels.nominal import EnterCategories
from roctree.tree.kernels.numeric import (
    add_missing_to_lefts,
    enter_cut,
    improvement,
    join_missing,
    sum_of,
    weight_of,
)
from roctree.tree.kernels.records import (
    LOG2,
    NO_BRANCH,
    NO_CORRECTION,
    Bins,
    BinWork,
    Candidates,
    Features,
    Found,
    Node,
    Rows,
    Rules,
    Work,
)
from roctree.tree.kernels.rows import (
    PLACE_BITS,
    PLACE_MASK,
    BinnedData,
    sort_keys,
    sort_ties,
    value_of,
)
from roctree.tree.kernels.scan import (
    ABSOLUTE_SLACK,
    CHUNK,
    EPSILON,
    RELATIVE_SLACK,
    Search,
    binary_info,
    bound_stretches,
    mean_gain,
    worth,
)


@kernel
def count_bins(begin: int, end: int, bins: Bins, rows: Rows, histogram: Floats2D) -> None:
    """Count the classes of every bin of every attribute."""
    codes, start, shift = rows.codes, bins.start, bins.shift
    for place in range(histogram.shape[0]):
        for label in range(histogram.shape[1]):
            histogram[place, label] = 0.0
    for i in range(begin, end):
        label, weight = rows.label[i], rows.weight[i]
        for feature in range(codes.shape[1]):
            place = start[feature] + (codes[i, feature] >> shift[feature])
            histogram[place, label] += weight


@kernel
def subtract_bins(histogram: Floats2D, other: Floats2D) -> None:
    """Subtract the counts of some cases; sums are exact, and so are differences."""
    for place in range(histogram.shape[0]):
        for label in range(histogram.shape[1]):
            histogram[place, label] -= other[place, label]


@kernel
def load_bins(
    feature: int, bins: Bins, histogram: Floats2D, candidates: Candidates, bin_work: BinWork
) -> int:
    """Cumulate the filled bins of an attribute into ``lefts``; return how many there are."""
    start, missing_bin = bins.start[feature], bins.start[feature + 1] - 1
    lefts, places, shift = candidates.lefts, candidates.places, bins.shift[feature]
    n_classes = candidates.total.size
    n = 0
    for label in range(n_classes):
        lefts[0, label] = 0.0
        candidates.missing[label] = histogram[missing_bin, label]
    for place in range(start, missing_bin):
        if weight_of(histogram, place) <= 0.0:
            continue
        bin_work.filled[n] = place - start
        places[n] = (place - start) << shift
        n += 1
        for label in range(n_classes):
            lefts[n, label] = lefts[n - 1, label] + histogram[place, label]
    places[n] = (missing_bin - start) << shift
    for label in range(n_classes):
        candidates.known[label] = lefts[n, label]
    return n


@kernel
def enter_bins(
    feature: int,
    n: int,
    features: Features,
    search: Search,
    enter_categories: EnterCategories,
    work: Work,
    bin_work: BinWork,
) -> None:
    """Enter the best split between the ``n`` filled bins of an attribute, which are loaded."""
    if features.n_categories[feature] == 0:
        enter_cut(feature, n, search, work.candidates, work.found)
        return
    lefts, counts = work.candidates.lefts, work.categories.counts
    for i in range(n):
        work.categories.codes[i] = bin_work.filled[i]
        for label in range(counts.shape[1]):
            counts[i, label] = lefts[i + 1, label] - lefts[i, label]
    enter_categories(feature, n, features, search, work)


@kernel
def least_info(low: float, high: float, rules: Rules, candidates: Candidates) -> float:
    """Return the least divisor of a gain if ``low`` to ``high`` of the weight are on the left.

    The information of a split is concave, hence least at one of the ends.
    """
    known = sum_of(candidates.total)
    node = sum_of(candidates.known) + sum_of(candidates.missing)
    info = np.inf
    for left in (max(low, rules.min_leaf), min(high, known - rules.min_leaf)):
        info = min(info, binary_info(left, known, node, rules.correction))
    return max(info, EPSILON)


@kernel
def mark_bins(
    n: int, least: float, search: Search, candidates: Candidates, bin_work: BinWork
) -> tuple[float, float]:
    """Mark the bins where some cut may gain ``least``; return bounds on gain and ratio."""
    rules, scoring, lefts, edges = search.rules, search.scoring, candidates.lefts, candidates.edges
    n_classes, scores, bounds = candidates.total.size, candidates.scores, candidates.bounds
    highest = highest_ratio = -np.inf
    # Gains are linear in the score. These are bounds, used with some slack: rounding is harmless.
    nothing = improvement(0.0, rules, scoring.table, candidates)
    share = 1.0
    if not rules.join_missing:
        known = sum_of(candidates.known)
        share = known / (known + sum_of(candidates.missing))
    for j in range(n):
        bin_work.look[j] = 0
    n_edges = (n + CHUNK - 1) // CHUNK + 1
    for j in range(n_edges):
        for label in range(n_classes):
            edges[j, label] = lefts[min(j * CHUNK, n), label]
    bound_stretches(n_edges, candidates, rules.class_weight, scoring, scores)
    for j in range(n_edges - 1):
        # All bins of a stretch with a low bound are skipped at once.
        if scores[j] * share + nothing < least:
            continue
        first, last = j * CHUNK, min((j + 1) * CHUNK, n)
        for i in range(first, last + 1):
            for label in range(n_classes):
                edges[i - first, label] = lefts[i, label]
        n_bins = last - first
        bound_stretches(n_bins + 1, candidates, rules.class_weight, scoring, bounds)
        for i in range(n_bins):
            gain = bounds[i] * share + nothing
            if gain >= least:
                low, high = weight_of(lefts, first + i), weight_of(lefts, first + i + 1)
                bin_work.look[first + i] = 1
                highest = max(highest, gain)
                info = least_info(low, high, rules, candidates)
                highest_ratio = max(highest_ratio, gain / info)
    return highest, highest_ratio


@kernel
def gather(feature: int, n: int, node: Node, data: BinnedData, bin_work: BinWork) -> int:
    """Sort the cases of the marked bins by value into ``keys``; return how many there are."""
    bins, codes, keys, starts = data.bins, data.rows.codes, bin_work.keys, bin_work.starts
    begin, shift = node.begin, bins.shift[feature]
    # Bins that are not filled may still hold cases whose shares were rounded to zero.
    for place in range(bins.start[feature + 1] - bins.start[feature]):
        starts[place] = 0
    for j in range(n):
        starts[bin_work.filled[j]] = bin_work.look[j]
    n_keys = 0
    for i in range(begin, node.end):
        code = int(codes[i, feature])
        keys[n_keys] = (code << PLACE_BITS) | (i - begin)
        n_keys += starts[code >> shift]
    sort_keys(n_keys, bin_work)
    sort_ties(n_keys, begin, feature, data.features, data.rows.row, keys)
    return n_keys


@kernel
def is_better(score: float, side: int, code: int, feature: int, found: Found) -> bool:
    """Whether a cut beats the one found: by score, else missing on the right, else further left.

    That is the order of a search without bins. Scores are compared rather than gains, because
    scores may become equal when gains are rounded.
    """
    if found.n_branches[feature] == 0:
        return True
    if score != found.score[feature]:
        return score > found.score[feature]
    if side != found.missing_branch[feature]:
        return side > found.missing_branch[feature]
    return code < found.cut[feature]


@kernel
def enter_inner(
    feature: int,
    m: int,
    side: int,
    begin: int,
    data: BinnedData,
    search: Search,
    work: Work,
    keys: Ints,
) -> None:
    """Enter the best of ``m`` cuts inside bins if it is better than the one found."""
    rules, candidates, found = search.rules, work.candidates, work.found
    cut, score, _ = search.scan(0, m, rules.min_leaf, candidates, rules, search.scoring)
    if cut < 0:
        return
    key = keys[candidates.places[cut]]
    if not is_better(score, side, key >> PLACE_BITS, feature, found):
        return
    known = sum_of(candidates.total)
    node = sum_of(candidates.known) + sum_of(candidates.missing)
    left = weight_of(candidates.lefts, cut)
    found.gain[feature] = improvement(score, rules, search.scoring.table, candidates)
    found.score[feature] = score
    found.info[feature] = binary_info(left, known, node, rules.correction)
    found.cut_value[feature] = value_of(key, begin, feature, data.features, data.rows.row)
    found.n_branches[feature] = 2
    found.cut[feature] = key >> PLACE_BITS
    found.missing_branch[feature] = side


@kernel
def search_inside(
    feature: int,
    n_keys: int,
    side: int,
    begin: int,
    data: BinnedData,
    search: Search,
    work: Work,
    bin_work: BinWork,
) -> None:
    """Score the cuts inside the marked bins, whose cases are the first ``n_keys`` keys.

    ``bin_work.lefts[b]`` holds the counts before bin b.
    """
    features, rows, keys, candidates = data.features, data.rows, bin_work.keys, work.candidates
    lefts, places, running = candidates.lefts, candidates.places, candidates.running
    bin_bits = PLACE_BITS + data.bins.shift[feature]
    m, current_bin, before = 0, -1, 0.0
    for i in range(n_keys):
        key = keys[i]
        value = value_of(key, begin, feature, features, rows.row)
        if key >> bin_bits != current_bin:
            current_bin = key >> bin_bits
            for label in range(running.size):
                running[label] = bin_work.lefts[current_bin, label]
        elif value != before:
            places[m] = i
            for label in range(running.size):
                lefts[m, label] = running[label]
            m += 1
        before = value
        place = begin + (key & PLACE_MASK)
        running[rows.label[place]] += rows.weight[place]
        if m == candidates.scores.size // 2 or i == n_keys - 1:
            enter_inner(feature, m, side, begin, data, search, work, keys)
            m = 0


class BinMemory(NamedTuple):
    """The histogram of a node, and the working memory of its search."""

    histogram: Floats2D
    work: Work
    bin_work: BinWork


@typed_kernel(python=False)
def refine(
    feature: int,
    least: float,
    looks: bool,
    node: Node,
    data: BinnedData,
    search: Search,
    memory: BinMemory,
) -> None:
    """Search the bins of an attribute where some cut may gain ``least``.

    If missing cases join a branch, once with them on the right and once on the left. If ``looks``
    is false, only the bounds on the cuts in these bins are entered.
    """
    work, bin_work = memory.work, memory.bin_work
    candidates, found = work.candidates, work.found
    found.highest[feature] = found.highest_ratio[feature] = -np.inf
    for side in range(1, -1, -1):
        n = load_bins(feature, data.bins, memory.histogram, candidates, bin_work)
        joins = join_missing(search.rules, candidates)
        if side == 0:
            if not joins:
                return
            add_missing_to_lefts(n + 1, candidates)
        gain, ratio = mark_bins(n, least, search, candidates, bin_work)
        found.highest[feature] = max(found.highest[feature], gain)
        found.highest_ratio[feature] = max(found.highest_ratio[feature], ratio)
        if not looks or gain == -np.inf:
            continue
        for j in range(n):
            for label in range(candidates.total.size):
                bin_work.lefts[bin_work.filled[j], label] = candidates.lefts[j, label]
        n_keys = gather(feature, n, node, data, bin_work)
        missing_side = side if joins else NO_BRANCH
        search_inside(feature, n_keys, missing_side, node.begin, data, search, work, bin_work)


Refine: TypeAlias = Annotated[Callable[..., None], function_type(refine)]


class BinSearch(NamedTuple):
    """How the best split of a binned node is found."""

    search: Search
    enter_categories: EnterCategories
    refine: Refine


@kernel
def is_open(feature: int, features: Features, found: Found) -> bool:
    """Whether the mean over the gains of all attributes may change when this one is searched."""
    unknown = found.highest[feature] > found.gain[feature]
    return bool(features.countable[feature] and found.n_branches[feature] > 0 and unknown)


@kernel
def next_to_search(features: Features, found: Found, guard: bool) -> int:
    """Return the attribute whose bins to search next; -1 once the best attribute is known.

    The attribute with the highest ratio, or with the highest bound on it. Once that is searched
    it is the best, unless the mean may still rise above its gain: then the attribute that may
    change the mean most.
    """
    low = high = -np.inf
    if guard:
        low = mean_gain(found.gain, features, found) - EPSILON
        high = mean_gain(found.highest, features, found) - EPSILON
    best, best_ratio = -1, -np.inf
    for feature in range(found.n_branches.size):
        ratio = found.highest_ratio[feature]
        if ratio > best_ratio and found.highest[feature] >= low:
            best, best_ratio = feature, ratio
    if best < 0 or found.highest[best] > found.gain[best]:
        return best
    if found.gain[best] >= high:
        return -1
    widest, width = -1, 0.0
    for feature in range(found.n_branches.size):
        if is_open(feature, features, found):
            gap = found.highest[feature] - found.gain[feature]
            widest, width = (feature, gap) if gap > width else (widest, width)
    return widest


@inlined
def slack(value: float) -> float:
    """Return by how much the rounding of a value or of a bound on it may mislead."""
    return RELATIVE_SLACK * abs(value) + ABSOLUTE_SLACK


@kernel
def enter_bounds(feature: int, searched: bool, found: Found, correction: int) -> None:
    """Complete the bounds on the gain and ratio of an attribute by the split found."""
    own = found.gain[feature] if found.n_branches[feature] > 0 else -np.inf
    ratio = worth(feature, found, correction)
    if searched or found.highest[feature] == -np.inf:
        found.gain[feature] = found.highest[feature] = own
        found.highest_ratio[feature] = ratio
        return
    highest = max(own, found.highest[feature])
    ratio = max(ratio, found.highest_ratio[feature])
    found.highest[feature] = highest + slack(highest)
    found.highest_ratio[feature] = ratio + slack(ratio)


@kernel
def refine_ratios(node: Node, data: BinnedData, functions: BinSearch, memory: BinMemory) -> None:
    """Search bins where ratios are compared, perhaps behind a mean over all attributes.

    The ratio of an attribute is that of its cut with the highest gain, which needs its own search.
    First the gain and the ratio of every attribute are bounded; then one after the other is
    searched, until no bound reaches the best.
    """
    features, exact, found = data.features, data.bins.exact, memory.work.found
    rules = functions.search.rules
    n_bounded, n_features = 0, found.n_branches.size
    while True:
        feature = n_bounded
        if n_bounded == n_features:
            feature = next_to_search(features, found, rules.guard)
            if feature < 0:
                return
        own = found.gain[feature] if found.n_branches[feature] > 0 else -np.inf
        # Whether there is a split at all decides how many attributes the mean is taken over.
        looks = n_bounded == n_features or own <= -EPSILON
        n_bounded = min(n_bounded + 1, n_features)
        if not exact[feature]:
            least = own - slack(own) if own > -EPSILON else -np.inf
            functions.refine(feature, least, looks, node, data, functions.search, memory)
        enter_bounds(feature, looks or exact[feature], found, rules.correction)


@typed_kernel(python=False)
def evaluate_binned(node: Node, data: BinnedData, functions: BinSearch, memory: BinMemory) -> None:
    """Enter splits of all attributes at a node whose bins are counted.

    An attribute that cannot be chosen may be left with the best of its cuts between bins.
    """
    features, bins, search = data.features, data.bins, functions.search
    work, bin_work, found = memory.work, memory.bin_work, memory.work.found
    rules, correction = search.rules, search.rules.correction
    best = -np.inf
    for feature in range(found.n_branches.size):
        found.n_branches[feature] = 0
        n = load_bins(feature, bins, memory.histogram, work.candidates, bin_work)
        enter_bins(feature, n, features, search, functions.enter_categories, work, bin_work)
        if features.n_categories[feature] == 0:
            found.cut_value[feature] = -np.inf
        best = max(best, worth(feature, found, correction))
    if correction == NO_CORRECTION or (correction == LOG2 and not rules.guard):
        # The gain of two branches is divided by one, for all thresholds.
        for feature in range(found.n_branches.size):
            if bins.exact[feature]:
                continue
            least = best - slack(best) if best > -np.inf else best
            functions.refine(feature, least, True, node, data, search, memory)
            best = max(best, worth(feature, found, correction))
        return
    refine_ratios(node, data, functions, memory)


EvaluateBinned: TypeAlias = Annotated[Callable[..., None], function_type(evaluate_binned)]
