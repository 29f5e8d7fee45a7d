"""How a split is judged: criteria by name, and the decorator for one's own.

A criterion is a function ``table[branch, class] -> score`` with a few facts about it, see
``roctree.criteria.protocol``. One class and one line here add a criterion: parameters, command
line, documentation and tests follow from the registry.
"""

from difflib import get_close_matches

from roctree.criteria.custom import CustomCriterion, criterion
from roctree.criteria.distance import Hellinger
from roctree.criteria.impurity import DKM, MSEE, Entropy, Error, GainRatio, Gini
from roctree.criteria.protocol import Criterion
from roctree.criteria.ranking import AUC, FMeasure
from roctree.errors import ParameterError

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
    if isinstance(criterion, str):
        if criterion not in CRITERIA:
            raise ParameterError(_unknown(criterion))
        return CRITERIA[criterion]
    if isinstance(criterion, type) or not isinstance(criterion, Criterion):
        raise ParameterError(
            f"criterion={criterion!r} is neither a name nor a criterion; "
            "decorate a function with @roctree.criterion, write a class with its parentheses"
        )
    return criterion


def _unknown(name: str) -> str:
    nearest = get_close_matches(name, CRITERIA, n=1)
    hint = f" (did you mean {nearest[0]!r}?)" if nearest else ""
    return f"criterion={name!r} is not known{hint}; choose from {', '.join(CRITERIA)}"
