"""The least change that gives a case another label: the projection on the nearest box, explained.

All leaves of the wanted label are compared, each with the values that the user allows. Distances
are those of ``roctree.geometry.boundary``, but what is shown does lead to the leaf: just above a
threshold where a value must exceed it, and a known value where a missing one leaves it open.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data import Schema
from roctree.errors import ParameterError
from roctree.geometry.boundary import Boundary
from roctree.geometry.boxes import ELSEWHERE, LEADS, Boxes
from roctree.geometry.metric import units_of
from roctree.strategy import is_number, nearest
from roctree.tree.tree import IS_PRESENT

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Limits:
    """What may change, and to which values.

    Parameters
    ----------
    fixed : bool[features], attributes that cannot change
    low, high : float64[features], range of new numbers
    codes : per nominal attribute with a list of categories, those that it may change to
    """

    fixed: Flags
    low: Floats
    high: Floats
    codes: dict[int, list[int]]

    @classmethod
    def of(cls, schema: Schema, frozen: Iterable[Any], allowed: Mapping[Any, Any]) -> "Limits":
        """Read what a user says of attributes, by name or number."""
        n = schema.n_features
        limits = cls(np.zeros(n, dtype=np.bool_), np.full(n, -np.inf), np.full(n, np.inf), {})
        if not isinstance(allowed, Mapping):
            raise ParameterError(
                f"allowed={allowed!r} does not say of which attributes: give a dictionary."
            )
        for name in _listed(frozen):
            limits.fixed[_number(name, schema, "frozen")] = True
        for name, values in allowed.items():
            number = _number(name, schema, "allowed")
            categories = schema.categories[number]
            if categories is None:
                limits.low[number], limits.high[number] = _range(schema.names[number], values)
            else:
                limits.codes[number] = _codes(schema.names[number], values, list(categories))
        return limits


@dataclass(frozen=True, eq=False)
class Projection:
    """The nearest box of the wanted label.

    Parameters
    ----------
    values : float64[features], the case as it would have to be
    distance : how far that is; infinite where no allowed change leads to the label
    leaf : number of the node, -1 where there is none
    """

    values: Floats
    distance: float
    leaf: int


class Projector:
    """Leaves with their boxes, ready for many cases."""

    def __init__(self, boundary: Boundary, limits: Limits) -> None:
        tree, self.limits = boundary.tree, limits
        n_features = len(boundary.scale)
        boxes = Boxes.of(tree, n_features)
        self.leaves, self.units = tree.leaves, units_of(boundary.scale)
        self.labels = boundary.labels[tree.leaves]
        self.effects = {f: table[tree.leaves] for f, table in boxes.categories.items()}
        tested = np.unique(tree.feature[~tree.is_leaf])
        self.numeric = np.array([f for f in tested if f not in boxes.categories], dtype=np.int64)
        pick = np.ix_(tree.leaves, self.numeric)
        self.low, self.high, self.gaps = boxes.low[pick], boxes.high[pick], boxes.gaps[pick]
        # A threshold belongs to the branch below: above means the next number.
        with np.errstate(over="ignore"):
            self.above = np.nextafter(self.low, np.inf)

    def project(self, values: Floats, wanted: Flags) -> Projection:
        """Return the nearest of the leaves that are wanted, the first of equals."""
        squared = np.where(wanted, 0.0, np.inf)
        costs, numbers = self._numbers(values[self.numeric])
        squared += (costs**2).sum(axis=1)
        codes = {}
        for attribute in self.effects:
            cost, codes[attribute] = self._categories(attribute, values[attribute])
            squared += cost**2
        place = int(squared.argmin()) if len(squared) else 0
        if not squared[place] < np.inf:
            return Projection(values, np.inf, -1)
        changed = values.copy()
        changed[self.numeric] = numbers[place]
        for attribute, chosen in codes.items():
            changed[attribute] = chosen[place]
        return Projection(changed, float(np.sqrt(squared[place])), int(self.leaves[place]))

    def _numbers(self, values: Floats) -> tuple[Floats, Floats]:
        """Return what each leaf costs along each numeric attribute, and the value it needs."""
        least, most = self.limits.low[self.numeric], self.limits.high[self.numeric]
        missing = np.isnan(values)
        stays = np.where(missing, self.gaps == LEADS, (self.low < values) & (values <= self.high))
        lowest = np.maximum(self.above, least)
        highest = np.minimum(self.high, most)
        possible = (lowest <= highest) & (self.low < IS_PRESENT) & ~self.limits.fixed[self.numeric]
        nearest = np.clip(values, lowest, highest)
        filled = np.where(
            highest < IS_PRESENT, highest, np.where(lowest > -IS_PRESENT, lowest, 0.0)
        )
        moved = np.abs(np.clip(values, np.maximum(self.low, least), highest) - values)
        costs = np.where(missing, 0.0, moved * self.units[self.numeric])
        needed = np.where(missing, filled, nearest)
        return np.where(stays, 0.0, np.where(possible, costs, np.inf)), np.where(
            stays, values, needed
        )

    def _categories(self, attribute: int, value: float) -> tuple[Floats, Floats]:
        """Return what each leaf costs along a nominal attribute, and the category it needs."""
        effects = self.effects[attribute]
        n_codes = effects.shape[1] - 1
        column = int(value) if 0.0 <= value < n_codes else n_codes
        effect = effects[:, column]
        options = effects[:, :n_codes] == LEADS
        if attribute in self.limits.codes:
            options &= np.isin(np.arange(n_codes), self.limits.codes[attribute])
        possible = options.any(axis=1) & ~self.limits.fixed[attribute]
        cost = np.where(effect == ELSEWHERE, self.units[attribute], 0.0)
        stays = effect == LEADS
        return (
            np.where(stays, 0.0, np.where(possible, cost, np.inf)),
            np.where(stays, value, options.argmax(axis=1)),
        )


def _listed(values: Any) -> list[Any]:
    """Several values, of which one may stand alone."""
    alone = isinstance(values, str) or not isinstance(values, Iterable)
    return [values] if alone else list(values)


def _number(name: Any, schema: Schema, parameter: str) -> int:
    if isinstance(name, str) and name in schema.names:
        return schema.names.index(name)
    if isinstance(name, int | np.integer) and 0 <= name < schema.n_features:
        return int(name)
    raise ParameterError(
        f"{parameter} names {name!r}, which is no attribute{nearest(name, schema.names)}."
    )


def _range(name: str, values: Any) -> tuple[float, float]:
    pair = list(values) if np.ndim(values) == 1 else []
    low, high = pair if len(pair) == 2 else (None, None)
    low, high = -np.inf if low is None else low, np.inf if high is None else high
    both = all(is_number(each) or each in (-np.inf, np.inf) for each in (low, high))
    if len(pair) != 2 or not both or low > high:
        raise ParameterError(
            f"allowed has {values!r} for {name!r}: give its least and its largest value."
        )
    return float(low), float(high)


def _codes(name: str, values: Any, categories: list[Any]) -> list[int]:
    wanted = _listed(values)
    for value in wanted:
        if value not in categories:
            raise ParameterError(
                f"allowed has {value!r} for {name!r}, which is no category of it"
                f"{nearest(value, [each for each in categories if isinstance(each, str)])}."
            )
    return [categories.index(value) for value in wanted]
