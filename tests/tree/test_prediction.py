from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.tree import DecisionTreeClassifier

from roctree.errors import DataError
from roctree.tree import Tree
from roctree.tree.prediction import WIDE, apply, decision_path, mix, node_class_counts
from tests.naive import descend as naive
from tests.tree.trees import (
    as_tree,
    as_values,
    chain,
    nested_trees,
    node_numbers,
    of_thresholds,
    rows,
)


def naive_shares(root, some_rows, soft=True):
    """Part of each row that arrives at each node."""
    numbers = node_numbers(root)
    shares = np.zeros((len(some_rows), len(numbers)))
    for i, row in enumerate(some_rows):
        for path, part in naive.parts(root, row, soft).items():
            shares[i, numbers[path]] = part
    return shares


@given(nested_trees(), rows())
def test_each_row_ends_in_the_leaf_that_recursion_finds(root, some_rows):
    numbers = node_numbers(root)
    leaves = apply(as_tree(root), as_values(some_rows))
    assert leaves.dtype == np.int64
    assert leaves.tolist() == [numbers[naive.single_path(root, row)] for row in some_rows]


@given(nested_trees(), rows(), st.integers(1, 3))
def test_a_mixture_weighs_leaves_by_the_part_of_the_row_they_receive(root, some_rows, width):
    tree = as_tree(root)
    table = np.random.default_rng(0).normal(size=(tree.n_nodes, width))
    shares = naive_shares(root, some_rows)[:, tree.leaves]
    mixture = mix(tree, as_values(some_rows), table)
    np.testing.assert_allclose(mixture, shares @ table[tree.leaves], rtol=1e-12, atol=1e-14)


@given(nested_trees(), rows())
def test_the_parts_of_a_row_make_one_row(root, some_rows):
    tree = as_tree(root)
    mixture = mix(tree, as_values(some_rows), np.ones((tree.n_nodes, 1)))
    np.testing.assert_allclose(mixture, 1.0, rtol=1e-12)


@given(nested_trees(), rows())
def test_inner_nodes_have_no_part_in_a_mixture(root, some_rows):
    tree = as_tree(root)
    table = np.where(tree.is_leaf, 1.0, np.nan)[:, None]
    assert np.isfinite(mix(tree, as_values(some_rows), table)).all()


@given(nested_trees(), rows())
def test_a_decision_path_lists_the_nodes_that_receive_a_part(root, some_rows):
    paths = decision_path(as_tree(root), as_values(some_rows))
    assert isinstance(paths, csr_matrix)
    assert paths.has_sorted_indices
    assert (paths.toarray() == (naive_shares(root, some_rows) > 0)).all()


@given(nested_trees(), rows(), st.data())
def test_counts_of_held_out_rows_are_their_parts_by_class(root, some_rows, data):
    tree, n_rows = as_tree(root), len(some_rows)
    labels = data.draw(st.lists(st.integers(0, tree.n_classes - 1), min_size=n_rows,
                                max_size=n_rows))  # fmt: skip
    weights = data.draw(st.lists(st.integers(0, 9).map(float), min_size=n_rows, max_size=n_rows))
    counts = node_class_counts(tree, as_values(some_rows), np.array(labels), np.array(weights))
    by_class = np.eye(tree.n_classes)[labels] * np.array(weights)[:, None]
    expected = naive_shares(root, some_rows, soft=False).T @ by_class
    np.testing.assert_allclose(counts, expected, rtol=1e-12, atol=1e-14)


@given(nested_trees(), rows())
def test_the_layout_and_type_of_the_values_change_nothing(root, some_rows):
    tree, values = as_tree(root), as_values(some_rows)
    table = np.random.default_rng(0).normal(size=(tree.n_nodes, 2))
    read_only = values.copy()
    read_only.flags.writeable = False
    padded = np.repeat(values, 2, axis=1)[:, ::2]
    for same in (np.asfortranarray(values), read_only, padded, values.astype(np.float32)):
        np.testing.assert_array_equal(mix(tree, same, table), mix(tree, values, table))


def leafy(n_levels=8, missing=-1):
    """A complete tree on several attributes, thresholds at random."""
    random = np.random.default_rng(1)
    n_nodes = 2 ** (n_levels + 1) - 1
    inner = np.arange(n_nodes) < n_nodes // 2
    counts = np.zeros((n_nodes, 2))
    counts[~inner] = random.integers(0, 9, size=((~inner).sum(), 2))
    for node in range(n_nodes // 2 - 1, -1, -1):
        counts[node] = counts[2 * node + 1] + counts[2 * node + 2]
    feature = random.integers(0, 5, n_nodes)
    threshold = np.where(inner, random.normal(size=n_nodes), np.nan)
    return of_thresholds(threshold, counts, feature, missing).validate(5)


def softened(tree, softness):
    return replace(tree, softness=np.where(tree.is_leaf, 0.0, softness))


def many_rows(n_rows, n_features=5, missing=0.0):
    random = np.random.default_rng(2)
    values = random.normal(size=(n_rows, n_features))
    values[random.random(values.shape) < missing] = np.nan
    return values


@pytest.mark.parametrize("softness", [0.0, 0.3])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_the_number_of_threads_and_the_blocks_change_nothing(missing, softness, monkeypatch):
    monkeypatch.setattr("roctree.tree.prediction.BLOCK_ROWS", 16)
    monkeypatch.setattr("roctree.tree.prediction.BLEND_ROWS", 16)
    tree, values = softened(leafy(), softness), many_rows(101, missing=missing)
    table = tree.counts / np.maximum(tree.weight[:, None], 1.0)
    mixture, leaves = mix(tree, values, table), apply(tree, values)
    for n_threads in (2, 3, 8, 1000):
        assert (mix(tree, values, table, n_threads=n_threads) == mixture).all()
        assert (apply(tree, values, n_threads=n_threads) == leaves).all()
    for row in (0, 15, 16, 100):
        one = values[row : row + 1]
        assert (mix(tree, one, table) == mixture[row]).all()
        assert apply(tree, one) == leaves[row]


def test_rows_whose_parts_find_no_room_together_are_led_fewer_at_a_time():
    tree, values = softened(leafy(), 3.0), many_rows(150)
    together = mix(tree, values, tree.counts)
    alone = [mix(tree, values[row : row + 1], tree.counts)[0] for row in range(150)]
    assert (together == np.array(alone)).all()


@pytest.mark.parametrize("order", ["C", "F"])
def test_wide_rows_are_led_as_narrow_ones_are(order):
    tree, narrow = leafy(), many_rows(200, missing=0.05)
    wide = np.zeros((200, WIDE + 5), order=order)
    wide[:, :5] = narrow
    assert (apply(tree, wide) == apply(tree, narrow)).all()
    assert (mix(tree, wide, tree.counts) == mix(tree, narrow, tree.counts)).all()


def test_rows_reach_the_leaves_that_scikit_learn_finds():
    values = many_rows(500).astype(np.float32)
    labels = (values[:, 0] * values[:, 1] > values[:, 2]).astype(int)
    model = DecisionTreeClassifier(random_state=0).fit(values, labels)
    leaf_ids = model.apply(values)
    root = from_scikit(model.tree_)
    numbers, tree = node_numbers(root), as_tree_of_five(root)
    ours = apply(tree, values)
    assert len(set(zip(ours.tolist(), leaf_ids.tolist(), strict=True))) == len(set(leaf_ids))
    assert len(numbers) == model.tree_.node_count
    frequencies = tree.counts / tree.weight[:, None]
    np.testing.assert_allclose(mix(tree, values, frequencies), model.predict_proba(values))


def from_scikit(model, node=0):
    counts = [float(count) for count in model.value[node, 0] * model.n_node_samples[node]]
    if model.children_left[node] < 0:
        return naive.Node(counts)
    children = [from_scikit(model, model.children_left[node]),
                from_scikit(model, model.children_right[node])]  # fmt: skip
    return naive.Node(counts, int(model.feature[node]), model.threshold[node], children=children)


def as_tree_of_five(root):
    naive.add_counts(root)
    return as_tree(root, n_features=5)


def test_a_single_leaf_takes_rows_without_attributes():
    tree, values = Tree.single_leaf([1, 3]), np.empty((4, 0))
    assert apply(tree, values).tolist() == [0] * 4
    assert mix(tree, values, np.array([[0.25, 0.75]])).tolist() == [[0.25, 0.75]] * 4
    assert decision_path(tree, values).toarray().tolist() == [[1]] * 4
    assert node_class_counts(tree, values, np.zeros(4, dtype=int), np.ones(4)).tolist() == [
        [4.0, 0.0]
    ]


def test_no_rows_give_empty_results():
    tree, values = chain(3), np.empty((0, 1))
    assert apply(tree, values).shape == (0,)
    assert mix(tree, values, tree.counts, n_threads=4).shape == (0, 2)
    assert decision_path(tree, values).shape == (0, 7)
    assert node_class_counts(tree, values, np.empty(0, dtype=int), np.empty(0)).sum() == 0


def test_a_chain_of_a_hundred_thousand_levels_is_descended():
    tree = chain(100_000)
    values = np.array([[0.0], [50_000.0], [1e9], [np.nan]])
    assert apply(tree, values).tolist() == [1, 100_001, 200_000, 199_999]
    table = np.ones((tree.n_nodes, 1))
    np.testing.assert_allclose(mix(tree, values, table), 1.0, rtol=1e-9)
    assert decision_path(tree, values).getnnz(axis=1).tolist() == [2, 50_002, 100_001, 200_001]
    counts = node_class_counts(tree, values[:3], np.array([0, 1, 1]), np.ones(3))
    assert counts[0].tolist() == [1.0, 2.0]
    assert counts[-1].tolist() == [0.0, 1.0]


def test_held_out_counts_of_a_parent_are_the_sum_of_its_children():
    tree, values = leafy(), many_rows(300, missing=0.2)
    counts = node_class_counts(tree, values, np.arange(300) % 2, np.ones(300))
    for node in np.flatnonzero(~tree.is_leaf):
        first = tree.first_child[node]
        assert (counts[node] == counts[first + 1] + counts[first]).all()


def test_values_with_too_few_attributes_are_refused():
    tree = leafy()
    for values in (np.zeros((3, 4)), np.zeros(5)):
        with pytest.raises(DataError, match="attribute number 5"):
            apply(tree, values)


def test_a_leaf_table_of_another_length_is_refused():
    with pytest.raises(ValueError, match="one row per node"):
        mix(chain(1), np.zeros((1, 1)), np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("labels", "weights", "message"),
    [
        ([0], [1.0, 1.0], "for each of 2 rows"),
        ([0, 1], [1.0], "for each of 2 rows"),
        ([0, 2], [1.0, 1.0], "not among the 2 classes"),
        ([-1, 0], [1.0, 1.0], "not among the 2 classes"),
    ],
)
def test_labels_and_weights_that_do_not_fit_are_refused(labels, weights, message):
    with pytest.raises(DataError, match=message):
        node_class_counts(chain(1), np.zeros((2, 1)), np.array(labels), np.array(weights))
