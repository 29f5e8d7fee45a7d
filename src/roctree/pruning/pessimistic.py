"""Quinlan's pessimistic pruning of 1987: half an error more for every leaf."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from roctree.pruning.costs import Costs, cheapest_labels, check_costs, cost_of_errors
from roctree.pruning.protocol import Pruned, cut_with_labels, errors, majority
from roctree.strategy import check_choices
from roctree.tree.passes import Flags, Floats, of_one_label, over_leaves
from roctree.tree.shape import cut
from roctree.tree.tree import Tree

_HALF = 0.5


@dataclass(frozen=True)
class Pessimistic:
    """A node becomes a leaf if that errs at most one standard error more than its subtree.

    Each leaf is charged half an error more than it makes; leaves without cases are not.

    Parameters
    ----------
    costs
        What a wrong prediction of each class costs, or a matrix of predicted and true classes.
        The standard error is then that of the number of errors times their mean cost.
    leaves
        With costs: "keep" the labels of leaves, or "relabel" them too.
    """

    costs: Costs | None = None
    leaves: Literal["keep", "relabel"] = "keep"

    def __post_init__(self) -> None:
        check_choices(self)
        check_costs(self.costs)

    def __call__(self, tree: Tree, *_: Any) -> Tree:
        """Return the pruned tree."""
        if self.costs is not None:
            return self.labelled(tree).tree
        charged = errors(tree) + _HALF * (tree.weight > 0.0)
        return cut(tree, self._final(tree, charged, charged))

    def labelled(self, tree: Tree) -> Pruned:
        """Return the tree pruned under costs, and the labels of its nodes."""
        wrong = tree.weight[:, None] - tree.counts + _HALF * (tree.weight > 0.0)[:, None]
        costs = (1.0,) * tree.n_classes if self.costs is None else self.costs
        cost = wrong * cost_of_errors(costs, tree.counts)
        labels = cheapest_labels(tree, cost)
        if self.leaves == "keep":
            labels = np.where(tree.is_leaf, majority(tree), labels)
        own = labels[:, None]
        final = self._final(
            tree,
            np.take_along_axis(wrong, own, axis=1)[:, 0],
            np.take_along_axis(cost, own, axis=1)[:, 0],
        )
        if self.leaves == "relabel":
            final, labels = of_one_label(tree, final, labels)
        return cut_with_labels(tree, final, labels)

    def _final(self, tree: Tree, wrong: Floats, cost: Floats) -> Flags:
        """Flag the nodes that cost no more as leaves; whether from above or below is the same.

        The numbers of a node do not change by pruning elsewhere.
        """
        below, lost = over_leaves(tree, wrong), over_leaves(tree, cost)
        deviation = standard_error(below, tree.weight)
        mean_cost = np.divide(lost, below, out=np.zeros_like(lost), where=below > 0.0)
        return np.asarray(~tree.is_leaf & (cost <= lost + mean_cost * deviation))


def standard_error(errors: Floats, cases: Floats) -> Floats:
    """Return the standard error of so many errors among cases, 0 where nearly all are errors.

    Errors are charged half an error for each leaf, so that they may be more than the cases.

    Examples
    --------
    >>> standard_error(np.array([12.0]), np.array([35.0])).round(6)
    array([2.808151])
    """
    right = np.maximum(cases - errors, 0.0)
    return np.sqrt(errors * right / np.where(cases > 0.0, cases, 1.0))
