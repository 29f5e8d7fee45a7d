"""Arrays and nested lists as two-dimensional arrays, with the reasons why some cannot be."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data.column import TIMES_AS_NUMBERS, FloatArray
from roctree.errors import ColumnTypeError, DataError
from roctree.table import amount


def as_matrix(X: Any) -> NDArray[Any]:
    """Return X as a two-dimensional array of numbers or of objects, without copying arrays."""
    if hasattr(X, "tocoo"):
        raise DataError("X is a sparse matrix, and only dense data are read: use X.toarray().")
    matrix = _as_array(X)
    _check_dtype(matrix.dtype)
    _check_shape(matrix, X)
    return matrix


def as_numbers(matrix: NDArray[Any]) -> NDArray[Any] | None:
    """Return a matrix of numbers as float64, or itself if it is float64 or float32; else None."""
    if matrix.dtype.kind not in "fiub":
        return None
    dtype = np.float32 if matrix.dtype == np.float32 else np.float64
    # The kernels read aligned memory only; a field of a structured array need not be.
    with np.errstate(over="ignore"):
        return np.require(matrix, dtype, "A")


def refuse_infinity(values: FloatArray, names: Sequence[str]) -> None:
    """Raise DataError for the first infinite cell; NaN is welcome."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum()
    # One pass without a temporary; only NaN, infinity or an overflow make it worth looking again.
    if np.isfinite(total):
        return
    infinite = np.isinf(values)
    if infinite.any():
        row, column = map(int, np.unravel_index(infinite.argmax(), infinite.shape))
        raise DataError(
            f"column {names[column]!r} holds {values[row, column]} in row {row} (counting from 0): "
            "replace infinity by a finite number, or by NaN if the value is missing."
        )


def _as_array(X: Any) -> NDArray[Any]:
    if isinstance(X, np.ma.MaskedArray):
        return _array_of_masked(X)
    if isinstance(X, list | tuple):
        return _array_of_rows(X)
    array = np.asarray(X)
    return array.astype(object) if array.dtype.kind in "UT" else array


def _array_of_masked(X: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    if X.dtype.kind not in "fiubUTO":
        return np.asarray(X)
    if X.dtype.kind in "fiub":
        return np.asarray(np.ma.filled(X.astype(np.float64), np.nan))
    cells = np.array(X, dtype=object)
    # None, not NaN: beside booleans NaN would be one more number.
    cells[np.ma.getmaskarray(X)] = None
    return cells


def _array_of_rows(rows: Sequence[Any]) -> NDArray[Any]:
    # As objects, because numpy would turn every number beside a string into a string.
    try:
        array = np.array(rows, dtype=object)
    except ValueError as error:
        raise DataError(f"X is ragged, its rows differ in shape ({error}).") from None
    if array.ndim == 1:
        _refuse_ragged(rows)
    return array


def _refuse_ragged(rows: Sequence[Any]) -> None:
    lengths = [len(row) if hasattr(row, "__len__") else None for row in rows]
    for row, length in enumerate(lengths):
        if length != lengths[0]:
            raise DataError(
                f"X is ragged: row {row} has {_cells(length)} and row 0 has {_cells(lengths[0])} "
                "(counting from 0); give every row the same number of cells."
            )


def _cells(length: int | None) -> str:
    return "no list of cells" if length is None else amount(length, "cell")


def _check_dtype(dtype: np.dtype[Any]) -> None:
    if dtype.kind == "c":
        raise DataError(
            "Complex data not supported: use real and imaginary parts as columns of their own."
        )
    if dtype.kind in "mM":
        raise DataError(f"X holds {dtype} values: {TIMES_AS_NUMBERS}.")
    if dtype.kind not in "fiubO":
        raise ColumnTypeError(
            f"X holds {dtype} cells, but a cell's argument must be a string or a number."
        )


def _check_shape(matrix: NDArray[Any], X: Any) -> None:
    if matrix.ndim == 0:
        raise DataError(
            f"X is a {type(X).__name__}: expected a data frame, an array or a list of rows."
        )
    if matrix.ndim == 1 and type(X).__name__ == "Series":
        one_row = "df.iloc[[i]]" if hasattr(X, "iloc") else "df[i : i + 1]"
        raise DataError(
            f"Expected 2D array, got a Series of {len(matrix)} cells instead: take one row of a "
            f"data frame as {one_row}, and one column as df[['name']]."
        )
    if matrix.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {matrix.ndim}D array of shape {matrix.shape} instead: "
            "Reshape your data, X.reshape(-1, 1) for one column or X.reshape(1, -1) for one row."
        )
