"""Pieces of compiled loops that Numba has no words for: arrays lent, on the stack, in a row."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from roctree._jit.kernels import JIT_DISABLED

__all__ = ["MATRIX", "VECTOR", "borrow", "flat", "two_by_two"]

MATRIX = types.Array(types.float64, 2, "C")
VECTOR = types.Array(types.float64, 1, "C")


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
    """The cells from ``start`` to ``stop`` of an array in a row, owned by nobody."""

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
