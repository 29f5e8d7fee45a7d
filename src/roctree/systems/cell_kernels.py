"""Loops over cells: how cases in the order of their addresses are divided, and found again.

An address has ``BITS`` bits for each attribute; the first bits say in which halves a case is, the
second ones in which halves of these, and so on. The order of addresses is that of the first bits of
all attributes, then the second bits of all, and so on, so that the cases of a cell stand together.
"""

import numpy as np
from numpy.typing import NDArray

from roctree._jit import kernel, typed_kernel

BITS = 32

_READ_ADDRESSES = "Array(uint32, 2, 'C', readonly=True)"
_READ_COUNTS = "Array(int32, 1, 'C', readonly=True)"
_READ_LEVELS = "Array(uint8, 1, 'C', readonly=True)"


@typed_kernel(
    f"int64({_READ_LEVELS}, {_READ_COUNTS}, Array(int32, 1, 'C'), Array(uint8, 1, 'C'), "
    "Array(int64, 1, 'C'), Array(int64, 1, 'C'))"
)
def divide(
    shared: NDArray[np.uint8],
    labels: NDArray[np.int32],
    n_children: NDArray[np.int32],
    level: NDArray[np.uint8],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
) -> int:
    """Divide cells until each has cases of one class or of one address; return their number.

    Cells come level by level, and siblings in the order of their addresses. One whose cases are all
    in the same part of it is passed over: its part stands for it.

    Parameters
    ----------
    shared : how many levels each case, in the order of addresses, has in common with that before
    labels : their classes
    n_children, level, begin, end : of the cells, with room for twice as many as there are cases;
        ``begin`` and ``end`` say which cases are in each, and the level of a leaf is not set
    """
    begin[0], end[0] = 0, labels.size
    n_cells = 1
    cell = 0
    while cell < n_cells:
        first, last = begin[cell], end[cell]
        least = BITS
        pure = True
        for case in range(first + 1, last):
            least = min(least, shared[case])
            pure = pure and labels[case] == labels[first]
        n_children[cell] = 0
        if not pure and least < BITS:
            level[cell] = least
            start = first
            for case in range(first + 1, last + 1):
                if case == last or shared[case] == least:
                    begin[n_cells], end[n_cells] = start, case
                    n_cells += 1
                    n_children[cell] += 1
                    start = case
        cell += 1
    return n_cells


@typed_kernel(
    f"void({_READ_ADDRESSES}, {_READ_COUNTS}, Array(int64, 1, 'C', readonly=True), "
    f"{_READ_LEVELS}, {_READ_ADDRESSES}, Array(int64, 1, 'C'))"
)
def locate(
    addresses: NDArray[np.uint32],
    n_children: NDArray[np.int32],
    first_child: NDArray[np.int64],
    level: NDArray[np.uint8],
    corner: NDArray[np.uint32],
    found: NDArray[np.int64],
) -> None:
    """Set the smallest cell that has cases and that each address is in.

    A cell that was passed over has the cases of its part, so that the part is found for it too.
    """
    for row in range(addresses.shape[0]):
        cell = 0
        while n_children[cell] > 0 and _is_inside(addresses, row, corner, cell, level[cell]):
            first = first_child[cell]
            bit = BITS - 1 - level[cell]
            part = _part(addresses, row, corner, first, first + n_children[cell], bit)
            if part < 0:
                break
            cell = part
        found[row] = cell


@kernel
def _is_inside(
    addresses: NDArray[np.uint32],
    row: int,
    corner: NDArray[np.uint32],
    cell: int,
    level: int,
) -> bool:
    """Whether an address begins with that of a cell."""
    rest = np.uint64(BITS - level)
    for attribute in range(addresses.shape[1]):
        apart = np.uint64(addresses[row, attribute] ^ corner[cell, attribute])
        if apart >> rest:
            return False
    return True


@kernel
def _part(
    addresses: NDArray[np.uint32],
    row: int,
    corner: NDArray[np.uint32],
    low: int,
    high: int,
    bit: int,
) -> int:
    """Find the cell from ``low`` to ``high`` that an address has this bit in common with, or -1."""
    while low < high:
        middle = (low + high) // 2
        order = _compare(addresses, row, corner, middle, bit)
        if order == 0:
            return middle
        if order < 0:
            high = middle
        else:
            low = middle + 1
    return -1


@kernel
def _compare(
    addresses: NDArray[np.uint32],
    row: int,
    corner: NDArray[np.uint32],
    cell: int,
    bit: int,
) -> int:
    """Compare one bit of all attributes; the first that differs decides."""
    for attribute in range(addresses.shape[1]):
        mine = (addresses[row, attribute] >> bit) & 1
        its = (corner[cell, attribute] >> bit) & 1
        if mine != its:
            return 1 if mine > its else -1
    return 0
