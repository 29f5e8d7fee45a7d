"""Presets: ``ROCTreeClassifier`` with the parameters of published programs, and two of our own.

Every parameter can be overridden by name: ``c45(min_samples_leaf=5)``. ``docs/presets.md``
describes how close the presets come, and what the papers leave open.
"""

from collections.abc import Callable
from typing import Any

from roctree.criteria import AUC, MSEE, FMeasure, GainRatio
from roctree.errors import ParameterError
from roctree.estimator import ROCTreeClassifier
from roctree.pruning import CostComplexity, ErrorBased
from roctree.text import did_you_mean

__all__ = [
    "PRESETS",
    "best_ranking",
    "c44",
    "c45",
    "cart",
    "f_measure_tree",
    "j48",
    "readable",
    "smiles_2002",
    "smiles_2003",
]


def c45(**overrides: Any) -> ROCTreeClassifier:
    """Quinlan's C4.5 (1993), release 8.

    Gain ratio, a branch for each category, collapsing, error-based pruning; no smoothing.

    With ``pruning="none"`` it is C4.5's tree before pruning, already collapsed.
    """
    return _configured(_C45, overrides)


def c44(**overrides: Any) -> ROCTreeClassifier:
    """C4.4, Provost and Domingos (2003).

    C4.5 for probabilities: Laplace smoothing; no pruning, no collapsing.
    """
    return _configured(_C44, overrides)


def j48(**overrides: Any) -> ROCTreeClassifier:
    """Weka's J48, used by Alvarez and Bernard (2005) to rank cases.

    C4.5, but gains within 1e-6 are ties, and the error limit of pruning is Weka's.

    ``pruning="none"`` is Weka's ``-U``, ``pruning=ErrorBased(cf=0.1, limit="weka", raising=True)``
    its ``-C 0.1``, and without raising its ``-S``; ``nominal="one_vs_rest"`` is its ``-B``.
    """
    return _configured(_J48, overrides)


def cart(**overrides: Any) -> ROCTreeClassifier:
    """CART, Breiman, Friedman, Olshen and Stone (1984).

    Gini index, two sets of categories, cost-complexity pruning by the one-standard-error rule; no
    smoothing.
    """
    return _configured(_CART, overrides)


def smiles_2002(**overrides: Any) -> ROCTreeClassifier:
    """SMILES, Ferri, Flach and Hernández-Orallo (ICML 2002).

    Splits by AUC, Laplace smoothing in splits and leaves, pessimistic pruning; no collapsing.
    """
    return _configured(_SMILES_2002, overrides)


def smiles_2003(**overrides: Any) -> ROCTreeClassifier:
    """SMILES, Ferri, Flach and Hernández-Orallo (ECML 2003).

    Splits by squared error, m-branch smoothing; no pruning, no collapsing.
    """
    return _configured(_SMILES_2003, overrides)


def f_measure_tree(**overrides: Any) -> ROCTreeClassifier:
    """The tree of Stadler and Corlett (2017).

    Splits by F-measure, at most ten levels, Laplace smoothing; no pruning.
    """
    return _configured(_F_MEASURE_TREE, overrides)


def readable(**overrides: Any) -> ROCTreeClassifier:
    """A tree that fits on a page.

    At most 32 leaves, chosen to raise the AUC of the whole tree most, and soft thresholds.
    """
    return _configured(_READABLE, overrides)


def best_ranking(**overrides: Any) -> ROCTreeClassifier:
    """The tree that ranks best, whatever its size.

    The default tree with soft thresholds.
    """
    return _configured(_BEST_RANKING, overrides)


PRESETS: dict[str, Callable[..., ROCTreeClassifier]] = {
    preset.__name__: preset
    for preset in (
        c45,
        c44,
        j48,
        cart,
        smiles_2002,
        smiles_2003,
        f_measure_tree,
        readable,
        best_ranking,
    )
}

_BEST_RANKING: dict[str, Any] = {"ranking": "soft"}
_READABLE = _BEST_RANKING | {"growth": "whole_tree_auc", "max_leaves": 32}
_C45: dict[str, Any] = {
    "criterion": GainRatio(penalty=True),
    "nominal": "multiway",
    "missing": "fractional",
    "min_samples_split": 4,
    "min_samples_leaf": 2,
    "c45_numeric_minimum": True,
    "threshold": "observed",
    "collapse": True,
    "pruning": ErrorBased(limit="c45", raising=True),
    "smoothing": "none",
    "labels": "majority",
}
_C44 = _C45 | {
    "collapse": False,
    "pruning": "none",
    "smoothing": "laplace",
    "labels": "probability",
}
_J48 = _C45 | {
    "criterion": GainRatio(penalty=True, tolerance=1e-6),
    "pruning": ErrorBased(limit="weka", raising=True),
}
_CART: dict[str, Any] = {
    "criterion": "gini",
    "nominal": "binary",
    "missing": "branch",
    "pruning": CostComplexity(alpha="auto", choice="one_se"),
    "smoothing": "none",
    "labels": "majority",
}
# Missing as a category of its own, and branches with a single case, match the published tables
# best.
_SMILES: dict[str, Any] = {
    "nominal": "multiway",
    "missing": "category",
    "min_samples_leaf": 1,
    "labels": "majority",
}
_SMILES_2002 = _SMILES | {
    "criterion": AUC(split_smoothing="laplace", children_correction="none"),
    "pruning": "pessimistic",
    "smoothing": "laplace",
}
_SMILES_2003 = _SMILES | {
    "criterion": MSEE(children_correction="log2"),
    "pruning": "none",
    "smoothing": "m_branch",
}
# Nodes of at most ten cases are leaves, as for the first of the paper's three data sets.
_F_MEASURE_TREE: dict[str, Any] = {
    "criterion": FMeasure(beta=1.0),
    "max_depth": 10,
    "min_samples_split": 11,
    "threshold": "observed",
    "pruning": "none",
    "smoothing": "laplace",
    "labels": "majority",
}


def _configured(settings: dict[str, Any], overrides: dict[str, Any]) -> ROCTreeClassifier:
    known = ROCTreeClassifier._get_param_names()
    for name in overrides:
        if name not in known:
            raise ParameterError(
                f"{name!r} is not a parameter{did_you_mean(name, known)}; "
                f"the parameters are {', '.join(known)}."
            )
    return ROCTreeClassifier(**(settings | overrides))
