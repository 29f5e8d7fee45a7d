"""Bars that show the progress of long-running work."""

from contextlib import contextmanager

import pytest

from roctree import progress
from roctree.progress import Progress, steps_bar

rich_progress = pytest.importorskip("rich.progress")


def test_the_bar_is_that_of_the_current_step(monkeypatch):
    drawn = []

    @contextmanager
    def bar(*columns):
        with rich_progress.Progress(*columns, disable=True) as shown:
            drawn.append(shown)
            yield shown

    monkeypatch.setattr(progress, "_rich_bar", bar)
    with steps_bar() as report:
        for state in (
            Progress("reading", 500, 2000, "rows"),
            Progress("reading", 2000, 2000, "rows"),
            Progress("growing", 3, None, "levels"),
        ):
            report(state)
            (task,) = [task for task in drawn[0].tasks if task.visible]
            assert task.description == state.step.capitalize()
            assert (task.completed, task.total) == (state.done, state.total)
    counted = [task.fields["counted"] for task in drawn[0].tasks]
    assert counted == ["2,000 of 2,000 rows", "3 levels"]
