"""Every smoother with every option, beside its naive twin, and trees to try them on."""

from functools import partial
from itertools import product

from hypothesis import strategies as st

from roctree.smoothing import (
    SMOOTHING,
    Curtailment,
    Frequencies,
    HierarchicalShrinkage,
    Laplace,
    MBranch,
    MEstimate,
)
from tests.naive import smoothing as naive
from tests.naive.descend import Node, add_counts
from tests.tree.trees import as_tree, nested_trees

STRENGTHS = (0, 0.5, 4, 1000)


def variants():
    """Pairs of a smoother and its naive twin."""
    yield Frequencies(), naive.none
    yield Laplace(), naive.laplace
    for m, prior in product(STRENGTHS, ("uniform", "training")):
        yield MEstimate(m, prior), partial(naive.m_estimate, m=m, prior=prior)
    for M in STRENGTHS:
        yield MBranch(M), partial(naive.m_branch, M=M)
    for strength in (*STRENGTHS, 10):
        smoother = HierarchicalShrinkage(strength)
        yield smoother, partial(naive.hierarchical_shrinkage, strength=strength)
    for minimum in (0, 3, 20, 100):
        yield Curtailment(minimum), partial(naive.curtailment, minimum=minimum)


NAIVE = dict(variants())
ALL = list(NAIVE)
# A leaf that comes to have enough cases no longer asks the node above, which may have said more.
MONOTONE = [smoother for smoother in ALL if not isinstance(smoother, Curtailment)]
REGISTERED = list(SMOOTHING.values())

# What the cases of a leaf weigh, in turn: sums of these are exact.
WEIGHTS = (1.0, 0.125, 2.5)


@st.composite
def weighted_trees(draw):
    """A tree of nested nodes whose cases weigh the same, or differ from leaf to leaf."""
    root = draw(nested_trees())
    if draw(st.booleans()):
        for number, leaf in enumerate(_leaves(root)):
            weight = WEIGHTS[number % len(WEIGHTS)]
            leaf.counts = [weight * count for count in leaf.counts]
        add_counts(root)
    return root


def _leaves(node):
    return [leaf for child in node.children for leaf in _leaves(child)] or [node]


def along(*branch):
    """A tree with this branch at its left edge: its class counts at each node, root first.

    Every other leaf has what its parent has more.
    """
    node = Node(list(map(float, branch[-1])))
    for counts, below in zip(branch[-2::-1], branch[:0:-1], strict=True):
        rest = [float(n - part) for n, part in zip(counts, below, strict=True)]
        node = Node([], feature=0, threshold=0.0, children=[node, Node(rest)])
    add_counts(node)
    return as_tree(node)


def end_of(tree):
    """The leaf at the left edge of a tree."""
    node = 0
    while not tree.is_leaf[node]:
        node = tree.first_child[node]
    return node
