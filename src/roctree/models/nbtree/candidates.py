"""Candidate splits of a node of a Naive Bayes tree, and their errors.

A candidate is the split that C4.5, in Weka's version, would make on an attribute: a branch for each
category, or the threshold of highest information gain. The errors of a node, and of each branch of
a candidate, are those of Naive Bayes in cross-validation, where every numeric attribute is first
cut into intervals for the cases at hand.

One kernel, ``evaluate_node``, does all of this for one node. Cases are kept in Weka's order
throughout, since folds depend on it.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree._jit import (
    Bools,
    Floats,
    Ints,
    Ints2D,
    ReadonlyFloats,
    ReadonlyFloats2D,
    ReadonlyInts,
    ReadonlyInts2D,
    kernel,
    typed_kernel,
)
from roctree.models.mdl import (
    LOG_2,
    STRIDE,
    ClassCounts,
    PathEnd,
    Scratch,
    SortedColumn,
    copy_to,
    entropy,
    fill,
    find_cuts,
    last_present,
    least_price,
    least_purity,
    n_present,
    purest_corner,
    x_log_x,
)
from roctree.models.nbtree.naive_bayes import (
    MISSING,
    N_FOLDS,
    Discretized,
    Members,
    cross_validated_errors,
)
from roctree.models.nbtree.weka import deal_cases, sort_cases

Int = Any  # a Python or NumPy integer
Numbers = NDArray[Any]  # int64 where all weights are integers, else float64

NO_SPLIT = -1
# Branch of a case whose value is missing: it is divided among all branches.
DIVIDED = -1
# Differences that Weka ignores between two sums, and between two values.
SMALL, TOO_CLOSE = 1e-6, 1e-5
# Least weight of two branches, and the largest minimum that C4.5 demands of both sides of a cut.
MIN_BRANCH, MAX_SIDE = 2.0, 25.0
# In smaller branches every case is an error; a threshold needs more than five cases in a branch.
MIN_CASES, MIN_CASES_OF_THRESHOLD = float(N_FOLDS), float(np.nextafter(N_FOLDS, np.inf))
# Evaluation of a candidate stops when its errors exceed the limit by more than rounding.
SLACK = 1e-9
# Both counts of a step along the path of two classes are packed in one number, the second above
# the first.
UP = 1 << 32


class NodeCases(NamedTuple):
    """The cases of a node, in the order that Weka would have them in.

    Parameters
    ----------
    values : float64[features, cases]
    ranked : int64[features, cases], cases with a known number in ascending order
    n_known : int64[features], number of cases in ``ranked``
    n_categories : int64[features], 0 for numeric attributes
    labels : int64[cases]
    copies : float64[cases], weight of each case before missing values divided it
    weights : float64[cases], weight that is left of each case
    n_classes : number of classes of the whole tree
    table : float64[...], x ln x of the integers
    """

    values: ReadonlyFloats2D
    ranked: ReadonlyInts2D
    n_known: ReadonlyInts
    n_categories: ReadonlyInts
    labels: ReadonlyInts
    copies: ReadonlyFloats
    weights: ReadonlyFloats
    n_classes: int
    table: ReadonlyFloats


class Partition(NamedTuple):
    """How a split divides the cases of a node.

    Parameters
    ----------
    branch : int64[cases], the branch of each case, or ``DIVIDED``
    shares : float64[branches], the part of a divided case that each branch receives
    """

    branch: Ints
    shares: Floats


@typed_kernel(allocates=True)
def evaluate_node(
    node: NodeCases,
    may_split: bool,
    min_reduction: float,
    random_state: ReadonlyInts,
    order: Ints,
    found: Discretized,
    split: Partition,
) -> tuple[float, int, float, float]:
    """Discretize the cases of a node, and find its split of fewest errors, the first of equals.

    Parameters
    ----------
    node : the cases
    may_split : whether to look for a split
    min_reduction : least part of the errors that a split must avoid
    random_state : int64[2], of Java's generator, by which the cases of each candidate are dealt
    order : int64[cases], 0, 1, ...; each numeric attribute sorts it, and the branches inherit the
        final order
    found : receives the cells of the cases
    split : receives the partition, with room for the largest number of branches

    Returns
    -------
    The errors of the node, the attribute of the split (-1 for none), its threshold (NaN for
    categories), and its errors.
    """
    everything = Members(np.arange(order.size), node.weights.copy(), np.arange(order.size))
    errors = errors_of_members(node, everything, np.inf, found)
    best, threshold, limit = NO_SPLIT, math.nan, errors
    if not may_split or errors == 0.0:
        return errors, best, threshold, limit
    limit = errors * min(1.0, 1.0 - min_reduction + SLACK)
    tried = Partition(np.empty_like(split.branch), np.empty_like(split.shares))
    for feature in range(node.values.shape[0]):
        n_categories = node.n_categories[feature]
        n_branches = n_categories if n_categories > 0 else 2
        if n_branches > split.shares.size:
            continue
        candidate = Partition(tried.branch, tried.shares[:n_branches])
        if n_categories > 0:
            cut, min_cases = math.nan, MIN_CASES
            is_possible = divide_by_category(feature, node, order, candidate)
        else:
            cut, min_cases = (
                divide_by_threshold(feature, node, order, candidate),
                MIN_CASES_OF_THRESHOLD,
            )
            is_possible = not math.isnan(cut)
        if is_possible:
            found_errors = errors_of_split(
                node, order, candidate, min_cases, limit, random_state.copy()
            )
            if found_errors < limit:
                best, threshold, limit = feature, cut, found_errors
                copy_to(split.branch, tried.branch)
                copy_to(split.shares, tried.shares)
    return errors, best, threshold, limit


@kernel
def errors_of_split(
    node: NodeCases,
    order: Ints,
    split: Partition,
    min_cases: float,
    limit: float,
    random_state: Ints,
) -> float:
    """Return the errors of Naive Bayes in the branches of a split.

    They are infinite if fewer than two branches have enough cases, or if they reach the limit, in
    which case the remaining branches are skipped. In branches of fewer than ``min_cases`` every
    case is an error.
    """
    members, weights = np.empty(order.size, dtype=np.int64), np.empty(order.size)
    labels = np.empty(order.size, dtype=np.int64)
    n_features = node.values.shape[0]
    branches, shares = split.branch, split.shares
    all_labels, all_weights, copies = node.labels, node.weights, node.copies
    errors, n_large = 0.0, 0
    for number in range(shares.size):
        n, n_cases = 0, 0.0
        for case in order:
            is_divided = branches[case] == DIVIDED
            if is_divided or branches[case] == number:
                members[n] = case
                weights[n] = all_weights[case] * (shares[number] if is_divided else 1.0)
                n_cases += copies[case]
                n += 1
        if n_cases < min_cases:
            for k in range(n):
                errors += weights[k]
        else:
            n_large += 1
            sequence = np.empty(n, dtype=np.int64)
            for k in range(n):
                labels[k] = all_labels[members[k]]
            deal_cases(sequence, labels[:n], N_FOLDS, random_state)
            found = Discretized(
                np.empty((n_features, n), dtype=np.int64),
                np.empty(n_features, dtype=np.int64),
                np.empty((n_features, n)),
            )
            branch = Members(members[:n], weights[:n], sequence)
            errors += errors_of_members(node, branch, limit - errors, found)
        if errors >= limit:
            return float(np.inf)
    return errors if n_large > 1 else float(np.inf)


@kernel
def errors_of_members(node: NodeCases, members: Members, limit: float, found: Discretized) -> float:
    """Write the cells of some cases of a node, and return the errors of Naive Bayes among them.

    Errors beyond the limit are not all counted.
    """
    place = np.full(node.values.shape[1], MISSING)
    cases, weights, copies = members.cases, members.weights, node.copies
    n_divided, n_fractions, total = 0, 0, 0.0
    for k in range(cases.size):
        place[cases[k]] = k
        n_divided += int(weights[k] != copies[cases[k]])
        n_fractions += int(weights[k] != np.floor(weights[k]))
        total += weights[k]
    is_divided = n_divided > 0
    has_fractions = is_divided or n_fractions > 0 or total >= node.table.size
    uncut = np.zeros(found.n_cells.size, dtype=np.bool_)
    if has_fractions:
        find_cells(node, cases, weights, place, uncut, is_divided, found)
    else:
        # Sums of integers do not depend on their order, and x ln x is looked up.
        whole = weights.astype(np.int64)
        find_uncut(node, cases, whole, uncut)
        find_cells(node, cases, whole, place, uncut, is_divided, found)
    return cross_validated_errors(found, members, node.labels, node.n_classes, has_fractions, limit)


@kernel
def find_cells(
    node: NodeCases,
    members: Ints,
    weights: Numbers,
    place: Ints,
    uncut: Bools,
    is_divided: bool,
    found: Discretized,
) -> None:
    """Write the cells of the members.

    Parameters
    ----------
    node : the cases
    members : int64[members], numbers of some of its cases
    weights : int64 or float64[members]
    place : int64[cases], place of each case among the members, or ``MISSING``
    uncut : bool[features], numeric attributes that are known to have a single interval
    is_divided : whether missing values have divided some members
    found : receives the cells
    """
    n, n_classes = members.size, node.n_classes
    labels, copies, table = node.labels, node.copies, node.table
    line, sorted_before = np.empty(n + 1, dtype=np.int64), np.arange(n)
    ws, cs = np.empty(n, dtype=weights.dtype), np.empty(n, dtype=weights.dtype)
    xs, ls = np.empty(n), np.empty(n, dtype=np.int64)
    column = SortedColumn(xs, ls, ws, cs if is_divided else ws)
    counts = ClassCounts(
        np.zeros(n_classes, dtype=weights.dtype),
        np.empty(n_classes, dtype=weights.dtype),
        np.empty(n_classes, dtype=weights.dtype),
        np.empty(n_classes, dtype=weights.dtype),
        np.empty(n_classes, dtype=weights.dtype),
    )
    scratch = Scratch(np.empty(n), np.empty(n + 1, dtype=np.int64), np.empty(n + 1, dtype=np.int64))
    n_cases = 0.0
    for k in range(n):
        n_cases += copies[members[k]]
        counts.total[labels[members[k]]] += weights[k]
    bits = n_cases * entropy(counts.total, table)
    is_hopeless = not is_divided and bits < least_price(n_cases, table, counts.total)
    # From the last attribute to the first: in this order Weka sorts what it has sorted before.
    for feature in range(node.values.shape[0] - 1, -1, -1):
        values = node.values[feature]
        if node.n_categories[feature] > 0:
            found.n_cells[feature] = node.n_categories[feature]
            cells = found.cells[feature]
            for k in range(n):
                value = values[members[k]]
                cells[k] = int(value) if value == value else MISSING
            continue
        n_known = node.n_known[feature]
        if uncut[feature] or (is_hopeless and n_known == values.size):
            found.n_cells[feature] = 1
            fill(found.cells[feature], 0)
            continue
        if is_divided:
            known = line_up_as_weka(values, members, sorted_before, line)
        else:
            known = line_up(node.ranked[feature, :n_known], place, line)
        for i in range(known):
            case = members[line[i]]
            xs[i], ws[i], ls[i] = values[case], weights[line[i]], labels[case]
            if is_divided:
                cs[i] = copies[case]
        cuts = found.cuts[feature]
        n_cuts = find_cuts(column, known, table, counts, scratch, cuts)
        found.n_cells[feature] = 1 + n_cuts
        mark_intervals(xs, line[:known], cuts[:n_cuts], found.cells[feature])


@kernel
def line_up(ranked: Ints, place: Ints, line: Ints) -> Int:
    """List the members with a known number in ascending order; return how many there are."""
    known = 0
    for case in ranked:
        # Always written, and kept by arithmetic: the processor cannot predict a branch here.
        line[known] = place[case]
        known += int(place[case] != MISSING)
    return known


@kernel
def line_up_as_weka(values: Floats, members: Ints, sorted_before: Ints, line: Ints) -> Int:
    """List the members in the order in which Weka adds up their weights.

    Sums of fractional weights depend on the order, and after all cases of a class have been
    subtracted a remainder is left: Weka then counts one class more.
    """
    own = np.empty(members.size)
    for k in range(members.size):
        own[k] = values[members[k]]
    sort_cases(sorted_before, own)
    known = 0
    for k in sorted_before:
        if own[k] == own[k]:
            line[known] = k
            known += 1
    return known


@kernel
def mark_intervals(xs: Floats, line: Ints, cuts: Floats, cells: Ints) -> None:
    """Write the interval of each member listed in ``line``, -1 for all others."""
    fill(cells, 0 if line.size == cells.size else MISSING)
    if cuts.size == 0 and line.size == cells.size:
        return
    cell = 0
    for i in range(line.size):
        while cell < cuts.size and xs[i] > cuts[cell]:
            cell += 1
        cells[line[i]] = cell


@kernel
def find_uncut(node: NodeCases, members: Ints, weights: Ints, uncut: Bools) -> None:
    """Mark numeric attributes in which no cut of the members can pay for its description.

    This is only tried for two classes, and attributes without missing values.
    """
    class_counts = np.zeros(node.n_classes, dtype=np.int64)
    for k in range(members.size):
        class_counts[node.labels[members[k]]] += weights[k]
    if n_present(class_counts) != 2:
        return
    n = class_counts.sum()
    price = least_price(float(n), node.table, class_counts)
    least = least_purity(class_counts, price, node.table)
    last = last_present(class_counts)
    steps = np.zeros(node.labels.size, dtype=np.int64)
    for k in range(members.size):
        steps[members[k]] = weights[k] * (UP if node.labels[members[k]] == last else 1)
    end = PathEnd(n - class_counts[last], class_counts[last])
    for feature in range(uncut.size):
        if node.n_categories[feature] == 0 and node.n_known[feature] == node.labels.size:
            uncut[feature] = not may_be_cut(node.ranked[feature], steps, end, least, node.table)


@kernel
def may_be_cut(ranked: Ints, steps: Ints, end: PathEnd, least: float, table: Floats) -> bool:
    """Return whether some cut of a column might be pure enough.

    Parameters
    ----------
    ranked : int64[cases], the cases of the node in ascending order
    steps : int64[cases], step of each case along the path of two classes, 0 if it is not a member
    end : where the path ends
    least : least purity required
    table : float64[...], x ln x of the integers
    """
    right, up = 0, 0
    for begin in range(0, ranked.size, STRIDE):
        packed = 0
        for i in range(begin, min(begin + STRIDE, ranked.size)):
            packed += steps[ranked[i]]
        step, rise = packed % UP, packed // UP
        if purest_corner(right, up, step, rise, end, table) >= least:
            return True
        right, up = right + step, up + rise
    return False


@kernel
def divide_by_category(feature: Int, node: NodeCases, order: Ints, split: Partition) -> bool:
    """Write the branch of each case; return whether two branches have enough cases."""
    values, weights = node.values[feature], node.weights
    branches, shares = split.branch, split.shares
    fill(shares, 0.0)
    total = 0.0
    for case in order:
        branches[case] = DIVIDED
        if values[case] == values[case]:
            branch = int(values[case])
            branches[case] = branch
            shares[branch] += weights[case]
            total += weights[case]
    n_large = 0
    for number in range(shares.size):
        if shares[number] > MIN_BRANCH - SMALL:
            n_large += 1
        shares[number] /= max(total, SMALL)
    return n_large > 1


@kernel
def divide_by_threshold(feature: Int, node: NodeCases, order: Ints, split: Partition) -> float:
    """Sort the cases, write the branch of each, and return the threshold; NaN if there is none."""
    values, shares = node.values[feature], split.shares
    n_known = node.n_known[feature]
    ranked = node.ranked[feature, :n_known]
    if n_known == order.size and all_differ(values, ranked):
        copy_to(order, ranked)
    else:
        # Weka sorts twice, and its sort is not stable.
        sort_cases(order, values)
        sort_cases(order, values)
    best = best_threshold(values, node, order, n_known)
    if best < 0:
        return math.nan
    fill(shares, 0.0)
    fill(split.branch, DIVIDED)
    for i in range(n_known):
        case = order[i]
        branch = int(i > best)
        split.branch[case] = branch
        shares[branch] += node.weights[case]
    total = shares[0] + shares[1]
    shares[0] /= total
    shares[1] /= total
    low, high = float(values[order[best]]), float(values[order[best + 1]])
    middle = (low + high) / 2.0
    # Where the middle rounds to the larger value, that value would go to the wrong side.
    return low if middle == high else middle


@kernel
def all_differ(values: Floats, ranked: Ints) -> bool:
    """Return whether no two cases have the same number, so that every sort gives the same order."""
    n_equal = 0
    for i in range(ranked.size - 1):
        n_equal += int(values[ranked[i]] == values[ranked[i + 1]])
    return n_equal == 0


@kernel
def best_threshold(values: Floats, node: NodeCases, order: Ints, n_known: Int) -> Int:
    """Return the place of the last case left of the cut of highest gain, -1 if there is none."""
    labels, weights, copies, table = node.labels, node.weights, node.copies, node.table
    left, right = np.zeros(node.n_classes), np.zeros(node.n_classes)
    known, total, n_cases = 0.0, 0.0, 0.0
    for i in range(order.size):
        total += weights[order[i]]
        if i < n_known:
            right[labels[order[i]]] += weights[order[i]]
            known += weights[order[i]]
            n_cases += copies[order[i]]
    min_side = least_side(known, node.n_classes)
    if 2.0 * min_side - n_cases > SMALL:
        return -1
    before = bits(known, table) - sum_of_bits(right, table)
    known_share = 1.0 - (total - known) / total
    n_left, n_right = 0.0, known
    best_gain, best, n_cuts = 0.0, -1, 0
    for i in range(n_known - 1):
        case = order[i]
        left[labels[case]] += weights[case]
        right[labels[case]] -= weights[case]
        n_left += weights[case]
        n_right -= weights[case]
        if not values[case] + TOO_CLOSE < values[order[i + 1]]:
            continue
        if n_left > min_side - SMALL and n_right > min_side - SMALL:
            purity = purity_in_bits(left, n_left, right, n_right, table)
            gained = known_share * (before + purity)
            gain = (gained if abs(gained) >= SMALL else 0.0) / known
            if gain - best_gain > SMALL:
                best_gain, best = gain, i
            n_cuts += 1
    # The more cuts were tried, the more the best one must gain.
    if best < 0 or best_gain - math.log(n_cuts) / LOG_2 / total < SMALL:
        return -1
    return best


@kernel
def least_side(known: float, n_classes: Int) -> float:
    """Return the least weight of a side of a cut: a tenth of the mean class, within limits."""
    tenth = 0.1 * known / n_classes
    if tenth - MIN_BRANCH < SMALL:
        return MIN_BRANCH
    return MAX_SIDE if tenth - MAX_SIDE > SMALL else tenth


@kernel
def purity_in_bits(
    left: Floats, n_left: float, right: Floats, n_right: float, table: Floats
) -> float:
    """Return the sum of x log2 x over the classes of both sides, less that of the sides."""
    purity = 0.0
    for label in range(left.size):
        purity += bits(left[label], table)
    purity -= bits(n_left, table)
    for label in range(right.size):
        purity += bits(right[label], table)
    return purity - bits(n_right, table)


@kernel
def sum_of_bits(counts: Floats, table: Floats) -> float:
    """Return the sum of x log2 x over all classes."""
    added = 0.0
    for label in range(counts.size):
        added += bits(counts[label], table)
    return added


@kernel
def bits(x: float, table: Floats) -> float:
    """Return x log2 x, 0 for negligible x."""
    return x_log_x(x, table) / LOG_2 if x >= SMALL else 0.0


class RankedCases(NamedTuple):
    """``ranked`` and ``n_known`` of the cases of a branch."""

    ranked: Ints2D
    n_known: Ints


@typed_kernel
def keep_ranked(node: NodeCases, place: ReadonlyInts, kept: RankedCases) -> None:
    """Keep the cases of a branch among those of its node, in ascending order of their numbers.

    Parameters
    ----------
    node : the cases of the node
    place : int64[cases], number of each case in the branch, or ``MISSING``
    kept : receives the ranks of the branch; its arrays are zero
    """
    for feature in range(node.n_known.size):
        if node.n_categories[feature] > 0:
            continue
        end = 0
        for rank in range(node.n_known[feature]):
            number = place[node.ranked[feature, rank]]
            if number != MISSING:
                kept.ranked[feature, end] = number
                end += 1
        kept.n_known[feature] = end
