"""The only door to Numba: how a loop is compiled, and how a criterion reaches the grower.

A kernel is a plain loop over arrays, compiled once, cached on disk and run without the GIL. A
criterion is a plain function of one contingency table. It reaches the grower as two typed
first-class functions (one for a whole table, one for a block of binary candidates), so that the
grower is compiled once for all criteria, a user's own included.

With ``NUMBA_DISABLE_JIT=1`` everything here is ordinary Python with the same meaning.
"""

from numba import types

from roctree._jit.ahead import compile_all, compile_later, compiling
from roctree._jit.arrays import borrow
from roctree._jit.kernels import (
    JIT_DISABLED,
    compiled,
    inlined,
    is_compiled,
    kernel,
    of_kind,
    typed_kernel,
    variant,
)
from roctree._jit.scores import BLOCK_FUNCTION, TABLE_FUNCTION, block_score, table_score

__all__ = [
    "BLOCK_FUNCTION",
    "JIT_DISABLED",
    "TABLE_FUNCTION",
    "block_score",
    "borrow",
    "compile_all",
    "compile_later",
    "compiled",
    "compiling",
    "inlined",
    "is_compiled",
    "kernel",
    "of_kind",
    "table_score",
    "typed_kernel",
    "types",
    "variant",
]
