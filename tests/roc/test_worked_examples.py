"""Numbers worked out by hand or by other programs, and what Ferri et al. (2002) state."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from roctree.roc import Curve, mauc, one_vs_rest, pairwise
from tests.roc.leaves import curve_of, leaf_tables, some


def near(value):
    return pytest.approx(value, abs=6e-7)


# Three leaves of two classes.

LEAVES = [(5 / 6, 5, 1), (4 / 6, 4, 2), (3 / 8, 3, 5)]


def test_the_area_of_the_leaves_of_the_paper():
    assert curve_of(LEAVES).auc == 138 / 192 == 0.71875


def test_the_vertices_of_the_leaves_of_the_paper():
    points = curve_of(LEAVES).hull().points()
    assert points.fpr == near([0.0, 0.125, 0.375, 1.0])
    assert points.tpr == near([0.0, 0.416667, 0.75, 1.0])


def test_the_slopes_of_the_leaves_of_the_paper():
    curve = curve_of(LEAVES)
    assert np.diff(curve.tpr) / np.diff(curve.fpr) == near([3.333333, 1.333333, 0.4])


def test_costs_per_case_at_the_vertices_of_the_leaves_of_the_paper():
    assert curve_of(LEAVES).expected_cost() == near([0.6, 0.4, 0.3, 0.4])


@pytest.mark.parametrize(
    ("cost_fp", "cost_fn", "cheapest"),
    [(1, 1, [2]), (2, 1, [1, 2]), (1, 2, [3]), (4, 1, [1])],
)
def test_the_cheapest_vertices_of_the_leaves_of_the_paper(cost_fp, cost_fn, cheapest):
    costs = curve_of(LEAVES).expected_cost(cost_fp, cost_fn)
    assert np.flatnonzero(costs < costs.min() + 1e-12).tolist() == cheapest


def test_two_vertices_cost_the_same_where_false_alarms_cost_twice_as_much():
    assert curve_of(LEAVES).expected_cost(2, 1)[1:3] == near([0.45, 0.45])


@pytest.mark.parametrize(("prior", "cheapest"), [(0.2, 0), (0.5, 2), (0.9, 3)])
def test_the_cheapest_vertex_at_other_priors(prior, cheapest):
    assert curve_of(LEAVES).expected_cost(prior=prior).argmin() == cheapest


@pytest.mark.parametrize(("fpr", "tpr"), [(0.25, 0.583333), (0.3, 0.65), (0.5, 0.8)])
def test_true_positive_rates_between_the_vertices(fpr, tpr):
    curve = curve_of(LEAVES)
    assert curve.at(fpr=fpr).tpr == near(tpr)
    assert curve.at(tpr=curve.at(fpr=fpr).tpr).fpr == near(fpr)


# Three leaves of three classes.

SCORES = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.2, 0.2, 0.6]]
COUNTS = [[4, 1, 0], [1, 3, 1], [1, 1, 3]]


@pytest.mark.parametrize(
    ("i", "j", "area"),
    [
        (0, 1, 0.733333),
        (1, 0, 0.666667),
        (0, 2, 0.833333),
        (2, 0, 0.875),
        (1, 2, 0.75),
        (2, 1, 0.80),
    ],
)
def test_the_area_of_a_pair_of_three_classes(i, j, area):
    assert pairwise(SCORES, COUNTS)[i, j] == near(area)


@pytest.mark.parametrize(("i", "j", "area"), [(0, 2, 0.854167), (1, 2, 0.775), (0, 1, 0.7)])
def test_the_mean_of_both_areas_of_a_pair(i, j, area):
    areas = pairwise(SCORES, COUNTS)
    assert (areas[i, j] + areas[j, i]) / 2 == near(area)


def test_the_measure_of_hand_and_till():
    assert mauc(SCORES, COUNTS) == near(0.776389)


def cases():
    leaf, label = np.nonzero(COUNTS)
    times = np.array(COUNTS)[leaf, label]
    return np.repeat(label, times), np.array(SCORES)[np.repeat(leaf, times)]


def test_the_measure_of_hand_and_till_is_the_macro_mean_of_scikit_learn_and_no_other():
    y, scores = cases()
    assert roc_auc_score(y, scores, multi_class="ovo") == near(0.776389)
    assert roc_auc_score(y, scores, multi_class="ovo", average="weighted") == near(0.773889)
    assert mauc(scores, y) == near(0.776389)


def test_the_mean_area_of_one_class_against_the_rest():
    assert np.mean([curve.auc for curve in one_vs_rest(SCORES, COUNTS)]) == near(0.772896)


# Ties.


def test_leaves_of_one_score_are_merged_whatever_their_order():
    assert curve_of([(0.7, 3, 0), (0.7, 0, 3), (0.2, 2, 2)]).auc == 0.5
    assert curve_of([(0.7, 0, 3), (0.7, 3, 0), (0.2, 2, 2)]).auc == 0.5


@pytest.mark.parametrize(("scores", "area"), [([0.8, 0.7, 0.2], 0.68), ([0.7, 0.8, 0.2], 0.32)])
def test_leaves_of_other_scores_are_visited_in_their_order(scores, area):
    assert Curve.from_leaves(scores, [3, 0, 2], [0, 3, 2]).auc == near(area)


# Statements on trees and their leaves.


@some
@given(st.lists(st.integers(1, 20), min_size=1), st.lists(st.integers(1, 20), min_size=1))
def test_pure_leaves_have_an_area_of_one(positives, negatives):
    leaves = [(1.0, n, 0) for n in positives] + [(0.0, 0, n) for n in negatives]
    assert curve_of(leaves).auc == 1.0


@given(st.floats(0.0, 1.0), st.integers(1, 99), st.integers(1, 99))
def test_a_single_leaf_has_an_area_of_one_half(score, positives, negatives):
    assert curve_of([(score, positives, negatives)]).auc == 0.5


@some
@given(leaf_tables(), st.floats(0.0, 1.0))
def test_the_area_of_one_labelling_is_the_mean_of_positive_and_negative_accuracy(leaves, threshold):
    labelled = curve_of([(float(score >= threshold), *rest) for score, *rest in leaves])
    called = labelled.scores >= 1.0
    tpr = labelled.positives[called].sum() / labelled.n_positive
    fpr = labelled.negatives[called].sum() / labelled.n_negative
    assert labelled.auc == pytest.approx((tpr - fpr + 1.0) / 2.0)


def test_counts_of_other_cases_keep_the_order_of_the_scores_and_need_not_be_convex():
    curve = Curve.from_leaves([5 / 6, 4 / 6, 3 / 8], positives=[1, 6, 3], negatives=[4, 2, 4])
    assert curve.scores.tolist() == [5 / 6, 4 / 6, 3 / 8]
    slopes = np.diff(curve.tpr) / np.diff(curve.fpr)
    assert slopes[0] < slopes[1]
    assert curve.hull().auc > curve.auc
