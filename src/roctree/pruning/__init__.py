"""Pruning: smaller trees from a tree, by replacing subtrees with leaves.

A fully grown tree follows the noise of its training cases. A pruner is a function from a tree to a
part of it; most need only the class counts that the tree holds. The families:

======================  ========================================================================
``by_counts``           decisions node by node, by counts or gains, of the tree or held out
``cost_complexity``     nested trees by error per leaf, size selected on held-out cases
``auc``                 nested trees by area under the ROC curve, size selected likewise
``raising``             subtree raising of C4.5, for ``ErrorBased(raising=True)``
``cost_curve``          a tree pruned under a range of cost ratios, as points in ROC space
``protocol``            the interface, and what pruners may need besides the tree
======================  ========================================================================

To add a pruner, write a frozen dataclass in the module of its family and add it to ``PRUNING``. The
parameter check, the command line, the documentation table, the laws in ``tests/pruning`` and the
benchmarks use the registry.
"""

from typing import Any

from roctree.pruning.auc import AUCPruning
from roctree.pruning.by_counts import (
    CardPerClass,
    CriticalValue,
    ErrorBased,
    ExpectedError,
    MinimumError,
    Pessimistic,
    ReducedError,
    Unpruned,
)
from roctree.pruning.cost_complexity import (
    CostComplexity,
    PruningPath,
    cost_complexity_path,
    weakest_links,
)
from roctree.pruning.cost_curve import (
    CostPruningCurve,
    cost_pruning_curve,
    curve_of_labels,
    mean_curve,
    paper_options,
)
from roctree.pruning.protocol import (
    Fold,
    HoldsOut,
    Pruned,
    Pruner,
    PrunesUnderCosts,
    SelectsByFolds,
    majority,
    need,
)
from roctree.strategy import configure, lookup

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
    "HoldsOut",
    "MinimumError",
    "Pessimistic",
    "Pruned",
    "Pruner",
    "PrunesUnderCosts",
    "PruningPath",
    "ReducedError",
    "SelectsByFolds",
    "Unpruned",
    "cost_complexity_path",
    "cost_pruning_curve",
    "curve_of_labels",
    "majority",
    "mean_curve",
    "need",
    "paper_options",
    "resolve_pruner",
    "weakest_links",
]

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


def resolve_pruner(pruning: str | Pruner, **options: Any) -> Pruner:
    """Return the pruner of that name, or the pruner itself, with some options replaced."""
    return configure(lookup("pruning", pruning, PRUNING), options)
