"""The command line: each command a few lines that call the library."""

import sys
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from roctree._version import __version__
from roctree.errors import DataError, ModelFileError, ParameterError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from roctree.experiment.demo import Outcome

INTERRUPTED = 130

# Help is plain text because rich takes longer to import than all the rest.
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def main() -> None:
    """Run the command line; an error of the library is one sentence and exit code 2."""
    try:
        app()
    except ValueError as error:
        if not _is_ours(error):
            raise
        typer.echo(f"Error: {error}", err=True)
        sys.exit(2)
    except SystemExit as end:
        if end.code == INTERRUPTED:
            typer.echo("Stopped.", err=True)
        raise


def _is_ours(error: ValueError) -> bool:
    if isinstance(error, DataError | ModelFileError | ParameterError):
        return True
    from roctree import NotFittedError

    return isinstance(error, NotFittedError)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"roctree {__version__}")
        raise typer.Exit


@app.callback()
def roctree(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Grow decision trees that can be read and that rank well."""


@app.command()
def demo(
    page: Annotated[Path, typer.Option(help="Where to write the page of a tree.")] = Path(
        "roctree-demo.html"
    ),
) -> None:
    """Compare criteria on breast-cancer data, show a tree, and write its interactive page."""
    from rich.console import Console
    from rich.progress import track

    console = Console()
    with _loading(console):
        from roctree.experiment.demo import (
            CRITERIA_SHOWN,
            cross_validated,
            shown_tree,
            tumours,
            write_page,
        )

        tree = shown_tree()
    table = _comparison()
    for criterion in track(CRITERIA_SHOWN, "Comparing criteria", console=console, transient=True):
        table.add_row(*_cells(cross_validated(criterion)))
    console.print(table)
    tree.schema_ = replace(tree.schema_, names=tumours()[-1])
    console.print("\nA small tree of all cases:\n")
    console.print(tree.to_text(), markup=False, highlight=False)
    console.print(f"\nDrag the costs and watch the leaves relabel: open {write_page(page)}")


@app.command("warm-up")
def warm_up() -> None:
    """Compile the kernels, once on a machine, and say how long it took."""
    from rich.console import Console

    console = Console()
    begin = perf_counter()
    with _loading(console):
        from roctree.systems.warm_up import warm_up

        warm_up()
    console.print(f"The kernels are ready; that took {perf_counter() - begin:.1f} s.")


def _loading(console: "Console") -> AbstractContextManager[Any]:
    return console.status("Loading the kernels; their first use on a machine compiles them …")


def _comparison() -> "Table":
    from rich.table import Table

    from roctree.experiment.demo import FOLDS, MIN_LEAF

    table = Table(
        title=f"Breast-cancer data, {FOLDS}-fold cross-validation",
        caption=f"mean ± standard deviation; leaves of at least {MIN_LEAF} cases",
    )
    table.add_column("criterion")
    for column in ("AUC", "accuracy", "leaves"):
        table.add_column(column, justify="right")
    return table


def _cells(outcome: "Outcome") -> list[str]:
    rates = [f"{rate.mean():.3f} ± {rate.std():.3f}" for rate in (outcome.auc, outcome.accuracy)]
    return [outcome.criterion, *rates, f"{outcome.n_leaves.mean():.1f}"]
