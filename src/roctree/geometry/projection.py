"""The projection of cases on the nearest leaf of a wanted label, within what a user allows.

Distances are those of ``roctree.geometry.boundary``, but what is found does lead to the leaf: just
above a threshold where a value must exceed it, and a known value where a missing one leaves it
open.
"""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.geometry.boundary import Boundary
from roctree.geometry.boxes import ELSEWHERE, LEADS, Boxes
from roctree.geometry.limits import Limits
from roctree.geometry.metric import units_of
from roctree.geometry.projection_kernels import ANY, NOTHING, nearest_leaf
from roctree.tree.tree import IS_PRESENT

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Effects = NDArray[np.uint8]
Cell = TypeVar("Cell", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Projections:
    """Where cases would have to be.

    Parameters
    ----------
    values : float64[rows, features], the cases changed; those that cannot be as they were
    distance : float64[rows], how far that is; infinite where no allowed change leads to the label
    labels : int64[rows], what they are labelled then
    """

    values: Floats
    distance: Floats
    labels: Ints


@dataclass(frozen=True, eq=False)
class Targets:
    """The leaves: which values lead to each, and which of them a case may change to.

    Parameters
    ----------
    labels : int64[leaves]
    numeric, units : int64 and float64[numbers], numeric attributes that are tested, and the
        distance of a difference of one
    low, high : float64[leaves, numbers], numbers above ``low``, up to ``high``, lead there
    bottom, top : float64[leaves, numbers], the nearest ends of what may be reached; where nothing
        may, the first is above the second
    gaps : uint8[leaves, numbers], what a missing number does: LEADS or DIVIDED
    nominal, starts : int64[categories] and [categories + 1], nominal attributes that are tested,
        and where the cells of each begin: its categories, and one for whatever is none of them
    effects : uint8[leaves, cells], what each category does: LEADS, DIVIDED or ELSEWHERE
    prices : float64[leaves, cells], the square of what it costs to come from there
    choices : float64[leaves, categories], the first category that leads there and is allowed
    """

    labels: Ints
    numeric: Ints
    units: Floats
    low: Floats
    high: Floats
    bottom: Floats
    top: Floats
    gaps: Effects
    nominal: Ints
    starts: Ints
    effects: Effects
    prices: Floats
    choices: Floats

    @classmethod
    def of(cls, boundary: Boundary, limits: Limits) -> "Targets":
        """Return the leaves of a tree, with what a user allows of their boxes."""
        tree, units = boundary.tree, units_of(boundary.scale)
        boxes = Boxes.of(tree, len(units))
        nominal = sorted(boxes.categories)
        numeric = np.setdiff1d(tree.feature[~tree.is_leaf], nominal).astype(np.int64)
        pick = np.ix_(tree.leaves, numeric)
        low, high = boxes.low[pick], boxes.high[pick]
        bottom, top = _allowed_range(low, high, limits, numeric)
        tables = [boxes.categories[attribute][tree.leaves] for attribute in nominal]
        offers = [
            _offer(table, attribute, float(units[attribute]), limits)
            for attribute, table in zip(nominal, tables, strict=True)
        ]
        return cls(
            boundary.labels[tree.leaves],
            numeric,
            units[numeric],
            low,
            high,
            bottom,
            top,
            boxes.gaps[pick],
            np.array(nominal, dtype=np.int64),
            np.cumsum([0, *(table.shape[1] for table in tables)]),
            _side_by_side(tables, len(tree.leaves), np.uint8),
            _side_by_side([prices for prices, _ in offers], len(tree.leaves), np.float64),
            _side_by_side([choice[:, None] for _, choice in offers], len(tree.leaves), np.float64),
        )

    def project(self, values: Floats, own: Ints, to: int | None) -> Projections:
        """Project rows on the nearest leaf of a label, the first of equals.

        Parameters
        ----------
        values : float64[rows, features]
        own : int64[rows], the label of each row
        to : the wanted label; None for any other than the own
        """
        changed = np.array(values, dtype=np.float64, order="C")
        squared, place = np.empty(len(changed)), np.empty(len(changed), dtype=np.int64)
        compiled(nearest_leaf)(
            changed, own, ANY if to is None else to, self.labels, self.numeric, self.units,
            self.low, self.high, self.bottom, self.top, self.gaps,
            self.nominal, self.starts, self.prices, squared, place,
        )  # fmt: skip
        rows = np.flatnonzero(place != NOTHING)
        numbers, categories = np.ix_(rows, self.numeric), np.ix_(rows, self.nominal)
        changed[numbers] = self._numbers(changed[numbers], place[rows])
        changed[categories] = self._categories(changed[categories], place[rows])
        labels = own.copy()
        labels[rows] = self.labels[place[rows]]
        return Projections(changed, np.sqrt(squared), labels)

    def _numbers(self, values: Floats, leaf: Ints) -> Floats:
        """Return the numbers that lead rows to a leaf each, as near as they may be."""
        low, high, bottom, top = (
            part[leaf] for part in (self.low, self.high, self.bottom, self.top)
        )
        missing = np.isnan(values)
        stays = np.where(missing, self.gaps[leaf] == LEADS, (low < values) & (values <= high))
        # A threshold belongs to the branch below: above means the next number.
        least = np.where(bottom > low, bottom, _next(low))
        filled = np.where(top < IS_PRESENT, top, np.where(least > -IS_PRESENT, least, 0.0))
        return np.where(stays, values, np.where(missing, filled, np.clip(values, least, top)))

    def _categories(self, values: Floats, leaf: Ints) -> Floats:
        """Return the categories that lead rows to a leaf each."""
        begin, last = self.starts[:-1], self.starts[1:] - 1
        known = (values >= 0.0) & (values < last - begin)
        cells = np.where(known, begin + np.where(known, values, 0.0).astype(np.int64), last)
        stays = self.effects[leaf[:, None], cells] == LEADS
        return np.where(stays, values, self.choices[leaf])


def _allowed_range(
    low: Floats, high: Floats, limits: Limits, numeric: Ints
) -> tuple[Floats, Floats]:
    """Return the ends of what numbers may change to for each leaf; empty where there is nothing."""
    least, most = limits.low[numeric], limits.high[numeric]
    bottom, top = np.maximum(low, least), np.minimum(high, most)
    first = np.maximum(_next(low), least)
    possible = (first <= top) & (low < IS_PRESENT) & ~limits.fixed[numeric]
    return np.where(possible, bottom, np.inf), np.where(possible, top, -np.inf)


def _next(numbers: Floats) -> Floats:
    """Return the next number above each, which is infinite above the largest there is."""
    with np.errstate(over="ignore"):
        return np.nextafter(numbers, np.inf)


def _offer(effects: Effects, attribute: int, unit: float, limits: Limits) -> tuple[Floats, Floats]:
    """Return the squared cost of coming from each category, and the category to change to."""
    n_codes = effects.shape[1] - 1
    options = effects[:, :n_codes] == LEADS
    if attribute in limits.codes:
        options &= np.isin(np.arange(n_codes), limits.codes[attribute])
    possible = options.any(axis=1) & ~limits.fixed[attribute]
    change = np.where(effects == ELSEWHERE, unit * unit, 0.0)
    prices = np.where(effects == LEADS, 0.0, np.where(possible[:, None], change, np.inf))
    return prices, options.argmax(axis=1).astype(np.float64)


def _side_by_side(tables: list[NDArray[Cell]], n_rows: int, kind: type[Cell]) -> NDArray[Cell]:
    """Put the columns of tables beside each other, perhaps none."""
    return np.concatenate([np.empty((n_rows, 0), dtype=kind), *tables], axis=1)
