"""The demonstration: criteria compared on breast-cancer data, a small tree, and its page."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_validate, train_test_split

from roctree.estimator import ROCTreeClassifier

CRITERIA_SHOWN = ("msee", "auc", "gain_ratio", "gini", "hellinger")
MIN_LEAF = 5
SHOWN_DEPTH = 3
FOLDS = 10


@dataclass(frozen=True)
class CriterionScores:
    """AUC, accuracy and number of leaves of a criterion, for each fold."""

    criterion: str
    auc: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    n_leaves: NDArray[np.float64]


@cache
def tumours() -> tuple[NDArray[np.float64], NDArray[Any], tuple[str, ...]]:
    """Return the Wisconsin breast-cancer data: values, labels and attribute names."""
    data = load_breast_cancer()
    return data.data, data.target_names[data.target], tuple(map(str, data.feature_names))


def cross_validated(criterion: str) -> CriterionScores:
    """Return the scores of a criterion by cross-validation."""
    values, labels, _ = tumours()
    scores = cross_validate(
        ROCTreeClassifier(criterion=criterion, min_samples_leaf=MIN_LEAF),
        values,
        labels,
        cv=StratifiedKFold(FOLDS, shuffle=True, random_state=0),
        scoring=["roc_auc", "accuracy"],
        return_estimator=True,
    )
    n_leaves = [tree.get_n_leaves() for tree in scores["estimator"]]
    return CriterionScores(
        criterion, scores["test_roc_auc"], scores["test_accuracy"], np.array(n_leaves, np.float64)
    )


def shown_tree() -> ROCTreeClassifier:
    """Return a small tree grown from all cases."""
    values, labels, _ = tumours()
    return ROCTreeClassifier(max_depth=SHOWN_DEPTH, min_samples_leaf=MIN_LEAF).fit(values, labels)


def write_page(path: Path) -> Path:
    """Write the page of a tree grown from half of the cases and tested on the other half."""
    values, labels, names = tumours()
    X, X_test, y, y_test = train_test_split(
        values, labels, test_size=0.5, stratify=labels, random_state=0
    )
    tree = ROCTreeClassifier(min_samples_leaf=MIN_LEAF).fit(X, y)
    tree.fitted_ = replace(tree.fitted_, schema=replace(tree.schema_, names=names))
    page: Path = tree.explore(path, X_test, y_test, title="Breast cancer: benign or malignant?")
    return page
