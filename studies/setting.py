"""How reproductions are run: data, folder, and how much of the full experiment."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from roctree.errors import DataError
from roctree.experiment import Plan, Problem, Results, UnknownDataSetError, run
from roctree.experiment.designs import Design
from roctree.experiment.run import IfChanged
from roctree.experiment.sources import ProblemSource
from roctree.experiment.store import Store

HOME = Path(__file__).parent


class MissingDataError(DataError):
    """The source has none of the data sets that a table or figure needs."""


@dataclass(frozen=True)
class PaperRow:
    """A data set in a table of a paper.

    Parameters
    ----------
    number : str
        Number in the paper, or the label if the paper has no numbers.
    label : str
        Name in the paper.
    problem : Problem
        Our copy.
    """

    number: str
    label: str
    problem: Problem


@dataclass(frozen=True)
class Setting:
    """Options of a reproduction.

    Parameters
    ----------
    source : ProblemSource
        Where the data come from.
    folder : Path
        Folder for results and reports.
    quick : bool, default=False
        One repeat instead of all, stored apart.
    repeats : int, default=None
        Number of repeats instead of the paper's; a later run with more of them adds to the results.
    n_jobs : int, default=None
        Number of processes.
    changed : {"refuse", "keep", "again"}, default="refuse"
        What to do with results from before a change.
    progress : bool, default=False
        Whether to show a progress bar.
    together : bool, default=False
        Whether several tables of a paper are wanted: their configurations are then run together,
        so that each tree is grown only once.
    stored : bool, default=False
        Whether to run nothing, and report stored results.
    """

    source: ProblemSource
    folder: Path
    quick: bool = False
    repeats: int | None = None
    n_jobs: int | None = None
    changed: IfChanged = "refuse"
    progress: bool = False
    together: bool = False
    stored: bool = False

    def rows(self, paper: str) -> tuple[list[PaperRow], list[str]]:
        """Return the data sets of a paper that the source has, and the labels of the others.

        A data set that exists and cannot be read is an error; it is not left out silently.
        """
        found, absent, reason = [], [], ""
        for number, label, name in published()["data_sets"][paper]:
            try:
                problem = self.source.load(name)
            except UnknownDataSetError as error:
                absent.append(label)
                reason = reason or str(error)
            else:
                found.append(PaperRow(label if number is None else str(number), label, problem))
        if not found:
            raise MissingDataError(
                f"The source has none of the data sets of {paper}: use --data to give another one. "
                f"The first is missing because: {reason}"
            )
        return found, absent

    def design(self, full: Design) -> Design:
        """Return the design of a paper, or its quick version, or one with other repeats."""
        if self.repeats is not None:
            return replace(full, repeats=self.repeats)  # type: ignore[type-var]
        return full.quick() if self.quick else full

    def with_repeats(self, repeats: int) -> "Setting":
        """Return the same setting with another number of repeats."""
        return replace(self, repeats=repeats)

    def results(
        self, name: str, problems: list[Problem], configurations: list[str], design: Design
    ) -> Results:
        """Return what is stored in the file of an experiment, finished or not."""
        store = Store(self._file(name))
        names = [problem.name for problem in problems]
        found = store.outcomes(names, configurations)
        ratio = self.design(design).test_ratio
        return Results(found, tuple(names), tuple(configurations), ratio)

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}{'-quick' * self.quick}.sqlite"

    def run(
        self,
        name: str,
        problems: list[Problem],
        configurations: Mapping[str, Any],
        design: Design,
        metrics: Any,
    ) -> Results:
        """Run what is missing of an experiment, in a file of this name."""
        if self.stored:
            return self.results(name, problems, list(configurations), design)
        plan = Plan.of(problems, configurations, self.design(design), metrics)
        return run(
            plan,
            self._file(name),
            n_jobs=self.n_jobs,
            changed=self.changed,
            progress=self.progress,
        )


def missing_data_note(absent: list[str]) -> list[str]:
    """Return a sentence about data sets that the source does not have, if there are any."""
    return [f"Not in the data given: {', '.join(absent)}."] if absent else []


@cache
def published() -> dict[str, Any]:
    """Return the numbers that the papers print."""
    found: dict[str, Any] = json.loads((HOME / "published.json").read_text("utf-8"))
    return found
