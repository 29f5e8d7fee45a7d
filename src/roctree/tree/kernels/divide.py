"""Carry out a split: send each case to its branch, count the children, divide the orders.

A node is a slice of all orders; its children take its room, the last on top. A case whose value is
unknown goes to every branch with a share of its weight, as in C4.5, and its copies are appended
above all cases in use.
"""

import numpy as np

from roctree._jit import kernel, typed_kernel
from roctree.tree.kernels.layout import (
    ALL_SIDES,
    BRANCH_WEIGHT,
    BUFFER,
    CLASS_WEIGHTS,
    COUNTS,
    CURSOR,
    CUT,
    DIVIDE_SIGNATURE,
    ID,
    KEPT,
    LABEL,
    MAX_DEPTH,
    MIN_LEAF,
    MIN_SPLIT,
    MISSING_BRANCH,
    MISSING_RANK,
    N_BRANCHES,
    N_CATEGORIES,
    NO_ROOM,
    OFFSET,
    QUANTUM,
    SHARE,
    SIDE,
    SIZE,
    TWIN,
)


@kernel
def take_sides(
    feature: int,
    begin: int,
    end: int,
    first: int,
    columns: np.ndarray,
    order: np.ndarray,
    rank: np.ndarray,
    cases: np.ndarray,
    weights: np.ndarray,
    found_ints: np.ndarray,
    branch_of: np.ndarray,
    branch_ints: np.ndarray,
    branch_floats: np.ndarray,
    node_floats: np.ndarray,
) -> int:
    """Send each case to its branch and add up the children; returns how many go to no one branch.

    Those come last in the order.
    """
    n_unknown, cut = 0, found_ints[feature, CUT]
    for branch in range(found_ints[feature, N_BRANCHES]):
        branch_ints[SIZE, branch] = 0
        branch_floats[BRANCH_WEIGHT, branch] = 0.0
        for column in range(COUNTS, node_floats.shape[1]):
            node_floats[first + branch, column] = 0.0
    for i in range(begin, end):
        place = order[feature, i]
        current = rank[feature, place]
        if current == MISSING_RANK:
            side = found_ints[feature, MISSING_BRANCH]
        elif columns[N_CATEGORIES, feature] > 0:
            side = int(branch_of[columns[OFFSET, feature] + current])
        else:
            side = 0 if i < cut else 1
        if side < 0:
            cases[SIDE, place] = ALL_SIDES
            n_unknown += 1
        else:
            cases[SIDE, place] = side
            branch_ints[SIZE, side] += 1
            branch_floats[BRANCH_WEIGHT, side] += weights[place]
            node_floats[first + side, COUNTS + cases[LABEL, place]] += weights[place]
    return n_unknown


@kernel
def share_out(weight: float, n_branches: int, quantum: float, branch_floats: np.ndarray) -> None:
    """Divide the weight of a case among the branches, in proportion to their known weights.

    Shares are rounded to the grid and the last branch takes the remainder: nothing is lost.
    """
    known, left, last = 0.0, weight, 0
    for branch in range(n_branches):
        known += branch_floats[BRANCH_WEIGHT, branch]
    for branch in range(n_branches):
        branch_floats[SHARE, branch] = 0.0
        if branch_floats[BRANCH_WEIGHT, branch] > 0.0:
            exact = weight * (branch_floats[BRANCH_WEIGHT, branch] / known)
            branch_floats[SHARE, branch] = min(np.floor(exact / quantum + 0.5) * quantum, left)
            left -= branch_floats[SHARE, branch]
            last = branch
    branch_floats[SHARE, last] += left


@kernel
def count_unknown(
    feature: int,
    begin: int,
    end: int,
    first: int,
    n_branches: int,
    quantum: float,
    order: np.ndarray,
    cases: np.ndarray,
    weights: np.ndarray,
    branch_floats: np.ndarray,
    node_floats: np.ndarray,
) -> None:
    """Add the shares of the cases that go to all branches to the children's counts."""
    for i in range(begin, end):
        place = order[feature, i]
        share_out(weights[place], n_branches, quantum, branch_floats)
        for branch in range(n_branches):
            column = COUNTS + cases[LABEL, place]
            node_floats[first + branch, column] += branch_floats[SHARE, branch]


@kernel
def keep_branches(
    first: int,
    depth: int,
    n_branches: int,
    n_unknown: int,
    limits: np.ndarray,
    branch_ints: np.ndarray,
    branch_floats: np.ndarray,
    node_floats: np.ndarray,
) -> int:
    """Mark the branches that may be split again; returns how many cases they hold together.

    A branch is pure if all classes in it but one have no weight: no split of it would gain.
    """
    total = 0
    for branch in range(n_branches):
        weight, n_present = 0.0, 0
        for label in range(node_floats.shape[1] - COUNTS):
            count = node_floats[first + branch, COUNTS + label]
            weight += count
            n_present += 1 if count * limits[CLASS_WEIGHTS + label] > 0.0 else 0
        smallest = max(limits[MIN_SPLIT], 2.0 * limits[MIN_LEAF])
        kept = n_present > 1 and depth < limits[MAX_DEPTH] and weight >= smallest
        branch_ints[KEPT, branch] = 1 if kept else 0
        if branch_floats[BRANCH_WEIGHT, branch] > 0.0:
            branch_ints[SIZE, branch] += n_unknown
        branch_ints[SIZE, branch] *= branch_ints[KEPT, branch]
        total += branch_ints[SIZE, branch]
    return total


@kernel
def part_unknown(
    feature: int,
    begin: int,
    end: int,
    n_branches: int,
    in_use: int,
    quantum: float,
    order: np.ndarray,
    rank: np.ndarray,
    cases: np.ndarray,
    weights: np.ndarray,
    branch_ints: np.ndarray,
    branch_floats: np.ndarray,
) -> int:
    """Give each kept branch its own copy of the cases that go to all; the first keeps the case."""
    for i in range(begin, end):
        place = order[feature, i]
        share_out(weights[place], n_branches, quantum, branch_floats)
        cases[TWIN, place] = in_use
        is_copy = False
        for branch in range(n_branches):
            if not branch_ints[KEPT, branch] or branch_floats[BRANCH_WEIGHT, branch] <= 0.0:
                continue
            if not is_copy:
                weights[place] = branch_floats[SHARE, branch]
                is_copy = True
                continue
            for other in range(rank.shape[0]):
                rank[other, in_use] = rank[other, place]
            cases[LABEL, in_use] = cases[LABEL, place]
            cases[ID, in_use] = cases[ID, place]
            weights[in_use] = branch_floats[SHARE, branch]
            in_use += 1
    return in_use


@kernel
def divide_orders(
    begin: int,
    end: int,
    n_branches: int,
    order: np.ndarray,
    cases: np.ndarray,
    branch_ints: np.ndarray,
    branch_floats: np.ndarray,
) -> None:
    """Stably divide every order among the kept branches, in the room of the parent."""
    for feature in range(order.shape[0]):
        total = 0
        for branch in range(n_branches):
            branch_ints[CURSOR, branch] = total
            total += branch_ints[SIZE, branch]
        for i in range(begin, end):
            place = order[feature, i]
            side = cases[SIDE, place]
            if side != ALL_SIDES:
                if branch_ints[KEPT, side]:
                    cases[BUFFER, branch_ints[CURSOR, side]] = place
                    branch_ints[CURSOR, side] += 1
                continue
            copy = place
            for branch in range(n_branches):
                if not branch_ints[KEPT, branch] or branch_floats[BRANCH_WEIGHT, branch] <= 0.0:
                    continue
                cases[BUFFER, branch_ints[CURSOR, branch]] = copy
                branch_ints[CURSOR, branch] += 1
                copy = cases[TWIN, place] if copy == place else copy + 1
        for i in range(total):
            order[feature, begin + i] = cases[BUFFER, i]


@kernel
def divide_in_two(
    begin: int, end: int, order: np.ndarray, cases: np.ndarray, branch_ints: np.ndarray
) -> None:
    """Stably divide every order between two branches, without jumps in the machine's code."""
    keep_left, keep_right = branch_ints[KEPT, 0], branch_ints[KEPT, 1]
    for feature in range(order.shape[0]):
        left, right = begin, 0
        for i in range(begin, end):
            place = order[feature, i]
            side = int(cases[SIDE, place])
            order[feature, left] = place
            cases[BUFFER, right] = place
            left += keep_left & (1 - side)
            right += keep_right & side
        for i in range(right):
            order[feature, left + i] = cases[BUFFER, i]


@typed_kernel(DIVIDE_SIGNATURE, python=False)
def divide_binary(
    feature: int,
    begin: int,
    end: int,
    first: int,
    depth: int,
    in_use: int,
    columns: np.ndarray,
    limits: np.ndarray,
    order: np.ndarray,
    rank: np.ndarray,
    cases: np.ndarray,
    weights: np.ndarray,
    found_ints: np.ndarray,
    branch_of: np.ndarray,
    branch_ints: np.ndarray,
    branch_floats: np.ndarray,
    node_floats: np.ndarray,
) -> int:
    """Divide a node between two branches, where all cases know theirs; returns those in use."""
    take_sides(
        feature, begin, end, first, columns, order, rank, cases, weights, found_ints,
        branch_of, branch_ints, branch_floats, node_floats,
    )  # fmt: skip
    keep_branches(first, depth, 2, 0, limits, branch_ints, branch_floats, node_floats)
    if branch_ints[KEPT, 0] or branch_ints[KEPT, 1]:
        divide_in_two(begin, end, order, cases, branch_ints)
    return in_use


@typed_kernel(DIVIDE_SIGNATURE, python=False)
def divide_complete(
    feature: int,
    begin: int,
    end: int,
    first: int,
    depth: int,
    in_use: int,
    columns: np.ndarray,
    limits: np.ndarray,
    order: np.ndarray,
    rank: np.ndarray,
    cases: np.ndarray,
    weights: np.ndarray,
    found_ints: np.ndarray,
    branch_of: np.ndarray,
    branch_ints: np.ndarray,
    branch_floats: np.ndarray,
    node_floats: np.ndarray,
) -> int:
    """Divide a node all of whose cases know their branch; returns the cases in use."""
    n_branches = found_ints[feature, N_BRANCHES]
    take_sides(
        feature, begin, end, first, columns, order, rank, cases, weights, found_ints,
        branch_of, branch_ints, branch_floats, node_floats,
    )  # fmt: skip
    total = keep_branches(
        first, depth, n_branches, 0, limits, branch_ints, branch_floats, node_floats
    )
    if total > 0 and n_branches == 2:
        divide_in_two(begin, end, order, cases, branch_ints)
    elif total > 0:
        divide_orders(begin, end, n_branches, order, cases, branch_ints, branch_floats)
    return in_use


@typed_kernel(DIVIDE_SIGNATURE, python=False)
def divide_shared(
    feature: int,
    begin: int,
    end: int,
    first: int,
    depth: int,
    in_use: int,
    columns: np.ndarray,
    limits: np.ndarray,
    order: np.ndarray,
    rank: np.ndarray,
    cases: np.ndarray,
    weights: np.ndarray,
    found_ints: np.ndarray,
    branch_of: np.ndarray,
    branch_ints: np.ndarray,
    branch_floats: np.ndarray,
    node_floats: np.ndarray,
) -> int:
    """Divide a node some of whose cases go to all branches; NO_ROOM where copies find no place."""
    n_branches = found_ints[feature, N_BRANCHES]
    n_unknown = take_sides(
        feature, begin, end, first, columns, order, rank, cases, weights, found_ints,
        branch_of, branch_ints, branch_floats, node_floats,
    )  # fmt: skip
    unknown = end - n_unknown
    count_unknown(
        feature, unknown, end, first, n_branches, limits[QUANTUM], order, cases, weights,
        branch_floats, node_floats,
    )  # fmt: skip
    total = keep_branches(
        first, depth, n_branches, n_unknown, limits, branch_ints, branch_floats, node_floats
    )
    if max(begin + total, in_use + n_unknown * (n_branches - 1)) > order.shape[1]:
        return NO_ROOM
    if total > 0:
        in_use = part_unknown(
            feature, unknown, end, n_branches, in_use, limits[QUANTUM], order, rank, cases,
            weights, branch_ints, branch_floats,
        )  # fmt: skip
        divide_orders(begin, end, n_branches, order, cases, branch_ints, branch_floats)
    return in_use
