"""Class probabilities from the distances of the training cases (experimental).

The probability of a class is its share among the training cases at a similar signed distance: a
kernel estimate with a Gaussian and Silverman's bandwidth. This is our reading of Alvarez, Bernard
and Deffuant (2007), of which only the idea is known to us. The kernel sums are kept on a grid
instead of the cases and interpolated linearly, which makes the estimate approximate.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError
from roctree.geometry.boundary import Boundary

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

# Grid points per bandwidth, and in total.
POINTS_PER_BANDWIDTH, MAX_POINTS = 16, 4096
# The estimate is not used if all training cases are at least this many bandwidths away.
REACH = 8.0
_LEAST = math.exp(-0.5 * REACH**2)


@dataclass(frozen=True, eq=False)
class GeometricProbability:
    """The estimate for two classes.

    Parameters
    ----------
    boundary : Boundary
        Boundary from which distances are measured, even if labels change later.
    start, step : float
        First point of the grid, and the distance between points.
    sums : float64[points, 2]
        Kernel sums of the cases of each class.
    bandwidth : float
        Standard deviation of the Gaussian.
    """

    boundary: Boundary
    start: float
    step: float
    sums: Floats
    bandwidth: float

    @classmethod
    def from_cases(
        cls, boundary: Boundary, values: Floats, labels: Ints, weights: Floats, n_threads: int = 1
    ) -> "GeometricProbability":
        """Estimate from training cases; their order does not matter."""
        if boundary.votes.shape[1] != 2:
            raise ParameterError(
                parameter="geometric_probability",
                reason="requires two classes, but there are {n}: omit it, or train one class "
                "against the rest",
                n=boundary.votes.shape[1],
            )
        signed = signed_distance(boundary, values, n_threads)
        order = np.lexsort((weights, labels, signed))
        signed, labels, weights = signed[order], labels[order], weights[order]
        bandwidth = silverman(signed, weights)
        start = float(signed[0]) - REACH * bandwidth
        length = float(signed[-1]) + REACH * bandwidth - start
        n_points = min(math.ceil(length / bandwidth * POINTS_PER_BANDWIDTH) + 2, MAX_POINTS)
        step = length / (n_points - 2)
        # If the grid is too coarse for the bandwidth, the estimate is smoother.
        bandwidth = max(bandwidth, step)
        table = _binned((signed - start) / step, labels, weights, n_points)
        return cls(boundary, start, step, _smoothed(table, bandwidth / step), bandwidth)

    def __call__(self, values: Floats, fallback: Floats, n_threads: int = 1) -> Floats:
        """Return the probabilities of rows; those of ``fallback`` far from all training cases."""
        place = (signed_distance(self.boundary, values, n_threads) - self.start) / self.step
        points = np.arange(len(self.sums))
        sums = np.column_stack(
            [np.interp(place, points, column, left=0.0, right=0.0) for column in self.sums.T]
        )
        total = sums.sum(axis=1)
        known = total > _LEAST
        shares = sums / np.where(known, total, 1.0)[:, None]
        return np.where(known[:, None], shares, fallback)


def cases_needed(remedy: str) -> ParameterError:
    """Return the error for a change that needs the training cases again."""
    return ParameterError(
        parameter="geometric_probability", reason=f"needs the training cases again: {remedy}"
    )


def signed_distance(boundary: Boundary, values: Floats, n_threads: int = 1) -> Floats:
    """Return the distance of each row; negative if the first class is predicted."""
    own = boundary.predicted(values, n_threads)
    return boundary.one_vs_rest(values, own, n_threads)[:, 1]


def silverman(sorted_values: Floats, weights: Floats) -> float:
    """Return 0.9 min(standard deviation, interquartile range / 1.34) n^(-1/5).

    If one of the two is 0, the other is used; if both are, the bandwidth is 1.
    """
    total = float(weights.sum())
    mean = float(weights @ sorted_values) / total
    deviation = math.sqrt(float(weights @ (sorted_values - mean) ** 2) / total)
    ranks = np.cumsum(weights) / total
    low, high = sorted_values[np.minimum(np.searchsorted(ranks, [0.25, 0.75]), len(ranks) - 1)]
    spreads = [spread for spread in (deviation, float(high - low) / 1.34) if spread > 0.0]
    return 0.9 * min(spreads) * total**-0.2 if spreads else 1.0


def _binned(places: Floats, labels: Ints, weights: Floats, n_points: int) -> Floats:
    """Distribute the weight of each case over the two adjacent grid points."""
    table = np.zeros((n_points, 2))
    left = np.clip(places.astype(np.int64), 0, n_points - 2)
    part = places - left
    for label in (0, 1):
        mine = weights * (labels == label)
        table[:, label] += np.bincount(left, mine * (1.0 - part), n_points)
        table[:, label] += np.bincount(left + 1, mine * part, n_points)
    return table


def _smoothed(table: Floats, width: float) -> Floats:
    """Return the sums of Gaussians whose standard deviation is ``width`` grid points."""
    reach = min(math.ceil(2.0 * REACH * width), len(table) - 1)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    columns = [np.convolve(column, bell)[reach : reach + len(table)] for column in table.T]
    return np.column_stack(columns)
