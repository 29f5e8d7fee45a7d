"""The only package that imports Numba: kernels, the types of their arguments, compiled criteria.

A kernel is a loop over arrays, compiled once, cached on disk and run without the GIL. Its types are
derived from its annotations: numbers, arrays, and records (``NamedTuple`` classes) of both. A
criterion is a function of one contingency table. It reaches the grower as two typed functions (one
for a whole table, one for a block of binary candidates), so that the grower is compiled once for
all criteria, a user's own included.

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
from roctree._jit.records import (
    AnyFloats2D,
    Bools,
    Branches,
    Branches2D,
    Bytes,
    Bytes2D,
    Codes2D,
    Floats,
    Floats2D,
    Floats3D,
    Int32s,
    Ints,
    Ints2D,
    Places,
    Places2D,
    ReadonlyBools,
    ReadonlyBranches,
    ReadonlyBranches2D,
    ReadonlyBytes,
    ReadonlyBytes2D,
    ReadonlyCodes2D,
    ReadonlyFloats,
    ReadonlyFloats2D,
    ReadonlyInt32s,
    ReadonlyInt32s2D,
    ReadonlyInts,
    ReadonlyInts2D,
    ReadonlyPlaces,
    ReadonlyPlaces2D,
    function_type,
    new_record,
    record_type,
    signature_of,
)
from roctree._jit.scores import (
    BLOCK_FUNCTION,
    TABLE_FUNCTION,
    BlockScore,
    TableScore,
    block_score,
    table_score,
)

__all__ = [
    "BLOCK_FUNCTION",
    "JIT_DISABLED",
    "TABLE_FUNCTION",
    "AnyFloats2D",
    "BlockScore",
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
    "TableScore",
    "block_score",
    "borrow",
    "compile_all",
    "compile_later",
    "compiled",
    "compiling",
    "function_type",
    "inlined",
    "is_compiled",
    "kernel",
    "new_record",
    "of_kind",
    "record_type",
    "signature_of",
    "table_score",
    "typed_kernel",
    "types",
    "variant",
]
