"""What a reproduction is run with: data, folder, and how much of the full experiment."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from roctree.errors import DataError
from roctree.experiment.designs import Design
from roctree.experiment.plan import Plan
from roctree.experiment.results import Results
from roctree.experiment.run import Changed, run
from roctree.experiment.sources import Problem, Source, UnknownDataSetError


class MissingDataError(DataError):
    """None of the data sets that a table or figure needs is there."""


@dataclass(frozen=True)
class Row:
    """A data set of a paper's table.

    Parameters
    ----------
    number : in the paper, or its label where it has no number
    label : as the paper has it
    problem : our copy
    """

    number: str
    label: str
    problem: Problem


@dataclass(frozen=True)
class Setting:
    """How to reproduce.

    Parameters
    ----------
    source : where data come from
    folder : for results and reports
    quick : one repeat instead of all
    n_jobs : number of processes
    changed : what to do with results from before a change
    progress : whether to show a bar
    together : whether several tables of a paper are wanted, so that what they need is better run
        at once, with every tree grown but once
    """

    source: Source
    folder: Path
    quick: bool = False
    n_jobs: int | None = None
    changed: Changed = "refuse"
    progress: bool = False
    together: bool = False

    def rows(self, paper: str) -> tuple[list[Row], list[str]]:
        """Return the data sets of a paper that the source has, and the labels of the others.

        A data set that is there and cannot be read is an error: it is not to be left out silently.
        """
        found, absent, why = [], [], ""
        for number, label, name in published()["data_sets"][paper]:
            try:
                problem = self.source.load(name)
            except UnknownDataSetError as error:
                absent.append(label)
                why = why or str(error)
            else:
                found.append(Row(label if number is None else str(number), label, problem))
        if not found:
            raise MissingDataError(
                f"None of the data sets of {paper} is there: give a folder that has them, --data. "
                f"The first is missed because: {why}"
            )
        return found, absent

    def design(self, full: Design) -> Design:
        """Return the paper's design, or its quick version."""
        return full.quick() if self.quick else full

    def run(
        self,
        name: str,
        problems: list[Problem],
        configurations: Mapping[str, Any],
        design: Design,
        metrics: Any,
    ) -> Results:
        """Run what is missing of a study, in a file of that name."""
        plan = Plan.of(problems, configurations, self.design(design), metrics)
        return run(
            plan,
            self.folder / f"{name}{'-quick' * self.quick}.sqlite",
            n_jobs=self.n_jobs,
            changed=self.changed,
            progress=self.progress,
        )


def missing_sentence(absent: list[str]) -> list[str]:
    """Return a sentence about data sets that are not there, if any are."""
    return [f"Not in the data given: {', '.join(absent)}."] if absent else []


@cache
def published() -> dict[str, Any]:
    """Return the numbers that the papers print."""
    text = files("roctree.experiment.papers").joinpath("published.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
