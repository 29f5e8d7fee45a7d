"""Encoding: any table as one float64 matrix, by a schema.

Numbers stay as they are, categories become their codes, missing cells become NaN. Integers beyond
2**53 are rounded to the nearest float64, unless they are categories.

``learn_columns`` encodes training data and finds the categories of each column on the way.
``encode_columns`` encodes new data by the schema of the training data. Categories that training did
not see count as missing; one ``UnseenCategoriesWarning`` counts them.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from reprlib import repr as shortened
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.data.columns import (
    Categories,
    Column,
    Factor,
    FloatArray,
    InputTable,
    category_text,
    read_table,
)
from roctree.errors import DataError, ParameterError
from roctree.text import pluralize


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
    """

    names: tuple[str, ...]
    categories: tuple[Categories | None, ...]
    classes: NDArray[Any]
    named: bool = True

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
        mine = (self.names, self.categories, self.named, self.classes.tolist())
        return mine == (other.names, other.categories, other.named, other.classes.tolist())

    __hash__ = None  # type: ignore[assignment]  # its classes are an array


class EncodedColumns(NamedTuple):
    """Training data as a matrix, with what a schema needs to know of its columns."""

    names: tuple[str, ...]
    categories: tuple[Categories | None, ...]
    values: FloatArray
    named: bool


def learn_columns(X: Any, categorical_features: Any = "from_dtype") -> EncodedColumns:
    """Encode training data and find the categories of each column.

    A float64 matrix is not copied.

    Parameters
    ----------
    X : array, list of rows, EncodedRows or data frame
        The training data.
    categorical_features : "from_dtype", None or sequence
        Which columns are nominal: by their types, none, or those with these names, numbers or True
        in a mask.
    """
    table = read_table(X)
    categories, values = _learn_table(table, categorical_features)
    return EncodedColumns(table.names, categories, values, table.named)


def encode_columns(X: Any, schema: Schema) -> FloatArray:
    """Encode new data with the categories of the training data.

    A float32 matrix is returned as it is, because descending a tree does not need a copy. (It is
    typed as float64, which most callers have.)
    """
    table = read_table(X)
    _check_features(table, schema)
    if table.categories is not None and table.categories != schema.categories:
        raise DataError("The rows were encoded with other categories than the training data.")
    if table.matrix is not None and (table.categories is not None or not schema.nominal.any()):
        _reject_infinity(table.matrix, table.names)
        return table.matrix

    values = np.empty((table.n_rows, table.n_features), order="F")
    unseen: dict[str, Unseen] = {}
    for feature, categories in enumerate(schema.categories):
        name, column = schema.names[feature], table.column(feature)
        if categories is None:
            values[:, feature] = _numbers(column, name)
        else:
            found = _encode_factor(column.as_factor(), categories, values[:, feature])
            if found.n_rows:
                unseen[name] = found
    _reject_infinity(values, schema.names)
    if unseen:
        warnings.warn(UnseenCategoriesWarning(unseen), stacklevel=2)
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
        # A copied or pickled warning is made again from its arguments.
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
    table: InputTable, categorical_features: Any
) -> tuple[tuple[Categories | None, ...], FloatArray]:
    if table.categories is not None and table.matrix is not None:
        return table.categories, table.matrix
    mask = _nominal_mask(categorical_features, table.names, table.named)
    if table.matrix is not None and (mask is None or not mask.any()):
        _reject_infinity(table.matrix, table.names)
        return (None,) * table.n_features, np.asarray(table.matrix, np.float64)

    values = np.empty((table.n_rows, table.n_features), order="F")
    categories: list[Categories | None] = []
    unlisted = []
    for feature, name in enumerate(table.names):
        column = table.column(feature)
        if column.nominal if mask is None else mask[feature]:
            factor = column.as_factor()
            categories.append(factor.categories)
            _encode_factor(factor, factor.categories, values[:, feature])
        elif isinstance(column, Factor):
            unlisted.append(name)
        else:
            categories.append(None)
            values[:, feature] = column.values
    if unlisted:
        raise DataError(
            reason="Text or categories in {columns}, which {categorical_features} does not list: "
            "list, drop or convert to numbers",
            columns=_listed(unlisted),
        )
    _reject_infinity(values, table.names)
    return tuple(categories), values


def _encode_factor(factor: Factor, categories: Categories, out: FloatArray) -> Unseen:
    codes = category_codes(factor.distinct, categories)
    out[:] = codes[factor.positions]
    unseen = np.isnan(codes)
    unseen[-1] = False
    places = factor.positions[unseen[factor.positions]] if unseen.any() else factor.positions[:0]
    # The least, not the first, so that the message does not depend on the order of the rows.
    example = min((factor.distinct[place] for place in set(places.tolist())), default=None)
    return Unseen(len(places), example)


def _numbers(column: Column, name: str) -> FloatArray:
    if isinstance(column, Factor):
        raise DataError(
            reason="column {column!r} was numeric in training and holds text or categories now: "
            "convert it to numbers",
            column=name,
        )
    return column.values


def _check_features(table: InputTable, schema: Schema) -> None:
    if table.named and schema.named and table.names != schema.names:
        missing = [name for name in schema.names if name not in set(table.names)]
        unexpected = [name for name in table.names if name not in set(schema.names)]
        parts = [f"missing {_listed(missing)}"] * bool(missing)
        parts += [f"unexpected {_listed(unexpected)}"] * bool(unexpected)
        difference = "; ".join(parts)
        raise DataError(
            "The feature names should match those that were passed during fit: "
            f"{difference or f'the same columns, but in the order {_listed(schema.names)}'}."
        )
    if table.n_features != schema.n_features:
        raise DataError(
            f"X has {table.n_features} features, but prediction is expecting {schema.n_features} "
            f"features as input: {', '.join(schema.names[:8])}{', ...' * (schema.n_features > 8)}."
        )


def _reject_infinity(values: FloatArray, names: Sequence[str]) -> None:
    """Raise DataError for the first infinite cell; NaN is accepted."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum()
    # One pass without a temporary; only NaN, infinity or an overflow require a second look.
    if np.isfinite(total):
        return
    infinite = np.isinf(values)
    if infinite.any():
        row, column = map(int, np.unravel_index(infinite.argmax(), infinite.shape))
        raise DataError(
            reason="column {column!r} holds {value} in row {row} (counting from 0): replace "
            "infinity by a finite number, or by NaN if the value is missing",
            column=names[column],
            row=row,
            value=values[row, column],
        )


# The parameter categorical_features, which means what it means in scikit-learn


def _nominal_mask(
    categorical_features: Any, names: Sequence[str], named: bool
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


def _feature_numbers(wanted: list[Any], names: Sequence[str], named: bool) -> list[int]:
    if not all(isinstance(name, str) for name in wanted):
        raise _not_features(wanted)
    if not named:
        raise ParameterError(
            parameter="categorical_features",
            reason="names columns, but the columns of X have no names: use numbers",
        )
    number = {name: feature for feature, name in enumerate(names)}
    unknown = [name for name in wanted if name not in number]
    if unknown:
        raise ParameterError(
            parameter="categorical_features",
            reason="names {unknown}, which X does not have; its columns are {known}",
            unknown=_listed(unknown),
            known=_listed(names),
        )
    return [number[name] for name in wanted]


def _not_features(categorical_features: Any) -> ParameterError:
    return ParameterError(
        parameter="categorical_features",
        value=categorical_features,
        reason="is not allowed: use 'from_dtype', None, column names, column numbers or a boolean "
        "mask",
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
