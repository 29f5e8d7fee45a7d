"""The papers' tables, ours beside theirs."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from roctree.cli.options import Changed, Report, command
from roctree.cli.output import Table

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="A table or figure, a paper, 'all' of the papers, 'quality', or 'list'.",
    ),
]
Folder = Annotated[
    str | None,
    typer.Option(
        metavar="FOLDER", help="Folder with a manifest, or 'openml'; without, what is built in."
    ),
]
Out = Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for results and reports.")]
Quick = Annotated[
    bool, typer.Option("--quick", help="One repeat instead of all; of bootstrap samples a tenth.")
]
Jobs = Annotated[
    int, typer.Option(metavar="NUMBER", help="Number of processes; -1 for one a core.")
]


@command()
def reproduce(
    name: Name,
    data: Folder = None,
    out: Out = Path("reproduction"),
    quick: Quick = False,
    jobs: Jobs = -1,
    changed: Changed = "refuse",
) -> Report:
    """Run the experiments of the papers, and write tables, figures and numbers.

    Example:
      roctree reproduce list
    """
    from roctree.experiment.papers import Setting, described, named, source_of

    if name == "list":
        known = described()
        return Report(known, [Table(("name", "what it is"), list(known.items()))])
    chosen, source, progress = named(name), source_of(data), sys.stderr.isatty()
    together = len(chosen) > 1
    setting = Setting(source, out, quick, jobs, changed, progress=progress, together=together)  # type: ignore[arg-type]
    facts: dict[str, Any] = {}
    shown: list[str | Table] = []
    for each in chosen:
        shown += _run(each, setting, facts)
    return Report(facts, shown)


def _run(name: str, setting: Any, facts: dict[str, Any]) -> list[str | Table]:
    """Run one of the experiments, enter what it found, and return what to show of it."""
    from roctree.experiment.papers import REPRODUCTIONS, MissingDataError

    try:
        found = REPRODUCTIONS[name](setting)
    except MissingDataError as error:
        if not setting.together:
            raise
        return [f"{name} is not run: {error}\n"]
    files = ", ".join(map(str, found.write(setting.folder)))
    facts[name] = json.loads(found.json())
    tables = [Table(tuple(table.columns), table.cells, table.title) for table in found.tables]
    return [*tables, *(f"- {sentence}" for sentence in found.summary), f"Written: {files}\n"]
