"""The compiled loops that lead rows down a tree of soft thresholds and mix the leaves they reach.

They go node by node, not row by row: a node has a list of the rows that reach it, in whole or in
part, and hands it on to its branches. So the rule of a node is read once for all of them, its
attribute is one column in the cache, and no step waits for the one before. Lists are on a stack;
the branches are visited from the first to the last, and so the sum over the leaves of a row does
not depend on other rows. The columns of the arrays are named in ``descent``.
"""

import numpy as np
from numpy.typing import NDArray

from roctree._jit import kernel, typed_kernel
from roctree.tree.descent import ATTRIBUTE, N_CHILDREN, NEXT, SHARE, SOFTNESS, THRESHOLD
from roctree.tree.settle_kernels import (
    PLACES,
    RULES,
    STEPS,
    TABLE,
    Branches,
    Floats,
    Places,
    Rules,
    branch_of,
)
from roctree.tree.visit_kernels import LEAST_PART, part_above

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

# pending[entry, column]: a node, and where its list begins and ends.
NODE, BEGIN, END = range(3)
_LIST = f"{PLACES}, Array(float64, 1, 'C')"


@typed_kernel(
    f"int64({TABLE}, Array(bool, 1, 'C', readonly=True), {STEPS}, {RULES}, {_LIST}, {_LIST}, "
    f"{PLACES}, Array(int64, 2, 'C'), {TABLE}, Array(float64, 2, 'C'))"
)
def blend(
    columns: Floats,
    plain: Flags,
    steps: Places,
    rule_ints: Rules,
    rule_floats: Floats,
    category_branch: Branches,
    rows: Places,
    parts: Floats,
    other_rows: Places,
    other_parts: Floats,
    branches: Places,
    pending: Ints,
    leaf_table: Floats,
    mixture: Floats,
) -> int:
    """Mix the lines of ``leaf_table`` for each row; return 0 if there was no room for all parts.

    ``columns`` has a line for each attribute, which is ``plain`` if all its values are known
    numbers. ``rows`` and ``parts`` are the stack of lists; they, the other pair and ``branches``
    have one length, for a single row at least twice the nodes. ``pending`` has a line for every
    node.
    """
    n_rows = mixture.shape[0]
    for row in range(n_rows):
        rows[row], parts[row] = row, 1.0
        for place in range(mixture.shape[1]):
            mixture[row, place] = 0.0
    pending[0, NODE], pending[0, BEGIN], pending[0, END] = 0, 0, n_rows
    n_pending = 1
    while n_pending > 0:
        n_pending -= 1
        node = pending[n_pending, NODE]
        begin, end = pending[n_pending, BEGIN], pending[n_pending, END]
        if steps[node, NEXT] == node:
            for i in range(begin, end):
                for place in range(mixture.shape[1]):
                    mixture[rows[i], place] += parts[i] * leaf_table[node, place]
            continue
        if begin + rule_ints[node, N_CHILDREN] * (end - begin) >= rows.size:
            return 0
        attribute = steps[node, ATTRIBUTE]
        if plain[attribute]:
            n_pending = divide_numbers(
                node, begin, end, n_pending, columns[attribute], steps, rule_floats, rows, parts,
                other_rows, other_parts, pending,
            )  # fmt: skip
        else:
            n_pending = divide_any(
                node, begin, end, n_pending, columns[attribute], steps, rule_ints, rule_floats,
                category_branch, rows, parts, other_rows, other_parts, branches, pending,
            )  # fmt: skip
    return 1


@kernel
def divide_numbers(
    node: int,
    begin: int,
    end: int,
    n_pending: int,
    column: Floats,
    steps: Places,
    rule_floats: Floats,
    rows: Places,
    parts: Floats,
    other_rows: Places,
    other_parts: Floats,
    pending: Ints,
) -> int:
    """Hand the list of a node with a threshold on to its two branches; return what is pending.

    The same as ``part_above``, but without an if: every row is written to both lists, and those
    grow that it belongs to. What the processor would guess wrong takes longer than writing.
    """
    threshold, softness = rule_floats[node, THRESHOLD], rule_floats[node, SOFTNESS]
    least = LEAST_PART if softness > 0.0 else np.inf
    softness = softness if softness > 0.0 else 1.0
    n_first, second = np.uint64(0), np.uint64(begin)
    for i in range(np.uint64(begin), np.uint64(end)):
        row, part = rows[i], parts[i]
        value = column[row]
        above = 0.5 + (0.5 * value - 0.5 * threshold) / softness
        together = 1.0 if value > threshold else 0.0
        above = above if part * min(above, 1.0 - above) >= least else together
        other_rows[n_first], other_parts[n_first] = row, part * (1.0 - above)
        rows[second], parts[second] = row, part * above
        n_first += np.uint64(above < 1.0)
        second += np.uint64(above > 0.0)
    # The list of the second branch stays where it is, that of the first comes on top of it.
    end, child = np.int64(second), np.int64(steps[node, NEXT])
    if end > begin:
        pending[n_pending, NODE] = child + 1
        pending[n_pending, BEGIN], pending[n_pending, END] = begin, end
        n_pending += 1
    if n_first > np.uint64(0):
        for i in range(n_first):
            rows[second + i], parts[second + i] = other_rows[i], other_parts[i]
        pending[n_pending, NODE] = child
        pending[n_pending, BEGIN], pending[n_pending, END] = end, end + np.int64(n_first)
        n_pending += 1
    return n_pending


@kernel
def divide_any(
    node: int,
    begin: int,
    end: int,
    n_pending: int,
    column: Floats,
    steps: Places,
    rule_ints: Rules,
    rule_floats: Floats,
    category_branch: Branches,
    rows: Places,
    parts: Floats,
    other_rows: Places,
    other_parts: Floats,
    branches: Places,
    pending: Ints,
) -> int:
    """The same for any split, where values may be missing: branch by branch."""
    n_rows = end - begin
    for i in range(n_rows):
        other_rows[i], other_parts[i] = rows[begin + i], parts[begin + i]
        branch = branch_of(column[other_rows[i]], node, rule_ints, rule_floats, category_branch)
        # 0 stands for several branches.
        branches[i] = branch + 1
    for branch in range(rule_ints[node, N_CHILDREN] - 1, -1, -1):
        child = np.int64(steps[node, NEXT]) + branch
        end = begin
        for i in range(n_rows):
            share = 1.0 if branches[i] == branch + 1 else 0.0
            if branches[i] == 0:
                value = column[other_rows[i]]
                share = share_of(value, other_parts[i], node, child, branch, rule_floats)
            if share > 0.0:
                rows[end], parts[end] = other_rows[i], other_parts[i] * share
                end += 1
        if end > begin:
            pending[n_pending, NODE] = child
            pending[n_pending, BEGIN], pending[n_pending, END] = begin, end
            n_pending += 1
            begin = end
    return n_pending


@kernel
def share_of(
    value: float, part: float, node: int, child: int, branch: int, rule_floats: Floats
) -> float:
    """Return how much of a part that goes to several branches goes to one of them."""
    softness = rule_floats[node, SOFTNESS]
    if value != value or softness == 0.0:
        return rule_floats[child, SHARE]
    above = part_above(value, part, rule_floats[node, THRESHOLD], softness)
    return above if branch == 1 else 1.0 - above
