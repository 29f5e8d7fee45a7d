import signal
import stat
import subprocess
import sys
import time

import pytest

from roctree import ROCTreeClassifier, load
from roctree.files import atomic
from roctree.files.atomic import write_whole

# Stops dead, as by kill -9, at a step of a save.
KILLED = """
import os, signal, sys
from pathlib import Path
from roctree.files import atomic

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

{patch}
atomic.write_whole(Path(sys.argv[1]), b"new" * 100_000)
"""
STEPS = {
    "before it is on the disk": "os.fsync = die",
    "before it has its name": "os.replace = die",
    "while it is written": "import io; Path.open = lambda *_: Dying(io.BytesIO())",
}
DYING = """
class Dying:
    def __init__(self, _):
        self.file = open(Path(sys.argv[1]).with_name("half.tmp"), "wb")
    def __enter__(self):
        return self
    def __exit__(self, *_):
        pass
    def write(self, data):
        self.file.write(data[: len(data) // 2])
        self.file.flush()
        die()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 on this system")
@pytest.mark.parametrize("step", STEPS)
def test_a_kill_during_a_save_leaves_the_old_file(step, tmp_path):
    path = tmp_path / "tree.json"
    path.write_bytes(b"old")
    code = KILLED.format(patch=(DYING if "while" in step else "") + STEPS[step])
    ended = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.glob("*.tmp"))) + len(list(tmp_path.glob(".*.tmp"))) >= 1


SAVING = """
import sys
from pathlib import Path
from roctree.files.atomic import write_whole

data = [Path(name).read_bytes() for name in sys.argv[2:]]
print("ready", flush=True)
while True:
    for each in data:
        write_whole(Path(sys.argv[1]), each)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 on this system")
def test_a_tree_that_is_saved_over_and_over_can_be_loaded_after_any_kill(tmp_path):
    path, sources = tmp_path / "tree.json", []
    for n_classes in (2, 3):
        sources.append(tmp_path / f"{n_classes}.json")
        labels = [i % n_classes for i in range(200)]
        ROCTreeClassifier().fit([[float(i)] for i in range(200)], labels).save(sources[-1])
    path.write_bytes(sources[0].read_bytes())
    for pause in (0.001, 0.004, 0.01):
        saving = subprocess.Popen(
            [sys.executable, "-c", SAVING, path, *sources], stdout=subprocess.PIPE
        )
        saving.stdout.readline()
        time.sleep(pause)
        saving.kill()
        saving.communicate()
        assert load(path).n_classes_ in (2, 3)


def test_a_save_that_fails_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "tree.json"
    path.write_bytes(b"old")

    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr(atomic.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"new")
    assert [entry.name for entry in tmp_path.iterdir()] == ["tree.json"]
    assert path.read_bytes() == b"old"


def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(tmp_path):
    path, usual = tmp_path / "tree.json", tmp_path / "usual"
    usual.touch()
    write_whole(path, b"first")
    assert path.stat().st_mode == usual.stat().st_mode
    path.chmod(0o640)
    write_whole(path, b"second")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert path.read_bytes() == b"second"


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_folder_that_is_not_there_is_not_found(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "none" / "tree.json", b"new")
    assert list(tmp_path.iterdir()) == []
