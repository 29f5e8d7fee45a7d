"""Trees for tests of pruning: thousands are needed, so they grow from a seed and not by draws."""

import random

from hypothesis import strategies as st

from roctree.tree.tree import NO_BRANCH
from tests.naive.descend import Node, add_counts

WHOLE, ANY = (1.0,), (1.0, 0.125, 7.0)  # what a leaf's counts are multiplied by; sums are exact


def trees(weights=ANY):
    """Nested nodes of up to three classes; a single node, empty leaves and pure ones included."""
    return st.builds(
        tree, st.integers(0, 2**32), st.integers(0, 5), st.integers(1, 3), st.just(weights)
    )


def tree(seed, depth, n_classes, weights=ANY):
    root = _node(random.Random(seed), depth, n_classes, weights)
    add_counts(root)
    return root


def _node(rng, depth, n_classes, weights):
    if depth == 0 or rng.random() < 0.2:
        most = rng.choice([0, 1, 2, 9])
        factor = rng.choice(weights)
        return Node([factor * rng.randint(0, most) for _ in range(n_classes)])
    n_children = rng.choice([2, 2, 2, 3])
    children = [_node(rng, depth - 1, n_classes, weights) for _ in range(n_children)]
    if n_children == 2:
        return Node([], 0, threshold=rng.choice([-1.0, 0.5]), children=children, missing=NO_BRANCH)
    return Node([], 2, branch_of=[0, 1, 2, -1], children=children, missing=rng.randrange(3))
