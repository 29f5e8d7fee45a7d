"""What a user may do to a growth: stop it, or give it a criterion that cannot be used."""

import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from roctree import ParameterError, ROCTreeClassifier, criterion
from roctree._jit import JIT_DISABLED
from roctree.criteria import GainRatio, Gini

# Shells leave commands in the background deaf to interrupts, and their children inherit it.
LONG_FIT = """
import signal; signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np, roctree
big = np.random.default_rng(0).random((500_000, 12)); labels = np.arange(500_000) % 2
# Compile all kernels of the long fit first, those of large and of small nodes.
for rows, depth in ((5000, None), (200_000, 2)):
    part = roctree.ROCTreeClassifier(n_jobs={n_jobs}, max_depth=depth)
    part.fit(big[:rows], labels[:rows])
print("ready", flush=True)
roctree.ROCTreeClassifier(n_jobs={n_jobs}).fit(big, labels)
"""


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_stops_a_long_fit_soon(n_jobs):
    command = [sys.executable, "-c", LONG_FIT.format(n_jobs=n_jobs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        _, errors = process.communicate(timeout=60)
    assert b"KeyboardInterrupt" in errors
    assert time.monotonic() - start < 10.0


def undefined(table):
    return nowhere(table)  # noqa: F821


def a_pair(table):
    return table[0, 0], table[0, 1]


@pytest.mark.parametrize("function", [undefined, a_pair])
def test_a_criterion_that_cannot_be_compiled_is_refused_in_one_sentence(function):
    if JIT_DISABLED:
        pytest.skip("nothing is compiled with the JIT off")
    with pytest.raises(ParameterError, match="cannot be compiled") as refusal:
        ROCTreeClassifier(criterion=criterion(function)).fit([[0.0], [1.0]] * 5, [0, 1] * 5)
    assert "\n" not in str(refusal.value)


def not_a_number(table):
    return np.nan


def test_a_criterion_without_a_score_for_the_root_is_refused():
    with pytest.raises(ParameterError, match="finite"):
        ROCTreeClassifier(criterion=criterion(not_a_number)).fit([[0.0], [1.0]] * 5, [0, 1] * 5)


FORTY_VALUES = pd.DataFrame({"c": [f"k{i % 40}" for i in range(100)], "x": np.ones(100)})
PARITY = [(i % 40) % 2 for i in range(100)]


@pytest.mark.parametrize(
    "chosen", ["auc", Gini(children_correction="log2"), GainRatio(guard="average")]
)
def test_a_constant_column_does_not_keep_another_from_being_split(chosen):
    tree = ROCTreeClassifier(criterion=chosen).fit(FORTY_VALUES, PARITY)
    assert tree.get_n_leaves() == 2


def test_the_guard_of_c45_leaves_attributes_with_very_many_values_out_of_the_mean():
    tree = ROCTreeClassifier(criterion=GainRatio()).fit(FORTY_VALUES, PARITY)
    assert tree.get_n_leaves() == 1
