"""Soft thresholds: the zone around each threshold in which a prediction mixes both branches.

A threshold between two training values could equally be a little higher or lower, so the branch of
a case close to it is uncertain. Within the width of a soft threshold the part of a case that goes
to a branch changes linearly from none to all, and the leaves that the case reaches are averaged.
The printed tree does not change.

The half-width of a threshold is the smaller of two:

- by the spread of the attribute: 1.2 standard deviations of the n training cases at the node, times
  n^(-1/5), the rate at which bandwidths of density estimates shrink. This is the standard deviation
  of the slope of the ramp as a uniform density; half the ramp is longer by the square root of
  three;
- by the likelihood: half of the interval in which the cut could lie without the log-likelihood of
  the classes on both sides dropping by more than 16. This keeps a sharp boundary sharp if many
  cases determine it.

Cases with a missing value are counted in the heaviest branch.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled, kernel, typed_kernel
from roctree.arrays import Floats, Int32s, Ints, ReadonlyFloats
from roctree.data.dataset import Dataset
from roctree.errors import ParameterError
from roctree.tree.growth import weight_grid
from roctree.tree.prediction import apply
from roctree.tree.tree import IS_PRESENT, Tree

# NumPy sorts keys of up to 16 bits by radix.
_SHORT = 1 << 16


def soften(tree: Tree, width: float, before: float, cases: Dataset | None) -> Tree:
    """Return the tree with soft thresholds of a relative width.

    Parameters
    ----------
    tree : Tree
    width : float
        Width of the thresholds as a multiple of the measured one; 0 for hard thresholds.
    before : float
        The multiple that the thresholds of the tree have now, if they are soft.
    cases : Dataset or None
        Training cases to measure the widths from; None to rescale the present widths.
    """
    if width == 0.0:
        return harden(tree)
    if cases is not None:
        return replace(tree, softness=_scaled(width, threshold_widths(tree, cases)))
    if not tree.softness.any() and _is_soft(tree).any():
        raise ParameterError(
            reason="The widths of soft thresholds are measured on the training cases: give "
            "{X and y} to ranked, or fit with {ranking='soft'}."
        )
    # A tree that was grown with soft thresholds and has none is a leaf, or has no numeric split.
    return replace(tree, softness=_scaled(width, tree.softness / (before or 1.0)))


def _scaled(width: float, softness: Floats) -> Floats:
    """Return the widths times ``width``, at most the largest float."""
    with np.errstate(over="ignore"):
        return np.minimum(width * softness, np.finfo(np.float64).max)


def harden(tree: Tree) -> Tree:
    """Return the tree with hard thresholds."""
    return replace(tree, softness=np.zeros(tree.n_nodes)) if tree.softness.any() else tree


def threshold_widths(tree: Tree, cases: Dataset) -> Floats:
    """Return the half-width of each threshold, 0 at nodes without one.

    The nodes of a level are measured together, with their cases sorted by node and value.
    """
    found = np.zeros(tree.n_nodes)
    soft = _is_soft(tree)
    weights, _ = weight_grid(cases.weights)
    rows = np.flatnonzero(weights > 0.0)
    nodes = apply(tree, cases.values)[rows]
    for level in range(tree.max_depth - 1, -1, -1):
        nodes = np.where(tree.depth[nodes] > level, tree.parent[nodes], nodes)
        here = (tree.depth[nodes] == level) & soft[nodes]
        if here.any():
            _measure_level(tree, level, cases, weights, rows[here], nodes[here], found)
    return found


def _is_soft(tree: Tree) -> NDArray[np.bool_]:
    """Return which nodes have a threshold that can be soft; known-or-missing splits cannot."""
    return np.asarray(~np.isnan(tree.threshold) & (tree.threshold != IS_PRESENT))


def _measure_level(
    tree: Tree,
    level: int,
    cases: Dataset,
    weights: Floats,
    rows: Ints,
    nodes: Ints,
    found: Floats,
) -> None:
    """Fill in the widths of the nodes of a level whose cases are ``rows``."""
    first, end = tree.level_starts[level : level + 2]
    values = cases.values[rows, tree.feature[nodes]].astype(np.float64)
    order = _by_node_and_value(nodes - first, values)
    order = order[~np.isnan(values[order])]
    ends = np.searchsorted(nodes[order], np.arange(first, end + 1))
    rows = rows[order]
    labels = np.ascontiguousarray(cases.labels[rows], dtype=np.int32)
    compiled(_measure, microseconds=10 * rows.size)(
        _LevelCases(values[order], labels, weights[rows]),
        ends,
        tree.threshold[first:end],
        _Sides(*np.empty((len(_Sides._fields), tree.n_classes))),
        found[first:end],
    )


def _by_node_and_value(nodes: Ints, values: Floats) -> Ints:
    """Return the order of the cases by node, then by value."""
    by_value = np.argsort(values)
    of_node = nodes[by_value]
    if of_node.max(initial=0) < _SHORT:
        of_node = of_node.astype(np.uint16)
    return np.asarray(by_value[np.argsort(of_node, kind="stable")])


# The kernels. The cases of a node are consecutive and sorted by the attribute that splits it. Sums
# are made value by value and weights lie on a grid, so the order of the rows does not matter.

# The cut may move until the log-likelihood of the classes has dropped by this much.
DROP = 16.0
# Bandwidth for a single case, in standard deviations of the attribute.
SPREAD = 1.2
# Half the length of a ramp whose slope, as a density, has standard deviation one.
RAMP = math.sqrt(3.0)


class _LevelCases(NamedTuple):
    """The cases of a level, node by node, and of one node in increasing order of value."""

    values: Floats
    labels: Int32s
    weights: Floats


class _Sides(NamedTuple):
    """Class counts on both sides of the threshold, and of a cut that moves."""

    below: Floats
    above: Floats
    left: Floats
    right: Floats


@typed_kernel
def _measure(
    cases: _LevelCases, ends: Ints, thresholds: ReadonlyFloats, sides: _Sides, widths: Floats
) -> None:
    """Fill in the half-width of the threshold of each node, whose cases end at ``ends``."""
    for node in range(thresholds.size):
        begin, end, threshold = ends[node], ends[node + 1], thresholds[node]
        widths[node] = 0.0
        if begin < end:
            widest = _by_spread(begin, end, threshold, cases, sides)
            low = _reach(-1, begin, end, threshold, widest, cases, sides)
            high = _reach(1, begin, end, threshold, widest, cases, sides)
            widths[node] = min(widest, 0.5 * high - 0.5 * low)


@kernel
def _by_spread(begin: int, end: int, threshold: float, cases: _LevelCases, sides: _Sides) -> float:
    """Return the half-width by the spread of the values; count the classes on both sides."""
    sides.below[:] = 0.0
    sides.above[:] = 0.0
    values, weights = cases.values, cases.weights
    # Everything is halved so that differences of the largest floats do not overflow.
    low, high = 0.5 * values[begin], 0.5 * values[end - 1]
    unit = float(max(high - 0.5 * threshold, 0.5 * threshold - low))
    if unit <= 0.0:
        return 0.0
    total = mean = square = 0.0
    place = begin
    while place < end:
        value, weight = values[place], 0.0
        counts = sides.below if value <= threshold else sides.above
        while place < end and values[place] == value:
            counts[cases.labels[place]] += weights[place]
            weight += weights[place]
            place += 1
        distance = (0.5 * value - 0.5 * threshold) / unit
        total += weight
        mean += weight * distance
        square += weight * distance * distance
    mean /= total
    deviation = 2.0 * unit * math.sqrt(max(square / total - mean * mean, 0.0))
    return float(RAMP * SPREAD * deviation * total ** (-0.2))


@kernel
def _reach(
    step: int,
    begin: int,
    end: int,
    threshold: float,
    widest: float,
    cases: _LevelCases,
    sides: _Sides,
) -> float:
    """Return the last value up to which the cut may move, downwards or upwards.

    A cut beyond that value would be too unlikely, or there is no further value. Values farther away
    than ``widest`` are not considered.
    """
    values, weights, left, right = cases.values, cases.weights, sides.left, sides.right
    for label in range(left.size):
        left[label], right[label] = sides.below[label], sides.above[label]
    least = _likelihood_of_cut(sides) - DROP
    source, target = (left, right) if step < 0 else (right, left)
    place = _first_above(begin, end, threshold, values) - (1 if step < 0 else 0)
    value = threshold
    while begin <= place < end:
        value = values[place]
        if abs(0.5 * value - 0.5 * threshold) >= widest:
            break
        while begin <= place < end and values[place] == value:
            source[cases.labels[place]] -= weights[place]
            target[cases.labels[place]] += weights[place]
            place += step
        if _likelihood_of_cut(sides) < least:
            break
    return value


@kernel
def _first_above(begin: int, end: int, threshold: float, values: Floats) -> int:
    """Return the first position whose value is above the threshold."""
    while begin < end:
        middle = (begin + end) // 2
        if values[middle] <= threshold:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def _likelihood_of_cut(sides: _Sides) -> float:
    """Return the log-likelihood of the classes on both sides of the moving cut."""
    return _add_log_likelihood(_add_log_likelihood(0.0, sides.left), sides.right)


@kernel
def _add_log_likelihood(found: float, counts: Floats) -> float:
    total = 0.0
    for label in range(counts.size):
        count = counts[label]
        if count > 0.0:
            found += count * math.log(count)
            total += count
    if total > 0.0:
        found -= total * math.log(total)
    return found
