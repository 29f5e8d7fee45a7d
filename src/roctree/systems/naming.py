"""The columns and classes that a classifier has seen, under the names that scikit-learn knows."""

from typing import Any

import numpy as np

from roctree.data import Schema


def set_names(estimator: Any, schema: Schema) -> None:
    """Set what follows from a schema; names of columns only if they have any."""
    estimator.schema_ = schema
    estimator.classes_, estimator.n_classes_ = schema.classes, schema.n_classes
    estimator.n_features_in_ = schema.n_features
    if schema.named:
        estimator.feature_names_in_ = np.array(schema.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
