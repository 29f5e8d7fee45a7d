"""Cases by the probabilities they are given: what an operating point is chosen by.

Where leaves are models, cases of one leaf differ in their probabilities. Distinct probabilities
then take the place of leaves.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from roctree.data import Dataset
from roctree.decision import Decision
from roctree.labelling import Leaves, OperatingPoint
from roctree.models.nbtree.naive_bayes import NaiveBayesTree
from roctree.tree.apply import apply
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Scored:
    """Each distinct answer of a leaf to some cases, and the classes of those who got it.

    Parameters
    ----------
    scores : float64[n, classes], distinct class probabilities
    counts : float64[n, classes], weights of the cases of each class
    leaf : int64[n], the leaf that gave the answer, the heaviest where missing values lead to
        several; None if that is not known, as in files of the first release
    """

    scores: Floats
    counts: Floats
    leaf: Ints | None = None

    @classmethod
    def of(cls, tree: NaiveBayesTree, cases: Dataset) -> "Scored":
        """Group cases by their probabilities and their leaf."""
        answers = np.column_stack(
            [tree.probabilities(cases.values), apply(tree.nodes, cases.values)]
        )
        distinct, group = np.unique(answers, axis=0, return_inverse=True)
        counts = np.zeros((len(distinct), tree.nodes.n_classes))
        np.add.at(counts, (group.reshape(-1), cases.labels), cases.weights)
        return cls(distinct[:, :-1].copy(), counts, distinct[:, -1].astype(np.int64))

    def as_expected(self) -> "Scored":
        """Return the same answers, with classes as frequent as the answers say."""
        return replace(self, counts=self.scores * self.counts.sum(axis=1, keepdims=True))

    def answers(self, positive: int) -> Leaves:
        """Return the answers as leaves."""
        return Leaves(np.arange(len(self.scores)), self.counts, self.scores, positive)

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
