import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from roctree import (
    MultiscaleClassifier,
    NaiveBayesTreeClassifier,
    ParameterError,
    ROCTreeClassifier,
    presets,
)
from roctree.criteria import CRITERIA
from tests.estimator import weather

IRIS = load_iris(return_X_y=True)


def structure(tree):
    return tree.n_children, tree.feature, tree.threshold, tree.category_branch


def same_structure(one, other):
    pairs = zip(structure(one), structure(other), strict=True)
    return all(np.array_equal(mine, theirs, equal_nan=True) for mine, theirs in pairs)


def test_rows_too_light_beside_others_are_counted_in_a_warning():
    X = np.arange(300.0)[:, None]
    with pytest.warns(UserWarning, match="299 of 300 rows have no effect on the fit"):
        ROCTreeClassifier().fit(X, X[:, 0] > 99, np.append(1e14, np.ones(299)))


@pytest.mark.parametrize("nominal", ["binary", "multiway", "one_vs_rest"])
@pytest.mark.parametrize("name", CRITERIA)
def test_a_row_of_weight_k_equals_k_copies(name, nominal):
    X, y = weather.complete()
    weights = np.random.default_rng(1).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weights)
    tree = ROCTreeClassifier(criterion=name, nominal=nominal)
    weighted = tree.fit(X, y, weights).tree_
    assert weighted == tree.fit(X.iloc[copies], y[copies]).tree_


@pytest.mark.parametrize("max_bins", [7, 255])
def test_a_row_of_weight_k_equals_k_copies_in_bins(max_bins):
    X, y = load_breast_cancer(return_X_y=True)
    weights = np.random.default_rng(1).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weights)
    tree = ROCTreeClassifier(splits="binned", max_bins=max_bins)
    weighted = tree.fit(X, y, weights).tree_
    assert weighted == tree.fit(X[copies], y[copies]).tree_


@pytest.mark.parametrize("missing", ["fractional", "category", "branch"])
def test_copies_of_rows_with_missing_values_differ_from_weights_by_rounding_only(missing):
    X, y = weather.frame()
    weights = np.random.default_rng(1).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weights)
    tree = ROCTreeClassifier(missing=missing)
    weighted, copied = tree.fit(X, y, weights).tree_, tree.fit(X.iloc[copies], y[copies]).tree_
    assert same_structure(weighted, copied)
    assert np.allclose(weighted.counts, copied.counts, rtol=1e-12, atol=1e-12)


def test_a_row_without_weight_leaves_no_trace():
    X, y = IRIS
    weights = np.arange(150) % 2
    for parameters in ({}, {"threshold": "observed"}, {"class_weight": "balanced"}):
        tree = ROCTreeClassifier(**parameters)
        weighted = tree.fit(X, y, weights).tree_
        assert weighted == tree.fit(X[1::2], y[1::2]).tree_


def test_a_class_without_weight_is_known_but_has_no_probability():
    X, y = IRIS
    tree = ROCTreeClassifier(class_weight="balanced", smoothing="none")
    tree.fit(X, y, (y != 1).astype(float))
    assert tree.classes_.tolist() == [0, 1, 2]
    assert not tree.predict_proba(X)[:, 1].any()
    assert tree.class_weight_.tolist() == [1.0, 1.0, 1.0]


def test_class_weights_leave_the_probabilities_of_the_data_as_given():
    """As users ask of scikit-learn in its issue 16479."""
    X, y = weather.complete()
    weights = np.random.default_rng(1).integers(1, 4, len(y))
    tree = ROCTreeClassifier(
        class_weight={"play": 10, "home": 1}, max_depth=3, smoothing="none"
    ).fit(X, y, weights)
    leaves, played = tree.apply(X), y == "play"
    for leaf in np.unique(leaves):
        here = leaves == leaf
        share = weights[here & played].sum() / weights[here].sum()
        assert tree.predict_proba(X)[here, 1] == pytest.approx(share)


def test_class_weights_steer_splits():
    X, y = weather.complete()
    trees = [
        ROCTreeClassifier(class_weight=class_weight, max_depth=3).fit(X, y).tree_
        for class_weight in (None, {"play": 10, "home": 1})
    ]
    assert not same_structure(*trees)


def test_class_weights_steer_labels():
    X, y = weather.complete()
    tree = ROCTreeClassifier(class_weight={"play": 10, "home": 1}, max_depth=1).fit(X, y)
    home, play = tree.predict_proba(X).T
    assert np.array_equal(tree.predict(X) == "play", 10 * play > home)
    assert np.any((tree.predict(X) == "play") & (play < home))


@pytest.mark.parametrize("n_rows", [60, 3000])
@pytest.mark.parametrize("missing", ["fractional", "branch"])
@pytest.mark.parametrize("nominal", ["binary", "multiway"])
def test_a_node_where_one_class_alone_has_weight_is_pure(n_rows, missing, nominal):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (n_rows, 3)).astype(float)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = rng.integers(0, 3, n_rows)
    tree = ROCTreeClassifier(
        class_weight={0: 1, 1: 2, 2: 0}, missing=missing, nominal=nominal,
        categorical_features=[0], max_depth=5,
    ).fit(X, y).tree_  # fmt: skip
    assert np.all(tree.counts[~tree.is_leaf][:, :2] > 0.0)
    assert tree.n_leaves > 2


def test_a_root_where_one_class_alone_has_weight_is_a_leaf():
    X, y = IRIS
    assert ROCTreeClassifier(class_weight={0: 1, 1: 0, 2: 0}).fit(X, y).get_n_leaves() == 1


def test_balanced_weights_make_classes_equal():
    X, y = IRIS
    weights = np.where(y == 0, 3.0, 1.0)
    tree = ROCTreeClassifier(class_weight="balanced").fit(X, y, weights)
    assert np.allclose(tree.class_weight_ * [150, 50, 50], 250 / 3)


def test_a_class_weight_may_name_a_class_that_these_rows_lack():
    tree = ROCTreeClassifier(class_weight={"a": 1, "b": 2, "c": 3})
    assert tree.fit([[0.0], [1.0]], ["a", "b"]).class_weight_.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("class_weight", "sentence"),
    [
        (
            {"c": 1},
            "class_weight names 'c', which is not a class, and gives no weight to 'a': name the "
            "classes as in y, which has 'a', 'b'",
        ),
        (
            {np.int64(3): 1},
            "class_weight names 3, which is not a class",
        ),
        ({"a": -1}, "class_weight gives 'a' the weight -1: give a finite number of at least 0"),
        ({np.str_("a"): -1}, "class_weight gives 'a' the weight -1"),
        ({"a": float("nan")}, "class_weight gives 'a' the weight nan"),
        ({"a": 10**400}, "class_weight gives 'a' the weight 1000"),
        (
            {"a": 0, "b": 0},
            "class_weight is 0 for every class, 'a', 'b': give at least one of them a weight",
        ),
        (
            {"a": 1e308, "b": 1e308},
            r"the largest weight in class_weight is 1e\+308, too extreme for sums over the rows: "
            "only ratios matter, so divide all weights by that",
        ),
        ({"a": 1e-200, "b": 1e-200}, "the largest weight in class_weight is 1e-200, too extreme"),
        ({"a": 1e308}, r"class_weight has weights from 1 to 1e\+308, too far apart"),
        ({"a": 1e-20, "b": 1}, "class_weight has weights from 1e-20 to 1, too far apart"),
    ],
)
def test_class_weights_that_make_no_sense_are_refused(class_weight, sentence):
    with pytest.raises(ParameterError, match=sentence):
        ROCTreeClassifier(class_weight=class_weight).fit([[0.0], [1.0]], ["a", "b"])


@pytest.mark.parametrize("scale", [1e140, 1e-140])
@pytest.mark.parametrize("name", ["gini", "auc", "hellinger"])
def test_weights_that_are_not_too_extreme_grow_the_tree_of_weights_of_one(name, scale):
    X, y = IRIS
    tree = ROCTreeClassifier(criterion=name)
    plain = tree.fit(X, y).tree_.n_leaves
    by_class = ROCTreeClassifier(criterion=name, class_weight=dict.fromkeys(range(3), scale))
    assert by_class.fit(X, y).tree_.n_leaves == plain
    tree.set_params(min_samples_split=2 * scale, min_samples_leaf=scale)
    assert tree.fit(X, y, np.full(150, scale)).tree_.n_leaves == plain


@pytest.mark.parametrize("splits", ["exact", "binned"])
@pytest.mark.parametrize("limits", [{}, {"min_samples_leaf": 5, "min_samples_split": 12}])
def test_weights_that_add_up_to_one_grow_the_tree_of_weights_of_one(limits, splits):
    X, y = IRIS
    tree = ROCTreeClassifier(splits=splits, **limits)
    light = clone(tree).fit(X, y, np.full(150, 1 / 128 / 150))
    assert same_structure(light.tree_, tree.fit(X, y).tree_)


@pytest.mark.parametrize("power", [-1, -7, -30])
@pytest.mark.parametrize("splits", ["exact", "binned"])
def test_light_weights_have_the_probabilities_of_weights_of_at_least_a_half(power, splits):
    """Otherwise smoothing and pruning would leave little but the prior."""
    X, y = IRIS
    weights = 0.5 + 0.5 * np.random.default_rng(0).random(150)
    for options in ({}, {"smoothing": "laplace"}, {"pruning": "pessimistic"}):
        tree = ROCTreeClassifier(splits=splits, **options)
        wanted = clone(tree).fit(X, y, weights)
        found = clone(tree).fit(X, y, weights * 2.0**power)
        assert found.tree_ == wanted.tree_
        assert np.array_equal(found.predict_proba(X), wanted.predict_proba(X))
        assert found.pruned("minimum_error").tree_ == wanted.pruned("minimum_error").tree_


@pytest.mark.parametrize(
    "model",
    [
        ROCTreeClassifier(),
        presets.c45(),
        presets.readable(),
        presets.scorecard(),
        NaiveBayesTreeClassifier(),
        MultiscaleClassifier(),
    ],
    ids=lambda model: repr(model)[:40],
)
def test_weights_that_add_up_to_one_estimate_nearly_the_same_probabilities(model):
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :6]
    plain = clone(model).fit(X, y).predict_proba(X)
    light = clone(model).fit(X, y, np.full(len(y), 1 / len(y))).predict_proba(X)
    assert np.abs(light - plain).mean() < 0.06
    assert np.abs(light - y.mean()).mean() > 0.1, "not the prior alone"


def test_limits_count_cases_of_average_weight_where_that_is_less_than_one():
    X, y = IRIS
    weights = np.random.default_rng(0).random(150)
    tree = ROCTreeClassifier(min_samples_leaf=10, min_samples_split=30).fit(X, y, weights).tree_
    mean = tree.weight[0] / 150
    assert 0.5 <= mean < 1.0
    assert tree.weight[tree.is_leaf].min() >= 10 * mean * (1 - 1e-6)
    assert tree.weight[~tree.is_leaf].min() >= 30 * mean * (1 - 1e-6)
    assert tree.weight[tree.is_leaf].min() < 10


def test_heavy_weights_do_not_change_what_limits_count():
    X, y = IRIS
    tree = ROCTreeClassifier(min_samples_leaf=10)
    assert tree.fit(X, y, np.full(150, 3)).tree_ == tree.fit(*map(thrice, (X, y))).tree_


def thrice(rows):
    return np.repeat(rows, 3, axis=0)


@pytest.mark.parametrize(
    ("fractions", "counts"),
    [
        ({"min_samples_leaf": 0.05}, {"min_samples_leaf": 8}),
        ({"min_samples_split": 0.2}, {"min_samples_split": 30}),
        ({"min_samples_split": 0.001}, {"min_samples_split": 2}),
        ({"min_samples_leaf": 0.07}, {"min_samples_leaf": 11}),
        ({"min_samples_split": 1.0}, {"min_samples_split": 150}),
    ],
)
def test_limits_below_one_are_fractions_as_in_scikit_learn(fractions, counts):
    X, y = IRIS
    tree = ROCTreeClassifier(**fractions).fit(X, y).tree_
    assert tree == ROCTreeClassifier(**counts).fit(X, y).tree_
    peer = DecisionTreeClassifier(random_state=0, **fractions).fit(X, y).tree_
    equal = DecisionTreeClassifier(random_state=0, **counts).fit(X, y).tree_
    assert np.array_equal(peer.threshold, equal.threshold)
    assert tree.n_leaves > 1


def test_fractions_are_of_the_weight_of_all_cases():
    X, y = IRIS
    tree = ROCTreeClassifier(min_samples_leaf=0.05)
    heavy = tree.fit(X, y, np.full(150, 3)).tree_
    assert heavy == tree.fit(*map(thrice, (X, y))).tree_
    assert same_structure(heavy, ROCTreeClassifier(min_samples_leaf=23).fit(X, y, [3] * 150).tree_)


def test_limits_above_one_need_not_be_whole():
    X, y = IRIS
    tree = ROCTreeClassifier(min_samples_leaf=2.5).fit(X, y).tree_
    assert tree == ROCTreeClassifier(min_samples_leaf=3).fit(X, y).tree_


@pytest.mark.parametrize("splits", ["exact", "binned"])
def test_boosted_trees_are_about_as_good_as_those_of_scikit_learn(splits):
    X, y = load_breast_cancer(return_X_y=True)
    halves = slice(0, None, 2), slice(1, None, 2)
    ours, theirs = (
        AdaBoostClassifier(base, n_estimators=10, random_state=0).fit(X[halves[0]], y[halves[0]])
        for base in (
            ROCTreeClassifier(max_depth=2, splits=splits),
            DecisionTreeClassifier(max_depth=2, random_state=0),
        )
    )
    scores = [model.score(X[halves[1]], y[halves[1]]) for model in (ours, theirs)]
    assert scores[0] > max(0.93, scores[1] - 0.03)
    assert len(ours.estimators_) == 10
    assert all(tree.get_n_leaves() >= 3 for tree in ours.estimators_)


@pytest.mark.parametrize("base", [presets.c45(), NaiveBayesTreeClassifier()])
def test_pruned_trees_and_naive_bayes_trees_can_be_boosted(base):
    X, y = load_breast_cancer(return_X_y=True)
    boosted = AdaBoostClassifier(base, n_estimators=3, random_state=0).fit(X[::2], y[::2])
    assert boosted.score(X[1::2], y[1::2]) > 0.9


def test_few_rows_are_no_reason_to_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = ROCTreeClassifier(min_samples_leaf=5).fit([[0.0], [1.0]], [0, 1])
    assert tree.get_n_leaves() == 1


def test_the_least_share_counts_class_weights():
    X, y = [[0.0]] * 2 + [[1.0]] * 8, [1] * 2 + [0] * 8
    tree = ROCTreeClassifier(min_weight_fraction_leaf=0.5)
    assert tree.fit(X, y).get_n_leaves() == 1
    assert tree.set_params(class_weight="balanced").fit(X, y).get_n_leaves() == 2


def test_a_category_of_rows_without_weight_leaves_no_branch():
    colours = [["red"], ["red"], ["blue"], ["blue"], ["green"]]
    labels, weights = [0, 0, 1, 1, 1], [1, 1, 1, 1, 0]
    tree = ROCTreeClassifier(nominal="multiway").fit(colours, labels, weights)
    expected = ROCTreeClassifier(nominal="multiway").fit(colours[:4], labels[:4])
    assert tree.tree_ == expected.tree_
    assert tree.schema_ == expected.schema_
