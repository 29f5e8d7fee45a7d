"""Intervals and tests: by the definition, and by simulations with fixed seeds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from roctree.roc import Curve, compare
from tests.naive import roc as naive
from tests.roc.leaves import curve_of, leaf_tables, some

SCORES = st.lists(st.integers(0, 5), min_size=2, max_size=8)
NUMBERS = st.integers(0, 5)


@st.composite
def scored_twice(draw):
    """Labels of two positives and two negatives at least, and two scores of each case."""
    y = draw(st.permutations([0, 0, 1, 1, *draw(st.lists(st.integers(0, 1), max_size=8))]))
    scores = [draw(st.lists(NUMBERS, min_size=len(y), max_size=len(y))) for _ in range(2)]
    return y, *scores


def split(y, scores):
    """The scores of the positives, and of the negatives."""
    paired = list(zip(y, scores, strict=True))
    return [s for label, s in paired if label], [s for label, s in paired if not label]


# DeLong's variance.


@some
@given(SCORES, SCORES)
def test_the_variance_is_delongs(positives, negatives):
    y = [1] * len(positives) + [0] * len(negatives)
    found = Curve.from_scores(y, positives + negatives).auc_variance()
    both = positives, negatives
    assert found == pytest.approx(float(naive.delong_covariance(both, both)), abs=1e-14)


@some
@given(leaf_tables(counts=st.integers(0, 5)))
def test_the_variance_of_leaves_is_that_of_their_cases(leaves):
    # Two of each at least.
    leaves = [*leaves, (0.5, 1, 1)]
    positives = [score for score, ours, _ in leaves for _ in range(ours)]
    negatives = [score for score, _, theirs in leaves for _ in range(theirs)]
    expected = naive.delong_covariance((positives, negatives), (positives, negatives))
    assert curve_of(leaves).auc_variance() == pytest.approx(float(expected), abs=1e-14)


# Intervals.


@some
@given(leaf_tables(counts=st.integers(0, 9)), st.sampled_from(["logit", "wald"]))
def test_an_interval_has_the_area_in_it_and_stays_within_zero_and_one(leaves, method):
    curve = curve_of([*leaves, (0.5, 1, 1)])
    low, high = curve.auc_interval(method=method)
    assert 0.0 <= low <= curve.auc + 1e-12
    assert curve.auc - 1e-12 <= high <= 1.0


def test_a_wald_interval_is_the_area_plus_and_minus_deviations():
    curve = curve_of([(0.9, 50, 10), (0.5, 40, 20), (0.1, 30, 50)])
    width = norm.ppf(0.95) * math.sqrt(curve.auc_variance())
    found = curve.auc_interval(0.9, method="wald")
    assert found == pytest.approx((curve.auc - width, curve.auc + width))


def test_a_logit_interval_is_one_of_log_odds():
    curve = curve_of([(0.9, 50, 10), (0.5, 40, 20), (0.1, 30, 50)])
    auc = curve.auc
    width = norm.ppf(0.95) * math.sqrt(curve.auc_variance()) / (auc * (1 - auc))
    odds = [math.log(limit / (1 - limit)) for limit in curve.auc_interval(0.9)]
    centre = math.log(auc / (1 - auc))
    assert odds == pytest.approx([centre - width, centre + width])


def test_more_cases_make_a_shorter_interval_and_more_confidence_a_longer_one():
    few, many = (curve_of([(1, 4 * n, n), (0, 2 * n, 5 * n)]) for n in (10, 100))
    lengths = [
        high - low
        for low, high in (many.auc_interval(), few.auc_interval(), few.auc_interval(0.99))
    ]
    assert lengths == sorted(lengths)


def test_an_interval_of_separated_classes_says_what_so_few_cases_allow():
    found = curve_of([(1, 20, 0), (0, 0, 100)]).auc_interval()
    assert found == pytest.approx((0.025 ** (1 / 20), 1.0))
    turned = curve_of([(1, 0, 100), (0, 20, 0)]).auc_interval()
    assert turned == pytest.approx((0.0, 1.0 - 0.025 ** (1 / 20)))


def test_the_interval_of_a_constant_score_is_one_half():
    assert curve_of([(0.5, 7, 9)]).auc_interval() == (0.5, 0.5)


@pytest.mark.parametrize("leaves", [[(0.5, 1, 9)], [(0.5, 9, 1)], [(0.5, 9, 0)], [(0.5, 0, 0)]])
def test_the_uncertainty_of_one_case_is_refused(leaves):
    with pytest.raises(ValueError, match="needs more than one of each"):
        curve_of(leaves).auc_interval()


@pytest.mark.parametrize("level", [0.0, 1.0, 95, float("nan")])
def test_a_level_that_is_none_is_refused(level):
    with pytest.raises(ValueError, match=r"must be a confidence level such as 0\.95"):
        curve_of([(0.5, 7, 9)]).auc_interval(level)


def test_a_method_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="must be one of 'logit', 'wald'"):
        curve_of([(0.5, 7, 9)]).auc_interval(method="exact")


# The paired test.


@some
@given(scored_twice())
def test_the_deviation_of_a_difference_is_delongs(case):
    y, first, second = case
    found = compare(y, first, second)
    ours, theirs = split(y, first), split(y, second)
    variance = (
        naive.delong_covariance(ours, ours)
        + naive.delong_covariance(theirs, theirs)
        - 2 * naive.delong_covariance(ours, theirs)
    )
    assert found.deviation**2 == pytest.approx(float(variance), abs=1e-14)
    assert found.difference == found.first - found.second
    assert found.first == Curve.from_scores(y, first).auc


@some
@given(scored_twice())
def test_exchanging_the_scores_changes_only_the_sign(case):
    y, first, second = case
    there, back = compare(y, first, second), compare(y, second, first)
    assert (back.difference, back.z) == (-there.difference, -there.z)
    assert (back.deviation, back.p) == (there.deviation, there.p)
    assert back.interval == (-there.interval.high, -there.interval.low)


@some
@given(scored_twice())
def test_scores_of_the_same_order_do_not_differ(case):
    y, scores, _ = case
    found = compare(y, scores, np.exp(scores))
    assert found[2:6] == (0.0, 0.0, 0.0, 1.0)
    assert found.interval == (0.0, 0.0)


def test_z_and_p_and_the_interval_belong_together():
    random = np.random.default_rng(3)
    y = np.repeat([0, 1], 40)
    found = compare(y, y + random.normal(size=80), random.normal(size=80), level=0.9)
    assert found.z == pytest.approx(found.difference / found.deviation)
    assert found.p == pytest.approx(2 * norm.sf(abs(found.z)))
    half = norm.ppf(0.95) * found.deviation
    assert found.interval == pytest.approx((found.difference - half, found.difference + half))


def test_areas_that_cannot_vary_differ_for_certain():
    found = compare([0, 0, 1, 1], [0, 0, 1, 1], [5, 5, 5, 5])
    assert (found.difference, found.z, found.p) == (0.5, math.inf, 0.0)
    assert compare([0, 0, 1, 1], [5, 5, 5, 5], [0, 0, 1, 1]).z == -math.inf


def test_scores_equal_to_twelve_decimals_are_ties_unless_exact():
    y, rounded, other = [0, 1, 0, 1], [0.3, 0.1 + 0.2, 0.1, 0.5], [0.3, 0.3, 0.1, 0.5]
    assert compare(y, rounded, other).difference == 0.0
    assert compare(y, rounded, other, exact=True).difference == 0.125


def test_comparing_cases_of_one_class_is_refused():
    with pytest.raises(ValueError, match="needs more than one of each"):
        compare([1, 1, 1], [1, 2, 3], [3, 2, 1])


# What intervals and tests promise, by simulation; the limits are four deviations wide or more.


def simulated(seed, n_positive, n_negative, digits=None):
    """Scores whose area is 0.76: normal, a deviation apart; rounded, with ties as leaves have."""
    random = np.random.default_rng(seed)
    scores = np.append(random.normal(1.0, 1.0, n_positive), random.normal(0.0, 1.0, n_negative))
    return scores if digits is None else np.round(scores, digits)


@pytest.mark.parametrize("method", ["logit", "wald"])
def test_intervals_cover_the_area_about_as_often_as_they_say(method):
    area, y = norm.cdf(1.0 / math.sqrt(2.0)), np.repeat([1, 0], [40, 60])
    covered = []
    for seed in range(400):
        low, high = Curve.from_scores(y, simulated(seed, 40, 60)).auc_interval(0.9, method)
        covered.append(low <= area <= high)
    assert 0.84 < np.mean(covered) < 0.96


def test_intervals_of_scores_with_many_ties_cover_their_area():
    # The area of rounded scores, by a large sample.
    large = Curve.from_scores(np.repeat([1, 0], 200_000), simulated(0, 200_000, 200_000, digits=0))
    y, covered = np.repeat([1, 0], [40, 60]), []
    for seed in range(1, 401):
        low, high = Curve.from_scores(y, simulated(seed, 40, 60, digits=0)).auc_interval(0.9)
        covered.append(low <= large.auc <= high)
    assert 0.84 < np.mean(covered) < 0.96


def test_intervals_of_classes_far_apart_cover_more_often_than_they_say():
    area, y = norm.cdf(4.0 / math.sqrt(2.0)), np.repeat([1, 0], 15)
    covered = []
    for seed in range(400):
        scores = simulated(seed, 15, 15) + 3.0 * y
        low, high = Curve.from_scores(y, scores).auc_interval(0.9)
        covered.append(low <= area <= high)
    assert np.mean(covered) > 0.88


def test_the_paired_test_finds_a_difference_where_there_is_none_as_rarely_as_it_says():
    y = np.repeat([1, 0], [40, 60])
    found = []
    for seed in range(500):
        random = np.random.default_rng(10_000 + seed)
        common = simulated(seed, 40, 60)
        # Two noisy copies of one score are equally good, and correlated.
        first, second = (common + random.normal(0.0, 0.7, 100) for _ in range(2))
        found.append(compare(y, first, second).p < 0.1)
    assert 0.045 < np.mean(found) < 0.16
