"""Compile kernels with Numba, which only this module imports.

A kernel is compiled from a copy of its function, in which the kernels that it calls are replaced by
their compiled forms. The function itself is unchanged and can be interpreted.

**Each kernel is optimised and translated once.** Numba compiles every function separately, together
with everything that it calls, so a function called three levels below a typed kernel is optimised
four times. Here a kernel that only other kernels call is simplified and linked, and the typed
kernel that contains it is optimised and translated as a whole. This replaces private steps of
Numba. With a version that lacks them, kernels are compiled as usual, with the same results.
"""

import dis
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from types import CellType, CodeType, FunctionType, NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from llvmlite import ir
from llvmlite.binding import Linkage
from numba import from_dtype, njit, typeof, types
from numba.core import cgutils, codegen, cpu, lowering, targetconfig, typed_passes
from numba.core.boxing import unbox_tuple
from numba.core.compiler import Compiler
from numba.core.errors import NumbaError
from numba.core.typing.typeof import typeof_impl
from numba.extending import NativeValue, intrinsic, unbox
from numba.extending import overload as implement_for_numba
from numba.np.arrayobj import make_array, populate_array
from numba.np.numpy_support import as_dtype

from roctree._jit import FunctionOf, Kernel
from roctree._jit.store import entry_of
from roctree.arrays import ArrayType
from roctree.errors import ParameterError
from roctree.garbage_collection import paused_garbage_collection

__all__ = ["compile_kernel"]

_Library: Any = getattr(codegen, "JITCodeLibrary", object)
_Codegen: Any = getattr(codegen, "CPUCodegen", object)
_NumbaLower: Any = getattr(lowering, "Lower", object)
_Lowering: Any = getattr(typed_passes, "NativeLowering", object)
_STEPS = (
    "_optimize_final_module",
    "_finalize_dynamic_globals",
    "_finalize_final_module",
    "_get_module_for_linking",
    "_raise_if_finalized",
    "finalize",
    "get_pointer_to_function",
)
_HAS_STEPS = all(hasattr(_Library, step) for step in _STEPS) and all(
    hasattr(_Codegen, step) for step in ("_module_pass_manager", "_pass_builder")
)


class _NoEnvironment:
    """Stand-in for the code generator of a part that is not compiled on its own."""

    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Do nothing: the environment serves only code that calls the interpreter."""


class _PartLibrary(_Library):  # type: ignore[misc]
    """The code of a function that is only linked to that of its callers."""

    codegen = _NoEnvironment()
    _shared_module: Any

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Keep the code as it is, without linking the functions that it calls."""
        self._raise_if_finalized()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                # Several callers may link it; it is dropped if all of them inline it.
                function.linkage = "linkonce_odr"
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return the code with everything that it calls, for Numba's own libraries."""
        if self._shared_module is None:
            module = self._final_module.clone()
            for library in _with_callees(self._linking_libraries):
                module.link_in(library._get_module_for_linking(), preserve=True)
            self._shared_module = module
        return self._shared_module

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: the function has no address."""
        return 0


class _WithoutCallees:
    """The code of a part, to be linked without the functions that it calls."""

    def __init__(self, part: _PartLibrary) -> None:
        self._part = part
        self._reload_init = getattr(part, "_reload_init", ())

    def _get_module_for_linking(self) -> Any:
        return self._part._final_module


def _with_callees(libraries: Iterable[Any]) -> list[Any]:
    """Return libraries and everything they call, without repetitions."""
    found = dict.fromkeys(libraries)
    pending = list(found)
    for library in pending:
        if isinstance(library, _PartLibrary):
            new = [callee for callee in library._linking_libraries if callee not in found]
            found.update(dict.fromkeys(new))
            pending += dict.fromkeys(new)
    return [_WithoutCallees(each) if isinstance(each, _PartLibrary) else each for each in found]


class _WholeLibrary(_Library):  # type: ignore[misc]
    """The code of a function with everything that it calls."""

    def finalize(self) -> None:
        """Link everything, optimise it and translate it."""
        self._linking_libraries: list[Any] = _with_callees(self._linking_libraries)
        super().finalize()


class _UncountedLibrary(_WholeLibrary):
    """The code of a function without reference counting, with everything that it calls."""

    def _optimize_functions(self, module: Any) -> None:
        """Skip this round: the whole module is optimised later."""
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Skip the first of two rounds, which only prepares the removal of reference counts."""
        manager, builder = self._codegen._module_pass_manager()
        manager.run(self._final_module, builder)


class _PartCompiler(Compiler):
    def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
        if library is None:
            library = _PartLibrary(target.codegen(), "part")
        super().__init__(typing, target, library, *others)


class _WholeCompiler(Compiler):
    library_class: Any = _WholeLibrary

    def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
        if library is None:
            library = self.library_class(target.codegen(), "kernel")
            # As in Numba, so that the code can be cached on disk.
            library.enable_object_caching()
        super().__init__(typing, target, library, *others)


class _UncountedCompiler(_WholeCompiler):
    library_class = _UncountedLibrary


@contextmanager
def _linking() -> Iterator[None]:
    """Link everything else that a kernel calls, such as Numba's own functions, in the same way."""
    before = getattr(codegen.JITCPUCodegen, "_library_class", None)
    if not _HAS_STEPS or before is not _Library:
        yield
        return
    codegen.JITCPUCodegen._library_class = _PartLibrary
    try:
        yield
    finally:
        codegen.JITCPUCodegen._library_class = before


class _Lower(_NumbaLower):  # type: ignore[misc]
    """Generates code that reads single fields of records, if references are not counted.

    Numba loads a whole record to read one field, and overwrites a record with zeros when it is no
    longer used. LLVM removes both again, which takes long if records have many fields.
    """

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """Read only the requested field of a record."""
        if expr.op == "getattr":
            name = expr.value.name
            record = self.typeof(name)
            in_memory = name not in self._blk_local_varmap
            if isinstance(record, types.BaseNamedTuple) and in_memory and not self._counts():
                place = record.fields.index(expr.attr)  # type: ignore[attr-defined]
                field = cgutils.gep_inbounds(self.builder, self.getvar(name), 0, place)
                value = self.builder.load(field)
                return self.context.cast(self.builder, value, record[place], resty)
        return super().lower_expr(resty, expr)

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """Store a variable without reading its previous value."""
        if self._counts() or argidx is not None or name in self._singly_assigned_vars:
            super().storevar(value, name, argidx)
        else:
            self.builder.store(value, self.getvar(name))

    def delvar(self, name: str) -> None:
        """Leave a variable that is no longer used as it is."""
        if self._counts():
            super().delvar(name)

    def _counts(self) -> bool:
        return self.context.enable_nrt or self._disable_sroa_like_opt


_HAS_LOWERING = "lowering_class" in vars(_Lowering) and all(
    hasattr(_NumbaLower, step)
    for step in ("lower_expr", "storevar", "delvar", "getvar", "_disable_sroa_like_opt")
)


@contextmanager
def _lowering() -> Iterator[None]:
    """Generate code that reads single fields of records."""
    if not _HAS_LOWERING:
        yield
        return
    before = vars(_Lowering)["lowering_class"]
    _Lowering.lowering_class = property(lambda _: _Lower)
    try:
        yield
    finally:
        _Lowering.lowering_class = before


# Options of ``numba.njit``. Counting references to arrays takes up to a third of the time of a
# growth, and only kernels that allocate need it. ``_nrt`` is a private option: with a version of
# Numba that lacks it, references are counted everywhere.
_HAS_UNCOUNTED = hasattr(getattr(cpu, "CPUTargetOptions", None), "_nrt")
_COMMON: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
_PART: dict[str, Any] = {"pipeline_class": _PartCompiler} if _HAS_STEPS else {}
_WHOLE: dict[str, Any] = {"pipeline_class": _WholeCompiler} if _HAS_STEPS else {}
_UNCOUNTED: dict[str, Any] = {"pipeline_class": _UncountedCompiler} if _HAS_STEPS else {}


def compile_kernel(function: Kernel) -> Kernel:
    """Compile a typed kernel for its signature, or load it from disk."""
    declared = function.__dict__
    options = {
        **_COMMON,
        "no_cpython_wrapper": not declared["python"],
        "no_cfunc_wrapper": not declared["passed"],
    }
    if _HAS_UNCOUNTED and not declared["allocates"]:
        options.update(_nrt=False, **_UNCOUNTED)
    else:
        options.update(_WHOLE)
    entry, signature = entry_of(function), signature_of(function)
    dispatcher: Any = njit(**options)(_copy(function, {}))
    with entry.claimed(), paused_garbage_collection():
        result = entry.load(dispatcher.targetctx)
        if result is None:
            # Functions name the symbols in machine code, so their names must be unique.
            twin = _twin(function)
            twin.__qualname__ = f"{function.__qualname__}_{entry.digest}"
            dispatcher = njit(**options)(twin)
            try:
                with _remembering(), _linking(), _lowering():
                    dispatcher.compile(signature)
            except NumbaError as error:
                if "criterion" in declared:
                    raise _refusal(declared["criterion"], error) from error
                raise
            (result,) = dispatcher.overloads.values()
            entry.save(result)
        else:
            dispatcher.add_overload(result)
    dispatcher.disable_compile()
    if declared["passed"]:
        _note_addresses(dispatcher, result)
    return dispatcher


def _note_addresses(dispatcher: Any, result: Any) -> None:
    """Note where the code of a kernel is, for ``_unpack_function``."""
    library, names = result.library, result.fndesc
    addresses = map(
        library.get_pointer_to_function, (names.llvm_cfunc_wrapper_name, names.llvm_func_name)
    )
    dispatcher.addresses = tuple(addresses)


def _refusal(name: str, error: NumbaError) -> ParameterError:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reason = next((line for line in lines if "rror" in line or "cannot" in line), lines[-1])
    return ParameterError(
        f"the criterion {name!r} cannot be compiled ({reason[:200]}): it must return a number, "
        "and may use loops, arithmetic, math and functions decorated with numba.njit."
    )


class _InferredTypes:
    """Cache of the types that Numba infers for calls, by its settings."""

    def __init__(self) -> None:
        self.known: dict[Any, tuple[Any, ...]] = {}

    def infer(self, infer: Callable[..., Any], function: Any, *call: Any) -> Any:
        """Return the type of a call, calling ``infer`` for new ones."""
        flags = targetconfig.ConfigStack.top_or_none()
        settings = flags and (flags.nrt, flags.error_model, flags.boundscheck, str(flags.fastmath))
        _, arguments, named = call
        # Types are unique and kept alive here, so their identity is a valid key.
        types_of_call = *map(id, arguments), *((name, id(named[name])) for name in named)
        key = settings, id(function), *types_of_call
        if key not in self.known:
            self.known[key] = infer(function, *call), function, arguments, named
        return self.known[key][0]


_INFERRED = _InferredTypes()


@contextmanager
def _remembering() -> Iterator[None]:
    """Infer the type of each distinct call once; Numba tries all implementations at every call."""
    function_type: Any = getattr(types.functions, "BaseFunction", None)
    infer = getattr(function_type, "get_call_type", None)
    if infer is None or infer.__module__ == __name__:
        yield
        return
    function_type.get_call_type = lambda *call: _INFERRED.infer(infer, *call)
    try:
        yield
    finally:
        function_type.get_call_type = infer


def _twin(function: Kernel) -> FunctionType:
    """Return a copy of a function in which kernels are replaced by their compiled forms."""
    names: set[str] = set()
    codes: list[CodeType] = [function.__code__]
    for code in codes:
        loads = (each for each in dis.get_instructions(code) if each.opname == "LOAD_GLOBAL")
        names.update(each.argval for each in loads)
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    known = function.__globals__
    compiled = {name: _counterpart(known[name]) for name in names if name in known}
    if "criterion" in function.__dict__:
        compiled["score"] = _inlined(known["score"])
    return _copy(function, compiled)


def _copy(function: Kernel, instead: dict[str, Any]) -> FunctionType:
    """Return a copy of a function with other values of some globals, and compiled closures."""
    cells = [CellType(_counterpart(cell.cell_contents)) for cell in function.__closure__ or ()]
    return FunctionType(
        function.__code__,
        {**function.__globals__, **instead},
        function.__name__,
        function.__defaults__,
        tuple(cells),
    )


def _counterpart(value: Any) -> Any:
    """Return the value to use in compiled code: for a kernel, its compiled form."""
    made = _MAKERS.get(getattr(value, "__dict__", {}).get("compiled_as"))
    return value if made is None else made(value)


@cache
def _compile_part(function: Kernel, **options: Any) -> Any:
    options.update(no_cpython_wrapper=True, no_cfunc_wrapper=True, **_PART)
    # A criterion that is not declared as a kernel counts references if its caller does.
    if _HAS_UNCOUNTED and function.__dict__.get("allocates") is False:
        options["_nrt"] = False
    return njit(**_COMMON, **options)(_twin(function))


def _inlined(function: Kernel) -> Any:
    return _compile_part(function, forceinline=True)


@cache
def _by_dtype(function: Kernel) -> Any:
    for_integers, for_others, field = function.__dict__["choices"]
    compiled_for_integers, compiled_for_others = map(_counterpart, (for_integers, for_others))

    def stub(*arguments: Any) -> Any:
        return None

    def call_for_integers(*arguments: Any) -> Any:
        return compiled_for_integers(*arguments)

    def call_for_others(*arguments: Any) -> Any:
        return compiled_for_others(*arguments)

    def implementation(*arguments: Any) -> Any:
        array = arguments[0].types[arguments[0].fields.index(field)]
        return call_for_integers if isinstance(array.dtype, types.Integer) else call_for_others

    implement_for_numba(stub)(implementation)
    return stub


_MATRIX = types.Array(types.float64, 2, "C")
_VECTOR = types.Array(types.float64, 1, "C")


@intrinsic
def _two_by_two(typing_context: Any) -> Any:
    """Return a 2 x 2 table on the stack; its shape is a constant, so loops over it are unrolled."""

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


@intrinsic
def _flat(typing_context: Any, array: Any, start: Any, stop: Any) -> Any:
    """Return the cells from ``start`` to ``stop`` of a flattened array, without an owner."""

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


_MAKERS: dict[Any, Callable[[Any], Any]] = {
    "part": _compile_part,
    "inlined": _inlined,
    "by_dtype": _by_dtype,
    "two_by_two": lambda _: _two_by_two,
    "flat": lambda _: _flat,
}


# Compiled types, derived from annotations: arrays, records of arrays, functions, counters.
#
# A kernel states its types once, in its annotations. ``int``, ``float`` and ``bool`` stand for
# themselves, an array is one of the aliases in ``roctree.arrays``, and a ``NamedTuple`` class whose
# fields are annotated in the same way is a record: a group of arrays and numbers that travel
# together.
#
# .. code-block:: python
#
#     class Cut(NamedTuple):
#         gain: Floats
#         place: Ints
#
#     @typed_kernel
#     def best_cut(feature: int, minimum: float, cut: Cut) -> bool: ...
#
# A function that is passed as an argument is ``Annotated[Callable[..., float], function_type(f)]``
# for some typed kernel ``f`` of the same type. Counters that a kernel changes are fields of an
# ``np.record``: ``Annotated[np.record, dtype]``, made by ``new_record(dtype)``.


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

    This registers the class with Numba: its instances are passed to kernels with exactly this type,
    and an array of another type or layout is rejected.
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
    """Unpack a record passed from Python, without checking each field.

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
for _kind in (types.NamedTuple, types.NamedUniTuple):
    with suppress(KeyError):
        unbox(_kind)(_unbox_record)


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
    elif isinstance(declared, types.FunctionType):
        failures.append(_unpack_function(declared, value, room, c))
    else:
        native = c.unbox(declared, value)
        c.builder.store(native.value, room)
        failures.append(native.is_error)
        if native.cleanup is not None:
            cleanups.append(native.cleanup)


def _unpack_function(declared: Any, value: Any, room: Any, c: Any) -> Any:
    """Write the addresses of a kernel to memory; return whether the value is not a kernel.

    Numba's own code calls two functions of the interpreter for each address, which takes longer
    than growing a small tree.
    """
    function = cgutils.create_struct_proxy(declared)(c.context, c.builder, ref=room)
    function.py_addr = c.builder.bitcast(value, c.pyapi.voidptr)
    addresses = c.pyapi.object_getattr_string(value, "addresses")
    with c.builder.if_then(cgutils.is_not_null(c.builder, addresses), likely=True):
        for place, name in enumerate(("c_addr", "jit_addr")):
            address = c.pyapi.tuple_getitem(addresses, place)
            setattr(function, name, c.pyapi.long_as_voidptr(address))
        c.pyapi.decref(addresses)
    return cgutils.is_null(c.builder, addresses)


@cache
def signature_of(function: Callable[..., Any]) -> Any:
    """Return the compiled signature of a function, from its annotations."""
    hints = get_type_hints(function, include_extras=True)
    result = _type_of(hints.pop("return"))
    return result(*map(_type_of, hints.values()))
