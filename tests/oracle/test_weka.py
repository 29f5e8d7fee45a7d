"""The trees of Weka's J48 on 28 data sets, before pruning: leaves, nodes, training errors."""

import numpy as np
import pytest

from roctree.criteria import GainRatio
from roctree.tree.grow import grow
from roctree.tree.growth import Growth
from roctree.tree.shape import collapse
from tests.oracle.classify import training_errors
from tests.shared_data import load, oracle

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


def j48(dataset, nominal):
    """Grow as Weka's J48 does with two cases a branch at least."""
    growth = Growth(
        GainRatio(penalty=True, tolerance=1e-6),
        np.ones(dataset.schema.n_classes),
        nominal=nominal,
        missing="fractional",
        min_leaf=2,
        min_split=4,
        c45_numeric_minimum=True,
    )
    return grow(dataset, growth)


@pytest.mark.parametrize("nominal", RUNS)
@pytest.mark.parametrize("name", NAMES)
def test_the_collapsed_tree_is_as_large_and_errs_as_often_as_that_of_j48(name, nominal):
    expected = oracle("weka")["trees"][name][RUNS[nominal]]
    dataset = load(name).dataset
    tree = collapse(j48(dataset, nominal)).validate()
    assert tree.n_leaves == expected["leaves"]
    assert tree.n_nodes == expected["size"]
    assert training_errors(tree, dataset) == expected["training_errors"]


def test_every_data_set_of_the_oracle_is_tried():
    assert sorted(QUICK + OTHERS) == sorted(oracle("weka")["trees"])
