"""What a pruner is: a function from a tree to a smaller one, and what else it may look at.

Most pruners decide from the counts of the tree alone. Some need more, and say so in ``needs``:

- "counts": nothing; called as ``pruner(tree)``
- "training": the training cases, because they raise subtrees; ``pruner(tree, dataset)``
- "held_out": class counts at the tree's nodes of cases that did not grow it;
  ``pruner(tree, counts)``
- "folds": pairs of a tree and such counts, to choose how much to prune; ``pruner(tree, folds)``
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np

from roctree.tree.passes import Flags, Floats, Ints, kept_nodes
from roctree.tree.shape import cut
from roctree.tree.tree import Tree

Need = Literal["counts", "training", "held_out", "folds"]


@runtime_checkable
class Pruner(Protocol):
    """A function from a tree, and what else it needs, to a tree that is part of it."""

    def __call__(self, tree: Tree, *evidence: Any) -> Tree:
        """The pruned tree; counts of the nodes that stay are what they were."""


class Fold(NamedTuple):
    """A tree, and the class counts at its nodes of cases that did not grow it."""

    tree: Tree
    counts: Floats


class Pruned(NamedTuple):
    """A tree, and the class that costs give each node as a leaf, if there are costs."""

    tree: Tree
    labels: Ints | None = None


Folds = Sequence[Fold]


def need(pruner: Pruner) -> Need:
    """What a pruner looks at beside the tree."""
    found: Need = getattr(pruner, "needs", "counts")
    return found


def majority(tree: Tree) -> Ints:
    """The class of most weight at each node, the first of equals; of the parent where empty."""
    return inherited(tree, tree.counts.argmax(axis=1))


def inherited(tree: Tree, labels: Ints) -> Ints:
    """The labels, but where no case has come that of the parent."""
    labels = np.array(labels)
    for node in np.flatnonzero(tree.weight[1:] == 0.0) + 1:
        labels[node] = labels[tree.parent[node]]
    return labels


def errors(tree: Tree) -> Floats:
    """The weight of the training cases at each node that are not of its majority."""
    return np.asarray(tree.weight - tree.counts.max(axis=1))


def cut_with_labels(tree: Tree, final: Flags, labels: Ints) -> Pruned:
    """Make leaves of flagged nodes, and take along the labels of those that stay."""
    return Pruned(cut(tree, final), labels[kept_nodes(tree, final)])
