"""Dask: workers hold their partitions as codes; only splits and tables are sent, never rows.

Every task is a function of its arguments. If a worker dies, the scheduler recomputes what it held
on another: it reads the partitions again, codes them and sends the rows down the finished levels,
without counting those levels again.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from itertools import groupby, islice
from queue import Empty, Queue
from threading import Thread
from typing import Any
from uuid import uuid4

import dask
import distributed
import numpy as np
from dask import array
from numpy.typing import NDArray

from roctree.arrays import Floats, Ints
from roctree.errors import DataError, ParameterError
from roctree.large.batches import Piece, open_pieces
from roctree.large.parts import (
    CodedPart,
    CodedRows,
    Coding,
    Part,
    Summary,
    Totals,
    code_part,
    in_part,
    merged_parts,
    merged_summary,
    summarise_part,
)
from roctree.progress import Callback, Progress, ignore_progress
from roctree.text import first_line
from roctree.tree.columns import Columns
from roctree.tree.kernels.tables import NodeRows, ShardSplits

# Number of partial results that one task merges.
_FAN_IN = 4


@dataclass(frozen=True)
class DaskRows:
    """Rows in partitions, and the client of the cluster that reads them.

    Parameters
    ----------
    make : callable
        Makes a ``Part`` from the arguments of a partition.
    parts : sequence of tuple
        These arguments, some of which may be Dask tasks.
    client : distributed.Client
    target : str or None
        Name of the target.
    report : callable
        Progress callback.
    """

    make: Callable[..., Part]
    parts: Sequence[tuple[Any, ...]]
    client: Any
    target: str | None = None
    report: Callback[Progress] = ignore_progress

    def summary(self, categorical_features: Any) -> Summary:
        """Summarise all rows, on the workers."""
        found = self._each(summarise_part, categorical_features)
        merged = list(found)
        while len(merged) > 1:
            groups = [merged[i : i + _FAN_IN] for i in range(0, len(merged), _FAN_IN)]
            merged = self.client.map(merged_parts, groups, pure=False)
        self._watch("reading", found)
        return merged_summary([each.result() for each in merged])

    def coded(self, summary: Summary, coding: Coding, n_threads: int) -> CodedRows:
        """Code all rows; the codes stay on the workers."""
        coded = self._each(code_part, coding)
        totals = self.client.map(_totals, coded, pure=False)
        self._watch("coding", list(totals))
        n_classes = coding.schema.n_classes
        return CodedRows(
            reduce(Totals.merged, self.client.gather(totals)),
            lambda columns: DaskShards(self.client, coded, columns, n_classes),
        )

    def map_parts(self, step: str, function: Callable[..., Any], *known: Any) -> list[Any]:
        """Return ``function(part, *known)`` of all parts of the rows, computed by the workers."""
        found = self._each(function, *known)
        self._watch(step, list(found))
        results: list[Any] = self.client.gather(found)
        return results

    def _each(self, function: Callable[..., Any], *known: Any) -> list[Any]:
        """Start a call of ``function`` for each part, on the worker that reads the part.

        Dask sends a task to where its arguments are. With one copy of the common arguments all
        tasks would go to one worker, so there is one copy per worker.
        """
        n_workers = max(1, len(self.client.scheduler_info()["workers"]))
        copies = [[dask.delayed(each, pure=False) for each in known] for _ in range(n_workers)]
        tasks = [
            dask.delayed(_of_part)(
                function,
                self.make,
                *part,
                known=copies[number % n_workers],
                dask_key_name=f"{function.__name__}-{uuid4()}",
            )
            for number, part in enumerate(self.parts)
        ]
        futures: list[Any] = self.client.compute(tasks)
        return futures

    def _watch(self, step: str, futures: list[Any]) -> None:
        """Report the number of finished tasks until all are finished or one has failed.

        Each future is released when it is done, so that unneeded results do not stay on workers.
        """
        n_parts = len(futures)
        self.report(Progress(step, 0, n_parts, "partitions"))
        done = distributed.as_completed(futures, loop=self.client.loop)
        futures.clear()
        for number, future in enumerate(done, 1):
            if future.status == "error":
                return
            self.report(Progress(step, number, n_parts, "partitions"))


@dataclass(frozen=True)
class PackedTables:
    """Tables in transit: only their nonzero cells if that takes fewer bytes."""

    shape: tuple[int, ...]
    cells: NDArray[np.uint32] | None
    values: Floats

    def __sizeof__(self) -> int:
        """Return the size of the arrays in bytes."""
        return self.values.nbytes + (0 if self.cells is None else self.cells.nbytes)

    @classmethod
    def from_tables(cls, tables: Floats) -> "PackedTables":
        """Pack tables."""
        flat = tables.reshape(-1)
        cells = np.flatnonzero(flat)
        if 12 * cells.size >= flat.nbytes or flat.size >= 1 << 32:
            return cls(tables.shape, None, flat)
        return cls(tables.shape, cells.astype(np.uint32), flat[cells])

    def add_to(self, tables: Floats) -> None:
        """Add these tables to ``tables``."""
        flat = tables.reshape(-1)
        if self.cells is None:
            flat += self.values
        else:
            flat[self.cells] += self.values


class DaskShards:
    """Shards on workers: splits are sent to them, and tables come back."""

    def __init__(self, client: Any, coded: list[Any], columns: Columns, n_classes: int) -> None:
        groups = _by_worker(client, coded)
        self.client, self.coded = client, [part for group in groups for part in group]
        self.sizes = [len(group) for group in groups]
        self.columns, self.n_classes = columns, n_classes
        self.node_rows = client.map(_start_shard, self.coded, pure=False)

    def count(self, nodes: Ints, n_tables: int) -> Floats:
        """Return the tables of some nodes of the level, in an array of ``n_tables`` tables."""
        n_bins = int(self.columns.bins.start[-1])
        tables = np.zeros((n_tables, n_bins, self.n_classes))
        if nodes.size > 0:
            known = {"columns": self.columns, "nodes": nodes, "n_classes": self.n_classes}
            packed = iter(self.client.map(_count, self.coded, self.node_rows, pure=False, **known))
            sums = [self._tree_sum(list(islice(packed, size))) for size in self.sizes]
            self._tree_sum(sums).result().add_to(tables[: nodes.size])
        return tables

    def _tree_sum(self, packed: list[Any]) -> Any:
        """Return the sum of tables, which tasks add a few at a time."""
        while len(packed) > 1:
            groups = [packed[i : i + _FAN_IN] for i in range(0, len(packed), _FAN_IN)]
            packed = self.client.map(_sum, groups, pure=False)
        return packed[0]

    def divide(self, splits: ShardSplits) -> None:
        """Send the rows to the next level."""
        known = {"columns": self.columns, "splits": splits, "n_classes": self.n_classes}
        self.node_rows = self.client.map(
            _divide_shard, self.coded, self.node_rows, pure=False, **known
        )

    def totals(self) -> Floats:
        """Return the class counts of the nodes of the level, after cases were divided."""
        counts = self.client.gather(self.client.map(_counts, self.node_rows, pure=False))
        return np.asarray(np.sum(counts, axis=0))


@contextmanager
def open_collections(
    X: Any,
    y: Any,
    sample_weight: Any,
    client: Any = None,
    report: Callback[Progress] = ignore_progress,
) -> Iterator[DaskRows]:
    """Open the partitions of Dask collections, and the client of the cluster."""
    if not hasattr(type(X), "to_delayed") or not hasattr(type(X), "ndim"):
        raise DataError(f"X is a Dask {type(X).__name__}: give a Dask data frame or array.")
    of_rows = _delayed(X)
    columns = [name for name in (y, sample_weight) if isinstance(name, str)]
    unknown = [name for name in columns if name not in getattr(X, "columns", ())]
    if unknown:
        raise DataError(f"y or sample_weight names {unknown[0]!r}, which is not a column of X.")
    others = [_delayed_like(of_rows, part) for part in (y, sample_weight)]
    cells = enumerate(zip(of_rows, *others, strict=True))
    parts = [(columns, number, *each) for number, each in cells]
    target = y if isinstance(y, str) else getattr(y, "name", None)
    with connected(client) as own:
        # The name of a Dask array is the name of its tasks.
        name = target if hasattr(X, "columns") else None
        yield DaskRows(_rows_of_partition, parts, own, name, report)


@contextmanager
def open_files(
    X: Any, y: Any, sample_weight: Any, client: Any, report: Callback[Progress] = ignore_progress
) -> Iterator[DaskRows]:
    """Open Parquet files for the workers of a cluster."""
    parts = [(piece, number) for number, piece in enumerate(open_pieces(X, y, sample_weight))]
    with connected(client) as own:
        yield DaskRows(Piece.read, parts, own, y, report)


def map_partitions(
    predict: Callable[..., NDArray[Any]],
    X: Any,
    arguments: Sequence[Any],
    n_columns: int | None,
    dtype: Any,
) -> Any:
    """Return ``predict(rows, *arguments)`` of all partitions, as a lazy Dask array.

    Parameters
    ----------
    predict : callable
        Takes rows in any supported form, and returns an array of as many rows.
    X : Dask data frame or array
    arguments : sequence
        Further arguments.
    n_columns : int or None
        Number of columns of the result; None if it has one dimension.
    dtype : dtype
        Type of the result.
    """
    width = () if n_columns is None else (n_columns,)
    sizes = X.chunks[0] if hasattr(X, "chunks") else [np.nan] * X.npartitions
    # As a separate task, a large tree is sent once per worker, not once per partition.
    known = dask.delayed(predict, pure=False)
    blocks = [
        array.from_delayed(
            dask.delayed(_predict_partition)(known, part, number, arguments, width, dtype),
            (size, *width),
            dtype,
        )
        for number, (part, size) in enumerate(zip(_delayed(X), sizes, strict=True))
    ]
    return array.concatenate(blocks, allow_unknown_chunksizes=True)


def _predict_partition(
    predict: Callable[..., NDArray[Any]],
    rows: Any,
    number: int,
    arguments: Sequence[Any],
    width: tuple[int, ...],
    dtype: Any,
) -> NDArray[Any]:
    if rows.shape[0] == 0:
        return np.empty((0, *width), dtype)
    try:
        return np.asarray(predict(rows, *arguments))
    except DataError as error:
        raise in_part(number, error) from None


def _delayed(X: Any) -> list[Any]:
    """Return the partitions of a collection as tasks."""
    if hasattr(X, "rechunk") and X.ndim == 2:
        X = X.rechunk({1: -1})
    return list(np.ravel(X.to_delayed()))


def _delayed_like(of_rows: list[Any], other: Any) -> list[Any]:
    if other is None or isinstance(other, str):
        return [other] * len(of_rows)
    if not hasattr(other, "to_delayed"):
        raise DataError(
            f"y or sample_weight is a {type(other).__name__} in memory, but X is a Dask "
            "collection: give the name of a column, or a Dask collection."
        )
    parts = _delayed(other)
    if len(parts) != len(of_rows):
        raise DataError(
            f"X has {len(of_rows)} partitions, but y or sample_weight has {len(parts)}: give them "
            "the same partitions."
        )
    return parts


def _of_part(
    function: Callable[..., Any], make: Callable[..., Part], *part: Any, known: list[Any]
) -> Any:
    return function(make(*part), *known)


def _rows_of_partition(columns: list[str], number: int, X: Any, y: Any, sample_weight: Any) -> Part:
    """Return the rows of a partition, with the columns of y and sample_weight taken out."""
    for name in columns:
        if name not in X.columns:
            raise DataError(f"part {number} of the data (counting from 0) has no column {name!r}.")
    y = X[y] if isinstance(y, str) else y
    sample_weight = X[sample_weight] if isinstance(sample_weight, str) else sample_weight
    return Part(number, X.drop(columns=columns) if columns else X, y, sample_weight)


def _by_worker(client: Any, futures: list[Any]) -> list[list[Any]]:
    """Group futures by worker, so that each worker sends only the sum of its tables."""
    held = client.who_has(futures)

    def workers(future: Any) -> list[str]:
        return sorted(held.get(future.key, ()))

    return [list(group) for _, group in groupby(sorted(futures, key=workers), workers)]


def _totals(coded: CodedPart) -> Totals:
    return coded.totals


def _start_shard(coded: CodedPart) -> NodeRows:
    return coded.shard.start()


def _count(
    coded: CodedPart, node_rows: NodeRows, *, columns: Columns, nodes: Ints, n_classes: int
) -> PackedTables:
    tables = np.zeros((nodes.size, int(columns.bins.start[-1]), n_classes))
    coded.shard.count(node_rows, columns, nodes, tables)
    return PackedTables.from_tables(tables)


def _sum(packed: list[PackedTables]) -> PackedTables:
    tables = np.zeros(packed[0].shape)
    for part in packed:
        part.add_to(tables)
    return PackedTables.from_tables(tables)


def _divide_shard(
    coded: CodedPart, node_rows: NodeRows, *, columns: Columns, splits: ShardSplits, n_classes: int
) -> NodeRows:
    return coded.shard.divide(node_rows, columns, splits, n_classes)


def _counts(node_rows: NodeRows) -> Floats:
    return node_rows.counts


# --- The client ---

# A scheduler answers within this many seconds.
_CONNECT_TIMEOUT = 10


@contextmanager
def connected(client: Any) -> Iterator[Any]:
    """Yield the given client, the active one, or a temporary one for the address of a scheduler."""
    if isinstance(client, str):
        with _client_of(client) as own, connected(own):
            yield own
        return
    try:
        client = distributed.default_client() if client is None else client
    except ValueError:
        raise ParameterError(
            "there is no active Dask client: create a dask.distributed.Client, or pass one as "
            "client."
        ) from None
    usable = isinstance(client, distributed.Client) and client.status == "running"
    if not usable or client.asynchronous:
        raise ParameterError(
            f"client={client!r} must be a dask.distributed.Client that is connected and not "
            "asynchronous, or the address of a scheduler."
        )
    _check_workers(client)
    with _failures():
        yield client


@contextmanager
def _failures() -> Iterator[None]:
    """Turn failures of the cluster into errors with advice."""
    try:
        yield
    except distributed.KilledWorker as error:
        raise DataError(
            "several workers died on the same partition, perhaps out of memory: give them more "
            "memory, or make the partitions smaller."
        ) from error
    except CancelledError as error:
        raise DataError("the Dask scheduler was lost or restarted: fit again.") from error


def _client_of(address: str) -> Any:
    """Return a new client for the scheduler at an address."""
    found: Queue[Any] = Queue()

    def connect() -> None:
        try:
            found.put(distributed.Client(address, timeout=_CONNECT_TIMEOUT, set_as_default=False))
        except Exception as error:
            found.put(error)

    if not address.strip():
        raise ParameterError(f"no Dask scheduler answers at {address!r}: give its address.")
    # Dask waits forever if something that is not a scheduler listens at the address.
    Thread(target=connect, daemon=True).start()
    try:
        client = found.get(timeout=2 * _CONNECT_TIMEOUT)
    except Empty:
        client = TimeoutError("something else listens there")
    if isinstance(client, Exception):
        raise ParameterError(
            f"no Dask scheduler answers at {address!r} ({first_line(client)}): give an address "
            "such as tcp://127.0.0.1:8786."
        )
    return client


def _check_workers(client: Any) -> None:
    """Warn if the cluster has no workers; raise ``ParameterError`` if they lack roctree."""
    address = client.scheduler_info()["address"]
    if not client.scheduler_info()["workers"]:
        warnings.warn(
            f"the scheduler at {address!r} has no workers yet: work begins when some connect.",
            UserWarning,
            stacklevel=3,
        )
    elif client.submit(import_module, "roctree", pure=False).exception() is not None:
        raise ParameterError(
            f"roctree is not installed on the workers of {address!r}: install it there."
        )
