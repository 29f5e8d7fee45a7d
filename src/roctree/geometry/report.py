"""Whether errors lie near the boundary, which is what geometric ranking lives on."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# One-sided 97.5 % of a normal distribution, as in the paper.
CLEAR = 2.0


@dataclass(frozen=True)
class BoundaryReport:
    """Distances of cases that are predicted right and wrong (Alvarez and Bernard 2005, table 2).

    Parameters
    ----------
    n_hits, n_errors : numbers of cases, or their weights
    mean_hits, mean_errors : their mean distances from the boundary; NaN where there are none
    lambda_ : difference of the means in its own standard deviations, the deviations of the means
        added in squares (equation 6); NaN unless there is more than one hit and one error
        and distances differ
    """

    n_hits: float
    n_errors: float
    mean_hits: float
    mean_errors: float
    lambda_: float

    @classmethod
    def of(cls, distances: Floats, right: NDArray[np.bool_], weights: Floats) -> "BoundaryReport":
        """Compare the distances of hits with those of errors; a case of weight k counts as k."""
        n_hits, mean_hits, deviation_hits = _moments(distances[right], weights[right])
        n_errors, mean_errors, deviation_errors = _moments(distances[~right], weights[~right])
        deviation = math.hypot(deviation_hits, deviation_errors)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = float(np.float64(mean_hits - mean_errors) / deviation)
        return cls(n_hits, n_errors, mean_hits, mean_errors, ratio)

    @property
    def accuracy(self) -> float:
        """Share of the hits."""
        total = self.n_hits + self.n_errors
        return self.n_hits / total if total else 0.0

    @property
    def advice(self) -> str:
        """One line on whether geometric ranking is likely to help."""
        if not min(self.n_hits, self.n_errors) > 1.0:
            return "There are too few hits or errors to tell whether geometric ranking helps."
        if math.isnan(self.lambda_):
            return "All cases are equally far from the boundary: geometric ranking will not help."
        if self.lambda_ >= CLEAR:
            return "Errors lie near the boundary: geometric ranking is likely to help."
        if self.lambda_ > 0.0:
            return (
                "Errors lie hardly nearer to the boundary than hits: ranking='local' may help a "
                "little, 'global' rather not."
            )
        return "Errors lie no nearer to the boundary than hits: geometric ranking will not help."

    def __repr__(self) -> str:
        lines = [
            f"{'':9}{'cases':>8}  mean distance",
            f"{'hits':9}{self.n_hits:>8.10g}  {self.mean_hits:.4g}",
            f"{'errors':9}{self.n_errors:>8.10g}  {self.mean_errors:.4g}",
            f"lambda {self.lambda_:.3g}, accuracy {self.accuracy:.3f}",
            self.advice,
        ]
        return "\n".join(lines)


def _moments(distances: Floats, weights: Floats) -> tuple[float, float, float]:
    """Return the weight of some cases, their mean distance and the standard deviation of that."""
    total = float(weights.sum())
    if not total > 0.0:
        return total, math.nan, math.nan
    # From one of them, so that equal distances deviate by nothing and not by what is rounded.
    further = distances - distances[0]
    beyond = float(weights @ further) / total
    mean = float(distances[0]) + beyond
    if not total > 1.0:
        return total, mean, math.nan
    variance = float(weights @ (further - beyond) ** 2) / (total - 1.0)
    return total, mean, math.sqrt(variance / total)
