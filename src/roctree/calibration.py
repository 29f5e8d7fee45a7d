"""Calibration of the probabilities of a model on held-out cases.

The probabilities of each class are replaced by their isotonic regression on held-out cases:
adjacent leaves are pooled until the share of the class increases with the probability.
"""

from dataclasses import dataclass

import numpy as np

from roctree.arrays import Floats
from roctree.roc import Curve, Reliability


@dataclass(frozen=True, eq=False)
class Calibration:
    """A calibration of class probabilities on held-out cases.

    With two classes, the second is calibrated. With more, each class is calibrated against the
    rest, and the results are normalised.

    Parameters
    ----------
    curves : tuple of Reliability
        One for the second of two classes, or one per class.
    scores : float64[nodes, classes] or None
        Probabilities of the nodes before calibration, for models whose cases share them.
    """

    curves: tuple[Reliability, ...]
    scores: Floats | None = None

    @classmethod
    def from_table(
        cls, scores: Floats, counts: Floats, level: float, of_nodes: Floats | None = None
    ) -> "Calibration":
        """Calibrate scores by the classes of the cases that have them.

        Parameters
        ----------
        scores, counts : float64[lines, classes]
        level : float
            Confidence level of the intervals.
        of_nodes : float64[nodes, classes] or None
            See ``scores`` of the class.
        """
        n_classes = scores.shape[1]
        total = counts.sum(axis=1)
        curves = tuple(
            Curve.from_leaves(
                scores[:, place], counts[:, place], total - counts[:, place]
            ).reliability(level)
            for place in ([1] if n_classes == 2 else range(n_classes))
        )
        return cls(curves, of_nodes)

    @property
    def n_cases(self) -> float:
        """Weight of the held-out cases."""
        return float(self.curves[0].cases.sum())

    @property
    def level(self) -> float:
        """Confidence level of the intervals."""
        return self.curves[0].level

    def __call__(self, scores: Floats) -> Floats:
        """Return calibrated probabilities, float64[rows, classes]."""
        if scores.shape[1] == 2:
            second = self.curves[0](scores[:, 1])
            return np.column_stack([1.0 - second, second])
        found = np.column_stack(
            [curve(column) for curve, column in zip(self.curves, scores.T, strict=True)]
        )
        total = found.sum(axis=1, keepdims=True)
        # All calibrated probabilities may be 0; then the scores are kept.
        return np.where(total > 0.0, found / np.where(total > 0.0, total, 1.0), scores)

    def intervals(self, scores: Floats) -> Floats:
        """Return confidence intervals of calibrated probabilities, float64[rows, classes, 2].

        Those of more than two classes are of each class against the rest, extended where needed to
        the probability, which is divided by the sum.
        """
        if scores.shape[1] == 2:
            second = self.curves[0].interval(scores[:, 1])
            return np.stack([1.0 - second[:, ::-1], second], axis=1)
        ends = np.stack(
            [curve.interval(column) for curve, column in zip(self.curves, scores.T, strict=True)],
            axis=1,
        )
        shares = self(scores)
        return np.stack(
            [np.minimum(ends[:, :, 0], shares), np.maximum(ends[:, :, 1], shares)], axis=2
        )

    def __repr__(self) -> str:
        return f"<Calibration on {self.n_cases:.10g} cases>"
