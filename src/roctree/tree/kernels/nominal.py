"""The best split of a nominal attribute at a node.

``two_sets`` looks for two sets of categories. With two classes the best pair of sets for a convex
criterion lies along the order of the share of positives (Breiman et al. 1984), so the search is
exact unless a branch of that pair is too light. With more classes that order is tried for each of
the most frequent classes in turn, a heuristic. ``multiway`` gives each category its own branch,
``split_one_from_rest`` splits one category from the others.

Categories without a case at the node belong to neither set: there they count as missing.

With many categories the best pair of sets has a high score by chance. Two sets are therefore
ordered and scored by shrunk counts (``roctree.tree.growth``); the counts of the tree are not.
"""

import math
from collections.abc import Callable
from typing import Annotated, TypeAlias

import numpy as np

from roctree._jit import function_type, inlined, kernel, typed_kernel
from roctree.arrays import Floats, Floats2D
from roctree.tree.kernels.numeric import (
    count_values,
    improvement,
    is_constant,
    join_missing,
    sum_of,
    weight_of,
)
from roctree.tree.kernels.records import (
    LOG2,
    MULTIWAY,
    NO_CORRECTION,
    ONE_VS_REST,
    BestSplits,
    Cases,
    Features,
    KernelRules,
    Node,
    NodeCategories,
    SearchScratch,
)
from roctree.tree.kernels.scan import (
    Search,
    binary_info,
    information,
    is_large_enough,
    prefer_even,
)
from roctree.tree.tree import NO_BRANCH

MAX_ORDERS = 8
# The gaps of a shell sort.
GAPS = (1750, 701, 301, 132, 57, 23, 10, 4, 1)


@kernel
def divide_categories(
    feature: int, n: int, features: Features, search: Search, work: SearchScratch
) -> None:
    """Enter the best division of the ``n`` categories whose counts are in ``work.categories``."""
    joins = join_missing(search.rules, work.candidates)
    n_categories, offset = features.n_categories[feature], features.offset[feature]
    for code in range(n_categories):
        work.found.branch_of[offset + code] = NO_BRANCH
    if search.rules.nominal == MULTIWAY:
        multiway(feature, n, joins, features, search, work)
    elif search.rules.nominal == ONE_VS_REST:
        split_one_from_rest(feature, n, joins, features, search, work)
    else:
        two_sets(feature, n, joins, features, search, work)


@inlined
def comes_after(category: int, other: int, shares: Floats) -> bool:
    """Whether a category has the larger share, or of equal shares the higher code."""
    if shares[category] == shares[other]:
        return category > other
    return bool(shares[category] > shares[other])


@kernel
def order_by_share(n: int, label: int, categories: NodeCategories) -> None:
    """Order categories by their share of a class; equal shares stay in the order of their codes.

    A shell sort: most attributes have few categories, and some have tens of thousands.
    """
    counts, shares, order = categories.counts, categories.shares, categories.order
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
def next_class(total: Floats, label: int) -> int:
    """Return the most frequent class after ``label`` (-1: of all), the lower label on ties."""
    best = -1
    for other in range(total.size):
        after = label < 0 or total[other] < total[label]
        after = after or (total[other] == total[label] and other > label)
        if after and other != label and (best < 0 or total[other] > total[best]):
            best = other
    return best


@kernel
def shrink(n: int, strength: float, counts: Floats2D, common: Floats) -> None:
    """Shrink the counts of ``n`` categories towards a common distribution.

    A category of weight w contributes strength / (w + strength) of its counts to that distribution
    and receives as much. The weights of categories and of classes are unchanged.
    """
    common_weight = 0.0
    for label in range(common.size):
        common[label] = 0.0
    for i in range(n):
        weight = weight_of(counts, i)
        share = strength / (weight + strength)
        common_weight += share * weight
        for label in range(common.size):
            common[label] += share * counts[i, label]
    if common_weight <= 0.0:
        return
    for i in range(n):
        weight = weight_of(counts, i)
        share = strength / (weight + strength)
        for label in range(common.size):
            own = (1.0 - share) * counts[i, label]
            counts[i, label] = own + share * weight * (common[label] / common_weight)


@kernel
def two_sets(
    feature: int, n: int, joins: bool, features: Features, search: Search, work: SearchScratch
) -> None:
    """Enter the best pair of sets; missing values that join are one more category."""
    rules, candidates, found = search.rules, work.candidates, work.found
    counts, order = work.categories.counts, work.categories.order
    lefts, total = candidates.lefts, candidates.total
    if joins:
        work.categories.codes[n] = NO_BRANCH
        for label in range(total.size):
            counts[n, label] = candidates.missing[label]
        n += 1
    if n < 2:
        return
    if features.shrinkage[feature] > 0.0:
        shrink(n, features.shrinkage[feature], counts, candidates.running)
    best_score = -np.inf
    node = sum_of(candidates.known) + sum_of(candidates.missing)
    n_orders = 1 if total.size == 2 else min(total.size, MAX_ORDERS)
    label = -1
    for _ in range(n_orders):
        label = next_class(total, label)
        order_by_share(n, label, work.categories)
        for i in range(n):
            for other in range(total.size):
                before = lefts[i, other] if i > 0 else 0.0
                # Sums of shrunk counts are rounded.
                lefts[i + 1, other] = min(before + counts[order[i], other], total[other])
        cut, score, _ = search.scan(1, n, rules.min_leaf, candidates, rules, search.scoring)
        cut, score, _ = prefer_even(1, n, rules.min_leaf, cut, score, search, candidates)
        if cut < 0 or score <= best_score:
            continue
        best_score = score
        info = binary_info(weight_of(lefts, cut), sum_of(total), node, rules.correction)
        found.info[feature] = info
        found.n_branches[feature] = 2
        enter_sets(feature, cut, n, features.offset[feature], work.categories, found)
    if found.n_branches[feature] > 0:
        found.gain[feature] = improvement(best_score, rules, search.scoring.table, candidates)


@kernel
def enter_sets(
    feature: int, cut: int, n: int, offset: int, categories: NodeCategories, found: BestSplits
) -> None:
    """Write the branch of each category; branch 0 is the set with the lowest code."""
    order = categories.order
    swap = 0
    for i in range(cut, n):
        if order[i] == 0:
            swap = 1
    found.missing_branch[feature] = NO_BRANCH
    for i in range(n):
        branch = (0 if i < cut else 1) ^ swap
        code = categories.codes[order[i]]
        if code == NO_BRANCH:
            found.missing_branch[feature] = branch
        else:
            found.branch_of[offset + code] = branch


@kernel
def split_one_from_rest(
    feature: int, n: int, joins: bool, features: Features, search: Search, work: SearchScratch
) -> None:
    """Enter the best split of one category from the rest, by ratio if splits are compared by it.

    Missing values that join a branch join the rest, where an unknown value most likely belongs.
    """
    rules, scoring, candidates, found = search.rules, search.scoring, work.candidates, work.found
    counts, total, scores = work.categories.counts, candidates.total, candidates.scores
    known = sum_of(total)
    node = sum_of(candidates.known) + sum_of(candidates.missing)
    minimum, offset = rules.min_leaf, features.offset[feature]
    scoring.block(counts, 0, n, total, rules.class_weight, scores)
    best, best_value = -1, -np.inf
    for i in range(n):
        if not is_large_enough(counts, i, 0, total, minimum, rules):
            continue
        if not is_large_enough(counts, i, 1, total, minimum, rules):
            continue
        gain = improvement(scores[i], rules, scoring.table, candidates)
        info = binary_info(weight_of(counts, i), known, node, rules.correction)
        if gain / info > best_value + rules.tolerance:
            best, best_value = i, gain / info
            found.gain[feature], found.info[feature] = gain, info
    if best < 0:
        return
    for i in range(n):
        found.branch_of[offset + work.categories.codes[i]] = 0 if i == best else 1
    found.n_branches[feature] = 2
    found.missing_branch[feature] = 1 if joins else NO_BRANCH


@kernel
def multiway(
    feature: int, n: int, joins: bool, features: Features, search: Search, work: SearchScratch
) -> None:
    """Enter the split with a branch per declared category; two branches must be large enough."""
    rules, table, candidates, found = (
        search.rules,
        search.scoring.table,
        work.candidates,
        work.found,
    )
    counts, codes, class_weight = work.categories.counts, work.categories.codes, rules.class_weight
    n_categories, offset = features.n_categories[feature], features.offset[feature]
    branches = work.categories.branches[:n_categories]
    for branch in range(n_categories):
        for label in range(class_weight.size):
            branches[branch, label] = 0.0
    n_enough = 0
    for i in range(n):
        for label in range(class_weight.size):
            branches[codes[i], label] = counts[i, label] * class_weight[label]
        enough = is_large_enough(counts, i, 0, candidates.total, rules.min_leaf, rules)
        n_enough += 1 if enough else 0
    if n_enough < 2:
        return
    missing_branch, score = NO_BRANCH, -np.inf
    if not joins:
        score = table(branches)
    else:
        for branch in range(n_categories):
            for sign in (1.0, -1.0):
                for label in range(class_weight.size):
                    missing = candidates.missing[label] * class_weight[label]
                    branches[branch, label] += sign * missing
                if sign > 0.0 and table(branches) > score:
                    missing_branch, score = branch, table(branches)
    for code in range(n_categories):
        found.branch_of[offset + code] = code
    found.n_branches[feature] = n_categories
    found.missing_branch[feature] = missing_branch
    found.gain[feature] = improvement(score, rules, table, candidates)
    found.info[feature] = multiway_info(n, missing_branch, rules, work)


@kernel
def multiway_info(n: int, missing_branch: int, rules: KernelRules, work: SearchScratch) -> float:
    """Return the divisor of a multiway split's improvement.

    Missing cases that join no branch, or an empty one, count as one more.
    """
    if rules.correction == NO_CORRECTION:
        return 1.0
    missing = sum_of(work.candidates.missing)
    node = sum_of(work.candidates.known) + missing
    info = 0.0
    for i in range(n):
        weight = weight_of(work.categories.counts, i)
        if work.categories.codes[i] == missing_branch:
            weight += missing
            missing = 0.0
        info += information(weight, node)
    if rules.correction == LOG2:
        return math.log2(n + 1 if missing_branch >= 0 and missing > 0.0 else n)
    return info + information(missing, node)


@typed_kernel(python=False)
def find_sets(
    node: Node, features: Features, cases: Cases, search: Search, work: SearchScratch
) -> None:
    """Enter the best division of the categories of every nominal attribute at a sorted node."""
    lefts, places = work.candidates.lefts, work.candidates.places
    counts, codes = work.categories.counts, work.categories.codes
    for feature in range(features.n_categories.size):
        if features.n_categories[feature] == 0 or is_constant(feature, node, cases):
            continue
        n = count_values(feature, node, cases, work.candidates)
        for i in range(n):
            codes[i] = cases.rank[feature, cases.order[feature, places[i]]]
            for label in range(counts.shape[1]):
                counts[i, label] = lefts[i + 1, label] - lefts[i, label]
        divide_categories(feature, n, features, search, work)


@typed_kernel(python=False)
def enter_categories(
    feature: int, n: int, features: Features, search: Search, work: SearchScratch
) -> None:
    """Enter the best division of ``n`` categories that are counted already."""
    divide_categories(feature, n, features, search, work)


@typed_kernel(python=False)
def no_categories(
    feature: int, n: int, features: Features, search: Search, work: SearchScratch
) -> None:
    """Do nothing; replaces ``enter_categories`` if no attribute is nominal."""


# The division of categories that are counted already.
EnterCategories: TypeAlias = Annotated[Callable[..., None], function_type(enter_categories)]
