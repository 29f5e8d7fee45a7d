"""Estimators set up as the programs of the literature grow their trees.

Every parameter can be overridden by name: ``c45(min_samples_leaf=5)``. Weka's ``-B`` is
``j48(nominal="one_vs_rest")``.
"""

from typing import Any

from roctree.criteria import GainRatio
from roctree.errors import ParameterError
from roctree.estimator import ROCTreeClassifier
from roctree.pruning import ErrorBased
from roctree.strategy import nearest

__all__ = ["best_ranking", "c45", "j48", "readable"]


def readable(**overrides: Any) -> ROCTreeClassifier:
    """Return an estimator of trees that fit a page: at most 32 leaves, and soft thresholds."""
    return _configured(_READABLE, overrides)


def best_ranking(**overrides: Any) -> ROCTreeClassifier:
    """Return an estimator of the trees that rank best, however large: soft thresholds."""
    return _configured(_BEST_RANKING, overrides)


def c45(**overrides: Any) -> ROCTreeClassifier:
    """Return an estimator that grows, prunes and labels trees as release 8 of Quinlan's C4.5 does.

    With ``pruning="none"`` it is the tree that C4.5 has before pruning, already collapsed.
    """
    return _configured(_C45, overrides)


def j48(**overrides: Any) -> ROCTreeClassifier:
    """Return an estimator that grows, prunes and labels trees as Weka's J48 does.

    It differs from C4.5 in taking numbers within 1e-6 for ties, and in the limit of errors.
    ``pruning="none"`` is Weka's ``-U``, ``pruning=ErrorBased(cf=0.1, limit="weka", raising=True)``
    its ``-C 0.1``, and without raising its ``-S``.
    """
    return _configured(_J48, overrides)


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
_J48 = _C45 | {
    "criterion": GainRatio(penalty=True, tolerance=1e-6),
    "pruning": ErrorBased(limit="weka", raising=True),
}


def _configured(settings: dict[str, Any], overrides: dict[str, Any]) -> ROCTreeClassifier:
    known = ROCTreeClassifier._get_param_names()
    for name in overrides:
        if name not in known:
            raise ParameterError(
                f"{name!r} is not a parameter{nearest(name, known)}; "
                f"the parameters are {', '.join(known)}."
            )
    return ROCTreeClassifier(**(settings | overrides))
