"""Requests of ``at(...)`` that make no sense, and what is said of them."""

import numpy as np
import pytest

from roctree import NotFittedError, ParameterError, ROCTreeClassifier


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        ({}, "Give an operating point: cost_fp and cost_fn, cost_matrix, cost_reject, prior"),
        ({"max_fpr": 2}, "max_fpr=2 must be a number from 0 to 1."),
        ({"max_fpr": np.nan}, "max_fpr=nan must be a number from 0 to 1."),
        ({"max_fpr": "low"}, "max_fpr='low' must be a number from 0 to 1."),
        ({"min_tpr": -0.1}, "min_tpr=-0.1 must be a number from 0 to 1."),
        ({"threshold": 50}, "threshold=50 must be a number from 0 to 1."),
        ({"threshold": True}, "threshold=True must be a number from 0 to 1."),
        ({"beta": 0}, "beta=0 must be a number above 0."),
        ({"beta": "F1"}, "beta='F1' must be a number above 0."),
        ({"cost_fp": -1}, "cost_fp=-1 must be a finite, nonnegative number."),
        ({"cost_fn": "5"}, "cost_fn='5' must be a finite, nonnegative number."),
        ({"cost_fn": np.nan}, "cost_fn=nan must be a finite, nonnegative number."),
        ({"cost_fp": 0, "cost_fn": 0}, "cost_fp and cost_fn are both 0: at least one must"),
        ({"cost_matrix": [[0, 1]]}, "cost_matrix has shape (1, 2): it must have 2 rows"),
        (
            {"cost_matrix": [[0, 1], [1]]},
            "cost_matrix must contain numbers, in rows of equal length.",
        ),
        ({"cost_matrix": [["a", 1], [1, 0]]}, "cost_matrix must contain numbers, in rows"),
        ({"cost_matrix": [[0, np.inf], [1, 0]]}, "cost_matrix must contain only finite costs"),
        ({"cost_matrix": [[5, 0], [0, 5]]}, "cost_matrix has no error that costs more than"),
        ({"cost_matrix": np.ones((4, 2, 2))}, "costs of single cases are for predict(X, cost_mat"),
        (
            {"cost_matrix": {"home": 1, "play": 2}},
            "cost_matrix has 1 for the predicted class 'home'",
        ),
        (
            {"cost_matrix": {"home": {"gone": 1}, "play": {}}},
            "cost_matrix names 'gone', which is not a class; the",
        ),
        (
            {"cost_matrix": [[0, 1], [1, 0]], "cost_fp": 1},
            "Pass either cost_matrix or cost_fp and cost_",
        ),
        ({"cost_fn": 2, "max_fpr": 0.1}, "costs and max_fpr ask for two labellings: give one."),
        ({"max_fpr": 0.1, "min_tpr": 0.9}, "max_fpr and min_tpr ask for two labellings: give one."),
        ({"max_fpr": 0.1, "prior": 0.5}, "max_fpr does not depend on prior: leave it out."),
        ({"threshold": 0.1, "prior": 0.5}, "threshold does not depend on prior: leave it out."),
        (
            {"cost_fn": 2, "randomise": True},
            "randomise attains a rate: give max_fpr or min_tpr as well",
        ),
        (
            {"max_fpr": 0.1, "randomise": "yes"},
            "randomise='yes' is not allowed: give True or False.",
        ),
        ({"prior": 1.5}, "prior=1.5 must be shares from 0 to 1 that sum to 1."),
        ({"prior": [0.5, 0.6]}, "must be shares from 0 to 1 that sum to 1."),
        ({"prior": ["a", "b"]}, "prior must contain numbers, in rows of equal length."),
        ({"prior": {"home": "a", "play": 1}}, "prior must contain numbers"),
        ({"prior": np.nan}, "must contain one share for each of the 2 classes."),
        ({"prior": {"home": 0.5, "away": 0.5}}, "prior names 'away', which is not a class; the"),
        (
            {"cost_fn": 2, "positive": "away"},
            "positive='away' is not a class; the classes are 'home'",
        ),
        ({"cost_ratio": 5}, "at() has no argument 'cost_ratio'"),
        ({"max_fp": 5}, "at() has no argument 'max_fp' (did you mean 'max_fpr'?)"),
    ],
    ids=str,
)
def test_a_request_that_makes_no_sense_is_refused_in_the_words_of_the_user(
    tree, request_, sentence
):
    with pytest.raises(ParameterError) as raised:
        tree.at(**request_)
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("method", ["at", "labellings", "roc"])
def test_nothing_can_be_asked_of_a_tree_that_is_not_fitted(method):
    with pytest.raises(NotFittedError):
        getattr(ROCTreeClassifier(), method)()
