"""Encode any table as a float64 matrix, according to a schema.

Numbers are unchanged, categories become codes, missing cells become NaN. Integers beyond 2**53 are
rounded to the nearest float64, unless they are categories.

``learn_columns`` encodes training data and finds the categories of each column on the way.
``encode_columns`` encodes new data by the schema of the training data. Categories not seen in
training count as missing, with one ``UnseenCategoriesWarning``.
"""

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from reprlib import repr as shortened
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.arrays import in_threads, row_parts
from roctree.data.columns import (
    LARGEST_EXACT,
    Categories,
    Column,
    Factor,
    FloatArray,
    InputTable,
    Numbers,
    category_text,
    read_table,
)
from roctree.errors import (
    DataError,
    ParameterError,
    ParameterWarning,
    stacklevel_outside_package,
)
from roctree.text import did_you_mean, pluralize

# Numbers as text, and digits that a number would change.
_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*")
_CODE = re.compile(r"\s*(0\d|\d{20})")

# Which columns are nominal: by type, none, or listed as names, indices or a mask.
CategoricalFeatures = (
    Literal["from_dtype"] | Sequence[str] | Sequence[int] | Sequence[bool] | NDArray[Any] | None
)


@dataclass(frozen=True, eq=False)
class Schema:
    """Names, categories and classes: what the columns of a matrix and the labels mean.

    Parameters
    ----------
    names : tuple of str
        Names of the attributes; "x0", "x1", ... where the data have none.
    categories : tuple
        Per attribute None if numeric, else its categories in the order of their codes.
    classes : array
        Class labels in sorted order.
    named : bool
        Whether the names came from the data.
    dates : tuple of str
        Per attribute "days" or "times" if its numbers are dates as days since 1970-01-01, with the
        time of day or without, else ""; empty if no attribute is one.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> schema = ROCTreeClassifier().fit([[1.0, "red"], [2.0, "blue"]], ["no", "yes"]).schema_
    >>> schema.names, schema.categories
    (('x0', 'x1'), (None, ('blue', 'red')))
    """

    names: tuple[str, ...]
    categories: tuple[Categories | None, ...]
    classes: NDArray[Any]
    named: bool = True
    dates: tuple[str, ...] = ()

    @property
    def n_features(self) -> int:
        """Number of attributes."""
        return len(self.names)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def nominal(self) -> NDArray[np.bool_]:
        """Whether each attribute is nominal."""
        return np.array([categories is not None for categories in self.categories], dtype=np.bool_)

    @property
    def n_categories(self) -> NDArray[np.int32]:
        """Number of categories of each attribute, 0 if numeric."""
        return np.array([len(categories or ()) for categories in self.categories], dtype=np.int32)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema):
            return NotImplemented
        return self._content() == other._content()

    __hash__ = None  # type: ignore[assignment]  # its classes are an array

    def _content(self) -> tuple[Any, ...]:
        return self.names, self.categories, self.named, self.classes.tolist(), self.dates

    def date_unit(self, feature: int) -> str:
        """Return "days" or "times" if the attribute holds dates, else "".

        Parameters
        ----------
        feature : int
            Index of the column.

        Returns
        -------
        str
            The unit; empty if the column does not hold dates.

        Examples
        --------
        >>> from datetime import date
        >>> from roctree import ROCTreeClassifier
        >>> rows = [[date(2026, 1, 1), 1.0], [date(2026, 2, 1), 2.0]]
        >>> schema = ROCTreeClassifier().fit(rows, ["no", "yes"]).schema_
        >>> schema.date_unit(0), schema.date_unit(1)
        ('days', '')
        """
        return self.dates[feature] if self.dates else ""


class EncodedColumns(NamedTuple):
    """Training data as a matrix, with the properties of its columns for a schema."""

    names: tuple[str, ...]
    categories: tuple[Categories | None, ...]
    values: FloatArray
    named: bool
    dates: tuple[str, ...] = ()


def learn_columns(
    X: Any, categorical_features: CategoricalFeatures = "from_dtype", n_threads: int = 1
) -> EncodedColumns:
    """Encode training data and find the categories of each column.

    A float64 matrix is not copied.

    Parameters
    ----------
    X : array, list of rows, EncodedRows or data frame
        The training data.
    categorical_features : "from_dtype", None or sequence
        Which columns are nominal: by their types, none, or those with these names, numbers or True
        in a mask.
    n_threads : int
        Number of threads that check and convert a matrix.
    """
    table = read_table(X)
    # Columns of Arrow have chosen types, and the command line reports those of files.
    typed = type(X).__module__.startswith("pyarrow")
    return _learn_table(table, categorical_features, n_threads, typed)


def encode_columns(X: Any, schema: Schema, n_threads: int = 1) -> FloatArray:
    """Encode new data with the categories of the training data.

    A float32 matrix is returned unchanged, because prediction does not need a copy. (It is typed as
    float64, which most callers have.) A matrix is checked by ``n_threads`` threads.
    """
    table = read_table(X)
    _check_same_columns(table, schema)
    if table.categories is not None and table.categories != schema.categories:
        raise DataError(
            "The categories of the encoded rows differ from those of the training data."
        )
    if table.matrix is not None and (table.categories is not None or not schema.nominal.any()):
        _reject_infinity(table.matrix, table.names, n_threads)
        return table.matrix

    values = np.empty((table.n_rows, table.n_features), order="F")
    unseen: dict[str, Unseen] = {}
    for feature, categories in enumerate(schema.categories):
        name, column = schema.names[feature], table.column(feature)
        if categories is None:
            values[:, feature] = _as_numbers(column, name, schema.date_unit(feature))
        else:
            found = _write_codes(column.as_factor(), categories, values[:, feature])
            if found.n_rows:
                unseen[name] = found
    _reject_infinity(values, schema.names)
    if unseen:
        warnings.warn(UnseenCategoriesWarning(unseen), stacklevel=stacklevel_outside_package())
    return values


def category_codes(distinct: Any, categories: Categories) -> FloatArray:
    """Return the code of each distinct value, NaN for values that are not among the categories.

    Numbers are compared as numbers: 1, 1.0 and True are one category. Where either side is text,
    both are compared as text, so that "True" and "1" in a file read as text stand for True and 1.
    The result ends with one more NaN, for the position -1 of a missing cell.
    """

    def number(value: Any) -> Any:
        return value if isinstance(value, Integral) else float(value)

    as_text = any(isinstance(value, str) for value in (*distinct, *categories[:1]))
    key = category_text if as_text else number
    codes = {key(category): float(code) for code, category in enumerate(categories)}
    return np.array([codes.get(key(value), np.nan) for value in distinct] + [np.nan])


class Unseen(NamedTuple):
    """The number of rows of a column with unseen categories, and one of these categories."""

    n_rows: int
    example: Any


class UnseenCategoriesWarning(UserWarning):
    """Rows have categories that were not seen in training; they are treated as missing.

    Parameters
    ----------
    columns : mapping of str to Unseen
        What is unseen, by column.
    """

    def __init__(self, columns: Mapping[str, Unseen]) -> None:
        self.columns = dict(columns)
        # Copying or unpickling a warning calls the constructor with its arguments.
        super().__init__(self.columns)

    def __str__(self) -> str:
        counts = [
            f"{name!r} in {pluralize(n_rows, 'row')} (such as {shortened(example)})"
            for name, (n_rows, example) in self.columns.items()
        ]
        return f"Categories not seen in training are treated as missing: {', '.join(counts)}."

    @classmethod
    def merged(cls, found: Iterable["UnseenCategoriesWarning"]) -> "UnseenCategoriesWarning | None":
        """Return one warning for several parts of the data, or None if there is none.

        >>> parts = [UnseenCategoriesWarning({"sky": Unseen(n, "hail")}) for n in (2, 3)]
        >>> UnseenCategoriesWarning.merged(parts).columns
        {'sky': Unseen(n_rows=5, example='hail')}
        """
        columns: dict[str, Unseen] = {}
        for warning in found:
            for name, (n_rows, example) in warning.columns.items():
                before = columns.get(name, Unseen(0, example))
                columns[name] = Unseen(before.n_rows + n_rows, before.example)
        return cls(columns) if columns else None


def _learn_table(
    table: InputTable, categorical_features: CategoricalFeatures, n_threads: int, typed: bool
) -> EncodedColumns:
    if table.categories is not None and table.matrix is not None:
        return EncodedColumns(table.names, table.categories, table.matrix, table.named)
    mask = _nominal_mask(categorical_features, table.names, table.named)
    if table.matrix is not None and (mask is None or not mask.any()):
        values = _finite_floats(table.matrix, table.names, n_threads)
        if getattr(table.sources, "dtype", np.dtype(float)).kind in "iu":
            _warn_about_rounding(values, table.names, range(table.n_features))
        return EncodedColumns(table.names, (None,) * table.n_features, values, table.named)

    values = np.empty((table.n_rows, table.n_features), order="F")
    categories: list[Categories | None] = []
    by_type = mask is None and not typed
    unlisted, numbers_as_text = [], []
    dates, integers = [""] * table.n_features, []
    for feature, name in enumerate(table.names):
        column = table.column(feature)
        if column.nominal if mask is None else mask[feature]:
            factor = column.as_factor()
            numbers_as_text += [name] * (by_type and _holds_numbers(factor))
            categories.append(factor.categories)
            _write_codes(factor, factor.categories, values[:, feature])
        elif isinstance(column, Factor):
            unlisted.append(name)
        else:
            categories.append(None)
            values[:, feature] = column.values
            if column.holds_dates:
                dates[feature] = column.kind
            if column.kind == "i":
                integers.append(feature)
    if unlisted:
        raise DataError(
            reason="Text or categories in {columns}, which {categorical_features} does not list: "
            "list, drop or convert to numbers",
            columns=_quoted_names(unlisted),
        )
    _reject_infinity(values, table.names)
    _warn_about_rounding(values, table.names, integers)
    _warn_about_numbers_as_text(numbers_as_text)
    known = tuple(dates) if any(dates) else ()
    return EncodedColumns(table.names, tuple(categories), values, table.named, known)


def _warn_about_rounding(values: FloatArray, names: Sequence[str], integers: Iterable[int]) -> None:
    """Warn about columns of integers that float64 cannot represent distinctly."""
    rounded = [
        repr(names[feature])
        for feature in integers
        if np.abs(values[:, feature]).max(initial=0.0, where=~np.isnan(values[:, feature]))
        > LARGEST_EXACT
    ]
    if rounded:
        warnings.warn(
            ParameterWarning(
                reason="Integers beyond 2**53 are rounded, and some become equal, in {columns}: "
                "leave the column out, or list it in {categorical_features} if its numbers are "
                "names",
                columns=", ".join(rounded),
            ),
            stacklevel=stacklevel_outside_package(),
        )


def _holds_numbers(factor: Factor) -> bool:
    """Whether categories are the text of more than two numbers, and not of codes such as "007"."""
    known = factor.distinct
    return not factor.declared and len(known) > 2 and all(map(_is_number_as_text, known))


def _is_number_as_text(value: Any) -> bool:
    return isinstance(value, str) and bool(_NUMBER.fullmatch(value)) and not _CODE.match(value)


def _warn_about_numbers_as_text(names: Sequence[str]) -> None:
    """Warn about columns of text that hold only numbers."""
    if names:
        advice = "convert it" if len(names) == 1 else "convert them"
        warnings.warn(
            ParameterWarning(
                reason="Numbers in {columns} are text, so that each is a category: " + advice + ", "
                "in pandas by astype(float), or list what is nominal in {categorical_features}",
                columns=_quoted_names(names),
            ),
            stacklevel=stacklevel_outside_package(),
        )


def _finite_floats(matrix: NDArray[Any], names: tuple[str, ...], n_threads: int) -> FloatArray:
    """Return a matrix of numbers without infinities as float64, copied only if it must be."""
    _reject_infinity(matrix, names, n_threads)
    if matrix.dtype == np.float64:
        return matrix
    floats = np.empty(matrix.shape)

    def convert(rows: slice) -> None:
        floats[rows] = matrix[rows]

    in_threads(n_threads, convert, row_parts(len(matrix), n_threads))
    return floats


def _write_codes(factor: Factor, categories: Categories, out: FloatArray) -> Unseen:
    codes = category_codes(factor.distinct, categories)
    out[:] = codes[factor.positions]
    unseen = np.isnan(codes)
    unseen[-1] = False
    places = factor.positions[unseen[factor.positions]] if unseen.any() else factor.positions[:0]
    # The smallest, not the first, so that the message does not depend on the order of the rows.
    example = min((factor.distinct[place] for place in set(places.tolist())), default=None)
    return Unseen(len(places), example)


def _as_numbers(column: Column, name: str, date_unit: str) -> FloatArray:
    if isinstance(column, Factor) and date_unit:
        column = _dates_from_text(column, name)
    if isinstance(column, Numbers) and column.holds_dates and not date_unit:
        raise DataError(
            reason="column {column!r} was numeric in training and holds dates now: convert it to "
            "numbers",
            column=name,
        )
    if isinstance(column, Factor):
        raise DataError(
            reason="column {column!r} was numeric in training and holds text or categories now: "
            "convert it to numbers",
            column=name,
        )
    return column.values


def _dates_from_text(column: Factor, name: str) -> Numbers:
    """Return dates that are written as in ISO 8601, such as 2024-12-31."""
    try:
        found = np.array([*column.distinct, "NaT"], "datetime64[us]")
    except ValueError:
        raise DataError(
            reason="column {column!r} held dates in training and holds other text now: write dates "
            "as 2024-12-31",
            column=name,
        ) from None
    return Numbers.from_dates(found[column.positions])


def _check_same_columns(table: InputTable, schema: Schema) -> None:
    if table.named and schema.named and table.names != schema.names:
        missing = [name for name in schema.names if name not in set(table.names)]
        unexpected = [name for name in table.names if name not in set(schema.names)]
        parts = [f"missing {_quoted_names(missing)}"] * bool(missing)
        parts += [f"unexpected {_quoted_names(unexpected)}"] * bool(unexpected)
        difference = "; ".join(parts)
        raise DataError(
            "The feature names should match those that were passed during fit: "
            f"{difference or f'the same columns, but in the order {_quoted_names(schema.names)}'}."
        )
    if table.n_features != schema.n_features:
        raise DataError(
            f"X has {table.n_features} features, but prediction is expecting {schema.n_features} "
            f"features as input: {', '.join(schema.names[:8])}{', ...' * (schema.n_features > 8)}."
        )


def _reject_infinity(values: FloatArray, names: Sequence[str], n_threads: int = 1) -> None:
    """Raise DataError for the first infinite cell; NaN is accepted."""

    def total(rows: slice) -> Any:
        with np.errstate(over="ignore", invalid="ignore"):
            return values[rows].sum()

    # One pass without a temporary; only NaN, infinity or an overflow require a second look.
    if np.isfinite(in_threads(n_threads, total, row_parts(len(values), n_threads))).all():
        return
    infinite = np.isinf(values)
    if infinite.any():
        row, column = map(int, np.unravel_index(infinite.argmax(), infinite.shape))
        raise DataError(
            reason="column {column!r} holds {value} in {numbered_row}: replace "
            "infinity by a finite number, or by NaN if the value is missing",
            column=names[column],
            row=row,
            value=values[row, column],
        )


# The parameter categorical_features, which means what it means in scikit-learn


def _nominal_mask(
    categorical_features: CategoricalFeatures, names: Sequence[str], named: bool
) -> NDArray[np.bool_] | None:
    """Return which columns are nominal, or None if their types decide."""
    if isinstance(categorical_features, str) and categorical_features == "from_dtype":
        return None
    mask = np.zeros(len(names), dtype=np.bool_)
    if categorical_features is None:
        return mask
    entries = np.asarray(categorical_features)
    if entries.ndim != 1 or (len(entries) and entries.dtype.kind not in "biuUTO"):
        raise _not_features(categorical_features)
    if len(entries) == 0:
        return mask
    if entries.dtype.kind == "b":
        if len(entries) != len(names):
            raise ParameterError(
                parameter="categorical_features",
                reason=f"is a mask of {len(entries)} entries, but X has {len(names)} features: "
                "give one entry per feature",
            )
        return entries
    if entries.dtype.kind in "iu":
        outside = entries[(entries < 0) | (entries >= len(names))]
        if len(outside):
            raise ParameterError(
                parameter="categorical_features",
                reason=f"names column {outside[0]}, but X has the columns 0 to {len(names) - 1}",
            )
        mask[entries] = True
    else:
        mask[_feature_numbers(entries.tolist(), names, named)] = True
    return mask


def _feature_numbers(listed: list[Any], names: Sequence[str], named: bool) -> list[int]:
    if not all(isinstance(name, str) for name in listed):
        raise _not_features(listed)
    if not named:
        raise ParameterError(
            parameter="categorical_features",
            reason="names columns, but the columns of X have no names: use numbers",
        )
    number = {name: feature for feature, name in enumerate(names)}
    unknown = [name for name in listed if name not in number]
    if unknown:
        raise ParameterError(
            parameter="categorical_features",
            reason="names {unknown}, which X does not have{suggestion}; its columns are {known}",
            unknown=_quoted_names(unknown),
            suggestion=did_you_mean(unknown[0], names),
            known=_quoted_names(names),
        )
    return [number[name] for name in listed]


def _not_features(categorical_features: Any) -> ParameterError:
    return ParameterError(
        parameter="categorical_features",
        value=categorical_features,
        reason="is not allowed: use 'from_dtype', None, column names, column numbers or a boolean "
        "mask",
    )


def _quoted_names(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
