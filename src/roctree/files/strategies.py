"""The sections of smoothing and pruning: a strategy, and what it gave each node."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.files import values
from roctree.files.section import Section
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]
# Probabilities may be off by this much in sum.
_UNEVEN = 1e-6


def plain_strategies(model: Any) -> dict[str, Any]:
    """Return both sections of a classifier."""
    labels = None if model.node_labels_ is None else model.node_labels_.tolist()
    return {
        "smoothing": {
            "strategy": values.plain_or_name(model.smoothing_),
            "probabilities": model.probabilities_.tolist(),
        },
        "pruning": {"strategy": values.plain_or_name(model.pruning_), "labels": labels},
    }


def restored_strategies(section: Section, tree: Tree) -> dict[str, Any]:
    """Return the attributes of a classifier that both sections hold."""
    smoothed = section.section("smoothing", ("strategy", "probabilities"))
    pruned = section.section("pruning", ("strategy", "labels"))
    return {
        "smoothing_": _strategy(smoothed, "smoothing"),
        "probabilities_": shares(smoothed, "probabilities", tree.leaves, *tree.counts.shape),
        "pruning_": _strategy(pruned, "pruning"),
        "node_labels_": _labels(pruned, tree),
    }


def shares(section: Section, name: str, rows: Any, n_rows: int, n_classes: int) -> Floats:
    """Return probabilities, of which these rows add up to 1."""
    found = section.floats(name, n_rows, n_classes)
    if (found[rows] < 0.0).any() or (np.abs(found[rows].sum(axis=1) - 1.0) > _UNEVEN).any():
        section.refuse(name, "has a leaf whose shares do not add up to 1")
    return found


def _strategy(section: Section, kind: str) -> Any:
    found = values.restored(section.values["strategy"], kind)
    if not isinstance(found, (values.NotKept, *values.STRATEGIES[kind].values())):
        section.refuse("strategy", f"is no {kind}")
    return found


def _labels(section: Section, tree: Tree) -> NDArray[np.int64] | None:
    if not section.has("labels"):
        return None
    found = section.ints("labels", np.int64, tree.n_nodes)
    if not ((found >= 0) & (found < tree.n_classes)).all():
        section.refuse("labels", "has a number that is no class")
    return found
