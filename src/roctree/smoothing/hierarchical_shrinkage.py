"""Hierarchical shrinkage (Agarwal et al. 2022): each step down a branch is believed in part."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from roctree.smoothing.branch import above, down_the_branches, where_reached
from roctree.smoothing.protocol import Auto, Floats, check_strength, shares, strength
from roctree.tree.tree import Tree

_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class HierarchicalShrinkage:
    """The change of frequencies from a node to its child counts N / (N + strength).

    N is the weight of the node: changes below large nodes are believed, those below small ones
    are not.

    Parameters
    ----------
    strength
        How much to shrink, in cases; "auto" chooses by cross-validation.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> rows, labels = [[1.0], [2.0], [3.0], [4.0], [5.0]], ["no", "no", "yes", "no", "no"]
    >>> tree = ROCTreeClassifier().fit(rows, labels).tree_
    >>> HierarchicalShrinkage()(tree)[tree.leaves].round(3)
    array([[0.867, 0.133],
           [0.602, 0.398],
           [0.832, 0.168]])
    """

    strength: float | Auto = 10.0
    grid: ClassVar[dict[str, tuple[float, ...]]] = {
        "strength": (0.1, 0.5, 1, 2, 5, 10, 25, 50, 100, 500)
    }

    def __post_init__(self) -> None:
        check_strength(self, "strength")

    def __call__(self, tree: Tree) -> Floats:
        """Return the shrunk frequencies.

        Added up along a branch, the changes are a mixture of its nodes' frequencies. The end takes
        N / (N + strength), N of its parent. Each node above takes of the rest what makes all up
        to it N / (N + strength), N of its own parent. Where no case has come, nothing changes.
        """
        shrinking = strength(self, "strength")
        from_above = tree.weight[tree.parent]
        from_above[0] = tree.weight[0]
        belief = np.maximum(from_above + shrinking, _TINY)
        # A child may outweigh its parent by what rounding does to divided cases.
        share = np.maximum(1.0 - (tree.weight + shrinking) / belief, 0.0)
        end = 1.0 - shrinking / belief
        share[0] = end[0] = float(tree.weight[0] > 0.0)
        inherited = above(tree, down_the_branches(tree, share))
        shrunk = end[:, None] * shares(tree) + (1.0 - end)[:, None] * inherited
        return where_reached(tree, shrunk)
