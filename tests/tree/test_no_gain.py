"""Where no split gains, a node is halved: no chain with a level for each case."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree._jit import JIT_DISABLED
from roctree.criteria import CRITERIA, DKM, MSEE, Entropy, Error, GainRatio, Gini
from roctree.data import Dataset, Schema
from tests.strategies import data_sets
from tests.tree.growing import MISSING, as_bytes, as_dataset, bins, grown, numeric_dataset, patient

CONVEX = [Gini(), Entropy(), MSEE(), DKM(), Error()]


@pytest.mark.parametrize("criterion", CONVEX, ids=repr)
def test_a_threshold_without_gain_is_in_the_middle(criterion):
    values = np.repeat(np.arange(9.0), 2)[:, None]
    tree = grown(numeric_dataset(values, [0, 1] * 9), criterion, max_depth=1)
    assert tree.threshold[0] == 3.5
    assert tree.gain[0] == 0.0


def test_a_set_of_categories_without_gain_has_half_of_the_cases():
    values = np.repeat(np.arange(8.0), 2)[:, None]
    schema = Schema(("x",), (tuple("abcdefgh"),), np.arange(2))
    dataset = Dataset(values, np.array([0, 1] * 8, np.int32), np.ones(16), schema)
    tree = grown(dataset, Gini(), max_depth=1)
    assert tree.counts[1:].tolist() == [[4.0, 4.0], [4.0, 4.0]]


def test_limits_come_before_the_middle():
    values = np.array([0.0, 0, 1, 1, 1, 1, 1, 1])[:, None]
    dataset = numeric_dataset(values, [0, 1] * 4)
    assert grown(dataset, Gini(), min_leaf=2.0, max_depth=1).n_leaves == 2
    assert grown(dataset, Gini(), min_leaf=3.0).n_leaves == 1


def test_a_gain_decides_before_the_middle():
    values = np.arange(10.0)[:, None]
    tree = grown(numeric_dataset(values, [1] + [0, 1] * 4 + [0]), Error(), max_depth=1)
    assert tree.gain[0] > 0.0


def test_c45_takes_the_first_of_equals():
    values = np.repeat(np.arange(9.0), 2)[:, None]
    tree = grown(numeric_dataset(values, [0, 1] * 9), GainRatio(), max_depth=1)
    assert tree.threshold[0] == 0.5


@patient
@given(
    data_sets(rows=(4, 40), classes=(2, 3)),
    st.sampled_from(list(CRITERIA.values())),
    st.sampled_from(MISSING),
)
def test_bins_find_the_same_splits_without_gain(data, criterion, missing):
    """Labels in turn, so that many splits have no gain at all."""
    data.labels[:] = [row % 2 for row in range(data.n_rows)]
    dataset = as_dataset(data)
    expected = as_bytes(grown(dataset, criterion, missing=missing))
    with bins():
        assert as_bytes(grown(dataset, criterion, missing=missing)) == expected


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_a_tree_by_errors_is_not_a_chain(share):
    """In a chain the nodes together hold a number of cases that is quadratic in that of rows."""
    random = np.random.default_rng(0)
    n_rows = 300 if JIT_DISABLED else 5000
    values = random.normal(size=(n_rows, 3))
    tree = grown(numeric_dataset(values, random.random(n_rows) < share), Error())
    assert tree.max_depth < n_rows / 10
    assert tree.weight[~tree.is_leaf].sum() < n_rows * (100 if JIT_DISABLED else 150)
