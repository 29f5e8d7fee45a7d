"""The compiled tree against Weka's algorithm in plain Python, to the last fold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roctree.data import Dataset, Schema
from roctree.models.nbtree import grow_naive_bayes_tree
from tests.naive import naive_bayes_tree as naive


@st.composite
def data_sets(draw, missing=True):
    """Numbers with ties and categories, two of them at odds as in an exclusive or."""
    n = draw(st.integers(30, 90))
    seed = draw(st.integers(0, 2**31))
    rng = np.random.default_rng(seed)
    n_classes = draw(st.integers(2, 3))
    kinds = [0, 0, draw(st.integers(2, 4)), draw(st.integers(1, 3))]
    columns = [rng.integers(0, kind, n) if kind else rng.integers(0, 12, n) / 2 for kind in kinds]
    truth = (columns[0] > 2).astype(int) ^ (columns[2] > 0) ^ (columns[1] > 4)
    labels = np.where(rng.random(n) < 0.9, truth, rng.integers(0, n_classes, n))
    values = np.column_stack(columns).astype(float)
    if missing and draw(st.booleans()):
        values[rng.random(values.shape) < 0.1] = np.nan
    return values, labels, kinds, n_classes


def dataset_of(values, labels, kinds, n_classes):
    categories = tuple(tuple(map(str, range(kind))) if kind else None for kind in kinds)
    names = tuple(f"x{feature}" for feature in range(len(kinds)))
    schema = Schema(names, categories, np.arange(n_classes))
    return Dataset(values, labels.astype(np.int32), np.ones(len(labels)), schema)


def cases_of(values, labels):
    rows = [[None if np.isnan(value) else value for value in row] for row in values.tolist()]
    return [(row, int(label), 1.0) for row, label in zip(rows, labels, strict=True)]


def test_random_numbers_are_those_that_java_prints():
    random = naive.JavaRandom(42)
    assert [random.below(100) for _ in range(5)] == [30, 63, 48, 84, 70]
    random = naive.JavaRandom(1)
    assert [random.below(bound) for bound in range(2, 12)] == [1, 1, 1, 3, 2, 6, 2, 1, 8, 4]


@pytest.mark.slow
@settings(max_examples=25)
@given(data_sets())
def test_trees_and_probabilities_are_those_of_plain_loops(data):
    values, labels, kinds, n_classes = data
    tree = grow_naive_bayes_tree(dataset_of(*data), 30, 0.05)
    expected = naive.grow(cases_of(values, labels), kinds, n_classes)
    assert tree.n_nodes == naive.n_nodes(expected)
    wanted = [naive.probabilities(expected, values) for values, _, _ in cases_of(values, labels)]
    assert tree.probabilities(values) == pytest.approx(np.array(wanted), abs=1e-9)
    tree.nodes.validate(len(kinds))


def test_the_examples_have_splits_of_both_kinds():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, (200, 3)).astype(float)
    labels = (values[:, 0] != values[:, 1]).astype(int)
    for kinds in ([0, 0, 0], [2, 2, 2]):
        tree = grow_naive_bayes_tree(dataset_of(values, labels, kinds, 2), 30, 0.05)
        assert (tree.n_leaves, tree.n_nodes) == (2, 3)
        expected = naive.grow(cases_of(values, labels), kinds, 2)
        assert naive.n_nodes(expected) == 3


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_cases_that_are_stepped_over_hide_no_cut(seed):
    """Two classes, numbers without ties, and columns both with and without cuts."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(130, 3))
    truth = (values[:, 0] > 0.3) ^ (values[:, 1] > -0.2)
    labels = np.where(rng.random(len(values)) < 0.9, truth, ~truth).astype(int)
    tree = grow_naive_bayes_tree(dataset_of(values, labels, [0, 0, 0], 2), 30, 0.05)
    expected = naive.grow(cases_of(values, labels), [0, 0, 0], 2)
    assert tree.n_nodes == naive.n_nodes(expected) > 1
    wanted = [naive.probabilities(expected, row) for row, _, _ in cases_of(values, labels)]
    assert tree.probabilities(values) == pytest.approx(np.array(wanted), abs=1e-9)
