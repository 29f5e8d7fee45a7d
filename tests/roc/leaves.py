"""Hypothesis tables of leaves, (score, positives, negatives), and curves of them."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from roctree.roc import Curve
from tests.strategies import COUNTS, EIGHTHS

# For what is slow, as fractions are.
some = settings(max_examples=25)

# Few scores, so that ties are common; all of them are exact in floats.
SCORES = st.integers(0, 8).map(lambda n: n / 8)


@st.composite
def leaf_tables(draw, counts=None, both=True, size=(1, 7)):
    """Leaves with ties, pure and empty ones; of both classes unless said otherwise."""
    kind = draw(st.sampled_from([COUNTS, EIGHTHS])) if counts is None else counts
    leaves = draw(st.lists(st.tuples(SCORES, kind, kind), min_size=size[0], max_size=size[1]))
    for column in (1, 2) if both else ():
        if not any(leaf[column] for leaf in leaves):
            leaf = [draw(SCORES), 0, 0]
            leaf[column] = 1
            leaves.append(tuple(leaf))
    return leaves


def curve_of(leaves, **options):
    return Curve.from_leaves(*columns(leaves), **options)


def columns(leaves):
    return [np.array(column, dtype=float) for column in zip(*leaves, strict=True)]


def cases(leaves):
    """Labels, scores and weights of one case for each class of each leaf."""
    scores, ours, theirs = columns(leaves)
    y = np.repeat([1, 0], len(scores))
    return y, np.tile(scores, 2), np.concatenate([ours, theirs])
