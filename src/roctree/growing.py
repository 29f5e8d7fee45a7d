"""From data and an estimator's parameters to a grown tree."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.criteria import resolve as resolve_criterion
from roctree.data import Dataset
from roctree.parameters import class_weights
from roctree.tree.auc_growth import largest_area
from roctree.tree.best_first import grow_best_first
from roctree.tree.binned import Binned, bin_dataset
from roctree.tree.growth import Growth, class_counts, grow, weight_grid
from roctree.tree.levels import Finished
from roctree.tree.shape import best_first, collapse, observed_thresholds
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]


def growth_of(estimator: Any, dataset: Dataset) -> Growth:
    """Return how an estimator's parameters say that a tree of these data should grow."""
    totals = _class_totals(dataset)
    return growth_for(estimator, dataset.schema.classes, totals, len(dataset.labels))


def growth_for(estimator: Any, classes: NDArray[Any], totals: Floats, n_rows: int) -> Growth:
    """Return the same for data of which the classes, their weights and the rows are known."""
    _warn_of_small_weights(estimator, float(totals.sum()), n_rows)
    steering = class_weights(estimator.class_weight, classes, totals)
    return Growth(
        criterion=resolve_criterion(estimator.criterion),
        class_weight=steering,
        nominal=estimator.nominal,
        missing=estimator.missing,
        max_depth=estimator.max_depth,
        min_split=estimator.min_samples_split,
        min_leaf=estimator.min_samples_leaf,
        min_class_weighted_leaf=estimator.min_weight_fraction_leaf * float(totals @ steering),
        min_gain=estimator.min_gain,
        c45_numeric_minimum=estimator.c45_numeric_minimum,
    )


def grown_tree(estimator: Any, dataset: Dataset, growth: Growth, n_threads: int) -> Tree:
    """Return the tree of some data, not pruned yet."""
    if estimator.splits == "binned":
        binned = bin_dataset(dataset, estimator.max_bins, n_threads)
        return grown_from_bins(estimator, binned, growth, n_threads)
    tree = grown_to_size(estimator, lambda limits: grow(dataset, limits, n_threads), growth)
    return _at_values(estimator, tree, dataset.values, dataset.schema.n_categories)


def grown_from_bins(
    estimator: Any,
    binned: Binned,
    growth: Growth,
    n_threads: int,
    finished: Finished = lambda n_levels: None,
) -> Tree:
    """Return the tree of data in bins, wherever the rows are.

    Of values those that bound the bins are known, and may be thresholds.
    """
    grow = partial(binned.grow, n_threads=n_threads, finished=finished)
    tree, edges = grown_to_size(estimator, grow, growth), binned.edges
    return _at_values(estimator, tree, binned.bounds.values, edges.size * edges.nominal)


def grown_to_size(estimator: Any, grow: Callable[[Growth], Tree], growth: Growth) -> Tree:
    """Return the tree that grows, with no more leaves than wanted, perhaps collapsed."""
    if estimator.max_leaves is None:
        tree = grow(growth)
    else:
        part = largest_area if estimator.growth == "whole_tree_auc" else best_first
        tree = grow_best_first(grow, growth, estimator.max_leaves, part)
    return collapse(tree) if estimator.collapse else tree


def _at_values(estimator: Any, tree: Tree, values: Floats, n_categories: NDArray[Any]) -> Tree:
    """Return the tree with thresholds that are values of training cases, if these are wanted."""
    is_wanted = estimator.threshold == "observed"
    return observed_thresholds(tree, values, n_categories) if is_wanted else tree


def _class_totals(dataset: Dataset) -> Floats:
    """Return the weight of each class, the same whatever the order of the rows."""
    weights, quantum = weight_grid(dataset.weights)
    lost = int(np.count_nonzero((weights == 0.0) & (dataset.weights > 0.0)))
    warn_of_lost_rows(lost, weights.size, quantum, dataset.weights.max(), stacklevel=4)
    return class_counts(dataset.labels, weights, dataset.schema.n_classes)


def warn_of_lost_rows(
    lost: int, n_rows: int, quantum: float, largest: float, stacklevel: int
) -> None:
    """Warn of rows whose weight is less than the grid can tell from nothing."""
    if lost:
        warnings.warn(
            f"{lost} of {n_rows} rows have no part in the fit: their sample_weight is below "
            f"{quantum / 2.0:.3g}, too little beside the largest, {largest:.3g}.",
            UserWarning,
            stacklevel=stacklevel + 1,
        )


def _warn_of_small_weights(estimator: Any, total: float, n_rows: int) -> None:
    needed = max(estimator.min_samples_split, 2 * estimator.min_samples_leaf)
    if total < needed <= n_rows:
        warnings.warn(
            f"sample_weight adds up to {total:g} over {n_rows} rows, and a node of less than "
            f"{needed:g} is not split: multiply the weights so that they average 1, or lower "
            "min_samples_split and min_samples_leaf.",
            UserWarning,
            stacklevel=5,
        )
