"""Declare, compile and cache kernels: loops over arrays that run without the interpreter."""

import gc
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import RLock
from types import FunctionType
from typing import Any, TypeVar, cast, overload

from numba import config, njit, types
from numba.core import cpu
from numba.extending import overload as implement_for_numba

from roctree._jit.libraries import LINKED_ONLY, OPTIMISED_ONCE
from roctree._jit.records import signature_of

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

# Counting references to arrays costs up to a third of a growth, and only kernels that allocate
# need it. The option is private to Numba: a version without it counts everywhere.
_OPTIONS = getattr(cpu, "CPUTargetOptions", None)
_UNCOUNTED: dict[str, Any] = {"_nrt": False, **OPTIMISED_ONCE} if hasattr(_OPTIONS, "_nrt") else {}

_LOCK = RLock()
_COMPILED: dict[Callable[..., Any], Callable[..., Any]] = {}


@cache
def stamp(package: str = "tree") -> str:
    """Return a digest of the sources of all kernels, so that an edit never leaves a stale one.

    Numba's own cache looks only at the file of the kernel itself and misses edits to the kernels
    that it calls in other files. Those are in its own package, in ``tree`` or in ``criteria``.
    """
    home = Path(__file__).parents[1]
    paths: list[Path] = []
    for name in sorted({"_jit", "criteria", "tree", package}):
        paths += [home / f"{name}.py", *sorted((home / name).rglob("*.py"))]
    stamps = []
    for path in paths:
        if path.exists():
            status = path.stat()
            stamps.append((path.name, status.st_size, status.st_mtime_ns))
    return hashlib.sha256(repr(stamps).encode()).hexdigest()[:12]


@contextmanager
def _no_collection() -> Iterator[None]:
    """Suspend garbage collection, which takes a tenth of the time to compile."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def compile_typed(
    function: Function,
    signature: Any,
    *,
    python: bool = True,
    passed: bool = True,
    allocates: bool = True,
) -> Function:
    """Compile a function for one signature, and cache it on disk where that is possible.

    Parameters
    ----------
    function : callable
        The function to compile.
    signature : Numba signature
        The types of its result and parameters.
    python : bool
        Whether Python calls it; otherwise the code that unpacks Python objects is left out.
    passed : bool
        Whether it is passed to other kernels; otherwise the code for that is left out.
    allocates : bool
        Whether it makes arrays; otherwise references are not counted.
    """
    options: dict[str, Any] = {
        "nogil": True,
        "error_model": "numpy",
        "no_cpython_wrapper": not python,
        "no_cfunc_wrapper": not passed,
        **({} if allocates else _UNCOUNTED),
    }
    with _no_collection():
        try:
            dispatcher = njit(signature, cache=True, **options)(function)
        except RuntimeError:
            dispatcher = njit(signature, **options)(function)
    if not JIT_DISABLED:
        # There is one signature, at one address: Numba need not look for either each time the
        # function is passed on.
        (result,) = dispatcher.overloads.values()
        dispatcher.get_compile_result = lambda _: result
        library = result.library
        library.get_pointer_to_function = cache(library.get_pointer_to_function)
    return cast(Function, dispatcher)


def kernel(function: Function) -> Function:
    """Compile a loop that only other kernels call: GIL released, divisions unchecked.

    It is not cached by itself: the typed kernel that contains it is. It counts references, and
    may allocate, if that kernel does; hence it must not return an array.
    """
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **LINKED_ONLY}
    return cast(Function, njit(nogil=True, error_model="numpy", **options)(function))


def inlined(function: Function) -> Function:
    """Compile a small piece into every kernel that calls it; Python can call it too."""
    return cast(Function, njit(function, nogil=True, error_model="numpy", forceinline=True))


def of_kind(whole: Function, others: Function, field: str) -> Function:
    """Return a kernel that calls one kernel for arrays of integers and another for all others.

    The choice is made when the caller is compiled, and only the chosen kernel is compiled.

    Parameters
    ----------
    whole, others : callable
        Kernels with the same parameters, the first of which is a record.
    field : str
        The field of the record whose type decides.
    """

    def of_whole(*arguments: Any) -> Any:
        return whole(*arguments)

    def of_others(*arguments: Any) -> Any:
        return others(*arguments)

    def chosen(*arguments: Any) -> Any:
        kind = getattr(arguments[0], field).dtype.kind
        return (of_whole if kind == "i" else of_others)(*arguments)

    def choose(*arguments: Any) -> Any:
        array = arguments[0].types[arguments[0].fields.index(field)]
        return of_whole if isinstance(array.dtype, types.Integer) else of_others

    implement_for_numba(chosen)(choose)
    return cast(Function, chosen)


@overload
def typed_kernel(function: Function) -> Function: ...
@overload
def typed_kernel(
    *, python: bool = True, allocates: bool = False
) -> Callable[[Function], Function]: ...
def typed_kernel(function: Any = None, *, python: bool = True, allocates: bool = False) -> Any:
    """Declare a kernel that Python calls or passes to other kernels.

    Its compiled type is derived from its annotations (see ``roctree._jit.records``). Only an
    explicit type makes Numba accept functions among the arguments as typed functions; otherwise it
    would compile the caller once for each of them. The kernel is compiled by ``compiled``, when it
    is first needed.

    Parameters
    ----------
    function : callable
        An annotated function.
    python : bool
        Whether Python calls it. If not, it is only passed to other kernels.
    allocates : bool
        Whether it, or a kernel that it contains, makes arrays. If not, references are not counted,
        and an attempt to allocate is an error when it is compiled.
    """

    def declare(function: Function) -> Function:
        return _declare(function, None, python=python, allocates=allocates)

    return declare if function is None else declare(function)


def _declare(function: Function, signature: Any, *, python: bool, allocates: bool) -> Function:
    function.__dict__.update(signature=signature, python=python, allocates=allocates)
    DECLARED.append(function)
    return function


def variant(name: str, function: Function, **instead: Any) -> Function:
    """Return a kernel again, under its own name, for other types of some parameters.

    Parameters
    ----------
    name : str
        The name of the variable that holds the variant.
    function : callable
        An annotated function that does not allocate.
    **instead : annotations
        The types of the parameters with these names.
    """
    twin = FunctionType(function.__code__, function.__globals__, name)
    twin.__qualname__ = name
    signature = signature_of(function, **instead)
    return _declare(cast(Function, twin), signature, python=True, allocates=False)


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the compiled form of a typed kernel, from the cache on disk where possible."""
    if JIT_DISABLED:
        return function
    ready = _COMPILED.get(function)
    if ready is not None:
        return ready
    with _LOCK:
        if function not in _COMPILED:
            declared = function.__dict__
            signature = declared["signature"]
            if signature is None:
                signature = signature_of(function)
            _COMPILED[function] = compile_typed(
                _stamped(function),
                signature,
                python=declared["python"],
                passed=not declared["python"] or declared.get("passed", False),
                allocates=declared["allocates"],
            )
        return _COMPILED[function]


def is_compiled(function: Callable[..., Any]) -> bool:
    """Whether a typed kernel is compiled, in this process or in the cache on disk."""
    if JIT_DISABLED or function in _COMPILED:
        return True
    folder = cache_folder(function)
    return folder is not None and any(folder.glob(f"*.{_stamped(function).__qualname__}-*.nbi"))


def cache_folder(function: Callable[..., Any]) -> Path | None:
    """Return where a compiled kernel is cached; None if no folder is writable."""
    try:
        dispatcher = njit(cache=True)(_stamped(function))
    except RuntimeError:
        return None
    path = dispatcher.stats.cache_path
    return None if path is None else Path(path)


@cache
def _stamped(function: Function) -> Function:
    """Return the function, its name extended by the state of all sources for the disk cache."""
    package = function.__module__.split(".")[1]
    function.__qualname__ = f"{function.__qualname__}_{stamp(package)}"
    return function
