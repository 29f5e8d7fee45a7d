"""Compare strategies on a file by repeated stratified cross-validation."""

import sys
from collections import Counter
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from roctree.cli.cases import training_cases, wishes
from roctree.cli.fit import TargetColumn
from roctree.cli.options import COLUMNS, READING, Changed, Data, Report, command
from roctree.cli.output import Table
from roctree.cli.parameters import estimator, options, variants
from roctree.cli.values import number
from roctree.errors import DataError
from roctree.experiment import CrossValidation, Plan, Problem, Results, run
from roctree.experiment.significance import Verdict

METRICS = ("auc", "accuracy", "log_loss", "leaves")
LEVEL = 0.05
Folds = Annotated[int, typer.Option(metavar="NUMBER", help="Number of folds.")]
Repeats = Annotated[
    int, typer.Option(metavar="NUMBER", help="How often the cases are divided anew.")
]
Seed = Annotated[int, typer.Option(metavar="NUMBER", help="Of the folds.")]
Store = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Keep all results; a run that was stopped goes on there."),
]


@command(columns=COLUMNS, parameters=options(lists=True), reading=READING)
def compare(
    data: Data,
    target: TargetColumn,
    folds: Folds = 10,
    repeats: Repeats = 1,
    seed: Seed = 0,
    store: Store = None,
    changed: Changed = "refuse",
    *,
    columns: dict[str, Any],
    parameters: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Compare strategies by repeated stratified cross-validation, the same folds for all.

    Example:
      roctree compare data.csv --target outcome --criterion auc,msee --folds 5
    """
    cases = training_cases(data, wishes(target, None, columns), reading)
    n_jobs = int(number("n_jobs", parameters.pop("n_jobs", "1")))
    classes = cases.y.unique().to_pylist()
    trees = {name: estimator(given, classes) for name, given in variants(parameters).items()}
    problem = Problem.from_data(Path(data).name, cases.X, cases.y)
    plan = Plan.of(problem, trees, CrossValidation(folds, repeats, seed), METRICS)
    progress = sys.stderr.isatty()
    with TemporaryDirectory() as folder:
        place = store or Path(folder) / "results.sqlite"
        results = run(plan, place, n_jobs=n_jobs, changed=changed, progress=progress)  # type: ignore[arg-type]
    return _report(results)


def _report(results: Results) -> Report:
    failures = Counter(failed.configuration for failed in results.failures)
    if len(results.failures) == len(results.outcomes):
        failed = results.failures[0]
        raise DataError(f"{failed.configuration!r} failed: {failed.error}")
    rows = {name: _row(results, name) for name in results.configurations}
    cells = [
        (name, *(_cell(row[metric]) for metric in METRICS),
         "/".join(str(row["auc_against_others"][each]) for each in ("win", "tie", "loss")))
        for name, row in rows.items()
    ]  # fmt: skip
    head = ("configuration", *METRICS, "AUC: wins/ties/losses")
    n_divisions = len(results.outcomes) // len(rows)
    title = f"{n_divisions} divisions, mean ± standard deviation"
    notes = [
        f"{name} failed in {count} of {n_divisions} divisions: {rows[name]['error']}"
        for name, count in failures.items()
    ]
    notes.append(
        f"Wins and losses against the others by the corrected resampled t-test, p < {LEVEL}."
    )
    return Report({"configurations": rows, "level": LEVEL}, [Table(head, cells, title), *notes])


def _row(results: Results, name: str) -> dict[str, Any]:
    (problem,) = results.problems
    measures = {
        metric: {"mean": results.mean(metric, problem, name),
                 "sd": results.deviation(metric, problem, name)}
        for metric in METRICS
    }  # fmt: skip
    counts = Counter[Verdict]()
    for other in results.configurations:
        if other != name:
            counts.update(results.win_tie_loss("auc", name, other, alpha=LEVEL))
    verdicts = {verdict: counts[verdict] for verdict in ("win", "tie", "loss")}
    errors = [failed.error for failed in results.failures if failed.configuration == name]
    return {**measures, "auc_against_others": verdicts, "error": errors[0] if errors else None}


def _cell(measure: dict[str, float]) -> str:
    """Mean and deviation, as far as there are any."""
    if isnan(measure["mean"]):
        return "–"
    spread = "" if isnan(measure["sd"]) else f" ± {measure['sd']:.2g}"
    return f"{measure['mean']:.4g}{spread}"
