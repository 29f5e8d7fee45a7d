"""Test cases that are divided among leaves, by missing values or soft thresholds: to what parts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data import Dataset
from roctree.tree.apply import divided, mix
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]

# Beyond so many parts the page would be slow to open.
_MOST_PARTS = 300_000
# So many leaves are asked for at a time: the question has a line for every node.
_LEAVES_AT_ONCE = 64


def divided_cases(tree: Tree, test: Dataset) -> list[dict[str, Any]] | None:
    """Return label, weight, leaves and parts of each divided case; None if they are too many.

    Leaves are numbered among the leaves.
    """
    rows = np.flatnonzero(divided(tree, test.values))
    if len(rows) * tree.n_leaves > _MOST_PARTS:
        return None
    parts = _parts(tree, test.values[rows])
    return [
        {
            "label": int(test.labels[row]),
            "weight": float(test.weights[row]),
            "leaves": np.flatnonzero(own).tolist(),
            "parts": own[own > 0.0].tolist(),
        }
        for row, own in zip(rows.tolist(), parts, strict=True)
    ]


def _parts(tree: Tree, values: NDArray[Any]) -> Floats:
    """The part of each row in each leaf, float64[rows, leaves]."""
    parts = np.empty((len(values), tree.n_leaves))
    for begin in range(0, tree.n_leaves, _LEAVES_AT_ONCE):
        leaves = tree.leaves[begin : begin + _LEAVES_AT_ONCE]
        ones = np.zeros((tree.n_nodes, len(leaves)))
        ones[leaves, np.arange(len(leaves))] = 1.0
        parts[:, begin : begin + len(leaves)] = mix(tree, values, ones)
    return parts
