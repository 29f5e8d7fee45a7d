"""Soft thresholds: how far on both sides of a threshold a prediction mixes its two branches.

A threshold between two training values could as well be a little higher or lower, and a case just
beside it says little about which branch it belongs to. So the part of a case that goes to a branch
changes linearly from none to all within the width of the threshold, and the leaves that it reaches
are averaged. The tree stays as it is printed.

The width of a threshold is the smaller of two:

- by the spread of the attribute: 1.2 standard deviations of the n training cases at the node times
  n^(-1/5), the rate at which bandwidths of density estimates shrink, as the standard deviation of a
  uniform density, which is the square root of three times narrower than half of its length;
- by the likelihood: half of the interval in which the cut could lie without the logarithm of the
  likelihood of the classes on both sides dropping by more than 16. It keeps sharp limits sharp,
  where many cases say where the limit is.

Cases with a missing value are counted where the heaviest branch takes them.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.data.dataset import Dataset
from roctree.errors import ParameterError
from roctree.tree.apply import apply
from roctree.tree.growth import weight_grid
from roctree.tree.softness_kernels import measure
from roctree.tree.tree import IS_PRESENT, Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# A key of so many bits is sorted digit by digit.
_SHORT = 1 << 16


def of_width(tree: Tree, width: float, before: float, cases: Dataset | None) -> Tree:
    """Return the tree with thresholds so many times as wide as its training cases suggest.

    Parameters
    ----------
    tree : the tree
    width : how many times; 0 for hard thresholds
    before : the same of the thresholds that the tree has, if they are soft
    cases : the training cases, to measure anew; None to change what was measured before
    """
    if width == 0.0:
        return hardened(tree)
    if cases is not None:
        return replace(tree, softness=_times(width, widths(tree, cases)))
    if not tree.softness.any() and _is_soft(tree).any():
        raise ParameterError(
            "How wide thresholds are is for the training cases to say: give X and y to ranked, or "
            "fit with ranking='soft'."
        )
    # A tree that was grown with soft thresholds and has none is a leaf, or asks for no number.
    return replace(tree, softness=_times(width, tree.softness / (before or 1.0)))


def _times(width: float, softness: Floats) -> Floats:
    """Return widths so many times as wide, as far as there are numbers."""
    with np.errstate(over="ignore"):
        return np.minimum(width * softness, np.finfo(np.float64).max)


def hardened(tree: Tree) -> Tree:
    """Return the tree with hard thresholds."""
    return replace(tree, softness=np.zeros(tree.n_nodes)) if tree.softness.any() else tree


def widths(tree: Tree, cases: Dataset) -> Floats:
    """Return the half-width of each threshold, 0 at nodes that have none.

    The nodes of one level are measured together: their cases are sorted by value and by node.
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
    """Which nodes have a threshold that can be soft; to be known or not cannot."""
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
    """Fill in the widths of the nodes of a level, of which these rows are the cases."""
    first, end = tree.level_starts[level : level + 2]
    values = cases.values[rows, tree.feature[nodes]].astype(np.float64)
    order = _by_node_and_value(nodes - first, values)
    order = order[~np.isnan(values[order])]
    ends = np.searchsorted(nodes[order], np.arange(first, end + 1))
    rows = rows[order]
    compiled(measure)(
        values[order],
        np.ascontiguousarray(cases.labels[rows], dtype=np.int32),
        weights[rows],
        ends,
        tree.threshold[first:end].copy(),
        np.empty((4, tree.n_classes)),
        found[first:end],
    )


def _by_node_and_value(nodes: Ints, values: Floats) -> Ints:
    """Return the order of cases by node, and of those of one node by value."""
    by_value = np.argsort(values)
    of_node = nodes[by_value]
    if of_node.max(initial=0) < _SHORT:
        of_node = of_node.astype(np.uint16)
    return np.asarray(by_value[np.argsort(of_node, kind="stable")])
