"""Sort the cases of a node by one attribute: by its code, and by value where a code is shared."""

import numpy as np

from roctree._jit import kernel
from roctree.tree.kernels.layout import ROW_ID

PLACE_BITS = 32
PLACE_MASK = (1 << PLACE_BITS) - 1
# Below this many keys two passes over 256 counters cost more than a shell sort.
RADIX_FROM = 256
GAPS = (1750, 701, 301, 132, 57, 23, 10, 4, 1)


@kernel
def radix_pass(
    source: np.ndarray, target: np.ndarray, n: int, shift: int, starts: np.ndarray
) -> None:
    """Sort keys stably by eight of their bits."""
    for digit in range(256):
        starts[digit] = 0
    for i in range(n):
        starts[(source[i] >> shift) & 255] += 1
    position = 0
    for digit in range(256):
        size = starts[digit]
        starts[digit] = position
        position += size
    for i in range(n):
        digit = (source[i] >> shift) & 255
        target[starts[digit]] = source[i]
        starts[digit] += 1


@kernel
def sort_keys(keys: np.ndarray, n: int, buffer: np.ndarray, starts: np.ndarray) -> None:
    """Sort keys of the form ``code << 32 | place``, whose places ascend, by code."""
    if n >= RADIX_FROM:
        radix_pass(keys, buffer, n, PLACE_BITS, starts)
        radix_pass(buffer, keys, n, PLACE_BITS + 8, starts)
        return
    for gap in GAPS:
        for i in range(gap, n):
            key = keys[i]
            j = i
            while j >= gap and keys[j - gap] > key:
                keys[j] = keys[j - gap]
                j -= gap
            keys[j] = key


@kernel
def value_of(key: int, base: int, values: np.ndarray, feature: int, row_ints: np.ndarray) -> float:
    """The value of the case in a key, whose place counts from row ``base``."""
    return values[row_ints[ROW_ID, base + (key & PLACE_MASK)], feature]


@kernel
def sort_ties(
    keys: np.ndarray, n: int, base: int, values: np.ndarray, feature: int, row_ints: np.ndarray
) -> None:
    """Put the cases that share a code in the order of their values."""
    begin = 0
    while begin < n:
        end = begin + 1
        while end < n and keys[end] >> PLACE_BITS == keys[begin] >> PLACE_BITS:
            end += 1
        if end - begin == 1:
            begin = end
            continue
        for gap in GAPS:
            for i in range(begin + gap, end):
                key = keys[i]
                value = value_of(key, base, values, feature, row_ints)
                j = i
                while (
                    j >= begin + gap
                    and value_of(keys[j - gap], base, values, feature, row_ints) > value
                ):
                    keys[j] = keys[j - gap]
                    j -= gap
                keys[j] = key
        begin = end
