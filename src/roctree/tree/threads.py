"""Threads for work that releases the GIL: kernels, and NumPy on large arrays."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_threads(
    n_threads: int, run: Callable[[Item], Result], items: Iterable[Item]
) -> list[Result]:
    """Return the results of a function for all items, computed by ``n_threads`` threads."""
    if n_threads == 1:
        return [run(item) for item in items]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(run, items))
