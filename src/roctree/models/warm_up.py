"""Compile every kernel ahead of use, or load it if this machine has compiled it before."""

from typing import Any, get_args

import numpy as np

from roctree._jit import compile_all
from roctree.criteria import CRITERIA
from roctree.estimator import ROCTreeClassifier
from roctree.models.discretizer import MDLDiscretizer
from roctree.models.multiscale.estimator import MultiscaleClassifier
from roctree.models.nbtree.estimator import NaiveBayesTreeClassifier
from roctree.tree.growth import Missing

# Large and small nodes use different kernels.
SIZES = (3000, 20)


def warm_up() -> None:
    """Compile all kernels, then fit every kind of model and predict with it."""
    compile_all()
    for n_rows in SIZES:
        numbers = np.random.default_rng(0).random((n_rows, 3))
        labels = numbers[:, 0] > 0.5
        gaps = np.where(numbers < 0.1, np.nan, np.floor(4 * numbers))
        for missing in get_args(Missing):
            _fit_and_predict(numbers, labels, missing=missing)
            _fit_and_predict(gaps, labels, missing=missing, categorical_features=[1])
    for criterion in CRITERIA:
        _fit_and_predict(numbers, labels, criterion=criterion, collapse=True)
    _fit_and_predict(numbers, labels, ranking="soft", growth="whole_tree_auc", max_leaves=8)
    MDLDiscretizer().fit(numbers, labels)
    NaiveBayesTreeClassifier().fit(numbers, labels).predict(numbers)
    MultiscaleClassifier(pruning="minimum_error").fit(numbers, labels).predict(numbers)


def _fit_and_predict(values: Any, labels: Any, **parameters: Any) -> None:
    tree = ROCTreeClassifier(**parameters).fit(values, labels)
    tree.predict(values)
    tree.apply(values)
    tree.decision_path(values)
    tree.ranked("leaf").boundary_distance(values)
