"""Hypothesis trees, as nested nodes and as arrays, and rows that find every way through them."""

import numpy as np
from hypothesis import strategies as st

from roctree.tree import IS_PRESENT, Tree
from tests.naive.descend import Node, add_counts, breadth_first

N_FEATURES = 3
N_CATEGORIES = [0, 0, 4]  # the last attribute is nominal
THRESHOLDS = [-1.0, 0.0, 0.5, 2.0, IS_PRESENT]
NUMBERS = [-1.5, -1.0, -0.75, 0.0, 0.25, 0.5, 1.0, 2.0, 3.0, None]
CODES = [0, 1, 2, 3, 4, -1, None]


@st.composite
def nested_trees(draw, depth=4, softness=(0.0, 1.0)):
    """A tree of thresholds and nominal splits of two to four branches; leaves may be empty."""
    root = draw(_nodes(depth, draw(st.integers(1, 3)), st.sampled_from(softness)))
    add_counts(root)
    return root


def _nodes(depth, n_classes, softness):
    leaf = st.builds(Node, st.lists(st.integers(0, 5).map(float), min_size=n_classes,
                                    max_size=n_classes))  # fmt: skip
    if depth == 0:
        return leaf
    return leaf | _splits(depth, n_classes, softness)


@st.composite
def _splits(draw, depth, n_classes, softness):
    feature = draw(st.integers(0, N_FEATURES - 1))
    n_children = draw(st.integers(2, 4)) if N_CATEGORIES[feature] else 2
    children = [draw(_nodes(depth - 1, n_classes, softness)) for _ in range(n_children)]
    node = Node([], feature, children=children, missing=draw(st.integers(-1, n_children - 1)))
    if N_CATEGORIES[feature]:
        branches = st.integers(-1, n_children - 1)
        node.branch_of = draw(st.lists(branches, min_size=4, max_size=4))
    else:
        node.threshold = draw(st.sampled_from(THRESHOLDS))
        node.softness = draw(softness)
    return node


def rows():
    """Lists of rows with every kind of value: at thresholds, between, missing, unknown codes."""
    number, code = st.sampled_from(NUMBERS), st.sampled_from(CODES)
    return st.lists(st.tuples(number, number, code), min_size=1, max_size=8)


def as_values(some_rows):
    return np.array(some_rows, dtype=float).reshape(-1, N_FEATURES)


def as_tree(root, n_features=N_FEATURES):
    nodes = [node for _, node in breadth_first(root)]
    lists = [node.branch_of or [] for node in nodes]
    return Tree(
        n_children=np.array([len(node.children) for node in nodes], dtype=np.int32),
        feature=np.array([node.feature for node in nodes], dtype=np.int32),
        threshold=np.array([node.threshold for node in nodes], dtype=float),
        category_branch=np.array([branch for each in lists for branch in each], dtype=np.int16),
        category_offsets=np.cumsum([0, *map(len, lists)]).astype(np.int32),
        missing_branch=np.array([node.missing for node in nodes], dtype=np.int16),
        counts=np.array([node.counts for node in nodes], dtype=float),
        softness=np.array([node.softness for node in nodes]),
        gain=np.zeros(len(nodes)),
    ).validate(n_features)


def node_numbers(root):
    """The number of each node by its path."""
    return {path: number for number, (path, _) in enumerate(breadth_first(root))}


def of_thresholds(threshold, counts, feature=0, missing=-1):
    """A tree of thresholds, NaN at the leaves, in breadth-first order."""
    n_nodes, inner = len(threshold), ~np.isnan(threshold)
    return Tree(
        n_children=np.where(inner, 2, 0).astype(np.int32),
        feature=np.where(inner, feature, -1).astype(np.int32),
        threshold=threshold,
        category_branch=np.empty(0, dtype=np.int16),
        category_offsets=np.zeros(n_nodes + 1, dtype=np.int32),
        missing_branch=np.where(inner, missing, -1).astype(np.int16),
        counts=counts,
        softness=np.zeros(n_nodes),
        gain=np.zeros(n_nodes),
    )


def chain(n_levels, missing=-1):
    """A threshold at every level; whoever is above goes on. The last case is of another class."""
    n_nodes = 2 * n_levels + 1
    inner = np.zeros(n_nodes, dtype=bool)
    inner[:-1:2] = True
    counts = np.zeros((n_nodes, 2))
    counts[1::2, 0] = 1.0
    counts[::2, 0] = np.arange(n_levels, -1, -1)
    counts[::2, 1] = 1.0
    threshold = np.full(n_nodes, np.nan)
    threshold[inner] = np.arange(n_levels) + 0.5
    return of_thresholds(threshold, counts, missing=missing)
