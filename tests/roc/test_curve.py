from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from roctree.roc import Curve
from roctree.roc.arithmetic import interpolate
from tests.naive import roc as naive
from tests.roc.leaves import cases, curve_of, leaf_tables, some

RATES = st.integers(0, 24).map(lambda n: Fraction(n, 24))
LEAVES = [(5 / 6, 5, 1), (2 / 3, 4, 2), (3 / 8, 3, 5)]


def near(value):
    return pytest.approx(float(value), abs=1e-13)


def pairs(points):
    return np.column_stack([points.fpr, points.tpr])


@some
@given(leaf_tables())
def test_the_area_is_the_share_of_pairs_in_order(leaves):
    assert curve_of(leaves).auc == float(naive.auc(leaves))


@some
@given(leaf_tables())
def test_the_area_is_that_under_the_points(leaves):
    points = curve_of(leaves).points()
    assert np.trapezoid(points.tpr, points.fpr) == near(naive.auc(leaves))


@some
@given(leaf_tables())
def test_points_are_the_rates_of_all_thresholds(leaves):
    points = curve_of(leaves).points()
    assert pairs(points) == pytest.approx(np.array(naive.points(leaves), dtype=float), abs=1e-15)
    assert points.threshold.tolist() == [np.inf, *naive.thresholds(leaves)]


@some
@given(leaf_tables(), st.randoms(use_true_random=False))
def test_neither_the_order_of_leaves_nor_empty_ones_matter_to_the_area(leaves, random):
    shuffled = random.sample([*leaves, (0.3, 0, 0)], len(leaves) + 1)
    assert curve_of(shuffled).auc == curve_of(leaves).auc


@some
@given(leaf_tables())
def test_scores_and_classes_turned_round_have_the_same_area(leaves):
    turned = [(1 - score, theirs, ours) for score, ours, theirs in leaves]
    assert curve_of(turned).auc == curve_of(leaves).auc


@some
@given(leaf_tables())
def test_weighted_cases_make_the_curve_of_their_leaves(leaves):
    y, scores, weights = cases(leaves)
    ours, theirs = Curve.from_scores(y, scores, sample_weight=weights), curve_of(leaves)
    for name in ("scores", "positives", "negatives"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist()


@given(leaf_tables(counts=st.floats(0.001, 1000.0)), st.floats(1e-50, 1e50))
def test_weights_of_any_size_have_the_same_area(leaves, scale):
    scaled = [(score, scale * ours, scale * theirs) for score, ours, theirs in leaves]
    assert curve_of(scaled).auc == near(curve_of(leaves).auc)


@given(st.lists(st.floats(0.001, 10.0), min_size=1), st.lists(st.floats(0.001, 10.0), min_size=1))
def test_separated_classes_have_an_area_of_exactly_one_whatever_the_weights(ours, theirs):
    scores = np.arange(len(ours) + len(theirs))[::-1]
    positives, negatives = [*ours, *[0.0] * len(theirs)], [*[0.0] * len(ours), *theirs]
    assert Curve.from_leaves(scores, positives, negatives).auc == 1.0
    assert Curve.from_leaves(-scores, positives, negatives).auc == 0.0


@some
@given(leaf_tables())
def test_a_curve_tells_its_sizes(leaves):
    curve = curve_of(leaves)
    n_positive, n_negative = naive.totals(leaves)
    assert (curve.n_positive, curve.n_negative) == (n_positive, n_negative)
    assert curve.prior == near(n_positive / (n_positive + n_negative))
    assert f"{float(n_positive):g} positives" in repr(curve)


def test_the_arrays_of_a_curve_cannot_be_changed_and_those_given_can():
    scores = np.array([0.5, 0.2])
    curve = Curve(scores, np.ones(2), np.ones(2))
    with pytest.raises(ValueError, match="read-only"):
        curve.scores[0] = 1.0
    scores[0] = 0.7


# Ties.


def test_scores_equal_to_twelve_decimals_are_ties():
    leaves = [(0.1 + 0.2, 3, 0), (0.3, 0, 3), (0.1, 2, 2)]
    assert curve_of(leaves).auc == naive.auc([(3, 3, 0), (3, 0, 3), (1, 2, 2)])
    assert len(curve_of(leaves).scores) == 2


def test_scores_that_differ_in_the_last_bit_are_none_if_exact():
    leaves = [(0.1 + 0.2, 3, 0), (0.3, 0, 3), (0.1, 2, 2)]
    assert curve_of(leaves, exact=True).auc == float(naive.auc(leaves))
    assert len(curve_of(leaves, exact=True).scores) == 3


@given(st.lists(st.floats(-1e300, 1e300), min_size=1))
def test_every_case_reaches_the_threshold_of_its_own_score(scores):
    y = np.arange(len(scores)) % 2
    curve = Curve.from_scores(y, scores)
    called = [(np.array(scores) >= threshold).sum() for threshold in curve.scores]
    assert called == (curve.tp + curve.fp)[1:].tolist()


def test_a_threshold_is_never_above_the_score_that_was_rounded():
    assert Curve.from_scores([0, 1], [1 / 3, 2 / 3]).points().threshold[1] == 2 / 3


@pytest.mark.parametrize("scale", [1e5, 1e100, 1e300])
def test_large_scores_are_compared_exactly(scale):
    assert Curve.from_scores([0, 1, 0, 1], np.array([1, 2, 3, 4]) * scale).auc == 0.75


# The hull.


@some
@given(leaf_tables())
def test_the_hull_has_the_corners_above_all_lines_between_points(leaves):
    hull = curve_of(leaves).hull()
    assert pairs(hull.points()) == pytest.approx(np.array(naive.hull(leaves), float), abs=1e-15)


@some
@given(leaf_tables())
def test_the_hull_is_that_of_scipy(leaves):
    curve = curve_of(leaves)
    # The corner at the right below makes a triangle at least, and is below all of the curve.
    points = np.vstack([pairs(curve.points()), [1.0, -1.0]])
    corners = np.unique(points[ConvexHull(points).vertices], axis=0)
    theirs = corners[corners[:, 1] >= 0.0]
    ours = pairs(curve.hull().points())
    assert [point for point in theirs.tolist() if point not in ours.tolist()] == []
    assert np.trapezoid(ours[:, 1], ours[:, 0]) == near(np.trapezoid(theirs[:, 1], theirs[:, 0]))


@some
@given(leaf_tables())
def test_the_hull_is_never_below_the_curve_and_is_its_own_hull(leaves):
    curve = curve_of(leaves)
    hull = curve.hull()
    assert hull.auc >= curve.auc
    assert pairs(hull.hull().points()).tolist() == pairs(hull.points()).tolist()
    assert set(hull.scores) <= set(curve.scores)


@some
@given(leaf_tables())
def test_leaves_ordered_by_their_own_shares_are_their_hull(leaves):
    own = [(ours / (ours + theirs), ours, theirs) for _, ours, theirs in leaves if ours + theirs]
    curve = curve_of(own)
    assert curve.hull().auc == near(curve.auc)


# Points between points.


@some
@given(leaf_tables(), RATES)
def test_at_a_false_positive_rate_is_the_highest_point(leaves, rate):
    curve = curve_of(leaves)
    found = curve.at(fpr=float(rate))
    # Rates that are equal on paper may be neighbours in floats, on either side of a step.
    line = naive.points(leaves)
    near_by = [naive.height(line, min(max(rate + e, 0), 1)) for e in (-TINY, 0, TINY)]
    assert any(found.tpr == pytest.approx(float(tpr), abs=1e-9) for tpr in near_by)
    assert found.fpr == float(rate)


@some
@given(leaf_tables(), RATES)
def test_at_a_true_positive_rate_is_the_lowest_false_one(leaves, rate):
    found = curve_of(leaves).at(tpr=float(rate))
    line = naive.mirrored(naive.points(leaves))
    near_by = [-naive.height(line, -min(max(rate + e, 0), 1)) for e in (-TINY, 0, TINY)]
    assert any(found.fpr == pytest.approx(float(fpr), abs=1e-9) for fpr in near_by)
    assert found.tpr == float(rate)


@some
@given(leaf_tables())
def test_at_the_rates_of_a_corner_of_the_hull_is_that_corner(leaves):
    hull = curve_of(leaves).hull()
    for fpr, tpr, threshold in zip(*hull.points(), strict=True):
        if tpr < 1.0:
            assert hull.at(tpr=tpr) == (fpr, tpr, threshold)
        if fpr > 0.0:
            assert hull.at(fpr=fpr) == (fpr, tpr, threshold)


@some
@given(leaf_tables(), RATES)
def test_the_threshold_of_a_point_keeps_the_rates_within_it(leaves, rate):
    curve = curve_of(leaves)
    for found in (curve.at(fpr=float(rate)), curve.at(tpr=float(rate))):
        n = int(np.sum(curve.scores >= found.threshold))
        assert curve.fpr[n] <= found.fpr
        assert curve.tpr[n] <= found.tpr + 1e-15


@some
@given(leaf_tables(), RATES.filter(bool))
def test_the_partial_area_is_that_of_the_line_up_to_a_rate(leaves, rate):
    found = curve_of(leaves).partial_auc(float(rate), standardised=False)
    assert found == pytest.approx(float(naive.partial_auc(leaves, rate)), abs=1e-12)


def test_the_partial_area_up_to_a_vertical_step_is_that_before_the_step():
    curve = curve_of([(4, 1, 0), (3, 0, 1), (2, 2, 0), (1, 1, 3)])
    assert curve.at(fpr=0.25).tpr == 0.75
    # The curve is flat at 1/4 before the step, and rises from 3/4 to 1 after it.
    assert curve.partial_auc(0.25, standardised=False) == 0.25 * 0.25
    assert curve.partial_auc(0.5, standardised=False) == pytest.approx(
        0.25 * 0.25 + 0.25 * (0.75 + 5 / 6) / 2
    )


@some
@given(leaf_tables())
def test_the_partial_area_of_all_rates_is_the_area(leaves):
    curve = curve_of(leaves)
    assert curve.partial_auc() == curve.partial_auc(1.0, standardised=False) == curve.auc


@pytest.mark.parametrize(("leaves", "expected"), [([(1, 1, 1)], 0.5), ([(1, 1, 0), (0, 0, 1)], 1)])
def test_standardised_partial_areas_of_chance_and_perfection(leaves, expected):
    assert curve_of(leaves).partial_auc(0.3) == pytest.approx(expected)


def test_a_height_beyond_the_ends_is_that_of_the_end():
    x, y = np.array([0.2, 0.2, 0.6]), np.array([0.1, 0.3, 0.5])
    assert interpolate(x, y, [0.0, 0.2, 0.4, 0.6, 1.0]).tolist() == [0.1, 0.3, 0.4, 0.5, 0.5]


TINY = Fraction(1, 10**14)
