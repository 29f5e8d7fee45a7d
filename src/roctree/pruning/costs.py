"""What an error costs, for pruning under costs (Bradley and Lovell's equations 3 to 5).

The costs of a class are those of predicting it wrongly: with two classes the positive one has the
cost of a false alarm, the negative one that of a miss. A matrix has a row for each class that is
predicted and a column for each true one.
"""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from roctree.errors import ParameterError
from roctree.pruning.protocol import Pruned, cut_with_labels, inherited, majority
from roctree.strategy import LARGEST_COST
from roctree.tree.passes import Floats, Ints, better_as_leaves, of_one_label
from roctree.tree.tree import Tree

# In the order of the classes, or by their labels, which an estimator puts in order.
Costs = tuple[float, ...] | tuple[tuple[float, ...], ...] | Mapping[Any, float]
Leaves = Literal["keep", "relabel", "any"]

# Exact ties are common, and rounding would decide them.
_TIE = 1e-12


def check_costs(costs: Any) -> None:
    """Refuse costs that are no numbers from zero on, or that no class has."""
    if costs is None:
        return
    try:
        table = np.asarray(_numbers(costs), dtype=np.float64)
    except (TypeError, ValueError):
        table = np.empty(0)
    square = table.ndim == 2 and table.shape[0] == table.shape[1]
    if not (table.ndim == 1 or square) or table.size == 0:
        raise ParameterError(
            "costs has neither one number for each class nor a square matrix of them; give "
            "costs[class], or costs[predicted][true]."
        )
    if not ((table >= 0.0) & (table <= LARGEST_COST)).all():
        raise ParameterError(f"costs must be finite numbers from 0 on, at most {LARGEST_COST:g}.")
    if not _of_errors(table).any():
        raise ParameterError("costs are 0 for every error: give one of them more.")


def _numbers(costs: Any) -> Any:
    return list(costs.values()) if isinstance(costs, Mapping) else costs


def _of_errors(table: Floats) -> Floats:
    """The costs without those of a matrix's diagonal, which are of no error."""
    return table if table.ndim == 1 else table[~np.eye(len(table), dtype=bool)]


def all_equal(costs: Costs) -> bool:
    """Whether every error costs the same."""
    table = _of_errors(np.asarray(_numbers(costs), dtype=np.float64))
    return bool((table == table[0]).all())


def cost_of_errors(costs: Costs, cases: Floats) -> Floats:
    """Return the mean cost of an error at each node under each label.

    Parameters
    ----------
    costs : of each class, or of each pair of a predicted and a true class
    cases : float64[nodes, classes], how the errors are distributed; those of the label are none
    """
    if isinstance(costs, Mapping):
        raise ParameterError(
            "A tree does not know the names of classes: give costs in their order."
        )
    table = np.asarray(costs, dtype=np.float64)
    if len(table) != cases.shape[1]:
        raise ParameterError(f"costs are given for {len(table)} classes of {cases.shape[1]}.")
    if table.ndim == 1:
        return np.broadcast_to(table, cases.shape)
    off_diagonal = np.where(np.eye(len(table), dtype=bool), 0.0, table)
    wrong = cases.sum(axis=1)[:, None] - cases
    # Where there is no error the true classes are equally likely.
    even = off_diagonal.sum(axis=1) / max(len(table) - 1, 1)
    return np.where(wrong > 0.0, (cases @ off_diagonal.T) / np.where(wrong > 0.0, wrong, 1.0), even)


def cheapest_labels(tree: Tree, cost: Floats) -> Ints:
    """Return the label that costs each node least, the first of equals; of the parent if empty."""
    nearly = cost.min(axis=1) * (1.0 + _TIE)
    return inherited(tree, (cost <= nearly[:, None]).argmax(axis=1))


def prune_by_cost(tree: Tree, cost: Floats, leaves: Leaves) -> Pruned:
    """Make leaves of nodes whose best label costs no more than their subtrees.

    Parameters
    ----------
    tree : the tree
    cost : float64[nodes, classes], what a node costs as a leaf of each label, times its weight
    leaves : "keep" if leaves have and keep the label of their majority, "relabel" if they take the
        cheapest too, and those of one label are merged; "any" if they have no label yet
    """
    cheapest = cheapest_labels(tree, cost)
    labels = cheapest if leaves == "relabel" else np.where(tree.is_leaf, majority(tree), cheapest)
    place = (cheapest if leaves == "any" else labels)[:, None]
    own = np.take_along_axis(cost, place, axis=1)[:, 0]
    final = better_as_leaves(tree, own, _TIE * own)
    if leaves == "relabel":
        final, labels = of_one_label(tree, final, labels)
    return cut_with_labels(tree, final, labels)
