"""Large nodes are split by teams of threads, to the same tree."""

from contextlib import contextmanager
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree.criteria import CRITERIA
from roctree.tree import subtrees
from roctree.tree.growth import GrowthRules
from roctree.tree.levels import bin_dataset
from tests.strategies import data_sets
from tests.tree.growing import (
    MISSING,
    NOMINAL,
    as_bytes,
    as_dataset,
    bins,
    grown,
    numeric_dataset,
    patient,
)

WEIGHTS = st.integers(1, 5).map(float) | st.floats(0.01, 10.0)
criteria = st.sampled_from(list(CRITERIA.values()))
modes = st.fixed_dictionaries(
    {
        "missing": st.sampled_from(MISSING),
        "nominal": st.sampled_from(NOMINAL),
        "min_leaf": st.sampled_from([0.5, 1.0, 2.0]),
        "max_depth": st.sampled_from([None, 2]),
    }
)


@contextmanager
def teams():
    """Let nodes of a few rows be split by teams; yields a mock that counts them."""
    split = subtrees.Team.split
    with (
        bins(narrow=2),
        mock.patch.object(subtrees, "_BLOCK_ROWS", 2),
        mock.patch.object(subtrees.Team, "split", autospec=True, side_effect=split) as counted,
    ):
        yield counted


@patient
@given(data_sets(weights=WEIGHTS, rows=(8, 40)), criteria, modes, st.integers(2, 4))
def test_teams_change_no_byte_of_an_exact_tree(data, criterion, mode, n_threads):
    dataset = as_dataset(data)
    expected = as_bytes(grown(dataset, criterion, **mode))
    with teams():
        assert as_bytes(grown(dataset, criterion, n_threads=n_threads, **mode)) == expected


@patient
@given(data_sets(weights=WEIGHTS, rows=(8, 40)), criteria, modes, st.integers(2, 4))
def test_teams_change_no_byte_of_a_binned_tree(data, criterion, mode, n_threads):
    dataset = as_dataset(data)
    rules = GrowthRules(criterion, np.ones(dataset.schema.n_classes), **mode)
    binned = bin_dataset(dataset, max_bins=4)
    expected = as_bytes(binned.grow(rules))
    with teams():
        assert as_bytes(binned.grow(rules, n_threads)) == expected


@pytest.mark.parametrize("criterion", ["gini", "gain_ratio", "auc"])
@pytest.mark.parametrize("missing", ["fractional", "branch"])
def test_teams_split_the_top_of_a_tree(criterion, missing):
    random = np.random.default_rng(3)
    values = random.normal(size=(400, 5)).round(1)
    if missing == "branch":
        values[random.random(values.shape) < 0.1] = np.nan
    labels = (np.nan_to_num(values[:, 0] + values[:, 1]) + random.normal(size=400) > 0).astype(int)
    dataset = numeric_dataset(values, labels)
    options = {"missing": missing, "min_leaf": 2.0}
    expected = as_bytes(grown(dataset, CRITERIA[criterion], **options))
    with teams() as counted:
        tree = grown(dataset, CRITERIA[criterion], n_threads=4, **options)
    assert counted.call_count >= 3
    assert as_bytes(tree) == expected


def test_teams_do_not_search_attributes_whose_bins_hold_one_value():
    random = np.random.default_rng(3)
    values = np.column_stack([random.normal(size=400), random.integers(0, 3, 400)])
    labels = (values.sum(axis=1) + random.normal(size=400) > 1).astype(int)
    searched, search = [], subtrees.Team._search_marked

    def searching(team, features, best, memory):
        searched.append(features.tolist())
        search(team, features, best, memory)

    with teams(), mock.patch.object(subtrees.Team, "_search_marked", searching):
        grown(numeric_dataset(values, labels), CRITERIA["gini"], n_threads=4, min_leaf=2.0)
    assert [0] in searched
    assert not any(1 in features for features in searched)
