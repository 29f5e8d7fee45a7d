"""The bins of the columns of a data set: their edges from sketches, and codes for their cells.

A bin knows the lowest and the highest value in it. Thresholds are half way between the highest
value on one side and the lowest on the other, as in a search over all values; where every bin
holds one value, both are the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.errors import DataError
from roctree.tree.columns import Columns, number_codes
from roctree.tree.growth import Growth
from roctree.tree.kernels.numbering import BLOCK, SEARCHED, number_bytes, number_words
from roctree.tree.sketch import Sketch, sketch_columns
from roctree.tree.threads import in_threads

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[Any]

MOST_BINS = 255
# Codes are looked through in blocks that fit the cache.
_BLOCK = 1 << 14
# Codes have 16 bits at most; missing values have one, and another as a category of their own.
MOST_CATEGORIES = (1 << 16) - 2


@dataclass(frozen=True)
class Edges:
    """Where the bins of each column end, and which columns are nominal.

    Parameters
    ----------
    ends : float64[features, 256], bin b holds the values up to ``ends[b]``; padded with infinity
    size : int64[features], the number of bins, or of categories
    nominal : bool[features]
    """

    ends: Floats
    size: Ints
    nominal: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        sketches: Sequence[Sketch],
        n_categories: NDArray[np.int32],
        names: Sequence[str],
        max_bins: int = MOST_BINS,
    ) -> "Edges":
        """Return bins with about equal shares of the rows, or one for each of few values.

        Parameters
        ----------
        sketches : of the numeric columns, in order
        n_categories : number of categories of each column, 0 if numeric
        names : of the columns
        max_bins : most bins of a column, at most 255
        """
        for name, n_codes in zip(names, n_categories.tolist(), strict=True):
            refuse_many_categories(name, n_codes)
        nominal = n_categories > 0
        ends = np.full((n_categories.size, SEARCHED), np.inf)
        size = n_categories.astype(np.int64)
        for feature, sketch in zip(np.flatnonzero(~nominal), sketches, strict=True):
            found = _ends(sketch, max_bins)
            ends[feature, : found.size - 1] = found[:-1]
            size[feature] = found.size
        return cls(ends, size, nominal)

    @property
    def code_type(self) -> type[np.unsignedinteger[Any]]:
        """The type of the codes: one byte a cell where all of them fit."""
        return np.uint8 if int(self.size.max(initial=0)) < 256 else np.uint16

    def has_missing(self, codes: Codes) -> NDArray[np.bool_]:
        """Whether some cell of each column is missing."""
        missing, found = self.size.astype(codes.dtype), np.zeros(self.size.size, bool)
        for begin in range(0, len(codes), _BLOCK):
            found |= (codes[begin : begin + _BLOCK] == missing).any(axis=0)
        return found

    def code(self, values: Floats, n_threads: int = 1) -> tuple[Codes, "Bounds"]:
        """Return the codes of all cells, and the bounds of the bins that they fill."""
        codes = np.empty(values.shape, self.code_type)
        missing = self.size.copy()
        for feature in np.flatnonzero(self.nominal):
            codes[:, feature] = np.nan_to_num(values[:, feature], nan=missing[feature])
        numeric = np.flatnonzero(~self.nominal)
        bounds = [Bounds.empty(self.size) for _ in range(n_threads)]
        run = compiled(number_bytes if codes.dtype == np.uint8 else number_words)
        parts = np.linspace(0, len(values), n_threads + 1).astype(np.int64)

        def code_part(part: int) -> None:
            run(
                parts[part], parts[part + 1], numeric, values, self.ends, missing, codes,
                bounds[part].lowest, bounds[part].highest, np.empty(BLOCK),
                np.empty(BLOCK, np.uint32),
            )  # fmt: skip

        in_threads(n_threads, code_part, range(n_threads))
        return codes, reduce(Bounds.merged, bounds)


@dataclass(frozen=True)
class Bounds:
    """The lowest and the highest value in each bin, float64[features, bins]; infinite if empty."""

    lowest: Floats
    highest: Floats

    @classmethod
    def empty(cls, size: Ints) -> "Bounds":
        """The bounds of bins without values."""
        shape = (size.size, SEARCHED)
        return cls(np.full(shape, np.inf), np.full(shape, -np.inf))

    def merged(self, other: "Bounds") -> "Bounds":
        """The bounds of the bins of two parts of the data."""
        lowest = np.minimum(self.lowest, other.lowest)
        return Bounds(lowest, np.maximum(self.highest, other.highest))

    @property
    def values(self) -> Floats:
        """The values known to occur, a column for each attribute, missing where there are fewer."""
        known = np.concatenate([self.lowest, self.highest], axis=1).T
        return np.where(np.isinf(known), np.nan, known)


def refuse_many_categories(name: str, n_categories: int) -> None:
    """Refuse a nominal column for which there are too few codes."""
    if n_categories > MOST_CATEGORIES:
        raise DataError(
            f"column {name!r} has more than {MOST_CATEGORIES} categories, for which bins have no "
            "codes: leave the column out, or use splits='exact' if the rows fit memory."
        )


def learn_edges(
    values: Floats,
    n_categories: NDArray[np.int32],
    names: Sequence[str],
    max_bins: int = MOST_BINS,
    n_threads: int = 1,
) -> Edges:
    """Return the bins of rows in memory, looked at by several threads."""
    numeric = np.flatnonzero(n_categories == 0)
    parts = np.array_split(values, n_threads)
    found = in_threads(n_threads, lambda part: sketch_columns(part, numeric), parts)
    sketches = found[0]
    for others in found[1:]:
        sketches = [ours.merged(other) for ours, other in zip(sketches, others, strict=True)]
    return Edges.of(sketches, n_categories, names, max_bins)


def binned_columns(
    edges: Edges, has_missing: NDArray[np.bool_], weight: float, growth: Growth
) -> Columns:
    """Return the attributes as the kernels see them, every code a value of its own."""
    n_categories = np.where(edges.nominal, edges.size, 0).astype(np.int32)
    values = np.empty((0, edges.size.size))
    columns = number_codes(values, n_categories, has_missing, weight, growth)
    columns.bins.exact[:] = True
    n_bins = np.where(edges.nominal, columns.n_categories, edges.size)
    columns.bins.start[1:] = np.cumsum(n_bins + 1)
    return columns


def _ends(sketch: Sketch, max_bins: int) -> Floats:
    if sketch.values.size == 0:
        return np.zeros(1)
    if sketch.values.size <= max_bins:
        return sketch.values
    return sketch.values[_is_last(sketch.counts, max_bins)]


def _is_last(sizes: Ints, max_bins: int) -> NDArray[np.bool_]:
    """Whether each of many values is the last of its bin.

    Values that fill a bin have one of their own, up to a quarter of all bins; the others are
    divided into equal shares, with two bins kept back for each of those that stand between them.
    """
    frequent = np.zeros(sizes.size, bool)
    frequent[np.argsort(-sizes, kind="stable")[: max_bins // 4]] = True
    frequent &= sizes > sizes.sum() / max_bins
    others = np.where(frequent, 0, sizes)
    n_bins = max_bins - 2 * np.count_nonzero(frequent)
    # The middle of a value's rows decides, in whole numbers.
    bins = (2 * np.cumsum(others) - others) * n_bins // (2 * others.sum())
    is_last = frequent | np.append(bins[1:] != bins[:-1], True)
    is_last[:-1] |= frequent[1:]
    return np.asarray(is_last)
