"""The references are themselves worth a few questions before they answer for others."""

import pytest
from hypothesis import given, settings

from tests.naive import criteria, splitter
from tests.strategies import data_sets

few = settings(max_examples=30)
complete = data_sets(rows=(2, 12), columns=(1, 3), missing=False)


def grow(data, **limits):
    columns, labels, n_classes = data.columns, data.labels, data.n_classes
    return splitter.grow(columns, labels, n_classes, criteria.gini, data.nominal, **limits)


def test_thresholds_are_midpoints_of_distinct_values():
    assert list(splitter.thresholds([3.0, 1.0, 3.0, 2.0])) == [1.5, 2.5]


@pytest.mark.parametrize("n_categories", [1, 2, 3, 6])
def test_every_two_branch_subset_is_listed_once(n_categories):
    subsets = list(splitter.subsets(range(n_categories)))
    assert len(set(subsets)) == len(subsets) == 2 ** (n_categories - 1) - 1


def test_the_first_attribute_and_the_lowest_threshold_win_ties():
    columns = [[0, 1, 2, 3], [0, 1, 2, 3]]
    _, feature, cut, *_ = splitter.best_split(columns, [0, 1, 1, 0], 2, criteria.gini, range(4))
    assert (feature, cut) == (0, 0.5)


@given(data=complete)
@few
def test_every_row_falls_into_the_leaf_that_lists_it(data):
    tree = grow(data)
    rows = list(zip(*data.columns, strict=True))
    assert all(row in splitter.leaf_of(tree, rows[row]).rows for row in range(data.n_rows))


@given(data=complete)
@few
def test_leaves_hold_every_row_once(data):
    held = [row for leaf in splitter.leaves(grow(data)) for row in leaf.rows]
    assert sorted(held) == list(range(data.n_rows))


@given(data=complete)
@few
def test_limits_are_kept(data):
    leaves = splitter.leaves(grow(data, min_leaf=2, max_depth=2))
    assert len(leaves) <= 4
    assert len(leaves) == 1 or min(len(leaf.rows) for leaf in leaves) >= 2
