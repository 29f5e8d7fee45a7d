"""A bar for a running study: what is done, what failed, and how long the rest will take."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from roctree.progress import bar


class Progress(NamedTuple):
    """How far a study is: results that are there, failures among them, and all there will be."""

    done: int
    failed: int
    total: int


Report = Callable[[Progress], Any]


@contextmanager
def with_bar() -> Iterator[Report]:
    """Show a bar while a study runs."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn

    failed = TextColumn("{task.fields[failed]} failed")
    with bar(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), failed) as shown:
        task = shown.add_task("Fitting", failed=0)
        yield lambda now: shown.update(task, completed=now.done, total=now.total, failed=now.failed)
