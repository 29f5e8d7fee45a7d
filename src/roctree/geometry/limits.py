"""What may change about a case, and to which values, as a user says it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data import Schema
from roctree.errors import ParameterError
from roctree.strategy import is_number, nearest

Floats = NDArray[np.float64]
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


def _listed(values: Any) -> list[Any]:
    """Several values, of which one may stand alone."""
    alone = isinstance(values, str) or not isinstance(values, Iterable)
    return [values] if alone else list(values)


def _number(name: Any, schema: Schema, parameter: str) -> int:
    if isinstance(name, str) and name in schema.names:
        return schema.names.index(name)
    is_place = isinstance(name, int | np.integer) and not isinstance(name, bool)
    if is_place and 0 <= name < schema.n_features:
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
