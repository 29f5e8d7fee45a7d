"""Curtailment (Zadrozny and Elkan 2001): leaves too small to tell ask the node above."""

from dataclasses import dataclass

from roctree.smoothing.branch import down_the_branches
from roctree.smoothing.protocol import Floats
from roctree.strategy import check_number
from roctree.tree.tree import Tree


@dataclass(frozen=True)
class Curtailment:
    """The class frequencies of the nearest node of the branch with enough cases.

    Parameters
    ----------
    minimum
        How many cases, in weight, are enough; the root always has enough.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> rows, labels = [[1.0], [2.0], [3.0], [4.0], [5.0]], ["no", "no", "yes", "no", "no"]
    >>> tree = ROCTreeClassifier().fit(rows, labels).tree_
    >>> Curtailment()(tree)[tree.leaves]
    array([[0.8, 0.2],
           [0.8, 0.2],
           [0.8, 0.2]])
    """

    minimum: float = 20.0

    def __post_init__(self) -> None:
        check_number(self, "minimum")

    def __call__(self, tree: Tree) -> Floats:
        """Return the frequencies."""
        enough = (tree.weight >= self.minimum) & (tree.weight > 0.0)
        enough[0] = tree.weight[0] > 0.0
        return down_the_branches(tree, enough.astype(float))
