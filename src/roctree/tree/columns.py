"""The data of one growth as the kernels want them: attributes numbered, coded and sorted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roctree.tree.growth import Growth
from roctree.tree.kernels import layout

# C4.5 leaves nominal attributes with so many values, against the cases, out of its average gain.
_MANY_VALUES = 0.3


@dataclass(frozen=True)
class Columns:
    """The attributes as the kernels see them; missing may have a code of its own."""

    values: NDArray[np.float64]
    table: NDArray[np.int64]
    own_code: NDArray[np.bool_]

    @property
    def n_categories(self) -> NDArray[np.int64]:
        """The number of codes of each attribute, 0 if numeric."""
        return self.table[layout.N_CATEGORIES, :-1]

    @property
    def n_codes(self) -> int:
        """The number of codes of all nominal attributes together."""
        return int(self.table[layout.OFFSET, -1])


@dataclass(frozen=True)
class Cases:
    """The class and weight of each case, the weights on a grid."""

    labels: NDArray[np.int32]
    weights: NDArray[np.float64]
    quantum: float

    @property
    def size(self) -> int:
        """The number of cases."""
        return self.labels.size


@dataclass(frozen=True)
class Rows:
    """The coded rows of a node, to be grown from bins; ``node`` is its number where it was made.

    The histogram of their bins comes with them if somebody has counted it.
    """

    codes: NDArray[np.uint16]
    ints: NDArray[np.uint32]
    weights: NDArray[np.float64]
    depth: int = 0
    node: int = 0
    histogram: NDArray[np.float64] | None = None

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.weights.size

    @classmethod
    def of(cls, codes: NDArray[np.uint16], cases: Cases) -> "Rows":
        """The rows of the root."""
        ints = np.empty((layout.N_ROW_INTS, cases.size), np.uint32)
        ints[layout.ROW_LABEL] = cases.labels
        ints[layout.ROW_ID] = np.arange(cases.size)
        return cls(codes, ints, cases.weights.copy())


def describe_columns(
    values: NDArray[np.float64], n_categories: NDArray[np.int32], weight: float, growth: Growth
) -> Columns:
    """Number the codes of the nominal attributes of these values."""
    has_missing = np.zeros(values.shape[1], bool)
    if growth.missing == "category":
        has_missing |= np.isnan(values).any(axis=0)
    return number_codes(values, n_categories, has_missing, weight, growth)


def number_codes(
    values: NDArray[np.float64],
    n_categories: NDArray[np.int32],
    has_missing: NDArray[np.bool_],
    weight: float,
    growth: Growth,
) -> Columns:
    """Number the codes of the nominal attributes; where missing is a category, it has the last."""
    table = np.zeros((layout.N_COLUMN_ROWS, n_categories.size + 1), np.int64)
    codes = n_categories.astype(np.int64)
    own_code = np.zeros(n_categories.size, bool)
    if growth.missing == "category":
        own_code = (codes > 0) & has_missing
    few = (codes == 0) | (codes < _MANY_VALUES * weight) | (growth.guard != "c45")
    table[layout.N_CATEGORIES, :-1] = codes + own_code
    table[layout.OFFSET, 1:] = np.cumsum(codes + own_code)
    table[layout.COUNTABLE, :-1] = few if few.any() else True
    return Columns(values, table, own_code)


def sort_columns(columns: Columns) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The places of the cases in the order of each attribute, and their ranks; missing last."""
    by_feature = np.ascontiguousarray(columns.values.T)
    order = np.argsort(by_feature, axis=1)
    ordered = np.take_along_axis(by_feature, order, axis=1)
    ranks = np.zeros(order.shape, np.uint32)
    np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=ranks[:, 1:])
    nominal_ = columns.n_categories > 0
    missing = np.isnan(ordered)
    if nominal_.any():
        ranks[nominal_] = np.where(missing[nominal_], 0.0, ordered[nominal_])
    if missing.any():
        ranks[missing] = layout.MISSING_RANK
        own = np.where(columns.own_code, columns.n_categories - 1, layout.MISSING_RANK)
        ranks[columns.own_code] = np.where(
            missing[columns.own_code], own[columns.own_code, None], ranks[columns.own_code]
        )
    rank = np.empty_like(ranks)
    np.put_along_axis(rank, order, ranks, axis=1)
    return order.astype(np.uint32), rank
