"""Grow from coded rows: nodes with many cases by bins, the subtrees below them sorted.

The rows of a node are contiguous and are moved with every split, so that both passes over a node
read memory in order. The nodes still to be split are a stack, the last child on top.
"""

from typing import Any

import numpy as np

from roctree._jit import BLOCK_FUNCTION, TABLE_FUNCTION, kernel, typed_kernel
from roctree.tree.kernels.binned import BINNED_FUNCTION
from roctree.tree.kernels.bins import count_bins, subtract_bins
from roctree.tree.kernels.choice import choose
from roctree.tree.kernels.layout import (
    BEGIN,
    BRANCHES,
    CATEGORIES_FUNCTION,
    CODES_2D,
    COUNTED,
    CURSOR,
    DEPTH,
    DIVIDE_FUNCTION,
    END,
    EVALUATE_FUNCTION,
    FLOATS,
    FLOATS_2D,
    FLOATS_3D,
    FOR_BOTH,
    IN_USE,
    INT,
    INTS,
    INTS_2D,
    N_BINNED,
    N_BRANCHES,
    N_CATEGORY_BRANCHES,
    N_NODES,
    N_STACK,
    NO_NODE,
    NO_ROOM,
    NODE,
    NOT_YET,
    PLACES_2D,
    READY,
    REFINE_FUNCTION,
    SCAN_FUNCTION,
    SIZE,
    SLOT,
    VALUES,
)
from roctree.tree.kernels.rows import DIVIDE_ROWS_FUNCTION, SORT_ROWS_FUNCTION
from roctree.tree.kernels.subtree import SUBTREE_FUNCTION, open_node

DONE, FULL, TAKE, PAUSE = range(4)
# After so many cells Python has its turn, some ten times a second: somebody may want to stop.
TURN = 1 << 24

DESCEND_SIGNATURE = INT(
    INT, INT, VALUES, INTS_2D, CODES_2D, PLACES_2D, FLOATS, CODES_2D, PLACES_2D, FLOATS,
    PLACES_2D, PLACES_2D, PLACES_2D, FLOATS, FLOATS, FLOATS,
    TABLE_FUNCTION, BLOCK_FUNCTION, SCAN_FUNCTION, EVALUATE_FUNCTION, EVALUATE_FUNCTION,
    DIVIDE_FUNCTION, CATEGORIES_FUNCTION, REFINE_FUNCTION, BINNED_FUNCTION,
    DIVIDE_ROWS_FUNCTION, SORT_ROWS_FUNCTION, SUBTREE_FUNCTION,
    FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS, FLOATS, INTS, FLOATS_2D, FLOATS_2D,
    INTS_2D, BRANCHES, FLOATS_3D, FLOATS_2D, INTS_2D, INTS_2D,
    INTS_2D, FLOATS_2D, INTS_2D, FLOATS_2D, BRANCHES, INTS_2D, INTS, INTS_2D,
)  # fmt: skip


@kernel
def count_node(
    top: int,
    columns: np.ndarray,
    codes: np.ndarray,
    row_ints: np.ndarray,
    weights: np.ndarray,
    histograms: np.ndarray,
    row_stack: np.ndarray,
    state: np.ndarray,
) -> None:
    """Count the bins of the node on top of the stack, perhaps for its sibling too."""
    slot = row_stack[top, SLOT]
    begin, end = row_stack[top, BEGIN], row_stack[top, END]
    count_bins(begin, end, columns, codes, row_ints, weights, histograms[slot])
    if row_stack[top, COUNTED] == FOR_BOTH:
        subtract_bins(histograms[slot - 1], histograms[slot])
    row_stack[top, COUNTED] = READY
    if row_stack[top, NODE] == NO_NODE:
        state[N_BINNED] = top


@kernel
def heir_of(
    narrow: int,
    begin: int,
    n_branches: int,
    n_features: int,
    branch_ints: np.ndarray,
    histogram: np.ndarray,
) -> int:
    """The branch that takes over the histogram of its parent, less all others; -1 for none.

    It is the largest, if more cells of rows need not be counted than there are to subtract. Rows
    of branches that are not split by bins are counted for this alone.
    """
    heir, largest, spared = -1, narrow, 0
    for branch in range(n_branches):
        if branch_ints[SIZE, branch] > largest:
            heir, largest = branch, branch_ints[SIZE, branch]
    for branch in range(n_branches):
        end = branch_ints[CURSOR, branch]
        if branch == heir:
            spared += end - begin
        elif branch_ints[SIZE, branch] <= narrow:
            spared -= end - begin
        begin = end
    return heir if spared * n_features > histogram.size * (n_branches - 1) else -1


@kernel
def push_rows(
    begin: int,
    depth: int,
    first: int,
    n_branches: int,
    heir: int,
    slot: int,
    branch_ints: np.ndarray,
    row_stack: np.ndarray,
    state: np.ndarray,
) -> None:
    """Put the children that may be split on the stack, each with its slice of the rows.

    The heir comes first: it has to wait until the others are counted. These are no larger than
    half of the parent, so that few histograms are kept at a time.
    """
    top = state[N_BINNED] + (1 if heir >= 0 else 0)
    for branch in range(n_branches):
        end, is_heir = branch_ints[CURSOR, branch], branch == heir
        if branch_ints[SIZE, branch] > 0 or (heir >= 0 and end > begin):
            place = state[N_BINNED] if is_heir else top
            row_stack[place, BEGIN], row_stack[place, END] = begin, end
            row_stack[place, DEPTH], row_stack[place, NODE] = depth, first + branch
            if branch_ints[SIZE, branch] == 0:
                row_stack[place, NODE] = NO_NODE
            row_stack[place, SLOT] = slot if is_heir or heir < 0 else slot + 1
            row_stack[place, COUNTED] = NOT_YET
            if heir >= 0:
                row_stack[place, COUNTED] = READY if is_heir else FOR_BOTH
            top += 0 if is_heir else 1
        begin = end
    state[N_BINNED] = top


@kernel
def push_children(
    narrow: int,
    begin: int,
    depth: int,
    first: int,
    n_branches: int,
    slot: int,
    n_features: int,
    histograms: np.ndarray,
    branch_ints: np.ndarray,
    row_stack: np.ndarray,
    state: np.ndarray,
) -> None:
    """Put the children on the stack, one of them perhaps with the histogram of its parent."""
    heir = -1
    if slot + 1 < histograms.shape[0]:
        heir = heir_of(narrow, begin, n_branches, n_features, branch_ints, histograms[slot])
    push_rows(begin, depth, first, n_branches, heir, slot, branch_ints, row_stack, state)


@kernel
def push_sorted(
    n_cases: int, depth: int, node: int, top: int, stack: np.ndarray, state: np.ndarray
) -> None:
    """Take a node, whose cases have been sorted, from the stack of rows to that of sorted ones."""
    stack[0, BEGIN], stack[0, END], stack[0, IN_USE] = 0, n_cases, n_cases
    stack[0, DEPTH], stack[0, NODE] = depth, node
    state[N_STACK], state[N_BINNED] = 1, top


@kernel
def has_room(
    widest: int,
    n_codes: int,
    node_ints: np.ndarray,
    category_branch: np.ndarray,
    row_stack: np.ndarray,
    state: np.ndarray,
) -> bool:
    """Whether one more split finds a place, into the most branches that there may be."""
    return (
        state[N_NODES] + widest <= node_ints.shape[0]
        and state[N_CATEGORY_BRANCHES] + n_codes <= category_branch.size
        and state[N_BINNED] - 1 + widest <= row_stack.shape[0]
    )


@typed_kernel(DESCEND_SIGNATURE)
def grow_binned(
    narrow: int,
    taken: int,
    values: np.ndarray,
    columns: np.ndarray,
    codes: np.ndarray,
    row_ints: np.ndarray,
    row_weights: np.ndarray,
    new_codes: np.ndarray,
    new_ints: np.ndarray,
    new_weights: np.ndarray,
    order: np.ndarray,
    rank: np.ndarray,
    cases: np.ndarray,
    weights: np.ndarray,
    limits: np.ndarray,
    class_weight: np.ndarray,
    table: Any,
    block: Any,
    scan: Any,
    numeric: Any,
    nominal: Any,
    divide: Any,
    categories: Any,
    refine: Any,
    evaluate: Any,
    divide_binned: Any,
    sort: Any,
    grow_sorted: Any,
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
    histograms: np.ndarray,
    bin_lefts: np.ndarray,
    bins: np.ndarray,
    keys: np.ndarray,
    branch_ints: np.ndarray,
    branch_floats: np.ndarray,
    node_ints: np.ndarray,
    node_floats: np.ndarray,
    category_branch: np.ndarray,
    stack: np.ndarray,
    state: np.ndarray,
    row_stack: np.ndarray,
) -> int:
    """Split the nodes on the row stack and all below them.

    Nodes of at most ``narrow`` cases are finished in the sorted form. Returns DONE, or FULL where
    room runs out, or TAKE where the node on top has at least ``taken`` cases and is not the last,
    so that somebody else may grow it, or PAUSE now and then.
    """
    widest, n_cells = branch_ints.shape[1], 0
    while state[N_STACK] > 0 or state[N_BINNED] > 0:
        if n_cells > TURN:
            return PAUSE
        if state[N_STACK] > 0:
            done = grow_sorted(
                values, columns, order, rank, cases, weights, limits, class_weight, table, block,
                scan, numeric, nominal, divide, lefts, edges, corners, finest, scores, bounds,
                places, vectors, found_floats, found_ints, branch_of, branch_ints, branch_floats,
                node_ints, node_floats, category_branch, stack, state,
            )  # fmt: skip
            if not done:
                return FULL
            continue
        top = state[N_BINNED] - 1
        begin, end = row_stack[top, BEGIN], row_stack[top, END]
        depth, node = row_stack[top, DEPTH], row_stack[top, NODE]
        counted, slot = row_stack[top, COUNTED], row_stack[top, SLOT]
        is_given = top > 0 and end - begin >= taken
        if counted == FOR_BOTH or (counted == NOT_YET and end - begin > narrow and not is_given):
            count_node(top, columns, codes, row_ints, row_weights, histograms, row_stack, state)
            continue
        if is_given:
            return TAKE
        n_cells += (end - begin) * codes.shape[1]
        if end - begin <= narrow:
            sort(
                begin, end, values, columns, codes, row_ints, row_weights, order, rank, cases,
                weights, keys,
            )  # fmt: skip
            push_sorted(end - begin, depth, node, top, stack, state)
            continue
        if not has_room(widest, branch_of.size, node_ints, category_branch, row_stack, state):
            return FULL
        evaluate(
            begin, end, values, columns, codes, row_ints, row_weights,
            limits, class_weight, table, block, scan, categories, refine, lefts, edges, corners,
            finest, scores, bounds, places, vectors, found_floats, found_ints, branch_of,
            histograms[slot], bin_lefts, bins, keys,
        )  # fmt: skip
        feature = choose(columns, found_floats, found_ints, limits)
        if feature < 0:
            state[N_BINNED] = top
            continue
        first = state[N_NODES]
        total = divide_binned(
            feature, begin, end, first, depth + 1, node, values, columns, limits, codes, row_ints,
            row_weights, found_floats, found_ints, branch_of, branch_ints, branch_floats,
            node_floats, new_codes, new_ints, new_weights,
        )  # fmt: skip
        if total == NO_ROOM:
            return FULL
        open_node(
            node, feature, columns, limits, found_floats, found_ints, branch_of, node_ints,
            node_floats, category_branch, state,
        )  # fmt: skip
        state[N_BINNED] = top
        push_children(
            narrow, begin, depth + 1, first, found_ints[feature, N_BRANCHES], slot, codes.shape[1],
            histograms, branch_ints, row_stack, state,
        )  # fmt: skip
    return DONE
