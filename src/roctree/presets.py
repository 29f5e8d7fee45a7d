"""Presets: ``ROCTreeClassifier`` with the parameters of published programs, and three of our own.

Every parameter can be overridden by name: ``c45(min_samples_leaf=5)``.
``docs/reference/presets.md`` describes how close the presets come, and what the papers leave open.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from roctree.criteria import AUC, MSEE, FMeasure, GainRatio
from roctree.errors import ParameterError
from roctree.points import Points
from roctree.pruning import CostComplexity, ErrorBased
from roctree.smoothing import MBranch, UniformWhereEmpty
from roctree.text import did_you_mean

if TYPE_CHECKING:
    from roctree.estimator import ROCTreeClassifier

__all__ = [
    "PRESETS",
    "best_ranking",
    "c44",
    "c45",
    "cart",
    "f_measure_tree",
    "j48",
    "readable",
    "scorecard",
    "smiles_2002",
    "smiles_2003",
]


def c45(**overrides: Any) -> "ROCTreeClassifier":
    """Quinlan's C4.5 (1993), release 8.

    Gain ratio, a branch for each category, collapsing, error-based pruning; no smoothing.

    With ``pruning="none"`` it is C4.5's tree before pruning, already collapsed.

    Parameters
    ----------
    **overrides
        Parameters of ``ROCTreeClassifier`` to override.

    Returns
    -------
    ROCTreeClassifier
        The estimator, not fitted.

    Examples
    --------
    >>> c45(max_depth=3).max_depth
    3
    """
    return configured(_C45, overrides)


def c44(**overrides: Any) -> "ROCTreeClassifier":
    """C4.4, Provost and Domingos (2003).

    C4.5 for probabilities: Laplace smoothing; no pruning, no collapsing.

    Parameters
    ----------
    **overrides
        Parameters of ``ROCTreeClassifier`` to override.

    Returns
    -------
    ROCTreeClassifier
        The estimator, not fitted.

    Examples
    --------
    >>> c44(max_depth=3).max_depth
    3
    """
    return configured(_C44, overrides)


def j48(**overrides: Any) -> "ROCTreeClassifier":
    """Weka's J48, used by Alvarez and Bernard (2005) to rank cases.

    C4.5, but gains within 1e-6 are ties, and the error limit of pruning is Weka's.

    ``pruning="none"`` is Weka's ``-U``, ``pruning=ErrorBased(cf=0.1, limit="weka", raising=True)``
    its ``-C 0.1``, and without raising its ``-S``; ``nominal="one_vs_rest"`` is its ``-B``.

    Parameters
    ----------
    **overrides
        Parameters of ``ROCTreeClassifier`` to override.

    Returns
    -------
    ROCTreeClassifier
        The estimator, not fitted.

    Examples
    --------
    >>> j48(max_depth=3).max_depth
    3
    """
    return configured(_J48, overrides)


def cart(**overrides: Any) -> "ROCTreeClassifier":
    """CART, Breiman, Friedman, Olshen and Stone (1984).

    Gini index, two sets of categories, cost-complexity pruning by the one-standard-error rule; no
    smoothing.

    Parameters
    ----------
    **overrides
        Parameters of ``ROCTreeClassifier`` to override.

    Returns
    -------
    ROCTreeClassifier
        The estimator, not fitted.

    Examples
    --------
    >>> cart(max_depth=3).max_depth
    3
    """
    return configured(_CART, overrides)


def smiles_2002(**overrides: Any) -> "ROCTreeClassifier":
    """SMILES, Ferri, Flach and Hernández-Orallo (ICML 2002).

    Splits by AUC, Laplace smoothing in splits and leaves, pessimistic pruning; no collapsing.

    Parameters
    ----------
    **overrides
        Parameters of ``ROCTreeClassifier`` to override.

    Returns
    -------
    ROCTreeClassifier
        The estimator, not fitted.

    Examples
    --------
    >>> smiles_2002(max_depth=3).max_depth
    3
    """
    return configured(_SMILES_2002, overrides)


def smiles_2003(**overrides: Any) -> "ROCTreeClassifier":
    """SMILES, Ferri, Flach and Hernández-Orallo (ECML 2003).

    Splits by squared error, m-branch smoothing, equal probabilities in leaves without cases; no
    pruning, no collapsing.

    Parameters
    ----------
    **overrides
        Parameters of ``ROCTreeClassifier`` to override.

    Returns
    -------
    ROCTreeClassifier
        The estimator, not fitted.

    Examples
    --------
    >>> smiles_2003(max_depth=3).max_depth
    3
    """
    return configured(_SMILES_2003, overrides)


def f_measure_tree(**overrides: Any) -> "ROCTreeClassifier":
    """The tree of Stadler and Corlett (2017).

    Splits by F-measure at values of the node's own cases, at most ten levels, Laplace smoothing; no
    pruning.

    Parameters
    ----------
    **overrides
        Parameters of ``ROCTreeClassifier`` to override.

    Returns
    -------
    ROCTreeClassifier
        The estimator, not fitted.

    Examples
    --------
    >>> f_measure_tree(max_depth=3).max_depth
    3
    """
    return configured(_F_MEASURE_TREE, overrides)


def readable(**overrides: Any) -> "ROCTreeClassifier":
    """A tree that fits on a page.

    At most 32 leaves, grown where the AUC of the whole tree rises most, and soft thresholds.

    Parameters
    ----------
    **overrides
        Parameters of ``ROCTreeClassifier`` to override.

    Returns
    -------
    ROCTreeClassifier
        The estimator, not fitted.

    Examples
    --------
    >>> readable(max_depth=3).max_depth
    3
    """
    return configured(_READABLE, overrides)


def scorecard(**overrides: Any) -> "ROCTreeClassifier":
    """A small tree and a table of points.

    At most 16 leaves, split by entropy, then points for at most 6 attributes that correct the leaf.

    Parameters
    ----------
    **overrides
        Parameters of ``ROCTreeClassifier`` to override.

    Returns
    -------
    ROCTreeClassifier
        The estimator, not fitted.

    Examples
    --------
    >>> scorecard(max_depth=3).max_depth
    3
    """
    return configured(_SCORECARD, overrides)


def best_ranking(**overrides: Any) -> "ROCTreeClassifier":
    """The readable model that ranks best.

    ``readable`` with curves of points for all attributes and a free weight of the tree.

    Parameters
    ----------
    **overrides
        Parameters of ``ROCTreeClassifier`` to override.

    Returns
    -------
    ROCTreeClassifier
        The estimator, not fitted.

    Examples
    --------
    >>> best_ranking(max_depth=3).max_depth
    3
    """
    return configured(_BEST_RANKING, overrides)


PRESETS: dict[str, Callable[..., "ROCTreeClassifier"]] = {
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
        scorecard,
        best_ranking,
    )
}

_READABLE: dict[str, Any] = {
    "ranking": "soft",
    "growth": "whole_tree_auc",
    "max_leaf_nodes": 32,
}
# Entropy is the log-loss that the points lower too; smaller leaves need more smoothing before they
# count fully. Decision 0031 has the measurements.
_SCORECARD = _READABLE | {
    "criterion": "entropy",
    "smoothing": MBranch(M=8.0),
    "max_leaf_nodes": 16,
    "points": Points(shape="curves", max_attributes=6),
}
_BEST_RANKING = _READABLE | {"points": Points(shape="curves", tree_weight="free")}
_C45: dict[str, Any] = {
    "category_shrinkage": None,
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
    "category_shrinkage": None,
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
    "category_shrinkage": None,
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
# Equal probabilities in leaves without training cases match the published tables, too.
_SMILES_2003 = _SMILES | {
    "criterion": MSEE(),
    "pruning": "none",
    "smoothing": UniformWhereEmpty(MBranch(M=4.0)),
}
# Nodes of at most ten cases are leaves, as for the first of the paper's three data sets.
_F_MEASURE_TREE: dict[str, Any] = {
    "category_shrinkage": None,
    "criterion": FMeasure(beta=1.0),
    "max_depth": 10,
    "min_samples_split": 11,
    "threshold": "node",
    "pruning": "none",
    "smoothing": "laplace",
    "labels": "majority",
}


def configured(settings: dict[str, Any], overrides: dict[str, Any]) -> "ROCTreeClassifier":
    """Return a classifier with these settings and overrides; reject unknown parameters."""
    from roctree.estimator import ROCTreeClassifier

    known = ROCTreeClassifier._get_param_names()
    for name in overrides:
        if name not in known:
            raise ParameterError(
                f"{name!r} is not a parameter{did_you_mean(name, known)}; "
                f"the parameters are {', '.join(known)}."
            )
    return ROCTreeClassifier(**(settings | overrides))
