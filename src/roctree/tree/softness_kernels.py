"""The compiled loop that measures how wide a threshold should be; see ``softness`` for why.

Cases of one node are consecutive and sorted by the attribute that splits it. Whatever is added up
is added value by value, and weights lie on a grid, so that the order of the rows does not matter.
"""

import math

import numpy as np
from numpy.typing import NDArray

from roctree._jit import kernel, typed_kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Labels = NDArray[np.int32]

# A cut may move until the logarithm of the likelihood of the classes has dropped by so much.
DROP = 16.0
# A bandwidth of so many standard deviations of the attribute, for a single case.
SPREAD = 1.2
# Half of the length of the ramp whose slope, as a density, has a standard deviation of one.
RAMP = math.sqrt(3.0)

# The lines of ``counts``: class counts on both sides of the threshold, and of a cut that moves.
_BELOW, _ABOVE, _LEFT, _RIGHT = range(4)

_FLOATS = "Array(float64, 1, 'C')"


@typed_kernel(
    f"void({_FLOATS}, Array(int32, 1, 'C'), {_FLOATS}, Array(int64, 1, 'C'), {_FLOATS}, "
    f"Array(float64, 2, 'C'), {_FLOATS})"
)
def measure(
    values: Floats,
    labels: Labels,
    weights: Floats,
    ends: Ints,
    thresholds: Floats,
    counts: Floats,
    widths: Floats,
) -> None:
    """Fill in the half-width of the threshold of each node.

    Parameters
    ----------
    values, labels, weights : the cases, node by node, ascending within each
    ends : int64[nodes + 1], where the cases of each node begin and end
    thresholds : float64[nodes]
    counts : float64[4, classes], room
    widths : float64[nodes], the result
    """
    for node in range(thresholds.size):
        begin, end, threshold = ends[node], ends[node + 1], thresholds[node]
        widths[node] = 0.0
        if begin < end:
            widest = _by_spread(begin, end, threshold, values, labels, weights, counts)
            low = _reach(-1, begin, end, threshold, widest, values, labels, weights, counts)
            high = _reach(1, begin, end, threshold, widest, values, labels, weights, counts)
            widths[node] = min(widest, 0.5 * high - 0.5 * low)


@kernel
def _by_spread(
    begin: int,
    end: int,
    threshold: float,
    values: Floats,
    labels: Labels,
    weights: Floats,
    counts: Floats,
) -> float:
    """Return the half-width by the spread of the values, and count the classes on both sides."""
    counts[:] = 0.0
    # Half of everything, so that the largest numbers there are have a distance.
    low, high = 0.5 * values[begin], 0.5 * values[end - 1]
    unit = float(max(high - 0.5 * threshold, 0.5 * threshold - low))
    if unit <= 0.0:
        return 0.0
    total = mean = square = 0.0
    place = begin
    while place < end:
        value, weight = values[place], 0.0
        side = _BELOW if value <= threshold else _ABOVE
        while place < end and values[place] == value:
            counts[side, labels[place]] += weights[place]
            weight += weights[place]
            place += 1
        distance = (0.5 * value - 0.5 * threshold) / unit
        total += weight
        mean += weight * distance
        square += weight * distance * distance
    mean /= total
    deviation = 2.0 * unit * math.sqrt(max(square / total - mean * mean, 0.0))
    return RAMP * SPREAD * deviation * total ** (-0.2)


@kernel
def _reach(
    step: int,
    begin: int,
    end: int,
    threshold: float,
    widest: float,
    values: Floats,
    labels: Labels,
    weights: Floats,
    counts: Floats,
) -> float:
    """Return the last value up to which the cut may move, downwards or upwards.

    A cut at the far side of that value would be too unlikely, or there is no further value. Values
    that are too far away to matter are not looked at.
    """
    for label in range(counts.shape[1]):
        counts[_LEFT, label], counts[_RIGHT, label] = counts[_BELOW, label], counts[_ABOVE, label]
    least = _likelihood(counts) - DROP
    source, target = (_LEFT, _RIGHT) if step < 0 else (_RIGHT, _LEFT)
    place = _first_above(begin, end, threshold, values) - (1 if step < 0 else 0)
    value = threshold
    while begin <= place < end:
        value = values[place]
        if abs(0.5 * value - 0.5 * threshold) >= widest:
            break
        while begin <= place < end and values[place] == value:
            counts[source, labels[place]] -= weights[place]
            counts[target, labels[place]] += weights[place]
            place += step
        if _likelihood(counts) < least:
            break
    return value


@kernel
def _first_above(begin: int, end: int, threshold: float, values: Floats) -> int:
    """Return the first place whose value is above the threshold."""
    while begin < end:
        middle = (begin + end) // 2
        if values[middle] <= threshold:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def _likelihood(counts: Floats) -> float:
    """Return the logarithm of the likelihood of the classes, given a cut that moves."""
    found = 0.0
    for side in range(_LEFT, _RIGHT + 1):
        total = 0.0
        for label in range(counts.shape[1]):
            count = counts[side, label]
            if count > 0.0:
                found += count * math.log(count)
                total += count
        if total > 0.0:
            found -= total * math.log(total)
    return found
