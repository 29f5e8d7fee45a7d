import multiprocessing
import pickle

import joblib
import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.inspection import permutation_importance
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler
from sklearn.utils import get_tags

from roctree import ROCTreeClassifier, presets
from roctree.classifier import number_of_threads
from roctree.criteria import CRITERIA
from tests.estimator import weather

CANCER = tuple(array[::3] for array in load_breast_cancer(return_X_y=True))


def test_a_pipeline_may_end_in_a_tree():
    pipeline = make_pipeline(StandardScaler(), ROCTreeClassifier(max_leaf_nodes=8))
    assert pipeline.fit(*CANCER).score(*CANCER) > 0.9


def test_a_pipeline_may_hand_frames_on():
    X, y = weather.complete()
    ordinal = make_column_transformer((OrdinalEncoder(), ["sky"]), remainder="passthrough")
    pipeline = make_pipeline(ordinal.set_output(transform="pandas"), ROCTreeClassifier())
    assert pipeline.fit(X, y).score(X, y) > 0.9


def test_grid_search_tries_criteria_by_name_and_by_value():
    criteria = ["auc", CRITERIA["gini"]]
    grid = {"criterion": criteria, "max_leaf_nodes": [2, 8]}
    search = GridSearchCV(ROCTreeClassifier(), grid, cv=3, scoring="roc_auc").fit(*CANCER)
    assert search.best_params_["max_leaf_nodes"] == 8
    assert search.best_score_ > 0.9


def test_probabilities_can_be_calibrated():
    calibrated = CalibratedClassifierCV(ROCTreeClassifier(min_samples_leaf=10), cv=3)
    assert calibrated.fit(*CANCER).score(*CANCER) > 0.9


def test_the_threshold_can_be_tuned():
    tuned = TunedThresholdClassifierCV(ROCTreeClassifier(min_samples_leaf=10), cv=3)
    assert tuned.fit(*CANCER).score(*CANCER) > 0.9


def test_permuting_a_useful_column_hurts_most():
    X, y = weather.frame()
    tree = ROCTreeClassifier(max_depth=3).fit(X, y)
    importances = permutation_importance(tree, X, y, n_repeats=3, random_state=0).importances_mean
    assert importances.argmin() == 2


def test_text_columns_can_be_cross_validated():
    X, y = weather.frame()
    scores = cross_val_score(ROCTreeClassifier(max_leaf_nodes=4), X, y, cv=5, scoring="roc_auc")
    assert scores.mean() > 0.75


def test_ensembles_of_trees_work():
    bagged = BaggingClassifier(ROCTreeClassifier(), n_estimators=3, random_state=0)
    assert bagged.fit(*CANCER).score(*CANCER) > 0.95
    stump = ROCTreeClassifier(max_depth=1, min_samples_leaf=1e-9, min_samples_split=0)
    boosted = AdaBoostClassifier(stump, n_estimators=3, random_state=0)
    assert boosted.fit(*CANCER).score(*CANCER) > 0.9


def test_a_clone_has_the_parameters_but_not_the_tree():
    tree = presets.j48(max_depth=4).fit(*CANCER)
    copy = clone(tree)
    assert copy.get_params() == tree.get_params()
    assert not hasattr(copy, "tree_")


def test_a_pickle_predicts_the_same():
    X, y = weather.frame()
    tree = ROCTreeClassifier(criterion=CRITERIA["gain_ratio"]).fit(X, y)
    again = pickle.loads(pickle.dumps(tree))
    assert again.tree_ == tree.tree_
    assert np.array_equal(again.predict_proba(X), tree.predict_proba(X))


def test_two_fits_have_the_same_pickle():
    X, y = weather.frame()
    first, second = (pickle.dumps(ROCTreeClassifier().fit(X, y)) for _ in range(2))
    assert first == second


def test_joblib_stores_and_maps_a_tree(tmp_path):
    X, y = weather.frame()
    tree = ROCTreeClassifier().fit(X, y)
    joblib.dump(tree, tmp_path / "tree.joblib")
    mapped = joblib.load(tmp_path / "tree.joblib", mmap_mode="r")
    assert np.array_equal(mapped.predict_proba(X), tree.predict_proba(X))


@pytest.mark.slow
def test_workers_of_joblib_fit_the_same_tree():
    fits = joblib.Parallel(n_jobs=2)(
        joblib.delayed(ROCTreeClassifier().fit)(*CANCER) for _ in range(2)
    )
    assert fits[0].tree_ == fits[1].tree_ == ROCTreeClassifier().fit(*CANCER).tree_


def test_weights_are_routed_as_metadata():
    X, y = CANCER
    weights = np.where(y == 0, 5.0, 0.0)
    with config_context(enable_metadata_routing=True):
        tree = ROCTreeClassifier().set_fit_request(sample_weight=True)
        tree.set_score_request(sample_weight=False)
        scores = cross_validate(
            tree, X, y, params={"sample_weight": weights}, return_estimator=True, cv=2
        )
        assert [fitted.get_n_leaves() for fitted in scores["estimator"]] == [1, 1]


def test_weights_that_nobody_asked_for_are_an_error_with_routing():
    X, y = CANCER
    with (
        config_context(enable_metadata_routing=True),
        pytest.raises(ValueError, match="sample_weight"),
    ):
        cross_validate(ROCTreeClassifier(), X, y, params={"sample_weight": y})


def test_the_tags_say_what_a_tree_accepts():
    tags = get_tags(ROCTreeClassifier())
    assert tags.input_tags.allow_nan
    assert tags.input_tags.categorical
    assert not tags.input_tags.sparse
    assert not tags.input_tags.string
    assert tags.target_tags.single_output
    assert not tags.target_tags.multi_output
    assert tags.classifier_tags.multi_class


def test_threads_are_not_fewer_in_a_process_of_a_pool(monkeypatch):
    pool_process = multiprocessing.current_process()
    monkeypatch.setitem(pool_process._config, "daemon", True)
    assert number_of_threads(2) == 2
