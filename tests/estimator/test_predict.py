import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from roctree import NotFittedError, ROCTreeClassifier
from tests.estimator import weather


def leaf_frequencies(tree, X, y):
    """The class frequencies among the training rows that fall into the same leaf."""
    leaves = tree.apply(X)
    frequencies = pd.crosstab(leaves, np.asarray(y), normalize="index")
    return frequencies.loc[leaves, tree.classes_].to_numpy()


def test_probabilities_are_the_frequencies_of_the_leaf():
    X, y = weather.complete()
    tree = ROCTreeClassifier(max_depth=3, smoothing="none").fit(X, y)
    assert np.allclose(tree.predict_proba(X), leaf_frequencies(tree, X, y))


def test_labels_are_the_most_probable_classes():
    X, y = load_iris(return_X_y=True)
    tree = ROCTreeClassifier(max_depth=2).fit(X, y)
    assert np.array_equal(tree.predict(X), tree.classes_[tree.predict_proba(X).argmax(axis=1)])


def test_a_tie_goes_to_the_first_class():
    tree = ROCTreeClassifier(max_depth=0).fit([[0.0], [1.0]], ["b", "a"])
    assert tree.predict([[0.0]]).tolist() == ["a"]
    assert tree.decision_function([[0.0]]).tolist() == [0.0]


def test_a_leaf_without_cases_reports_its_parent():
    colours = pd.DataFrame({"colour": pd.Categorical(list("rrrgggg"), categories=list("rgb"))})
    unsmoothed = ROCTreeClassifier(nominal="multiway", smoothing="none")
    tree = unsmoothed.fit(colours, [0, 0, 1, 1, 1, 1, 1])
    assert 0.0 in tree.tree_.weight
    blue = pd.DataFrame({"colour": pd.Categorical(["b"], categories=list("rgb"))})
    assert np.allclose(tree.predict_proba(blue), [[2 / 7, 5 / 7]])


def test_a_missing_value_is_divided_among_the_branches():
    tree = ROCTreeClassifier(smoothing="none")
    tree.fit([[0.0], [1.0], [1.0], [1.0]], ["a", "b", "b", "b"])
    assert tree.predict_proba([[None]]).tolist() == [[0.25, 0.75]]
    assert tree.apply([[None]]).tolist() == tree.apply([[1.0]]).tolist()
    assert tree.decision_path([[None], [0.0]]).toarray().tolist() == [[1, 1, 1], [1, 1, 0]]


def test_log_probabilities_are_logarithms_even_of_zero():
    tree = ROCTreeClassifier(smoothing="none").fit([[0.0], [1.0]], [0, 1])
    assert tree.predict_log_proba([[0.0]]).tolist() == [[0.0, -np.inf]]


@pytest.mark.parametrize("class_weight", [None, "balanced", {"play": 3, "home": 0.5}])
def test_the_score_is_positive_just_where_the_second_class_is_predicted(class_weight):
    X, y = weather.frame()
    tree = ROCTreeClassifier(class_weight=class_weight, max_depth=3).fit(X, y)
    assert np.array_equal(tree.decision_function(X) > 0, tree.predict(X) == tree.classes_[1])


def test_the_score_rises_with_the_probability():
    X, y = weather.frame()
    tree = ROCTreeClassifier(max_depth=4).fit(X, y)
    by_probability = np.argsort(tree.predict_proba(X)[:, 1])
    assert np.all(np.diff(tree.decision_function(X)[by_probability]) >= 0)


def test_three_classes_have_three_scores():
    X, y = load_iris(return_X_y=True)
    tree = ROCTreeClassifier().fit(X, y)
    assert tree.decision_function(X).shape == (150, 3)
    assert np.array_equal(tree.decision_function(X), tree.predict_proba(X))


def test_the_path_of_a_row_ends_in_its_leaf():
    X, y = weather.complete()
    tree = ROCTreeClassifier().fit(X, y)
    path = tree.decision_path(X).tocsr()
    last = [path.indices[path.indptr[row + 1] - 1] for row in range(len(y))]
    assert np.array_equal(last, tree.apply(X))


def test_importances_add_up_to_one_and_name_the_informative_columns():
    X, y = weather.complete()
    importances = ROCTreeClassifier(max_depth=2).fit(X, y).feature_importances_
    assert importances.sum() == pytest.approx(1.0)
    assert importances[2] < importances[0]
    assert importances[2] < importances[1]


def test_depth_leaves_and_text_describe_the_tree():
    X, y = weather.frame()
    tree = ROCTreeClassifier(max_leaf_nodes=3).fit(X, y)
    assert tree.get_n_leaves() == 3
    assert tree.get_depth() == 2
    assert len([line for line in tree.to_text().splitlines() if "cases" in line]) == 3
    assert len(tree.to_text(max_depth=1).splitlines()) == 2


@pytest.mark.parametrize(
    "method",
    [
        "predict",
        "predict_proba",
        "predict_log_proba",
        "decision_function",
        "apply",
        "decision_path",
    ],
)
def test_an_unfitted_tree_says_so(method):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(ROCTreeClassifier(), method)([[0.0]])


@pytest.mark.parametrize("method", ["get_depth", "get_n_leaves", "to_text"])
def test_an_unfitted_tree_has_no_description(method):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(ROCTreeClassifier(), method)()


def test_an_unfitted_tree_has_no_importances():
    with pytest.raises(NotFittedError):
        ROCTreeClassifier().feature_importances_  # noqa: B018
