"""Code the rows of a data set for growth by bins (see ``kernels.coding``)."""

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.tree.kernels import layout
from roctree.tree.kernels.coding import STEPS, code_column

_SAMPLE = 1 << 16
_MOST_BINS = 255
_STEP_BITS = 8


def code_rows(
    values: NDArray[np.float64], table: NDArray[np.int64], own_code: NDArray[np.bool_]
) -> NDArray[np.uint16]:
    """The codes of all cells; what they mean is entered into the table of columns."""
    codes = np.empty(values.shape, np.uint16)
    for feature in range(values.shape[1]):
        n_categories = int(table[layout.N_CATEGORIES, feature])
        if n_categories > 0:
            n_bins = _code_categories(values, feature, n_categories, own_code[feature], codes)
        else:
            n_bins = _code_numbers(values, feature, table, codes)
        table[layout.EXACT, feature] |= n_categories > 0
        table[layout.BIN, feature + 1] = table[layout.BIN, feature] + n_bins + 1
    return codes


def _code_categories(
    values: NDArray[np.float64],
    feature: int,
    n_categories: int,
    has_own_code: bool,
    codes: NDArray[np.uint16],
) -> int:
    """Categories keep their codes; a missing value has the code after them, or the last of them."""
    missing = n_categories - 1 if has_own_code else n_categories
    codes[:, feature] = np.nan_to_num(values[:, feature], nan=missing)
    return n_categories


def _code_numbers(
    values: NDArray[np.float64],
    feature: int,
    table: NDArray[np.int64],
    codes: NDArray[np.uint16],
) -> int:
    """One code for each of few values, else steps within bins; returns the number of bins."""
    step = -(-len(values) // _SAMPLE)
    sample = values[::step, feature]
    distinct, sizes = np.unique(sample[~np.isnan(sample)], return_counts=True)
    if distinct.size == 0:
        distinct, sizes = np.zeros(1), np.ones(1, np.int64)
    if distinct.size <= _MOST_BINS and _code(values, feature, distinct, 0, codes):
        table[layout.EXACT, feature] = 1
        return int(distinct.size)
    highest = _bin_ends(distinct, sizes)
    _code(values, feature, highest, _STEP_BITS, codes, float(distinct[0]))
    table[layout.SHIFT, feature] = _STEP_BITS
    return int(highest.size)


def _bin_ends(distinct: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """The highest values of bins with equal shares; a frequent value counts no more than a bin."""
    capped = np.minimum(sizes, sizes.sum() / _MOST_BINS)
    shares = np.cumsum(capped) / capped.sum()
    bins = np.minimum((shares * _MOST_BINS).astype(np.int64), _MOST_BINS - 1)
    is_last = np.append(bins[1:] != bins[:-1], True)
    return np.asarray(distinct[is_last])


def _code(
    values: NDArray[np.float64],
    feature: int,
    highest: NDArray[np.float64],
    shift: int,
    codes: NDArray[np.uint16],
    lowest_value: float = 0.0,
) -> bool:
    lowest = np.concatenate([[lowest_value], highest[:-1]])
    with np.errstate(divide="ignore", over="ignore"):
        scale = STEPS / (highest - lowest)
    scale[~np.isfinite(scale)] = 0.0
    # A bin too wide for a difference of floats has one step, whatever is subtracted.
    lowest[scale == 0.0] = 0.0
    code = compiled(code_column)
    return bool(code(values, feature, 0, len(values), highest, lowest, scale, shift, codes))
