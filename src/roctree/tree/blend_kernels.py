"""The compiled loops that lead rows down a tree of soft thresholds and mix the leaves they reach.

They go node by node, not row by row: a node has a list of the rows that reach it, in whole or in
part, and hands it on to its branches. So the rule of a node is read once for all of them, its
attribute is one column in the cache, and no step waits for the one before. Lists are on two stacks,
the branches are visited from the first to the last, and so the sum over the leaves of a row does
not depend on other rows. The columns of the arrays are named in ``descent``.
"""

import numpy as np
from numpy.typing import NDArray

from roctree._jit import kernel, typed_kernel
from roctree.tree.descent import N_CHILDREN, NEXT, SHARE, SOFTNESS, THRESHOLD
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
Whole = int | np.int64

# pending[entry, column]: a node, on which stack its list is, and where that begins and ends.
NODE, STACK, BEGIN, END = range(4)


@typed_kernel(
    f"int64({TABLE}, Array(bool, 1, 'C', readonly=True), {PLACES}, {STEPS}, {RULES}, "
    "Array(uint32, 2, 'C'), Array(float64, 2, 'C'), "
    f"{PLACES}, Array(int64, 2, 'C'), {TABLE}, Array(float64, 2, 'C'))"
)
def blend(
    columns: Floats,
    plain: Flags,
    place: Places,
    steps: Places,
    rule_ints: Rules,
    rule_floats: Floats,
    category_branch: Branches,
    rows: Places,
    parts: Floats,
    branches: Places,
    pending: Ints,
    leaf_table: Floats,
    mixture: Floats,
) -> int:
    """Mix the lines of ``leaf_table`` for each row; return 0 if there was no room for all parts.

    ``columns`` has a line for each attribute that is used, which is ``plain`` if all its values
    are known numbers; ``place`` is its number for each node. ``rows`` and ``parts`` are two stacks
    of lists, each for a single row at least as long as the tree has nodes; so is ``branches``.
    ``pending`` has a line for every node.
    """
    n_rows = mixture.shape[0]
    for row in range(n_rows):
        rows[0, row], parts[0, row] = row, 1.0
        for k in range(mixture.shape[1]):
            mixture[row, k] = 0.0
    wait(0, 0, 0, 0, n_rows, pending)
    n_pending, tops = 1, np.zeros(2, dtype=np.int64)
    while n_pending > 0:
        n_pending -= 1
        node, stack = pending[n_pending, NODE], pending[n_pending, STACK]
        begin, end = pending[n_pending, BEGIN], pending[n_pending, END]
        # The list of what is visited next is always the last of its stack.
        tops[stack] = begin
        if steps[node, NEXT] == node:
            add_leaf(node, stack, begin, end, rows, parts, leaf_table, mixture)
            continue
        if tops[1 - stack] + (end - begin) >= rows.shape[1]:
            return 0
        column = columns[place[node]]
        if plain[place[node]] and ends_below(node, steps):
            end_numbers(
                node, stack, begin, end, column, steps, rule_floats, rows, parts, leaf_table,
                mixture,
            )  # fmt: skip
        elif plain[place[node]]:
            n_pending = divide_numbers(
                node, stack, begin, end, n_pending, tops, column, steps, rule_floats, rows, parts,
                pending,
            )  # fmt: skip
        elif begin + rule_ints[node, N_CHILDREN] * (end - begin) >= rows.shape[1]:
            return 0
        else:
            n_pending = divide_any(
                node, stack, begin, end, n_pending, tops, column, steps, rule_ints, rule_floats,
                category_branch, rows, parts, branches, pending,
            )  # fmt: skip
    return 1


@kernel
def wait(entry: int, node: Whole, stack: int, begin: int, end: Whole, pending: Ints) -> int:
    """Note a node with its list; return how many are pending."""
    if end == begin:
        return entry
    pending[entry, NODE], pending[entry, STACK] = node, stack
    pending[entry, BEGIN], pending[entry, END] = begin, end
    return entry + 1


@kernel
def add_leaf(
    node: int,
    stack: int,
    begin: int,
    end: int,
    rows: Places,
    parts: Floats,
    leaf_table: Floats,
    mixture: Floats,
) -> None:
    """Mix a leaf into the rows of its list."""
    here, leaf = np.uint64(stack), np.uint64(node)
    for i in range(np.uint64(begin), np.uint64(end)):
        row, part = rows[here, i], parts[here, i]
        for k in range(np.uint64(mixture.shape[1])):
            mixture[row, k] += part * leaf_table[leaf, k]


@kernel
def ends_below(node: int, steps: Places) -> bool:
    """Whether both branches of a node with a threshold are leaves."""
    child = np.int64(steps[node, NEXT])
    return bool(steps[child, NEXT] == child and steps[child + 1, NEXT] == child + 1)


@kernel
def end_numbers(
    node: int,
    stack: int,
    begin: int,
    end: int,
    column: Floats,
    steps: Places,
    rule_floats: Floats,
    rows: Places,
    parts: Floats,
    leaf_table: Floats,
    mixture: Floats,
) -> None:
    """Mix two leaves into the rows of the list above them, which need no lists of their own."""
    threshold, softness = rule_floats[node, THRESHOLD], rule_floats[node, SOFTNESS]
    least = LEAST_PART if softness > 0.0 else np.inf
    steepness = 0.5 / softness if softness > 0.0 else 1.0
    here, below = np.uint64(stack), np.uint64(steps[node, NEXT])
    beyond = below + np.uint64(1)
    for i in range(np.uint64(begin), np.uint64(end)):
        row, part = rows[here, i], parts[here, i]
        value = column[row]
        above = 0.5 + (value - threshold) * steepness
        together = 1.0 if value > threshold else 0.0
        above = above if part * min(above, 1.0 - above) >= least else together
        first, second = part * (1.0 - above), part * above
        for k in range(np.uint64(mixture.shape[1])):
            # One leaf after the other, as where lists are made: the sum must not depend on it.
            sofar = mixture[row, k] + first * leaf_table[below, k]
            mixture[row, k] = sofar + second * leaf_table[beyond, k]


@kernel
def divide_numbers(
    node: int,
    stack: int,
    begin: int,
    end: int,
    n_pending: int,
    tops: Ints,
    column: Floats,
    steps: Places,
    rule_floats: Floats,
    rows: Places,
    parts: Floats,
    pending: Ints,
) -> int:
    """Hand the list of a node with a threshold on to its two branches; return what is pending.

    The same as ``part_above``, but without an if: every row is written to both lists, and those
    grow that it belongs to. What the processor would guess wrong takes longer than writing. The
    list of the second branch stays where it is, that of the first goes to the other stack.
    """
    threshold, softness = rule_floats[node, THRESHOLD], rule_floats[node, SOFTNESS]
    least = LEAST_PART if softness > 0.0 else np.inf
    steepness = 0.5 / softness if softness > 0.0 else 1.0
    child, other = np.int64(steps[node, NEXT]), 1 - stack
    here, there = np.uint64(stack), np.uint64(other)
    first, second = np.uint64(tops[other]), np.uint64(begin)
    for i in range(np.uint64(begin), np.uint64(end)):
        row, part = rows[here, i], parts[here, i]
        value = column[row]
        above = 0.5 + (value - threshold) * steepness
        together = 1.0 if value > threshold else 0.0
        above = above if part * min(above, 1.0 - above) >= least else together
        rows[there, first], parts[there, first] = row, part * (1.0 - above)
        rows[here, second], parts[here, second] = row, part * above
        first += np.uint64(above < 1.0)
        second += np.uint64(above > 0.0)
    n_pending = wait(n_pending, child + 1, stack, begin, np.int64(second), pending)
    n_pending = wait(n_pending, child, other, tops[other], np.int64(first), pending)
    tops[stack], tops[other] = np.int64(second), np.int64(first)
    return n_pending


@kernel
def divide_any(
    node: int,
    stack: int,
    begin: int,
    end: int,
    n_pending: int,
    tops: Ints,
    column: Floats,
    steps: Places,
    rule_ints: Rules,
    rule_floats: Floats,
    category_branch: Branches,
    rows: Places,
    parts: Floats,
    branches: Places,
    pending: Ints,
) -> int:
    """The same for any split, where values may be missing: branch by branch."""
    other, n_rows = 1 - stack, end - begin
    old = tops[other]
    for i in range(n_rows):
        row = rows[stack, begin + i]
        rows[other, old + i], parts[other, old + i] = row, parts[stack, begin + i]
        value = column[row]
        # 0 stands for several branches.
        branches[i] = 1 + branch_of(value, node, rule_ints, rule_floats, category_branch)
    for branch in range(rule_ints[node, N_CHILDREN] - 1, -1, -1):
        child = np.int64(steps[node, NEXT]) + branch
        end = begin
        for i in range(n_rows):
            row, part = rows[other, old + i], parts[other, old + i]
            share = 1.0 if branches[i] == branch + 1 else 0.0
            if branches[i] == 0:
                share = share_of(column[row], part, node, child, branch, rule_floats)
            if share > 0.0:
                rows[stack, end], parts[stack, end] = row, part * share
                end += 1
        n_pending = wait(n_pending, child, stack, begin, end, pending)
        begin = end
    tops[stack] = begin
    return n_pending


@kernel
def share_of(
    value: float, part: float, node: int, child: Whole, branch: int, rule_floats: Floats
) -> float:
    """Return how much of a part that goes to several branches goes to one of them."""
    softness = rule_floats[node, SOFTNESS]
    if value != value or softness == 0.0:
        return rule_floats[child, SHARE]
    above = part_above(value, part, rule_floats[node, THRESHOLD], softness)
    return above if branch == 1 else 1.0 - above
