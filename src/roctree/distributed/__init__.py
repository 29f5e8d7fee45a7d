"""Data that outgrow memory, or are on other machines: out of core, and by Dask.

Growth needs only tables, and tables add: shards of coded rows count theirs, wherever they are, and
the tree grows from the sums.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from importlib import import_module
from typing import Any, TypeVar

from roctree.distributed.batches import are_batches
from roctree.distributed.growing import Grown, LargeData, grow_large
from roctree.distributed.local import OutOfCore
from roctree.tally import Tally

__all__ = ["Grown", "fit", "grow_large", "large_data", "over_partitions", "tally_of"]

Method = TypeVar("Method", bound=Callable[..., Any])


def fit(estimator: Any, X: Any, y: Any, sample_weight: Any = None, *, client: Any = None) -> Any:
    """Fit an estimator to Dask collections on the cluster of a client, and return it.

    Parameters
    ----------
    estimator : with ``splits="binned"``
    X : Dask data frame, or array
    y : Dask series or array, or the name of a column of X
    sample_weight : the same, or None
    client : ``dask.distributed.Client``; None for the one that is active. No cluster is started.
    """
    return estimator.fit(_dask().collections(X, y, sample_weight, client), None)


def large_data(X: Any, y: Any, sample_weight: Any) -> AbstractContextManager[LargeData] | None:
    """Return data that are not in memory, to be opened; None for those that are.

    Parameters
    ----------
    X : path of Parquet files, pyarrow data set or iterator of record batches, polars LazyFrame, or
        Dask collection; anything else is in memory
    y, sample_weight : names of columns; Dask collections may also be given
    """
    if isinstance(X, LargeData):
        return nullcontext(X)
    if is_dask(X):
        return nullcontext(_dask().collections(X, y, sample_weight))
    return OutOfCore.opened(X, y, sample_weight) if are_batches(X) else None


def is_dask(X: Any) -> bool:
    """Whether this is a collection of Dask."""
    return hasattr(X, "__dask_graph__")


def over_partitions(method: Method) -> Method:
    """Let a method of rows be mapped over the partitions of a Dask collection, when computed."""

    @wraps(method)
    def mapped(self: Any, X: Any, *arguments: Any, **options: Any) -> Any:
        if is_dask(X):
            return _dask().mapped(method, self, X, *arguments, **options)
        return method(self, X, *arguments, **options)

    return mapped  # type: ignore[return-value]


def tally_of(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Tally | None:
    """Return the cases of Dask collections in the leaves of a tree; None for other data."""
    if not is_dask(X):
        return None
    found: Tally = _dask().tally(estimator, X, y, sample_weight)
    return found


def _dask() -> Any:
    """The module that needs Dask, which is imported for collections of Dask only."""
    return import_module("roctree.distributed.dask")
