"""Weka's files: attributes with their kinds, then rows, with quotes and question marks.

scipy's reader takes neither text attributes nor sparse rows, and gives bytes; the others that can
be installed are no longer kept up.
"""

import io
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from roctree.data.arrow import pa
from roctree.data.sources import Source
from roctree.data.spelling import Spelling
from roctree.errors import DataError

ROWS = 50_000
NUMBERS = ("numeric", "real", "integer")
_WORD = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_WORD}|[^\s{{]+)\s*(.+)", re.IGNORECASE)
_CELL = re.compile(rf"((?:{_WORD}|[^,])*)(?:,|$)")
_PAIR = re.compile(r"\s*(\d+)\s+(.*)", re.DOTALL)
_MISSING = "?"

Cell = str | None


class Attribute(NamedTuple):
    """Name, and declared categories; None of them for numbers, no declared ones for texts."""

    name: str
    categories: tuple[str, ...] | None


class Line(NamedTuple):
    """A line and its number, counting from 1."""

    number: int
    text: str


def batches(source: Source, spelling: Spelling) -> Iterator[Any]:
    """Yield the rows as tables of some thousand rows, at least one table."""
    lines = _lines(source, spelling)
    attributes = list(_attributes(lines, source.name))
    if not attributes:
        raise DataError(f"{source.name} has no attributes before @data: is it an ARFF file?")
    first = True
    while block := list(islice(lines, ROWS)) or first:
        rows = [] if block is True else block
        yield _table(attributes, rows, source.name)
        first = False


def _lines(source: Source, spelling: Spelling) -> Iterator[Line]:
    """The lines that say something."""
    text = io.TextIOWrapper(source.stream(), encoding=spelling.encoding)
    for number, line in enumerate(text, 1):
        bare = line.strip()
        if bare and not bare.startswith("%"):
            yield Line(number, bare)


def _attributes(lines: Iterator[Line], name: str) -> Iterator[Attribute]:
    for line in lines:
        word = line.text.split(None, 1)[0].lower()
        if word == "@data":
            return
        if word == "@attribute":
            yield _attribute(line, name)
        elif word != "@relation":
            raise DataError(f"{name}, line {line.number}: {word!r} is not known before @data.")


def _attribute(line: Line, name: str) -> Attribute:
    found = _ATTRIBUTE.fullmatch(line.text)
    if found is None:
        raise DataError(f"{name}, line {line.number}: give @attribute a name and a kind.")
    attribute, kind = _bare(found[1]), found[2].strip()
    if kind.startswith("{") and kind.endswith("}"):
        return Attribute(attribute, tuple(_bare(cell) for cell in _cells(kind[1:-1])))
    if kind.lower() in NUMBERS:
        return Attribute(attribute, None)
    if kind.split()[0].lower() in ("string", "date"):
        return Attribute(attribute, ())
    raise DataError(
        f"{name}, line {line.number}: {kind!r} is not known; attributes are numeric, real, "
        "integer, string, date, or categories in braces."
    )


def _table(attributes: list[Attribute], lines: list[Line], name: str) -> Any:
    rows = [_row(line, attributes, name) for line in lines]
    columns: list[list[Cell]] = [list(column) for column in zip(*rows, strict=True)]
    columns = columns or [[] for _ in attributes]

    def place(row: int) -> str:
        return f"{name}, line {lines[row].number}"

    arrays = [_array(*pair, place) for pair in zip(attributes, columns, strict=True)]
    return pa.table(arrays, names=[attribute.name for attribute in attributes])


def _row(line: Line, attributes: list[Attribute], name: str) -> list[Cell]:
    if line.text.startswith("{") and line.text.endswith("}"):
        return _sparse(line, attributes, name)
    cells = _cells(line.text)
    if len(cells) != len(attributes):
        raise DataError(
            f"{name}, line {line.number}: {len(cells)} values for {len(attributes)} attributes."
        )
    return [None if cell == _MISSING else _bare(cell) for cell in cells]


def _sparse(line: Line, attributes: list[Attribute], name: str) -> list[Cell]:
    """A row that lists what is not zero, or not the first category."""
    row: list[Cell] = [
        attribute.categories[0] if attribute.categories else "0" for attribute in attributes
    ]
    for cell in _cells(line.text[1:-1]):
        found = _PAIR.fullmatch(cell)
        if found is None or int(found[1]) >= len(attributes):
            raise DataError(
                f"{name}, line {line.number}: {cell!r} is no number of an attribute and a value."
            )
        row[int(found[1])] = None if found[2] == _MISSING else _bare(found[2])
    return row


def _cells(text: str) -> list[str]:
    if "'" not in text and '"' not in text:
        return [cell.strip() for cell in text.split(",")] if text.strip() else []
    found = _CELL.findall(text)
    # The pattern also finds the nothing after the last cell.
    return [cell.strip() for cell in (found if text.endswith(",") else found[:-1])]


def _bare(cell: str) -> str:
    if len(cell) < 2 or cell[0] not in "'\"" or cell[-1] != cell[0]:
        return cell
    return re.sub(r"\\(.)", r"\1", cell[1:-1])


def _array(attribute: Attribute, cells: list[Cell], place: Callable[[int], str]) -> Any:
    if attribute.categories is None:
        return pa.array([_number(cell, row, attribute, place) for row, cell in enumerate(cells)],
                        pa.float64())  # fmt: skip
    known = set(attribute.categories)
    if known and not known.issuperset(cell for cell in cells if cell is not None):
        row = next(i for i, cell in enumerate(cells) if cell is not None and cell not in known)
        raise DataError(f"{place(row)}: {cells[row]!r} is no category of {attribute.name!r}.")
    return pa.array(cells, pa.string())


def _number(
    cell: Cell, row: int, attribute: Attribute, place: Callable[[int], str]
) -> float | None:
    try:
        return None if cell is None else float(cell)
    except ValueError:
        raise DataError(f"{place(row)}: {cell!r} is no number, for {attribute.name!r}.") from None
