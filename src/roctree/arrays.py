"""Array types for annotations, and threads over arrays.

To a type checker, and outside kernels, ``Floats`` is an array of float64 of any shape. A kernel
takes its aliases literally: ``roctree._jit`` derives the compiled type of an argument from the
element type, the number of dimensions and the layout that its alias names. Importing this module
does not load the compiler.
"""

import os
import threading
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor


class ArrayType(NamedTuple):
    """Element type, number of dimensions, layout ("A" is any), and whether it is read-only."""

    dtype: type[np.generic]
    ndim: int
    layout: Literal["C", "A"] = "C"
    readonly: bool = False


# C-contiguous arrays that a kernel may write to. ``Places`` are positions in other arrays.
Floats: TypeAlias = Annotated[NDArray[np.float64], ArrayType(np.float64, 1)]
Floats2D: TypeAlias = Annotated[NDArray[np.float64], ArrayType(np.float64, 2)]
Floats3D: TypeAlias = Annotated[NDArray[np.float64], ArrayType(np.float64, 3)]
Ints: TypeAlias = Annotated[NDArray[np.int64], ArrayType(np.int64, 1)]
Ints2D: TypeAlias = Annotated[NDArray[np.int64], ArrayType(np.int64, 2)]
Int32s: TypeAlias = Annotated[NDArray[np.int32], ArrayType(np.int32, 1)]
Places: TypeAlias = Annotated[NDArray[np.uint32], ArrayType(np.uint32, 1)]
Places2D: TypeAlias = Annotated[NDArray[np.uint32], ArrayType(np.uint32, 2)]
Branches: TypeAlias = Annotated[NDArray[np.int16], ArrayType(np.int16, 1)]
Branches2D: TypeAlias = Annotated[NDArray[np.int16], ArrayType(np.int16, 2)]
Codes2D: TypeAlias = Annotated[NDArray[np.uint16], ArrayType(np.uint16, 2)]
Bytes: TypeAlias = Annotated[NDArray[np.uint8], ArrayType(np.uint8, 1)]
Bytes2D: TypeAlias = Annotated[NDArray[np.uint8], ArrayType(np.uint8, 2)]
Bools: TypeAlias = Annotated[NDArray[np.bool_], ArrayType(np.bool_, 1)]

# C-contiguous arrays that a kernel only reads: they may be memory-mapped or otherwise read-only.
ReadonlyFloats: TypeAlias = Annotated[NDArray[np.float64], ArrayType(np.float64, 1, readonly=True)]
ReadonlyFloats2D: TypeAlias = Annotated[
    NDArray[np.float64], ArrayType(np.float64, 2, readonly=True)
]
ReadonlyInts: TypeAlias = Annotated[NDArray[np.int64], ArrayType(np.int64, 1, readonly=True)]
ReadonlyInts2D: TypeAlias = Annotated[NDArray[np.int64], ArrayType(np.int64, 2, readonly=True)]
ReadonlyInt32s: TypeAlias = Annotated[NDArray[np.int32], ArrayType(np.int32, 1, readonly=True)]
ReadonlyPlaces: TypeAlias = Annotated[NDArray[np.uint32], ArrayType(np.uint32, 1, readonly=True)]
ReadonlyPlaces2D: TypeAlias = Annotated[NDArray[np.uint32], ArrayType(np.uint32, 2, readonly=True)]
ReadonlyBranches: TypeAlias = Annotated[NDArray[np.int16], ArrayType(np.int16, 1, readonly=True)]
ReadonlyBranches2D: TypeAlias = Annotated[NDArray[np.int16], ArrayType(np.int16, 2, readonly=True)]
ReadonlyCodes2D: TypeAlias = Annotated[NDArray[np.uint16], ArrayType(np.uint16, 2, readonly=True)]
ReadonlyBytes: TypeAlias = Annotated[NDArray[np.uint8], ArrayType(np.uint8, 1, readonly=True)]
ReadonlyBytes2D: TypeAlias = Annotated[NDArray[np.uint8], ArrayType(np.uint8, 2, readonly=True)]
ReadonlyBools: TypeAlias = Annotated[NDArray[np.bool_], ArrayType(np.bool_, 1, readonly=True)]

Bits: TypeAlias = Annotated[NDArray[np.uint64], ArrayType(np.uint64, 1)]

# A table of any memory layout that a kernel only reads: the caller's data, without a copy.
AnyBits2D: TypeAlias = Annotated[NDArray[np.uint64], ArrayType(np.uint64, 2, "A", readonly=True)]
AnyFloats2D: TypeAlias = Annotated[
    NDArray[np.float64], ArrayType(np.float64, 2, "A", readonly=True)
]

# An integer of Python or of NumPy inside a kernel.
Int: TypeAlias = Any

# A range of fewer rows is not worth a thread.
_MIN_ROWS = 1 << 12

Item = TypeVar("Item")
Result = TypeVar("Result")


def row_parts(n_rows: int, n_parts: int) -> list[slice]:
    """Return about equal ranges of rows, fewer than ``n_parts`` if there are few rows.

    >>> row_parts(10_000, 3)
    [slice(0, 5000, None), slice(5000, 10000, None)]
    """
    n_parts = max(1, min(n_parts, n_rows // _MIN_ROWS))
    ends = [n_rows * part // n_parts for part in range(n_parts + 1)]
    return [slice(*part) for part in pairwise(ends)]


def any_missing(values: NDArray[np.float64], n_threads: int = 1) -> bool:
    """Whether some value is NaN."""
    if values.size == 0:
        return False
    # A minimum is NaN if any value is, and needs no temporary array.
    parts = row_parts(len(values), n_threads)
    return bool(np.isnan(in_threads(n_threads, lambda rows: values[rows].min(), parts)).any())


def in_threads(
    n_threads: int, run: Callable[[Item], Result], items: Iterable[Item]
) -> list[Result]:
    """Return the results of a function for all items, computed by ``n_threads`` threads.

    No call is running any more when this returns, even if one of them failed.
    Threads help where the function releases the GIL: kernels, and NumPy on large arrays.
    """
    items = list(items)
    if min(n_threads, len(items)) <= 1:
        return [run(item) for item in items]
    if getattr(_worker, "is_one", False):
        # In the pool of this worker, the items could wait for each other's workers forever.
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(n_threads) as pool:
            return list(pool.map(run, items))
    from concurrent.futures import wait

    pool = shared_pool(n_threads)
    tasks = [pool.submit(run, item) for item in items]
    try:
        return [task.result() for task in tasks]
    finally:
        # If a task failed or the caller was interrupted, others may still be running.
        wait([task for task in tasks if not task.cancel()])


# Pools are kept, because starting threads can take longer than a pass over a million rows.
_pools: dict[int, "ThreadPoolExecutor"] = {}
_worker = threading.local()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)


def shared_pool(n_threads: int) -> "ThreadPoolExecutor":
    """Return the pool of this many threads that is kept for the next call.

    Its tasks must not wait for each other.
    """
    from concurrent.futures import ThreadPoolExecutor

    def start() -> None:
        _worker.is_one = True

    pool = _pools.get(n_threads)
    # The threads of a pool start when they are needed, so a surplus pool costs nothing.
    return pool or _pools.setdefault(
        n_threads, ThreadPoolExecutor(n_threads, "roctree", initializer=start)
    )
