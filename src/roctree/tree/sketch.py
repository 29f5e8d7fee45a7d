"""What is remembered of a numeric column to divide it into bins: a sample of its distinct values.

Every value has a number that looks like chance but depends on the value alone. The sketch keeps
the values with the lowest numbers, and how often each occurs. A value among the lowest of all data
is among the lowest of every part that has it, so its count in the whole is the sum of its counts in
the parts: sketches of parts merge into the very sketch of the whole, whatever the parts and their
order. A column with no more distinct values than the sketch has room for is known exactly.

For other columns the sample is one of the distinct values. Where each value is about as frequent
as any other, the share of rows below an edge differs from the wished by more than 1.3 % with a
probability of one in a hundred, by the inequality of Dvoretzky, Kiefer and Wolfowitz:
sqrt(ln(2 / 0.01) / (2 * 16384)) = 0.0127. Zero has the lowest number of all and is always kept, so
that the many zeros of amounts are not missed.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SIZE = 1 << 14
# Rows are looked at in blocks that fit the cache.
_BLOCK = 1 << 12
# With so many times more rows than there is room for, most of them need not be sorted.
_MANY = 4
_EVERYTHING = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True)
class Sketch:
    """Distinct values of a column in increasing order, and how often each was seen.

    Parameters
    ----------
    values : float64[size]
    counts : int64[size]
    limit : a value is kept only if its number is no higher
    """

    values: NDArray[np.float64]
    counts: NDArray[np.int64]
    limit: np.uint64 = _EVERYTHING

    @classmethod
    def empty(cls) -> "Sketch":
        """The sketch of no rows."""
        return cls(np.empty(0), np.empty(0, np.int64))

    @property
    def is_exact(self) -> bool:
        """Whether no value has been left out."""
        return bool(self.limit == _EVERYTHING)

    def merged(self, other: "Sketch", size: int = SIZE) -> "Sketch":
        """The sketch of the rows of both.

        Examples
        --------
        >>> ours = Sketch(np.array([1.0, 2.0]), np.array([3, 1]))
        >>> ours.merged(Sketch(np.array([2.0, 5.0]), np.array([1, 1]))).counts
        array([3, 2, 1])
        """
        values = np.concatenate([self.values, other.values])
        counts = np.concatenate([self.counts, other.counts])
        return _lowest(values, counts, min(self.limit, other.limit), size)


def sketch_columns(
    values: NDArray[np.float64], features: NDArray[np.int64], size: int = SIZE
) -> list[Sketch]:
    """Return the sketches of some columns; missing values are passed over.

    Of many rows few have numbers low enough to matter, unless values repeat: then all are sorted.
    """
    sketches = [Sketch.empty()] * len(features)
    if len(values) > _MANY * size:
        sketches = _by_lowest_numbers(values, features, size)
    return [
        sketch if sketch.values.size == size else _by_sorting(values[:, feature], size)
        for sketch, feature in zip(sketches, features, strict=True)
    ]


def _by_lowest_numbers(
    values: NDArray[np.float64], features: NDArray[np.int64], size: int
) -> list[Sketch]:
    """The sketches of columns whose values hardly repeat; of others there is too little in them."""
    limit = np.uint64(_MANY * size / (2 * len(values)) * float(_EVERYTHING))
    columns, found = [], []
    everything = len(features) == values.shape[1]
    for begin in range(0, len(values), _BLOCK):
        rows = values[begin : begin + _BLOCK]
        # Adding zero makes one of the two zeros.
        cells = ((rows if everything else rows[:, features]) + 0.0).reshape(-1)
        passing = np.flatnonzero(numbers_of(cells) <= limit)
        columns.append(passing % len(features))
        found.append(cells[passing])
    of_column, cells = np.concatenate(columns), np.concatenate(found)
    return [_by_sorting(cells[of_column == place], size, limit) for place in range(len(features))]


def _by_sorting(column: NDArray[np.float64], size: int, limit: np.uint64 = _EVERYTHING) -> Sketch:
    ordered = np.sort(column + 0.0)
    ordered = ordered[: np.searchsorted(ordered, np.nan)]
    return _lowest(ordered, np.ones(ordered.size, np.int64), limit, size)


def numbers_of(values: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Return a number for each value: zero for zero, elsewhere as if drawn by chance."""
    # All bits have a say in the highest ones, and no two values have the same number.
    bits = values.view(np.uint64)
    mixed = bits >> np.uint64(32)
    mixed ^= bits
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    return mixed


def _lowest(
    values: NDArray[np.float64], counts: NDArray[np.int64], limit: np.uint64, size: int
) -> Sketch:
    """Put equal values together, and keep those with the lowest numbers."""
    if (values[1:] < values[:-1]).any():
        order = np.argsort(values, kind="stable")
        values, counts = values[order], counts[order]
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1])[: values.size])
    values = values[starts]
    counts = np.add.reduceat(counts, starts) if starts.size > 0 else counts
    numbers = numbers_of(values)
    n_passing = np.count_nonzero(numbers <= limit)
    if n_passing > size or (n_passing == size and limit != _EVERYTHING):
        limit = np.partition(numbers, size - 1)[size - 1]
    kept = numbers <= limit
    return Sketch(values[kept], counts[kept], limit)
