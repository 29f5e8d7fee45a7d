"""Whatever a user passes as X, as named columns that are read one at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from roctree.data.column import Categories, Column, read_array
from roctree.data.frame import as_frame, read_series
from roctree.data.matrix import as_matrix, as_numbers
from roctree.data.rows import Rows
from roctree.errors import DataError


@dataclass(frozen=True)
class Table:
    """Columns with names; ``numbers`` is the whole matrix where an array of numbers came in.

    Where rows came in that were encoded before, ``categories`` says what their codes mean.
    """

    names: tuple[str, ...]
    named: bool
    n_rows: int
    sources: Sequence[Any] | NDArray[Any]
    numbers: NDArray[Any] | None = None
    categories: tuple[Categories | None, ...] | None = None

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.names)

    def column(self, feature: int) -> Column:
        """Read one column."""
        source, name = self.sources[feature], f"column {self.names[feature]!r}"
        read = read_series if isinstance(source, nw.Series) else read_array
        return read(source, name)


def read_table(X: Any) -> Table:
    """Return X as a table with at least one row and one column."""
    # Asking narwhals costs more than the whole encoding of a small array.
    plain = isinstance(X, np.ndarray | list | tuple | Rows) or hasattr(X, "tocoo")
    frame = None if plain else as_frame(X)
    if isinstance(X, Rows):
        table = Table(X.names, False, len(X), X.values.T, X.values, X.categories)
    else:
        table = _table_of_array(X) if frame is None else _table_of_frame(frame)
    if table.n_rows == 0:
        raise DataError("X is empty: Found array with 0 sample(s), at least one row is required.")
    if table.n_features == 0:
        raise DataError(
            f"X is empty: Found array with 0 feature(s) (shape=({table.n_rows}, 0)) "
            "while a minimum of 1 is required."
        )
    return table


def _table_of_array(X: Any) -> Table:
    matrix = as_matrix(X)
    n_rows, n_features = matrix.shape
    return Table(_default_names(n_features), False, n_rows, matrix.T, as_numbers(matrix))


def _table_of_frame(frame: nw.DataFrame[Any]) -> Table:
    columns: list[Any] = list(frame.columns)
    named = any(isinstance(name, str) for name in columns)
    if named and not all(isinstance(name, str) for name in columns):
        other = next(name for name in columns if not isinstance(name, str))
        raise DataError(
            "Feature names are only supported if all are strings, and one is "
            f"{other!r}: rename the columns, with X.columns = X.columns.astype(str)."
        )
    names = tuple(columns) if named else _default_names(len(columns))
    return Table(names, named, len(frame), list(frame.iter_columns()))


def _default_names(n_features: int) -> tuple[str, ...]:
    return tuple([f"x{feature}" for feature in range(n_features)])
