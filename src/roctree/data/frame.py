"""Columns of pandas, polars and pyarrow, read without a loop over their cells."""

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from roctree.data.column import (
    TIMES_AS_NUMBERS,
    Categories,
    Column,
    Factor,
    Numbers,
    category_text,
    cell_kinds,
    read_cells,
)
from roctree.errors import DataError

WIDE = (nw.Decimal, nw.Int128, nw.UInt128)


def as_frame(X: Any) -> nw.DataFrame[Any] | None:
    """Return X as a narwhals frame, or None if it is no data frame."""
    try:
        frame = nw.from_native(X, pass_through=True)
    except DuplicateError as error:
        names = " ".join(str(error).split())
        raise DataError(f"X has duplicate column names ({names}): rename them.") from None
    if isinstance(frame, nw.LazyFrame):
        raise DataError("The data are a lazy frame: call its collect(), or compute(), first.")
    return frame if isinstance(frame, nw.DataFrame) else None


def as_series(y: Any) -> nw.Series[Any] | None:
    """Return y as a narwhals series, or None if it is no series of a data frame library."""
    series = nw.from_native(y, pass_through=True, allow_series=True)
    return series if isinstance(series, nw.Series) else None


def read_series(series: nw.Series[Any], name: str) -> Column:
    """Read one column of a data frame: its type says whether it is numeric or nominal."""
    dtype = series.dtype
    if dtype.is_numeric():
        return _read_numbers(series)
    if dtype == nw.Boolean:
        return Numbers(series.cast(nw.Float64).to_numpy(), "b")
    if dtype == nw.Object or _holds_objects(series):
        return read_cells(series.to_numpy().tolist(), name)
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return _read_text(series, name)
    if series.null_count() == len(series):
        return Numbers(np.full(len(series), np.nan))
    native = series.to_native()
    held = getattr(native, "dtype", None) or getattr(native, "type", dtype)
    advice = TIMES_AS_NUMBERS if dtype.is_temporal() else "convert it to numbers or strings"
    if str(held).startswith("Sparse"):
        advice = "only dense data are read, so convert it by .sparse.to_dense()"
    raise DataError(f"{name} holds {held} values: {advice}.")


def to_numpy(series: nw.Series[Any]) -> NDArray[Any]:
    """Return the series as an array, numbers that numpy does not know as float64."""
    # Not every number by cast: pyarrow refuses to round integers beyond 2**53.
    return (series.cast(nw.Float64) if series.dtype in WIDE else series).to_numpy()


def _read_numbers(series: nw.Series[Any]) -> Numbers:
    values = np.asarray(to_numpy(series), dtype=np.float64)
    return Numbers(values, "i", series.to_list) if series.dtype.is_integer() else Numbers(values)


def _holds_objects(series: nw.Series[Any]) -> bool:
    # narwhals calls a pandas column of objects text after a look at its first hundred cells.
    native = series.to_native()
    return series.implementation.is_pandas_like() and bool(native.dtype == np.object_)


def _read_text(series: nw.Series[Any], name: str) -> Factor:
    declared = _declared_categories(series)
    if series.dtype == nw.String:
        # pandas finds distinct values fastest among categories; pyarrow cannot filter string views.
        pandas_like = series.implementation.is_pandas_like()
        series = series.cast(nw.Categorical if pandas_like else nw.String)
    if _keeps_codes(series):
        native = series.to_native()
        found, positions = native.cat.categories.tolist(), np.asarray(native.cat.codes)
    else:
        found = series.drop_nulls().unique().to_list() if declared is None else list(declared)
        positions = _looked_up(series, found)
    return _plain(Factor(found, positions.astype(np.intp), declared is not None), name)


def _keeps_codes(series: nw.Series[Any]) -> bool:
    """Whether this is pandas' own categorical type: it has numbered the categories already."""
    return str(getattr(series.to_native(), "dtype", "")) == "category"


def _looked_up(series: nw.Series[Any], found: list[Any]) -> NDArray[Any]:
    """Where each cell is among the values found; -1 where it is missing."""
    if not found:
        return np.full(len(series), -1)
    places = list(range(len(found)))
    return series.replace_strict(found, places, default=-1, return_dtype=nw.Int64).to_numpy()


def _declared_categories(series: nw.Series[Any]) -> Categories | None:
    if isinstance(series.dtype, nw.Enum):
        return tuple(series.dtype.categories)
    # Elsewhere a dictionary is how the cells are stored, in order of appearance.
    if _keeps_codes(series):
        return tuple(series.cat.get_categories().to_list())
    return None


def _plain(factor: Factor, name: str) -> Factor:
    # Categories may be intervals or time stamps, which only their text can name in a file.
    if all(isinstance(value, str) for value in factor.distinct):
        return factor
    try:
        numbers = "text" not in cell_kinds(list(factor.distinct), name)
    except DataError:
        numbers = False
    if numbers:
        return factor
    texts = [category_text(value) for value in factor.distinct]
    distinct = list(dict.fromkeys(texts))
    place = np.array([distinct.index(text) for text in texts] + [-1], np.intp)
    return Factor(distinct, place[factor.positions], factor.declared)
