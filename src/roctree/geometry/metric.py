"""How much of an attribute counts as a distance of one: metrics by name; one line here adds one.

A metric is a function from the spread of the training cases to a scale for each attribute. Only
the scale matters to a distance, for a shift cancels.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data import Schema
from roctree.errors import ParameterError
from roctree.strategy import is_number, nearest

Floats = NDArray[np.float64]

_BLOCK = 4096
_FOLD = 64
_BITS = 33
_LEAST = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class Spread:
    """How far the known values of each attribute spread in the training data; 0 where alike.

    Parameters
    ----------
    ranges : float64[features], largest less smallest value
    deviations : float64[features], standard deviations by n - 1, weights counting as cases
    """

    ranges: Floats
    deviations: Floats

    @classmethod
    def of(cls, values: Floats, weights: Floats) -> "Spread":
        """Return the spread of weighted rows."""
        return Moments.of(values, weights).spread


@dataclass(frozen=True, eq=False)
class Moments:
    """What the spread of rows is calculated from; that of several parts adds up.

    Parameters
    ----------
    low, high : float64[features], extreme values; NaN where none is known
    total : float64[features], the weight of the known values
    first, second : float64[features], the sums of their differences from some middle, and of the
        squares of these
    """

    low: Floats
    high: Floats
    total: Floats
    first: Floats
    second: Floats

    @classmethod
    def of(cls, values: Floats, weights: Floats, middle: Floats | None = None) -> "Moments":
        """Return the moments of weighted rows, about the middle of their own unless given one."""
        low, high = _extremes(values)
        with np.errstate(over="ignore", invalid="ignore"):
            if middle is None:
                middle = np.nan_to_num(0.5 * low + 0.5 * high)
            total, first, second = _moments(values, weights, middle)
        return cls(low, high, np.broadcast_to(total, first.shape), first, second)

    def merged(self, other: "Moments") -> "Moments":
        """Return the moments of the rows of both, which are about the same middle."""
        return Moments(
            np.fmin(self.low, other.low),
            np.fmax(self.high, other.high),
            self.total + other.total,
            self.first + other.first,
            self.second + other.second,
        )

    @property
    def spread(self) -> Spread:
        """The ranges and standard deviations."""
        with np.errstate(over="ignore", invalid="ignore"):
            ranges = np.minimum(np.nan_to_num(self.high - self.low), np.finfo(np.float64).max)
            squares = self.second - self.first * self.first / np.maximum(self.total, _LEAST)
            less_one = np.where(self.total > 1.0, self.total - 1.0, 1.0)
            deviations = np.sqrt(np.maximum(squares, 0.0) / less_one)
        # Where squares overflow, the range must do.
        usable = np.isfinite(deviations)
        return Spread(ranges, np.where(usable, _rounded(deviations), ranges))


Metric = Callable[[Spread], Floats]


def minmax(spread: Spread) -> Floats:
    """The range of each attribute counts as one."""
    return spread.ranges


def standard(spread: Spread) -> Floats:
    """The standard deviation of each attribute counts as one."""
    return spread.deviations


METRICS: dict[str, Metric] = {"minmax": minmax, "standard": standard}


def scale_of(metric: Any, spread: Spread, schema: Schema) -> Floats:
    """Return the scale of each attribute, 0 where its values are all alike.

    Parameters
    ----------
    metric : name of a metric, one positive number for each attribute, or a dict of such numbers by
        name; numeric attributes that it does not name have their range
    spread : of the training cases
    schema : the attributes; a nominal one has scale 1 unless told otherwise
    """
    nominal = schema.nominal
    if isinstance(metric, str):
        if metric not in METRICS:
            raise ParameterError(
                f"metric={metric!r} is not known{nearest(metric, METRICS)}; choose from "
                f"{', '.join(METRICS)}, or give a scale for each attribute."
            )
        return np.where(nominal, 1.0, METRICS[metric](spread))
    if isinstance(metric, Mapping):
        return _by_name(metric, np.where(nominal, 1.0, spread.ranges), schema.names)
    return _by_place(metric, schema.names)


def extent(spread: Spread, scale: Floats, nominal: NDArray[np.bool_]) -> float:
    """Return the length of the diagonal of all training cases, 1 where nothing varies."""
    sizes = np.where(nominal, 1.0, spread.ranges) * units_of(scale)
    return float(np.sqrt((sizes**2).sum())) or 1.0


def units_of(scale: Floats) -> Floats:
    """Return the distance of a difference of one; 0 for attributes without a scale."""
    return np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0.0)


def _by_name(metric: Mapping[Any, Any], usual: Floats, names: tuple[str, ...]) -> Floats:
    for name, number in metric.items():
        if name not in names:
            raise ParameterError(
                f"metric names {name!r}, which is no attribute{nearest(name, names)}."
            )
        usual[names.index(name)] = _positive(number, name)
    return usual


def _by_place(metric: Any, names: tuple[str, ...]) -> Floats:
    numbers = list(metric) if np.ndim(metric) == 1 else None
    if numbers is None or len(numbers) != len(names):
        raise ParameterError(
            f"metric={metric!r} is not allowed: give one of {', '.join(METRICS)}, a positive "
            f"number for each of the {len(names)} attributes, or a dict of such numbers by name."
        )
    return np.array([_positive(*pair) for pair in zip(numbers, names, strict=True)])


def _positive(number: Any, name: str) -> float:
    if not is_number(number) or number <= 0.0:
        raise ParameterError(f"metric has {number!r} for {name!r}: give a number above 0.")
    return float(number)


def _extremes(values: Floats) -> tuple[Floats, Floats]:
    """Return the least and the largest known value of each column, NaN where none is known."""
    if len(values) == 0:
        return np.full(values.shape[1], np.nan), np.full(values.shape[1], np.nan)
    return _folded(np.fmin, values), _folded(np.fmax, values)


def _folded(least: np.ufunc, values: Floats) -> Floats:
    """Reduce the rows to one; many short ones are taken as few long ones, which is quicker."""
    n_rows, n_columns = values.shape
    n_long = n_rows // _FOLD if n_rows > _BLOCK and values.flags.c_contiguous else 0
    rest = least.reduce(values[n_long * _FOLD :], axis=0) if n_long * _FOLD < n_rows else None
    if n_long == 0:
        return np.asarray(rest)
    long = least.reduce(values[: n_long * _FOLD].reshape(n_long, -1), axis=0)
    found = least.reduce(long.reshape(_FOLD, n_columns), axis=0)
    return np.asarray(found if rest is None else least(found, rest))


def _moments(
    values: Floats, weights: Floats, middle: Floats
) -> tuple[Floats | float, Floats, Floats]:
    """Return the weight of the known values of each column, their sum and that of their squares.

    They are counted from ``middle``, which keeps what cancels small.
    """
    total: Floats | float = 0.0
    first, second = np.zeros((2, values.shape[1]))
    for begin in range(0, len(values), _BLOCK):
        part = values[begin : begin + _BLOCK] - middle
        weight = weights[begin : begin + _BLOCK]
        known: Floats | float = weight.sum()
        sums = weight @ part
        if np.isnan(sums).any():
            missing = np.isnan(part)
            part[missing] = 0.0
            known, sums = weight @ ~missing, weight @ part
        total = total + known
        first += sums
        second += weight @ np.square(part, out=part)
    return total, first, second


def _rounded(numbers: Floats) -> Floats:
    """Keep the leading digits: the last ones of a sum depend on the order of the rows."""
    mantissa, exponent = np.frexp(numbers)
    return np.asarray(np.ldexp(np.rint(mantissa * 2.0**_BITS), exponent - _BITS))
