"""Expected-error pruning, named by Ferri, Flach and Hernández-Orallo: useless splits."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from roctree.tree.shape import cut
from roctree.tree.tree import Tree

# Exact ties are common, and rounding would decide them.
_TIE = 1e-12


@dataclass(frozen=True)
class ExpectedError:
    """A node becomes a leaf if its own split does not lower Niblett and Bratko's expected error.

    That is (N - n + classes - 1) / (N + classes) for the majority n of N cases. The children count
    as leaves: later splits that might make a node worth splitting are not looked at.
    """

    def __call__(self, tree: Tree, *_: Any) -> Tree:
        """Return the pruned tree."""
        wrong = tree.weight - tree.counts.max(axis=1) + tree.n_classes - 1.0
        expected = tree.weight * wrong / (tree.weight + tree.n_classes)
        below = np.bincount(tree.parent[1:], expected[1:], minlength=tree.n_nodes)
        return cut(tree, expected <= below + _TIE * tree.weight)
