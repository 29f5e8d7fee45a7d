"""The m-estimate: so many cases more, distributed as a prior says."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from roctree.smoothing.protocol import Auto, Floats, check_strength, shares, strength
from roctree.strategy import check_choices
from roctree.tree.tree import Tree


@dataclass(frozen=True)
class MEstimate:
    """Cases are added to the leaf in the proportions of a prior: (n + m prior) / (N + m).

    Parameters
    ----------
    m
        How many cases; "auto" chooses by cross-validation.
    prior
        "uniform" gives every class the same, "training" its frequency in the training data.

    Examples
    --------
    >>> MEstimate(m=4)(Tree.single_leaf([3, 1]))
    array([[0.625, 0.375]])
    """

    m: float | Auto = 4.0
    prior: Literal["uniform", "training"] = "uniform"
    grid: ClassVar[dict[str, tuple[float, ...]]] = {"m": (0.5, 1, 2, 4, 8, 16, 32, 64)}

    def __post_init__(self) -> None:
        check_choices(self)
        check_strength(self, "m")

    def __call__(self, tree: Tree) -> Floats:
        """Return the estimates."""
        m = strength(self, "m")
        uniform = np.full(tree.n_classes, 1.0 / tree.n_classes)
        prior = shares(tree)[0] if self.prior == "training" and tree.weight[0] > 0.0 else uniform
        # Where there are neither cases nor any to be added, the prior is all there is.
        total = tree.weight + m
        part = np.divide(m, total, out=np.ones_like(total), where=total > 0.0)[:, None]
        return np.asarray((1.0 - part) * shares(tree) + part * prior)
