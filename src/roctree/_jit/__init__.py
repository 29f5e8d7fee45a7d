"""The only package that imports Numba: kernels, compiled or interpreted.

A kernel is a loop over arrays: an ordinary Python function, whose decorator only notes how it is
compiled. ``compiled`` returns its compiled form, a separate function in which the kernels that it
calls are compiled as well (``roctree._jit.compiler``, which alone loads Numba). It is compiled
once, cached on disk and run without the GIL. Both forms compute the same, to the last bit. The
types of a kernel are derived from its annotations: numbers, arrays, and records (``NamedTuple``
classes) of both.

``choose`` decides between the two forms for a whole operation: if compiling would take longer than
the work itself, the kernels are interpreted while a background process compiles them for later use.
With ``NUMBA_DISABLE_JIT=1``, or without Numba, everything is interpreted.

A criterion is a function of one contingency table. It reaches the grower as two kernels (one for a
whole table, one for a block of binary candidates), so that the grower is compiled once for all
criteria, including user-defined ones.
"""

import importlib.util
import os
import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from threading import RLock
from types import FunctionType
from typing import Annotated, Any, Protocol, TypeAlias, TypeVar, cast, overload

import numpy as np

from roctree.arrays import ArrayType, Floats, Floats2D

__all__ = [
    "DECLARED",
    "JIT_DISABLED",
    "BlockScore",
    "FunctionOf",
    "Kernel",
    "Score",
    "TableScore",
    "block_score",
    "choose",
    "compile_later",
    "compiled",
    "dispatch_by_dtype",
    "function_type",
    "inlined",
    "interpreted",
    "is_compiled",
    "kernel",
    "new_record",
    "record_array_type",
    "table_score",
    "typed_kernel",
    "variant",
]

Kernel = Callable[..., Any]
Function = TypeVar("Function", bound=Kernel)

HAS_NUMBA = all(map(importlib.util.find_spec, ("numba", "llvmlite")))
JIT_DISABLED = not HAS_NUMBA or os.environ.get("NUMBA_DISABLE_JIT", "0") not in {"", "0"}

# The typed kernels of all modules imported so far.
DECLARED: list[Kernel] = []

_LOCK = RLock()
_COMPILED: dict[Kernel, Kernel] = {}


@overload
def kernel(function: Function) -> Function: ...
@overload
def kernel(*, allocates: bool) -> Callable[[Function], Function]: ...
def kernel(function: Any = None, *, allocates: bool = False) -> Any:
    """Declare a loop that only other kernels call.

    It is not cached by itself: the typed kernel that contains it is. It must not return an array.

    Parameters
    ----------
    function : callable
    allocates : bool
        Whether it, or a kernel that it calls, creates arrays. References are then counted, and the
        typed kernel that contains it must allocate too.
    """

    def declare(function: Function) -> Function:
        function.__dict__.update(compiled_as="part", allocates=allocates)
        return function

    return declare if function is None else declare(function)


def inlined(function: Function) -> Function:
    """Declare a small function that is compiled into every kernel that calls it.

    It must not create arrays.
    """
    function.__dict__.update(compiled_as="inlined", allocates=False)
    return function


def dispatch_by_dtype(for_integers: Function, for_others: Function, field: str) -> Function:
    """Return a kernel that calls one kernel for integer arrays and another for all others.

    The choice is made when the caller is compiled, and only the chosen kernel is compiled.

    Parameters
    ----------
    for_integers, for_others : callable
        Kernels with the same parameters, the first of which is a record.
    field : str
        The field of the record whose type decides.
    """

    def chosen(*arguments: Any) -> Any:
        kind = getattr(arguments[0], field).dtype.kind
        return (for_integers if kind == "i" else for_others)(*arguments)

    chosen.__dict__.update(compiled_as="by_dtype", choices=(for_integers, for_others, field))
    return cast(Function, chosen)


@overload
def typed_kernel(function: Function) -> Function: ...
@overload
def typed_kernel(
    *, python: bool = True, allocates: bool = False
) -> Callable[[Function], Function]: ...
def typed_kernel(function: Any = None, *, python: bool = True, allocates: bool = False) -> Any:
    """Declare a kernel that Python calls or passes to other kernels.

    Its compiled type is derived from its annotations (see ``roctree._jit.compiler``). Only an
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
        DECLARED.append(function)
        return declare_typed(function, python=python, allocates=allocates)

    return declare if function is None else declare(function)


def declare_typed(
    function: Function,
    *,
    python: bool = True,
    allocates: bool = False,
    passed: bool = False,
) -> Function:
    """Note how a typed kernel is compiled; ``passed`` if other kernels call it by pointer."""
    function.__dict__.update(python=python, allocates=allocates, passed=passed or not python)
    return function


def variant(name: str, function: Function, **types: Any) -> Function:
    """Return a second version of a kernel, with other types of some parameters.

    Parameters
    ----------
    name : str
        The name of the variable that holds the variant.
    function : callable
        An annotated function that does not allocate.
    **types : annotations
        The other types, by parameter.
    """
    twin = FunctionType(function.__code__, function.__globals__, name)
    twin.__qualname__ = name
    twin.__annotations__ = {**function.__annotations__, **types}
    DECLARED.append(twin)
    return cast(Function, declare_typed(twin))


@dataclass(frozen=True)
class FunctionOf:
    """The type of a function argument, given by a typed kernel."""

    kernel: Kernel


def function_type(function: Kernel) -> FunctionOf:
    """Return the type of a function that is passed as an argument, from its annotations."""
    function.__dict__["passed"] = True
    return FunctionOf(function)


def record_array_type(dtype: np.dtype[Any], ndim: int = 1, *, readonly: bool = False) -> ArrayType:
    """Return the type of an array of records, for ``Annotated[NDArray[Any], ...]``."""
    return ArrayType(dtype, ndim, readonly=readonly)  # type: ignore[arg-type]


def new_record(dtype: np.dtype[Any]) -> np.record:
    """Return a record of zeros, whose fields kernels and Python may read and write."""
    record: np.record = np.zeros(1, dtype).view(np.recarray)[0]
    return record


def interpreted(function: Kernel) -> Kernel:
    """Return the kernel itself."""
    return function


def compiled(function: Kernel, microseconds: float | None = None) -> Kernel:
    """Return the compiled form of a typed kernel, from the cache on disk where possible.

    Parameters
    ----------
    function : callable
        A typed kernel.
    microseconds : float, optional
        Microseconds that the kernel takes if interpreted. If that is less than the wait for the
        compiler, the kernel itself is returned.
    """
    ready = _COMPILED.get(function)
    if ready is not None:
        return ready
    if microseconds is not None:
        return choose(microseconds, function)(function)
    if JIT_DISABLED:
        return function
    with _LOCK:
        if function not in _COMPILED:
            _COMPILED[function] = _compile(function)
        return _COMPILED[function]


def _compile(function: Kernel) -> Kernel:
    """Return the compiled form of a kernel; the kernel itself if Numba cannot be loaded."""
    try:
        from roctree._jit.compiler import compile_kernel
    except ImportError as error:
        _warn_without_numba(f"Numba cannot be loaded ({error})")
        return function
    return compile_kernel(function)


def is_compiled(function: Kernel) -> bool:
    """Whether a typed kernel is compiled, in this process or on disk."""
    if JIT_DISABLED or function in _COMPILED:
        return True
    from roctree._jit.store import entry_of

    return entry_of(function).exists


class Waiting:
    """Estimated wait for the compiler, and the time spent on interpreting kernels.

    Attributes
    ----------
    loading : float
        Seconds to load Numba and compiled kernels, once per process.
    compiling : float
        The longest operation that is interpreted, in seconds, while kernels are not compiled.
    most : float
        Total seconds per process in which kernels may be interpreted; by then a background process
        has compiled them.
    most_alone : float
        As ``most``, for a process that cannot start a background process.
    spent : float
        Estimated seconds in which kernels have been interpreted so far.
    """

    loading = 0.4
    compiling = 1.2
    most = 20.0
    most_alone = 3.0

    def __init__(self) -> None:
        self.spent = 0.0

    def is_shorter(self, seconds: float, kernels: tuple[Kernel, ...]) -> bool:
        """Whether waiting for the compiler takes less time than interpreting."""
        total = self.spent + seconds
        if total <= self.loading and "numba" not in sys.modules:
            return False
        if seconds > self.compiling or total > self.most or all(map(is_compiled, kernels)):
            return True
        return not compile_later(kernels) and total > self.most_alone


WAITING = Waiting()


def compile_later(kernels: Iterable[Kernel]) -> bool:
    """Compile kernels in a background process; return whether one is running."""
    from roctree._jit.ahead import compile_in_background

    return compile_in_background(kernels)


def choose(microseconds: float, *kernels: Kernel) -> Callable[[Kernel], Kernel]:
    """Return ``compiled`` or ``interpreted``, whichever finishes an operation sooner.

    Parameters
    ----------
    microseconds : float
        Microseconds that the operation takes if interpreted.
    *kernels : callables
        All typed kernels of the operation; they are compiled or loaded if ``compiled`` is chosen.
    """
    if JIT_DISABLED:
        if not HAS_NUMBA:
            _warn_without_numba("Numba is not installed")
        return interpreted
    if all(kernel in _COMPILED for kernel in kernels):
        return compiled
    if not WAITING.is_shorter(1e-6 * microseconds, kernels):
        WAITING.spent += 1e-6 * microseconds
        return interpreted
    from roctree._jit.ahead import compile_now

    compile_now(kernels)
    return compiled


@cache
def _warn_without_numba(reason: str) -> None:
    warnings.warn(
        f"{reason}, so roctree interprets its loops: results are the same, but fits of more than "
        "a few hundred rows are slow.",
        RuntimeWarning,
        stacklevel=4,
    )


# The two kernels of a criterion: one scores a table, one a block of binary candidates.
#
# Both are typed kernels, passed to the grower as functions, so that the grower is compiled once for
# all criteria, including user-defined ones.


Score = Callable[[np.ndarray], float]


class HasScore(Protocol):
    """What a criterion is here: an object with a function that scores tables."""

    @property
    def function(self) -> Score:
        """The score of a table, as a plain function."""


def two_by_two() -> np.ndarray:
    """Return a 2 x 2 table; if compiled, it is on the stack, and loops over it are unrolled."""
    return np.empty((2, 2))


def flat(array: np.ndarray, start: int, stop: int) -> np.ndarray:
    """Return a view of the cells from ``start`` to ``stop`` of a flattened array."""
    return array.reshape(-1)[start:stop]


two_by_two.__dict__["compiled_as"] = "two_by_two"
flat.__dict__["compiled_as"] = "flat"


def _score_pairs(
    lefts: Floats2D, begin: int, end: int, total: Floats, class_weight: Floats, scores: Floats
) -> None:
    """Score the binary splits of two classes whose left branches are rows ``begin:end``.

    ``score`` is bound for each criterion. Contiguous, one-dimensional memory lets the compiler
    vectorise the loop over candidates.
    """
    cells = flat(lefts, 2 * begin, 2 * end)
    results = flat(scores, begin, end)
    first_weight, second_weight = class_weight[0], class_weight[1]
    first_total, second_total = total[0], total[1]
    pair = two_by_two()
    for i in range(results.size):
        pair[0, 0] = cells[2 * i] * first_weight
        pair[0, 1] = cells[2 * i + 1] * second_weight
        pair[1, 0] = (first_total - cells[2 * i]) * first_weight
        pair[1, 1] = (second_total - cells[2 * i + 1]) * second_weight
        results[i] = score(pair)  # type: ignore[name-defined]  # noqa: F821


def _score_block(
    lefts: Floats2D, begin: int, end: int, total: Floats, class_weight: Floats, scores: Floats
) -> None:
    """Score the binary splits of any classes whose left branches are rows ``begin:end``."""
    table = np.empty((2, total.size))
    for i in range(begin, end):
        for label in range(total.size):
            table[0, label] = lefts[i, label] * class_weight[label]
            table[1, label] = (total[label] - lefts[i, label]) * class_weight[label]
        scores[i] = score(table)  # type: ignore[name-defined]  # noqa: F821


def _score_table(table: Floats2D) -> float:
    return score(table)  # type: ignore[name-defined]  # noqa: F821


# Annotations for these functions as arguments of kernels.
TableScore: TypeAlias = Annotated[Callable[..., float], function_type(_score_table)]
BlockScore: TypeAlias = Annotated[Callable[..., None], function_type(_score_block)]


def table_score(criterion: HasScore) -> Score:
    """Return the kernel ``table[branch, class] -> score`` of a criterion."""
    kernel: Any = _bound(_score_table, criterion.function)
    kernel.__dict__["recipe"] = (table_score, (criterion,))
    return kernel


def block_score(criterion: HasScore, n_classes: int) -> Callable[..., None]:
    """Return the kernel that scores a block of binary candidates by a criterion."""
    template = _score_pairs if n_classes == 2 else _score_block
    kernel = _bound(template, criterion.function)
    kernel.__dict__["recipe"] = (block_score, (criterion, n_classes))
    return kernel


@cache
def _bound(template: Any, score: Score) -> Callable[..., Any]:
    """Return a template as a typed kernel around one criterion."""
    names = {**template.__globals__, "score": score}
    bound = FunctionType(template.__code__, names, template.__name__)
    bound.__annotations__ = template.__annotations__
    # Equal criteria share a kernel, whose name includes a digest of the criterion.
    bound.__dict__["criterion"] = getattr(score, "__name__", repr(score))
    return declare_typed(bound, allocates=template is _score_block, passed=True)
