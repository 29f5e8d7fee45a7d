"""A column takes one of two forms: numbers, or distinct values with a position per row.

Whatever the data came in as, only these two forms leave this module and ``frame``, so
that learning and applying a schema need not know about arrays, lists or data frames.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ColumnTypeError, DataError

FloatArray = NDArray[np.float64]
Categories = tuple[Any, ...]
# From here on float64 does not tell every whole number from the next.
LARGEST_EXACT = 2.0**53
MISSING_TYPES = ("NoneType", "NAType", "NaTType")
TIMES = (date, time, timedelta, np.datetime64, np.timedelta64)
TIMES_AS_NUMBERS = "turn dates and times into numbers, such as days since a fixed date"
KINDS: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "bool": (bool, np.bool_),
    "int": (Integral,),
    "float": (Real, Decimal),
}


@dataclass(frozen=True)
class Numbers:
    """A number per row, NaN where missing; ``kind`` is "f", "i" or "b" as in numpy.

    ``cells`` gives whole numbers as they came: those that are names must not be rounded.
    """

    values: FloatArray
    kind: str = "f"
    cells: Callable[[], list[Any]] | None = None

    @property
    def nominal(self) -> bool:
        """Whether the column's type alone makes it nominal: only booleans are."""
        return self.kind == "b"


@dataclass(frozen=True)
class Factor:
    """Distinct values, and per row the position of its value, -1 where missing.

    Where the data declare their categories, the distinct values are those, in that order.
    """

    distinct: Sequence[Any]
    positions: NDArray[np.intp]
    declared: bool = False
    nominal = True

    @property
    def categories(self) -> Categories:
        """The distinct values in an order that no permutation of the rows can change."""
        return tuple(self.distinct if self.declared else sorted(self.distinct))


Column = Numbers | Factor


def as_factor(column: Column) -> Factor:
    """Return the column as distinct values, numbers in increasing order."""
    if isinstance(column, Factor):
        return column
    present = ~np.isnan(column.values)
    if column.kind == "b":
        positions = np.where(present, column.values, -1.0).astype(np.intp)
        return Factor((False, True), positions, declared=True)
    if column.cells is not None and (np.abs(column.values[present]) >= LARGEST_EXACT).any():
        return factor_of([None if is_missing(cell) else int(cell) for cell in column.cells()])
    distinct, inverse = np.unique(column.values[present], return_inverse=True)
    positions = np.full(len(present), -1, np.intp)
    positions[present] = inverse
    as_python = int if column.kind == "i" else float
    return Factor(tuple(as_python(value) for value in distinct), positions)


def read_array(cells: NDArray[Any], name: str) -> Column:
    """Read one column of an array: numbers by dtype, anything else cell by cell."""
    if cells.dtype.kind in "iu":
        return Numbers(cells.astype(np.float64), "i", cells.tolist)
    if cells.dtype.kind in "fb":
        return Numbers(cells.astype(np.float64))
    return read_cells(cells.tolist(), name)


def read_cells(cells: list[Any], name: str) -> Column:
    """Read cells of any type: numbers if all are, nominal if all are bool or any is text.

    Numbers beside text become text, so that a code book such as 1, 2, "other" works; there 1.0
    is written "1", because a column of whole numbers with a gap is one of floats elsewhere.
    """
    kinds = cell_kinds(cells, name)
    if "text" in kinds:
        return factor_of(cells if kinds <= {"text", "none"} else list(map(as_text, cells)))
    if "missing" in kinds:
        cells = [None if is_missing(cell) else cell for cell in cells]
    values = _floats(cells, name)
    kind = {"bool": "b", "int": "i"}.get("".join(kinds - {"none", "missing"}), "f")
    return Numbers(values, kind, (lambda: cells) if kind == "i" else None)


def _floats(cells: list[Any], name: str) -> FloatArray:
    try:
        return np.array(cells, dtype=object).astype(np.float64)
    except OverflowError:
        largest = float(np.finfo(np.float64).max)
        row = next(
            row for row, cell in enumerate(cells) if cell is not None and abs(cell) > largest
        )
        raise DataError(
            f"{name} holds a number too large for float64 in row {row} (counting from 0): "
            "scale the column, or convert it to strings if its numbers are names."
        ) from None


def factor_of(cells: list[Any]) -> Factor:
    """Return the distinct texts, or whole numbers; None is missing."""
    distinct = sorted(cell for cell in set(cells) if cell is not None)
    position: dict[Any, int] = {cell: place for place, cell in enumerate(distinct)}
    position[None] = -1
    places = map(position.__getitem__, cells)
    return Factor(distinct, np.fromiter(places, np.intp, len(cells)))


def cell_kinds(cells: list[Any], name: str) -> set[str]:
    """Return which of text, bool, int, float, none and missing the cells are."""
    kinds = set()
    for cell_type in set(map(type, cells)):
        kind = _kind(cell_type)
        if kind is None:
            row = next(i for i, cell in enumerate(cells) if type(cell) is cell_type)
            raise _unusable(cells[row], name, row)
        kinds.add(kind)
    return kinds


def as_text(cell: Any) -> str | None:
    """Return the cell as text, or None if it is missing."""
    return None if is_missing(cell) else category_text(cell)


def category_text(value: Any) -> str:
    """Return a value as text, the same for 1.0 as for 1."""
    if isinstance(value, float | np.floating | Decimal) and isfinite(value) and value == int(value):
        return str(int(value))
    return str(value)


def is_missing(cell: Any) -> bool:
    """Whether the cell is None, NaN, or the NA or NaT of pandas."""
    # NA is asked for by name because it refuses to be compared.
    return type(cell).__name__ in MISSING_TYPES or bool(cell != cell)


def _kind(cell_type: type) -> str | None:
    if cell_type.__name__ in MISSING_TYPES:
        return "none" if cell_type is type(None) else "missing"
    return next((kind for kind, types in KINDS.items() if issubclass(cell_type, types)), None)


def _unusable(cell: Any, name: str, row: int) -> DataError:
    if isinstance(cell, complex | np.complexfloating):
        return DataError(
            f"Complex data not supported: {name} holds {cell} in row {row} (counting from 0); "
            "use its real and imaginary parts as two columns."
        )
    if isinstance(cell, TIMES):
        return ColumnTypeError(
            f"{name} holds a {type(cell).__name__} in row {row} (counting from 0): "
            f"{TIMES_AS_NUMBERS}."
        )
    return ColumnTypeError(
        f"{name} holds a {type(cell).__name__} in row {row} (counting from 0), but a cell's "
        "argument must be a string or a number: convert the column to numbers or strings."
    )
