"""Data larger than memory, or on other machines: out of core, and by Dask.

Growth needs only tables of class counts, and tables add up: shards of coded rows count theirs
wherever they are, and the tree grows from the sums.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any, cast

from numpy.typing import NDArray

from roctree.errors import ParameterError, how_to_install
from roctree.fitted import FittedTree
from roctree.large.batches import are_batches, read_columns, read_tables
from roctree.large.fitting import LargeData, OutOfCore, fit_large_data
from roctree.large.parts import count_part
from roctree.progress import Callback, Progress, ignore_progress
from roctree.tally import Counted, joined

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
    if isinstance(X, LargeData):
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
