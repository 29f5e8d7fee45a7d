"""Scikit-learn's own checks: all of them for the default, the presets and each code path."""

import os
import subprocess
import sys
from typing import get_args

import pytest
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import (
    check_decision_proba_consistency,
    check_estimator,
    estimator_checks_generator,
)

from roctree import ROCTreeClassifier, presets
from roctree.checks import expected_failed_checks
from roctree.criteria import CRITERIA
from roctree.geometry import RANKINGS
from roctree.pruning import PRUNING
from roctree.smoothing import SMOOTHING, MBranch
from roctree.tree.growth import Missing, Nominal

pytestmark = [
    # The checks predict for values that no training case had.
    pytest.mark.filterwarnings("ignore:Categories not seen in training"),
    pytest.mark.filterwarnings("ignore:Columns with nearly as many categories as rows"),
]


class TreeOfNumbers(ROCTreeClassifier):
    """The default, but for the tag that makes the checks round their data to categories."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = False
        return tags


# One choice per code path: each passes every check but those that are listed with a reason.
PATHS = [
    {"missing": "branch"},
    {"nominal": "multiway", "categorical_features": [0]},
    {"max_leaf_nodes": 4},
    {"growth": "whole_tree_auc", "max_leaf_nodes": 4},
    {"class_weight": "balanced"},
    {"pruning": "reduced_error"},
    {"smoothing": MBranch(M="auto")},
    {"splits": "binned"},
    {"labels": "majority"},
    {"ranking": "local"},
    {"ranking": "global"},
    {"ranking": "soft"},
    {"geometric_probability": True},
    {"geometric_probability": True, "ranking": "global"},
    {"n_jobs": 2},
]
# The other choices share these paths and pass the checks that depend on what a strategy computes.
OTHERS = [
    *[{"criterion": name} for name in CRITERIA],
    *[{"smoothing": name} for name in SMOOTHING],
    *[{"missing": missing} for missing in get_args(Missing)],
    *[{"nominal": nominal, "categorical_features": [0]} for nominal in get_args(Nominal)],
    *[{"pruning": name} for name in PRUNING],
    {"max_depth": 3},
    {"min_weight_fraction_leaf": 0.01},
    {"threshold": "observed"},
    {"collapse": True},
    {"c45_numeric_minimum": True},
    *[{"ranking": name} for name in RANKINGS if name != "global"],
    {"metric": "standard", "ranking": "local"},
]
SHORT = {
    "check_classifiers_one_label",
    "check_classifiers_one_label_sample_weights",
    "check_classifiers_train",
    "check_decision_proba_consistency",
    "check_estimators_pickle",
    "check_fit2d_1sample",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_sample_weight_equivalence_on_dense_data",
}
# Registries have the defaults as well, which are checked in full.
DEFAULT = ROCTreeClassifier().get_params()
OTHERS = [each for each in OTHERS if DEFAULT | each != DEFAULT and each not in PATHS]


def check_all(estimator):
    check_estimator(
        estimator, expected_failed_checks=expected_failed_checks(estimator), on_skip=None
    )


@pytest.mark.parametrize("estimator", [ROCTreeClassifier(), TreeOfNumbers()], ids=repr)
def test_the_default_tree_passes_every_check(estimator):
    check_all(estimator)


@pytest.mark.slow
@pytest.mark.parametrize("parameters", PATHS, ids=str)
def test_every_code_path_passes_every_check(parameters):
    check_all(ROCTreeClassifier(**parameters))


@pytest.mark.slow
@pytest.mark.parametrize("name", presets.PRESETS)
def test_every_preset_passes_every_check(name):
    check_all(presets.PRESETS[name]())


@pytest.mark.slow
@pytest.mark.parametrize("parameters", OTHERS, ids=str)
def test_every_choice_passes_the_checks_of_what_it_computes(parameters):
    passed = set()
    for estimator, check in estimator_checks_generator(ROCTreeClassifier(**parameters)):
        if check.func.__name__ in SHORT:
            check(estimator)
            passed.add(check.func.__name__)
    assert passed == SHORT


@pytest.mark.parametrize("ranking", [name for name, score in RANKINGS.items() if score])
def test_scores_by_distance_and_probabilities_agree_as_far_as_scikit_learn_looks(ranking):
    check_decision_proba_consistency("TreeOfNumbers", TreeOfNumbers(ranking=ranking))


@pytest.mark.parametrize(
    "options", [{"criterion": "auc", "ranking": "global"}, {"geometric_probability": True}]
)
def test_checks_that_are_listed_fail(options):
    estimator = ROCTreeClassifier(**options)
    (name,) = expected_failed_checks(estimator)
    with pytest.raises(AssertionError):
        getattr(estimator_checks, name)(name, estimator)


def test_the_check_that_needs_a_switch_of_scipy_passes_too():
    script = """
from sklearn.utils.estimator_checks import check_array_api_input
from roctree import MultiscaleClassifier, ROCTreeClassifier
for estimator in (ROCTreeClassifier(), MultiscaleClassifier()):
    check_array_api_input(type(estimator).__name__, estimator, array_namespace="numpy")
"""
    environment = os.environ | {"SCIPY_ARRAY_API": "1"}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)
