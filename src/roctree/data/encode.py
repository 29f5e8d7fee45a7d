"""Columns as one float64 matrix: numbers as they are, categories as their codes.

Integers beyond 2**53 are rounded to the nearest float64, unless they are categories. Missing
cells are NaN.
"""

import warnings
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from roctree.data.categorical import nominal_mask
from roctree.data.column import (
    Categories,
    Column,
    Factor,
    FloatArray,
    as_factor,
    category_text,
)
from roctree.data.matrix import refuse_infinity
from roctree.data.table import Table, read_table
from roctree.data.unseen import Unseen, UnseenCategoriesWarning
from roctree.errors import DataError

if TYPE_CHECKING:
    from roctree.data.dataset import Schema


def learn_columns(
    X: Any, categorical_features: Any = "from_dtype"
) -> tuple[tuple[str, ...], tuple[Categories | None, ...], FloatArray]:
    """Return names, categories (None where numeric) and encoded values of training data."""
    table = read_table(X)
    categories, values = learn_table(table, categorical_features)
    return table.names, categories, values


def learn_table(
    table: Table, categorical_features: Any
) -> tuple[tuple[Categories | None, ...], FloatArray]:
    """Return the categories of each column, None where numeric, and the encoded values."""
    if table.categories is not None and table.numbers is not None:
        return table.categories, table.numbers
    mask = nominal_mask(categorical_features, table.names, table.named)
    if table.numbers is not None and (mask is None or not mask.any()):
        refuse_infinity(table.numbers, table.names)
        return (None,) * table.n_features, np.asarray(table.numbers, np.float64)

    values = np.empty((table.n_rows, table.n_features), order="F")
    categories: list[Categories | None] = []
    unlisted = []
    for feature, name in enumerate(table.names):
        column = table.column(feature)
        if column.nominal if mask is None else mask[feature]:
            categories.append(_learn_nominal(as_factor(column), values[:, feature]))
        elif isinstance(column, Factor):
            unlisted.append(name)
        else:
            categories.append(None)
            values[:, feature] = column.values
    _refuse_unlisted(unlisted)
    refuse_infinity(values, table.names)
    return tuple(categories), values


def encode_columns(X: Any, schema: "Schema") -> FloatArray:
    """Return new data encoded with the categories of the training data.

    A matrix of float32 stays one: to descend a tree it need not be copied. Categories that
    training did not see count as missing, and one warning counts them.
    """
    table = read_table(X)
    _check_features(table, schema)
    if table.categories is not None and table.categories != schema.categories:
        raise DataError("The rows were encoded with other categories than the training data had.")
    if table.numbers is not None and (table.categories is not None or not schema.nominal.any()):
        refuse_infinity(table.numbers, table.names)
        return table.numbers

    values = np.empty((table.n_rows, table.n_features), order="F")
    unseen: dict[str, Unseen] = {}
    for feature, categories in enumerate(schema.categories):
        name, column = schema.names[feature], table.column(feature)
        if categories is None:
            values[:, feature] = _numbers(column, name)
        else:
            unseen[name] = _encode_nominal(as_factor(column), categories, values[:, feature])
    refuse_infinity(values, schema.names)
    _warn_of_unseen(unseen)
    return values


def category_codes(distinct: Any, categories: Categories) -> FloatArray:
    """Return the code of each distinct value, NaN if it is none of the categories.

    Numbers are compared as numbers, so that 1, 1.0 and True are one category, and as text where
    either side is text, so that a file read as text says "True" and "1" for True and 1. A last NaN
    stands for the position -1, a missing cell.
    """
    as_text = any(isinstance(value, str) for value in (*distinct, *categories[:1]))
    key = category_text if as_text else _number
    codes = {key(category): float(code) for code, category in enumerate(categories)}
    return np.array([codes.get(key(value), np.nan) for value in distinct] + [np.nan])


def _number(value: Any) -> Any:
    return value if isinstance(value, Integral) else float(value)


def _learn_nominal(factor: Factor, out: FloatArray) -> Categories:
    categories = factor.categories
    _encode_nominal(factor, categories, out)
    return categories


def _encode_nominal(factor: Factor, categories: Categories, out: FloatArray) -> Unseen:
    codes = category_codes(factor.distinct, categories)
    out[:] = codes[factor.positions]
    unseen = np.isnan(codes)
    unseen[-1] = False
    places = factor.positions[unseen[factor.positions]] if unseen.any() else factor.positions[:0]
    # The least, not the first, lest the message depend on the order of the rows.
    example = min((factor.distinct[place] for place in set(places.tolist())), default=None)
    return Unseen(len(places), example)


def _refuse_unlisted(names: list[str]) -> None:
    if names:
        raise DataError(
            f"Text or categories in {', '.join(map(repr, names))}, which categorical_features does "
            "not list: list, drop or convert to numbers."
        )


def _numbers(column: Column, name: str) -> FloatArray:
    if isinstance(column, Factor):
        raise DataError(
            f"column {name!r} was numeric in training and holds text or categories now: "
            "convert it to numbers."
        )
    return column.values


def _check_features(table: Table, schema: "Schema") -> None:
    if table.named and schema.named and table.names != schema.names:
        raise DataError(
            "The feature names should match those that were passed during fit: "
            + _difference(table.names, schema.names)
        )
    if table.n_features != schema.n_features:
        raise DataError(
            f"X has {table.n_features} features, but prediction is expecting {schema.n_features} "
            f"features as input: {', '.join(schema.names[:8])}{', ...' * (schema.n_features > 8)}."
        )


def _difference(names: tuple[str, ...], expected: tuple[str, ...]) -> str:
    missing = [name for name in expected if name not in set(names)]
    unexpected = [name for name in names if name not in set(expected)]
    if not missing and not unexpected:
        return f"the same columns, but in the order {', '.join(map(repr, expected))}."
    parts = [_listed("missing", missing)] * bool(missing)
    parts += [_listed("unexpected", unexpected)] * bool(unexpected)
    return "; ".join(parts) + "."


def _listed(word: str, names: list[str]) -> str:
    return f"{word} {', '.join(map(repr, names))}"


def _warn_of_unseen(columns: dict[str, Unseen]) -> None:
    found = {name: unseen for name, unseen in columns.items() if unseen.n_rows}
    if found:
        warnings.warn(UnseenCategoriesWarning(found), stacklevel=3)
