"""Reliability: isotonic regression is the ROC hull, and the Brier score decomposes by it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss

from roctree import DataError, ParameterError
from roctree.roc import Curve
from tests.naive import roc as naive

leaf_lists = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=7
).filter(lambda leaves: any(ours + theirs for _, ours, theirs in leaves))


def curve_of(leaves):
    scores, positives, negatives = zip(*leaves, strict=True)
    return Curve.from_leaves(np.array(scores) / 20, positives, negatives)


def cases_of(leaves):
    """Scores and classes, one for each case."""
    scores = [s / 20 for s, ours, theirs in leaves for _ in range(ours + theirs)]
    classes = [label for _, ours, theirs in leaves for label in [1] * ours + [0] * theirs]
    return np.array(scores), np.array(classes)


@given(leaf_lists)
def test_probabilities_are_those_of_the_min_max_formula(leaves):
    found = curve_of(leaves).reliability()
    for score, share in naive.isotonic(leaves).items():
        assert found(np.array([score / 20]))[0] == pytest.approx(float(share), abs=1e-12)
    assert (np.diff(found.probability) > 0.0).all()


@given(leaf_lists, st.lists(st.integers(0, 40), max_size=5))
def test_scores_between_and_beyond_are_interpolated_as_in_scikit_learn(leaves, others):
    scores, classes = cases_of(leaves)
    other = IsotonicRegression(out_of_bounds="clip").fit(scores, classes)
    asked = np.array([*scores, *(each / 40 for each in others)])
    assert np.allclose(curve_of(leaves).reliability()(asked), other.predict(asked), atol=1e-9)


@given(leaf_lists)
def test_pools_are_the_edges_of_the_roc_hull(leaves):
    found, hull = curve_of(leaves).reliability(), curve_of(leaves).hull()
    kept = hull.positives + hull.negatives > 0.0
    shares = hull.positives[kept] / (hull.positives + hull.negatives)[kept]
    assert np.allclose(shares[::-1], found.probability)
    assert np.array_equal(hull.positives[kept][::-1], found.positives)


@given(leaf_lists)
def test_the_brier_score_is_miscalibration_minus_discrimination_plus_uncertainty(leaves):
    scores, classes = cases_of(leaves)
    found = curve_of(leaves).reliability()
    brier = brier_score_loss(classes, scores, labels=[0, 1])
    assert found.brier == pytest.approx(brier)
    parts = found.miscalibration - found.discrimination + found.uncertainty
    assert parts == pytest.approx(brier)
    assert found.miscalibration >= -1e-12
    assert found.discrimination >= -1e-12
    share = classes.mean()
    assert found.uncertainty == pytest.approx(share * (1 - share))


@given(leaf_lists)
def test_calibrated_scores_are_not_miscalibrated_and_rank_no_worse(leaves):
    curve = curve_of(leaves)
    calibrated = Curve.from_leaves(
        curve.reliability()(curve.scores), curve.positives, curve.negatives
    )
    assert calibrated.reliability().miscalibration == pytest.approx(0.0, abs=1e-12)
    if curve.has_both_classes:
        assert calibrated.auc >= curve.auc - 1e-12


@given(leaf_lists)
def test_intervals_are_those_of_wilson(leaves):
    found = curve_of(leaves).reliability(0.9)
    z = 1.6448536269514722
    for share, n, (low, high) in zip(found.probability, found.cases, found.intervals, strict=True):
        # The ends solve (end - share)² = z² end (1 - end) / n.
        for end in (low, high):
            assert (end - share) ** 2 == pytest.approx(z * z * end * (1 - end) / n, abs=1e-9)
        assert low <= share <= high


def test_intervals_cover_the_probability_as_often_as_they_say():
    rng = np.random.default_rng(0)
    inside = []
    for _ in range(400):
        positives = rng.binomial(60, [0.2, 0.5, 0.8])
        found = Curve.from_leaves([0.2, 0.5, 0.8], positives, 60 - positives).reliability()
        low, high = found.interval(np.array([0.2, 0.5, 0.8])).T
        inside.append((low <= [0.2, 0.5, 0.8]) & (high >= [0.2, 0.5, 0.8]))
    assert 0.92 < np.mean(inside) < 0.98


def test_worked_example():
    # 2 of 6 and 1 of 4 fall with the score: 3 of 10 together.
    found = curve_of([(16, 4, 1), (8, 1, 3), (4, 2, 4)]).reliability()
    assert found.probability.tolist() == [0.3, 0.8]
    assert (found.score_from.tolist(), found.score_to.tolist()) == ([0.2, 0.8], [0.4, 0.8])
    assert naive.isotonic([(16, 4, 1), (8, 1, 3), (4, 2, 4)])[8] == Fraction(3, 10)
    assert found.to_pandas().probability.tolist() == [0.3, 0.8]


def test_scores_that_are_no_probabilities_have_no_brier_score():
    assert np.isnan(Curve.from_leaves([3.0, -1.0], [1, 2], [2, 1]).reliability().brier)


def test_no_cases_and_no_confidence_are_refused():
    with pytest.raises(DataError, match="no cases"):
        Curve.from_leaves([0.5], [0], [0]).reliability()
    with pytest.raises(ParameterError, match="confidence level"):
        Curve.from_leaves([0.5], [1], [0]).reliability(95)
