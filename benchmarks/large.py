"""Many rows: fits by bins against libraries that do so too, and fits of rows on disk.

``python -m benchmarks.large FOLDER`` fits the Parquet files of a folder and prints its peak memory.
"""

import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.data import SEED
from benchmarks.fit import title
from benchmarks.libraries import Task
from benchmarks.memory import LIMIT, ROOT, resident
from benchmarks.race import EXACT, Entry, Race, Row, entrants
from benchmarks.worker import Job

TASKS = (
    Task("200k", 20, 8),
    Task("200k", 20),
    Task("1M", 20, 8),
    Task("1M", 20),
    Task("5M", 20, 8),
    Task("10M", 20, 8),
)
QUICK_TASKS = (Task("20k", 20, 8),)
PEERS = ("roctree", "XGBoost", "LightGBM")
N_FEATURES = 20
ON_DISK, QUICK_ON_DISK = 20_000_000, 200_000
FILE_ROWS = 1_000_000


def rows(quick: bool = False) -> list[Row]:
    binned = [
        Row("binned", f"binned-{task.name}", f"{title(task)}, ours binned", partial(fit_all, task))
        for task in (QUICK_TASKS if quick else TASKS)
    ]
    n_rows = QUICK_ON_DISK if quick else ON_DISK
    heading = f"{n_rows:,} × {N_FEATURES} float32 in Parquet, leaves ≥ 1000, depth 8"
    disk = Row("out_of_core", f"disk-{n_rows}", heading, partial(fit_from_disk, n_rows))
    return [*binned, disk]


def fit_all(task: Task, race: Race) -> list[Entry]:
    """One tree of each library that bins, and ours by exact splits, at equal depth and threads."""
    entries = [entry for entry in entrants() if entry.library in PEERS]
    entries += [Entry("roctree", threads, EXACT) for threads in (1, 2)]
    jobs = [Job(task, entry.threads) for entry in entries]
    for number, entry in enumerate(entries):
        if entry.library == "roctree" and entry.variant != EXACT:
            jobs[number] = replace(jobs[number], options={"splits": "binned"})
    return race.run(entries, jobs, rounds=4, budget=10.0)


def fit_from_disk(n_rows: int, race: Race) -> list[Entry]:
    entry = Entry("roctree", 2, "out of core")
    with tempfile.TemporaryDirectory() as folder:
        race.say("writing Parquet files")
        write(Path(folder), n_rows)
        race.say(f"{entry.label}, {n_rows} rows on disk")
        command = [sys.executable, "-m", "benchmarks.large", folder]
        try:
            done = subprocess.run(
                command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT, check=True
            )
        except subprocess.SubprocessError as error:
            entry.note = f"failed: {error}"[:200]
            return [entry]
    entry.facts = json.loads(done.stdout.splitlines()[-1])
    entry.seconds = [entry.facts.pop("seconds")]
    return [entry]


def write(folder: Path, n_rows: int) -> None:
    """Write numeric rows, a few of whose columns determine the label, one file per million."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    generator = np.random.default_rng(SEED)
    for number, begin in enumerate(range(0, n_rows, FILE_ROWS)):
        size = min(FILE_ROWS, n_rows - begin)
        X = generator.standard_normal((size, N_FEATURES), dtype=np.float32)
        score = X[:, :8].sum(axis=1) + X[:, 0] * X[:, 1] + generator.normal(0.0, 2.0, size)
        columns = {f"x{feature}": X[:, feature] for feature in range(N_FEATURES)}
        table = pa.table({**columns, "y": (score > 0).astype(np.int8)})
        pq.write_table(table, folder / f"{number}.parquet", compression="none")


def fit_and_print(folder: str) -> None:
    """Fit the files of a folder, and print the peak memory of the process."""
    from roctree import ROCTreeClassifier

    begin = perf_counter()
    tree = ROCTreeClassifier(
        criterion="gini", splits="binned", max_depth=8, min_samples_leaf=1000, n_jobs=2
    ).fit(folder, "y")
    facts = {
        "seconds": perf_counter() - begin,
        "peak": resident("VmHWM"),
        "leaves": tree.get_n_leaves(),
        "auc": tree.roc().auc,
    }
    print(json.dumps(facts))


if __name__ == "__main__":
    fit_and_print(sys.argv[1])
