"""Each kind of rows once: data that do not depend on the order of rows, or on who repeats them."""

from dataclasses import replace

import numpy as np

from roctree.data import Dataset
from roctree.tree.growth import weight_grid


def kinds_of(dataset: Dataset) -> Dataset:
    """Return rows that are alike as one, with the weight of all, sorted by values and class.

    Examples
    --------
    >>> kinds = kinds_of(Dataset.from_data([[2.0], [1.0], [2.0]], ["no", "yes", "no"]))
    >>> kinds.values, kinds.weights
    (array([[1.],
           [2.]]), array([1., 2.]))
    """
    # On the grid the sum of weights does not depend on their order.
    weights, _ = weight_grid(dataset.weights)
    # Infinity is in no data; adding zero makes one of the two zeros.
    keys = np.where(np.isnan(dataset.values), np.inf, dataset.values + 0.0)
    rows = np.column_stack([dataset.labels, keys[:, ::-1]])
    order = np.lexsort(rows.T)
    is_new = np.any(rows[order[1:]] != rows[order[:-1]], axis=1)
    starts = np.flatnonzero(np.concatenate([[True], is_new]))
    first = order[starts]
    return replace(
        dataset,
        values=dataset.values[first],
        labels=dataset.labels[first],
        weights=np.add.reduceat(weights[order], starts),
    )
