"""The pruned trees of Weka's J48 on 28 data sets: leaves, nodes, training errors."""

import numpy as np
import pytest

from roctree import presets
from roctree.pruning import ErrorBased
from tests.oracle.test_weka import NAMES
from tests.shared_data import load, oracle

# Horse colic has a column that names its rows, and J48 takes it.
pytestmark = pytest.mark.filterwarnings("ignore:Columns with nearly as many categories")

RUNS = {
    "default": ErrorBased(limit="weka", raising=True),
    "no_raising": ErrorBased(limit="weka", raising=False),
    "cf01": ErrorBased(cf=0.01, limit="weka", raising=True),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_pruned_tree_is_as_large_and_errs_as_often_as_that_of_j48(name):
    frame, labels = load(name).frame, np.array(load(name).labels)
    grown = presets.j48(pruning="none").fit(frame, labels)
    found, expected = {}, {}
    for run, pruner in RUNS.items():
        j48 = grown.pruned(pruner, X=frame, y=labels)
        tree = j48.tree_.validate()
        found[run] = {
            "leaves": tree.n_leaves,
            "size": tree.n_nodes,
            "training_errors": (j48.predict(frame) != labels).sum(),
        }
        expected[run] = oracle("weka")["trees"][name][run]
    assert found == expected


@pytest.mark.parametrize("name", ["iris", "hayes-roth"])
def test_the_preset_prunes_as_j48_does_by_default(name):
    frame, labels = load(name).frame, np.array(load(name).labels)
    by_default = oracle("weka")["trees"][name]["default"]
    assert presets.j48().fit(frame, labels).tree_.n_nodes == by_default["size"]
