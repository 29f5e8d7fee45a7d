"""One data set of every kind of column, and the digest of the tree that grows on it."""

import hashlib
from dataclasses import fields

import numpy as np

from roctree import ROCTreeClassifier

N_ROWS = 300
COLOURS = np.array(["blue", "green", "red", "white"])


def data():
    """Rows of numbers and colours with gaps, labels of three classes, fractional weights."""
    random = np.random.default_rng(7)
    numbers = random.normal(size=(N_ROWS, 3)).round(2)
    colours = random.integers(len(COLOURS), size=N_ROWS)
    labels = (numbers[:, 0] + colours + random.normal(size=N_ROWS) > 1.5).astype(int)
    labels += numbers[:, 1] > 1
    X = np.column_stack([numbers.astype(object), COLOURS[colours].astype(object)])
    X[random.random(X.shape) < 0.1] = None
    return X, labels, random.random(N_ROWS) + 0.1


def fitted(**parameters):
    X, y, weights = data()
    return ROCTreeClassifier(**parameters).fit(X, y, weights)


def digest(tree):
    """The sha256 of all arrays of a tree."""
    arrays = [getattr(tree, field.name) for field in fields(tree)]
    parts = [part for array in arrays for part in (str(array.dtype).encode(), array.tobytes())]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def grown_digest(nominal="binary"):
    """Grow a tree here, in whatever process this is."""
    return digest(fitted(nominal=nominal).tree_)
