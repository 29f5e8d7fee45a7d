"""Intervals of a number by the principle of the shortest description (Fayyad and Irani 1993)."""

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.systems.cut_kernels import cuts_of_column

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Logarithms of whole numbers up to here are looked up.
_LARGEST_TABLE = 1 << 20


def cut_points(
    values: Floats, labels: NDArray[np.integer], weights: Floats, n_classes: int
) -> Floats:
    """Return where to cut a number so that its intervals tell the classes, ascending.

    The cut of least class entropy is kept if it gains more than it takes to describe: more than
    (log2(N - 1) + log2(3^k - 2) - k H + k1 H1 + k2 H2) / N, of N cases, k classes and entropy H on
    both sides together, and k1, H1, k2, H2 on each. Then both sides are cut in the same way.

    Parameters
    ----------
    values : float64[n], NaN where missing
    labels : int[n], classes from 0 on
    weights : float64[n], how many cases each case counts for
    n_classes : how many classes there are

    Examples
    --------
    >>> values = np.arange(1.0, 13.0)
    >>> cut_points(values, np.repeat([0, 1], 6), np.ones(12), 2)
    array([6.5])
    >>> cut_points(values, np.array([0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1]), np.ones(12), 2)
    array([], dtype=float64)
    """
    order = np.argsort(values, kind="stable")
    order = order[: np.count_nonzero(~np.isnan(values))]
    cuts = np.empty(len(order))
    n_cuts = compiled(cuts_of_column)(
        values[order].astype(np.float64),
        labels[order].astype(np.int64),
        weights[order].astype(np.float64),
        n_classes,
        logarithms(float(weights.sum())),
        cuts,
    )
    return cuts[:n_cuts].copy()


def logarithms(total: float) -> Floats:
    """Return x ln x of the whole numbers up to a weight, or of as many as are worth a table."""
    numbers = np.arange(1.0, min(total, _LARGEST_TABLE) + 1.0)
    return np.concatenate([[0.0], numbers * np.log(numbers)])
