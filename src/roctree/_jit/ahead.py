"""Kernels compiled by several processes at once, or later, so that nobody waits for them long."""

import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from subprocess import DEVNULL, Popen
from time import time
from typing import Any

from roctree._jit.kernels import (
    DECLARED,
    JIT_DISABLED,
    cache_folder,
    compiled,
    is_compiled,
    stamp,
)

__all__ = ["compile_all", "compile_later", "compiling"]

Kernel = Callable[..., Any]

_LOG = logging.getLogger("roctree")
# A process that compiles takes half of this; one that has not ended by then was killed.
_PATIENCE = 120.0
# Held so that they are not taken for forgotten while they are at work.
_AT_WORK: "list[Popen[bytes]]" = []


@contextmanager
def compiling(*kernels: Kernel) -> Iterator[None]:
    """Compile several typed kernels, and meanwhile whatever the body of the context compiles.

    Those that are new on this machine are shared with a second process, which almost halves the
    wait of the first fit; the log says what is going on.
    """
    new = [kernel for kernel in kernels if not is_compiled(kernel)]
    if new:
        _announce(cached=cache_folder(new[0]) is not None)
    middle = (len(new) + 1) // 2
    process = _compile_elsewhere(new[middle:])
    try:
        yield
        for kernel in new[:middle]:
            compiled(kernel)
    finally:
        if process is not None:
            process.wait()
    for kernel in kernels:
        compiled(kernel)


def compile_all() -> None:
    """Compile the typed kernels of all modules that are imported."""
    with compiling(*DECLARED):
        pass


def compile_later(kernels: Sequence[Kernel]) -> None:
    """Have a process compile what is new of these for later fits, and do not wait for it."""
    new = [kernel for kernel in kernels if not is_compiled(kernel)]
    folder = cache_folder(new[0]) if new else None
    if folder is None or not _claim(folder / f"roctree-{stamp()}.compiling"):
        return
    process = _compile_elsewhere(new)
    if process is not None:
        _AT_WORK.append(process)


def _claim(mark: Path) -> bool:
    """Whether nobody else compiles the same; from now on this process does."""
    try:
        if mark.exists() and time() - mark.stat().st_mtime < _PATIENCE:
            return False
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    except OSError:
        return False
    return True


@cache
def _announce(*, cached: bool) -> None:
    """Say once why the first fit takes longer; to somebody who waits, without logging set up."""
    once = "once on this machine" if cached else "in each process, for want of a writable cache"
    somebody_waits = hasattr(sys, "ps1") or (sys.stderr is not None and sys.stderr.isatty())
    level = logging.WARNING if somebody_waits else logging.INFO
    _LOG.log(level, "Compiling the kernels for the first fit, which takes some seconds, %s.", once)


def _compile_elsewhere(kernels: Sequence[Kernel]) -> "Popen[bytes] | None":
    """Start a process that compiles these into the cache; None where that cannot be."""
    if JIT_DISABLED or not kernels or cache_folder(kernels[0]) is None:
        return None
    # In another program that runs Python, that program would be started.
    if "python" not in Path(sys.executable or "").name.lower() or (os.cpu_count() or 1) < 2:
        return None
    lines = ["from roctree._jit import compiled"]
    for kernel in kernels:
        lines += [
            f"import {kernel.__module__} as module",
            f"compiled(module.{kernel.__name__})",
        ]
    try:
        return Popen([sys.executable, "-c", "; ".join(lines)], stdout=DEVNULL, stderr=DEVNULL)
    except OSError:
        return None
