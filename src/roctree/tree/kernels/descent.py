"""Kernels that move rows down a tree.

``settle`` moves many rows at once to the ends of their single paths: a leaf, or a node that divides
the row among its branches. From there ``visit`` follows all paths of a row; ``mix_leaves``,
``count_leaves`` and ``list_nodes`` differ only in what they do with the nodes it reaches. Trees
with soft thresholds are mixed by ``blend`` instead.
"""

from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roctree._jit import kernel, record_array_type, typed_kernel
from roctree.arrays import (
    Floats,
    Floats2D,
    Int,
    Int32s,
    Ints,
    Places,
    Places2D,
    ReadonlyBools,
    ReadonlyBranches,
    ReadonlyFloats,
    ReadonlyFloats2D,
    ReadonlyInt32s,
    ReadonlyInts,
    ReadonlyPlaces,
)
from roctree.tree.tree import MIN_PART, NO_BRANCH

# The data of a simple comparison, in 16 bytes: one cache line holds four nodes. The cut is NaN
# where more than a comparison is needed. A leaf leads to itself, by its parent's attribute.
STEP = np.dtype((np.record, [("cut", "f8"), ("attribute", "u4"), ("next", "u4")]))
# All data of a node for a descent; share is its share of the cases among its siblings.
RULE = np.dtype(
    (
        np.record,
        [
            ("threshold", "f8"),
            ("softness", "f8"),
            ("share", "f8"),
            ("n_children", "i4"),
            ("first_child", "i4"),
            ("feature", "i4"),
            ("missing_branch", "i4"),
            ("category_start", "i4"),
            ("n_categories", "i4"),
        ],
    )
)
Steps: TypeAlias = Annotated[NDArray[Any], record_array_type(STEP, readonly=True)]
NodeRules: TypeAlias = Annotated[NDArray[Any], record_array_type(RULE, readonly=True)]


class Paths(NamedTuple):
    """The nodes of a tree, packed for descent: records of ``STEP`` and ``RULE``."""

    steps: Steps
    rules: NodeRules
    category_branch: ReadonlyBranches


class Reached(NamedTuple):
    """Memory for the nodes that a row reaches, and its part in each."""

    nodes: Ints
    parts: Floats


@kernel
def branch_of(value: float, node: int, paths: Paths) -> int:
    """Return the branch that a value takes, or -1 if it is divided among the branches."""
    rule = paths.rules[node]
    if value != value:
        return int(rule.missing_branch)
    if rule.n_categories == 0:
        if rule.softness > 0.0 and abs(value - rule.threshold) < rule.softness:
            return NO_BRANCH
        return int(value > rule.threshold)
    if value >= 0.0 and value < rule.n_categories:
        branch = paths.category_branch[rule.category_start + int(value)]
        if branch >= 0:
            return int(branch)
    return int(rule.missing_branch)


@typed_kernel
def settle(
    values: ReadonlyFloats2D, paths: Paths, moving: Places, halted: Places, nodes: Places
) -> int:
    """Move each row to a leaf or to a node that divides it; return how many are divided.

    ``nodes`` receives the end of each path; ``moving`` and ``halted`` are memory for lists of rows.
    """
    n_moving = values.shape[0]
    for row in range(n_moving):
        nodes[row] = 0
        moving[row] = row
        halted[row] = row
    n_divided = 0
    while n_moving > 0:
        n_halted = n_moving
        move_down(values, paths.steps, n_halted, moving, nodes)
        n_moving = 0
        for i in range(n_halted):
            row = halted[i]
            node = nodes[row]
            step = paths.steps[node]
            if step.next == node:
                continue
            branch = branch_of(values[row, step.attribute], node, paths)
            if branch < 0:
                n_divided += 1
                continue
            nodes[row] = step.next + np.uint32(branch)
            moving[n_moving] = row
            halted[n_moving] = row
            n_moving += 1
    return n_divided


@kernel
def move_down(
    values: ReadonlyFloats2D, steps: Steps, n_rows: int, moving: Places, nodes: Places
) -> None:
    """Move rows down until each is at a leaf or at a split that takes more than a comparison.

    All rows take two steps, then those that moved take two more, and so on. The steps of different
    rows do not depend on each other, so the processor overlaps their cache misses. A comparison
    with NaN, on either side, stops the row. Unsigned numbers avoid the test for negative indices.
    """
    n_moving = np.uint64(n_rows)
    while n_moving > 0:
        n_moved = np.uint64(0)
        for i in range(n_moving):
            row = moving[i]
            node = nodes[row]
            before = node
            for _ in range(2):
                before = node
                step = steps[node]
                value = values[row, step.attribute]
                if value <= step.cut or value > step.cut:
                    node = np.uint32(step.next + np.uint32(value > step.cut))
            nodes[row] = node
            moving[n_moved] = row
            n_moved += np.uint64(before != node)
        n_moving = n_moved


# Not a soft threshold: the branches share a row by their weights.
_BY_WEIGHT = -1.0


@kernel
def visit(values: ReadonlyFloats2D, row: int, start: int, paths: Paths, reached: Reached) -> int:
    """List the nodes that a row reaches from ``start`` on, in increasing order; return how many."""
    nodes, parts = reached.nodes, reached.parts
    nodes[0] = start
    parts[0] = 1.0
    n_reached = 1
    head = 0
    while head < n_reached:
        part, rule = parts[head], paths.rules[nodes[head]]
        first = rule.first_child
        end = first + rule.n_children
        if first == end:
            head += 1
            continue
        value = values[row, rule.feature]
        branch = branch_of(value, nodes[head], paths)
        head += 1
        if branch >= 0:
            first += branch
            end = first + 1
        above = _BY_WEIGHT
        if branch < 0 and value == value and rule.softness > 0.0:
            above = part_above(value, part, rule.threshold, rule.softness)
        for child in range(first, end):
            share = paths.rules[child].share
            if branch >= 0:
                share = 1.0
            elif above != _BY_WEIGHT:
                share = 1.0 - above if child == first else above
            if share > 0.0:
                nodes[n_reached] = child
                parts[n_reached] = part * share
                n_reached += 1
    return n_reached


@kernel
def part_above(value: float, part: float, threshold: float, softness: float) -> float:
    """Return the share of a row above a soft threshold; all or none if one would be too small."""
    above = 0.5 + (value - threshold) * (0.5 / softness)
    if part * min(above, 1.0 - above) >= MIN_PART:
        return above
    return 1.0 if value > threshold else 0.0


@typed_kernel
def mix_leaves(
    values: ReadonlyFloats2D,
    paths: Paths,
    reached: Reached,
    nodes: Places,
    leaf_table: ReadonlyFloats2D,
    mixture: Floats2D,
) -> None:
    """Mix the rows of ``leaf_table`` for the rows that are divided at ``nodes``."""
    for row in range(values.shape[0]):
        if paths.rules[nodes[row]].n_children == 0:
            continue
        n_reached = visit(values, row, nodes[row], paths, reached)
        for column in range(mixture.shape[1]):
            mixture[row, column] = 0.0
        for i in range(n_reached):
            node = reached.nodes[i]
            if paths.rules[node].n_children == 0:
                for column in range(mixture.shape[1]):
                    mixture[row, column] += reached.parts[i] * leaf_table[node, column]


@typed_kernel
def count_leaves(
    values: ReadonlyFloats2D,
    paths: Paths,
    reached: Reached,
    nodes: Places,
    labels: ReadonlyInt32s,
    weights: ReadonlyFloats,
    counts: Floats2D,
) -> None:
    """Add the weight of each row, from its node on, to the counts of the leaves it reaches."""
    for row in range(values.shape[0]):
        n_reached = visit(values, row, nodes[row], paths, reached)
        for i in range(n_reached):
            node = reached.nodes[i]
            if paths.rules[node].n_children == 0:
                counts[node, labels[row]] += reached.parts[i] * weights[row]


@typed_kernel
def add_to_parents(parent: ReadonlyInts, counts: Floats2D) -> None:
    """Add the counts of every node to its parent's, from the last node to the first."""
    for node in range(counts.shape[0] - 1, 0, -1):
        for label in range(counts.shape[1]):
            counts[parent[node], label] += counts[node, label]


@typed_kernel
def list_nodes(
    values: ReadonlyFloats2D,
    paths: Paths,
    reached: Reached,
    nodes: Places,
    parent: ReadonlyInts,
    depth: ReadonlyInts,
    ends: Ints,
    visited: Int32s,
) -> None:
    """List the nodes on all paths of each row; with ``visited`` empty, only the ends of lists."""
    for row in range(values.shape[0]):
        node = nodes[row]
        n_reached = visit(values, row, node, paths, reached)
        place = ends[row] + depth[node]
        ends[row + 1] = place + n_reached
        if visited.size > 0:
            for i in range(n_reached):
                visited[place + i] = reached.nodes[i]
            for above in range(1, depth[node] + 1):
                node = np.uint32(parent[node])
                visited[place - above] = node


# --- Soft thresholds ---
#
# ``blend`` proceeds node by node, not row by row: a node has a list of the rows that reach it, in
# whole or in part, and passes it on to its branches. The rule of a node is read once for all of
# them, its attribute is one column in the cache, and steps are independent of each other. Lists are
# kept on two stacks and branches are visited from the first to the last, so the sum over the leaves
# of a row does not depend on other rows.

# A node to be visited, and its list of rows: the stack it is on, its start and its end.
SEGMENT = np.dtype((np.record, [("node", "i8"), ("stack", "i8"), ("begin", "i8"), ("end", "i8")]))
Segments: TypeAlias = Annotated[NDArray[Any], record_array_type(SEGMENT)]


class Segment(NamedTuple):
    """One ``SEGMENT``, taken from the stack of those that are pending."""

    node: int
    stack: int
    begin: int
    end: int


class Lists(NamedTuple):
    """Memory for the lists of a block of rows.

    Parameters
    ----------
    rows, parts : uint32[2, room] and float64[2, room]
        Two stacks of lists: rows, and the part of each that arrives.
    tops : int64[2]
        Where each stack ends.
    branches : uint32[room]
        Branches of the rows of one list.
    pending : SEGMENT[nodes]
    """

    rows: Places2D
    parts: Floats2D
    tops: Ints
    branches: Places
    pending: Segments


class Attributes(NamedTuple):
    """The attributes that the tree uses, column by column.

    Parameters
    ----------
    columns : float64[used, rows]
    plain : bool[used]
        Whether all values of a column are known numbers.
    place : uint32[nodes]
        The column of the attribute of each node.
    """

    columns: ReadonlyFloats2D
    plain: ReadonlyBools
    place: ReadonlyPlaces


@typed_kernel
def blend(
    attributes: Attributes,
    paths: Paths,
    lists: Lists,
    leaf_table: ReadonlyFloats2D,
    mixture: Floats2D,
) -> int:
    """Mix the rows of ``leaf_table`` for each row; return 0 if the lists were too short.

    For a single row, one entry per node of the tree is enough.
    """
    steps, tops, pending = paths.steps, lists.tops, lists.pending
    n_rows, room = mixture.shape[0], lists.rows.shape[1]
    for row in range(n_rows):
        lists.rows[0, row], lists.parts[0, row] = row, 1.0
        for k in range(mixture.shape[1]):
            mixture[row, k] = 0.0
    tops[0] = tops[1] = 0
    n_pending = push(0, 0, 0, 0, n_rows, pending)
    while n_pending > 0:
        n_pending -= 1
        top = pending[n_pending]
        node, stack, begin, end = top.node, top.stack, top.begin, top.end
        segment = Segment(node, stack, begin, end)
        # The list of the node that is visited next is always the last of its stack.
        tops[stack] = begin
        if steps[node].next == node:
            add_leaf(segment, lists, leaf_table, mixture)
            continue
        if tops[1 - stack] + (end - begin) >= room:
            return 0
        place = attributes.place[node]
        column = attributes.columns[place]
        if attributes.plain[place] and ends_below(node, steps):
            add_two_leaves(segment, column, paths, lists, leaf_table, mixture)
        elif attributes.plain[place]:
            n_pending = divide_numbers(segment, n_pending, column, paths, lists)
        elif begin + paths.rules[node].n_children * (end - begin) >= room:
            return 0
        else:
            n_pending = divide_any(segment, n_pending, column, paths, lists)
    return 1


@kernel
def push(n_pending: int, node: Int, stack: int, begin: int, end: Int, pending: Segments) -> int:
    """Add a node with its list to those that are pending, unless it is empty; return how many."""
    if end == begin:
        return n_pending
    entry = pending[n_pending]
    entry.node = node
    entry.stack = stack
    entry.begin = begin
    entry.end = end
    return n_pending + 1


@kernel
def add_leaf(
    segment: Segment, lists: Lists, leaf_table: ReadonlyFloats2D, mixture: Floats2D
) -> None:
    """Mix a leaf into the rows of its list."""
    rows, parts = lists.rows, lists.parts
    here, leaf = np.uint64(segment.stack), np.uint64(segment.node)
    for i in range(np.uint64(segment.begin), np.uint64(segment.end)):
        row, part = rows[here, i], parts[here, i]
        for k in range(np.uint64(mixture.shape[1])):
            mixture[row, k] += part * leaf_table[leaf, k]


@kernel
def ends_below(node: int, steps: Steps) -> bool:
    """Return whether both branches of a node with a threshold are leaves."""
    child = np.int64(steps[node].next)
    return bool(steps[child].next == child and steps[child + 1].next == child + 1)


@kernel
def add_two_leaves(
    segment: Segment,
    column: ReadonlyFloats,
    paths: Paths,
    lists: Lists,
    leaf_table: ReadonlyFloats2D,
    mixture: Floats2D,
) -> None:
    """Mix two leaves into the rows of their parent's list, without separate lists."""
    rows, parts = lists.rows, lists.parts
    threshold = paths.rules[segment.node].threshold
    softness = paths.rules[segment.node].softness
    least = MIN_PART if softness > 0.0 else np.inf
    steepness = 0.5 / softness if softness > 0.0 else 1.0
    here, below = np.uint64(segment.stack), np.uint64(paths.steps[segment.node].next)
    beyond = below + np.uint64(1)
    for i in range(np.uint64(segment.begin), np.uint64(segment.end)):
        row, part = rows[here, i], parts[here, i]
        value = column[row]
        above = 0.5 + (value - threshold) * steepness
        together = 1.0 if value > threshold else 0.0
        above = above if part * min(above, 1.0 - above) >= least else together
        first, second = part * (1.0 - above), part * above
        for k in range(np.uint64(mixture.shape[1])):
            # One leaf after the other, in the same order as with separate lists, so that sums are
            # equal.
            partial = mixture[row, k] + first * leaf_table[below, k]
            mixture[row, k] = partial + second * leaf_table[beyond, k]


@kernel
def divide_numbers(
    segment: Segment, n_pending: int, column: ReadonlyFloats, paths: Paths, lists: Lists
) -> int:
    """Pass the list of a node with a threshold to its two branches; return the number pending.

    It computes ``part_above`` without a branch: every row is written to both lists, and only the
    lists it belongs to grow. That is faster than mispredicted branches. The list of the second
    branch stays on its stack, that of the first goes to the other.
    """
    rows, parts, tops = lists.rows, lists.parts, lists.tops
    threshold = paths.rules[segment.node].threshold
    softness = paths.rules[segment.node].softness
    least = MIN_PART if softness > 0.0 else np.inf
    steepness = 0.5 / softness if softness > 0.0 else 1.0
    stack, other = segment.stack, 1 - segment.stack
    child = np.int64(paths.steps[segment.node].next)
    here, there = np.uint64(stack), np.uint64(other)
    first, second = np.uint64(tops[other]), np.uint64(segment.begin)
    for i in range(np.uint64(segment.begin), np.uint64(segment.end)):
        row, part = rows[here, i], parts[here, i]
        value = column[row]
        above = 0.5 + (value - threshold) * steepness
        together = 1.0 if value > threshold else 0.0
        above = above if part * min(above, 1.0 - above) >= least else together
        rows[there, first], parts[there, first] = row, part * (1.0 - above)
        rows[here, second], parts[here, second] = row, part * above
        first += np.uint64(above < 1.0)
        second += np.uint64(above > 0.0)
    pending = lists.pending
    n_pending = push(n_pending, child + 1, stack, segment.begin, np.int64(second), pending)
    n_pending = push(n_pending, child, other, tops[other], np.int64(first), pending)
    tops[stack], tops[other] = np.int64(second), np.int64(first)
    return n_pending


@kernel
def divide_any(
    segment: Segment, n_pending: int, column: ReadonlyFloats, paths: Paths, lists: Lists
) -> int:
    """As ``divide_numbers``, for any split and values that may be missing, branch by branch."""
    rows, parts, branches = lists.rows, lists.parts, lists.branches
    node, stack, other = segment.node, segment.stack, 1 - segment.stack
    begin, n_rows = segment.begin, segment.end - segment.begin
    old = lists.tops[other]
    for i in range(n_rows):
        row = rows[stack, begin + i]
        rows[other, old + i], parts[other, old + i] = row, parts[stack, begin + i]
        # 0 stands for several branches.
        branches[i] = 1 + branch_of(column[row], node, paths)
    for branch in range(paths.rules[node].n_children - 1, -1, -1):
        child = np.int64(paths.steps[node].next) + branch
        end = begin
        for i in range(n_rows):
            row, part = rows[other, old + i], parts[other, old + i]
            share = 1.0 if branches[i] == branch + 1 else 0.0
            if branches[i] == 0:
                share = share_of(column[row], part, node, child, branch, paths)
            if share > 0.0:
                rows[stack, end], parts[stack, end] = row, part * share
                end += 1
        n_pending = push(n_pending, child, stack, begin, end, lists.pending)
        begin = end
    lists.tops[stack] = begin
    return n_pending


@kernel
def share_of(
    value: float, part: float, node: int, child: int | np.int64, branch: int, paths: Paths
) -> float:
    """Return the share that one branch receives of a part that goes to several."""
    rule = paths.rules[node]
    if value != value or rule.softness == 0.0:
        return paths.rules[child].share
    above = part_above(value, part, rule.threshold, rule.softness)
    return above if branch == 1 else 1.0 - above
