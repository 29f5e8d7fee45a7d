"""Without positives or negatives: numbers are not numbers, what needs both is refused."""

import numpy as np
import pytest

from roctree import DataError
from roctree.roc import Curve, one_vs_rest
from tests.roc.leaves import curve_of

NO_POSITIVES = [(0.7, 0, 3), (0.2, 0, 2)]
NO_NEGATIVES = [(0.7, 3, 0), (0.2, 2, 0)]
NO_CASES = [(0.7, 0, 0), (0.2, 0, 0)]

one_sided = pytest.mark.parametrize(
    "leaves", [NO_POSITIVES, NO_NEGATIVES, NO_CASES], ids=["negatives", "positives", "nothing"]
)


@one_sided
def test_areas_are_not_numbers(leaves):
    curve = curve_of(leaves)
    assert np.isnan([curve.auc, curve.partial_auc(0.3), curve.partial_auc(0.3, False)]).all()
    assert "AUC nan" in repr(curve)


@one_sided
def test_points_between_points_are_not_numbers(leaves):
    curve = curve_of(leaves)
    assert np.isnan(curve.at(fpr=0.3)[1:]).all()
    assert np.isnan(curve.at(tpr=0.3)[::2]).all()


def test_the_rate_of_the_class_without_cases_is_not_a_number():
    assert np.isnan(curve_of(NO_POSITIVES).points().tpr).all()
    assert curve_of(NO_POSITIVES).points().fpr.tolist() == [0.0, 0.6, 1.0]
    assert np.isnan(curve_of(NO_NEGATIVES).points().fpr).all()
    assert curve_of(NO_NEGATIVES).points().tpr.tolist() == [0.0, 0.6, 1.0]


def test_the_prior_is_that_of_the_cases():
    priors = [curve_of(leaves).prior for leaves in (NO_POSITIVES, NO_NEGATIVES, NO_CASES)]
    assert priors == pytest.approx([0.0, 1.0, np.nan], nan_ok=True)


@one_sided
def test_the_hull_is_one_segment(leaves):
    assert curve_of(leaves).hull().scores.tolist() == [0.2]


def test_costs_are_those_of_the_other_class_unless_a_prior_says_that_both_occur():
    assert curve_of(NO_POSITIVES).expected_cost().tolist() == [0.0, 0.6, 1.0]
    assert curve_of(NO_NEGATIVES).expected_cost().tolist() == pytest.approx([1.0, 0.4, 0.0])
    assert np.isnan(curve_of(NO_POSITIVES).expected_cost(prior=0.3)).all()
    assert np.isnan(curve_of(NO_CASES).expected_cost()).all()


def test_precision_is_known_and_recall_only_with_positives():
    found = curve_of(NO_POSITIVES).precision_recall()
    assert found.precision.tolist() == [0.0, 0.0]
    assert np.isnan(found.recall).all()
    assert np.isnan(found.average)
    assert curve_of(NO_NEGATIVES).precision_recall().average == 1.0


def test_a_brier_curve_needs_cases_of_any_class():
    assert curve_of(NO_POSITIVES).brier_curve().area == pytest.approx((3 * 0.49 + 2 * 0.04) / 5)
    assert curve_of(NO_NEGATIVES).brier_curve().area == pytest.approx((3 * 0.09 + 2 * 0.64) / 5)
    with pytest.raises(DataError, match="There are no cases"):
        curve_of(NO_CASES).brier_curve()


@one_sided
@pytest.mark.parametrize(
    "method", ["cost_curve", "precision_recall_gain", "band", "auc_variance", "auc_interval"]
)
def test_what_needs_both_classes_is_refused(leaves, method):
    with pytest.raises(DataError, match=r"There are \d positives and \d negatives: .* needs"):
        getattr(curve_of(leaves), method)()


@pytest.mark.parametrize(("label", "n_positive"), [(0, 0), (-1, 0), (False, 0), (1, 3), (True, 3)])
def test_labels_of_one_class_are_positive_if_they_say_so(label, n_positive):
    assert Curve.from_scores([label] * 3, [1, 2, 3]).n_positive == n_positive


@pytest.mark.parametrize(("label", "n_positive"), [("no", 0), ("yes", 3)])
def test_words_of_one_class_are_positive_if_the_user_says_so(label, n_positive):
    assert Curve.from_scores([label] * 3, [1, 2, 3], positive="yes").n_positive == n_positive


def test_a_class_without_cases_has_a_curve_against_the_rest_all_the_same():
    curves = one_vs_rest([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]], [[1, 0, 1], [2, 0, 3]])
    assert [np.isnan(curve.auc) for curve in curves] == [False, True, False]
