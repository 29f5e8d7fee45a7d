"""Names that scikit-learn has too mean here what they mean there."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from roctree import (
    MultiscaleClassifier,
    NaiveBayesTreeClassifier,
    ParameterError,
    ROCTreeClassifier,
    presets,
)
from roctree.criteria import Entropy, criterion
from roctree.pruning import MinimumError
from roctree.smoothing import MBranch
from tests.estimator import weather


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


def test_max_leaf_nodes_limits_the_leaves(cancer):
    assert ROCTreeClassifier(max_leaf_nodes=5).fit(*cancer).get_n_leaves() == 5
    assert presets.readable(max_leaf_nodes=4).fit(*cancer).get_n_leaves() == 4
    with pytest.raises(TypeError, match="max_leaves"):
        ROCTreeClassifier(max_leaves=5)


def test_log_loss_is_entropy(cancer):
    one, other = (
        ROCTreeClassifier(criterion=name, max_depth=4).fit(*cancer)
        for name in ("log_loss", "entropy")
    )
    assert one.tree_ == other.tree_
    assert clone(one).criterion == "log_loss"


@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 5, 1: 1}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_cost_complexity_pruning_is_that_of_scikit_learn(criterion, class_weight, n_classes):
    random = np.random.default_rng(3)
    X = random.normal(size=(2000, 4))
    y = np.digitize(X[:, 0] + 0.6 * random.normal(size=2000), [0.0, 0.7][: n_classes - 1])
    if isinstance(class_weight, dict) and n_classes == 3:
        class_weight = class_weight | {2: 2}
    limits = {"criterion": criterion, "class_weight": class_weight, "max_depth": 4}
    theirs = DecisionTreeClassifier(random_state=0, **limits)
    ours = ROCTreeClassifier(**limits)
    wanted = theirs.cost_complexity_pruning_path(X, y)
    found = ours.cost_complexity_pruning_path(X, y)
    assert found.impurities[0] == pytest.approx(wanted.impurities[0])  # no ties between splits
    # Steps at the same price are one step here.
    last = np.append(np.diff(wanted.ccp_alphas) > 1e-12, True)
    assert found.ccp_alphas == pytest.approx(wanted.ccp_alphas[last], abs=1e-12)
    assert found.impurities == pytest.approx(wanted.impurities[last], abs=1e-12)
    for alpha in wanted.ccp_alphas[last][1::2] * 1.0001:
        small = clone(theirs).set_params(ccp_alpha=alpha).fit(X, y)
        assert clone(ours).set_params(ccp_alpha=alpha).fit(X, y).get_n_leaves() == (
            small.get_n_leaves()
        )


def test_ccp_alpha_prunes_before_any_other_pruning_and_bins_too(cancer):
    X, y = cancer
    path = ROCTreeClassifier().cost_complexity_pruning_path(X, y)
    alpha = float(path.ccp_alphas[len(path.ccp_alphas) // 2])
    whole, small = (ROCTreeClassifier(ccp_alpha=a).fit(X, y) for a in (0.0, alpha))
    assert 1 < small.get_n_leaves() < whole.get_n_leaves()
    assert ROCTreeClassifier(ccp_alpha=alpha, splits="binned").fit(X, y).get_n_leaves() > 1
    again = ROCTreeClassifier(ccp_alpha=alpha, pruning="minimum_error").fit(X, y)
    assert again.tree_ == small.pruned("minimum_error").tree_
    with pytest.raises(ParameterError, match="ccp_alpha=-1 is not allowed"):
        ROCTreeClassifier(ccp_alpha=-1).fit(X, y)


def test_options_of_strategies_are_parameters(cancer):
    tree = ROCTreeClassifier(pruning=MinimumError(m=3))
    assert tree.get_params()["smoothing__M"] == MBranch().M
    assert tree.get_params()["pruning__m"] == 3
    assert "smoothing__M" not in tree.get_params(deep=False)
    tree.set_params(smoothing="m_estimate", smoothing__m=9, pruning__m=1, criterion="entropy")
    assert (tree.smoothing.m, tree.pruning, tree.criterion) == (9, MinimumError(m=1), "entropy")
    tree.set_params(criterion__split_smoothing="laplace")
    assert tree.criterion == Entropy(split_smoothing="laplace")
    with pytest.raises(ParameterError, match=r"unknown option.*; the options are m"):
        tree.set_params(smoothing__strength=2)
    with pytest.raises(ValueError, match="Invalid parameter 'smoother'"):
        tree.set_params(smoother__m=1)
    cells = MultiscaleClassifier().set_params(pruning="minimum_error", pruning__m=4)
    assert cells.pruning == MinimumError(m=4)
    assert "smoothing__M" not in NaiveBayesTreeClassifier().get_params()


def test_a_strategy_of_ones_own_has_no_options_to_set():
    @criterion
    def first(table):
        return table[0, 0]

    found = ROCTreeClassifier(criterion=first, pruning=lambda tree: tree, smoothing="unknown")
    assert not [name for name in found.get_params() if "__" in name]


def test_a_grid_reaches_into_strategies(cancer):
    X, y = cancer
    grid = {"smoothing__M": [1, 64], "pruning": ["minimum_error"], "pruning__m": [2, 500]}
    search = GridSearchCV(ROCTreeClassifier(max_depth=3), grid, cv=3, scoring="neg_log_loss")
    search.fit(X, y)
    assert search.best_params_["pruning__m"] == 2
    assert search.best_estimator_.pruning == MinimumError(m=2)
    assert search.best_estimator_.smoothing == MBranch(M=search.best_params_["smoothing__M"])


def test_tags_say_that_probabilities_by_distance_need_two_classes():
    plain, geometric = ROCTreeClassifier(), ROCTreeClassifier(geometric_probability=True)
    assert plain.__sklearn_tags__().classifier_tags.multi_class
    assert not geometric.__sklearn_tags__().classifier_tags.multi_class
    with pytest.raises(ParameterError, match=r"Only binary classification is supported\."):
        geometric.fit(*load_iris(return_X_y=True))


@pytest.mark.parametrize(
    ("fit", "message"),
    [
        (
            lambda X, y: ROCTreeClassifier().fit(X.assign(answer=y), "answer"),
            r"y is the text 'answer', not the labels: give X\['answer'\]",
        ),
        (
            lambda X, y: ROCTreeClassifier(categorical_features=["Warmth"]).fit(X, y),
            r"which X does not have \(did you mean 'warmth'\?\)",
        ),
    ],
)
def test_common_slips_are_explained(fit, message):
    X, y = weather.frame()
    with pytest.raises(ValueError, match=message):
        fit(X, y)


@pytest.mark.parametrize(
    "classifier", [ROCTreeClassifier, NaiveBayesTreeClassifier, MultiscaleClassifier]
)
def test_a_single_class_is_accepted_with_a_warning(classifier):
    with pytest.warns(
        UserWarning, match="The target is 'no' in all rows, and so is every prediction"
    ):
        tree = classifier().fit([[1.0], [2.0]], ["no", "no"])
    assert tree.predict([[3.0]]).tolist() == ["no"]
