"""Hypothesis strategies: contingency tables and small data sets with everything that is awkward."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

# Weights that add up exactly, so that what is equal on paper is equal in floats.
COUNTS = st.integers(0, 20) | st.just(0)
EIGHTHS = st.integers(0, 80).map(lambda n: n / 8)
FRACTIONS = st.just(0.0) | st.floats(0.001, 1000.0)


@st.composite
def tables(draw, cells=None, branches=(2, 6), classes=(2, 6)):
    """A table[branch, class] with a case in it; rows and columns may be empty."""
    shape = draw(st.integers(*branches)), draw(st.integers(*classes))
    kind = draw(st.sampled_from([COUNTS, EIGHTHS, FRACTIONS])) if cells is None else cells
    rows = st.lists(kind, min_size=shape[1], max_size=shape[1])
    table = np.array(draw(st.lists(rows, min_size=shape[0], max_size=shape[0])), dtype=float)
    if table.sum() == 0.0:
        table[0, 0] = 1.0
    return table


@dataclass(frozen=True)
class Data:
    """Columns as lists, None where a value is missing; nominal columns hold codes."""

    columns: list
    nominal: dict  # position of a nominal column -> its number of categories
    labels: list
    n_classes: int
    weights: list

    @property
    def n_rows(self):
        return len(self.labels)

    @property
    def matrix(self):
        """The columns side by side, missing values as NaN."""
        return np.array(self.columns, dtype=float).T.reshape(self.n_rows, len(self.columns))


@st.composite
def data_sets(draw, rows=(2, 25), columns=(1, 4), classes=(2, 4), missing=True, weights=None):
    """A few rows of few distinct values, so that ties, constants and repeats are common."""
    n_rows = draw(st.integers(*rows))
    n_classes = draw(st.integers(*classes))
    nominal, drawn = {}, []
    for position in range(draw(st.integers(*columns))):
        if draw(st.booleans()):
            nominal[position] = draw(st.integers(1, 5))
            values = st.integers(0, nominal[position] - 1)
        else:
            values = draw(st.sampled_from([SMALL_INTEGERS, QUARTERS, ANY_NUMBER]))
        if missing and draw(st.booleans()):
            values = values | st.none()
        drawn.append(draw(st.lists(values, min_size=n_rows, max_size=n_rows)))
    labels = draw(st.lists(st.integers(0, n_classes - 1), min_size=n_rows, max_size=n_rows))
    each = st.just(1.0) if weights is None else weights
    case_weights = draw(st.lists(each, min_size=n_rows, max_size=n_rows))
    return Data(drawn, nominal, labels, n_classes, case_weights)


SMALL_INTEGERS = st.integers(-3, 3).map(float)
QUARTERS = st.integers(0, 8).map(lambda n: n / 4)
ANY_NUMBER = st.floats(-1e6, 1e6, allow_subnormal=False)
