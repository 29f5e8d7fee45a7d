"""The rows of binned nodes: sort them, divide them, and load those of small nodes as sorted cases.

The rows of a node are contiguous and move with every split, so that memory is read in order.
"""

from collections.abc import Callable
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from roctree._jit import function_type, inlined, kernel, typed_kernel
from roctree.arrays import Floats2D, Ints, Places
from roctree.tree.kernels.divide import clear_children, keep_branches, share_out
from roctree.tree.kernels.nominal import GAPS
from roctree.tree.kernels.records import (
    ALL_BRANCHES,
    MISSING_RANK,
    NO_ROOM,
    BestSplits,
    Bins,
    BinScratch,
    Cases,
    Division,
    Features,
    KernelRules,
    Node,
    Nodes,
    Rows,
)
from roctree.tree.tree import IS_PRESENT

PLACE_BITS = 32
PLACE_MASK = (1 << PLACE_BITS) - 1
# Below this many keys a pass over 256 counters costs more than a shell sort.
RADIX_FROM = 32


class BinnedData(NamedTuple):
    """The attributes, their bins, and the rows of the binned nodes."""

    features: Features
    bins: Bins
    rows: Rows


@kernel
def radix_pass(source: Ints, target: Ints, n: int, shift: int, starts: Ints) -> None:
    """Sort keys stably by eight of their bits."""
    for digit in range(256):
        starts[digit] = 0
    for i in range(n):
        starts[(source[i] >> shift) & 255] += 1
    position = 0
    for digit in range(256):
        size = starts[digit]
        starts[digit] = position
        position += size
    for i in range(n):
        digit = (source[i] >> shift) & 255
        target[starts[digit]] = source[i]
        starts[digit] += 1


@kernel
def sort_keys(n: int, n_codes: int, bin_work: BinScratch) -> None:
    """Sort keys of the form ``code << 32 | place``, whose places increase, by code."""
    keys, buffer, starts = bin_work.keys, bin_work.buffer, bin_work.starts
    if n >= (RADIX_FROM if n_codes <= 256 else 2 * RADIX_FROM):
        radix_pass(keys, buffer, n, PLACE_BITS, starts)
        if n_codes > 256:
            radix_pass(buffer, keys, n, PLACE_BITS + 8, starts)
            return
        for i in range(n):
            keys[i] = buffer[i]
        return
    for gap in GAPS:
        for i in range(gap, n):
            key = keys[i]
            j = i
            while j >= gap and keys[j - gap] > key:
                keys[j] = keys[j - gap]
                j -= gap
            keys[j] = key


@kernel
def value_of(key: int, base: int, feature: int, features: Features, row: Places) -> float:
    """Return the value of the case in a key, whose place counts from row ``base``."""
    return features.values[row[base + (key & PLACE_MASK)], feature]


@kernel
def sort_ties(n: int, base: int, feature: int, features: Features, row: Places, keys: Ints) -> None:
    """Put the cases that share a code in the order of their values."""
    begin = 0
    while begin < n:
        end = begin + 1
        while end < n and keys[end] >> PLACE_BITS == keys[begin] >> PLACE_BITS:
            end += 1
        if end - begin == 1:
            begin = end
            continue
        for gap in GAPS:
            for i in range(begin + gap, end):
                key = keys[i]
                value = value_of(key, base, feature, features, row)
                j = i
                while (
                    j >= begin + gap
                    and value_of(keys[j - gap], base, feature, features, row) > value
                ):
                    keys[j] = keys[j - gap]
                    j -= gap
                keys[j] = key
        begin = end


@inlined
def midpoint(low: float, high: float) -> float:
    """Return the value half way between two others, always below the higher."""
    between = low / 2.0 + high / 2.0
    return low if between >= high or between < low else between


@kernel
def assign_rows(
    feature: int,
    node: Node,
    data: BinnedData,
    found: BestSplits,
    division: Division,
    counts: Floats2D,
) -> tuple[int, float, float]:
    """Assign each row to its branch and count the children.

    Returns how many rows go to all branches, and the values beside a numeric cut: the highest on
    its left, the lowest on its right. Values are read only where a code may be one of these.
    Conditions that hold for about half of the rows do not become branches in machine code.
    """
    features, bins, rows, first = data.features, data.bins, data.rows, node.first_child
    values, row = features.values, rows.row
    n_branches, n_classes = found.n_branches[feature], counts.shape[1]
    clear_children(n_branches, first, division, counts)
    missing_code = bins.start[feature + 1] - bins.start[feature] - 1 << bins.shift[feature]
    cut, cut_value = found.cut[feature], found.cut_value[feature]
    is_nominal, exact = features.n_categories[feature] > 0, bins.exact[feature]
    low, high, low_code, high_code = -np.inf, np.inf, 0, missing_code
    n_unknown = 0
    for i in range(node.begin, node.end):
        code = int(rows.codes[i, feature])
        if code == missing_code:
            branch = found.missing_branch[feature]
        elif is_nominal:
            branch = int(found.branch_of[features.offset[feature] + code])
        else:
            branch = 1 if code >= cut else 0
            if not exact and code == cut and values[row[i], feature] < cut_value:
                branch = 0
            if (branch == 0) & (code >= low_code):
                low_code = code
                if not exact:
                    low = max(low, values[row[i], feature])
            if (branch == 1) & (code <= high_code):
                high_code = code
                if not exact:
                    high = min(high, values[row[i], feature])
        if branch < 0:
            rows.branch[i] = ALL_BRANCHES
            n_unknown += 1
        else:
            rows.branch[i] = branch
            division.size[branch] += 1
            counts[first + branch, rows.label[i]] += rows.weight[i]
    for branch in range(n_branches):
        for label in range(n_classes):
            division.weight[branch] += counts[first + branch, label]
    if exact and not is_nominal:
        low = bins.highest[feature, low_code]
        high = np.inf if high_code == missing_code else bins.lowest[feature, high_code]
    return n_unknown, low, high


@inlined
def threshold_of(feature: int, low: float, high: float, features: Features) -> float:
    """Return the threshold between the values beside a cut; NaN if the attribute is nominal."""
    if features.n_categories[feature] > 0:
        return np.nan
    return IS_PRESENT if high == np.inf else midpoint(low, high)


@kernel
def copy_row(source: int, target: int, weight: float, rows: Rows, new: Rows) -> None:
    """Copy a row to another place, with its own weight."""
    for feature in range(rows.codes.shape[1]):
        new.codes[target, feature] = rows.codes[source, feature]
    new.label[target] = rows.label[source]
    new.row[target] = rows.row[source]
    new.weight[target] = weight


@kernel
def swap_rows(i: int, j: int, rows: Rows) -> None:
    """Exchange two rows, but not their branches."""
    codes = rows.codes
    for feature in range(codes.shape[1]):
        codes[i, feature], codes[j, feature] = codes[j, feature], codes[i, feature]
    rows.label[i], rows.label[j] = rows.label[j], rows.label[i]
    rows.row[i], rows.row[j] = rows.row[j], rows.row[i]
    rows.weight[i], rows.weight[j] = rows.weight[j], rows.weight[i]


@kernel
def exchange_two(begin: int, middle: int, end: int, rows: Rows) -> None:
    """Exchange the rows of the second branch before ``middle`` for those of the first after it.

    The places of both are listed first, in the array of branches, without data-dependent jumps.
    """
    branch, n_second, n_first = rows.branch, 0, 0
    for i in range(begin, middle):
        side = int(branch[i])
        branch[begin + n_second] = i
        n_second += side
    for i in range(middle, end):
        side = int(branch[i])
        branch[middle + n_first] = i
        n_first += 1 - side
    for place in range(n_second):
        swap_rows(branch[begin + place], branch[middle + place], rows)


@kernel
def exchange_many(n_branches: int, rows: Rows, division: Division) -> None:
    """Exchange rows until each is in the range of its branch, from cursor to stop."""
    cursor, stop, branches = division.cursor, division.stop, rows.branch
    for branch in range(n_branches):
        for i in range(cursor[branch], stop[branch]):
            while branches[i] != branch:
                side = branches[i]
                other = cursor[side]
                while branches[other] == side:
                    other += 1
                swap_rows(i, other, rows)
                branches[i], branches[other] = branches[other], branches[i]
                cursor[side] = other + 1


@typed_kernel(python=False)
def divide_rows_complete(
    feature: int,
    node: Node,
    data: BinnedData,
    spare: Rows,
    rules: KernelRules,
    found: BestSplits,
    division: Division,
    nodes: Nodes,
) -> int:
    """Divide the rows of a node, all with a known branch, by exchanging rows.

    If one branch is small, few rows move. The order of rows is lost, and does not matter.
    """
    rows, size, cursor, stop = data.rows, division.size, division.cursor, division.stop
    _, low, high = assign_rows(feature, node, data, found, division, nodes.counts)
    nodes.threshold[node.number] = threshold_of(feature, low, high, data.features)
    n_branches, end = found.n_branches[feature], node.begin
    for branch in range(n_branches):
        cursor[branch] = end
        end += size[branch]
        stop[branch] = end
    total = keep_branches(n_branches, 0, node, rules, division, nodes.counts)
    if total > 0 and n_branches == 2:
        exchange_two(node.begin, stop[0], node.end, rows)
    elif total > 0:
        exchange_many(n_branches, rows, division)
    for branch in range(n_branches):
        cursor[branch] = stop[branch]
    return total


@typed_kernel(python=False)
def divide_rows_shared(
    feature: int,
    node: Node,
    data: BinnedData,
    spare: Rows,
    rules: KernelRules,
    found: BestSplits,
    division: Division,
    nodes: Nodes,
) -> int:
    """Divide the rows of a node among the branches that may be split again, in its own room.

    A row with an unknown branch goes to all of them.
    """
    rows, begin, cursor, kept = data.rows, node.begin, division.cursor, division.kept
    weights, shares, counts = division.weight, division.share, nodes.counts
    n_branches, quantum = found.n_branches[feature], rules.quantum
    n_unknown, low, high = assign_rows(feature, node, data, found, division, counts)
    nodes.threshold[node.number] = threshold_of(feature, low, high, data.features)
    for i in range(begin, node.end if n_unknown > 0 else begin):
        if rows.branch[i] == ALL_BRANCHES:
            share_out(rows.weight[i], n_branches, quantum, weights, shares)
            for branch in range(n_branches):
                counts[node.first_child + branch, rows.label[i]] += shares[branch]
    total = keep_branches(n_branches, n_unknown, node, rules, division, counts)
    if begin + total > rows.codes.shape[0]:
        return NO_ROOM
    # The rows of the first branch stay before the place that is read; all others go to spare places
    # and back.
    target = 0
    for branch in range(1, n_branches):
        cursor[branch] = target
        target += division.size[branch]
    cursor[0] = begin
    for i in range(begin, node.end if total > 0 else begin):
        side, weight = rows.branch[i], rows.weight[i]
        if side != ALL_BRANCHES:
            if kept[side]:
                copy_row(i, cursor[side], weight, rows, rows if side == 0 else spare)
                cursor[side] += 1
            continue
        share_out(weight, n_branches, quantum, weights, shares)
        for branch in range(n_branches - 1, -1, -1):
            if kept[branch] and weights[branch] > 0.0:
                copy_row(i, cursor[branch], shares[branch], rows, rows if branch == 0 else spare)
                cursor[branch] += 1
    for i in range(target):
        copy_row(i, cursor[0] + i, spare.weight[i], spare, rows)
    for branch in range(1, n_branches):
        cursor[branch] += cursor[0]
    return total


# The division of a binned node: returns the number of rows kept, or NO_ROOM.
DivideRows: TypeAlias = Annotated[Callable[..., int], function_type(divide_rows_complete)]


@typed_kernel(python=False)
def sort_rows(begin: int, end: int, data: BinnedData, cases: Cases, bin_work: BinScratch) -> None:
    """Load the rows of a node as sorted cases."""
    features, bins, rows, keys = data.features, data.bins, data.rows, bin_work.keys
    n = end - begin
    for place in range(n):
        cases.label[place] = rows.label[begin + place]
        cases.row[place] = rows.row[begin + place]
        cases.weight[place] = rows.weight[begin + place]
    for feature in range(rows.codes.shape[1]):
        shift, n_bins = bins.shift[feature], bins.start[feature + 1] - bins.start[feature]
        for place in range(n):
            keys[place] = (int(rows.codes[begin + place, feature]) << PLACE_BITS) | place
        sort_keys(n, n_bins << shift, bin_work)
        missing_code, n_known = (n_bins - 1) << shift, n
        while n_known > 0 and keys[n_known - 1] >> PLACE_BITS == missing_code:
            n_known -= 1
        if not bins.exact[feature]:
            sort_ties(n_known, begin, feature, features, rows.row, keys)
        # Values are compared only where codes are equal.
        current, before_code, before = -1, -1, 0
        for i in range(n):
            code, place = keys[i] >> PLACE_BITS, keys[i] & PLACE_MASK
            cases.order[feature, i] = place
            if i >= n_known:
                cases.rank[feature, place] = MISSING_RANK
                continue
            if bins.exact[feature]:
                cases.rank[feature, place] = code
                continue
            if code != before_code or (
                features.values[rows.row[begin + place], feature]
                != features.values[rows.row[begin + before], feature]
            ):
                current += 1
            before_code, before = code, place
            cases.rank[feature, place] = current


SortRows: TypeAlias = Annotated[Callable[..., None], function_type(sort_rows)]
