"""Compile kernels in two processes at once, or in the background, to shorten the first fit."""

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
# A compiling process takes half of this time; one that has not ended by then was killed.
_PATIENCE = 120.0
# Kept, so that processes at work are not reported as abandoned.
_AT_WORK: "list[Popen[bytes]]" = []


@contextmanager
def compiling(*kernels: Kernel) -> Iterator[None]:
    """Compile several typed kernels, while the body of the context compiles its own.

    Those that are new on this machine are shared with a second process, which almost halves the
    time of the first fit; a log message says so.
    """
    new = [kernel for kernel in dict.fromkeys(kernels) if not is_compiled(kernel)]
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
    """Compile the typed kernels of all imported modules."""
    with compiling(*DECLARED):
        pass


def compile_later(kernels: Sequence[Kernel]) -> None:
    """Compile the new ones among these in another process, for later fits; do not wait for it."""
    new = [kernel for kernel in kernels if not is_compiled(kernel)]
    folder = cache_folder(new[0]) if new else None
    if folder is None or not _claim(folder / f"roctree-{stamp()}.compiling"):
        return
    process = _compile_elsewhere(new)
    if process is not None:
        _AT_WORK.append(process)


def _claim(mark: Path) -> bool:
    """Claim the compilation for this process; return false if another process has claimed it."""
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
    """Log once why the first fit takes longer, as a warning in an interactive session."""
    once = "once on this machine" if cached else "in each process, as no cache folder is writable"
    interactive = hasattr(sys, "ps1") or (sys.stderr is not None and sys.stderr.isatty())
    level = logging.WARNING if interactive else logging.INFO
    _LOG.log(level, "Compiling the kernels for the first fit, which takes some seconds, %s.", once)


def _compile_elsewhere(kernels: Sequence[Kernel]) -> "Popen[bytes] | None":
    """Start a process that compiles these into the cache; None if that is not possible."""
    if JIT_DISABLED or not kernels or cache_folder(kernels[0]) is None:
        return None
    # If Python is embedded, sys.executable is another program.
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
