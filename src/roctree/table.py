"""Small tables for people: as text, for a notebook, for a terminal, or as another library's frame.

A table is a line of headings and lines of cells, all of them text.
"""

import html
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, Literal

Cells = Sequence[str]
Side = Literal["left", "right"]


def as_text(head: Cells, rows: Iterable[Cells], align: Side | Sequence[Side] = "right") -> str:
    """Return the table with its columns aligned.

    Parameters
    ----------
    head : names of the columns
    rows : a cell for each column
    align : to which side, all or each of the columns

    Examples
    --------
    >>> print(as_text(["leaf", "cases"], [["1", "120"], ["12", "8"]]))
    leaf  cases
       1    120
      12      8
    """
    cells = [list(map(on_one_line, row)) for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ("  ".join(map(_placed, row, widths, _sides(head, align))) for row in cells)
    return "\n".join(line.rstrip() for line in lines)


def as_html(head: Cells, rows: Iterable[Cells], caption: str | None = None) -> str:
    """Return the table for a page; whatever the cells say is shown, never obeyed."""
    title = "" if caption is None else f"<caption>{html.escape(caption)}</caption>"
    body = "".join(f"<tr>{_marked('td', row)}</tr>" for row in rows)
    head_row = f"<thead><tr>{_marked('th', head)}</tr></thead>"
    return f"<table>{title}{head_row}<tbody>{body}</tbody></table>"


def as_rich(
    head: Cells,
    rows: Iterable[Cells],
    title: str | None = None,
    align: Side | Sequence[Side] = "right",
) -> Any:
    """Return the table for a terminal, to be printed by rich; names are no markup."""
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    table = Table(title=None if title is None else escape(title))
    for name, side in zip(head, _sides(head, align), strict=True):
        table.add_column(escape(name), justify=side)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def as_frame(library: Literal["pandas", "polars"], columns: Mapping[str, Any]) -> Any:
    """Return columns as a data frame of a library, where that is installed."""
    try:
        found = import_module(library)
    except ImportError:
        raise ImportError(
            f"Tables become data frames of {library} only where it is installed: "
            f"pip install {library}."
        ) from None
    return found.DataFrame(columns)


def plain(value: Any, *, within_list: bool = False) -> str:
    """Return a name as it is, in quotes if it could be mistaken for something else.

    >>> ", ".join(plain(name, within_list=True) for name in ["red", "red, dark", ""])
    "red, 'red, dark', ''"
    """
    text = str(value)
    clear = text.isprintable() and text == text.strip() and text != ""
    if within_list:
        clear = clear and not any(mark in text for mark in ",{}")
    return text if clear else repr(text)


def amount(number: int, one: str, several: str | None = None) -> str:
    """Return a number with what it counts, of which the plural may be irregular.

    >>> amount(1, "leaf", "leaves"), amount(3, "row")
    ('1 leaf', '3 rows')
    """
    return f"{number} {one if number == 1 else several or f'{one}s'}"


def on_one_line(text: str) -> str:
    """Return text as it is, but for escapes of what cannot be printed, such as line ends."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def _sides(head: Cells, align: Side | Sequence[Side]) -> Sequence[Side]:
    return [align] * len(head) if isinstance(align, str) else align


def _placed(cell: str, width: int, side: Side) -> str:
    return cell.rjust(width) if side == "right" else cell.ljust(width)


def _marked(tag: str, cells: Cells) -> str:
    return "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells)
