"""Tables of leaves: rows of class counts, with ties, pure leaves and leaves without cases."""

import numpy as np
from hypothesis import strategies as st

from roctree import ROCTreeClassifier
from roctree.labelling import Leaves

# The leaves of definitions.md §15, positives first as there.
WORKED = [(5, 1), (4, 2), (3, 5)]

_COUNTS = st.integers(0, 9) | st.just(0)


@st.composite
def tables(draw, leaves=(1, 10), classes=(2, 2), both=True):
    """Rows of counts; each class has a case unless ``both`` is False."""
    n_classes = draw(st.integers(*classes))
    rows = st.tuples(*[_COUNTS] * n_classes)
    table = draw(st.lists(rows, min_size=leaves[0], max_size=leaves[1]))
    for number in range(n_classes if both else 1):
        if not any(row[number] for row in table):
            table[0] = (*table[0][:number], 1, *table[0][number + 1 :])
    return table


def leaves(table, positive=1, instead=0.5):
    """The leaves of a table; one without cases has a share ``instead`` of positives."""
    counts = np.array(table, dtype=float)
    weight = counts.sum(axis=1, keepdims=True)
    other = np.full(counts.shape[1], 1.0 / counts.shape[1])
    if counts.shape[1] == 2:
        other = np.array([1.0 - instead, instead])
    shares = np.where(weight > 0.0, counts / np.where(weight > 0.0, weight, 1.0), other)
    return Leaves(np.arange(len(table)) + 1, counts, shares, positive)


def cases(table):
    """One row for each leaf and class: the leaf's number, the class and how often they occur."""
    every = [(leaf, label, count) for leaf, row in enumerate(table)
             for label, count in enumerate(row) if count > 0]  # fmt: skip
    numbers, labels, weights = (np.array(column) for column in zip(*every, strict=True))
    return numbers[:, None].astype(float), labels, weights.astype(float)


def grown(table, **parameters):
    """A tree with a leaf for each row of the table, or fewer where rows are alike or empty."""
    X, y, weights = cases(table)
    tree = ROCTreeClassifier(nominal="multiway", categorical_features=[0], **parameters)
    return tree.fit(X, y, weights)


def worked_tree(**parameters):
    """The tree of the worked example: class 0 negative, class 1 positive, leaves 1 to 3."""
    return grown([(negative, positive) for positive, negative in WORKED], **parameters)
