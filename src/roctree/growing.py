"""From data and an estimator's parameters to a grown tree."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.criteria import resolve as resolve_criterion
from roctree.data import Dataset
from roctree.parameters import class_weights
from roctree.tree.auc_growth import largest_area
from roctree.tree.best_first import grow_best_first
from roctree.tree.grow import class_counts, grow
from roctree.tree.growth import Growth, weight_grid
from roctree.tree.shape import best_first, collapse, observed_thresholds
from roctree.tree.tree import Tree


def growth_of(estimator: Any, dataset: Dataset) -> Growth:
    """Return how an estimator's parameters say that a tree of these data should grow."""
    totals = _class_totals(dataset)
    _warn_of_small_weights(estimator, float(totals.sum()), len(dataset.labels))
    steering = class_weights(estimator.class_weight, dataset.schema.classes, totals)
    return Growth(
        criterion=resolve_criterion(estimator.criterion),
        class_weight=steering,
        nominal=estimator.nominal,
        missing=estimator.missing,
        max_depth=estimator.max_depth,
        min_split=estimator.min_samples_split,
        min_leaf=estimator.min_samples_leaf,
        min_steered=estimator.min_weight_fraction_leaf * float(totals @ steering),
        min_gain=estimator.min_gain,
        c45_numeric_minimum=estimator.c45_numeric_minimum,
    )


def grown_tree(estimator: Any, dataset: Dataset, growth: Growth, n_threads: int) -> Tree:
    """Return the tree of some data, not pruned yet."""
    if estimator.max_leaves is None:
        tree = grow(dataset, growth, n_threads)
    else:
        part = largest_area if estimator.growth == "whole_tree_auc" else best_first
        tree = grow_best_first(dataset, growth, estimator.max_leaves, n_threads, part)
    if estimator.collapse:
        tree = collapse(tree)
    if estimator.threshold == "observed":
        tree = observed_thresholds(tree, dataset.values, dataset.schema.n_categories)
    return tree


def _class_totals(dataset: Dataset) -> NDArray[np.float64]:
    """Return the weight of each class, the same whatever the order of the rows."""
    weights, _ = weight_grid(dataset.weights)
    return class_counts(dataset.labels, weights, dataset.schema.n_classes)


def _warn_of_small_weights(estimator: Any, total: float, n_rows: int) -> None:
    needed = max(estimator.min_samples_split, 2 * estimator.min_samples_leaf)
    if total < needed <= n_rows:
        warnings.warn(
            f"sample_weight adds up to {total:g} over {n_rows} rows, and a node of less than "
            f"{needed:g} is not split: multiply the weights so that they average 1, or lower "
            "min_samples_split and min_samples_leaf.",
            UserWarning,
            stacklevel=4,
        )
