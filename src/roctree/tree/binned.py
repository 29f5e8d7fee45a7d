"""Data in bins, ready to be grown from tables; here those of rows in memory."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from roctree.data.dataset import Dataset
from roctree.tree.binning import MOST_BINS, Bounds, Edges, binned_columns, learn_edges
from roctree.tree.columns import Columns
from roctree.tree.growth import (
    Growth,
    check_score,
    class_counts,
    drop_zero_weight,
    refuse_many_branches,
    splittable,
    weight_grid,
)
from roctree.tree.levels import Finished, Search, grow_levels
from roctree.tree.shards import LocalShards, Shard, Shards
from roctree.tree.tree import Tree

# Shards of at most so many rows: Python has its turn after each, and somebody may want to stop.
SHARD_ROWS = 1 << 20


@dataclass(frozen=True)
class Binned:
    """All that growth has to know of data in bins, wherever the rows are.

    Parameters
    ----------
    names : of the columns
    edges, bounds : the bins of the columns, and the values in them
    has_missing : bool[features], whether some value of a column is missing
    counts : float64[classes], the weight of each class
    quantum : the unit of the grid that weights lie on
    shards : the rows, in the root again, for columns numbered so
    """

    names: tuple[str, ...]
    edges: Edges
    bounds: Bounds
    has_missing: NDArray[np.bool_]
    counts: NDArray[np.float64]
    quantum: float
    shards: Callable[[Columns], Shards]

    def grow(
        self, growth: Growth, n_threads: int = 1, finished: Finished = lambda n_levels: None
    ) -> Tree:
        """Return the tree of all rows; ``finished`` is told after each level how many there are."""
        weight = float(self.counts.sum())
        columns = binned_columns(self.edges, self.has_missing, weight, growth)
        refuse_many_branches(columns, self.names, growth)
        if not splittable(self.counts, growth):
            return Tree.single_leaf(self.counts)
        check_score(self.counts, growth)
        search = Search(columns, self.bounds, growth, self.quantum, n_threads)
        known = growth, self.quantum, self.counts
        return grow_levels(self.shards(columns), search, *known, finished)


def bin_dataset(dataset: Dataset, max_bins: int = MOST_BINS, n_threads: int = 1) -> Binned:
    """Put the rows of a data set that have weight into bins."""
    values, labels, weights = drop_zero_weight(dataset.values, dataset.labels, dataset.weights)
    weights, quantum = weight_grid(weights)
    # Beside a very large weight a very small one has been rounded to zero.
    values, labels, weights = drop_zero_weight(values, labels, weights)
    schema = dataset.schema
    counts = class_counts(labels, weights, schema.n_classes)
    edges = learn_edges(values, schema.n_categories, schema.names, max_bins, n_threads)
    codes, bounds = edges.code(values, n_threads)
    rows = Shard(codes, labels.astype(np.uint32), own_weights(weights))
    n_parts = n_threads * -(-rows.size // (n_threads * SHARD_ROWS))
    parts = divided(rows, n_parts)
    return Binned(
        names=schema.names,
        edges=edges,
        bounds=bounds,
        has_missing=edges.has_missing(codes),
        counts=counts,
        quantum=quantum,
        shards=lambda columns: LocalShards(parts, columns, counts.size, n_threads),
    )


def own_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights, or none where all of them are one."""
    return np.empty(0) if (weights == 1.0).all() else weights


def divided(rows: Shard, n_parts: int) -> list[Shard]:
    """Divide rows evenly into shards."""
    ends = np.linspace(0, rows.size, n_parts + 1).astype(np.int64)
    return [
        Shard(rows.codes[begin:end], rows.labels[begin:end], rows.weights[begin:end])
        for begin, end in pairwise(ends)
    ]
