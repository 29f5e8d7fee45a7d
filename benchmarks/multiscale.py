"""The Multiscale Classifier: seconds to fit and to predict, bytes per cell."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.data import numeric
from benchmarks.race import Entry, Race, Row

SHAPES = ((100_000, 10), (100_000, 2), (100_000, 100), (1_000_000, 10))
QUICK_SHAPES = ((10_000, 10),)
ROUNDS = 3


def rows(quick: bool = False) -> list[Row]:
    return [
        Row(
            "multiscale",
            f"multiscale-{n_rows // 1000}k-{n_columns}",
            f"{n_rows:,} × {n_columns}",
            partial(measure_all, n_rows, n_columns),
        )
        for n_rows, n_columns in (QUICK_SHAPES if quick else SHAPES)
    ]


def measure_all(n_rows: int, n_columns: int, race: Race) -> list[Entry]:
    """Time a fit, pruning under costs and predictions of as many rows."""
    X, y = numeric(n_rows, n_columns)
    X = X.astype(np.float64)
    race.say("compiling")
    steps = {"fit": lambda: fitted(X, y)}
    cells = fitted(X, y)
    cells.predict(X[:1])
    steps["prune"] = lambda: cells.pruned("minimum_error", costs=(1, 4))
    steps["predict"] = lambda: cells.predict_proba(X)
    entries = [Entry("roctree", variant=step) for step in steps]
    for entry in entries:
        entry.facts = facts(cells)
        for number in range(ROUNDS):
            race.say(f"{entry.variant}, round {number + 1}")
            race.patience.wait()
            entry.time(steps[entry.variant])
    return entries


def fitted(X: np.ndarray, y: np.ndarray) -> Any:
    from roctree import MultiscaleClassifier

    return MultiscaleClassifier().fit(X, y)


def facts(cells: Any) -> dict[str, float]:
    """Return the number of cells, and the memory per cell."""
    tree = cells.tree_
    arrays = [getattr(tree, name) for name in tree.__dataclass_fields__]
    n_bytes = cells.cells_.nbytes + sum(array.nbytes for array in arrays)
    n_bytes += cells.probabilities_.nbytes
    return {
        "cells": cells.cells_.n_cells,
        "leaves": cells.get_n_leaves(),
        "bytes per cell": n_bytes / cells.cells_.n_cells,
    }
