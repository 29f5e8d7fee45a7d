"""Compile kernels: now, in two processes and with a message, or later, in the background."""

import atexit
import os
import pickle
import sys
import time
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from queue import Empty, Queue
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from roctree._jit import DECLARED, JIT_DISABLED, Kernel, compiled, is_compiled, store
from roctree._jit.store import folder, keeps_kernels, locked

if TYPE_CHECKING:
    import subprocess

__all__ = ["compile_all", "compile_in_background", "compile_now"]

# Environment variables: "0" forbids a background process, "1" suppresses messages.
_MAY_START = "ROCTREE_BACKGROUND"
_QUIET = "ROCTREE_QUIET"
# Up to this many kernels are compiled in one process: the few of a default fit take about as long
# as a second process needs to import Numba.
_MAX_ALONE = 8
# Seconds that a background process waits for its turn, and then for further requests.
_MAX_WAIT = 300.0
_IDLE = 2.0
_COMMAND = "from roctree._jit.ahead import compile_from_input; compile_from_input({patience})"


def compile_now(kernels: Iterable[Kernel]) -> None:
    """Compile typed kernels, or load them.

    If many are missing from the cache, a second process compiles some of them, which almost halves
    the wait, and a line on standard error reports it.
    """
    _BACKGROUND.is_running()  # also reaps the process if it has ended
    distinct = list(dict.fromkeys(kernels))
    new = [kernel for kernel in distinct if not is_compiled(kernel)]
    if new:
        with _compilation_notice():
            shared = new[len(new) // 2 :] if len(new) > _MAX_ALONE else []
            process = _start_process(patience=0.0) if shared else None
            if process is not None:
                _send(process, shared)
                process.stdin.close()  # type: ignore[union-attr]
            try:
                for kernel in new[: len(new) - len(shared)]:
                    compiled(kernel)
            finally:
                if process is not None:
                    process.wait()
            for kernel in new:
                compiled(kernel)
    for kernel in distinct:
        compiled(kernel)


def compile_all() -> None:
    """Compile the typed kernels of all imported modules."""
    compile_now(DECLARED)


def compile_in_background(kernels: Iterable[Kernel]) -> bool:
    """Compile missing kernels in the background; return whether that is possible."""
    new = [kernel for kernel in kernels if not is_compiled(kernel)]
    if not keeps_kernels() or not _may_start():
        return False
    return _BACKGROUND.request(new)


class _Background:
    """The background process that compiles kernels, and the kernels requested from it."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.requested: set[Kernel] = set()

    def request(self, kernels: Sequence[Kernel]) -> bool:
        """Request the kernels that are not requested yet; return whether it is running."""
        new = [kernel for kernel in kernels if kernel not in self.requested]
        if new and not (self.is_running() and _send(self.process, new)):
            self.detach()
            self.process = _start_process(patience=_MAX_WAIT)
            _send(self.process, new)
        self.requested.update(new)
        return self.is_running()

    def is_running(self) -> bool:
        """Return whether it is running; clean up if it has ended."""
        return self.process is not None and self.process.poll() is None

    def detach(self) -> None:
        """Close its input, so that it ends when it has compiled everything."""
        if self.process is not None:
            self.process.stdin.close()  # type: ignore[union-attr]
            if self.is_running():
                # Otherwise Python warns about a process that is still running.
                self.process.returncode = 0


_BACKGROUND = _Background()
atexit.register(_BACKGROUND.detach)


def _may_start() -> bool:
    """Whether this process may start another: workers may not, and users can forbid it."""
    import multiprocessing

    worker = multiprocessing.current_process().name != "MainProcess"
    return not worker and os.environ.get(_MAY_START, "1") not in {"", "0"}


def _start_process(patience: float) -> "subprocess.Popen[bytes] | None":
    """Start a process that compiles into the cache; None if that is not possible.

    With ``patience`` it is a background process: it waits until no other one is running, has low
    priority, and continues when this process ends.
    """
    # In an embedded interpreter, sys.executable is not Python.
    if JIT_DISABLED or "python" not in Path(sys.executable or "").name.lower():
        return None
    if not keeps_kernels() or (os.cpu_count() or 1) < 2:
        return None
    import subprocess

    try:
        return subprocess.Popen(
            [sys.executable, "-c", _COMMAND.format(patience=patience)],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=patience > 0.0,
            # On Windows, do not open a console window.
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError:
        return None


def _send(process: "subprocess.Popen[bytes] | None", kernels: Iterable[Kernel]) -> bool:
    """Send a request for kernels to a process; return whether it was received."""
    recipes = [recipe for recipe in map(_recipe, kernels) if recipe is not None]
    if process is None:
        return False
    try:
        process.stdin.write(b64encode(pickle.dumps(recipes)) + b"\n")  # type: ignore[union-attr]
    except (OSError, ValueError):
        return False
    return True


def _recipe(kernel: Kernel) -> bytes | None:
    """Return a pickle from which another process obtains this kernel, or None if it cannot."""
    try:
        recipe = pickle.dumps(kernel.__dict__.get("recipe", kernel))
    except (pickle.PicklingError, AttributeError, TypeError):
        return None
    return None if b"__main__" in recipe else recipe


def compile_from_input(patience: float) -> None:
    """Compile the kernels whose recipes are read from standard input."""
    requests: Queue[bytes] = Queue()
    Thread(target=_read_requests, args=(requests,), daemon=True).start()
    root = folder()
    if root is None:
        return
    turn: AbstractContextManager[Any] = nullcontext()
    if patience > 0.0:
        store.WAITS = False
        if hasattr(os, "nice"):
            os.nice(10)
        turn = locked(root / "background.lock", patience)
    with turn, suppress(Empty):
        while line := requests.get(timeout=_IDLE):
            for recipe in pickle.loads(b64decode(line)):
                # The process that needs this kernel will report the error.
                with suppress(Exception):
                    _compile_recipe(recipe)


def _read_requests(requests: "Queue[bytes]") -> None:
    """Queue lines from standard input, so that the writing process never blocks."""
    # Unbuffered, because the lock of a buffer can deadlock at interpreter shutdown.
    with open(0, "rb", buffering=0) as pipe:
        for line in pipe:
            requests.put(line)
    requests.put(b"")


def _compile_recipe(recipe: bytes) -> None:
    made = pickle.loads(recipe)
    kernel = made[0](*made[1]) if isinstance(made, tuple) else made
    if not is_compiled(kernel):
        compiled(kernel)


@contextmanager
def _compilation_notice() -> Iterator[None]:
    """Report on standard error that kernels are being compiled; in a terminal, with a timer."""
    stream = sys.stderr
    if stream is None or os.environ.get(_QUIET, "0") not in {"", "0"}:
        yield
        return
    once = "once on this machine" if keeps_kernels() else "in each process"
    message = f"roctree is compiling kernels, {once}"
    if not stream.isatty():
        _write_once(stream, f"{message}; this takes a few seconds.\n")
        yield
        return
    done = Event()
    thread = Thread(target=_show_timer, args=(stream, message, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@cache
def _write_once(stream: Any, message: str) -> None:
    """Write a message, once."""
    stream.write(message)
    stream.flush()


def _show_timer(stream: Any, message: str, done: Event) -> None:
    """Show the elapsed seconds until compilation ends, then clear the line."""
    start, text = time.monotonic(), ""
    for turn in range(1 << 30):
        text = f"{'|/-' + chr(92)}"[turn % 4] + f" {message} … {time.monotonic() - start:.0f} s"
        stream.write(f"\r{text}")
        stream.flush()
        if done.wait(0.2):
            break
    stream.write("\r" + " " * len(text) + "\r")
    stream.flush()
