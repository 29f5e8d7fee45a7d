"""What a reproduction says: tables, a summary, figures, and the numbers for machines."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roctree.experiment.tables import Table
from roctree.files.atomic import write_whole

# Printed with one decimal, a standard deviation of 0.0 is anything below this.
LEAST_DEVIATION = 0.1
OUTSIDE = "Outside one SD"


@dataclass(frozen=True)
class Report:
    """The outcome of a reproduction.

    Parameters
    ----------
    name : of the reproduction, and of its files
    title : one line
    tables : paper and ours
    summary : sentences
    figures : SVG by name
    numbers : the same for machines, as JSON can have it
    """

    name: str
    title: str
    tables: Sequence[Table]
    summary: Sequence[str]
    figures: Mapping[str, str] = field(default_factory=dict)
    numbers: Any = None

    def markdown(self) -> str:
        """Return the report as a page."""
        parts = [f"# {self.title}\n", *(f"- {sentence}" for sentence in self.summary), ""]
        parts += [table.markdown() for table in self.tables]
        parts += [f"![{name}]({self.name}-{name}.svg)\n" for name in self.figures]
        return "\n".join(parts)

    def write(self, folder: Path) -> list[Path]:
        """Write the page, the numbers and the figures; each file whole or not at all."""
        contents = {f"{self.name}.md": self.markdown(), f"{self.name}.json": self.json()}
        contents |= {f"{self.name}-{name}.svg": svg for name, svg in self.figures.items()}
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in contents.items():
            write_whole(folder / name, text.encode())
        return [folder / name for name in contents]

    def json(self) -> str:
        """Return summary, tables and numbers as JSON; what is not a number is null."""
        content = {
            "name": self.name,
            "title": self.title,
            "summary": list(self.summary),
            "tables": [
                {
                    "title": table.title,
                    "columns": list(table.columns),
                    "rows": list(table.rows),
                    "digits": table.digits,
                }
                for table in self.tables
            ],
            "figures": list(self.figures),
            "numbers": self.numbers,
        }
        return json.dumps(_plain(content), indent=1, ensure_ascii=False) + "\n"


@dataclass(frozen=True)
class Entry:
    """One printed number beside ours."""

    paper: float
    deviation: float | None
    ours: float

    @classmethod
    def beside(cls, printed: Sequence[float | None], ours: float) -> "Entry":
        """Return ours beside a printed mean and its standard deviation, which may be None."""
        mean, deviation = printed
        return cls(math.nan if mean is None else mean, deviation, ours)

    @property
    def distance(self) -> float:
        """How many printed standard deviations ours is above the paper's; NaN without one."""
        if self.deviation is None:
            return math.nan
        return (self.ours - self.paper) / (self.deviation or LEAST_DEVIATION)

    @property
    def within(self) -> bool:
        """Whether ours is within one printed standard deviation."""
        return abs(self.distance) <= 1.0


def compared(title: str, rows: Mapping[str, Mapping[str, Entry]], *, digits: int = 1) -> Table:
    """Return a table with a row for each data set and, for each column, paper, ours and distance.

    Parameters
    ----------
    title : of the table
    rows : for each data set the entries by column
    digits : after the point
    """
    names = list(next(iter(rows.values()))) if rows else []
    columns = ["data set"]
    for name in names:
        columns += [f"{name}: paper", "ours", "SDs"]
    lines = [
        [label, *(part for entry in entries.values() for part in _parts(entry, digits))]
        for label, entries in rows.items()
    ]
    return Table(columns, lines, title=title, digits=digits)


def listed(
    title: str,
    rows: Mapping[str, Mapping[str, Entry]],
    chosen: Callable[[Entry], bool],
    *,
    digits: int = 1,
) -> Table:
    """Return a table with a line for each number that is chosen.

    Parameters
    ----------
    title : of the table
    rows : for each data set the entries by column
    chosen : which of them
    digits : after the point
    """
    lines = [
        [label, column, *_parts(entry, digits)]
        for label, entries in rows.items()
        for column, entry in entries.items()
        if chosen(entry)
    ]
    return Table(("data set", "column", "paper", "ours", "SDs"), lines, title=title, digits=digits)


def outside(rows: Mapping[str, Mapping[str, Entry]]) -> Table:
    """Return the numbers that are beyond one printed standard deviation."""
    return listed(OUTSIDE, rows, lambda entry: entry.deviation is not None and not entry.within)


def within(rows: Mapping[str, Mapping[str, Entry]], column: str) -> str:
    """Return how many rows of a column are within one printed standard deviation."""
    known = [entries[column] for entries in rows.values() if column in entries]
    known = [entry for entry in known if entry.deviation is not None]
    return f"{sum(entry.within for entry in known)} of {len(known)} rows within one SD"


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean, or NaN of nothing."""
    if 0.0 in values:
        return 0.0
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def arithmetic_mean(values: Sequence[float]) -> float:
    """Return the mean, or NaN of nothing."""
    return sum(values) / len(values) if values else math.nan


def _parts(entry: Entry, digits: int) -> list[Any]:
    spread = "" if entry.deviation is None else f" ± {entry.deviation:.{digits}f}"
    distance = "" if math.isnan(entry.distance) else f"{entry.distance:+.1f}"
    return [f"{entry.paper:.{digits}f}{spread}", entry.ours, distance]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
