"""Compiled types, derived from annotations: arrays, records of arrays, functions, counters.

A kernel states its types once, in its annotations. ``int``, ``float`` and ``bool`` stand for
themselves, an array is one of the aliases in ``roctree.arrays``, and a ``NamedTuple`` class whose
fields are annotated in the same way is a record: a group of arrays and numbers that travel
together.

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
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from llvmlite import ir
from numba import from_dtype, typeof, types
from numba.core import cgutils
from numba.core.boxing import unbox_tuple
from numba.core.typing.typeof import typeof_impl
from numba.extending import NativeValue, unbox
from numba.np.numpy_support import as_dtype

from roctree._jit.kernels import FunctionOf
from roctree.arrays import ArrayType

Record = TypeVar("Record", bound=type)

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
        if isinstance(note, FunctionOf):
            return types.FunctionType(signature_of(note.kernel))
        if isinstance(note, ArrayType):
            element = from_dtype(np.dtype(note.dtype))
            return types.Array(element, note.ndim, note.layout, readonly=note.readonly)
        if isinstance(note, np.dtype):
            return from_dtype(note)
    raise TypeError(f"{annotation!r} does not stand for a compiled type.")


@cache
def record_type(record: Record) -> Any:
    """Return the compiled type of a ``NamedTuple`` class, from the annotations of its fields.

    From now on its instances have exactly this type when they are passed to a kernel, whatever
    the layout of their arrays would suggest; an array that does not fit is rejected.
    """
    hints = get_type_hints(record, include_extras=True)
    fields = tuple(_type_of(hints[name]) for name in record._fields)  # type: ignore[attr-defined]
    compiled_type = types.BaseTuple.from_types(fields, record)
    checks = [_check_of(field) for field in fields]

    def check(value: Any) -> bool:
        """Reject a record with a field that cannot be used as declared without a copy."""
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
    """Return a function that tests whether a value can be used as this type without a copy.

    Other kinds of numbers are converted or rejected when they are unpacked.
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
    """Unpack a record that is passed from Python, without a check of each field.

    Numba's own code checks each array, which ``_CHECKS`` has already done, and takes longer to
    compile than the loops of a small kernel. It is still used for other named tuples and for
    kernels that count references.
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


# If this module is imported twice, the first copy remains registered, and Numba unpacks the records
# of the second.
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
    """Write one field of a record, a Python object, to memory."""
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
def signature_of(function: Callable[..., Any]) -> Any:
    """Return the compiled signature of a function, from its annotations."""
    hints = get_type_hints(function, include_extras=True)
    result = _type_of(hints.pop("return"))
    return result(*map(_type_of, hints.values()))
