"""What is made of a tree: cut, collapsed, best-first, with thresholds from the data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree.tree import IS_PRESENT, Tree
from roctree.tree.shape import collapse, cut, node_thresholds, observed_thresholds, open_best_first
from tests.naive import shape as naive

N_CLASSES = 3
COLUMNS = [[-2.0, -0.5, 0.0, 0.25, 3.0], [1.0, 2.0, 4.0, 8.0, 16.0]]  # and a nominal one
NOMINAL = 2

leaves = st.lists(st.sampled_from([0, 1, 2, 0.5, 0.001]), min_size=3, max_size=3).map(naive.Node)


@st.composite
def inner_nodes(draw, children):
    subtrees = draw(st.lists(children, min_size=2, max_size=4))
    counts = [sum(each) for each in zip(*(child.counts for child in subtrees), strict=True)]
    node = naive.Node(counts, subtrees, gain=draw(st.sampled_from([0.0, 0.25, 0.5])))
    node.missing = draw(st.integers(-1, len(subtrees) - 1))
    if len(subtrees) > 2 or draw(st.booleans()):
        node.feature = NOMINAL
        node.categories = draw(st.lists(st.integers(-1, len(subtrees) - 1), min_size=1, max_size=4))
    else:
        node.feature = draw(st.integers(0, 1))
        node.threshold = draw(st.floats(1.0, 20.0))
        node.softness = draw(st.sampled_from([0.0, 0.5]))
    return node


nested_trees = st.recursive(leaves, inner_nodes, max_leaves=12)


def as_tree(root):
    nodes = naive.breadth_first(root)
    sizes = [len(node.categories) for node in nodes]
    return Tree(
        n_children=np.array([len(node.children) for node in nodes], np.int32),
        feature=np.array([node.feature for node in nodes], np.int32),
        threshold=np.array([node.threshold for node in nodes], np.float64),
        category_branch=np.array([b for node in nodes for b in node.categories], np.int16),
        category_offsets=np.cumsum([0, *sizes]).astype(np.int32),
        missing_branch=np.array([node.missing for node in nodes], np.int16),
        counts=np.array([node.counts for node in nodes], np.float64),
        softness=np.array([node.softness for node in nodes], np.float64),
        gain=np.array([node.gain for node in nodes], np.float64),
    ).validate()


def chain(n_levels):
    """A tree with one more split at every level, by which errors fall."""
    n_children = np.zeros(2 * n_levels + 1, np.int32)
    n_children[:1] = n_children[1:-2:2] = 2
    counts = np.zeros((n_children.size, 2))
    counts[2::2] = (0, 1)
    counts[4::4] = counts[-2] = (1, 0)
    inner = np.flatnonzero(n_children)
    # The first child of each is the next split, its second a leaf: below are all leaves after it.
    at_leaves = np.where(n_children[:, None] == 0, counts, 0.0)
    from_here = np.cumsum(at_leaves[::-1], axis=0)[::-1]
    counts[inner] = from_here[np.where(inner == 0, 1, inner + 2)]
    no_categories = np.zeros(n_children.size + 1, np.int32)
    return Tree(
        n_children=n_children,
        feature=np.where(n_children > 0, 0, -1).astype(np.int32),
        threshold=np.where(n_children > 0, 1.5, np.nan),
        category_branch=np.empty(0, np.int16),
        category_offsets=no_categories,
        missing_branch=np.full(n_children.size, -1, np.int16),
        counts=counts,
        softness=np.zeros(n_children.size),
        gain=np.where(n_children > 0, 0.5, 0.0),
    ).validate()


@given(nested_trees, st.data())
def test_cut_removes_what_is_below_flagged_nodes_and_nothing_else(root, data):
    nodes = naive.breadth_first(root)
    flags = st.lists(st.booleans(), min_size=len(nodes), max_size=len(nodes))
    final = np.array(data.draw(flags))
    chosen = {id(node) for node, flag in zip(nodes, final, strict=True) if flag}
    expected = as_tree(naive.cut(root, lambda node: id(node) in chosen))
    assert cut(as_tree(root), final).validate() == expected


@given(nested_trees)
def test_cutting_nothing_changes_nothing(root):
    tree = as_tree(root)
    assert cut(tree, np.zeros(tree.n_nodes, bool)) == tree


@given(nested_trees)
def test_collapse_agrees_with_its_naive_twin(root):
    assert collapse(as_tree(root)).validate() == as_tree(naive.collapse(root))


@given(nested_trees)
def test_collapsing_twice_is_collapsing_once(root):
    once = collapse(as_tree(root))
    assert collapse(once) == once


def test_a_split_without_fewer_errors_collapses_and_one_with_fewer_stays():
    useless = naive.Node([5, 2, 0], [naive.Node([3, 0, 0]), naive.Node([2, 2, 0])], 0, 1.0)
    useful = naive.Node([2, 5, 0], [naive.Node([0, 5, 0]), naive.Node([2, 0, 0])], 0, 1.0)
    root = naive.Node([7, 7, 0], [useless, useful], 0, 2.0)
    assert collapse(as_tree(root)).counts[:, 0].tolist() == [7, 5, 2, 0, 2]


@given(nested_trees, st.integers(1, 12))
def test_best_first_agrees_with_its_naive_twin(root, max_leaves):
    result = open_best_first(as_tree(root), max_leaves).validate()
    assert result == as_tree(naive.best_first(root, max_leaves))
    assert result.n_leaves <= max_leaves


@given(nested_trees)
def test_best_first_with_room_for_all_leaves_keeps_the_tree(root):
    tree = as_tree(root)
    assert open_best_first(tree, tree.n_leaves) == tree


@given(nested_trees)
def test_observed_thresholds_are_the_largest_values_below(root):
    tree = as_tree(root)
    values = np.array([*COLUMNS, [0, 1, 2, 0, 1]]).T
    values = np.vstack([values, np.full(3, np.nan)])
    moved = observed_thresholds(tree, values, np.array([0, 0, 3])).validate()
    assert moved == as_tree(naive.observed_thresholds(root, COLUMNS))


known = st.floats(-3.0, 20.0).map(lambda value: round(value, 1))
cases = st.lists(
    st.tuples(st.none() | known, st.none() | known, st.none() | st.integers(0, 4)), max_size=12
)


@given(nested_trees, cases)
def test_node_thresholds_are_the_largest_values_on_the_left_of_the_cases_of_the_node(root, rows):
    values = np.array(rows, dtype=np.float64).reshape(-1, 3)
    moved = node_thresholds(as_tree(root), values).validate()
    assert moved == as_tree(naive.node_thresholds(root, rows))


def test_a_split_between_known_and_missing_keeps_its_threshold():
    split = naive.Node([1, 1, 0], [naive.Node([1, 0, 0]), naive.Node([0, 1, 0])], 0, IS_PRESENT)
    tree = as_tree(split)
    values = np.array([[1.0], [np.nan]])
    assert observed_thresholds(tree, values, np.zeros(1)) == tree
    assert node_thresholds(tree, values) == tree


@pytest.mark.slow
def test_a_chain_of_a_hundred_thousand_levels_is_no_trouble():
    tree = chain(100_000)
    middle = cut(tree, np.arange(tree.n_nodes) == 99_999)
    assert middle.max_depth == 50_000
    assert collapse(tree).max_depth > 99_000
    assert open_best_first(tree, 1000).n_leaves == 1000
    values = np.array([[1.0], [2.0]])
    moved = observed_thresholds(tree, values, np.zeros(1))
    assert set(moved.threshold[~moved.is_leaf]) == {1.0}
    assert node_thresholds(tree, values).threshold[0] == 1.0
