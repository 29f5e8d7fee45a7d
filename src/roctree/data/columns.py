"""Named columns from any table or array that a user passes as X.

``read_table`` accepts numpy arrays, nested lists, data frames of pandas and polars, tables of
pyarrow, and ``EncodedRows``. Every column takes one of two forms: ``Numbers``, or a ``Factor``,
which is a list of distinct values and the position of each row's value in it. Learning a schema and
encoding by it do not depend on the source of the data.

Frames are read through narwhals, column by column and without a loop over their cells. Only columns
of objects and nested lists are read cell by cell.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from decimal import Decimal
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data.lazy import frames
from roctree.errors import ColumnTypeError, DataError
from roctree.text import did_you_mean, pluralize

FloatArray = NDArray[np.float64]
Categories = tuple[Any, ...]

DATE_ADVICE = "convert times of day and durations to numbers, such as hours"

# Above this float64 cannot represent every integer.
LARGEST_EXACT = 2.0**53
_MISSING_TYPES = ("NoneType", "NAType", "NaTType")
_DATE_TYPES = (date, np.datetime64)
_TIME_TYPES = (time, timedelta, np.timedelta64)
_MICROSECONDS_PER_DAY = 86_400_000_000
_CELL_KINDS: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "date": _DATE_TYPES,
    "bool": (bool, np.bool_),
    "int": (Integral,),
    "float": (Real, Decimal),
}


# The two forms of a column


@dataclass(frozen=True)
class Numbers:
    """A column of numbers.

    Parameters
    ----------
    values : float64[n]
        The numbers, NaN where missing.
    kind : {"f", "i", "b", "days", "times"}
        Floats, integers or booleans, as in numpy; or dates as days since 1970-01-01, whole ones or
        with the time of day.
    cells : callable, optional
        Returns the original integers, which must not be rounded if they are categories.
    """

    values: FloatArray
    kind: str = "f"
    cells: Callable[[], list[Any]] | None = None

    @classmethod
    def from_dates(cls, dates: NDArray[np.datetime64]) -> "Numbers":
        """Return dates as days since 1970-01-01.

        >>> Numbers.from_dates(np.array(["1970-01-03", "NaT"], "datetime64[D]"))
        Numbers(values=array([ 2., nan]), kind='days', cells=None)
        """
        missing = np.isnat(dates)
        microseconds = dates.astype("datetime64[us]").astype(np.int64)
        whole = bool((microseconds[~missing] % _MICROSECONDS_PER_DAY == 0).all())
        days = np.where(missing, np.nan, microseconds / _MICROSECONDS_PER_DAY)
        return cls(days, "days" if whole else "times")

    @property
    def holds_dates(self) -> bool:
        """Whether the numbers are dates."""
        return self.kind in ("days", "times")

    @property
    def nominal(self) -> bool:
        """Whether the type alone makes the column nominal, as for booleans."""
        return self.kind == "b"

    def as_factor(self) -> "Factor":
        """Return the numbers as categories, in increasing order."""
        present = ~np.isnan(self.values)
        if self.kind == "b":
            positions = np.where(present, self.values, -1.0).astype(np.intp)
            return Factor((False, True), positions, declared=True)
        if self.cells is not None and (np.abs(self.values[present]) >= LARGEST_EXACT).any():
            cells = [None if is_missing(cell) else int(cell) for cell in self.cells()]
            return Factor.from_cells(cells)
        distinct, inverse = np.unique(self.values[present], return_inverse=True)
        positions = np.full(len(present), -1, np.intp)
        positions[present] = inverse
        as_python = int if self.kind == "i" else float
        return Factor(tuple(as_python(value) for value in distinct), positions)


@dataclass(frozen=True)
class Factor:
    """A column of categories.

    Parameters
    ----------
    distinct : sequence
        The distinct values; if the data declare their categories, all of them in that order.
    positions : intp[n]
        Position of each row's value in ``distinct``, -1 where missing.
    declared : bool
        Whether the data declare their categories.
    """

    distinct: Sequence[Any]
    positions: NDArray[np.intp]
    declared: bool = False
    nominal = True

    @classmethod
    def from_cells(cls, cells: list[Any]) -> "Factor":
        """Return the factor of strings, or of integers; None is missing."""
        distinct = sorted(cell for cell in set(cells) if cell is not None)
        position: dict[Any, int] = {cell: place for place, cell in enumerate(distinct)}
        position[None] = -1
        places = map(position.__getitem__, cells)
        return cls(distinct, np.fromiter(places, np.intp, len(cells)))

    @property
    def categories(self) -> Categories:
        """The distinct values, in an order that does not depend on the order of the rows."""
        return tuple(self.distinct if self.declared else sorted(self.distinct))

    def as_factor(self) -> "Factor":
        """Return itself."""
        return self


Column = Numbers | Factor


# Tables


@dataclass(frozen=True, eq=False)
class EncodedRows:
    """Encoded rows, for fitting and predicting many times.

    An estimator accepts them as X without checking every cell. Other libraries see the array of
    their values.

    Parameters
    ----------
    values : float64[n, features]
        Category codes where nominal, NaN where missing.
    names : tuple of str
        Names of the attributes.
    categories : tuple
        Per attribute None if numeric, else its categories in the order of their codes.

    Examples
    --------
    >>> rows = EncodedRows(np.array([[0.0], [1.0], [1.0]]), ("colour",), (("blue", "red"),))
    >>> rows[[0, 2]].values
    array([[0.],
           [1.]])
    """

    values: FloatArray
    names: tuple[str, ...]
    categories: tuple[Categories | None, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of attributes."""
        n_rows, n_features = self.values.shape
        return n_rows, n_features

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, places: Any) -> "EncodedRows":
        return replace(self, values=self.values[places])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)


@dataclass(frozen=True)
class InputTable:
    """Named columns, read one at a time.

    Parameters
    ----------
    names : tuple of str
        Names of the columns; "x0", "x1", ... where the data have none.
    named : bool
        Whether the names came from the data.
    n_rows : int
        Number of rows.
    sources : sequence
        Per column a series of narwhals or a one-dimensional array.
    matrix : float64[n, features] or float32[n, features], optional
        The whole table, if it came as an array of numbers.
    categories : tuple, optional
        The categories of the codes, if the rows are encoded.
    """

    names: tuple[str, ...]
    named: bool
    n_rows: int
    sources: Sequence[Any] | NDArray[Any]
    matrix: NDArray[Any] | None = None
    categories: tuple[Categories | None, ...] | None = None

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.names)

    def column(self, feature: int) -> Column:
        """Read one column."""
        source, name = self.sources[feature], self.names[feature]
        if isinstance(source, frames.Series):
            return read_series(source, name)
        if source.dtype.kind in "iu":
            return Numbers(source.astype(np.float64), "i", source.tolist)
        if source.dtype.kind in "fb":
            return Numbers(source.astype(np.float64))
        if source.dtype.kind == "M":
            return Numbers.from_dates(source)
        return read_cells(source.tolist(), name)


def read_table(X: Any) -> InputTable:
    """Return X as a table with at least one row and one column."""
    frame = as_frame(X)
    if isinstance(X, EncodedRows):
        table = InputTable(X.names, False, len(X), X.values.T, X.values, X.categories)
    elif frame is None:
        matrix = as_matrix(X)
        n_rows, n_features = matrix.shape
        table = InputTable(_default_names(n_features), False, n_rows, matrix.T, _floats(matrix))
    else:
        table = _table_from_frame(frame)
    if table.n_rows == 0:
        raise DataError("X is empty: Found array with 0 sample(s), at least one row is required.")
    if table.n_features == 0:
        raise DataError(
            f"X is empty: Found array with 0 feature(s) (shape=({table.n_rows}, 0)) "
            "while a minimum of 1 is required."
        )
    return table


def _table_from_frame(frame: "frames.DataFrame[Any]") -> InputTable:
    columns: list[Any] = list(frame.columns)
    named = any(isinstance(name, str) for name in columns)
    if named and not all(isinstance(name, str) for name in columns):
        other = next(name for name in columns if not isinstance(name, str))
        raise DataError(
            "Feature names are only supported if all are strings, but one is "
            f"{other!r}: rename the columns, with X.columns = X.columns.astype(str)."
        )
    names = tuple(columns) if named else _default_names(len(columns))
    return InputTable(names, named, len(frame), list(frame.iter_columns()))


def _default_names(n_features: int) -> tuple[str, ...]:
    return tuple([f"x{feature}" for feature in range(n_features)])


def _floats(matrix: NDArray[Any]) -> NDArray[Any] | None:
    """Return a matrix of numbers as float64, or as float32 if it is one; None for objects."""
    if matrix.dtype.kind not in "fiub":
        return None
    if matrix.dtype in (np.float64, np.float32) and matrix.flags.aligned:
        return matrix
    dtype = np.float32 if matrix.dtype == np.float32 else np.float64
    # Kernels read aligned memory only; a field of a structured array may not be aligned.
    with np.errstate(over="ignore"):
        return np.require(matrix, dtype, "A")


def as_one_row(case: Any, names: Sequence[str]) -> Any:
    """Return a case as a table of one row; a table is returned as it is.

    Parameters
    ----------
    case : table, sequence or mapping
        A table; the values of all attributes in their order; or some of them by name, as a dict or
        as a row of a pandas frame, in which case the others are missing.
    names : sequence of str
        Names of the attributes.

    Examples
    --------
    >>> as_one_row({"sky": "sun"}, ["warmth", "sky"])
    [[None, 'sun']]
    """
    if isinstance(case, Mapping) or (hasattr(case, "keys") and np.ndim(case) == 1):
        cells = dict(case)
        for name in cells:
            if name not in names:
                raise DataError(
                    f"The case has {name!r}, which is not a column{did_you_mean(name, names)}; the "
                    f"columns are {', '.join(map(repr, names))}."
                )
        return [[cells.get(name) for name in names]]
    if isinstance(case, np.ndarray) and case.ndim == 1:
        return case[None, :]
    if isinstance(case, list | tuple) and case and not any(map(np.ndim, case)):
        return [list(case)]
    return case


def take_rows(X: Any, rows: NDArray[np.int64]) -> Any:
    """Return some rows of a table as a table of the same type; of nested lists, as an array."""
    if isinstance(X, EncodedRows):
        return X[rows]
    frame = as_frame(X)
    return as_matrix(X)[rows] if frame is None else frame[rows.tolist()].to_native()


def take_cells(X: Any, rows: NDArray[np.int64]) -> Any:
    """Return a table of the same type whose cell (i, j) is the cell (``rows[i, j]``, j) of X.

    Parameters
    ----------
    X : array, list of rows, EncodedRows or data frame
        The table.
    rows : int64[lines, columns]
        For each cell the row of X from which it is taken.

    Examples
    --------
    >>> take_cells(np.array([[1, 2], [3, 4]]), np.array([[0, 1], [1, 1]]))
    array([[1, 4],
           [3, 4]])
    """
    if isinstance(X, EncodedRows):
        return replace(X, values=X.values[rows, np.arange(rows.shape[1])])
    frame = as_frame(X)
    if frame is None:
        return as_matrix(X)[rows, np.arange(rows.shape[1])]
    # Lists, because not every library accepts an array of numpy as row numbers.
    taken = [column[rows[:, j].tolist()] for j, column in enumerate(frame.iter_columns())]
    return frame[rows[:, 0].tolist()].with_columns(*taken).to_native()


# Arrays and nested lists


def as_matrix(X: Any) -> NDArray[Any]:
    """Return X as a two-dimensional array of numbers or of objects, without copying arrays."""
    if hasattr(X, "tocoo"):
        raise DataError("X is a sparse matrix, but only dense data are accepted: use X.toarray().")
    matrix = _as_array(X)
    if matrix.dtype.kind == "c":
        raise DataError(
            "Complex data not supported: use real and imaginary parts as separate columns."
        )
    if matrix.dtype.kind == "m":
        raise DataError(f"X holds {matrix.dtype} values: {DATE_ADVICE}.")
    if matrix.dtype.kind not in "fiubMO":
        raise ColumnTypeError(
            f"X holds {matrix.dtype} cells, but a cell's argument must be a string or a number."
        )
    if matrix.ndim == 0:
        raise DataError(
            f"X is a {type(X).__name__}: expected a data frame, an array or a list of rows."
        )
    if matrix.ndim == 1 and len(matrix) > 0 and isinstance(matrix[0], Mapping):
        raise DataError("X is a list of dicts: convert it to a data frame, pandas.DataFrame(X).")
    if matrix.ndim == 1 and type(X).__name__ == "Series":
        one_row = "df.iloc[[i]]" if hasattr(X, "iloc") else "df[i : i + 1]"
        raise DataError(
            f"Expected 2D array, got a Series of {len(matrix)} cells instead: select one row of a "
            f"data frame with {one_row}, and one column with df[['name']]."
        )
    if matrix.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {matrix.ndim}D array of shape {matrix.shape} instead: "
            "Reshape your data, X.reshape(-1, 1) for one column or X.reshape(1, -1) for one row."
        )
    return matrix


def _as_array(X: Any) -> NDArray[Any]:
    if isinstance(X, np.ma.MaskedArray):
        return _array_from_masked(X)
    if isinstance(X, list | tuple):
        return _array_from_rows(X)
    array = np.asarray(X)
    return array.astype(object) if array.dtype.kind in "UT" else array


def _array_from_masked(X: "np.ma.MaskedArray[Any, Any]") -> NDArray[Any]:
    if X.dtype.kind not in "fiubUTO":
        return np.asarray(X)
    if X.dtype.kind in "fiub":
        return np.asarray(np.ma.filled(X.astype(np.float64), np.nan))
    cells = np.array(X, dtype=object)
    # None, not NaN: among booleans, NaN would count as a number.
    cells[np.ma.getmaskarray(X)] = None
    return cells


def _array_from_rows(rows: Sequence[Any]) -> NDArray[Any]:
    # As objects: numpy would convert every number to a string if one cell is a string.
    try:
        array = np.array(rows, dtype=object)
    except ValueError as error:
        raise DataError(f"X is ragged: its rows differ in shape ({error}).") from None
    if array.ndim == 1:
        _reject_ragged(rows)
    return array


def _reject_ragged(rows: Sequence[Any]) -> None:
    def size(length: int | None) -> str:
        return "is not a list of cells" if length is None else f"has {pluralize(length, 'cell')}"

    lengths = [len(row) if hasattr(row, "__len__") else None for row in rows]
    for row, length in enumerate(lengths):
        if length != lengths[0]:
            raise DataError(
                reason="X is ragged: row {row} {size}, but row 0 {first} (counting from 0); give "
                "every row the same number of cells",
                row=row,
                size=size(length),
                first=size(lengths[0]),
            )


# Data frames


def as_frame(X: Any) -> "frames.DataFrame[Any] | None":
    """Return X as a narwhals frame, or None if it is not a data frame."""
    # Calling narwhals takes longer than encoding a small array.
    if isinstance(X, np.ndarray | list | tuple | EncodedRows) or hasattr(X, "tocoo"):
        return None
    try:
        frame = frames.from_native(X, pass_through=True)
    except frames.exceptions.DuplicateError as error:
        names = " ".join(str(error).split())
        raise DataError(f"X has duplicate column names ({names}): rename them.") from None
    if isinstance(frame, frames.LazyFrame):
        raise DataError(
            "The data are a lazy frame: call its collect(), compute() or, in DuckDB, df() first."
        )
    return frame if isinstance(frame, frames.DataFrame) else None


def as_series(y: Any) -> "frames.Series[Any] | None":
    """Return y as a narwhals series, or None if it is not a series of a data frame library."""
    series = frames.from_native(y, pass_through=True, allow_series=True)
    return series if isinstance(series, frames.Series) else None


def read_series(series: "frames.Series[Any]", name: str | None) -> Column:
    """Read one column of a data frame; its type decides whether it is numeric or nominal.

    Parameters
    ----------
    series : narwhals Series
        The column.
    name : str or None
        Its name for messages; None for the labels y.
    """
    dtype = series.dtype
    if dtype.is_numeric():
        values = np.asarray(series_to_numpy(series), dtype=np.float64)
        return Numbers(values, "i", series.to_list) if dtype.is_integer() else Numbers(values)
    if dtype == frames.Boolean:
        return Numbers(series.cast(frames.Float64).to_numpy(), "b")
    if dtype in (frames.Date, frames.Datetime):
        return Numbers.from_dates(_dates_to_numpy(series))
    if dtype == frames.Object or _holds_objects(series):
        return read_cells(series.to_numpy().tolist(), name)
    if dtype in (frames.String, frames.Categorical, frames.Enum):
        return _read_text(series, name)
    if series.null_count() == len(series):
        return Numbers(np.full(len(series), np.nan))
    native = series.to_native()
    held = str(getattr(native, "dtype", None) or getattr(native, "type", dtype))
    advice = DATE_ADVICE if dtype.is_temporal() else "convert it to numbers or strings"
    if held.startswith("Sparse"):
        advice = "only dense data are accepted, so convert it with .sparse.to_dense()"
    raise DataError(
        reason="{place} holds {held} values: {advice}",
        column=name,
        place=_place(name),
        held=held,
        advice=advice,
    )


def series_to_numpy(series: "frames.Series[Any]") -> NDArray[Any]:
    """Return the series as an array, numeric types that numpy does not have as float64."""
    # Not by cast for all numbers: pyarrow raises an error for integers beyond 2**53.
    wide = series.dtype in (frames.Decimal, frames.Int128, frames.UInt128)
    return (series.cast(frames.Float64) if wide else series).to_numpy()


def _dates_to_numpy(series: "frames.Series[Any]") -> NDArray[np.datetime64]:
    if getattr(series.dtype, "time_zone", None) is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return np.asarray(series.to_numpy(), "datetime64[us]")


def _holds_objects(series: "frames.Series[Any]") -> bool:
    # narwhals classifies a pandas column of objects as text by its first hundred cells.
    native = series.to_native()
    return series.implementation.is_pandas_like() and bool(native.dtype == np.object_)


def _read_text(series: "frames.Series[Any]", name: str | None) -> Factor:
    declared = _declared_categories(series)
    if series.dtype == frames.String:
        # pandas finds distinct values fastest among categories; pyarrow cannot filter string views.
        pandas_like = series.implementation.is_pandas_like()
        series = series.cast(frames.Categorical if pandas_like else frames.String)
    if _is_pandas_categorical(series):
        native = series.to_native()
        found, positions = native.cat.categories.tolist(), np.asarray(native.cat.codes)
    else:
        found = series.drop_nulls().unique().to_list() if declared is None else list(declared)
        positions = _positions(series, found)
    factor = Factor(found, positions.astype(np.intp), declared is not None)
    return _with_simple_categories(factor, name)


def _is_pandas_categorical(series: "frames.Series[Any]") -> bool:
    """Whether this is pandas' own categorical type, which has the codes already."""
    return str(getattr(series.to_native(), "dtype", "")) == "category"


def _declared_categories(series: "frames.Series[Any]") -> Categories | None:
    if isinstance(series.dtype, frames.Enum):
        return tuple(series.dtype.categories)
    # In other libraries a dictionary is only a storage format, in order of appearance.
    if _is_pandas_categorical(series):
        return tuple(series.cat.get_categories().to_list())
    return None


def _positions(series: "frames.Series[Any]", found: list[Any]) -> NDArray[Any]:
    """Return the position of each cell among the values found; -1 where it is missing."""
    if not found:
        return np.full(len(series), -1)
    places = list(range(len(found)))
    return series.replace_strict(found, places, default=-1, return_dtype=frames.Int64).to_numpy()


def _with_simple_categories(factor: Factor, name: str | None) -> Factor:
    """Return a factor of strings or numbers; intervals and time stamps become strings."""
    if all(isinstance(value, str) for value in factor.distinct):
        return factor
    try:
        numbers = not cell_kinds(list(factor.distinct), name) & {"text", "date"}
    except DataError:
        numbers = False
    if numbers:
        return factor
    texts = [category_text(value) for value in factor.distinct]
    distinct = list(dict.fromkeys(texts))
    place = np.array([distinct.index(text) for text in texts] + [-1], np.intp)
    return Factor(distinct, place[factor.positions], factor.declared)


# Single cells


def read_cells(cells: list[Any], name: str | None) -> Column:
    """Read cells of any type: numeric if all are numbers, nominal if all are bool or any is text.

    Numbers mixed with text become text, so that codes such as 1, 2, "other" work. 1.0 is then
    written "1", because a column of integers with a missing cell becomes one of floats in some
    libraries.

    Parameters
    ----------
    cells : list
        The cells.
    name : str or None
        Name of the column for messages; None for the labels y.
    """
    kinds = cell_kinds(cells, name)
    if "text" in kinds:
        if not kinds <= {"text", "none"}:
            cells = [None if is_missing(cell) else category_text(cell) for cell in cells]
        return Factor.from_cells(cells)
    # NaN among booleans or dates is a missing value, not a number.
    beside = kinds & {"bool", "date"}
    if "missing" in kinds or (beside and "float" in kinds):
        cells = [None if is_missing(cell) else cell for cell in cells]
        kinds = cell_kinds(cells, name)
    if "date" in kinds:
        return _dates_from_cells(cells, kinds, name)
    try:
        values = np.array(cells, dtype=object).astype(np.float64)
    except OverflowError:
        raise _too_large(cells, name) from None
    kind = {"bool": "b", "int": "i"}.get("".join(kinds - {"none", "missing"}), "f")
    return Numbers(values, kind, (lambda: cells) if kind == "i" else None)


def _dates_from_cells(cells: list[Any], kinds: set[str], name: str | None) -> Numbers:
    if kinds - {"date", "none"}:
        row = next(i for i, cell in enumerate(cells) if isinstance(cell, _DATE_TYPES))
        raise _unusable(cells[row], name, row)
    plain = [
        cell.replace(tzinfo=None) - cell.utcoffset() if getattr(cell, "tzinfo", None) else cell
        for cell in cells
    ]
    return Numbers.from_dates(np.array(plain, "datetime64[us]"))


def cell_kinds(cells: list[Any], name: str | None) -> set[str]:
    """Return which of text, bool, int, float, none and missing the cells are."""
    kinds = set()
    for cell_type in set(map(type, cells)):
        kind = _cell_kind(cell_type)
        if kind is None:
            row = next(i for i, cell in enumerate(cells) if type(cell) is cell_type)
            raise _unusable(cells[row], name, row)
        kinds.add(kind)
    return kinds


def category_text(value: Any) -> str:
    """Return a value as text, the same for 1.0 as for 1."""
    if isinstance(value, float | np.floating | Decimal) and isfinite(value) and value == int(value):
        return str(int(value))
    return str(value)


def is_missing(cell: Any) -> bool:
    """Return whether the cell is None, NaN, or the NA or NaT of pandas."""
    # NA is recognised by its name because it cannot be compared.
    return type(cell).__name__ in _MISSING_TYPES or bool(cell != cell)


def _cell_kind(cell_type: type) -> str | None:
    if cell_type.__name__ in _MISSING_TYPES:
        return "none" if cell_type is type(None) else "missing"
    return next((kind for kind, types in _CELL_KINDS.items() if issubclass(cell_type, types)), None)


def _too_large(cells: list[Any], name: str | None) -> DataError:
    largest = float(np.finfo(np.float64).max)
    row = next(row for row, cell in enumerate(cells) if cell is not None and abs(cell) > largest)
    return DataError(
        reason="{place} holds a number too large for float64 in {numbered_row}: scale "
        "the column, or convert it to strings if its numbers are names",
        column=name,
        row=row,
        place=_place(name),
    )


def _unusable(cell: Any, name: str | None, row: int) -> DataError:
    facts: dict[str, Any] = {
        "column": name,
        "row": row,
        "place": _place(name),
        "type": type(cell).__name__,
    }
    if isinstance(cell, complex | np.complexfloating):
        return DataError(
            reason="Complex data not supported: {place} holds {cell} in {numbered_row}"
            "; use its real and imaginary parts as two columns",
            cell=cell,
            **facts,
        )
    if isinstance(cell, _DATE_TYPES):
        return ColumnTypeError(
            reason="{place} holds a date in {numbered_row} beside other values: "
            "convert all to dates, or all to text",
            **facts,
        )
    if isinstance(cell, _TIME_TYPES):
        reason = f"{{place}} holds a {{type}} in {{numbered_row}}: {DATE_ADVICE}"
        return ColumnTypeError(reason=reason, **facts)
    return ColumnTypeError(
        reason="{place} holds a {type} in {numbered_row}, but a cell's argument must "
        "be a string or a number: convert the column to numbers or strings",
        **facts,
    )


def _place(name: str | None) -> str:
    return "y" if name is None else f"column {name!r}"
