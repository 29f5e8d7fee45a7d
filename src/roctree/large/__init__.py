"""Data larger than memory, or on other machines: out of core, and by Dask.

Growth needs only tables of class counts, and tables add up: shards of coded rows count theirs
wherever they are, and the tree grows from the sums.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from importlib import import_module
from typing import Any, TypeVar, cast

from roctree.errors import ParameterError, how_to_install
from roctree.large.batches import are_batches
from roctree.large.growing import LargeData, grow_large
from roctree.large.out_of_core import OutOfCore
from roctree.progress import Callback, Progress, ignore_progress
from roctree.tally import Tally

__all__ = ["LargeData", "grow_large", "open_large_data", "over_partitions", "tally_of"]

Method = TypeVar("Method", bound=Callable[..., Any])


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
    X : path of Parquet files, pyarrow data set, iterator of record batches, polars LazyFrame or
        Dask collection
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


def over_partitions(method: Method) -> Method:
    """Map a method lazily over the partitions of X if X is a Dask collection."""

    @wraps(method)
    def mapped(self: Any, X: Any, *arguments: Any, **options: Any) -> Any:
        if is_dask(X):
            return _dask().mapped(method.__name__, self, X, *arguments, **options)
        return method(self, X, *arguments, **options)

    return mapped  # type: ignore[return-value]


def tally_of(
    estimator: Any, X: Any, y: Any, sample_weight: Any, client: Any = None
) -> Tally | None:
    """Return large data counted in the leaves of a tree; None for data in memory.

    Parameters
    ----------
    estimator : ROCTreeClassifier
    X, y, sample_weight, client : as for ``open_large_data``
    """
    large = open_large_data(X, y, sample_weight, client)
    if large is None:
        return None
    with large as data:
        return data.tally(estimator.tree_, estimator.schema_)


def _dask() -> Any:
    """Return the module that imports Dask, which is loaded only for work on a cluster."""
    try:
        return import_module("roctree.large.dask")
    except ModuleNotFoundError as error:
        if error.name not in ("dask", "distributed"):
            raise
        raise ParameterError(f"Dask is not installed: {how_to_install('dask')}.") from None
