"""What may be handed over, and what is refused in which words."""

import numpy as np
import pytest

from roctree import DataError, ParameterError
from roctree.roc import Curve, compare

LABELS = ["no", "yes", "no", "yes", "yes"]
SCORES = [0.1, 0.9, 0.5, 0.5, 0.3]
AREA = 4.5 / 6


def in_pandas(values):
    return pytest.importorskip("pandas").Series(values, index=range(10, 10 + len(values)))


def in_polars(values):
    return pytest.importorskip("polars").Series(values)


def as_categories(values):
    return in_pandas(values).astype("category")


@pytest.mark.parametrize("kind", [list, tuple, np.array, in_pandas, in_polars])
def test_labels_and_scores_of_any_kind_make_the_same_curve(kind):
    assert Curve.from_scores(kind(LABELS), kind(SCORES)).auc == pytest.approx(AREA)
    weights = kind([2.0, 2.0, 2.0, 2.0, 2.0])
    found = Curve.from_scores(kind(LABELS), kind(SCORES), sample_weight=weights)
    assert found.auc == pytest.approx(AREA)


def test_labels_may_be_categories():
    assert Curve.from_scores(as_categories(LABELS), SCORES).auc == pytest.approx(AREA)


@pytest.mark.parametrize(("no", "yes"), [(False, True), (0, 1), (-1, 1), (0.0, 1.0), ("a", "b")])
def test_the_last_of_two_labels_in_sorted_order_is_positive(no, yes):
    y = [yes if label == "yes" else no for label in LABELS]
    assert Curve.from_scores(y, SCORES).auc == pytest.approx(AREA)
    assert Curve.from_scores(y, SCORES, positive=yes).auc == pytest.approx(AREA)
    assert Curve.from_scores(y, SCORES, positive=no).auc == pytest.approx(1 - AREA)


def test_one_of_several_labels_may_be_positive_against_all_others():
    y = ["no", "yes", "perhaps", "yes", "yes"]
    assert Curve.from_scores(y, SCORES, positive="yes").auc == pytest.approx(AREA)


def test_scores_may_be_whole_numbers_or_booleans():
    assert Curve.from_scores([0, 1, 1], [1, 2, 1]).auc == 0.75
    assert Curve.from_scores([0, 1, 1], [False, True, False]).auc == 0.75


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([0, 1, 2], "3 classes: set positive"),
        (["no", "no", "no"], "only the label 'no': set positive"),
        ([0, 1, None], "label of row 2"),
        ([0, 1, np.nan], "label of row 2"),
        ([0, "a", 1], "mixes text with other types"),
        ([[0, 1], [1, 0], [1, 1]], "1d array"),
        ([0, 1], "3 scores for 2 labels"),
        ([], "y is empty"),
        (None, "y is None"),
    ],
)
def test_labels_that_do_not_fit_are_refused(y, words):
    with pytest.raises(DataError, match=words):
        Curve.from_scores(y, [0.1, 0.2, 0.3])


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (
            [0.1, np.nan, 0.3],
            r"scores has a missing or infinite value in row 1 \(counting from 0\)",
        ),
        ([0.1, 0.2, np.inf], "scores has a missing or infinite value in row 2"),
        ([0.1, None, 0.3], "scores has a missing or infinite value in row 1"),
        (["a", "b", "c"], "scores must contain only numbers"),
        (["1", "2", "3"], "scores must contain only numbers"),
        ([0.1, "b", 0.3], "scores must contain only numbers"),
        (np.array([0.1, "b", 0.3], dtype=object), "scores must contain only numbers"),
        ([[0.1], [0.2, 0.3], [0.4]], "scores must contain only numbers"),
        ([[0.1, 0.9]] * 3, r"shape \(3, 2\): pass one number per case"),
        ([0.1, 0.2], "2 scores for 3 labels"),
        (
            np.ma.masked_array([0.1, 0.2, 0.3], [False, True, False]),
            "scores has a missing or infinite value in row 1",
        ),
    ],
)
def test_scores_that_cannot_be_ranked_are_refused(scores, words):
    with pytest.raises(DataError, match=words):
        Curve.from_scores([0, 1, 1], scores)


def test_comparing_refuses_the_same_labels_and_scores():
    with pytest.raises(DataError, match="3 scores for 4 labels"):
        compare([0, 1, 1, 0], [1, 2, 3, 4], [1, 2, 3])
    with pytest.raises(DataError, match="scores has a missing or infinite value in row 1"):
        compare([0, 1, 1, 0], [1, np.nan, 3, 4], [1, 2, 3, 4])


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, 2], "one weight per row"),
        ([1, -1, 1], "sample_weight is -1.0 in row 1"),
        ([1, np.nan, 1], "sample_weight is nan in row 1"),
        ([0, 0, 0], "all weights in sample_weight are zero"),
    ],
)
def test_weights_that_do_not_fit_are_refused(weights, words):
    with pytest.raises(DataError, match=words):
        Curve.from_scores([0, 1, 1], [0.1, 0.2, 0.3], sample_weight=weights)


def test_a_positive_class_that_none_of_several_labels_is_is_refused():
    with pytest.raises(
        ParameterError, match="positive='yess' is not a label in y, which contains 'no'"
    ):
        Curve.from_scores(LABELS, SCORES, positive="yess")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (([0.1, 0.2], [1], [1, 2]), "2 scores, 1 counts of positives and 2 of negatives"),
        (([], [], []), "at least one leaf"),
        (([0.1, 0.2], [1, -1], [1, 2]), "positives has a negative number in row 1"),
        (([0.1, 0.2], [1, 1], [np.nan, 2]), "negatives has a missing or infinite value in row 0"),
        (([0.1, 0.2], [1e200, 1], [1, 2]), "positives are too extreme to be summed"),
        (([0.1, 0.2], [1, 1], [1e-200, 0]), "negatives are too extreme to be summed"),
    ],
)
def test_leaves_that_do_not_fit_are_refused(table, words):
    with pytest.raises(DataError, match=words):
        Curve.from_leaves(*table)


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        ("at", {}, "exactly one of fpr and tpr"),
        ("at", {"fpr": 0.1, "tpr": 0.2}, "exactly one of fpr and tpr"),
        ("at", {"fpr": 1.1}, "fpr=1.1 must be a number from 0 to 1"),
        ("at", {"tpr": -0.1}, "tpr=-0.1 must be a number from 0 to 1"),
        ("at", {"tpr": float("nan")}, "tpr=nan must be a number from 0 to 1"),
        ("partial_auc", {"max_fpr": 0.0}, "must be a number above 0 and at most 1"),
        ("partial_auc", {"max_fpr": 1.5}, "must be a number above 0 and at most 1"),
    ],
)
def test_rates_that_are_none_are_refused(method, options, words):
    with pytest.raises(ParameterError, match=words):
        getattr(Curve.from_scores(LABELS, SCORES), method)(**options)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda curve: curve.partial_auc("a"), "must be a number above 0"),
        (lambda curve: curve.partial_auc(None), "must be a number above 0"),
        (lambda curve: curve.at(fpr="a"), "must be a number from 0 to 1"),
        (lambda curve: curve.auc_interval(level="a"), "must be a confidence level"),
        (lambda curve: curve.band(n_samples=2.5), "n_samples=2.5 must be an integer"),
        (lambda curve: curve.band(seed=-1), "seed=-1 must be an integer"),
        (lambda curve: curve.expected_cost(cost_fp="a"), "must be a finite, nonnegative number"),
        (lambda curve: curve.expected_cost(prior="a"), "must be a number from 0 to 1"),
    ],
)
def test_what_is_no_number_is_refused_in_a_sentence(ask, message):
    curve = Curve.from_scores(LABELS, SCORES)
    with pytest.raises(ParameterError, match=message) as caught:
        ask(curve)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("counts", [[1e308, 1e308], [10**400, 1]])
def test_counts_too_large_for_sums_are_refused(counts):
    with pytest.raises(DataError, match="positives"):
        Curve.from_leaves([0.1, 0.2], counts, [1, 1])
