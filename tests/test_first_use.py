"""The first fit on a machine waits for the compiler as little as can be, and says why it waits."""

import os
import subprocess
import sys

import numpy as np
import pytest

from roctree._jit import JIT_DISABLED, ahead, compiled, is_compiled
from roctree.criteria import Gini
from roctree.tree import growth
from roctree.tree.kernels.grow import grow_binned, grow_sorted
from tests.tree.growing import as_bytes, grown, numeric_dataset

FIT = """
import logging, roctree
logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
for _ in range(2):
    roctree.ROCTreeClassifier().fit([[0.0], [1.0]] * 5, [0, 1] * 5)
"""


def said_by_a_fit(cache):
    done = subprocess.run(
        [sys.executable, "-c", FIT],
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr.splitlines()


@pytest.mark.slow
@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled with the JIT off")
def test_the_first_fit_on_a_machine_logs_one_line(tmp_path):
    sentence = (
        "Compiling the kernels for the first fit, which takes some seconds, once on this machine."
    )
    assert said_by_a_fit(tmp_path) == [f"roctree: {sentence}"]
    assert said_by_a_fit(tmp_path) == []


def many_cases():
    values = np.random.default_rng(0).normal(size=(3000, 3))
    return numeric_dataset(values, (values[:, 0] + values[:, 1] > 0.0).astype(np.int32))


def test_bins_that_are_not_compiled_are_left_for_later_and_the_tree_is_the_same(monkeypatch):
    dataset = many_cases()
    by_bins = as_bytes(grown(dataset, Gini(), min_leaf=20.0))
    later = []
    monkeypatch.setattr(growth, "_NOT_WORTH_THE_WAIT", dataset.values.size)
    monkeypatch.setattr(growth, "is_compiled", lambda kernel: kernel is not grow_binned)
    monkeypatch.setattr(growth, "compile_later", later.extend)
    monkeypatch.setattr(growth, "grow_from_bins", None)
    assert as_bytes(grown(dataset, Gini(), min_leaf=20.0)) == by_bins
    assert grow_binned in later


def test_a_table_larger_than_the_wait_is_worth_waits_for_the_compiler(monkeypatch):
    dataset = many_cases()
    monkeypatch.setattr(growth, "_NOT_WORTH_THE_WAIT", dataset.values.size - 1)
    monkeypatch.setattr(growth, "is_compiled", lambda kernel: False)
    monkeypatch.setattr(growth, "grow_from_order", None)
    assert grown(dataset, Gini(), min_leaf=20.0).n_nodes > 1


def test_a_kernel_once_compiled_is_known_to_be():
    compiled(grow_sorted)
    assert is_compiled(grow_sorted)


def test_only_one_process_compiles_for_later(tmp_path):
    mark = tmp_path / "new folder" / "mark"
    assert ahead._claim(mark)
    assert not ahead._claim(mark)
    os.utime(mark, (0, 0))
    assert ahead._claim(mark), "the one before was killed"


def test_where_nothing_can_be_written_nothing_is_compiled_for_later(tmp_path):
    (tmp_path / "file").touch()
    assert not ahead._claim(tmp_path / "file" / "mark")
