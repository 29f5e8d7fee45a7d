"""Configurations, and the grown trees that several of them share.

Smoothing, labels, ranking and pruning by counts happen after growth. Configurations that differ
only in these share one grown tree, which is then pruned, smoothed and ranked for each of them. The
result is the same tree that fitting each configuration would give.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

from sklearn.base import BaseEstimator, clone

from roctree.errors import ParameterError
from roctree.estimator import ROCTreeClassifier
from roctree.pruning import need, resolve_pruner
from roctree.smoothing import choices, resolve_smoother

# Pruning comes first: if it is part of the fit, only the others happen after growth.
AFTER_GROWTH = ("pruning", "smoothing", "labels", "ranking", "metric")


@dataclass(frozen=True, eq=False)
class Configuration:
    """A named classifier, and optionally its operating point.

    Parameters
    ----------
    name : str
        Name in tables.
    estimator : classifier
        A classifier, not fitted.
    at : dict, default=None
        Arguments of ``at(...)``, such as ``{"prior": 0.5}``; None leaves the labels unchanged.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> Configuration("equal priors", ROCTreeClassifier(), at={"prior": 0.5}).name
    'equal priors'
    """

    name: str
    estimator: BaseEstimator
    at: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.at is not None and not isinstance(self.at, Mapping):
            raise ParameterError(
                f"Configuration {self.name!r} has at={self.at!r}: give a dict of arguments of "
                "at(...), such as {'prior': 0.5}."
            )
        if isinstance(self.estimator, type):
            raise ParameterError(
                f"Configuration {self.name!r} is a class: add parentheses to create an instance."
            )
        for method in ("fit", "predict", "predict_proba", "get_params"):
            if not hasattr(self.estimator, method):
                raise ParameterError(
                    f"Configuration {self.name!r} has no method {method}: give a scikit-learn "
                    "classifier with probabilities."
                )

    @cached_property
    def growth_key(self) -> str | None:
        """Text that configurations with the same grown tree share; None if the tree is not shared.

        Only plain ``ROCTreeClassifier`` objects share trees, and only if nothing but counts of the
        tree is needed after growth: no points, and no strength of smoothing to choose.
        """
        if type(self.estimator) is not ROCTreeClassifier or self.estimator.geometric_probability:
            return None
        if self.estimator.points is not None:
            return None
        if len(choices(resolve_smoother(self.estimator.smoothing))) > 1:
            return None
        parameters = self.estimator.get_params(deep=False)
        after = AFTER_GROWTH[self.is_pruned_by_fit :]
        return repr({name: parameters[name] for name in sorted(parameters.keys() - set(after))})

    @property
    def is_pruned_by_fit(self) -> bool:
        """Whether pruning holds out cases and is therefore part of the fit."""
        return need(resolve_pruner(self.estimator.pruning)) in ("held_out", "folds")

    def from_grown(self, grown: ROCTreeClassifier, rows: Any, y: Any) -> BaseEstimator:
        """Return the fitted classifier, made from a tree that several configurations share."""
        wanted, tree = self.estimator, grown
        if wanted.pruning != "none" and not self.is_pruned_by_fit:
            raises = need(resolve_pruner(wanted.pruning)) == "training"
            tree = tree.pruned(wanted.pruning, **({"X": rows, "y": y} if raises else {}))
        tree = tree.smoothed(wanted.smoothing)
        if wanted.labels != tree.labels:
            tree = copy(tree).set_params(labels=wanted.labels)
        # The width of soft thresholds is estimated from the training cases.
        cases = {"X": rows, "y": y} if wanted.ranking == "soft" else {}
        return self.at_operating_point(tree.ranked(wanted.ranking, metric=wanted.metric, **cases))

    def at_operating_point(self, model: BaseEstimator) -> BaseEstimator:
        """Return the fitted classifier at the operating point of the configuration."""
        return model if self.at is None else model.at(**self.at)


@dataclass(frozen=True, eq=False)
class FittedConfiguration:
    """A configuration with its fitted classifier and the time to fit it, or with an error."""

    configuration: Configuration
    model: BaseEstimator = None
    seconds: float = 0.0
    error: Exception | None = None


def fit_configurations(
    configurations: Sequence[Configuration], rows: Any, y: Any
) -> Iterator[FittedConfiguration]:
    """Fit all configurations, growing each shared tree once; errors are part of the result."""
    groups: dict[str, list[Configuration]] = {}
    for configuration in configurations:
        key = configuration.growth_key or f"alone {configuration.name}"
        groups.setdefault(key, []).append(configuration)
    for group in groups.values():
        begin = perf_counter()
        try:
            grown = _grow(group[0], rows, y)
        except Exception as error:
            yield from (FittedConfiguration(configuration, error=error) for configuration in group)
            continue
        growing = perf_counter() - begin
        for configuration in group:
            yield _fit_after_growth(configuration, grown, rows, y, growing)


def _grow(configuration: Configuration, rows: Any, y: Any) -> BaseEstimator:
    estimator = clone(configuration.estimator)
    if configuration.growth_key is not None:
        estimator.set_params(smoothing="none", ranking="leaf")
        if not configuration.is_pruned_by_fit:
            estimator.set_params(pruning="none")
    return estimator.fit(rows, y)


def _fit_after_growth(
    configuration: Configuration, grown: BaseEstimator, rows: Any, y: Any, growing: float
) -> FittedConfiguration:
    begin = perf_counter()
    try:
        if configuration.growth_key is None:
            model = configuration.at_operating_point(grown)
        else:
            model = configuration.from_grown(grown, rows, y)
    except Exception as error:
        return FittedConfiguration(configuration, error=error)
    return FittedConfiguration(configuration, model, growing + perf_counter() - begin)
