"""The Gini index as a custom criterion."""

import numpy as np

import roctree


@roctree.criterion(convex=True)
def own_gini(table: np.ndarray) -> float:
    """Minus the mean over the branches of 1 - sum p^2."""
    total = impure = 0.0
    for branch in range(table.shape[0]):
        weight = squares = 0.0
        for label in range(table.shape[1]):
            weight += table[branch, label]
            squares += table[branch, label] ** 2
        total += weight
        impure += weight - squares / weight if weight > 0.0 else 0.0
    return -impure / total if total > 0.0 else 0.0
