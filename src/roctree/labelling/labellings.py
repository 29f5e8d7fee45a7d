"""All labellings of a tree that are best for some costs (Theorem 6 of Ferri et al. 2002)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.labelling.leaves import Leaves
from roctree.roc.curve import IN_PARTS
from roctree.table import as_frame, as_html, as_rich, as_text

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

HEAD = ("leaves +", "FPR", "TPR", "accuracy", "miss in false alarms", "share of +")
# Rows at either end of a table that is too long to be shown.
_SHOWN = 10


def range_words(low: float, high: float, form: str) -> str:
    """Return a range as a person would write it.

    >>> range_words(0.5, 2.0, ".3g"), range_words(0.0, 0.0, ".3g")
    ('0.5 to 2', 'only 0')
    """
    return f"only {low:{form}}" if low == high else f"{low:{form}} to {high:{form}}"


class LabellingRow(NamedTuple):
    """One labelling: the leaves with the highest shares of positives are positive.

    Parameters
    ----------
    positive_leaves : int64[...], numbers of the positive leaves, highest share first
    fpr, tpr, accuracy : on the counts that the labellings were made from
    cost_ratio : from and to which cost of a miss, in false alarms, it is best; not numbers if never
    prior : from and to which share of positives it is best if both errors cost the same
    """

    positive_leaves: Ints
    fpr: float
    tpr: float
    accuracy: float
    cost_ratio: tuple[float, float]
    prior: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Labellings(Sequence[LabellingRow]):
    """The optimal labellings, from no positive leaf to all; a sequence of rows.

    Leaves with the same share of positives change together, so there may be fewer labellings than
    leaves and one. Where cases held out are divided among leaves, there are also labellings that
    part these cases from others, of which some may be best for no costs.

    Parameters
    ----------
    leaves : the leaves and their counts
    positive_class, negative_class : their labels
    by_shares : whether costs go by the shares, whatever the counts; they are the same unless
        the shares are those of a model
    in_parts : whether the counts have cases in parts: rates are approximate
    """

    leaves: Leaves
    positive_class: Any = None
    negative_class: Any = None
    by_shares: bool = False
    in_parts: bool = False

    @classmethod
    def of(
        cls,
        leaves: Leaves,
        classes: NDArray[Any],
        *,
        by_shares: bool = False,
        in_parts: bool = False,
    ) -> "Labellings":
        """Return the labellings of leaves of two classes; more are refused."""
        leaves.check_two_classes()
        labels = classes.tolist()
        positive, negative = labels[leaves.positive], labels[1 - leaves.positive]
        return cls(leaves, positive, negative, by_shares, in_parts)

    def __len__(self) -> int:
        return len(self.leaves.curve.tpr)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self._row(number) for number in range(*place.indices(len(self)))]
        number = index(place) + (len(self) if place < 0 else 0)
        if not 0 <= number < len(self):
            raise IndexError(f"there are {len(self)} labellings")
        return self._row(number)

    def __iter__(self) -> Iterator[LabellingRow]:
        return (self._row(number) for number in range(len(self)))

    def _row(self, number: int) -> LabellingRow:
        curve = self.leaves.curve
        return LabellingRow(
            self._leaves_in_order[: self._n_positive[number]],
            float(curve.fpr[number]),
            float(curve.tpr[number]),
            float(self._accuracy[number]),
            tuple(self.cost_ranges[number].tolist()),
            tuple(self.prior_ranges[number].tolist()),
        )

    @cached_property
    def cost_bounds(self) -> Floats:
        """Where neighbouring labellings cost the same: misses in false alarms, from 0 to inf."""
        curve = self.leaves.curve
        by_share = (curve.positives + curve.negatives == 0.0) | self.by_shares
        ours = np.where(by_share, curve.scores, curve.positives)
        theirs = np.where(by_share, 1.0 - curve.scores, curve.negatives)
        with np.errstate(divide="ignore", over="ignore"):
            return np.concatenate([[0.0], theirs / ours, [np.inf]])

    @cached_property
    def cost_ranges(self) -> Floats:
        """From and to which cost of a miss each is best, [labellings, 2]; not numbers if never."""
        bounds, curve = self.cost_bounds, self.leaves.curve
        if (bounds[:-1] <= bounds[1:]).all():
            return np.column_stack([bounds[:-1], bounds[1:]])
        pools = _pooled(bounds[1:-1].tolist(), curve.positives.tolist(), curve.negatives.tolist())
        best = np.cumsum([0, *(pool.n_steps for pool in pools)])
        kept = np.array([0.0, *(pool.bound for pool in pools), np.inf])
        ranges = np.full((len(self), 2), np.nan)
        ranges[best] = np.column_stack([kept[:-1], kept[1:]])
        return ranges

    @cached_property
    def prior_ranges(self) -> Floats:
        """From and to which share of positives each is best if both errors cost the same.

        Not a number where it never is, and where cases of one class are all there is.
        """
        curve = self.leaves.curve
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            odds = self.cost_ranges * (curve.n_positive / np.float64(curve.n_negative))
            return np.asarray(np.where(np.isinf(odds), 1.0, odds / (1.0 + odds)))

    @property
    def note(self) -> str:
        """A sentence on labellings that are never best, empty if there are none."""
        n_never = int(np.isnan(self.cost_ranges[:, 0]).sum())
        if n_never == 0:
            return ""
        return (
            f"{n_never} of {len(self)} are never best: whatever errors cost, others cost no more "
            "on these cases, some of which are divided among leaves."
        )

    @cached_property
    def _accuracy(self) -> Floats:
        curve = self.leaves.curve
        right = curve.tp + (curve.n_negative - curve.fp)
        return np.asarray(right / (curve.n_positive + curve.n_negative))

    @cached_property
    def _n_positive(self) -> Ints:
        """The number of positive leaves of each labelling."""
        leaves = self.leaves
        steps = np.bincount(leaves.rank[leaves.is_leaf], minlength=len(self) - 1)
        return np.append(0, np.cumsum(steps))

    @cached_property
    def _leaves_in_order(self) -> Ints:
        """The leaves from the highest share on; every labelling has a beginning of them."""
        order = self.leaves.nodes[np.argsort(self.leaves.rank, kind="stable")]
        order = order[order >= 0]
        order.flags.writeable = False
        return order

    def columns(self) -> dict[str, Any]:
        """Return the table as columns."""
        curve, costs, priors = self.leaves.curve, self.cost_ranges, self.prior_ranges
        return {
            "positive_leaves": self._n_positive,
            "fpr": curve.fpr,
            "tpr": curve.tpr,
            "accuracy": self._accuracy,
            "cost_ratio_from": costs[:, 0],
            "cost_ratio_to": costs[:, 1],
            "prior_from": priors[:, 0],
            "prior_to": priors[:, 1],
        }

    def to_pandas(self) -> Any:
        """Return the table as a pandas data frame."""
        return as_frame("pandas", self.columns())

    def to_polars(self) -> Any:
        """Return the table as a polars data frame."""
        return as_frame("polars", self.columns())

    def to_text(self) -> str:
        """Return the table as text, a line for each labelling."""
        return as_text(HEAD, self.cells())

    def cells(self, digits: int = 3) -> list[list[str]]:
        """Return the table as texts, a list for each labelling.

        Parameters
        ----------
        digits : after the point, of rates
        """
        return self._cells(range(len(self)), digits)

    def __repr__(self) -> str:
        lines = [self._title(), as_text(HEAD, self._shown()), self.note]
        return "\n".join(filter(None, lines))

    def __rich__(self) -> Any:
        return as_rich(HEAD, self._shown(), self._title())

    def _repr_html_(self) -> str:
        return as_html(HEAD, self._shown(), self._title())

    def _title(self) -> str:
        named = "" if self.positive_class is None else f", positive {self.positive_class!r}"
        return f"{len(self)} labellings{named}" + (f", {IN_PARTS}" if self.in_parts else "")

    def _shown(self) -> list[list[str]]:
        """The rows that a screen shows: all, or the first and the last of many."""
        if len(self) <= 2 * _SHOWN + 1:
            return self.cells()
        first, last = range(_SHOWN), range(len(self) - _SHOWN, len(self))
        return [*self._cells(first), ["..."] * len(HEAD), *self._cells(last)]

    def _cells(self, numbers: range, digits: int = 3) -> list[list[str]]:
        columns = self.columns()
        return [
            [
                str(columns["positive_leaves"][i]),
                *(f"{columns[name][i]:.{digits}f}" for name in ("fpr", "tpr", "accuracy")),
                *self._when_best(i),
            ]
            for i in numbers
        ]

    def _when_best(self, number: int) -> tuple[str, str]:
        low, high = self.cost_ranges[number].tolist()
        if np.isnan(low):
            return "never best", ""
        rarest, most_frequent = self.prior_ranges[number].tolist()
        return range_words(low, high, ".3g"), range_words(rarest, most_frequent, ".3f")


class _Pool(NamedTuple):
    """Neighbouring steps of the curve taken together: the cost where both ends cost the same."""

    bound: float
    positives: float
    negatives: float
    n_steps: int = 1

    def joined(self, other: "_Pool") -> "_Pool":
        ours, theirs = self.positives + other.positives, self.negatives + other.negatives
        bound = theirs / ours if ours > 0.0 else np.inf if theirs > 0.0 else other.bound
        return _Pool(bound, ours, theirs, self.n_steps + other.n_steps)


def _pooled(bounds: list[float], positives: list[float], negatives: list[float]) -> list[_Pool]:
    """Join steps until their bounds rise: what is left are the segments of the hull."""
    pools: list[_Pool] = []
    for pool in map(_Pool, bounds, positives, negatives):
        while pools and pools[-1].bound > pool.bound:
            pool = pools.pop().joined(pool)
        pools.append(pool)
    return pools
