"""Quinlan's reduced-error pruning: other cases decide."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from roctree.errors import DataError
from roctree.pruning.protocol import Need, majority
from roctree.strategy import check_number, refuse
from roctree.tree.passes import Floats, better_as_leaves
from roctree.tree.shape import cut
from roctree.tree.tree import Tree

# Ties are common, and cases divided for their missing values do not add up to the last digit.
_TIE = 1e-12


@dataclass(frozen=True)
class ReducedError:
    """A node becomes a leaf if that errs no more on held-out cases than its pruned subtree.

    Where none of these cases come, a leaf is as good, and smaller.

    Parameters
    ----------
    fraction
        What part of the data ``fit`` holds out, where no validation data are given.
    """

    fraction: float = 1.0 / 3.0
    needs: ClassVar[Need] = "held_out"

    def __post_init__(self) -> None:
        check_number(self, "fraction", above_zero=True)
        if self.fraction >= 1.0:
            refuse(self, "fraction", "give less than 1, so that something is left to grow from")

    def __call__(self, tree: Tree, counts: Floats) -> Tree:
        """Return the pruned tree; labels are those of the training cases."""
        wrong = held_out_errors(tree, counts)
        return cut(tree, better_as_leaves(tree, wrong, _TIE * counts[0].sum()))


def held_out_errors(tree: Tree, counts: Floats) -> Floats:
    """Return the weight of the cases of each node that are not of its training majority."""
    if counts.shape != tree.counts.shape:
        raise DataError(
            f"The counts have shape {counts.shape}: give a line for each of {tree.n_nodes} nodes "
            f"and a column for each of {tree.n_classes} classes."
        )
    right = np.take_along_axis(counts, majority(tree)[:, None], axis=1)[:, 0]
    return np.asarray(counts.sum(axis=1) - right)
