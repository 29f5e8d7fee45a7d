"""Passes over all nodes, against recursion."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree.tree.shape import (
    better_as_leaves,
    kept_nodes,
    leaf_sums,
    subtree_sums,
    uniform_subtrees,
)
from tests.naive import pruning as naive
from tests.naive.descend import breadth_first
from tests.pruning.growing import trees
from tests.tree.trees import as_tree, chain


def numbered(root):
    return [node for _, node in breadth_first(root)]


def values_for(tree, seed):
    """Numbers that add up exactly."""
    return np.random.default_rng(seed).integers(-8, 9, tree.n_nodes) / 8.0


seeds = st.integers(0, 999)


@given(trees(), seeds)
def test_sums_over_subtrees_and_over_leaves(root, seed):
    tree, nodes = as_tree(root), numbered(root)
    values = values_for(tree, seed)
    of = dict(zip(map(id, nodes), values, strict=True))
    below = [sum(of[id(each)] for each in naive.nodes(node)) for node in nodes]
    assert subtree_sums(tree, values).tolist() == below
    at_leaves = [sum(of[id(each)] for each in naive.leaves(node)) for node in nodes]
    assert leaf_sums(tree, values).tolist() == at_leaves


@given(trees(), seeds)
def test_nodes_are_kept_unless_one_above_becomes_a_leaf(root, seed):
    tree = as_tree(root)
    final = values_for(tree, seed) > 0
    kept = kept_nodes(tree, final)
    for node in range(1, tree.n_nodes):
        above = tree.parent[node]
        assert kept[node] == (kept[above] and not final[above])
    assert kept[0]


@given(trees(), seeds, st.sampled_from([0.0, 0.25]))
def test_nodes_better_as_leaves_are_found_from_below(root, seed, slack):
    tree, nodes = as_tree(root), numbered(root)
    loss = values_for(tree, seed)
    of = dict(zip(map(id, nodes), loss, strict=True))
    final, _ = naive.bottom_up(root, lambda node: of[id(node)], slack)
    expected = [id(node) in final for node in nodes]
    assert better_as_leaves(tree, loss, slack).tolist() == expected
    assert better_as_leaves(tree, loss, np.full(tree.n_nodes, slack)).tolist() == expected


@given(trees(), seeds)
def test_subtrees_of_one_label_become_one_leaf_of_that_label(root, seed):
    tree, nodes = as_tree(root), numbered(root)
    rng = np.random.default_rng(seed)
    final, labels = rng.random(tree.n_nodes) < 0.3, rng.integers(0, 2, tree.n_nodes)
    flagged = {id(node) for node, flag in zip(nodes, final, strict=True) if flag}
    flagged |= {id(leaf) for leaf in naive.leaves(root)}
    expected = dict(zip(map(id, nodes), labels.tolist(), strict=True))
    naive.merge(root, flagged, expected)
    one, found = uniform_subtrees(tree, final, labels)
    for number in np.flatnonzero(kept_nodes(tree, one)):
        assert one[number] == (id(nodes[number]) in flagged)
        assert found[number] == expected[id(nodes[number])]


def test_what_is_given_is_not_changed():
    tree = chain(3)
    loss, labels = np.arange(7.0), np.zeros(7, dtype=np.int64)
    better_as_leaves(tree, loss)
    subtree_sums(tree, loss)
    one, found = uniform_subtrees(tree, tree.is_leaf, labels)
    assert loss.tolist() == list(range(7))
    assert labels.tolist() == [0] * 7
    assert one.all()
    assert found.tolist() == [0] * 7


@pytest.mark.slow
def test_a_chain_of_a_hundred_thousand_levels_adds_up():
    tree = chain(100_000)
    assert leaf_sums(tree, np.ones(tree.n_nodes))[0] == tree.n_leaves
