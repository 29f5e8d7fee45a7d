"""Shards of coded rows, which return tables: the class counts of the bins of nodes.

Tables of shards add up to the table of all rows. Sums of weights are exact, so neither the division
into shards nor the order of their results matters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.arrays import Floats, Ints, in_threads
from roctree.tree.columns import Columns
from roctree.tree.kernels.tables import (
    MovedRows,
    NodeRows,
    SentSplits,
    count_bytes,
    count_words,
    find_branches_bytes,
    find_branches_words,
    move_rows,
)

# Maximum rows of a shard: control returns to Python after each, so that Ctrl-C works.
SHARD_ROWS = 1 << 20
# With fewer nodes per thread, threads divide the rows rather than the nodes.
_FEW_NODES = 8


@dataclass(frozen=True)
class Shard:
    """Some rows: their codes, labels and weights; the weights are empty if all are one."""

    codes: NDArray[Any]
    labels: NDArray[np.uint32]
    weights: Floats

    def __sizeof__(self) -> int:
        """Return the size of the arrays in bytes, which schedulers ask before they move data."""
        return sum(each.nbytes for each in (self.codes, self.labels, self.weights))

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.codes)

    def divided(self, n_parts: int) -> list["Shard"]:
        """Return the rows divided evenly into shards."""
        ends = np.linspace(0, self.size, n_parts + 1).astype(np.int64)
        return [
            Shard(self.codes[begin:end], self.labels[begin:end], self.weights[begin:end])
            for begin, end in pairwise(ends)
        ]

    def start(self) -> NodeRows:
        """Return all rows in the root."""
        rows = np.arange(self.size, dtype=np.uint32)
        return NodeRows(rows, self.weights, np.array([0, self.size]), np.empty((0, 0)))

    def count(self, listed: NodeRows, columns: Columns, nodes: Ints, tables: Floats) -> None:
        """Add the rows of some nodes to their tables."""
        # For all levels together, so that each chooses the same way.
        steps = 20 * self.codes.size
        run = compiled(count_bytes if self.codes.dtype == np.uint8 else count_words, steps)
        run(columns.bins.start, nodes, listed, self.codes, self.labels, tables)

    def divide(
        self, listed: NodeRows, columns: Columns, splits: SentSplits, n_classes: int
    ) -> NodeRows:
        """Return the rows by the children of the nodes that are split."""
        is_byte = self.codes.dtype == np.uint8
        steps = 20 * self.codes.size
        find = compiled(find_branches_bytes if is_byte else find_branches_words, steps)
        branches = np.empty(listed.rows.size, np.int16)
        sizes = np.zeros(splits.n_children, np.int64)
        kinds = columns.features.n_categories, columns.bins.start
        find(*kinds, splits, listed, self.codes, branches, sizes)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        weighted = splits.divides_cases or listed.weights.size > 0
        moved = MovedRows(
            rows=np.empty(starts[-1], np.uint32),
            weights=np.empty(starts[-1] if weighted else 0),
            counts=np.zeros((splits.n_children if weighted else 0, n_classes)),
            cursors=starts[:-1].copy(),
            shares=np.empty(splits.branch_weight.shape[1]),
        )
        compiled(move_rows, steps)(splits, listed, self.labels, branches, moved)
        return NodeRows(moved.rows, moved.weights, starts, moved.counts)


def omit_unit_weights(weights: Floats) -> Floats:
    """Return the weights, or an empty array if all of them are one."""
    return np.empty(0) if (weights == 1.0).all() else weights


class Shards(Protocol):
    """The interface between growth and the rows, wherever they are stored."""

    def count(self, nodes: Ints, n_tables: int) -> Floats:
        """Return the tables of some nodes of the level, in an array of ``n_tables`` tables."""

    def divide(self, splits: SentSplits) -> None:
        """Send the rows to the next level."""

    def totals(self) -> Floats:
        """Return the class counts of the nodes of the level, after cases were divided."""


class LocalShards:
    """Shards of this process, counted by several threads."""

    def __init__(
        self, parts: Sequence[Shard], columns: Columns, n_classes: int, n_threads: int = 1
    ) -> None:
        self.parts, self.columns = parts, columns
        self.n_classes, self.n_threads = n_classes, n_threads
        self.listed = [part.start() for part in parts]

    def count(self, nodes: Ints, n_tables: int) -> Floats:
        """Return the tables of some nodes of the level, in an array of ``n_tables`` tables."""
        n_bins = int(self.columns.bins.start[-1])
        tables = np.zeros((n_tables, n_bins, self.n_classes))
        if nodes.size >= _FEW_NODES * self.n_threads:
            groups = np.array_split(np.arange(nodes.size), self.n_threads)
            in_threads(
                self.n_threads,
                lambda own: self._add(nodes[own], tables[own[0] : own[-1] + 1]),
                groups,
            )
            return tables
        own_tables = [tables[: nodes.size]]
        own_tables += [np.zeros_like(own_tables[0]) for _ in range(1, self.n_threads)]
        in_threads(
            self.n_threads,
            lambda own: self._add(nodes, own_tables[own], own),
            range(self.n_threads),
        )
        for other in own_tables[1:]:
            own_tables[0] += other
        return tables

    def divide(self, splits: SentSplits) -> None:
        """Send the rows to the next level."""

        def divide_part(number: int) -> None:
            part, listed = self.parts[number], self.listed[number]
            self.listed[number] = part.divide(listed, self.columns, splits, self.n_classes)

        in_threads(self.n_threads, divide_part, range(len(self.parts)))

    def totals(self) -> Floats:
        """Return the class counts of the nodes of the level, after cases were divided."""
        return np.asarray(np.sum([listed.counts for listed in self.listed], axis=0))

    def _add(self, nodes: Ints, tables: Floats, thread: int | None = None) -> None:
        """Add the rows of all parts to some tables, or those of the parts of one thread."""
        chosen = slice(None) if thread is None else slice(thread, None, self.n_threads)
        for part, listed in zip(self.parts[chosen], self.listed[chosen], strict=True):
            part.count(listed, self.columns, nodes, tables)
