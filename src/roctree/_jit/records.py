"""Compiled types, derived from annotations: arrays, records of arrays, functions, counters.

A kernel states its types once, in its annotations. ``int``, ``float`` and ``bool`` stand for
themselves, an array is one of the aliases below, and a ``NamedTuple`` class whose fields are
annotated in the same way is a record: a group of arrays and numbers that travel together.

.. code-block:: python

    class Cut(NamedTuple):
        gain: Floats
        place: Ints

    @typed_kernel
    def best_cut(feature: int, minimum: float, cut: Cut) -> bool: ...

A function that is passed as an argument is ``Annotated[Callable[..., float], function_type(f)]``
for some typed kernel ``f`` of the same type. Counters that a kernel changes are fields of an
``np.record``: ``Annotated[np.record, dtype]``, made by ``new_record(dtype)``.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from types import NoneType
from typing import Annotated, Any, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from llvmlite import ir
from numba import from_dtype, typeof, types
from numba.core import cgutils
from numba.core.boxing import unbox_tuple
from numba.core.typing.typeof import typeof_impl
from numba.extending import NativeValue, unbox
from numba.np.numpy_support import as_dtype
from numpy.typing import NDArray

__all__ = [
    "AnyFloats2D",
    "Bools",
    "Branches",
    "Branches2D",
    "Bytes",
    "Bytes2D",
    "Codes2D",
    "Floats",
    "Floats2D",
    "Floats3D",
    "Int32s",
    "Ints",
    "Ints2D",
    "Places",
    "Places2D",
    "ReadonlyBools",
    "ReadonlyBranches",
    "ReadonlyBranches2D",
    "ReadonlyBytes",
    "ReadonlyBytes2D",
    "ReadonlyCodes2D",
    "ReadonlyFloats",
    "ReadonlyFloats2D",
    "ReadonlyInt32s",
    "ReadonlyInt32s2D",
    "ReadonlyInts",
    "ReadonlyInts2D",
    "ReadonlyPlaces",
    "ReadonlyPlaces2D",
    "function_type",
    "new_record",
    "record_array",
    "record_type",
    "signature_of",
]

Record = TypeVar("Record", bound=type)


def _array(dtype: Any, ndim: int, layout: Any = "C", *, readonly: bool = False) -> Any:
    return types.Array(dtype, ndim, layout, readonly=readonly)


# C-contiguous arrays that a kernel may write to. Places are positions in other arrays.
Floats: TypeAlias = Annotated[NDArray[np.float64], _array(types.float64, 1)]
Floats2D: TypeAlias = Annotated[NDArray[np.float64], _array(types.float64, 2)]
Floats3D: TypeAlias = Annotated[NDArray[np.float64], _array(types.float64, 3)]
Ints: TypeAlias = Annotated[NDArray[np.int64], _array(types.int64, 1)]
Ints2D: TypeAlias = Annotated[NDArray[np.int64], _array(types.int64, 2)]
Int32s: TypeAlias = Annotated[NDArray[np.int32], _array(types.int32, 1)]
Places: TypeAlias = Annotated[NDArray[np.uint32], _array(types.uint32, 1)]
Places2D: TypeAlias = Annotated[NDArray[np.uint32], _array(types.uint32, 2)]
Branches: TypeAlias = Annotated[NDArray[np.int16], _array(types.int16, 1)]
Branches2D: TypeAlias = Annotated[NDArray[np.int16], _array(types.int16, 2)]
Codes2D: TypeAlias = Annotated[NDArray[np.uint16], _array(types.uint16, 2)]
Bytes: TypeAlias = Annotated[NDArray[np.uint8], _array(types.uint8, 1)]
Bytes2D: TypeAlias = Annotated[NDArray[np.uint8], _array(types.uint8, 2)]
Bools: TypeAlias = Annotated[NDArray[np.bool_], _array(types.boolean, 1)]

# C-contiguous arrays that a kernel only reads: they may be memory-mapped or otherwise read-only.
ReadonlyFloats: TypeAlias = Annotated[NDArray[np.float64], _array(types.float64, 1, readonly=True)]
ReadonlyFloats2D: TypeAlias = Annotated[
    NDArray[np.float64], _array(types.float64, 2, readonly=True)
]
ReadonlyInts: TypeAlias = Annotated[NDArray[np.int64], _array(types.int64, 1, readonly=True)]
ReadonlyInts2D: TypeAlias = Annotated[NDArray[np.int64], _array(types.int64, 2, readonly=True)]
ReadonlyInt32s: TypeAlias = Annotated[NDArray[np.int32], _array(types.int32, 1, readonly=True)]
ReadonlyInt32s2D: TypeAlias = Annotated[NDArray[np.int32], _array(types.int32, 2, readonly=True)]
ReadonlyPlaces: TypeAlias = Annotated[NDArray[np.uint32], _array(types.uint32, 1, readonly=True)]
ReadonlyPlaces2D: TypeAlias = Annotated[NDArray[np.uint32], _array(types.uint32, 2, readonly=True)]
ReadonlyBranches: TypeAlias = Annotated[NDArray[np.int16], _array(types.int16, 1, readonly=True)]
ReadonlyBranches2D: TypeAlias = Annotated[NDArray[np.int16], _array(types.int16, 2, readonly=True)]
ReadonlyCodes2D: TypeAlias = Annotated[NDArray[np.uint16], _array(types.uint16, 2, readonly=True)]
ReadonlyBytes: TypeAlias = Annotated[NDArray[np.uint8], _array(types.uint8, 1, readonly=True)]
ReadonlyBytes2D: TypeAlias = Annotated[NDArray[np.uint8], _array(types.uint8, 2, readonly=True)]
ReadonlyBools: TypeAlias = Annotated[NDArray[np.bool_], _array(types.boolean, 1, readonly=True)]

# A table of any memory layout that a kernel only reads: the caller's data, without a copy.
AnyFloats2D: TypeAlias = Annotated[
    NDArray[np.float64], _array(types.float64, 2, "A", readonly=True)
]

_SCALARS = {int: types.int64, float: types.float64, bool: types.boolean, NoneType: types.void}


def _type_of(annotation: Any) -> Any:
    """Return the compiled type that an annotation stands for."""
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    if isinstance(annotation, type) and hasattr(annotation, "_fields"):
        return record_type(annotation)
    if get_origin(annotation) is tuple:
        return types.Tuple([_type_of(part) for part in get_args(annotation)])
    for note in getattr(annotation, "__metadata__", ()):
        if isinstance(note, types.Type):
            return note
        if isinstance(note, np.dtype):
            return from_dtype(note)
    raise TypeError(f"{annotation!r} does not stand for a compiled type.")


@cache
def record_type(record: Record) -> Any:
    """Return the compiled type of a ``NamedTuple`` class, from the annotations of its fields.

    From now on its instances have exactly this type when they are passed to a kernel, whatever
    the layout of their arrays would suggest; an array that does not fit is refused.
    """
    hints = get_type_hints(record, include_extras=True)
    fields = tuple(_type_of(hints[name]) for name in record._fields)  # type: ignore[attr-defined]
    compiled_type = types.BaseTuple.from_types(fields, record)
    checks = [_check_of(field) for field in fields]

    def check(value: Any) -> bool:
        """Refuse a record with a field that cannot be used as declared without a copy."""
        for field, fits, place in zip(value, checks, range(len(checks)), strict=True):
            if not fits(field):
                name = f"{record.__name__}.{value._fields[place]}"
                raise TypeError(f"{name} must be {fields[place]}, and is {typeof(field)}.")
        return True

    def typeof_record(value: Any, _: Any) -> Any:
        check(value)
        return compiled_type

    _CHECKS[record] = check
    typeof_impl.register(record)(typeof_record)
    return compiled_type


_CHECKS: dict[type, Callable[[Any], bool]] = {}


def _check_of(declared: Any) -> Callable[[Any], bool]:
    """Return a function that tells whether a value can be used as this type without a copy.

    Numbers of other kinds are converted or refused when they are unpacked.
    """
    if isinstance(declared, types.Array):
        any_layout, mutable = declared.layout == "A", declared.mutable
        ndim, dtype = declared.ndim, as_dtype(declared.dtype)

        def is_array(value: Any) -> bool:
            flags = value.flags
            return (
                value.dtype == dtype
                and value.ndim == ndim
                and (any_layout or flags.c_contiguous)
                and (not mutable or flags.writeable)
                # Not flags.aligned: arrays received from other processes may be unaligned.
            )

        return lambda value: isinstance(value, np.ndarray) and is_array(value)
    if isinstance(declared, types.NamedTuple | types.NamedUniTuple):
        record = declared.instance_class
        return lambda value: type(value) is record and _CHECKS[record](value)
    if isinstance(declared, types.Integer):
        return lambda value: isinstance(value, int | np.integer)
    return lambda value: True


def _unbox_record(declared: Any, value: Any, c: Any) -> Any:
    """Unpack a record that is passed from Python, without a branch for each of its fields.

    Numba's own code checks each array, which is done by ``_CHECKS``, and takes longer to compile
    than the loops of a small kernel. It is used for other named tuples, and if arrays are counted.
    """
    if declared.instance_class not in _CHECKS or c.context.enable_nrt:
        return unbox_tuple(declared, value, c)
    room = cgutils.alloca_once(c.builder, c.context.get_value_type(declared))
    failures: list[Any] = []
    cleanups: list[Callable[[], None]] = []
    _unpack(declared, value, room, c, failures, cleanups)
    failed = ir.Constant(ir.IntType(1), 0)
    for failure in failures:
        failed = c.builder.or_(failed, failure)

    def clean() -> None:
        for cleanup in reversed(cleanups):
            cleanup()

    with (
        c.builder.if_then(failed, likely=False),
        c.builder.if_then(cgutils.is_null(c.builder, c.pyapi.err_occurred()), likely=False),
    ):
        message = f"a {declared.instance_class.__name__} cannot be unpacked."
        c.pyapi.err_set_string("PyExc_TypeError", message)
    return NativeValue(c.builder.load(room), is_error=failed, cleanup=clean if cleanups else None)


# If this module is loaded twice, the first copy stays, and leaves the records of the second to
# Numba.
with suppress(KeyError):
    unbox(types.NamedTuple)(_unbox_record)


def _unpack(
    declared: Any,
    value: Any,
    room: Any,
    c: Any,
    failures: list[Any],
    cleanups: list[Callable[[], None]],
) -> None:
    """Write a field of a record, an object of Python, to its place in memory."""
    if isinstance(declared, types.Array):
        code = c.pyapi.numba_array_adaptor(value, c.builder.bitcast(room, c.pyapi.voidptr))
        failures.append(cgutils.is_not_null(c.builder, code))
    elif isinstance(declared, types.BaseNamedTuple):
        fields: Iterable[Any] = declared  # type: ignore[assignment]
        for place, field in enumerate(fields):
            item = c.pyapi.tuple_getitem(value, place)
            inner = cgutils.gep_inbounds(c.builder, room, 0, place)
            _unpack(field, item, inner, c, failures, cleanups)
    else:
        native = c.unbox(declared, value)
        c.builder.store(native.value, room)
        failures.append(native.is_error)
        if native.cleanup is not None:
            cleanups.append(native.cleanup)


@cache
def _hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    return get_type_hints(function, include_extras=True)


def signature_of(function: Callable[..., Any], **instead: Any) -> Any:
    """Return the compiled signature of a function, from its annotations.

    Parameters
    ----------
    function : callable
        A function whose parameters and result are all annotated.
    **instead : annotations
        Annotations that replace those of the parameters with these names.
    """
    hints = {**_hints_of(function), **instead}
    result = _type_of(hints.pop("return"))
    return result(*map(_type_of, hints.values()))


def function_type(function: Callable[..., Any]) -> Any:
    """Return the type of a function that is passed as an argument, from its annotations."""
    function.__dict__["passed"] = True
    return types.FunctionType(signature_of(function))


def record_array(dtype: np.dtype[Any], ndim: int = 1, *, readonly: bool = False) -> Any:
    """Return the compiled type of an array of records, for ``Annotated[NDArray[Any], ...]``."""
    return _array(from_dtype(dtype), ndim, readonly=readonly)


def new_record(dtype: np.dtype[Any]) -> np.record:
    """Return a record of zeros, whose fields kernels and Python may read and write."""
    record: np.record = np.zeros(1, dtype).view(np.recarray)[0]
    return record
