"""The leaves (5,1), (4,2), (3,5), every number by hand."""

import numpy as np
import pytest

from roctree.labelling import BestFBeta, LeastCost, MaxFPR, MinTPR, operating_point
from tests.labelling.tables import WORKED, leaves, worked_tree

SIXTHS = [(row[1], row[0]) for row in WORKED]
EQUAL = {"cost_fp": 1, "cost_fn": 1}


def point_of(labeller):
    return operating_point(leaves(SIXTHS), labeller, 4)


def signs(point):
    return "".join("-+"[label] for label in point.labels[1:])


def test_the_tree_has_these_leaves():
    tree = worked_tree()
    assert tree.tree_.counts[tree.tree_.leaves].tolist() == [[1.0, 5.0], [2.0, 4.0], [5.0, 3.0]]


def test_the_labellings_and_their_intervals():
    rows = worked_tree().labellings(positive=1)
    assert [row.positive_leaves.tolist() for row in rows] == [[], [1], [1, 2], [1, 2, 3]]
    assert [(row.fpr, row.tpr) for row in rows] == [(0, 0), (0.125, 5 / 12), (0.375, 0.75), (1, 1)]
    assert [row.accuracy for row in rows] == pytest.approx([0.4, 0.6, 0.7, 0.6])
    assert [row.cost_ratio for row in rows] == [(0, 0.2), (0.2, 0.5), (0.5, 5 / 3), (5 / 3, np.inf)]
    # The odds of the prior are the slopes of the line of equal cost turned over: 3/10, 3/4, 5/2.
    assert [row.prior[1] for row in rows] == pytest.approx([3 / 13, 3 / 7, 5 / 7, 1.0])


def test_the_area_and_the_slopes():
    curve = worked_tree().labellings(positive=1).leaves.curve
    assert curve.auc == 0.71875
    assert np.diff(curve.tpr) / np.diff(curve.fpr) == pytest.approx([10 / 3, 4 / 3, 0.4])


@pytest.mark.parametrize(
    ("cost_fp", "cost_fn", "expected"),
    [(1, 1, "++-"), (2, 1, "++-"), (1, 2, "+++"), (4, 1, "+--")],
)
def test_the_labels_under_costs(cost_fp, cost_fn, expected):
    assert signs(point_of(LeastCost(cost_fp, cost_fn))) == expected
    tree = worked_tree().at(cost_fp=cost_fp, cost_fn=cost_fn, positive=1)
    assert signs(tree.operating_point_) == expected
    assert "".join("-+"[label] for label in tree.predict([[0.0], [1.0], [2.0]])) == expected


def test_at_two_to_one_the_second_leaf_is_a_tie():
    point = point_of(LeastCost(2, 1))
    # Three false alarms and three misses, or one and seven: 9 for 20 cases either way.
    assert point.expected_cost == pytest.approx(0.45)
    assert point_of(LeastCost(2.01, 1)).labels[2] == 0
    assert point.cost_ratio == pytest.approx((0.5, 5 / 3))


def test_the_cost_per_case_of_each_labelling():
    rows = worked_tree().labellings(positive=1)
    costs = rows.leaves.curve.expected_cost(**EQUAL)
    assert costs == pytest.approx([0.6, 0.4, 0.3, 0.4])


@pytest.mark.parametrize(("prior", "expected"), [(0.2, "---"), (0.5, "++-"), (0.9, "+++")])
def test_the_labels_at_other_priors(prior, expected):
    assert signs(point_of(LeastCost(prior=prior))) == expected
    for given in (prior, [1.0 - prior, prior], {0: 1.0 - prior, 1: prior}):
        assert signs(worked_tree().at(prior=given, positive=1).operating_point_) == expected


def test_the_slope_of_the_lines_of_equal_cost():
    # The negatives are 8 of 20.
    assert point_of(LeastCost(1, 1)).isocost_slope == pytest.approx(2 / 3)
    assert point_of(LeastCost(1, 5, prior=0.2)).isocost_slope == pytest.approx(0.8)
    assert point_of(MaxFPR(0.3)).isocost_slope is None


def test_the_expected_cost_is_that_at_the_prior_asked_for():
    # TPR 0.75 and FPR 0.375: a quarter of the positives and three eighths of the negatives.
    assert point_of(LeastCost(prior=0.5)).expected_cost == pytest.approx(0.3125)


@pytest.mark.parametrize(
    ("rate", "chance", "tpr", "leaf"),
    [(0.25, 0.5, 7 / 12, 2), (0.3, 0.7, 0.65, 2), (0.5, 0.2, 0.8, 3)],
)
def test_the_randomised_rates(rate, chance, tpr, leaf):
    point = point_of(MaxFPR(rate, randomise=True))
    assert (point.fpr, point.tpr, point.chance) == pytest.approx((rate, tpr, chance))
    assert np.flatnonzero(point.labels != point.others).tolist() == [leaf]
    # Read the other way, a recall of that much costs that rate of false alarms.
    back = point_of(MinTPR(tpr, randomise=True))
    assert (back.fpr, back.tpr) == pytest.approx((rate, tpr))


@pytest.mark.parametrize(("rate", "expected"), [(0.25, "+--"), (0.3, "+--"), (0.5, "++-")])
def test_the_rates_without_chance(rate, expected):
    assert signs(point_of(MaxFPR(rate))) == expected


def test_the_f_measure_of_the_labellings():
    # F1 is 24 / 32 with all leaves and 18 / 24 with two, which is the same: the fewer are taken.
    assert signs(point_of(BestFBeta(1.0))) == "++-"
    assert signs(point_of(BestFBeta(0.2))) == "+--"
    assert signs(point_of(BestFBeta(3.0))) == "+++"
