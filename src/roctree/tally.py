"""Labelled cases counted in the leaves of a tree; those divided among leaves stand apart.

Missing values and soft thresholds divide cases. A divided case is scored and labelled by the mean
of its leaves, as one. Counted in parts, leaf by leaf, it would seem to get several labels, and
rates would not be those of the predictions.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roctree.data import Dataset
from roctree.tree.apply import class_counts, divided, mix
from roctree.tree.passes import with_those_below
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Tally:
    """Lines for the leaves of a tree, in order, and after them one for each divided case.

    Parameters
    ----------
    tree : the tree
    parts : float64[nodes, classes], the cases at all nodes, divided ones in parts
    counts : float64[lines, classes], the cases of each line
    values : float64[divided, features], the divided cases
    """

    tree: Tree
    parts: Floats
    counts: Floats
    values: Floats

    @classmethod
    def of(cls, tree: Tree, cases: Dataset) -> "Tally":
        """Count some cases."""
        values, labels, weights = cases.values, cases.labels, cases.weights
        parts, apart = class_counts(tree, values, labels, weights), divided(tree, values)
        if not apart.any():
            return cls(tree, parts, parts[tree.leaves], values[:0])
        whole = class_counts(tree, values[~apart], labels[~apart], weights[~apart])
        own = np.zeros((int(apart.sum()), tree.n_classes))
        own[np.arange(len(own)), labels[apart]] = weights[apart]
        return cls(tree, parts, np.concatenate([whole[tree.leaves], own]), values[apart])

    def merged(self, other: "Tally") -> "Tally":
        """The cases of both."""
        n_leaves = self.tree.n_leaves
        leaves = self.counts[:n_leaves] + other.counts[:n_leaves]
        own = self.counts[n_leaves:], other.counts[n_leaves:]
        counts = np.concatenate([leaves, *own])
        values = np.concatenate([self.values, other.values])
        return Tally(self.tree, self.parts + other.parts, counts, values)

    @property
    def whole(self) -> Floats:
        """The cases at all nodes but for the divided ones, float64[nodes, classes]."""
        counts = np.zeros_like(self.parts)
        counts[self.tree.leaves] = self.counts[: self.tree.n_leaves]
        return with_those_below(self.tree, counts)

    @property
    def apart(self) -> tuple[Floats, Floats]:
        """The divided cases, float64[divided, features], and their weights in their classes."""
        return self.values, self.counts[self.tree.n_leaves :]

    @property
    def nodes(self) -> NDArray[np.int64]:
        """The numbers of the leaves, -1 for divided cases."""
        return np.append(self.tree.leaves, np.full(len(self.values), -1))

    def lines(self, table: Floats) -> Floats:
        """Return what a table of all nodes says of each line, float64[lines, columns]."""
        own = table[self.tree.leaves]
        if not len(self.values):
            return own
        return np.concatenate([own, mix(self.tree, self.values, table)])
