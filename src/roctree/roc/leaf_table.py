"""The area under the ROC curve of a table of leaves: the score of each, and who came there.

With more than two classes it is Hand and Till's M, the mean of A(i|j) over all ordered pairs of
classes: how often a case of class i has a higher score for i than one of class j, ties one half.
The mean over j is the area of class i against a mixture in which the other classes weigh the same.
So M takes one sweep a class, not one a pair; with two classes both sweeps give the usual area. It
is what ``roctree.roc.mauc`` gives, for those who need it of many trees with the same nodes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.roc.ranking import tie_groups

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Area(NamedTuple):
    """An area under the curve, and the variance of that estimate (DeLong's)."""

    value: float
    variance: float


def ranks_of(scores: Floats) -> Ints:
    """Return the rank of every score within its column, from 0; equal scores have one rank."""
    groups = np.column_stack([tie_groups(column, exact=False)[1] for column in scores.T])
    return np.asarray(groups.max(axis=0) - groups)


def hand_till(ranks: Ints, counts: Floats) -> Area:
    """Return the area of a table of leaves; NaN where fewer than two classes have cases.

    Parameters
    ----------
    ranks : int64[leaves, classes], rank of the leaf's score for each class
    counts : float64[leaves, classes], weight of the cases in each leaf; a class that has none is
        left out
    """
    present = counts.sum(axis=0) > 0.0
    n_classes = np.count_nonzero(present)
    if n_classes < 2:
        return Area(np.nan, np.nan)
    totals, ranks = counts[:, present].sum(axis=0), ranks[:, present]
    shares = counts[:, present] / totals
    rivals = (shares.sum(axis=1, keepdims=True) - shares) / (n_classes - 1)
    beaten, beaten_by = _lower(ranks, rivals), 1.0 - _lower(ranks, shares)
    # What a case adds to the mean as one of its class, and as a rival of the others.
    as_rival = (beaten_by.sum(axis=1, keepdims=True) - beaten_by) / (n_classes - 1)
    part = (beaten + as_rival) / n_classes
    variances = (shares * part**2).sum(axis=0) - (shares * part).sum(axis=0) ** 2
    value = (shares * beaten).sum() / n_classes
    return Area(float(value), float((np.maximum(variances, 0.0) / totals).sum()))


def _lower(ranks: Ints, masses: Floats) -> Floats:
    """Return for each cell the mass of lower rank in its column, and half that of its own."""
    found = np.empty(masses.shape)
    for column in range(masses.shape[1]):
        of_rank = np.bincount(ranks[:, column], masses[:, column])
        found[:, column] = (np.cumsum(of_rank) - 0.5 * of_rank)[ranks[:, column]]
    return found
