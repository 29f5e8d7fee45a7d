import inspect

import numpy as np
import pytest

from roctree import ParameterError, ROCTreeClassifier
from roctree.parameters import DEFAULTS, RULES
from roctree.smoothing import MBranch

X, Y = [[0.0], [1.0]], ["a", "b"]
NO_WHOLE_NUMBER = [-1, 2.5, True, "3", float("nan")]
NO_NUMBER = [-0.1, True, "1", None, float("nan"), float("inf")]
NO_NAME = ["nothing", None, 3, ["exact"]]
REFUSED = {
    "max_depth": NO_WHOLE_NUMBER,
    "max_leaf_nodes": [0, *NO_WHOLE_NUMBER],
    "min_samples_split": NO_NUMBER,
    "min_samples_leaf": [0, *NO_NUMBER],
    "min_weight_fraction_leaf": [0.6, *NO_NUMBER],
    "min_gain": NO_NUMBER,
    "nominal": NO_NAME,
    "missing": NO_NAME,
    "threshold": NO_NAME,
    "growth": NO_NAME,
    "collapse": [1, None, "yes"],
    "c45_numeric_minimum": [0, None, "no"],
    "labels": NO_NAME,
    "ranking": NO_NAME,
    "geometric_probability": [1, None, "yes"],
    "splits": NO_NAME,
    "max_bins": [1, 256, 25.5, True, "3", None],
    "class_weight": ["even", 2, [1, 2]],
    "n_jobs": [0, 1.5, True, "all"],
}
ACCEPTED = {
    "max_depth": np.int32(3),
    "max_leaf_nodes": np.uint8(2),
    "min_samples_split": np.float32(2),
    "min_samples_leaf": 0.5,
    "min_weight_fraction_leaf": 0.5,
    "min_gain": np.float64(0.1),
    "collapse": np.True_,
    "c45_numeric_minimum": np.False_,
    "n_jobs": -1,
}
WRONG = [(name, value) for name, values in REFUSED.items() for value in values]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_value_that_makes_no_sense_is_refused_by_name(name, value):
    with pytest.raises(ParameterError) as refusal:
        ROCTreeClassifier(**{name: value}).fit(X, Y)
    assert f"{name}={value!r} is not allowed" in str(refusal.value)
    example = {"ill": 5, "well": 1}
    expected = RULES[name].expected.format(none=None, true=True, false=False, example=example)
    assert f"give {expected}." in str(refusal.value)


@pytest.mark.parametrize(("name", "value"), ACCEPTED.items())
def test_numbers_and_flags_of_numpy_are_welcome(name, value):
    plain = value.item() if isinstance(value, np.generic) else value
    tree = ROCTreeClassifier(**{name: value}).fit(X, Y)
    assert tree.tree_ == ROCTreeClassifier(**{name: plain}).fit(X, Y).tree_


@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply"])
def test_a_number_of_threads_set_after_the_fit_is_refused_alike(method):
    tree = ROCTreeClassifier().fit(X, Y).set_params(n_jobs=0)
    with pytest.raises(ParameterError, match="n_jobs=0 is not allowed: give an integer other"):
        getattr(tree, method)(X)


def test_every_parameter_has_a_rule_or_a_reader_of_its_own():
    parameters = set(inspect.signature(ROCTreeClassifier).parameters)
    assert parameters - set(RULES) == {
        "criterion",
        "pruning",
        "smoothing",
        "points",
        "metric",
        "categorical_features",
    }


def test_a_misspelt_name_is_corrected():
    with pytest.raises(ParameterError, match=r"did you mean 'fractional'\?"):
        ROCTreeClassifier(missing="fractionl").fit(X, Y)
    with pytest.raises(ParameterError, match=r"did you mean 'gini'\?"):
        ROCTreeClassifier(criterion="ginni").fit(X, Y)


@pytest.mark.parametrize("name", ["pruning", "smoothing"])
@pytest.mark.parametrize("wrong", [None, 3, ["laplace"], MBranch])
def test_a_strategy_is_a_name_or_one_of_its_kind(name, wrong):
    with pytest.raises(ParameterError, match=f"neither a name nor a {name}; choose from none, "):
        ROCTreeClassifier(**{name: wrong}).fit(X, Y)
    with pytest.raises(ParameterError, match=f"{name}='nothing' is not known"):
        ROCTreeClassifier(**{name: "nothing"}).fit(X, Y)


def test_a_criterion_must_be_one():
    with pytest.raises(ParameterError, match="neither a name nor a criterion"):
        ROCTreeClassifier(criterion=len).fit(X, Y)


def test_nothing_is_checked_before_the_fit():
    tree = ROCTreeClassifier(max_depth="deep").set_params(max_leaf_nodes=-5)
    assert (tree.max_depth, tree.max_leaf_nodes) == ("deep", -5)


def test_the_table_of_defaults_is_the_signature_of_the_constructor():
    signature = inspect.signature(ROCTreeClassifier)
    assert {name: each.default for name, each in signature.parameters.items()} == dict(DEFAULTS)


def test_a_ranking_set_after_the_fit_is_checked_where_it_is_used():
    tree = ROCTreeClassifier().fit(X, Y).set_params(ranking="nearest")
    assert tree.predict(X).tolist() == Y
    assert hasattr(tree, "classes_")
    with pytest.raises(ParameterError, match="ranking='nearest' is not allowed"):
        tree.decision_function(X)


def test_options_of_points_need_points():
    message = "points=None has no options such as max_attributes: set points too"
    with pytest.raises(ParameterError, match=message):
        ROCTreeClassifier().set_params(points__max_attributes=3)
    tree = ROCTreeClassifier().set_params(points="linear", points__max_attributes=3)
    assert tree.points.max_attributes == 3


def test_labels_set_after_the_fit_are_checked():
    tree = ROCTreeClassifier().fit(X, Y).set_params(labels="most")
    with pytest.raises(ParameterError, match="labels='most' is not allowed"):
        tree.predict(X)
