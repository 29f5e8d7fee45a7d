"""The bins of the columns: sketches of their values, edges from the sketches, codes for the cells.

A sketch holds a sample of the distinct values of a numeric column. Every value has a hash that
depends on the value alone, and the sketch keeps the values with the lowest hashes and the weight of
the rows of each. A value among the lowest of all data is among the lowest of every part that has
it, so its weight in the whole is the sum of its weights in the parts: sketches of parts merge into
exactly the sketch of the whole, whatever the parts and their order. A column with no more distinct
values than the capacity of the sketch is represented exactly.

Sums of weights must not depend on the parts either, and the grid of growth is known only when all
parts are. A sketch therefore rounds a weight to 24 significant bits and adds integers, separately
for every eight exponents.

For other columns it is a random sample of the distinct values. If all values are about equally
frequent, the share of weight below an edge differs from the desired one by more than 1.3 % with a
probability of one in a hundred, by the Dvoretzky-Kiefer-Wolfowitz inequality: sqrt(ln(2 / 0.01) /
(2 * 16384)) = 0.0127. Zero has the lowest hash and is always kept, since amounts are often zero.

The lowest and the highest value in each bin are known. Thresholds are halfway between the highest
value on one side and the lowest on the other, as in a search over all values; where every bin holds
one value, both are the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.arrays import Bools, Floats, Ints, in_threads, row_parts
from roctree.errors import DataError
from roctree.tree.columns import Columns, number_codes
from roctree.tree.growth import GrowthRules
from roctree.tree.kernels.coding import BIN_SLOTS, HALF, MIX, CellBlock, pick_low_hashes
from roctree.tree.kernels.tables import BinEnds, Bounds, code_bins_bytes, code_bins_words

Codes = NDArray[Any]

# --- Sketches ---

SKETCH_SIZE = 1 << 14
# Rows are read in blocks that fit the cache.
_SKETCH_BLOCK = 1 << 15
# With this many times more rows than the sketch holds, most of them need not be sorted.
_MANY = 4
_EVERYTHING = np.uint64(0xFFFFFFFFFFFFFFFF)
_WEIGHT_BITS, _EXPONENTS = 24, 8


@dataclass(frozen=True)
class Sketch:
    """Distinct values of a column in increasing order, and the weight of each.

    Parameters
    ----------
    values : float64[size]
    exponents : int64[n_units]
        The units that weights are counted in are 2 to the power of these, in increasing order.
    units : int64[n_units, size]
        The weight of a value is the sum of its numbers of units.
    limit : uint64
        Largest hash of a value that is kept.
    """

    values: Floats
    exponents: Ints
    units: Ints
    limit: np.uint64 = _EVERYTHING

    @classmethod
    def empty(cls) -> "Sketch":
        """Return the sketch of no rows."""
        return cls(np.empty(0), np.empty(0, np.int64), np.empty((0, 0), np.int64))

    @property
    def weights(self) -> Floats:
        """Weight of each value, as a multiple of the largest unit."""
        if self.exponents.size == 0:
            return np.zeros(self.values.size)
        powers = self.exponents - self.exponents[-1]
        return np.asarray(np.ldexp(self.units, powers[:, None]).sum(axis=0))

    def merged(self, other: "Sketch", size: int = SKETCH_SIZE) -> "Sketch":
        """Return the sketch of the rows of both.

        Examples
        --------
        >>> one, two = np.array([[1.0], [2.0], [1.0]]), np.array([[2.0], [5.0]])
        >>> [ours], [theirs] = (sketch_columns(part, np.array([0])) for part in (one, two))
        >>> merged = ours.merged(theirs)
        >>> merged.values, merged.weights / merged.weights[-1]
        (array([1., 2., 5.]), array([2., 2., 1.]))
        """
        exponents = np.union1d(self.exponents, other.exponents)
        values = np.concatenate([self.values, other.values])
        units = np.zeros((exponents.size, values.size), np.int64)
        ours, theirs = (np.searchsorted(exponents, each.exponents) for each in (self, other))
        units[ours, : self.values.size] = self.units
        units[theirs, self.values.size :] = other.units
        return _keep_lowest(values, exponents, units, min(self.limit, other.limit), size)


def sketch_columns(
    values: Floats,
    features: Ints,
    weights: Floats | None = None,
    size: int = SKETCH_SIZE,
    n_threads: int = 1,
) -> list[Sketch]:
    """Return the sketches of some columns, without missing values.

    Only rows with low hashes matter. They are few unless values repeat, in which case all rows are
    sorted.

    Parameters
    ----------
    values : float64[rows, columns]
    features : int64[...]
        The columns.
    weights : float64[rows] or None
        Weights of the rows; None if all are 1.
    size : int
        Largest number of values of a sketch.
    n_threads : int
    """
    limit, picked = _EVERYTHING, [np.empty(0, np.int64)] * len(features)
    if len(values) > _MANY * size:
        limit = np.uint64(_MANY * size / (2 * len(values)) * float(_EVERYTHING))
        picked = _rows_with_low_hashes(values, features, limit, n_threads)

    counted = None if weights is None else _in_units(weights)

    def sketch(place: int) -> Sketch:
        rows, column = picked[place], values[:, features[place]]
        found = _by_sorting(column[rows], counted, rows, size, limit)
        if found.values.size == size:
            return found
        return _by_sorting(column, counted, slice(None), size)

    return in_threads(n_threads, sketch, range(len(features)))


def _rows_with_low_hashes(
    values: Floats, features: Ints, limit: np.uint64, n_threads: int
) -> list[Ints]:
    """Return the rows of each column whose hashes are no higher than ``limit``."""
    run, bits = compiled(pick_low_hashes), values.view(np.uint64)

    def pick(rows: slice) -> list[Ints]:
        n_picked = np.zeros(len(features), np.int64)
        picked = np.empty((len(features), rows.stop - rows.start), np.int64)
        # Hashes overflow, which NumPy reports when kernels are interpreted.
        with np.errstate(over="ignore"):
            run(rows.start, rows.stop, features, bits, np.array([limit]), picked, n_picked)
        return [own[:n].copy() for own, n in zip(picked, n_picked, strict=True)]

    blocks = row_parts(len(values), -(-len(values) // _SKETCH_BLOCK))
    parts = in_threads(n_threads, pick, blocks)
    return [np.concatenate(own) for own in zip(*parts, strict=True)]


def _by_sorting(
    column: Floats,
    counted: tuple[Ints, Ints] | None,
    rows: Ints | slice,
    size: int,
    limit: np.uint64 = _EVERYTHING,
) -> Sketch:
    """Return the sketch of the values of some rows, whose weights are 1 or counted in units."""
    if counted is None:
        ordered = np.sort(column + 0.0)
        ordered = ordered[: np.searchsorted(ordered, np.nan)]
        starts = _starts(ordered)
        exponents, one = _in_units(np.ones(1))
        counts = np.diff(starts, append=ordered.size)
        return _keep_lowest(ordered[starts], exponents, one * counts, limit, size)
    exponents, units = counted
    order = np.argsort(column, kind="stable")
    ordered = column[order] + 0.0
    order = order[: np.searchsorted(ordered, np.nan)]
    return _keep_lowest(ordered[: order.size], exponents, units[:, rows][:, order], limit, size)


def _in_units(weights: Floats) -> tuple[Ints, Ints]:
    """Return the exponents of the units of some weights, and the weights in these units.

    >>> _in_units(np.array([1.0, 3.0, 300.0]))[1] / 2**24
    array([[1.      , 3.      , 0.      ],
           [0.      , 0.      , 1.171875]])
    """
    parts, exponents = np.frexp(weights)
    steps = exponents % _EXPONENTS
    exponents = exponents.astype(np.int64) - steps - _WEIGHT_BITS
    occurring = np.unique(exponents)
    counts = np.ldexp(np.rint(np.ldexp(parts, _WEIGHT_BITS)), steps).astype(np.int64)
    return occurring, np.where(exponents == occurring[:, None], counts, 0)


def hash_values(values: Floats) -> NDArray[np.uint64]:
    """Return a hash of each value: zero for zero, different for different values."""
    bits = values.view(np.uint64)
    mixed = bits >> HALF
    mixed ^= bits
    mixed *= MIX
    return mixed


def _keep_lowest(
    values: Floats, exponents: Ints, units: Ints, limit: np.uint64, size: int
) -> Sketch:
    """Merge equal values, and keep those with the lowest hashes."""
    if (values[1:] < values[:-1]).any():
        order = np.argsort(values, kind="stable")
        values, units = values[order], units[:, order]
    starts = _starts(values)
    if starts.size < values.size:
        values, units = values[starts], np.add.reduceat(units, starts, axis=1)
    hashes = hash_values(values)
    n_passing = np.count_nonzero(hashes <= limit)
    if n_passing > size or (n_passing == size and limit != _EVERYTHING):
        limit = np.partition(hashes, size - 1)[size - 1]
    kept = hashes <= limit
    return Sketch(values[kept], exponents, units[:, kept], limit)


def _starts(ordered: Floats) -> Ints:
    """Return where each distinct value begins among ordered values."""
    return np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: ordered.size])


# --- Edges and codes ---

MAX_BINS = 255
# Codes have 16 bits; missing values have one, and another as a category of their own.
MAX_CATEGORIES = (1 << 16) - 2


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
        max_bins: int = MAX_BINS,
    ) -> "Edges":
        """Return bins with about equal shares of the weight, or one for each of few values.

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
        ends = np.full((n_categories.size, BIN_SLOTS), np.inf)
        size = n_categories.astype(np.int64)
        for feature, sketch in zip(np.flatnonzero(~nominal), sketches, strict=True):
            found = _sketch_bin_ends(sketch, max_bins)
            ends[feature, : found.size - 1] = found[:-1]
            size[feature] = found.size
        return cls(ends, size, nominal)

    @property
    def code_type(self) -> type[np.unsignedinteger[Any]]:
        """Type of the codes: one byte per cell if all codes fit."""
        return np.uint8 if int(self.size.max(initial=0)) < 256 else np.uint16

    def has_missing(self, codes: Codes, n_threads: int = 1) -> Bools:
        """Return whether some cell of each column is missing."""
        missing = self.size.astype(codes.dtype)
        found = in_threads(
            n_threads,
            lambda rows: (codes[rows] == missing).any(axis=0),
            row_parts(len(codes), 4 * n_threads),
        )
        return np.asarray(np.any([np.zeros(self.size.size, bool), *found], axis=0))

    def code(self, values: Floats, n_threads: int = 1) -> tuple[Codes, Bounds]:
        """Return the codes of all cells, and the bounds of the bins that they fill."""
        codes = np.empty(values.shape, self.code_type)
        for feature in np.flatnonzero(self.nominal):
            codes[:, feature] = np.nan_to_num(values[:, feature], nan=self.size[feature])
        numeric = np.flatnonzero(~self.nominal)
        bins = BinEnds(self.ends, self.size)
        bounds = [Bounds.empty(self.size.size) for _ in range(n_threads)]
        kernel = code_bins_bytes if codes.dtype == np.uint8 else code_bins_words
        run = compiled(kernel, microseconds=5 * codes.size)
        ends = np.linspace(0, len(values), n_threads + 1).astype(np.int64)

        def code_part(part: int) -> None:
            rows = ends[part], ends[part + 1]
            run(*rows, numeric, values, bins, codes, bounds[part], CellBlock.empty())

        in_threads(n_threads, code_part, range(n_threads))
        return codes, reduce(Bounds.merged, bounds)


def check_category_count(name: str, n_categories: int) -> None:
    """Raise ``DataError`` if a nominal column has more categories than there are codes."""
    if n_categories > MAX_CATEGORIES:
        raise DataError(
            reason=f"column {{column!r}} has more than {MAX_CATEGORIES} categories, too many for "
            "{splits='binned'}: leave the column out, or use {splits='exact'} if the rows fit into "
            "memory",
            column=name,
        )


def learn_edges(
    values: Floats,
    n_categories: NDArray[np.int32],
    names: Sequence[str],
    max_bins: int = MAX_BINS,
    weights: Floats | None = None,
    n_threads: int = 1,
) -> Edges:
    """Return the bins of rows in memory, sketched by several threads.

    Parameters
    ----------
    values : float64[rows, features]
    n_categories, names, max_bins : as in ``Edges.from_sketches``
    weights : float64[rows] or None
        Weights of the rows; None if all are 1.
    n_threads : int
    """
    numeric = np.flatnonzero(n_categories == 0)
    sketches = sketch_columns(values, numeric, weights, n_threads=n_threads)
    return Edges.from_sketches(sketches, n_categories, names, max_bins)


def binned_columns(
    edges: Edges, bounds: Bounds, has_missing: Bools, weight: float, rules: GrowthRules
) -> Columns:
    """Return the columns in the form of the kernels, with every code as a distinct value."""
    n_categories = np.where(edges.nominal, edges.size, 0).astype(np.int32)
    values = np.empty((0, edges.size.size))
    columns = number_codes(values, n_categories, has_missing, weight, rules)
    columns.bins.exact[:] = True
    columns.bins.lowest[:], columns.bins.highest[:] = bounds.lowest, bounds.highest
    n_bins = np.where(edges.nominal, columns.n_categories, edges.size)
    columns.bins.start[1:] = np.cumsum(n_bins + 1)
    return columns


def _sketch_bin_ends(sketch: Sketch, max_bins: int) -> Floats:
    if sketch.values.size == 0:
        return np.zeros(1)
    if sketch.values.size <= max_bins:
        return sketch.values
    return sketch.values[_is_last(sketch.weights, max_bins)]


def _is_last(weights: Floats, max_bins: int) -> NDArray[np.bool_]:
    """Return whether each value is the last of its bin.

    A value frequent enough to fill a bin has its own, up to a quarter of all bins. The others are
    divided into equal shares, with two bins reserved for each frequent value between them.
    """
    # In integers, whose products with the number of bins do not overflow.
    sizes = np.rint(np.ldexp(weights, 45 - np.frexp(weights.sum())[1])).astype(np.int64)
    frequent = np.zeros(sizes.size, bool)
    frequent[np.argsort(-sizes, kind="stable")[: max_bins // 4]] = True
    frequent &= sizes > sizes.sum() / max_bins
    others = np.where(frequent, 0, sizes)
    n_bins = max_bins - 2 * np.count_nonzero(frequent)
    # A value belongs to the bin of the midpoint of its weight.
    bins = (2 * np.cumsum(others) - others) * n_bins // (2 * others.sum())
    is_last = frequent | np.append(bins[1:] != bins[:-1], True)
    is_last[:-1] |= frequent[1:]
    return np.asarray(is_last)
