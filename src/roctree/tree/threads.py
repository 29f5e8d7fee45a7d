"""Threads over work that lets go of the interpreter's lock: kernels, and numpy on large arrays."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_threads(
    n_threads: int, run: Callable[[Item], Result], items: Iterable[Item]
) -> list[Result]:
    """Return what a function makes of each item, by so many threads; by one, on the spot."""
    if n_threads == 1:
        return [run(item) for item in items]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(run, items))
