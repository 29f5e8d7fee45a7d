"""Scores that order cases: by leaf, by leaf and then by distance, or by distance; by name.

For two classes a score is positive exactly where the second class is predicted; for more, the
largest of a row is that of the predicted class.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roctree.geometry.boundary import Boundary
from roctree.tree.apply import mix

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

# As curves compare scores: probabilities that are equal on paper may differ in the last bit.
DIGITS = 12
_TINY = float(np.finfo(np.float64).tiny)
# Ties are told apart by less than half of what leaves differ by.
_PART = 0.49


@dataclass(frozen=True, eq=False)
class Scene:
    """Cases between labelled leaves.

    Parameters
    ----------
    own : int64[rows], the predicted class
    signed : float64[rows, classes], distances as ``Boundary.one_vs_rest`` has them
    probabilities : float64[rows, classes]
    leaf_labels : int64[leaves]
    leaf_probabilities : float64[leaves, classes]
    class_weight : float64[classes]
    """

    own: Ints
    signed: Floats
    probabilities: Floats
    leaf_labels: Ints
    leaf_probabilities: Floats
    class_weight: Floats


def by_distance(scene: Scene) -> Floats:
    """Score cases by their signed distance from the boundary."""
    if scene.signed.shape[1] == 2:
        return agreeing(scene.signed[:, 1], scene.own == 1)
    return agreeing(scene.signed, scene.own[:, None] == np.arange(scene.signed.shape[1]))


def by_leaf_and_distance(scene: Scene) -> Floats:
    """Score cases by their probability, and where that is the same by their signed distance."""
    if scene.signed.shape[1] == 2:
        return _of_two_classes(scene)
    levels = np.round(scene.leaf_probabilities, DIGITS)
    gaps = np.array([least_gap(column) for column in levels.T])
    scores = np.round(scene.probabilities, DIGITS) + _PART * gaps * bounded(scene.signed)
    return _largest_at(scores * scene.class_weight, scene.own)


# What "leaf" and "soft" do is the estimator's own affair: they need no distances.
RANKINGS: dict[str, Callable[[Scene], Floats] | None] = {
    "leaf": None,
    "local": by_leaf_and_distance,
    "global": by_distance,
    "soft": None,
}


def scores(
    ranking: str,
    boundary: Boundary,
    values: Floats,
    probabilities: Floats,
    class_weight: Floats,
    n_threads: int = 1,
) -> Floats:
    """Return the scores of rows, float64[rows], or [rows, classes] unless there are two.

    Parameters
    ----------
    ranking : "local" or "global"
    boundary : the labelled tree and the metric
    values : float64[rows, features]
    probabilities : float64[nodes, classes]
    class_weight : float64[classes], as ``predict`` weighs probabilities
    n_threads : number of threads; the result does not depend on it
    """
    tree, score = boundary.tree, RANKINGS[ranking]
    assert score is not None
    own = boundary.predicted(values, n_threads)
    signed = boundary.one_vs_rest(values, own, n_threads)
    leaves = boundary.labels[tree.leaves], probabilities[tree.leaves]
    of_rows = mix(tree, values, probabilities, n_threads=n_threads)
    return score(Scene(own, signed, of_rows, *leaves, class_weight))


def agreeing(scores: Floats, positive: Flags) -> Floats:
    """Return scores above zero for the positive, and for no others.

    A positive case exactly on the boundary has the least positive number there is.
    """
    return np.where(positive, np.maximum(scores, _TINY), np.minimum(scores, 0.0)) + 0.0


def bounded(signed: Floats) -> Floats:
    """Return distances in their order, but all between -1 and 1."""
    return np.asarray(signed / (1.0 + np.abs(signed)))


def least_gap(levels: Floats) -> float:
    """Return the least difference of two levels that are not the same, 1 if all are."""
    return float(np.diff(np.unique(levels)).min(initial=1.0))


def _of_two_classes(scene: Scene) -> Floats:
    levels = np.round(scene.leaf_probabilities[:, 1], DIGITS)
    probability = np.round(scene.probabilities[:, 1], DIGITS)
    positive = scene.own == 1
    ties = _PART * least_gap(levels) * bounded(scene.signed[:, 1])
    above = scene.leaf_labels == 1
    highest, lowest = levels[~above].max(initial=0.0), levels[above].min(initial=1.0)
    if highest > lowest:
        # Labels that do not follow the probabilities: the positive come first.
        base = np.where(positive, probability, probability - 1.0)
    else:
        usual = scene.class_weight[0] / scene.class_weight.sum()
        base = probability - np.clip(usual, highest, lowest)
        # A case whose leaves outvote its probability is next to the boundary.
        base = np.where((base > 0.0) & ~positive | (base < 0.0) & positive, 0.0, base)
    return agreeing(base + ties, positive)


def _largest_at(scores: Floats, own: Ints) -> Floats:
    """Return scores of which the largest of a row, the first of equals, is its own label's."""
    scores = scores + 0.0
    rows = np.flatnonzero(scores.argmax(axis=1) != own)
    scores[rows, own[rows]] = np.nextafter(scores[rows].max(axis=1), np.inf)
    return scores
