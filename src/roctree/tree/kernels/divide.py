"""Carry out a split of a sorted node: assign branches, count the children, divide the orders.

A node is a range of all orders; its children take its place, the last on top. A case with an
unknown value goes to every branch with a share of its weight, as in C4.5, and its copies are
appended after all cases in use.
"""

from collections.abc import Callable
from typing import Annotated, TypeAlias

import numpy as np

from roctree._jit import function_type, kernel, typed_kernel
from roctree.arrays import Floats, Floats2D
from roctree.tree.kernels.records import (
    ALL_BRANCHES,
    MISSING_RANK,
    NO_ROOM,
    BestSplits,
    Cases,
    Division,
    Features,
    KernelRules,
    Node,
)


@kernel
def clear_children(n_branches: int, first: int, division: Division, counts: Floats2D) -> None:
    """Set the sizes and class counts of the children to zero."""
    for branch in range(n_branches):
        division.size[branch] = 0
        division.weight[branch] = 0.0
        for label in range(counts.shape[1]):
            counts[first + branch, label] = 0.0


@kernel
def assign_branches(
    feature: int,
    node: Node,
    features: Features,
    cases: Cases,
    found: BestSplits,
    division: Division,
    counts: Floats2D,
) -> int:
    """Assign each case to its branch and count the children; return how many go to all branches.

    Those come last in the order.
    """
    clear_children(found.n_branches[feature], node.first_child, division, counts)
    n_unknown, cut, first = 0, found.cut[feature], node.first_child
    for i in range(node.begin, node.end):
        place = cases.order[feature, i]
        current = cases.rank[feature, place]
        if current == MISSING_RANK:
            branch = found.missing_branch[feature]
        elif features.n_categories[feature] > 0:
            branch = int(found.branch_of[features.offset[feature] + current])
        else:
            branch = 0 if i < cut else 1
        if branch < 0:
            division.branch[place] = ALL_BRANCHES
            n_unknown += 1
        else:
            division.branch[place] = branch
            division.size[branch] += 1
            division.weight[branch] += cases.weight[place]
            counts[first + branch, cases.label[place]] += cases.weight[place]
    return n_unknown


@kernel
def share_out(
    weight: float, n_branches: int, quantum: float, branch_weights: Floats, shares: Floats
) -> None:
    """Divide the weight of a case among the branches, in proportion to their known weights.

    Shares are rounded to the grid and the last branch takes the remainder: nothing is lost.
    """
    known, left, last = 0.0, weight, 0
    for branch in range(n_branches):
        known += branch_weights[branch]
    for branch in range(n_branches):
        shares[branch] = 0.0
        if branch_weights[branch] > 0.0:
            exact = weight * (branch_weights[branch] / known)
            shares[branch] = min(np.floor(exact / quantum + 0.5) * quantum, left)
            left -= shares[branch]
            last = branch
    shares[last] += left


@kernel
def count_unknown(
    feature: int,
    unknown: int,
    n_branches: int,
    node: Node,
    quantum: float,
    cases: Cases,
    division: Division,
    counts: Floats2D,
) -> None:
    """Add the shares of the cases that go to all branches to the children's counts."""
    for i in range(unknown, node.end):
        place = cases.order[feature, i]
        share_out(cases.weight[place], n_branches, quantum, division.weight, division.share)
        for branch in range(n_branches):
            counts[node.first_child + branch, cases.label[place]] += division.share[branch]


@kernel
def keep_branches(
    n_branches: int,
    n_unknown: int,
    node: Node,
    rules: KernelRules,
    division: Division,
    counts: Floats2D,
) -> int:
    """Mark the branches that may be split again; return how many cases they hold together.

    A branch is pure if all classes in it but one have no weight: no split of it would gain.
    """
    total = 0
    for branch in range(n_branches):
        weight, n_present = 0.0, 0
        for label in range(counts.shape[1]):
            count = counts[node.first_child + branch, label]
            weight += count
            n_present += 1 if count * rules.class_weight[label] > 0.0 else 0
        smallest = max(rules.min_split, 2.0 * rules.min_leaf)
        kept = n_present > 1 and node.depth + 1 < rules.max_depth and weight >= smallest
        division.kept[branch] = 1 if kept else 0
        if division.weight[branch] > 0.0:
            division.size[branch] += n_unknown
        division.size[branch] *= division.kept[branch]
        total += division.size[branch]
    return total


@kernel
def copy_unknown(
    feature: int,
    unknown: int,
    n_branches: int,
    node: Node,
    quantum: float,
    cases: Cases,
    division: Division,
) -> int:
    """Give each kept branch its own copy of the cases that go to all; return the cases in use.

    The first kept branch keeps the case itself.
    """
    in_use = node.in_use
    for i in range(unknown, node.end):
        place = cases.order[feature, i]
        share_out(cases.weight[place], n_branches, quantum, division.weight, division.share)
        division.twin[place] = in_use
        is_copy = False
        for branch in range(n_branches):
            if not division.kept[branch] or division.weight[branch] <= 0.0:
                continue
            if not is_copy:
                cases.weight[place] = division.share[branch]
                is_copy = True
                continue
            for other in range(cases.rank.shape[0]):
                cases.rank[other, in_use] = cases.rank[other, place]
            cases.label[in_use] = cases.label[place]
            cases.row[in_use] = cases.row[place]
            cases.weight[in_use] = division.share[branch]
            in_use += 1
    return in_use


@kernel
def divide_orders(begin: int, end: int, n_branches: int, cases: Cases, division: Division) -> None:
    """Stably divide every order among the kept branches, in the room of the parent."""
    order, kept, cursor, buffer = cases.order, division.kept, division.cursor, division.buffer
    for feature in range(order.shape[0]):
        total = 0
        for branch in range(n_branches):
            cursor[branch] = total
            total += division.size[branch]
        for i in range(begin, end):
            place = order[feature, i]
            side = division.branch[place]
            if side != ALL_BRANCHES:
                if kept[side]:
                    buffer[cursor[side]] = place
                    cursor[side] += 1
                continue
            copy = place
            for branch in range(n_branches):
                if not kept[branch] or division.weight[branch] <= 0.0:
                    continue
                buffer[cursor[branch]] = copy
                cursor[branch] += 1
                copy = division.twin[place] if copy == place else copy + 1
        for i in range(total):
            order[feature, begin + i] = buffer[i]


@kernel
def divide_with_copies(node: Node, cases: Cases, division: Division) -> None:
    """Stably divide every order between two branches; some cases go to both.

    Those are ``twin`` on the right if both branches are kept. As ``divide_in_two``, without
    branches in the machine code.
    """
    order, buffer, twin = cases.order, division.buffer, division.twin
    keep_left, keep_right = division.kept[0], division.kept[1]
    both = keep_left and keep_right
    for i in range(node.begin, node.end):
        place = order[0, i]
        if not both or division.branch[place] != ALL_BRANCHES:
            twin[place] = place
    for feature in range(order.shape[0]):
        left, right = node.begin, 0
        for i in range(node.begin, node.end):
            place = order[feature, i]
            side = int(division.branch[place])
            order[feature, left] = place
            buffer[right] = twin[place]
            # The lowest bit of ALL_BRANCHES is 1 too.
            left += keep_left & ((1 - (side & 1)) | (side >> 31))
            right += keep_right & side
        for i in range(right):
            order[feature, left + i] = buffer[i]


@kernel
def divide_in_two(begin: int, end: int, cases: Cases, division: Division) -> None:
    """Stably divide every order between two branches, without branches in the machine code."""
    order, buffer = cases.order, division.buffer
    keep_left, keep_right = division.kept[0], division.kept[1]
    for feature in range(order.shape[0]):
        left, right = begin, 0
        for i in range(begin, end):
            place = order[feature, i]
            side = int(division.branch[place])
            order[feature, left] = place
            buffer[right] = place
            left += keep_left & (1 - side)
            right += keep_right & side
        for i in range(right):
            order[feature, left + i] = buffer[i]


@typed_kernel(python=False)
def divide_binary(
    feature: int,
    node: Node,
    features: Features,
    cases: Cases,
    rules: KernelRules,
    found: BestSplits,
    division: Division,
    counts: Floats2D,
) -> int:
    """Divide a node between two branches, all cases with a known branch; return those in use."""
    assign_branches(feature, node, features, cases, found, division, counts)
    keep_branches(2, 0, node, rules, division, counts)
    if division.kept[0] or division.kept[1]:
        divide_in_two(node.begin, node.end, cases, division)
    return node.in_use


@typed_kernel(python=False)
def divide_complete(
    feature: int,
    node: Node,
    features: Features,
    cases: Cases,
    rules: KernelRules,
    found: BestSplits,
    division: Division,
    counts: Floats2D,
) -> int:
    """Divide a node, all cases with a known branch; return the cases in use."""
    n_branches = found.n_branches[feature]
    assign_branches(feature, node, features, cases, found, division, counts)
    total = keep_branches(n_branches, 0, node, rules, division, counts)
    if total > 0 and n_branches == 2:
        divide_in_two(node.begin, node.end, cases, division)
    elif total > 0:
        divide_orders(node.begin, node.end, n_branches, cases, division)
    return node.in_use


@typed_kernel(python=False)
def divide_shared(
    feature: int,
    node: Node,
    features: Features,
    cases: Cases,
    rules: KernelRules,
    found: BestSplits,
    division: Division,
    counts: Floats2D,
) -> int:
    """Divide a node some of whose cases go to all branches; return the cases in use, or NO_ROOM."""
    n_branches, quantum, in_use = found.n_branches[feature], rules.quantum, node.in_use
    n_unknown = assign_branches(feature, node, features, cases, found, division, counts)
    unknown = node.end - n_unknown
    count_unknown(feature, unknown, n_branches, node, quantum, cases, division, counts)
    total = keep_branches(n_branches, n_unknown, node, rules, division, counts)
    if max(node.begin + total, in_use + n_unknown * (n_branches - 1)) > cases.order.shape[1]:
        return NO_ROOM
    if total > 0:
        in_use = copy_unknown(feature, unknown, n_branches, node, quantum, cases, division)
        if n_branches == 2:
            divide_with_copies(node, cases, division)
        else:
            divide_orders(node.begin, node.end, n_branches, cases, division)
    return in_use


# The division of a sorted node.
Divide: TypeAlias = Annotated[Callable[..., int], function_type(divide_binary)]
