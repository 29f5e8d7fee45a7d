"""Show what readability costs: quality against size."""

from typing import Annotated, Any

import typer

import roctree
from roctree.cli.cases import training_cases, wishes
from roctree.cli.fit import TargetColumn
from roctree.cli.options import COLUMNS, READING, Data, Report, command
from roctree.cli.output import Table, working
from roctree.cli.values import number
from roctree.cli.writing import picture_form, written
from roctree.experiment.frontier import HEAD, LEAVES, WAYS

ALL_SIZES, ALL_WAYS = ",".join(map(str, LEAVES)), ",".join(WAYS)
Leaves = Annotated[str, typer.Option(metavar="NUMBERS", help="The most leaves, size by size.")]
Ways = Annotated[str, typer.Option(metavar="NAMES", help="How trees are made small.")]
Folds = Annotated[int, typer.Option(help="Number of folds.")]
Repeats = Annotated[int, typer.Option(help="How often the cases are divided anew.")]
Seed = Annotated[int, typer.Option(help="Of the folds and of generated cases.")]
Plot = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Draw AUC against leaves, as svg, png or pdf."),
]


@command(columns=COLUMNS, reading=READING)
def frontier(
    data: Data,
    target: TargetColumn,
    leaves: Leaves = ALL_SIZES,
    ways: Ways = ALL_WAYS,
    folds: Folds = 5,
    repeats: Repeats = 1,
    seed: Seed = 0,
    plot: Plot = None,
    *,
    columns: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Show AUC, log-loss and errors of trees of several sizes, made small in several ways.

    Example:
      roctree frontier data.csv --target outcome --leaves 4,8 --ways best_first,soft
    """
    form = picture_form(plot)
    cases = training_cases(data, wishes(target, None, columns), reading)
    sizes = [int(number("leaves", size)) for size in leaves.split(",")]
    with working("Growing trees"):
        found = roctree.frontier(
            cases.X, cases.y, leaves=sizes, ways=ways.split(","), folds=folds, repeats=repeats,
            random_state=seed,
        )  # fmt: skip
    if plot is not None:
        with written(plot) as file:
            roctree.FrontierDisplay(found).plot().figure_.savefig(file, format=form)
    points = [dict(zip(found.columns(), row, strict=True))
              for row in zip(*found.columns().values(), strict=True)]  # fmt: skip
    title = f"{folds * repeats} divisions, means; cost is the share of wrong labels"
    return Report({"points": points}, [Table(HEAD, found.cells(), title)])
