"""Configurations, and the trees that several of them share.

Smoothing, labels, ranking and pruning by the counts of a tree come after its growth. What differs
only in these is grown once and then smoothed, pruned and ranked anew, which gives the very tree
that fitting would.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

from sklearn.base import clone

from roctree.errors import ParameterError
from roctree.estimator import ROCTreeClassifier
from roctree.pruning import need
from roctree.pruning import resolve as resolve_pruner
from roctree.smoothing import choices
from roctree.smoothing import resolve as resolve_smoother

# Pruning first: where it is part of the fit, only the others come after.
AFTER_GROWTH = ("pruning", "smoothing", "labels", "ranking", "metric")


@dataclass(frozen=True, eq=False)
class Configuration:
    """A classifier under a name, and where it shall operate.

    Parameters
    ----------
    name : for tables
    estimator : a classifier, not fitted
    at : arguments of ``at(...)``, such as ``{"prior": 0.5}``; None to leave labels as they are
    """

    name: str
    estimator: Any
    at: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.at is not None and not isinstance(self.at, Mapping):
            raise ParameterError(
                f"The configuration {self.name!r} has at={self.at!r}: give arguments of at(...) by "
                "name, such as {'prior': 0.5}."
            )
        if isinstance(self.estimator, type):
            raise ParameterError(
                f"The configuration {self.name!r} is a class: write it with its parentheses."
            )
        for method in ("fit", "predict", "predict_proba", "get_params"):
            if not hasattr(self.estimator, method):
                raise ParameterError(
                    f"The configuration {self.name!r} has no {method}: give a classifier with "
                    "probabilities, in the way of scikit-learn."
                )

    @cached_property
    def growth(self) -> str | None:
        """The same text for all that share one grown tree; None if it has to be fitted itself."""
        if type(self.estimator) is not ROCTreeClassifier or self.estimator.geometric_probability:
            return None
        if len(choices(resolve_smoother(self.estimator.smoothing))) > 1:
            return None
        parameters = self.estimator.get_params(deep=False)
        after = AFTER_GROWTH[self.pruned_by_fit :]
        return repr({name: parameters[name] for name in sorted(parameters.keys() - set(after))})

    @property
    def pruned_by_fit(self) -> bool:
        """Whether pruning holds cases out and so has to be part of the fit."""
        return need(resolve_pruner(self.estimator.pruning)) in ("held_out", "folds")

    def made_of(self, grown: ROCTreeClassifier, rows: Any, y: Any) -> Any:
        """Return the fitted classifier, made of a tree that was grown for several."""
        wanted, tree = self.estimator, grown
        if wanted.pruning != "none" and not self.pruned_by_fit:
            raises = need(resolve_pruner(wanted.pruning)) == "training"
            tree = tree.pruned(wanted.pruning, **({"X": rows, "y": y} if raises else {}))
        tree = tree.smoothed(wanted.smoothing)
        if wanted.labels != tree.labels:
            tree = copy(tree).set_params(labels=wanted.labels)
        # How wide soft thresholds are is measured on the training cases.
        cases = {"X": rows, "y": y} if wanted.ranking == "soft" else {}
        return self.operating(tree.ranked(wanted.ranking, metric=wanted.metric, **cases))

    def operating(self, model: Any) -> Any:
        """Return the fitted classifier where it shall operate."""
        return model if self.at is None else model.at(**self.at)


@dataclass(frozen=True, eq=False)
class Fitted:
    """A configuration with its fitted classifier and the time that took, or with the error."""

    configuration: Configuration
    model: Any = None
    seconds: float = 0.0
    error: Exception | None = None


def fitted(configurations: Sequence[Configuration], rows: Any, y: Any) -> Iterator[Fitted]:
    """Fit every configuration, those of one growth from one tree; errors are part of the result."""
    for group in _groups(configurations):
        begin = perf_counter()
        try:
            base = _grown(group[0], rows, y)
        except Exception as error:
            yield from (Fitted(configuration, error=error) for configuration in group)
            continue
        growing = perf_counter() - begin
        for configuration in group:
            yield _finished(configuration, base, rows, y, growing)


def _groups(configurations: Sequence[Configuration]) -> list[list[Configuration]]:
    groups: dict[str, list[Configuration]] = {}
    for configuration in configurations:
        key = configuration.growth or f"alone {configuration.name}"
        groups.setdefault(key, []).append(configuration)
    return list(groups.values())


def _grown(configuration: Configuration, rows: Any, y: Any) -> Any:
    estimator = clone(configuration.estimator)
    if configuration.growth is not None:
        estimator.set_params(smoothing="none", ranking="leaf")
        if not configuration.pruned_by_fit:
            estimator.set_params(pruning="none")
    return estimator.fit(rows, y)


def _finished(configuration: Configuration, base: Any, rows: Any, y: Any, growing: float) -> Fitted:
    begin = perf_counter()
    try:
        if configuration.growth is None:
            model = configuration.operating(base)
        else:
            model = configuration.made_of(base, rows, y)
    except Exception as error:
        return Fitted(configuration, error=error)
    return Fitted(configuration, model, growing + perf_counter() - begin)
