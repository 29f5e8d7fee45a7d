"""The report of a reproduction: tables, a summary, figures, and the numbers as JSON."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roctree.experiment import Table
from roctree.files.atomic import write_whole

# A standard deviation that is printed as 0.0 counts as this.
MIN_DEVIATION = 0.1
OUTSIDE = "Outside one SD"


@dataclass(frozen=True)
class StudyReport:
    """The report of a reproduction.

    Parameters
    ----------
    name : str
        Name of the reproduction and of its files.
    title : str
        Title of the page.
    tables : sequence of Table
        Published numbers beside ours.
    summary : sequence of str
        Sentences.
    figures : mapping, default={}
        SVG text by name.
    numbers : object, default=None
        Further numbers for the JSON file.
    """

    name: str
    title: str
    tables: Sequence[Table]
    summary: Sequence[str]
    figures: Mapping[str, str] = field(default_factory=dict)
    numbers: Any = None

    def markdown(self) -> str:
        """Return the report as a Markdown page."""
        parts = [f"# {self.title}\n", *(f"- {sentence}" for sentence in self.summary), ""]
        parts += [table.markdown() for table in self.tables]
        parts += [f"![{name}]({self.name}-{name}.svg)\n" for name in self.figures]
        return "\n".join(parts)

    def write(self, folder: Path) -> list[Path]:
        """Write the page, the JSON file and the figures, each file atomically."""
        contents = {f"{self.name}.md": self.markdown(), f"{self.name}.json": self.json()}
        contents |= {f"{self.name}-{name}.svg": svg for name, svg in self.figures.items()}
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in contents.items():
            write_whole(folder / name, text.encode())
        return [folder / name for name in contents]

    def json(self) -> str:
        """Return summary, tables and numbers as JSON; NaN becomes null."""
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
        return json.dumps(_json_value(content), indent=1, ensure_ascii=False) + "\n"


@dataclass(frozen=True)
class PaperNumber:
    """A printed number beside ours."""

    paper: float
    deviation: float | None
    ours: float

    @classmethod
    def beside(cls, printed: Sequence[float | None], ours: float) -> "PaperNumber":
        """Return ours beside a printed mean and standard deviation, which may be None."""
        mean, deviation = printed
        return cls(math.nan if mean is None else mean, deviation, ours)

    @property
    def distance(self) -> float:
        """Difference from the paper in printed standard deviations; NaN without one."""
        if self.deviation is None:
            return math.nan
        return (self.ours - self.paper) / (self.deviation or MIN_DEVIATION)

    @property
    def within(self) -> bool:
        """Whether ours is within one printed standard deviation."""
        return abs(self.distance) <= 1.0


def compared(
    title: str, rows: Mapping[str, Mapping[str, PaperNumber]], *, digits: int = 1
) -> Table:
    """Return a table of all entries: paper, ours and distance for each column.

    Parameters
    ----------
    title : str
        Title of the table.
    rows : mapping
        For each data set, the entries by column.
    digits : int, default=1
        Number of decimals.
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
    rows: Mapping[str, Mapping[str, PaperNumber]],
    chosen: Callable[[PaperNumber], bool],
    *,
    digits: int = 1,
) -> Table:
    """Return a table with one line per selected entry.

    Parameters
    ----------
    title : str
        Title of the table.
    rows : mapping
        For each data set, the entries by column.
    chosen : callable
        Whether to list an entry.
    digits : int, default=1
        Number of decimals.
    """
    lines = [
        [label, column, *_parts(entry, digits)]
        for label, entries in rows.items()
        for column, entry in entries.items()
        if chosen(entry)
    ]
    return Table(("data set", "column", "paper", "ours", "SDs"), lines, title=title, digits=digits)


def outside(rows: Mapping[str, Mapping[str, PaperNumber]]) -> Table:
    """Return the entries that differ by more than one printed standard deviation."""
    return listed(OUTSIDE, rows, lambda entry: entry.deviation is not None and not entry.within)


def within(rows: Mapping[str, Mapping[str, PaperNumber]], column: str) -> str:
    """Say how many rows of a column are within one printed standard deviation."""
    known = [entries[column] for entries in rows.values() if column in entries]
    known = [entry for entry in known if entry.deviation is not None]
    return f"{sum(entry.within for entry in known)} of {len(known)} rows within one SD"


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean, or NaN if there are no values."""
    if 0.0 in values:
        return 0.0
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def arithmetic_mean(values: Sequence[float]) -> float:
    """Return the mean, or NaN if there are no values."""
    return sum(values) / len(values) if values else math.nan


def _parts(entry: PaperNumber, digits: int) -> list[Any]:
    spread = "" if entry.deviation is None else f" ± {entry.deviation:.{digits}f}"
    distance = "" if math.isnan(entry.distance) else f"{entry.distance:+.1f}"
    return [f"{entry.paper:.{digits}f}{spread}", entry.ours, distance]


def _json_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _json_value(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
