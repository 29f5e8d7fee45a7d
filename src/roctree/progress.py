"""Progress of long-running work: a callback, a progress bar, or nothing.

Functions that may run for minutes take a parameter ``progress``. ``True`` shows a bar on standard
error, ``False`` shows nothing, and a function is called with the current state at every step:

>>> def work(progress=False):
...     with progress_callback(progress, steps_bar) as report:
...         for done in range(3):
...             report(Progress("counting", done, 2, "rows"))
>>> work(progress=print)
Progress(step='counting', done=0, total=2, unit='rows')
Progress(step='counting', done=1, total=2, unit='rows')
Progress(step='counting', done=2, total=2, unit='rows')

Bars are drawn by rich, an optional dependency that is imported when a bar is shown.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple, TypeVar

from roctree.errors import ParameterError, require_rich

State = TypeVar("State")
Callback = Callable[[State], Any]
CountCallback = Callable[[int, int], Any]


class Progress(NamedTuple):
    """Progress of growing a tree from large data.

    Parameters
    ----------
    step : str
        "reading" for bins and categories, then "coding", then "growing".
    done : int
        Amount of the step that is finished.
    total : int or None
        Amount of the whole step; None if it is unknown, such as the depth of a tree.
    unit : str
        Unit of ``done`` and ``total``: "rows", "partitions" or "levels".

    Examples
    --------
    >>> Progress("growing", 3, None, "levels").step
    'growing'
    """

    step: str
    done: int
    total: int | None
    unit: str


class StudyProgress(NamedTuple):
    """Progress of an experiment: results so far, failures among them, and results in total."""

    done: int
    failed: int
    total: int


def progress_callback(
    progress: bool | Callback[State],
    bar: Callable[[], AbstractContextManager[Callback[State]]],
) -> AbstractContextManager[Callback[State]]:
    """Return a context manager whose value is called with each state of the work.

    Parameters
    ----------
    progress : bool or callable
        True for a bar, False for nothing, or the callback itself.
    bar : callable
        Opens the bar: ``steps_bar`` or ``study_bar``.
    """
    if callable(progress):
        return nullcontext(progress)
    return bar() if progress else nullcontext(ignore_progress)


def ignore_progress(*state: Any) -> None:
    """Progress callback that does nothing."""


def check_callback(progress: object) -> None:
    """Raise ``ParameterError`` unless ``progress`` is a function or None."""
    if progress is not None and not callable(progress):
        raise ParameterError(f"progress={progress!r} must be a function or None.")


@contextmanager
def steps_bar() -> Iterator[Callback[Progress]]:
    """Show a bar for the current step of growing a tree."""
    require_rich("A progress bar")
    from rich.progress import BarColumn, TextColumn

    counted = TextColumn("{task.fields[counted]}")
    with _rich_bar(TextColumn("{task.description}"), BarColumn(), counted) as shown:
        tasks: dict[str, Any] = {}

        def report(now: Progress) -> None:
            # One task per step, so that the remaining time is that of the step.
            if now.step not in tasks:
                for finished in tasks.values():
                    shown.update(finished, visible=False)
                tasks[now.step] = shown.add_task(now.step.capitalize(), total=now.total, counted="")
            of_total = "" if now.total is None else f" of {now.total:,}"
            shown.update(
                tasks[now.step],
                completed=now.done,
                total=now.total,
                counted=f"{now.done:,}{of_total} {now.unit}",
            )

        yield report


@contextmanager
def study_bar() -> Iterator[Callback[StudyProgress]]:
    """Show a bar for an experiment: results, failures and the remaining time."""
    require_rich("A progress bar")
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn

    failed = TextColumn("{task.fields[failed]} failed")
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), failed
    with _rich_bar(*columns) as shown:
        task = shown.add_task("Fitting", failed=0)
        yield lambda now: shown.update(task, completed=now.done, total=now.total, failed=now.failed)


@contextmanager
def count_bar(description: str) -> Iterator[CountCallback]:
    """Show a bar whose callback takes the finished and the total number."""
    if not sys.stderr.isatty():
        yield ignore_progress
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn

    with _rich_bar(TextColumn(description), BarColumn(), MofNCompleteColumn()) as shown:
        task = shown.add_task(description, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)


@contextmanager
def spinner(description: str) -> Iterator[None]:
    """Show on a terminal what is being done, for work of unknown length."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{description} …"):
        yield


@contextmanager
def _rich_bar(*columns: Any) -> Iterator[Any]:
    """Show a bar of rich on standard error, with a last column for the remaining time.

    The bar is removed at the end. Nothing is shown if standard error is not a terminal.
    """
    from rich.console import Console
    from rich.progress import Progress as RichProgress
    from rich.progress import TimeRemainingColumn

    console = Console(stderr=True)
    is_seen = console.is_jupyter or console.file.isatty()
    with RichProgress(
        *columns, TimeRemainingColumn(), console=console, transient=True, disable=not is_seen
    ) as shown:
        yield shown
