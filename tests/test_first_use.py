"""The first fit on a machine says why it takes a while; later ones say nothing."""

import os
import subprocess
import sys

import pytest

from roctree._jit import JIT_DISABLED

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
