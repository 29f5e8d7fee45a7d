"""Find the exact best splits of a node with many cases from counts of bins.

The classes of every bin of every attribute are counted, and cuts between bins are scored first. A
bin is searched case by case only if a bound on the scores of the cuts inside it reaches the best
score so far.
"""

from collections.abc import Callable
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from roctree._jit import function_type, inlined, kernel, typed_kernel
from roctree.arrays import Floats2D, Ints
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
    NO_CORRECTION,
    BestSplits,
    Bins,
    BinScratch,
    Candidates,
    Features,
    KernelRules,
    Node,
    Rows,
    SearchScratch,
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
    prefer_even,
    worth,
)
from roctree.tree.tree import NO_BRANCH

# A cell of a marked bin holds at least this many cases on average.
CASES_PER_CELL = 8


@kernel
def count_bins(begin: int, end: int, bins: Bins, rows: Rows, histogram: Floats2D) -> None:
    """Count the classes of every bin of every attribute."""
    codes, start, shift = rows.codes, bins.start, bins.shift
    histogram[:] = 0.0
    for i in range(begin, end):
        label, weight = rows.label[i], rows.weight[i]
        for feature in range(codes.shape[1]):
            place = start[feature] + (codes[i, feature] >> shift[feature])
            histogram[place, label] += weight


@kernel
def subtract_bins(histogram: Floats2D, other: Floats2D) -> None:
    """Subtract the counts of some cases; sums are exact, and so are differences."""
    if histogram.shape[1] == 2:
        for place in range(histogram.shape[0]):
            histogram[place, 0] -= other[place, 0]
            histogram[place, 1] -= other[place, 1]
        return
    for place in range(histogram.shape[0]):
        for label in range(histogram.shape[1]):
            histogram[place, label] -= other[place, label]


@kernel
def load_two(
    start: int, end: int, histogram: Floats2D, candidates: Candidates, bin_work: BinScratch
) -> int:
    """Cumulate filled bins of two classes; return how many there are.

    Every bin writes a row, which stays if the bin is filled: no branches for the processor to
    mispredict.
    """
    lefts, filled = candidates.lefts, bin_work.filled
    first, second, n = 0.0, 0.0, 0
    for place in range(start, end):
        of_first, of_second = histogram[place, 0], histogram[place, 1]
        filled[n] = place - start
        n += 1 if of_first + of_second > 0.0 else 0
        first += of_first
        second += of_second
        lefts[n, 0], lefts[n, 1] = first, second
    return n


@kernel
def load_many(
    start: int, end: int, histogram: Floats2D, candidates: Candidates, bin_work: BinScratch
) -> int:
    """Cumulate filled bins of any number of classes; return how many there are."""
    lefts, n = candidates.lefts, 0
    for place in range(start, end):
        if weight_of(histogram, place) <= 0.0:
            continue
        bin_work.filled[n] = place - start
        n += 1
        for label in range(histogram.shape[1]):
            lefts[n, label] = lefts[n - 1, label] + histogram[place, label]
    return n


@kernel
def load_bins(
    feature: int, bins: Bins, histogram: Floats2D, candidates: Candidates, bin_work: BinScratch
) -> int:
    """Cumulate the filled bins of an attribute into ``lefts``; return how many there are."""
    start, missing_bin = bins.start[feature], bins.start[feature + 1] - 1
    lefts, places, shift = candidates.lefts, candidates.places, bins.shift[feature]
    n_classes = candidates.total.size
    for label in range(n_classes):
        lefts[0, label] = 0.0
        candidates.missing[label] = histogram[missing_bin, label]
    if n_classes == 2:
        n = load_two(start, missing_bin, histogram, candidates, bin_work)
    else:
        n = load_many(start, missing_bin, histogram, candidates, bin_work)
    for i in range(n):
        places[i] = bin_work.filled[i] << shift
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
    work: SearchScratch,
    bin_work: BinScratch,
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
def least_info(low: float, high: float, rules: KernelRules, candidates: Candidates) -> float:
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
    n: int, least: float, search: Search, candidates: Candidates, bin_work: BinScratch
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
        bin_work.is_marked[j] = 0
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
                bin_work.is_marked[first + i] = 1
                highest = max(highest, gain)
                info = least_info(low, high, rules, candidates)
                highest_ratio = max(highest_ratio, gain / info)
    return highest, highest_ratio


@kernel
def gather_keys(
    feature: int,
    begin: int,
    end: int,
    base: int,
    data: BinnedData,
    is_marked: Ints,
    keys: Ints,
) -> int:
    """Write the rows in marked bins as keys, their places counted from ``base``; return how many.

    ``is_marked`` is 0 or 1 for each bin.
    """
    codes, shift = data.rows.codes, data.bins.shift[feature]
    n_keys = 0
    for i in range(begin, end):
        code = int(codes[i, feature])
        keys[n_keys] = (code << PLACE_BITS) | (i - base)
        n_keys += is_marked[code >> shift]
    return n_keys


class Inside(NamedTuple):
    """The search inside the marked bins of an attribute.

    Attributes
    ----------
    feature : int
    side : int
        The branch of missing cases; -1 if they do not take part.
    least : float
        Cuts that gain less do not matter.
    n_bins : int
        The number of marked bins.
    """

    feature: int
    side: int
    least: float
    n_bins: int


@kernel
def list_bins(
    feature: int, n: int, bins: Bins, candidates: Candidates, bin_work: BinScratch
) -> int:
    """Number the marked ones of ``n`` filled bins; return how many there are.

    ``filled`` keeps the marked ones, ``number`` gets their numbers, ``lefts`` the class counts
    before them, and ``starts`` whether (0 or 1) each bin is marked.
    """
    starts, n_marked = bin_work.starts, 0
    # Bins that are not filled may still hold cases whose shares were rounded to zero.
    for place in range(bins.start[feature + 1] - bins.start[feature]):
        starts[place] = 0
    for j in range(n):
        place = bin_work.filled[j]
        starts[place] = bin_work.is_marked[j]
        if bin_work.is_marked[j] == 1:
            bin_work.number[place], bin_work.filled[n_marked] = n_marked, place
            for label in range(candidates.total.size):
                bin_work.lefts[n_marked, label] = candidates.lefts[j, label]
            n_marked += 1
    return n_marked


@inlined
def slack(value: float) -> float:
    """Return the largest rounding error of a value or of a bound on it."""
    return RELATIVE_SLACK * abs(value) + ABSOLUTE_SLACK


@inlined
def least_worth(best: float) -> float:
    """Return how much a bound must reach so that a cut may be worth ``best``."""
    return best - slack(best) if best > -np.inf else best


@kernel
def is_better(
    score: float, side: int, uneven: float, code: int, feature: int, found: BestSplits
) -> bool:
    """Whether a cut beats the one found: by score, then missing on the right, then further left.

    Among cuts without gain, the more even one is better. A search without bins has the same order.
    Scores are compared rather than gains, because scores may become equal when gains are rounded.
    """
    if found.n_branches[feature] == 0:
        return True
    if score != found.score[feature]:
        return score > found.score[feature]
    if side != found.missing_branch[feature]:
        return side > found.missing_branch[feature]
    if uneven != found.uneven[feature]:
        return uneven < found.uneven[feature]
    return code < found.cut[feature]


@kernel
def enter_inner(
    begin: int,
    end: int,
    first_row: int,
    inside: Inside,
    data: BinnedData,
    search: Search,
    work: SearchScratch,
) -> None:
    """Enter the best of the cuts ``begin:end`` inside bins if it is better than the one found.

    Their ``places`` are the keys of the cases to their right. A key without a place stands for all
    cases of its code.
    """
    rules, candidates, found, feature = search.rules, work.candidates, work.found, inside.feature
    cut, score, _ = search.scan(begin, end, rules.min_leaf, candidates, rules, search.scoring)
    cut, score, uneven = prefer_even(begin, end, rules.min_leaf, cut, score, search, candidates)
    if cut < 0:
        return
    key = candidates.places[cut]
    if not is_better(score, inside.side, uneven, key >> PLACE_BITS, feature, found):
        return
    known = sum_of(candidates.total)
    node = sum_of(candidates.known) + sum_of(candidates.missing)
    left = weight_of(candidates.lefts, cut)
    found.gain[feature] = improvement(score, rules, search.scoring.table, candidates)
    found.score[feature], found.uneven[feature] = score, uneven
    found.info[feature] = binary_info(left, known, node, rules.correction)
    found.cut_value[feature] = -np.inf
    if key & PLACE_MASK != PLACE_MASK:
        found.cut_value[feature] = value_of(key, first_row, feature, data.features, data.rows.row)
    found.n_branches[feature] = 2
    found.cut[feature] = key >> PLACE_BITS
    found.missing_branch[feature] = inside.side


class NodeScratch(NamedTuple):
    """The histogram of a node, and the scratch memory of its search."""

    histogram: Floats2D
    work: SearchScratch
    bin_work: BinScratch


class BinCells(NamedTuple):
    """How marked bins are divided into cells, by the upper bits of the step in a code.

    Attributes
    ----------
    shift : int
        The bits of the step in a code.
    drop : int
        The lower bits, in which the codes of a cell may differ.
    per_bin : int
        The number of cells in a bin. One further row after these holds the counts after the bin.
    """

    shift: int
    drop: int
    per_bin: int


@kernel
def divide_bins(n_keys: int, n_bins: int, shift: int, room: int) -> BinCells:
    """Divide marked bins into as many cells as hold several cases each."""
    bits = 0
    while (
        bits < shift
        and n_keys >> (bits + 1) >= CASES_PER_CELL * n_bins
        and n_bins * ((2 << bits) + 1) <= room
    ):
        bits += 1
    return BinCells(shift, shift - bits, 1 << bits)


@inlined
def cell_row(code: int, cells: BinCells, bin_work: BinScratch) -> int:
    """Return the row of the cell of a code, which is in a marked bin."""
    step = code & ((1 << cells.shift) - 1)
    return bin_work.number[code >> cells.shift] * (cells.per_bin + 1) + (step >> cells.drop)


@kernel
def count_bin_cells(
    n_keys: int, begin: int, cells: BinCells, inside: Inside, rows: Rows, bin_work: BinScratch
) -> None:
    """Count the classes before each cell of the marked bins."""
    counts, n_classes = bin_work.cells, bin_work.cells.shape[1]
    for row in range(inside.n_bins * (cells.per_bin + 1)):
        for label in range(n_classes):
            counts[row, label] = 0.0
    for i in range(n_keys if cells.per_bin > 1 else 0):
        key = bin_work.keys[i]
        place = begin + (key & PLACE_MASK)
        # One row further: what is in a cell is before the next.
        row = cell_row(key >> PLACE_BITS, cells, bin_work) + 1
        counts[row, rows.label[place]] += rows.weight[place]
    for number in range(inside.n_bins):
        first = number * (cells.per_bin + 1)
        for label in range(n_classes):
            counts[first, label] = bin_work.lefts[number, label]
            for row in range(first, first + cells.per_bin):
                counts[row + 1, label] += counts[row, label]


@kernel
def load_cells(number: int, cells: BinCells, bin_work: BinScratch, candidates: Candidates) -> None:
    """Load the class counts before the cells of a marked bin, and after the last, as ``lefts``."""
    first, code = number * (cells.per_bin + 1), bin_work.filled[number] << cells.shift
    for cell in range(cells.per_bin + 1):
        candidates.places[cell] = (code + (cell << cells.drop)) << PLACE_BITS | PLACE_MASK
        for label in range(candidates.total.size):
            candidates.lefts[cell, label] = bin_work.cells[first + cell, label]


@kernel
def narrow_keys(
    n_keys: int,
    begin: int,
    cells: BinCells,
    inside: Inside,
    data: BinnedData,
    search: Search,
    memory: NodeScratch,
) -> int:
    """Keep the keys in cells where some cut may be the best; return how many there are.

    The cuts between cells are entered first, which raises the bar for those inside.
    """
    work, bin_work, found = memory.work, memory.bin_work, memory.work.found
    keys, marked, per_bin = bin_work.keys, bin_work.starts, cells.per_bin
    for number in range(inside.n_bins):
        load_cells(number, cells, bin_work, work.candidates)
        enter_inner(1, per_bin, begin, inside, data, search, work)
    least = inside.least
    if found.n_branches[inside.feature] > 0:
        own = found.gain[inside.feature]
        least = max(least, own - slack(own))
    for number in range(inside.n_bins):
        load_cells(number, cells, bin_work, work.candidates)
        mark_bins(per_bin, least, search, work.candidates, bin_work)
        for cell in range(per_bin):
            marked[number * (per_bin + 1) + cell] = bin_work.is_marked[cell]
    n_kept = 0
    for i in range(n_keys):
        key = keys[i]
        keys[n_kept] = key
        n_kept += marked[cell_row(key >> PLACE_BITS, cells, bin_work)]
    return n_kept


@kernel
def search_inside(
    n_keys: int,
    begin: int,
    inside: Inside,
    data: BinnedData,
    search: Search,
    memory: NodeScratch,
) -> None:
    """Score the cuts inside the marked bins, whose cases are the first ``n_keys`` keys."""
    bins, rows, feature = data.bins, data.rows, inside.feature
    bin_work, candidates = memory.bin_work, memory.work.candidates
    keys, lefts, places, running = (
        bin_work.keys,
        candidates.lefts,
        candidates.places,
        candidates.running,
    )
    shift = bins.shift[feature]
    cells = divide_bins(n_keys, inside.n_bins, shift, bin_work.cells.shape[0])
    count_bin_cells(n_keys, begin, cells, inside, rows, bin_work)
    if cells.per_bin > 1:
        n_keys = narrow_keys(n_keys, begin, cells, inside, data, search, memory)
    sort_keys(n_keys, bins.start[feature + 1] - bins.start[feature] << shift, bin_work)
    sort_ties(n_keys, begin, feature, data.features, rows.row, keys)
    m, current, before = 0, -1, 0.0
    for i in range(n_keys):
        key = keys[i]
        value = value_of(key, begin, feature, data.features, rows.row)
        cell = cell_row(key >> PLACE_BITS, cells, bin_work)
        if cell != current:
            current = cell
            for label in range(running.size):
                running[label] = bin_work.cells[cell, label]
        elif value != before:
            places[m] = key
            for label in range(running.size):
                lefts[m, label] = running[label]
            m += 1
        before = value
        place = begin + (key & PLACE_MASK)
        running[rows.label[place]] += rows.weight[place]
        if m == candidates.scores.size // 2 or i == n_keys - 1:
            enter_inner(0, m, begin, inside, data, search, memory.work)
            m = 0


@typed_kernel(python=False)
def refine(
    feature: int,
    least: float,
    searches: bool,
    node: Node,
    data: BinnedData,
    search: Search,
    memory: NodeScratch,
) -> None:
    """Search the bins of an attribute where some cut may gain ``least``.

    If missing cases join a branch, this is done with them on the right, then on the left. If
    ``searches`` is false, only the bounds on the cuts in these bins are entered.
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
        if not searches or gain == -np.inf:
            continue
        n_bins = list_bins(feature, n, data.bins, candidates, bin_work)
        n_keys = gather_keys(
            feature, node.begin, node.end, node.begin, data, bin_work.starts, bin_work.keys
        )
        inside = Inside(feature, side if joins else NO_BRANCH, least, n_bins)
        search_inside(n_keys, node.begin, inside, data, search, memory)


@typed_kernel(python=False)
def skip_refinement(
    feature: int,
    least: float,
    searches: bool,
    node: Node,
    data: BinnedData,
    search: Search,
    memory: NodeScratch,
) -> None:
    """Do nothing; used if values with the same code are not distinguished."""


Refine: TypeAlias = Annotated[Callable[..., None], function_type(refine)]


class BinSearch(NamedTuple):
    """How the best split of a binned node is found."""

    search: Search
    enter_categories: EnterCategories
    refine: Refine


@kernel
def is_open(feature: int, features: Features, found: BestSplits) -> bool:
    """Whether the mean over the gains of all attributes may change when this one is searched."""
    unknown = found.highest[feature] > found.gain[feature]
    return bool(features.countable[feature] and found.n_branches[feature] > 0 and unknown)


@kernel
def next_to_search(features: Features, found: BestSplits, guard: bool) -> int:
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


@kernel
def enter_bounds(feature: int, searched: bool, found: BestSplits, correction: int) -> None:
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
def refine_ratios(node: Node, data: BinnedData, functions: BinSearch, memory: NodeScratch) -> None:
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
        searches = n_bounded == n_features or own <= -EPSILON
        n_bounded = min(n_bounded + 1, n_features)
        if not exact[feature]:
            least = own - slack(own) if own > -EPSILON else -np.inf
            functions.refine(feature, least, searches, node, data, functions.search, memory)
        enter_bounds(feature, searches or exact[feature], found, rules.correction)


@kernel
def search_between(
    first: int, last: int, data: BinnedData, functions: BinSearch, memory: NodeScratch
) -> float:
    """Enter the best splits between bins of some attributes; return the highest worth of them."""
    features, search = data.features, functions.search
    work, bin_work, found = memory.work, memory.bin_work, memory.work.found
    best = -np.inf
    for feature in range(first, last):
        found.n_branches[feature] = 0
        n = load_bins(feature, data.bins, memory.histogram, work.candidates, bin_work)
        enter_bins(feature, n, features, search, functions.enter_categories, work, bin_work)
        if features.n_categories[feature] == 0:
            found.cut_value[feature] = -np.inf
        best = max(best, worth(feature, found, search.rules.correction))
    return best


@inlined
def compares_gains(rules: KernelRules) -> bool:
    """Whether thresholds are compared by their gain: with two branches, log2 divides by one."""
    return rules.correction == NO_CORRECTION or (rules.correction == LOG2 and not rules.guard)


@kernel
def search_in_bins(
    first: int,
    last: int,
    best: float,
    node: Node,
    data: BinnedData,
    functions: BinSearch,
    memory: NodeScratch,
) -> None:
    """Search the bins of some attributes where a cut may be worth ``best`` or more."""
    for feature in range(first, last):
        if data.bins.exact[feature]:
            continue
        functions.refine(feature, least_worth(best), True, node, data, functions.search, memory)
        own = worth(feature, memory.work.found, functions.search.rules.correction)
        best = max(best, own)


@typed_kernel(python=False)
def evaluate_binned(
    node: Node, data: BinnedData, functions: BinSearch, memory: NodeScratch
) -> None:
    """Enter splits of all attributes at a node whose bins are counted.

    An attribute that cannot be chosen may be left with the best of its cuts between bins.
    """
    n_features = memory.work.found.n_branches.size
    best = search_between(0, n_features, data, functions, memory)
    if compares_gains(functions.search.rules):
        search_in_bins(0, n_features, best, node, data, functions, memory)
    else:
        refine_ratios(node, data, functions, memory)


EvaluateBinned: TypeAlias = Annotated[Callable[..., None], function_type(evaluate_binned)]
