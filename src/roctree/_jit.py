"""The only door to Numba: how a loop is compiled, and how a criterion reaches the grower.

A kernel is a plain loop over arrays, compiled once, cached on disk and run without the GIL. A
criterion is a plain function of one contingency table. It reaches the grower as two typed
first-class functions (one for a whole table, one for a block of binary candidates), so that the
grower is compiled once for all criteria, a user's own included.

With ``NUMBA_DISABLE_JIT=1`` everything here is ordinary Python with the same meaning.
"""

import gc
import hashlib
import logging
import os
import sys
import types as python_types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from subprocess import DEVNULL, Popen
from threading import RLock
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import config, njit, types
from numba.core import cgutils
from numba.core.errors import NumbaError
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from roctree.errors import ParameterError

__all__ = [
    "BLOCK_FUNCTION",
    "JIT_DISABLED",
    "TABLE_FUNCTION",
    "block_score",
    "borrow",
    "compiled",
    "compiling",
    "inlined",
    "kernel",
    "table_score",
    "typed_kernel",
    "types",
    "variant",
]

Function = TypeVar("Function", bound=Callable[..., Any])
TableScore = Callable[[np.ndarray], float]

_LOCK = RLock()
_LOG = logging.getLogger("roctree")
JIT_DISABLED = bool(config.DISABLE_JIT)  # type: ignore[attr-defined]

_MATRIX = types.Array(types.float64, 2, "C")
_VECTOR = types.Array(types.float64, 1, "C")
TABLE_SIGNATURE = types.float64(_MATRIX)
BLOCK_SIGNATURE = types.void(_MATRIX, types.intp, types.intp, _VECTOR, _VECTOR, _VECTOR)
TABLE_FUNCTION = types.FunctionType(TABLE_SIGNATURE)
BLOCK_FUNCTION = types.FunctionType(BLOCK_SIGNATURE)


@cache
def _stamp(package: str = "tree") -> str:
    """A digest of the sources of all kernels, so that no edit can leave a stale one behind.

    Numba's own cache looks only at the file of the kernel itself and misses edits to the kernels
    that it calls in other files. Those are in its own package, in ``tree`` or in ``criteria``.
    """
    stamps = []
    home = Path(__file__).parent
    patterns = sorted({"_jit.py", "criteria/*.py", "tree/*.py", "tree/*/*.py", f"{package}/*.py"})
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


def _compile(function: Function, signature: Any, *, python: bool = True) -> Function:
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


def typed_kernel(signature: Any, *, python: bool = True) -> Callable[[Function], Function]:
    """Declare the compiled type of a loop that Python calls or hands to other loops.

    With ``python=False`` it is only handed on.

    Only an explicit signature makes Numba take functions among the arguments as typed functions.
    Left to itself it would compile the caller anew for each of them, and optimise what is called
    once more inside each caller. The loop is compiled by ``compiled``, when it is first needed.
    """

    def declare(function: Function) -> Function:
        function.__dict__.update(signature=signature, python=python)
        return function

    return declare


def variant(name: str, function: Function, signature: Any) -> Function:
    """Return a loop once more, under a name of its own, to be compiled for other types."""
    twin = python_types.FunctionType(function.__code__, function.__globals__, name)
    twin.__qualname__ = name
    return typed_kernel(signature)(cast(Function, twin))


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The compiled form of a typed kernel, from the cache on disk where possible."""
    if JIT_DISABLED:
        return function
    with _LOCK:
        return _compiled(function)


@cache
def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    package = function.__module__.split(".")[1]
    function.__qualname__ = f"{function.__qualname__}_{_stamp(package)}"
    kind = function.__dict__
    return _compile(function, kind["signature"], python=kind["python"])


@contextmanager
def compiling(*functions: Callable[..., Any]) -> Iterator[None]:
    """Compile several typed kernels, and meanwhile whatever the body of the context compiles.

    Where the first of them is not in the cache on disk, a second process compiles one half, which
    almost halves the wait of the first fit on a machine, and the log says what is going on.
    """
    middle = (len(functions) + 1) // 2
    process = _compile_elsewhere(functions[middle:]) if _is_new(functions[0]) else None
    try:
        yield
        for function in functions[1:middle]:
            compiled(function)
    finally:
        if process is not None:
            process.wait()
    for function in functions[middle:]:
        compiled(function)


def _is_new(function: Callable[..., Any]) -> bool:
    """Compile a kernel; true if it was not there, and now is in the cache on disk."""
    before = _compiled.cache_info().misses
    kernel = compiled(function)
    if _compiled.cache_info().misses == before:
        return False
    stats = kernel.stats  # type: ignore[attr-defined]
    if stats.cache_misses:
        _announce(cached=stats.cache_path is not None)
    return bool(stats.cache_misses) and stats.cache_path is not None


@cache
def _announce(*, cached: bool) -> None:
    """Say once why the first fit takes longer."""
    once = "once on this machine" if cached else "in each process, for want of a writable cache"
    _LOG.info("Compiling the kernels for the first fit, which takes some seconds, %s.", once)


def _compile_elsewhere(functions: Sequence[Callable[..., Any]]) -> "Popen[bytes] | None":
    """Start a process that compiles these into the cache; None where that cannot be."""
    if not sys.executable or (os.cpu_count() or 1) < 2:
        return None
    lines = ["from roctree._jit import compiled"]
    for function in functions:
        lines += [
            f"import {function.__module__} as module",
            f"compiled(module.{function.__name__})",
        ]
    try:
        return Popen([sys.executable, "-c", "; ".join(lines)], stdout=DEVNULL, stderr=DEVNULL)
    except OSError:
        return None


@intrinsic
def _without_owner(typing_context: Any, array: Any) -> Any:
    """The same array, owned by nobody: it is not counted when kernels hand it to one another."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lent = make_array(array)(context, builder, arguments[0])
        lent.meminfo = cgutils.get_null_value(lent.meminfo.type)
        return lent._getvalue()

    return array(array), build


def _same(array: np.ndarray) -> np.ndarray:
    return array


# Reference counts are atomic and add up to a fifth of a growth. The caller in Python keeps hold of
# the arrays, so kernels may do without.
borrow: Any = _same if JIT_DISABLED else _without_owner


@intrinsic
def _two_by_two(typing_context: Any) -> Any:
    """A 2 x 2 table on the stack: its shape is known to the compiler, so loops over it vanish."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def size(value: int) -> Any:
            return context.get_constant(types.intp, value)

        number = context.get_data_type(types.float64)
        buffer = cgutils.alloca_once(builder, ir.ArrayType(number, 4))
        table = make_array(_MATRIX)(context, builder)
        populate_array(
            table,
            data=builder.bitcast(buffer, number.as_pointer()),
            shape=cgutils.pack_array(builder, [size(2), size(2)]),
            strides=cgutils.pack_array(builder, [size(16), size(8)]),
            itemsize=size(8),
            meminfo=None,
        )
        return table._getvalue()

    return _MATRIX(), build


def _empty_two_by_two() -> np.ndarray:
    return np.empty((2, 2))


@intrinsic
def _flat(typing_context: Any, array: Any, start: Any, stop: Any) -> Any:
    """The cells from ``start`` to ``stop`` of an array in a row, owned by nobody."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = make_array(array)(context, builder, arguments[0])
        cells = make_array(_VECTOR)(context, builder)
        populate_array(
            cells,
            data=builder.gep(whole.data, [arguments[1]]),
            shape=cgutils.pack_array(builder, [builder.sub(arguments[2], arguments[1])]),
            strides=cgutils.pack_array(builder, [context.get_constant(types.intp, 8)]),
            itemsize=context.get_constant(types.intp, 8),
            meminfo=None,
        )
        return cells._getvalue()

    return _VECTOR(array, types.intp, types.intp), build


def _reshaped(array: np.ndarray, start: int, stop: int) -> np.ndarray:
    return array.reshape(-1)[start:stop]


def _pair_template(
    lefts: np.ndarray,
    begin: int,
    end: int,
    total: np.ndarray,
    class_weight: np.ndarray,
    scores: np.ndarray,
) -> None:
    """Score the binary splits of two classes whose left branches are rows ``begin:end``.

    ``score``, ``flat`` and ``two_by_two`` are bound when a criterion is compiled. Only flat
    stretches of memory let the compiler score several candidates at once.
    """
    cells = flat(lefts, 2 * begin, 2 * end)  # type: ignore[name-defined]  # noqa: F821
    results = flat(scores, begin, end)  # type: ignore[name-defined]  # noqa: F821
    first_weight, second_weight = class_weight[0], class_weight[1]
    first_total, second_total = total[0], total[1]
    pair = two_by_two()  # type: ignore[name-defined]  # noqa: F821
    for i in range(results.size):
        pair[0, 0] = cells[2 * i] * first_weight
        pair[0, 1] = cells[2 * i + 1] * second_weight
        pair[1, 0] = (first_total - cells[2 * i]) * first_weight
        pair[1, 1] = (second_total - cells[2 * i + 1]) * second_weight
        results[i] = score(pair)  # type: ignore[name-defined]  # noqa: F821


def _block_template(
    lefts: np.ndarray,
    begin: int,
    end: int,
    total: np.ndarray,
    class_weight: np.ndarray,
    scores: np.ndarray,
) -> None:
    """Score the binary splits of any classes whose left branches are rows ``begin:end``."""
    table = np.empty((2, total.size))
    for i in range(begin, end):
        for label in range(total.size):
            table[0, label] = lefts[i, label] * class_weight[label]
            table[1, label] = (total[label] - lefts[i, label]) * class_weight[label]
        scores[i] = score(table)  # type: ignore[name-defined]  # noqa: F821


def _table_template(table: np.ndarray) -> float:
    return score(table)  # type: ignore[name-defined]  # noqa: F821


def _digest(function: Callable[..., Any]) -> str:
    """Identify a function by what it does: its code, its constants and all that it refers to."""
    parts: list[str] = []
    pending, seen = [function], set()
    while pending:
        current = pending.pop()
        current = getattr(current, "py_func", current)
        if id(current) in seen:
            continue
        seen.add(id(current))
        for value in _references(current):
            if hasattr(value, "__code__") or hasattr(value, "py_func"):
                pending.append(value)
            else:
                parts.append(repr(value))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _references(function: Any) -> list[Any]:
    """The code of a function, then the values of its constants, closure and globals."""
    code = function.__code__
    references = [code.co_code, code.co_names, function.__defaults__]
    for constant in code.co_consts:
        references.append(constant.co_code if hasattr(constant, "co_code") else constant)
    references += [cell.cell_contents for cell in function.__closure__ or ()]
    for name in code.co_names:
        value = function.__globals__.get(name)
        # A module stands for itself by its name: what it holds is not ours.
        references.append(value.__name__ if isinstance(value, python_types.ModuleType) else value)
    return references


def _bound(template: Function, function: TableScore, signature: Any) -> Function:
    """Compile ``template`` around one criterion, cached under the criterion's own digest."""
    inlined = njit(function, error_model="numpy", inline="always")
    names = {
        "np": np,
        "score": inlined,
        "two_by_two": _empty_two_by_two if JIT_DISABLED else _two_by_two,
        "flat": _reshaped if JIT_DISABLED else _flat,
        "__name__": __name__,
        "__builtins__": __builtins__,
    }
    code = template.__code__
    bound = python_types.FunctionType(code, names, code.co_name)
    bound.__qualname__ = f"{code.co_name}_{_digest(function)}_{_stamp()}"
    bound.__module__ = __name__
    return _compile(cast(Function, bound), signature)


@cache
def table_score(function: TableScore) -> TableScore:
    """The compiled ``table[branch, class] -> score``, as a typed function."""
    return _criterion(_table_template, function, TABLE_SIGNATURE)


@cache
def block_score(function: TableScore, n_classes: int) -> Callable[..., None]:
    """The compiled scorer of a block of binary candidates, as a typed function."""
    template = _pair_template if n_classes == 2 else _block_template
    return _criterion(template, function, BLOCK_SIGNATURE)


def _criterion(template: Function, function: TableScore, signature: Any) -> Function:
    try:
        return _bound(template, function, signature)
    except NumbaError as error:
        name = getattr(function, "__name__", repr(function))
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        reason = next((line for line in lines if "rror" in line or "cannot" in line), lines[-1])
        raise ParameterError(
            f"the criterion {name!r} cannot be compiled ({reason[:200]}): it must return a number, "
            "and may use loops, arithmetic, math and functions decorated with numba.njit."
        ) from error


def inlined(function: Function) -> Function:
    """A small piece, compiled into whatever calls it."""
    return cast(Function, njit(function, error_model="numpy", inline="always"))
