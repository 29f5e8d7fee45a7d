"""Compiled searches: the nearest leaf with another label, and the nearest leaf within limits.

``search`` finds distances. The tests on the path to a node bound a region of the space. A case must
be displaced along an attribute as far as those tests demand, and displacements only grow further
down the tree, so a branch whose squared distance is not below the best one found is skipped. The
search follows the branches that cost nothing and puts the others on a stack, so that the deepest
are visited first: near the end of its own path a case is close to other leaves. The stack holds a
few branches per level, so its size does not depend on the number of leaves.

``nearest_leaf`` compares a case with one leaf after the other, which makes it easy to respect
limits on what may change.

``find_extremes`` and ``add_moments`` read the rows once each, for the spread of large tables.
"""

from typing import Any, NamedTuple

import numpy as np

from roctree._jit import inlined, kernel, typed_kernel
from roctree.arrays import (
    AnyFloats2D,
    Floats,
    Int32s,
    Ints,
    ReadonlyBytes2D,
    ReadonlyFloats,
    ReadonlyFloats2D,
    ReadonlyInt32s,
    ReadonlyInts,
)
from roctree.tree.kernels.descent import Paths, branch_of

Int = Any  # Python's or NumPy's: unsigned ones must become signed before they are mixed

NOTHING = -1


class SplitTree(NamedTuple):
    """A labelled tree whose subtrees with a single label are leaves.

    A branch is the index of a split, or ``-1 - label`` if all leaves below it have that label.
    """

    # One entry per split above more than one label, the root first.
    cut: ReadonlyFloats  # NaN if a comparison is not enough
    left: ReadonlyInt32s  # the branch up to the cut
    right: ReadonlyInt32s  # the branch above it
    attribute: ReadonlyInt32s
    node: ReadonlyInt32s
    # One entry per node of the tree.
    branch: ReadonlyInt32s
    paths: Paths
    # One entry per attribute: the distance of a difference of one, or of another category.
    unit: ReadonlyFloats


class Trail(NamedTuple):
    """Displacements on the path to the current node, kept so that they can be undone."""

    displaced: Floats  # current displacement of each attribute; zeros before and after a search
    attribute: Int32s  # attributes displaced so far, at most one per level
    before: Floats  # their displacements before


class Pending(NamedTuple):
    """Branches still to be visited, a stack."""

    branch: Int32s
    attribute: Int32s  # attribute displaced to get there, or NOTHING
    length: Floats  # its displacement
    squared: Floats  # squared distance
    n_trail: Int32s  # length of the trail that leads there


class Position(NamedTuple):
    """The state of a search at a split."""

    squared: float
    n_trail: int
    n_pending: int


@typed_kernel
def search(
    values: ReadonlyFloats2D,
    own: ReadonlyInt32s,
    tree: SplitTree,
    trail: Trail,
    pending: Pending,
    squared: Floats,
) -> None:
    """Find the squared distance of each row to the nearest leaf with another label.

    Parameters
    ----------
    values : float64[rows, features]
    own : int32[rows]
        Label of each row.
    tree : SplitTree
    trail, pending : Trail, Pending
        Scratch space.
    squared : float64[rows]
        The result; infinite if there is no such leaf.
    """
    for row in range(np.uint64(values.shape[0])):
        mine = -1 - own[row]
        best = np.inf
        n_trail: Int = 0
        n_pending: Int = 0
        if tree.branch[0] != mine:
            push_branch(pending, 0, tree.branch[0], NOTHING, 0.0, 0.0, 0)
            n_pending = 1
        while n_pending > 0:
            n_pending -= 1
            top = np.uint64(n_pending)
            distance = pending.squared[top]
            if distance >= best:
                continue
            n_trail = undo(trail, n_trail, pending.n_trail[top])
            if pending.attribute[top] != NOTHING:
                attribute, end = np.uint64(pending.attribute[top]), np.uint64(n_trail)
                trail.attribute[end] = attribute
                trail.before[end] = trail.displaced[attribute]
                trail.displaced[attribute] = pending.length[top]
                n_trail += 1
            branch: Int = np.int64(pending.branch[top])
            while branch >= 0:
                split = np.uint64(branch)
                attribute = np.uint64(tree.attribute[split])
                value = values[row, attribute]
                cut = tree.cut[split]
                if value <= cut or value > cut:
                    left = tree.left[split]
                    right = tree.right[split]
                    above = value > cut
                    far = np.int64(left if above else right)
                    branch = np.int64(right if above else left)
                    old = trail.displaced[attribute]
                    length = max(abs(value - cut) * tree.unit[attribute], old)
                    squares = distance - old * old + length * length
                    push_branch(pending, n_pending, far, attribute, length, squares, n_trail)
                    # Pushed in any case and counted by arithmetic: an unpredictable branch takes
                    # longer. A square that overflows is never less.
                    n_pending += np.int64((squares < best) & (far != mine))
                else:
                    position = Position(distance, n_trail, n_pending)
                    branch, n_pending = fork(
                        value, split, position, best, mine, tree, trail, pending
                    )
            if branch != mine:
                best = distance
        undo(trail, n_trail, 0)
        squared[row] = best


@kernel
def fork(
    value: float,
    split: Int,
    position: Position,
    best: float,
    mine: Int,
    tree: SplitTree,
    trail: Trail,
    pending: Pending,
) -> tuple[Int, Int]:
    """Handle a split that needs more than a comparison.

    A missing number may be any number. A case that has left its category may take any other. A
    known number does not enter a branch for missing ones.

    Returns
    -------
    branch : int
        The branch to follow.
    n_pending : int
        The number of pending branches.
    """
    node: Int = np.int64(tree.node[split])
    rule: Any = tree.paths.rules[node]
    attribute = np.uint64(tree.attribute[split])
    n_pending = position.n_pending
    first = np.int64(rule.first_child)
    length: Any = tree.unit[attribute]
    squares: Any = position.squared + length * length
    taken = NOTHING
    if rule.n_categories == 0:
        squares = np.inf
        if value == value:
            taken = 0
    elif trail.displaced[attribute] == 0.0:
        taken = branch_of(value, node, tree.paths)
    near: Int = NOTHING
    if taken != NOTHING:
        near = first + taken
    for child in range(first, first + rule.n_children):
        branch = tree.branch[child]
        if branch == mine or child == near:
            continue
        if taken == NOTHING and near == NOTHING:
            near = child
        elif taken == NOTHING:
            push_branch(
                pending, n_pending, branch, NOTHING, 0.0, position.squared, position.n_trail
            )
            n_pending += 1
        elif squares < best:
            push_branch(pending, n_pending, branch, attribute, length, squares, position.n_trail)
            n_pending += 1
    return np.int64(tree.branch[near]), n_pending


@inlined
def push_branch(
    pending: Pending,
    n_pending: Int,
    branch: Int,
    attribute: Int,
    length: float,
    squared: float,
    n_trail: Int,
) -> None:
    """Push a branch, with the displacement that leads there from the current trail."""
    top = np.uint64(n_pending)  # unsigned indices need no test for negative ones
    pending.branch[top] = branch
    pending.attribute[top] = attribute
    pending.length[top] = length
    pending.squared[top] = squared
    pending.n_trail[top] = n_trail


@inlined
def undo(trail: Trail, end: Int, begin: Int) -> Int:
    """Undo the displacements from ``begin`` on, the last first; return the new length."""
    while end > begin:
        end -= 1
        last = np.uint64(end)
        trail.displaced[np.uint64(trail.attribute[last])] = trail.before[last]
    return end


# Effects of a category, or of a missing value, on the path to a leaf: it leads there; its case is
# divided among branches; it leads elsewhere.
LEADS, DIVIDED, ELSEWHERE = range(3)
# Any label except a row's own.
ANY = -1


class Targets(NamedTuple):
    """The leaves: which values lead to each, and which of those a case may change to.

    ``numeric`` and ``nominal`` are the attributes that the tree tests; other arrays refer to their
    positions in these. The cells of a nominal attribute are its categories, and one for missing
    values and unseen categories.
    """

    labels: ReadonlyInts  # [leaves]
    numeric: ReadonlyInts  # [numbers]
    units: ReadonlyFloats  # [numbers], distance of a difference of one
    low: ReadonlyFloats2D  # [leaves, numbers], values above this
    high: ReadonlyFloats2D  # [leaves, numbers], and up to this lead to the leaf
    bottom: ReadonlyFloats2D  # [leaves, numbers], lower end of the allowed new values
    top: ReadonlyFloats2D  # [leaves, numbers], upper end; below ``bottom`` if none is allowed
    gaps: ReadonlyBytes2D  # [leaves, numbers], effect of a missing number: LEADS or DIVIDED
    nominal: ReadonlyInts  # [categories]
    starts: ReadonlyInts  # [categories + 1], first cell of each
    effects: ReadonlyBytes2D  # [leaves, cells]
    prices: ReadonlyFloats2D  # [leaves, cells], squared cost of the change from each cell
    choices: ReadonlyFloats2D  # [leaves, categories], first allowed category that leads there


@typed_kernel
def nearest_leaf(
    values: ReadonlyFloats2D,
    own: ReadonlyInts,
    to: int,
    targets: Targets,
    squared: Floats,
    nearest: Ints,
) -> None:
    """Find the nearest leaf with the requested label for each row, the first in case of ties.

    Parameters
    ----------
    values : float64[rows, features]
    own : int64[rows]
        Label of each row. Rows that already have the requested label do not move.
    to : int
        The requested label, or ``ANY``.
    targets : Targets
    squared : float64[rows]
        Squared distance; infinite if no such leaf can be reached.
    nearest : int64[rows]
        Position of the leaf, or ``NOTHING``.
    """
    for row in range(values.shape[0]):
        nearest[row] = NOTHING
        squared[row] = 0.0
        if own[row] == to:
            continue
        best = np.inf
        for leaf in range(targets.labels.size):
            label = targets.labels[leaf]
            if label == own[row] or (to != ANY and label != to):
                continue
            # Displacements only add up, so a leaf is abandoned once it is no better than the best.
            total = 0.0
            for k in range(targets.numeric.size):
                total += squared_move(values[row, targets.numeric[k]], leaf, k, targets)
                if total >= best:
                    break
            for k in range(targets.nominal.size):
                if total >= best:
                    break
                cell = target_cell(values[row, targets.nominal[k]], k, targets)
                total += targets.prices[leaf, cell]
            if total < best:
                best = total
                nearest[row] = leaf
        squared[row] = best


@kernel
def squared_move(value: float, leaf: Int, k: Int, targets: Targets) -> float:
    """Return the squared distance that a number must move for a leaf; infinite if it cannot.

    A missing number may be any number, so filling it in costs nothing.
    """
    # Loaded before the tests, which is faster.
    low: Any = targets.low[leaf, k]
    high: Any = targets.high[leaf, k]
    bottom: Any = targets.bottom[leaf, k]
    top: Any = targets.top[leaf, k]
    gap, unit = targets.gaps[leaf, k], targets.units[k]
    if low < value <= high or (value != value and gap == LEADS):
        return 0.0
    if bottom > top:
        return float(np.inf)
    moved = 0.0
    if value < bottom:
        moved = (bottom - value) * unit
    elif value > top:
        moved = (value - top) * unit
    return moved * moved


@kernel
def target_cell(value: float, k: Int, targets: Targets) -> Int:
    """Return the cell of a category; the last one is for missing values and unseen categories."""
    start, end = targets.starts[k], targets.starts[k + 1]
    return start + int(value) if 0.0 <= value < end - start - 1 else end - 1


@typed_kernel
def find_extremes(begin: int, end: int, values: AnyFloats2D, low: Floats, high: Floats) -> None:
    """Lower ``low`` and raise ``high`` to the known values of rows ``begin:end``."""
    for row in range(begin, end):
        for column in range(values.shape[1]):
            value = values[row, column]
            low[column] = value if value < low[column] else low[column]
            high[column] = value if value > high[column] else high[column]


@typed_kernel
def add_moments(
    begin: int,
    end: int,
    values: AnyFloats2D,
    weights: ReadonlyFloats,
    middle: ReadonlyFloats,
    total: Floats,
    first: Floats,
    second: Floats,
) -> None:
    """Add the weights of the known values of rows ``begin:end``, and their weighted moments."""
    for row in range(begin, end):
        weight = weights[row]
        for column in range(values.shape[1]):
            difference = values[row, column] - middle[column]
            if difference == difference:
                total[column] += weight
                first[column] += weight * difference
                second[column] += weight * difference * difference
