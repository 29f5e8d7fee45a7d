"""Expected loss by the way in which thresholds are chosen: a naive twin, and laws."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betainc

from roctree import DataError, ParameterError
from roctree.roc import Curve
from roctree.roc.threshold_choice import THRESHOLD_CHOICES, _beta_cumulative
from tests.naive import roc as naive

leaf_lists = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=6
).filter(lambda leaves: all(map(sum, [[leaf[i] for leaf in leaves] for i in (1, 2)])))


def curve_of(leaves):
    scores, positives, negatives = zip(*leaves, strict=True)
    return Curve.from_leaves(np.array(scores) / 20, positives, negatives)


def as_fractions(leaves):
    found = [(Fraction(score, 20), ours, theirs) for score, ours, theirs in leaves]
    return [leaf for leaf in found if leaf[1] + leaf[2] > 0]


def density(alpha, beta):
    return lambda cost: cost ** (alpha - 1) * (1 - cost) ** (beta - 1)


@pytest.mark.parametrize("choice", THRESHOLD_CHOICES)
@given(leaf_lists, st.sampled_from([(1, 1), (2, 2), (3, 1)]))
@settings(max_examples=15)
def test_expected_losses_are_those_of_many_small_steps(choice, leaves, shape):
    expected = naive.expected_loss(as_fractions(leaves), choice, density(*shape))
    found = curve_of(leaves).expected_loss(choice, alpha=shape[0], beta=shape[1])
    assert found == pytest.approx(expected, abs=5e-3)


@given(leaf_lists)
def test_with_uniform_costs_they_are_error_rate_brier_score_and_a_function_of_auc(leaves):
    curve = curve_of(leaves)
    n = curve.n_positive + curve.n_negative
    share = curve.n_positive / n
    wrong = sum(p if s < 10 else q for s, p, q in leaves)
    assert curve.expected_loss("fixed") == pytest.approx(wrong / n)
    squares = sum(p * (1 - s / 20) ** 2 + q * (s / 20) ** 2 for s, p, q in leaves)
    assert curve.expected_loss("score_driven") == pytest.approx(squares / n)
    assert curve.expected_loss("score_driven") == pytest.approx(curve.brier_curve().area)
    by_auc = share * (1 - share) * (1 - 2 * curve.auc) + 1 / 3
    assert curve.expected_loss("rate_driven") == pytest.approx(by_auc)


@given(leaf_lists, st.floats(0.5, 4.0), st.floats(0.5, 4.0))
def test_no_choice_is_better_than_the_optimal_one(leaves, alpha, beta):
    curve = curve_of(leaves)
    least = curve.expected_loss("optimal", alpha=alpha, beta=beta)
    for choice in THRESHOLD_CHOICES:
        assert least <= curve.expected_loss(choice, alpha=alpha, beta=beta) + 1e-9


@given(st.integers(1, 14), st.integers(1, 7), st.lists(st.floats(0.0, 1.0), min_size=1))
def test_beta_distributions_of_whole_numbers_are_those_of_scipy(alpha, beta, costs):
    expected = betainc(alpha, beta, costs)
    assert _beta_cumulative(alpha, beta, np.array(costs)) == pytest.approx(expected, abs=1e-14)
    assert _beta_cumulative(alpha + 0.5, 2.0, np.array(costs)) == pytest.approx(
        betainc(alpha + 0.5, 2.0, costs)
    )


@given(leaf_lists, st.sampled_from([(1, 1), (2, 2), (3, 1)]))
@settings(max_examples=15)
def test_the_h_measure_compares_with_one_label_for_all(leaves, shape):
    cases = as_fractions(leaves)
    together = [(Fraction(1, 2), sum(leaf[1] for leaf in cases), sum(leaf[2] for leaf in cases))]
    own, trivial = (
        naive.expected_loss(each, "optimal", density(*shape)) for each in (cases, together)
    )
    found = curve_of(leaves).h_measure(*shape)
    assert found == pytest.approx(1 - own / trivial, abs=0.02 + 1e-4 / trivial)


@given(leaf_lists)
def test_the_h_measure_depends_on_the_order_of_the_scores_only(leaves):
    curve = curve_of(leaves)
    bent = Curve.from_leaves(np.exp(curve.scores) - 3.0, curve.positives, curve.negatives)
    assert bent.h_measure() == pytest.approx(curve.h_measure())
    assert -1e-12 <= curve.h_measure() <= 1.0


def test_a_perfect_ranking_loses_nothing_but_when_driven_by_rates():
    perfect = Curve.from_leaves([0.9, 0.2], [3, 0], [0, 1])
    assert perfect.expected_loss("optimal") == 0.0
    assert perfect.h_measure() == 1.0
    assert perfect.expected_loss("rate_driven") == pytest.approx(1 / 3 - 3 / 16)
    assert Curve.from_leaves([0.5], [3], [1]).h_measure() == pytest.approx(0.0)


def test_leaves_without_cases_change_nothing():
    curve = Curve.from_leaves([0.9, 0.5, 0.2], [3, 0, 1], [1, 0, 2])
    without = Curve.from_leaves([0.9, 0.2], [3, 1], [1, 2])
    for choice in THRESHOLD_CHOICES:
        assert curve.expected_loss(choice) == pytest.approx(without.expected_loss(choice))


def test_a_loss_curve_is_drawn_through_its_ends():
    curve = Curve.from_leaves([5 / 6, 2 / 3, 3 / 8], [5, 4, 3], [1, 2, 5])
    costs, losses = curve.loss_curve("score_driven").points()
    drawn = curve.brier_curve()
    assert costs == pytest.approx(drawn.cost)
    assert losses == pytest.approx(drawn.loss)
    costs, losses = curve.loss_curve("rate_driven").points()
    assert np.trapezoid(losses, costs) == pytest.approx(
        curve.expected_loss("rate_driven"), abs=1e-3
    )


def test_wrong_arguments_are_refused():
    curve = Curve.from_leaves([2.0, 1.0], [1, 0], [0, 1])
    with pytest.raises(ParameterError, match="need probabilities"):
        curve.expected_loss("score_driven")
    with pytest.raises(ParameterError, match="alpha"):
        curve.expected_loss(alpha=0.0)
    with pytest.raises(ParameterError, match="choice"):
        curve.expected_loss("best")
    for threshold in ("half", np.nan, None):
        with pytest.raises(ParameterError, match="threshold"):
            curve.expected_loss("fixed", threshold=threshold)
    with pytest.raises(ParameterError, match="n_steps=0"):
        curve.loss_curve("rate_driven").points(0)
    with pytest.raises(DataError):
        Curve.from_leaves([0.5], [1], [0]).h_measure()
