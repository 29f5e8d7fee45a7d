"""Metrics: the difference of each attribute that counts as a distance of one.

A metric is a function from the spread of the training cases to a scale for each attribute. Offsets
do not matter, because they cancel in a distance. To add a metric, add it to ``SCALINGS``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.arrays import Floats, in_threads
from roctree.data import Schema
from roctree.errors import ParameterError
from roctree.geometry.kernels import add_moments, find_extremes
from roctree.strategy import is_finite_number
from roctree.text import did_you_mean


@dataclass(frozen=True, eq=False)
class Spread:
    """Spread of the known values of each attribute in the training data; 0 if all are equal.

    Parameters
    ----------
    ranges : float64[features]
        Largest minus smallest value.
    deviations : float64[features]
        Sample standard deviations; weights count as numbers of cases.
    """

    ranges: Floats
    deviations: Floats

    @classmethod
    def from_rows(cls, values: Floats, weights: Floats, n_threads: int = 1) -> "Spread":
        """Return the spread of weighted rows."""
        return Moments.from_rows(values, weights, n_threads=n_threads).spread


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums from which the spread is computed; those of several parts can be merged.

    Parameters
    ----------
    low, high : float64[features]
        Smallest and largest value; NaN if none is known.
    total : float64[features]
        Weight of the known values.
    first, second : float64[features]
        Weighted sums of their deviations from some centre, and of the squares of these.
    """

    low: Floats
    high: Floats
    total: Floats
    first: Floats
    second: Floats

    @classmethod
    def from_rows(
        cls,
        values: Floats,
        weights: Floats,
        centre: Floats | None = None,
        n_threads: int = 1,
    ) -> "Moments":
        """Return the moments of weighted rows about a centre, by default the midrange.

        They are added part by part, whatever the number of threads.
        """
        parts = [slice(begin, begin + _PART_ROWS) for begin in range(0, len(values), _PART_ROWS)]
        # Loading a kernel pays off for many rows only.
        large = len(parts) > 1
        extremes, add = (_scan_extremes, _scan_moments) if large else (_extremes, _moments)
        ends = in_threads(n_threads, lambda rows: extremes(values[rows]), parts)
        low, high = _extremes(np.array(ends).reshape(-1, values.shape[1]))
        with np.errstate(over="ignore", invalid="ignore"):
            origin = np.nan_to_num(0.5 * low + 0.5 * high) if centre is None else centre

        def moments(rows: slice) -> tuple[Floats | float, Floats, Floats]:
            with np.errstate(over="ignore", invalid="ignore"):
                return add(values[rows], weights[rows], origin)

        total: Floats | float = 0.0
        first, second = np.zeros((2, values.shape[1]))
        for part in in_threads(n_threads, moments, parts):
            total, first, second = total + part[0], first + part[1], second + part[2]
        return cls(low, high, np.broadcast_to(total, first.shape), first, second)

    def merged(self, other: "Moments") -> "Moments":
        """Return the moments of the rows of both, which must have the same centre."""
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
            squares = self.second - self.first * self.first / np.maximum(self.total, _LEAST_NORMAL)
            less_one = np.where(self.total > 1.0, self.total - 1.0, 1.0)
            deviations = np.sqrt(np.maximum(squares, 0.0) / less_one)
        # If the squares overflow, use the range.
        usable = np.isfinite(deviations)
        return Spread(ranges, np.where(usable, _round_sums(deviations), ranges))


# Rows are added in parts of this many, each by one thread.
_PART_ROWS = 1 << 15
_LEAST_NORMAL = float(np.finfo(np.float64).tiny)

Scaling = Callable[[Spread], Floats]
# The parameter ``metric``: a name, a scale per attribute, or scales by name.
MetricChoice = str | Sequence[float] | NDArray[np.float64] | Mapping[str, float]


def minmax(spread: Spread) -> Floats:
    """The range of each attribute counts as one."""
    return spread.ranges


def standard(spread: Spread) -> Floats:
    """The standard deviation of each attribute counts as one."""
    return spread.deviations


SCALINGS: dict[str, Scaling] = {"minmax": minmax, "standard": standard}


def scale_of(metric: MetricChoice, spread: Spread, schema: Schema) -> Floats:
    """Return the scale of each attribute; 0 if all of its values are equal.

    Parameters
    ----------
    metric : str, sequence of float, or dict of str to float
        Name of a metric, a positive number for each attribute, or such numbers by name. In a dict,
        numeric attributes that are not named keep their range.
    spread : Spread
        Spread of the training cases.
    schema : Schema
        The attributes. Nominal ones have scale 1 by default.
    """
    nominal = schema.nominal
    if isinstance(metric, str):
        if metric not in SCALINGS:
            raise ParameterError(
                parameter="metric",
                value=metric,
                reason="is unknown{hint}; choose from {names}, or pass a scale for each attribute",
                hint=did_you_mean(metric, SCALINGS),
                names=", ".join(SCALINGS),
            )
        return np.where(nominal, 1.0, SCALINGS[metric](spread))
    if isinstance(metric, Mapping):
        return _scale_by_name(metric, np.where(nominal, 1.0, spread.ranges), schema.names)
    return _scale_by_position(metric, schema.names)


def _scale_by_name(metric: Mapping[Any, Any], default: Floats, names: tuple[str, ...]) -> Floats:
    for name, number in metric.items():
        if name not in names:
            raise ParameterError(
                parameter="metric",
                reason="names {name!r}, which is not an attribute{hint}",
                name=name,
                hint=did_you_mean(name, names),
            )
        default[names.index(name)] = _positive(number, name)
    return default


def _scale_by_position(metric: Any, names: tuple[str, ...]) -> Floats:
    numbers = list(metric) if np.ndim(metric) == 1 else None
    if numbers is None or len(numbers) != len(names):
        raise ParameterError(
            parameter="metric",
            value=metric,
            reason="must be one of {known}, a positive number for each of the {n} attributes, or "
            "a dict of such numbers by name",
            known=", ".join(SCALINGS),
            n=len(names),
        )
    return np.array([_positive(*pair) for pair in zip(numbers, names, strict=True)])


def _positive(number: Any, name: str) -> float:
    if not is_finite_number(number) or number <= 0.0:
        raise ParameterError(
            parameter="metric",
            reason="has {number!r} for {name!r}: it must be a number above 0",
            number=number,
            name=name,
        )
    return float(number)


def diagonal(spread: Spread, scale: Floats, nominal: NDArray[np.bool_]) -> float:
    """Return the length of the diagonal of the training cases; 1 if nothing varies."""
    sizes = np.where(nominal, 1.0, spread.ranges) * units_of(scale)
    return float(np.sqrt((sizes**2).sum())) or 1.0


def units_of(scale: Floats) -> Floats:
    """Return the distance of a difference of one; 0 for attributes with scale 0."""
    return np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0.0)


_SUMMED_ROWS = 4096
_FOLD = 64
_BITS = 33


def _extremes(values: Floats) -> tuple[Floats, Floats]:
    """Return the smallest and the largest known value of each column; NaN if none is known."""
    if len(values) == 0:
        return np.full(values.shape[1], np.nan), np.full(values.shape[1], np.nan)
    return _reduce_rows(np.fmin, values), _reduce_rows(np.fmax, values)


def _reduce_rows(function: np.ufunc, values: Floats) -> Floats:
    """Reduce the rows to one; many short rows are reshaped to few long ones, which is faster."""
    n_rows, n_columns = values.shape
    n_long = n_rows // _FOLD if n_rows > _SUMMED_ROWS and values.flags.c_contiguous else 0
    rest = function.reduce(values[n_long * _FOLD :], axis=0) if n_long * _FOLD < n_rows else None
    if n_long == 0:
        return np.asarray(rest)
    long = function.reduce(values[: n_long * _FOLD].reshape(n_long, -1), axis=0)
    found = function.reduce(long.reshape(_FOLD, n_columns), axis=0)
    return np.asarray(found if rest is None else function(found, rest))


def _scan_extremes(values: Floats) -> tuple[Floats, Floats]:
    """As ``_extremes``, compiled."""
    low, high = np.full(values.shape[1], np.inf), np.full(values.shape[1], -np.inf)
    compiled(find_extremes)(0, len(values), values, low, high)
    known = low <= high
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def _scan_moments(values: Floats, weights: Floats, centre: Floats) -> tuple[Floats, Floats, Floats]:
    """As ``_moments``, compiled: without matrix products, which have threads of their own."""
    total, first, second = np.zeros((3, values.shape[1]))
    compiled(add_moments)(0, len(values), values, weights, centre, total, first, second)
    return total, first, second


def _moments(
    values: Floats, weights: Floats, centre: Floats
) -> tuple[Floats | float, Floats, Floats]:
    """Return for each column the weight of the known values, their sum and that of their squares.

    Values are centred, so that little precision is lost to cancellation.
    """
    total: Floats | float = 0.0
    first, second = np.zeros((2, values.shape[1]))
    for begin in range(0, len(values), _SUMMED_ROWS):
        part = values[begin : begin + _SUMMED_ROWS] - centre
        weight = weights[begin : begin + _SUMMED_ROWS]
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


def _round_sums(numbers: Floats) -> Floats:
    """Round to 33 bits, because the last digits of a sum depend on the order of the rows."""
    mantissa, exponent = np.frexp(numbers)
    return np.asarray(np.ldexp(np.rint(mantissa * 2.0**_BITS), exponent - _BITS))
