"""Class probabilities from the distances of the training cases (experimental).

The share of a class among the training cases whose signed distance is about that of a case: a
kernel estimate with a Gaussian and the bandwidth of Silverman. This is a reading of Alvarez,
Bernard and Deffuant (2007), of which only the idea is known to us. What is kept is the sums on a
grid, not the cases; between its points they are interpolated, which makes it approximate.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError
from roctree.geometry.boundary import Boundary

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

# Points of the grid in a bandwidth, and at most.
FINENESS, MOST_POINTS = 16, 4096
# Where all training cases are this many bandwidths away, the estimate says nothing.
REACH = 8.0
_LEAST = math.exp(-0.5 * REACH**2)


@dataclass(frozen=True, eq=False)
class GeometricProbability:
    """The estimate for two classes.

    Parameters
    ----------
    boundary : from which distances are measured, whatever becomes of the labels later
    start, step : first point of the grid, and distance of two
    sums : float64[points, 2], kernel sums of the cases of each class
    bandwidth : standard deviation of the Gaussian
    """

    boundary: Boundary
    start: float
    step: float
    sums: Floats
    bandwidth: float

    @classmethod
    def of(
        cls, boundary: Boundary, values: Floats, labels: Ints, weights: Floats, n_threads: int = 1
    ) -> "GeometricProbability":
        """Estimate from training cases, whatever their order."""
        if boundary.votes.shape[1] != 2:
            raise ParameterError(
                f"geometric_probability is for two classes, and there are "
                f"{boundary.votes.shape[1]}: leave it out, or take one class against the rest."
            )
        signed = signed_distance(boundary, values, n_threads)
        order = np.lexsort((weights, labels, signed))
        signed, labels, weights = signed[order], labels[order], weights[order]
        bandwidth = silverman(signed, weights)
        start = float(signed[0]) - REACH * bandwidth
        length = float(signed[-1]) + REACH * bandwidth - start
        n_points = min(math.ceil(length / bandwidth * FINENESS) + 2, MOST_POINTS)
        step = length / (n_points - 2)
        # Where a grid is too coarse for it, the estimate is smoother.
        bandwidth = max(bandwidth, step)
        table = _binned((signed - start) / step, labels, weights, n_points)
        return cls(boundary, start, step, _smoothed(table, bandwidth / step), bandwidth)

    def __call__(self, values: Floats, instead: Floats, n_threads: int = 1) -> Floats:
        """Return the probabilities of rows; ``instead`` where no training case is near."""
        place = (signed_distance(self.boundary, values, n_threads) - self.start) / self.step
        points = np.arange(len(self.sums))
        sums = np.column_stack(
            [np.interp(place, points, column, left=0.0, right=0.0) for column in self.sums.T]
        )
        total = sums.sum(axis=1)
        known = total > _LEAST
        shares = sums / np.where(known, total, 1.0)[:, None]
        return np.where(known[:, None], shares, instead)


def cases_needed(remedy: str) -> ParameterError:
    """Return the refusal of a change that the estimate cannot follow by itself."""
    return ParameterError(f"geometric_probability needs the training cases once more: {remedy}.")


def signed_distance(boundary: Boundary, values: Floats, n_threads: int = 1) -> Floats:
    """Return the distance of each row, negative where the first class is predicted."""
    own = boundary.predicted(values, n_threads)
    return boundary.one_vs_rest(values, own, n_threads)[:, 1]


def silverman(sorted_values: Floats, weights: Floats) -> float:
    """Return 0.9 times the lesser of deviation and interquartile range / 1.34, times n^(-1/5).

    Where one of them is 0 the other counts; where both are, any bandwidth will do: 1.
    """
    total = float(weights.sum())
    mean = float(weights @ sorted_values) / total
    deviation = math.sqrt(float(weights @ (sorted_values - mean) ** 2) / total)
    ranks = np.cumsum(weights) / total
    low, high = sorted_values[np.minimum(np.searchsorted(ranks, [0.25, 0.75]), len(ranks) - 1)]
    spreads = [spread for spread in (deviation, float(high - low) / 1.34) if spread > 0.0]
    return 0.9 * min(spreads) * total**-0.2 if spreads else 1.0


def _binned(places: Floats, labels: Ints, weights: Floats, n_points: int) -> Floats:
    """Divide the weight of each case among the two points of the grid beside it."""
    table = np.zeros((n_points, 2))
    left = np.clip(places.astype(np.int64), 0, n_points - 2)
    part = places - left
    for label in (0, 1):
        mine = weights * (labels == label)
        table[:, label] += np.bincount(left, mine * (1.0 - part), n_points)
        table[:, label] += np.bincount(left + 1, mine * part, n_points)
    return table


def _smoothed(table: Floats, width: float) -> Floats:
    """Return the sums of Gaussians of ``width`` points, at every point of the grid."""
    reach = min(math.ceil(2.0 * REACH * width), len(table) - 1)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    columns = [np.convolve(column, bell)[reach : reach + len(table)] for column in table.T]
    return np.column_stack(columns)
