"""The labellings of a tree are the hull of all labellings (ICML02, Theorem 6)."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree.labelling import Labellings, LeastCost
from tests.labelling.tables import leaves, tables
from tests.naive.labelling import all_labellings, all_points, positives_of, upper_hull


def points(rows, table):
    """False and true positives of each labelling, counted from its leaves."""
    found = []
    for row in rows:
        labels = [int(number + 1 in row.positive_leaves) for number in range(len(table))]
        found.append(positives_of(table, labels))
    return found


@given(tables(both=False), st.floats(0.0, 1.0))
def test_the_hull_of_all_labellings_is_exactly_their_points(table, instead):
    rows = Labellings(leaves(table, instead=instead))
    assert len(rows) <= len(table) + 1
    # A leaf without cases gives two labellings the same point.
    assert list(dict.fromkeys(points(rows, table))) == upper_hull(all_points(table))


@given(tables())
def test_with_the_other_class_positive_it_is_the_same_hull_turned_round(table):
    ours, theirs = Labellings(leaves(table, 1)), Labellings(leaves(table, 0))
    assert np.allclose([row.fpr for row in ours], [1.0 - row.tpr for row in reversed(theirs)])
    assert np.allclose([row.tpr for row in ours], [1.0 - row.fpr for row in reversed(theirs)])


@given(tables(leaves=(1, 7)))
def test_inside_its_interval_of_cost_ratios_a_labelling_wins_and_at_the_ends_it_ties(table):
    rows = Labellings(leaves(table))
    everything = all_points(table)
    n_positive = sum(row[1] for row in table)

    def cost(point, ratio):
        return point[0] + (n_positive - point[1]) * ratio

    own = points(rows, table)
    for row, point in zip(rows, own, strict=True):
        for ratio in inside(*row.cost_ratio):
            assert cost(point, ratio) <= min(cost(other, ratio) for other in everything) + 1e-9
    for (row, _), (point, following) in zip(pairwise(rows), pairwise(own), strict=True):
        ratio = row.cost_ratio[1]
        assert ratio == np.inf or cost(point, ratio) == pytest.approx(cost(following, ratio))


@given(tables(leaves=(1, 7)))
def test_inside_its_interval_of_priors_a_labelling_wins_and_at_the_ends_it_ties(table):
    rows = Labellings(leaves(table))
    n_negative, n_positive = (sum(row[place] for row in table) for place in (0, 1))
    everything = [(fp / n_negative, tp / n_positive) for fp, tp in all_points(table)]

    def error(point, prior):
        return (1.0 - prior) * point[0] + prior * (1.0 - point[1])

    for row in rows:
        for prior in inside(*row.prior, most=1.0):
            least = min(error(point, prior) for point in everything)
            assert error((row.fpr, row.tpr), prior) == pytest.approx(least)
    for row, following in pairwise(rows):
        costs = [error((each.fpr, each.tpr), row.prior[1]) for each in (row, following)]
        assert costs[0] == pytest.approx(costs[1])
        assert row.prior[1] == following.prior[0]


def inside(low, high, most=None):
    """Some numbers of an interval, its ends among them."""
    top = high if high < np.inf else (2.0 * low + 10.0 if most is None else most)
    return [] if low == np.inf else [low, (low + top) / 2.0, top]


@given(tables(leaves=(1, 8)))
def test_costs_inside_an_interval_choose_its_labelling(table):
    some_leaves = leaves(table)
    for row in Labellings(some_leaves):
        low, high = row.cost_ratio
        if low < high:
            ratio = (low + high) / 2.0 if high < np.inf else 2.0 * low + 1.0
            chosen = LeastCost(cost_fp=1.0, cost_fn=ratio)(some_leaves).labels
            assert set(np.flatnonzero(chosen) + 1) == set(row.positive_leaves.tolist())


@given(tables(leaves=(1, 8), both=False))
def test_accuracy_is_the_share_of_cases_that_are_labelled_right(table):
    rows = Labellings(leaves(table))
    total = sum(map(sum, table))
    negatives = sum(row[0] for row in table)
    for row, (fp, tp) in zip(rows, points(rows, table), strict=True):
        assert row.accuracy == pytest.approx((tp + negatives - fp) / total)


def test_there_are_all_labellings_of_ten_leaves():
    assert len(all_labellings(10)) == 1024


def test_leaves_of_one_share_change_together():
    rows = Labellings(leaves([(1, 2), (2, 4), (3, 1)]))
    assert [len(row.positive_leaves) for row in rows] == [0, 2, 3]


def test_a_single_leaf_has_two_labellings():
    rows = Labellings(leaves([(1, 3)]))
    assert [(row.fpr, row.tpr) for row in rows] == [(0.0, 0.0), (1.0, 1.0)]
    assert [row.cost_ratio for row in rows] == [(0.0, 1 / 3), (1 / 3, np.inf)]
    assert [row.prior for row in rows] == [(0.0, 0.5), (0.5, 1.0)]
