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

from roctree._jit import inlined, kernel, typed_kernel
from roctree.tree.descent import ATTRIBUTE, CUT, FIRST_CHILD, N_CATEGORIES, N_CHILDREN, NEXT
from roctree.tree.settle_kernels import RULES, TABLE, Branches, Places, Rules, branch_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Int = Any  # Python's or NumPy's: unsigned ones must become signed before they meet

MIXED = -1
NOTHING = -1

# waiting_ints[place, column], waiting_floats[place, column]
NODE, MOVED, N_TRAIL = range(3)
SQUARED, LENGTH = range(2)

_STEPS = "Array(uint32, 2, 'C', readonly=True)"
_LABELS = "Array(int32, 1, 'C', readonly=True)"
_UNITS = "Array(float64, 1, 'C', readonly=True)"
_VECTOR = "Array(float64, 1, 'C')"
_TRAIL = f"Array(int32, 1, 'C'), {_VECTOR}"
_WAITING = "Array(int32, 2, 'C'), Array(float64, 2, 'C')"


@typed_kernel(
    f"void({TABLE}, {TABLE}, {_STEPS}, {RULES}, {_LABELS}, {_LABELS}, {_UNITS}, "
    f"{_VECTOR}, {_TRAIL}, {_WAITING}, {_VECTOR})"
)
def search(
    values: Floats,
    cuts: Floats,
    steps: Places,
    rule_ints: Rules,
    rule_floats: Floats,
    category_branch: Branches,
    labels: Ints,
    own: Ints,
    units: Floats,
    displaced: Floats,
    trail: Ints,
    before: Floats,
    waiting_ints: Ints,
    waiting_floats: Floats,
    squared: Floats,
) -> None:
    """Find the squared distance of each row to the nearest leaf with another label.

    Parameters
    ----------
    values : float64[rows, features]
    cuts, steps, rule_ints, rule_floats, category_branch : of a ``Descent``; the cut of a test for
        missing values is NaN
    labels : int32[nodes], the label of all leaves below a node, or MIXED
    own : int32[rows], the label of each row
    units : float64[features], distance of a difference of one, or of another category
    displaced : float64[features], zeros, and zeros again in the end
    trail, before : int32[levels], float64[levels], displaced attributes, and by how much before
    waiting_ints, waiting_floats : [branches on a path + 1, 3 and 2], branches to be looked at
    squared : float64[rows], the result; infinite where there is no such leaf
    """
    for row in range(values.shape[0]):
        mine = own[row]
        best = np.inf
        n_trail: Int = 0
        n_waiting: Int = 0
        if labels[0] != mine:
            wait(0, NOTHING, 0.0, 0.0, 0, 0, waiting_ints, waiting_floats)
            n_waiting = 1
        while n_waiting > 0:
            n_waiting -= 1
            distance = waiting_floats[n_waiting, SQUARED]
            if distance >= best:
                continue
            n_trail = undo(waiting_ints[n_waiting, N_TRAIL], n_trail, displaced, trail, before)
            moved = waiting_ints[n_waiting, MOVED]
            if moved != NOTHING:
                trail[n_trail] = moved
                before[n_trail] = displaced[moved]
                displaced[moved] = waiting_floats[n_waiting, LENGTH]
                n_trail += 1
            node: Int = np.int64(waiting_ints[n_waiting, NODE])
            while labels[node] == MIXED:
                attribute = np.int64(steps[node, ATTRIBUTE])
                value = values[row, attribute]
                cut = cuts[node, CUT]
                if value <= cut or value > cut:
                    right = np.uint32(value > cut)
                    far = np.int64(steps[node, NEXT] + np.uint32(1) - right)
                    node = np.int64(steps[node, NEXT] + right)
                    old = displaced[attribute]
                    length = max(abs(value - cut) * units[attribute], old)
                    further = distance - old * old + length * length
                    wait(far, attribute, further, length, n_trail, n_waiting, waiting_ints,
                         waiting_floats)  # fmt: skip
                    # Written in any case, and counted by arithmetic: a branch that the processor
                    # cannot foresee takes longer. A square that overflows is never less.
                    n_waiting += np.int64((further < best) & (labels[far] != mine))
                else:
                    node, n_waiting = fork(
                        value, node, attribute, distance, best, mine, rule_ints, rule_floats,
                        category_branch, labels, units, displaced, n_trail, n_waiting,
                        waiting_ints, waiting_floats,
                    )  # fmt: skip
            if labels[node] != mine:
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
    rule_ints: Rules,
    rule_floats: Floats,
    category_branch: Branches,
    labels: Ints,
    units: Floats,
    displaced: Floats,
    n_trail: Int,
    n_waiting: Int,
    waiting_ints: Ints,
    waiting_floats: Floats,
) -> tuple[Int, Int]:
    """Take a split that needs more than a comparison; return the branch to follow, how many wait.

    A missing number may be any number. A case that has left its category may take any other. Who
    has a number is not led to where it is missing.
    """
    first = np.int64(rule_ints[node, FIRST_CHILD])
    length: Any = units[attribute]
    further: Any = distance + length * length
    branch = NOTHING
    if rule_ints[node, N_CATEGORIES] == 0:
        further = np.inf
        if value == value:
            branch = 0
    elif displaced[attribute] == 0.0:
        branch = branch_of(value, node, rule_ints, rule_floats, category_branch)
    near: Int = first + branch if branch != NOTHING else np.int64(NOTHING)
    for child in range(first, first + rule_ints[node, N_CHILDREN]):
        if labels[child] == mine or child == near:
            continue
        if branch == NOTHING and near == NOTHING:
            near = child
        elif branch == NOTHING:
            wait(child, NOTHING, distance, 0.0, n_trail, n_waiting, waiting_ints,
                 waiting_floats)  # fmt: skip
            n_waiting += 1
        elif further < best:
            wait(child, attribute, further, length, n_trail, n_waiting, waiting_ints,
                 waiting_floats)  # fmt: skip
            n_waiting += 1
    return near, n_waiting


@inlined
def wait(
    node: Int,
    moved: Int,
    squared: float,
    length: float,
    n_trail: Int,
    place: Int,
    waiting_ints: Ints,
    waiting_floats: Floats,
) -> None:
    """Note a branch, how far it is, and which displacement leads there from the trail so far."""
    waiting_ints[place, NODE] = node
    waiting_ints[place, MOVED] = moved
    waiting_ints[place, N_TRAIL] = n_trail
    waiting_floats[place, SQUARED] = squared
    waiting_floats[place, LENGTH] = length


@inlined
def undo(begin: Int, end: Int, displaced: Floats, trail: Ints, before: Floats) -> Int:
    """Take back the displacements from ``begin`` on, the last first; return what is left."""
    while end > begin:
        end -= 1
        displaced[trail[end]] = before[end]
    return end
