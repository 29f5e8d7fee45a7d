"""What a command has to say: tables for people, plain where a pipe reads them, or JSON."""

import json
import math
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from roctree.data.unseen import UnseenCategoriesWarning
from roctree.table import Side, on_one_line
from roctree.table import as_text as table_as_text

# Numbers, ranges, and means with deviations.
_NUMBERS = re.compile(r"(?:[-+±\d.,%/ ]|inf|nan|to|only|never|optimal|e)*")


@dataclass(frozen=True)
class Table:
    """A table of texts; columns whose cells are all numbers are set to the right."""

    head: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    title: str = ""


@dataclass(frozen=True)
class Report:
    """What a command has found out.

    Parameters
    ----------
    facts : for machines
    shown : for people, paragraphs and tables; empty if there is nothing to say
    """

    facts: Mapping[str, Any]
    shown: Sequence[str | Table] = field(default_factory=tuple)


def show(report: Report, as_json: bool) -> None:
    """Print a report."""
    if as_json:
        print(_json(_plain(report.facts)))
        return
    for part in report.shown:
        if sys.stdout.isatty():
            _show_rich(part)
        else:
            print(part if isinstance(part, str) else as_text(part))


def _json(facts: Any) -> str:
    """Return JSON in the letters of standard output, escapes where it lacks some."""
    text = json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(facts, indent=2, allow_nan=False)
    return text


def as_text(table: Table) -> str:
    """Return a table without lines, the columns two blanks apart."""
    lines = table_as_text(table.head, table.rows, _sides(table))
    return "\n".join([table.title] * bool(table.title) + [lines]) + "\n"


@contextmanager
def told_once() -> Iterator[None]:
    """Tell once, and of all rows, what blocks of rows are warned of one after the other."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield
    messages = [each.message for each in found]
    unseen = [each for each in messages if isinstance(each, UnseenCategoriesWarning)]
    _tell(each for each in messages if each not in unseen)
    _tell(filter(None, [UnseenCategoriesWarning.of_all(unseen)]))


@contextmanager
def told_of_one_block() -> Iterator[None]:
    """Tell once what several questions about the same rows are warned of."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield
    _tell(each.message for each in found)


def _tell(messages: Iterable[Warning | str]) -> None:
    for message in {str(each): each for each in messages}.values():
        warnings.warn(message, stacklevel=3)


def _show_rich(part: str | Table) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable

    console = Console(markup=False, highlight=False)
    if isinstance(part, str):
        console.print(part, soft_wrap=True)
        return
    shown = RichTable(title=part.title or None, box=box.SIMPLE_HEAD, title_justify="left")
    for name, side in zip(part.head, _sides(part), strict=True):
        shown.add_column(on_one_line(name), justify=side)
    for row in part.rows:
        shown.add_row(*map(on_one_line, row))
    console.print(shown)


def _sides(table: Table) -> list[Side]:
    columns = zip(*table.rows, strict=True) if table.rows else [[""]] * len(table.head)
    numbers = (any(column) and all(map(_NUMBERS.fullmatch, column)) for column in columns)
    return ["right" if numeric else "left" for numeric in numbers]


def _plain(value: Any) -> Any:
    """Return what JSON can say: lists and numbers of Python, null for what is no number."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # numpy's arrays and numbers
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return repr(value)
