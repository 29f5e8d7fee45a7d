"""Grow from coded rows: nodes with many cases by bins, the subtrees below them sorted.

The rows of a node are contiguous and are moved with every split, so that both passes over a node
read memory in order. The nodes still to be split are a stack, the last child on top.
"""

from typing import Any

import numpy as np

from roctree._jit import BLOCK_FUNCTION, TABLE_FUNCTION, kernel, typed_kernel, types
from roctree.tree.kernels.binned import BINNED_FUNCTION, BUFFER_KEYS, KEYS, STARTS
from roctree.tree.kernels.choice import choose
from roctree.tree.kernels.divide import keep_branches, share_out
from roctree.tree.kernels.layout import (
    ALL_SIDES,
    BEGIN,
    BIN,
    BRANCH_WEIGHT,
    BRANCHES,
    CATEGORIES_FUNCTION,
    CODES_2D,
    COUNTS,
    CURSOR,
    CUT,
    CUT_VALUE,
    DEPTH,
    DIVIDE_FUNCTION,
    END,
    EVALUATE_FUNCTION,
    EXACT,
    FLOATS,
    FLOATS_2D,
    ID,
    IN_USE,
    INT,
    INTS,
    INTS_2D,
    KEPT,
    LABEL,
    MISSING_BRANCH,
    MISSING_RANK,
    N_BINNED,
    N_BRANCHES,
    N_CATEGORIES,
    N_CATEGORY_BRANCHES,
    N_NODES,
    N_STACK,
    NO_ROOM,
    NODE,
    OFFSET,
    PLACES_2D,
    QUANTUM,
    REFINE_FUNCTION,
    ROW_ID,
    ROW_LABEL,
    ROW_SIDE,
    SCAN_FUNCTION,
    SHARE,
    SHIFT,
    SIZE,
    THRESHOLD,
    VALUES,
)
from roctree.tree.kernels.ordering import PLACE_BITS, PLACE_MASK, sort_keys, sort_ties
from roctree.tree.kernels.subtree import ALL_VALUES, SUBTREE_FUNCTION, middle, open_node

DONE, FULL, TAKE = range(3)

# divide(feature, begin, end, first, depth, node, ...) -> the rows kept, or NO_ROOM
DIVIDE_ROWS_SIGNATURE = INT(
    INT, INT, INT, INT, INT, INT, VALUES, INTS_2D, FLOATS, CODES_2D, PLACES_2D, FLOATS,
    FLOATS_2D, INTS_2D, BRANCHES, INTS_2D, FLOATS_2D, FLOATS_2D, CODES_2D, PLACES_2D, FLOATS,
)  # fmt: skip
DIVIDE_ROWS_FUNCTION = types.FunctionType(DIVIDE_ROWS_SIGNATURE)

# sort(begin, end, ...): load the rows of a node into the sorted form
SORT_ROWS_SIGNATURE = types.void(
    INT, INT, VALUES, INTS_2D, CODES_2D, PLACES_2D, FLOATS,
    PLACES_2D, PLACES_2D, PLACES_2D, FLOATS, INTS_2D,
)  # fmt: skip
SORT_ROWS_FUNCTION = types.FunctionType(SORT_ROWS_SIGNATURE)

DESCEND_SIGNATURE = INT(
    INT, INT, VALUES, INTS_2D, CODES_2D, PLACES_2D, FLOATS, CODES_2D, PLACES_2D, FLOATS,
    PLACES_2D, PLACES_2D, PLACES_2D, FLOATS, FLOATS, FLOATS,
    TABLE_FUNCTION, BLOCK_FUNCTION, SCAN_FUNCTION, EVALUATE_FUNCTION, EVALUATE_FUNCTION,
    DIVIDE_FUNCTION, CATEGORIES_FUNCTION, REFINE_FUNCTION, BINNED_FUNCTION,
    DIVIDE_ROWS_FUNCTION, SORT_ROWS_FUNCTION, SUBTREE_FUNCTION,
    FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS, FLOATS, INTS, FLOATS_2D, FLOATS_2D,
    INTS_2D, BRANCHES, FLOATS_2D, FLOATS_2D, INTS_2D, INTS_2D,
    INTS_2D, FLOATS_2D, INTS_2D, FLOATS_2D, BRANCHES, INTS_2D, INTS, INTS_2D,
)  # fmt: skip


@kernel
def send_rows(
    feature: int,
    begin: int,
    end: int,
    first: int,
    node: int,
    values: np.ndarray,
    columns: np.ndarray,
    codes: np.ndarray,
    row_ints: np.ndarray,
    weights: np.ndarray,
    found_floats: np.ndarray,
    found_ints: np.ndarray,
    branch_of: np.ndarray,
    branch_ints: np.ndarray,
    branch_floats: np.ndarray,
    node_floats: np.ndarray,
) -> int:
    """Send each row to its branch, add up the children, and set a numeric node's threshold.

    Returns how many rows go to all branches. Values are read only where a code may be the highest
    on the left or the lowest on the right.
    """
    missing_code = columns[BIN, feature + 1] - columns[BIN, feature] - 1 << columns[SHIFT, feature]
    cut, cut_value = found_ints[feature, CUT], found_floats[feature, CUT_VALUE]
    is_nominal = columns[N_CATEGORIES, feature] > 0
    low, high, low_code, high_code = -np.inf, np.inf, 0, missing_code
    n_unknown = 0
    for i in range(begin, end):
        code = int(codes[i, feature])
        if code == missing_code:
            side = found_ints[feature, MISSING_BRANCH]
        elif is_nominal:
            side = int(branch_of[columns[OFFSET, feature] + code])
        else:
            side = 0 if code < cut else 1
            if code == cut and values[row_ints[ROW_ID, i], feature] < cut_value:
                side = 0
            if side == 0 and code >= low_code:
                low, low_code = max(low, values[row_ints[ROW_ID, i], feature]), code
            elif side == 1 and code <= high_code:
                high, high_code = min(high, values[row_ints[ROW_ID, i], feature]), code
        if side < 0:
            row_ints[ROW_SIDE, i] = ALL_SIDES
            n_unknown += 1
        else:
            row_ints[ROW_SIDE, i] = side
            branch_ints[SIZE, side] += 1
            branch_floats[BRANCH_WEIGHT, side] += weights[i]
            node_floats[first + side, COUNTS + row_ints[ROW_LABEL, i]] += weights[i]
    node_floats[node, THRESHOLD] = np.nan
    if not is_nominal:
        node_floats[node, THRESHOLD] = ALL_VALUES if high == np.inf else middle(low, high)
    return n_unknown


@kernel
def move_row(
    source: int,
    target: int,
    weight: float,
    codes: np.ndarray,
    row_ints: np.ndarray,
    new_codes: np.ndarray,
    new_ints: np.ndarray,
    new_weights: np.ndarray,
) -> None:
    """Copy a row to another place, with a weight of its own."""
    for feature in range(codes.shape[1]):
        new_codes[target, feature] = codes[source, feature]
    new_ints[ROW_LABEL, target] = row_ints[ROW_LABEL, source]
    new_ints[ROW_ID, target] = row_ints[ROW_ID, source]
    new_weights[target] = weight


@typed_kernel(DIVIDE_ROWS_SIGNATURE, python=False)
def divide_rows(
    feature: int,
    begin: int,
    end: int,
    first: int,
    depth: int,
    node: int,
    values: np.ndarray,
    columns: np.ndarray,
    limits: np.ndarray,
    codes: np.ndarray,
    row_ints: np.ndarray,
    weights: np.ndarray,
    found_floats: np.ndarray,
    found_ints: np.ndarray,
    branch_of: np.ndarray,
    branch_ints: np.ndarray,
    branch_floats: np.ndarray,
    node_floats: np.ndarray,
    new_codes: np.ndarray,
    new_ints: np.ndarray,
    new_weights: np.ndarray,
) -> int:
    """Divide the rows of a node among the branches that may be split again, in its own room."""
    n_branches, quantum = found_ints[feature, N_BRANCHES], limits[QUANTUM]
    for branch in range(n_branches):
        branch_ints[SIZE, branch] = 0
        branch_floats[BRANCH_WEIGHT, branch] = 0.0
        for column in range(COUNTS, node_floats.shape[1]):
            node_floats[first + branch, column] = 0.0
    n_unknown = send_rows(
        feature, begin, end, first, node, values, columns, codes, row_ints, weights, found_floats,
        found_ints, branch_of, branch_ints, branch_floats, node_floats,
    )  # fmt: skip
    for i in range(begin, end if n_unknown > 0 else begin):
        if row_ints[ROW_SIDE, i] == ALL_SIDES:
            share_out(weights[i], n_branches, quantum, branch_floats)
            for branch in range(n_branches):
                column = COUNTS + row_ints[ROW_LABEL, i]
                node_floats[first + branch, column] += branch_floats[SHARE, branch]
    total = keep_branches(
        first, depth, n_branches, n_unknown, limits, branch_ints, branch_floats, node_floats
    )
    if begin + total > codes.shape[0]:
        return NO_ROOM
    target = 0
    for branch in range(n_branches):
        branch_ints[CURSOR, branch] = target
        target += branch_ints[SIZE, branch]
    for i in range(begin, end if total > 0 else begin):
        side = row_ints[ROW_SIDE, i]
        if side != ALL_SIDES:
            if branch_ints[KEPT, side]:
                target = branch_ints[CURSOR, side]
                move_row(i, target, weights[i], codes, row_ints, new_codes, new_ints, new_weights)
                branch_ints[CURSOR, side] += 1
            continue
        share_out(weights[i], n_branches, quantum, branch_floats)
        for branch in range(n_branches):
            if branch_ints[KEPT, branch] and branch_floats[BRANCH_WEIGHT, branch] > 0.0:
                target, weight = branch_ints[CURSOR, branch], branch_floats[SHARE, branch]
                move_row(i, target, weight, codes, row_ints, new_codes, new_ints, new_weights)
                branch_ints[CURSOR, branch] += 1
    for i in range(total):
        move_row(i, begin + i, new_weights[i], new_codes, new_ints, codes, row_ints, weights)
    return total


@typed_kernel(SORT_ROWS_SIGNATURE, python=False)
def sort_rows(
    begin: int,
    end: int,
    values: np.ndarray,
    columns: np.ndarray,
    codes: np.ndarray,
    row_ints: np.ndarray,
    weights: np.ndarray,
    order: np.ndarray,
    rank: np.ndarray,
    cases: np.ndarray,
    case_weights: np.ndarray,
    keys: np.ndarray,
) -> None:
    """Load the rows of a node into the sorted form: orders, ranks and cases."""
    n = end - begin
    for place in range(n):
        cases[LABEL, place] = row_ints[ROW_LABEL, begin + place]
        cases[ID, place] = row_ints[ROW_ID, begin + place]
        case_weights[place] = weights[begin + place]
    for feature in range(codes.shape[1]):
        shift, n_bins = columns[SHIFT, feature], columns[BIN, feature + 1] - columns[BIN, feature]
        for place in range(n):
            keys[KEYS, place] = (int(codes[begin + place, feature]) << PLACE_BITS) | place
        sort_keys(keys[KEYS], n, keys[BUFFER_KEYS], keys[STARTS])
        if not columns[EXACT, feature]:
            sort_ties(keys[KEYS], n, begin, values, feature, row_ints)
        current, before_code, before_value = -1, -1, 0.0
        for i in range(n):
            code, place = keys[KEYS, i] >> PLACE_BITS, keys[KEYS, i] & PLACE_MASK
            order[feature, i] = place
            if code == (n_bins - 1) << shift:
                rank[feature, place] = MISSING_RANK
                continue
            if columns[EXACT, feature]:
                rank[feature, place] = code
                continue
            value = values[row_ints[ROW_ID, begin + place], feature]
            current += 1 if code != before_code or value != before_value else 0
            before_code, before_value = code, value
            rank[feature, place] = current


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
    histogram: np.ndarray,
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
    room runs out, or TAKE where the node on top has at most ``taken`` cases and somebody else is
    to grow it.
    """
    widest = branch_ints.shape[1]
    while state[N_STACK] > 0 or state[N_BINNED] > 0:
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
        if end - begin <= taken:
            return TAKE
        if end - begin <= narrow:
            sort(
                begin, end, values, columns, codes, row_ints, row_weights, order, rank, cases,
                weights, keys,
            )  # fmt: skip
            stack[0, BEGIN], stack[0, END] = 0, end - begin
            stack[0, DEPTH], stack[0, NODE], stack[0, IN_USE] = depth, node, end - begin
            state[N_STACK], state[N_BINNED] = 1, top
            continue
        if (
            state[N_NODES] + widest > node_ints.shape[0]
            or state[N_CATEGORY_BRANCHES] + branch_of.size > category_branch.size
            or top + widest > row_stack.shape[0]
        ):
            return FULL
        evaluate(
            0, found_ints.shape[0], begin, end, values, columns, codes, row_ints, row_weights,
            limits, class_weight, table, block, scan, categories, refine, lefts, edges, corners,
            finest, scores, bounds, places, vectors, found_floats, found_ints, branch_of,
            histogram, bin_lefts, bins, keys,
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
        for branch in range(found_ints[feature, N_BRANCHES]):
            if branch_ints[SIZE, branch] > 0:
                top = state[N_BINNED]
                row_stack[top, BEGIN] = begin
                row_stack[top, END] = begin + branch_ints[SIZE, branch]
                row_stack[top, DEPTH], row_stack[top, NODE] = depth + 1, first + branch
                state[N_BINNED] += 1
                begin += branch_ints[SIZE, branch]
    return DONE
