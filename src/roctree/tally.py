"""Labelled cases counted in the leaves of a tree; those divided among leaves stand apart.

Missing values and soft thresholds divide cases. A divided case is scored and labelled by the mean
of its leaves, as one. Counted in parts, leaf by leaf, it would seem to get several labels, and
rates would not be those of the predictions.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roctree.data import Dataset
from roctree.errors import DataError, ParameterError
from roctree.tree.prediction import divided_rows, mix, node_class_counts
from roctree.tree.shape import subtree_counts
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
        parts, apart = node_class_counts(tree, values, labels, weights), divided_rows(tree, values)
        if not apart.any():
            # Not a view, which would keep the values of all cases.
            return cls(tree, parts, parts[tree.leaves], values[:0].copy())
        whole = node_class_counts(tree, values[~apart], labels[~apart], weights[~apart])
        own = np.zeros((int(apart.sum()), tree.n_classes))
        own[np.arange(len(own)), labels[apart]] = weights[apart]
        return cls(tree, parts, np.concatenate([whole[tree.leaves], own]), values[apart])

    def of_tree(self, tree: Tree) -> "Tally":
        """Return this tally; raise ``ParameterError`` if its cases were counted in another tree."""
        if self.tree != tree:
            raise ParameterError("The cases were counted in another tree: count them in this one.")
        return self

    @classmethod
    def joined(cls, tallies: Iterable["Tally"]) -> "Tally":
        """Return the cases of all, of one tree; they may come one after the other."""
        rest = iter(tallies)
        first = next(rest, None)
        if first is None:
            raise DataError("X is empty: at least one row with a weight above 0 is required.")
        n_leaves = first.tree.n_leaves
        parts, leaves = first.parts.copy(), first.counts[:n_leaves].copy()
        own, values = [first.counts[n_leaves:]], [first.values]
        for other in rest:
            parts += other.parts
            leaves += other.counts[:n_leaves]
            own.append(other.counts[n_leaves:])
            values.append(other.values)
        return cls(first.tree, parts, np.concatenate([leaves, *own]), np.concatenate(values))

    @property
    def whole(self) -> Floats:
        """The cases at all nodes but for the divided ones, float64[nodes, classes]."""
        counts = np.zeros_like(self.parts)
        counts[self.tree.leaves] = self.counts[: self.tree.n_leaves]
        return subtree_counts(self.tree, counts)

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
