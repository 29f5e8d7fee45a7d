"""The only package that imports Numba: kernels, the types of their arguments, compiled criteria.

A kernel is a loop over arrays: an ordinary function, which is compiled once, cached on disk and
then run without the GIL; if compiling would take longer than the work itself, it is interpreted.
Its types are derived from its annotations: numbers, arrays, and records (``NamedTuple`` classes) of
both. A criterion is a function of one contingency table. It reaches the grower as two kernels (one
for a whole table, one for a block of binary candidates), so that the grower is compiled once for
all criteria, including user-defined ones.

With ``NUMBA_DISABLE_JIT=1``, or without Numba, everything is interpreted. Numba is imported when
the first kernel is compiled.
"""

from roctree._jit.kernels import (
    JIT_DISABLED,
    BlockScore,
    TableScore,
    block_score,
    choose,
    compile_later,
    compiled,
    function_type,
    inlined,
    interpreted,
    is_compiled,
    kernel,
    new_record,
    of_kind,
    record_array,
    table_score,
    typed_kernel,
    variant,
)

__all__ = [
    "JIT_DISABLED",
    "BlockScore",
    "TableScore",
    "block_score",
    "choose",
    "compile_later",
    "compiled",
    "function_type",
    "inlined",
    "interpreted",
    "is_compiled",
    "kernel",
    "new_record",
    "of_kind",
    "record_array",
    "table_score",
    "typed_kernel",
    "variant",
]
