"""The compiled comparison of leaves: which of those wanted a case reaches by the least change."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import kernel, typed_kernel
from roctree.geometry.boxes import LEADS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Effects = NDArray[np.uint8]
Int = Any  # Python's or NumPy's

# Any label but the own is wanted; no leaf is needed, or none can be reached.
ANY, NOTHING = -1, -1

_TABLE = "Array(float64, 2, 'C', readonly=True)"
_NUMBERS = "Array(int64, 1, 'C', readonly=True)"


@typed_kernel(
    f"void({_TABLE}, {_NUMBERS}, int64, {_NUMBERS}, "
    f"{_NUMBERS}, Array(float64, 1, 'C', readonly=True), {_TABLE}, {_TABLE}, {_TABLE}, {_TABLE}, "
    f"Array(uint8, 2, 'C', readonly=True), {_NUMBERS}, {_NUMBERS}, {_TABLE}, "
    "Array(float64, 1, 'C'), Array(int64, 1, 'C'))"
)
def nearest_leaf(
    values: Floats,
    own: Ints,
    to: Int,
    labels: Ints,
    numeric: Ints,
    units: Floats,
    low: Floats,
    high: Floats,
    bottom: Floats,
    top: Floats,
    gaps: Effects,
    nominal: Ints,
    starts: Ints,
    prices: Floats,
    squared: Floats,
    nearest: Ints,
) -> None:
    """Find for each row the nearest leaf that is wanted, the first of equals.

    Parameters
    ----------
    values : float64[rows, features]
    own : int64[rows], the label of each row; one that has the wanted one stays where it is
    to : the wanted label, or ``ANY``
    labels : int64[leaves]
    numeric, units : int64 and float64[numbers], attributes, and the distance of a difference of one
    low, high, bottom, top, gaps, nominal, starts, prices : of ``Targets``
    squared : float64[rows], the result, infinite where no wanted leaf can be reached
    nearest : int64[rows], the place of the leaf, or ``NOTHING``
    """
    for row in range(values.shape[0]):
        nearest[row] = NOTHING
        squared[row] = 0.0
        if own[row] == to:
            continue
        best = np.inf
        for leaf in range(labels.size):
            if labels[leaf] == own[row] or (to != ANY and labels[leaf] != to):
                continue
            # Displacements only add up: what is no better by now will not be in the end.
            total = 0.0
            for k in range(numeric.size):
                total += squared_move(
                    values[row, numeric[k]], units[k], low[leaf, k], high[leaf, k],
                    bottom[leaf, k], top[leaf, k], gaps[leaf, k],
                )  # fmt: skip
                if total >= best:
                    break
            for k in range(nominal.size):
                if total >= best:
                    break
                total += prices[leaf, cell_of(values[row, nominal[k]], starts[k], starts[k + 1])]
            if total < best:
                best = total
                nearest[row] = leaf
        squared[row] = best


@kernel
def squared_move(
    value: float, unit: float, low: float, high: float, bottom: float, top: float, gap: Int
) -> float:
    """Return the square of how far a number has to move for a leaf, infinite where it cannot.

    A missing one may be any number, so that filling it in costs nothing.
    """
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
def cell_of(value: float, start: Int, end: Int) -> Int:
    """Return the cell of a category; the last is for what is missing, or that training had not."""
    return start + int(value) if 0.0 <= value < end - start - 1 else end - 1
