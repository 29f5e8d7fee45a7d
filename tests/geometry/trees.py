"""Hypothesis trees in which every leaf has room, with a label for each, and rows."""

import numpy as np
from hypothesis import strategies as st

from roctree.geometry import Boundary
from roctree.tree.prediction import undivided_ends
from roctree.tree.tree import IS_PRESENT
from tests.naive.descend import Node, add_counts
from tests.naive.geometry import leaves
from tests.tree.trees import (
    N_CATEGORIES,
    N_FEATURES,
    as_tree,
    node_numbers,
    of_thresholds,
    rows,
)

THRESHOLDS = [-1.0, 0.0, 0.25, 0.5, 2.0]
__all__ = ["as_nodes", "boundary_of", "distance", "halving", "labelled_trees", "rows"]


def boundary_of(root, labels, n_classes, scale, n_features=N_FEATURES):
    """The boundary of a nested tree whose leaves have labels by path."""
    numbers = node_numbers(root)
    votes = np.zeros((len(numbers), n_classes))
    for path, label in labels.items():
        votes[numbers[path], label] = 1.0
    return Boundary(as_tree(root, n_features), votes, np.array(scale, dtype=float), extent=7.0)


def distance(boundary, values, own, n_threads=1):
    """The distance of each row from any label but ``own``, whatever the tree predicts."""
    ends = undivided_ends(boundary.tree, values)
    return boundary._distance(values, own, boundary.labels, ends, n_threads)


def as_nodes(tree, number=0):
    """A tree of arrays as nested nodes."""
    threshold, first = float(tree.threshold[number]), int(tree.first_child[number])
    codes = slice(*tree.category_offsets[number : number + 2])
    is_nominal = not tree.is_leaf[number] and np.isnan(threshold)
    return Node(
        tree.counts[number].tolist(),
        int(tree.feature[number]),
        None if np.isnan(threshold) else threshold,
        tree.category_branch[codes].tolist() if is_nominal else None,
        int(tree.missing_branch[number]),
        children=[as_nodes(tree, first + branch) for branch in range(tree.n_children[number])],
    )


def halving(depth):
    """A tree that halves the range from 0 to 1 so often, with 2 ** depth leaves."""
    cuts = [(2 * np.arange(2**level) + 1) / 2 ** (level + 1) for level in range(depth)]
    threshold = np.concatenate([*cuts, np.full(2**depth, np.nan)])
    return of_thresholds(threshold, np.ones((len(threshold), 2)))


@st.composite
def labelled_trees(draw, depth=4, classes=(1, 3), numeric=False):
    """A tree and the labels of its leaves by path; thresholds lie between those above them."""
    n_classes = draw(st.integers(*classes))
    whole = [(-float("inf"), float("inf"))] * N_FEATURES
    root = draw(_nodes(depth, n_classes, whole, numeric))
    add_counts(root)
    label = st.integers(0, n_classes - 1)
    return root, {path: draw(label) for path, _ in leaves(root)}, n_classes


@st.composite
def _nodes(draw, depth, n_classes, box, numeric):
    feature = draw(st.integers(-1, N_FEATURES - 1 - numeric)) if depth else -1
    if feature >= 0 and N_CATEGORIES[feature]:
        return draw(_nominal(depth, n_classes, box, feature))
    low, high = box[feature]
    inside = [cut for cut in THRESHOLDS if low < cut < high]
    if feature >= 0 and not numeric and (low, high) == (-float("inf"), float("inf")):
        inside.append(IS_PRESENT)
    if feature < 0 or not inside:
        counts = st.lists(st.integers(1, 5).map(float), min_size=n_classes, max_size=n_classes)
        return Node(draw(counts))
    cut = draw(st.sampled_from(inside))
    below = [*box[:feature], (low, cut), *box[feature + 1 :]]
    above = [*box[:feature], (cut, high), *box[feature + 1 :]]
    children = [draw(_nodes(depth - 1, n_classes, each, numeric)) for each in (below, above)]
    missing = draw(st.integers(-1, 1))
    return Node([], feature, threshold=cut, missing=missing, children=children)


@st.composite
def _nominal(draw, depth, n_classes, box, feature):
    n_children = draw(st.integers(2, 3))
    children = [draw(_nodes(depth - 1, n_classes, box, False)) for _ in range(n_children)]
    node = Node([], feature, children=children, missing=draw(st.integers(-1, n_children - 1)))
    branches = st.integers(-1, n_children - 1)
    node.branch_of = draw(st.lists(branches, min_size=4, max_size=4))
    return node
