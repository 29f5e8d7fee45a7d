"""What is remembered of the data and the day that a model came from."""

import os
import re
from datetime import UTC, datetime
from typing import Any

from roctree._version import __version__
from roctree.files.section import Section
from roctree.fitted import Training

_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_MOST_ROWS = 1 << 53
_FIELDS = ("rows", "target", "date", "roctree")


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
