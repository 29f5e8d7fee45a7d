"""The bins of the columns: sketches of their values, edges from the sketches, codes for the cells.

A sketch remembers a sample of the distinct values of a numeric column. Every value has a hash that
depends on the value alone, and the sketch keeps the values with the lowest hashes and how often
each occurs. A value among the lowest of all data is among the lowest of every part that has it, so
its count in the whole is the sum of its counts in the parts: sketches of parts merge into exactly
the sketch of the whole, whatever the parts and their order. A column with no more distinct values
than the sketch has room for is known exactly.

For other columns the sample is one of the distinct values. If all values are about equally
frequent, the share of rows below an edge differs from the desired one by more than 1.3 % with a
probability of one in a hundred, by the Dvoretzky-Kiefer-Wolfowitz inequality: sqrt(ln(2 / 0.01) /
(2 * 16384)) = 0.0127. Zero has the lowest hash of all and is always kept, so that the many zeros of
amounts are not missed.

A bin knows the lowest and the highest value in it. Thresholds are halfway between the highest value
on one side and the lowest on the other, as in a search over all values; where every bin holds one
value, both are the same.
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
from roctree.tree.kernels.coding import SEARCHED
from roctree.tree.kernels.tables import BinEnds, Bounds, CellBlock, number_bytes, number_words
from roctree.tree.threads import in_threads

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[Any]

# --- Sketches ---

SKETCH_SIZE = 1 << 14
# Rows are read in blocks that fit the cache.
_SKETCH_BLOCK = 1 << 12
# With this many times more rows than there is room for, most of them need not be sorted.
_MANY = 4
_EVERYTHING = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True)
class Sketch:
    """Distinct values of a column in increasing order, and how often each occurs.

    Parameters
    ----------
    values : float64[size]
    counts : int64[size]
    limit : uint64
        A value is kept only if its hash is no higher.
    """

    values: Floats
    counts: Ints
    limit: np.uint64 = _EVERYTHING

    @classmethod
    def empty(cls) -> "Sketch":
        """Return the sketch of no rows."""
        return cls(np.empty(0), np.empty(0, np.int64))

    @property
    def is_exact(self) -> bool:
        """Whether no value has been left out."""
        return bool(self.limit == _EVERYTHING)

    def merged(self, other: "Sketch", size: int = SKETCH_SIZE) -> "Sketch":
        """Return the sketch of the rows of both.

        Examples
        --------
        >>> ours = Sketch(np.array([1.0, 2.0]), np.array([3, 1]))
        >>> ours.merged(Sketch(np.array([2.0, 5.0]), np.array([1, 1]))).counts
        array([3, 2, 1])
        """
        values = np.concatenate([self.values, other.values])
        counts = np.concatenate([self.counts, other.counts])
        return _keep_lowest(values, counts, min(self.limit, other.limit), size)


def sketch_columns(values: Floats, features: Ints, size: int = SKETCH_SIZE) -> list[Sketch]:
    """Return the sketches of some columns, without missing values.

    Of many rows few have hashes low enough to matter, unless values repeat: then all are sorted.
    """
    sketches = [Sketch.empty()] * len(features)
    if len(values) > _MANY * size:
        sketches = _by_lowest_hashes(values, features, size)
    return [
        sketch if sketch.values.size == size else _by_sorting(values[:, feature], size)
        for sketch, feature in zip(sketches, features, strict=True)
    ]


def _by_lowest_hashes(values: Floats, features: Ints, size: int) -> list[Sketch]:
    """Return the sketches of columns whose values hardly repeat; others are too short."""
    limit = np.uint64(_MANY * size / (2 * len(values)) * float(_EVERYTHING))
    columns, found = [], []
    everything = len(features) == values.shape[1]
    for begin in range(0, len(values), _SKETCH_BLOCK):
        rows = values[begin : begin + _SKETCH_BLOCK]
        # Adding zero makes a positive zero of a negative one.
        cells = ((rows if everything else rows[:, features]) + 0.0).reshape(-1)
        passing = np.flatnonzero(hash_values(cells) <= limit)
        columns.append(passing % len(features))
        found.append(cells[passing])
    of_column, cells = np.concatenate(columns), np.concatenate(found)
    return [_by_sorting(cells[of_column == place], size, limit) for place in range(len(features))]


def _by_sorting(column: Floats, size: int, limit: np.uint64 = _EVERYTHING) -> Sketch:
    ordered = np.sort(column + 0.0)
    ordered = ordered[: np.searchsorted(ordered, np.nan)]
    return _keep_lowest(ordered, np.ones(ordered.size, np.int64), limit, size)


def hash_values(values: Floats) -> NDArray[np.uint64]:
    """Return a hash of each value: zero for zero, different for different values."""
    # All bits of a value affect the highest bits of its hash.
    bits = values.view(np.uint64)
    mixed = bits >> np.uint64(32)
    mixed ^= bits
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    return mixed


def _keep_lowest(values: Floats, counts: Ints, limit: np.uint64, size: int) -> Sketch:
    """Merge equal values, and keep those with the lowest hashes."""
    if (values[1:] < values[:-1]).any():
        order = np.argsort(values, kind="stable")
        values, counts = values[order], counts[order]
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1])[: values.size])
    values = values[starts]
    counts = np.add.reduceat(counts, starts) if starts.size > 0 else counts
    hashes = hash_values(values)
    n_passing = np.count_nonzero(hashes <= limit)
    if n_passing > size or (n_passing == size and limit != _EVERYTHING):
        limit = np.partition(hashes, size - 1)[size - 1]
    kept = hashes <= limit
    return Sketch(values[kept], counts[kept], limit)


# --- Edges and codes ---

MOST_BINS = 255
# Codes are scanned in blocks that fit the cache.
_CODE_BLOCK = 1 << 14
# Codes have 16 bits; missing values have one, and another as a category of their own.
MOST_CATEGORIES = (1 << 16) - 2


@dataclass(frozen=True)
class Edges:
    """Where the bins of each column end, and which columns are nominal.

    Parameters
    ----------
    ends : float64[features, 256]
        Bin b holds the values up to ``ends[b]``; padded with infinity.
    size : int64[features]
        Number of bins, or of categories.
    nominal : bool[features]
    """

    ends: Floats
    size: Ints
    nominal: NDArray[np.bool_]

    @classmethod
    def from_sketches(
        cls,
        sketches: Sequence[Sketch],
        n_categories: NDArray[np.int32],
        names: Sequence[str],
        max_bins: int = MOST_BINS,
    ) -> "Edges":
        """Return bins with about equal shares of the rows, or one for each of few values.

        Parameters
        ----------
        sketches : list of Sketch
            Of the numeric columns, in order.
        n_categories : int32[features]
            Number of categories of each column, 0 if numeric.
        names : list of str
            Names of the columns.
        max_bins : int
            Largest number of bins of a column, at most 255.
        """
        for name, n_codes in zip(names, n_categories.tolist(), strict=True):
            check_category_count(name, n_codes)
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
        """Type of the codes: one byte per cell if all codes fit."""
        return np.uint8 if int(self.size.max(initial=0)) < 256 else np.uint16

    def has_missing(self, codes: Codes) -> NDArray[np.bool_]:
        """Return whether some cell of each column is missing."""
        missing, found = self.size.astype(codes.dtype), np.zeros(self.size.size, bool)
        for begin in range(0, len(codes), _CODE_BLOCK):
            found |= (codes[begin : begin + _CODE_BLOCK] == missing).any(axis=0)
        return found

    def code(self, values: Floats, n_threads: int = 1) -> tuple[Codes, Bounds]:
        """Return the codes of all cells, and the bounds of the bins that they fill."""
        codes = np.empty(values.shape, self.code_type)
        for feature in np.flatnonzero(self.nominal):
            codes[:, feature] = np.nan_to_num(values[:, feature], nan=self.size[feature])
        numeric = np.flatnonzero(~self.nominal)
        bins = BinEnds(self.ends, self.size)
        bounds = [Bounds.empty(self.size.size) for _ in range(n_threads)]
        run = compiled(number_bytes if codes.dtype == np.uint8 else number_words)
        ends = np.linspace(0, len(values), n_threads + 1).astype(np.int64)

        def code_part(part: int) -> None:
            rows = ends[part], ends[part + 1]
            run(*rows, numeric, values, bins, codes, bounds[part], CellBlock.empty())

        in_threads(n_threads, code_part, range(n_threads))
        return codes, reduce(Bounds.merged, bounds)


def check_category_count(name: str, n_categories: int) -> None:
    """Raise ``DataError`` if a nominal column has more categories than there are codes."""
    if n_categories > MOST_CATEGORIES:
        raise DataError(
            reason=f"column {{column!r}} has more than {MOST_CATEGORIES} categories, too many for "
            "{splits='binned'}: leave the column out, or use {splits='exact'} if the rows fit into "
            "memory",
            column=name,
        )


def learn_edges(
    values: Floats,
    n_categories: NDArray[np.int32],
    names: Sequence[str],
    max_bins: int = MOST_BINS,
    n_threads: int = 1,
) -> Edges:
    """Return the bins of rows in memory, sketched by several threads."""
    numeric = np.flatnonzero(n_categories == 0)
    parts = np.array_split(values, n_threads)
    found = in_threads(n_threads, lambda part: sketch_columns(part, numeric), parts)
    sketches = found[0]
    for others in found[1:]:
        sketches = [ours.merged(other) for ours, other in zip(sketches, others, strict=True)]
    return Edges.from_sketches(sketches, n_categories, names, max_bins)


def binned_columns(
    edges: Edges, has_missing: NDArray[np.bool_], weight: float, growth: Growth
) -> Columns:
    """Return the columns as the kernels see them, with every code a value of its own."""
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
    """Return whether each value is the last of its bin.

    Values that fill a bin get one of their own, up to a quarter of all bins. The others are divided
    into equal shares, with two bins reserved for each of the values that stand between them.
    """
    frequent = np.zeros(sizes.size, bool)
    frequent[np.argsort(-sizes, kind="stable")[: max_bins // 4]] = True
    frequent &= sizes > sizes.sum() / max_bins
    others = np.where(frequent, 0, sizes)
    n_bins = max_bins - 2 * np.count_nonzero(frequent)
    # The middle of a value's rows decides, in integers.
    bins = (2 * np.cumsum(others) - others) * n_bins // (2 * others.sum())
    is_last = frequent | np.append(bins[1:] != bins[:-1], True)
    is_last[:-1] |= frequent[1:]
    return np.asarray(is_last)
