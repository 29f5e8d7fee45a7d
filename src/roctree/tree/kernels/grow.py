"""Grow a tree to its leaves: nodes with many cases by bins, the subtrees below them sorted.

Nodes to be split are on stacks, the last child on top. If the arrays are full, a kernel returns and
continues where it stopped once its caller has enlarged them.
"""

from collections.abc import Callable
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from roctree._jit import function_type, inlined, kernel, typed_kernel
from roctree.arrays import Floats2D, Floats3D, Ints
from roctree.tree.kernels.bins import (
    BinSearch,
    EvaluateBinned,
    NodeScratch,
    Refine,
    count_bins,
    subtract_bins,
)
from roctree.tree.kernels.divide import Divide
from roctree.tree.kernels.nominal import EnterCategories
from roctree.tree.kernels.numeric import FindSplits
from roctree.tree.kernels.records import (
    FOR_BOTH,
    MISSING_RANK,
    NO_NODE,
    NO_ROOM,
    NOT_YET,
    READY,
    BestSplits,
    Bins,
    BinScratch,
    Cases,
    Division,
    Features,
    Filled,
    GrowthState,
    Node,
    Nodes,
    Rows,
    SearchScratch,
)
from roctree.tree.kernels.rows import BinnedData, DivideRows, SortRows, midpoint
from roctree.tree.kernels.scan import Search, best_feature
from roctree.tree.tree import IS_PRESENT

# What ``grow_binned`` returns.
DONE, FULL, HAND_OVER, PAUSE = range(4)
# Return to Python after this many cells, about ten times a second, so that Ctrl-C works.
TURN = 1 << 24


class SortedFunctions(NamedTuple):
    """The kernels of sorted nodes."""

    search: Search
    find_cuts: FindSplits
    find_sets: FindSplits
    divide: Divide


@inlined
def threshold_at(
    feature: int, cut: int, end: int, features: Features, bins: Bins, cases: Cases
) -> float:
    """Return the midpoint of the values beside a cut, or all values if none is on its right."""
    order, rank = cases.order, cases.rank
    if cut == end or rank[feature, order[feature, cut]] == MISSING_RANK:
        return IS_PRESENT
    left, right = order[feature, cut - 1], order[feature, cut]
    if bins.exact[feature]:
        low = bins.highest[feature, rank[feature, left]]
        return midpoint(low, bins.lowest[feature, rank[feature, right]])
    low = features.values[cases.row[left], feature]
    return midpoint(low, features.values[cases.row[right], feature])


@inlined
def heaviest(first: int, n_branches: int, counts: Floats2D) -> int:
    """Return the branch with the largest weight, the first on ties."""
    best, best_weight = 0, -1.0
    for branch in range(n_branches):
        weight = 0.0
        for label in range(counts.shape[1]):
            weight += counts[first + branch, label]
        if weight > best_weight:
            best, best_weight = branch, weight
    return best


@kernel
def open_node(
    node: Node, feature: int, joins: bool, features: Features, found: BestSplits, grown: GrowthState
) -> None:
    """Enter the split of a node, whose children are already counted.

    If missing values join a branch (``joins``) and none was seen, it is the heaviest.
    """
    nodes, filled, number = grown.nodes, grown.filled, node.number
    first, start = node.first_child, filled.n_category_branches
    n_branches = found.n_branches[feature]
    nodes.first_child[number] = first
    nodes.n_children[number] = n_branches
    nodes.feature[number] = feature
    nodes.missing_branch[number] = found.missing_branch[feature]
    if joins and found.missing_branch[feature] < 0:
        nodes.missing_branch[number] = heaviest(first, n_branches, nodes.counts)
    nodes.category_start[number] = start
    nodes.gain[number] = found.gain[feature]
    for code in range(features.n_categories[feature]):
        nodes.category_branch[start + code] = found.branch_of[features.offset[feature] + code]
    for child in range(first, first + n_branches):
        nodes.n_children[child] = 0
    filled.n_nodes += n_branches
    filled.n_category_branches += features.n_categories[feature]


@inlined
def has_room(widest: int, n_codes: int, nodes: Nodes, filled: Filled) -> bool:
    """Whether there is room for the nodes of one more split into ``widest`` branches."""
    return (
        filled.n_nodes + widest <= nodes.feature.size
        and filled.n_category_branches + n_codes <= nodes.category_branch.size
    )


@inlined
def push_branches(
    node: Node, n_branches: int, in_use: int, division: Division, grown: GrowthState
) -> None:
    """Put the children that may be split on the stack, each with its range of the orders."""
    stack, filled, begin = grown.stack, grown.filled, node.begin
    for branch in range(n_branches):
        size = division.size[branch]
        if size == 0:
            continue
        top = filled.n_stack
        stack.begin[top], stack.end[top] = begin, begin + size
        stack.depth[top], stack.node[top] = node.depth + 1, node.first_child + branch
        stack.in_use[top] = in_use
        filled.n_stack += 1
        begin += size


@typed_kernel
def grow_sorted(
    features: Features,
    bins: Bins,
    cases: Cases,
    functions: SortedFunctions,
    work: SearchScratch,
    division: Division,
    grown: GrowthState,
) -> bool:
    """Split the nodes on the stack and all below them; return false if the arrays are full."""
    nodes, stack, filled = grown.nodes, grown.stack, grown.filled
    rules, found = functions.search.rules, work.found
    has_categories = features.offset[-1] > 0
    widest, n_codes = division.size.size, found.branch_of.size
    while filled.n_stack > 0:
        top = filled.n_stack - 1
        node = Node(
            stack.begin[top],
            stack.end[top],
            stack.depth[top],
            stack.node[top],
            filled.n_nodes,
            stack.in_use[top],
        )
        if not has_room(widest, n_codes, nodes, filled) or top + widest > stack.begin.size:
            return False
        for feature in range(found.n_branches.size):
            found.n_branches[feature] = 0
        functions.find_cuts(node, features, cases, functions.search, work)
        if has_categories:
            functions.find_sets(node, features, cases, functions.search, work)
        feature = best_feature(features, found, rules)
        if feature < 0:
            filled.n_stack = top
            continue
        nodes.threshold[node.number] = np.nan
        if features.n_categories[feature] == 0:
            cut = found.cut[feature]
            nodes.threshold[node.number] = threshold_at(
                feature, cut, node.end, features, bins, cases
            )
        in_use = functions.divide(
            feature, node, features, cases, rules, found, division, nodes.counts
        )
        if in_use == NO_ROOM:
            return False
        open_node(node, feature, rules.join_missing, features, found, grown)
        filled.n_stack = top
        push_branches(node, found.n_branches[feature], in_use, division, grown)
    return True


GrowSorted: TypeAlias = Annotated[Callable[..., bool], function_type(grow_sorted)]


class BinnedFunctions(NamedTuple):
    """The kernels of binned nodes, and those of the sorted nodes below them."""

    enter_categories: EnterCategories
    refine: Refine
    evaluate: EvaluateBinned
    divide: DivideRows
    sort: SortRows
    sorted: SortedFunctions
    grow_sorted: GrowSorted


class GrowthScratch(NamedTuple):
    """The scratch memory of growth by bins.

    ``histograms`` hold the class counts of the node to be split and of those that wait for it.
    """

    cases: Cases
    spare: Rows
    work: SearchScratch
    bin_work: BinScratch
    division: Division
    histograms: Floats3D


@kernel
def count_node(data: BinnedData, histograms: Floats3D, grown: GrowthState) -> None:
    """Count the bins of the node on top of the stack, perhaps for its sibling too."""
    stack, top = grown.row_stack, grown.filled.n_row_stack - 1
    slot = stack.slot[top]
    count_bins(stack.begin[top], stack.end[top], data.bins, data.rows, histograms[slot])
    if stack.counted[top] == FOR_BOTH:
        subtract_bins(histograms[slot - 1], histograms[slot])
    stack.counted[top] = READY
    if stack.node[top] == NO_NODE:
        grown.filled.n_row_stack = top


@kernel
def child_by_subtraction(
    narrow: int, begin: int, n_branches: int, n_features: int, n_cells: int, division: Division
) -> int:
    """Return the branch whose histogram is that of its parent less all others; -1 for none.

    It is the largest, if this saves counting more cells of rows than there are cells to subtract.
    Branches that are not split by bins are counted only for this purpose.
    """
    chosen, largest, spared = -1, narrow, 0
    for branch in range(n_branches):
        if division.size[branch] > largest:
            chosen, largest = branch, division.size[branch]
    for branch in range(n_branches):
        end = division.cursor[branch]
        if branch == chosen:
            spared += end - begin
        elif division.size[branch] <= narrow:
            spared -= end - begin
        begin = end
    return chosen if spared * n_features > n_cells * (n_branches - 1) else -1


@kernel
def push_rows(
    node: Node, n_branches: int, chosen: int, slot: int, division: Division, grown: GrowthState
) -> None:
    """Put the children that may be split on the stack, each with its range of the rows.

    The child whose histogram is found by subtraction (``chosen``) comes first, because the others
    must be counted before it. Each of those is at most half as large as the parent, so few
    histograms are kept at a time.
    """
    stack, filled, begin = grown.row_stack, grown.filled, node.begin
    top = filled.n_row_stack + (1 if chosen >= 0 else 0)
    for branch in range(n_branches):
        end, is_chosen = division.cursor[branch], branch == chosen
        if division.size[branch] > 0 or (chosen >= 0 and end > begin):
            place = filled.n_row_stack if is_chosen else top
            stack.begin[place], stack.end[place] = begin, end
            stack.depth[place], stack.node[place] = node.depth + 1, node.first_child + branch
            if division.size[branch] == 0:
                stack.node[place] = NO_NODE
            stack.slot[place] = slot if is_chosen or chosen < 0 else slot + 1
            stack.counted[place] = NOT_YET
            if chosen >= 0:
                stack.counted[place] = READY if is_chosen else FOR_BOTH
            top += 0 if is_chosen else 1
        begin = end
    filled.n_row_stack = top


@kernel
def push_sorted(node: Node, top: int, grown: GrowthState) -> None:
    """Move a node, whose cases have been sorted, from the stack of rows to that of sorted nodes."""
    stack, n_cases = grown.stack, node.end - node.begin
    stack.begin[0], stack.end[0], stack.in_use[0] = 0, n_cases, n_cases
    stack.depth[0], stack.node[0] = node.depth, node.number
    grown.filled.n_stack, grown.filled.n_row_stack = 1, top


@typed_kernel
def grow_binned(
    narrow: int,
    min_handed_over: Ints,
    data: BinnedData,
    functions: BinnedFunctions,
    memory: GrowthScratch,
    grown: GrowthState,
) -> int:
    """Split the nodes on the row stack and all below them.

    Nodes of at most ``narrow`` cases are grown as sorted nodes. Returns DONE; FULL if the arrays
    are full; HAND_OVER if the node on top has at least ``min_handed_over[0]`` cases and is not the
    last, so that another thread may grow it; or PAUSE at regular intervals. Other threads lower
    ``min_handed_over`` while they have nothing to do.
    """
    features, nodes, stack, filled = data.features, grown.nodes, grown.row_stack, grown.filled
    work, division, histograms = memory.work, memory.division, memory.histograms
    found, rules = work.found, functions.sorted.search.rules
    search = BinSearch(functions.sorted.search, functions.enter_categories, functions.refine)
    widest, n_codes, n_features = division.size.size, found.branch_of.size, data.rows.codes.shape[1]
    n_bins, n_classes = histograms.shape[1], histograms.shape[2]
    n_cells = 0
    while filled.n_stack > 0 or filled.n_row_stack > 0:
        if n_cells > TURN:
            return PAUSE
        if filled.n_stack > 0:
            if not functions.grow_sorted(
                features, data.bins, memory.cases, functions.sorted, work, division, grown
            ):
                return FULL
            continue
        top = filled.n_row_stack - 1
        counted, slot = stack.counted[top], stack.slot[top]
        node = Node(
            stack.begin[top], stack.end[top], stack.depth[top], stack.node[top], filled.n_nodes, 0
        )
        size = node.end - node.begin
        is_handed_over = top > 0 and size >= min_handed_over[0]
        if counted == FOR_BOTH or (counted == NOT_YET and size > narrow and not is_handed_over):
            count_node(data, histograms, grown)
            continue
        if is_handed_over:
            return HAND_OVER
        n_cells += size * n_features
        if size <= narrow:
            functions.sort(node.begin, node.end, data, memory.cases, memory.bin_work)
            push_sorted(node, top, grown)
            continue
        if not has_room(widest, n_codes, nodes, filled) or top + widest > stack.begin.size:
            return FULL
        functions.evaluate(node, data, search, NodeScratch(histograms[slot], work, memory.bin_work))
        feature = best_feature(features, found, rules)
        if feature < 0:
            filled.n_row_stack = top
            continue
        total = functions.divide(feature, node, data, memory.spare, rules, found, division, nodes)
        if total == NO_ROOM:
            return FULL
        open_node(node, feature, rules.join_missing, features, found, grown)
        filled.n_row_stack = top
        n_branches, chosen = found.n_branches[feature], -1
        if slot + 1 < histograms.shape[0]:
            chosen = child_by_subtraction(
                narrow, node.begin, n_branches, n_features, n_bins * n_classes, division
            )
        push_rows(node, n_branches, chosen, slot, division, grown)
    return DONE
