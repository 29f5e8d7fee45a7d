"""C4.5's error-based pruning: the errors that a leaf may be expected to make on other cases."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from roctree.data.dataset import Dataset
from roctree.errors import ParameterError
from roctree.pruning.costs import Costs, all_equal, check_costs, cost_of_errors, prune_by_cost
from roctree.pruning.error_limit import Limit, expected_errors
from roctree.pruning.protocol import Need, Pruned, cut_with_labels, errors, majority
from roctree.pruning.raising import raise_subtrees
from roctree.strategy import check_choices, check_number, refuse
from roctree.tree.passes import Floats, better_as_leaves
from roctree.tree.shape import collapse, cut
from roctree.tree.tree import Tree

# Weka takes numbers that differ by less for equal.
_WEKA_TIE = 1e-6


@dataclass(frozen=True)
class ErrorBased:
    """A node becomes a leaf if that is expected to err no more than its subtree.

    Expected are as many errors as the leaf's own are no surprise for, at a level of confidence.

    Parameters
    ----------
    cf
        The confidence level, C4.5's -c as a fraction; the smaller, the smaller the tree.
    limit
        "exact" for the binomial limit, "c45" and "weka" for the approximations of these programs.
    raising
        Whether the heaviest branch may take the place of a node; this needs the training data.
    slack
        So many errors more are granted to a leaf, or to a raised branch.
    collapse
        Whether subtrees that make no fewer training errors than a leaf become one before.
    costs
        What a wrong prediction of each class costs, or a matrix of predicted and true classes;
        there is no slack then, and nothing is raised.
    leaves
        With costs: "keep" the labels of leaves, or "relabel" them too.
    """

    cf: float = 0.25
    limit: Limit = "exact"
    raising: bool = False
    slack: float = 0.1
    collapse: bool = False
    costs: Costs | None = None
    leaves: Literal["keep", "relabel"] = "keep"

    def __post_init__(self) -> None:
        check_choices(self)
        check_number(self, "cf", above_zero=True)
        check_number(self, "slack")
        check_costs(self.costs)
        if self.cf >= 1.0:
            refuse(self, "cf", "give a fraction below 1; C4.5's -c 25 is 0.25")
        if self.raising and self.costs is not None:
            refuse(self, "raising", "subtrees are not raised under costs")

    @property
    def needs(self) -> Need:
        """The training cases, where subtrees are raised."""
        return "training" if self.raising else "counts"

    def __call__(self, tree: Tree, training: Dataset | None = None) -> Tree:
        """Return the pruned tree."""
        if self.costs is not None:
            return self.labelled(tree).tree
        tree = collapse(tree) if self.collapse else tree
        slack = self.slack + (_WEKA_TIE if self.limit == "weka" else 0.0)
        if not self.raising:
            return cut(tree, better_as_leaves(tree, self.expected(tree), slack))
        if training is None:
            raise ParameterError(
                "ErrorBased(raising=True) sends training cases down other branches: give it to "
                "fit as pruning, or give X and y."
            )
        return raise_subtrees(tree, training, self._limit, slack)

    def labelled(self, tree: Tree) -> Pruned:
        """Return the tree pruned under costs, and the labels of its nodes."""
        tree = collapse(tree) if self.collapse else tree
        costs = (1.0,) * tree.n_classes if self.costs is None else self.costs
        if self.leaves == "keep" and all_equal(costs):
            # The programs' limits may be lower for a class of fewer cases; equal costs are none.
            return cut_with_labels(
                tree, better_as_leaves(tree, self.expected(tree)), majority(tree)
            )
        wrong = tree.weight[:, None] - tree.counts
        weight = np.broadcast_to(tree.weight[:, None], wrong.shape)
        cost = self._limit(wrong, weight) * cost_of_errors(costs, tree.counts)
        return prune_by_cost(tree, cost, self.leaves)

    def expected(self, tree: Tree) -> Floats:
        """Return the expected errors of each node as a leaf."""
        return self._limit(errors(tree), tree.weight)

    def _limit(self, wrong: Floats, cases: Floats) -> Floats:
        return expected_errors(wrong, cases, self.cf, self.limit)
