"""The compiled search for the nearest leaf with another label.

A region is what the tests on the way to a node leave of the space. A case is displaced along an
attribute as far as the tests on it demand, and further down the tree displacements only grow. So a
branch whose squared distance is not below the best found needs no look. The search follows what
costs nothing and lets the other branches wait, the deepest to be looked at first: near the end of
its own path a case is near other leaves. What waits is a few branches a level, so that memory does
not depend on the number of leaves.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import (
    Floats as FloatVector,
)
from roctree._jit import (
    Int32s,
    ReadonlyFloats,
    ReadonlyFloats2D,
    ReadonlyInt32s,
    inlined,
    kernel,
    typed_kernel,
)
from roctree.tree.kernels.descent import Paths, branch_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Int = Any  # Python's or NumPy's: unsigned ones must become signed before they meet

NOTHING = -1

# A split has 24 bytes: as float64 it begins with its cut, as int32 it ends with two branches, the
# attribute and the number of the node. All are in one row, so that no multiplication leads from one
# to the next: a branch is where the int32 of its split begin, or minus one less the label that all
# leaves below share.
SIZE = 6
BRANCHES, ATTRIBUTE, NUMBER = 2, 4, 5


@typed_kernel
def search(
    values: ReadonlyFloats2D,
    cuts: ReadonlyFloats,
    splits: ReadonlyInt32s,
    paths: Paths,
    branches: ReadonlyInt32s,
    own: ReadonlyInt32s,
    units: ReadonlyFloats,
    displaced: FloatVector,
    trail: Int32s,
    before: FloatVector,
    waiting: Int32s,
    moved: Int32s,
    n_before: Int32s,
    further: FloatVector,
    lengths: FloatVector,
    squared: FloatVector,
) -> None:
    """Find the squared distance of each row to the nearest leaf with another label.

    Parameters
    ----------
    values : float64[rows, features]
    cuts, splits : float64[3 * n] and the same bytes as int32[6 * n], the splits above more than one
        label, the root first; a cut is NaN where a comparison is not enough
    paths : the nodes of the tree
    branches : int32[nodes], each node as a branch
    own : int32[rows], the label of each row
    units : float64[features], distance of a difference of one, or of another category
    displaced : float64[features], zeros, and zeros again in the end
    trail, before : int32[levels], float64[levels], displaced attributes, and by how much before
    waiting, moved, n_before, further, lengths : int32 and float64[branches on a path + 1], branches
        to be looked at, the attribute that is displaced to get there, the trail before, the squared
        distance, and the displacement
    squared : float64[rows], the result; infinite where there is no such leaf
    """
    for row in range(np.uint64(values.shape[0])):
        mine = -1 - own[row]
        best = np.inf
        n_trail: Int = 0
        n_waiting: Int = 0
        if branches[0] != mine:
            wait(branches[0], NOTHING, 0.0, 0.0, 0, 0, waiting, moved, n_before, further, lengths)
            n_waiting = 1
        while n_waiting > 0:
            n_waiting -= 1
            last = np.uint64(n_waiting)
            distance = further[last]
            if distance >= best:
                continue
            n_trail = undo(n_before[last], n_trail, displaced, trail, before)
            if moved[last] != NOTHING:
                attribute, end = np.uint64(moved[last]), np.uint64(n_trail)
                trail[end] = attribute
                before[end] = displaced[attribute]
                displaced[attribute] = lengths[last]
                n_trail += 1
            node: Int = np.int64(waiting[last])
            while node >= 0:
                place = np.uint64(node)
                attribute = np.uint64(splits[place + np.uint64(ATTRIBUTE)])
                value = values[row, attribute]
                cut = cuts[place >> np.uint64(1)]
                if value <= cut or value > cut:
                    left = splits[place + np.uint64(BRANCHES)]
                    right = splits[place + np.uint64(BRANCHES + 1)]
                    above = value > cut
                    far = np.int64(left if above else right)
                    node = np.int64(right if above else left)
                    old = displaced[attribute]
                    length = max(abs(value - cut) * units[attribute], old)
                    squares = distance - old * old + length * length
                    wait(far, attribute, squares, length, n_trail, n_waiting, waiting, moved,
                         n_before, further, lengths)  # fmt: skip
                    # Written in any case, and counted by arithmetic: a branch that the processor
                    # cannot foresee takes longer. A square that overflows is never less.
                    n_waiting += np.int64((squares < best) & (far != mine))
                else:
                    number = np.int64(splits[place + np.uint64(NUMBER)])
                    node, n_waiting = fork(
                        value, number, attribute, distance, best, mine,
                        paths, branches, units, displaced,
                        n_trail, n_waiting, waiting, moved, n_before, further, lengths,
                    )  # fmt: skip
            if node != mine:
                best = distance
        undo(0, n_trail, displaced, trail, before)
        squared[row] = best


@kernel
def fork(
    value: float,
    node: Int,
    attribute: Int,
    distance: float,
    best: float,
    mine: Int,
    paths: Paths,
    branches: Ints,
    units: Floats,
    displaced: Floats,
    n_trail: Int,
    n_waiting: Int,
    waiting: Ints,
    moved: Ints,
    n_before: Ints,
    further: Floats,
    lengths: Floats,
) -> tuple[Int, Int]:
    """Take a split that needs more than a comparison; return the branch to follow, how many wait.

    A missing number may be any number. A case that has left its category may take any other. Who
    has a number is not led to where it is missing.
    """
    rule = paths.rules[node]
    first = np.int64(rule.first_child)
    length: Any = units[attribute]
    squares: Any = distance + length * length
    branch = NOTHING
    if rule.n_categories == 0:
        squares = np.inf
        if value == value:
            branch = 0
    elif displaced[attribute] == 0.0:
        branch = branch_of(value, node, paths)
    near: Int = NOTHING
    if branch != NOTHING:
        near = first + branch
    for child in range(first, first + rule.n_children):
        if branches[child] == mine or child == near:
            continue
        if branch == NOTHING and near == NOTHING:
            near = child
        elif branch == NOTHING:
            wait(branches[child], NOTHING, distance, 0.0, n_trail, n_waiting, waiting, moved,
                 n_before, further, lengths)  # fmt: skip
            n_waiting += 1
        elif squares < best:
            wait(branches[child], attribute, squares, length, n_trail, n_waiting, waiting, moved,
                 n_before, further, lengths)  # fmt: skip
            n_waiting += 1
    return np.int64(branches[near]), n_waiting


@inlined
def wait(
    branch: Int,
    attribute: Int,
    squares: float,
    length: float,
    n_trail: Int,
    place: Int,
    waiting: Ints,
    moved: Ints,
    n_before: Ints,
    further: Floats,
    lengths: Floats,
) -> None:
    """Note a branch, how far it is, and which displacement leads there from the trail so far."""
    place = np.uint64(place)  # unsigned numbers spare the test for negative indices
    waiting[place] = branch
    moved[place] = attribute
    n_before[place] = n_trail
    further[place] = squares
    lengths[place] = length


@inlined
def undo(begin: Int, end: Int, displaced: Floats, trail: Ints, before: Floats) -> Int:
    """Take back the displacements from ``begin`` on, the last first; return what is left."""
    while end > begin:
        end -= 1
        place = np.uint64(end)
        displaced[np.uint64(trail[place])] = before[place]
    return end
