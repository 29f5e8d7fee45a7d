"""The curve of a fitted tree: leaves in the order of training, counts of any cases."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import roc_auc_score

from roctree import ROCTreeClassifier
from tests.estimator import weather

X, Y = make_classification(400, 5, flip_y=0.2, random_state=0)
TRAIN, TEST = slice(0, 200), slice(200, 400)


@pytest.fixture(scope="module")
def tree():
    return ROCTreeClassifier(min_samples_leaf=10).fit(X[TRAIN], Y[TRAIN])


def test_the_curve_of_training_has_the_counts_of_the_tree(tree):
    curve = tree.roc(positive=1)
    assert (curve.n_positive, curve.n_negative) == (Y[TRAIN].sum(), (1 - Y[TRAIN]).sum())
    assert curve.auc == pytest.approx(roc_auc_score(Y[TRAIN], tree.predict_proba(X[TRAIN])[:, 1]))


def test_the_curve_of_other_cases_keeps_the_order_of_training(tree):
    curve = tree.roc(X[TEST], Y[TEST])
    assert curve.scores.tolist() == tree.roc().scores.tolist()
    assert curve.auc == pytest.approx(roc_auc_score(Y[TEST], tree.predict_proba(X[TEST])[:, 1]))
    assert curve.hull().auc > curve.auc


def test_the_other_class_as_positive_turns_the_curve_round(tree):
    assert tree.roc(positive=0).auc == pytest.approx(tree.roc().auc)


def test_a_tree_of_pure_leaves_has_an_area_of_one():
    grown = ROCTreeClassifier(smoothing="none").fit(X, Y)
    assert grown.roc().auc == 1.0


def test_a_tree_of_one_leaf_has_an_area_of_one_half():
    assert ROCTreeClassifier(max_depth=0).fit(X, Y).roc().auc == 0.5


def test_held_out_cases_of_one_class_have_no_area(tree):
    ours = np.flatnonzero(Y == 1)
    assert np.isnan(tree.roc(X[ours], Y[ours]).auc)


def test_several_classes_need_a_positive_one():
    three = ROCTreeClassifier(max_depth=2).fit(X, Y + (X[:, 0] > 1))
    with pytest.raises(ValueError, match="There are 3 classes: give positive"):
        three.roc()
    assert 0.5 < three.roc(positive=1).auc < 1.0


def test_cases_divided_by_missing_values_are_ranked_as_their_probabilities():
    data, labels = weather.frame(300, missing=0.3)
    tree = ROCTreeClassifier(min_samples_leaf=5).fit(data, labels)
    new, truth = weather.frame(200, missing=0.3, seed=1)
    expected = roc_auc_score(truth == "play", tree.predict_proba(new)[:, 1])
    assert tree.roc(new, truth).auc == pytest.approx(expected)


def test_weights_of_cases_count_as_cases(tree):
    weights = np.arange(len(Y[TEST])) % 3
    repeated = np.repeat(np.arange(200, 400), weights)
    weighted = tree.roc(X[TEST], Y[TEST], sample_weight=weights)
    assert weighted.auc == pytest.approx(tree.roc(X[repeated], Y[repeated]).auc)


@pytest.mark.parametrize("given", [{"y": [0, 1]}, {"sample_weight": [1.0, 2.0]}])
def test_labels_or_weights_without_rows_are_refused(tree, given):
    with pytest.raises(ValueError, match="Give X together with y"):
        tree.roc(**given)
