"""What holds on Windows and macOS, as far as it can be tried here."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from roctree import ROCTreeClassifier

HOME = Path(__file__).parents[2]

# Collect all tests without what Windows lacks.
COLLECT = """
import os, signal, sys
import numpy, pyarrow, pandas, polars, dask, distributed, hypothesis, platformdirs, playwright
for name in ("fork", "forkpty", "getuid", "geteuid", "killpg", "mkfifo", "nice", "posix_fallocate"):
    vars(os).pop(name, None)
for name in ("SIGKILL", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGSTOP", "SIGCONT", "alarm"):
    vars(signal).pop(name, None)
for name in ("resource", "pwd", "grp", "termios", "pty"):
    sys.modules[name] = None
import pytest
# Hypothesis, a plugin of pytest, has been imported before it.
ignored = "ignore::pytest.PytestAssertRewriteWarning"
sys.exit(pytest.main(["-W", ignored, "--collect-only", "-q", "-p", "no:cacheprovider", "tests"]))
"""

# Start further processes as on Windows and macOS.
SPAWN = "import multiprocessing; multiprocessing.set_start_method('spawn')"
CORE = [
    "tests/cli/test_use.py",
    "tests/experiment/test_run.py",
    "tests/files/test_atomic.py",
    "tests/large/test_out_of_core.py",
    "tests/robust/test_determinism.py",
]


@pytest.mark.rerun
@pytest.mark.slow
def test_tests_are_collected_without_names_that_windows_lacks():
    for library in ("pandas", "polars", "dask", "playwright"):
        pytest.importorskip(library)
    done = subprocess.run(
        [sys.executable, "-c", COLLECT], cwd=HOME, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


@pytest.mark.rerun
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_core_works_with_spawn_in_a_folder_with_a_space_and_an_umlaut(tmp_path):
    folder = tmp_path / "Ordner für Prüfungen"
    folder.mkdir()
    (folder / "start_by_spawn.py").write_text(SPAWN, encoding="utf-8")
    environment = {
        **os.environ,
        "TMPDIR": str(folder),
        "PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)]),
    }
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "start_by_spawn"]
    done = subprocess.run(
        [sys.executable, *command, "-m", "not slow", "--basetemp", folder / "die Tests", *CORE],
        cwd=HOME,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs Linux to look")
def test_no_file_is_mapped_when_its_folder_is_deleted(tmp_path, monkeypatch):
    """Windows refuses to delete a file that is mapped into memory or open."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    in_use = []

    class Watched(TemporaryDirectory):
        def cleanup(self):
            maps = Path("/proc/self/maps").read_text()
            opened = list(Path("/proc/self/fd").iterdir())
            opened = [str(each.readlink()) for each in opened if each.is_symlink()]
            in_use.append([each for each in [maps, *opened] if self.name in each])
            super().cleanup()

        def __exit__(self, *error):
            self.cleanup()

    monkeypatch.setattr("roctree.large.TemporaryDirectory", Watched)
    monkeypatch.setattr("roctree.large.batches.TemporaryDirectory", Watched)
    random = np.random.default_rng(0)
    X = random.normal(size=(500, 3))
    table = pa.table({f"x{i}": X[:, i] for i in range(3)} | {"y": (X[:, 0] > 0).astype(int)})
    path = tmp_path / "Größe und Gewicht.parquet"
    parquet.write_table(table, path)
    tree = ROCTreeClassifier(splits="binned").fit(path, "y")
    assert tree.get_n_leaves() > 1
    ROCTreeClassifier(splits="binned").fit(iter(table.to_batches()), "y")
    assert in_use == [[], []]
    query = pytest.importorskip("polars").scan_parquet(path)
    assert tree.roc(query, "y").auc == tree.roc(path, "y").auc
    assert in_use[2:]
    assert not any(in_use[2:])
