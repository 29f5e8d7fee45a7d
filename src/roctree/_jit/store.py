"""Keep compiled kernels on disk, in the user's cache folder, under digests of their content.

The name of an entry is a digest of everything its machine code depends on: the code of the kernel
and of everything that it calls, the types of its arguments, the compiler, its settings and the
processor. It does not depend on where the package is installed or when its files were written, so a
reinstallation, another environment or another copy of the same sources finds the same entries, and
an edit never leaves a stale one.

Entries are written to a temporary file and renamed. Processes that need the same entry wait for the
first of them to compile it. Entries not used for a month are removed, and so are the oldest if all
of them together are too large.
"""

import hashlib
import importlib.util
import logging
import os
import pickle
import platform
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np
from platformdirs import user_cache_path

from roctree._jit import FunctionOf

__all__ = ["StoredKernel", "digest", "entry_of", "folder", "keeps_kernels", "locked"]

_LOG = logging.getLogger("roctree")
_DAY = 86_400.0
# Entries are removed after this time without use, and the oldest ones if all entries together are
# larger than this many bytes. All kernels of one version take about 15 MB.
_UNUSED = 30 * _DAY
_LARGEST = 200_000_000
# Seconds to wait for another process that is compiling the same kernel.
_LOCK_TIMEOUT = 120.0
# Whether to wait at all. A background process does not lock what it compiles, so no other process
# waits for it.
WAITS = True
# Settings of Numba on which machine code depends.
_SETTINGS = (
    "NUMBA_BOUNDSCHECK",
    "NUMBA_CPU_FEATURES",
    "NUMBA_CPU_NAME",
    "NUMBA_DEBUGINFO",
    "NUMBA_ENABLE_AVX",
    "NUMBA_LOOP_VECTORIZE",
    "NUMBA_OPT",
    "NUMBA_SLP_VECTORIZE",
)
# The module of this package on which machine code depends.
_COMPILER = "compiler.py"


def digest(function: Callable[..., Any]) -> str:
    """Return a digest of a function: its code, its constants and everything it refers to."""
    parts: list[str] = []
    pending, seen = [function], set()
    while pending:
        current = pending.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        parts += map(repr, _how_compiled(current))
        for value in _references(getattr(current, "py_func", current)):
            if hasattr(value, "__code__") or hasattr(value, "py_func"):
                pending.append(value)
            else:
                parts.append(_identified(value))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _how_compiled(function: Any) -> Iterator[Any]:
    """Yield the options of a kernel, and of a function that a user has compiled."""
    yield getattr(function, "targetoptions", None)
    for option in ("compiled_as", "python", "allocates", "passed"):
        yield getattr(function, option, None)


def _references(function: Any) -> list[Any]:
    """Return the code of a function, then the values of its closure, types and globals."""
    references: list[Any] = [function.__defaults__]
    references += [cell.cell_contents for cell in function.__closure__ or ()]
    with suppress(NameError, TypeError):
        references += get_type_hints(function, include_extras=True).values()
    names: list[str] = []
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        names += code.co_names
        references += [code.co_code, code.co_names, code.co_varnames]
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                codes.append(constant)
            elif constant != function.__doc__:
                references.append(constant)
    for name in names:
        value = function.__globals__.get(name)
        references.append(value)
        if isinstance(value, ModuleType) and value.__name__.startswith("roctree"):
            references += [vars(value).get(attribute) for attribute in names]
    return references


def _identified(value: Any) -> str:
    """Return a text that identifies a value; the repr of an array omits cells and digits."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype.str}{value.shape}{value.tobytes().hex()}"
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}({','.join(map(_identified, value))})"
    if isinstance(value, frozenset):
        return f"frozenset({','.join(sorted(map(_identified, value)))})"
    if isinstance(value, ModuleType):
        # A module is identified by its name, not by its contents.
        return value.__name__
    if isinstance(value, FunctionOf):
        return _identified(tuple(get_type_hints(value.kernel, include_extras=True).values()))
    if get_origin(value) is Annotated:
        return _identified(get_args(value))
    if hasattr(value, "_fields") and isinstance(value, type):
        return f"{value.__qualname__}({_fields(value)})"
    return repr(value)


@cache
def _fields(record: type) -> str:
    hints = get_type_hints(record, include_extras=True)
    return ",".join(f"{name}:{_identified(hints[name])}" for name in record._fields)  # type: ignore[attr-defined]


@cache
def _environment() -> str:
    """Return a digest of the compiler, the processor and the settings, without loading Numba."""
    from llvmlite import binding

    parts = [
        platform.python_implementation(),
        platform.python_version(),
        np.__version__.split(".")[0],
        binding.get_process_triple(),
        binding.get_host_cpu_name(),
        binding.get_host_cpu_features().flatten(),
        *(os.environ.get(setting, "") for setting in _SETTINGS),
    ]
    files = [Path(__file__).parent / _COMPILER]
    for package in ("numba", "llvmlite"):
        found = importlib.util.find_spec(package)
        if found is not None and found.origin is not None:
            files.append(Path(found.origin).parent / "_version.py")
    for file in files:
        with suppress(OSError):
            parts.append(file.read_text("utf-8"))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


@cache
def folder() -> Path | None:
    """Return the folder of compiled kernels; None, with a warning, if none can be written.

    It is in the user's cache folder, or in ``NUMBA_CACHE_DIR`` if that is set, which need not be
    writable if it exists. A user without a home directory gets a folder among the temporary files.
    Its files contain code that is executed, so a folder that another user owns is used only if that
    variable names it.
    """
    given = os.environ.get("NUMBA_CACHE_DIR", "")
    if given:
        path = Path(given) / "roctree"
        chosen = _writable_folder(path, private=False)
        if chosen is None and path.is_dir():
            # Read-only, but filled in advance, as in a container image.
            return path
    else:
        chosen = _writable_folder(
            user_cache_path("roctree", appauthor=False) / "kernels", private=True
        )
        if chosen is None:
            chosen = _temporary_folder()
    if chosen is None:
        warnings.warn(
            "roctree compiles its kernels in each process again, since it found no folder for "
            "them that it can write to: set NUMBA_CACHE_DIR to one.",
            RuntimeWarning,
            stacklevel=2,
        )
    return chosen


def keeps_kernels() -> bool:
    """Return whether later processes will find a kernel that is compiled now."""
    root = folder()
    return root is not None and os.access(root, os.W_OK)


def _temporary_folder() -> Path | None:
    user = os.getuid() if hasattr(os, "getuid") else "user"
    chosen = _writable_folder(Path(tempfile.gettempdir()) / f"roctree-{user}", private=True)
    if chosen is not None:
        warnings.warn(
            f"roctree keeps its compiled kernels in {chosen}, since the user's cache folder cannot "
            "be written to: set NUMBA_CACHE_DIR to a folder that stays.",
            RuntimeWarning,
            stacklevel=3,
        )
    return chosen


def _writable_folder(path: Path, *, private: bool) -> Path | None:
    """Make a folder if necessary; return None if it cannot be written to.

    A ``private`` folder must also belong to this user and be writable by no one else.
    """
    try:
        path.mkdir(0o700, parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path).close()
        status = path.lstat()
    except (OSError, RuntimeError):
        return None
    if private and hasattr(os, "getuid"):
        mine = status.st_uid == os.getuid() and not status.st_mode & 0o022
        return path if mine and not path.is_symlink() else None
    return path


class StoredKernel:
    """The place on disk of one compiled kernel.

    Parameters
    ----------
    function : callable
        A typed kernel.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.digest = digest(function)
        self.path: Path | None = None
        root = folder()
        if root is not None:
            name = f"{function.__module__}.{function.__name__}".removeprefix("roctree.")
            self.path = root / _environment() / f"{name}-{self.digest}.kernel"

    @property
    def exists(self) -> bool:
        """Whether the kernel has been compiled before."""
        return self.path is not None and self.path.exists()

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Wait for another process that compiles the same kernel, if there is one."""
        if self.path is None or self.path.exists() or not WAITS:
            yield
        else:
            with locked(self.path.with_suffix(".lock"), _LOCK_TIMEOUT):
                yield

    def load(self, context: Any) -> Any:
        """Return the compiled kernel; None if it has to be compiled."""
        context.refresh()
        if self.path is None:
            return None
        try:
            content = self.path.read_bytes()
            if time.time() - self.path.stat().st_mtime > _DAY:
                os.utime(self.path)
        except OSError:
            return None
        check, data = content[:32], content[32:]
        # Damaged entries are compiled again.
        if hashlib.sha256(data).digest() != check:
            return None
        from numba.core.compiler import CompileResult

        try:
            return CompileResult._rebuild(context, *pickle.loads(data))
        except ImportError:
            # The module of a user's criterion may not exist in this process.
            return None

    def save(self, result: Any) -> None:
        """Write a compiled kernel, unless it refers to memory of this process."""
        if self.path is None or result.library.has_dynamic_globals:
            return
        from numba.core.serialize import dumps

        data = dumps(result._reduce())
        try:
            _remove_old(self.path.parents[1])
            self.path.parent.mkdir(exist_ok=True)
            handle, name = tempfile.mkstemp(".writing", dir=self.path.parent)
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(data).digest() + data)
            Path(name).replace(self.path)
        except OSError as error:
            _warn_that_nothing_is_kept(self.path.parent, error.strerror)


entry_of = cache(StoredKernel)


@cache
def _warn_that_nothing_is_kept(place: Path, reason: str | None) -> None:
    _LOG.warning("roctree cannot keep compiled kernels in %s: %s.", place, reason)


@cache
def _remove_old(root: Path) -> None:
    """Remove entries not used for a long time, and the oldest if there are too many."""
    entries = []
    for path in root.rglob("*.*"):
        with suppress(OSError):
            status = path.stat()
            entries.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in entries)
    for moment, size, path in sorted(entries):
        left_over = path.suffix != ".kernel" and time.time() - moment > _DAY
        if left_over or time.time() - moment > _UNUSED or total > _LARGEST:
            # Another process may be about to write to a folder that was empty already.
            with suppress(OSError):
                path.unlink()
                total -= size
                path.parent.rmdir()


@contextmanager
def locked(path: Path, patience: float) -> Iterator[bool]:
    """Hold a lock between processes; yield false if it is not acquired within some seconds.

    The operating system releases the lock when the process ends. Without file locks, do not wait.
    """
    try:
        path.parent.mkdir(exist_ok=True)
        file = path.open("ab")
    except OSError:
        yield patience > 0.0
        return
    with file:
        held = _lock(file.fileno(), patience)
        try:
            yield held
        finally:
            if held:
                # Processes that still wait for this file find the entry written.
                with suppress(OSError):
                    path.unlink()


def _lock(handle: int, patience: float) -> bool:
    give_up = time.monotonic() + patience
    while True:
        try:
            _try_lock(handle)
        except (BlockingIOError, PermissionError):
            if time.monotonic() >= give_up:
                return False
            time.sleep(0.02)
        except OSError:
            return patience > 0.0
        else:
            return True


if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
