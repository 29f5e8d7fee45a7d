"""What scikit-learn has too is the same number there."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from roctree.roc import Curve, mauc, one_vs_rest
from tests.roc.leaves import SCORES, cases, leaf_tables, some


@st.composite
def scored_cases(draw):
    """Labels, scores with and without ties, and weights."""
    n = draw(st.integers(2, 25))
    score = SCORES if draw(st.booleans()) else st.floats(-3.0, 3.0)
    scores = draw(st.lists(score, min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    assume(len(set(y)) == 2)
    weights = draw(st.lists(st.floats(0.01, 10.0), min_size=n, max_size=n))
    return np.array(y), np.array(scores), np.array(weights)


@some
@given(scored_cases())
def test_roc_curve(case):
    y, scores, weights = case
    theirs = roc_curve(y, scores, sample_weight=weights, drop_intermediate=False)
    ours = Curve.from_scores(y, scores, sample_weight=weights, exact=True).points()
    for mine, yours in zip(ours, theirs, strict=True):
        assert mine == pytest.approx(yours, abs=1e-14)


@some
@given(scored_cases())
def test_roc_auc_score(case):
    y, scores, weights = case
    ours = Curve.from_scores(y, scores, sample_weight=weights, exact=True).auc
    theirs = roc_auc_score(y, scores, sample_weight=weights)
    assert ours == pytest.approx(theirs, abs=1e-14)


@some
@given(scored_cases(), st.floats(0.01, 1.0))
def test_roc_auc_score_up_to_a_false_positive_rate(case, max_fpr):
    y, scores, weights = case
    ours = Curve.from_scores(y, scores, sample_weight=weights, exact=True).partial_auc(max_fpr)
    theirs = roc_auc_score(y, scores, sample_weight=weights, max_fpr=max_fpr)
    assert ours == pytest.approx(theirs, abs=1e-12)


@some
@given(scored_cases())
def test_average_precision_score(case):
    y, scores, weights = case
    curve = Curve.from_scores(y, scores, sample_weight=weights, exact=True)
    theirs = average_precision_score(y, scores, sample_weight=weights)
    assert curve.precision_recall().average == pytest.approx(theirs, abs=1e-13)


@some
@given(scored_cases())
def test_precision_recall_curve(case):
    y, scores, weights = case
    ours = Curve.from_scores(y, scores, sample_weight=weights, exact=True).precision_recall()
    precision, recall, thresholds = precision_recall_curve(y, scores, sample_weight=weights)
    # Theirs run the other way and end with nothing called positive.
    assert ours.precision == pytest.approx(precision[-2::-1], abs=1e-13)
    assert ours.recall == pytest.approx(recall[-2::-1], abs=1e-13)
    assert ours.threshold.tolist() == thresholds[::-1].tolist()


@some
@given(leaf_tables(counts=st.floats(0.01, 10.0)))
def test_brier_score_loss(leaves):
    y, scores, weights = cases(leaves)
    curve = Curve.from_scores(y, scores, sample_weight=weights)
    theirs = brier_score_loss(y, scores, sample_weight=weights)
    assert curve.brier_curve().area == pytest.approx(theirs, abs=1e-13)


@st.composite
def class_probabilities(draw):
    """Labels of at least three classes, and a row of probabilities for each."""
    n_classes = draw(st.integers(3, 5))
    y = [*range(n_classes), *draw(st.lists(st.integers(0, n_classes - 1), max_size=20))]
    parts = st.lists(st.integers(1, 5), min_size=n_classes, max_size=n_classes)
    rows = np.array(draw(st.lists(parts, min_size=len(y), max_size=len(y))), dtype=float)
    return np.array(y), rows / rows.sum(axis=1, keepdims=True)


@some
@given(class_probabilities())
def test_roc_auc_score_over_pairs_of_classes(case):
    y, scores = case
    theirs = roc_auc_score(y, scores, multi_class="ovo", average="macro")
    assert mauc(scores, y, exact=True) == pytest.approx(theirs, abs=1e-14)


@some
@given(class_probabilities())
def test_roc_auc_score_of_each_class_against_the_rest(case):
    y, scores = case
    ours = [curve.auc for curve in one_vs_rest(scores, y, exact=True)]
    theirs = roc_auc_score(y, scores, multi_class="ovr", average=None)
    assert ours == pytest.approx(theirs.tolist(), abs=1e-14)


def test_classes_without_cases_are_left_out_of_the_mean_as_there():
    scores = [[0.6, 0.3, 0.1, 0.0], [0.2, 0.5, 0.3, 0.0], [0.2, 0.4, 0.2, 0.2], [0.1, 0.1, 0.8, 0]]
    y, classes = [0, 1, 0, 2], [0, 1, 2, 3]
    theirs = roc_auc_score(y, scores, multi_class="ovo", labels=classes)
    assert mauc(scores, y, classes=classes) == pytest.approx(theirs, abs=1e-15)
