"""Show what readability costs: quality against size."""

from io import BytesIO
from pathlib import Path
from typing import Annotated, Any

import typer

import roctree
from roctree.cli.cases import training_cases, wishes
from roctree.cli.fit import TargetColumn
from roctree.cli.options import COLUMNS, COSTS, READING, Data, Report, command
from roctree.cli.output import Table
from roctree.cli.values import cost_matrix, number
from roctree.data.labels import encode_labels
from roctree.errors import ParameterError
from roctree.experiment.frontier import HEAD, LEAVES, WAYS, Frontier
from roctree.files.atomic import write_whole
from roctree.progress import count_bar
from roctree.report.displays import check_frontier_measure, pyplot

ALL_SIZES, ALL_WAYS = ",".join(map(str, LEAVES)), ",".join(WAYS)
PICTURES = ("svg", "png", "pdf")
Leaves = Annotated[str, typer.Option(metavar="NUMBERS", help="The most leaves, size by size.")]
Ways = Annotated[str, typer.Option(metavar="NAMES", help="How trees are made small.")]
Folds = Annotated[int, typer.Option(metavar="NUMBER", help="Number of folds.")]
Repeats = Annotated[
    int, typer.Option(metavar="NUMBER", help="How often the cases are divided anew.")
]
Seed = Annotated[int, typer.Option(metavar="NUMBER", help="Of the folds and of generated cases.")]
Plot = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Draw a measure against leaves, as svg, png or pdf."),
]
Shown = Annotated[str, typer.Option(metavar="NAME", help="What is drawn: auc, log_loss or cost.")]


@command(columns=COLUMNS, costs=COSTS, reading=READING)
def frontier(
    data: Data,
    target: TargetColumn,
    leaves: Leaves = ALL_SIZES,
    ways: Ways = ALL_WAYS,
    folds: Folds = 5,
    repeats: Repeats = 1,
    seed: Seed = 0,
    plot: Plot = None,
    measure: Shown = "auc",
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
    cases = training_cases(data, wishes(target, None, columns), reading)
    matrix = cost_matrix(costs, encode_labels(cases.y)[0].tolist())
    sizes: list[Any] = [number("leaves", size) for size in leaves.split(",")]
    with count_bar("Growing trees") as tell:
        found = roctree.frontier(
            cases.X, cases.y, leaves=sizes, ways=ways.split(","), folds=folds, repeats=repeats,
            cost_matrix=matrix, random_state=seed, progress=tell,
        )  # fmt: skip
    if plot is not None:
        _draw(found, plot, measure)
    points = [dict(zip(found.columns(), row, strict=True))
              for row in zip(*found.columns().values(), strict=True)]  # fmt: skip
    positive = _positive(costs, matrix)
    what = "the share of wrong labels" if matrix is None else f"that of a case{positive}"
    title = f"{folds * repeats} divisions, means; cost is {what}"
    return Report({"points": points}, [Table(HEAD, found.cells(), title)])


def _positive(costs: dict[str, Any], matrix: Any) -> str:
    """Say which class false alarms and misses are of, if these are what costs."""
    if matrix is None or "cost_matrix" in costs:
        return ""
    return f", positive {next(iter(matrix))}"


def _check_plot(path: str, measure: str) -> None:
    """Refuse what could not be drawn before long work, not after it."""
    pyplot()
    check_frontier_measure(measure)
    place = Path(path)
    if place.suffix[1:].lower() not in PICTURES:
        raise ParameterError(f"--plot is {path!r}: give a name that ends in {', '.join(PICTURES)}.")
    if not place.absolute().parent.is_dir():
        raise ParameterError(f"--plot is {path!r}, and there is no such folder: make it first.")


def _draw(found: Frontier, path: str, measure: Any) -> None:
    picture = BytesIO()
    figure = roctree.FrontierDisplay(found).plot(measure).figure_
    figure.savefig(picture, format=Path(path).suffix[1:].lower())
    write_whole(Path(path), picture.getvalue())
