"""Sample the values of numeric columns by their hashes, and code cells by bins and steps.

A code is the number of a bin, and of an even step inside the bin where values differ.
"""

from typing import NamedTuple

import numpy as np

from roctree._jit import kernel, typed_kernel
from roctree.arrays import (
    AnyBits2D,
    AnyFloats2D,
    Bits,
    Codes2D,
    Floats,
    Floats2D,
    Ints,
    Ints2D,
    Places,
    ReadonlyFloats2D,
)

STEPS = 256
# The ends of the bins of a column are padded to this many, for a search of a fixed eight steps.
BIN_SLOTS = 256
BLOCK = 512


class CodeBins(NamedTuple):
    """The bins of numeric columns, and how finely each bin is divided.

    Attributes
    ----------
    highest, lowest : float64[features, BIN_SLOTS]
        Bin b of a column holds the values up to ``highest[b]``; ends are padded with infinity.
    scale : float64[features, BIN_SLOTS]
        Steps per unit inside each bin; 0 for a single step.
    shift, size : int64[features]
        The bits of the step in a code, and the number of bins.
    """

    highest: Floats2D
    lowest: Floats2D
    scale: Floats2D
    shift: Ints
    size: Ints


class CellBlock(NamedTuple):
    """A block of cells of a column: their values, and the bins of these."""

    column: Floats
    places: Places

    @classmethod
    def empty(cls) -> "CellBlock":
        """Return new room."""
        return cls(np.empty(BLOCK), np.empty(BLOCK, np.uint32))


@kernel
def find_bins(
    start: int,
    n: int,
    feature: int,
    values: AnyFloats2D,
    ends: ReadonlyFloats2D,
    block: CellBlock,
) -> None:
    """Load ``n`` cells of a column from row ``start`` on, and find their bins.

    Bin b holds the values up to ``ends[feature, b]``. All cells take each step of the search
    together, so that the steps are independent. The bin of a missing value is the first.
    """
    column, places = block.column, block.places
    for i in range(n):
        column[i] = values[start + i, feature]
        places[i] = 0
    for half in (128, 64, 32, 16, 8, 4, 2, 1):
        for i in range(n):
            is_above = ends[feature, places[i] + half - 1] < column[i]
            places[i] += half if is_above else 0


@typed_kernel
def code_cells(
    begin: int,
    end: int,
    features: Ints,
    values: AnyFloats2D,
    bins: CodeBins,
    codes: Codes2D,
    exact: Ints,
    block: CellBlock,
) -> None:
    """Code rows ``begin:end`` of some columns.

    ``exact`` becomes 0 for a column where some value differs from the lowest of its bin. Rows are
    taken in blocks, so that both tables are read and written a few cache lines at a time.
    """
    lowest, scale, shift = bins.lowest, bins.scale, bins.shift
    column, places = block.column, block.places
    for start in range(begin, end, BLOCK):
        n = min(BLOCK, end - start)
        for feature in features:
            find_bins(start, n, feature, values, bins.highest, block)
            missing_code = bins.size[feature] << shift[feature]
            n_inside = 0
            for i in range(n):
                value, place = column[i], places[i]
                offset = value - lowest[feature, place]
                n_inside += 1 if offset < 0.0 or offset > 0.0 else 0
                step = int(min(offset * scale[feature, place], STEPS - 1.0)) if offset > 0.0 else 0
                code = (int(place) << shift[feature]) + step
                codes[start + i, feature] = code if value == value else missing_code
            if n_inside > 0:
                exact[feature] = 0


# All bits of a value affect the highest bits of its hash.
HALF, MIX, SIGN = np.uint64(32), np.uint64(0x9E3779B97F4A7C15), np.uint64(1 << 63)


@typed_kernel
def pick_low_hashes(
    begin: int,
    end: int,
    features: Ints,
    bits: AnyBits2D,
    limit: Bits,
    picked: Ints2D,
    n_picked: Ints,
) -> None:
    """Note the rows among ``begin:end`` whose values in some columns have hashes up to a limit.

    ``roctree.tree.bins.hash_values`` is the same hash. Negative zero counts as zero, and missing
    values are dropped later.
    """
    for row in range(begin, end):
        for place in range(features.size):
            own = bits[row, features[place]]
            if own == SIGN:
                own ^= SIGN
            # Every row is written, and overwritten by the next unless it is kept.
            picked[place, n_picked[place]] = row
            n_picked[place] += 1 if ((own >> HALF) ^ own) * MIX <= limit[0] else 0
