"""Laplace's correction: one case more of every class."""

from dataclasses import dataclass

from roctree.smoothing.protocol import Floats
from roctree.tree.tree import Tree


@dataclass(frozen=True)
class Laplace:
    """One case of each class is added to the leaf: (n + 1) / (N + classes).

    Examples
    --------
    >>> Laplace()(Tree.single_leaf([3, 1])).round(3)
    array([[0.667, 0.333]])
    """

    def __call__(self, tree: Tree) -> Floats:
        """Return the corrected frequencies."""
        return (tree.counts + 1.0) / (tree.weight + tree.n_classes)[:, None]
