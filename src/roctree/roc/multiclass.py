"""Areas for more than two classes: all pairs of classes, after Hand and Till, and one against all.

Everywhere ``scores`` has a row for each leaf or case and a column for each class, and ``outcomes``
is the class counts of the leaves, or one label for each case.
"""

from itertools import permutations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roctree.data.labels import check_weights, encode_labels, labels_of
from roctree.errors import DataError, ParameterError
from roctree.roc.curve import Curve
from roctree.roc.inputs import counts, matrix

Floats = NDArray[np.float64]
Pairs = Literal["hand_till", "renormalised"]


def mauc(
    scores: ArrayLike,
    outcomes: Any,
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pairs: Pairs = "hand_till",
    exact: bool = False,
) -> float:
    """Return the mean area over all pairs of classes that both have cases.

    It is not a number if fewer than two classes have cases.

    Parameters
    ----------
    scores : float64[n, classes], probabilities of leaves or cases
    outcomes : float64[n, classes] of counts, or n labels
    classes : labels in the order of the columns, where outcomes are labels; None for sorted
    sample_weight : weights of cases, where outcomes are labels
    pairs : "hand_till" ranks two classes by the probability of either, as scikit-learn does;
        "renormalised" by p / (p + q), as Ferri, Flach and Hernández-Orallo did in 2003
    exact : whether scores are ties only if equal to the last bit

    Examples
    --------
    >>> scores = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.2, 0.2, 0.6]]
    >>> round(mauc(scores, [[4, 1, 0], [1, 3, 1], [1, 1, 3]]), 6)
    0.776389
    """
    table = pairwise(
        scores, outcomes, classes=classes, sample_weight=sample_weight, pairs=pairs, exact=exact
    )
    known = ~np.isnan(table)
    return float(table[known].mean()) if known.any() else np.nan


def pairwise(
    scores: ArrayLike,
    outcomes: Any,
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pairs: Pairs = "hand_till",
    exact: bool = False,
) -> Floats:
    """Return the area of each pair: row i and column j rank i against j by the score of i.

    It is not a number on the diagonal, and where one of the two has no cases.

    Examples
    --------
    >>> scores = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.2, 0.2, 0.6]]
    >>> pairwise(scores, [[4, 1, 0], [1, 3, 1], [1, 1, 3]]).round(3)
    array([[  nan, 0.733, 0.833],
           [0.667,   nan, 0.75 ],
           [0.875, 0.8  ,   nan]])
    """
    if pairs not in ("hand_till", "renormalised"):
        raise ParameterError(f"pairs={pairs!r} is not known: choose 'hand_till', 'renormalised'.")
    ranked, table = leaf_table(scores, outcomes, classes=classes, sample_weight=sample_weight)
    areas = np.full((table.shape[1],) * 2, np.nan)
    for i, j in permutations(np.flatnonzero(table.any(axis=0)), 2):
        by = ranked[:, i] if pairs == "hand_till" else _share(ranked[:, i], ranked[:, j])
        areas[i, j] = Curve.from_leaves(by, table[:, i], table[:, j], exact=exact).auc
    return areas


def one_vs_rest(
    scores: ArrayLike,
    outcomes: Any,
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    exact: bool = False,
) -> list[Curve]:
    """Return the curve of each class against all others.

    Examples
    --------
    >>> scores = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.2, 0.2, 0.6]]
    >>> curves = one_vs_rest(scores, [[4, 1, 0], [1, 3, 1], [1, 1, 3]])
    >>> [round(curve.auc, 3) for curve in curves]
    [0.778, 0.7, 0.841]
    """
    ranked, table = leaf_table(scores, outcomes, classes=classes, sample_weight=sample_weight)
    total = table.sum(axis=1)
    return [
        Curve.from_leaves(ranked[:, i], table[:, i], total - table[:, i], exact=exact)
        for i in range(table.shape[1])
    ]


def leaf_table(
    scores: ArrayLike,
    outcomes: Any,
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> tuple[Floats, Floats]:
    """Return scores and counts, both float64[n, classes], whichever outcomes are given."""
    ranked = matrix("scores", scores)
    if np.ndim(outcomes) == 2:
        counted = counts("counts", matrix("counts", outcomes))
        if counted.shape != ranked.shape:
            raise DataError(f"counts have shape {counted.shape} and scores {ranked.shape}.")
        return ranked, counted
    return ranked, _counts_of_labels(outcomes, ranked.shape, classes, sample_weight)


def _counts_of_labels(
    y: Any, shape: tuple[int, ...], classes: ArrayLike | None, sample_weight: ArrayLike | None
) -> Floats:
    """The weight of each case in the column of its class."""
    found, codes = encode_labels(y)
    known = found if classes is None else np.asarray(classes)
    if len(codes) != shape[0]:
        raise DataError(f"There are {len(codes)} labels for {shape[0]} rows of scores.")
    if len(known) != shape[1]:
        raise DataError(
            f"There are {len(known)} classes for {shape[1]} columns of scores: "
            "give classes in the order of the columns."
        )
    if len(set(known.tolist())) < len(known):
        raise DataError(f"classes names {_repeated(known)!r} twice: give every column its own.")
    counted = np.zeros(shape)
    columns = codes if classes is None else labels_of(y, known)
    counted[np.arange(len(codes)), columns] = check_weights(sample_weight, len(codes))
    return counted


def _repeated(classes: NDArray[Any]) -> Any:
    labels = classes.tolist()
    return next(label for place, label in enumerate(labels) if label in labels[:place])


def _share(ours: Floats, theirs: Floats) -> Floats:
    total = ours + theirs
    return np.divide(ours, total, out=np.full_like(total, 0.5), where=total > 0.0)
