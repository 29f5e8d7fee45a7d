"""Grow the tree of data that do not fit memory, or are elsewhere, as an estimator wants it."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, runtime_checkable

import numpy as np

from roctree.data import Schema
from roctree.distributed.parts import Coding
from roctree.distributed.summary import Summary
from roctree.errors import ParameterError
from roctree.geometry import Spread
from roctree.growing import growth_for, grown_to_size
from roctree.parameters import with_costs_in_order
from roctree.pruning import Pruned, Pruner, need
from roctree.pruning import resolve as resolve_pruner
from roctree.selection import pruned
from roctree.smoothing import Smoother, choices
from roctree.smoothing import resolve as resolve_smoother
from roctree.tree.binned import Binned
from roctree.tree.binning import Edges, binned_columns
from roctree.tree.growth import Growth, grid_of
from roctree.tree.kernels import layout
from roctree.tree.shape import observed_thresholds
from roctree.tree.tree import NO_BRANCH, Tree


@runtime_checkable
class LargeData(Protocol):
    """Rows that are looked at twice: once for their summary, once to be coded."""

    def summary(self, categorical_features: Any) -> Summary:
        """Look at all rows once."""

    def binned(self, summary: Summary, coding: Coding, n_threads: int) -> Binned:
        """Look at all rows a second time, and have them coded where they stay."""


@dataclass(frozen=True)
class Grown:
    """What an estimator learns from large data.

    Parameters
    ----------
    schema : what the columns and labels mean
    growth : how the tree was grown
    spread : ranges of the attributes; standard deviations are those of values in the middle of bins
    pruner, smoother : the strategies
    pruned : the tree, and labels where it was pruned under costs
    divides_cases : whether missing values may have divided training cases among leaves
    """

    schema: Schema
    growth: Growth
    spread: Spread
    pruner: Pruner
    smoother: Smoother
    pruned: Pruned
    divides_cases: bool


def grow_large(estimator: Any, data: LargeData, n_threads: int) -> Grown:
    """Return the tree of large data, grown and pruned."""
    smoother = resolve_smoother(estimator.smoothing)
    refuse_what_needs_rows(estimator, resolve_pruner(estimator.pruning), smoother)
    summary = data.summary(estimator.categorical_features)
    schema = summary.schema
    pruner = with_costs_in_order(resolve_pruner(estimator.pruning), schema.classes)
    edges = Edges.of(summary.sketches, schema.n_categories, schema.names, estimator.max_bins)
    coding = Coding(schema, edges, grid_of(summary.n_rows, summary.largest))
    binned = data.binned(summary, coding, n_threads)
    growth = growth_for(estimator, schema.classes, binned.counts, summary.n_rows)
    tree = grown_to_size(estimator, partial(binned.grow, n_threads=n_threads), growth)
    if estimator.threshold == "observed":
        tree = observed_thresholds(tree, binned.bounds.values, schema.n_categories)
    smaller = pruned(pruner, tree)
    divides = bool(_sends_to_all(smaller.tree, binned).any())
    spread = spread_of(binned, growth)
    return Grown(schema, growth, spread, pruner, smoother, smaller, divides)


def refuse_what_needs_rows(estimator: Any, pruner: Pruner, smoother: Smoother) -> None:
    """Refuse parameters that would want the rows in memory."""
    if estimator.splits != "binned":
        raise ParameterError(
            "data that do not fit memory, or are elsewhere, are grown from bins: use "
            "splits='binned'."
        )
    if need(pruner) != "counts":
        raise ParameterError(
            f"{pruner!r} chooses by the rows, which are not in memory: prune afterwards, with "
            "pruned(..., X_val=..., y_val=...) and rows that are."
        )
    if len(choices(smoother)) > 1:
        raise ParameterError(
            f"{smoother!r} is chosen by the rows, which are not in memory: give a number, or use "
            "smoothed(..., X=..., y=...) afterwards."
        )
    if estimator.geometric_probability:
        raise ParameterError("geometric_probability needs the rows in memory: leave it off.")


def spread_of(binned: Binned, growth: Growth) -> Spread:
    """Return the spread of the values of each column, half of a bin at either of its ends."""
    columns = binned_columns(binned.edges, binned.has_missing, float(binned.counts.sum()), growth)
    table = binned.shards(columns).count(np.zeros(1, np.int64), 1)[0].sum(axis=1)
    starts = columns.table[layout.BIN]
    found = []
    for feature, size in enumerate(binned.edges.size):
        weights = table[starts[feature] : starts[feature] + size]
        ends = [np.arange(size, dtype=np.float64)] * 2
        if not binned.edges.nominal[feature]:
            bounds = binned.bounds
            ends = [bounds.lowest[feature, :size], bounds.highest[feature, :size]]
        filled = weights > 0.0
        values = np.concatenate([end[filled] for end in ends])
        found.append(Spread.of(values[:, None], np.tile(weights[filled] / 2.0, 2)))
    return Spread(
        np.concatenate([spread.ranges for spread in found]),
        np.concatenate([spread.deviations for spread in found]),
    )


def _sends_to_all(tree: Tree, binned: Binned) -> Any:
    """Whether each node sends missing values of a column that has some to all branches."""
    inner = ~tree.is_leaf
    return inner & (tree.missing_branch == NO_BRANCH) & binned.has_missing[tree.feature]
