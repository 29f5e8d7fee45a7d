"""Rows that are encoded already, to be fitted and predicted many times without reading anew."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data.column import Categories, FloatArray


@dataclass(frozen=True, eq=False)
class Rows:
    """What an estimator takes as X without a look at every cell, categories declared.

    To other libraries it is the array of its values.

    Parameters
    ----------
    values : float64[n, features], category codes where nominal, NaN where missing
    names : attribute names
    categories : per attribute None if numeric, else its categories in the order of their codes

    Examples
    --------
    >>> rows = Rows(np.array([[0.0], [1.0], [1.0]]), ("colour",), (("blue", "red", "white"),))
    >>> rows[[0, 2]].values
    array([[0.],
           [1.]])
    """

    values: FloatArray
    names: tuple[str, ...]
    categories: tuple[Categories | None, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of attributes."""
        n_rows, n_features = self.values.shape
        return n_rows, n_features

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, places: Any) -> "Rows":
        return replace(self, values=self.values[places])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)
