"""How far long work is: told to a function, shown by a bar on a terminal, or to nobody."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

from roctree.errors import ParameterError

State = TypeVar("State")


def reporting(
    progress: bool | Callable[[State], Any],
    with_bar: Callable[[], AbstractContextManager[Callable[[State], Any]]],
) -> AbstractContextManager[Callable[[State], Any]]:
    """Return what is to be told how far the work is, as long as the context lasts.

    Parameters
    ----------
    progress : True for a bar, False for nothing, or a function to be told
    with_bar : makes the bar
    """
    if callable(progress):
        return nullcontext(progress)
    return with_bar() if progress else nullcontext(untold)


def untold(state: Any) -> None:
    """Tell nobody."""


def check_told(progress: Any) -> None:
    """Refuse to tell what is no function."""
    if progress is not None and not callable(progress):
        raise ParameterError(f"progress={progress!r} cannot be told: give a function, or None.")


@contextmanager
def bar(*columns: Any) -> Iterator[Any]:
    """Show a bar of rich on standard error, with a column for the time that is left.

    Nothing is shown where standard error is no terminal, and nothing is left at the end.

    Parameters
    ----------
    columns : of ``rich.progress``, before that of the time
    """
    # Rich takes longer to import than most of the library, and is seldom needed.
    from rich.console import Console
    from rich.progress import Progress, TimeRemainingColumn

    console = Console(stderr=True)
    is_seen = console.is_jupyter or console.file.isatty()
    with Progress(
        *columns, TimeRemainingColumn(), console=console, transient=True, disable=not is_seen
    ) as shown:
        yield shown
