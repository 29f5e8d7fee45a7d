"""The compiled loop that leads many rows at once down a tree.

Each goes to where its single path ends: a leaf, or a node that divides it among its branches. The
columns of the arrays are named in ``descent``.
"""

import numpy as np
from numpy.typing import NDArray

from roctree._jit import kernel, typed_kernel
from roctree.tree.descent import (
    ATTRIBUTE,
    CATEGORY_START,
    CUT,
    MISSING_BRANCH,
    N_CATEGORIES,
    NEXT,
    SOFTNESS,
    THRESHOLD,
)

Floats = NDArray[np.float64]
Rules = NDArray[np.int32]
Branches = NDArray[np.int16]
Places = NDArray[np.uint32]

NO_BRANCH = -1

# Compiled types, in the words of Numba.
TABLE = "Array(float64, 2, 'C', readonly=True)"
RULES = f"Array(int32, 2, 'C', readonly=True), {TABLE}, Array(int16, 1, 'C', readonly=True)"
PLACES = "Array(uint32, 1, 'C')"
STEPS = "Array(uint32, 2, 'C', readonly=True)"


@kernel
def branch_of(
    value: float, node: int, rule_ints: Rules, rule_floats: Floats, category_branch: Branches
) -> int:
    """Return the branch that a value takes, or -1 if it is divided among the branches."""
    if value != value:
        return int(rule_ints[node, MISSING_BRANCH])
    n_categories = rule_ints[node, N_CATEGORIES]
    if n_categories == 0:
        softness = rule_floats[node, SOFTNESS]
        if softness > 0.0 and abs(value - rule_floats[node, THRESHOLD]) < softness:
            return NO_BRANCH
        return int(value > rule_floats[node, THRESHOLD])
    if value >= 0.0 and value < n_categories:
        branch = category_branch[rule_ints[node, CATEGORY_START] + int(value)]
        if branch >= 0:
            return int(branch)
    return int(rule_ints[node, MISSING_BRANCH])


@typed_kernel(f"int64({TABLE}, {TABLE}, {STEPS}, {RULES}, {PLACES}, {PLACES}, {PLACES})")
def settle(
    values: Floats,
    cuts: Floats,
    steps: Places,
    rule_ints: Rules,
    rule_floats: Floats,
    category_branch: Branches,
    moving: Places,
    halted: Places,
    nodes: Places,
) -> int:
    """Lead each row to a leaf or to a node that divides it; return how many are divided."""
    n_moving = values.shape[0]
    for row in range(n_moving):
        nodes[row] = 0
        moving[row] = row
        halted[row] = row
    n_divided = 0
    while n_moving > 0:
        n_halted = n_moving
        run(values, cuts, steps, n_halted, moving, nodes)
        n_moving = 0
        for i in range(n_halted):
            row = halted[i]
            node = nodes[row]
            if steps[node, NEXT] == node:
                continue
            value = values[row, steps[node, ATTRIBUTE]]
            branch = branch_of(value, node, rule_ints, rule_floats, category_branch)
            if branch < 0:
                n_divided += 1
                continue
            nodes[row] = steps[node, NEXT] + np.uint32(branch)
            moving[n_moving] = row
            halted[n_moving] = row
            n_moving += 1
    return n_divided


@kernel
def run(
    values: Floats, cuts: Floats, steps: Places, n_rows: int, moving: Places, nodes: Places
) -> None:
    """Move rows down until each is at a leaf or at a split that takes more than a comparison.

    All rows take two steps, then those that moved two more, and so on. The steps of different
    rows do not wait for one another, so the processor overlaps their cache misses. A leaf leads
    to itself; a comparison with NaN, on either side, halts the row. Unsigned numbers spare the
    test for negative indices.
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
                value = values[row, steps[node, ATTRIBUTE]]
                cut = cuts[node, CUT]
                if value <= cut or value > cut:
                    node = np.uint32(steps[node, NEXT] + np.uint32(value > cut))
            nodes[row] = node
            moving[n_moved] = row
            n_moved += np.uint64(before != node)
        n_moving = n_moved
