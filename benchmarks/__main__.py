"""Measure and report: ``python -m benchmarks --help``."""

from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from benchmarks import (
    boundary,
    command,
    files,
    fit,
    large,
    machine,
    memory,
    multiscale,
    nbtree,
    points,
    predict,
    prune,
    rank,
    start,
)
from benchmarks.libraries import LIBRARIES
from benchmarks.quiet import Patience
from benchmarks.race import Entry, Race, Row, RowResult
from benchmarks.tables import tables, time_of
from benchmarks.worker import Workers

SECTIONS = {
    "fit": fit.rows,
    "large": large.rows,
    "predict": predict.rows,
    "prune": prune.rows,
    "rank": rank.rows,
    "boundary": boundary.rows,
    "nbtree": nbtree.rows,
    "multiscale": multiscale.rows,
    "points": points.rows,
    "memory": memory.rows,
    "command": command.rows,
    "start": start.rows,
}
QUIET_LOAD = 0.5

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def main(
    quick: Annotated[bool, typer.Option(help="Only small rows; under two minutes.")] = False,
    only: Annotated[str, typer.Option(help=f"Some of {','.join(SECTIONS)}.")] = "",
    rows: Annotated[str, typer.Option(help="Rows whose name contains this; * for any.")] = "",
    folder: Annotated[Path, typer.Option(help="Where results/ and README.md are.")] = files.FOLDER,
    resume: Annotated[Path | None, typer.Option(help="A file of results to go on with.")] = None,
    show: Annotated[
        Path | None, typer.Option(help="A file of results to rewrite the README by; no race.")
    ] = None,
) -> None:
    """Race roctree against other libraries; a run of everything rewrites the README."""
    chosen = plan(only.split(",") if only else list(SECTIONS), rows, quick)
    if show is not None:
        write_tables(folder, show, [row.name for row in chosen])
        return
    before = files.load_outcomes(resume) if resume else []
    whole = not (quick or only or rows)
    command = " ".join(["python -m benchmarks", *options(quick, only, rows)])
    console = Console()
    about = machine.describe()
    if about["load"] > QUIET_LOAD:
        console.print(f"The machine is busy (load {about['load']}): ratios suffer less than times.")
    path = resume or files.result_path(folder, about)
    patience = Patience(at_once=1.0, altogether=20.0) if quick else Patience()
    outcomes = measure_all(
        chosen, console, lambda done: files.save(path, about, command, done), patience, before
    )
    for table in tables(outcomes):
        console.print(table.rich())
    if whole:
        files.rewrite_readme(folder, about, command, outcomes)
    console.print(f"Written: results/{path.name}" + ", README.md" * whole)


def write_tables(folder: Path, results: Path, names: Sequence[str]) -> None:
    """Rewrite the README with the results so far, and list missing rows."""
    known = {outcome.row: outcome for outcome in files.load_outcomes(results)}
    outcomes = [known[name] for name in names if name in known]
    missing = [name for name in names if name not in known]
    about = files.load_machine(results)
    files.rewrite_readme(folder, about, "python -m benchmarks", outcomes, missing)


def options(quick: bool, only: str, rows: str) -> list[str]:
    given = ["--quick"] if quick else []
    given += [f"--only {only}"] if only else []
    return given + ([f"--rows {rows}"] if rows else [])


def plan(sections: Sequence[str], pattern: str, quick: bool) -> list[Row]:
    """Return the rows of these sections whose names contain the pattern."""
    unknown = [name for name in sections if name not in SECTIONS]
    if unknown:
        raise typer.BadParameter(f"--only knows {', '.join(SECTIONS)}, not {', '.join(unknown)}")
    every = [row for name in sections for row in SECTIONS[name](quick)]
    chosen = [row for row in every if fnmatch(row.name, f"*{pattern}*")]
    if not chosen:
        names = ", ".join(row.name for row in every)
        raise typer.BadParameter(f"--rows {pattern} matches none of {names}")
    return chosen


def measure_all(
    rows: Sequence[Row],
    console: Console,
    save: Callable[[list[RowResult]], None],
    patience: Patience,
    before: Sequence[RowResult] = (),
) -> list[RowResult]:
    """Measure row by row; results are saved after each row and not measured again."""
    known = {outcome.row: outcome for outcome in before}
    outcomes = [known[row.name] for row in rows if row.name in known]
    rows = [row for row in rows if row.name not in known]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    progress = Progress(
        *columns, TimeElapsedColumn(), console=console, transient=True, refresh_per_second=2
    )
    with Workers(tuple(LIBRARIES)) as workers, progress:
        bar = progress.add_task("", total=len(rows))
        race = Race(workers, print, patience)
        for row in rows:
            race.say = partial(report, progress, bar, row.name)
            outcomes.append(measure(row, race))
            save(outcomes)
            progress.advance(bar)
            console.print(f"{row.name}: {glance(outcomes[-1])}")
    return outcomes


def report(progress: Progress, bar: TaskID, name: str, text: str) -> None:
    progress.update(bar, description=f"{name}: {text}")


def measure(row: Row, race: Race) -> RowResult:
    """Measure a row; one that fails is recorded with its error."""
    try:
        entries = row.measure(race)
    except Exception as error:
        entries = [Entry("row", note=f"failed: {type(error).__name__}: {error}"[:200])]
    measured = machine.circumstances()
    return RowResult(row.section, row.name, row.title, entries, row.statistic, measured)


def glance(outcome: RowResult) -> str:
    """Return the times of all entries on one line."""
    return "; ".join(
        f"{entry.label} {entry.note or time_of(outcome, entry)}" for entry in outcome.entries
    )


if __name__ == "__main__":
    app()
