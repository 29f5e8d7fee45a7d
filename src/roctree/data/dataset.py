"""A data set is a matrix, labels, weights, and the schema that says what they mean."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data.column import Categories, FloatArray
from roctree.data.encode import encode_columns, learn_table
from roctree.data.labels import check_weights, encode_labels, labels_of
from roctree.data.table import read_table
from roctree.errors import DataError

# Fewer categories are no burden to a tree, and common in small data.
_FEW_CATEGORIES = 100


@dataclass(frozen=True, eq=False)
class Schema:
    """Names, categories and classes: how to read a column of numbers and a label.

    Parameters
    ----------
    names : attribute names; "x0", "x1", ... where the data have none
    categories : per attribute None if numeric, else its categories in the order of their codes
    classes : class labels in sorted order
    named : whether the names came from the data
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


@dataclass(frozen=True, eq=False)
class Dataset:
    """Encoded rows with their labels and weights.

    Parameters
    ----------
    values : float64[n, features], category codes where nominal, NaN where missing
    labels : int32[n], index into ``schema.classes``
    weights : float64[n]
    schema : what the columns and labels mean
    """

    values: FloatArray
    labels: NDArray[np.int32]
    weights: FloatArray
    schema: Schema

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        categorical_features: Any = "from_dtype",
    ) -> "Dataset":
        """Read arrays, nested lists or data frames; a float64 matrix is not copied.

        Parameters
        ----------
        X : numpy array, list of rows, or a table of pandas, polars or pyarrow
        y : one label per row: strings, booleans, integers or floats with integer values
        sample_weight : one weight per row, at least 0; None for ones
        categorical_features : "from_dtype", None, names, column numbers or a boolean mask

        Examples
        --------
        >>> data = Dataset.from_data([[1.5, "red"], [None, "blue"]], ["yes", "no"])
        >>> data.schema.categories
        (None, ('blue', 'red'))
        >>> data.values
        array([[1.5, 1. ],
               [nan, 0. ]])
        """
        table = read_table(X)
        categories, values = learn_table(table, categorical_features)
        classes, labels = encode_labels(y)
        _check_lengths(table.n_rows, len(labels))
        weights = check_weights(sample_weight, table.n_rows)
        schema = Schema(table.names, categories, classes, table.named)
        return cls(values, labels, weights, schema)

    @classmethod
    def encoded(cls, X: Any, y: Any, schema: Schema, *, sample_weight: Any = None) -> "Dataset":
        """Read data of a kind that is known; labels must be among its classes.

        Examples
        --------
        >>> data = Dataset.from_data([[1.5, "red"], [None, "blue"]], ["yes", "no"])
        >>> Dataset.encoded([[2.0, "red"]], ["yes"], data.schema).labels
        array([1], dtype=int32)
        """
        values = np.asarray(encode_columns(X, schema), dtype=np.float64)
        labels = labels_of(y, schema.classes)
        _check_lengths(len(values), len(labels))
        return cls(values, labels, check_weights(sample_weight, len(values)), schema)

    def with_weight(self) -> "Dataset":
        """Return the rows that have weight, without the categories that only others had.

        Rows without weight must leave no trace, neither a threshold nor a branch. Categories that
        no row has were declared, and stay.
        """
        used = self.weights > 0.0
        if used.all():
            return self
        values, categories = self.values[used], list(self.schema.categories)
        for column in np.flatnonzero(self.schema.nominal):
            known = np.unique(values[:, column])
            lost = np.setdiff1d(np.unique(self.values[~used, column]), known)
            lost = lost[~np.isnan(lost)].astype(np.int64)
            if lost.size > 0:
                kept = np.delete(np.arange(self.schema.n_categories[column]), lost)
                codes = np.searchsorted(kept, values[:, column]).astype(np.float64)
                values[:, column] = np.where(np.isnan(values[:, column]), np.nan, codes)
                named = categories[column] or ()
                categories[column] = tuple(named[code] for code in kept)
        schema = replace(self.schema, categories=tuple(categories))
        return Dataset(values, self.labels[used], self.weights[used], schema)


def warn_of_identifiers(dataset: Dataset, stacklevel: int) -> None:
    """Warn of nominal columns of a data set that name rows."""
    occurring = []
    for feature in np.flatnonzero(dataset.schema.n_categories > _FEW_CATEGORIES):
        codes = dataset.values[:, feature]
        known = codes[~np.isnan(codes)]
        occurring.append((dataset.schema.names[feature], np.unique(known).size, known.size))
    warn_of_names_of_rows(occurring, stacklevel + 1)


def warn_of_names_of_rows(occurring: Iterable[tuple[str, int, int]], stacklevel: int) -> None:
    """Warn of columns with more than half as many categories as rows.

    Parameters
    ----------
    occurring : for each nominal column its name, how many categories occur, and in how many rows
    stacklevel : of the warning
    """
    listed = [
        f"{name!r} ({n_seen} in {n_rows} rows)"
        for name, n_seen, n_rows in occurring
        if n_seen > max(_FEW_CATEGORIES, n_rows / 2)
    ]
    if listed:
        warnings.warn(
            "So many categories name rows rather than groups of them, in "
            f"{', '.join(listed)}: leave the column out, or turn it into numbers if it holds dates "
            "or numbers as text.",
            UserWarning,
            stacklevel=stacklevel + 1,
        )


def _check_lengths(n_rows: int, n_labels: int) -> None:
    if n_rows != n_labels:
        raise DataError(
            f"X has {n_rows} rows and y has {n_labels} labels: give one label for each row."
        )
