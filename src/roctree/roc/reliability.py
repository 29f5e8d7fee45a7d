"""Reliability of scores as probabilities: isotonic regression, read off the ROC hull.

The share of positives may only rise with the score. The least-squares estimate under that condition
pools adjacent scores that violate it (isotonic regression), and its pools are the edges of the
convex hull of the ROC curve: an edge of slope s is a pool with the odds s times the prior odds
(Fawcett and Niculescu-Mizil 2007). So the curve of a tree contains all that calibration needs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from roctree.arrays import Floats
from roctree.errors import DataError
from roctree.roc.arithmetic import group_sums, upper_hull
from roctree.roc.inputs import check_confidence
from roctree.text import Alignment, DisplayTable
from roctree.tree.tree import SCORE_DECIMALS, make_read_only

if TYPE_CHECKING:
    from roctree.roc.curve import Curve


@dataclass(frozen=True, eq=False, repr=False)
class Reliability(DisplayTable):
    """Pools of adjacent scores, lowest first, with the probability of the positive class in each.

    Probabilities rise from pool to pool. Called with scores, it returns their probabilities: that
    of the pool, or a linear interpolation between two pools; beyond all pools, that of the nearest.

    Parameters
    ----------
    score_from, score_to : float64[pools]
        Range of the scores of each pool.
    positives, negatives : float64[pools]
        Weights of the cases.
    level : float
        Confidence level of the intervals.
    brier : float
        Brier score of the scores as probabilities; NaN if they are not.

    Examples
    --------
    >>> from roctree.roc import Curve
    >>> curve = Curve.from_leaves([0.9, 0.6, 0.5, 0.1], [9, 3, 4, 1], [1, 5, 4, 9])
    >>> curve.reliability()
    score       cases  positives  probability          interval
    0.1            10          1       0.1000  0.0179 to 0.4042
    0.5 to 0.6     16          7       0.4375  0.2310 to 0.6682
    0.9            10          9       0.9000  0.5958 to 0.9821
    miscalibration 0.0095, discrimination 0.0899, uncertainty 0.2492
    """

    head: ClassVar = ("score", "cases", "positives", "probability", "interval")
    sides: ClassVar[Sequence[Alignment]] = ("left", "right", "right", "right", "right")

    score_from: Floats
    score_to: Floats
    positives: Floats
    negatives: Floats
    level: float
    brier: float

    def __post_init__(self) -> None:
        make_read_only(self)

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: self.__dict__[each.name] for each in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    @property
    def cases(self) -> Floats:
        """Weight of the cases of each pool."""
        return self.positives + self.negatives

    @cached_property
    def probability(self) -> Floats:
        """Share of positives of each pool."""
        return np.asarray(self.positives / self.cases)

    @cached_property
    def intervals(self) -> Floats:
        """Wilson's confidence interval of each probability, float64[pools, 2]."""
        from statistics import NormalDist

        z = NormalDist().inv_cdf(0.5 + self.level / 2.0)
        share, n = self.probability, self.cases
        middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n)
        half = z * np.sqrt(share * (1.0 - share) / n + z * z / (4.0 * n * n)) / (1.0 + z * z / n)
        # Rounding must not exclude the share itself.
        low, high = np.minimum(middle - half, share), np.maximum(middle + half, share)
        return np.asarray(np.clip(np.column_stack([low, high]), 0.0, 1.0))

    def __call__(self, scores: Floats) -> Floats:
        """Return the probability of each score."""
        return self._interpolated(scores, self.probability)

    def interval(self, scores: Floats) -> Floats:
        """Return the confidence interval of the probability of each score.

        Parameters
        ----------
        scores : array of shape (n,)
            Scores of cases.

        Returns
        -------
        array of shape (n, 2)
            Lower and upper ends.

        Examples
        --------
        >>> from roctree.roc import Curve
        >>> curve = Curve.from_leaves([0.9, 0.6, 0.2], [8, 4, 3], [2, 4, 9])
        >>> curve.reliability().interval([0.3]).round(2)
        array([[0.12, 0.6 ]])
        """
        return np.stack([self._interpolated(scores, end) for end in self.intervals.T], axis=-1)

    def _interpolated(self, scores: Floats, values: Floats) -> Floats:
        knots = np.round(np.column_stack([self.score_from, self.score_to]).ravel(), SCORE_DECIMALS)
        return np.interp(np.round(scores, SCORE_DECIMALS), knots, np.repeat(values, 2))

    @property
    def uncertainty(self) -> float:
        """Brier score of giving every case the share of positives."""
        share = float(self.positives.sum() / self.cases.sum())
        return share * (1.0 - share)

    @property
    def discrimination(self) -> float:
        """How much the Brier score of the pools is lower than that of the share of positives."""
        return self.uncertainty - self._pooled_brier

    @property
    def miscalibration(self) -> float:
        """How much the Brier score of the scores is higher than that of the pools."""
        return self.brier - self._pooled_brier

    @property
    def _pooled_brier(self) -> float:
        return float((self.positives * self.negatives / self.cases).sum() / self.cases.sum())

    def columns(self) -> dict[str, Floats]:
        """Return the table of the pools as columns.

        Returns
        -------
        dict of str to array

        Examples
        --------
        >>> from roctree.roc import Curve
        >>> curve = Curve.from_leaves([0.9, 0.6, 0.2], [8, 4, 3], [2, 4, 9])
        >>> list(curve.reliability().columns())
        ['score_from', 'score_to', 'cases', 'positives', 'probability', 'low', 'high']
        """
        return {
            "score_from": self.score_from,
            "score_to": self.score_to,
            "cases": self.cases,
            "positives": self.positives,
            "probability": self.probability,
            "low": self.intervals[:, 0],
            "high": self.intervals[:, 1],
        }

    def cells(self) -> list[Sequence[str]]:
        """Return the table as text, one tuple of cells per pool.

        Returns
        -------
        list of tuple of str

        Examples
        --------
        >>> from roctree.roc import Curve
        >>> Curve.from_leaves([0.9, 0.2], [8, 3], [2, 9]).reliability().cells()[0]
        ('0.2', '12', '3', '0.2500', '0.0889 to 0.5323')
        """
        return [
            (
                f"{first:.4g}" if first == last else f"{first:.4g} to {last:.4g}",
                f"{cases:.10g}",
                f"{positives:.10g}",
                f"{share:.4f}",
                f"{low:.4f} to {high:.4f}",
            )
            for first, last, cases, positives, share, low, high in zip(
                *(column.tolist() for column in self.columns().values()), strict=True
            )
        ]

    @property
    def caption(self) -> str:
        """What the table shows."""
        return "Reliability"

    def __repr__(self) -> str:
        return (
            f"{self.to_text()}\nmiscalibration {self.miscalibration:.4f}, "
            f"discrimination {self.discrimination:.4f}, uncertainty {self.uncertainty:.4f}"
        )


def reliability(curve: "Curve", level: float = 0.95) -> Reliability:
    """Return the isotonic regression of the classes on the scores: the edges of the ROC hull.

    The Brier score of the scores is ``miscalibration - discrimination + uncertainty`` of the result
    (Dimitriadis, Gneiting and Jordan 2021).

    Parameters
    ----------
    curve : Curve
        The curve.
    level : float, default 0.95
        Confidence level of the intervals.

    Returns
    -------
    Reliability
        The pools of scores, with the share of positives in each.

    Examples
    --------
    >>> from roctree.roc import Curve
    >>> curve = Curve.from_leaves([0.8, 0.4, 0.2], positives=[4, 1, 2], negatives=[1, 3, 4])
    >>> curve.reliability().probability
    array([0.3, 0.8])
    """
    check_confidence(level)
    reached = curve.positives + curve.negatives > 0.0
    if not reached.any():
        raise DataError("There are no cases: a reliability diagram needs at least one.")
    scores, ours, theirs = (
        each[reached][::-1] for each in (curve.scores, curve.positives, curve.negatives)
    )
    # From the lowest score upwards the hull of the curve seen from (1, 1) is the same.
    steps = np.concatenate([[0.0], np.cumsum(ours)]), np.concatenate([[0.0], np.cumsum(theirs)])
    vertices = upper_hull(*steps)
    sizes = np.diff(vertices)
    pools = np.repeat(np.arange(len(sizes)), sizes)
    brier = np.nan
    if scores[0] >= 0.0 and scores[-1] <= 1.0:
        losses = ours @ (1.0 - scores) ** 2 + theirs @ scores**2
        brier = float(losses / (ours.sum() + theirs.sum()))
    return Reliability(
        scores[vertices[:-1]],
        scores[vertices[1:] - 1],
        group_sums(pools, ours, len(sizes)),
        group_sums(pools, theirs, len(sizes)),
        level,
        brier,
    )
