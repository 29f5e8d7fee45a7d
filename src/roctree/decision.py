"""What a labelled tree decides: the votes of the leaves, and chance where it was asked for."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError
from roctree.labelling import OperatingPoint
from roctree.operating import draws
from roctree.tally import Tally
from roctree.tree.apply import mix
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]
Measure = TypeVar("Measure", bound=np.generic)


def leaf_scores(
    probabilities: Floats, votes: Floats, winners: Callable[[], NDArray[np.int64]] | None = None
) -> Floats:
    """Return scores of rows: of two classes float64[rows], otherwise the votes for each class.

    Parameters
    ----------
    probabilities : float64[rows, classes]
    votes : float64[rows, classes], the same by class weight
    winners : returns the number of each row's class; None where that is the class of most votes
    """
    if votes.shape[1] != 2:
        return votes
    if winners is None:
        return np.asarray(votes[:, 1] - votes[:, 0])
    return scores_by_label(probabilities, winners())


def scores_by_label(probabilities: Floats, winners: NDArray[np.int64]) -> Floats:
    """Return scores of two classes, above zero just where the second wins.

    Among cases of the same label the order is that of the probabilities.
    """
    return np.asarray(probabilities[:, 1] / 2.0 + np.where(winners == 1, 0.5, -0.5))


@dataclass(frozen=True, eq=False)
class Decision:
    """How rows are labelled: the class of the highest mean vote over the leaves of a row.

    Parameters
    ----------
    tree : the tree
    votes : float64[nodes, classes], what each leaf says for each class
    others : float64[nodes, classes], votes that are taken instead with probability ``chance``
    chance, seed : of the draws, one for each row
    """

    tree: Tree
    votes: Floats
    others: Floats
    chance: float = 0.0
    seed: int = 0

    @classmethod
    def of(
        cls, tree: Tree, point: OperatingPoint | None, usual: Callable[[], Floats]
    ) -> "Decision":
        """Return the decision of an operating point, or of the usual votes where there is none."""
        if point is None:
            votes = usual()
            return cls(tree, votes, votes)
        return cls(tree, point.votes, point.other_votes, point.chance, point.seed)

    @property
    def labels(self) -> NDArray[np.int64]:
        """The number of the class of each node, as if it were a leaf."""
        return np.asarray(self.votes.argmax(axis=1))

    def sure_votes(self) -> Floats:
        """Return the votes, unless labels are drawn by chance."""
        if self.chance > 0.0:
            raise ParameterError("Labels drawn by chance cannot be promised: use at(...) without.")
        return self.votes

    def winners(self, values: Floats, n_threads: int = 1) -> NDArray[np.int64]:
        """Return the number of each row's class."""
        return self.each(
            values, lambda votes: mix(self.tree, values, votes, n_threads=n_threads).argmax(axis=1)
        )

    def each(
        self, values: Floats, measure: Callable[[Floats], NDArray[Measure]]
    ) -> NDArray[Measure]:
        """Measure rows by the votes; where labels are drawn, each row by the votes it drew."""
        found = measure(self.votes)
        if self.chance == 0.0:
            return found
        drawn = draws(values, self.seed) < self.chance
        drawn = drawn.reshape(-1, *[1] * (found.ndim - 1))
        return np.where(drawn, measure(self.others), found)

    def confusion(self, tally: Tally) -> Floats:
        """Return the weights of counted cases by predicted and true class.

        Labels drawn by chance count as often as they are to be expected.
        """
        table = np.zeros((self.tree.n_classes,) * 2)
        for votes, part in ((self.votes, 1.0 - self.chance), (self.others, self.chance)):
            np.add.at(table, tally.lines(votes).argmax(axis=1), part * tally.counts)
        return table

    def accuracy(self, tally: Tally) -> float:
        """Return the share of counted cases that are labelled rightly."""
        if self.chance > 0.0:
            raise ParameterError("Labels drawn by chance are counted in memory, row by row.")
        winners = tally.lines(self.votes).argmax(axis=1)
        right = np.take_along_axis(tally.counts, winners[:, None], axis=1)
        return float(right.sum() / tally.counts.sum())
