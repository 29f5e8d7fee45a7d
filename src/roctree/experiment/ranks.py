"""Several configurations over several problems: mean ranks, Friedman's test, Nemenyi's difference.

After J. Demšar (2006), *Statistical comparisons of classifiers over multiple data sets*.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from roctree.errors import DataError
from roctree.experiment.significance import check_level
from roctree.experiment.svg import Drawing, width_of

Floats = NDArray[np.float64]
# How long the axis of a diagram is, in pixels, however long the names are.
LEAST_AXIS = 240


@dataclass(frozen=True, eq=False)
class Ranks:
    """The ranks of configurations over problems; rank 1 is the best.

    Parameters
    ----------
    names : of the configurations
    mean_ranks : float64[configurations]
    n_problems : how many problems they are means over
    chi_squared, p_value : Friedman's test that all are alike
    f_statistic, f_p_value : the same after Iman and Davenport, which is less conservative
    alpha : level of the critical difference
    """

    names: tuple[str, ...]
    mean_ranks: Floats
    n_problems: int
    chi_squared: float
    p_value: float
    f_statistic: float
    f_p_value: float
    alpha: float = 0.05

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        scores: ArrayLike,
        *,
        more_is_better: bool = True,
        alpha: float = 0.05,
    ) -> "Ranks":
        """Rank the columns of a table [problems, configurations].

        Examples
        --------
        >>> ranks = Ranks.of(["a", "b"], [[0.9, 0.8], [0.7, 0.6], [0.8, 0.8], [0.6, 0.5]])
        >>> ranks.mean_ranks
        array([1.125, 1.875])
        """
        table = np.asarray(scores, np.float64)
        if table.ndim != 2 or table.shape[1] != len(names) or len(names) < 2 or len(table) < 2:
            raise DataError("Ranks need at least two problems and two configurations, all named.")
        if not np.isfinite(table).all():
            raise DataError("Ranks need a finite result of every configuration on every problem.")
        check_level(alpha)
        ranks = stats.rankdata(-table if more_is_better else table, axis=1)
        return cls(tuple(names), ranks.mean(axis=0), len(table), *_friedman(ranks), alpha)

    @property
    def critical_difference(self) -> float:
        """How far mean ranks must be apart to differ at the level, by Nemenyi's test."""
        return critical_difference(len(self.names), self.n_problems, self.alpha)

    @property
    def cliques(self) -> list[tuple[str, ...]]:
        """The largest groups within which no two differ, from the best."""
        order = np.argsort(self.mean_ranks, kind="stable")
        sorted_ranks = self.mean_ranks[order]
        groups: list[tuple[int, int]] = []
        for start in range(len(order)):
            within = sorted_ranks <= sorted_ranks[start] + self.critical_difference
            end = int(np.flatnonzero(within)[-1])
            if end > start and not any(end <= last for _, last in groups):
                groups.append((start, end))
        return [tuple(self.names[i] for i in order[a : b + 1]) for a, b in groups]

    def svg(self, width: int = 640) -> str:
        """Return the critical-difference diagram: those on one bar do not differ.

        Parameters
        ----------
        width : in pixels; more if the names need it
        """
        return _diagram(self, width)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        order = np.argsort(self.mean_ranks, kind="stable")
        listed = ", ".join(f"{self.names[i]} {self.mean_ranks[i]:.2f}" for i in order)
        return (
            f"<Ranks over {self.n_problems} problems: {listed}; critical difference "
            f"{self.critical_difference:.2f} at {self.alpha:g}, Friedman p {self.p_value:.3g}>"
        )


def critical_difference(n_configurations: int, n_problems: int, alpha: float = 0.05) -> float:
    """Return how far mean ranks must be apart, by Nemenyi's test.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    quantile = float(stats.studentized_range.ppf(1.0 - alpha, n_configurations, np.inf))
    k = n_configurations
    return quantile / math.sqrt(2.0) * math.sqrt(k * (k + 1) / (6.0 * n_problems))


def _friedman(ranks: Floats) -> tuple[float, float, float, float]:
    """Friedman's statistic with the correction for ties, Iman and Davenport's, and their p."""
    n, k = ranks.shape
    spread = n * float(((ranks.mean(axis=0) - (k + 1) / 2.0) ** 2).sum())
    within = float(((ranks - (k + 1) / 2.0) ** 2).sum())
    if within == 0.0:
        return 0.0, 1.0, 0.0, 1.0
    chi_squared = n * (k - 1) * spread / within
    p_value = float(stats.chi2.sf(chi_squared, k - 1))
    rest = n * (k - 1) - chi_squared
    if rest <= 1e-12:
        return chi_squared, p_value, math.inf, 0.0
    f_statistic = (n - 1) * chi_squared / rest
    return (
        chi_squared,
        p_value,
        f_statistic,
        float(stats.f.sf(f_statistic, k - 1, (k - 1) * (n - 1))),
    )


def _diagram(ranks: Ranks, width: int) -> str:
    order = np.argsort(ranks.mean_ranks, kind="stable")
    labels = [f"{ranks.names[i]} {ranks.mean_ranks[i]:.2f}" for i in order]
    k, top, step = len(order), 60, 20
    margin = max(140.0, 20.0 + width_of(labels))
    width = max(width, round(2 * margin + LEAST_AXIS))
    left_half = (k + 1) // 2
    groups = ranks.cliques
    drawing = Drawing(width, top + 12 * len(groups) + step * (left_half + 1) + 20)
    scale = (width - 2 * margin) / (k - 1)

    def x(rank: float) -> float:
        return margin + (rank - 1.0) * scale

    drawing.line(x(1), top, x(k), top)
    for rank in range(1, k + 1):
        drawing.line(x(rank), top - 5, x(rank), top)
        drawing.text(x(rank), top - 10, str(rank), anchor="middle")
    length = min(ranks.critical_difference * scale, width - margin)
    drawing.line(margin, 25, margin + length, 25, width=2)
    drawing.text(margin, 17, f"critical difference {ranks.critical_difference:.2f}")
    base = top + 12 * len(groups) + 14
    for place, i in enumerate(order):
        on_left = place < left_half
        row = place if on_left else k - 1 - place
        y, end = base + step * row, (margin - 8 if on_left else width - margin + 8)
        position = x(float(ranks.mean_ranks[i]))
        drawing.line(position, top, position, y)
        drawing.line(position, y, end, y)
        side = "end" if on_left else "start"
        drawing.text(end + (-4 if on_left else 4), y + 4, labels[place], side)
    positions = dict(zip(ranks.names, ranks.mean_ranks, strict=True))
    for number, group in enumerate(groups):
        y = top + 10 + 12 * number
        best, worst = float(positions[group[0]]), float(positions[group[-1]])
        drawing.line(x(best) - 4, y, x(worst) + 4, y, width=4)
    return drawing.svg()
