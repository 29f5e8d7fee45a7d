import copy
import pickle
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from roctree.tree import Tree
from roctree.tree.growth import from_creation_order
from roctree.tree.kernels.records import Nodes
from tests.naive.descend import Node, add_counts, breadth_first
from tests.tree.trees import as_tree, chain, nested_trees

WIDE = Node([], 2, branch_of=[0, 1, 2, -1], children=[Node([float(i), 1.0]) for i in range(3)])
add_counts(WIDE)


@given(nested_trees())
def test_derived_arrays_describe_the_nested_nodes(root):
    tree, nodes = as_tree(root), breadth_first(root)
    numbers = {path: i for i, (path, _) in enumerate(nodes)}
    paths = [path for path, _ in nodes]
    assert tree.n_nodes == len(nodes)
    assert tree.parent.tolist() == [numbers[path[:-1]] if path else -1 for path in paths]
    assert tree.branch.tolist() == [path[-1] if path else -1 for path in paths]
    assert tree.depth.tolist() == [len(path) for path in paths]
    assert tree.max_depth == max(len(path) for path in paths)
    assert tree.leaves.tolist() == [i for i, (_, node) in enumerate(nodes) if not node.children]
    assert tree.n_leaves == len(tree.leaves)
    assert tree.weight.tolist() == [node.weight for _, node in nodes]
    for i, (path, node) in enumerate(nodes):
        first = tree.first_child[i]
        assert [numbers[(*path, branch)] for branch in range(len(node.children))] == list(
            range(first, first + len(node.children))
        )


@given(nested_trees())
def test_shares_of_siblings_are_in_proportion_to_their_weights(root):
    tree = as_tree(root)
    for i, (_, node) in enumerate(breadth_first(root)):
        weights = np.array([child.weight for child in node.children])
        shares = tree.share[tree.first_child[i] :][: len(weights)]
        if weights.sum() > 0:
            np.testing.assert_allclose(shares * weights.sum(), weights, rtol=1e-15)
        elif len(weights):
            assert (shares == 1 / len(weights)).all()


@given(nested_trees())
def test_the_heaviest_branch_is_the_first_of_the_heaviest_children(root):
    for branch, (_, node) in zip(as_tree(root).heaviest_branch, breadth_first(root), strict=True):
        weights = [child.weight for child in node.children]
        assert branch == (weights.index(max(weights)) if weights else -1)


def test_a_single_leaf_is_a_valid_tree():
    tree = Tree.single_leaf([3, 4.5]).validate(0)
    assert (tree.n_nodes, tree.n_leaves, tree.n_classes, tree.max_depth) == (1, 1, 2, 0)
    assert tree.counts.tolist() == [[3.0, 4.5]]


def test_a_tree_cannot_be_changed():
    tree = chain(2)
    with pytest.raises(FrozenInstanceError):
        tree.gain = np.ones(5)
    for name in [field.name for field in fields(tree)] + ["parent", "depth", "share", "weight"]:
        assert not getattr(tree, name).flags.writeable, name


def test_the_arrays_given_stay_writable():
    softness = np.zeros(5)
    tree = replace(chain(2), softness=softness)
    softness[0] = 1.0
    assert not tree.softness.flags.writeable


@given(nested_trees())
def test_trees_are_equal_if_all_their_arrays_are(root):
    tree = as_tree(root)
    assert tree == as_tree(root)
    assert tree != replace(tree, counts=tree.counts + 1.0)
    assert tree != replace(tree, gain=tree.gain.astype(np.float32))
    assert tree != "a tree"


def test_a_tree_has_no_hash():
    with pytest.raises(TypeError, match="unhashable"):
        hash(chain(1))


@given(nested_trees())
def test_a_pickle_holds_the_fields_alone(root):
    tree = as_tree(root)
    before = pickle.dumps(tree)
    assert tree.depth.size == tree.share.size
    assert pickle.dumps(tree) == before
    for same in (pickle.loads(before), copy.deepcopy(tree)):
        assert same == tree
        assert not same.counts.flags.writeable


def test_the_representation_tells_the_size():
    assert repr(chain(3)) == "<Tree of 7 nodes, 4 leaves, depth 3>"


def test_a_chain_of_a_hundred_thousand_levels_is_measured_quickly():
    tree = chain(100_000).validate(1)
    assert tree.max_depth == 100_000
    assert tree.depth[-3:].tolist() == [99_999, 100_000, 100_000]


def test_scikit_learn_reads_its_own_tree_in_ours():
    data = load_breast_cancer()
    model = DecisionTreeClassifier(max_depth=5, random_state=0).fit(data.data, data.target).tree_
    tree, order = _from_scikit(model)
    rank = np.argsort(order)
    new_place = np.append(rank, -1)
    assert tree.node_count == model.node_count
    assert tree.max_n_classes == model.max_n_classes
    assert tree.n_outputs == model.n_outputs
    assert tree.n_features <= model.n_features
    assert (tree.children_left == new_place[model.children_left[order]]).all()
    assert (tree.children_right == new_place[model.children_right[order]]).all()
    assert (tree.n_node_samples == model.n_node_samples[order]).all()
    assert (tree.weighted_n_node_samples == model.weighted_n_node_samples[order]).all()
    np.testing.assert_allclose(tree.value, model.value[order], rtol=1e-12)
    np.testing.assert_allclose(tree.impurity, model.impurity[order], atol=1e-12)


def _from_scikit(model):
    """Children of scikit-learn are not side by side: number them anew, level by level."""
    order = [0]
    for node in order:
        order += [child for child in (model.children_left[node], model.children_right[node])
                  if child >= 0]  # fmt: skip
    order = np.array(order)
    inner = model.children_left[order] >= 0
    weights = model.weighted_n_node_samples[order]
    nodes = Nodes(
        first_child=np.argsort(order)[np.maximum(model.children_left[order], 0)],
        n_children=2 * inner,
        feature=model.feature[order],
        threshold=model.threshold[order],
        missing_branch=np.full(order.size, -1),
        gain=np.zeros(order.size),
        counts=np.rint(model.value[order, 0] * weights[:, None]),
        category_start=np.zeros(order.size, dtype=int),
        category_branch=np.empty(0, dtype=np.int16),
    )
    tree = from_creation_order(nodes, np.zeros(model.n_features, dtype=int))
    return tree.validate(model.n_features), order


def test_nodes_without_weight_have_uniform_values():
    assert Tree.single_leaf([0, 0]).value.tolist() == [[[0.5, 0.5]]]


@pytest.mark.parametrize(
    "name", ["children_left", "children_right", "value", "impurity", "n_node_samples",
             "weighted_n_node_samples"]
)  # fmt: skip
def test_scikit_learn_names_refuse_wider_splits(name):
    with pytest.raises(ValueError, match="Node 0 has 3 children"):
        getattr(as_tree(WIDE), name)
