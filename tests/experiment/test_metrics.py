"""Measures agree with those of scikit-learn."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from roctree import ROCTreeClassifier
from roctree.errors import ParameterError
from roctree.experiment import METRICS, Answer, BuiltIn
from roctree.experiment.metrics import FBeta, resolve_metrics


def answer_of(seed, n_classes, n=40, positive=0):
    random = np.random.default_rng(seed)
    # Few distinct rows, as in the leaves of a tree.
    leaves = random.dirichlet(np.ones(n_classes), 6)
    probabilities = leaves[random.integers(6, size=n)]
    truth = np.r_[np.arange(n_classes), random.integers(n_classes, size=n - n_classes)]
    scores = probabilities[:, 1] if n_classes == 2 else None
    predicted = probabilities.argmax(axis=1)
    return Answer(
        SimpleNamespace(), None, truth.astype(np.int32), predicted, probabilities, scores, positive
    )


@given(st.integers(0, 1000), st.integers(2, 4))
def test_measures_agree_with_scikit_learn(seed, n_classes):
    answer = answer_of(seed, n_classes)
    truth, probabilities = answer.truth, answer.probabilities
    area = (
        sk.roc_auc_score(truth, probabilities[:, 1])
        if n_classes == 2
        else sk.roc_auc_score(truth, probabilities, multi_class="ovo")
    )
    assert METRICS["auc"](answer) == pytest.approx(area)
    assert METRICS["mauc_hand_till"](answer) == pytest.approx(area)
    assert METRICS["accuracy"](answer) == pytest.approx(sk.accuracy_score(truth, answer.predicted))
    clipped = np.maximum(probabilities, 1e-6)
    assert METRICS["log_loss"](answer) == pytest.approx(
        -np.log(clipped[np.arange(len(truth)), truth]).mean()
    )
    one_hot = np.eye(n_classes)[truth]
    assert METRICS["brier"](answer) == pytest.approx(((one_hot - probabilities) ** 2).sum(1).mean())
    assert METRICS["balanced_accuracy"](answer) == pytest.approx(
        sk.balanced_accuracy_score(truth, answer.predicted)
    )


@given(st.integers(0, 1000), st.sampled_from([0.5, 1.0, 2.0]), st.integers(0, 1))
def test_the_f_measure_agrees_with_scikit_learn(seed, beta, positive):
    answer = answer_of(seed, 2, positive=positive)
    expected = sk.fbeta_score(
        answer.truth, answer.predicted, beta=beta, pos_label=positive, zero_division=0
    )
    assert FBeta(beta)(answer) == pytest.approx(expected)


@given(st.integers(0, 1000))
def test_both_mean_areas_agree_for_two_classes(seed):
    answer = answer_of(seed, 2)
    assert METRICS["mauc_renormalised"](answer) == pytest.approx(METRICS["mauc_hand_till"](answer))


def test_swapped_accuracy_swaps_the_class_frequencies():
    truth = np.array([0] * 8 + [1] * 2, np.int32)
    predicted = np.array([0] * 8 + [1, 0])
    answer = Answer(None, None, truth, predicted, np.eye(2)[predicted], None, 1)
    assert METRICS["accuracy"](answer) == pytest.approx(0.9)
    assert METRICS["balanced_accuracy"](answer) == pytest.approx(0.75)
    assert METRICS["swapped_accuracy"](answer) == pytest.approx(0.2 * 1.0 + 0.8 * 0.5)
    assert np.isnan(METRICS["swapped_accuracy"](answer_of(0, 3)))


def test_balanced_accuracy_is_the_mean_of_original_and_swapped_accuracy():
    answer = answer_of(3, 2)
    both = METRICS["accuracy"](answer) + METRICS["swapped_accuracy"](answer)
    assert both == pytest.approx(2 * METRICS["balanced_accuracy"](answer))


def test_a_class_without_training_cases_has_probability_zero():
    iris = BuiltIn().load("iris")
    seen = iris.labels < 2
    tree = ROCTreeClassifier().fit(iris.rows[seen], iris.y[seen])
    answer = Answer.from_model(tree, iris.rows, iris.labels, iris.classes, 0)
    assert answer.probabilities.shape == (150, 3)
    assert not answer.probabilities[:, 2].any()
    assert METRICS["accuracy"](answer) == pytest.approx(2 / 3, abs=0.01)
    assert METRICS["leaves"](answer) == tree.get_n_leaves()
    assert METRICS["depth"](answer) == tree.get_depth()


def test_a_model_without_leaves_has_no_number_of_leaves():
    assert np.isnan(METRICS["leaves"](answer_of(0, 2)))
    assert np.isnan(METRICS["depth"](answer_of(0, 2)))


def test_an_unknown_measure_is_rejected():
    with pytest.raises(ParameterError, match="beta='three'"):
        FBeta("three")
    with pytest.raises(ParameterError, match="did you mean 'accuracy'"):
        resolve_metrics(["accurcy"])
    assert list(resolve_metrics("auc")) == ["auc"]
    assert resolve_metrics({"half": lambda _: 0.5})["half"](None) == 0.5
