"""Peak memory of a fit, in a separate process: ``python -m benchmarks.memory``."""

import json
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.data import load
from benchmarks.libraries import LIBRARIES, Task
from benchmarks.race import Entry, Race, Row
from benchmarks.worker import WARM_UP_ROWS

TASK = Task("1M", 20)
QUICK_TASK = Task("20k", 20)
ENTRANTS = (("roctree", 1), ("roctree", 2), ("scikit-learn", 1))
LIMIT = 600.0
ROOT = Path(__file__).parents[1]


def rows(quick: bool = False) -> list[Row]:
    task = QUICK_TASK if quick else TASK
    heading = f"peak memory of a fit, {task.name}, float64"
    return [Row("memory", f"memory-{task.name}", heading, partial(measure_all, task))]


def measure_all(task: Task, race: Race) -> list[Entry]:
    entries = [Entry(library, threads) for library, threads in ENTRANTS]
    with tempfile.TemporaryDirectory() as folder:
        split = load(task.data)
        np.save(Path(folder, "X.npy"), split.X.astype(np.float64))
        np.save(Path(folder, "y.npy"), split.y)
        for entry in entries:
            race.say(f"{entry.label}, memory")
            measure(entry, task, folder)
    return entries


def measure(entry: Entry, task: Task, folder: str) -> None:
    command = [sys.executable, "-m", "benchmarks.memory", folder, entry.library]
    command += [str(entry.threads), str(task.leaf)]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT, check=True
        )
    except subprocess.SubprocessError as error:
        entry.note = f"failed: {error}"[:200]
        return
    measured = json.loads(done.stdout.splitlines()[-1])
    entry.seconds = [measured.pop("seconds")]
    entry.facts = measured


def fit_and_print(folder: str, name: str, threads: int, leaf: int) -> None:
    """Fit a few rows, then all, and print by how much the process grew at its peak."""
    X, y = np.load(Path(folder, "X.npy")), np.load(Path(folder, "y.npy"))
    library = LIBRARIES[name]()
    task = Task("", leaf)
    library.fit(X[:WARM_UP_ROWS], y[:WARM_UP_ROWS], task, threads)
    before = resident("VmRSS")
    reset_peak()
    begin = perf_counter()
    library.fit(X, y, task, threads)
    seconds = perf_counter() - begin
    growth = max(resident("VmHWM") - before, 0)
    facts = {"seconds": seconds, "before": before, "growth": growth, "matrix": X.nbytes}
    print(json.dumps(facts))


def resident(field: str) -> int:
    """Return bytes of memory held now (VmRSS) or at the peak (VmHWM), as Linux counts them."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise LookupError(field)


def reset_peak() -> None:
    """Reset the peak."""
    Path("/proc/self/clear_refs").write_text("5")


if __name__ == "__main__":
    folder, library, threads, leaf = sys.argv[1:]
    fit_and_print(folder, library, int(threads), int(leaf))
