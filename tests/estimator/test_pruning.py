"""Pruning from the estimator: of a fitted tree, and as part of fit."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from roctree import DataError, NotFittedError, ParameterError, ROCTreeClassifier, presets
from roctree.data import Dataset
from roctree.fitting import hold_out_rows
from roctree.pruning import (
    PRUNING,
    CostComplexity,
    ErrorBased,
    MinimumError,
    ReducedError,
    need,
)
from roctree.tree.tree import Tree
from tests.estimator import weather

OF_COUNTS = [name for name, pruner in PRUNING.items() if need(pruner) == "counts"]
COSTS = {"home": 5.0, "play": 1.0}


@pytest.fixture(scope="module")
def data():
    return weather.frame()


@pytest.fixture(scope="module")
def other_data():
    return weather.frame(60, seed=1)


@pytest.fixture
def tree(data):
    return ROCTreeClassifier().fit(*data)


@pytest.mark.parametrize("name", OF_COUNTS)
def test_pruning_a_fitted_tree_or_as_a_parameter_gives_the_same(name, tree, data):
    later = tree.pruned(name)
    at_once = ROCTreeClassifier(pruning=name).fit(*data)
    assert later.tree_ == at_once.tree_
    assert np.array_equal(later.probabilities_, at_once.probabilities_)
    assert later.pruning_ == at_once.pruning_ == PRUNING[name]


def test_options_may_be_given_by_name_or_in_a_pruner(tree, data):
    by_name = tree.pruned("minimum_error", m=2, costs=COSTS)
    assert by_name.tree_ == tree.pruned(MinimumError(m=2, costs=COSTS)).tree_
    at_once = ROCTreeClassifier(pruning=MinimumError(m=2, costs=COSTS)).fit(*data)
    assert by_name.tree_ == at_once.tree_
    assert np.array_equal(by_name.node_labels_, at_once.node_labels_)


def test_costs_by_class_are_put_in_the_order_of_the_classes(tree):
    backwards = dict(reversed(COSTS.items()))
    assert tree.pruned("error_based", costs=backwards).pruning_.costs == (5.0, 1.0)
    assert tree.pruned("error_based", costs=(5.0, 1.0)).tree_ == (
        tree.pruned("error_based", costs=backwards).tree_
    )


def test_raising_takes_the_training_cases(data):
    pruner = ErrorBased(limit="weka", raising=True)
    at_once = presets.j48().fit(*data)
    X, y = data
    later = presets.j48(pruning="none").fit(X, y).pruned(pruner, X=X, y=y)
    assert later.tree_ == at_once.tree_


def test_raising_takes_training_cases_whose_weights_sum_to_one(data):
    X, y = data
    weights = np.full(len(y), 1.0 / len(y))
    pruner = ErrorBased(limit="weka", raising=True)
    at_once = presets.j48().fit(X, y, weights)
    grown = presets.j48(pruning="none").fit(X, y, weights)
    assert grown.pruned(pruner, X=X, y=y, sample_weight=weights).tree_ == at_once.tree_


def test_reduced_error_takes_validation_data(tree, other_data):
    X_val, y_val = other_data
    small = tree.pruned("reduced_error", X_val=X_val, y_val=y_val)
    assert small.get_n_leaves() < tree.get_n_leaves()
    assert small.score(X_val, y_val) >= tree.score(X_val, y_val)


def test_cost_complexity_chooses_its_price_on_validation_data(tree, other_data):
    X_val, y_val = other_data
    small = tree.pruned("cost_complexity", X_val=X_val, y_val=y_val)
    alpha = small.pruning_.alpha
    assert alpha > 0
    assert small.tree_ == tree.pruned("cost_complexity", alpha=alpha).tree_
    best = tree.pruned("cost_complexity", choice="best", X_val=X_val, y_val=y_val)
    errors = [
        (tree.pruned("cost_complexity", alpha=float(each)).tree_, each)
        for each in tree.pruning_path().between()
    ]
    assert best.get_n_leaves() >= small.get_n_leaves()
    assert any(best.tree_ == candidate for candidate, _ in errors)


def test_cost_complexity_chooses_its_price_by_folds(data):
    tree = ROCTreeClassifier(pruning="cost_complexity").fit(*data)
    alpha = tree.pruning_.alpha
    assert tree.pruning == "cost_complexity"
    assert tree.pruning_ == CostComplexity(alpha=alpha)
    whole = ROCTreeClassifier().fit(*data)
    assert tree.tree_ == whole.pruned("cost_complexity", alpha=alpha).tree_
    best = ROCTreeClassifier(pruning=CostComplexity(choice="best")).fit(*data)
    assert best.pruning_.alpha <= alpha
    assert 1 < tree.get_n_leaves() < whole.get_n_leaves()


def test_the_path_leads_from_the_whole_tree_to_its_root(tree):
    path = tree.pruning_path()
    assert path.alphas[0] == 0.0
    assert (np.diff(path.alphas) > 0).all()
    assert (np.diff(path.n_leaves) < 0).all()
    assert (np.diff(path.losses) > 0).all()
    assert path.n_leaves[-1] == 1
    for alpha, n_leaves in zip(path.alphas, path.n_leaves, strict=True):
        assert tree.pruned("cost_complexity", alpha=float(alpha)).get_n_leaves() == n_leaves


@pytest.mark.parametrize("pruning", ["reduced_error", "cost_complexity"])
def test_what_is_held_out_does_not_depend_on_the_order_of_rows(pruning, data):
    X, y = data
    order = np.random.default_rng(3).permutation(len(y))
    one = ROCTreeClassifier(pruning=pruning).fit(X, y)
    other = ROCTreeClassifier(pruning=pruning).fit(X.iloc[order], y[order])
    assert one.tree_ == other.tree_
    assert one.pruning_ == other.pruning_


@pytest.mark.parametrize("pruning", ["reduced_error", "cost_complexity"])
def test_a_row_of_weight_k_is_held_out_as_k_rows(pruning):
    # Complete, because the grid for parts of cases depends on the number of rows.
    X, y = weather.complete()
    weights = np.arange(len(y)) % 4
    repeated = X.loc[X.index.repeat(weights)], np.repeat(y, weights)
    one = ROCTreeClassifier(pruning=pruning).fit(X, y, sample_weight=weights)
    other = ROCTreeClassifier(pruning=pruning).fit(*repeated)
    assert one.tree_ == other.tree_
    assert one.pruning_ == other.pruning_


def test_reduced_error_grows_from_what_it_does_not_hold_out():
    X, y = load_breast_cancer(return_X_y=True)
    tree = ROCTreeClassifier(pruning=ReducedError(fraction=0.25)).fit(X, y)
    assert tree.tree_.weight[0] == pytest.approx(0.75 * len(y), abs=2)


def test_of_few_kinds_of_rows_the_common_ones_are_in_either_part():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (400, 2)).astype(float)
    y = (X[:, 0] > 1) ^ (rng.random(400) < 0.1)
    tree = ROCTreeClassifier(pruning="reduced_error").fit(X, y)
    assert tree.get_n_leaves() == 2
    assert tree.score(X, y) > 0.88


@pytest.mark.parametrize("name", PRUNING)
def test_one_row_and_one_class_are_enough(name):
    tree = ROCTreeClassifier(pruning=name).fit([[1.0], [1.0]], ["a", "a"])
    assert tree.predict([[3.0]]).tolist() == ["a"]


def test_the_original_stays_as_it_was(tree, data):
    X, _ = data
    before = tree.tree_, tree.predict_proba(X), tree.get_params()
    small = tree.pruned("pessimistic", costs=COSTS)
    assert small.get_n_leaves() < tree.get_n_leaves()
    assert tree.tree_ is before[0]
    assert np.array_equal(tree.predict_proba(X), before[1])
    assert tree.get_params() == before[2]
    assert tree.node_labels_ is None


def test_costs_decide_the_labels_and_leave_the_probabilities(tree, data):
    X, _ = data
    # An alarm "home" costs fifty times as much when it is false.
    small = tree.pruned("minimum_error", costs={"home": 50, "play": 1})
    assert set(small.predict(X)) == {"play"}
    cautious = tree.pruned("error_based", costs={"home": 1, "play": 3}, leaves="relabel")
    leaves = cautious.apply(X)
    known = ~X.isna().any(axis=1).to_numpy()
    labels = cautious.classes_[cautious.node_labels_[leaves]]
    assert np.array_equal(cautious.predict(X)[known], labels[known])
    probabilities = cautious.smoothed("none").predict_proba(X)[known]
    counts = cautious.tree_.counts[leaves][known]
    assert probabilities == pytest.approx(counts / counts.sum(axis=1, keepdims=True))
    assert (labels[known] == "home").sum() > (probabilities[:, 0] > 0.5).sum()


def test_pruning_keeps_the_smoothing_and_smoothing_the_pruning(tree, data):
    X, _ = data
    one = tree.smoothed("m_estimate", m=3).pruned("error_based", costs=COSTS)
    other = tree.pruned("error_based", costs=COSTS).smoothed("m_estimate", m=3)
    assert one.tree_ == other.tree_
    assert one.smoothing_ == other.smoothing_
    assert one.pruning_ == other.pruning_
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))
    assert np.array_equal(one.predict(X), other.predict(X))


def test_without_costs_labels_go_again_by_probability(tree):
    assert tree.pruned("error_based", costs=COSTS).pruned("pessimistic").node_labels_ is None


def root_only(tree):
    return Tree.single_leaf(tree.counts[0])


def test_ones_own_pruner_is_a_function_from_tree_to_tree(tree, data):
    assert tree.pruned(root_only).get_n_leaves() == 1
    assert ROCTreeClassifier(pruning=root_only).fit(*data).get_n_leaves() == 1


@dataclass(frozen=True)
class LastFold:
    """A pruner that looks at folds, without anything to settle."""

    needs: ClassVar[str] = "folds"

    def __call__(self, tree, folds):
        assert all(fold.counts.shape == fold.tree.counts.shape for fold in folds)
        return Tree.single_leaf(tree.counts[0]) if len(folds) > 1 else tree


def test_ones_own_pruner_may_ask_for_folds(tree, data, other_data):
    assert ROCTreeClassifier(pruning=LastFold()).fit(*data).get_n_leaves() == 1
    X_val, y_val = other_data
    assert tree.pruned(LastFold(), X_val=X_val, y_val=y_val).tree_ == tree.tree_


@pytest.mark.parametrize(
    ("pruning", "options", "message"),
    [
        ("pesimistic", {}, r"pruning='pesimistic' is not known \(did you mean 'pessimistic'\?\)"),
        (
            "minimum_error",
            {"n": 2},
            r"MinimumError\(n=2\) has an unknown option.*; the options are m, prior",
        ),
        ("error_based", {"slak": 2}, r"slak=2\) has an unknown option \(did you mean 'slack'\?\)"),
        ("expected_error", {"m": 2}, r"ExpectedError\(.*there are no options"),
        (root_only, {"m": 2}, "there are no options"),
        (MinimumError, {}, "write a class with its parentheses"),
        (
            "reduced_error",
            {},
            "cases that did not grow the tree: give X_val and y_val",
        ),
        ("cost_complexity", {}, "pass X_val and y_val, or give a number"),
        ("cost_complexity", {"alpha": "best"}, "give a finite number, or 'auto'"),
        ("cost_complexity", {"alpha": -1.0}, "give zero or more"),
        ("error_based", {"raising": True}, "use it with fit, or pass X and y"),
        ("error_based", {"raising": True, "costs": COSTS}, "cannot be raised under costs"),
        ("error_based", {"cf": 25}, r"cf=25\) is not allowed: .*C4.5's -c 25 is 0.25"),
        ("error_based", {"limit": "wilson"}, "choose from 'exact', 'c45', 'weka'"),
        ("minimum_error", {"m": "two"}, "give a number, or 'classes'"),
        ("reduced_error", {"fraction": 1.0}, "give less than 1"),
        ("minimum_error", {"costs": {"home": 1, "stay": 2}}, "classes 'home', 'play'.*'stay'"),
        ("minimum_error", {"costs": {"home": 1}}, "needed for the classes 'home', 'play'"),
        ("minimum_error", {"costs": (1, -2)}, "finite, non-negative numbers"),
        ("minimum_error", {"costs": (1, float("nan"))}, "finite, non-negative numbers"),
        ("minimum_error", {"costs": (0, 0)}, "0 for every error"),
        ("minimum_error", {"costs": ((0, 1), (0, 0), (1, 0))}, "or be a square matrix"),
        ("minimum_error", {"costs": ((0, 1), (1,))}, "or be a square matrix"),
        ("minimum_error", {"costs": "high"}, "or be a square matrix"),
        (
            "minimum_error",
            {"costs": (1, 2, 3)},
            "costs are given for 3 classes, but the tree has 2",
        ),
        (
            "pessimistic",
            {"costs": ((0, 1, 1),) * 3},
            "costs are given for 3 classes, but the tree has 2",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(tree, pruning, options, message):
    with pytest.raises(ParameterError, match=message) as caught:
        tree.pruned(pruning, **options)
    assert "\n" not in str(caught.value)


def test_costs_by_name_need_an_estimator_that_knows_the_names(tree):
    for name in ("minimum_error", "error_based", "pessimistic"):
        pruner = type(PRUNING[name])(costs=COSTS)
        with pytest.raises(ParameterError, match="give costs in class order"):
            pruner(tree.tree_)


def test_data_of_another_kind_are_refused(tree, other_data):
    X_val, y_val = other_data
    with pytest.raises(DataError, match="label"):
        tree.pruned("reduced_error", X_val=X_val, y_val=np.where(y_val == "home", "away", y_val))
    with pytest.raises(DataError, match="missing 'warmth'"):
        tree.pruned("reduced_error", X_val=X_val[["sky", "wind"]], y_val=y_val)
    with pytest.raises(DataError, match="59 labels"):
        tree.pruned("reduced_error", X_val=X_val, y_val=y_val[1:])
    with pytest.raises(DataError, match="2 features"):
        tree.pruned("reduced_error", X_val=[[1.0, 2.0]], y_val=["home"])
    with pytest.raises(DataError, match="y is None"):
        tree.pruned("reduced_error", X_val=X_val)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sample_weight": [1.0]}, "Give X together with y and weights"),
        ({"y": ["home"]}, "Give X together with y and weights"),
        ({"y_val": ["home"]}, "Give X_val together with y and weights"),
    ],
)
def test_labels_and_weights_without_rows_are_refused(tree, given, message):
    with pytest.raises(ParameterError, match=message):
        tree.pruned("pessimistic", **given)


@pytest.mark.parametrize("given", [{"sample_weight": [1.0]}, {"y": ["home"]}])
def test_labels_and_weights_without_rows_are_refused_by_other_changes_too(tree, given):
    for change in (lambda: tree.smoothed("laplace", **given), lambda: tree.ranked("leaf", **given)):
        with pytest.raises(ParameterError, match="Give X together with y and weights"):
            change()


def test_counts_of_another_tree_are_refused(tree):
    with pytest.raises(DataError, match="give one row for each of"):
        ReducedError()(tree.tree_, np.zeros((2, 2)))


def test_a_tree_that_is_not_fitted_cannot_be_pruned():
    for call in (lambda tree: tree.pruned("pessimistic"), lambda tree: tree.pruning_path()):
        with pytest.raises(NotFittedError):
            call(ROCTreeClassifier())


def test_reduced_error_pruning_may_divide_copies_like_weka():
    X, y = load_wine(return_X_y=True)
    X, y = np.tile(X, (4, 1)), np.tile(y, 4)
    together, divided = (
        ROCTreeClassifier(pruning=ReducedError(copies=copies)).fit(X, y)
        for copies in ("together", "divided")
    )
    # With four copies of each case, the pruning cases are copies of growing ones.
    assert together.get_n_leaves() < divided.get_n_leaves()
    order = np.random.default_rng(0).permutation(len(y))
    again = ROCTreeClassifier(pruning=ReducedError(copies="divided")).fit(X[order], y[order])
    assert again.tree_ == divided.tree_


def test_divided_copies_hold_out_a_share_of_the_rows_of_each_class():
    X, y = np.zeros((90, 1)), np.repeat([0, 1], [60, 30])
    data = Dataset.from_data(X, y)
    kept, out = hold_out_rows(data, 1 / 3)
    assert np.bincount(out.labels).tolist() == [20, 10]
    assert np.bincount(kept.labels).tolist() == [40, 20]


def test_divided_copies_are_held_out_as_if_at_random():
    X, y = np.repeat(np.random.default_rng(0).normal(size=(3000, 2)), 2, axis=0), np.zeros(6000)
    _, out = hold_out_rows(Dataset.from_data(X, y), 1 / 3)
    _, copies = np.unique(out.values, axis=0, return_counts=True)
    # Of two copies, both are held out with probability 1/9, one with 4/9.
    assert (copies == 2).sum() / 3000 == pytest.approx(1 / 9, abs=0.03)
    assert (copies == 1).sum() / 3000 == pytest.approx(4 / 9, abs=0.03)
