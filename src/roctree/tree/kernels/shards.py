"""What a shard of coded rows does at a level: count its rows in tables, divide them among children.

The rows of a shard are listed node by node, in the order in which they lie; ``starts`` says where
the rows of each node begin. Where a case goes to several branches it is listed with each of them,
beside its part of the weight; where all weights are one there is no list of them.
"""

from typing import Any

import numpy as np

from roctree._jit import typed_kernel, types, variant
from roctree.tree.kernels.divide import share_out
from roctree.tree.kernels.layout import (
    BRANCHES,
    FLOAT,
    FLOATS,
    FLOATS_2D,
    FLOATS_3D,
    INTS,
    PLACES,
    SPLIT_BRANCHES,
    SPLIT_CUT,
    SPLIT_FEATURE,
    SPLIT_MISSING,
    STORED_BRANCHES_2D,
    STORED_BYTES,
    STORED_FLOATS,
    STORED_FLOATS_2D,
    STORED_INTS,
    STORED_INTS_2D,
    STORED_PLACES,
    STORED_WORDS,
)


def count_signature(codes: Any) -> Any:
    """The type of the counting of rows with such codes."""
    return types.void(
        STORED_INTS, STORED_INTS, STORED_INTS, STORED_PLACES, STORED_FLOATS, codes,
        STORED_PLACES, FLOATS_3D,
    )  # fmt: skip


def send_signature(codes: Any) -> Any:
    """The type of the sending of rows with such codes."""
    return types.void(
        STORED_INTS, STORED_INTS, STORED_INTS, STORED_INTS, STORED_INTS_2D, STORED_BRANCHES_2D,
        STORED_FLOATS_2D, STORED_INTS, STORED_PLACES, codes, BRANCHES, INTS,
    )  # fmt: skip


MOVE_SIGNATURE = types.void(
    STORED_INTS, STORED_INTS, STORED_INTS_2D, STORED_FLOATS_2D, FLOAT, STORED_INTS, STORED_PLACES,
    STORED_FLOATS, BRANCHES, STORED_PLACES, INTS, FLOATS_2D, PLACES, FLOATS, FLOATS_2D,
)  # fmt: skip


def add_rows(
    first_bin: np.ndarray,
    segments: np.ndarray,
    starts: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
    codes: np.ndarray,
    labels: np.ndarray,
    tables: np.ndarray,
) -> None:
    """Add the rows of some nodes to their tables, the first node to the first table."""
    weighted = weights.size > 0
    for slot in range(segments.size):
        table = tables[slot]
        for i in range(starts[segments[slot]], starts[segments[slot] + 1]):
            row = rows[i]
            label = labels[row]
            weight = weights[i] if weighted else 1.0
            for feature in range(codes.shape[1]):
                table[first_bin[feature] + codes[row, feature], label] += weight


# Codes of one byte each, and of two.
count_bytes = variant("count_bytes", add_rows, count_signature(STORED_BYTES))
count_words = variant("count_words", add_rows, count_signature(STORED_WORDS))


def send_entries(
    n_categories: np.ndarray,
    first_bin: np.ndarray,
    segments: np.ndarray,
    first_child: np.ndarray,
    split_ints: np.ndarray,
    split_branch: np.ndarray,
    branch_weight: np.ndarray,
    starts: np.ndarray,
    rows: np.ndarray,
    codes: np.ndarray,
    sides: np.ndarray,
    sizes: np.ndarray,
) -> None:
    """Find the branch of each row of the nodes that are split, -1 for all of them."""
    for split in range(segments.size):
        feature, first = split_ints[split, SPLIT_FEATURE], first_child[split]
        cut, is_nominal = split_ints[split, SPLIT_CUT], n_categories[feature] > 0
        missing = first_bin[feature + 1] - first_bin[feature] - 1
        for i in range(starts[segments[split]], starts[segments[split] + 1]):
            code = int(codes[rows[i], feature])
            if code == missing:
                side = split_ints[split, SPLIT_MISSING]
            elif is_nominal:
                side = int(split_branch[split, code])
            else:
                side = 0 if code < cut else 1
            sides[i] = side
            if side >= 0:
                sizes[first + side] += 1
                continue
            for branch in range(split_ints[split, SPLIT_BRANCHES]):
                if branch_weight[split, branch] > 0.0:
                    sizes[first + branch] += 1


send_bytes = variant("send_bytes", send_entries, send_signature(STORED_BYTES))
send_words = variant("send_words", send_entries, send_signature(STORED_WORDS))


@typed_kernel(MOVE_SIGNATURE)
def move_entries(
    segments: np.ndarray,
    first_child: np.ndarray,
    split_ints: np.ndarray,
    branch_weight: np.ndarray,
    quantum: float,
    starts: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
    sides: np.ndarray,
    labels: np.ndarray,
    cursors: np.ndarray,
    branch_floats: np.ndarray,
    new_rows: np.ndarray,
    new_weights: np.ndarray,
    counts: np.ndarray,
) -> None:
    """List the rows by children; where weights are divided, count the children too.

    ``cursors`` says where the rows of each child go next.
    """
    weighted = new_weights.size > 0
    for split in range(segments.size):
        n_branches, first = split_ints[split, SPLIT_BRANCHES], first_child[split]
        for branch in range(n_branches):
            branch_floats[0, branch] = branch_weight[split, branch]
        for i in range(starts[segments[split]], starts[segments[split] + 1]):
            weight = weights[i] if weights.size > 0 else 1.0
            side = int(sides[i])
            if side >= 0:
                target = cursors[first + side]
                new_rows[target] = rows[i]
                cursors[first + side] = target + 1
                if weighted:
                    new_weights[target] = weight
                    counts[first + side, labels[rows[i]]] += weight
                continue
            share_out(weight, n_branches, quantum, branch_floats[0], branch_floats[1])
            for branch in range(n_branches):
                if branch_weight[split, branch] > 0.0:
                    target = cursors[first + branch]
                    new_rows[target], new_weights[target] = rows[i], branch_floats[1, branch]
                    counts[first + branch, labels[rows[i]]] += branch_floats[1, branch]
                    cursors[first + branch] = target + 1
