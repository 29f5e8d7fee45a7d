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
# Rows are looked at in blocks that fit the cache; what passes is sorted out now and then.
_BLOCK = 1 << 14
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
    """Return the sketches of some columns; missing values are passed over."""
    sketches = [Sketch.empty() for _ in features]
    waiting: list[list[NDArray[np.float64]]] = [[] for _ in features]
    n_waiting = np.zeros(len(features), np.int64)
    for begin in range(0, len(values), _BLOCK):
        # Adding zero makes one of the two zeros.
        block = np.ascontiguousarray(values[begin : begin + _BLOCK, features].T) + 0.0
        numbers = numbers_of(block)
        for place, sketch in enumerate(sketches):
            passing = block[place]
            if not sketch.is_exact:
                passing = passing[numbers[place] <= sketch.limit]
            waiting[place].append(passing)
            n_waiting[place] += passing.size
            if n_waiting[place] > size:
                sketches[place] = _with_waiting(sketch, waiting[place], size)
                waiting[place], n_waiting[place] = [], 0
    return [_with_waiting(*pair, size) for pair in zip(sketches, waiting, strict=True)]


def numbers_of(values: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Return a number for each value: zero for zero, elsewhere as if drawn by chance."""
    bits = values.view(np.uint64)
    mixed = bits ^ (bits >> np.uint64(30))
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def _with_waiting(sketch: Sketch, waiting: list[NDArray[np.float64]], size: int) -> Sketch:
    if not waiting:
        return sketch
    found = np.sort(np.concatenate(waiting))
    found = found[: np.searchsorted(found, np.nan)]
    values = np.concatenate([sketch.values, found])
    counts = np.concatenate([sketch.counts, np.ones(found.size, np.int64)])
    return _lowest(values, counts, sketch.limit, size)


def _lowest(
    values: NDArray[np.float64], counts: NDArray[np.int64], limit: np.uint64, size: int
) -> Sketch:
    """Put equal values together, and keep those with the lowest numbers."""
    order = np.argsort(values, kind="stable")
    values, counts = values[order], counts[order]
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1])[: values.size])
    values = values[starts]
    counts = np.add.reduceat(counts, starts) if starts.size > 0 else counts
    numbers = numbers_of(values)
    if np.count_nonzero(numbers <= limit) > size:
        limit = np.partition(numbers, size - 1)[size - 1]
    kept = numbers <= limit
    return Sketch(values[kept], counts[kept], limit)
