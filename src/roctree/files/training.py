"""What is remembered of the data and the day that a model came from."""

import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from roctree._version import __version__
from roctree.files.section import Section
from roctree.table import amount

_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_MOST_ROWS = 1 << 53
_FIELDS = ("rows", "target", "date", "roctree")


@dataclass(frozen=True)
class Training:
    """The training data in a line.

    Parameters
    ----------
    rows : number of rows that have weight
    target : name of what is predicted, where the labels had one
    date : when the model was first saved, in UTC; None before that, so that equal fits are equal
    version : release of the library that saved it first
    """

    rows: int
    target: str | None = None
    date: str | None = None
    version: str | None = None

    @classmethod
    def of(cls, n_rows: int, y: Any) -> "Training":
        """Remember the training data; y may be a named column of a data frame, or a name."""
        name = y if isinstance(y, str) else getattr(y, "name", None)
        return cls(n_rows, name if isinstance(name, str) and name else None)

    def __str__(self) -> str:
        known = amount(self.rows, "row")
        if self.target is not None:
            known += f", to predict {self.target!r}"
        return known


def plain(training: Training) -> dict[str, Any]:
    """Return it as values of JSON; the first time it gets its date."""
    return {
        "rows": training.rows,
        "target": training.target,
        "date": training.date or _now(),
        "roctree": training.version or __version__,
    }


def restored(section: Section, name: str) -> Training:
    """Return it from a section of a document."""
    found = section.section(name, _FIELDS)
    date = found.text("date")
    if not _DATE.fullmatch(date):
        found.refuse("date", "is no date such as 2026-01-31T12:00:00Z")
    target = found.text("target") if found.has("target") else None
    return Training(found.whole("rows", 1, _MOST_ROWS), target, date, found.text("roctree"))


def _now() -> str:
    """Return the time; that of SOURCE_DATE_EPOCH, if set, makes files the same to the byte."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(fixed), UTC) if fixed.isdigit() else datetime.now(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
