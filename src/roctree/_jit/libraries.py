"""Optimise and translate each kernel once, where Numba does so at every level of calls.

Numba takes every function through the whole compiler by itself: it is optimised, together with all
functions that it calls, and translated to machine code. A function that is called three levels
below a typed kernel is thus optimised four times, and translated as often as it is not inlined.
Here a kernel that only other kernels call is simplified and kept as it is; the typed kernel that
contains it is optimised and translated as a whole.

This replaces steps that are private to Numba. If a version does not have them, kernels are compiled
in its own way, to the same results.
"""

from typing import Any

from numba.core import codegen
from numba.core.compiler import Compiler

__all__ = ["LINKED_ONLY", "OPTIMISED_ONCE"]

_Library: Any = getattr(codegen, "JITCodeLibrary", object)
_Codegen: Any = getattr(codegen, "CPUCodegen", object)
_STEPS = (
    "_optimize_final_module",
    "_finalize_dynamic_globals",
    "_finalize_final_module",
    "get_pointer_to_function",
)
_HAS_STEPS = all(hasattr(_Library, step) for step in _STEPS) and all(
    hasattr(_Codegen, step) for step in ("_module_pass_manager", "_pass_builder")
)


class _NoEnvironment:
    """Takes the place of the code generator after a part is done: there is no code to set up."""

    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Do nothing: the environment serves only code that calls the interpreter."""


class _Part(_Library):  # type: ignore[misc]
    """The code of a function that is only linked to that of its callers."""

    codegen = _NoEnvironment()

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: the function has no address."""
        return 0


class _Whole(_Library):  # type: ignore[misc]
    """The code of a function that does not count references, with all that it calls."""

    def _optimize_final_module(self) -> None:
        """Leave out the first of two rounds, after which Numba removes counting of references."""
        manager, builder = self._codegen._module_pass_manager()
        manager.run(self._final_module, builder)


class _PartCompiler(Compiler):
    def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
        if library is None:
            library = _Part(target.codegen(), "part")
        super().__init__(typing, target, library, *others)


class _WholeCompiler(Compiler):
    def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
        if library is None:
            library = _Whole(target.codegen(), "kernel")
            # As in Numba, so that the code can be cached on disk.
            library.enable_object_caching()
        super().__init__(typing, target, library, *others)


# Options of ``numba.njit``: for functions that only other kernels call, and for typed kernels.
LINKED_ONLY: dict[str, Any] = {"pipeline_class": _PartCompiler} if _HAS_STEPS else {}
OPTIMISED_ONCE: dict[str, Any] = {"pipeline_class": _WholeCompiler} if _HAS_STEPS else {}
