"""The first use on a machine does not wait for the compiler if the work is small.

Kernels are then interpreted, to the same bytes, while a background process compiles them.
"""

import io
import os
import pickle
import subprocess
import sys
import time
from base64 import b64encode
from unittest import mock

import numpy as np
import pytest

import roctree
from roctree import _jit
from roctree._jit import (
    JIT_DISABLED,
    Waiting,
    ahead,
    choose,
    compiled,
    interpreted,
    is_compiled,
)
from roctree.criteria import CRITERIA, Gini
from roctree.pruning import PRUNING
from roctree.smoothing import SMOOTHING
from roctree.tree import growth
from roctree.tree.kernels.grow import grow_binned, grow_sorted
from tests.tree.growing import as_bytes, grown, numeric_dataset

needs_compiler = pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled with the JIT off")
RANDOM = np.random.default_rng(3)
VALUES = RANDOM.normal(size=(90, 4)).round(1)
VALUES[:, 3] = np.floor(3.0 * np.abs(VALUES[:, 3]))
CLASSES = (VALUES[:, 0] + VALUES[:, 1] > 0.0).astype(int) + (VALUES[:, 2] > 1.0)
LABELS = np.array(["a", "b", "c"])[CLASSES]
GAPS = np.where(RANDOM.random(VALUES.shape) < 0.1, np.nan, VALUES)


@pytest.fixture
def interpreting():
    """Return a context in which nothing is compiled yet, and nothing is waited for."""
    return lambda: mock.patch.multiple(
        _jit,
        _COMPILED={},
        WAITING=mock.Mock(is_shorter=lambda seconds, kernels: False, spent=0.0),
    )


def outcome(model, values, labels):
    """Return what a fit gives, as bytes."""
    model.fit(values, labels)
    answers = [model.predict_proba(values), model.apply(values)]
    if hasattr(model, "fitted_") and hasattr(model.fitted_, "tree"):
        tree = model.fitted_.tree
        answers += [tree.threshold, tree.counts, tree.feature, tree.gain, tree.softness]
    return [np.ascontiguousarray(each).tobytes() for each in answers]


FITS = {
    **{f"criterion {name}": {"criterion": name} for name in CRITERIA},
    **{f"pruning {name}": {"pruning": name} for name in PRUNING},
    **{f"smoothing {name}": {"smoothing": name} for name in SMOOTHING},
    "soft": {"ranking": "soft"},
    "multiway": {"nominal": "multiway", "categorical_features": [3]},
    "binary": {"nominal": "binary", "categorical_features": [3], "criterion": "gain_ratio"},
    "as a category": {"missing": "category", "categorical_features": [3]},
    "as a branch": {"missing": "branch"},
    "whole tree": {"growth": "whole_tree_auc", "max_leaf_nodes": 6},
    "best first": {"max_leaf_nodes": 6},
    "binned": {"splits": "binned"},
    "distance": {"ranking": "leaf"},
    "weighted": {"class_weight": "balanced", "min_samples_leaf": 3},
}


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("name", FITS)
def test_interpreted_fits_and_predictions_give_the_same_bytes(name, interpreting):
    def make():
        return roctree.ROCTreeClassifier(**FITS[name])

    values = VALUES if name == "multiway" else GAPS
    try:
        expected = outcome(make(), values, LABELS)
    except roctree.ParameterError:
        pytest.skip("not for these data")
    with interpreting():
        assert outcome(make(), values, LABELS) == expected
        assert not _jit._COMPILED


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize(
    "model", [roctree.NaiveBayesTreeClassifier, roctree.MultiscaleClassifier], ids=str
)
def test_interpreted_models_of_other_kinds_give_the_same_bytes(model, interpreting):
    def probabilities():
        return model().fit(VALUES, LABELS).predict_proba(VALUES).tobytes()

    expected = probabilities()
    with interpreting():
        assert probabilities() == expected
        assert not _jit._COMPILED


FIRST = """
import sys
import numpy as np, roctree
values = np.random.default_rng(0).normal(size=({rows}, 5))
model = roctree.ROCTreeClassifier(max_depth=3).fit(values, values[:, 0] > 0)
model.predict_proba(values)
print("numba" in sys.modules)
"""


def first_fit(cache, rows, **environment):
    done = subprocess.run(
        [sys.executable, "-c", FIRST.format(rows=rows)],
        env={
            **os.environ,
            "NUMBA_CACHE_DIR": str(cache),
            "ROCTREE_BACKGROUND": "0",
            "ROCTREE_QUIET": "0",
            **environment,
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip(), done.stderr.splitlines()


@needs_compiler
def test_a_small_first_fit_neither_loads_the_compiler_nor_says_anything(tmp_path):
    assert first_fit(tmp_path, rows=100) == ("False", [])
    assert not list(tmp_path.rglob("*.kernel"))


@needs_compiler
@pytest.mark.slow
def test_a_larger_first_fit_says_in_one_line_that_it_compiles_and_can_be_quiet(tmp_path):
    loaded, said = first_fit(tmp_path / "a", rows=6000)
    assert loaded == "True"
    sentence = "roctree is compiling kernels, once on this machine; this takes a few seconds."
    assert said == [sentence]
    assert first_fit(tmp_path / "a", rows=6000) == ("True", [])
    (tmp_path / "b").mkdir()
    assert first_fit(tmp_path / "b", rows=6000, ROCTREE_QUIET="1") == ("True", [])


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_shows_for_how_long_it_has_been_and_is_cleared(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("ROCTREE_QUIET", "0")
    with ahead._compilation_notice():
        time.sleep(0.05)
    shown = terminal.getvalue()
    assert "roctree is compiling kernels" in shown
    assert "… 0 s" in shown
    assert shown.endswith(" \r")


def test_the_mark_before_the_message_turns_until_compilation_ends():
    terminal, done = Terminal(), mock.Mock(wait=mock.Mock(side_effect=[False] * 5 + [True]))
    ahead._show_timer(terminal, "wait", done)
    assert [line[0] for line in terminal.getvalue().split("\r")[1:7]] == list("|/-\\|/")
    assert done.wait.call_args_list == [mock.call(0.2)] * 6


def declared():
    """Return a kernel that is not compiled."""

    @_jit.typed_kernel
    def twice(number: float) -> float:
        return 2.0 * number

    _jit.DECLARED.remove(twice)
    return twice


@pytest.fixture
def waiting(monkeypatch):
    """A process whose kernels are not compiled, which can start others, with the usual patience."""
    monkeypatch.setattr(Waiting, "loading", 0.4)
    monkeypatch.setattr(Waiting, "compiling", 1.2)
    monkeypatch.setattr(_jit, "is_compiled", lambda kernel: False)
    monkeypatch.setattr(_jit, "compile_later", lambda kernels: True)
    return Waiting()


def test_small_work_is_interpreted_and_large_work_is_compiled(waiting):
    assert not waiting.is_shorter(0.1, (declared(),))
    assert not waiting.is_shorter(1.0, (declared(),))
    assert waiting.is_shorter(2.0, (declared(),))


def test_much_small_work_is_compiled_in_the_end(waiting, monkeypatch):
    waiting.spent = 5.0
    assert not waiting.is_shorter(1.0, (declared(),))
    monkeypatch.setattr(_jit, "compile_later", lambda kernels: False)
    waiting.spent = waiting.most_alone - 1.0
    assert not waiting.is_shorter(1.0, (declared(),)), "for as long as is allowed"
    waiting.spent = 5.0
    assert waiting.is_shorter(1.0, (declared(),)), "nobody compiles in the background"
    waiting.spent = 19.5
    assert waiting.is_shorter(1.0, (declared(),)), "whether or not somebody does"


def test_once_compiled_a_kernel_is_loaded_unless_that_takes_longer(waiting, monkeypatch):
    monkeypatch.setattr(_jit, "is_compiled", lambda kernel: True)
    monkeypatch.setitem(sys.modules, "numba", None)
    assert waiting.is_shorter(0.1, (declared(),))
    monkeypatch.delitem(sys.modules, "numba")
    assert not waiting.is_shorter(0.1, (declared(),))
    assert not waiting.is_shorter(0.4, (declared(),))
    assert waiting.is_shorter(0.5, (declared(),))


@needs_compiler
def test_a_choice_holds_for_all_kernels_of_an_operation(waiting, monkeypatch):
    monkeypatch.setattr(_jit, "WAITING", waiting)
    one, other = declared(), declared()
    assert choose(10.0, one, other) is interpreted
    assert waiting.spent == pytest.approx(1e-5)
    assert compiled(one, microseconds=10.0) is one


def test_workers_and_those_told_not_to_start_no_process(monkeypatch):
    monkeypatch.setenv("ROCTREE_BACKGROUND", "1")
    assert ahead._may_start()
    monkeypatch.setenv("ROCTREE_BACKGROUND", "0")
    assert not ahead._may_start()
    monkeypatch.delenv("ROCTREE_BACKGROUND")
    worker = mock.Mock(return_value=mock.Mock())
    worker.return_value.name = "LokyProcess-1"
    monkeypatch.setattr("multiprocessing.current_process", worker)
    assert not ahead._may_start()


def test_only_a_process_that_still_listens_receives_a_request():
    listens, ended = mock.Mock(), mock.Mock()
    ended.stdin.write.side_effect = BrokenPipeError
    assert [ahead._send(each, [grow_sorted]) for each in (listens, ended, None)] == [
        True,
        False,
        False,
    ]


def test_a_background_process_that_still_runs_is_let_go_without_a_warning():
    background = ahead._Background()
    background.detach()
    background.process = process = mock.Mock(poll=lambda: None, returncode=None)
    background.detach()
    process.stdin.close.assert_called_once_with()
    assert process.returncode == 0


LATER = """
from roctree._jit import compile_later
from roctree.criteria import Gini
from roctree._jit import table_score
from roctree.tree.kernels.descent import add_to_parents
print(compile_later([add_to_parents, table_score(Gini())]))
"""


@pytest.mark.parametrize(("patience", "priorities"), [(5.0, [10]), (0.0, [])])
def test_only_a_background_process_has_low_priority(patience, priorities, monkeypatch, tmp_path):
    kernels, lowered, asked = [grow_sorted, grow_binned], [], []
    lines = b64encode(pickle.dumps([ahead._recipe(kernel) for kernel in kernels])), b""
    monkeypatch.setattr(ahead, "_read_requests", lambda queue: [*map(queue.put, lines)])
    monkeypatch.setattr(ahead, "folder", lambda: tmp_path)
    monkeypatch.setattr(ahead.store, "WAITS", True)
    monkeypatch.setattr(ahead, "compiled", asked.append)
    monkeypatch.setattr(ahead, "is_compiled", lambda kernel: kernel is grow_binned)
    monkeypatch.setattr(os, "nice", lowered.append, raising=False)
    ahead.compile_from_input(patience)
    assert (lowered, asked, ahead.store.WAITS) == (priorities, [grow_sorted], patience == 0.0)


@needs_compiler
@pytest.mark.slow
def test_a_background_process_compiles_kernels_and_criteria_after_its_parent_has_ended(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "ROCTREE_BACKGROUND": "1"}
    done = subprocess.run(
        [sys.executable, "-c", LATER], env=environment, capture_output=True, text=True, check=True
    )
    assert (done.stdout.strip(), done.stderr) == ("True", "")
    give_up = time.monotonic() + 200.0
    while len(list(tmp_path.rglob("*.kernel"))) < 2:
        assert time.monotonic() < give_up
        time.sleep(0.2)


SEVERAL = """
import os, subprocess, sys, time
from roctree._jit import compile_later, table_score
from roctree._jit.ahead import _BACKGROUND
from roctree.criteria import Gini, Entropy
from roctree.tree.kernels.descent import add_to_parents
first = compile_later([add_to_parents]), _BACKGROUND.process.pid
assert first == (compile_later([table_score(Gini())]), _BACKGROUND.process.pid)
while _BACKGROUND.is_running():
    time.sleep(0.1)
compile_later([table_score(Entropy())])
print(first[0], first[1] != _BACKGROUND.process.pid)
"""


@needs_compiler
@pytest.mark.slow
def test_one_background_process_takes_all_requests_and_another_those_after_its_end(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "ROCTREE_BACKGROUND": "1"}
    # Standard output and error end with the process itself, and no resource is left behind.
    done = subprocess.run(
        [sys.executable, "-W", "error", "-X", "dev", "-c", SEVERAL],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout.strip(), done.stderr) == ("True True", "")
    assert len(list(tmp_path.rglob("*.kernel"))) >= 2


ELSEWHERE = """
import roctree
from roctree._jit import compiled, table_score
names = {"__name__": "a_module_of_another_process"}
exec("def first_cell(table):\\n    return table[0, 0]", names)
print(compiled(table_score(roctree.criterion(names["first_cell"]))).__name__)
"""


@needs_compiler
@pytest.mark.slow
def test_a_criterion_of_a_module_that_cannot_be_imported_is_compiled_again(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", ELSEWHERE], env=environment, check=True)
    assert list(tmp_path.rglob("*.kernel"))


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
    monkeypatch.setattr(growth.BinnedKernels, "grow", None)
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
