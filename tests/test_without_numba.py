"""Without Numba everything works, interpreted, with one warning."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCK = "import sys; sys.modules['numba'] = sys.modules['llvmlite'] = None\n"
SCRIPT = """
import warnings
import numpy as np, roctree

values = np.random.default_rng(0).normal(size=(60, 3))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model = roctree.ROCTreeClassifier(pruning="cost_complexity", ranking="soft")
    model.fit(values, values[:, 0] > 0.0).save("model.json")
    again = roctree.load("model.json")
    assert (again.predict_proba(values) == model.predict_proba(values)).all()
    again.explore("page.html", values, values[:, 0] > 0.0)
    roctree.NaiveBayesTreeClassifier().fit(values, values[:, 0] > 0.0).predict(values)
    roctree.ROCTreeClassifier(splits="binned").fit(values, values[:, 0] > 0.0)
print([str(each.message) for each in caught])
"""
# Each runs other kernels, quickly.
CORE = [
    "tests/smoothing",
    "tests/estimator/test_predict.py",
    "tests/estimator/test_soft.py",
    "tests/tree/test_shape.py",
    "tests/tree/test_softness.py",
]


def without_numba(script, folder):
    return subprocess.run(
        [sys.executable, "-c", BLOCK + script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        capture_output=True,
        text=True,
    )


def test_fits_files_predictions_and_pages_work_with_one_warning(tmp_path):
    done = without_numba(SCRIPT, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Numba is not installed") == 1, done.stdout
    assert "<html" in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.rerun
@pytest.mark.slow
def test_the_core_of_the_suite_passes(tmp_path):
    command = f"""
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-m", "not slow", "-x",
    "-W", "ignore:Numba is not installed:RuntimeWarning", *{CORE!r}]))
"""
    done = without_numba(command, ROOT)
    assert done.returncode == 0, done.stdout[-3000:]


def test_numba_that_cannot_be_loaded_is_like_none(monkeypatch):
    from roctree import _jit

    def twice(number: float) -> float:
        return 2.0 * number

    monkeypatch.setitem(sys.modules, "roctree._jit.compiler", None)
    _jit._warn_without_numba.cache_clear()
    with pytest.warns(RuntimeWarning, match="Numba cannot be loaded"):
        assert _jit._compile(twice) is twice
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert _jit._compile(twice) is twice
