"""Runs give the same results in any order and after any interruption, and notice changes."""

import re
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from importlib import import_module, invalidate_caches
from io import StringIO
from subprocess import DEVNULL, PIPE

import numpy as np
import pytest

from roctree import ROCTreeClassifier
from roctree.errors import DataError, ParameterError
from roctree.experiment import (
    BuiltIn,
    Configuration,
    CrossValidation,
    Plan,
    Problem,
    run,
)
from roctree.experiment.store import Key, Outcome, Store, code_fingerprint
from roctree.progress import StudyProgress, study_bar

# The name of the module is that of its function.
RUN_MODULE = sys.modules["roctree.experiment.run"]
DESIGN = CrossValidation(3, 2)
needs_kill = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 on this system")
TREES = {name: ROCTreeClassifier(smoothing=name) for name in ("none", "m_branch")}


def plan_of(trees=TREES, problems=("iris", "wine"), **changes):
    source = BuiltIn()
    return replace(Plan.of([source.load(name) for name in problems], trees, DESIGN), **changes)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The results of an uninterrupted run."""
    return run(plan_of(), tmp_path_factory.mktemp("whole") / "study.sqlite").csv()


SCRIPT = """
import os, signal, sys
from tests.experiment.test_run import plan_of
from roctree.experiment import run

def report(progress):
    if progress.done >= int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

run(plan_of(), sys.argv[1], progress=report)
"""


@needs_kill
@pytest.mark.slow
@pytest.mark.parametrize("done", [4, 14])
def test_a_killed_run_resumes_and_ends_with_the_same_bytes(tmp_path, expected, done):
    path = tmp_path / "study.sqlite"
    killed = subprocess.run([sys.executable, "-c", SCRIPT, path, str(done)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(Store(path).present()) == done
    seen = []
    assert run(plan_of(), path, progress=seen.append).csv() == expected
    assert seen[0].done == done
    assert seen[-1] == (24, 0, 24)


TWO_PROCESSES = """
import sys
from tests.experiment.test_run import plan_of
from roctree.experiment import run

run(plan_of(), sys.argv[1], n_jobs=2, progress=lambda now: print(now.done, flush=True))
"""


@needs_kill
@pytest.mark.slow
def test_two_processes_can_be_killed_at_any_time(tmp_path, expected):
    path = tmp_path / "study.sqlite"
    command = [sys.executable, "-c", TWO_PROCESSES, path]
    with subprocess.Popen(command, stdout=PIPE, stderr=DEVNULL, text=True) as process:
        while (line := process.stdout.readline()) == "0\n":
            pass
        process.kill()
    assert line, "it ended before it could be killed"
    assert process.returncode == -signal.SIGKILL
    assert run(plan_of(), path).csv() == expected


def test_an_interrupt_ends_the_run_and_keeps_finished_results(tmp_path, expected):
    def interrupt(progress):
        if progress.done >= 8:
            raise KeyboardInterrupt

    path = tmp_path / "study.sqlite"
    with pytest.raises(KeyboardInterrupt):
        run(plan_of(), path, progress=interrupt)
    assert len(Store(path).present()) == 8
    assert run(plan_of(), path).csv() == expected


@pytest.mark.slow
def test_the_number_of_processes_changes_nothing(tmp_path, expected):
    assert run(plan_of(), tmp_path / "study.sqlite", n_jobs=2).csv() == expected


def test_a_finished_experiment_is_not_run_again(tmp_path, expected):
    path = tmp_path / "study.sqlite"
    run(plan_of(), path)
    seen = []
    assert run(plan_of(), path, progress=seen.append).csv() == expected
    assert seen == [(24, 0, 24)]


def test_configurations_and_problems_can_be_added(tmp_path, expected):
    path = tmp_path / "study.sqlite"
    run(plan_of(problems=("wine",)), path)
    run(plan_of(trees={"none": TREES["none"]}), path)
    assert run(plan_of(), path).csv() == expected


def test_repeats_can_be_added(tmp_path, expected):
    path, seen = tmp_path / "study.sqlite", []
    one = plan_of(design=replace(DESIGN, repeats=1))
    before = run(one, path).csv()
    assert run(plan_of(), path, progress=seen.append).csv() == expected
    assert seen[0].done == 12
    assert run(one, path).csv() == before


class Failing(ROCTreeClassifier):
    """A tree that cannot be grown from three classes."""

    def fit(self, X, y, sample_weight=None):
        if "setosa" in y:
            raise RuntimeError("no flowers")
        return super().fit(X, y, sample_weight)


def test_a_failing_configuration_is_recorded_and_does_not_stop_others(tmp_path):
    path = tmp_path / "study.sqlite"
    results = run(plan_of({**TREES, "failing": Failing()}), path)
    assert len(results.failures) == len(DESIGN.places)
    assert {each.error for each in results.failures} == {"RuntimeError: no flowers"}
    assert np.isnan(results.mean("auc", "iris", "failing"))
    assert results.mean("auc", "wine", "failing") > 0.8
    assert results.mean("auc", "iris", "none") > 0.8
    assert "no flowers" in results.csv()


def test_retry_runs_failures_again(tmp_path):
    path, seen = tmp_path / "study.sqlite", []
    plan = plan_of({"failing": Failing()}, ("iris",))
    run(plan, path)
    run(plan, path, progress=seen.append)
    assert len(seen) == 1
    run(plan, path, progress=seen.append, retry=True)
    assert len(seen) == 2 + len(DESIGN.places)
    assert [progress.failed for progress in seen[:2]] == [len(DESIGN.places), 0]
    assert seen[-1].failed == len(DESIGN.places)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda plan: replace(plan, problems=(_other_iris(),)), "data of iris"),
        (
            lambda plan: replace(plan, configurations=(Configuration("none", _other_tree()),)),
            "configuration none",
        ),
        (lambda plan: replace(plan, design=CrossValidation(3, 2, seed=5)), "division of the cases"),
        (lambda plan: replace(plan, metrics={"half": lambda _: 0.5}), "measures"),
    ],
)
def test_changes_are_named(tmp_path, change, words):
    path = tmp_path / "study.sqlite"
    plan = plan_of({"none": TREES["none"]}, ("iris",))
    before = run(plan, path).csv()
    with pytest.raises(DataError, match=words):
        run(change(plan), path)
    again = run(change(plan), path, changed="again").csv()
    assert again != before
    assert again == run(change(plan), tmp_path / "other.sqlite").csv()


def test_changed_code_is_named_and_results_can_be_kept(tmp_path, monkeypatch):
    path = tmp_path / "study.sqlite"
    plan = plan_of({"none": TREES["none"]}, ("iris",))
    before = run(plan, path).csv()
    code = code_fingerprint() | {"tree/grow.py": "other"}
    monkeypatch.setattr(RUN_MODULE, "code_fingerprint", lambda: code)
    with pytest.raises(DataError, match=r"code in tree/grow\.py"):
        run(plan, path)
    assert run(plan, path, changed="keep").csv() == before
    assert run(plan, path).csv() == before


def test_removed_modules_are_not_a_change(tmp_path, monkeypatch):
    path = tmp_path / "study.sqlite"
    plan = plan_of({"none": TREES["none"]}, ("iris",))
    code = code_fingerprint()
    monkeypatch.setattr(RUN_MODULE, "code_fingerprint", lambda: code | {"tree/old.py": "some"})
    before = run(plan, path).csv()
    monkeypatch.setattr(RUN_MODULE, "code_fingerprint", lambda: code)
    assert run(plan, path).csv() == before


def test_only_the_first_of_many_changes_are_named(tmp_path, monkeypatch):
    path = tmp_path / "study.sqlite"
    plan = plan_of({"none": TREES["none"]}, ("iris",))
    run(plan, path)
    code = code_fingerprint() | {f"tree/new{number:02}.py": "some" for number in range(30)}
    monkeypatch.setattr(RUN_MODULE, "code_fingerprint", lambda: code)
    with pytest.raises(DataError, match=r"code in tree/new00\.py, .*new07\.py and 22 others\. Use"):
        run(plan, path)


def test_user_defined_measures_and_classifiers_are_named_when_their_file_changes(
    tmp_path, monkeypatch
):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    written = tmp_path / "my_study_of_trees.py"

    def plan(value):
        written.write_text(
            "from roctree.smoothing import Frequencies\n"
            f"from roctree import ROCTreeClassifier\ndef half(answer):\n    return {value}\n"
            "class Mine(ROCTreeClassifier):\n    pass\n"
            "class Smoother:\n    def __call__(self, tree):\n        return Frequencies()(tree)\n"
        )
        sys.modules.pop(written.stem, None)
        invalidate_caches()
        own = import_module(written.stem)
        changes = {"metrics": {"half": own.half}}
        smoothed = ROCTreeClassifier(smoothing=own.Smoother())
        trees = {"none": TREES["none"], "mine": own.Mine(), "my smoother": smoothed}
        return plan_of(trees, ("iris",), **changes)

    path = tmp_path / "study.sqlite"
    run(plan(0.5), path)
    run(plan(0.5), path)
    with pytest.raises(DataError, match="configuration mine, my smoother; measures"):
        run(plan(0.25), path)
    sys.modules.pop(written.stem)


def test_a_file_that_is_not_a_store_is_rejected(tmp_path):
    path = tmp_path / "study.sqlite"
    path.write_text("these are no results" * 100)
    with pytest.raises(DataError, match="cannot be used as a file of results"):
        run(plan_of(), path)


def test_a_folder_that_cannot_be_created_is_rejected(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(DataError, match=r"Cannot create the folder .*file'"):
        run(plan_of(), tmp_path / "file" / "study.sqlite")


def test_a_database_with_other_content_is_rejected_and_unchanged(tmp_path):
    path = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("create table sales (price real)")
    before = path.read_bytes()
    with pytest.raises(DataError, match="a database with other content"):
        run(plan_of(), path)
    assert path.read_bytes() == before


def test_a_store_of_another_format_is_rejected(tmp_path):
    path = tmp_path / "study.sqlite"
    Store(path).keep("format", {"store": "99"})
    with pytest.raises(DataError, match="cannot read"):
        Store(path)


def test_outcomes_are_sorted_by_their_keys(tmp_path):
    store = Store(tmp_path / "study.sqlite")
    outcomes = [Outcome("p", "c", 0, fold, {"auc": 0.1 + fold}, 1.0) for fold in range(12)]
    store.add(outcomes[6:])
    store.add(outcomes[:6])
    assert store.outcomes() == outcomes
    assert Key("p", "c", 0, 11) in store.present()


def test_several_threads_can_write_to_one_store(tmp_path):
    def write(number):
        store = Store(tmp_path / "study.sqlite")
        for fold in range(10):
            store.add([Outcome("p", f"c{number}", 0, fold, {"auc": 0.5}, 1.0)])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert len(Store(tmp_path / "study.sqlite").present()) == 40


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Plan.of([], TREES), "no problem"),
        (lambda: Plan.of(BuiltIn().load("iris"), {}), "no configuration"),
        (lambda: Plan.of([BuiltIn().load("iris")] * 2, TREES), "Two problems are named 'iris'"),
        (lambda: Plan.of(BuiltIn().load("iris"), TREES, metrics=[]), "has no metric"),
        (lambda: Plan.of("iris", TREES), r"'iris' is not a problem: give BuiltIn\(\)\.load"),
        (lambda: Plan.of(None, TREES), "None is not a problem"),
        (
            lambda: Plan.of(BuiltIn().load("iris"), {1: ROCTreeClassifier()}),
            "is named 1",
        ),
        (
            lambda: Plan.of(BuiltIn().load("iris"), {"a": ROCTreeClassifier}),
            "is a class: add",
        ),
        (lambda: Plan.of(BuiltIn().load("iris"), TREES, CrossValidation), "is not a design"),
        (lambda: Configuration("a", ROCTreeClassifier(), at=0.5), "give a dict of arguments of at"),
        (
            lambda: Plan.of(BuiltIn().load("iris"), ROCTreeClassifier()),
            "give a dict of",
        ),
        (lambda: Plan.of(BuiltIn().load("iris"), TREES, metrics=3), "metric 3 is not known"),
        (lambda: Plan.of(BuiltIn().load("iris"), TREES, metrics={"f3": 3}), "'f3' is 3: give a"),
        (
            lambda: Plan.of(BuiltIn().load("iris"), TREES, metrics={"seconds": len}),
            "cannot be named 'seconds'",
        ),
        (lambda: Plan.of(BuiltIn().load("iris"), [ROCTreeClassifier()]), "is not a configuration"),
        (lambda: Plan.of(BuiltIn().load("iris"), TREES, 5), "design=5 is not a design"),
    ],
)
def test_an_invalid_plan_is_rejected(make, words):
    with pytest.raises(ParameterError, match=words):
        make()


def test_configurations_can_be_given_as_objects():
    named = [Configuration(name, tree) for name, tree in TREES.items()]
    plan = Plan.of(BuiltIn().load("iris"), named)
    assert [each.name for each in plan.configurations] == list(TREES)


@pytest.mark.parametrize("n_jobs", [0, "all", 1.5])
def test_an_invalid_number_of_processes_is_rejected(tmp_path, n_jobs):
    with pytest.raises(ParameterError, match=f"n_jobs={n_jobs!r} is not allowed"):
        run(plan_of(), tmp_path / "study.sqlite", n_jobs=n_jobs)
    assert not list(tmp_path.iterdir())


def test_only_a_plan_can_be_run(tmp_path):
    with pytest.raises(ParameterError, match=r"is not a plan: give Plan\.of"):
        run(TREES, tmp_path / "study.sqlite")


def test_an_unknown_value_of_changed_is_rejected(tmp_path):
    with pytest.raises(ParameterError, match="changed='never' is not known"):
        run(plan_of(), tmp_path / "study.sqlite", changed="never")


class Terminal(StringIO):
    """A terminal that records its output."""

    def isatty(self):
        return True


def test_the_bar_shows_results_failures_and_remaining_time(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(sys, "stderr", Terminal())
    with study_bar() as report:
        report(StudyProgress(6, 2, 24))
    assert re.search(r"6/24.*2 failed.*-:--:--", sys.stderr.getvalue(), re.DOTALL)


def test_a_run_can_show_a_bar(tmp_path, capsys):
    run(plan_of({"failing": Failing()}, ("iris",)), tmp_path / "study.sqlite", progress=True)
    assert "Traceback" not in capsys.readouterr().err


def _other_iris():
    iris = BuiltIn().load("iris")
    return Problem("iris", iris.rows, np.roll(iris.labels, 7), iris.classes)


def _other_tree():
    return ROCTreeClassifier(max_depth=1)
