"""Distances from the decision boundary: bounded search, and the paper's algorithm in NumPy."""

import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.data import numeric
from benchmarks.race import Entry, Race, Row

N_ROWS, QUICK_N_ROWS = 100_000, 10_000
# Columns and leaves: the row of the target, then how time grows with leaves and with attributes.
MAIN = (20, 2000)
GROWTH = ((20, 20), (20, 200), (20, 20_000), (5, 2000), (80, 2000))
ROUNDS = 3
# Rows whose columns stay in the cache, for the paper's algorithm.
BLOCK = 4096


def rows(quick: bool = False) -> list[Row]:
    n_rows = QUICK_N_ROWS if quick else N_ROWS
    shapes = ((20, 200),) if quick else (MAIN, *GROWTH)
    return [
        Row(
            "boundary",
            f"boundary-{n_rows // 1000}k-{n_columns}-{n_leaves}",
            f"{n_rows:,} × {n_columns}, at most {n_leaves:,} leaves",
            partial(measure_all, n_rows, n_columns, n_leaves, n_leaves == MAIN[1] or quick),
        )
        for n_columns, n_leaves in shapes
    ]


def measure_all(
    n_rows: int, n_columns: int, n_leaves: int, with_paper: bool, race: Race
) -> list[Entry]:
    """Time the search on one and two threads, and the projection on all leaves.

    What the search takes of memory is measured in a turn of its own.
    """
    race.say("growing a tree")
    X, tree = grown(n_rows, n_columns, n_leaves)
    contest: list[tuple[Entry, Callable[[], np.ndarray]]] = [
        (Entry("roctree", threads), partial(searched, tree, X, threads)) for threads in (1, 2)
    ]
    if with_paper:
        contest.append((Entry("NumPy", variant="all leaves"), paper(tree, X)))
    wanted = searched(tree, X, 1)
    for number in range(ROUNDS):
        for entry, distances in contest:
            race.say(f"{entry.label}, round {number + 1}")
            race.patience.wait()
            found = entry.time(distances)
            entry.facts["leaves"] = tree.get_n_leaves()
            entry.facts["largest difference"] = float(np.abs(found - wanted).max())
    for entry, distances in contest[:2]:
        entry.facts["peak"] = most_memory(distances)
    return [entry for entry, _ in contest]


def grown(n_rows: int, n_columns: int, n_leaves: int) -> tuple[np.ndarray, Any]:
    from roctree import ROCTreeClassifier

    X, y = numeric(n_rows, n_columns)
    X = X.astype(np.float64)
    tree = ROCTreeClassifier(
        criterion="gini", max_leaf_nodes=n_leaves, min_samples_leaf=2, n_jobs=2
    )
    return X, tree.fit(X, y)


def searched(tree: Any, X: np.ndarray, threads: int) -> np.ndarray:
    return tree.set_params(n_jobs=threads).boundary_distance(X)


def paper(tree: Any, X: np.ndarray) -> Callable[[], np.ndarray]:
    """Return Algorithms 1 and 2 of Alvarez and Bernard (2005) on blocks of rows.

    Labels and boxes are made before. Each leaf is a loop over the attributes it tests, a column of
    the block at a time, which took half as long as all boxes at once in one array.
    """
    low, high = boxes(tree.tree_)
    leaves, own = tree.tree_.leaves, tree.predict(X)
    labels = tree.classes_[tree.fitted_.decision.labels[leaves]]
    tested = [np.flatnonzero(np.isfinite(low[leaf]) | np.isfinite(high[leaf])) for leaf in leaves]
    unit = 1.0 / tree.scale_

    def distances() -> np.ndarray:
        squared = np.empty(len(X))
        for label in tree.classes_:
            mine, others = np.flatnonzero(own == label), np.flatnonzero(labels != label)
            for begin in range(0, len(mine), BLOCK):
                block = mine[begin : begin + BLOCK]
                columns = np.ascontiguousarray((X[block] * unit).T)
                squared[block] = nearest(columns, others)
        return np.sqrt(squared)

    def nearest(columns: np.ndarray, others: np.ndarray) -> np.ndarray:
        best = np.full(columns.shape[1], np.inf)
        distance, moved = np.empty((2, columns.shape[1]))
        for place in others:
            leaf = leaves[place]
            distance[:] = 0.0
            for attribute in tested[place]:
                column, scale = columns[attribute], unit[attribute]
                np.clip(column, low[leaf, attribute] * scale, high[leaf, attribute] * scale, moved)
                moved -= column
                moved *= moved
                distance += moved
            np.minimum(best, distance, out=best)
        return best

    return distances


def boxes(tree: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of every node, each from its parent's."""
    n_features = int(tree.feature.max()) + 1
    low = np.full((tree.n_nodes, n_features), -np.inf)
    high = np.full((tree.n_nodes, n_features), np.inf)
    for node in range(1, tree.n_nodes):
        above = tree.parent[node]
        attribute, cut = tree.feature[above], tree.threshold[above]
        low[node], high[node] = low[above], high[above]
        if tree.branch[node] == 0:
            high[node, attribute] = min(high[node, attribute], cut)
        else:
            low[node, attribute] = max(low[node, attribute], cut)
    return low, high


def most_memory(distances: Callable[[], np.ndarray]) -> int:
    """Return the peak memory of a call in bytes, including its result."""
    tracemalloc.start()
    try:
        distances()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
