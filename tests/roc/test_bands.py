"""Bands of curves: their shape, and how often they cover the curve, by simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from roctree.roc import Curve
from roctree.roc.arithmetic import interpolate
from tests.roc.leaves import curve_of, leaf_tables

METHODS = ["bootstrap", "fixed_width"]


def normal_curve(seed, n_positive=60, n_negative=90):
    random = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_positive, n_negative])
    return Curve.from_scores(y, random.normal(size=len(y)) + y)


def truth(fpr):
    """The curve of two normal distributions, a deviation apart."""
    return norm.cdf(norm.ppf(fpr) + 1.0)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=20)
@given(leaves=leaf_tables(), level=st.sampled_from([0.5, 0.9]))
def test_a_band_rises_from_zero_to_one_and_is_never_upside_down(method, leaves, level):
    band = curve_of(leaves).band(level, method=method, n_samples=20)
    assert band.fpr[[0, -1]].tolist() == [0.0, 1.0]
    assert (band.low <= band.high).all()
    assert (np.diff(band.low) >= -1e-12).all()
    assert (np.diff(band.high) >= -1e-12).all()
    assert band.low.min() >= 0.0
    assert band.high.max() <= 1.0


@settings(max_examples=20)
@given(leaf_tables())
def test_a_fixed_width_band_encloses_the_curve(leaves):
    curve = curve_of(leaves)
    band = curve.band(method="fixed_width", n_samples=20)
    line = interpolate(curve.fpr, curve.tpr, band.fpr)
    assert (band.low <= line + 1e-12).all()
    assert (line <= band.high + 1e-12).all()


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_makes_the_same_band_and_another_seed_another(method):
    curve = normal_curve(0)
    first, second, other = (curve.band(method=method, n_samples=50, seed=s) for s in (1, 1, 2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("method", METHODS)
def test_a_band_is_wider_for_more_confidence_and_for_fewer_cases(method):
    few, many = normal_curve(0, 30, 30), normal_curve(0, 3000, 3000)
    widths = [
        np.mean(band.high - band.low)
        for band in (
            many.band(method=method, n_samples=100),
            few.band(0.5, method=method, n_samples=100),
            few.band(method=method, n_samples=100),
        )
    ]
    assert widths == sorted(widths)
    assert widths[0] < 0.1


def test_a_simultaneous_band_is_wider_than_one_of_single_points():
    curve = normal_curve(0)
    single, whole = (curve.band(method=method, n_samples=200) for method in METHODS)
    assert np.mean(whole.high - whole.low) > 1.2 * np.mean(single.high - single.low)


def test_steps_of_a_curve_stay_steps_in_its_band():
    # Half of the positives above all negatives, half below: level in between.
    curve = curve_of([(1, 500, 0), (0.5, 0, 1000), (0, 500, 0)])
    band = curve.band(n_samples=200)
    inner = (band.fpr > 0.0) & (band.fpr < 1.0)
    assert band.low[inner].max() - band.low[inner].min() < 1e-12
    assert band.high[inner].max() < 0.6


def test_a_band_of_separated_classes_has_no_width():
    band = curve_of([(1, 5, 0), (0, 0, 5)]).band(n_samples=20)
    assert (band.low == 1.0).all()
    assert (band.high == 1.0).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "exact"}, "must be one of 'bootstrap', 'fixed_width'"),
        ({"n_samples": 1}, "n_samples=1 must be an integer of at least 2"),
        ({"level": 95}, "level=95 must be a confidence level"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        normal_curve(0).band(**options)


@pytest.mark.slow
def test_points_are_covered_about_as_often_as_a_bootstrap_band_says():
    covered = []
    for seed in range(100):
        band = normal_curve(seed).band(0.9, n_samples=100)
        inner = (band.fpr >= 0.1) & (band.fpr <= 0.9)
        expected = truth(band.fpr[inner])
        covered.append(((band.low[inner] <= expected) & (expected <= band.high[inner])).mean())
    assert 0.84 < np.mean(covered) < 0.96


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(60, 90), (200, 40)])
def test_whole_curves_are_covered_about_as_often_as_a_fixed_width_band_says(sizes):
    covered = []
    for seed in range(100):
        band = normal_curve(seed, *sizes).band(0.9, method="fixed_width", n_samples=100)
        expected = truth(band.fpr)
        covered.append(((band.low <= expected) & (expected <= band.high)).all())
    assert 0.82 < np.mean(covered) <= 1.0
