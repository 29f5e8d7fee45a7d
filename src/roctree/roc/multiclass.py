"""Areas for more than two classes: Hand and Till's mean over pairs, and one class against the rest.

Throughout, ``scores`` has a row for each leaf or case and a column for each class. ``outcomes`` are
either the class counts of the leaves or one label per case.
"""

from itertools import permutations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from roctree.arrays import Floats, Ints
from roctree.data import check_weights, encode_known_labels, encode_labels
from roctree.errors import DataError
from roctree.roc.arithmetic import tie_groups
from roctree.roc.curve import Curve
from roctree.roc.inputs import check_choice, check_counts, check_matrix

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
    """Return the mean area over all pairs of classes that both have cases; NaN if there is none.

    Parameters
    ----------
    scores : array-like [n, classes]
        Class probabilities of leaves or cases.
    outcomes : array-like [n, classes] or [n]
        Class counts, or labels.
    classes : array-like, optional
        With labels, the classes in the order of the columns; sorted by default.
    sample_weight : array-like, optional
        With labels, the weights of the cases.
    pairs : {"hand_till", "renormalised"}
        "hand_till" ranks two classes by the probability of each in turn, like scikit-learn;
        "renormalised" by p / (p + q), like Ferri, Flach and Hernández-Orallo (2003).
    exact : bool
        Whether scores tie only if equal to the last bit; otherwise if equal to 12 decimals.

    Returns
    -------
    float
        The mean area.

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
    """Return the area of each pair of classes: entry (i, j) ranks i against j by the score of i.

    The diagonal and pairs with an empty class are NaN.

    Parameters
    ----------
    scores : array-like [n, classes]
        Class probabilities of leaves or cases.
    outcomes : array-like [n, classes] or [n]
        Class counts, or labels.
    classes : array-like, optional
        With labels, the classes in the order of the columns; sorted by default.
    sample_weight : array-like, optional
        With labels, the weights of the cases.
    pairs : {"hand_till", "renormalised"}
        As for ``mauc``.
    exact : bool
        Whether scores tie only if equal to the last bit; otherwise if equal to 12 decimals.

    Returns
    -------
    float64 array of shape (n_classes, n_classes)
        The areas.

    Examples
    --------
    >>> scores = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.2, 0.2, 0.6]]
    >>> pairwise(scores, [[4, 1, 0], [1, 3, 1], [1, 1, 3]]).round(3)
    array([[  nan, 0.733, 0.833],
           [0.667,   nan, 0.75 ],
           [0.875, 0.8  ,   nan]])
    """
    check_choice("pairs", pairs, ("hand_till", "renormalised"))
    ranked, table = _scores_and_counts(scores, outcomes, classes, sample_weight)
    areas = np.full((table.shape[1],) * 2, np.nan)
    for i, j in permutations(np.flatnonzero(table.any(axis=0)), 2):
        by = ranked[:, i] if pairs == "hand_till" else _share(ranked[:, i], ranked[:, j])
        areas[i, j] = Curve.from_leaves(by, table[:, i], table[:, j], exact=exact).auc
    return areas


def _share(ours: Floats, theirs: Floats) -> Floats:
    total = ours + theirs
    return np.divide(ours, total, out=np.full_like(total, 0.5), where=total > 0.0)


def one_vs_rest(
    scores: ArrayLike,
    outcomes: Any,
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    exact: bool = False,
) -> list[Curve]:
    """Return the curve of each class against all others.

    Parameters
    ----------
    scores : array-like [n, classes]
        Class probabilities of leaves or cases.
    outcomes : array-like [n, classes] or [n]
        Class counts, or labels.
    classes : array-like, optional
        With labels, the classes in the order of the columns; sorted by default.
    sample_weight : array-like, optional
        With labels, the weights of the cases.
    exact : bool
        Whether scores tie only if equal to the last bit; otherwise if equal to 12 decimals.

    Returns
    -------
    list of Curve
        One per class.

    Examples
    --------
    >>> scores = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.2, 0.2, 0.6]]
    >>> curves = one_vs_rest(scores, [[4, 1, 0], [1, 3, 1], [1, 1, 3]])
    >>> [round(curve.auc, 3) for curve in curves]
    [0.778, 0.7, 0.841]
    """
    ranked, table = _scores_and_counts(scores, outcomes, classes, sample_weight)
    total = table.sum(axis=1)
    return [
        Curve.from_leaves(ranked[:, i], table[:, i], total - table[:, i], exact=exact)
        for i in range(table.shape[1])
    ]


def _scores_and_counts(
    scores: ArrayLike,
    outcomes: Any,
    classes: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> tuple[Floats, Floats]:
    """Return scores and counts, both float64[n, classes], for either form of outcomes."""
    ranked = check_matrix("scores", scores)
    if np.ndim(outcomes) == 2:
        counted = check_counts("counts", check_matrix("counts", outcomes))
        if counted.shape != ranked.shape:
            raise DataError(f"counts have shape {counted.shape}, but scores have {ranked.shape}.")
        return ranked, counted
    return ranked, _counts_of_labels(outcomes, ranked.shape, classes, sample_weight)


def _counts_of_labels(
    y: Any, shape: tuple[int, ...], classes: ArrayLike | None, sample_weight: ArrayLike | None
) -> Floats:
    """Return the weight of each case in the column of its class."""
    found, codes = encode_labels(y)
    known = found if classes is None else np.asarray(classes)
    if len(codes) != shape[0]:
        raise DataError(f"There are {len(codes)} labels for {shape[0]} rows of scores.")
    if len(known) != shape[1]:
        raise DataError(
            f"There are {len(known)} classes for {shape[1]} columns of scores: pass classes in the "
            "order of the columns."
        )
    labels = known.tolist()
    for place, label in enumerate(labels):
        if label in labels[:place]:
            raise DataError(f"classes contains {label!r} twice: each column needs its own class.")
    counted = np.zeros(shape)
    columns = codes if classes is None else encode_known_labels(y, known)
    counted[np.arange(len(codes)), columns] = check_weights(sample_weight, len(codes))
    return counted


class Area(NamedTuple):
    """An area under the curve and the variance of that estimate (DeLong's)."""

    value: float
    variance: float


def ranks_of(scores: Floats) -> Ints:
    """Return the rank of every score within its column, from 0; ties share a rank."""
    groups = np.column_stack([tie_groups(column, exact=False)[1] for column in scores.T])
    return np.asarray(groups.max(axis=0) - groups)


def hand_till(ranks: Ints, counts: Floats) -> Area:
    """Return Hand and Till's M of a table of leaves; NaN if fewer than two classes have cases.

    The value equals ``mauc``. It takes one pass per class instead of one per pair: averaged over j,
    A(i|j) is the area of class i against a mixture in which all other classes have the same weight.
    The ranks can be reused for many trees with the same nodes.

    Parameters
    ----------
    ranks : int64[leaves, classes]
        Rank of the leaf's score for each class.
    counts : float64[leaves, classes]
        Weights of the cases in each leaf. Classes without cases are left out.
    """
    present = counts.sum(axis=0) > 0.0
    n_classes = np.count_nonzero(present)
    if n_classes < 2:
        return Area(np.nan, np.nan)
    totals, ranks = counts[:, present].sum(axis=0), ranks[:, present]
    shares = counts[:, present] / totals
    rivals = (shares.sum(axis=1, keepdims=True) - shares) / (n_classes - 1)
    beaten, beaten_by = _mass_below(ranks, rivals), 1.0 - _mass_below(ranks, shares)
    # Contribution of a case to the mean, as a member of its class and as a rival of the others.
    as_rival = (beaten_by.sum(axis=1, keepdims=True) - beaten_by) / (n_classes - 1)
    part = (beaten + as_rival) / n_classes
    variances = (shares * part**2).sum(axis=0) - (shares * part).sum(axis=0) ** 2
    value = (shares * beaten).sum() / n_classes
    return Area(float(value), float((np.maximum(variances, 0.0) / totals).sum()))


def _mass_below(ranks: Ints, masses: Floats) -> Floats:
    """Return for each cell the mass of lower rank in its column, plus half that of equal rank."""
    found = np.empty(masses.shape)
    for column in range(masses.shape[1]):
        of_rank = np.bincount(ranks[:, column], masses[:, column])
        found[:, column] = (np.cumsum(of_rank) - 0.5 * of_rank)[ranks[:, column]]
    return found
