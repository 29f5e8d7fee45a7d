"""Running a plan: in parallel, resumable at any moment, and with an eye on what has changed since.

A division of one problem is the unit of work: all configurations are fitted and measured on it, and
then written in one go.
"""

import warnings
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Literal, get_args

from joblib import Parallel, delayed, effective_n_jobs

from roctree.errors import DataError, ParameterError
from roctree.experiment import fingerprint
from roctree.experiment.designs import Split
from roctree.experiment.growth import Configuration, Fitted, fitted
from roctree.experiment.metrics import Answer, Metric
from roctree.experiment.plan import Plan
from roctree.experiment.results import Results
from roctree.experiment.sources import Problem
from roctree.experiment.store import Key, Outcome, Store
from roctree.parameters import check_parameter
from roctree.progress import Callback, StudyProgress, progress_callback, study_bar

# How many changed problems, configurations or modules a message names.
MOST_NAMED = 8
Changed = Literal["refuse", "keep", "again"]
Work = tuple[Problem, Split, Sequence[Configuration], dict[str, Metric]]


def run(
    plan: Plan,
    path: str | Path,
    *,
    n_jobs: int | None = None,
    changed: Changed = "refuse",
    retry: bool = False,
    progress: bool | Callback[StudyProgress] = False,
) -> Results:
    """Run what is not in the file yet, and return all results.

    A configuration that fails is recorded with its error and does not stop the others.

    Parameters
    ----------
    plan : the study
    path : the SQLite file of results; a study that was stopped goes on where it was, and one of
        fewer repeats, problems or configurations is added to
    n_jobs : number of processes as in joblib; results do not depend on it
    changed : what to do with results of data, configurations or code that have changed since:
        "refuse" names what has changed, "keep" takes them as they are, "again" runs them anew
    retry : whether to try again what failed before
    progress : True for a bar, or a callback that takes a ``StudyProgress``

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
        raise ParameterError(f"{repr(plan)[:60]} is no plan: give Plan.of(...).")
    check_parameter("n_jobs", n_jobs)
    store = Store(Path(path))
    _settle(plan, store, changed)
    present = store.present(with_errors=not retry)
    work = list(_pending(plan, present))
    total = plan.n_outcomes
    done = total - sum(len(unit[2]) for unit in work)
    failed = 0 if retry else len(_results(plan, store).failures)
    with progress_callback(progress, study_bar) as report:
        report(StudyProgress(done, failed, total))
        for outcomes in _worked(work, n_jobs):
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


def _pending(plan: Plan, present: set[Key]) -> Iterator[Work]:
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


def _worked(work: Sequence[Work], n_jobs: int | None) -> Iterator[list[Outcome]]:
    """Yield the outcomes of each unit as soon as it is done."""
    n_processes = min(effective_n_jobs(n_jobs), len(work))
    if n_processes <= 1:
        yield from (outcomes_of(*unit) for unit in work)
        return
    parallel = Parallel(n_jobs=n_processes, return_as="generator_unordered", batch_size=1)
    found = parallel(delayed(outcomes_of)(*unit) for unit in work)
    try:
        for outcomes in found:  # noqa: UP028 - by "yield from" it would be closed with a warning
            yield outcomes
    finally:
        with warnings.catch_warnings():
            # Who stops a run knows that some of its work was for nothing.
            warnings.simplefilter("ignore")
            found.close()


def outcomes_of(
    problem: Problem,
    split: Split,
    configurations: Sequence[Configuration],
    metrics: dict[str, Metric],
) -> list[Outcome]:
    """Fit and measure every configuration on one division of a problem."""
    with warnings.catch_warnings():
        # Said once for each of a thousand folds, these would hide what matters.
        warnings.simplefilter("ignore", UserWarning)
        training = problem.rows[split.train], problem.y[split.train]
        return [
            _outcome(each, problem, split, metrics) for each in fitted(configurations, *training)
        ]


def _outcome(each: Fitted, problem: Problem, split: Split, metrics: dict[str, Metric]) -> Outcome:
    key = (problem.name, each.configuration.name, split.repeat, split.fold)
    try:
        if each.error is not None:
            raise each.error
        begin = perf_counter()
        answer = Answer.of(
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


def _settle(plan: Plan, store: Store, changed: Changed) -> None:
    """Compare what results depend on with what it is now, and write down the latter."""
    if changed not in get_args(Changed):
        raise ParameterError(f"changed={changed!r} is not known: give 'refuse', 'keep' or 'again'.")
    now = _dependencies(plan)
    found = {
        kind: _differing(kind, store.facts(kind), facts) if store.present() else []
        for kind, facts in now.items()
    }
    if any(found.values()) and changed == "refuse":
        raise DataError(
            f"{str(store.path)!r} has results of before a change: {_named(found)}. Run what has "
            "changed again with changed='again', take results as they are with 'keep', or give "
            "another file."
        )
    if changed == "again":
        _forget(found, store)
    for kind, facts in now.items():
        store.keep(kind, facts)


def _dependencies(plan: Plan) -> dict[str, dict[str, str]]:
    return {
        "problem": {problem.name: problem.checksum for problem in plan.problems},
        "configuration": {each.name: fingerprint.of_value(each) for each in plan.configurations},
        "design": {"division of the cases": plan.design.rule},
        "metrics": {"measures": fingerprint.of_value(dict(sorted(plan.metrics.items())))},
        "code": fingerprint.of_code(),
    }


def _differing(kind: str, before: dict[str, str], now: dict[str, str]) -> list[str]:
    """Return what was known and is different; what is new has no results to be wrong about."""
    if kind == "code":
        return fingerprint.differences(before, now)
    return sorted(name for name in before.keys() & now.keys() if before[name] != now[name])


def _named(found: dict[str, list[str]]) -> str:
    words = {"problem": "data of", "configuration": "configuration", "code": "code in"}
    parts = [f"{words.get(kind, '')} {_some(names)}" for kind, names in found.items() if names]
    return "; ".join(map(str.strip, parts))


def _some(names: list[str]) -> str:
    """The names, or the first of them: a new release changes hundreds of modules."""
    n_others = len(names) - MOST_NAMED
    if n_others <= 1:
        return ", ".join(names)
    return f"{', '.join(names[:MOST_NAMED])} and {n_others} others"


def _forget(found: dict[str, list[str]], store: Store) -> None:
    if found["design"] or found["metrics"] or found["code"]:
        store.forget()
        return
    for name in found["problem"]:
        store.forget(problem=name)
    for name in found["configuration"]:
        store.forget(configuration=name)
