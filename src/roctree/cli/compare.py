"""``roctree compare`` and ``roctree frontier``: experiments by repeated cross-validation."""

import sys
from collections import Counter
from dataclasses import replace
from io import BytesIO
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

import roctree
from roctree.cli.data_files import column_roles, read_training_file
from roctree.cli.fit import (
    READABLE,
    default_options,
    tree_from_options,
    tree_options,
    variants,
)
from roctree.cli.options import (
    COLUMNS,
    COSTS,
    READING,
    DataArgument,
    FoldsOption,
    RepeatsOption,
    TrainingTargetOption,
    command,
    option_name,
    parse_costs,
    parse_number,
)
from roctree.cli.output import Report, ReportTable
from roctree.data import encode_labels
from roctree.errors import DataError, ParameterError
from roctree.files.atomic import write_whole
from roctree.fitting import FitOptions
from roctree.progress import count_bar
from roctree.requests import rarer_class

if TYPE_CHECKING:
    from roctree.experiment import Results
    from roctree.experiment.frontier import Frontier

# Compare

SHOWN_METRICS = ("auc", "accuracy", "log_loss", "leaves")
LEVEL = 0.05
FoldSeedOption = Annotated[int, typer.Option(metavar="NUMBER", help="Seed of the folds.")]
StoreOption = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="File for all results; an interrupted run resumes from it."),
]
ChangedOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Stored results of data or code that have changed since: refuse, keep or run again.",
    ),
]


@command(columns=COLUMNS, parameters=tree_options(lists=True), reading=READING)
def compare(
    data: DataArgument,
    target: TrainingTargetOption,
    folds: FoldsOption = 10,
    repeats: RepeatsOption = 1,
    seed: FoldSeedOption = 0,
    store: StoreOption = None,
    changed: ChangedOption = "refuse",
    *,
    columns: dict[str, Any],
    parameters: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Compare trees by repeated stratified cross-validation on the same folds.

    Tree options take several values, separated by commas; all combinations are compared.
    Without tree options, the tree is the readable one of fit.

    Example:
      roctree compare data.csv --target outcome --criterion auc,msee --folds 5
      roctree compare data.csv --target outcome --preset readable --max-leaves 8,32
    """
    from roctree.experiment import CrossValidation, Plan, Problem, run

    cases = read_training_file(data, column_roles(target, None, columns), reading)
    n_jobs = int(parse_number("n_jobs", parameters.pop("n_jobs", "1")))
    classes = cases.y.unique().to_pylist()
    trees = {name: tree_from_options(each, classes) for name, each in variants(parameters).items()}
    for tree in trees.values():
        FitOptions.from_parameters(vars(tree))  # a value that is not allowed ends it before the run
    problem = Problem.from_data(Path(data).name, cases.X, cases.y)
    plan = Plan.of(problem, trees, CrossValidation(folds, repeats, seed), SHOWN_METRICS)
    progress = sys.stderr.isatty()
    with TemporaryDirectory() as folder:
        path = store or Path(folder) / "results.sqlite"
        results = run(plan, path, n_jobs=n_jobs, changed=changed, progress=progress)  # type: ignore[arg-type]
    report = comparison_report(results)
    if not default_options(parameters):
        return report
    listed = " ".join(f"{option_name(name)} {value}" for name, value in READABLE.items())
    note = f"Grown with {listed}, the defaults of fit."
    return replace(report, shown=[*report.shown, note])


def comparison_report(results: "Results") -> Report:
    """Return means, deviations and significant differences of all configurations."""
    failures = Counter(failed.configuration for failed in results.failures)
    if len(results.failures) == len(results.outcomes):
        failed = results.failures[0]
        raise DataError(f"{failed.configuration!r} failed: {failed.error}")
    rows = {name: _configuration_facts(results, name) for name in results.configurations}
    cells = [
        (name, *(_mean_cell(row[metric]) for metric in SHOWN_METRICS),
         "/".join(str(row["auc_against_others"][each]) for each in ("win", "tie", "loss")))
        for name, row in rows.items()
    ]  # fmt: skip
    head = ("configuration", *SHOWN_METRICS, "AUC: wins/ties/losses")
    n_divisions = len(results.outcomes) // len(rows)
    title = f"Mean ± standard deviation over {n_divisions} train/test splits"
    notes = [
        f"{name} failed in {count} of {n_divisions} splits: {rows[name]['error']}"
        for name, count in failures.items()
    ]
    notes.append(
        "Wins and losses against the other configurations by the corrected resampled t-test, "
        f"p < {LEVEL}."
    )
    return Report(
        {"configurations": rows, "level": LEVEL}, [ReportTable(head, cells, title), *notes]
    )


def _configuration_facts(results: "Results", name: str) -> dict[str, Any]:
    (problem,) = results.problems
    measures = {
        metric: {"mean": results.mean(metric, problem, name),
                 "sd": results.deviation(metric, problem, name)}
        for metric in SHOWN_METRICS
    }  # fmt: skip
    counts = Counter[str]()
    for other in results.configurations:
        if other != name:
            counts.update(results.win_tie_loss("auc", name, other, alpha=LEVEL))
    verdicts = {verdict: counts[verdict] for verdict in ("win", "tie", "loss")}
    errors = [failed.error for failed in results.failures if failed.configuration == name]
    return {**measures, "auc_against_others": verdicts, "error": errors[0] if errors else None}


def _mean_cell(measure: dict[str, float]) -> str:
    if isnan(measure["mean"]):
        return "–"
    spread = "" if isnan(measure["sd"]) else f" ± {measure['sd']:.2g}"
    return f"{measure['mean']:.4g}{spread}"


# Frontier

# Those of roctree.experiment.frontier, which is imported when trees are grown.
ALL_SIZES = "4,8,16,32,64"
ALL_WAYS = (
    "best_first,whole_tree_auc,cost_complexity,auc_pruning,soft,points_3,points_6,points,distilled"
)
IMAGE_FORMATS = ("svg", "png", "pdf")
SizesOption = Annotated[
    str, typer.Option("--leaves", metavar="NUMBERS", help="Maximum numbers of leaves.")
]
WaysOption = Annotated[
    str, typer.Option(metavar="NAMES", help="Ways of making trees small, separated by commas.")
]
GeneratorSeedOption = Annotated[
    int, typer.Option(metavar="NUMBER", help="Seed of the folds and of generated cases.")
]
PlotOption = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Plot a measure against leaves as svg, png or pdf."),
]
MeasureOption = Annotated[
    str, typer.Option(metavar="NAME", help="Measure to plot: auc, log_loss, cost.")
]


@command(columns=COLUMNS, costs=COSTS, reading=READING)
def frontier(
    data: DataArgument,
    target: TrainingTargetOption,
    leaves: SizesOption = ALL_SIZES,
    ways: WaysOption = ALL_WAYS,
    folds: FoldsOption = 5,
    repeats: RepeatsOption = 1,
    seed: GeneratorSeedOption = 0,
    plot: PlotOption = None,
    measure: MeasureOption = "auc",
    *,
    columns: dict[str, Any],
    costs: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Show AUC, log-loss and cost of trees of several sizes, made small in several ways.

    Example:
      roctree frontier data.csv --target outcome --leaves 4,8 --ways best_first,soft
    """
    if plot is not None:
        _check_plot(plot, measure)
    cases = read_training_file(data, column_roles(target, None, columns), reading)
    classes, labels = encode_labels(cases.y)
    matrix = parse_costs(costs, classes.tolist(), rarer_class(np.bincount(labels)))
    sizes: list[Any] = [parse_number("leaves", size) for size in leaves.split(",")]
    with count_bar("Growing trees") as report:
        found = roctree.frontier(
            cases.X, cases.y, leaves=sizes, ways=ways.split(","), folds=folds, repeats=repeats,
            cost_matrix=matrix, random_state=seed, progress=report,
        )  # fmt: skip
    if plot is not None:
        _draw(found, plot, measure)
    points = [dict(zip(found.columns(), row, strict=True))
              for row in zip(*found.columns().values(), strict=True)]  # fmt: skip
    what = (
        "the error rate" if matrix is None else f"the cost per case{_positive_note(costs, matrix)}"
    )
    title = f"Means over {folds * repeats} train/test splits; cost is {what}"
    return Report({"points": points}, [ReportTable(found.head, found.cells(), title)])


def _positive_note(costs: dict[str, Any], matrix: Any) -> str:
    """Name the positive class if costs were given for its errors."""
    return "" if "cost_matrix" in costs else f", positive class {next(iter(matrix))}"


def _check_plot(path: str, measure: str) -> None:
    """Raise an error for a plot that could not be drawn, before trees are grown."""
    from roctree.report.displays import check_frontier_measure, pyplot

    pyplot()
    check_frontier_measure(measure)
    place = Path(path)
    if place.suffix[1:].lower() not in IMAGE_FORMATS:
        raise ParameterError(
            parameter="plot",
            value=path,
            reason="has an unknown format: use a name that ends in {known}",
            known=", ".join(IMAGE_FORMATS),
        )
    if not place.absolute().parent.is_dir():
        raise ParameterError(
            parameter="plot", value=path, reason="is in a folder that does not exist"
        )


def _draw(found: "Frontier", path: str, measure: Any) -> None:
    picture = BytesIO()
    figure = roctree.FrontierDisplay(found).plot(measure).figure_
    figure.savefig(picture, format=Path(path).suffix[1:].lower())
    write_whole(Path(path), picture.getvalue())
