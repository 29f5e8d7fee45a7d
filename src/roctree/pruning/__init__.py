"""How a tree is cut back: pruners by name; one line here adds one.

A pruner is a function from a tree to a part of it, see ``roctree.pruning.protocol``.
"""

from typing import Any

from roctree import strategy
from roctree.pruning.auc import AUCPruning
from roctree.pruning.card_per_class import CardPerClass
from roctree.pruning.cost_complexity import CostComplexity, cost_complexity_path
from roctree.pruning.cost_curve import (
    CostPruningCurve,
    cost_pruning_curve,
    curve_of_labels,
    mean_curve,
    paper_options,
)
from roctree.pruning.critical_value import CriticalValue
from roctree.pruning.error_based import ErrorBased
from roctree.pruning.expected_error import ExpectedError
from roctree.pruning.minimum_error import MinimumError
from roctree.pruning.path import Path
from roctree.pruning.pessimistic import Pessimistic
from roctree.pruning.protocol import Fold, Pruned, Pruner, majority, need
from roctree.pruning.reduced_error import ReducedError
from roctree.pruning.unpruned import Unpruned

PRUNING: dict[str, Pruner] = {
    "none": Unpruned(),
    "pessimistic": Pessimistic(),
    "error_based": ErrorBased(),
    "minimum_error": MinimumError(),
    "reduced_error": ReducedError(),
    "cost_complexity": CostComplexity(),
    "critical_value": CriticalValue(),
    "expected_error": ExpectedError(),
    "card_per_class": CardPerClass(),
    "auc": AUCPruning(),
}

__all__ = [
    "PRUNING",
    "AUCPruning",
    "CardPerClass",
    "CostComplexity",
    "CostPruningCurve",
    "CriticalValue",
    "ErrorBased",
    "ExpectedError",
    "Fold",
    "MinimumError",
    "Path",
    "Pessimistic",
    "Pruned",
    "Pruner",
    "ReducedError",
    "Unpruned",
    "cost_complexity_path",
    "cost_pruning_curve",
    "curve_of_labels",
    "majority",
    "mean_curve",
    "need",
    "paper_options",
    "resolve",
]


def resolve(pruning: str | Pruner, **options: Any) -> Pruner:
    """The pruner of that name, or the pruner itself, with some options set anew."""
    found = strategy.resolve("pruning", pruning, PRUNING, callable)
    return strategy.configured(found, options)
