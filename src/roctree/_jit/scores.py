"""Compile a criterion: a function of a table, and one of a block of binary candidates.

Both are typed first-class functions, so that the grower is compiled once for all criteria, a user's
own included.
"""

import hashlib
import types as python_types
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, TypeAlias, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.errors import NumbaError
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from roctree._jit.kernels import JIT_DISABLED, compile_typed, stamp
from roctree.errors import ParameterError

__all__ = [
    "BLOCK_FUNCTION",
    "TABLE_FUNCTION",
    "BlockScore",
    "TableScore",
    "block_score",
    "table_score",
]

Function = TypeVar("Function", bound=Callable[..., Any])
Score = Callable[[np.ndarray], float]

MATRIX = types.Array(types.float64, 2, "C")
VECTOR = types.Array(types.float64, 1, "C")

TABLE_SIGNATURE = types.float64(MATRIX)
BLOCK_SIGNATURE = types.void(MATRIX, types.intp, types.intp, VECTOR, VECTOR, VECTOR)
TABLE_FUNCTION = types.FunctionType(TABLE_SIGNATURE)
BLOCK_FUNCTION = types.FunctionType(BLOCK_SIGNATURE)
# The annotations of these functions where they are arguments of kernels.
TableScore: TypeAlias = Annotated[Callable[..., float], TABLE_FUNCTION]
BlockScore: TypeAlias = Annotated[Callable[..., None], BLOCK_FUNCTION]


@intrinsic
def _two_by_two(typing_context: Any) -> Any:
    """Return a 2 x 2 table on the stack; its shape is a constant, so loops over it are unrolled."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def size(value: int) -> Any:
            return context.get_constant(types.intp, value)

        number = context.get_data_type(types.float64)
        buffer = cgutils.alloca_once(builder, ir.ArrayType(number, 4))
        table = make_array(MATRIX)(context, builder)
        populate_array(
            table,
            data=builder.bitcast(buffer, number.as_pointer()),
            shape=cgutils.pack_array(builder, [size(2), size(2)]),
            strides=cgutils.pack_array(builder, [size(16), size(8)]),
            itemsize=size(8),
            meminfo=None,
        )
        return table._getvalue()

    return MATRIX(), build


def _empty_two_by_two() -> np.ndarray:
    return np.empty((2, 2))


two_by_two: Any = _empty_two_by_two if JIT_DISABLED else _two_by_two


@intrinsic
def _flat(typing_context: Any, array: Any, start: Any, stop: Any) -> Any:
    """Return the cells from ``start`` to ``stop`` of a flattened array, without an owner."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = make_array(array)(context, builder, arguments[0])
        cells = make_array(VECTOR)(context, builder)
        populate_array(
            cells,
            data=builder.gep(whole.data, [arguments[1]]),
            shape=cgutils.pack_array(builder, [builder.sub(arguments[2], arguments[1])]),
            strides=cgutils.pack_array(builder, [context.get_constant(types.intp, 8)]),
            itemsize=context.get_constant(types.intp, 8),
            meminfo=None,
        )
        return cells._getvalue()

    return VECTOR(array, types.intp, types.intp), build


def _reshaped(array: np.ndarray, start: int, stop: int) -> np.ndarray:
    return array.reshape(-1)[start:stop]


flat: Any = _reshaped if JIT_DISABLED else _flat


def _pair_template(
    lefts: np.ndarray,
    begin: int,
    end: int,
    total: np.ndarray,
    class_weight: np.ndarray,
    scores: np.ndarray,
) -> None:
    """Score the binary splits of two classes whose left branches are rows ``begin:end``.

    ``score`` is bound when a criterion is compiled. Only flat stretches of memory let the compiler
    score several candidates at once.
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
    """Return a digest of a function: its code, its constants and everything it refers to."""
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
                parts.append(_identified(value))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _identified(value: Any) -> str:
    """Return a complete text of a value; the repr of an array leaves out cells and digits."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype.str}{value.shape}{value.tobytes().hex()}"
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}({','.join(map(_identified, value))})"
    return repr(value)


def _references(function: Any) -> list[Any]:
    """Return the code of a function, then the values of its constants, closure and globals."""
    code = function.__code__
    references = [code.co_code, code.co_names, function.__defaults__]
    for constant in code.co_consts:
        references.append(constant.co_code if hasattr(constant, "co_code") else constant)
    references += [cell.cell_contents for cell in function.__closure__ or ()]
    for name in code.co_names:
        value = function.__globals__.get(name)
        # A module is identified by its name, not by its contents.
        references.append(value.__name__ if isinstance(value, python_types.ModuleType) else value)
    return references


def _bound(template: Function, function: Score, signature: Any) -> Function:
    """Compile ``template`` around one criterion, cached under the criterion's own digest."""
    inlined = njit(function, error_model="numpy", inline="always")
    names = {
        "np": np,
        "score": inlined,
        "two_by_two": two_by_two,
        "flat": flat,
        "__name__": __name__,
        "__builtins__": __builtins__,
    }
    code = template.__code__
    bound = python_types.FunctionType(code, names, code.co_name)
    bound.__qualname__ = f"{code.co_name}_{_digest(function)}_{stamp()}"
    bound.__module__ = __name__
    return compile_typed(cast(Function, bound), signature)


@cache
def table_score(function: Score) -> Score:
    """Return the compiled ``table[branch, class] -> score``, as a typed function."""
    return _criterion(_table_template, function, TABLE_SIGNATURE)


@cache
def block_score(function: Score, n_classes: int) -> Callable[..., None]:
    """Return the compiled scorer of a block of binary candidates, as a typed function."""
    template = _pair_template if n_classes == 2 else _block_template
    return _criterion(template, function, BLOCK_SIGNATURE)


def _criterion(template: Function, function: Score, signature: Any) -> Function:
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
