"""How wide soft thresholds are."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree.criteria import Gini
from roctree.errors import ParameterError
from roctree.tree import IS_PRESENT
from roctree.tree.growth import GrowthRules, grow
from roctree.tree.prediction import apply, mix
from roctree.tree.softness import harden, soften, threshold_widths
from tests.naive import softness as naive
from tests.strategies import EIGHTHS, data_sets
from tests.tree.growing import as_dataset, numeric_dataset, patient


def grown(dataset, **limits):
    return grow(dataset, GrowthRules(Gini(), np.ones(dataset.schema.n_classes), **limits))


def ancestors(tree, node):
    while node >= 0:
        yield node
        node = int(tree.parent[node])


def naive_widths(tree, dataset):
    """The widths by definition, with the cases of each node found from their leaves."""
    cases = {node: [] for node in range(tree.n_nodes)}
    for row, leaf in enumerate(apply(tree, dataset.values)):
        for node in ancestors(tree, int(leaf)):
            value = dataset.values[row, tree.feature[node]]
            if dataset.weights[row] > 0 and not np.isnan(value):
                cases[node].append((value, dataset.labels[row], dataset.weights[row]))
    found = np.zeros(tree.n_nodes)
    for node in np.flatnonzero(~np.isnan(tree.threshold) & (tree.threshold != IS_PRESENT)):
        if cases[node]:
            found[node] = naive.width(cases[node], tree.threshold[node], tree.n_classes)
    return found


def test_few_cases_leave_a_cut_anywhere_among_them():
    dataset = numeric_dataset([[1.0], [2.0], [3.0], [5.0]], [0, 0, 1, 1])
    # The spread alone would give sqrt(3) 1.2 sqrt(8.75 / 4) 4^(-1/5) = 2.33.
    assert threshold_widths(grown(dataset), dataset).tolist() == [2.0, 0.0, 0.0]


def test_the_width_of_noisy_cases_is_by_their_spread():
    dataset = numeric_dataset(np.arange(40.0)[:, None], [0, 0, 1] * 13 + [1])
    tree = grown(dataset, max_depth=1)
    # The variance of 0 to 39 is (40^2 - 1) / 12.
    expected = np.sqrt(3.0) * 1.2 * np.sqrt(1599 / 12) * 40.0**-0.2
    assert threshold_widths(tree, dataset)[0] == pytest.approx(expected)


def test_many_cases_that_agree_keep_a_limit_sharp():
    values = np.arange(2000.0)[:, None]
    sharp = numeric_dataset(values, (values[:, 0] >= 1000).astype(int))
    # To move the cut by k cases out of 1000 costs about k (1 + log(1000 / k)): 16 for three.
    assert threshold_widths(grown(sharp), sharp)[0] == 2.5
    noise = np.random.default_rng(0).random(2000) < 0.4
    blurred = numeric_dataset(values, ((values[:, 0] >= 1000) ^ noise).astype(int))
    assert threshold_widths(grown(blurred, max_depth=1), blurred)[0] > 20.0


@given(data_sets(weights=EIGHTHS))
@patient
def test_widths_are_those_of_the_definition(data):
    dataset = as_dataset(replace(data, weights=[weight or 1.0 for weight in data.weights]))
    tree = grown(dataset, min_leaf=0.1)
    np.testing.assert_allclose(
        threshold_widths(tree, dataset), naive_widths(tree, dataset), rtol=1e-9, atol=1e-12
    )


@given(data_sets(weights=EIGHTHS), st.randoms(use_true_random=False))
@patient
def test_the_order_of_the_rows_does_not_matter(data, random):
    dataset = as_dataset(replace(data, weights=[weight or 1.0 for weight in data.weights]))
    order = list(range(data.n_rows))
    random.shuffle(order)
    other = replace(
        dataset,
        values=dataset.values[order],
        labels=dataset.labels[order],
        weights=dataset.weights[order],
    )
    tree = grown(dataset, min_leaf=0.1)
    assert threshold_widths(tree, dataset).tobytes() == threshold_widths(tree, other).tobytes()


def blurred(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_rows, 2)).round(2)
    labels = (values[:, 0] + rng.normal(size=n_rows) > 0).astype(int)
    return numeric_dataset(values, labels)


def test_a_case_of_weight_two_is_two_cases():
    dataset = blurred()
    rng = np.random.default_rng(1)
    copies = rng.integers(1, 4, len(dataset.labels))
    weighted = replace(dataset, weights=copies.astype(float))
    repeated = numeric_dataset(
        np.repeat(dataset.values, copies, axis=0), np.repeat(dataset.labels, copies)
    )
    tree = grown(weighted)
    assert threshold_widths(tree, weighted).tolist() == pytest.approx(
        threshold_widths(tree, repeated).tolist()
    )


def test_widths_are_in_the_units_of_their_attributes():
    dataset = blurred()
    scaled = replace(dataset, values=dataset.values * [8.0, 0.25])
    tree = grown(dataset)
    other = replace(tree, threshold=tree.threshold * np.array([8.0, 0.25])[tree.feature])
    expected = threshold_widths(tree, dataset) * np.array([8.0, 0.25])[tree.feature]
    np.testing.assert_allclose(threshold_widths(other, scaled), expected)


def test_the_largest_numbers_have_a_finite_width():
    huge = np.finfo(np.float64).max
    dataset = numeric_dataset([[-huge], [-huge / 2], [huge / 2], [huge]], [0, 0, 1, 1])
    tree = grown(dataset)
    found = threshold_widths(
        replace(tree, threshold=np.where(np.isnan(tree.threshold), np.nan, 0)), dataset
    )
    assert np.isfinite(found).all()
    assert found[0] == huge


def test_to_be_known_is_no_soft_question():
    values = np.array([[1.0], [2.0], [1.0], [2.0]] + [[np.nan]] * 4)
    dataset = numeric_dataset(values, [0] * 4 + [1] * 4)
    tree = grown(dataset, missing="branch")
    assert tree.threshold[0] == IS_PRESENT
    assert not threshold_widths(tree, dataset).any()


def test_a_width_of_zero_is_a_hard_threshold():
    dataset = blurred()
    tree = grown(dataset)
    assert soften(tree, 0.0, 1.0, dataset) == tree
    assert harden(soften(tree, 2.0, 1.0, dataset)) == tree


def test_thresholds_are_made_wider_without_the_cases():
    dataset = blurred()
    tree = soften(grown(dataset), 0.5, 1.0, dataset)
    assert np.allclose(soften(tree, 2.0, 0.5, None).softness, 4.0 * tree.softness)
    with pytest.raises(ParameterError, match="give X and y to ranked"):
        soften(grown(dataset), 1.0, 1.0, None)


def test_no_width_is_beyond_all_numbers():
    dataset = blurred()
    narrow = soften(grown(dataset), 1e-300, 1.0, dataset)
    wide = soften(narrow, 1e308, 1e-300, None)
    assert np.isfinite(wide.softness).all()
    assert np.array_equal(wide.softness > 0, narrow.softness > 0)
    assert mix(wide, dataset.values[:1], wide.counts).shape == (1, 2)


def test_a_mixture_changes_linearly_within_the_width():
    dataset = numeric_dataset([[1.0], [2.0], [3.0], [5.0]], [0, 0, 1, 1])
    tree = replace(grown(dataset), softness=np.array([0.5, 0.0, 0.0]))
    points = np.array([[1.9], [2.0], [2.25], [2.5], [2.75], [3.0], [3.1]])
    parts = mix(tree, points, np.array([[0.0], [0.0], [1.0]]))[:, 0]
    assert parts.tolist() == pytest.approx([0, 0, 0.25, 0.5, 0.75, 1, 1])


def test_less_than_a_thousandth_of_a_row_goes_with_the_rest():
    dataset = numeric_dataset([[1.0], [2.0], [3.0], [5.0]], [0, 0, 1, 1])
    tree = replace(grown(dataset), softness=np.array([0.5, 0.0, 0.0]))
    points = np.array([[2.0009], [2.0011]])
    parts = mix(tree, points, np.array([[0.0], [0.0], [1.0]]))[:, 0]
    assert parts.tolist() == pytest.approx([0.0, 0.0011])
