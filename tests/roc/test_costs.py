import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree.roc import Curve
from tests.naive import roc as naive
from tests.roc.leaves import curve_of, leaf_tables, some

SHARES = st.integers(0, 16).map(lambda n: n / 16)


def near(value):
    return pytest.approx(float(value), abs=1e-12)


@some
@given(leaf_tables(), SHARES)
def test_the_cost_curve_is_the_least_cost_of_all_thresholds(leaves, weight):
    found = curve_of(leaves).cost_curve()
    assert np.interp(weight, found.weight, found.cost) == near(naive.least_cost(leaves, weight))


@some
@given(leaf_tables())
def test_the_corners_of_the_cost_curve_are_least_costs(leaves):
    found = curve_of(leaves).cost_curve()
    assert found.cost[[0, -1]].tolist() == [0.0, 0.0]
    assert (np.diff(found.weight) >= 0.0).all()
    for weight, cost in zip(found.weight.tolist(), found.cost.tolist(), strict=True):
        assert cost == near(naive.least_cost(leaves, weight))


def test_a_single_leaf_costs_what_the_better_of_two_trivial_answers_costs():
    found = curve_of([(0.5, 3, 4)]).cost_curve()
    assert found.weight.tolist() == [0.0, 0.5, 1.0]
    assert found.cost.tolist() == [0.0, 0.5, 0.0]
    assert found.area == 0.25


def test_separated_classes_cost_nothing():
    assert curve_of([(1, 3, 0), (0, 0, 4)]).cost_curve().area == 0.0


@some
@given(leaf_tables(), SHARES, st.integers(0, 5), st.integers(0, 5))
def test_expected_cost_is_what_misses_and_false_alarms_cost(leaves, prior, cost_fp, cost_fn):
    found = curve_of(leaves).expected_cost(cost_fp, cost_fn, prior)
    for cost, (fpr, tpr) in zip(found, naive.points(leaves), strict=True):
        assert cost == near(prior * (1 - tpr) * cost_fn + (1 - prior) * fpr * cost_fp)


@some
@given(leaf_tables())
def test_expected_cost_without_a_prior_is_that_of_the_cases(leaves):
    curve = curve_of(leaves)
    total = curve.n_positive + curve.n_negative
    wrong = (curve.n_positive - curve.tp + curve.fp) / total
    assert curve.expected_cost() == pytest.approx(wrong, abs=1e-12)


@given(leaf_tables(both=False), SHARES)
def test_the_brier_curve_is_the_loss_of_calling_scores_above_the_cost_positive(leaves, cost):
    if not any(naive.totals(leaves)):
        return
    found = curve_of(leaves).brier_curve()
    # At a score itself the loss jumps; just below it its cases are positive.
    below = np.searchsorted(found.cost, cost, side="right") - 1
    expected = naive.brier_loss(leaves, cost)
    later = min(below + 1, len(found.cost) - 1)
    run = found.cost[later] - found.cost[below]
    part = (cost - found.cost[below]) / run if run else 0.0
    assert found.loss[below] + part * (found.loss[later] - found.loss[below]) == near(expected)


@some
@given(leaf_tables())
def test_the_area_of_the_brier_curve_is_the_brier_score(leaves):
    assert curve_of(leaves).brier_curve().area == near(naive.brier_score(leaves))


@some
@given(leaf_tables())
def test_shares_of_the_leaves_as_scores_make_brier_and_least_cost_curves_agree(leaves):
    own = [(ours / (ours + theirs), ours, theirs) for _, ours, theirs in leaves if ours + theirs]
    curve = curve_of(own)
    found = curve.brier_curve()
    # A cost share c of false alarms weighs positives by prior (1 - c) and negatives by the rest.
    ours, theirs = curve.prior * (1.0 - found.cost), (1.0 - curve.prior) * found.cost
    least = curve.cost_curve()
    for loss, p, n in zip(found.loss, ours, theirs, strict=True):
        cost = np.interp(p / (p + n), least.weight, least.cost)
        assert loss == near(2.0 * (p + n) * cost)


@pytest.mark.parametrize("scores", [[1.5, 0.2], [0.5, -0.2]])
def test_a_brier_curve_of_other_than_probabilities_is_refused(scores):
    with pytest.raises(ValueError, match="scores must be from 0 to 1"):
        Curve.from_leaves(scores, [1, 2], [2, 1]).brier_curve()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cost_fp": -1.0}, "cost_fp=-1.0 must be a finite, nonnegative number"),
        ({"cost_fn": float("nan")}, "cost_fn=nan must be a finite"),
        ({"prior": 1.5}, "prior=1.5 must be a number from 0 to 1"),
    ],
)
def test_costs_and_priors_that_are_none_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        curve_of([(0.5, 1, 1)]).expected_cost(**options)
