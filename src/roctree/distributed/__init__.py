"""Data that outgrow memory, or are on other machines: out of core, and by Dask.

Growth needs only tables, and tables add: shards of coded rows count theirs, wherever they are, and
the tree grows from the sums.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from importlib import import_module
from typing import Any, TypeVar, cast

from roctree.distributed.batches import are_batches
from roctree.distributed.growing import LargeData, grow_large
from roctree.distributed.local import OutOfCore
from roctree.errors import ParameterError, how_to_install
from roctree.progress import Callback, Progress, ignore_progress, progress_callback, steps_bar
from roctree.tally import Tally

__all__ = ["Progress", "fit", "grow_large", "large_data", "over_partitions", "tally_of"]

Method = TypeVar("Method", bound=Callable[..., Any])


def fit(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    client: Any = None,
    progress: bool | Callback[Progress] = False,
) -> Any:
    """Fit an estimator to data larger than memory, here or on a cluster, and return it.

    Parameters
    ----------
    estimator : with ``splits="binned"``
    X : Dask data frame or array, or what ``estimator.fit`` reads part by part: paths of Parquet
        files, folders and patterns, a pyarrow data set, Arrow batches, a polars LazyFrame
    y : the name of a column of X; of Dask collections also a Dask series or array
    sample_weight : the same, or None
    client : ``dask.distributed.Client``, or the address of a scheduler. Dask collections need one;
        None is the one that is active. Parquet files are read by its workers, which must find them
        under the same paths; None reads them here. No cluster is started.
    progress : True for a bar on a terminal, or a callback that takes a ``Progress``

    Examples
    --------
    >>> import pyarrow as pa
    >>> from roctree import ROCTreeClassifier
    >>> rows = pa.table({"dose": [1.0, 2.0, 3.0, 4.0], "state": ["well", "well", "ill", "ill"]})
    >>> tree = ROCTreeClassifier(splits="binned", max_depth=1)
    >>> fit(tree, rows.to_batches(), "state", progress=print).get_n_leaves()
    Progress(step='reading', done=0, total=4, unit='rows')
    Progress(step='reading', done=4, total=4, unit='rows')
    Progress(step='coding', done=0, total=4, unit='rows')
    Progress(step='coding', done=4, total=4, unit='rows')
    Progress(step='growing', done=0, total=1, unit='levels')
    Progress(step='growing', done=1, total=1, unit='levels')
    2
    """
    if not hasattr(estimator, "splits"):
        raise ParameterError(
            f"{type(estimator).__name__} grows in memory only: give a ROCTreeClassifier."
        )
    with progress_callback(progress, steps_bar) as report:
        large = large_data(X, y, sample_weight, client, report)
        if large is None:
            raise ParameterError(f"X is a {type(X).__name__}, in memory: use fit of the estimator.")
        with large as data:
            return estimator.fit(data, None)


def large_data(
    X: Any,
    y: Any,
    sample_weight: Any,
    client: Any = None,
    report: Callback[Progress] = ignore_progress,
) -> AbstractContextManager[LargeData] | None:
    """Return data that are not in memory, to be opened; None for those that are.

    Parameters
    ----------
    X : path of Parquet files, pyarrow data set or iterator of record batches, polars LazyFrame, or
        Dask collection; anything else is in memory
    y, sample_weight : names of columns; Dask collections may also be given
    client : of a cluster that is to do the work, or the address of its scheduler
    report : progress callback
    """
    known = X, y, sample_weight, client, report
    # Dask comes first: what is delayed claims to have every attribute that it is asked for.
    if is_dask(X):
        return cast(AbstractContextManager[LargeData], _dask().collections(*known))
    if isinstance(X, LargeData):
        return nullcontext(X)
    if not are_batches(X):
        return None
    if client is None:
        return OutOfCore.opened(X, y, sample_weight, report)
    return cast(AbstractContextManager[LargeData], _dask().files(*known))


def is_dask(X: Any) -> bool:
    """Whether this is a collection of Dask."""
    return hasattr(X, "__dask_graph__")


def over_partitions(method: Method) -> Method:
    """Let a method of rows be mapped over the partitions of a Dask collection, when computed."""

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
    estimator : that has the tree
    X, y, sample_weight : as for ``large_data``
    client : of a cluster that is to count, or the address of its scheduler
    """
    large = large_data(X, y, sample_weight, client)
    if large is None:
        return None
    with large as data:
        return data.tally(estimator.tree_, estimator.schema_)


def _dask() -> Any:
    """The module that needs Dask, which is imported only where work is for a cluster."""
    try:
        return import_module("roctree.distributed.dask")
    except ModuleNotFoundError as error:
        if error.name not in ("dask", "distributed"):
            raise
        raise ParameterError(f"Dask is not installed: {how_to_install('dask')}.") from None
