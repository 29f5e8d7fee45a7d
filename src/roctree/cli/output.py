"""Output of a command: a report with facts for ``--json``, and paragraphs and tables for people.

Tables are drawn by rich on a terminal and are plain text in a pipe.
"""

import json
import math
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from roctree.data import UnseenCategoriesWarning
from roctree.text import Alignment, escape_unprintable, text_table

# Numbers, ranges, and means with standard deviations.
_NUMERIC_CELL = re.compile(r"(?:[-+±\d.,%/ ]|inf|nan|to|only|never|optimal|e)*")


@dataclass(frozen=True)
class Table:
    """A table of strings; columns of numbers are aligned to the right."""

    head: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    title: str = ""

    def as_text(self) -> str:
        """Return the table without rules, with two spaces between columns."""
        lines = text_table(self.head, self.rows, self.sides())
        return "\n".join([self.title] * bool(self.title) + [lines]) + "\n"

    def as_rich(self) -> Any:
        """Return the table as rich draws it."""
        from rich import box
        from rich.table import Table as RichTable

        shown = RichTable(title=self.title or None, box=box.SIMPLE_HEAD, title_justify="left")
        for name, side in zip(self.head, self.sides(), strict=True):
            shown.add_column(escape_unprintable(name), justify=side)
        for row in self.rows:
            shown.add_row(*map(escape_unprintable, row))
        return shown

    def sides(self) -> list[Alignment]:
        """Return the alignment of each column."""
        columns = zip(*self.rows, strict=True) if self.rows else [[""]] * len(self.head)
        numeric = (any(column) and all(map(_NUMERIC_CELL.fullmatch, column)) for column in columns)
        return ["right" if each else "left" for each in numeric]


@dataclass(frozen=True)
class Report:
    """The result of a command.

    Parameters
    ----------
    facts : mapping
        The result for machines, printed as JSON.
    shown : sequence of str or Table
        The result for people.
    """

    facts: Mapping[str, Any]
    shown: Sequence[str | Table] = field(default_factory=tuple)

    def print(self, as_json: bool) -> None:
        """Print the report to standard output."""
        if as_json:
            print(_json(json_value(self.facts)))
            return
        if not sys.stdout.isatty():
            for part in self.shown:
                print(part if isinstance(part, str) else part.as_text())
            return
        from rich.console import Console

        console = Console(markup=False, highlight=False)
        for part in self.shown:
            if isinstance(part, str):
                console.print(part, soft_wrap=True)
            else:
                console.print(part.as_rich())


def _json(facts: Any) -> str:
    """Return JSON; characters that standard output cannot encode are escaped."""
    text = json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(facts, indent=2, allow_nan=False)
    return text


def json_value(value: Any) -> Any:
    """Return a value as JSON can represent it; NaN and infinity become null."""
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # NumPy arrays and scalars
        return json_value(value.tolist())
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return repr(value)


@contextmanager
def merged_warnings() -> Iterator[None]:
    """Show each warning once, and one for all categories that are unseen in blocks of rows."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield
    messages = [each.message for each in found]
    unseen = [each for each in messages if isinstance(each, UnseenCategoriesWarning)]
    _warn_once(each for each in messages if each not in unseen)
    _warn_once(filter(None, [UnseenCategoriesWarning.merged(unseen)]))


@contextmanager
def distinct_warnings() -> Iterator[None]:
    """Show warnings once that several questions about the same rows repeat."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield
    _warn_once(each.message for each in found)


def _warn_once(messages: Iterable[Warning | str]) -> None:
    for message in {str(each): each for each in messages}.values():
        warnings.warn(message, stacklevel=3)
