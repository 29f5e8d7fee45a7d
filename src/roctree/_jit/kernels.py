"""How a loop is declared and compiled, and where what was compiled is kept."""

import gc
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import RLock
from types import FunctionType
from typing import Any, TypeVar, cast

from numba import config, njit, types
from numba.extending import overload

__all__ = [
    "DECLARED",
    "JIT_DISABLED",
    "cache_folder",
    "compile_typed",
    "compiled",
    "inlined",
    "is_compiled",
    "kernel",
    "of_kind",
    "stamp",
    "typed_kernel",
    "variant",
]

Function = TypeVar("Function", bound=Callable[..., Any])

JIT_DISABLED = bool(config.DISABLE_JIT)  # type: ignore[attr-defined]

# The typed kernels of all modules imported so far.
DECLARED: list[Callable[..., Any]] = []

_LOCK = RLock()
_COMPILED: dict[Callable[..., Any], Callable[..., Any]] = {}


@cache
def stamp(package: str = "tree") -> str:
    """A digest of the sources of all kernels, so that no edit can leave a stale one behind.

    Numba's own cache looks only at the file of the kernel itself and misses edits to the kernels
    that it calls in other files. Those are in its own package, in ``tree`` or in ``criteria``.
    """
    stamps = []
    home = Path(__file__).parents[1]
    rooms = {"_jit/*.py", "criteria.py", "tree/*.py", "tree/*/*.py"}
    patterns = sorted(rooms | {f"{package}.py", f"{package}/*.py"})
    for path in [path for pattern in patterns for path in sorted(home.glob(pattern))]:
        status = path.stat()
        stamps.append((path.name, status.st_size, status.st_mtime_ns))
    return hashlib.sha256(repr(stamps).encode()).hexdigest()[:12]


@contextmanager
def _no_collection() -> Iterator[None]:
    """Leave garbage alone meanwhile: looking for it takes a tenth of the time to compile."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def compile_typed(function: Function, signature: Any, *, python: bool = True) -> Function:
    """Compile ``function``; without a place for the cache, compile it in each process.

    Where Python never calls it, the code to unpack its many arguments is left out.
    """
    options: dict[str, Any] = {
        "nogil": True,
        "error_model": "numpy",
        "no_cpython_wrapper": not python,
    }
    with _no_collection():
        try:
            dispatcher = njit(signature, cache=True, **options)(function)
        except RuntimeError:
            dispatcher = njit(signature, **options)(function)
    if not JIT_DISABLED:
        # There is one signature: Numba need not look for it each time the function is handed on.
        (result,) = dispatcher.overloads.values()
        dispatcher.get_compile_result = lambda _: result
    return cast(Function, dispatcher)


def kernel(function: Function) -> Function:
    """Compile a loop that only other loops call: GIL released, divisions unchecked.

    It is not cached by itself: the kernel that contains it is.
    """
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(Function, njit(nogil=True, error_model="numpy", **options)(function))


def inlined(function: Function) -> Function:
    """A small piece, compiled into whatever calls it."""
    return cast(Function, njit(function, error_model="numpy", inline="always"))


def of_kind(whole: Function, others: Function, array: int) -> Function:
    """Return a piece that is one kernel for arrays of whole numbers and another for all others.

    Which of them is known when the caller is compiled, and only that one is.

    Parameters
    ----------
    whole, others : kernels with the same arguments
    array : the place of the argument that decides
    """

    def of_whole(*arguments: Any) -> Any:
        return whole(*arguments)

    def of_others(*arguments: Any) -> Any:
        return others(*arguments)

    def chosen(*arguments: Any) -> Any:
        return (of_whole if arguments[array].dtype.kind == "i" else of_others)(*arguments)

    def choose(*arguments: Any) -> Any:
        return of_whole if isinstance(arguments[array].dtype, types.Integer) else of_others

    overload(chosen)(choose)
    return cast(Function, chosen)


def typed_kernel(signature: Any, *, python: bool = True) -> Callable[[Function], Function]:
    """Declare the compiled type of a loop that Python calls or hands to other loops.

    With ``python=False`` it is only handed on.

    Only an explicit signature makes Numba take functions among the arguments as typed functions.
    Left to itself it would compile the caller anew for each of them, and optimise what is called
    once more inside each caller. The loop is compiled by ``compiled``, when it is first needed.
    """

    def declare(function: Function) -> Function:
        function.__dict__.update(signature=signature, python=python)
        DECLARED.append(function)
        return function

    return declare


def variant(name: str, function: Function, signature: Any) -> Function:
    """Return a loop once more, under a name of its own, to be compiled for other types."""
    twin = FunctionType(function.__code__, function.__globals__, name)
    twin.__qualname__ = name
    return typed_kernel(signature)(cast(Function, twin))


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The compiled form of a typed kernel, from the cache on disk where possible."""
    if JIT_DISABLED:
        return function
    ready = _COMPILED.get(function)
    if ready is not None:
        return ready
    with _LOCK:
        if function not in _COMPILED:
            kind = function.__dict__
            _COMPILED[function] = compile_typed(
                _stamped(function), kind["signature"], python=kind["python"]
            )
        return _COMPILED[function]


def is_compiled(function: Callable[..., Any]) -> bool:
    """Whether a typed kernel is ready, in this process or by an earlier one on disk."""
    if JIT_DISABLED or function in _COMPILED:
        return True
    folder = cache_folder(function)
    return folder is not None and any(folder.glob(f"*.{_stamped(function).__qualname__}-*.nbi"))


def cache_folder(function: Callable[..., Any]) -> Path | None:
    """Where a typed kernel is kept once it is compiled; None where nothing can be written."""
    try:
        dispatcher = njit(cache=True)(_stamped(function))
    except RuntimeError:
        return None
    path = dispatcher.stats.cache_path
    return None if path is None else Path(path)


@cache
def _stamped(function: Function) -> Function:
    """The function, under a name that tells the state of all sources to the cache on disk."""
    package = function.__module__.split(".")[1]
    function.__qualname__ = f"{function.__qualname__}_{stamp(package)}"
    return function
