"""The trees of Weka's J48 on 28 data sets, before pruning: leaves, nodes, training errors."""

import numpy as np
import pytest

from roctree import presets
from tests.shared_data import load, oracle

# Horse colic has a column that names its rows, and J48 takes it.
pytestmark = pytest.mark.filterwarnings("ignore:Columns with nearly as many categories")

QUICK = ["hayes-roth", "iris", "lymphography"]
OTHERS = [
    "agaricus",
    "anneal",
    "balance-scale",
    "breast-wdbc",
    "car",
    "cmc",
    "dermatology",
    "glass",
    "heart-statlog",
    "horse-colic",
    "hypothyroid",
    "letter",
    "monks2",
    "new-thyroid",
    "optdigits",
    "pendigits",
    "sat",
    "sick",
    "sonar",
    "spect",
    "tae",
    "thyroid-sick-euthyroid",
    "vehicle",
    "waveform",
    "yeast",
]
NAMES = QUICK + [pytest.param(name, marks=pytest.mark.slow) for name in OTHERS]
RUNS = {"multiway": "unpruned_collapsed", "one_vs_rest": "binary_unpruned"}


@pytest.mark.parametrize("nominal", RUNS)
@pytest.mark.parametrize("name", NAMES)
def test_the_collapsed_tree_is_as_large_and_errs_as_often_as_that_of_j48(name, nominal):
    expected = oracle("weka")["trees"][name][RUNS[nominal]]
    frame, labels = load(name).frame, np.array(load(name).labels)
    j48 = presets.j48(pruning="none", collapse=True, nominal=nominal).fit(frame, labels)
    tree = j48.tree_.validate()
    assert tree.n_leaves == expected["leaves"]
    assert tree.n_nodes == expected["size"]
    assert (j48.predict(frame) != labels).sum() == expected["training_errors"]


def test_every_data_set_of_the_oracle_is_tried():
    assert sorted(QUICK + OTHERS) == sorted(oracle("weka")["trees"])
