"""``MDLDiscretizer``: a scikit-learn transformer that cuts numbers into intervals by class."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from roctree.arrays import Floats
from roctree.data import Dataset, encode_columns
from roctree.models.mdl import cut_points


class MDLDiscretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replace numbers by the index of their interval, found by the method of Fayyad and Irani.

    A cut must gain more information about the class than its description costs, so that the number
    of intervals follows from the data. An attribute without such a cut has a single interval, 0.
    Categories become their codes, missing values stay missing.

    Parameters
    ----------
    categorical_features : "from_dtype", None, names, indices or mask, default="from_dtype"
        Which columns are nominal.

    Attributes
    ----------
    cut_points_ : list of arrays
        The cuts of each column; values up to the first cut are in interval 0. Empty for a single
        interval, and for categories.
    schema_ : Schema
        Names and categories of the columns.
    n_features_in_, feature_names_in_ : int, array
        Columns seen by ``fit``; names only if they had any.

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
        """Find the cuts.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            An array, a list of rows, or a table of pandas, polars or pyarrow; NaN and None are
            missing.
        y : array of shape (n_samples,)
            Labels.
        sample_weight : array of shape (n_samples,) or None
            Weights of at least 0. A row of weight k counts as k rows.

        Returns
        -------
        self

        Examples
        --------
        >>> X, y = [[1.0], [2.0], [8.0], [9.0]] * 5, ["a", "a", "b", "b"] * 5
        >>> MDLDiscretizer().fit(X, y).n_features_in_
        1
        """
        dataset = Dataset.from_data(
            X, y, sample_weight=sample_weight, categorical_features=self.categorical_features
        ).drop_zero_weight()
        schema = self.schema_ = dataset.schema
        self.cut_points_ = [
            np.empty(0) if schema.nominal[feature] else _column_cuts(dataset, feature)
            for feature in range(schema.n_features)
        ]
        self.n_features_in_ = schema.n_features
        if schema.named:
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def transform(self, X: Any) -> Floats:
        """Return the interval of each number and the code of each category, NaN where missing.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The cases.

        Returns
        -------
        array of shape (n_samples, n_features)

        Examples
        --------
        >>> bins = MDLDiscretizer().fit([[1.0], [2.0], [8.0], [9.0]] * 5, ["a", "a", "b", "b"] * 5)
        >>> bins.transform([[1.5], [8.5]]).ravel()
        array([0., 1.])
        """
        check_is_fitted(self, "cut_points_")
        values = np.array(encode_columns(X, self.schema_), dtype=np.float64)
        # Warns if feature names were added or dropped. Names that differ are an error of encoding.
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


def _column_cuts(dataset: Dataset, feature: int) -> Floats:
    column = np.ascontiguousarray(dataset.values[:, feature])
    return cut_points(column, dataset.labels, dataset.weights, dataset.schema.n_classes)
