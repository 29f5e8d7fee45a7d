import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris

from roctree import ParameterError, ROCTreeClassifier, criterion
from roctree._jit import JIT_DISABLED
from roctree.criteria import CRITERIA, GainRatio
from tests.estimator import weather

IRIS = load_iris(return_X_y=True)


def tree_of(**parameters):
    return ROCTreeClassifier(**parameters).fit(*IRIS).tree_


def test_fit_sets_what_scikit_learn_expects():
    X, y = weather.frame()
    tree = ROCTreeClassifier().fit(X, y)
    assert tree.classes_.tolist() == ["home", "play"]
    assert (tree.n_classes_, tree.n_features_in_, tree.n_outputs_) == (2, 3, 1)
    assert tree.feature_names_in_.tolist() == list(X.columns)
    assert tree.feature_names_in_.dtype == object
    assert tree.schema_.categories == (None, ("fog", "rain", "sun"), None)


def test_a_fit_without_names_forgets_the_names_of_the_one_before():
    tree = ROCTreeClassifier().fit(*weather.frame()).fit(*IRIS)
    assert not hasattr(tree, "feature_names_in_")


def test_column_names_that_are_numbers_are_no_names():
    X, y = weather.frame()
    X.columns = [0, 1, 2]
    tree = ROCTreeClassifier().fit(X, y)
    assert not hasattr(tree, "feature_names_in_")
    assert tree.predict(X).shape == y.shape


def test_a_fit_that_fails_leaves_the_one_before_as_it_was():
    tree = ROCTreeClassifier().fit(*IRIS)
    before = vars(tree).copy()
    with pytest.raises(ValueError, match="inf"):
        tree.fit([[np.inf]], [0])
    assert vars(tree) == before


@pytest.mark.parametrize(
    ("late", "sentence"),
    [
        ({"metric": "bad"}, "metric"),
        ({"geometric_probability": True, "ranking": "soft"}, "Soft"),
        ({"smoothing": lambda tree: "none"}, "probabilities"),
    ],
)
def test_so_does_one_that_fails_after_it_has_grown(late, sentence):
    tree = ROCTreeClassifier().fit(*IRIS)
    before = {name: value for name, value in vars(tree).items() if name.endswith("_")}
    with pytest.raises(ValueError, match=sentence):
        tree.set_params(**late).fit([[1.0], [2.0]], [0, 1])
    assert {name: vars(tree)[name] for name in vars(tree) if name.endswith("_")} == before
    assert tree.set_params(**ROCTreeClassifier().get_params()).predict(IRIS[0]).shape == (150,)


def test_one_class_makes_one_leaf():
    with pytest.warns(UserWarning, match="The target is 'a' in all rows, .* choose another target"):
        tree = ROCTreeClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert tree.get_n_leaves() == 1
    assert tree.predict([[5.0]]).tolist() == ["a"]
    assert tree.predict_proba([[5.0]]).tolist() == [[1.0]]
    assert tree.decision_function([[5.0]]).tolist() == [[1.0]]
    assert tree.feature_importances_.tolist() == [0.0]


@pytest.mark.parametrize("missing", ["fractional", "category", "branch"])
@pytest.mark.parametrize("nominal", ["binary", "multiway", "one_vs_rest"])
def test_the_order_of_rows_does_not_change_a_byte_of_the_tree(nominal, missing):
    X, y = weather.frame()
    weights = np.random.default_rng(1).random(len(y))
    shuffled = np.random.default_rng(2).permutation(len(y))
    tree = ROCTreeClassifier(nominal=nominal, missing=missing, class_weight="balanced")
    first = pickle.dumps(tree.fit(X, y, weights).tree_)
    again = pickle.dumps(tree.fit(X.iloc[shuffled], y[shuffled], weights[shuffled]).tree_)
    assert again == first


@pytest.mark.parametrize("name", CRITERIA)
def test_a_criterion_is_named_or_given(name):
    assert tree_of(criterion=name) == tree_of(criterion=CRITERIA[name])


def test_a_criterion_of_ones_own_grows_a_tree():
    @criterion(convex=True)
    def purity(table):
        score = 0.0
        for branch in range(table.shape[0]):
            weight = 0.0
            for label in range(table.shape[1]):
                weight += table[branch, label]
            for label in range(table.shape[1]):
                score += table[branch, label] ** 2 / max(weight, 1e-300)
        return score

    assert tree_of(criterion=purity).threshold[0] == tree_of(criterion="gini").threshold[0]


def test_max_depth_limits_the_splits_on_a_path():
    assert tree_of(max_depth=2).max_depth == 2
    assert tree_of(max_depth=np.int64(0)).n_nodes == 1


def test_max_leaves_keeps_the_splits_that_gain_most():
    tree = tree_of(max_leaf_nodes=3)
    assert tree.n_leaves == 3
    full = tree_of()
    kept, first = tree.gain * tree.weight, full.gain * full.weight
    assert sorted(kept[kept > 0]) == sorted(first)[-2:]


def test_best_first_without_a_limit_is_the_whole_tree():
    assert tree_of(growth="best_first") == tree_of()


def test_growth_by_the_area_of_the_whole_tree_wants_a_limit():
    with pytest.raises(ParameterError, match="give max_leaf_nodes too"):
        tree_of(growth="whole_tree_auc")
    assert tree_of(growth="whole_tree_auc", max_leaf_nodes=999) == tree_of()


def test_every_branch_has_the_least_weight():
    assert tree_of(min_samples_leaf=7.5).weight.min() >= 7.5
    assert tree_of(min_weight_fraction_leaf=0.1).weight.min() >= 15


def test_no_node_below_the_least_weight_is_split():
    tree = tree_of(min_samples_split=40)
    assert tree.weight[~tree.is_leaf].min() >= 40


def test_no_split_gains_less_than_the_least_gain():
    tree = tree_of(min_gain=0.05)
    assert 1 < tree.n_leaves < tree_of().n_leaves
    assert tree.gain[~tree.is_leaf].min() >= 0.05


def test_observed_thresholds_are_values_of_the_column():
    tree = tree_of(threshold="observed")
    for node in np.flatnonzero(~tree.is_leaf):
        assert tree.threshold[node] in IRIS[0][:, tree.feature[node]]


def test_node_thresholds_are_values_of_the_cases_of_the_node():
    values = [[1.0, 0.0], [2.0, 0.0], [9.0, 0.0], [6.0, 1.0]]
    y = [0, 0, 1, 1]
    tree = {
        each: ROCTreeClassifier(criterion="gini", threshold=each, max_depth=2).fit(
            [*values, [4.0, 1.0]], [*y, 1]
        )
        for each in ("midpoint", "observed", "node")
    }
    assert [each.tree_.threshold[0] for each in tree.values()] == [3.0, 2.0, 2.0]
    second = [[0.0, value] for value in (1.0, 7.0)] + [[1.0, value] for value in (3.0, 4.0)]
    found = [
        float(ROCTreeClassifier(threshold=each).fit(second, [0, 1, 2, 2]).tree_.threshold[1])
        for each in tree
    ]
    assert found == [4.0, 4.0, 1.0]


def test_node_thresholds_need_exact_splits():
    with pytest.raises(ParameterError, match="splits='exact'"):
        tree_of(threshold="node", splits="binned")


def test_collapsing_spares_leaves_that_change_no_label():
    X, y = weather.complete()
    whole = ROCTreeClassifier(max_depth=4).fit(X, y)
    small = ROCTreeClassifier(max_depth=4, collapse=True).fit(X, y)
    assert small.get_n_leaves() < whole.get_n_leaves()
    assert np.array_equal(small.predict(X), whole.predict(X))


def test_the_minimum_of_c45_forbids_small_branches():
    tree = tree_of(criterion=GainRatio(penalty=True), c45_numeric_minimum=True)
    assert tree.weight[1:3].min() >= 0.1 * 150 / 3


@pytest.mark.slow
def test_the_number_of_jobs_changes_nothing():
    X, y = weather.frame(5000)
    one, two = (ROCTreeClassifier(n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    assert pickle.dumps(one.tree_) == pickle.dumps(two.tree_)
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))


@pytest.mark.skipif(JIT_DISABLED, reason="so many rows take long without a compiler")
@pytest.mark.parametrize("name", ["gini", "auc", "gain_ratio"])
def test_bins_rank_other_cases_as_well_as_exact_splits_but_for_0_002(name):
    random = np.random.default_rng(7)
    amounts = random.lognormal(size=(60_000, 2)) * (random.random((60_000, 2)) < 0.5)
    X = np.column_stack([random.normal(size=(60_000, 4)), amounts])
    X[random.random(X.shape) < 0.02] = np.nan
    score = np.nansum(X[:, :3], axis=1) + np.nan_to_num(X[:, 0] * X[:, 1]) + np.log1p(X[:, 4])
    y = np.nan_to_num(score) + random.normal(size=60_000) > 0.5
    areas = [
        ROCTreeClassifier(criterion=name, max_depth=7, min_samples_leaf=20, splits=splits)
        .fit(X[:30_000], y[:30_000])
        .roc(X[30_000:], y[30_000:])
        .auc
        for splits in ("exact", "binned")
    ]
    assert abs(areas[0] - areas[1]) < 0.002
