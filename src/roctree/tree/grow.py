"""Grow a tree from a data set: sort every attribute once, then split to the leaves."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import block_score, compiled, table_score
from roctree.data.dataset import Dataset
from roctree.tree.arrange import from_creation_order
from roctree.tree.growth import Growth, weight_grid
from roctree.tree.kernels import divide, layout, nominal, numeric, scan, subtree
from roctree.tree.tree import Tree
from roctree.tree.workspace import Workspace

# C4.5 leaves nominal attributes with so many values, against the cases, out of its average gain.
_MANY_VALUES = 0.3


@dataclass(frozen=True)
class Columns:
    """The attributes as the kernels see them; a missing nominal value may have a code of its own."""

    values: NDArray[np.float64]
    table: NDArray[np.int64]
    own_code: NDArray[np.bool_]

    @property
    def n_categories(self) -> NDArray[np.int64]:
        """The number of codes of each attribute, 0 if numeric."""
        return self.table[layout.N_CATEGORIES, :-1]

    @property
    def n_codes(self) -> int:
        """The number of codes of all nominal attributes together."""
        return int(self.table[layout.OFFSET, -1])


def grow(dataset: Dataset, growth: Growth) -> Tree:
    """Grow the tree of a data set; cases without weight take no part."""
    used = dataset.weights > 0.0
    values, labels, weights = dataset.values, dataset.labels, dataset.weights
    if not used.all():
        values, labels, weights = values[used], labels[used], weights[used]
    weights, quantum = weight_grid(weights)
    columns = describe_columns(values, dataset.schema.n_categories, growth)
    counts = class_counts(labels, weights, dataset.schema.n_classes)
    space = Workspace(
        labels.size,
        values.shape[1],
        columns.n_codes,
        int(columns.n_categories.max(initial=0)),
        counts.size,
    )
    if splittable(counts, growth):
        space.start(counts, labels.size)
        grow_sorted(columns, labels, weights, quantum, growth, space)
    else:
        space.start(counts, labels.size)
    return as_tree(space, columns)


def class_counts(
    labels: NDArray[np.int32], weights: NDArray[np.float64], n_classes: int
) -> NDArray[np.float64]:
    """The weight of each class."""
    return np.bincount(labels, weights, minlength=n_classes).astype(np.float64)


def splittable(counts: NDArray[np.float64], growth: Growth) -> bool:
    """Whether the root may be split at all."""
    return bool(
        np.count_nonzero(counts) > 1
        and counts.sum() >= max(growth.min_split, 2.0 * growth.min_leaf)
        and growth.max_depth != 0
    )


def describe_columns(
    values: NDArray[np.float64], n_categories: NDArray[np.int32], growth: Growth
) -> Columns:
    """Number the codes of the nominal attributes; where missing is a category, it has the last."""
    n_rows, n_features = values.shape
    table = np.zeros((layout.N_COLUMN_ROWS, n_features + 1), np.int64)
    codes = n_categories.astype(np.int64)
    own_code = np.zeros(n_features, bool)
    if growth.missing == "category":
        own_code = (codes > 0) & np.isnan(values).any(axis=0)
    few = (codes == 0) | (codes < _MANY_VALUES * n_rows)
    table[layout.N_CATEGORIES, :-1] = codes + own_code
    table[layout.OFFSET, 1:] = np.cumsum(codes + own_code)
    table[layout.COUNTABLE, :-1] = few if few.any() else True
    return Columns(values, table, own_code)


def sort_columns(columns: Columns) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The places of the cases in the order of each attribute, and their ranks; missing last."""
    by_feature = np.ascontiguousarray(columns.values.T)
    order = np.argsort(by_feature, axis=1)
    ordered = np.take_along_axis(by_feature, order, axis=1)
    ranks = np.zeros(order.shape, np.uint32)
    np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=ranks[:, 1:])
    nominal_ = columns.n_categories > 0
    missing = np.isnan(ordered)
    if nominal_.any():
        ranks[nominal_] = np.where(missing[nominal_], 0.0, ordered[nominal_])
    if missing.any():
        ranks[missing] = layout.MISSING_RANK
        own = np.where(columns.own_code, columns.n_categories - 1, layout.MISSING_RANK)
        ranks[columns.own_code] = np.where(
            missing[columns.own_code], own[columns.own_code, None], ranks[columns.own_code]
        )
    rank = np.empty_like(ranks)
    np.put_along_axis(rank, order, ranks, axis=1)
    return order.astype(np.uint32), rank


def grow_sorted(
    columns: Columns,
    labels: NDArray[np.int32],
    weights: NDArray[np.float64],
    quantum: float,
    growth: Growth,
    space: Workspace,
) -> None:
    """Split the root on the stack and all below it."""
    order, rank = sort_columns(columns)
    cases = np.zeros((layout.N_CASE_ROWS, labels.size), np.uint32)
    cases[layout.LABEL] = labels
    cases[layout.ID] = np.arange(labels.size)
    unknown = bool((rank == layout.MISSING_RANK).any())
    shares = unknown and growth.missing != "branch"
    functions = kernels_for(growth, columns, shares=shares)
    limits = growth.limits(quantum)
    weights = weights.copy()
    run = compiled(subtree.grow_sorted)
    while not run(
        columns.values, columns.table, order, rank, cases, weights, limits, growth.class_weight,
        *functions, *space.scan_arguments(), *space.node_arguments(),
    ):  # fmt: skip
        space.make_room()
        if shares:
            order, rank, cases = (_widened(array) for array in (order, rank, cases))
            weights = _widened(weights[None])[0]
            space.resize_scratch(weights.size)


def _widened(array: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([array, np.empty_like(array)], axis=1)


def kernels_for(growth: Growth, columns: Columns, *, shares: bool) -> tuple[Any, ...]:
    """The compiled criterion, scan, attribute search and division that this growth wants.

    Kernels that it does not want are not compiled; another stands in their place.
    """
    score = growth.criterion.function
    search = compiled(numeric.best_cut)
    by_category = compiled(nominal.best_sets) if columns.n_codes > 0 else search
    return (
        table_score(score),
        block_score(score),
        compiled(scan.scan_bounded if growth.bounded() else scan.scan_all),
        search,
        by_category,
        compiled(divide.divide_shared if shares else divide.divide_complete),
    )


def as_tree(space: Workspace, columns: Columns) -> Tree:
    """The nodes grown, in breadth-first order."""
    n_nodes = space.state[layout.N_NODES]
    ints, floats = space.node_ints[:n_nodes], space.node_floats[:n_nodes]
    missing_branch = ints[:, layout.NODE_MISSING].copy()
    inner = ints[:, layout.N_CHILDREN] > 0
    feature = ints[:, layout.FEATURE]
    own = inner & columns.own_code[feature]
    last = ints[own, layout.CATEGORY_START] + columns.n_categories[feature[own]] - 1
    missing_branch[own] = space.category_branch[last]
    return from_creation_order(
        first_child=ints[:, layout.FIRST_CHILD],
        n_children=ints[:, layout.N_CHILDREN],
        feature=feature,
        threshold=floats[:, layout.THRESHOLD],
        missing_branch=missing_branch,
        gain=floats[:, layout.NODE_GAIN],
        counts=floats[:, layout.COUNTS :],
        category_start=ints[:, layout.CATEGORY_START],
        category_branch=space.category_branch,
        n_categories=columns.n_categories - columns.own_code,
    )
