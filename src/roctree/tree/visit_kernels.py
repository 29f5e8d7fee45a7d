"""The compiled loops that follow all paths of a row, from where its single path ends.

Where thresholds are soft, rows are mixed by ``blend_kernels`` instead.

A queue lists the nodes that the row reaches; the loops that mix leaves, count held-out cases or
list nodes differ only in what they do with it. The columns of the arrays are named in ``descent``.
"""

import numpy as np
from numpy.typing import NDArray

from roctree._jit import kernel, typed_kernel
from roctree.tree.descent import FEATURE, FIRST_CHILD, N_CHILDREN, SHARE, SOFTNESS, THRESHOLD
from roctree.tree.settle_kernels import (
    PLACES,
    RULES,
    TABLE,
    Branches,
    Floats,
    Places,
    Rules,
    branch_of,
)

Ints = NDArray[np.int64]

_NODES = "Array(int64, 1, 'C', readonly=True)"
_LABELS = "Array(int32, 1, 'C', readonly=True)"
_WEIGHTS = "Array(float64, 1, 'C', readonly=True)"
_QUEUE = "Array(int64, 1, 'C'), Array(float64, 1, 'C')"
_RESULT = "Array(float64, 2, 'C')"

# A soft threshold keeps a row together rather than send a smaller part of it to a branch.
LEAST_PART = 0.001


# No part of a soft threshold: the branches share a row by their weights.
SHARED = -1.0


@kernel
def part_above(value: float, part: float, threshold: float, softness: float) -> float:
    """Return how much of a part of a row goes above a soft threshold, all or none if too little."""
    above = 0.5 + (value - threshold) * (0.5 / softness)
    if part * min(above, 1.0 - above) >= LEAST_PART:
        return above
    return 1.0 if value > threshold else 0.0


@kernel
def visit(
    values: Floats,
    row: int,
    start: int,
    rule_ints: Rules,
    rule_floats: Floats,
    category_branch: Branches,
    queue: Ints,
    parts: Floats,
) -> int:
    """List the nodes that a row reaches from ``start`` on; return how many.

    ``queue`` holds them in increasing order, for the children of later nodes are later, and
    ``parts`` the part of the row that each receives.
    """
    queue[0] = start
    parts[0] = 1.0
    n_reached = 1
    head = 0
    while head < n_reached:
        node = queue[head]
        part = parts[head]
        head += 1
        first = rule_ints[node, FIRST_CHILD]
        end = first + rule_ints[node, N_CHILDREN]
        if first == end:
            continue
        value = values[row, rule_ints[node, FEATURE]]
        branch = branch_of(value, node, rule_ints, rule_floats, category_branch)
        if branch >= 0:
            first += branch
            end = first + 1
        above = SHARED
        if branch < 0 and value == value and rule_floats[node, SOFTNESS] > 0.0:
            above = part_above(
                value, part, rule_floats[node, THRESHOLD], rule_floats[node, SOFTNESS]
            )
        for child in range(first, end):
            share = rule_floats[child, SHARE]
            if branch >= 0:
                share = 1.0
            elif above != SHARED:
                share = 1.0 - above if child == first else above
            if share > 0.0:
                queue[n_reached] = child
                parts[n_reached] = part * share
                n_reached += 1
    return n_reached


@typed_kernel(f"void({TABLE}, {RULES}, {_QUEUE}, {PLACES}, {TABLE}, {_RESULT})")
def spread(
    values: Floats,
    rule_ints: Rules,
    rule_floats: Floats,
    category_branch: Branches,
    queue: Ints,
    parts: Floats,
    nodes: Places,
    leaf_table: Floats,
    mixture: Floats,
) -> None:
    """Mix the lines of ``leaf_table`` for the rows that are divided at ``nodes``."""
    for row in range(values.shape[0]):
        if rule_ints[nodes[row], N_CHILDREN] == 0:
            continue
        n_reached = visit(
            values, row, nodes[row], rule_ints, rule_floats, category_branch, queue, parts
        )
        for column in range(mixture.shape[1]):
            mixture[row, column] = 0.0
        for i in range(n_reached):
            if rule_ints[queue[i], N_CHILDREN] == 0:
                for column in range(mixture.shape[1]):
                    mixture[row, column] += parts[i] * leaf_table[queue[i], column]


@typed_kernel(f"void({TABLE}, {RULES}, {_QUEUE}, {PLACES}, {_LABELS}, {_WEIGHTS}, {_RESULT})")
def tally(
    values: Floats,
    rule_ints: Rules,
    rule_floats: Floats,
    category_branch: Branches,
    queue: Ints,
    parts: Floats,
    nodes: Places,
    labels: Rules,
    weights: Floats,
    counts: Floats,
) -> None:
    """Add the weight of each row, from its node on, to the counts of the leaves it reaches."""
    for row in range(values.shape[0]):
        n_reached = visit(
            values, row, nodes[row], rule_ints, rule_floats, category_branch, queue, parts
        )
        for i in range(n_reached):
            if rule_ints[queue[i], N_CHILDREN] == 0:
                counts[queue[i], labels[row]] += parts[i] * weights[row]


@typed_kernel(f"void({_NODES}, {_RESULT})")
def add_up(parent: Ints, counts: Floats) -> None:
    """Add the counts of every node to its parent's, from the last node to the first."""
    for node in range(counts.shape[0] - 1, 0, -1):
        for label in range(counts.shape[1]):
            counts[parent[node], label] += counts[node, label]


@typed_kernel(
    f"void({TABLE}, {RULES}, {_QUEUE}, {PLACES}, {_NODES}, {_NODES}, "
    "Array(int64, 1, 'C'), Array(int32, 1, 'C'))"
)
def trace(
    values: Floats,
    rule_ints: Rules,
    rule_floats: Floats,
    category_branch: Branches,
    queue: Ints,
    parts: Floats,
    nodes: Places,
    parent: Ints,
    depth: Ints,
    ends: Ints,
    visited: Rules,
) -> None:
    """List the nodes on all paths of each row; without room for them, only where lists end."""
    for row in range(values.shape[0]):
        node = nodes[row]
        n_reached = visit(values, row, node, rule_ints, rule_floats, category_branch, queue, parts)
        place = ends[row] + depth[node]
        ends[row + 1] = place + n_reached
        if visited.size > 0:
            for i in range(n_reached):
                visited[place + i] = queue[i]
            for above in range(1, depth[node] + 1):
                node = np.uint32(parent[node])
                visited[place - above] = node
