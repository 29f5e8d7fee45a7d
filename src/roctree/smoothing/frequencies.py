"""Probabilities that are the class frequencies of the leaf, not smoothed at all."""

import numpy as np
from numpy.typing import NDArray

from roctree.tree.tree import Tree


def frequencies(tree: Tree) -> NDArray[np.float64]:
    """Return the class frequencies of each node, float64[nodes, classes].

    A node that no training case reached has those of its nearest ancestor that one did reach.
    """
    empty = tree.weight == 0.0
    shares = tree.counts / np.where(empty, 1.0, tree.weight)[:, None]
    # Parents come before their children, so theirs are known.
    for node in np.flatnonzero(empty):
        shares[node] = shares[tree.parent[node]]
    return np.asarray(shares)
