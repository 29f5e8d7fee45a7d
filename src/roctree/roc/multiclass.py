"""Areas for more than two classes: all pairs of classes, after Hand and Till, and one against all.

Everywhere ``scores`` has a row for each leaf or case and a column for each class, and ``outcomes``
is the class counts of the leaves, or one label for each case.
"""

from itertools import permutations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roctree.errors import DataError, ParameterError
from roctree.roc.curve import Curve

Floats = NDArray[np.float64]
Pairs = Literal["hand_till", "renormalised"]


def mauc(
    scores: ArrayLike,
    outcomes: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pairs: Pairs = "hand_till",
    exact: bool = False,
) -> float:
    """Return the mean area over all pairs of classes that both have cases.

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
    if not known.any():
        raise DataError("An area needs cases of two classes.")
    return float(table[known].mean())


def pairwise(
    scores: ArrayLike,
    outcomes: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pairs: Pairs = "hand_till",
    exact: bool = False,
) -> Floats:
    """Return the area of each pair: row i and column j rank i against j by the score of i.

    It is not a number on the diagonal, and where one of the two has no cases.
    """
    if pairs not in ("hand_till", "renormalised"):
        raise ParameterError(f"pairs={pairs!r} is not known: choose 'hand_till', 'renormalised'")
    ranked, counts = leaf_table(scores, outcomes, classes=classes, sample_weight=sample_weight)
    areas = np.full((counts.shape[1],) * 2, np.nan)
    for i, j in permutations(np.flatnonzero(counts.any(axis=0)), 2):
        by = ranked[:, i] if pairs == "hand_till" else _share(ranked[:, i], ranked[:, j])
        areas[i, j] = Curve.from_leaves(by, counts[:, i], counts[:, j], exact=exact).auc
    return areas


def one_vs_rest(
    scores: ArrayLike,
    outcomes: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    exact: bool = False,
) -> list[Curve]:
    """Return the curve of each class against all others."""
    ranked, counts = leaf_table(scores, outcomes, classes=classes, sample_weight=sample_weight)
    total = counts.sum(axis=1)
    return [
        Curve.from_leaves(ranked[:, i], counts[:, i], total - counts[:, i], exact=exact)
        for i in range(counts.shape[1])
    ]


def leaf_table(
    scores: ArrayLike,
    outcomes: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> tuple[Floats, Floats]:
    """Return scores and counts, both float64[n, classes], whichever outcomes are given."""
    ranked = np.asarray(scores, dtype=np.float64)
    if ranked.ndim != 2 or ranked.shape[1] < 2 or not np.isfinite(ranked).all():
        raise DataError("scores need a row for each case or leaf and a column for each class.")
    given = np.asarray(outcomes)
    if given.ndim == 2:
        if given.shape != ranked.shape or not (np.asarray(given, np.float64) >= 0.0).all():
            raise DataError(f"counts must be {ranked.shape} numbers from 0 on, as the scores.")
        return ranked, given.astype(np.float64)
    if given.shape != (len(ranked),):
        raise DataError(f"There are {given.size} labels for {len(ranked)} rows of scores.")
    labels = np.unique(given) if classes is None else np.asarray(classes)
    if len(labels) != ranked.shape[1]:
        raise DataError(
            f"There are {len(labels)} classes for {ranked.shape[1]} columns of scores: "
            "give classes in the order of the columns."
        )
    counts = (given[:, None] == labels).astype(np.float64)
    if not counts.any(axis=1).all():
        raise DataError(f"y has a label that is not among the classes {labels.tolist()}.")
    weights = np.ones(len(given)) if sample_weight is None else np.asarray(sample_weight)
    return ranked, counts * np.asarray(weights, dtype=np.float64)[:, None]


def _share(ours: Floats, theirs: Floats) -> Floats:
    total = ours + theirs
    return np.divide(ours, total, out=np.full_like(total, 0.5), where=total > 0.0)
