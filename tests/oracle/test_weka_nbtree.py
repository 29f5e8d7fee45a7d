"""The trees of Weka's NBTree: leaves, nodes and training errors."""

import numpy as np
import pytest

from roctree import NaiveBayesTreeClassifier
from tests.shared_data import load, oracle

# Horse colic has a column that names its rows.
pytestmark = pytest.mark.filterwarnings("ignore:Columns with nearly as many categories")

QUICK = ["hayes-roth", "iris", "new-thyroid", "tae"]
OTHERS = [
    "anneal",
    "balance-scale",
    "breast-wdbc",
    "car",
    "cmc",
    "dermatology",
    "glass",
    "heart-statlog",
    "horse-colic",
    "lymphography",
    "monks2",
    "sonar",
    "spect",
    "vehicle",
    "yeast",
]
NAMES = QUICK + [pytest.param(name, marks=pytest.mark.slow) for name in OTHERS]


@pytest.mark.parametrize("name", NAMES)
def test_the_tree_is_as_large_and_errs_as_often_as_that_of_nbtree(name):
    expected = oracle("weka")["trees"][name]["nbtree"]
    frame, labels = load(name).frame, np.array(load(name).labels)
    nbtree = NaiveBayesTreeClassifier().fit(frame, labels)
    found = {
        "leaves": nbtree.get_n_leaves(),
        "size": nbtree.tree_.n_nodes,
        "training_errors": float((nbtree.predict(frame) != labels).sum()),
    }
    assert found == expected


def test_every_data_set_of_the_oracle_is_tried():
    trees = oracle("weka")["trees"]
    assert sorted(QUICK + OTHERS) == sorted(name for name in trees if "nbtree" in trees[name])


@pytest.mark.parametrize(("name", "key"), [("iris", "iris"), ("breast_cancer", "wdbc")])
def test_the_tree_is_that_of_the_newer_weka(name, key):
    datasets = pytest.importorskip("sklearn.datasets")
    expected = oracle("definitions")["weka_397_oracle"][key]["NBTree"]
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    nbtree = NaiveBayesTreeClassifier().fit(X, y)
    errors = int((nbtree.predict(X) != y).sum())
    assert [nbtree.get_n_leaves(), nbtree.tree_.n_nodes, errors] == expected
