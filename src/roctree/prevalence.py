"""Class shares of unlabelled cases, and whether these cases have shifted.

If only the class shares differ between two populations, the cases of a class are distributed over
the leaves in the same way in both. Then the numbers of unlabelled cases in the leaves are a mixture
of the class distributions over the leaves, and the shares that make them most likely are found by
expectation maximisation (Saerens, Latinne and Decaestecker 2002). Only leaf counts are needed, so
the uncertainty of both samples is estimated by resampling counts.

Leaves with few labelled cases would bias the estimate, because their class distributions are
uncertain. So leaves with similar probabilities are pooled first: little else about a leaf matters
here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.arrays import Floats
from roctree.errors import DataError, ParameterError
from roctree.roc.arithmetic import group_sums
from roctree.roc.inputs import check_confidence
from roctree.text import html_table, text_table

_N_SAMPLES = 400
_TOLERANCE, _MAX_STEPS = 1e-9, 1000
# A difference is reported if it is less likely than this by chance.
SIGNIFICANCE = 0.01
# Cells of a chi-squared test with a lower expectation are pooled (Cochran).
_MIN_EXPECTED = 5.0
# Leaves are pooled until a pool has this many labelled cases, and this part of all of them.
_MIN_LABELLED, _MIN_PART = 20.0, 1 / 20
# Class distributions over the leaves that differ by less are equal.
_SAME = 1e-9
_HEAD = ("class", "share", "interval", "reference")


class ChiSquared(NamedTuple):
    """A chi-squared test.

    Parameters
    ----------
    statistic : float
        The sum of squared differences, each divided by its variance.
    df : int
        Degrees of freedom.
    p_value : float
        Probability of at least this statistic without a difference; 1 without degrees of freedom.
    """

    statistic: float
    df: int
    p_value: float

    @classmethod
    def from_differences(
        cls, differences: Floats, variances: Floats, n_parameters: int
    ) -> "ChiSquared":
        """Return the test of differences that sum to zero."""
        statistic = float((differences**2 / variances).sum())
        df = len(differences) - 1 - n_parameters
        if df < 1:
            return cls(statistic, 0, 1.0)
        # Imported here because importing SciPy takes longer than most commands.
        from scipy.special import chdtrc

        return cls(statistic, df, float(chdtrc(df, statistic)))

    def __str__(self) -> str:
        chance = "p < 0.0001" if self.p_value < 1e-4 else f"p = {self.p_value:.4f}"
        freedom = f"{self.df} degree{'s' * (self.df != 1)} of freedom"
        return f"chi-squared {self.statistic:.1f} with {freedom}, {chance}"


@dataclass(frozen=True, eq=False)
class PriorEstimate(Mapping[Any, float]):
    """Estimated class shares of unlabelled cases, by class label, for ``at(prior=...)``.

    Parameters
    ----------
    classes : array
        Class labels.
    shares : float64[classes]
        Estimated class shares.
    intervals : float64[classes, 2]
        Their confidence intervals, from resampling both samples.
    reference : float64[classes]
        Class shares of the cases that the estimate compares with.
    level : float
        Confidence level of the intervals.
    n_cases : float
        Weight of the unlabelled cases.
    change : ChiSquared
        Test whether unlabelled and reference cases are distributed alike over the leaves.
    fit : ChiSquared
        The same test given the estimated shares.
    """

    classes: NDArray[Any]
    shares: Floats
    intervals: Floats
    reference: Floats
    level: float
    n_cases: float
    change: ChiSquared
    fit: ChiSquared

    @cached_property
    def _by_label(self) -> dict[Any, float]:
        return dict(zip(self.classes.tolist(), self.shares.tolist(), strict=True))

    def __getitem__(self, label: Any) -> float:
        return self._by_label[label]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._by_label)

    def __len__(self) -> int:
        return len(self._by_label)

    @property
    def has_shifted(self) -> bool:
        """Whether the distribution over the leaves differs significantly."""
        return self.change.p_value < SIGNIFICANCE

    @property
    def is_explained(self) -> bool:
        """Whether other class shares explain the distribution; True also if it has no test."""
        return self.fit.p_value >= SIGNIFICANCE

    @property
    def shares_differ(self) -> bool:
        """Whether the class shares of the reference cases are outside the intervals."""
        low, high = self.intervals.T
        return bool(((self.reference < low) | (self.reference > high)).any())

    @property
    def sentence(self) -> str:
        """A sentence that states the result of the comparison."""
        if self.change.df == 0:
            return "There are too few cases to compare their distributions over the leaves."
        if not self.has_shifted and self.shares_differ:
            return (
                "The estimated class shares differ from those of the reference cases, which are "
                "outside the intervals, but the distribution over the leaves does not differ "
                f"significantly ({self.change}): collect more new cases, and until then compare "
                "the labels with and without at(prior=...)."
            )
        if not self.has_shifted:
            return (
                "The new cases are distributed over the leaves like the reference cases "
                f"({self.change}): there is no sign of a shift."
            )
        differently = f"The new cases are distributed differently over the leaves ({self.change})"
        if self.fit.df == 0:
            return (
                f"{differently}. Other class shares may be the reason, but there are too few "
                "leaves or cases to test that: use at(prior=...) with the estimated shares only if "
                "nothing else has changed."
            )
        if self.is_explained:
            return (
                f"{differently}, and other class shares explain it ({self.fit}): use at(prior=...) "
                "with the estimated shares."
            )
        return (
            f"{differently}, and no class shares explain it ({self.fit}): the cases themselves "
            "have changed, so that probabilities and estimated shares may be wrong. Label some of "
            "the new cases and fit again."
        )

    def _cells(self) -> list[tuple[str, ...]]:
        return [
            (str(label), f"{share:.4f}", f"{low:.4f} to {high:.4f}", f"{before:.4f}")
            for label, share, (low, high), before in zip(
                self.classes.tolist(),
                self.shares.tolist(),
                self.intervals.tolist(),
                self.reference.tolist(),
                strict=True,
            )
        ]

    @property
    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Header and rows of the table of class shares, as text."""
        return _HEAD, self._cells()

    def __repr__(self) -> str:
        return f"{text_table(_HEAD, self._cells())}\n{self.sentence}"

    def _repr_html_(self) -> str:
        return html_table(_HEAD, self._cells(), self.sentence)


def score_order(probabilities: Floats) -> Floats:
    """Return a number for each row of probabilities; rows of similar numbers are similar.

    For two classes it is the probability of the second. Otherwise rows are ordered by their most
    probable class, then by its probability.
    """
    if probabilities.shape[1] == 2:
        return np.asarray(probabilities[:, 1])
    return np.asarray(probabilities.argmax(axis=1) + 0.5 * probabilities.max(axis=1))


def estimate_prior(
    reference: Floats,
    weights: Floats,
    order: Floats,
    classes: NDArray[Any],
    *,
    level: float = 0.95,
    seed: int = 0,
) -> PriorEstimate:
    """Estimate the class shares of unlabelled cases from their numbers in the leaves.

    Parameters
    ----------
    reference : float64[leaves, classes]
        Labelled cases in the leaves.
    weights : float64[leaves]
        Unlabelled cases in the leaves.
    order : float64[leaves]
        Leaves of similar numbers may be pooled; see ``score_order``.
    classes : array
        Class labels.
    level : float
        Confidence level of the intervals.
    seed : int
        Seed of the resampling.
    """
    check_confidence(level)
    n_cases = float(weights.sum())
    if n_cases == 0.0:
        raise DataError("X has no rows: at least one unlabelled case is needed.")
    change = _test_of_change(reference.sum(axis=1), weights)
    reference, weights = _pooled(reference, weights, order)
    totals = reference.sum(axis=0)
    distributions = reference / np.where(totals > 0.0, totals, 1.0)
    _check_separated(distributions[:, totals > 0.0])
    before = totals / totals.sum()
    shares = most_likely_shares(distributions[None], weights[None], before)[0]
    samples = _resampled(reference, weights, shares, seed)
    ends = (1.0 - level) / 2.0
    intervals = np.quantile(samples, [ends, 1.0 - ends], axis=0).T
    # The interval includes the estimate even if resampling is biased near 0 and 1.
    intervals[:, 0] = np.minimum(intervals[:, 0], shares)
    intervals[:, 1] = np.maximum(intervals[:, 1], shares)
    return PriorEstimate(
        classes,
        shares,
        intervals,
        before,
        level,
        n_cases,
        change,
        _test_of_fit(reference, weights, shares),
    )


def _pooled(reference: Floats, weights: Floats, order: Floats) -> tuple[Floats, Floats]:
    """Return the cases in pools of adjacent leaves that have enough labelled cases."""
    cases = reference.sum(axis=1)
    least = max(_MIN_LABELLED, _MIN_PART * cases.sum())
    places = np.argsort(order, kind="stable")
    pools = np.zeros(len(order), dtype=np.int64)
    pool, inside = 0, 0.0
    for place, left in zip(places.tolist(), cases[places][::-1].cumsum()[::-1], strict=True):
        # A pool is complete if it has enough cases and the rest has enough for another.
        if inside >= least and left >= least:
            pool, inside = pool + 1, 0.0
        pools[place] = pool
        inside += cases[place]
    together = np.zeros((pool + 1, reference.shape[1]))
    np.add.at(together, pools, reference)
    return together, group_sums(pools, weights, pool + 1)


def _check_separated(distributions: Floats) -> None:
    """Refuse class distributions over the leaves of which one is a mixture of the others.

    Infinitely many shares would then explain the cases equally well.

    Parameters
    ----------
    distributions : float64[leaves, classes]
    """
    n_leaves, n_classes = distributions.shape
    if n_classes < 2:
        raise ParameterError("The labelled cases have a single class: give cases of all classes.")
    if np.linalg.matrix_rank(distributions, tol=_SAME) < n_classes:
        groups = "a single group" if n_leaves == 1 else f"{n_leaves} groups"
        raise ParameterError(
            f"The leaves do not separate the classes: they form {groups} with enough labelled "
            f"cases, in which the shares of {n_classes} classes cannot be distinguished. Give "
            "more labelled cases, or use a tree with more leaves."
        )


def most_likely_shares(distributions: Floats, weights: Floats, start: Floats) -> Floats:
    """Return the class shares that make the numbers of cases in the leaves most likely, by EM.

    Parameters
    ----------
    distributions : float64[samples, leaves, classes]
        Distribution of each class over the leaves.
    weights : float64[samples, leaves]
        Cases in the leaves.
    start : float64[classes]
        Initial shares; a share of 0 stays 0.

    Returns
    -------
    float64[samples, classes]
    """
    shares = np.tile(start, (len(weights), 1))
    for _ in range(_MAX_STEPS):
        first = _em_step(distributions, weights, shares)
        second = _em_step(distributions, weights, first)
        # Near its end EM takes ever smaller steps in one direction: extrapolate them, unless that
        # makes the cases less likely (SQUAREM, Varadhan and Roland 2008).
        step, bend = first - shares, second - 2.0 * first + shares
        length, bent = (np.sqrt((each**2).sum(axis=1, keepdims=True)) for each in (step, bend))
        stride = np.divide(length, bent, out=np.ones_like(length), where=bent > 0.0)
        far = shares + 2.0 * stride * step + stride**2 * bend
        # A class with a share of 0 would keep it.
        far = np.maximum(far, 0.1 * second)
        far = _em_step(distributions, weights, far / far.sum(axis=1, keepdims=True))
        better = _log_likelihood(distributions, weights, far) >= _log_likelihood(
            distributions, weights, second
        )
        after = np.where(better[:, None], far, second)
        done = max(np.abs(first - shares).max(), np.abs(after - shares).max()) < _TOLERANCE
        shares = after
        if done:
            break
    return shares


def _em_step(distributions: Floats, weights: Floats, shares: Floats) -> Floats:
    """Return the mean probability of each class in each sample, float64[samples, classes]."""
    mixed = np.einsum("slk,sk->sl", distributions, shares)
    ratio = np.divide(weights, mixed, out=np.zeros_like(mixed), where=mixed > 0.0)
    after = shares * np.einsum("slk,sl->sk", distributions, ratio)
    return np.asarray(after / after.sum(axis=1, keepdims=True))


def _log_likelihood(distributions: Floats, weights: Floats, shares: Floats) -> Floats:
    mixed = np.einsum("slk,sk->sl", distributions, shares)
    # Leaves that no class reaches contribute equally for all shares.
    return np.asarray((weights * np.log(np.where(mixed > 0.0, mixed, 1.0))).sum(axis=1))


def _resampled(reference: Floats, weights: Floats, shares: Floats, seed: int) -> Floats:
    """Return the estimates from resampled labelled and unlabelled cases, float64[samples, classes].

    Parameters
    ----------
    reference : float64[leaves, classes]
    weights : float64[leaves]
    shares : float64[classes]
        The estimate, as the starting point.
    seed : int
    """
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(_whole_weight(weights.sum()), weights / weights.sum(), _N_SAMPLES)
    distributions = np.zeros((_N_SAMPLES, *reference.shape))
    for place, column in enumerate(reference.T):
        total = column.sum()
        if total > 0.0:
            size = _whole_weight(total)
            distributions[:, :, place] = rng.multinomial(size, column / total, _N_SAMPLES) / size
    inside = np.clip(shares, 1e-3, None) * reference.any(axis=0)
    return most_likely_shares(distributions, drawn.astype(np.float64), inside / inside.sum())


def _whole_weight(weight: float) -> int:
    return max(1, round(weight))


def _test_of_change(reference: Floats, weights: Floats) -> ChiSquared:
    """Test whether labelled and unlabelled cases are distributed alike over the leaves.

    Parameters
    ----------
    reference, weights : float64[leaves]
        The labelled and the unlabelled cases.
    """
    sizes = reference.sum(), weights.sum()
    common = (reference + weights) / sum(sizes)
    pools = _pools(min(sizes) * common)
    n_pools = int(pools.max()) + 1
    differences = group_sums(pools, weights / sizes[1] - reference / sizes[0], n_pools)
    variances = group_sums(pools, common, n_pools) * (1.0 / sizes[0] + 1.0 / sizes[1])
    return ChiSquared.from_differences(differences, variances, 0)


def _test_of_fit(reference: Floats, weights: Floats, shares: Floats) -> ChiSquared:
    """Test whether unlabelled cases in the leaves are a mixture of the class distributions.

    Parameters
    ----------
    reference : float64[leaves, classes]
    weights : float64[leaves]
    shares : float64[classes]
        Shares of the classes in the mixture, estimated from the cases.
    """
    totals, size = reference.sum(axis=0), weights.sum()
    divisors = np.where(totals > 0.0, totals, 1.0)
    expected = (reference / divisors) @ shares
    # The distributions of the classes are estimates as well.
    variances = expected / size + (reference / divisors) @ (shares**2 / divisors)
    pools = _pools(np.minimum(size * expected, reference.sum(axis=1)))
    n_pools = int(pools.max()) + 1
    return ChiSquared.from_differences(
        group_sums(pools, weights / size - expected, n_pools),
        group_sums(pools, variances, n_pools),
        int(np.count_nonzero(totals)) - 1,
    )


def _pools(expected: Floats) -> NDArray[np.int64]:
    """Return the pool of each cell: its own, or the common pool of cells with low expectation."""
    few = expected < _MIN_EXPECTED
    if few.any() and expected[few].sum() < _MIN_EXPECTED and not few.all():
        # Add the smallest of the others, so that no pool has a low expectation.
        few[np.flatnonzero(~few)[expected[~few].argmin()]] = True
    return np.where(few, 0, np.cumsum(~few) - (0 if few.any() else 1))
