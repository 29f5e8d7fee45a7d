"""Split one large node by several threads.

Each thread counts, assigns and moves a block of the rows of the node, and gathers those of its rows
that are in bins to be searched. Sums of weights are exact, so the division into blocks does not
matter.
"""

import numpy as np

from roctree._jit import kernel, typed_kernel
from roctree.arrays import Floats, Floats2D, Ints
from roctree.tree.kernels.bins import (
    BinSearch,
    Inside,
    NodeScratch,
    compares_gains,
    count_bins,
    gather_keys,
    least_worth,
    list_bins,
    load_bins,
    mark_bins,
    refine_ratios,
    search_between,
    search_in_bins,
    search_inside,
)
from roctree.tree.kernels.divide import keep_branches
from roctree.tree.kernels.grow import BinnedFunctions, open_node
from roctree.tree.kernels.numeric import join_missing, sum_of
from roctree.tree.kernels.records import (
    BestSplits,
    Bins,
    Division,
    Features,
    GrowthState,
    KernelRules,
    Node,
    Rows,
)
from roctree.tree.kernels.rows import (
    BinnedData,
    assign_rows,
    copy_row,
    threshold_of,
)
from roctree.tree.kernels.scan import Search, best_feature, worth
from roctree.tree.tree import NO_BRANCH


@typed_kernel
def count_block(begin: int, end: int, bins: Bins, rows: Rows, histogram: Floats2D) -> None:
    """Count the classes of every bin of every attribute in a block of rows."""
    count_bins(begin, end, bins, rows, histogram)


@typed_kernel
def search_all_between(data: BinnedData, functions: BinnedFunctions, memory: NodeScratch) -> float:
    """Enter the best splits between bins of all attributes; return the highest worth of them."""
    search = BinSearch(functions.sorted.search, functions.enter_categories, functions.refine)
    return search_between(0, memory.work.found.n_branches.size, data, search, memory)


@typed_kernel
def search_all_in_bins(
    best: float, node: Node, data: BinnedData, functions: BinnedFunctions, memory: NodeScratch
) -> None:
    """Search the bins of all attributes, in one thread."""
    search = BinSearch(functions.sorted.search, functions.enter_categories, functions.refine)
    if compares_gains(search.search.rules):
        n_features = memory.work.found.n_branches.size
        search_in_bins(0, n_features, best, node, data, search, memory)
    else:
        refine_ratios(node, data, search, memory)


@typed_kernel
def search_in_bins_of(
    feature: int,
    best: float,
    node: Node,
    data: BinnedData,
    functions: BinnedFunctions,
    memory: NodeScratch,
) -> None:
    """Search the bins of an attribute where some cut may be worth ``best`` or more."""
    search = BinSearch(functions.sorted.search, functions.enter_categories, functions.refine)
    search_in_bins(feature, feature + 1, best, node, data, search, memory)


@kernel
def mark(feature: int, best: float, data: BinnedData, search: Search, memory: NodeScratch) -> int:
    """Mark the bins of an attribute where a cut may be worth ``best``; return how many are filled.

    Returns 0 if no bin is marked.
    """
    candidates, bin_work = memory.work.candidates, memory.bin_work
    n = load_bins(feature, data.bins, memory.histogram, candidates, bin_work)
    join_missing(search.rules, candidates)
    gain, _ = mark_bins(n, least_worth(best), search, candidates, bin_work)
    return 0 if gain == -np.inf else n


@typed_kernel
def mark_features(
    best: float, data: BinnedData, functions: BinnedFunctions, memory: NodeScratch, marked: Ints
) -> bool:
    """Set ``marked`` to 1 for the attributes with a bin to search inside.

    Returns false if attributes cannot be searched one by one, because ratios are compared or
    missing cases are tried on both sides.
    """
    search = functions.sorted.search
    if not compares_gains(search.rules):
        return False
    for feature in range(marked.size):
        marked[feature] = 0
        if not data.bins.exact[feature]:
            marked[feature] = 1 if mark(feature, best, data, search, memory) > 0 else 0
            if search.rules.join_missing and sum_of(memory.work.candidates.missing) > 0.0:
                return False
    return True


@typed_kernel
def mark_feature(
    feature: int, best: float, data: BinnedData, functions: BinnedFunctions, memory: NodeScratch
) -> int:
    """Mark the bins of an attribute where a cut may be the best; return how many there are.

    ``starts`` becomes 1 for the bins to search inside.
    """
    candidates, bin_work = memory.work.candidates, memory.bin_work
    n = mark(feature, best, data, functions.sorted.search, memory)
    return list_bins(feature, n, data.bins, candidates, bin_work)


@typed_kernel
def gather_block(
    feature: int, begin: int, end: int, data: BinnedData, is_marked: Ints, keys: Ints
) -> int:
    """Write the rows of a block that are in marked bins to ``keys``; return how many there are."""
    return gather_keys(feature, begin, end, 0, data, is_marked, keys)


@typed_kernel
def search_marked(
    feature: int,
    n_keys: int,
    n_bins: int,
    best: float,
    data: BinnedData,
    functions: BinnedFunctions,
    memory: NodeScratch,
) -> float:
    """Search inside the marked bins of an attribute, the rows of which are the keys.

    Returns the worth of the attribute.
    """
    search = functions.sorted.search
    inside = Inside(feature, NO_BRANCH, least_worth(best), n_bins)
    search_inside(n_keys, 0, inside, data, search, memory)
    return worth(feature, memory.work.found, search.rules.correction)


@typed_kernel
def choose_feature(features: Features, found: BestSplits, rules: KernelRules) -> int:
    """Return the attribute to split on; -1 if no split is good enough."""
    return best_feature(features, found, rules)


@typed_kernel
def assign_block(
    feature: int,
    node: Node,
    data: BinnedData,
    found: BestSplits,
    division: Division,
    counts: Floats2D,
    beside: Floats,
) -> None:
    """Assign a block of rows to branches, and count them; all have a known branch.

    ``beside`` gets the highest value on the left of a numeric cut and the lowest on its right.
    """
    _, beside[0], beside[1] = assign_rows(feature, node, data, found, division, counts)


@typed_kernel
def open_divided(
    node: Node,
    feature: int,
    beside: Floats,
    features: Features,
    rules: KernelRules,
    found: BestSplits,
    division: Division,
    grown: GrowthState,
) -> None:
    """Enter the split of a node whose children are counted, with known sizes.

    ``division.size`` becomes 0 for branches that are not split again.
    """
    keep_branches(found.n_branches[feature], 0, node, rules, division, grown.nodes.counts)
    grown.nodes.threshold[node.number] = threshold_of(feature, beside[0], beside[1], features)
    open_node(node, feature, rules.join_missing, features, found, grown)


@typed_kernel
def move_block(begin: int, end: int, cursor: Ints, rows: Rows, moved: Rows) -> None:
    """Copy a block of rows to the places of their branches."""
    for i in range(begin, end):
        branch = rows.branch[i]
        copy_row(i, cursor[branch], rows.weight[i], rows, moved)
        cursor[branch] += 1
