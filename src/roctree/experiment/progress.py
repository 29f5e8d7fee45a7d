"""A bar for a running study: what is done, what failed, and how long the rest will take."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar


class Progress(NamedTuple):
    """How far a study is: results that are there, failures among them, and all there will be."""

    done: int
    failed: int
    total: int


Report = Callable[[Progress], Any]


@contextmanager
def with_bar(console: Console | None = None) -> Iterator[Report]:
    """Show a bar while a study runs, beside what a command prints or on another console."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[failed]} failed"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, transient=True, console=console or Console(stderr=True)) as bar:
        task = bar.add_task("Fitting", failed=0)
        yield lambda now: bar.update(task, completed=now.done, total=now.total, failed=now.failed)


@contextmanager
def silent(report: Report) -> Iterator[Report]:
    """Give a function as it is."""
    yield report
