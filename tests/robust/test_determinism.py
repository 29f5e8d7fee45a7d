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
from roctree.criteria import CRITERIA
from tests.robust.growing import data, digest, digest_by_bins, fitted, grown_digest

ROOT = Path(__file__).parents[2]
NOMINAL = ["binary", "multiway", "one_vs_rest"]


def digest_elsewhere(grow, nominal, jit_disabled):
    """Grow in a process of its own, compiled or interpreted."""
    name = grow.__name__
    code = f"from tests.robust.growing import {name}; print({name}({nominal!r}))"
    environment = os.environ | {"NUMBA_DISABLE_JIT": str(int(jit_disabled))}
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize("nominal", NOMINAL)
def test_compiled_and_interpreted_kernels_grow_the_same_tree(nominal):
    elsewhere = digest_elsewhere(grown_digest, nominal, jit_disabled=not JIT_DISABLED)
    assert elsewhere == grown_digest(nominal)


@pytest.mark.slow
def test_compiled_and_interpreted_kernels_of_bins_grow_the_same_tree_on_two_threads():
    elsewhere = digest_elsewhere(digest_by_bins, "binary", jit_disabled=not JIT_DISABLED)
    assert elsewhere == digest_by_bins()


@pytest.mark.slow
@pytest.mark.parametrize("nominal", NOMINAL)
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_bins_and_threads_do_not_show_in_a_tree(nominal, n_jobs):
    assert digest_by_bins(nominal, n_jobs) == grown_digest(nominal)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_every_way_to_start_a_process_grows_the_same_tree(method):
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        elsewhere = list(pool.map(grown_digest, NOMINAL))
        by_bins = pool.submit(digest_by_bins).result()
    assert elsewhere == [grown_digest(nominal) for nominal in NOMINAL]
    assert by_bins == digest_by_bins()


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


@pytest.mark.parametrize(
    "n_classes",
    [2, 3, pytest.param(30, marks=pytest.mark.slow), pytest.param(100, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_tree_of_up_to_a_hundred_classes_predicts_its_training_data(criterion, n_classes):
    n_rows = max(60, 2 * n_classes)
    X = np.random.default_rng(3).permutation(n_rows).reshape(-1, 1).astype(float)
    y = np.arange(n_rows) % n_classes
    weights = 1.0 + np.arange(n_rows) % 7 / 8.0
    tree = ROCTreeClassifier(criterion=criterion, labels="majority").fit(X, y, weights)
    assert tree.n_classes_ == n_classes
    assert tree.get_n_leaves() >= n_classes
    np.testing.assert_array_equal(tree.predict(X), y)
