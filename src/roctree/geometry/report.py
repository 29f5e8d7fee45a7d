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
    n_hits, n_errors : numbers of cases
    mean_hits, mean_errors : their mean distances from the boundary; NaN where there are none
    lambda_ : difference of the means in its own standard deviations, the deviations of the means
        added in squares (equation 6); NaN with less than two hits or errors
    """

    n_hits: int
    n_errors: int
    mean_hits: float
    mean_errors: float
    lambda_: float

    @classmethod
    def of(cls, distances: Floats, right: NDArray[np.bool_]) -> "BoundaryReport":
        """Compare the distances of hits with those of errors."""
        hits, errors = distances[right], distances[~right]
        deviation = math.hypot(_deviation_of_mean(hits), _deviation_of_mean(errors))
        difference = _mean(hits) - _mean(errors)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = float(np.float64(difference) / deviation)
        return cls(len(hits), len(errors), _mean(hits), _mean(errors), ratio)

    @property
    def accuracy(self) -> float:
        """Share of the hits."""
        return self.n_hits / max(self.n_hits + self.n_errors, 1)

    @property
    def advice(self) -> str:
        """One line on whether geometric ranking is likely to help."""
        if math.isnan(self.lambda_):
            return "There are too few hits or errors to tell whether geometric ranking helps."
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
            f"{'hits':9}{self.n_hits:>8}  {self.mean_hits:.4g}",
            f"{'errors':9}{self.n_errors:>8}  {self.mean_errors:.4g}",
            f"lambda {self.lambda_:.3g}, accuracy {self.accuracy:.3f}",
            self.advice,
        ]
        return "\n".join(lines)


def _mean(distances: Floats) -> float:
    return float(distances.mean()) if len(distances) else math.nan


def _deviation_of_mean(distances: Floats) -> float:
    n = len(distances)
    return float(distances.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
