"""Cost-complexity pruning of Breiman, Friedman, Olshen and Stone: a price for every leaf."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from roctree.errors import ParameterError
from roctree.pruning.path import Path, at, weakest_links
from roctree.pruning.protocol import Folds, Need, errors
from roctree.pruning.reduced_error import held_out_errors
from roctree.strategy import check_choices, check_number, refuse
from roctree.tree.passes import Floats
from roctree.tree.tree import Tree

# Cases divided for their missing values do not add up to the last digit.
_TIE = 1e-12


@dataclass(frozen=True)
class CostComplexity:
    """The smallest tree that is best where each leaf costs ``alpha`` errors per training case.

    Parameters
    ----------
    alpha
        The price of a leaf; "auto" chooses it by cross-validation, or on validation data.
    choice
        With "auto": "one_se" takes the smallest tree within one standard error of the least
        error, "best" the smallest of least error.
    """

    alpha: float | Literal["auto"] = "auto"
    choice: Literal["one_se", "best"] = "one_se"

    def __post_init__(self) -> None:
        check_choices(self)
        if isinstance(self.alpha, str):
            if self.alpha != "auto":
                refuse(self, "alpha", "give a number, or 'auto'")
        else:
            check_number(self, "alpha")

    @property
    def needs(self) -> Need:
        """Trees and cases that did not grow them, where the price is to be chosen."""
        return "folds" if self.alpha == "auto" else "counts"

    def __call__(self, tree: Tree, folds: Folds = ()) -> Tree:
        """Return the pruned tree."""
        if self.alpha == "auto":
            return self.settled(tree, folds)(tree)
        return at(tree, cost_complexity_path(tree), float(self.alpha))

    def settled(self, tree: Tree, folds: Folds) -> "CostComplexity":
        """Return this pruner with the price, of those of the tree's path, that errs least."""
        if not folds:
            raise ParameterError(
                "CostComplexity(alpha='auto') needs data to choose by: give it to fit as pruning, "
                "give X_val and y_val, or give a number."
            )
        prices = cost_complexity_path(tree).between()
        wrong = sum(held_out_path(fold.tree, fold.counts, prices) for fold in folds)
        total = sum(float(fold.counts[0].sum()) for fold in folds)
        rate = np.asarray(wrong) / total
        least = float(rate.min())
        allowed = np.sqrt(least * (1.0 - least) / total) if self.choice == "one_se" else 0.0
        good = np.flatnonzero(rate <= least + allowed + _TIE)
        return replace(self, alpha=float(prices[good[-1]]))


def cost_complexity_path(tree: Tree) -> Path:
    """Return all trees that cost-complexity pruning makes of one; losses are error rates."""
    return weakest_links(tree, errors(tree) / (tree.weight[0] or 1.0))


def held_out_path(tree: Tree, counts: Floats, alphas: Floats) -> Floats:
    """Return the errors on held-out cases of a tree pruned at each of some rising prices."""
    path = cost_complexity_path(tree)
    wrong = held_out_errors(tree, counts)
    # A node is a leaf from its own price, a leaf of the whole tree from the first, to that above.
    begins = np.where(tree.is_leaf, -np.inf, path.price)
    ends = np.append(np.inf, path.ceiling[tree.parent[1:]])
    counted = begins < ends
    first = np.searchsorted(alphas, begins[counted], side="left")
    last = np.searchsorted(alphas, ends[counted], side="left")
    steps = np.zeros(len(alphas) + 1)
    np.add.at(steps, first, wrong[counted])
    np.subtract.at(steps, last, wrong[counted])
    return np.asarray(np.cumsum(steps)[:-1])
