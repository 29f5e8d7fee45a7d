"""How a split is judged: criteria by name, and the decorator for one's own.

A criterion is a function ``table[branch, class] -> score`` with a few facts about it, see
``roctree.criteria.protocol``. One class and one line here add a criterion: parameters, command
line, documentation and tests follow from the registry.
"""

from roctree import strategy
from roctree.criteria.custom import CustomCriterion, criterion
from roctree.criteria.distance import Hellinger
from roctree.criteria.impurity import DKM, MSEE, Entropy, Error, GainRatio, Gini
from roctree.criteria.protocol import Criterion
from roctree.criteria.ranking import AUC, FMeasure

CRITERIA: dict[str, Criterion] = {
    "gini": Gini(),
    "entropy": Entropy(),
    "gain_ratio": GainRatio(),
    "dkm": DKM(),
    "error": Error(),
    "auc": AUC(),
    "msee": MSEE(),
    "f_measure": FMeasure(),
    "hellinger": Hellinger(),
}

__all__ = [
    "AUC",
    "CRITERIA",
    "DKM",
    "MSEE",
    "Criterion",
    "CustomCriterion",
    "Entropy",
    "Error",
    "FMeasure",
    "GainRatio",
    "Gini",
    "Hellinger",
    "criterion",
    "resolve",
]


def resolve(criterion: str | Criterion) -> Criterion:
    """The criterion of that name, or the criterion itself."""
    return strategy.resolve(
        "criterion", criterion, CRITERIA, lambda value: isinstance(value, Criterion)
    )
