"""Mingers' critical-value pruning: splits must be worth something, here or further down."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from roctree.strategy import check_number
from roctree.tree.passes import over_subtrees
from roctree.tree.shape import cut
from roctree.tree.tree import Tree


@dataclass(frozen=True)
class CriticalValue:
    """A node becomes a leaf unless its split, or one below, gains at least the critical value.

    Parameters
    ----------
    value
        The least gain, in units of the criterion that has grown the tree.
    """

    value: float = 0.01

    def __post_init__(self) -> None:
        check_number(self, "value")

    def __call__(self, tree: Tree, *_: Any) -> Tree:
        """Return the pruned tree."""
        reaches = ~tree.is_leaf & (tree.gain >= self.value)
        return cut(tree, over_subtrees(tree, reaches.astype(np.float64)) == 0.0)
