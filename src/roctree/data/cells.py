"""Tables made of the cells of other tables, of the same kind as these."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data.frame import as_frame
from roctree.data.matrix import as_matrix
from roctree.data.rows import Rows

Ints = NDArray[np.int64]


def take_rows(X: Any, rows: Ints) -> Any:
    """Return some rows of a table, as a table of the same kind; of nested lists, an array."""
    if isinstance(X, Rows):
        return X[rows]
    frame = None if isinstance(X, np.ndarray | list | tuple) else as_frame(X)
    return as_matrix(X)[rows] if frame is None else frame[rows.tolist()].to_native()


def take_cells(X: Any, rows: Ints) -> Any:
    """Return a table whose cell in line i and column j is that of X in line ``rows[i, j]``.

    Parameters
    ----------
    X : numpy array, list of rows, ``Rows``, or a table of pandas, polars or pyarrow
    rows : int64[lines, columns]

    Examples
    --------
    >>> take_cells(np.array([[1, 2], [3, 4]]), np.array([[0, 1], [1, 1]]))
    array([[1, 4],
           [3, 4]])
    """
    if isinstance(X, Rows):
        return replace(X, values=X.values[rows, np.arange(rows.shape[1])])
    frame = None if isinstance(X, np.ndarray | list | tuple) else as_frame(X)
    if frame is None:
        return as_matrix(X)[rows, np.arange(rows.shape[1])]
    # Lists: not every library takes an array of numpy for places.
    taken = [column[rows[:, j].tolist()] for j, column in enumerate(frame.iter_columns())]
    return frame[rows[:, 0].tolist()].with_columns(*taken).to_native()
