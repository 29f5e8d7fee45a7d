from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given

from roctree.errors import ModelFileError
from roctree.tree import Tree
from tests.naive.descend import Node, add_counts
from tests.tree.trees import as_tree, chain, nested_trees

MAX_NODES = 6
WIDTHS = (0, 2, 3)


def nominal_tree(n_children):
    """Every split nominal, every count zero: only the structure can be wrong."""
    n_nodes, sizes = len(n_children), np.maximum(np.array(n_children, dtype=int), 0)
    inner = np.array(n_children) != 0
    return Tree(
        n_children=np.array(n_children, dtype=np.int32),
        feature=np.where(inner, 0, -1).astype(np.int32),
        threshold=np.full(n_nodes, np.nan),
        category_branch=np.zeros(sizes.sum(), dtype=np.int16),
        category_offsets=np.cumsum([0, *sizes]).astype(np.int32),
        missing_branch=np.full(n_nodes, -1, dtype=np.int16),
        counts=np.zeros((n_nodes, 2)),
        softness=np.zeros(n_nodes),
        gain=np.zeros(n_nodes),
    )


def level_sequences(n_nodes):
    """The numbers of children, level by level, of all trees with so many nodes."""
    finished, unfinished = set(), [((), 1)]
    while unfinished:
        sequence, n_promised = unfinished.pop()
        if n_promised == len(sequence):
            if len(sequence) == n_nodes:
                finished.add(sequence)
        elif n_promised <= n_nodes:
            unfinished += [((*sequence, width), n_promised + width) for width in WIDTHS]
    return finished


@pytest.mark.parametrize("n_nodes", range(1, MAX_NODES + 1))
def test_exactly_the_sequences_of_trees_are_accepted(n_nodes):
    accepted = set()
    for sequence in product(range(4), repeat=n_nodes):
        try:
            nominal_tree(sequence).validate()
        except ModelFileError:
            continue
        accepted.add(sequence)
    assert accepted == level_sequences(n_nodes)


@given(nested_trees())
def test_trees_pass_and_are_returned(root):
    tree = as_tree(root)
    assert tree.validate() is tree


def example():
    """Node 0 is a threshold, node 1 nominal with three branches, the others are leaves."""
    leaves = [Node([1.0, 2.0]), Node([0.0, 4.0]), Node([2.5, 0.0])]
    nominal = Node([], 2, branch_of=[2, 0, -1, 1], children=leaves)
    root = Node([], 1, threshold=0.5, missing=1, children=[nominal, Node([3.0, 3.0])])
    add_counts(root)
    return as_tree(root)


def changed(name, *place_and_value):
    array = getattr(example(), name).copy()
    *place, value = place_and_value
    array[tuple(place)] = value
    return replace(example(), **{name: array})


CHANGES = [
    (changed("n_children", 0, -1), "negative number of children"),
    (changed("n_children", 1, 1), "Node 1 of the tree has a single child"),
    (changed("n_children", 1, 2), "Node 5 of the tree is not a child"),
    (changed("n_children", 5, 2), "6 nodes, but n_children describes 8"),
    (changed("n_children", 5, 2**31 - 1), "n_children describes 2147483653"),
    (changed("n_children", 0, 0), "Node 1 of the tree is not a child"),
    (changed("feature", 0, -1), "negative attribute"),
    (changed("feature", 0, -2), "negative attribute"),
    (changed("feature", 2, 0), "Node 2 of the tree is a leaf with an attribute"),
    (changed("feature", 0, 3), "not among the 3"),
    (changed("threshold", 0, np.nan), "neither categories nor a threshold"),
    (changed("threshold", 0, np.inf), "neither categories nor a threshold"),
    (changed("threshold", 1, 0.5), "no numeric split"),
    (changed("threshold", 3, 0.5), "no numeric split"),
    (changed("category_offsets", slice(0, 2), -1), "do not fill"),
    (changed("category_offsets", -1, 3), "ends before it begins"),
    (changed("category_offsets", 1, 4), "neither categories nor"),
    (changed("category_offsets", slice(2, 7), 3), "do not fill"),
    (changed("category_offsets", 2, 3), "leaf with a list of categories"),
    (changed("category_branch", 1, 3), "Node 1 sends a category"),
    (changed("category_branch", 1, -2), "Node 1 sends a category"),
    (changed("missing_branch", 0, 2), "Node 0 of the tree sends missing values"),
    (changed("missing_branch", 1, -2), "Node 1 of the tree sends missing values"),
    (changed("missing_branch", 4, 0), "Node 4 of the tree sends missing values"),
    (changed("counts", 3, 0, -1.0), "Node 3 of the tree has negative or infinite counts"),
    (changed("counts", 3, 0, np.nan), "negative or infinite counts"),
    (changed("counts", 3, 0, np.inf), "negative or infinite counts"),
    (changed("counts", 3, slice(None), 1e308), "too large to add up"),
    (changed("counts", slice(3, 6), 0, 1e308), "not the sum of its children's"),
    (changed("counts", 1, 1, 6.001), "not the sum of its children's"),
    (changed("softness", 0, -1.0), "negative or infinite softness"),
    (changed("softness", 0, np.inf), "negative or infinite softness"),
    (changed("gain", 0, np.nan), "gain that is not a finite number"),
    (replace(example(), counts=np.zeros((6, 0))), "no nodes or no classes"),
    (replace(example(), counts=np.zeros(6)), "no nodes or no classes"),
    (replace(example(), counts=np.zeros((5, 2))), r"counts of the tree has shape \(5, 2\)"),
    (replace(example(), gain=np.zeros((6, 1))), r"gain of the tree has shape \(6, 1\)"),
    (replace(example(), gain=np.zeros(6, dtype=int)), "gain of the tree has type int64"),
    (replace(example(), category_offsets=np.zeros(6, dtype=np.int32)), "instead of \\(7,\\)"),
    (nominal_tree(()), "no nodes or no classes"),
]


@pytest.mark.parametrize(("tree", "message"), CHANGES, ids=[message for _, message in CHANGES])
def test_a_tree_with_one_wrong_entry_is_refused_in_one_sentence(tree, message):
    with pytest.raises(ModelFileError, match=message) as caught:
        tree.validate(3)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


def test_a_threshold_with_three_children_is_refused():
    tree = nominal_tree((3, 0, 0, 0))
    tree = replace(
        tree,
        threshold=np.array([0.5, np.nan, np.nan, np.nan]),
        category_branch=np.empty(0, dtype=np.int16),
        category_offsets=np.zeros(5, dtype=np.int32),
    )
    with pytest.raises(ModelFileError, match="not two children"):
        tree.validate()


def test_counts_may_be_apart_by_rounding():
    tree = example()
    counts = tree.counts.copy()
    counts[0] *= 1 + 1e-12
    assert replace(tree, counts=counts).validate(3).n_nodes == 6


def test_features_are_checked_only_against_a_known_number():
    tree = changed("feature", 0, 3)
    assert tree.validate() is tree


def test_a_tree_that_is_refused_can_still_be_represented():
    assert all(repr(tree).startswith("<Tree of ") for tree, _ in CHANGES)


def test_a_chain_of_a_hundred_thousand_levels_is_checked():
    assert chain(100_000).validate(1).n_leaves == 100_001
