"""Probabilities from all the nodes of a branch: each takes a share, and leaves the rest to others.

Walking down from the root, p = share * frequencies + (1 - share) * p of the parent.
"""

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled, typed_kernel
from roctree.smoothing.protocol import Floats, shares
from roctree.tree.tree import Tree

_PARENTS = "Array(int64, 1, 'C', readonly=True)"


def down_the_branches(tree: Tree, share: Floats) -> Floats:
    """Return the mixtures where each node takes this share; what the root leaves is uniform."""
    mixtures = shares(tree)
    taken = np.array(share, dtype=np.float64)
    compiled(_inherit)(tree.parent, taken, mixtures)
    return mixtures


def where_reached(tree: Tree, estimates: Floats) -> Floats:
    """Return the estimates; where no training case has come, those of the nearest node above."""
    reached = np.array(estimates, dtype=np.float64)
    compiled(_inherit)(tree.parent, (tree.weight > 0.0).astype(np.float64), reached)
    return reached


def above(tree: Tree, mixtures: Floats) -> Floats:
    """Return the mixture of each node's parent, uniform for the root."""
    inherited = mixtures[tree.parent]
    inherited[0] = 1.0 / tree.n_classes
    return np.asarray(inherited)


@typed_kernel(f"void({_PARENTS}, Array(float64, 1, 'C'), Array(float64, 2, 'C'))")
def _inherit(
    parent: NDArray[np.int64], share: NDArray[np.float64], mixtures: NDArray[np.float64]
) -> None:
    """Turn frequencies into mixtures, in place; parents come before their children."""
    n_classes = mixtures.shape[1]
    for node in range(parent.size):
        for label in range(n_classes):
            inherited = mixtures[parent[node], label] if node > 0 else 1.0 / n_classes
            mixtures[node, label] = (
                share[node] * mixtures[node, label] + (1.0 - share[node]) * inherited
            )
