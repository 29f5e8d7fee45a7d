"""One data set of every kind of column, and the digest of the tree that grows on it."""

import hashlib
from dataclasses import fields
from unittest import mock

import numpy as np

from roctree import ROCTreeClassifier
from roctree.tree import growth, subtrees
from tests.tree.growing import bins

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


def grown_digest(nominal="binary", **parameters):
    """Grow a tree here, in whatever process this is."""
    return digest(fitted(nominal=nominal, **parameters).tree_)


def digest_by_bins(nominal="binary", n_jobs=2):
    """Grow the same as if it were large: by bins, and subtrees of 64 cases on other threads."""
    grow, hand_over = subtrees.SubtreePool.grow, subtrees.SubtreePool._hand_over
    with (
        bins(narrow=16),
        mock.patch.object(growth, "_NOT_WORTH_THE_WAIT", 0),
        mock.patch.object(subtrees.SubtreePool, "grow", autospec=True, side_effect=grow) as by_bins,
        mock.patch.object(
            subtrees.SubtreePool, "_hand_over", autospec=True, side_effect=hand_over
        ) as handed_over,
    ):
        found = grown_digest(nominal, n_jobs=n_jobs)
    assert by_bins.called
    assert handed_over.called == (n_jobs > 1)
    return found
