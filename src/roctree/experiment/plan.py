"""A study, before it is run: problems, configurations, how to divide the cases, what to measure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from roctree.errors import ParameterError
from roctree.experiment.designs import CrossValidation, Design
from roctree.experiment.growth import Configuration
from roctree.experiment.metrics import Metric, resolve
from roctree.experiment.sources import Problem
from roctree.table import amount

USUAL_METRICS = ("accuracy", "auc", "log_loss", "brier", "leaves", "depth")
BY_NAME = "classifiers by name, such as {'tree': ROCTreeClassifier()}"


@dataclass(frozen=True, eq=False)
class Plan:
    """What a study consists of.

    Make one by ``Plan.of``, which takes plain lists and dicts.

    Parameters
    ----------
    problems : the data sets, each under its own name
    configurations : what is compared, each under its own name
    design : how the cases are divided, the same for all configurations
    metrics : what is measured, by name
    """

    problems: tuple[Problem, ...]
    configurations: tuple[Configuration, ...]
    design: Design = field(default_factory=CrossValidation)
    metrics: Mapping[str, Metric] = field(default_factory=lambda: resolve(USUAL_METRICS))

    @classmethod
    def of(
        cls,
        problems: Problem | Iterable[Problem],
        configurations: Mapping[str, Any] | Iterable[Configuration],
        design: Design | None = None,
        metrics: Any = USUAL_METRICS,
    ) -> "Plan":
        """Make a plan.

        Parameters
        ----------
        problems : a problem, or several
        configurations : classifiers, not fitted, by name; or several ``Configuration``
        design : ``CrossValidation``, ``HoldOut`` or ``Bootstrap``; None for 10 folds, once
        metrics : names of measures, or functions of an ``Answer`` by name

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> from roctree.experiment import BuiltIn, CrossValidation
        >>> trees = {name: ROCTreeClassifier(smoothing=name) for name in ("none", "m_branch")}
        >>> Plan.of(BuiltIn().load("iris"), trees, CrossValidation(5, repeats=2))
        <Plan: 1 problem, 2 configurations, 10 divisions>
        """
        given = _several(problems)
        if isinstance(configurations, Mapping):
            configurations = [
                each if isinstance(each, Configuration) else Configuration(name, each)
                for name, each in configurations.items()
            ]
        chosen = CrossValidation() if design is None else design
        return cls(given, _several(configurations), chosen, resolve(metrics))

    def __post_init__(self) -> None:
        _check_kinds("problem", self.problems, Problem, "BuiltIn().load(...) or Problem.from_data")
        _check_kinds("configuration", self.configurations, Configuration, BY_NAME)
        if isinstance(self.design, type) or not hasattr(self.design, "splits"):
            raise ParameterError(
                f"design={self.design!r} divides nothing: give CrossValidation(...), HoldOut(...) "
                "or Bootstrap(...)."
            )
        for kind, names in (
            ("problem", [problem.name for problem in self.problems]),
            ("configuration", [configuration.name for configuration in self.configurations]),
        ):
            for each in names:
                if not isinstance(each, str):
                    raise ParameterError(f"A {kind} is called {each!r}: give a text as its name.")
            if not names:
                raise ParameterError(f"The plan has no {kind}: give at least one.")
            name, count = Counter(names).most_common(1)[0]
            if count > 1:
                raise ParameterError(f"Two {kind}s are called {name!r}: give them other names.")
        if not self.metrics:
            raise ParameterError("The plan measures nothing: give at least one metric.")

    @property
    def n_outcomes(self) -> int:
        """How many results the study will have."""
        return len(self.problems) * len(self.configurations) * len(self.design.places)

    def __repr__(self) -> str:
        counts = [
            amount(count, word)
            for count, word in (
                (len(self.problems), "problem"),
                (len(self.configurations), "configuration"),
                (len(self.design.places), "division"),
            )
        ]
        return f"<Plan: {', '.join(counts)}>"


def _several(given: Any) -> tuple[Any, ...]:
    """Return what was given one by one, were it a single thing; a forest is one, not its trees."""
    single = isinstance(given, str) or hasattr(given, "fit") or not isinstance(given, Iterable)
    return (given,) if single else tuple(given)


def _check_kinds(kind: str, given: Iterable[Any], wanted: type, advice: str) -> None:
    for each in given:
        if not isinstance(each, wanted):
            shown = " ".join(repr(each).split())[:60]
            raise ParameterError(f"{shown} is no {kind}: give {advice}.")
