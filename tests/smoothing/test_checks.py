"""What ``check_smoother`` says of smoothers, sound and broken."""

import numpy as np
import pytest

from roctree import checks
from roctree.smoothing import (
    SMOOTHING,
    Curtailment,
    HierarchicalShrinkage,
    MBranch,
    MEstimate,
)

SOUND = [
    *[smoother for name, smoother in SMOOTHING.items() if name != "curtailment"],
    MEstimate(0.5, "training"),
    MBranch(0),
    MBranch(32),
    HierarchicalShrinkage(0),
    HierarchicalShrinkage(500),
    Curtailment(0),
]


def name_of(value):
    """A test's name must be the same in every process, and a function's repr is not."""
    return getattr(value, "__name__", str(value))


def laplace(tree):
    added = tree.counts + 1.0
    return added / added.sum(axis=1, keepdims=True)


def one_line(tree):
    return laplace(tree)[0]


def counts(tree):
    return tree.counts


def frequencies(tree):
    return tree.counts / tree.weight[:, None]


def beyond(tree):
    return 9.0 * laplace(tree) - 8.0 / tree.n_classes


def contrary(tree):
    return (1.0 - laplace(tree)) / (tree.n_classes - 1)


def deaf(tree):
    return np.full(tree.counts.shape, 1.0 / tree.n_classes)


def partial_to_the_first(tree):
    added = tree.counts + np.arange(tree.n_classes, 0, -1)
    return added / added.sum(axis=1, keepdims=True)


def moved_by_gain(tree):
    added = tree.counts + 1.0 + tree.gain[:, None]
    return added / added.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("smoother", [*SOUND, laplace], ids=name_of)
def test_a_sound_smoother_passes(smoother, n_classes):
    checks.check_smoother(smoother, n_classes)


@pytest.mark.parametrize("name", sorted(set(SMOOTHING) - {"curtailment"}))
def test_a_registered_smoother_passes_by_its_name(name):
    checks.check_smoother(name)


def test_curtailment_is_known_to_forget_the_node_above():
    with pytest.raises(AssertionError, match=r"lowers the probability of class .* one more case"):
        checks.check_smoother("curtailment")


@pytest.mark.parametrize(
    ("smoother", "message"),
    [
        (one_line, r"one_line fails on <Tree .* shape \(2,\).*one row per node"),
        (counts, r"counts fails on .* returned \[1\.0, 2\.0\] for leaf 0: .* sum to 1"),
        (frequencies, r"frequencies fails on .* a node may have no cases"),
        (beyond, r"beyond fails on .* returned \[-0\.3.*must be non-negative"),
        (contrary, r"contrary lowers the probability of class 0 at leaf 0 of .* from 0\.6"),
        (deaf, r"deaf changes the frequencies of leaves with 1e\+09 times the cases"),
        (partial_to_the_first, r"other probabilities for .* with classes renamed"),
        (moved_by_gain, r"other probabilities for .* with other splits"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_broken_law_is_reported_in_a_sentence(smoother, message):
    with pytest.raises(AssertionError, match=message):
        checks.check_smoother(smoother)


def test_an_exception_is_reported_with_the_tree():
    with pytest.raises(AssertionError, match=r"fails on <Tree .* n_children \[0\] and counts"):
        checks.check_smoother(lambda tree: tree.counts["no such"])
