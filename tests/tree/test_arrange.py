import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree.tree.growth import breadth_first, from_creation_order
from roctree.tree.kernels.records import Nodes
from tests.naive.descend import Node
from tests.tree.trees import N_CATEGORIES, as_tree, chain, nested_trees


def created(root, seed):
    """The arrays of the nodes, families in random order, with a lost family among them."""
    shuffle = random.Random(seed)
    lost = Node([9.0] * len(root.counts))
    families, places, open_nodes = [[root], [lost, lost]], {}, [root]
    while open_nodes:
        node = open_nodes.pop(shuffle.randrange(len(open_nodes)))
        if node.children:
            families.insert(shuffle.randint(1, len(families)), node.children)
            open_nodes += node.children
    nodes = [node for family in families for node in family]
    places = {id(node): place for place, node in enumerate(nodes)}
    starts, flat = [], [7]
    for node in nodes:
        starts.append(len(flat))
        flat += node.branch_of or []
    return Nodes(
        first_child=np.array([places[id(n.children[0])] if n.children else 5 for n in nodes]),
        n_children=np.array([len(node.children) for node in nodes]),
        feature=np.array([node.feature if node.children else 1 for node in nodes]),
        threshold=np.array([node.threshold if node.children else 3 for node in nodes], float),
        missing_branch=np.array([node.missing if node.children else 8 for node in nodes]),
        gain=np.array([1.0 * len(node.children) for node in nodes]),
        counts=np.array([node.counts for node in nodes]),
        category_start=np.array(starts),
        category_branch=np.array(flat, dtype=np.int16),
    )


@given(nested_trees(softness=(0.0,)), st.integers())
def test_nodes_in_any_order_become_the_same_tree(root, seed):
    tree, expected = from_creation_order(created(root, seed), np.array(N_CATEGORIES)), as_tree(root)
    assert tree.gain.tolist() == expected.n_children.tolist()
    for name in ("n_children", "feature", "threshold", "category_branch", "category_offsets",
                 "missing_branch", "counts", "softness"):  # fmt: skip
        found = getattr(tree, name)
        assert found.dtype == getattr(expected, name).dtype
        np.testing.assert_array_equal(found, getattr(expected, name), err_msg=name)
    tree.validate(3)


def test_a_chain_of_a_hundred_thousand_levels_is_lined_up():
    tree = chain(100_000)
    order = breadth_first(tree.first_child, tree.n_children)
    assert (order == np.arange(tree.n_nodes)).all()


@pytest.mark.parametrize(
    ("first_child", "n_children"),
    [([0, 0], [2, 0]), ([1, 1, 0], [2, 2, 0]), ([1, 3, 3, 0, 0], [2, 2, 2, 0, 0])],
    ids=["own child", "cycle", "two parents"],
)
def test_nodes_that_are_no_tree_are_refused(first_child, n_children):
    with pytest.raises(ValueError, match="not a tree"):
        breadth_first(np.array(first_child), np.array(n_children))
