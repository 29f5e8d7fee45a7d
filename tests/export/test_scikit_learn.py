"""Trees as arrays of scikit-learn and of SHAP; tests/test_interoperability.py runs the tools."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier, export_text

from roctree import ParameterError, ROCTreeClassifier
from tests.estimator import weather


def cases(n_classes=2, n_rows=400, seed=0):
    """Random numbers that float32 holds exactly, and classes that depend on them."""
    random = np.random.default_rng(seed)
    X = random.integers(-40, 40, size=(n_rows, 4)) / 8.0
    score = X[:, 0] + random.normal(size=n_rows)
    names = np.array(["low", "middle", "high"])[:n_classes]
    return X, names[np.digitize(score, [0.0, 2.0][: n_classes - 1])]


def with_gaps(X, seed=1):
    return np.where(np.random.default_rng(seed).random(X.shape) < 0.2, np.nan, X)


@pytest.mark.parametrize("n_classes", [1, 2, 3])
@pytest.mark.parametrize("smoothing", ["none", "laplace", "m_branch"])
@pytest.mark.filterwarnings("ignore:The target is")
def test_the_tree_of_scikit_learn_is_equivalent(n_classes, smoothing):
    X, y = cases(n_classes)
    tree = ROCTreeClassifier(smoothing=smoothing, min_samples_leaf=3).fit(X, y)
    theirs = tree.to_sklearn()
    assert isinstance(theirs, DecisionTreeClassifier)
    assert theirs.classes_.tolist() == tree.classes_.tolist()
    new, _ = cases(seed=2)
    assert np.array_equal(theirs.predict_proba(new), tree.predict_proba(new))
    assert np.array_equal(theirs.predict(new), tree.predict(new))
    assert np.array_equal(theirs.apply(new), tree.apply(new))
    assert np.array_equal(theirs.decision_path(new).toarray(), tree.decision_path(new).toarray())
    assert theirs.get_depth() == tree.get_depth()
    assert theirs.get_n_leaves() == tree.get_n_leaves()
    again = pickle.loads(pickle.dumps(theirs))
    assert np.array_equal(again.predict_proba(new), tree.predict_proba(new))


def test_missing_values_that_are_not_divided_go_the_same_way():
    X, y = cases()
    tree = ROCTreeClassifier(missing="branch", min_samples_leaf=3).fit(with_gaps(X), y)
    new = with_gaps(cases(seed=3)[0], seed=4)
    assert np.array_equal(tree.to_sklearn().predict_proba(new), tree.predict_proba(new))
    assert np.array_equal(shap_probabilities(tree, new), tree.predict_proba(new))


def test_a_missing_value_that_training_did_not_have_goes_to_the_heavier_branch():
    X, y = cases()
    tree = ROCTreeClassifier(min_samples_leaf=3).fit(X, y)
    new = with_gaps(X)
    assert np.array_equal(tree.to_sklearn().apply(new), tree.apply(new))


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_a_tree_of_the_same_splits_has_the_importances_of_scikit_learn(criterion):
    X, y = cases(n_rows=3000)
    X = X + np.arange(len(X))[:, None] * 2.0**-13  # no ties between splits
    X = X.astype(np.float32).astype(np.float64)
    ours = ROCTreeClassifier(criterion=criterion, max_depth=4, smoothing="none").fit(X, y)
    theirs = DecisionTreeClassifier(criterion=criterion, max_depth=4, random_state=0).fit(X, y)
    found = ours.to_sklearn()
    assert found.criterion == criterion
    assert found.tree_.impurity.sum() == pytest.approx(theirs.tree_.impurity.sum())
    assert found.feature_importances_ == pytest.approx(theirs.feature_importances_)


def test_names_of_columns_are_kept():
    X, y = cases()
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    tree = ROCTreeClassifier(max_depth=1).fit(frame, y).to_sklearn()
    assert tree.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert export_text(tree, feature_names=tree.feature_names_in_).startswith("|--- a <= ")
    assert clone(tree).fit(frame, y).get_depth() > 1


def shap_probabilities(tree, X):
    """The probabilities of rows by the arrays of the dict, one row and one split at a time."""
    (arrays,) = tree.to_shap()["trees"]
    found = []
    for row in X:
        node = 0
        while arrays["children_left"][node] >= 0:
            value = row[arrays["features"][node]]
            if np.isnan(value):
                node = arrays["children_default"][node]
            elif value <= arrays["thresholds"][node]:
                node = arrays["children_left"][node]
            else:
                node = arrays["children_right"][node]
        found.append(arrays["values"][node])
    return np.array(found)


def test_the_arrays_for_shap_hold_probabilities_and_weights():
    X, y = load_breast_cancer(return_X_y=True)
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    tree = ROCTreeClassifier(class_weight="balanced").fit(X, y, sample_weight=weights)
    assert np.array_equal(shap_probabilities(tree, X), tree.predict_proba(X))
    found = tree.to_shap()
    assert found["trees"][0]["node_sample_weight"][0] == weights.sum()
    leaves = tree.tree_.is_leaf
    for name in ("children_left", "children_right", "children_default", "features", "thresholds"):
        assert (found["trees"][0][name][leaves] == -1).all()
    # SHAP changes the values of inner nodes.
    found["trees"][0]["values"][:] = 0.0
    assert np.array_equal(shap_probabilities(tree, X), tree.predict_proba(X))


def divided():
    X, y = cases()
    return ROCTreeClassifier().fit(with_gaps(X), y)


def with_points():
    tree = ROCTreeClassifier(max_leaf_nodes=6, points="linear")
    return tree.fit(*load_breast_cancer(return_X_y=True))


def dated():
    X, y = cases()
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(X[:, 0], unit="D")
    return ROCTreeClassifier().fit(pd.DataFrame({"joined": days}), y)


REFUSED = {
    "Column sky is nominal, but": lambda: ROCTreeClassifier().fit(*weather.frame(50)),
    "Column joined holds dates, but": dated,
    "use ranked('leaf') first": lambda: ROCTreeClassifier(ranking="soft").fit(*cases()),
    "fit with missing='branch'": divided,
    "use without_points() first": with_points,
    "fit without geometric_probability=True": lambda: ROCTreeClassifier(
        geometric_probability=True
    ).fit(*cases()),
}


@pytest.mark.parametrize("message", REFUSED)
@pytest.mark.parametrize("method", ["to_sklearn", "to_shap"])
def test_a_tree_that_such_arrays_cannot_hold_is_refused(message, method):
    tree = REFUSED[message]()
    with pytest.raises(ParameterError, match=re.escape(message)):
        getattr(tree, method)()


def test_what_a_refusal_advises_helps():
    soft = ROCTreeClassifier(ranking="soft").fit(*cases())
    assert soft.ranked("leaf").to_sklearn().get_n_leaves() == soft.get_n_leaves()
    assert with_points().without_points().to_sklearn().get_n_leaves() == 6


def test_calibrated_probabilities_are_those_of_the_leaves():
    tree = ROCTreeClassifier(max_leaf_nodes=6).fit(*cases()).calibrated(*cases(seed=5))
    new, _ = cases(seed=6)
    assert np.array_equal(tree.to_sklearn().predict_proba(new), tree.predict_proba(new))
    assert np.array_equal(shap_probabilities(tree, new), tree.predict_proba(new))


@pytest.mark.parametrize(
    "relabelled",
    [
        lambda tree: tree.at(cost_fp=1, cost_fn=9),
        lambda tree: tree.at(max_fpr=0.07, randomise=True),
        lambda tree: tree.at(cost_reject=0.3),
        lambda tree: clone(tree).set_params(class_weight={"middle": 1, "low": 30}).fit(*cases()),
    ],
)
def test_labels_that_do_not_follow_probabilities_are_refused(relabelled):
    tree = ROCTreeClassifier(max_leaf_nodes=6).fit(*cases())
    other = relabelled(tree.set_params(min_samples_leaf=20))
    with pytest.raises(ParameterError, match="predicts the most probable class of a leaf"):
        other.to_sklearn()
    assert np.array_equal(shap_probabilities(other, cases()[0]), other.predict_proba(cases()[0]))
