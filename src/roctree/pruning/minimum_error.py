"""Minimum-error pruning of Niblett and Bratko, and of Cestnik and Bratko: expected errors."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from roctree.pruning.costs import Costs, all_equal, check_costs, cost_of_errors, prune_by_cost
from roctree.pruning.protocol import Pruned
from roctree.strategy import check_choices, check_number, refuse
from roctree.tree.passes import Floats
from roctree.tree.tree import Tree


@dataclass(frozen=True)
class MinimumError:
    """A node becomes a leaf if its expected error is no larger than that of its subtree.

    The error is expected with m cases more, distributed as the classes of the training data:
    (N - n + (1 - prior) m) / (N + m) for the class that makes it least.

    Parameters
    ----------
    m
        How many cases more; the larger, the less the cases themselves count. "classes" stands for
        the number of classes.
    prior
        "training" for class frequencies at the root, or "uniform". Niblett and Bratko's error of
        1986 is that of ``MinimumError(m="classes", prior="uniform")``.
    costs
        What a wrong prediction of each class costs, or a matrix of predicted and true classes.
    leaves
        With costs: "keep" the labels of leaves, or "relabel" them too.
    """

    m: float | Literal["classes"] = 8.0
    prior: Literal["training", "uniform"] = "training"
    costs: Costs | None = None
    leaves: Literal["keep", "relabel"] = "keep"

    def __post_init__(self) -> None:
        check_choices(self)
        check_costs(self.costs)
        if isinstance(self.m, str):
            if self.m != "classes":
                refuse(self, "m", "give a number, or 'classes'")
        else:
            check_number(self, "m")

    def __call__(self, tree: Tree, *_: Any) -> Tree:
        """Return the pruned tree."""
        return self.labelled(tree).tree

    def labelled(self, tree: Tree) -> Pruned:
        """Return the pruned tree, and the labels of its nodes."""
        cost = self.expected(tree) * tree.weight[:, None]
        if self.costs is None or (self.leaves == "keep" and all_equal(self.costs)):
            # Equal costs are none: a leaf is then of the class whose expected error is least, which
            # need not be that of its majority.
            return prune_by_cost(tree, cost, "any")
        return prune_by_cost(tree, cost, self.leaves)

    def expected(self, tree: Tree) -> Floats:
        """Return the expected error, or cost, of each node as a leaf of each label."""
        m = float(tree.n_classes if self.m == "classes" else self.m)
        prior = np.full(tree.n_classes, 1.0 / tree.n_classes)
        if self.prior == "training" and tree.weight[0] > 0.0:
            prior = tree.counts[0] / tree.weight[0]
        cases = tree.counts + m * prior
        total = tree.weight + m
        wrong = total[:, None] - cases
        error = wrong / np.where(total > 0.0, total, 1.0)[:, None]
        return error if self.costs is None else error * cost_of_errors(self.costs, cases)
