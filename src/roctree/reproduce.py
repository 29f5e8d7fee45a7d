"""The command ``roctree reproduce``: the papers' tables, ours beside theirs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

if TYPE_CHECKING:
    from roctree.experiment.run import Changed


def reproduce(
    name: Annotated[str, typer.Argument(help="A table or figure, a paper, 'all', or 'list'.")],
    data: Annotated[
        str | None,
        typer.Option(help="Folder with a manifest, or 'openml'; without, what is built in."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for results and reports.")] = Path(
        "reproduction"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="One repeat instead of all.")] = False,
    jobs: Annotated[int, typer.Option(help="Number of processes; -1 for one a core.")] = -1,
    changed: Annotated[
        str, typer.Option(help="Results of before a change: 'refuse', 'keep' or run 'again'.")
    ] = "refuse",
) -> None:
    """Run the experiments of the papers, and write tables, figures and numbers."""
    from rich.console import Console

    from roctree.experiment.papers import REPRODUCTIONS, Setting, described, named
    from roctree.experiment.sources import source_of

    console = Console()
    if name == "list":
        for each, line in described().items():
            console.print(f"{each:18} {line}", highlight=False)
        return
    policy = cast("Changed", changed)  # checked when it is used
    setting = Setting(source_of(data), out, quick, jobs, policy, progress=console.is_terminal)
    for each in named(name):
        report = REPRODUCTIONS[each](setting)
        for table in report.tables:
            console.print(table.rich())
        for sentence in report.summary:
            console.print(f"- {sentence}", highlight=False)
        console.print(f"Written: {', '.join(map(str, report.write(out)))}\n", highlight=False)
