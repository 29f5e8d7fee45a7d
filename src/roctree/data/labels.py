"""Class labels as indices into their sorted distinct values, and the weights of rows."""

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from roctree.data.column import Factor, FloatArray, cell_kinds, factor_of, is_missing
from roctree.data.frame import as_frame, as_series, read_series, to_numpy
from roctree.errors import DataError, ParameterError
from roctree.table import amount

Labels = NDArray[np.int32]
# Criteria multiply two sums of weights: that must not overflow, nor vanish as a subnormal number.
LARGEST_TOTAL = 1e150
LEAST_LARGEST = 1e-140
# Whole labels of which none is further from another are numbered without sorting.
_CLOSE = 1 << 16


def encode_labels(y: Any) -> tuple[NDArray[Any], Labels]:
    """Return the classes in sorted order and, per row, the index of its class."""
    if y is None:
        raise DataError("A classifier requires y to be passed, but the target y is None.")
    series = None if isinstance(y, np.ndarray | list | tuple) else _only_series(y)
    read = _read_array(y) if series is None else _read_series(series)
    if isinstance(read, Factor):
        return _encode_factor(read, _text_dtype(y))
    return _encode_numbers(read)


def check_test_cases(X_test: Any, y_test: Any) -> None:
    """Refuse test cases without labels, or labels without cases."""
    if (X_test is None) != (y_test is None):
        raise ParameterError("Test data are rows and labels: give both X_test and y_test.")


def check_rows_given(X: Any, y: Any, sample_weight: Any, name: str = "X") -> None:
    """Refuse labels or weights of rows that are not given, which ``name`` would be."""
    if X is None and (y is not None or sample_weight is not None):
        raise ParameterError(f"Give {name} with y and their weights, or none of them.")


def labels_of(y: Any, classes: NDArray[Any]) -> Labels:
    """Return the index of each label among classes that are known."""
    found, labels = encode_labels(y)
    known = classes.tolist()
    places = {label: place for place, label in enumerate(known)}
    strangers = [label for label in found.tolist() if label not in places]
    if strangers:
        raise DataError(
            f"y has the label {strangers[0]!r}, which is no class of the training data; "
            f"the classes are {', '.join(map(repr, known))}."
        )
    return np.array([places[label] for label in found.tolist()], dtype=np.int32)[labels]


def check_weights(sample_weight: Any, n_rows: int) -> FloatArray:
    """Return one finite weight per row, none negative and not all zero; None means ones."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = _numbers(sample_weight)
    if weights.shape != (n_rows,):
        raise DataError(
            f"sample_weight has shape {weights.shape}, expected ({n_rows},): one weight per row."
        )
    unusable = ~(np.isfinite(weights) & (weights >= 0))
    if unusable.any():
        row = unusable.argmax()
        raise DataError(
            f"sample_weight is {weights[row]} in row {row} (counting from 0): "
            "weights must be finite numbers, at least 0."
        )
    if not weights.any():
        raise DataError("all weights in sample_weight are zero: at least one must be positive.")
    _refuse_extreme(float(weights.max()), n_rows)
    return weights


def _refuse_extreme(largest: float, n_rows: int) -> None:
    if largest < LEAST_LARGEST or largest > LARGEST_TOTAL / n_rows:
        raise DataError(
            f"the largest weight in sample_weight is {largest:g}, too extreme for sums over "
            f"{amount(n_rows, 'row')}: multiply the weights so that they average 1."
        )


def _numbers(sample_weight: Any) -> FloatArray:
    row = _first_masked(sample_weight)
    if row is not None:
        raise DataError(
            f"sample_weight is masked in row {row} (counting from 0): every row needs a weight."
        )
    try:
        weights = np.asarray(sample_weight)
        # Text would be parsed, but a column of text is more likely the wrong column.
        holds_text = weights.dtype.kind == "O" and any(isinstance(w, str) for w in weights.flat)
        if weights.dtype.kind in "fiubO" and not holds_text:
            return weights.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        pass
    raise DataError("sample_weight must hold numbers only, and it does not.")


def _first_masked(values: Any) -> int | None:
    masked = isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values)
    return int(np.argmax(masked)) if np.any(masked) else None


def _only_series(y: Any) -> nw.Series[Any] | None:
    series = as_series(y)
    frame = as_frame(y) if series is None else None
    if frame is None:
        return series
    if len(frame.columns) != 1:
        raise _not_one_dimensional(frame.shape)
    return frame.get_column(frame.columns[0])


def _read_series(series: nw.Series[Any]) -> Factor | NDArray[Any]:
    if series.null_count():
        raise _missing(int(series.is_null().to_numpy().argmax()))
    if series.dtype in (nw.Categorical, nw.Enum):
        column = read_series(series, "y")
        assert isinstance(column, Factor)
        return column
    return _read_array(to_numpy(series))


def _read_array(y: Any) -> Factor | NDArray[Any]:
    labels = np.array(y, dtype=object) if isinstance(y, list | tuple) else np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise _not_one_dimensional(labels.shape)
    if len(labels) == 0:
        raise DataError("y is empty: at least one label is required.")
    row = _first_masked(y)
    if row is not None:
        raise _missing(row)
    return labels if labels.dtype.kind in "fiub" else _read_cells(labels.tolist())


def _read_cells(cells: list[Any]) -> Factor | NDArray[Any]:
    kinds = cell_kinds(cells, "y")
    if kinds == {"text"}:
        return factor_of(cells)
    if not kinds <= {"bool", "int"}:
        row = next((row for row, cell in enumerate(cells) if is_missing(cell)), None)
        if row is not None:
            raise _missing(row)
    if "text" in kinds:
        raise DataError(
            f"y mixes text with other types ({', '.join(sorted(kinds))}), which have no common "
            "order: convert all labels to strings."
        )
    labels = np.array(cells, dtype=np.float64 if "float" in kinds else None)
    # Whole numbers on both sides of 2**63 would be rounded.
    whole = "float" not in kinds and labels.dtype.kind == "f"
    return np.array(cells, dtype=object) if whole else labels


def _text_dtype(y: Any) -> type[np.generic]:
    # As scikit-learn: strings of numpy stay such, those of data frames stay objects.
    of_numpy = isinstance(y, list | tuple) or (isinstance(y, np.ndarray) and y.dtype != np.object_)
    return np.str_ if of_numpy else np.object_


def _encode_factor(labels: Factor, dtype: type[np.generic]) -> tuple[NDArray[Any], Labels]:
    occurs = np.bincount(labels.positions, minlength=len(labels.distinct)) > 0
    found = [value for value, present in zip(labels.distinct, occurs, strict=True) if present]
    classes = sorted(found)
    index = {label: code for code, label in enumerate(classes)}
    codes = np.array([index.get(value, -1) for value in labels.distinct], np.int32)
    text = isinstance(classes[0], str)
    return np.array(classes, dtype=dtype if text else None), codes[labels.positions]


def _encode_numbers(labels: NDArray[Any]) -> tuple[NDArray[Any], Labels]:
    if labels.dtype.kind == "f":
        _check_whole(labels)
    elif np.can_cast(labels.dtype, np.int64) and (found := _encode_close(labels)) is not None:
        return found
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.astype(np.int32)


def _encode_close(labels: NDArray[Any]) -> tuple[NDArray[Any], Labels] | None:
    """Number whole labels that lie close together by looking them up, which spares sorting."""
    lowest = int(labels.min())
    if int(labels.max()) - lowest >= _CLOSE:
        return None
    places = np.subtract(labels, lowest, dtype=np.int64)
    occurs = np.bincount(places) > 0
    codes = (np.cumsum(occurs) - 1).astype(np.int32)
    return (np.flatnonzero(occurs) + lowest).astype(labels.dtype), codes[places]


def _check_whole(labels: NDArray[np.floating[Any]]) -> None:
    fractions = ~(np.floor(labels) == labels) | np.isinf(labels)
    if not fractions.any():
        return
    row = int(fractions.argmax())
    if np.isnan(labels[row]):
        raise _missing(row)
    raise DataError(
        f"Unknown label type: continuous, y holds {labels[row]} in row {row} (counting from 0): "
        "labels must be classes; cut a continuous target into intervals first."
    )


def _missing(row: int) -> DataError:
    return DataError(
        f"Input y contains NaN or None: the label of row {row} (counting from 0) is missing; "
        "drop the rows without a label."
    )


def _not_one_dimensional(shape: tuple[int, ...]) -> DataError:
    return DataError(f"y should be a 1d array, got an array of shape {shape} instead.")
