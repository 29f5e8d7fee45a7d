"""Grow a subtree whose cases are sorted by every attribute, to its leaves.

``rank`` numbers the distinct values of an attribute (for nominal ones it is the code) and
``order`` lists the places of the cases by rank, missing values last. The nodes still to be split
are a stack in an array: where room runs out the kernel returns, and goes on where it stopped once
its caller has enlarged the arrays.
"""

from typing import Any

import numpy as np

from roctree._jit import (
    BLOCK_FUNCTION,
    TABLE_FUNCTION,
    borrow,
    inlined,
    kernel,
    typed_kernel,
    types,
)
from roctree.tree.kernels.choice import choose
from roctree.tree.kernels.layout import (
    BEGIN,
    BRANCHES,
    CATEGORY_START,
    COUNTS,
    CUT,
    DEPTH,
    DIVIDE_FUNCTION,
    END,
    EVALUATE_FUNCTION,
    FEATURE,
    FIRST_CHILD,
    FLOATS,
    FLOATS_2D,
    GAIN,
    ID,
    IN_USE,
    INTS,
    INTS_2D,
    JOIN_MISSING,
    MISSING_BRANCH,
    MISSING_RANK,
    N_BRANCHES,
    N_CATEGORIES,
    N_CATEGORY_BRANCHES,
    N_CHILDREN,
    N_NODES,
    N_STACK,
    NO_ROOM,
    NODE,
    NODE_GAIN,
    NODE_MISSING,
    OFFSET,
    PLACES_2D,
    SCAN_FUNCTION,
    SIZE,
    THRESHOLD,
    VALUES,
)

# "At most this" is true of every number: a split between what is known and what is missing.
ALL_VALUES = 1.7976931348623157e308

SUBTREE_SIGNATURE = types.boolean(
    VALUES, INTS_2D, PLACES_2D, PLACES_2D, PLACES_2D, FLOATS, FLOATS, FLOATS,
    TABLE_FUNCTION, BLOCK_FUNCTION, SCAN_FUNCTION, EVALUATE_FUNCTION, EVALUATE_FUNCTION,
    DIVIDE_FUNCTION, FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS, FLOATS, INTS,
    FLOATS_2D, FLOATS_2D, INTS_2D, BRANCHES, INTS_2D, FLOATS_2D, INTS_2D, FLOATS_2D, BRANCHES,
    INTS_2D, INTS,
)  # fmt: skip

SUBTREE_FUNCTION = types.FunctionType(SUBTREE_SIGNATURE)


@inlined
def middle(low: float, high: float) -> float:
    """Half way between two values, and always below the higher."""
    between = low / 2.0 + high / 2.0
    return low if between >= high or between < low else between


@inlined
def threshold_at(
    values: np.ndarray,
    feature: int,
    cut: int,
    end: int,
    order: np.ndarray,
    rank: np.ndarray,
    cases: np.ndarray,
) -> float:
    """The middle of the values beside a cut, or all values where none is on its right."""
    if cut == end or rank[feature, order[feature, cut]] == MISSING_RANK:
        return ALL_VALUES
    low = values[cases[ID, order[feature, cut - 1]], feature]
    return middle(low, values[cases[ID, order[feature, cut]], feature])


@inlined
def heaviest(first: int, n_branches: int, node_floats: np.ndarray) -> int:
    """The branch with the largest weight, the first on ties."""
    best, best_weight = 0, -1.0
    for branch in range(n_branches):
        weight = 0.0
        for column in range(COUNTS, node_floats.shape[1]):
            weight += node_floats[first + branch, column]
        if weight > best_weight:
            best, best_weight = branch, weight
    return best


@kernel
def open_node(
    node: int,
    feature: int,
    columns: np.ndarray,
    limits: np.ndarray,
    found_floats: np.ndarray,
    found_ints: np.ndarray,
    branch_of: np.ndarray,
    node_ints: np.ndarray,
    node_floats: np.ndarray,
    category_branch: np.ndarray,
    state: np.ndarray,
) -> None:
    """Give ``node`` the split of ``feature``; its children are counted already."""
    first, start = state[N_NODES], state[N_CATEGORY_BRANCHES]
    n_branches = found_ints[feature, N_BRANCHES]
    node_ints[node, FIRST_CHILD] = first
    node_ints[node, N_CHILDREN] = n_branches
    node_ints[node, FEATURE] = feature
    node_ints[node, NODE_MISSING] = found_ints[feature, MISSING_BRANCH]
    if limits[JOIN_MISSING] and found_ints[feature, MISSING_BRANCH] < 0:
        node_ints[node, NODE_MISSING] = heaviest(first, n_branches, node_floats)
    node_ints[node, CATEGORY_START] = start
    node_floats[node, NODE_GAIN] = found_floats[feature, GAIN]
    for code in range(columns[N_CATEGORIES, feature]):
        category_branch[start + code] = branch_of[columns[OFFSET, feature] + code]
    for child in range(first, first + n_branches):
        node_ints[child, N_CHILDREN] = 0
    state[N_NODES] += n_branches
    state[N_CATEGORY_BRANCHES] += columns[N_CATEGORIES, feature]


@inlined
def push_branches(
    begin: int,
    depth: int,
    first: int,
    n_branches: int,
    in_use: int,
    branch_ints: np.ndarray,
    stack: np.ndarray,
    state: np.ndarray,
) -> None:
    """Put the children that may be split on the stack, each with its slice of the orders."""
    for branch in range(n_branches):
        size = branch_ints[SIZE, branch]
        if size == 0:
            continue
        top = state[N_STACK]
        stack[top, BEGIN], stack[top, END] = begin, begin + size
        stack[top, DEPTH], stack[top, NODE] = depth, first + branch
        stack[top, IN_USE] = in_use
        state[N_STACK] += 1
        begin += size


@typed_kernel(SUBTREE_SIGNATURE)
def grow_sorted(
    values: np.ndarray,
    columns: np.ndarray,
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
    branch_ints: np.ndarray,
    branch_floats: np.ndarray,
    node_ints: np.ndarray,
    node_floats: np.ndarray,
    category_branch: np.ndarray,
    stack: np.ndarray,
    state: np.ndarray,
) -> bool:
    """Split the nodes on the stack and all below them; false where the arrays want more room."""
    order, rank, cases, weights = borrow(order), borrow(rank), borrow(cases), borrow(weights)
    columns, limits, class_weight = borrow(columns), borrow(limits), borrow(class_weight)
    lefts, edges, corners = borrow(lefts), borrow(edges), borrow(corners)
    finest, scores, bounds = borrow(finest), borrow(scores), borrow(bounds)
    places, vectors, branch_of = borrow(places), borrow(vectors), borrow(branch_of)
    values, found_floats, found_ints = borrow(values), borrow(found_floats), borrow(found_ints)
    branch_ints, branch_floats = borrow(branch_ints), borrow(branch_floats)
    node_ints, node_floats = borrow(node_ints), borrow(node_floats)
    widest = branch_ints.shape[1]
    while state[N_STACK] > 0:
        top = state[N_STACK] - 1
        begin, end, node = stack[top, BEGIN], stack[top, END], stack[top, NODE]
        if (
            state[N_NODES] + widest > node_ints.shape[0]
            or state[N_CATEGORY_BRANCHES] + branch_of.size > category_branch.size
            or top + widest > stack.shape[0]
        ):
            return False
        for feature in range(found_ints.shape[0]):
            found_ints[feature, N_BRANCHES] = 0
            if rank[feature, order[feature, begin]] == rank[feature, order[feature, end - 1]]:
                continue
            evaluate = nominal if columns[N_CATEGORIES, feature] > 0 else numeric
            evaluate(
                feature, begin, end, values, columns, order, rank, cases, weights, limits,
                class_weight, table, block, scan, lefts, edges, corners, finest, scores, bounds,
                places, vectors, found_floats, found_ints, branch_of,
            )  # fmt: skip
        feature = choose(columns, found_floats, found_ints, limits)
        if feature < 0:
            state[N_STACK] = top
            continue
        node_floats[node, THRESHOLD] = np.nan
        if columns[N_CATEGORIES, feature] == 0:
            node_floats[node, THRESHOLD] = threshold_at(
                values, feature, found_ints[feature, CUT], end, order, rank, cases
            )
        first, depth = state[N_NODES], stack[top, DEPTH] + 1
        in_use = divide(
            feature, begin, end, first, depth, stack[top, IN_USE], columns, limits, order, rank,
            cases, weights, found_ints, branch_of, branch_ints, branch_floats, node_floats,
        )  # fmt: skip
        if in_use == NO_ROOM:
            return False
        open_node(
            node, feature, columns, limits, found_floats, found_ints, branch_of, node_ints,
            node_floats, category_branch, state,
        )  # fmt: skip
        state[N_STACK] = top
        n_branches = found_ints[feature, N_BRANCHES]
        push_branches(begin, depth, first, n_branches, in_use, branch_ints, stack, state)
    return True
