"""The compiled loop that leads rows down a tree of soft thresholds and mixes the leaves they reach.

Parts of many rows descend together, a step at a time, so that the processor overlaps their cache
misses; a part that is divided leaves another behind it in the list. The parts of one row keep their
order in the list, whatever other rows do, and so the sum over its leaves does not depend on them.
The columns of the arrays are named in ``descent``.
"""

import numpy as np

from roctree._jit import kernel, typed_kernel
from roctree.tree.descent import (
    ATTRIBUTE,
    HIGH,
    LOW,
    N_CHILDREN,
    NEXT,
    SHARE,
    SOFTNESS,
    THRESHOLD,
)
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
from roctree.tree.visit_kernels import part_above

# So many rows descend together, unless there is no room for all their parts.
GROUP = 256


@typed_kernel(
    f"void({TABLE}, {TABLE}, {STEPS}, {RULES}, {PLACES}, {PLACES}, Array(float64, 1, 'C'), "
    f"{TABLE}, Array(float64, 2, 'C'))"
)
def blend(
    values: Floats,
    zones: Floats,
    steps: Places,
    rule_ints: Rules,
    rule_floats: Floats,
    category_branch: Branches,
    rows: Places,
    nodes: Places,
    parts: Floats,
    leaf_table: Floats,
    mixture: Floats,
) -> None:
    """Mix the lines of ``leaf_table`` for each row.

    ``rows``, ``nodes`` and ``parts`` are room for as many parts as the tree has nodes, or more.
    """
    begin, many = 0, GROUP
    while begin < values.shape[0]:
        end = min(begin + many, values.shape[0])
        done = blend_group(
            begin, end, values, zones, steps, rule_ints, rule_floats, category_branch, rows, nodes,
            parts, leaf_table, mixture,
        )  # fmt: skip
        if done:
            begin = end
        else:
            many = (end - begin + 1) // 2


@kernel
def begin_at_root(
    begin: int, end: int, rows: Places, nodes: Places, parts: Floats, mixture: Floats
) -> None:
    """Put the rows at the root, whole, with nothing mixed yet."""
    for row in range(begin, end):
        rows[row - begin], nodes[row - begin], parts[row - begin] = row, 0, 1.0
        for column in range(mixture.shape[1]):
            mixture[row, column] = 0.0


@kernel
def blend_group(
    begin: int,
    end: int,
    values: Floats,
    zones: Floats,
    steps: Places,
    rule_ints: Rules,
    rule_floats: Floats,
    category_branch: Branches,
    rows: Places,
    nodes: Places,
    parts: Floats,
    leaf_table: Floats,
    mixture: Floats,
) -> bool:
    """Mix the leaves of some rows; say if there was room for all their parts."""
    n_parts = end - begin
    if n_parts > rows.size:
        return False
    begin_at_root(begin, end, rows, nodes, parts, mixture)
    while n_parts > 0:
        n_kept, n_all = 0, n_parts
        for i in range(n_parts):
            row, node, part = rows[i], nodes[i], parts[i]
            after = steps[node, NEXT]
            if after == node:
                for column in range(mixture.shape[1]):
                    mixture[row, column] += part * leaf_table[node, column]
                continue
            value = values[row, steps[node, ATTRIBUTE]]
            above = value > zones[node, HIGH]
            if above or value <= zones[node, LOW]:
                after += np.uint32(above)
            else:
                branch = branch_of(value, node, rule_ints, rule_floats, category_branch)
                n_branches = rule_ints[node, N_CHILDREN]
                if n_all + n_branches > rows.size:
                    return False
                if branch >= 0:
                    after += np.uint32(branch)
                elif value == value and rule_floats[node, SOFTNESS] > 0.0:
                    right = part_above(
                        value, part, rule_floats[node, THRESHOLD], rule_floats[node, SOFTNESS]
                    )
                    if right == 1.0:
                        after += np.uint32(1)
                    elif right > 0.0:
                        rows[n_all], nodes[n_all], parts[n_all] = row, after + 1, part * right
                        n_all += 1
                        part *= 1.0 - right
                else:
                    for child in range(after + 1, after + n_branches):
                        share = rule_floats[child, SHARE]
                        if share > 0.0:
                            rows[n_all], nodes[n_all], parts[n_all] = row, child, part * share
                            n_all += 1
                    part *= rule_floats[after, SHARE]
            rows[n_kept], nodes[n_kept], parts[n_kept] = row, after, part
            n_kept += 1
        for i in range(n_parts, n_all):
            rows[n_kept], nodes[n_kept], parts[n_kept] = rows[i], nodes[i], parts[i]
            n_kept += 1
        n_parts = n_kept
    return True
