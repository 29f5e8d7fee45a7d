"""Growth by the area under the ROC curve of the whole tree."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roctree.criteria import Gini
from roctree.tree.growth import GrowthRules, grow
from roctree.tree.shape import cut, grow_best_first, open_best_first, open_best_first_by_auc
from tests.naive import auc_growth as naive
from tests.strategies import data_sets
from tests.tree.growing import NOMINAL, as_bytes, as_dataset, numeric_dataset


def children(tree):
    return [
        list(range(first, first + many))
        for first, many in zip(tree.first_child, tree.n_children, strict=True)
    ]


def naive_part(tree, max_leaves):
    counts = tree.counts.astype(int).tolist()
    worth = (tree.gain * tree.weight).tolist()
    final = np.ones(tree.n_nodes, dtype=bool)
    final[naive.opened(counts, children(tree), worth, max_leaves)] = False
    return cut(tree, final)


@pytest.mark.parametrize("nominal", NOMINAL)
@given(data=data_sets(missing=False), max_leaves=st.integers(1, 12))
@settings(max_examples=25)
def test_the_leaf_is_opened_that_raises_the_area_most(nominal, data, max_leaves):
    tree = grow(as_dataset(data), GrowthRules(Gini(), np.ones(data.n_classes), nominal))
    expected = naive_part(tree, max_leaves)
    assert as_bytes(open_best_first_by_auc(tree, max_leaves)) == as_bytes(expected)


@given(data_sets(rows=(10, 25), missing=False))
@settings(max_examples=25)
def test_the_area_never_falls_with_another_leaf(data):
    tree = grow(as_dataset(data), GrowthRules(Gini(), np.ones(data.n_classes)))
    counts = tree.counts.astype(int).tolist()
    areas = []
    for most in range(1, tree.n_leaves + 1):
        part = open_best_first_by_auc(tree, most)
        areas.append(naive.area(range(part.n_leaves), part.counts[part.leaves].astype(int)))
    assert areas == sorted(areas)
    assert areas[-1] == naive.area(tree.leaves, counts)


def test_the_leaf_is_opened_first_that_puts_most_pairs_in_order():
    cases = [(1, 250), (9, 50), (20, 20), (30, 10)]
    values = np.repeat(np.arange(4.0), [one + two for one, two in cases])
    labels = np.concatenate([[1] * one + [0] * two for one, two in cases])
    tree = grow(numeric_dataset(values[:, None], labels), GrowthRules(Gini(), np.ones(2)))
    # Both halves stay apart in the ranking. To divide the left one puts (9 * 250 - 1 * 50) / 2 =
    # 1100 pairs in order, the right one (30 * 20 - 20 * 10) / 2 = 200, though it gains more.
    # Of 60 * 330 pairs 17250 are so before.
    by_gain, by_area = (
        naive.area(range(3), part.counts[part.leaves].astype(int).tolist())
        for part in (open_best_first(tree, 3), open_best_first_by_auc(tree, 3))
    )
    assert by_gain == Fraction(17250 + 200, 60 * 330)
    assert by_area == Fraction(17250 + 1100, 60 * 330)


def test_as_many_leaves_as_the_tree_has_leave_it_whole():
    rng = np.random.default_rng(0)
    dataset = numeric_dataset(rng.random((200, 3)), rng.integers(0, 3, 200))
    tree = grow(dataset, GrowthRules(Gini(), np.ones(3)))
    assert as_bytes(open_best_first_by_auc(tree, tree.n_leaves)) == as_bytes(tree)
    assert open_best_first_by_auc(tree, 1).n_leaves == 1


def test_growing_no_deeper_than_needed_changes_nothing():
    rng = np.random.default_rng(0)
    values = rng.random((400, 3))
    dataset = numeric_dataset(values, (values.sum(axis=1) + rng.normal(size=400) > 1.5).astype(int))
    growth = GrowthRules(Gini(), np.ones(2))
    expected = open_best_first_by_auc(grow(dataset, growth), 16)
    found = grow_best_first(partial(grow, dataset), growth, 16, open_best_first_by_auc)
    assert as_bytes(found) == as_bytes(expected)
