"""Compiled kernels are kept on disk: found again wherever they still fit, and only there."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import pytest

from roctree import _jit
from roctree._jit import JIT_DISABLED, ahead, store
from roctree.arrays import ReadonlyInts

SOURCES = Path(store.__file__).parents[2]
# Compiles one small kernel, and prints how often and where it is kept.
COMPILE = """
from roctree._jit import compiled
from roctree._jit.store import folder
from roctree.tree.kernels.descent import add_to_parents as kernel
from roctree._jit import store
saved = []
save = store.StoredKernel.save
store.StoredKernel.save = lambda self, result: saved.append(save(self, result))
compiled(kernel)
print(len(saved), folder())
"""
needs_compiler = pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled with the JIT off")


def start(script=COMPILE, sources=SOURCES, **environment):
    return subprocess.Popen(
        [sys.executable, "-W", "always", "-c", script],
        env={**os.environ, "PYTHONPATH": str(sources), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    printed, complaints = process.communicate(timeout=250)
    assert process.returncode == 0, complaints
    count, place = printed.strip().split(" ", 1)
    return int(count), place, complaints


def compiles(**options):
    return finish(start(**options))[0]


@needs_compiler
def test_another_copy_of_the_sources_finds_the_same_kernels(tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert compiles(**cache) == 1
    copy = tmp_path / "another environment"
    shutil.copytree(SOURCES, copy, copy_function=shutil.copy)
    assert compiles(sources=copy, **cache) == 0


@needs_compiler
def test_what_a_kernel_calls_and_how_it_is_compiled_is_part_of_its_name(tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert compiles(**cache) == 1
    assert compiles(NUMBA_BOUNDSCHECK="1", **cache) == 1
    assert compiles(NUMBA_OPT="1", **cache) == 1
    assert compiles(**cache) == 0


@needs_compiler
@pytest.mark.slow
def test_eight_processes_that_start_at_once_compile_a_kernel_once(tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert sum(finish(each)[0] for each in [start(**cache) for _ in range(8)]) == 1
    assert [path.suffix for path in tmp_path.rglob("*.*")] == [".kernel"]


@needs_compiler
def test_a_damaged_kernel_is_compiled_again(tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert compiles(**cache) == 1
    (kept,) = tmp_path.rglob("*.kernel")
    content = kept.read_bytes()
    kept.write_bytes(content[:-9] + bytes(9))
    assert compiles(**cache) == 1
    assert kept.read_bytes() != content[:-9] + bytes(9)
    assert compiles(**cache) == 0


@needs_compiler
@pytest.mark.parametrize("home", ["", "/nonexistent"])
def test_a_user_without_a_home_directory_gets_one_warning(tmp_path, home):
    (tmp_path / "file").touch()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {
        "NUMBA_CACHE_DIR": "",
        "HOME": home,
        "XDG_CACHE_HOME": str(tmp_path / "file" / "cache"),
        "TMPDIR": str(temporary),
    }
    count, place, complaints = finish(start(**environment))
    assert count == 1
    assert Path(place).parent == temporary
    assert complaints.count("RuntimeWarning") == 1
    assert compiles(**environment) == 0


@needs_compiler
def test_where_nothing_can_be_written_every_process_compiles_with_one_warning(tmp_path):
    (tmp_path / "file").touch()
    _, place, complaints = finish(start(NUMBA_CACHE_DIR=str(tmp_path / "file" / "cache")))
    assert place == "None"
    assert complaints.count("RuntimeWarning") == 1


@needs_compiler
def test_a_given_folder_that_is_read_only_is_read_and_missed_kernels_are_told_once(
    tmp_path, monkeypatch, caplog
):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    (tmp_path / "roctree").mkdir()
    # As on a file system that is mounted read-only; root may write to any other folder.
    monkeypatch.setattr(store, "_writable_folder", lambda path, private: None)
    monkeypatch.setattr(store, "folder", store.folder.__wrapped__)
    assert store.folder() == tmp_path / "roctree"
    assert store.keeps_kernels()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert not store.keeps_kernels()
    assert not ahead.compile_in_background([calls_helper])
    refusal = OSError(30, "Read-only file system")
    monkeypatch.setattr(Path, "mkdir", mock.Mock(side_effect=refusal))
    result = mock.MagicMock()
    result.library.has_dynamic_globals = False
    result._reduce.return_value = ()
    for kernel in (calls_helper, helper):
        store.StoredKernel(kernel).save(result)
    assert [each.message for each in caplog.records] == [
        f"roctree cannot keep compiled kernels in {store.StoredKernel(helper).path.parent}: "
        "Read-only file system."
    ]


def test_a_folder_that_others_can_write_to_is_not_trusted(tmp_path):
    assert store._writable_folder(tmp_path / "mine", private=True) is not None
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    assert store._writable_folder(tmp_path / "open", private=True) is None
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    assert store._writable_folder(tmp_path / "link", private=True) is None


def test_a_folder_in_which_no_file_can_be_made_is_not_used(tmp_path, monkeypatch):
    made = store.tempfile.TemporaryFile

    def refuse(dir=None):
        if dir == tmp_path:
            raise PermissionError
        return made(dir=dir)

    monkeypatch.setattr(store.tempfile, "TemporaryFile", refuse)
    assert store._writable_folder(tmp_path, private=False) is None
    assert store._writable_folder(tmp_path / "other", private=False) == tmp_path / "other"


def test_kernels_that_are_not_used_any_more_are_removed(tmp_path, monkeypatch):
    for name, days, size in [("old", 40, 1), ("a", 3, 50), ("b", 2, 50), ("c", 1, 50)]:
        path = tmp_path / name / "some.kernel"
        path.parent.mkdir()
        path.write_bytes(bytes(size))
        moment = time.time() - days * 86_400
        os.utime(path, (moment, moment))
    left_over = tmp_path / "a" / "x.writing"
    left_over.touch()
    os.utime(left_over, (0, 0))
    monkeypatch.setattr(store, "_LARGEST", 120)
    store._remove_old.__wrapped__(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "c"]


STEP = 2


def helper(x):
    return x + STEP


def calls_helper(places: ReadonlyInts) -> int:
    return helper(places[0])


def test_a_digest_covers_what_a_function_calls_and_the_constants_there(monkeypatch):
    before = store.digest(calls_helper)
    assert store.digest(calls_helper) == before
    monkeypatch.setattr(sys.modules[__name__], "STEP", 3)
    after = store.digest(calls_helper)
    assert after != before
    monkeypatch.setattr(sys.modules[__name__], "helper", lambda x: x - STEP)
    assert store.digest(calls_helper) not in {before, after}


def test_every_kernel_of_the_library_has_its_own_stable_name():
    names = [store.digest(each) for each in _jit.DECLARED]
    script = """
from roctree import models
from roctree import _jit
from roctree._jit import store
import roctree.cli.demo
for each in _jit.DECLARED: print(each.__module__, each.__name__, store.digest(each))
"""
    outputs = set()
    for seed in "01":
        done = start(script, PYTHONHASHSEED=seed)
        printed, complaints = done.communicate()
        assert done.returncode == 0, complaints
        outputs.add(printed)
    assert len(outputs) == 1
    assert len(names) == len(_jit.DECLARED)


@needs_compiler
def test_the_fields_of_a_record_are_part_of_the_digest():
    from tests.test_jit import weighted

    assert "column" in store._identified(weighted.__annotations__["data"])


def test_a_lock_that_is_held_is_not_waited_for_longer_than_told(tmp_path):
    with store.locked(tmp_path / "a.lock", 0.0) as mine:
        assert mine
        with store.locked(tmp_path / "a.lock", 0.05) as another:
            assert not another
    with store.locked(tmp_path / "a.lock", 0.0) as again:
        assert again
