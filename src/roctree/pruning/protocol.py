"""The interface of pruners, and what they share: labels, errors, cutting.

Most pruners decide by the class counts of the tree alone. Others declare the evidence that they
need in their attribute ``needs``:

============  ===========================================================  =======================
``needs``     evidence                                                     call
============  ===========================================================  =======================
"counts"      none besides the tree                                        pruner(tree)
"training"    the training cases, because subtrees are raised              pruner(tree, dataset)
"held_out"    class counts at the nodes, of cases that did not grow the    pruner(tree, counts)
              tree
"folds"       pairs of a tree and such counts, to select how much to       pruner(tree, folds)
              prune
============  ===========================================================  =======================

A function from a tree to a tree is a pruner. What a pruner can do beyond that is a protocol of its
own: ``HoldsOut``, ``SelectsByFolds``, ``PrunesUnderCosts``.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np

from roctree.arrays import Bools, Floats, Floats2D, Ints
from roctree.errors import DataError
from roctree.tree.shape import cut, kept_nodes
from roctree.tree.tree import Tree

# Rates and errors that differ by less, relative to their size, are equal. Exact ties are common and
# must not be decided by rounding.
TIE = 1e-12

Need = Literal["counts", "training", "held_out", "folds"]
# By class, by predicted and true class, or by label, which estimators translate to class order.
Costs = tuple[float, ...] | tuple[tuple[float, ...], ...] | Mapping[Any, float]


@runtime_checkable
class Pruner(Protocol):
    """A function from a tree, and the evidence it needs, to a part of the tree."""

    def __call__(self, tree: Tree, *evidence: Any) -> Tree:
        """Return the pruned tree; the remaining nodes keep their counts."""


@runtime_checkable
class HoldsOut(Pruner, Protocol):
    """A pruner that needs "held_out", and chooses how much of the training data to hold out."""

    @property
    def fraction(self) -> float:
        """Fraction of the training data that ``fit`` holds out."""


@runtime_checkable
class SelectsByFolds(Pruner, Protocol):
    """A pruner whose option may be "auto", selected by folds."""

    def settled(self, tree: Tree, folds: "Folds") -> Pruner:
        """Return the pruner with "auto" resolved."""


@runtime_checkable
class PrunesUnderCosts(Pruner, Protocol):
    """A pruner that may weigh errors by their costs, and then labels the nodes."""

    @property
    def costs(self) -> "Costs | None":
        """Costs of errors; None if all errors cost the same."""

    def labelled(self, tree: Tree) -> "Pruned":
        """Return the pruned tree and the class of each node under costs."""


class Fold(NamedTuple):
    """A tree, and class counts at its nodes of cases that did not grow it."""

    tree: Tree
    counts: Floats2D


class Pruned(NamedTuple):
    """A pruned tree, and the class of each node as a leaf if costs decide it."""

    tree: Tree
    labels: Ints | None = None


Folds = Sequence[Fold]


def need(pruner: Pruner) -> Need:
    """Return what a pruner needs besides the tree."""
    found: Need = getattr(pruner, "needs", "counts")
    return found


def training_errors(tree: Tree) -> Floats:
    """Return the weight of the training cases at each node outside its majority class."""
    return np.asarray(tree.weight - tree.counts.max(axis=1))


def held_out_errors(tree: Tree, counts: Floats2D) -> Floats:
    """Return the weight of held-out cases at each node outside its training majority class.

    Parameters
    ----------
    tree : Tree
        The tree.
    counts : float64[nodes, classes]
        Class counts of the held-out cases at its nodes.
    """
    if counts.shape != tree.counts.shape:
        raise DataError(
            f"The counts have shape {counts.shape}: give one row for each of {tree.n_nodes} nodes "
            f"and one column for each of {tree.n_classes} classes."
        )
    right = np.take_along_axis(counts, majority(tree)[:, None], axis=1)[:, 0]
    return np.asarray(counts.sum(axis=1) - right)


def majority(tree: Tree) -> Ints:
    """Return the majority class of each node, the first if tied; an empty node has its parent's."""
    return inherit_labels(tree, tree.counts.argmax(axis=1))


def inherit_labels(tree: Tree, labels: Ints) -> Ints:
    """Return the labels, with that of the parent at nodes without cases."""
    labels = np.array(labels)
    for node in np.flatnonzero(tree.weight[1:] == 0.0) + 1:
        labels[node] = labels[tree.parent[node]]
    return labels


def cut_with_labels(tree: Tree, final: Bools, labels: Ints) -> Pruned:
    """Make leaves of the flagged nodes; return the tree and the labels of the remaining nodes."""
    return Pruned(cut(tree, final), labels[kept_nodes(tree, final)])
