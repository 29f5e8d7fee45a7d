"""The leaves of a tree as a table: what a labeller looks at, and what it returns."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError
from roctree.roc import Curve
from roctree.roc.ranking import DIGITS, tie_groups
from roctree.strategy import is_number
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Leaves:
    """Class counts of the leaves, of training or other cases.

    Cases that missing values divide among leaves may have lines of their own, since they are
    labelled by the mean of these leaves.

    Parameters
    ----------
    nodes : int64[lines], their numbers in the tree, -1 for divided cases
    counts : float64[lines, classes], weights of the cases of each class
    shares : float64[lines, classes], class shares; of leaves without cases those of training
    positive : which class is positive, where there are two
    """

    nodes: Ints
    counts: Floats
    shares: Floats
    positive: int = 1

    @classmethod
    def of(
        cls,
        tree: Tree,
        counts: Floats,
        instead: Floats,
        positive: int = 1,
        nodes: Ints | None = None,
    ) -> "Leaves":
        """Return the leaves of a tree, by class counts and, for leaves without, shares instead.

        Where cases may stop at other nodes too, ``nodes`` are all that count as leaves.
        """
        nodes = tree.leaves if nodes is None else nodes
        own, total = counts[nodes], counts[nodes].sum(axis=1)
        if not total.any():
            raise ParameterError("counts has no cases: give some to choose an operating point by.")
        shares = np.where(total[:, None] > 0.0, own / np.where(total > 0.0, total, 1.0)[:, None],
                          instead[nodes])  # fmt: skip
        return cls(nodes, own, shares, positive)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.counts.shape[1])

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Which lines are leaves, not divided cases."""
        return self.nodes >= 0

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

    @cached_property
    def rank(self) -> Ints:
        """The place of each leaf's score among those of the curve, highest first."""
        return tie_groups(self.shares[:, self.positive], exact=False)[1]

    def first_positive(self, n_scores: int) -> Floats:
        """Return votes by which the leaves with so many of the highest scores are positive."""
        scores = np.concatenate([[_ABOVE_ALL], self.curve.scores, [_BELOW_ALL]])
        votes = np.zeros((len(self.nodes), 2))
        own = np.round(self.shares[:, self.positive], DIGITS)
        votes[:, self.positive] = own - (scores[n_scores] + scores[n_scores + 1]) / 2.0
        return votes

    @staticmethod
    def check_cases(name: str, kind: str, weight: float) -> None:
        """Refuse a rate of cases that there are none of."""
        if weight == 0.0:
            raise ParameterError(f"{name} is a rate of {kind} cases, and counts has none of them.")

    def check_two_classes(self, what: str = "A labelling by positive leaves") -> None:
        """Refuse to speak of positives where there are more than two classes, or one."""
        if self.n_classes == 1:
            raise ParameterError(f"{what} is of two classes, and the tree knows only one.")
        if self.n_classes != 2:
            raise ParameterError(
                f"{what} is of two classes, and the tree has {self.n_classes}: use "
                "at(cost_matrix=...), a row for each predicted class, a column for each true one."
            )


class Labelling(NamedTuple):
    """What each leaf says for each class, and a second choice that is taken by chance.

    A leaf has the class of its highest vote, the first of equals. A case that missing values divide
    among leaves has the class of the highest mean vote, so that votes are worth what they cost.

    Parameters
    ----------
    votes : float64[leaves, classes]
    others : float64[leaves, classes], taken with probability ``chance``
    chance : from 0 to 1
    """

    votes: Floats
    others: Floats
    chance: float = 0.0

    @property
    def labels(self) -> Ints:
        """The class of each leaf."""
        return np.asarray(self.votes.argmax(axis=1))

    @property
    def other_labels(self) -> Ints:
        """The class of each leaf in the second choice."""
        return np.asarray(self.others.argmax(axis=1))


@runtime_checkable
class Labeller(Protocol):
    """A function from leaves to labels."""

    def __call__(self, leaves: Leaves) -> Labelling:
        """The class of each leaf."""


def sure(votes: Floats) -> Labelling:
    """Return a labelling without chance."""
    return Labelling(votes, votes)


def check_share(name: str, value: Any, what: str) -> None:
    """Refuse a number outside 0 to 1, in the words of the one who gave it."""
    if not is_number(value) or not 0.0 <= value <= 1.0:
        raise ParameterError(f"{name}={value!r} is no {what}: give a number from 0 to 1.")


# Scores of which the middle with any share is above or below all shares, of single leaves or mixed.
_ABOVE_ALL, _BELOW_ALL = 4.0, -4.0
