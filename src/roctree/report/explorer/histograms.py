"""Histograms of the test cases at each split: how well the threshold separates the classes."""

from typing import Any

import numpy as np

from roctree.arrays import Floats, Ints
from roctree.data import Dataset
from roctree.tree.prediction import apply
from roctree.tree.tree import IS_PRESENT, Tree

N_BINS = 24
# The page shows histograms of the splits that most cases reach; more would make it large.
MAX_SPLITS = 400
# Outliers are counted in the first and the last bin.
_TAIL = 0.01


def split_histograms(tree: Tree, test: Dataset | None) -> list[dict[str, Any]]:
    """Return the histogram of each split: its node, the range of its bins, and counts by class.

    A threshold lies between two bins. Categories are bins of their own, without a range.

    Parameters
    ----------
    tree : Tree
    test : Dataset or None
        The cases to count; each follows one branch of every split.
    """
    if test is None or tree.n_nodes == 1:
        return []
    rows_of = _rows_at_nodes(tree, apply(tree, test.values))
    splits = np.flatnonzero(~tree.is_leaf)
    splits = splits[np.argsort([-len(rows_of[node]) for node in splits], kind="stable")]
    found = (_histogram(tree, test, int(node), rows_of[node]) for node in splits[:MAX_SPLITS])
    return [each for each in found if each is not None]


def _rows_at_nodes(tree: Tree, leaves: Ints) -> list[Ints]:
    """Return the rows that pass each node."""
    order = np.argsort(leaves, kind="stable")
    starts = np.searchsorted(leaves[order], np.arange(tree.n_nodes + 1))
    rows = [order[starts[node] : starts[node + 1]] for node in range(tree.n_nodes)]
    for node in range(tree.n_nodes - 1, -1, -1):
        if not tree.is_leaf[node]:
            first = int(tree.first_child[node])
            rows[node] = np.concatenate(rows[first : first + int(tree.n_children[node])])
    return rows


def _histogram(tree: Tree, test: Dataset, node: int, rows: Ints) -> dict[str, Any] | None:
    """Return the histogram of one split; None if it has too few values or only tests presence."""
    feature, cut = int(tree.feature[node]), float(tree.threshold[node])
    values = np.asarray(test.values[rows, feature], dtype=np.float64)
    known = np.isfinite(values)
    values, labels, weights = values[known], test.labels[rows][known], test.weights[rows][known]
    if len(values) == 0 or cut == IS_PRESENT:
        return None
    categories = test.schema.categories[feature]
    if categories is not None:
        bins, n_bins, span = values.astype(np.int64), len(categories), None
    else:
        bins, n_bins, span = _bins(values, cut)
    if n_bins > 2 * N_BINS:
        return None
    counts = np.zeros((n_bins, test.schema.n_classes))
    np.add.at(counts, (bins, labels), weights)
    shown = [round(count, 2) if count % 1 else int(count) for count in counts.ravel().tolist()]
    return {"node": node, "span": span, "counts": shown}


def _bins(values: Floats, cut: float) -> tuple[Ints, int, list[float] | None]:
    """Return the bin of each value, their number and range; the cut lies between two bins."""
    low, high = np.quantile(values, [_TAIL, 1.0 - _TAIL])
    low, high = min(float(low), cut), max(float(high), cut)
    width = (high - low) / N_BINS
    if not width > 0.0:
        return np.zeros(len(values), dtype=np.int64), 1, [low, high]
    below = int(np.ceil((cut - low) / width - 1e-9))
    above = int(np.ceil((high - cut) / width - 1e-9))
    # A value at the threshold is below it.
    place = np.ceil((values - cut) / width).astype(np.int64) - 1 + below
    n_bins = max(below + above, 1)
    return place.clip(0, n_bins - 1), n_bins, [cut - below * width, cut + above * width]
