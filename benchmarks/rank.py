"""The AUC of many rows whose leaves are known: counted in a table, or found by sorting scores."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.data import load
from benchmarks.libraries import Roctree, Task
from benchmarks.race import Entry, Race, Row

TASK, N_ROWS = Task("200k", 20), 10_000_000
QUICK_TASK, QUICK_N_ROWS = Task("20k", 20), 500_000
ROUNDS = 5


def rows(quick: bool = False) -> list[Row]:
    task, n_rows = (QUICK_TASK, QUICK_N_ROWS) if quick else (TASK, N_ROWS)
    title = f"AUC of {n_rows:,} rows after apply, {task.name}"
    return [Row("rank", f"rank-{task.name}", title, partial(rank_all, task, n_rows))]


def rank_all(task: Task, n_rows: int, race: Race) -> list[Entry]:
    """Time a table of the leaves, its curve alone, and scikit-learn's sort of all scores."""
    from roctree.roc import Curve

    race.say("growing a tree")
    model, leaves, y = drawn(task, n_rows)
    scores = model.probabilities_[:, 1]
    table = counted(leaves, y, len(scores))
    # The scores of all rows are computed beforehand: sorting starts with them.
    of_rows = scores[leaves]
    contest: list[tuple[Entry, Callable[[], float]]] = [
        (
            Entry("roctree"),
            lambda: Curve.from_leaves(scores, *counted(leaves, y, len(scores))).auc,
        ),
        (Entry("roctree", variant="table given"), lambda: Curve.from_leaves(scores, *table).auc),
        (Entry("scikit-learn"), lambda: float(roc_auc_score(y, of_rows))),
    ]
    for number in range(ROUNDS):
        for entry, area in contest:
            race.say(f"{entry.label}, round {number + 1}")
            race.patience.wait()
            entry.facts["auc"] = entry.time(area)
            entry.facts["leaves"] = model.get_n_leaves()
    return [entry for entry, _ in contest]


def drawn(task: Task, n_rows: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """Return a tree, and the leaves and labels of rows drawn from its own with replacement."""
    split = load(task.data)
    model = Roctree().fit(split.X, split.y, task, threads=1)
    chosen = np.random.default_rng(0).integers(0, len(split.y), n_rows)
    return model, model.apply(split.X)[chosen], split.y[chosen]


def counted(leaves: np.ndarray, y: np.ndarray, n_nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the positives and the negatives at each node."""
    positives = np.bincount(leaves, weights=y, minlength=n_nodes)
    return positives, np.bincount(leaves, minlength=n_nodes) - positives
