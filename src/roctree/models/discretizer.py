"""Numbers as intervals that tell the classes: a transformer of scikit-learn."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from roctree.data import Dataset, encode_columns
from roctree.models.mdl import cut_points

Floats = NDArray[np.float64]


class MDLDiscretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Numbers are replaced by the number of their interval, by Fayyad and Irani's method.

    Intervals are as many as the classes warrant: a cut must gain more information than it takes to
    describe. An attribute without such a cut has a single interval, 0. Categories become their
    codes, missing values stay missing.

    Parameters
    ----------
    categorical_features : "from_dtype", None, names, column numbers or a boolean mask

    Attributes
    ----------
    cut_points_ : a float64 array for each column; values up to the first cut are in interval 0;
        empty where there is one interval, and for categories
    schema_ : Schema, names and categories of the columns
    n_features_in_, feature_names_in_ : columns seen by ``fit``; names only if they have any

    Examples
    --------
    >>> X = [[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]]
    >>> discretizer = MDLDiscretizer().fit(X, ["no", "no", "no", "yes", "yes", "yes"])
    >>> discretizer.cut_points_
    [array([6.5])]
    >>> discretizer.transform([[2.5], [7.0], [None]])
    array([[ 0.],
           [ 1.],
           [nan]])
    """

    def __init__(self, *, categorical_features: Any = "from_dtype") -> None:
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "MDLDiscretizer":
        """Find the cuts; a row of weight k counts as k rows.

        Parameters
        ----------
        X : array, list of rows, or table of pandas, polars or pyarrow; NaN and None are missing
        y : one label per row
        sample_weight : one weight per row, at least 0; None for ones
        """
        dataset = Dataset.from_data(
            X, y, sample_weight=sample_weight, categorical_features=self.categorical_features
        ).drop_zero_weight()
        schema = self.schema_ = dataset.schema
        self.cut_points_ = [
            np.empty(0) if schema.nominal[feature] else _cuts(dataset, feature)
            for feature in range(schema.n_features)
        ]
        self.n_features_in_ = schema.n_features
        if schema.named:
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def transform(self, X: Any) -> Floats:
        """Return the interval of each number and the code of each category, NaN where missing."""
        check_is_fitted(self, "cut_points_")
        values = np.array(encode_columns(X, self.schema_), dtype=np.float64)
        # Warns where names are new or gone; that they differ is an error of the line before.
        validate_data(self, X, reset=False, skip_check_array=True)
        for feature in np.flatnonzero(~self.schema_.nominal):
            known = ~np.isnan(values[:, feature])
            intervals = np.searchsorted(self.cut_points_[feature], values[known, feature])
            values[known, feature] = intervals
        return values

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags


def _cuts(dataset: Dataset, feature: int) -> Floats:
    column = np.ascontiguousarray(dataset.values[:, feature])
    return cut_points(column, dataset.labels, dataset.weights, dataset.schema.n_classes)
