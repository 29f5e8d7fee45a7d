"""Data larger than memory, or on other machines: out of core, and by Dask.

Growth needs only tables of class counts, and tables add up: shards of coded rows count theirs
wherever they are, and the tree grows from the sums. A fit takes two passes over the rows, then
growth. ``LargeData`` is the interface between a fit and the rows. ``OutOfCore`` implements it for
rows on disk, ``roctree.large.dask`` for rows on a cluster.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from roctree.data import (
    CategoricalFeatures,
    Dataset,
    Schema,
    light_scale,
    warn_about_many_categories,
    warn_about_single_class,
)
from roctree.errors import ParameterError, how_to_install
from roctree.fitted import FittedTree, Training
from roctree.fitting import (
    FitOptions,
    add_points,
    distinct_cases,
    grow_binned_tree,
    grower,
    prune,
    warn_about_lost_rows,
)
from roctree.geometry import scale_of
from roctree.large.batches import (
    Batches,
    are_batches,
    check_disk,
    open_batches,
    read_columns,
    read_tables,
    reserve,
)
from roctree.large.parts import (
    CodedRows,
    Coding,
    Part,
    Summary,
    Totals,
    code_part,
    count_part,
    merged_summary,
    sample_part,
    summarise_part,
)
from roctree.parameters import costs_in_class_order
from roctree.points import MAX_CASES
from roctree.progress import Callback, Progress, ignore_progress
from roctree.pruning import need
from roctree.smoothing import choices, probabilities
from roctree.tally import Counted, joined
from roctree.tree import NO_BRANCH, Tree
from roctree.tree.bins import Edges
from roctree.tree.growth import grid_unit
from roctree.tree.levels import SHARD_ROWS, Binned, LocalShards, Shard

__all__ = [
    "LargeData",
    "are_batches",
    "count_large_data",
    "fit_large_data",
    "is_dask",
    "map_partitions",
    "open_large_data",
    "read_columns",
    "read_tables",
]


@runtime_checkable
class LargeData(Protocol):
    """Rows that are read in two passes to fit a tree, or in one to be counted in its leaves."""

    @property
    def target(self) -> str | None:
        """Name of the target, if it has one."""

    @property
    def report(self) -> Callback[Progress]:
        """Progress callback."""

    def summary(self, categorical_features: CategoricalFeatures) -> Summary:
        """Summarise all rows."""

    def coded(self, summary: Summary, coding: Coding, n_threads: int) -> CodedRows:
        """Read all rows again, and code them where they are."""

    def map_parts(self, step: str, function: Callable[..., Any], *known: Any) -> list[Any]:
        """Return ``function(part, *known)`` of all parts of the rows."""


def open_large_data(
    X: Any,
    y: Any,
    sample_weight: Any,
    client: Any = None,
    report: Callback[Progress] = ignore_progress,
) -> AbstractContextManager[LargeData] | None:
    """Return a context manager for data that are not in memory; None for data in memory.

    Parameters
    ----------
    X : path of Parquet files, pyarrow data set, iterator of record batches, polars LazyFrame,
        DuckDB relation or Dask collection
        Anything else is in memory.
    y, sample_weight : str or Dask collection
    client : dask.distributed.Client or str, optional
        The cluster that reads the data, or the address of its scheduler.
    report : callable
        Progress callback.
    """
    known = X, y, sample_weight, client, report
    # Dask is checked first: delayed objects claim to have every attribute.
    if is_dask(X):
        return cast(AbstractContextManager[LargeData], _dask().open_collections(*known))
    # Testing for the method is far faster than an isinstance check of the protocol.
    if hasattr(X, "map_parts") and isinstance(X, LargeData):
        return nullcontext(X)
    if not are_batches(X):
        return None
    if client is None:
        return OutOfCore.open(X, y, sample_weight, report)
    return cast(AbstractContextManager[LargeData], _dask().open_files(*known))


def is_dask(X: Any) -> bool:
    """Return whether X is a Dask collection."""
    return hasattr(X, "__dask_graph__")


def map_partitions(
    predict: Callable[..., NDArray[Any]],
    X: Any,
    arguments: Sequence[Any],
    n_columns: int | None,
    dtype: Any,
) -> Any:
    """Return ``predict(rows, *arguments)`` of all partitions of X, as a lazy Dask array."""
    return _dask().map_partitions(predict, X, arguments, n_columns, dtype)


def count_large_data(
    model: FittedTree, X: Any, y: Any, sample_weight: Any, client: Any = None
) -> Counted | None:
    """Return large data counted for a fitted tree; None for data in memory.

    Parameters
    ----------
    model : FittedTree
    X, y, sample_weight, client : as for ``open_large_data``
    """
    large = open_large_data(X, y, sample_weight, client)
    if large is None:
        return None
    with large as data:
        parts = data.map_parts("counting", count_part, model)
        return joined(part for part in parts if part is not None)


def _dask() -> Any:
    """Return the module that imports Dask, which is loaded only for work on a cluster."""
    try:
        return import_module("roctree.large.dask")
    except ModuleNotFoundError as error:
        if error.name not in ("dask", "distributed"):
            raise
        raise ParameterError(f"Dask is not installed: {how_to_install('dask')}.") from None


def fit_large_data(data: LargeData, options: FitOptions, n_threads: int) -> FittedTree:
    """Return the tree of large data, grown, pruned and smoothed."""
    check_options(options)
    summary = data.summary(options.categorical_features)
    warn_about_many_categories(summary.occurring, stacklevel=3)
    schema = summary.schema
    warn_about_single_class(schema.classes, stacklevel=3)
    pruner = costs_in_class_order(options.pruning, schema.classes)
    binned, totals = _bin_rows(data, summary, schema, options.max_bins, n_threads)
    rules = options.growth_rules(schema.classes, totals.counts, summary.n_rows)
    spread = totals.moments.spread
    scale = scale_of(options.metric, spread, schema)

    def finished(n_levels: int) -> None:
        data.report(Progress("growing", n_levels, rules.max_depth, "levels"))

    finished(0)
    grown = grow_binned_tree(binned, options, rules, n_threads, finished)
    scale_up = light_scale(float(totals.counts.sum()), summary.n_rows)
    pruned = prune(pruner, replace(grown, counts=grown.counts * scale_up))
    model = FittedTree(
        schema=schema,
        training=Training.from_target(summary.n_rows, data.target),
        tree=pruned.tree,
        node_labels=pruned.labels,
        pruner=pruner,
        smoother=options.smoothing,
        probabilities=probabilities(options.smoothing, pruned.tree),
        class_weight=rules.class_weight,
        spread=spread,
        scale=scale,
        divides_cases=bool(_divides_missing(pruned.tree, summary.has_missing).any()),
        labels=options.labels,
        ranking=options.ranking,
        width=options.width,
    )
    if options.points is None:
        return model
    sample = sampled_rows(data, schema)
    grow, _ = grower(sample, options, n_threads)
    return add_points(model, sample, options, grow, n_threads)


def sampled_rows(data: LargeData, schema: Schema) -> Dataset:
    """Return a sample of distinct rows from which points are learned.

    Whether a row is in the sample depends on its content only, not on the division into parts.
    """
    parts = data.map_parts("sampling", sample_part, schema, MAX_CASES)
    found = [part for part in parts if part is not None]
    every = replace(
        found[0],
        values=np.concatenate([part.values for part in found]),
        labels=np.concatenate([part.labels for part in found]),
        weights=np.concatenate([part.weights for part in found]),
    )
    return distinct_cases(every, MAX_CASES)


def _bin_rows(
    data: LargeData, summary: Summary, schema: Schema, max_bins: int, n_threads: int
) -> tuple[Binned, Totals]:
    """Code the rows, and return them ready for growth, with their totals."""
    edges = Edges.from_sketches(summary.sketches, schema.n_categories, schema.names, max_bins)
    quantum = grid_unit(summary.n_rows, summary.largest)
    coding = Coding(schema, edges, quantum, summary.centre)
    totals, shards = data.coded(summary, coding, n_threads)
    lost = summary.n_rows - totals.n_rows
    if lost:
        warn_about_lost_rows(lost, summary.n_rows, quantum, summary.largest)
    binned = Binned(
        names=schema.names,
        edges=edges,
        bounds=totals.bounds,
        has_missing=summary.has_missing,
        counts=totals.counts,
        quantum=quantum,
        shards=shards,
    )
    return binned, totals


def check_options(options: FitOptions) -> None:
    """Raise ``ParameterError`` for options that need the rows in memory."""
    if options.ranking == "soft":
        raise ParameterError(
            parameter="ranking",
            value="soft",
            reason="needs the rows in memory: fit with another ranking, then give a sample of the "
            "rows to ranked('soft', X=..., y=...)",
        )
    if options.splits != "binned":
        raise ParameterError(
            reason="data larger than memory, or on a cluster, are fitted from bins: use "
            "{splits='binned'}."
        )
    if need(options.pruning) != "counts":
        raise ParameterError(
            reason="{pruner!r} needs the rows in memory: fit without it, then prune with "
            "{X_val and y_val}.",
            pruner=options.pruning,
        )
    if len(choices(options.smoothing)) > 1:
        raise ParameterError(
            reason="{smoother!r} needs the rows in memory: give a number, or use "
            "smoothed(..., X=..., y=...) after the fit.",
            smoother=options.smoothing,
        )
    if options.geometric_probability:
        raise ParameterError(
            parameter="geometric_probability", reason="needs the rows in memory: leave it off"
        )


def _divides_missing(tree: Tree, has_missing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether each node sends missing values, which its column has, to all branches."""
    to_all = ~tree.is_leaf & (tree.missing_branch == NO_BRANCH)
    return np.asarray(to_all & has_missing[tree.feature])


# --- Rows on disk: two passes over batches, codes in a temporary file ---

# Bytes of a row besides its codes: the label, and the weight if there is one.
_LABEL_BYTES, _WEIGHT_BYTES = 4, 8


class OutOfCore:
    """Rows on disk; their codes are in temporary files that exist as long as the context."""

    def __init__(self, batches: Batches, folder: Path, report: Callback[Progress]) -> None:
        self.batches, self.folder, self.target = batches, folder, batches.target
        self.report, self.n_rows = report, batches.n_rows

    @classmethod
    @contextmanager
    def open(
        cls, X: Any, y: Any, sample_weight: Any, report: Callback[Progress]
    ) -> Iterator["OutOfCore"]:
        """Open the data; temporary files are removed at the end of the context."""
        with TemporaryDirectory(prefix="roctree-") as name:
            folder = Path(name)
            yield cls(open_batches(X, y, sample_weight, folder), folder, report)

    def summary(self, categorical_features: CategoricalFeatures) -> Summary:
        """Summarise all rows, provided that the disk has space for their codes."""
        weight_bytes = 0 if self.batches.weight is None else _WEIGHT_BYTES
        row_bytes = len(self.batches.features) + _LABEL_BYTES + weight_bytes
        check_disk(self.n_rows * row_bytes, self.folder)
        parts = self._parts("reading")
        return merged_summary(summarise_part(part, categorical_features) for part in parts)

    def coded(self, summary: Summary, coding: Coding, n_threads: int) -> CodedRows:
        """Read all rows again, and write their codes to files."""
        edges, n_rows = coding.edges, summary.n_rows
        codes = self._file("codes", (n_rows, edges.size.size), edges.code_type)
        labels = self._file("labels", (n_rows,), np.uint32)
        weights = self._file("weights", (0 if summary.all_ones else n_rows,), np.float64)
        totals, end = Totals.empty(coding), 0
        for part in self._parts("coding"):
            rows, own = code_part(part, coding)
            begin, end = end, end + rows.size
            codes[begin:end], labels[begin:end] = rows.codes, rows.labels
            if weights.size > 0:
                weights[begin:end] = rows.weights if rows.weights.size else 1.0
            totals = totals.merged(own)
        whole = Shard(codes[:end], labels[:end], weights[:end])
        parts = whole.divided(max(n_threads, -(-end // SHARD_ROWS)))
        n_classes = coding.schema.n_classes
        return CodedRows(totals, lambda columns: LocalShards(parts, columns, n_classes, n_threads))

    def map_parts(self, step: str, function: Callable[..., Any], *known: Any) -> list[Any]:
        """Return ``function(part, *known)`` of all parts of the rows."""
        return [function(part, *known) for part in self._parts(step)]

    def _parts(self, step: str) -> Iterator[Part]:
        """Read all parts, and report the progress."""
        done = 0
        self.report(Progress(step, done, self.n_rows, "rows"))
        for part in self.batches:
            yield part
            done += part.X.num_rows
            self.report(Progress(step, done, self.n_rows, "rows"))

    def _file(self, name: str, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        if 0 in shape:
            return np.empty(shape, dtype)
        reserve(self.folder / name, math.prod(shape) * np.dtype(dtype).itemsize)
        return np.memmap(self.folder / name, dtype, "r+", shape=shape).view(np.ndarray)
