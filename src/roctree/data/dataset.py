"""A data set: an encoded matrix, labels, weights, and the schema that describes them.

Labels become indices into the sorted distinct classes. Weights are finite and at least 0; rows of
weight 0 have no effect.
"""

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.arrays import in_threads, row_parts
from roctree.data.columns import (
    Factor,
    FloatArray,
    as_frame,
    as_series,
    cell_kinds,
    is_missing,
    read_series,
    series_to_numpy,
)
from roctree.data.encoding import CategoricalFeatures, Schema, encode_columns, learn_columns
from roctree.data.lazy import frames
from roctree.errors import DataError, ParameterError
from roctree.text import pluralize, quote_if_needed

ClassIndices = NDArray[np.int32]

# Criteria multiply two sums of weights, which must neither overflow nor become subnormal.
LARGEST_TOTAL_WEIGHT = 1e150
SMALLEST_LARGEST_WEIGHT = 1e-140
# Integer labels that span less than this are numbered without sorting.
_LOOKUP_SPAN = 1 << 16
# In up to this many rows, distinct values do not suggest an identifier.
FEW_ROWS = 10
# Up to this many categories are unproblematic, and common in small data.
FEW_CATEGORIES = 100


@dataclass(frozen=True, eq=False)
class Dataset:
    """Encoded rows with their labels and weights.

    Parameters
    ----------
    values : float64[n, features]
        Category codes where nominal, NaN where missing.
    labels : int32[n]
        Index into ``schema.classes``.
    weights : float64[n]
        Weight of each row.
    schema : Schema
        What the columns and labels mean.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> tree = ROCTreeClassifier().fit([[1.0, "red"], [2.0, "blue"]], ["no", "yes"])
    >>> data = Dataset.encoded([[3.0, "red"]], ["yes"], tree.schema_)
    >>> len(data.labels)
    1
    """

    values: FloatArray
    labels: ClassIndices
    weights: FloatArray
    schema: Schema

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        n_threads: int = 1,
    ) -> "Dataset":
        """Read arrays, nested lists or data frames; a float64 matrix is not copied.

        Parameters
        ----------
        X : numpy array, list of rows, or a table of pandas, polars or pyarrow
            The attributes.
        y : array-like of str, bool, int, or float with integer values
            One label per row.
        sample_weight : array-like of float, optional
            One weight per row, at least 0; None for ones.
        categorical_features : "from_dtype", None or sequence
            Which columns are nominal: by their types, none, or those with these names, numbers or
            True in a mask.
        n_threads : int
            Number of threads that check and convert a matrix.

        Examples
        --------
        >>> data = Dataset.from_data([[1.5, "red"], [None, "blue"]], ["yes", "no"])
        >>> data.schema.categories
        (None, ('blue', 'red'))
        >>> data.values
        array([[1.5, 1. ],
               [nan, 0. ]])
        """
        names, categories, values, named, dates = learn_columns(X, categorical_features, n_threads)
        classes, labels = encode_labels(y, n_threads)
        schema = Schema(names, categories, classes, named, dates)
        return cls._checked(values, labels, sample_weight, schema)

    @classmethod
    def encoded(cls, X: Any, y: Any, schema: Schema, *, sample_weight: Any = None) -> "Dataset":
        """Read data according to a known schema; labels must be among its classes.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The cases.
        y : array of shape (n_samples,)
            Class of each case.
        schema : Schema
            Columns and classes, as of the training data.
        sample_weight : array of shape (n_samples,) or None
            Weights of the cases; None for equal weights.

        Examples
        --------
        >>> data = Dataset.from_data([[1.5, "red"], [None, "blue"]], ["yes", "no"])
        >>> Dataset.encoded([[2.0, "red"]], ["yes"], data.schema).labels
        array([1], dtype=int32)
        """
        values = np.asarray(encode_columns(X, schema), dtype=np.float64)
        labels = encode_known_labels(y, schema.classes)
        return cls._checked(values, labels, sample_weight, schema)

    @classmethod
    def _checked(
        cls, values: FloatArray, labels: ClassIndices, sample_weight: Any, schema: Schema
    ) -> "Dataset":
        n_rows = len(values)
        if n_rows != len(labels):
            raise DataError(
                f"X has {n_rows} rows and y has {len(labels)} labels: give one label for each row."
            )
        return cls(values, labels, check_weights(sample_weight, n_rows), schema)

    def drop_zero_weight(self) -> "Dataset":
        """Return the rows with positive weight, without categories that occur only in other rows.

        Rows of weight 0 must not affect thresholds or branches. Declared categories that occur in
        no row are kept.

        Returns
        -------
        Dataset
            The cases of positive weight; this data set if all have positive weight.

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> schema = ROCTreeClassifier().fit([[1.0], [2.0]], ["no", "yes"]).schema_
        >>> rows, labels = [[1.0], [3.0]], ["no", "yes"]
        >>> data = Dataset.encoded(rows, labels, schema, sample_weight=[1.0, 0.0])
        >>> len(data.drop_zero_weight().labels)
        1
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

    def scale_light_weights(self) -> "Dataset":
        """Multiply weights that average less than a half by a power of two; see ``light_scale``.

        Returns
        -------
        Dataset
            The cases with weights that average at least a half; this data set if its own do.

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> schema = ROCTreeClassifier().fit([[1.0], [2.0]], ["no", "yes"]).schema_
        >>> rows, labels = [[1.0], [3.0]], ["no", "yes"]
        >>> data = Dataset.encoded(rows, labels, schema, sample_weight=[0.25, 0.25])
        >>> bool(data.scale_light_weights().weights.mean() >= 0.5)
        True
        """
        if self.weights.mean() >= 0.5:
            return self
        # The exact sum does not depend on the order of rows.
        scale = light_scale(math.fsum(self.weights), len(self.weights))
        return replace(self, weights=self.weights * scale)


def check_test_cases(X_test: Any, y_test: Any) -> None:
    """Reject test data without labels, and labels without test data."""
    if (X_test is None) != (y_test is None):
        raise ParameterError(reason="Test data are rows and labels: give both {X_test and y_test}")


def check_rows_given(X: Any, y: Any, sample_weight: Any, name: str = "X") -> None:
    """Reject labels or weights without the rows, whose parameter is called ``name``."""
    if X is None and (y is not None or sample_weight is not None):
        raise ParameterError(f"Give {name} together with y and weights, or none of them.")


# Uninformative training data: a single class, and columns that identify rows


class IdentifierWarning(UserWarning):
    """Columns identify the rows: a tree can memorise them, but they do not generalise."""


def warn_about_training_data(dataset: Dataset, stacklevel: int) -> None:
    """Warn about a single class, and about columns that identify rows."""
    warn_about_single_class(dataset.schema.classes, stacklevel + 1)
    _warn_about_row_numbers(dataset, stacklevel + 1)
    occurring = []
    for feature, categories in enumerate(dataset.schema.categories):
        if categories is None or len(categories) <= FEW_ROWS:
            continue
        codes = dataset.values[:, feature]
        known = codes[~np.isnan(codes)]
        occurring.append((dataset.schema.names[feature], np.unique(known).size, known.size))
    warn_about_many_categories(occurring, stacklevel + 1)


def warn_about_single_class(classes: NDArray[Any], stacklevel: int) -> None:
    """Warn if all rows have the same class."""
    if len(classes) == 1:
        warnings.warn(
            f"The target is {classes.tolist()[0]!r} in all rows, and so is every prediction: "
            "choose another target, or add rows of another class.",
            UserWarning,
            stacklevel=stacklevel + 1,
        )


def _warn_about_row_numbers(dataset: Dataset, stacklevel: int) -> None:
    """Warn about columns of a data frame that number the rows."""
    schema = dataset.schema
    listed = [
        repr(schema.names[feature])
        for feature in (np.flatnonzero(~schema.nominal) if schema.named else ())
        # Days in a row may be those of a series.
        if not schema.date_unit(int(feature)) and _numbers_rows(dataset.values[:, feature])
    ]
    if listed:
        warnings.warn(
            "Columns that number the rows identify them and do not generalise: "
            f"{', '.join(listed)}. Drop the column.",
            IdentifierWarning,
            stacklevel=stacklevel + 1,
        )


def _numbers_rows(values: FloatArray) -> bool:
    """Whether numbers are integers in steps of one, in the order of the rows."""
    few = values[:FEW_ROWS]
    return (
        len(values) > FEW_ROWS
        and bool((np.abs(np.diff(few)) == 1.0).all())
        and bool((np.diff(values) == few[1] - few[0]).all())
    )


def warn_about_many_categories(occurring: Iterable[tuple[str, int, int]], stacklevel: int) -> None:
    """Warn about columns with a different category in each row, or in more than half of the rows.

    Parameters
    ----------
    occurring : iterable of (str, int, int)
        For each nominal column its name, the number of its categories that occur, and the number of
        rows in which it is not missing.
    stacklevel : int
        Of the warning.
    """
    listed = [
        f"{name!r} ({n_seen} in {n_rows} rows)"
        for name, n_seen, n_rows in occurring
        if n_seen > max(FEW_CATEGORIES, n_rows / 2) or n_seen == n_rows > FEW_ROWS
    ]
    if listed:
        warnings.warn(
            "Columns with nearly as many categories as rows identify rows and do not generalise: "
            f"{', '.join(listed)}. Drop the column, or convert it to numbers if it holds dates or "
            "numbers as text.",
            IdentifierWarning,
            stacklevel=stacklevel + 1,
        )


# Columns with many categories

# With more categories than this, two sets divide a few thousand rows well by chance.
MANY_CATEGORIES = 30


def describe_categories(n_categories: int, n_rows: int) -> str:
    """Return a remark on a column with many categories."""
    each = pluralize(max(1, round(n_rows / n_categories)), "row")
    return f"{n_categories} categories, about {each} each: splits on it may not hold for new rows"


def remarks_on_categories(schema: Schema, n_rows: int) -> list[str]:
    """Return a sentence for each column of a model with many categories.

    Parameters
    ----------
    schema : Schema
    n_rows : int
        Number of training rows.
    """
    return [
        f"{quote_if_needed(name)} has {describe_categories(len(categories), n_rows)}."
        for name, categories in zip(schema.names, schema.categories, strict=True)
        if categories is not None and len(categories) > MANY_CATEGORIES
    ]


# Weights


def check_weights(sample_weight: Any, n_rows: int) -> FloatArray:
    """Return one finite weight per row, none negative and not all zero; None means ones."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = _weights_as_floats(sample_weight)
    if weights.shape != (n_rows,):
        raise DataError(
            reason="{sample_weight} has shape {shape}, expected ({n_rows},): one weight per row",
            shape=weights.shape,
            n_rows=n_rows,
        )
    unusable = ~(np.isfinite(weights) & (weights >= 0))
    if unusable.any():
        row = int(unusable.argmax())
        raise DataError(
            reason="{sample_weight} is {weight} in {numbered_row}: weights must be "
            "finite and at least 0",
            row=row,
            weight=weights[row],
        )
    if not weights.any():
        raise DataError(
            reason="all weights in {sample_weight} are zero: at least one must be positive"
        )
    largest = float(weights.max())
    if largest < SMALLEST_LARGEST_WEIGHT or largest > LARGEST_TOTAL_WEIGHT / n_rows:
        raise DataError(
            reason="the largest weight in {sample_weight} is {largest:g}, too extreme for sums "
            "over {rows}: scale the weights to an average of 1",
            largest=largest,
            rows=pluralize(n_rows, "row"),
        )
    return weights


def light_scale(total: float, n_rows: int) -> float:
    """Return the factor for weights that average less than a half: a power of two.

    Smoothing and pruning weigh counts against prior cases. If weights add up to one, as many
    programs scale them, the prior would outweigh the data. The scaled weights average between a
    half and one. Powers of two leave their ratios and sums exact.

    >>> light_scale(1.0, 150), light_scale(100.0, 150)
    (128.0, 1.0)
    """
    return math.ldexp(1.0, max(0, -math.frexp(total / n_rows)[1]))


def _weights_as_floats(sample_weight: Any) -> FloatArray:
    row = _first_masked(sample_weight)
    if row is not None:
        raise DataError(
            reason="{sample_weight} is masked in {numbered_row}: every row needs a weight",
            row=row,
        )
    try:
        weights = np.asarray(sample_weight)
        # Text could be parsed, but a column of text is probably the wrong column.
        holds_text = weights.dtype.kind == "O" and any(isinstance(w, str) for w in weights.flat)
        if weights.dtype.kind in "fiubO" and not holds_text:
            return weights.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        pass
    raise DataError(reason="{sample_weight} must contain only numbers")


def _first_masked(values: Any) -> int | None:
    masked = isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values)
    return int(np.argmax(masked)) if np.any(masked) else None


# Labels


def encode_labels(y: Any, n_threads: int = 1) -> tuple[NDArray[Any], ClassIndices]:
    """Return the classes in sorted order and, per row, the index of its class."""
    if y is None:
        raise DataError("A classifier requires y to be passed, but the target y is None.")
    series = None if isinstance(y, np.ndarray | list | tuple) else _label_series(y)
    read = _read_label_array(y) if series is None else _read_label_series(series)
    if isinstance(read, Factor):
        return _encode_factor(read, _text_dtype(y))
    return _encode_numbers(read, n_threads)


def encode_known_labels(y: Any, classes: NDArray[Any]) -> ClassIndices:
    """Return the index of each label among classes that are known."""
    found, labels = encode_labels(y)
    known = classes.tolist()
    places = {label: place for place, label in enumerate(known)}
    unknown = [label for label in found.tolist() if label not in places]
    if unknown:
        raise DataError(
            f"y has the label {unknown[0]!r}, which is not a class of the training data; "
            f"the classes are {', '.join(map(repr, known))}."
        )
    return np.array([places[label] for label in found.tolist()], dtype=np.int32)[labels]


def _label_series(y: Any) -> "frames.Series[Any] | None":
    series = as_series(y)
    frame = as_frame(y) if series is None else None
    if frame is None:
        return series
    if len(frame.columns) != 1:
        raise _not_one_dimensional(frame.shape)
    return frame.get_column(frame.columns[0])


def _read_label_series(series: "frames.Series[Any]") -> Factor | NDArray[Any]:
    if series.null_count():
        raise _missing_label(int(series.is_null().to_numpy().argmax()))
    if series.dtype in (frames.Categorical, frames.Enum):
        column = read_series(series, None)
        assert isinstance(column, Factor)
        return column
    return _read_label_array(series_to_numpy(series))


def _read_label_array(y: Any) -> Factor | NDArray[Any]:
    labels = np.array(y, dtype=object) if isinstance(y, list | tuple) else np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise _not_one_dimensional(labels.shape)
    if len(labels) == 0:
        raise DataError("y is empty: at least one label is required.")
    row = _first_masked(y)
    if row is not None:
        raise _missing_label(row)
    return labels if labels.dtype.kind in "fiub" else _read_label_cells(labels.tolist())


def _read_label_cells(cells: list[Any]) -> Factor | NDArray[Any]:
    kinds = cell_kinds(cells, None)
    if "date" in kinds:
        raise DataError("y holds dates, which are not classes: choose another target.")
    if kinds == {"text"}:
        return Factor.from_cells(cells)
    if not kinds <= {"bool", "int"}:
        row = next((row for row, cell in enumerate(cells) if is_missing(cell)), None)
        if row is not None:
            raise _missing_label(row)
    if "text" in kinds:
        raise DataError(
            f"y mixes text with other types ({', '.join(sorted(kinds))}), which have no common "
            "order: convert all labels to strings."
        )
    labels = np.array(cells, dtype=np.float64 if "float" in kinds else None)
    # Integers on both sides of 2**63 would be rounded.
    whole = "float" not in kinds and labels.dtype.kind == "f"
    return np.array(cells, dtype=object) if whole else labels


def _text_dtype(y: Any) -> type[np.generic]:
    # As in scikit-learn: NumPy strings keep their type, strings from data frames stay objects.
    of_numpy = isinstance(y, list | tuple) or (isinstance(y, np.ndarray) and y.dtype != np.object_)
    return np.str_ if of_numpy else np.object_


def _encode_factor(labels: Factor, dtype: type[np.generic]) -> tuple[NDArray[Any], ClassIndices]:
    occurs = np.bincount(labels.positions, minlength=len(labels.distinct)) > 0
    found = [value for value, present in zip(labels.distinct, occurs, strict=True) if present]
    classes = sorted(found)
    index = {label: code for code, label in enumerate(classes)}
    codes = np.array([index.get(value, -1) for value in labels.distinct], np.int32)
    text = isinstance(classes[0], str)
    return np.array(classes, dtype=dtype if text else None), codes[labels.positions]


def _encode_numbers(labels: NDArray[Any], n_threads: int) -> tuple[NDArray[Any], ClassIndices]:
    if labels.dtype.kind == "f":
        _check_whole(labels)
    elif np.can_cast(labels.dtype, np.int64):
        found = _encode_by_lookup(labels, n_threads)
        if found is not None:
            return found
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.astype(np.int32)


def _encode_by_lookup(
    labels: NDArray[Any], n_threads: int
) -> tuple[NDArray[Any], ClassIndices] | None:
    """Encode integers that lie close together by a lookup table, which avoids sorting."""
    parts = row_parts(labels.size, n_threads)
    lowest = int(min(in_threads(n_threads, lambda part: labels[part].min(), parts)))
    span = int(max(in_threads(n_threads, lambda part: labels[part].max(), parts))) - lowest + 1
    if span > _LOOKUP_SPAN:
        return None
    places = np.empty(labels.size, np.int32)

    def count(part: slice) -> NDArray[np.int64]:
        np.subtract(labels[part], lowest, out=places[part], casting="unsafe", dtype=np.int64)
        return np.bincount(places[part], minlength=span)

    occurs = np.sum(in_threads(n_threads, count, parts), axis=0) > 0
    classes = (np.flatnonzero(occurs) + lowest).astype(labels.dtype)
    if occurs.all():
        return classes, places
    return classes, (np.cumsum(occurs, dtype=np.int32) - 1)[places]


def _check_whole(labels: NDArray[np.floating[Any]]) -> None:
    fractions = ~(np.floor(labels) == labels) | np.isinf(labels)
    if not fractions.any():
        return
    row = int(fractions.argmax())
    if np.isnan(labels[row]):
        raise _missing_label(row)
    raise DataError(
        reason="Unknown label type: continuous, y holds {label} in {numbered_row}: "
        "labels must be classes; cut a continuous target into intervals first",
        row=row,
        label=labels[row],
    )


def _missing_label(row: int) -> DataError:
    return DataError(
        reason="Input y contains NaN or None: the label of {numbered_row} is missing; "
        "drop rows without a label",
        row=row,
    )


def _not_one_dimensional(shape: tuple[int, ...]) -> DataError:
    return DataError(f"y should be a 1d array, got an array of shape {shape} instead.")
