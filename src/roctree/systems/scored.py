"""Cases by the probabilities they are given: what an operating point is chosen by.

Where leaves are models, cases of one leaf differ in their probabilities. Distinct probabilities
then take the place of leaves.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roctree.decision import Decision
from roctree.labelling import Leaves, OperatingPoint
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scored:
    """Each distinct answer to some cases, and the classes of those who got it.

    Parameters
    ----------
    scores : float64[n, classes], distinct class probabilities
    counts : float64[n, classes], weights of the cases of each class
    """

    scores: Floats
    counts: Floats

    @classmethod
    def of(cls, probabilities: Floats, labels: NDArray[np.integer], weights: Floats) -> "Scored":
        """Group cases by their probabilities."""
        scores, group = np.unique(probabilities, axis=0, return_inverse=True)
        counts = np.zeros_like(scores)
        np.add.at(counts, (group.reshape(-1), labels), weights)
        return cls(scores, counts)

    def as_expected(self) -> "Scored":
        """Return the same answers, with classes as frequent as the answers say."""
        return Scored(self.scores, self.scores * self.counts.sum(axis=1, keepdims=True))

    def leaves(self, positive: int) -> Leaves:
        """Return the answers as leaves, and after them a pure leaf for each class, without cases.

        What a labeller makes of the pure leaves tells what it makes of any probabilities: see
        ``decision_at``.
        """
        n_classes = self.scores.shape[1]
        scores = np.concatenate([self.scores, np.eye(n_classes)])
        counts = np.concatenate([self.counts, np.zeros((n_classes, n_classes))])
        return Leaves(np.arange(len(scores)), counts, scores, positive)


def decision_at(point: OperatingPoint, tree: Tree) -> Decision:
    """Return an operating point that was chosen among ``Scored.leaves`` as a decision.

    Its votes are those of the pure leaves, for a case belongs to them in the parts that its
    probabilities are. Votes are linear in these, so that it has the mean vote, as cases have that
    missing values divide among leaves.
    """
    pure = slice(-tree.n_classes, None)
    return Decision(tree, point.votes[pure], point.other_votes[pure], point.chance, point.seed)
