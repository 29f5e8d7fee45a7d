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

_HEAD = ("leaves +", "FPR", "TPR", "accuracy", "miss / false alarm", "share of +")
# Rows at either end of a table that is too long to be shown.
_SHOWN = 10


class LabellingRow(NamedTuple):
    """One labelling: the leaves with the highest shares of positives are positive.

    Parameters
    ----------
    positive_leaves : int64[...], numbers of the positive leaves, highest share first
    fpr, tpr, accuracy : on the counts that the labellings were made from
    cost_ratio : from and to which cost of a miss, in false alarms, it is best
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
    leaves and one.

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
        curve, ratios, priors = self.leaves.curve, self.cost_bounds, self.prior_bounds
        return LabellingRow(
            self._leaves_in_order[: self._n_positive[number]],
            float(curve.fpr[number]),
            float(curve.tpr[number]),
            float(self._accuracy[number]),
            (float(ratios[number]), float(ratios[number + 1])),
            (float(priors[number]), float(priors[number + 1])),
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
    def prior_bounds(self) -> Floats:
        """The shares of positives where neighbours cost the same if both errors do.

        Not a number where cases of one class are all there is.
        """
        curve = self.leaves.curve
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            odds = self.cost_bounds * (curve.n_positive / np.float64(curve.n_negative))
            return np.asarray(np.where(np.isinf(odds), 1.0, odds / (1.0 + odds)))

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
        curve, costs, priors = self.leaves.curve, self.cost_bounds, self.prior_bounds
        return {
            "positive_leaves": self._n_positive,
            "fpr": curve.fpr,
            "tpr": curve.tpr,
            "accuracy": self._accuracy,
            "cost_ratio_from": costs[:-1],
            "cost_ratio_to": costs[1:],
            "prior_from": priors[:-1],
            "prior_to": priors[1:],
        }

    def to_pandas(self) -> Any:
        """Return the table as a pandas data frame."""
        return as_frame("pandas", self.columns())

    def to_polars(self) -> Any:
        """Return the table as a polars data frame."""
        return as_frame("polars", self.columns())

    def to_text(self) -> str:
        """Return the table as text, a line for each labelling."""
        return as_text(_HEAD, self._cells(range(len(self))))

    def __repr__(self) -> str:
        return f"{self._title()}\n{as_text(_HEAD, self._shown())}"

    def __rich__(self) -> Any:
        return as_rich(_HEAD, self._shown(), self._title())

    def _repr_html_(self) -> str:
        return as_html(_HEAD, self._shown(), self._title())

    def _title(self) -> str:
        named = "" if self.positive_class is None else f", positive {self.positive_class!r}"
        return f"{len(self)} labellings{named}" + (f", {IN_PARTS}" if self.in_parts else "")

    def _shown(self) -> list[list[str]]:
        """The rows that a screen shows: all, or the first and the last of many."""
        if len(self) <= 2 * _SHOWN + 1:
            return self._cells(range(len(self)))
        first, last = range(_SHOWN), range(len(self) - _SHOWN, len(self))
        return [*self._cells(first), ["..."] * len(_HEAD), *self._cells(last)]

    def _cells(self, numbers: range) -> list[list[str]]:
        columns = self.columns()
        return [
            [
                str(columns["positive_leaves"][i]),
                *(f"{columns[name][i]:.3f}" for name in ("fpr", "tpr", "accuracy")),
                f"{columns['cost_ratio_from'][i]:.3g} to {columns['cost_ratio_to'][i]:.3g}",
                f"{columns['prior_from'][i]:.3f} to {columns['prior_to'][i]:.3f}",
            ]
            for i in numbers
        ]
