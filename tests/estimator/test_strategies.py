"""Strategies and costs of the wrong kind, or named by a Series, through the estimator."""

import numpy as np
import pytest

from roctree import DataError, ParameterError, ROCTreeClassifier
from roctree.pruning import Pessimistic
from roctree.smoothing import Laplace
from tests.estimator import weather


@pytest.fixture(scope="module")
def tree():
    return ROCTreeClassifier(max_depth=4).fit(*weather.complete())


def test_costs_and_priors_in_a_series_go_by_its_index(tree):
    pd = pytest.importorskip("pandas")
    prior, costs = {"play": 0.9, "home": 0.1}, {"play": 1, "home": 50}
    by_dict, by_series = (tree.at(prior=given) for given in (prior, pd.Series(prior)))
    assert by_series.operating_point_.labeller == by_dict.operating_point_.labeller
    by_dict, by_series = (
        tree.pruned("minimum_error", costs=given) for given in (costs, pd.Series(costs))
    )
    assert by_series.tree_ == by_dict.tree_
    assert np.array_equal(by_series.node_labels_, by_dict.node_labels_)


def test_a_pruner_must_make_a_tree(tree):
    with pytest.raises(ParameterError, match="returned int, not a Tree"):
        tree.pruned(lambda _: 3)
    with pytest.raises(ParameterError, match=r"Laplace\(\) returned ndarray"):
        ROCTreeClassifier(pruning=Laplace()).fit(*weather.complete())


@pytest.mark.parametrize("wrong", [lambda tree: tree.counts, lambda tree: -tree.counts])
def test_a_smoother_must_make_probabilities(tree, wrong):
    with pytest.raises(ParameterError, match="must be non-negative and sum to 1"):
        tree.smoothed(wrong)


def test_a_pruner_is_no_smoother():
    with pytest.raises(ParameterError, match="did not return an array of probabilities"):
        ROCTreeClassifier(smoothing=Pessimistic()).fit(*weather.complete())


def test_subtrees_are_raised_by_the_training_cases_only(tree):
    X, y = weather.complete()
    raised = {"raising": True, "limit": "c45"}
    tree.pruned("error_based", X=X, y=y, **raised)
    with pytest.raises(DataError, match="give the X and y, and sample_weight"):
        tree.pruned("error_based", X=X[:20], y=y[:20], **raised)


def test_geometric_probabilities_are_not_smoothed_without_the_cases():
    rows, labels = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    tree = ROCTreeClassifier(geometric_probability=True).fit(rows, labels)
    with pytest.raises(ParameterError, match="fit with this smoothing"):
        tree.smoothed("none")
