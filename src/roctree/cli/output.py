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
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from roctree.text import Alignment, escape_unprintable, text_table
from roctree.tree.text import WHOLE_TREE_LEAVES

if TYPE_CHECKING:
    from roctree.fitted import FittedModel

# Numbers, ranges, and means with standard deviations.
_NUMERIC_CELL = re.compile(r"(?:[-+±∞\d.,%/ ]|nan|to|or more|only|never|optimal|none|e)*")


@dataclass(frozen=True)
class ReportTable:
    """A table of strings; columns of numbers are aligned to the right.

    Parameters
    ----------
    head : tuple of str
    rows : sequence of rows
    title : str
    styles : mapping from (row, column) to str
        Styles of cells on a terminal, as rich names them.
    """

    head: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    title: str = ""
    styles: Mapping[tuple[int, int], str] = field(default_factory=dict)

    def as_text(self) -> str:
        """Return the table without rules, with two spaces between columns."""
        lines = text_table(self.head, self.rows, self.sides())
        return "\n".join([self.title] * bool(self.title) + [lines]) + "\n"

    def as_rich(self) -> Any:
        """Return the table as rich draws it."""
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        shown = RichTable(title=self.title or None, box=box.SIMPLE_HEAD, title_justify="left")
        for name, side in zip(self.head, self.sides(), strict=True):
            shown.add_column(escape_unprintable(name), justify=side)
        for i, row in enumerate(self.rows):
            cells = (
                Text(escape_unprintable(cell), self.styles.get((i, j), ""))
                for j, cell in enumerate(row)
            )
            shown.add_row(*cells)
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
    shown : sequence of str or ReportTable
        The result for people.
    """

    facts: Mapping[str, Any]
    shown: Sequence[str | ReportTable] = field(default_factory=tuple)

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


STANDARD_OUTPUT = "-"


@contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """Open a file for writing, or standard output; a file appears once it is complete."""
    if path == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    from roctree.files.atomic import whole_file

    with whole_file(Path(path)) as file:
        yield file


# Larger trees than WHOLE_TREE_LEAVES are shown down to this depth.
SHOWN_DEPTH = 3


def shown_tree(model: "FittedModel", max_depth: int | None = None) -> str:
    """Return a tree as text: down to a depth, or as far as its size allows."""
    if max_depth is None and model.n_leaves > WHOLE_TREE_LEAVES:
        max_depth = SHOWN_DEPTH
    return model.to_text(max_depth=max_depth)


@contextmanager
def merged_warnings() -> Iterator[None]:
    """Show each warning once, and one for all categories that are unseen in blocks of rows."""
    from roctree.data import UnseenCategoriesWarning

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield
    messages = [each.message for each in found]
    unseen = [each for each in messages if isinstance(each, UnseenCategoriesWarning)]
    _warn_once(each for each in messages if each not in unseen)
    _warn_once(filter(None, [UnseenCategoriesWarning.merged(unseen)]))


@contextmanager
def distinct_warnings() -> Iterator[None]:
    """Show each warning once, even if several results of the same rows repeat it."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield
    _warn_once(each.message for each in found)


def _warn_once(messages: Iterable[Warning | str]) -> None:
    for message in {str(each): each for each in messages}.values():
        warnings.warn(message, stacklevel=3)
