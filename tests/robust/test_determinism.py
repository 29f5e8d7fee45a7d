"""The same data give the same tree, bit for bit, however and wherever it grows."""

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from roctree import ROCTreeClassifier
from roctree._jit import JIT_DISABLED
from tests.robust.growing import data, digest, fitted, grown_digest

ROOT = Path(__file__).parents[2]
NOMINAL = ["binary", "multiway", "one_vs_rest"]


def digest_elsewhere(nominal, jit_disabled):
    """Grow in a process of its own, compiled or interpreted."""
    code = f"from tests.robust.growing import grown_digest; print(grown_digest({nominal!r}))"
    environment = os.environ | {"NUMBA_DISABLE_JIT": str(int(jit_disabled))}
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize("nominal", NOMINAL)
def test_compiled_and_interpreted_kernels_grow_the_same_tree(nominal):
    assert digest_elsewhere(nominal, jit_disabled=not JIT_DISABLED) == grown_digest(nominal)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_every_way_to_start_a_process_grows_the_same_tree(method):
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        elsewhere = list(pool.map(grown_digest, NOMINAL))
    assert elsewhere == [grown_digest(nominal) for nominal in NOMINAL]


def test_eight_threads_that_fit_at_once_grow_the_tree_of_one():
    with ThreadPoolExecutor(8) as pool:
        trees = list(pool.map(lambda _: grown_digest(), range(8)))
    assert set(trees) == {grown_digest()}


def test_the_number_of_threads_of_a_fit_does_not_show_in_its_tree():
    assert digest(fitted(n_jobs=3).tree_) == grown_digest()


def test_thirty_two_threads_that_predict_at_once_agree_with_one():
    X, _, _ = data()
    tree = fitted()
    alone = tree.predict_proba(X).tobytes()
    with ThreadPoolExecutor(32) as pool:
        together = list(pool.map(lambda _: tree.predict_proba(X).tobytes(), range(64)))
    assert set(together) == {alone}


def test_a_digest_tells_trees_apart():
    assert len({grown_digest(nominal) for nominal in NOMINAL}) == len(NOMINAL)


def test_a_tree_of_a_hundred_classes_predicts_its_training_data():
    X = np.random.default_rng(3).permutation(300).reshape(-1, 1).astype(float)
    y = np.arange(300) % 100
    tree = ROCTreeClassifier().fit(X, y)
    assert tree.n_classes_ == 100
    assert tree.get_n_leaves() >= 100
    np.testing.assert_array_equal(tree.predict(X), y)
