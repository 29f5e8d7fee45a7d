"""Code the rows of a data set for growth by bins (see ``kernels.coding``)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.tree.columns import Columns
from roctree.tree.kernels import layout
from roctree.tree.kernels.coding import SEARCHED, STEPS, code_cells
from roctree.tree.threads import in_threads

_SAMPLE = 1 << 14
_MOST_BINS = 255
_STEP_BITS = 8
# Rows whose categories are coded at once: they fit the cache.
_BLOCK = 1 << 12


@dataclass(frozen=True)
class Bins:
    """The ends of the bins of each column, padded, and how finely a bin is divided."""

    highest: NDArray[np.float64]
    lowest: NDArray[np.float64]
    scale: NDArray[np.float64]
    shift: NDArray[np.int64]
    size: NDArray[np.int64]

    @classmethod
    def empty(cls, n_features: int) -> "Bins":
        """No bins yet; a value is never above the end of the last."""
        shape = (n_features, SEARCHED)
        sizes = np.zeros((2, n_features), np.int64)
        return cls(np.full(shape, np.inf), np.zeros(shape), np.zeros(shape), *sizes)

    def set_values(self, feature: int, distinct: NDArray[np.float64]) -> None:
        """Give each of few distinct values a bin of its own."""
        n = distinct.size
        self.highest[feature, : n - 1] = distinct[:-1]
        self.lowest[feature, :n] = distinct
        self.size[feature] = n

    def set_steps(
        self, feature: int, distinct: NDArray[np.float64], sizes: NDArray[np.int64]
    ) -> None:
        """Divide a column into bins with equal shares, and each bin into even steps."""
        highest = _bin_ends(distinct, sizes)
        n = highest.size
        lowest = np.concatenate([distinct[:1], highest[:-1]])
        with np.errstate(divide="ignore", over="ignore"):
            scale = STEPS / (highest - lowest)
        scale[~np.isfinite(scale)] = 0.0
        # A bin too wide for a difference of floats has one step, whatever is subtracted.
        lowest[scale == 0.0] = 0.0
        self.highest[feature] = np.inf
        self.highest[feature, : n - 1] = highest[:-1]
        self.lowest[feature, :n], self.scale[feature, :n] = lowest, scale
        self.shift[feature], self.size[feature] = _STEP_BITS, n


def code_rows(columns: Columns, n_threads: int = 1) -> NDArray[np.uint16]:
    """The codes of all cells; what they mean is entered into the table of columns."""
    values, table = columns.values, columns.table
    codes = np.empty(values.shape, np.uint16)
    bins = Bins.empty(values.shape[1])
    nominal = columns.n_categories > 0
    if nominal.any():
        _code_categories(np.flatnonzero(nominal), columns, codes, n_threads)
    bins.size[nominal] = columns.n_categories[nominal]
    exact = _code_numbers(np.flatnonzero(~nominal), values, bins, codes, n_threads)
    table[layout.EXACT, :-1] = nominal | exact
    table[layout.SHIFT, :-1] = bins.shift
    table[layout.BIN, 1:] = np.cumsum(bins.size + 1)
    return codes


def _code_categories(
    features: NDArray[np.int64], columns: Columns, codes: NDArray[np.uint16], n_threads: int
) -> None:
    """Categories keep their codes; a missing value has the code after them, or the last of them."""
    missing = (columns.n_categories - columns.own_code)[features]

    def code_block(start: int) -> None:
        block = columns.values[start : start + _BLOCK, features]
        codes[start : start + _BLOCK, features] = np.where(np.isnan(block), missing, block)

    in_threads(n_threads, code_block, range(0, len(codes), _BLOCK))


def _code_numbers(
    features: NDArray[np.int64],
    values: NDArray[np.float64],
    bins: Bins,
    codes: NDArray[np.uint16],
    n_threads: int,
) -> NDArray[np.bool_]:
    """Code numeric columns; returns where each code stands for one value.

    A column that shows few values in a sample, and more when it is coded, is coded again.
    """
    step = -(-len(values) // _SAMPLE)
    samples = [_count(values[::step, feature]) for feature in features]
    few = np.zeros(values.shape[1], bool)
    for feature, (distinct, sizes) in zip(features, samples, strict=True):
        few[feature] = distinct.size <= _MOST_BINS
        if few[feature]:
            bins.set_values(feature, distinct)
        else:
            bins.set_steps(feature, distinct, sizes)
    exact = few & _code(features, values, bins, codes, n_threads)
    again = few & ~exact
    for feature, (distinct, sizes) in zip(features, samples, strict=True):
        if again[feature]:
            bins.set_steps(feature, distinct, sizes)
    _code(np.flatnonzero(again), values, bins, codes, n_threads)
    return exact


def _count(sample: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The distinct values of a sample of a column, and how often each is seen."""
    ordered = np.sort(sample)
    ordered = ordered[: np.searchsorted(ordered, np.nan)]
    if ordered.size == 0:
        return np.zeros(1), np.ones(1, np.int64)
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    return ordered[starts], np.diff(np.append(starts, ordered.size))


def _bin_ends(distinct: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """The highest values of bins with equal shares; a frequent value counts no more than a bin."""
    capped = np.minimum(sizes, sizes.sum() / _MOST_BINS)
    shares = np.cumsum(capped) / capped.sum()
    bins = np.minimum((shares * _MOST_BINS).astype(np.int64), _MOST_BINS - 1)
    is_last = np.append(bins[1:] != bins[:-1], True)
    return np.asarray(distinct[is_last])


def _code(
    features: NDArray[np.int64],
    values: NDArray[np.float64],
    bins: Bins,
    codes: NDArray[np.uint16],
    n_threads: int,
) -> NDArray[np.bool_]:
    """Code some columns, a range of rows in each thread."""
    exact = np.ones((n_threads, values.shape[1]), np.int64)
    missing_code = bins.size << bins.shift
    ends = np.linspace(0, len(values), n_threads + 1).astype(np.int64)
    run = compiled(code_cells)

    def code_part(part: int) -> None:
        run(
            ends[part], ends[part + 1], features, values, bins.highest, bins.lowest, bins.scale,
            bins.shift, missing_code, codes, exact[part],
        )  # fmt: skip

    in_threads(n_threads, code_part, range(n_threads))
    return np.asarray(exact.all(axis=0))
