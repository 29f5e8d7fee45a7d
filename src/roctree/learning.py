"""What an estimator learns from cases: a tree that is grown, pruned, and as wide as it ranks.

Nothing is set on the estimator here. That is for it to do when all has come out well, so that a fit
that fails leaves the one before as it was.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data import Dataset, Schema
from roctree.geometry import Spread, scale_of
from roctree.growing import grown_tree
from roctree.parameters import with_costs_in_order
from roctree.pruning import Pruned, Pruner
from roctree.pruning import resolve as resolve_pruner
from roctree.selection import Grow, best_smoother, grown_and_pruned
from roctree.smoothing import Smoother
from roctree.smoothing import resolve as resolve_smoother
from roctree.tree.apply import divided
from roctree.tree.growth import Growth
from roctree.tree.softness import hardened, of_width
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Learnt:
    """What an estimator learns, whether the cases are in memory or not.

    Parameters
    ----------
    n_rows : number of rows that have weight
    schema : what the columns and labels mean
    class_weight : float64[classes]
    spread : ranges and standard deviations of the attributes
    scale : float64[features], how much of an attribute counts as a distance of one
    pruner, smoother : the strategies, with what "auto" has come to
    pruned : the tree, and labels where it was pruned under costs
    divides_cases : whether missing values may have divided training cases among leaves
    """

    n_rows: int
    schema: Schema
    class_weight: Floats
    spread: Spread
    scale: Floats
    pruner: Pruner
    smoother: Smoother
    pruned: Pruned
    divides_cases: bool


def learn(estimator: Any, cases: Dataset, growth: Growth, grow: Grow) -> Learnt:
    """Return what an estimator with its parameters learns from cases in memory.

    Parameters
    ----------
    estimator : whose parameters count
    cases : the training cases
    growth : how trees grow
    grow : returns the tree of some of the cases, not pruned yet
    """
    schema = cases.schema
    pruner = with_costs_in_order(resolve_pruner(estimator.pruning), schema.classes)
    smoother = resolve_smoother(estimator.smoothing)
    spread = Spread.from_rows(cases.values, cases.weights)
    scale = scale_of(estimator.metric, spread, schema)
    pruner, pruned = grown_and_pruned(cases, grow, pruner)
    tree = as_ranked(estimator, pruned.tree, cases)
    return Learnt(
        n_rows=len(cases.labels),
        schema=schema,
        class_weight=growth.class_weight,
        spread=spread,
        scale=scale,
        pruner=pruner,
        smoother=settled_smoother(estimator, smoother, pruner, cases, grow),
        pruned=pruned._replace(tree=tree),
        divides_cases=_divides(estimator, tree, cases.values),
    )


def grower(estimator: Any, growth: Growth, n_threads: int) -> Grow:
    """Return what grows the tree of some cases as an estimator's parameters say."""
    return lambda cases: grown_tree(estimator, cases, growth, n_threads)


def settled_smoother(
    estimator: Any, smoother: Smoother, pruner: Pruner, cases: Dataset, grow: Grow
) -> Smoother:
    """Return the smoother with what "auto" comes to on these cases, of trees pruned like this."""

    def fit_tree(part: Dataset) -> Tree:
        return as_ranked(estimator, grown_and_pruned(part, grow, pruner)[1].tree, part)

    return best_smoother(smoother, cases, fit_tree)


def as_ranked(estimator: Any, tree: Tree, cases: Dataset | None, before: float = 1.0) -> Tree:
    """Return the tree with thresholds as wide as the estimator's ranking wants them.

    Parameters
    ----------
    estimator : whose ``ranking`` and ``width`` count
    tree : the tree
    cases : its training cases; None to change what was measured before
    before : how many times as wide as measured the thresholds are
    """
    return of_width(tree, estimator.width if estimator.ranking == "soft" else 0.0, before, cases)


def _divides(estimator: Any, tree: Tree, values: Floats) -> bool:
    """Whether training cases are divided among leaves, so that counts are of parts."""
    if estimator.missing == "branch" or not np.isnan(values).any():
        return False
    return bool(divided(hardened(tree), values).any())
