"""The m-branch smoothing of Ferri, Flach and Hernández-Orallo: m-estimates all down a branch."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled, typed_kernel
from roctree.smoothing.protocol import Auto, Floats, check_strength, strength
from roctree.tree.tree import Tree

# A part this small of a probability does not show in its digits.
_NOTHING = 2.0**-80


@dataclass(frozen=True)
class MBranch:
    """An m-estimate at every node of the branch, whose prior is the estimate of the node above.

    The added cases grow with the height h above the leaf (1 at the leaf itself) and with the
    size N of the training data: m = M (1 + (1 - 1/h) sqrt(N)). Small leaves borrow from the whole
    branch, and large ones hardly change.

    Parameters
    ----------
    M
        Cases added at the leaf; "auto" chooses by cross-validation.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> rows, labels = [[1.0], [2.0], [3.0], [4.0], [5.0]], ["no", "no", "yes", "no", "no"]
    >>> tree = ROCTreeClassifier().fit(rows, labels).tree_
    >>> MBranch(M=4)(tree)[tree.leaves].round(3)
    array([[0.741, 0.259],
           [0.494, 0.506],
           [0.745, 0.255]])
    """

    M: float | Auto = 4.0
    grid: ClassVar[dict[str, tuple[float, ...]]] = {"M": (0.25, 0.5, 1, 2, 4, 8, 16, 32)}

    def __post_init__(self) -> None:
        check_strength(self, "M")

    def __call__(self, tree: Tree) -> Floats:
        """Return the estimates at the end of each branch."""
        estimates = np.zeros((tree.n_nodes, tree.n_classes))
        root = math.sqrt(tree.weight[0])
        compiled(_climb)(
            tree.parent, tree.weight, tree.counts, strength(self, "M"), root, estimates
        )
        return estimates


@typed_kernel(
    "void(Array(int64, 1, 'C', readonly=True), Array(float64, 1, 'C', readonly=True), "
    "Array(float64, 2, 'C', readonly=True), float64, float64, Array(float64, 2, 'C'))"
)
def _climb(
    parent: NDArray[np.int64],
    weight: NDArray[np.float64],
    counts: NDArray[np.float64],
    m: float,
    root: float,
    estimates: NDArray[np.float64],
) -> None:
    """Mix the counts on the way from each node to the root, which leaves the rest to all classes.

    What a node adds depends on how far below the branch ends, so that no two branches share it.
    """
    n_classes = counts.shape[1]
    for end in range(parent.size):
        rest, node, height = 1.0, end, 1.0
        while node >= 0 and rest > _NOTHING:
            added = m * (1.0 + (1.0 - 1.0 / height) * root)
            if weight[node] > 0.0:
                each = rest / (weight[node] + added)
                for label in range(n_classes):
                    estimates[end, label] += each * counts[node, label]
                rest = each * added
            node, height = parent[node], height + 1.0
        for label in range(n_classes):
            estimates[end, label] += rest / n_classes
