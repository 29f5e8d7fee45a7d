"""How far the growth of a tree from large data is, and a bar that shows it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from roctree.progress import bar


class Progress(NamedTuple):
    """How far the growth of a tree from large data is.

    Parameters
    ----------
    step : "reading" for bins and categories, "coding", then "growing"
    done : what is finished of the step
    total : how much there is, None where that shows only at the end, as the depth of a tree does
    unit : what is counted: "rows", "partitions" or "levels"
    """

    step: str
    done: int
    total: int | None
    unit: str


Report = Callable[[Progress], Any]


@contextmanager
def with_bar() -> Iterator[Report]:
    """Show a bar for the step that is under way."""
    from rich.progress import BarColumn, TextColumn

    counted = TextColumn("{task.fields[counted]}")
    with bar(TextColumn("{task.description}"), BarColumn(), counted) as shown:
        tasks: dict[str, Any] = {}

        def tell(now: Progress) -> None:
            # A bar of its own for each step, so that the time left is that of the step.
            if now.step not in tasks:
                for finished in tasks.values():
                    shown.update(finished, visible=False)
                tasks[now.step] = shown.add_task(now.step.capitalize(), total=now.total, counted="")
            done, total = now.done, now.total
            shown.update(tasks[now.step], completed=done, total=total, counted=_counted(now))

        yield tell


def _counted(now: Progress) -> str:
    whole = "" if now.total is None else f" of {now.total:,}"
    return f"{now.done:,}{whole} {now.unit}"
