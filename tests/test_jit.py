"""The compiled types of annotations, and what kernels may do with records."""

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy as np
import pytest
from numba import types
from numba.core.errors import TypingError

from roctree import _jit
from roctree._jit import (
    JIT_DISABLED,
    ahead,
    compiled,
    function_type,
    kernel,
    new_record,
    typed_kernel,
    variant,
)
from roctree._jit.compiler import _UNCOUNTED, _PartLibrary, record_type, signature_of
from roctree.arrays import AnyFloats2D, Floats, Ints, ReadonlyInts

COUNTERS = np.dtype([("calls", np.int64), ("rows", np.int64)])


class Data(NamedTuple):
    values: AnyFloats2D
    weights: Floats
    scale: float
    column: int
    doubled: bool


class Marks(NamedTuple):
    first: Ints
    second: Ints


@typed_kernel(python=False)
def weighted(row: int, data: Data) -> float:
    value = data.values[row, data.column] * data.weights[row] * data.scale
    return 2.0 * value if data.doubled else value


class Functions(NamedTuple):
    term: Annotated[Callable[..., float], function_type(weighted)]


@typed_kernel
def add_up(
    data: Data, functions: Functions, counters: Annotated[np.record, COUNTERS]
) -> tuple[float, int]:
    total = 0.0
    counters.calls += 1
    for row in range(data.weights.size):
        total += functions.term(row, data)
        counters.rows += 1
    return total, counters.rows


@typed_kernel
def makes_an_array(n: int) -> float:
    return np.zeros(n).sum()


@typed_kernel(allocates=True)
def may_make_an_array(n: int) -> float:
    return np.ones(n).sum()


@kernel
def undeclared_part(n: int) -> float:
    return np.ones(n).sum()


@typed_kernel(allocates=True)
def has_an_undeclared_part(n: int) -> float:
    return undeclared_part(n)


# These are not the library's: warming up does not compile them.
for _own in (weighted, add_up, makes_an_array, may_make_an_array, has_an_undeclared_part):
    _jit.DECLARED.remove(_own)


def data(**fields):
    values = np.asfortranarray(np.arange(8.0).reshape(4, 2))
    values.flags.writeable = False
    return Data(values, np.ones(4), 1.0, 1, False)._replace(**fields)


def run(given, counters=None):
    counters = new_record(COUNTERS) if counters is None else counters
    return compiled(add_up)(given, Functions(compiled(weighted)), counters)


def test_a_signature_follows_from_annotations():
    signature = signature_of(weighted)
    assert signature.return_type == types.float64
    assert signature.args == (types.int64, record_type(Data))
    marked = signature_of(variant("marked", weighted, row=ReadonlyInts))
    _jit.DECLARED.pop()
    assert marked.args[0] == types.Array(types.int64, 1, "C", readonly=True)


def test_a_record_of_equal_fields_is_a_uniform_tuple():
    assert isinstance(record_type(Marks), types.NamedUniTuple)


def test_an_annotation_without_a_compiled_type_is_refused():
    def kernel(name: str) -> None: ...

    with pytest.raises(TypeError, match="does not stand for a compiled type"):
        signature_of(kernel)


def test_records_carry_arrays_of_any_layout_numbers_and_functions():
    assert run(data()) == (16.0, 4)
    assert run(data(doubled=True, scale=2, column=np.int64(0))) == (48.0, 4)


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled with the JIT off")
def test_a_function_that_is_not_compiled_is_refused():
    with pytest.raises(AttributeError, match="addresses"):
        compiled(add_up)(data(), Functions(weighted), new_record(COUNTERS))
    assert run(data()) == (16.0, 4)


def test_counters_change_in_place():
    counters = new_record(COUNTERS)
    run(data(), counters)
    run(data(), counters)
    assert counters.tolist() == (2, 8)


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled with the JIT off")
@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"weights": np.ones(8)[::2]}, "Data.weights"),
        ({"weights": np.ones(4, np.float32)}, "Data.weights"),
        ({"weights": [1.0] * 4}, "Data.weights"),
        ({"column": 0.5}, "Data.column"),
    ],
)
def test_a_field_that_does_not_fit_is_refused(fields, name):
    with pytest.raises(TypeError, match=name):
        run(data(**fields))


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled with the JIT off")
def test_only_kernels_that_say_so_allocate():
    assert compiled(may_make_an_array)(3) == 3.0
    if _UNCOUNTED:
        for undeclared in (makes_an_array, has_an_undeclared_part):
            with pytest.raises(TypingError):
                compiled(undeclared)


LINKED = """
import numba, numpy as np
from roctree._jit import compiled, kernel, typed_kernel

@kernel(allocates=True)
def inner(n: int) -> float:
    return (np.full(n, 2.0) + np.arange(n)).sum()

@kernel(allocates=True)
def outer(n: int) -> float:
    return inner(n) + np.ones(n).sum()

@typed_kernel(allocates=True)
def ours(n: int) -> float:
    return outer(n) + inner(2 * n)

@numba.njit
def theirs(n):
    return (np.full(n, 2.0) + np.arange(n)).sum() + np.ones(n).sum()

assert compiled(ours)(5) == ours(5)
assert theirs(5) == theirs.py_func(5)
"""


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled with the JIT off")
def test_functions_of_numba_that_are_linked_into_kernels_still_serve_others(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", LINKED], env=environment, check=True)


OTHER_NUMBA = """
from numba.core import codegen, cpu, typed_passes
del codegen.JITCodeLibrary, cpu.CPUTargetOptions, typed_passes.NativeLowering
from roctree._jit import compiler
from roctree._jit import Waiting
assert not compiler._HAS_STEPS and not compiler._UNCOUNTED and not compiler._HAS_LOWERING
Waiting.loading = Waiting.compiling = 0.0
import numpy as np, roctree
values = np.random.default_rng(0).normal(size=(60, 3))
model = roctree.ROCTreeClassifier().fit(values, values[:, 0] > 0.0)
print(model.predict_proba(values).sum())
"""


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled with the JIT off")
@pytest.mark.slow
def test_a_numba_without_the_private_steps_compiles_in_its_own_way(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", OTHER_NUMBA + LINKED],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "ROCTREE_QUIET": "1"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert float(done.stdout) == pytest.approx(60.0)
    assert list(tmp_path.rglob("*.kernel"))


@pytest.mark.parametrize(("quiet", "said"), [("1", False), ("yes", False), ("0", True), ("", True)])
def test_a_message_about_compilation_can_be_turned_off(quiet, said, monkeypatch, capsys):
    monkeypatch.setenv("ROCTREE_QUIET", quiet)
    with ahead._compilation_notice():
        pass
    assert ("roctree is compiling kernels" in capsys.readouterr().err) is said


def test_a_part_of_a_kernel_has_no_address_of_its_own():
    assert _PartLibrary.get_pointer_to_function(None, "part") == 0
