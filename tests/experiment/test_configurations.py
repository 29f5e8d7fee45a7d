"""Configurations that share a grown tree give the same results as fitting each."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from roctree import ROCTreeClassifier
from roctree.errors import ParameterError
from roctree.experiment import BuiltIn, Configuration
from roctree.experiment.configurations import fit_configurations
from roctree.presets import j48
from roctree.pruning import ReducedError
from roctree.smoothing import MBranch

PROBLEM = BuiltIn().load("breast-wdbc")
HALF = np.arange(0, 569, 2)
ROWS, Y = PROBLEM.rows[HALF], PROBLEM.y[HALF]
CHOICES = [
    {"smoothing": "laplace"},
    {"pruning": "pessimistic", "labels": "majority"},
    {"pruning": "minimum_error", "smoothing": MBranch(M=2)},
    {"ranking": "local", "metric": "standard"},
    {"ranking": "global"},
    {"ranking": "soft"},
]


def both(estimators, **options):
    configurations = [Configuration(str(i), each, **options) for i, each in enumerate(estimators)]
    shared = [each.model for each in fit_configurations(configurations, ROWS, Y)]
    return shared, [each.fit(ROWS, Y) for each in estimators]


def assert_alike(ours, theirs):
    rest = PROBLEM.rows[np.arange(1, 569, 2)]
    for method in ("predict_proba", "predict", "decision_function"):
        assert np.array_equal(getattr(ours, method)(rest), getattr(theirs, method)(rest))


def test_shared_growth_gives_the_same_trees_as_fitting():
    estimators = [ROCTreeClassifier(**choice) for choice in CHOICES]
    assert len({Configuration("", each).growth_key for each in estimators}) == 1
    for ours, theirs in zip(*both(estimators), strict=True):
        assert_alike(ours, theirs)


def test_a_configuration_that_fails_is_an_error_and_those_after_it_are_fitted():
    trees = [ROCTreeClassifier(min_samples_leaf=1), ROCTreeClassifier(max_depth=-1), j48()]
    configurations = [Configuration(str(i), each) for i, each in enumerate(trees)]
    first, failed, last = fit_configurations(configurations, ROWS, Y)
    assert isinstance(failed.error, ParameterError)
    for fitted in (first, last):
        assert fitted.error is None
        assert 0.0 < fitted.seconds < 600.0


def test_subtree_raising_gives_the_same_trees_as_fitting():
    for ours, theirs in zip(*both([j48(), j48(smoothing="laplace")]), strict=True):
        assert_alike(ours, theirs)


def test_pruning_with_held_out_cases_is_part_of_the_fit():
    pruned = [
        ROCTreeClassifier(pruning=ReducedError(), smoothing=each) for each in ("none", "laplace")
    ]
    growths = {Configuration("", each).growth_key for each in [*pruned, ROCTreeClassifier()]}
    assert len(growths) == 2
    for ours, theirs in zip(*both(pruned), strict=True):
        assert_alike(ours, theirs)


@pytest.mark.parametrize(
    "estimator",
    [
        ROCTreeClassifier(smoothing=MBranch(M="auto")),
        ROCTreeClassifier(geometric_probability=True),
        DecisionTreeClassifier(),
    ],
    ids=lambda each: str(each)[:40],
)
def test_trees_that_cannot_be_shared_have_no_growth_key(estimator):
    assert Configuration("", estimator).growth_key is None


def test_trees_that_grow_differently_have_different_growth_keys():
    one, other = (ROCTreeClassifier(criterion=name) for name in ("gini", "auc"))
    assert Configuration("", one).growth_key != Configuration("", other).growth_key


@pytest.mark.filterwarnings("ignore:max_fpr")  # which no leaf may keep
def test_a_configuration_can_have_an_operating_point():
    (ours,), (theirs,) = both([ROCTreeClassifier()], at={"max_fpr": 0.05})
    assert_alike(ours, theirs.at(max_fpr=0.05))


def test_an_error_is_part_of_the_result_and_does_not_affect_others():
    wrong = Configuration("wrong", ROCTreeClassifier(pruning="none"), at={"nonsense": 1})
    right = Configuration("right", ROCTreeClassifier())
    bad_growth = Configuration("bad growth", ROCTreeClassifier(max_depth=-1))
    found = {
        each.configuration.name: each
        for each in fit_configurations([wrong, right, bad_growth], ROWS, Y)
    }
    assert isinstance(found["wrong"].error, ParameterError)
    assert isinstance(found["bad growth"].error, ParameterError)
    assert found["right"].error is None
    assert found["right"].model is not None


def test_only_classifiers_with_probabilities_are_configurations():
    from sklearn.svm import LinearSVC

    with pytest.raises(ParameterError, match="has no method predict_proba"):
        Configuration("svm", LinearSVC())
