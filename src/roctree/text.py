"""Formatting of text: small tables, counts with their nouns, quoted names, suggestions.

A table is a row of headings and rows of cells, all of them strings. It can be written as text, as
HTML for a notebook, as a ``rich`` table for a terminal, or as a data frame of pandas or polars.
"""

import html
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any, ClassVar, Literal

from roctree.errors import require_rich

Alignment = Literal["left", "right"]
# Names cut to fewer letters are unrecognisable.
_MIN_LETTERS = 4

# The label of cases that an operating point does not decide.
UNDECIDED = "undecided"


def text_table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    align: Alignment | Sequence[Alignment] = "right",
) -> str:
    """Return a table as text with aligned columns.

    Parameters
    ----------
    head : sequence of str
        Names of the columns.
    rows : iterable of sequence of str
        One cell for each column.
    align : {"left", "right"} or a sequence of these
        Alignment of all columns, or of each.

    Examples
    --------
    >>> print(text_table(["leaf", "cases"], [["1", "120"], ["12", "8"]]))
    leaf  cases
       1    120
      12      8
    """
    cells = [list(map(escape_unprintable, row)) for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    sides = _alignments(head, align)
    lines = (
        "  ".join(
            cell.rjust(width) if side == "right" else cell.ljust(width)
            for cell, width, side in zip(row, widths, sides, strict=True)
        )
        for row in cells
    )
    return "\n".join(line.rstrip() for line in lines)


def html_table(
    head: Sequence[str], rows: Iterable[Sequence[str]], caption: str | None = None
) -> str:
    """Return a table as HTML; markup in the cells is escaped."""

    def row(tag: str, cells: Sequence[str]) -> str:
        return "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells)

    title = "" if caption is None else f"<caption>{html.escape(caption)}</caption>"
    body = "".join(f"<tr>{row('td', cells)}</tr>" for cells in rows)
    return f"<table>{title}<thead><tr>{row('th', head)}</tr></thead><tbody>{body}</tbody></table>"


def rich_table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    title: str | None = None,
    align: Alignment | Sequence[Alignment] = "right",
) -> Any:
    """Return a ``rich.table.Table``; markup in the cells is escaped."""
    require_rich("This table")
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    table = Table(title=None if title is None else escape(title))
    for name, side in zip(head, _alignments(head, align), strict=True):
        table.add_column(escape(name), justify=side)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


class DisplayTable(ABC):
    """A table of results: as text, as HTML in a notebook, drawn by ``rich``, and as a data frame.

    A subclass has the values by column (``columns``) and the same as text (``head`` and ``cells``).
    """

    # Alignment of the columns in text and on terminals.
    sides: ClassVar[Alignment | Sequence[Alignment]] = "right"

    @abstractmethod
    def columns(self) -> Mapping[str, Any]:
        """Return the columns of the table by name."""

    @property
    @abstractmethod
    def head(self) -> Sequence[str]:
        """Headings of the columns of ``cells``."""

    @abstractmethod
    def cells(self) -> Sequence[Sequence[str]]:
        """Return the table as text, one list of cells per line."""

    @property
    def caption(self) -> str | None:
        """What the table shows, in one line."""
        return None

    @property
    def note(self) -> str:
        """Lines below the text."""
        return ""

    def _shown(self) -> Sequence[Sequence[str]]:
        return self.cells()

    def to_text(self) -> str:
        """Return the table as text.

        Returns
        -------
        str

        Examples
        --------
        >>> from roctree.roc import Curve
        >>> curve = Curve.from_leaves([0.9, 0.2], [8, 3], [2, 9])
        >>> print(curve.reliability().to_text())
        score    cases  positives  probability          interval
        0.2         12          3       0.2500  0.0889 to 0.5323
        0.9         10          8       0.8000  0.4902 to 0.9433
        """
        return text_table(self.head, self.cells(), self.sides)

    def to_pandas(self) -> Any:
        """Return the table as a pandas data frame.

        Returns
        -------
        pandas.DataFrame

        Examples
        --------
        >>> from roctree.roc import Curve
        >>> curve = Curve.from_leaves([0.9, 0.6, 0.2], [8, 4, 3], [2, 4, 9])
        >>> curve.reliability().to_pandas().shape
        (3, 7)
        """
        return data_frame("pandas", self.columns())

    def to_polars(self) -> Any:
        """Return the table as a polars data frame.

        Returns
        -------
        polars.DataFrame

        Examples
        --------
        >>> from roctree.roc import Curve
        >>> curve = Curve.from_leaves([0.9, 0.6, 0.2], [8, 4, 3], [2, 4, 9])
        >>> curve.reliability().to_polars().shape
        (3, 7)
        """
        return data_frame("polars", self.columns())

    def __repr__(self) -> str:
        text = text_table(self.head, self._shown(), self.sides)
        return "\n".join(filter(None, [self.caption, text, self.note]))

    def __rich__(self) -> Any:
        return rich_table(self.head, self._shown(), self.caption, self.sides)

    def _repr_html_(self) -> str:
        return html_table(self.head, self._shown(), self.caption)


def data_frame(library: Literal["pandas", "polars"], columns: Mapping[str, Any]) -> Any:
    """Return columns as a data frame of pandas or polars, which must be installed."""
    try:
        found = import_module(library)
    except ImportError:
        raise ImportError(
            f"Data frames of {library} need {library}: pip install {library}."
        ) from None
    return found.DataFrame(columns)


def quote_if_needed(value: Any, *, within_list: bool = False) -> str:
    """Return a name, in quotes if it could be misread.

    >>> ", ".join(quote_if_needed(name, within_list=True) for name in ["red", "red, dark", ""])
    "red, 'red, dark', ''"
    """
    text = str(value)
    clear = text.isprintable() and text == text.strip() and text != ""
    if within_list:
        clear = clear and not any(mark in text for mark in ",{}")
    return text if clear else repr(text)


def pluralize(number: int, one: str, several: str | None = None) -> str:
    """Return a number with its noun, whose plural may be irregular.

    >>> pluralize(1, "leaf", "leaves"), pluralize(3, "row")
    ('1 leaf', '3 rows')
    """
    return f"{number} {one if number == 1 else several or f'{one}s'}"


def escape_unprintable(text: str) -> str:
    """Return text with unprintable characters, such as line ends, replaced by escapes."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def first_line(error: Exception) -> str:
    """Return the first line of the message of another library, which may quote a file."""
    text = str(error).splitlines()[0][:300].rstrip(".") if str(error) else type(error).__name__
    return escape_unprintable(text)


def shorten(text: str, length: int, name: str = "") -> str:
    """Return a text of at most ``length`` letters.

    A leading name is cut first, because the rest distinguishes branches.

    >>> shorten("worst fractal dimension <= 0.51", 20, name="worst fractal dimension")
    'worst fract… <= 0.51'
    >>> shorten("Kuala Lumpur", 8)
    'Kuala L…'
    """
    if len(text) <= length:
        return text
    rest = text.removeprefix(name)
    room = length - 1 - len(rest)
    if rest != text and room >= _MIN_LETTERS:
        return f"{name[:room]}…{rest}"
    return text[: length - 1] + "…"


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """Return a parenthesis that suggests the known name most similar to this one, or nothing.

    >>> did_you_mean("gino", ["gini", "auc"])
    " (did you mean 'gini'?)"
    >>> did_you_mean("CHURNED", ["churned", "stayed"])
    " (did you mean 'churned'?)"
    """
    if not isinstance(name, str):
        return ""
    by_fold = {each.casefold(): each for each in known}
    found = get_close_matches(name.casefold(), by_fold, n=1)
    return f" (did you mean {by_fold[found[0]]!r}?)" if found else ""


def _alignments(head: Sequence[str], align: Alignment | Sequence[Alignment]) -> Sequence[Alignment]:
    return [align] * len(head) if isinstance(align, str) else align
