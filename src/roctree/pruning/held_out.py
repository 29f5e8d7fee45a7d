"""Reduced-error pruning: errors on held-out cases decide."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from roctree._jit import Floats, Floats2D
from roctree.errors import DataError
from roctree.pruning.protocol import Need, majority
from roctree.strategy import check_number, reject_option
from roctree.tree.shape import better_as_leaves, cut
from roctree.tree.tree import Tree


@dataclass(frozen=True)
class ReducedError:
    """Reduced-error pruning (Quinlan 1987): prune if held-out errors do not increase.

    A node becomes a leaf if it makes no more errors on held-out cases than its pruned subtree. A
    node that no held-out case reaches becomes a leaf.

    Parameters
    ----------
    fraction : float, default 1/3
        Fraction of the training data that ``fit`` holds out if no validation data are given.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["no", "no", "yes", "no", "yes", "yes"]
    >>> tree = ROCTreeClassifier().fit(X, y)
    >>> X_val, y_val = [[2], [3], [4], [5]], ["no", "no", "yes", "yes"]
    >>> tree.pruned("reduced_error", X_val=X_val, y_val=y_val).get_n_leaves()
    2
    """

    fraction: float = 1.0 / 3.0
    needs: ClassVar[Need] = "held_out"

    def __post_init__(self) -> None:
        check_number(self, "fraction", above_zero=True)
        if self.fraction >= 1.0:
            reject_option(self, "fraction", "give less than 1, so that some cases remain to grow")

    def __call__(self, tree: Tree, counts: Floats2D) -> Tree:
        """Return the pruned tree; labels are the training majority classes."""
        wrong = held_out_errors(tree, counts)
        # Ties are common, and sums of fractional cases are inexact in the last digit.
        return cut(tree, better_as_leaves(tree, wrong, 1e-12 * counts[0].sum()))


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
