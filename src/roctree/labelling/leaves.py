"""The leaves of a tree as a table: what a labeller looks at, and what it returns."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError
from roctree.roc import Curve
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Leaves:
    """Class counts of the leaves, of training or other cases.

    Parameters
    ----------
    nodes : int64[leaves], their numbers in the tree
    counts : float64[leaves, classes], weights of the cases of each class
    shares : float64[leaves, classes], class shares; of leaves without cases those of training
    positive : which class is positive, where there are two
    """

    nodes: Ints
    counts: Floats
    shares: Floats
    positive: int = 1

    @classmethod
    def of(cls, tree: Tree, counts: Floats, instead: Floats, positive: int = 1) -> "Leaves":
        """Return the leaves of a tree, by class counts and, for leaves without, shares instead."""
        nodes = tree.leaves
        own, total = counts[nodes], counts[nodes].sum(axis=1)
        shares = np.where(total[:, None] > 0.0, own / np.where(total > 0.0, total, 1.0)[:, None],
                          instead[nodes])  # fmt: skip
        return cls(nodes, own, shares, positive)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.counts.shape[1])

    @cached_property
    def prior(self) -> Floats:
        """Share of each class in all cases."""
        totals = self.counts.sum(axis=0)
        return np.asarray(totals / totals.sum())

    @cached_property
    def curve(self) -> Curve:
        """The ROC curve of the leaves, ordered by their shares of positives."""
        self.check_two_classes()
        return Curve.from_leaves(
            self.shares[:, self.positive],
            self.counts[:, self.positive],
            self.counts[:, 1 - self.positive],
        )

    def rank(self) -> Ints:
        """Return the place of each leaf's score among those of the curve, highest first."""
        falling = -np.round(self.shares[:, self.positive], _DIGITS)
        return np.asarray(np.unique(falling, return_inverse=True)[1])

    def first_positive(self, n_scores: int) -> Ints:
        """Return labels where the leaves with so many of the highest scores are positive."""
        chosen = self.rank() < n_scores
        return np.where(chosen, self.positive, 1 - self.positive)

    def check_two_classes(self) -> None:
        """Refuse to rank more than two classes, or one."""
        if self.n_classes != 2:
            raise ParameterError(
                f"Rates and thresholds are of two classes, and the tree has {self.n_classes}: "
                "give cost_matrix, with a row for each predicted and a column for each true class."
            )


class Labelling(NamedTuple):
    """The class of each leaf, and a second choice that is taken by chance.

    Parameters
    ----------
    labels : int64[leaves]
    others : int64[leaves], taken with probability ``chance``
    chance : from 0 to 1
    """

    labels: Ints
    others: Ints
    chance: float = 0.0


@runtime_checkable
class Labeller(Protocol):
    """A function from leaves to labels."""

    def __call__(self, leaves: Leaves) -> Labelling:
        """The class of each leaf."""


def sure(labels: Ints) -> Labelling:
    """Return a labelling without chance."""
    return Labelling(labels, labels)


# As curves compare scores.
_DIGITS = 12
