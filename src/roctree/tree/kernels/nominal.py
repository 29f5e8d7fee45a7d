"""The best split of a nominal attribute at a node whose cases are sorted.

``binary`` looks for two sets of categories. With two classes the best pair of sets for a convex
criterion lies along the order of the share of positives (Breiman et al. 1984), so the search is
exact unless a branch of that pair is too light. With more classes that order is tried for each of
the most frequent classes in turn, a heuristic. ``multiway`` gives each category a branch,
``one_vs_rest`` one category and the others.

Categories without a case at the node belong to no set: there they count as missing.
"""

import math
from typing import Any

import numpy as np

from roctree._jit import inlined, kernel
from roctree.tree.kernels.choice import binary_info, information
from roctree.tree.kernels.layout import (
    CORRECTION,
    GAIN,
    INFO,
    KNOWN,
    LOG2,
    MIN_LEAF,
    MIN_STEERED,
    MISSING,
    MISSING_BRANCH,
    MULTIWAY,
    N_BRANCHES,
    N_CATEGORIES,
    NO_BRANCH,
    NO_CORRECTION,
    NOMINAL,
    OFFSET,
    ONE_VS_REST,
    TOLERANCE,
    TOTAL,
)
from roctree.tree.kernels.numeric import improvement, join_missing, weight_of
from roctree.tree.kernels.ordering import GAPS
from roctree.tree.kernels.scan import enough

MOST_ORDERS = 8


@kernel
def divide_categories(
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
    """Enter the best division of ``n`` categories, of which ``counts`` are the class counts.

    There is room for one more category, the missing values.
    """
    joins = join_missing(limits, vectors)
    n_categories, offset = columns[N_CATEGORIES, feature], columns[OFFSET, feature]
    for code in range(n_categories):
        branch_of[offset + code] = NO_BRANCH
    if limits[NOMINAL] == MULTIWAY:
        multiway(
            feature, counts, codes, n, joins, n_categories, offset, limits, class_weight, table,
            vectors, found_floats, found_ints, branch_of,
        )  # fmt: skip
    elif limits[NOMINAL] == ONE_VS_REST:
        one_vs_rest(
            feature, counts, codes, n, joins, offset, limits, class_weight, table, block, scores,
            vectors, found_floats, found_ints, branch_of,
        )  # fmt: skip
    else:
        two_sets(
            feature, counts, codes, n, joins, offset, limits, class_weight, table, block, scan,
            lefts, edges, corners, finest, scores, bounds, vectors, found_floats, found_ints,
            branch_of,
        )  # fmt: skip


@inlined
def comes_after(category: int, other: int, shares: np.ndarray) -> bool:
    """Whether a category has the larger share, or of equal shares the higher code."""
    if shares[category] == shares[other]:
        return category > other
    return bool(shares[category] > shares[other])


@kernel
def order_by_share(counts: np.ndarray, n: int, label: int, order: np.ndarray) -> None:
    """Order categories by their share of a class; equal shares stay in the order of their codes.

    A shell sort: most attributes have few categories, and some have tens of thousands.
    """
    shares = np.empty(n)
    for i in range(n):
        weight = weight_of(counts, i)
        shares[i] = counts[i, label] / weight if weight > 0.0 else 0.0
        order[i] = i
    for gap in GAPS:
        for i in range(gap, n):
            category, j = order[i], i
            while j >= gap and comes_after(order[j - gap], category, shares):
                order[j] = order[j - gap]
                j -= gap
            order[j] = category


@kernel
def next_class(total: np.ndarray, label: int) -> int:
    """The most frequent class after ``label`` (-1: of all), the lower label first on ties."""
    best = -1
    for other in range(total.size):
        after = label < 0 or total[other] < total[label]
        after = after or (total[other] == total[label] and other > label)
        if after and other != label and (best < 0 or total[other] > total[best]):
            best = other
    return best


@kernel
def two_sets(
    feature: int,
    counts: np.ndarray,
    codes: np.ndarray,
    n: int,
    joins: bool,
    offset: int,
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
    """Enter the best pair of sets; missing values that join are one more category."""
    total = vectors[TOTAL]
    if joins:
        codes[n] = NO_BRANCH
        for label in range(total.size):
            counts[n, label] = vectors[MISSING, label]
        n += 1
    if n < 2:
        return
    order = np.empty(n, np.int64)
    best_score = -np.inf
    node = weight_of(vectors, KNOWN) + weight_of(vectors, MISSING)
    n_orders = 1 if total.size == 2 else min(total.size, MOST_ORDERS)
    label = -1
    for _ in range(n_orders):
        label = next_class(total, label)
        order_by_share(counts, n, label, order)
        for i in range(n):
            for other in range(total.size):
                before = lefts[i, other] if i > 0 else 0.0
                lefts[i + 1, other] = before + counts[order[i], other]
        cut, score, _ = scan(
            lefts, 1, n, total, limits[MIN_LEAF], limits, class_weight, table, block,
            edges, corners, finest, scores, bounds,
        )  # fmt: skip
        if cut < 0 or score <= best_score:
            continue
        best_score = score
        info = binary_info(weight_of(lefts, cut), weight_of(vectors, TOTAL), node, limits)
        found_floats[feature, INFO] = info
        found_ints[feature, N_BRANCHES] = 2
        enter_sets(feature, order, cut, codes, n, offset, found_ints, branch_of)
    if found_ints[feature, N_BRANCHES] > 0:
        gain = improvement(best_score, limits, class_weight, table, vectors)
        found_floats[feature, GAIN] = gain


@kernel
def enter_sets(
    feature: int,
    order: np.ndarray,
    cut: int,
    codes: np.ndarray,
    n: int,
    offset: int,
    found_ints: np.ndarray,
    branch_of: np.ndarray,
) -> None:
    """Write the branch of each category; branch 0 is the set with the lowest code."""
    swap = 0
    for i in range(cut, n):
        if order[i] == 0:
            swap = 1
    found_ints[feature, MISSING_BRANCH] = NO_BRANCH
    for i in range(n):
        branch = (0 if i < cut else 1) ^ swap
        code = codes[order[i]]
        if code == NO_BRANCH:
            found_ints[feature, MISSING_BRANCH] = branch
        else:
            branch_of[offset + code] = branch


@kernel
def one_vs_rest(
    feature: int,
    counts: np.ndarray,
    codes: np.ndarray,
    n: int,
    joins: bool,
    offset: int,
    limits: np.ndarray,
    class_weight: np.ndarray,
    table: Any,
    block: Any,
    scores: np.ndarray,
    vectors: np.ndarray,
    found_floats: np.ndarray,
    found_ints: np.ndarray,
    branch_of: np.ndarray,
) -> None:
    """Enter the best category against the rest, by ratio where that is how splits compare.

    Missing values that join a branch join the rest, where an unknown value most likely belongs.
    """
    total = vectors[TOTAL]
    known = weight_of(vectors, TOTAL)
    node = weight_of(vectors, KNOWN) + weight_of(vectors, MISSING)
    minimum, steered = limits[MIN_LEAF], limits[MIN_STEERED]
    block(counts, 0, n, total, class_weight, scores)
    best, best_value = -1, -np.inf
    for i in range(n):
        if not enough(counts, i, 0, total, class_weight, minimum, steered):
            continue
        if not enough(counts, i, 1, total, class_weight, minimum, steered):
            continue
        gain = improvement(scores[i], limits, class_weight, table, vectors)
        info = binary_info(weight_of(counts, i), known, node, limits)
        if gain / info > best_value + limits[TOLERANCE]:
            best, best_value = i, gain / info
            found_floats[feature, GAIN], found_floats[feature, INFO] = gain, info
    if best < 0:
        return
    for i in range(n):
        branch_of[offset + codes[i]] = 0 if i == best else 1
    found_ints[feature, N_BRANCHES] = 2
    found_ints[feature, MISSING_BRANCH] = 1 if joins else NO_BRANCH


@kernel
def multiway(
    feature: int,
    counts: np.ndarray,
    codes: np.ndarray,
    n: int,
    joins: bool,
    n_categories: int,
    offset: int,
    limits: np.ndarray,
    class_weight: np.ndarray,
    table: Any,
    vectors: np.ndarray,
    found_floats: np.ndarray,
    found_ints: np.ndarray,
    branch_of: np.ndarray,
) -> None:
    """Enter the split with a branch per declared category; two branches must be large enough."""
    branches = np.zeros((n_categories, class_weight.size))
    n_enough = 0
    for i in range(n):
        for label in range(class_weight.size):
            branches[codes[i], label] = counts[i, label] * class_weight[label]
        is_enough = enough(
            counts, i, 0, vectors[TOTAL], class_weight, limits[MIN_LEAF], limits[MIN_STEERED]
        )
        n_enough += 1 if is_enough else 0
    if n_enough < 2:
        return
    missing_branch, score = NO_BRANCH, -np.inf
    if not joins:
        score = table(branches)
    else:
        for branch in range(n_categories):
            for sign in (1.0, -1.0):
                for label in range(class_weight.size):
                    missing = vectors[MISSING, label] * class_weight[label]
                    branches[branch, label] += sign * missing
                if sign > 0.0 and table(branches) > score:
                    missing_branch, score = branch, table(branches)
    for code in range(n_categories):
        branch_of[offset + code] = code
    found_ints[feature, N_BRANCHES] = n_categories
    found_ints[feature, MISSING_BRANCH] = missing_branch
    found_floats[feature, GAIN] = improvement(score, limits, class_weight, table, vectors)
    found_floats[feature, INFO] = multiway_info(counts, codes, n, missing_branch, limits, vectors)


@kernel
def multiway_info(
    counts: np.ndarray,
    codes: np.ndarray,
    n: int,
    missing_branch: int,
    limits: np.ndarray,
    vectors: np.ndarray,
) -> float:
    """What a multiway split's improvement is divided by.

    Missing cases that join no branch, or an empty one, are one more.
    """
    if limits[CORRECTION] == NO_CORRECTION:
        return 1.0
    missing = weight_of(vectors, MISSING)
    node = weight_of(vectors, KNOWN) + missing
    info = 0.0
    for i in range(n):
        weight = weight_of(counts, i)
        if codes[i] == missing_branch:
            weight += missing
            missing = 0.0
        info += information(weight, node)
    if limits[CORRECTION] == LOG2:
        return math.log2(n + 1 if missing_branch >= 0 and missing > 0.0 else n)
    return info + information(missing, node)
