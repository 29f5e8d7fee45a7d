"""The laws of ``roctree.checks`` and agreement with the naive references, for every smoother."""

import numpy as np
import pytest
from hypothesis import given, settings

from roctree import checks
from roctree.smoothing import SMOOTHING, HierarchicalShrinkage, MBranch
from roctree.tree.tree import Tree
from tests.naive import smoothing as naive
from tests.smoothing.variants import ALL, MONOTONE, NAIVE, REGISTERED, along, weighted_trees
from tests.tree.trees import as_tree, chain, nested_trees

some = settings(max_examples=15)


def every(smoothers):
    return pytest.mark.parametrize("smoother", smoothers, ids=repr)


def keep(law, smoothers, root):
    """One tree for all smoothers: to draw it takes longer than to smooth it."""
    for smoother in smoothers:
        law(smoother, as_tree(root))


def test_every_registered_smoother_is_among_those_tested():
    assert set(REGISTERED) <= set(ALL)


@given(root=weighted_trees())
@some
def test_a_smoother_agrees_with_its_definition(root):
    tree, branches = as_tree(root), naive.branches(root)
    for smoother, twin in NAIVE.items():
        expected = [list(map(float, twin(branch))) for branch in branches]
        assert np.allclose(smoother(tree), expected, rtol=1e-12, atol=1e-12), smoother


@given(root=weighted_trees())
@some
def test_probabilities_of_a_node_add_up_to_one(root):
    keep(checks.rows_add_up_to_one, ALL, root)


@given(root=weighted_trees())
@some
def test_probabilities_lie_between_zero_and_one(root):
    keep(checks.probabilities_lie_between_zero_and_one, ALL, root)


@given(root=nested_trees(depth=3))
@settings(max_examples=10)
def test_a_case_more_never_lowers_the_probability_of_its_class(root):
    keep(checks.a_case_more_never_lowers_its_class, MONOTONE, root)


@given(root=weighted_trees())
@some
def test_a_leaf_of_very_many_cases_keeps_its_frequencies(root):
    keep(checks.many_cases_keep_their_frequencies, ALL, root)


@given(root=weighted_trees())
@some
def test_classes_have_no_order(root):
    keep(checks.renamed_classes_change_places_only, ALL, root)


@given(root=weighted_trees())
@some
def test_splits_do_not_matter_but_for_their_counts(root):
    keep(checks.only_counts_and_shape_matter, ALL, root)


def test_a_tree_without_any_cases_knows_nothing():
    for smoother in ALL:
        assert np.allclose(smoother(Tree.single_leaf([0.0, 0.0])), 0.5), smoother


def test_a_single_class_is_certain():
    for smoother in ALL:
        assert np.allclose(smoother(Tree.single_leaf([3.0])), 1.0), smoother


@every(REGISTERED)
def test_a_short_chain_agrees_with_the_definition(smoother):
    tree = chain(40)
    down = [tree.counts[node].tolist() for node in range(0, tree.n_nodes, 2)]
    branch = list(map(naive.exact, down))
    expected = list(map(float, NAIVE[smoother](branch)))
    assert smoother(tree)[-1].tolist() == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
@every(REGISTERED)
def test_a_chain_of_many_levels_is_smoothed(smoother):
    probabilities = smoother(chain(100_000))
    assert np.allclose(probabilities.sum(axis=1), 1.0)


def test_no_shrinkage_of_a_tree_whose_last_leaf_is_empty_warns_of_nothing():
    tree = along([4.0, 0.0], [4.0, 0.0])
    assert tree.weight[-1] == 0.0
    assert HierarchicalShrinkage(0)(tree).tolist() == [[1.0, 0.0]] * 3


def test_a_child_that_outweighs_its_parent_by_rounding_has_no_negative_probability():
    # Beside so large a root it is a difference that passes for rounding.
    tree = chain(3)
    counts = np.zeros((7, 2))
    counts[0], counts[2:] = [1e10, 1e10], [[1, 0], [0, 1], [0, 9], [9, 0], [0, 9]]
    counts[1] = counts[0] - counts[2]
    heavy = Tree(**{**tree._arrays(), "counts": counts}).validate()
    checks.probabilities_lie_between_zero_and_one(HierarchicalShrinkage(1), heavy)
    checks.rows_add_up_to_one(HierarchicalShrinkage(1), heavy)


@pytest.mark.parametrize("name", SMOOTHING)
def test_smoothing_leaves_the_counts_as_they_were(name):
    tree = chain(5)
    before = tree.counts.copy()
    SMOOTHING[name](tree)[:] = -1.0
    assert np.array_equal(tree.counts, before)


@given(root=nested_trees())
@settings(max_examples=10)
def test_m_branch_without_added_cases_is_no_smoothing(root):
    tree = as_tree(root)
    assert np.allclose(MBranch(0)(tree), SMOOTHING["none"](tree))
