"""Scikit-learn's own checks: all of them for the default, the presets and each code path."""

import os
import subprocess
import sys
from typing import get_args

import pytest
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import (
    check_decision_proba_consistency,
    estimator_checks_generator,
    parametrize_with_checks,
)

from roctree import ROCTreeClassifier, presets
from roctree.checks import expected_failed_checks
from roctree.criteria import CRITERIA
from roctree.geometry import RANKINGS
from roctree.pruning import PRUNING
from roctree.smoothing import SMOOTHING, MBranch
from roctree.tree.growth import Missing, Nominal

# One choice per code path: each passes every check.
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
    {"ranking": "soft"},
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
    *[{"ranking": name} for name in RANKINGS],
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
# Registries have the defaults as well, which have a test of their own.
DEFAULT = ROCTreeClassifier().get_params()


def short_checks():
    """The short set for every choice that is neither a default nor a path of its own."""
    for parameters in OTHERS:
        if DEFAULT | parameters == DEFAULT or parameters in PATHS:
            continue
        for estimator, check in estimator_checks_generator(ROCTreeClassifier(**parameters)):
            name = getattr(check, "func", check).__name__
            if name in SHORT:
                yield pytest.param(estimator, check, id=f"{parameters}-{name}")


class TreeOfNumbers(ROCTreeClassifier):
    """The default, but for the tag that makes the checks round their data to categories."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = False
        return tags


@parametrize_with_checks([ROCTreeClassifier(), TreeOfNumbers()])
def test_the_default_tree_passes_every_check_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("ranking", [name for name, score in RANKINGS.items() if score])
def test_scores_by_distance_and_probabilities_agree_as_far_as_scikit_learn_looks(ranking):
    check_decision_proba_consistency("TreeOfNumbers", TreeOfNumbers(ranking=ranking))


DISTANCES = [
    *[ROCTreeClassifier(ranking="global", criterion=name) for name in CRITERIA],
    ROCTreeClassifier(geometric_probability=True),
    ROCTreeClassifier(geometric_probability=True, ranking="global"),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Categories not seen in training")
@parametrize_with_checks(DISTANCES)
def test_distances_pass_every_check_but_those_that_are_listed_with_a_reason(estimator, check):
    name = getattr(check, "func", check).__name__
    if name not in expected_failed_checks(estimator):
        check(estimator)


@pytest.mark.parametrize(
    "options", [{"criterion": "auc", "ranking": "global"}, {"geometric_probability": True}]
)
def test_checks_that_are_listed_fail(options):
    estimator = ROCTreeClassifier(**options)
    (name,) = expected_failed_checks(estimator)
    with pytest.raises(AssertionError):
        getattr(estimator_checks, name)(name, estimator)


@pytest.mark.slow
# The checks predict for values that no training case had.
@pytest.mark.filterwarnings("ignore:Categories not seen in training")
@pytest.mark.filterwarnings("ignore:Columns with nearly as many categories as rows")
@parametrize_with_checks([ROCTreeClassifier(**each) for each in PATHS])
def test_every_code_path_passes_every_check_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Categories not seen in training")
@pytest.mark.filterwarnings("ignore:Columns with nearly as many categories as rows")
@pytest.mark.parametrize(("estimator", "check"), list(short_checks()))
def test_every_choice_passes_the_checks_of_what_it_computes(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([preset() for preset in presets.PRESETS.values()])
def test_every_preset_passes_every_check_of_scikit_learn(estimator, check):
    check(estimator)


def test_the_check_that_needs_a_switch_of_scipy_passes_too():
    script = """
from sklearn.utils.estimator_checks import check_array_api_input
from roctree import MultiscaleClassifier, ROCTreeClassifier
for estimator in (ROCTreeClassifier(), MultiscaleClassifier()):
    check_array_api_input(type(estimator).__name__, estimator, array_namespace="numpy")
"""
    environment = os.environ | {"SCIPY_ARRAY_API": "1"}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)
