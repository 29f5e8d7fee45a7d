"""Whether a difference of results is more than chance.

On one problem: t-tests of the results of two configurations, paired by the divisions of the cases.
These overlap, so that the plain tests find far too much; the corrected resampled test of Nadeau and
Bengio (2003) allows for that and is what to use. The plain ones are there to compare with papers.

Over several problems: Wilcoxon's signed ranks for two configurations, Friedman's test and Nemenyi's
critical difference for more (Demšar 2006), in ``roctree.experiment.ranks``.
"""

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from roctree.errors import DataError, ParameterError
from roctree.strategy import is_number

Floats = NDArray[np.float64]
Method = Literal["corrected", "paired", "unpaired"]
Verdict = Literal["win", "tie", "loss"]


class Comparison(NamedTuple):
    """The first of two against the second.

    Parameters
    ----------
    difference : mean of the first less mean of the second
    statistic : of the test
    p_value : two-sided
    """

    difference: float
    statistic: float
    p_value: float

    def verdict(self, alpha: float = 0.1) -> Verdict:
        """Whether the first wins, loses or neither, at this level."""
        check_level(alpha)
        if not self.p_value < alpha:
            return "tie"
        return "win" if self.difference > 0 else "loss"


def check_level(alpha: Any) -> None:
    """Refuse what is no level of significance."""
    if not (is_number(alpha) and 0.0 < alpha < 1.0):
        raise ParameterError(f"alpha={alpha!r} is no level: give a number between 0 and 1.")


def paired_t(first: ArrayLike, second: ArrayLike) -> Comparison:
    """Student's t-test of pairs; far too liberal for results that share training cases.

    Examples
    --------
    >>> d = np.array([0.02, 0.01, 0.03, -0.01, 0.02, 0, 0.01, 0.02, 0.04, 0])
    >>> test = paired_t(d, np.zeros(10))
    >>> round(test.statistic, 6), round(test.p_value, 6)
    (2.940588, 0.016471)
    """
    differences = _differences(first, second)
    return _of_t(differences, 1.0 / len(differences))


def corrected_resampled_t(first: ArrayLike, second: ArrayLike, test_ratio: float) -> Comparison:
    """Nadeau and Bengio's t-test of pairs from repeated divisions of the same cases.

    Parameters
    ----------
    first, second : results, paired by the divisions
    test_ratio : test cases for one training case: 1/9 for ten folds

    Examples
    --------
    >>> d = np.array([0.02, 0.01, 0.03, -0.01, 0.02, 0, 0.01, 0.02, 0.04, 0])
    >>> test = corrected_resampled_t(d, np.zeros(10), 1 / 9)
    >>> round(test.statistic, 6), round(test.p_value, 6)
    (2.023852, 0.073662)
    """
    if not test_ratio >= 0:
        raise ParameterError(f"test_ratio={test_ratio!r} makes no sense: give zero or more.")
    differences = _differences(first, second)
    return _of_t(differences, 1.0 / len(differences) + test_ratio)


def unpaired_t(first: ArrayLike, second: ArrayLike) -> Comparison:
    """Student's t-test of two groups; what the tables of the papers fit."""
    ours, theirs = _numbers(first), _numbers(second)
    return unpaired_t_of_summaries(
        (float(ours.mean()), float(ours.std(ddof=1)), len(ours)),
        (float(theirs.mean()), float(theirs.std(ddof=1)), len(theirs)),
    )


def unpaired_t_of_summaries(
    first: tuple[float, float, int], second: tuple[float, float, int]
) -> Comparison:
    """Student's t-test of two groups of which mean, standard deviation and size are known."""
    difference = first[0] - second[0]
    if first[1] == second[1] == 0.0:
        return _certain(difference)
    statistic, p_value = stats.ttest_ind_from_stats(*first, *second)
    return Comparison(difference, float(statistic), float(p_value))


def wilcoxon(first: ArrayLike, second: ArrayLike) -> Comparison:
    """Wilcoxon's signed-rank test of two configurations over several problems.

    Zero differences are divided between the signs (Pratt).
    """
    differences = _differences(first, second)
    if not differences.any():
        return Comparison(0.0, 0.0, 1.0)
    statistic, p_value = stats.wilcoxon(differences, zero_method="zsplit")
    return Comparison(float(differences.mean()), float(statistic), float(p_value))


def t_test(kind: Method, first: ArrayLike, second: ArrayLike, test_ratio: float) -> Comparison:
    """Return the t-test of that name.

    Parameters
    ----------
    kind : "corrected", "paired" or "unpaired"
    first, second : results, paired by the divisions
    test_ratio : test cases for one training case, for the corrected test
    """
    tests: dict[str, Callable[[], Comparison]] = {
        "corrected": lambda: corrected_resampled_t(first, second, test_ratio),
        "paired": lambda: paired_t(first, second),
        "unpaired": lambda: unpaired_t(first, second),
    }
    if kind not in tests:
        known = ", ".join(map(repr, get_args(Method)))
        raise ParameterError(f"test={kind!r} is not known: choose from {known}.")
    return tests[kind]()


def _of_t(differences: Floats, share: float) -> Comparison:
    """The t-test of a mean whose variance is this share of the variance of the differences."""
    difference, variance = float(differences.mean()), float(differences.var(ddof=1))
    if variance == 0.0:
        return _certain(difference)
    statistic = difference / math.sqrt(share * variance)
    p_value = 2.0 * float(stats.t.sf(abs(statistic), len(differences) - 1))
    return Comparison(difference, statistic, p_value)


def _certain(difference: float) -> Comparison:
    """What no variance says: nothing is different, or it always is."""
    if difference == 0.0:
        return Comparison(0.0, 0.0, 1.0)
    return Comparison(difference, math.copysign(math.inf, difference), 0.0)


def _differences(first: ArrayLike, second: ArrayLike) -> Floats:
    ours, theirs = _numbers(first), _numbers(second)
    if len(ours) != len(theirs):
        raise DataError(f"There are {len(ours)} results and {len(theirs)}: pairs need as many.")
    return ours - theirs


def _numbers(values: ArrayLike) -> Floats:
    numbers = np.asarray(values, np.float64).reshape(-1)
    if len(numbers) < 2:
        raise DataError(f"A test needs at least two results, and there are {len(numbers)}.")
    if not np.isfinite(numbers).all():
        raise DataError("A test needs finite results: leave out the divisions that have none.")
    return numbers
