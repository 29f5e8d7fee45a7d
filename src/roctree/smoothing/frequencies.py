"""No smoothing: the class frequencies of the leaf."""

from dataclasses import dataclass

from roctree.smoothing.branch import where_reached
from roctree.smoothing.protocol import Floats, shares
from roctree.tree.tree import Tree


@dataclass(frozen=True)
class Frequencies:
    """The class frequencies as they are: 0 and 1 at pure leaves.

    A leaf that no training case reached has those of the nearest node above that one did reach.

    Examples
    --------
    >>> Frequencies()(Tree.single_leaf([3, 1]))
    array([[0.75, 0.25]])
    """

    def __call__(self, tree: Tree) -> Floats:
        """Return the frequencies."""
        return where_reached(tree, shares(tree))
