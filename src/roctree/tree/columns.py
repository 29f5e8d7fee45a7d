"""The columns of a data set as growth uses them: numbered, then sorted or coded.

Sorted nodes use the rank of every value among the distinct values of its column. Binned nodes use
codes of 16 bits: a bin, learned from a sample, and an even step inside it. Codes only guide the
search: wherever two values share a code the values themselves are compared, so a tree does not
depend on the sample.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.arrays import in_threads
from roctree.tree.kernels.coding import BIN_SLOTS, STEPS, CellBlock, CodeBins, code_cells
from roctree.tree.kernels.records import MISSING_RANK, Bins, Features

if TYPE_CHECKING:
    from roctree.tree.growth import GrowthRules

# C4.5 excludes nominal attributes with this share of distinct values from its average gain.
_MANY_VALUES = 0.3
_SAMPLE = 1 << 14
_MAX_BINS = 255
_STEP_BITS = 8
# Rows per block when categories are coded; a block fits the cache.
_CODED_ROWS = 1 << 12


@dataclass(frozen=True)
class Columns:
    """The columns in the form that kernels use.

    Parameters
    ----------
    features : Features
        The values and the kind of each attribute.
    bins : Bins
        The meaning of codes; all zeros until the rows are coded.
    own_code : bool[features]
        Whether the missing values of a nominal attribute have their own code, the last.
    """

    features: Features
    bins: Bins
    own_code: NDArray[np.bool_]

    @property
    def values(self) -> NDArray[np.float64]:
        """The values, ``[row, feature]``."""
        return self.features.values

    @property
    def n_categories(self) -> NDArray[np.int64]:
        """The number of codes of each attribute, 0 if numeric."""
        return self.features.n_categories

    @property
    def n_codes(self) -> int:
        """The number of codes of all nominal attributes together."""
        return int(self.features.offset[-1])


def describe_columns(
    values: NDArray[np.float64],
    n_categories: NDArray[np.int32],
    weight: float,
    rules: "GrowthRules",
) -> Columns:
    """Number the codes of the nominal attributes of these values."""
    has_missing = np.zeros(values.shape[1], bool)
    if rules.missing == "category":
        has_missing |= np.isnan(values).any(axis=0)
    return number_codes(values, n_categories, has_missing, weight, rules)


def number_codes(
    values: NDArray[np.float64],
    n_categories: NDArray[np.int32],
    has_missing: NDArray[np.bool_],
    weight: float,
    rules: "GrowthRules",
) -> Columns:
    """Number the codes of the nominal attributes; missing values as a category have the last."""
    n_features = n_categories.size
    codes = n_categories.astype(np.int64)
    own_code = np.zeros(n_features, bool)
    if rules.missing == "category":
        own_code = (codes > 0) & has_missing
    few = (codes == 0) | (codes < _MANY_VALUES * weight) | (rules.guard != "c45")
    features = Features(
        values=values,
        n_categories=codes + own_code,
        offset=np.concatenate([[0], np.cumsum(codes + own_code)]),
        countable=few if few.any() else ~few,
        shrinkage=np.zeros(n_features),
    )
    bins = Bins(
        start=np.zeros(n_features + 1, np.int64),
        shift=np.zeros(n_features, np.int64),
        exact=np.zeros(n_features, bool),
        lowest=np.zeros((n_features, BIN_SLOTS)),
        highest=np.zeros((n_features, BIN_SLOTS)),
    )
    return Columns(features, bins, own_code)


def sort_columns(columns: Columns) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the places of the cases in the order of each attribute, and their ranks.

    Missing values come last.
    """
    by_feature = np.ascontiguousarray(columns.values.T)
    order = np.argsort(by_feature, axis=1)
    ordered = np.take_along_axis(by_feature, order, axis=1)
    ordered_ranks = np.zeros(order.shape, np.uint32)
    np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=ordered_ranks[:, 1:])
    nominal = columns.n_categories > 0
    missing = np.isnan(ordered)
    if nominal.any():
        ordered_ranks[nominal] = np.where(missing[nominal], 0.0, ordered[nominal])
    if missing.any():
        ordered_ranks[missing] = MISSING_RANK
        own = np.where(columns.own_code, columns.n_categories - 1, MISSING_RANK)
        ordered_ranks[columns.own_code] = np.where(
            missing[columns.own_code], own[columns.own_code, None], ordered_ranks[columns.own_code]
        )
    rank = np.empty_like(ordered_ranks)
    np.put_along_axis(rank, order, ordered_ranks, axis=1)
    return order.astype(np.uint32), rank


def code_rows(columns: Columns, n_threads: int = 1) -> NDArray[np.uint16]:
    """Return the codes of all cells; their meaning is written into ``columns.bins``."""
    values = columns.values
    codes = np.empty(values.shape, np.uint16)
    bins = _empty_bins(values.shape[1])
    nominal = columns.n_categories > 0
    if nominal.any():
        _code_categories(np.flatnonzero(nominal), columns, codes, n_threads)
    bins.size[nominal] = columns.n_categories[nominal]
    exact = _code_numbers(np.flatnonzero(~nominal), values, bins, codes, n_threads)
    columns.bins.exact[:] = nominal | exact
    columns.bins.shift[:] = bins.shift
    columns.bins.lowest[:] = columns.bins.highest[:] = bins.lowest
    columns.bins.start[1:] = np.cumsum(bins.size + 1)
    return codes


def _code_categories(
    features: NDArray[np.int64], columns: Columns, codes: NDArray[np.uint16], n_threads: int
) -> None:
    """Code categories by their number; missing values have the next code, or the last."""
    missing = (columns.n_categories - columns.own_code)[features]

    def code_block(start: int) -> None:
        block = columns.values[start : start + _CODED_ROWS, features]
        codes[start : start + _CODED_ROWS, features] = np.where(np.isnan(block), missing, block)

    in_threads(n_threads, code_block, range(0, len(codes), _CODED_ROWS))


def _empty_bins(n_features: int) -> CodeBins:
    """Return empty bins; no value is above the end of the last."""
    shape = (n_features, BIN_SLOTS)
    return CodeBins(
        highest=np.full(shape, np.inf),
        lowest=np.zeros(shape),
        scale=np.zeros(shape),
        shift=np.zeros(n_features, np.int64),
        size=np.zeros(n_features, np.int64),
    )


def _set_values(bins: CodeBins, feature: int, distinct: NDArray[np.float64]) -> None:
    """Give each of few distinct values its own bin."""
    n = distinct.size
    bins.highest[feature, : n - 1] = distinct[:-1]
    bins.lowest[feature, :n] = distinct
    bins.size[feature] = n


def _set_steps(
    bins: CodeBins, feature: int, distinct: NDArray[np.float64], sizes: NDArray[np.int64]
) -> None:
    """Divide a column into bins with equal shares, and each bin into even steps."""
    highest = _bin_ends(distinct, sizes)
    n = highest.size
    lowest = np.concatenate([distinct[:1], highest[:-1]])
    with np.errstate(divide="ignore", over="ignore"):
        scale = STEPS / (highest - lowest)
    scale[~np.isfinite(scale)] = 0.0
    # A bin so wide that the difference overflows has a single step.
    lowest[scale == 0.0] = 0.0
    bins.highest[feature] = np.inf
    bins.highest[feature, : n - 1] = highest[:-1]
    bins.lowest[feature, :n], bins.scale[feature, :n] = lowest, scale
    bins.shift[feature], bins.size[feature] = _STEP_BITS, n


def _code_numbers(
    features: NDArray[np.int64],
    values: NDArray[np.float64],
    bins: CodeBins,
    codes: NDArray[np.uint16],
    n_threads: int,
) -> NDArray[np.bool_]:
    """Code numeric columns; return whether each code of a column stands for one value.

    A column with few values in the sample but more in the data is coded again.
    """
    step = -(-len(values) // _SAMPLE)
    samples = in_threads(n_threads, lambda own: _count_values(values[::step, own]), features)
    few = np.zeros(values.shape[1], bool)
    for feature, (distinct, sizes) in zip(features, samples, strict=True):
        few[feature] = distinct.size <= _MAX_BINS
        if few[feature]:
            _set_values(bins, feature, distinct)
        else:
            _set_steps(bins, feature, distinct, sizes)
    exact = few & _code_in_threads(features, values, bins, codes, n_threads)
    again = few & ~exact
    for feature, (distinct, sizes) in zip(features, samples, strict=True):
        if again[feature]:
            _set_steps(bins, feature, distinct, sizes)
    _code_in_threads(np.flatnonzero(again), values, bins, codes, n_threads)
    return exact


def _count_values(sample: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the distinct values of a sample of a column, and how often each occurs."""
    ordered = np.sort(sample)
    ordered = ordered[: np.searchsorted(ordered, np.nan)]
    if ordered.size == 0:
        return np.zeros(1), np.ones(1, np.int64)
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    return ordered[starts], np.diff(np.append(starts, ordered.size))


def _bin_ends(distinct: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the ends of bins with equal shares; a frequent value counts no more than a bin."""
    capped = np.minimum(sizes, sizes.sum() / _MAX_BINS)
    shares = np.cumsum(capped) / capped.sum()
    bins = np.minimum((shares * _MAX_BINS).astype(np.int64), _MAX_BINS - 1)
    is_last = np.append(bins[1:] != bins[:-1], True)
    return np.asarray(distinct[is_last])


def _code_in_threads(
    features: NDArray[np.int64],
    values: NDArray[np.float64],
    bins: CodeBins,
    codes: NDArray[np.uint16],
    n_threads: int,
) -> NDArray[np.bool_]:
    """Code some columns, a range of rows in each thread; return where codes are exact."""
    exact = np.ones((n_threads, values.shape[1]), np.int64)
    ends = np.linspace(0, len(values), n_threads + 1).astype(np.int64)
    run = compiled(code_cells)

    def code_part(part: int) -> None:
        rows = ends[part], ends[part + 1]
        run(*rows, features, values, bins, codes, exact[part], CellBlock.empty())

    in_threads(n_threads, code_part, range(n_threads))
    return np.asarray(exact.all(axis=0))
