"""ARFF files, the format of Weka: attributes with their types, then rows.

Written here because scipy's reader supports neither string attributes nor sparse rows and returns
bytes, and the other packages are no longer maintained.
"""

import io
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from roctree.data.arrow import pa
from roctree.data.streams import Source
from roctree.errors import DataError

BATCH_ROWS = 50_000
_NUMERIC_TYPES = ("numeric", "real", "integer")
_QUOTED = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(.+)", re.IGNORECASE)
_CELL = re.compile(rf"((?:{_QUOTED}|[^,])*)(?:,|$)")
_SPARSE_CELL = re.compile(r"\s*(\d+)\s+(.*)", re.DOTALL)
_MISSING = "?"

Cell = str | None


class Attribute(NamedTuple):
    """An attribute: its categories are None if it is numeric, and empty if it holds any text."""

    name: str
    categories: tuple[str, ...] | None


class Line(NamedTuple):
    """A line and its number, counting from 1."""

    number: int
    text: str


def batches(source: Source, encoding: str) -> Iterator[Any]:
    """Yield the rows as tables of at most ``BATCH_ROWS`` rows, at least one table."""
    lines = _lines(source, encoding)
    attributes = list(_attributes(lines, source.name))
    if not attributes:
        raise DataError(f"{source.name} has no attributes before @data: is it an ARFF file?")
    yield _table(attributes, list(islice(lines, BATCH_ROWS)), source.name)
    while block := list(islice(lines, BATCH_ROWS)):
        yield _table(attributes, block, source.name)


def split_cells(text: str) -> list[str]:
    """Return the cells of a row, or the categories of an attribute; quotes are kept.

    >>> split_cells("1, 'a, b',?")
    ['1', "'a, b'", '?']
    """
    if "'" not in text and '"' not in text:
        return [cell.strip() for cell in text.split(",")] if text.strip() else []
    found = _CELL.findall(text)
    # The pattern also matches the empty string after the last cell.
    return [cell.strip() for cell in (found if text.endswith(",") else found[:-1])]


def unquote(cell: str) -> str:
    """Return a cell without its quotes and escapes."""
    if len(cell) < 2 or cell[0] not in "'\"" or cell[-1] != cell[0]:
        return cell
    return re.sub(r"\\(.)", r"\1", cell[1:-1])


def _lines(source: Source, encoding: str) -> Iterator[Line]:
    """Yield the lines that are neither empty nor comments."""
    text = io.TextIOWrapper(source.stream(), encoding=encoding)
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
        raise DataError(f"{name}, line {line.number}: give @attribute a name and a type.")
    attribute, kind = unquote(found[1]), found[2].strip()
    if kind.startswith("{") and kind.endswith("}"):
        return Attribute(attribute, tuple(map(unquote, split_cells(kind[1:-1]))))
    if kind.lower() in _NUMERIC_TYPES:
        return Attribute(attribute, None)
    if kind.split()[0].lower() in ("string", "date"):
        return Attribute(attribute, ())
    raise DataError(
        f"{name}, line {line.number}: type {kind!r} is not known; attributes are numeric, real, "
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
        return _sparse_row(line, attributes, name)
    cells = split_cells(line.text)
    if len(cells) != len(attributes):
        raise DataError(
            f"{name}, line {line.number}: {len(cells)} values for {len(attributes)} attributes."
        )
    return [None if cell == _MISSING else unquote(cell) for cell in cells]


def _sparse_row(line: Line, attributes: list[Attribute], name: str) -> list[Cell]:
    """Return a row that lists only what is not zero, or not the first category."""
    row: list[Cell] = [
        attribute.categories[0] if attribute.categories else "0" for attribute in attributes
    ]
    for cell in split_cells(line.text[1:-1]):
        found = _SPARSE_CELL.fullmatch(cell)
        if found is None or int(found[1]) >= len(attributes):
            raise DataError(
                f"{name}, line {line.number}: {cell!r} is not the number of an attribute and a "
                "value."
            )
        row[int(found[1])] = None if found[2] == _MISSING else unquote(found[2])
    return row


def _array(attribute: Attribute, cells: list[Cell], place: Callable[[int], str]) -> Any:
    if attribute.categories is None:
        numbers = [_number(cell, row, attribute, place) for row, cell in enumerate(cells)]
        return pa.array(numbers, pa.float64())
    known = set(attribute.categories)
    if known and not known.issuperset(cell for cell in cells if cell is not None):
        row = next(i for i, cell in enumerate(cells) if cell is not None and cell not in known)
        raise DataError(
            f"{place(row)}: {cells[row]!r} is not a category of {attribute.name!r}.",
            column=attribute.name,
        )
    return pa.array(cells, pa.string())


def _number(
    cell: Cell, row: int, attribute: Attribute, place: Callable[[int], str]
) -> float | None:
    try:
        return None if cell is None else float(cell)
    except ValueError:
        raise DataError(
            f"{place(row)}: {cell!r} is not a number, but {attribute.name!r} is numeric.",
            column=attribute.name,
        ) from None
