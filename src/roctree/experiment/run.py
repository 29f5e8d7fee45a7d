"""Plan an experiment and run it: in parallel, resumable at any time, and aware of changes.

``Plan.of`` states what to compare, ``run`` fits what is missing and returns ``Results``. The unit
of work is one split of one problem: all configurations are fitted and measured on it, and their
outcomes are stored in one transaction.
"""

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any, Literal, get_args

from joblib import Parallel, delayed, effective_n_jobs

from roctree.errors import DataError, ParameterError
from roctree.experiment.configurations import (
    Configuration,
    FittedConfiguration,
    fit_configurations,
)
from roctree.experiment.designs import CrossValidation, Design, Split
from roctree.experiment.metrics import Answer, Metric, resolve_metrics
from roctree.experiment.results import Results
from roctree.experiment.sources import Problem
from roctree.experiment.store import (
    Key,
    Outcome,
    Store,
    changed_code,
    code_fingerprint,
    fingerprint,
)
from roctree.parameters import check_parameter
from roctree.progress import Callback, StudyProgress, progress_callback, study_bar
from roctree.text import pluralize

USUAL_METRICS = ("accuracy", "auc", "log_loss", "brier", "leaves", "depth")
# Number of changed problems, configurations or modules that an error message lists.
MAX_NAMED = 8
IfChanged = Literal["refuse", "keep", "again"]
WorkUnit = tuple[Problem, Split, Sequence[Configuration], dict[str, Metric]]


@dataclass(frozen=True, eq=False)
class Plan:
    """The parts of an experiment.

    Create one with ``Plan.of``, which takes plain lists and dicts.

    Parameters
    ----------
    problems : tuple of Problem
        The data sets, with distinct names.
    configurations : tuple of Configuration
        What is compared, with distinct names.
    design : Design
        How the cases are split, the same for all configurations.
    metrics : mapping
        Measures by name.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> from roctree.experiment import BuiltIn, CrossValidation
    >>> trees = {name: ROCTreeClassifier(criterion=name) for name in ("gini", "auc")}
    >>> plan = Plan.of(BuiltIn().load("iris"), trees, CrossValidation(folds=5))
    >>> [each.name for each in plan.configurations]
    ['gini', 'auc']
    """

    problems: tuple[Problem, ...]
    configurations: tuple[Configuration, ...]
    design: Design = field(default_factory=CrossValidation)
    metrics: Mapping[str, Metric] = field(default_factory=lambda: resolve_metrics(USUAL_METRICS))

    @classmethod
    def of(
        cls,
        problems: Problem | Iterable[Problem],
        configurations: Mapping[str, Any] | Iterable[Configuration],
        design: Design | None = None,
        metrics: Any = USUAL_METRICS,
    ) -> "Plan":
        """Create a plan.

        Parameters
        ----------
        problems : Problem or iterable of Problem
            The data sets.
        configurations : mapping or iterable of Configuration
            Unfitted classifiers by name, or configurations.
        design : Design, default=None
            ``CrossValidation``, ``HoldOut`` or ``Bootstrap``; None for 10 folds, once.
        metrics : iterable of str, or mapping
            Names of measures, or functions of an ``Answer`` by name.

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> from roctree.experiment import BuiltIn, CrossValidation
        >>> trees = {name: ROCTreeClassifier(smoothing=name) for name in ("none", "m_branch")}
        >>> Plan.of(BuiltIn().load("iris"), trees, CrossValidation(5, repeats=2))
        <Plan: 1 problem, 2 configurations, 10 splits>
        """
        if isinstance(configurations, Mapping):
            configurations = [
                each if isinstance(each, Configuration) else Configuration(name, each)
                for name, each in configurations.items()
            ]
        chosen = CrossValidation() if design is None else design
        return cls(_as_tuple(problems), _as_tuple(configurations), chosen, resolve_metrics(metrics))

    def __post_init__(self) -> None:
        _check_members(
            "problem", self.problems, Problem, "BuiltIn().load(...) or Problem.from_data"
        )
        _check_members(
            "configuration",
            self.configurations,
            Configuration,
            "a dict of classifiers, such as {'tree': ROCTreeClassifier()}",
        )
        if isinstance(self.design, type) or not hasattr(self.design, "splits"):
            raise ParameterError(
                f"design={self.design!r} is not a design: give CrossValidation(...), HoldOut(...) "
                "or Bootstrap(...)."
            )
        if not self.metrics:
            raise ParameterError("The plan has no metric: give at least one.")

    @property
    def n_outcomes(self) -> int:
        """Number of results of the experiment."""
        return len(self.problems) * len(self.configurations) * len(self.design.places)

    def __repr__(self) -> str:
        counts = [
            pluralize(count, word)
            for count, word in (
                (len(self.problems), "problem"),
                (len(self.configurations), "configuration"),
                (len(self.design.places), "split"),
            )
        ]
        return f"<Plan: {', '.join(counts)}>"


def _as_tuple(given: Any) -> tuple[Any, ...]:
    """Return one or several objects as a tuple; a forest is one object, not its trees."""
    single = isinstance(given, str) or hasattr(given, "fit") or not isinstance(given, Iterable)
    return (given,) if single else tuple(given)


def _check_members(
    kind: str, given: Sequence[Any], wanted: type[Problem] | type[Configuration], advice: str
) -> None:
    """Raise ``ParameterError`` unless there are members of the right type with distinct names."""
    for each in given:
        if not isinstance(each, wanted):
            shown = " ".join(repr(each).split())[:60]
            raise ParameterError(f"{shown} is not a {kind}: give {advice}.")
        if not isinstance(each.name, str):
            raise ParameterError(f"A {kind} is named {each.name!r}: use a string.")
    if not given:
        raise ParameterError(f"The plan has no {kind}: give at least one.")
    name, count = Counter(each.name for each in given).most_common(1)[0]
    if count > 1:
        raise ParameterError(f"Two {kind}s are named {name!r}: use distinct names.")


def run(
    plan: Plan,
    path: str | Path,
    *,
    n_jobs: int | None = None,
    changed: IfChanged = "refuse",
    retry: bool = False,
    progress: bool | Callback[StudyProgress] = False,
) -> Results:
    """Run what is missing from the file, and return all results.

    A configuration that fails is recorded with its error and does not stop the others.

    Parameters
    ----------
    plan : Plan
        The experiment.
    path : path-like
        SQLite file of results. An interrupted experiment resumes there; repeats, problems and
        configurations can be added.
    n_jobs : int, default=None
        Number of processes as in joblib; results do not depend on it.
    changed : {"refuse", "keep", "again"}, default="refuse"
        What to do with results of data, configurations or code that have changed since: raise an
        error that names the changes, use the results anyway, or run them again.
    retry : bool, default=False
        Whether to repeat runs that failed.
    progress : bool or callable, default=False
        True for a progress bar, or a callback that takes a ``StudyProgress``.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from roctree import ROCTreeClassifier
    >>> from roctree.experiment import BuiltIn, CrossValidation, Plan
    >>> trees = {name: ROCTreeClassifier(smoothing=name) for name in ("none", "m_branch")}
    >>> plan = Plan.of(BuiltIn().load("iris"), trees, CrossValidation(3))
    >>> with TemporaryDirectory() as folder:
    ...     results = run(plan, f"{folder}/study.sqlite")
    >>> len(results.outcomes), results.failures
    (6, [])
    """
    if not isinstance(plan, Plan):
        raise ParameterError(f"{repr(plan)[:60]} is not a plan: give Plan.of(...).")
    check_parameter("n_jobs", n_jobs)
    store = Store(Path(path))
    _check_changes(plan, store, changed)
    present = store.present(with_errors=not retry)
    work = list(_pending(plan, present))
    total = plan.n_outcomes
    done = total - sum(len(unit[2]) for unit in work)
    failed = 0 if retry else len(_results(plan, store).failures)
    with progress_callback(progress, study_bar) as report:
        report(StudyProgress(done, failed, total))
        for outcomes in _execute(work, n_jobs):
            store.add(outcomes)
            done += len(outcomes)
            failed += sum(outcome.error is not None for outcome in outcomes)
            report(StudyProgress(done, failed, total))
    return _results(plan, store)


def _results(plan: Plan, store: Store) -> Results:
    problems = [problem.name for problem in plan.problems]
    configurations = [configuration.name for configuration in plan.configurations]
    places = set(plan.design.places)
    found = [
        each
        for each in store.outcomes(problems, configurations)
        if (each.repeat, each.fold) in places
    ]
    return Results(found, tuple(problems), tuple(configurations), plan.design.test_ratio)


def _pending(plan: Plan, present: set[Key]) -> Iterator[WorkUnit]:
    for problem in plan.problems:
        wanted = product([problem.name], [each.name for each in plan.configurations])
        if all((*pair, *place) in present for pair in wanted for place in plan.design.places):
            continue
        for split in plan.design.splits(problem.labels):
            missing = [
                configuration
                for configuration in plan.configurations
                if Key(problem.name, configuration.name, split.repeat, split.fold) not in present
            ]
            if missing:
                yield problem, split, missing, dict(plan.metrics)


def _execute(work: Sequence[WorkUnit], n_jobs: int | None) -> Iterator[list[Outcome]]:
    """Yield the outcomes of each unit as soon as it is finished."""
    n_processes = min(effective_n_jobs(n_jobs), len(work))
    if n_processes <= 1:
        yield from (outcomes_of(*unit) for unit in work)
        return
    parallel = Parallel(n_jobs=n_processes, return_as="generator_unordered", batch_size=1)
    found = parallel(delayed(outcomes_of)(*unit) for unit in work)
    try:
        for outcomes in found:  # noqa: UP028 - "yield from" would close it with a warning
            yield outcomes
    finally:
        with warnings.catch_warnings():
            # An interrupted run discards unfinished work, which needs no warning.
            warnings.simplefilter("ignore")
            found.close()


def outcomes_of(
    problem: Problem,
    split: Split,
    configurations: Sequence[Configuration],
    metrics: dict[str, Metric],
) -> list[Outcome]:
    """Fit and measure all configurations on one split of a problem."""
    with warnings.catch_warnings():
        # Repeated for each of a thousand folds, warnings would hide everything else.
        warnings.simplefilter("ignore", UserWarning)
        training = problem.rows[split.train], problem.y[split.train]
        return [
            _outcome_of(each, problem, split, metrics)
            for each in fit_configurations(configurations, *training)
        ]


def _outcome_of(
    each: FittedConfiguration, problem: Problem, split: Split, metrics: dict[str, Metric]
) -> Outcome:
    key = (problem.name, each.configuration.name, split.repeat, split.fold)
    try:
        if each.error is not None:
            raise each.error
        begin = perf_counter()
        answer = Answer.from_model(
            each.model,
            problem.rows[split.test],
            problem.labels[split.test],
            problem.classes,
            problem.positive_number,
        )
        seconds = each.seconds + perf_counter() - begin
        measures = {name: float(metric(answer)) for name, metric in metrics.items()}
    except Exception as error:
        return Outcome(*key, {}, 0.0, f"{type(error).__name__}: {error}")
    return Outcome(*key, measures, seconds)


def _check_changes(plan: Plan, store: Store, changed: IfChanged) -> None:
    """Compare what the results depend on with its current state, and store the latter."""
    if changed not in get_args(IfChanged):
        raise ParameterError(
            parameter="changed",
            value=changed,
            reason="is not known: give 'refuse', 'keep' or 'again'",
        )
    now = _dependencies(plan)
    found = {
        kind: _changed_facts(kind, store.facts(kind), facts) if store.present() else []
        for kind, facts in now.items()
    }
    if any(found.values()) and changed == "refuse":
        raise DataError(
            reason="{path!r} has results from before a change: {changes}. Use {changed='again'} to "
            "run them again, {changed='keep'} to use them anyway, or another file.",
            path=str(store.path),
            changes=_describe_changes(found),
        )
    if changed == "again":
        _forget(found, store)
    for kind, facts in now.items():
        store.keep(kind, facts)


def _dependencies(plan: Plan) -> dict[str, dict[str, str]]:
    return {
        "problem": {problem.name: problem.checksum for problem in plan.problems},
        "configuration": {each.name: fingerprint(each) for each in plan.configurations},
        "design": {"division of the cases": plan.design.rule},
        "metrics": {"measures": fingerprint(dict(sorted(plan.metrics.items())))},
        "code": code_fingerprint(),
    }


def _changed_facts(kind: str, before: dict[str, str], now: dict[str, str]) -> list[str]:
    """Return what was known and differs; new problems and configurations have no results yet."""
    if kind == "code":
        return changed_code(before, now)
    return sorted(name for name in before.keys() & now.keys() if before[name] != now[name])


def _describe_changes(found: dict[str, list[str]]) -> str:
    words = {"problem": "data of", "configuration": "configuration", "code": "code in"}
    parts = [f"{words.get(kind, '')} {_first(names)}" for kind, names in found.items() if names]
    return "; ".join(map(str.strip, parts))


def _first(names: list[str]) -> str:
    """Return the names, or the first of them: a new release changes hundreds of modules."""
    n_others = len(names) - MAX_NAMED
    if n_others <= 1:
        return ", ".join(names)
    return f"{', '.join(names[:MAX_NAMED])} and {n_others} others"


def _forget(found: dict[str, list[str]], store: Store) -> None:
    if found["design"] or found["metrics"] or found["code"]:
        store.forget()
        return
    for name in found["problem"]:
        store.forget(problem=name)
    for name in found["configuration"]:
        store.forget(configuration=name)
