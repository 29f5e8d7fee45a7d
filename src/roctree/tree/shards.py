"""A shard holds some coded rows, and answers with tables: class counts of the bins of nodes.

Tables of shards add up to the table of all rows. Sums of weights are exact, so it does not matter
how the rows are divided into shards, nor in which order these answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.tree.columns import Columns
from roctree.tree.kernels import layout
from roctree.tree.kernels.shards import (
    count_bytes,
    count_words,
    move_entries,
    send_bytes,
    send_words,
)
from roctree.tree.threads import in_threads

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# With so few nodes a thread, the rows are shared out among threads rather than the nodes.
_FEW_NODES = 8


@dataclass(frozen=True)
class Splits:
    """How some nodes of a level are split: all that a shard has to know.

    Parameters
    ----------
    segments : int64[splits], the places of the nodes in their level, increasing
    ints : int64[splits, 4], feature, number of branches, cut and branch of missing values
    branches : int16[splits, codes], the branch of each category
    weights : float64[splits, branches], the weight of the cases that know their branch
    quantum : the unit of the grid that weights lie on
    shares : whether some cases go to all branches
    """

    segments: Ints
    ints: Ints
    branches: NDArray[np.int16]
    weights: Floats
    quantum: float
    shares: bool

    @property
    def first_child(self) -> Ints:
        """The place of the first child of each node in the next level."""
        sizes = self.ints[:, layout.SPLIT_BRANCHES]
        return np.cumsum(sizes) - sizes

    @property
    def n_children(self) -> int:
        """The number of nodes of the next level."""
        return int(self.ints[:, layout.SPLIT_BRANCHES].sum())


@dataclass(frozen=True)
class Places:
    """In which node of a level each row of a shard is.

    Parameters
    ----------
    rows : uint32[entries], rows, node by node; one that goes to several nodes occurs in each
    weights : float64[entries], or empty where all are one
    starts : int64[nodes + 1], where the rows of each node begin
    counts : float64[nodes, classes], known where weights are listed
    """

    rows: NDArray[np.uint32]
    weights: Floats
    starts: Ints
    counts: Floats

    def __sizeof__(self) -> int:
        """The bytes of the arrays: schedulers look at them before they move anything."""
        return sum(each.nbytes for each in (self.rows, self.weights, self.starts, self.counts))


@dataclass(frozen=True)
class Shard:
    """Some rows: their codes, labels and weights, of which there are none where all are one."""

    codes: NDArray[Any]
    labels: NDArray[np.uint32]
    weights: Floats

    def __sizeof__(self) -> int:
        """The bytes of the arrays."""
        return sum(each.nbytes for each in (self.codes, self.labels, self.weights))

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.codes)

    def start(self) -> Places:
        """All rows in the root."""
        rows = np.arange(self.size, dtype=np.uint32)
        return Places(rows, self.weights, np.array([0, self.size]), np.empty((0, 0)))

    def count(self, places: Places, columns: Columns, segments: Ints, tables: Floats) -> None:
        """Add the rows of some nodes to their tables."""
        run = compiled(count_bytes if self.codes.dtype == np.uint8 else count_words)
        run(
            columns.bins.start, segments, places.starts, places.rows, places.weights, self.codes,
            self.labels, tables,
        )  # fmt: skip

    def divide(self, places: Places, columns: Columns, splits: Splits, n_classes: int) -> Places:
        """The rows by the children of the nodes that are split."""
        sides = np.empty(places.rows.size, np.int16)
        sizes = np.zeros(splits.n_children, np.int64)
        send = compiled(send_bytes if self.codes.dtype == np.uint8 else send_words)
        send(
            columns.features.n_categories, columns.bins.start, splits.segments,
            splits.first_child, splits.ints, splits.branches, splits.weights, places.starts, places.rows, self.codes, sides, sizes,
        )  # fmt: skip
        starts = np.concatenate([[0], np.cumsum(sizes)])
        listed = splits.shares or places.weights.size > 0
        rows = np.empty(starts[-1], np.uint32)
        weights = np.empty(starts[-1] if listed else 0)
        counts = np.zeros((splits.n_children if listed else 0, n_classes))
        compiled(move_entries)(
            splits.segments, splits.first_child, splits.ints, splits.weights, splits.quantum,
            places.starts, places.rows, places.weights, sides, self.labels, starts[:-1].copy(),
            np.empty((2, splits.weights.shape[1])), rows, weights, counts,
        )  # fmt: skip
        return Places(rows, weights, starts, counts)


class Shards(Protocol):
    """What growth asks of the rows, wherever they are."""

    def count(self, segments: Ints, n_tables: int) -> Floats:
        """Return the tables of some nodes of the level, with room behind them for ``n_tables``."""

    def divide(self, splits: Splits) -> None:
        """Go down a level."""

    def totals(self) -> Floats:
        """Return the class counts of the nodes of the level, after cases have been divided."""


class LocalShards:
    """Shards of this process, taken by several threads."""

    def __init__(
        self, parts: Sequence[Shard], columns: Columns, n_classes: int, n_threads: int = 1
    ) -> None:
        self.parts, self.columns = parts, columns
        self.n_classes, self.n_threads = n_classes, n_threads
        self.places = [part.start() for part in parts]

    def count(self, segments: Ints, n_tables: int) -> Floats:
        """Return the tables of some nodes of the level, with room behind them for ``n_tables``."""
        n_bins = int(self.columns.bins.start[-1])
        tables = np.zeros((n_tables, n_bins, self.n_classes))
        if segments.size >= _FEW_NODES * self.n_threads:
            groups = np.array_split(np.arange(segments.size), self.n_threads)
            in_threads(
                self.n_threads,
                lambda own: self._add(segments[own], tables[own[0] : own[-1] + 1]),
                groups,
            )
            return tables
        own_tables = [tables[: segments.size]]
        own_tables += [np.zeros_like(own_tables[0]) for _ in range(1, self.n_threads)]
        in_threads(
            self.n_threads,
            lambda own: self._add(segments, own_tables[own], own),
            range(self.n_threads),
        )
        for other in own_tables[1:]:
            own_tables[0] += other
        return tables

    def divide(self, splits: Splits) -> None:
        """Go down a level."""

        def divide_part(place: int) -> None:
            part, columns = self.parts[place], self.columns
            self.places[place] = part.divide(self.places[place], columns, splits, self.n_classes)

        in_threads(self.n_threads, divide_part, range(len(self.parts)))

    def totals(self) -> Floats:
        """Return the class counts of the nodes of the level, after cases have been divided."""
        return np.asarray(np.sum([places.counts for places in self.places], axis=0))

    def _add(self, segments: Ints, tables: Floats, thread: int | None = None) -> None:
        """Add rows of all parts to some tables, or the parts of one thread only."""
        chosen = slice(None) if thread is None else slice(thread, None, self.n_threads)
        for part, places in zip(self.parts[chosen], self.places[chosen], strict=True):
            part.count(places, self.columns, segments, tables)
