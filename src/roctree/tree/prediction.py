"""Prediction: rows descend a tree to one leaf, or to all leaves that share them.

A missing value goes to the branch that the node specifies, or to all branches in proportion to
their weights in training. A category that did not occur at a node in training is treated as missing
there. A value within the width of a soft threshold goes to both branches, unless one of them would
receive less than a thousandth of the row.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.arrays import Floats, Ints, in_threads
from roctree.errors import DataError
from roctree.tree.kernels.descent import (
    RULE,
    SEGMENT,
    STEP,
    Attributes,
    Lists,
    Paths,
    Reached,
    add_to_parents,
    blend,
    count_leaves,
    list_nodes,
    mix_leaves,
    settle,
)
from roctree.tree.tree import Tree, read_only

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Values = NDArray[np.float64] | NDArray[np.float32]

# Rows descend together in blocks whose values and nodes fit the cache.
BLOCK_ROWS = 2048
BLOCK_VALUES = 1 << 16
# With soft thresholds, nodes pass on lists of rows; the more rows, the lower the cost per row. A
# list has space for this many parts of each row, and more if there are few rows.
BLEND_ROWS = 1 << 13
BLEND_VALUES = 1 << 18
PARTS_OF_A_ROW = 8
# Rows with more attributes than this are not copied, because a path reads few of them.
WIDE = 256


def node_paths(tree: Tree, missing_branch: NDArray[np.int16], softness: Floats) -> Paths:
    """Return the nodes for descent, with these branches of missing values and soft thresholds."""
    rules = np.empty(tree.n_nodes, dtype=RULE)
    rules["threshold"] = tree.threshold
    rules["softness"] = softness
    rules["share"] = tree.share
    rules["n_children"] = tree.n_children
    rules["first_child"] = tree.first_child
    rules["feature"] = tree.feature
    rules["missing_branch"] = missing_branch
    rules["category_start"] = tree.category_offsets[:-1]
    rules["n_categories"] = np.diff(tree.category_offsets)
    # A leaf leads to itself, by an attribute that the row is known to have: its parent's.
    attribute = np.where(tree.is_leaf, tree.feature[tree.parent], tree.feature)
    steps = np.empty(tree.n_nodes, dtype=STEP)
    steps["cut"] = np.where(softness == 0.0, tree.threshold, np.nan)
    steps["cut"][tree.is_leaf] = np.inf
    steps["attribute"] = np.maximum(attribute, 0)
    steps["next"] = np.where(tree.is_leaf, np.arange(tree.n_nodes), tree.first_child)
    return Paths(read_only(steps), read_only(rules), tree.category_branch)


class _Block(NamedTuple):
    """Consecutive rows, their values, and the nodes where their single paths end.

    ``n_divided`` of them end at a node that divides its row among its branches.
    """

    rows: slice
    values: Floats
    nodes: NDArray[np.uint32]
    n_divided: int


def apply(tree: Tree, values: Values, *, n_threads: int = 1) -> Ints:
    """Return the leaf of each row.

    If a missing value goes to all branches, the row follows the heaviest, the first on ties. Soft
    thresholds are treated as hard.
    """
    return _path_ends(tree, tree.single_path, values, n_threads)


def undivided_ends(tree: Tree, values: Values, *, n_threads: int = 1) -> Ints:
    """Return the leaf of each row, or the first node that divides it among its branches."""
    return _path_ends(tree, tree.all_paths, values, n_threads)


def _path_ends(tree: Tree, paths: Paths, values: Values, n_threads: int) -> Ints:
    _check_values(tree, values)
    ends = np.empty(len(values), dtype=np.int64)

    def fill(begin: int, end: int) -> None:
        for block in _descended_blocks(paths, values, begin, end):
            ends[block.rows] = block.nodes

    _fill_ranges(fill, len(values), n_threads)
    return ends


def mix(tree: Tree, values: Values, leaf_table: Floats, *, n_threads: int = 1) -> Floats:
    """Return for each row the mixture of the leaves it reaches.

    Parameters
    ----------
    tree : Tree
    values : float64 or float32[n, features]
        Rows, encoded as the training data.
    leaf_table : float64[nodes, k]
        What each leaf contributes; entries of other nodes are ignored.
    n_threads : int
        Number of threads; the result does not depend on it.
    """
    _check_values(tree, values)
    leaf_table = np.ascontiguousarray(leaf_table, dtype=np.float64)
    if leaf_table.ndim != 2 or len(leaf_table) != tree.n_nodes:
        raise ValueError(f"leaf_table has shape {leaf_table.shape}: give one row per node.")
    mixture = np.empty((len(values), leaf_table.shape[1]))
    fill = _fill_soft if tree.softness.any() else _fill_hard
    _fill_ranges(fill(tree, values, leaf_table, mixture), len(values), n_threads)
    return mixture


def _fill_hard(
    tree: Tree, values: Values, leaf_table: Floats, mixture: Floats
) -> Callable[[int, int], None]:
    """Return a function that mixes a range of rows where only missing values divide rows."""

    def fill(begin: int, end: int) -> None:
        reached = _new_reached(tree)
        for block in _descended_blocks(tree.all_paths, values, begin, end):
            target = mixture[block.rows]
            np.take(leaf_table, block.nodes, axis=0, out=target, mode="clip")
            if block.n_divided > 0:
                run = compiled(mix_leaves, microseconds=block.n_divided * tree.n_nodes)
                run(block.values, tree.all_paths, reached, block.nodes, leaf_table, target)

    return fill


def _fill_soft(
    tree: Tree, values: Values, leaf_table: Floats, mixture: Floats
) -> Callable[[int, int], None]:
    """Return a function that mixes a range of rows where thresholds are soft."""
    used, place, numeric = tree.used_attributes
    run = compiled(blend, microseconds=2.0 * len(values) * tree.n_nodes)

    def fill(begin: int, end: int) -> None:
        n_rows = min(end - begin, BLEND_ROWS, max(BLEND_VALUES // len(used), 64))
        lists = _new_lists(max(PARTS_OF_A_ROW * n_rows, 2 * tree.n_nodes), tree.n_nodes)
        cells = np.empty(len(used) * n_rows)
        while begin < end:
            n_rows = min(n_rows, end - begin)
            columns = cells[: len(used) * n_rows].reshape(len(used), n_rows)
            for number, feature in enumerate(used):
                columns[number] = values[begin : begin + n_rows, feature]
            plain = numeric & ~np.isnan(columns).any(axis=1)
            attributes = Attributes(columns, plain, place)
            target = mixture[begin : begin + n_rows]
            if run(attributes, tree.all_paths, lists, leaf_table, target):
                begin += n_rows
            else:
                n_rows = (n_rows + 1) // 2

    return fill


def divided_rows(tree: Tree, values: Values) -> NDArray[np.bool_]:
    """Return which rows missing values or soft thresholds divide among several leaves."""
    return ~tree.is_leaf[undivided_ends(tree, values)]


def divides_any(tree: Tree, values: Values) -> bool:
    """Return whether any row is divided among several leaves."""
    _check_values(tree, values)
    return any(
        block.n_divided > 0 for block in _descended_blocks(tree.all_paths, values, 0, len(values))
    )


def node_class_counts(
    tree: Tree, values: Values, labels: NDArray[Any], weights: NDArray[Any]
) -> Floats:
    """Return the weight of each class at each node, float64[nodes, classes], of any data.

    Rows with missing values count in part at several leaves, as in ``mix``; soft thresholds are
    treated as hard.
    """
    _check_values(tree, values)
    labels = np.ascontiguousarray(labels, dtype=np.int32)
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    if not labels.shape == weights.shape == (len(values),):
        raise DataError(f"labels and weights must have one entry for each of {len(values)} rows.")
    if labels.size and not 0 <= labels.min() <= labels.max() < tree.n_classes:
        raise DataError(f"a label is not among the {tree.n_classes} classes of the tree.")
    counts = np.zeros((tree.n_nodes, tree.n_classes))
    reached, paths = _new_reached(tree), tree.all_hard_paths
    run = compiled(count_leaves, microseconds=_descent_microseconds(paths, len(values)))
    for block in _descended_blocks(paths, values, 0, len(values)):
        cases = labels[block.rows], weights[block.rows]
        run(block.values, paths, reached, block.nodes, *cases, counts)
    compiled(add_to_parents, microseconds=counts.size)(tree.parent, counts)
    return counts


def decision_path(tree: Tree, values: Values) -> "csr_matrix":
    """Return an indicator matrix [n, nodes] of all nodes that each row visits, on all its paths."""
    from scipy.sparse import csr_matrix

    _check_values(tree, values)
    reached, paths = _new_reached(tree), tree.all_paths
    run = compiled(list_nodes, microseconds=2 * _descent_microseconds(paths, len(values)))
    lengths, visited = [np.zeros(1, dtype=np.int64)], [np.empty(0, dtype=np.int32)]
    for block in _descended_blocks(paths, values, 0, len(values)):
        ends = np.zeros(len(block.nodes) + 1, dtype=np.int64)
        known = block.values, paths, reached, block.nodes, tree.parent, tree.depth, ends
        run(*known, np.empty(0, dtype=np.int32))
        visited.append(np.empty(ends[-1], dtype=np.int32))
        run(*known, visited[-1])
        lengths.append(np.diff(ends))
    nodes, ends = np.concatenate(visited), np.cumsum(np.concatenate(lengths))
    ones = np.ones(len(nodes), dtype=np.int64)
    return csr_matrix((ones, nodes, ends), shape=(len(values), tree.n_nodes))


def _check_values(tree: Tree, values: Values) -> None:
    if values.ndim != 2 or values.shape[1] < tree.n_features:
        raise DataError(
            f"the tree uses attribute number {tree.n_features}, but the values have shape "
            f"{values.shape}."
        )


def _descended_blocks(paths: Paths, values: Values, begin: int, end: int) -> Iterator[_Block]:
    """Move rows ``begin:end`` to their leaves, block by block; blocks reuse their memory."""
    run = compiled(settle, microseconds=_descent_microseconds(paths, end - begin))
    moving, halted, nodes = np.empty((3, min(end - begin, BLOCK_ROWS)), dtype=np.uint32)
    for rows, block in _contiguous_blocks(values, begin, end):
        n_divided = 0
        nodes[:] = 0
        if len(paths.steps) > 1:
            n_divided = run(block, paths, moving, halted, nodes)
        yield _Block(rows, block, nodes[: len(block)], n_divided)


def _descent_microseconds(paths: Paths, n_rows: int) -> float:
    """Return the microseconds that interpreted kernels take to move rows to their leaves."""
    return 7.0 * n_rows * len(paths.steps).bit_length()


def _contiguous_blocks(values: Values, begin: int, end: int) -> Iterator[tuple[slice, Floats]]:
    """Cut rows into C-contiguous float64 blocks.

    Even a contiguous matrix is copied: sequential reads are faster than cache misses in the order
    in which the tree needs the values.
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


def _new_reached(tree: Tree) -> Reached:
    return Reached(np.empty(tree.n_nodes, dtype=np.int64), np.empty(tree.n_nodes))


def _new_lists(room: int, n_nodes: int) -> Lists:
    return Lists(
        rows=np.empty((2, room), dtype=np.uint32),
        parts=np.empty((2, room)),
        tops=np.zeros(2, dtype=np.int64),
        branches=np.empty(room, dtype=np.uint32),
        pending=np.empty(n_nodes, dtype=SEGMENT),
    )


def _fill_ranges(fill: Callable[[int, int], None], n_rows: int, n_threads: int) -> None:
    """Fill the result for all rows, each thread for a range of them."""
    n_threads = max(1, min(n_threads, n_rows // BLOCK_ROWS))
    if n_threads > 1:
        # Compile in one thread first, before all threads need them.
        for needed in (settle, mix_leaves):
            compiled(needed)
    ends = [n_rows * thread // n_threads for thread in range(n_threads + 1)]
    in_threads(n_threads, lambda part: fill(ends[part], ends[part + 1]), range(n_threads))
