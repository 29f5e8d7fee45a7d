"""Kernels that move rows down a tree.

``settle`` moves many rows at once to the ends of their single paths: a leaf, or a node that divides
the row among its branches. From there ``visit`` follows all paths of a row; ``mix_leaves``,
``count_leaves`` and ``list_nodes`` differ only in what they do with the nodes it reaches. Trees
with soft thresholds are mixed by ``kernels.blend`` instead.
"""

from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roctree._jit import kernel, record_array, typed_kernel
from roctree.arrays import (
    Floats,
    Floats2D,
    Int32s,
    Ints,
    Places,
    ReadonlyBranches,
    ReadonlyFloats,
    ReadonlyFloats2D,
    ReadonlyInt32s,
    ReadonlyInts,
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
Steps: TypeAlias = Annotated[NDArray[Any], record_array(STEP, readonly=True)]
NodeRules: TypeAlias = Annotated[NDArray[Any], record_array(RULE, readonly=True)]


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
