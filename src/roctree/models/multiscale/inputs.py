"""What the Multiscale Classifier takes, and one sentence for what it cannot take."""

from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from roctree.conventions import as_column
from roctree.data import Dataset, Schema, encode_labels
from roctree.errors import DataError, ParameterError
from roctree.models.multiscale.cells import BITS, Bounds, Floats
from roctree.parameters import check_parameter
from roctree.pruning import CriticalValue, Pruner, need
from roctree.pruning import resolve as resolve_pruner
from roctree.smoothing import Smoother, choices
from roctree.smoothing import resolve as resolve_smoother


def check_parameters(estimator: Any) -> None:
    """Raise ``ParameterError`` for the first parameter that makes no sense."""
    level = estimator.max_level
    whole = isinstance(level, Integral) and not isinstance(level, bool)
    if not whole or not 0 <= level <= BITS:
        raise ParameterError(
            f"max_level={level!r} is not allowed: give a whole number from 0 to {BITS}."
        )
    for name in ("merge_leaves", "keep_cases"):
        flag = getattr(estimator, name)
        if not isinstance(flag, bool | np.bool_):
            raise ParameterError(f"{name}={flag!r} is not allowed: give True or False.")
    check_parameter("labels", estimator.labels)
    pruner_of_cells(estimator.pruning)
    smoother_of_cells(estimator.smoothing)


def pruner_of_cells(pruning: str | Pruner, **options: Any) -> Pruner:
    """Return a pruner that decides by the counts of cells; others are refused."""
    pruner = resolve_pruner(pruning, **options)
    if isinstance(pruner, CriticalValue):
        raise ParameterError(
            "critical_value goes by what splits gain, and cells are halved whatever it gains: "
            "choose another pruning, such as 'minimum_error'."
        )
    if need(pruner) != "counts":
        raise ParameterError(
            f"{pruner!r} looks at more than the counts of the cells: choose another pruning, such "
            "as 'minimum_error'."
        )
    return pruner


def smoother_of_cells(smoothing: str | Smoother, **options: Any) -> Smoother:
    """Return a smoother; one with an option that is left to the data is refused."""
    smoother = resolve_smoother(smoothing, **options)
    if len(choices(smoother)) > 1:
        raise ParameterError(f"{smoother!r} is left to cross-validation: give a number.")
    return smoother


def bounds_of(bounds: Any, values: Floats) -> Bounds:
    """Return the ranges that are asked for."""
    if isinstance(bounds, str) and bounds == "training":
        return Bounds.from_values(values)
    n_features = values.shape[1]
    try:
        pairs = np.broadcast_to(np.asarray(bounds, dtype=np.float64), (n_features, 2))
    except (TypeError, ValueError):
        pairs = np.full((1, 2), np.nan)
    if not np.isfinite(pairs).all() or (pairs[:, 0] >= pairs[:, 1]).any():
        raise ParameterError(
            f"bounds={bounds!r} is not allowed: give 'training', a pair of numbers (low, high), "
            f"the first the lower, or such a pair for each of the {n_features} attributes."
        )
    return Bounds(pairs[:, 0].copy(), pairs[:, 1].copy())


def read(X: Any, y: Any, sample_weight: Any, schema: Schema | None = None) -> Dataset:
    """Return labelled cases that have weight; of a known kind, if there is a schema."""
    y = as_column(y)
    if schema is None:
        cases = Dataset.from_data(X, y, sample_weight=sample_weight)
    else:
        cases = Dataset.encoded(X, y, schema, sample_weight=sample_weight)
    refuse_nominal(cases.schema)
    refuse_missing(cases.values, cases.schema)
    return cases.with_weight()


def first_schema(X: Any, y: Any, classes: Any) -> Schema:
    """Return the schema of the first cases of many, which need not have all classes."""
    if classes is None:
        raise ParameterError(
            "classes must be given in the first call of partial_fit: all labels that will come."
        )
    return replace(Dataset.from_data(X, y).schema, classes=encode_labels(classes)[0])


def joined(before: Dataset | None, more: Dataset) -> Dataset:
    """Return the cases of both; None for those before is refused."""
    if before is None:
        raise ParameterError(
            "Without the cases so far, which model files have not, no cell can be divided any "
            "further: fit all cases anew, or begin with keep_cases=True."
        )
    return replace(
        before,
        values=np.concatenate([before.values, more.values]),
        labels=np.concatenate([before.labels, more.labels]),
        weights=np.concatenate([before.weights, more.weights]),
    )


def own(cases: Dataset) -> Dataset:
    """Return cases that do not change where the user's array does."""
    return replace(cases, values=np.array(cases.values))


def refuse_nominal(schema: Schema) -> None:
    """Refuse attributes that have categories."""
    if schema.nominal.any():
        name = schema.names[int(schema.nominal.argmax())]
        raise DataError(
            f"column {name!r} holds categories, and only numbers can be halved: turn it into "
            "numbers, leave it out, or use ROCTreeClassifier."
        )


def refuse_missing(values: Floats, schema: Schema) -> None:
    """Refuse missing values."""
    missing = np.isnan(values)
    if missing.any():
        row, column = map(int, np.unravel_index(missing.argmax(), missing.shape))
        raise DataError(
            f"column {schema.names[column]!r} is missing, NaN, in row {row} (counting from 0), and "
            "a case without a value is in no cell: fill it in, or use ROCTreeClassifier."
        )
