"""Test cases that missing values divide among leaves: in which, and to what part."""

from typing import Any

import numpy as np

from roctree.data import Dataset
from roctree.tree.apply import decision_path, divided
from roctree.tree.tree import Tree

# Beyond so many nodes on the ways of divided cases the page would be slow to open.
_MOST_NODES = 300_000


def divided_cases(tree: Tree, test: Dataset) -> list[dict[str, Any]] | None:
    """Return label, weight, leaves and parts of each divided case; None if they are too many.

    Leaves are numbered among the leaves.
    """
    rows = np.flatnonzero(divided(tree, test.values))
    if tree.softness.any() or len(rows) * tree.n_leaves > _MOST_NODES:
        return None
    leaf_of = np.cumsum(tree.is_leaf) - 1
    paths = decision_path(tree, test.values[rows])
    cases = []
    for place, row in enumerate(rows.tolist()):
        nodes = paths.indices[paths.indptr[place] : paths.indptr[place + 1]]
        parts = _parts(tree, np.sort(nodes).tolist())
        leaves = [node for node in parts if tree.is_leaf[node]]
        cases.append(
            {
                "label": int(test.labels[row]),
                "weight": float(test.weights[row]),
                "leaves": leaf_of[leaves].tolist(),
                "parts": [parts[leaf] for leaf in leaves],
            }
        )
    return cases


def _parts(tree: Tree, nodes: list[int]) -> dict[int, float]:
    """The part of a case that comes to each node on its ways, parents before their children."""
    together: dict[int, int] = {}
    for node in nodes[1:]:
        parent = int(tree.parent[node])
        together[parent] = together.get(parent, 0) + 1
    parts = {0: 1.0}
    for node in nodes[1:]:
        parent = int(tree.parent[node])
        share = float(tree.share[node]) if together[parent] > 1 else 1.0
        parts[node] = parts[parent] * share
    return parts
