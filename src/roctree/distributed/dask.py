"""Dask: workers keep their partitions in codes, and each level sends tables, never rows.

Every task is a function of its arguments. Where a worker dies, the scheduler makes what it held
once more on another: it reads the partitions again, codes them and sends the rows down the levels
that are finished, of which nothing is counted again.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from itertools import groupby, islice
from typing import Any
from uuid import uuid4

import dask
import distributed
import numpy as np
from dask import array
from numpy.typing import NDArray

from roctree.data import Schema
from roctree.distributed.client import connected
from roctree.distributed.packed import PackedTables
from roctree.distributed.parts import (
    Coded,
    CodedPart,
    Coding,
    Facts,
    Part,
    code,
    in_part,
    merged_tally,
    summarise,
    tally,
)
from roctree.distributed.pieces import Piece, open_pieces
from roctree.distributed.summary import Summary, merged_parts, merged_summary
from roctree.errors import DataError
from roctree.progress import Callback, Progress, ignore_progress
from roctree.tally import Tally
from roctree.tree.columns import Columns
from roctree.tree.kernels import layout
from roctree.tree.shards import Places, Splits
from roctree.tree import Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# What methods that are mapped over partitions return: a column for each class or one, and the type.
_RESULTS: dict[str, Callable[[Any], tuple[bool, Any]]] = {
    "predict": lambda estimator: (False, estimator.classes_.dtype),
    "predict_proba": lambda estimator: (True, np.float64),
    "predict_log_proba": lambda estimator: (True, np.float64),
    "decision_function": lambda estimator: (estimator.n_classes_ != 2, np.float64),
    "apply": lambda estimator: (False, np.int64),
}
# So many partial tables are added up by a task.
_FAN_IN = 4


@dataclass(frozen=True)
class Collections:
    """Partitions, and the client of the cluster that has them.

    Parameters
    ----------
    make : makes a ``Part`` of the arguments of a partition
    parts : these arguments, of which some may be tasks of Dask
    client : of the cluster
    target : name of what is predicted, where it has one
    report : is told how far the work is
    """

    make: Callable[..., Part]
    parts: Sequence[tuple[Any, ...]]
    client: Any
    target: str | None = None
    report: Callback[Progress] = ignore_progress

    def summary(self, categorical_features: Any) -> Summary:
        """Look at all rows once, on the workers."""
        found = self._each(summarise, categorical_features)
        merged = list(found)
        while len(merged) > 1:
            groups = [merged[i : i + _FAN_IN] for i in range(0, len(merged), _FAN_IN)]
            merged = self.client.map(merged_parts, groups, pure=False)
        self._watch("reading", found)
        return merged_summary([each.result() for each in merged])

    def coded(self, summary: Summary, coding: Coding, n_threads: int) -> Coded:
        """Look at all rows a second time, and have them coded where they are."""
        coded = self._each(code, coding)
        facts = self.client.map(_facts, coded, pure=False)
        self._watch("coding", list(facts))
        n_classes = coding.schema.n_classes
        return Coded(
            reduce(Facts.merged, self.client.gather(facts)),
            lambda columns: DaskShards(self.client, coded, columns, n_classes),
        )

    def tally(self, tree: Tree, schema: Schema) -> Tally:
        """Count all rows in the leaves of a tree, on the workers."""
        return merged_tally(self.client.gather(self._each(tally, tree, schema)))

    def _each(self, function: Callable[..., Any], *known: Any) -> list[Any]:
        """Begin to call a function with each part, which is read on the spot and not sent.

        What is known of all parts is there once for each worker: tasks go where something is that
        they need, and with one copy they would all go to one worker.
        """
        n_workers = max(1, len(self.client.scheduler_info()["workers"]))
        copies = [[dask.delayed(each, pure=False) for each in known] for _ in range(n_workers)]
        tasks = [
            dask.delayed(_of_part)(
                function, self.make, *part, known=copies[number % n_workers],
                dask_key_name=f"{function.__name__}-{uuid4()}",
            )
            for number, part in enumerate(self.parts)
        ]  # fmt: skip
        futures: list[Any] = self.client.compute(tasks)
        return futures

    def _watch(self, step: str, futures: list[Any]) -> None:
        """Tell how many are done, until all are or one has failed.

        Each is let go when it is done: what nobody needs any more does not stay on a worker.
        """
        n_parts = len(futures)
        self.report(Progress(step, 0, n_parts, "partitions"))
        done = distributed.as_completed(futures, loop=self.client.loop)
        futures.clear()
        for number, future in enumerate(done, 1):
            if future.status == "error":
                return
            self.report(Progress(step, number, n_parts, "partitions"))


class DaskShards:
    """Shards that workers keep; what is sent are splits one way and tables the other."""

    def __init__(self, client: Any, coded: list[Any], columns: Columns, n_classes: int) -> None:
        groups = _by_worker(client, coded)
        self.client, self.coded = client, [part for group in groups for part in group]
        self.sizes = [len(group) for group in groups]
        self.columns, self.n_classes = columns, n_classes
        self.places = client.map(_start, self.coded, pure=False)

    def count(self, segments: Ints, n_tables: int) -> Floats:
        """Return the tables of some nodes of the level, with room behind them for ``n_tables``."""
        n_bins = int(self.columns.table[layout.BIN, -1])
        tables = np.zeros((n_tables, n_bins, self.n_classes))
        if segments.size > 0:
            known = {"columns": self.columns, "segments": segments, "n_classes": self.n_classes}
            packed = iter(self.client.map(_count, self.coded, self.places, pure=False, **known))
            of_workers = [self._added(list(islice(packed, size))) for size in self.sizes]
            self._added(of_workers).result().add_to(tables[: segments.size])
        return tables

    def _added(self, packed: list[Any]) -> Any:
        while len(packed) > 1:
            groups = [packed[i : i + _FAN_IN] for i in range(0, len(packed), _FAN_IN)]
            packed = self.client.map(_sum, groups, pure=False)
        return packed[0]

    def divide(self, splits: Splits) -> None:
        """Go down a level."""
        known = {"columns": self.columns, "splits": splits, "n_classes": self.n_classes}
        self.places = self.client.map(_divide, self.coded, self.places, pure=False, **known)

    def totals(self) -> Floats:
        """Return the class counts of the nodes of the level, after cases have been divided."""
        counts = self.client.gather(self.client.map(_counts, self.places, pure=False))
        return np.asarray(np.sum(counts, axis=0))


@contextmanager
def collections(
    X: Any,
    y: Any,
    sample_weight: Any,
    client: Any = None,
    report: Callback[Progress] = ignore_progress,
) -> Iterator[Collections]:
    """Open the partitions of Dask collections, and the client that will see to them."""
    if not hasattr(type(X), "to_delayed") or not hasattr(type(X), "ndim"):
        raise DataError(f"X is a {type(X).__name__} of Dask: give a data frame or an array.")
    of_rows = _delayed(X)
    columns = [name for name in (y, sample_weight) if isinstance(name, str)]
    unknown = [name for name in columns if name not in getattr(X, "columns", ())]
    if unknown:
        raise DataError(f"the data have no column {unknown[0]!r} to take as y or sample_weight.")
    others = [_delayed_like(of_rows, part) for part in (y, sample_weight)]
    cells = enumerate(zip(of_rows, *others, strict=True))
    parts = [(columns, number, *each) for number, each in cells]
    target = y if isinstance(y, str) else getattr(y, "name", None)
    with connected(client) as own:
        # The name of a Dask array is that of its tasks.
        name = target if hasattr(X, "columns") else None
        yield Collections(_part, parts, own, name, report)


@contextmanager
def files(
    X: Any, y: Any, sample_weight: Any, client: Any, report: Callback[Progress] = ignore_progress
) -> Iterator[Collections]:
    """Open Parquet files to be read by the workers of a cluster."""
    parts = [(piece, number) for number, piece in enumerate(open_pieces(X, y, sample_weight))]
    with connected(client) as own:
        yield Collections(Piece.read, parts, own, y, report)


def mapped(method: str, estimator: Any, X: Any, *arguments: Any, **options: Any) -> Any:
    """Return a Dask array of what a method says of the rows, one partition after another."""
    is_table, dtype = _RESULTS[method](estimator)
    width = (estimator.n_classes_,) if is_table else ()
    sizes = X.chunks[0] if hasattr(X, "chunks") else [np.nan] * X.npartitions
    # A task of its own: a large tree is sent once to each worker, not once with each partition.
    known = dask.delayed(estimator, pure=False)
    blocks = [
        array.from_delayed(
            dask.delayed(_said_of)(method, known, part, number, arguments, options),
            (size, *width),
            dtype,
        )
        for number, (part, size) in enumerate(zip(_delayed(X), sizes, strict=True))
    ]
    return array.concatenate(blocks, allow_unknown_chunksizes=True)


def _delayed(X: Any) -> list[Any]:
    """The partitions of a collection, as tasks."""
    if hasattr(X, "rechunk") and X.ndim == 2:
        X = X.rechunk({1: -1})
    return list(np.ravel(X.to_delayed()))


def _delayed_like(of_rows: list[Any], other: Any) -> list[Any]:
    if other is None or isinstance(other, str):
        return [other] * len(of_rows)
    if not hasattr(other, "to_delayed"):
        raise DataError(
            f"y or sample_weight is a {type(other).__name__} in memory, and X is not: give the "
            "name of a column, or a Dask collection."
        )
    parts = _delayed(other)
    if len(parts) != len(of_rows):
        raise DataError(
            f"X has {len(of_rows)} partitions and y or sample_weight {len(parts)}: divide them "
            "alike."
        )
    return parts


def _of_part(
    function: Callable[..., Any], make: Callable[..., Part], *part: Any, known: list[Any]
) -> Any:
    return function(make(*part), *known)


def _part(columns: list[str], number: int, X: Any, y: Any, sample_weight: Any) -> Part:
    """The rows of a partition, with the columns that were named taken out."""
    for name in columns:
        if name not in X.columns:
            raise DataError(f"part {number} of the data (counting from 0) has no column {name!r}.")
    y = X[y] if isinstance(y, str) else y
    sample_weight = X[sample_weight] if isinstance(sample_weight, str) else sample_weight
    return Part(number, X.drop(columns=columns) if columns else X, y, sample_weight)


def _by_worker(client: Any, futures: list[Any]) -> list[list[Any]]:
    """Put together what one worker has, so that it adds up its tables and sends their sum only."""
    held = client.who_has(futures)

    def workers(future: Any) -> list[str]:
        return sorted(held.get(future.key, ()))

    return [list(group) for _, group in groupby(sorted(futures, key=workers), workers)]


def _facts(coded: CodedPart) -> Facts:
    return coded.facts


def _start(coded: CodedPart) -> Places:
    return coded.shard.start()


def _count(
    coded: CodedPart, places: Places, *, columns: Columns, segments: Ints, n_classes: int
) -> PackedTables:
    tables = np.zeros((segments.size, int(columns.table[layout.BIN, -1]), n_classes))
    coded.shard.count(places, columns, segments, tables)
    return PackedTables.of(tables)


def _sum(packed: list[PackedTables]) -> PackedTables:
    tables = np.zeros(packed[0].shape)
    for part in packed:
        part.add_to(tables)
    return PackedTables.of(tables)


def _divide(
    coded: CodedPart, places: Places, *, columns: Columns, splits: Splits, n_classes: int
) -> Places:
    return coded.shard.divide(places, columns, splits, n_classes)


def _counts(places: Places) -> Floats:
    return places.counts


def _said_of(
    method: str,
    estimator: Any,
    rows: Any,
    number: int,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
) -> NDArray[Any]:
    """What a method says of the rows of a partition, which may have none."""
    if rows.shape[0] == 0:
        is_table, dtype = _RESULTS[method](estimator)
        return np.empty((0, estimator.n_classes_) if is_table else 0, dtype)
    try:
        return np.asarray(getattr(estimator, method)(rows, *arguments, **options))
    except DataError as error:
        raise in_part(number, error) from None
