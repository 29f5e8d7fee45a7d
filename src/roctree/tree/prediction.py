"""Rows led down a tree: to the leaf they fall into, or to all leaves that share them.

A missing value goes to the branch that the node names, or to all branches in proportion to their
weights in training. A category that training did not see at a node counts as missing there. A value
within the width of a soft threshold goes to both branches, unless one would get less than a
thousandth of the row.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from roctree._jit import compiled
from roctree.errors import DataError
from roctree.tree.blend_kernels import blend
from roctree.tree.descent import Descent
from roctree.tree.settle_kernels import settle
from roctree.tree.tree import Tree
from roctree.tree.visit_kernels import add_up, spread, tally, trace

Values = NDArray[np.float64] | NDArray[np.float32]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Rows descend together in blocks whose values and nodes stay in the cache.
BLOCK_ROWS = 2048
BLOCK_VALUES = 1 << 16
# Where thresholds are soft, nodes pass lists on: the more rows, the less each pays for a node. A
# list has room for so many parts of each row, and more where few rows need it.
BLEND_ROWS = 1 << 13
BLEND_VALUES = 1 << 18
PARTS_OF_A_ROW = 8
# A row of more attributes than this is not copied: a path looks at few of them.
WIDE = 256


@dataclass(frozen=True)
class Block:
    """Consecutive rows, their values, and the nodes where their single paths end.

    ``n_divided`` of them end at a node that divides its row among its branches.
    """

    rows: slice
    values: Floats
    nodes: NDArray[np.uint32]
    n_divided: int


def apply(tree: Tree, values: Values, *, n_threads: int = 1) -> Ints:
    """Return the leaf of each row.

    Where a missing value would go to all branches, the row follows the heaviest, the first of
    equals. Soft thresholds are taken as hard.
    """
    _check_values(tree, values)
    leaves = np.empty(len(values), dtype=np.int64)

    def fill(begin: int, end: int) -> None:
        for block in _settled(tree.single_path, values, begin, end):
            leaves[block.rows] = block.nodes

    _in_threads(fill, len(values), n_threads)
    return leaves


def mix(tree: Tree, values: Values, leaf_table: Floats, *, n_threads: int = 1) -> Floats:
    """Return for each row the mixture of the leaves it reaches.

    Parameters
    ----------
    tree : the tree
    values : float64 or float32[n, features], encoded as the training data
    leaf_table : float64[nodes, k], what a leaf contributes; lines of other nodes do not matter
    n_threads : number of threads; the result does not depend on it
    """
    _check_values(tree, values)
    leaf_table = np.ascontiguousarray(leaf_table, dtype=np.float64)
    if leaf_table.ndim != 2 or len(leaf_table) != tree.n_nodes:
        raise ValueError(f"leaf_table has shape {leaf_table.shape}: give a line for each node.")
    mixture = np.empty((len(values), leaf_table.shape[1]))
    if tree.softness.any():
        _in_threads(_blending(tree, values, leaf_table, mixture), len(values), n_threads)
        return mixture

    def fill(begin: int, end: int) -> None:
        room = _room(tree)
        for block in _settled(tree.all_paths, values, begin, end):
            target = mixture[block.rows]
            np.take(leaf_table, block.nodes, axis=0, out=target, mode="clip")
            if block.n_divided > 0:
                known = *_rules(tree.all_paths), *room, block.nodes, leaf_table
                compiled(spread)(block.values, *known, target)

    _in_threads(fill, len(values), n_threads)
    return mixture


def _blending(
    tree: Tree, values: Values, leaf_table: Floats, mixture: Floats
) -> Callable[[int, int], None]:
    """How to mix the leaves of rows where thresholds are soft."""
    descent = tree.all_paths
    used, known = descent.used, (descent.place, descent.steps, *_rules(descent))

    def fill(begin: int, end: int) -> None:
        n_rows = min(end - begin, BLEND_ROWS, max(BLEND_VALUES // len(used), 64))
        room = _room_for_lists(max(PARTS_OF_A_ROW * n_rows, 2 * tree.n_nodes), tree.n_nodes)
        cells = np.empty(len(used) * n_rows)
        while begin < end:
            n_rows = min(n_rows, end - begin)
            columns = cells[: len(used) * n_rows].reshape(len(used), n_rows)
            for place, feature in enumerate(used):
                columns[place] = values[begin : begin + n_rows, feature]
            plain = descent.numeric & ~np.isnan(columns).any(axis=1)
            target = mixture[begin : begin + n_rows]
            if compiled(blend)(columns, plain, *known, *room, leaf_table, target):
                begin += n_rows
            else:
                n_rows = (n_rows + 1) // 2

    return fill


def divided(tree: Tree, values: Values) -> NDArray[np.bool_]:
    """Return which rows missing values or soft thresholds divide among several leaves."""
    _check_values(tree, values)
    found = np.zeros(len(values), dtype=np.bool_)
    for block in _settled(tree.all_paths, values, 0, len(values)):
        found[block.rows] = ~tree.is_leaf[block.nodes]
    return found


def class_counts(tree: Tree, values: Values, labels: NDArray[Any], weights: NDArray[Any]) -> Floats:
    """Return the weight of each class at each node, float64[nodes, classes], of any data.

    Rows with missing values count in part at several leaves, as in ``mix``; soft thresholds are
    taken as hard.
    """
    _check_values(tree, values)
    labels = np.ascontiguousarray(labels, dtype=np.int32)
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    if not labels.shape == weights.shape == (len(values),):
        raise DataError(f"Give a label and a weight for each of the {len(values)} rows.")
    if labels.size and not 0 <= labels.min() <= labels.max() < tree.n_classes:
        raise DataError(f"A label is not among the {tree.n_classes} classes of the tree.")
    counts = np.zeros((tree.n_nodes, tree.n_classes))
    room, descent = _room(tree), tree.all_hard_paths
    for block in _settled(descent, values, 0, len(values)):
        cases = labels[block.rows], weights[block.rows]
        compiled(tally)(block.values, *_rules(descent), *room, block.nodes, *cases, counts)
    compiled(add_up)(tree.parent, counts)
    return counts


def decision_path(tree: Tree, values: Values) -> csr_matrix:
    """Return an indicator [n, nodes] of all nodes that each row visits, on all its paths."""
    _check_values(tree, values)
    room, rules = _room(tree), _rules(tree.all_paths)
    lengths, visited = [np.zeros(1, dtype=np.int64)], [np.empty(0, dtype=np.int32)]
    for block in _settled(tree.all_paths, values, 0, len(values)):
        ends = np.zeros(len(block.nodes) + 1, dtype=np.int64)
        known = *rules, *room, block.nodes, tree.parent, tree.depth, ends
        compiled(trace)(block.values, *known, np.empty(0, dtype=np.int32))
        visited.append(np.empty(ends[-1], dtype=np.int32))
        compiled(trace)(block.values, *known, visited[-1])
        lengths.append(np.diff(ends))
    nodes, ends = np.concatenate(visited), np.cumsum(np.concatenate(lengths))
    ones = np.ones(len(nodes), dtype=np.int64)
    return csr_matrix((ones, nodes, ends), shape=(len(values), tree.n_nodes))


def _check_values(tree: Tree, values: Values) -> None:
    if values.ndim != 2 or values.shape[1] < tree.n_features:
        raise DataError(
            f"The tree looks at attribute number {tree.n_features}, but the values have shape "
            f"{values.shape}."
        )


def _settled(descent: Descent, values: Values, begin: int, end: int) -> Iterator[Block]:
    """Lead the rows from ``begin`` to ``end`` down, block by block; each block reuses memory."""
    moving, halted, nodes = np.empty((3, min(end - begin, BLOCK_ROWS)), dtype=np.uint32)
    for rows, block in _blocks(values, begin, end):
        n_divided = 0
        nodes[:] = 0
        if len(descent.steps) > 1:
            steps = descent.cuts, descent.steps
            n_divided = compiled(settle)(block, *steps, *_rules(descent), moving, halted, nodes)
        yield Block(rows, block, nodes[: len(block)], n_divided)


def _blocks(values: Values, begin: int, end: int) -> Iterator[tuple[slice, Floats]]:
    """Cut rows into C-contiguous float64 blocks.

    Even a contiguous matrix is copied: reading it in order is quicker than waiting for the values
    in the order in which the tree asks for them.
    """
    n_features = values.shape[1]
    n_rows = min(BLOCK_ROWS, max(BLOCK_VALUES // max(n_features, 1), 64), end - begin)
    wide = n_features > WIDE and values.dtype == np.float64 and values.flags.c_contiguous
    copy = np.empty((0 if wide else n_rows, n_features))
    for first in range(begin, end, max(n_rows, 1)):
        rows = slice(first, min(first + n_rows, end))
        block: Any = values[rows]
        if not wide:
            copy[: len(block)] = block
            block = copy[: len(block)]
        yield rows, block


def _rules(descent: Descent) -> tuple[NDArray[Any], ...]:
    return descent.rule_ints, descent.rule_floats, descent.category_branch


def _room(tree: Tree) -> tuple[Ints, Floats]:
    """Return room for the nodes that a row reaches, at most all, and its part in each."""
    return np.empty(tree.n_nodes, dtype=np.int64), np.empty(tree.n_nodes)


def _room_for_lists(n_parts: int, n_nodes: int) -> tuple[NDArray[Any], ...]:
    """Return two stacks of lists of parts of rows, branches for one list, and what is pending."""
    rows, parts = np.empty((2, n_parts), dtype=np.uint32), np.empty((2, n_parts))
    branches = np.empty(n_parts, dtype=np.uint32)
    return rows, parts, branches, np.empty((n_nodes, 4), dtype=np.int64)


def _in_threads(fill: Callable[[int, int], None], n_rows: int, n_threads: int) -> None:
    """Fill the result for all rows, each thread a stretch of them."""
    n_threads = max(1, min(n_threads, n_rows // BLOCK_ROWS))
    if n_threads == 1:
        fill(0, n_rows)
        return
    # Compiled by one thread, before all ask for them at once.
    for needed in (settle, spread):
        compiled(needed)
    ends = [n_rows * thread // n_threads for thread in range(n_threads + 1)]
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(fill, ends[:-1], ends[1:]))
