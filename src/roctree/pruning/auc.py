"""Pruning by the area under the ROC curve: the answer to what ICML02 and ECML03 leave open."""

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal

import numpy as np

from roctree.errors import DataError, ParameterError
from roctree.pruning.auc_path import AUCPath, auc_path
from roctree.pruning.protocol import Fold, Folds, Need
from roctree.roc.multiclass import hand_till, ranks_of
from roctree.strategy import check_choices, refuse
from roctree.tree.passes import Floats, Ints, kept_nodes
from roctree.tree.shape import cut
from roctree.tree.tree import Tree

# Sizes that are tried on held-out cases, of all that a path has.
_N_SIZES = 50
# Areas that differ by less are equal.
_TIE = 1e-12


@dataclass(frozen=True)
class AUCPruning:
    """The tree that ranks other cases best, of the nested ones that lose least area for a leaf.

    Training cases are ranked by the class frequencies of their leaves. With more than two classes
    the area is Hand and Till's.

    Parameters
    ----------
    max_leaves
        The most leaves to leave; "auto" chooses by cross-validation, or on validation data. Other
        cases are ranked by Laplace's frequencies, or else leaves of one case would never be best.
    choice
        With "auto": "best" takes the smallest tree of the largest area, "one_se" the smallest
        within one standard error of it.
    """

    max_leaves: int | Literal["auto"] = "auto"
    choice: Literal["best", "one_se"] = "best"

    def __post_init__(self) -> None:
        check_choices(self)
        if self.max_leaves != "auto" and not _is_size(self.max_leaves):
            refuse(self, "max_leaves", "give a whole number from 1 on, or 'auto'")

    @property
    def needs(self) -> Need:
        """Trees and cases that did not grow them, where the size is to be chosen."""
        return "folds" if self.max_leaves == "auto" else "counts"

    def __call__(self, tree: Tree, folds: Folds = ()) -> Tree:
        """Return the pruned tree."""
        if self.max_leaves == "auto":
            return self.settled(tree, folds)(tree)
        if tree.n_leaves <= self.max_leaves:
            return tree
        path = auc_pruning_path(tree, int(self.max_leaves))
        return cut(tree, path.final(path.first_within(self.max_leaves)))

    def settled(self, tree: Tree, folds: Folds) -> "AUCPruning":
        """Return this pruner with the size, of those of the tree's path, that ranks best."""
        if tree.n_leaves == 1:
            return replace(self, max_leaves=1)
        if not folds:
            raise ParameterError(
                "AUCPruning(max_leaves='auto') needs cases that did not grow the tree: give it to "
                "fit as pruning with more rows, give X_val and y_val, or give a number."
            )
        sizes = _sizes(tree)
        areas = np.array([held_out_areas(fold, sizes) for fold in folds])
        areas = areas[~np.isnan(areas[:, 0, 0])]
        if not len(areas):
            raise DataError("The cases to choose the size by are all of one class: give others.")
        means, variances = areas.mean(axis=0).T
        variance = variances[int(means.argmax())] / len(areas)
        allowed = np.sqrt(variance) if self.choice == "one_se" else 0.0
        good = np.flatnonzero(means >= means.max() - allowed - _TIE)
        return replace(self, max_leaves=int(sizes[good[-1]]))


def auc_pruning_path(tree: Tree, least: int = 1) -> AUCPath:
    """Return all trees that pruning by area makes of one, down to the first of so few leaves."""
    return auc_path(tree, ranks_of(_shares(tree, 0.0)), least)


def held_out_areas(fold: Fold, sizes: Ints) -> Floats:
    """Return area and variance, float64[sizes, 2], of a fold's tree pruned to each of some sizes.

    They are not numbers where the held-out cases are of one class.
    """
    tree, path, ranks = fold.tree, auc_pruning_path(fold.tree), ranks_of(_shares(fold.tree, 1.0))
    areas = np.empty((len(sizes), 2))
    for number, size in enumerate(sizes):
        final = path.final(path.first_within(int(size)))
        leaves = kept_nodes(tree, final) & final
        areas[number] = hand_till(ranks[leaves], fold.counts[leaves])
    return areas


def _is_size(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


def _sizes(tree: Tree) -> Ints:
    """Return some of the sizes that a tree may be pruned to, falling, by equal ratios."""
    path = auc_pruning_path(tree)
    wanted = np.rint(np.geomspace(tree.n_leaves, 1.0, _N_SIZES)).astype(np.int64)
    steps = np.unique([path.first_within(size) for size in wanted])
    return np.asarray(path.n_leaves[steps])


def _shares(tree: Tree, added: float) -> Floats:
    """Return the share of each class at each node with some cases of each added.

    An empty node has the shares of its parent.
    """
    totals = tree.weight + added * tree.n_classes
    shares = (tree.counts + added) / np.where(tree.weight > 0.0, totals, 1.0)[:, None]
    for node in np.flatnonzero(tree.weight[1:] == 0.0) + 1:
        shares[node] = shares[tree.parent[node]]
    return np.asarray(shares)
