"""Divide the rows of binned nodes, and load those of smaller ones into the sorted form."""

import numpy as np

from roctree._jit import kernel, typed_kernel, types
from roctree.tree.kernels.divide import keep_branches, share_out
from roctree.tree.kernels.layout import (
    ALL_SIDES,
    BIN,
    BRANCH_WEIGHT,
    BRANCHES,
    BUFFER_KEYS,
    CODES_2D,
    COUNTS,
    CURSOR,
    CUT,
    CUT_VALUE,
    EXACT,
    FLOATS,
    FLOATS_2D,
    ID,
    INT,
    INTS_2D,
    KEPT,
    KEYS,
    LABEL,
    MISSING_BRANCH,
    MISSING_RANK,
    N_BRANCHES,
    N_CATEGORIES,
    N_ROW_INTS,
    NO_ROOM,
    OFFSET,
    PLACES_2D,
    QUANTUM,
    ROW_ID,
    ROW_LABEL,
    ROW_SIDE,
    SHARE,
    SHIFT,
    SIZE,
    STARTS,
    STOP,
    THRESHOLD,
    VALUES,
)
from roctree.tree.kernels.ordering import PLACE_BITS, PLACE_MASK, sort_keys, sort_ties
from roctree.tree.kernels.subtree import ALL_VALUES, middle

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
    for branch in range(found_ints[feature, N_BRANCHES]):
        branch_ints[SIZE, branch] = 0
        branch_floats[BRANCH_WEIGHT, branch] = 0.0
        for column in range(COUNTS, node_floats.shape[1]):
            node_floats[first + branch, column] = 0.0
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


@kernel
def swap_rows(i: int, j: int, codes: np.ndarray, row_ints: np.ndarray, weights: np.ndarray) -> None:
    """Let two rows change places."""
    for feature in range(codes.shape[1]):
        codes[i, feature], codes[j, feature] = codes[j, feature], codes[i, feature]
    for row in range(N_ROW_INTS):
        row_ints[row, i], row_ints[row, j] = row_ints[row, j], row_ints[row, i]
    weights[i], weights[j] = weights[j], weights[i]


@typed_kernel(DIVIDE_ROWS_SIGNATURE, python=False)
def divide_rows_complete(
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
    """Divide the rows of a node, all of which know their branch, by letting rows change places.

    Where one branch is small few rows move. The order of rows is lost, and does not matter.
    """
    send_rows(
        feature, begin, end, first, node, values, columns, codes, row_ints, weights, found_floats,
        found_ints, branch_of, branch_ints, branch_floats, node_floats,
    )  # fmt: skip
    n_branches, stop = found_ints[feature, N_BRANCHES], begin
    for branch in range(n_branches):
        branch_ints[CURSOR, branch] = stop
        stop += branch_ints[SIZE, branch]
        branch_ints[STOP, branch] = stop
    total = keep_branches(
        first, depth, n_branches, 0, limits, branch_ints, branch_floats, node_floats
    )
    for branch in range(n_branches if total > 0 else 0):
        for i in range(branch_ints[CURSOR, branch], branch_ints[STOP, branch]):
            while row_ints[ROW_SIDE, i] != branch:
                side = row_ints[ROW_SIDE, i]
                other = branch_ints[CURSOR, side]
                while row_ints[ROW_SIDE, other] == side:
                    other += 1
                swap_rows(i, other, codes, row_ints, weights)
                branch_ints[CURSOR, side] = other + 1
        branch_ints[CURSOR, branch] = branch_ints[STOP, branch]
    return total


@typed_kernel(DIVIDE_ROWS_SIGNATURE, python=False)
def divide_rows_shared(
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
    """Divide the rows of a node among the branches that may be split again, in its own room.

    A row whose branch is unknown goes to all of them, hence all rows move to new places and back.
    """
    n_branches, quantum = found_ints[feature, N_BRANCHES], limits[QUANTUM]
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
    for branch in range(n_branches):
        branch_ints[CURSOR, branch] += begin
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
