"""Fingerprints: the same text in every process, another one after any change."""

from functools import partial

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from roctree import ROCTreeClassifier
from roctree.criteria import criterion
from roctree.experiment.store import code_fingerprint, fingerprint
from roctree.smoothing import MBranch


@criterion
def own_criterion(table):
    """An arbitrary criterion."""
    return -table[0, 0]


class Measure:
    """A measure without parameters."""

    def __call__(self, answer):
        return 0.5


@pytest.mark.parametrize(
    "make",
    [
        lambda: ROCTreeClassifier(criterion=own_criterion),
        lambda: make_pipeline(FunctionTransformer(np.negative), ROCTreeClassifier()),
        lambda: Measure(),
        lambda: partial(np.quantile, q=0.5),
        lambda: {"blue", "green", "red"},
    ],
)
def test_fingerprints_are_the_same_in_every_process(make):
    text = fingerprint(make())
    assert text == fingerprint(make())
    assert "0x" not in text


def test_fingerprints_contain_every_option():
    value, other = fingerprint, np.arange(5000)
    assert value(MBranch(M=2)) != value(MBranch(M=4))
    assert value(partial(max, 1)) != value(partial(max, 2))
    assert value({"a": [1]}) != value({"a": [2]})
    assert value(other) != value(np.where(other == 2500, 0, other))
    assert "test_fingerprint.py" in value(own_criterion)
    assert "numpy" in value(np.float64)


def test_the_fingerprint_of_the_code_covers_what_grows_and_measures():
    names = code_fingerprint()
    assert {"tree/tree.py", "estimator.py", "experiment/metrics.py", "numpy"} <= names.keys()
    assert not any(name.startswith(("report", "cli")) for name in names)
