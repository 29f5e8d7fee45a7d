"""Soft thresholds from fit to explanation."""

import pickle
import re

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import roc_auc_score

from roctree import DataError, ParameterError, ROCTreeClassifier, presets
from tests.estimator import weather


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return X[::2], y[::2], X[1::2], y[1::2]


@pytest.fixture(scope="module")
def tree(tumours):
    return ROCTreeClassifier(ranking="soft").fit(*tumours[:2])


def test_the_tree_is_printed_as_before(tree, tumours):
    hard = ROCTreeClassifier().fit(*tumours[:2])
    assert tree.to_text() == hard.to_text()
    assert np.array_equal(tree.apply(tumours[2]), hard.apply(tumours[2]))


def test_soft_thresholds_rank_tumours_better(tree, tumours):
    hard = ROCTreeClassifier().fit(*tumours[:2])
    X, y = tumours[2:]
    soft_area = roc_auc_score(y, tree.predict_proba(X)[:, 1])
    assert soft_area > roc_auc_score(y, hard.predict_proba(X)[:, 1]) + 0.01


def test_a_tree_that_becomes_soft_is_one_that_was_fitted_so(tree, tumours):
    hard = ROCTreeClassifier().fit(*tumours[:2])
    soft = hard.ranked("soft", X=tumours[0], y=tumours[1])
    assert soft.tree_ == tree.tree_
    assert not hard.tree_.softness.any()
    assert soft.ranked("leaf").tree_ == hard.tree_


def test_widths_are_for_the_training_cases_to_say(tumours):
    with pytest.raises(ParameterError, match="give X and y to ranked"):
        ROCTreeClassifier().fit(*tumours[:2]).ranked("soft")


def test_a_width_is_a_factor(tree, tumours):
    wider = tree.ranked("soft", width=2.0)
    assert np.allclose(wider.tree_.softness, 2.0 * tree.tree_.softness)
    assert np.allclose(wider.ranked("soft", width=1.0).tree_.softness, tree.tree_.softness)
    fresh = ROCTreeClassifier(ranking="soft", width=2.0).fit(*tumours[:2])
    assert np.array_equal(fresh.tree_.softness, wider.tree_.softness)


def test_a_width_of_zero_predicts_as_the_hard_tree(tumours):
    none = ROCTreeClassifier(ranking="soft", width=0.0).fit(*tumours[:2])
    hard = ROCTreeClassifier().fit(*tumours[:2])
    assert np.array_equal(none.predict_proba(tumours[2]), hard.predict_proba(tumours[2]))


def test_thresholds_without_width_have_a_boundary_and_exact_rates(tumours):
    none = ROCTreeClassifier(ranking="soft", width=0.0).fit(*tumours[:2])
    hard = none.ranked("leaf")
    row = tumours[2][:3]
    assert np.array_equal(none.boundary_distance(row), hard.boundary_distance(row))
    assert "approximate" not in repr(none.at(max_fpr=0.1).operating_point_)


def test_a_parameter_set_after_the_fit_makes_no_soft_tree_hard(tree, tumours):
    later = pickle.loads(pickle.dumps(tree)).set_params(ranking="leaf")
    with pytest.raises(ParameterError, match=r"use ranked\(ranking='leaf'\) first"):
        later.boundary_distance(tumours[2])


@pytest.mark.parametrize("wrong", [-1.0, np.nan, "wide", None, True])
def test_a_width_is_a_number_from_zero_on(wrong):
    with pytest.raises(ParameterError, match=r"width=.* is not allowed"):
        ROCTreeClassifier(width=wrong).fit([[1.0], [2.0]], [0, 1])


def test_the_curve_of_other_cases_is_that_of_their_probabilities(tree, tumours):
    X, y = tumours[2:]
    curve = tree.roc(X, y, positive=1)
    assert curve.auc == pytest.approx(roc_auc_score(y, tree.predict_proba(X)[:, 1]))
    assert curve.n_positive == y.sum()


@pytest.mark.parametrize("point", [{}, {"max_fpr": 0.05}, {"cost_fp": 1, "cost_fn": 9}])
def test_scores_are_positive_exactly_where_predict_says_so(tree, tumours, point):
    chosen = tree.at(**point) if point else tree
    X = tumours[2]
    assert np.array_equal(chosen.decision_function(X) > 0, chosen.predict(X) == 1)


@pytest.mark.parametrize("point", [{"max_fpr": 0.1}, {"cost_fp": 1, "cost_fn": 5}])
def test_rates_chosen_on_other_cases_are_those_of_predict(tree, tumours, point):
    X, y = tumours[2:]
    chosen = tree.at(counts=(X, y), positive=1, **point)
    found = chosen.predict(X)
    assert chosen.operating_point_.fpr == pytest.approx(found[y == 0].mean())
    assert chosen.operating_point_.tpr == pytest.approx(found[y == 1].mean())
    assert "approximate" not in repr(chosen.operating_point_)


def test_pruned_and_smoothed_trees_stay_soft(tree, tumours):
    small = tree.pruned("pessimistic")
    assert small.tree_.softness[0] == tree.tree_.softness[0] > 0.0
    assert tree.smoothed("laplace").tree_ is tree.tree_
    kept = pickle.loads(pickle.dumps(tree))
    assert np.array_equal(kept.predict_proba(tumours[2]), tree.predict_proba(tumours[2]))


def test_rows_divided_by_missing_values_are_softened_too():
    X, y = weather.frame(300, missing=0.3)
    tree = ROCTreeClassifier(ranking="soft").fit(X, y)
    assert tree.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(300))
    assert tree.roc(X, y).auc == pytest.approx(
        roc_auc_score(y == "play", tree.predict_proba(X)[:, 1])
    )


@pytest.mark.parametrize("method", ["boundary_distance", "nearest_change"])
def test_there_is_no_boundary_between_soft_leaves(tree, tumours, method):
    with pytest.raises(ParameterError, match=r"use ranked\(ranking='leaf'\) first"):
        getattr(tree, method)(tumours[2])
    getattr(tree.ranked("leaf"), method)(tumours[2][:2])


def test_shuffled_rows_give_the_same_bytes():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    one = ROCTreeClassifier(ranking="soft").fit(X, y)
    two = ROCTreeClassifier(ranking="soft").fit(X[order], y[order])
    assert pickle.dumps(one.tree_) == pickle.dumps(two.tree_)


def test_an_explanation_names_the_leaves_and_adds_up(tree, tumours):
    row = tumours[2][:1]
    found = tree.explain(row)
    assert found.label == tree.predict(row)[0]
    assert sum(leaf.part for leaf in found.leaves) == pytest.approx(1.0)
    mean = sum(leaf.part * leaf.probabilities[1] for leaf in found.leaves)
    assert mean == pytest.approx(tree.predict_proba(row)[0, 1])
    assert str(found).startswith(f"{found.label}: 0 ")


def test_a_hard_case_is_explained_by_its_path():
    X, y = weather.complete()
    tree = ROCTreeClassifier(max_leaf_nodes=3).fit(X, y)
    found = tree.explain(X.iloc[[0]])
    (leaf,) = found.leaves
    assert leaf.part == 1.0
    assert len(leaf.steps) == tree.tree_.depth[leaf.node]
    assert all(": " in step and "%" not in step for step in leaf.steps)


def test_a_missing_value_is_explained_as_one():
    X, y = weather.frame(200, missing=0.2)
    tree = ROCTreeClassifier(max_leaf_nodes=4).fit(X, y)
    row = X[X.sky.isna() & X.warmth.isna()].iloc[[0]]
    text = str(tree.explain(row))
    assert "is missing: " in text
    assert "as in training" in text


def test_one_case_is_explained_at_a_time(tree, tumours):
    with pytest.raises(ParameterError, match="explain takes one case, but x has 2 rows"):
        tree.explain(tumours[2][:2])


def test_a_case_may_be_a_row_its_values_or_some_of_them_by_name():
    X, y = weather.frame(200, missing=0.0)
    tree = ROCTreeClassifier(ranking="soft", max_leaf_nodes=6).fit(X, y)
    expected = str(tree.explain(X.iloc[[3]]))
    row = X.iloc[3]
    for case in (row, row.tolist(), tuple(row), row.to_dict(), row.to_numpy()):
        assert str(tree.explain(case)) == expected
    known = str(tree.explain({"warmth": 20.0}))
    assert "sky is missing: " in known
    assert "warmth = 20: " in known
    with pytest.raises(
        DataError, match=r"has 'warmt', which is not a column.*did you mean 'warmth'"
    ):
        tree.explain({"warmt": 20.0})
    with pytest.raises(DataError):
        tree.explain([20.0])
    with pytest.raises(DataError):
        tree.explain([])


def test_every_kind_of_step_is_explained_in_words():
    X, y = weather.complete(200)
    tree = ROCTreeClassifier(ranking="soft", max_leaf_nodes=8).fit(X, y)
    text = str(tree.explain({"warmth": 25.0, "sky": "sun", "wind": None}))
    assert re.search(
        r"warmth = 25: [\d.]+ % goes to warmth > [\d.]+, as the threshold is [\d.]+ away and soft "
        r"within [\d.]+\n",
        text,
    )
    assert "sky = sun: sky " in text


def test_a_tree_of_one_leaf_is_explained():
    tree = ROCTreeClassifier(max_depth=0, ranking="soft").fit([[1.0], [2.0]], ["a", "b"])
    assert (
        str(tree.explain([[1.5]]))
        == "a: a 0.500, b 0.500\n100 % leaf A: a 0.500, b 0.500 (2 cases)"
    )


def test_readable_trees_have_32_leaves_at_most():
    X, y = load_breast_cancer(return_X_y=True)
    tree = presets.readable().fit(X, y)
    assert tree.get_n_leaves() <= 32
    assert tree.tree_.softness.any()
    assert presets.readable(max_leaf_nodes=8).fit(X, y).get_n_leaves() == 8
    assert presets.best_ranking().ranking == "soft"


def test_the_steps_to_a_leaf_are_told_from_the_root():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 4)
    y = ["a", "a", "b", "c"] * 4
    tree = ROCTreeClassifier(pruning="none").fit(X, y)
    (leaf,) = tree.explain(X[3:4]).leaves
    assert [step.split()[0] for step in leaf.steps] == ["x0", "x1"]
