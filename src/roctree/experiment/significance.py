"""Statistical tests: whether a difference between results is more than chance.

On one problem: t-tests of two configurations, paired by the splits. Training sets overlap, so that
the plain tests find far too many differences. Use the corrected resampled test of Nadeau and Bengio
(2003), which allows for the overlap; the plain tests are for comparison with papers.

Over several problems: Wilcoxon's signed-rank test for two configurations; mean ranks, Friedman's
test and Nemenyi's critical difference for more, after J. Demšar (2006), *Statistical comparisons of
classifiers over multiple data sets*.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from roctree.arrays import Floats
from roctree.errors import DataError, ParameterError
from roctree.strategy import is_finite_number

TTestKind = Literal["corrected", "paired", "unpaired"]
Verdict = Literal["win", "tie", "loss"]


class SignificanceTest(NamedTuple):
    """Test result for a first configuration against a second.

    Parameters
    ----------
    difference : float
        Mean of the first minus mean of the second.
    statistic : float
        Test statistic.
    p_value : float
        Two-sided p-value.

    Examples
    --------
    >>> SignificanceTest(0.02, 2.9, 0.016).verdict(alpha=0.05)
    'win'
    """

    difference: float
    statistic: float
    p_value: float

    def verdict(self, alpha: float = 0.1) -> Verdict:
        """Return whether the first wins, ties or loses at this significance level.

        Parameters
        ----------
        alpha : float, default=0.1
            Significance level.

        Returns
        -------
        {"win", "tie", "loss"}
            Result of the first against the second.

        Examples
        --------
        >>> SignificanceTest(-0.02, -2.9, 0.016).verdict()
        'loss'
        """
        check_alpha(alpha)
        if not self.p_value < alpha:
            return "tie"
        return "win" if self.difference > 0 else "loss"


def check_alpha(alpha: Any) -> None:
    """Raise ``ParameterError`` unless ``alpha`` is a significance level."""
    if not (is_finite_number(alpha) and 0.0 < alpha < 1.0):
        raise ParameterError(f"alpha={alpha!r} is not allowed: give a number between 0 and 1.")


def paired_t(first: ArrayLike, second: ArrayLike) -> SignificanceTest:
    """Paired t-test; far too liberal for results that share training cases.

    Parameters
    ----------
    first, second : array-like
        Results, paired by position.

    Returns
    -------
    SignificanceTest
        Difference, statistic and p-value.

    Examples
    --------
    >>> d = np.array([0.02, 0.01, 0.03, -0.01, 0.02, 0, 0.01, 0.02, 0.04, 0])
    >>> test = paired_t(d, np.zeros(10))
    >>> round(test.statistic, 6), round(test.p_value, 6)
    (2.940588, 0.016471)
    """
    differences = _paired_differences(first, second)
    return _t_test_of_mean(differences, 1.0 / len(differences))


def corrected_resampled_t(
    first: ArrayLike, second: ArrayLike, test_ratio: float
) -> SignificanceTest:
    """Corrected resampled t-test of Nadeau and Bengio, for repeated splits of the same cases.

    Parameters
    ----------
    first, second : array-like
        Results, paired by the splits.
    test_ratio : float
        Number of test cases per training case: 1/9 for ten folds.

    Returns
    -------
    SignificanceTest
        Difference, statistic and p-value.

    Examples
    --------
    >>> d = np.array([0.02, 0.01, 0.03, -0.01, 0.02, 0, 0.01, 0.02, 0.04, 0])
    >>> test = corrected_resampled_t(d, np.zeros(10), 1 / 9)
    >>> round(test.statistic, 6), round(test.p_value, 6)
    (2.023852, 0.073662)
    """
    if not test_ratio >= 0:
        raise ParameterError(f"test_ratio={test_ratio!r} is not allowed: give 0 or more.")
    differences = _paired_differences(first, second)
    return _t_test_of_mean(differences, 1.0 / len(differences) + test_ratio)


def unpaired_t(first: ArrayLike, second: ArrayLike) -> SignificanceTest:
    """Two-sample t-test with equal variances, which the marks of the papers agree with.

    Parameters
    ----------
    first, second : array-like
        Results of each; they need not be paired.

    Returns
    -------
    SignificanceTest
        Difference, statistic and p-value.

    Examples
    --------
    >>> test = unpaired_t([0.91, 0.93, 0.92], [0.88, 0.89, 0.90])
    >>> round(test.difference, 3), round(test.p_value, 4)
    (0.03, 0.0213)
    """
    ours, theirs = _at_least_two(first), _at_least_two(second)
    return unpaired_t_of_summaries(
        (float(ours.mean()), float(ours.std(ddof=1)), len(ours)),
        (float(theirs.mean()), float(theirs.std(ddof=1)), len(theirs)),
    )


def unpaired_t_of_summaries(
    first: tuple[float, float, int], second: tuple[float, float, int]
) -> SignificanceTest:
    """Two-sample t-test from the mean, standard deviation and size of each group."""
    difference = first[0] - second[0]
    if first[1] == second[1] == 0.0:
        return _certain(difference)
    statistic, p_value = stats.ttest_ind_from_stats(*first, *second)
    return SignificanceTest(difference, float(statistic), float(p_value))


def wilcoxon(first: ArrayLike, second: ArrayLike) -> SignificanceTest:
    """Wilcoxon's signed-rank test of two configurations over several problems.

    The ranks of zero differences are split between the signs.

    Parameters
    ----------
    first, second : array-like
        Results, one per problem.

    Returns
    -------
    SignificanceTest
        Difference, statistic and p-value.

    Examples
    --------
    >>> test = wilcoxon([0.91, 0.83, 0.72, 0.95, 0.88], [0.90, 0.80, 0.74, 0.90, 0.84])
    >>> round(test.difference, 3), test.p_value
    (0.022, 0.1875)
    """
    differences = _paired_differences(first, second)
    if not differences.any():
        return SignificanceTest(0.0, 0.0, 1.0)
    statistic, p_value = stats.wilcoxon(differences, zero_method="zsplit")
    return SignificanceTest(float(differences.mean()), float(statistic), float(p_value))


def t_test(
    kind: TTestKind, first: ArrayLike, second: ArrayLike, test_ratio: float
) -> SignificanceTest:
    """Run the t-test of this name.

    Parameters
    ----------
    kind : {"corrected", "paired", "unpaired"}
        The test.
    first, second : array-like
        Results, paired by the splits.
    test_ratio : float
        Number of test cases per training case, for the corrected test.
    """
    tests: dict[str, Callable[[], SignificanceTest]] = {
        "corrected": lambda: corrected_resampled_t(first, second, test_ratio),
        "paired": lambda: paired_t(first, second),
        "unpaired": lambda: unpaired_t(first, second),
    }
    if kind not in tests:
        known = ", ".join(map(repr, get_args(TTestKind)))
        raise ParameterError(f"test={kind!r} is not known: choose from {known}.")
    return tests[kind]()


def _t_test_of_mean(differences: Floats, share: float) -> SignificanceTest:
    """Test a mean whose variance is this share of the variance of the differences."""
    difference, variance = float(differences.mean()), float(differences.var(ddof=1))
    if variance == 0.0:
        return _certain(difference)
    statistic = difference / math.sqrt(share * variance)
    p_value = 2.0 * float(stats.t.sf(abs(statistic), len(differences) - 1))
    return SignificanceTest(difference, statistic, p_value)


def _certain(difference: float) -> SignificanceTest:
    """Return the result for differences without variance: always equal, or always different."""
    if difference == 0.0:
        return SignificanceTest(0.0, 0.0, 1.0)
    return SignificanceTest(difference, math.copysign(math.inf, difference), 0.0)


def _paired_differences(first: ArrayLike, second: ArrayLike) -> Floats:
    ours, theirs = _at_least_two(first), _at_least_two(second)
    if len(ours) != len(theirs):
        raise DataError(
            f"A paired test needs as many results of each: there are {len(ours)} and {len(theirs)}."
        )
    return ours - theirs


def _at_least_two(values: ArrayLike) -> Floats:
    numbers = np.asarray(values, np.float64).reshape(-1)
    if len(numbers) < 2:
        raise DataError(f"A test needs at least two results, but there are {len(numbers)}.")
    if not np.isfinite(numbers).all():
        raise DataError("A test needs finite results: leave out the splits without one.")
    return numbers


@dataclass(frozen=True, eq=False)
class Ranks:
    """Mean ranks of configurations over problems; rank 1 is the best.

    Parameters
    ----------
    names : tuple of str
        The configurations.
    mean_ranks : float64 array of shape (n_configurations,)
        Mean rank of each.
    n_problems : int
        Number of problems.
    chi_squared, p_value : float
        Friedman's test that all configurations are equal.
    f_statistic, f_p_value : float
        Iman and Davenport's version, which is less conservative.
    alpha : float, default=0.05
        Significance level of the critical difference.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.9, 0.8, 0.6]]
    >>> Ranks.of(["a", "b", "c"], scores)
    <Ranks over 4 problems: a 1.00, b 2.25, c 2.75;
    critical difference 1.66 at 0.05, Friedman p 0.0388>
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
        """Rank the columns of a table of shape (n_problems, n_configurations).

        Parameters
        ----------
        names : sequence of str
            The configurations.
        scores : array-like of shape (n_problems, n_configurations)
            A measure of each on each problem.
        more_is_better : bool, default=True
            Whether large values are good.
        alpha : float, default=0.05
            Significance level of the critical difference.

        Returns
        -------
        Ranks
            Mean ranks and their tests.

        Examples
        --------
        >>> ranks = Ranks.of(["a", "b"], [[0.9, 0.8], [0.7, 0.6], [0.8, 0.8], [0.6, 0.5]])
        >>> ranks.mean_ranks
        array([1.125, 1.875])
        """
        table = np.asarray(scores, np.float64)
        if table.ndim != 2 or table.shape[1] != len(names) or len(names) < 2 or len(table) < 2:
            raise DataError(
                "Ranks need at least two problems and two configurations, all with names."
            )
        if not np.isfinite(table).all():
            raise DataError("Ranks need a finite result of each configuration on each problem.")
        check_alpha(alpha)
        ranks = stats.rankdata(-table if more_is_better else table, axis=1)
        return cls(tuple(names), ranks.mean(axis=0), len(table), *_friedman(ranks), alpha)

    @property
    def critical_difference(self) -> float:
        """Smallest significant difference between mean ranks, by Nemenyi's test."""
        return critical_difference(len(self.names), self.n_problems, self.alpha)

    @property
    def cliques(self) -> list[tuple[str, ...]]:
        """The largest groups without significant differences, best first."""
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
        """Return the critical-difference diagram: a bar joins configurations that do not differ.

        Needs matplotlib.

        Parameters
        ----------
        width : int, default=640
            Width in pixels; larger if the names need it.

        Returns
        -------
        str
            The diagram as SVG.

        Examples
        --------
        >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.9, 0.8, 0.6]]
        >>> "<svg" in Ranks.of(["a", "b", "c"], scores).svg()
        True
        """
        from roctree.report.displays import critical_difference_svg

        return critical_difference_svg(self, width)

    def _repr_svg_(self) -> str | None:
        try:
            return self.svg()
        except ImportError:
            return None

    def __repr__(self) -> str:
        order = np.argsort(self.mean_ranks, kind="stable")
        listed = ", ".join(f"{self.names[i]} {self.mean_ranks[i]:.2f}" for i in order)
        return (
            f"<Ranks over {self.n_problems} problems: {listed}; critical difference "
            f"{self.critical_difference:.2f} at {self.alpha:g}, Friedman p {self.p_value:.3g}>"
        )


def critical_difference(n_configurations: int, n_problems: int, alpha: float = 0.05) -> float:
    """Return the smallest significant difference between mean ranks, by Nemenyi's test.

    Parameters
    ----------
    n_configurations : int
        Number of configurations.
    n_problems : int
        Number of problems.
    alpha : float, default=0.05
        Significance level.

    Returns
    -------
    float
        The difference.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    quantile = float(stats.studentized_range.ppf(1.0 - alpha, n_configurations, np.inf))
    k = n_configurations
    return quantile / math.sqrt(2.0) * math.sqrt(k * (k + 1) / (6.0 * n_problems))


def _friedman(ranks: Floats) -> tuple[float, float, float, float]:
    """Return Friedman's statistic corrected for ties, Iman and Davenport's, and their p-values."""
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
