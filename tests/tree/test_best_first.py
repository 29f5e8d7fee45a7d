"""Best-first growth stops early and makes the tree that cutting the whole one makes."""

from functools import partial
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree.criteria import GainRatio, Gini
from roctree.tree.growth import GrowthRules, grow
from roctree.tree.shape import grow_best_first, open_best_first
from tests.strategies import data_sets
from tests.tree.growing import MISSING, NOMINAL, as_bytes, as_dataset, numeric_dataset, patient


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("nominal", NOMINAL)
@given(
    data=data_sets(),
    max_leaves=st.integers(1, 30),
    max_depth=st.none() | st.integers(0, 6),
    criterion=st.sampled_from([Gini(), GainRatio()]),
)
@patient
def test_the_tree_is_that_of_cutting_the_whole_tree(
    missing, nominal, data, max_leaves, max_depth, criterion
):
    dataset = as_dataset(data)
    growth = GrowthRules(
        criterion, np.ones(data.n_classes), nominal, missing, max_depth=max_depth, min_leaf=0.1
    )
    expected = open_best_first(grow(dataset, growth), max_leaves)
    found = grow_best_first(partial(grow, dataset), growth, max_leaves)
    assert as_bytes(found) == as_bytes(expected)


def chain(n_rows):
    """Rows of which every split takes one off: the best-first tree is as deep as it has leaves."""
    weights = np.where(np.arange(n_rows) < n_rows - 1, 2.0 ** np.arange(n_rows)[::-1], 2.0)
    return numeric_dataset(np.arange(n_rows)[:, None], np.arange(n_rows) % 2, weights)


def test_a_tree_deeper_than_most_is_found_at_the_second_attempt():
    dataset, growth = chain(40), GrowthRules(Gini(), np.ones(2), min_leaf=0.1)
    expected = open_best_first(grow(dataset, growth), 20)
    attempts = mock.Mock(wraps=partial(grow, dataset))
    tree = grow_best_first(attempts, growth, 20)
    assert as_bytes(tree) == as_bytes(expected)
    assert [call.args[0].max_depth for call in attempts.call_args_list] == [14, 20]


def test_a_bushy_tree_is_not_grown_deeper_than_needed():
    values = np.random.default_rng(0).random((400, 3))
    dataset = numeric_dataset(values, (values.sum(axis=1) > 1.5).astype(int))
    growth = GrowthRules(Gini(), np.ones(2))
    attempts = mock.Mock(wraps=partial(grow, dataset))
    tree = grow_best_first(attempts, growth, 16)
    assert as_bytes(tree) == as_bytes(open_best_first(grow(dataset, growth), 16))
    assert [call.args[0].max_depth for call in attempts.call_args_list] == [12]
