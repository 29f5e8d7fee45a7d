"""What users of scikit-learn expect of a classifier: how rows, labels, names and jobs come in."""

from typing import Any

import numpy as np
from joblib import effective_n_jobs, parallel_config
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from roctree.data import Dataset, Schema, encode_columns
from roctree.parameters import check_parameter

Floats = NDArray[np.float64]


def labelled_cases(
    X: Any, y: Any, sample_weight: Any = None, categorical_features: Any = "from_dtype"
) -> Dataset:
    """Return the training cases of a fit, those that have weight."""
    cases = Dataset.from_data(
        X, as_column(y), sample_weight=sample_weight, categorical_features=categorical_features
    )
    return cases.with_weight()


def as_column(y: Any) -> Any:
    """Return labels as one column, with scikit-learn's warning where they are a table of one."""
    if getattr(y, "ndim", 1) != 2 or y.shape[1] != 1:
        return y
    column = column_or_1d(y, warn=True)
    # Of a masked array the mask is kept.
    return y.reshape(-1) if isinstance(y, np.ndarray) else column


def encoded(estimator: Any, X: Any) -> Floats:
    """Return rows as numbers, of the kind that a classifier was fitted to."""
    check_is_fitted(estimator, "training_")
    values = encode_columns(X, estimator.schema_)
    # Warns where names are new or gone; that they differ is an error of the line before.
    validate_data(estimator, X, reset=False, skip_check_array=True)
    return values


def set_names(estimator: Any, schema: Schema) -> None:
    """Set what follows from a schema; names of columns only if they have any."""
    estimator.schema_ = schema
    estimator.classes_, estimator.n_classes_ = schema.classes, schema.n_classes
    estimator.n_features_in_ = schema.n_features
    if schema.named:
        estimator.feature_names_in_ = np.array(schema.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def number_of_threads(n_jobs: int | None) -> int:
    """Return how many threads ``n_jobs`` asks for, as joblib counts them."""
    check_parameter("n_jobs", n_jobs)  # it may have been set after the fit
    if n_jobs is None:
        return int(effective_n_jobs(None))
    # As of threads: in a process of a pool, which may have no processes, joblib counts one.
    with parallel_config(backend="threading"):
        return int(effective_n_jobs(n_jobs))
