"""Compiled searches: the nearest leaf with another label, and the nearest leaf within limits.

``search`` finds distances. The tests on the path to a node bound a region of the space. A case must
be displaced along an attribute as far as those tests demand, and displacements only grow further
down the tree, so a branch whose squared distance is not below the best one found is skipped. The
search follows the branches that cost nothing and puts the others on a stack, so that the deepest
are visited first: near the end of its own path a case is close to other leaves. The stack holds a
few branches per level, so its size does not depend on the number of leaves.

Rows of one label are searched together, ``LANES`` at a time: they visit a branch if it is near
enough for any of them. The loop over the rows at a split has no conditions, so the compiler uses
vector instructions, and one decision that the processor cannot predict is made for all rows. Rows
of the same leaf visit much the same branches. Rows with missing values, and trees with tests that
are not comparisons, are searched row by row. Both ways give the same distances, to the last bit.

``nearest_leaf`` compares a case with one leaf after the other, which makes it easy to respect
limits on what may change.

``find_extremes`` and ``add_moments`` read the rows once each, for the spread of large tables.
"""

from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roctree._jit import inlined, kernel, record_array_type, typed_kernel
from roctree.arrays import (
    AnyFloats2D,
    Floats,
    Floats2D,
    Int,
    Int32s,
    Ints,
    ReadonlyBytes2D,
    ReadonlyFloats,
    ReadonlyFloats2D,
    ReadonlyInt32s,
    ReadonlyInts,
)
from roctree.tree.kernels.descent import Paths, branch_of

NOTHING = -1
# Rows that are searched together, the least number for which that is faster, and how many of them
# decide which branch of a split is visited first.
LANES, FEW, SAMPLE = 128, 16, 8

# A split above more than one label. A branch is the index of a split, or ``-1 - label`` if all
# leaves below it have that label.
SPLIT = np.dtype(
    (
        np.record,
        [
            ("cut", "f8"),  # NaN if a comparison is not enough
            ("low", "f8"),  # by the splits above it, only values above this
            ("high", "f8"),  # and up to this belong here
            ("unit", "f8"),  # the distance of a difference of one, or of another category
            ("left", "i4"),  # the branch up to the cut
            ("right", "i4"),  # the branch above it
            ("column", "i4"),  # the position of the attribute among those that are tested
            ("node", "i4"),
            ("above", "i4"),  # the nearest split above that tests the same attribute, or NOTHING
            ("way", "i4"),  # which of its children leads here
        ],
    )
)
Splits: TypeAlias = Annotated[NDArray[Any], record_array_type(SPLIT)]
ReadonlySplits: TypeAlias = Annotated[NDArray[Any], record_array_type(SPLIT, readonly=True)]


class SplitTree(NamedTuple):
    """A labelled tree whose subtrees with a single label are leaves.

    Attributes
    ----------
    splits : SPLIT[splits]
        The root first.
    comparable : bool
        Whether a comparison is enough at every split.
    columns : int64[columns]
        The attributes that are tested.
    branch : int32[nodes]
        The branch that each node of the tree is.
    paths : Paths
    """

    splits: ReadonlySplits
    comparable: bool
    columns: ReadonlyInts
    branch: ReadonlyInt32s
    paths: Paths


class Packet(NamedTuple):
    """Memory for rows that are searched together.

    Attributes
    ----------
    values : float64[columns, LANES]
    typical : float64[columns]
    best : float64[LANES]
        The squared distance of the nearest leaf so far; -1 in lanes that are not searched.
    branch, slot : int64[slots]
        The branches still to be visited, a stack, and where their squared distances are.
    squared : float64[slots, LANES]
    """

    values: Floats2D
    typical: Floats
    best: Floats
    branch: Ints
    slot: Ints
    squared: Floats2D


class Single(NamedTuple):
    """Memory for a row that is searched alone.

    Attributes
    ----------
    values : float64[columns]
    branch : int32[...]
        The branches still to be visited, a stack.
    squared : float64[...]
        Their squared distances.
    """

    values: Floats
    branch: Int32s
    squared: Floats


@typed_kernel
def search(
    values: AnyFloats2D,
    rows: ReadonlyInts,
    own: ReadonlyInt32s,
    tree: SplitTree,
    packet: Packet,
    single: Single,
    squared: Floats,
) -> None:
    """Find the squared distance of some rows to the nearest leaf with another label.

    Parameters
    ----------
    values : float64[n, features]
    rows : int64[rows]
        The rows, those of one label and of one leaf side by side.
    own : int32[n]
        Label of each row.
    tree : SplitTree
    packet, single : Packet, Single
        Scratch space.
    squared : float64[n]
        Receives the results; infinite if there is no such leaf.
    """
    begin = 0
    while begin < rows.size:
        mine = -1 - own[rows[begin]]
        end = begin + 1
        while end < min(begin + LANES, rows.size) and -1 - own[rows[end]] == mine:
            end += 1
        together = tree.comparable and end - begin >= FEW
        if together:
            load_lanes(values, rows, begin, end, tree, packet)
            search_together(mine, tree, packet)
        for place in range(begin, end):
            row, lane = rows[place], place - begin
            if together and packet.best[lane] >= 0.0:
                squared[row] = packet.best[lane]
            else:
                squared[row] = search_alone(values, row, mine, tree, single)
        begin = end


@kernel
def load_lanes(
    values: AnyFloats2D, rows: ReadonlyInts, begin: int, end: int, tree: SplitTree, packet: Packet
) -> None:
    """Copy rows ``begin:end`` to the lanes; lanes that are left over repeat the first row."""
    lanes, best = packet.values, packet.best
    first, n_rows = np.uint64(begin), np.uint64(end - begin)
    for lane in range(np.uint64(LANES)):
        best[lane] = np.inf if lane < n_rows else -1.0
    for column in range(np.uint64(tree.columns.size)):
        attribute = np.uint64(tree.columns[column])
        for lane in range(n_rows):
            lanes[column, lane] = values[np.uint64(rows[first + lane]), attribute]
        for lane in range(n_rows, np.uint64(LANES)):
            lanes[column, lane] = lanes[column, 0]
        for lane in range(np.uint64(LANES)):
            value = lanes[column, lane]
            best[lane] = best[lane] if value == value else -1.0
        total = 0.0
        for lane in range(np.uint64(SAMPLE)):
            total += lanes[column, lane]
        packet.typical[column] = total / SAMPLE


@kernel
def search_together(mine: Int, tree: SplitTree, packet: Packet) -> None:
    """Find the squared distances of the rows in the lanes."""
    branch, slot = packet.branch, packet.slot
    for lane in range(np.uint64(LANES)):
        packet.squared[0, lane] = 0.0
    branch[0] = slot[0] = 0
    top: Int = np.uint64(1)
    while top > 0:
        top -= np.uint64(1)
        here = slot[top]
        split: Any = tree.splits[np.uint64(branch[top])]
        above = packet.typical[np.uint64(split.column)] > split.cut
        left, right = np.int64(split.left), np.int64(split.right)
        near = right if above else left
        far = left if above else right
        to_near, to_far = visit_split(split, above, here, packet)
        if (to_near and near < 0 and near != mine) or (to_far and far < 0 and far != mine):
            if far < 0 and far != mine:
                update_best(here + 1, packet)
            if near < 0 and near != mine:
                update_best(here + 2, packet)
        # Written in any case and counted by arithmetic: an unpredictable branch takes longer.
        branch[top], slot[top] = far, here + 1
        top += np.uint64(to_far & (far >= 0))
        branch[top], slot[top] = near, here + 2
        top += np.uint64(to_near & (near >= 0))


@kernel
def visit_split(split: Any, above: bool, here: Int, packet: Packet) -> tuple[bool, bool]:
    """Find the squared distances of both branches from those of a split, in slot ``here``.

    Those of the branch that most rows do not take go to the next slot. Those of the branch that
    they do take, ``above`` the cut or below it, go to the slot after that, because it is visited
    next, and the slots after its own are then used again.

    Returns
    -------
    to_near, to_far : bool
        Whether the branch is near enough for some row.
    """
    values, squared, best = packet.values, packet.squared, packet.best
    start, far, near = np.uint64(here), np.uint64(here + 1), np.uint64(here + 2)
    column, cut, low, high = np.uint64(split.column), split.cut, split.low, split.high
    unit = split.unit
    to_near = to_far = False
    for lane in range(np.uint64(LANES)):
        value, distance = values[column, lane], squared[start, lane]
        farther = distance + increase(value, cut, low, high, unit)
        stays = (value > cut) == above
        of_near = distance if stays else farther
        of_far = farther if stays else distance
        squared[near, lane] = of_near
        squared[far, lane] = of_far
        to_near |= of_near < best[lane]
        to_far |= of_far < best[lane]
    return to_near, to_far


@inlined
def increase(value: float, cut: float, low: float, high: float, unit: float) -> float:
    """Return by how much crossing a cut increases the squared distance; never negative.

    If the value is not between ``low`` and ``high``, it has already been displaced.
    """
    before = max(max(low - value, value - high), 0.0) * unit
    length = (value - cut) * unit
    return max(length * length, before * before) - before * before


@kernel
def update_best(slot: Int, packet: Packet) -> None:
    """Lower the best squared distances to those of a leaf."""
    place = np.uint64(slot)
    for lane in range(np.uint64(LANES)):
        found, best = packet.squared[place, lane], packet.best[lane]
        packet.best[lane] = found if found < best else best


@kernel
def search_alone(
    values: AnyFloats2D, row: Int, mine: Int, tree: SplitTree, single: Single
) -> float:
    """Return the squared distance of one row."""
    for column in range(np.uint64(tree.columns.size)):
        single.values[column] = values[np.uint64(row), np.uint64(tree.columns[column])]
    best = np.inf
    n_pending: Int = 0
    if tree.branch[0] != mine:
        push_branch(single, 0, tree.branch[0], 0.0)
        n_pending = 1
    while n_pending > 0:
        n_pending -= 1
        distance = single.squared[np.uint64(n_pending)]
        if distance >= best:
            continue
        branch: Int = np.int64(single.branch[np.uint64(n_pending)])
        while branch >= 0:
            split: Any = tree.splits[np.uint64(branch)]
            value, cut = single.values[np.uint64(split.column)], split.cut
            if value <= cut or value > cut:
                squares = distance + increase(value, cut, split.low, split.high, split.unit)
                left, right, above = split.left, split.right, value > cut
                far = np.int64(left if above else right)
                branch = np.int64(right if above else left)
                push_branch(single, n_pending, far, squares)
                # Counted by arithmetic, as above. A square that overflows is never less.
                n_pending += np.int64((squares < best) & (far != mine))
            else:
                position = Position(branch, distance, best, n_pending)
                branch, n_pending = fork(value, position, mine, tree, single)
        if branch != mine:
            best = distance
    return best


class Position(NamedTuple):
    """The state of a search at a split."""

    branch: int
    squared: float
    best: float
    n_pending: int


@kernel
def fork(
    value: float, position: Position, mine: Int, tree: SplitTree, single: Single
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
    split: Any = tree.splits[position.branch]
    node: Int = np.int64(split.node)
    rule: Any = tree.paths.rules[node]
    n_pending = position.n_pending
    first = np.int64(rule.first_child)
    length: Any = split.unit
    squares: Any = position.squared + length * length
    taken = NOTHING
    if rule.n_categories == 0:
        squares = np.inf
        if value == value:
            taken = 0
    elif not has_left(value, split, tree):
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
            push_branch(single, n_pending, branch, position.squared)
            n_pending += 1
        elif squares < position.best:
            push_branch(single, n_pending, branch, squares)
            n_pending += 1
    return np.int64(tree.branch[near]), n_pending


@kernel
def has_left(value: float, split: Any, tree: SplitTree) -> bool:
    """Return whether a case left its category, at a cost, at a split above."""
    if split.unit == 0.0:
        return False
    above, way = split.above, split.way
    while above != NOTHING:
        before: Any = tree.splits[above]
        node: Int = np.int64(before.node)
        taken = branch_of(value, node, tree.paths)
        if NOTHING != taken != way:
            return True
        above, way = before.above, before.way
    return False


@inlined
def push_branch(single: Single, n_pending: Int, branch: Int, squared: float) -> None:
    """Push a branch and its squared distance."""
    top = np.uint64(n_pending)  # unsigned indices need no test for negative ones
    single.branch[top] = branch
    single.squared[top] = squared


@typed_kernel
def relate_splits(parent: ReadonlyInt32s, way: ReadonlyInt32s, splits: Splits) -> None:
    """Enter ``above``, ``way``, ``low`` and ``high`` of each split.

    Parameters
    ----------
    parent, way : int32[splits]
        The split above each split, or ``NOTHING``, and which of its children leads there.
    splits : SPLIT[splits]
        Those above stand before those below.
    """
    for place in range(splits.size):
        split: Any = splits[place]
        below, above = place, parent[place]
        while above != NOTHING and splits[above].column != split.column:
            below, above = above, parent[above]
        split.above, split.way = above, way[below]
        split.low, split.high = -np.inf, np.inf
        if above == NOTHING:
            continue
        before: Any = splits[above]
        split.low, split.high = before.low, before.high
        if before.cut == before.cut and split.way == 0:
            split.high = min(before.high, before.cut)
        elif before.cut == before.cut:
            split.low = max(before.low, before.cut)


@typed_kernel
def number_groups(parent: ReadonlyInts, n_leaves: Ints, group: Ints) -> None:
    """Number the leaves from left to right, and give other nodes a number nearby.

    Parameters
    ----------
    parent : int64[nodes]
    n_leaves : int64[nodes]
        1 at leaves, else 0; becomes the number of leaves below each node.
    group : int64[nodes]
        Zeros, for the numbers.
    """
    for node in range(parent.size - 1, 0, -1):
        n_leaves[parent[node]] += n_leaves[node]
    for node in range(1, parent.size):
        group[node] = group[parent[node]]
        group[parent[node]] += n_leaves[node]


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
    centre: ReadonlyFloats,
    total: Floats,
    first: Floats,
    second: Floats,
) -> None:
    """Add the weights of the known values of rows ``begin:end``, and their weighted moments."""
    for row in range(begin, end):
        weight = weights[row]
        for column in range(values.shape[1]):
            difference = values[row, column] - centre[column]
            if difference == difference:
                total[column] += weight
                first[column] += weight * difference
                second[column] += weight * difference * difference
