"""No smoothing: the class frequencies of the leaf."""

from dataclasses import dataclass

from roctree.smoothing.branch import down_the_branches
from roctree.smoothing.protocol import Floats
from roctree.tree.tree import Tree


@dataclass(frozen=True)
class Frequencies:
    """The class frequencies as they are: 0 and 1 at pure leaves.

    A leaf that no training case reached has those of the nearest node above that one did reach.
    """

    def __call__(self, tree: Tree) -> Floats:
        """Return the frequencies."""
        return down_the_branches(tree, (tree.weight > 0.0).astype(float))
