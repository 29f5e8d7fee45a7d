"""Fit data larger than memory, here or on a cluster, with a progress bar.

``ROCTreeClassifier.fit`` reads the same data. This module adds a client of a Dask cluster and
progress; what fitting itself needs for such data is in ``roctree.large``.
"""

from typing import TYPE_CHECKING, Any

from roctree.errors import ParameterError
from roctree.large import open_large_data
from roctree.progress import Callback, Progress, progress_callback, steps_bar

if TYPE_CHECKING:
    from roctree.estimator import ROCTreeClassifier

__all__ = ["Progress", "fit"]


def fit(
    estimator: "ROCTreeClassifier",
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    client: Any = None,
    progress: bool | Callback[Progress] = False,
) -> "ROCTreeClassifier":
    """Fit an estimator to data larger than memory, here or on a cluster, and return it.

    Parameters
    ----------
    estimator : ROCTreeClassifier
        With ``splits="binned"``.
    X : path, list of paths, data set, batches or Dask collection
        A Dask data frame or array, or data that ``estimator.fit`` reads part by part: paths of
        Parquet files, folders and patterns, a pyarrow data set, Arrow batches, a polars LazyFrame.
    y : str, or Dask series or array
        The name of a column of X; with Dask collections also a collection.
    sample_weight : str, Dask series or array, or None
        Column of the weights, or the weights; None for equal weights.
    client : dask.distributed.Client or str, optional
        Client of a cluster, or the address of its scheduler. Dask collections need one; by default
        the active client is used. If a client is given, Parquet files are read by its workers,
        which must find them under the same paths; otherwise they are read here. No cluster is
        started.
    progress : bool or callable
        True for a bar on a terminal, or a callback that takes a ``Progress``.

    Returns
    -------
    estimator : the fitted estimator

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
            f"{type(estimator).__name__} is fitted in memory only: give a ROCTreeClassifier."
        )
    with progress_callback(progress, steps_bar) as report:
        large = open_large_data(X, y, sample_weight, client, report)
        if large is None:
            raise ParameterError(f"X is a {type(X).__name__} in memory: use the estimator's fit.")
        with large as data:
            return estimator.fit(data, None)
