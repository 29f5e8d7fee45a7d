"""From a file to a model file: ``roctree fit``, against polars' reading and the bare fit."""

import json
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.data import load
from benchmarks.race import Entry, Race, Row
from benchmarks.start import LIMIT, script, wall_time

ROUNDS = 3
FORMATS = ("csv", "parquet")
LEAF = 20
COMMAND, READ, FIT = "roctree fit, whole process", "polars' read", "bare fit"

# A small fit first: the cost of a first call is measured elsewhere.
BARE = f"""
import json, sys
from time import perf_counter
import numpy as np
import polars
from roctree import ROCTreeClassifier
path = sys.argv[1]
small = np.random.default_rng(0).random((5000, 3))
ROCTreeClassifier().fit(small, small[:, 0] > 0.5)
begin = perf_counter()
frame = polars.read_csv(path) if path.endswith("csv") else polars.read_parquet(path)
read = perf_counter()
X, y = frame.drop("class").to_numpy(), frame["class"].to_numpy()
ready = perf_counter()
ROCTreeClassifier(min_samples_leaf={LEAF}).fit(X, y)
print(json.dumps({{"read": read - begin, "fit": perf_counter() - ready}}))
"""


def rows(quick: bool = False) -> list[Row]:
    data, title = ("tiny", "300 × 4") if quick else ("1M", "1M × 20")
    return [
        Row("command", f"command-{data}-{form}", f"{title}, {form}", partial(measure, data, form))
        for form in FORMATS
    ]


def measure(data: str, form: str, race: Race) -> list[Entry]:
    """Time the command as a whole process, and its parts in another, in turn."""
    command, read, fit = (Entry(name, threads=0) for name in (COMMAND, READ, FIT))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"data.{form}"
        race.say("writing the file")
        write(data, path)
        line = [script(), "fit", str(path), "--target", "class", "-o", f"{folder}/tree.json"]
        for _ in range(ROUNDS):
            race.patience.wait()
            race.say(command.library)
            command.seconds.append(wall_time([*line, "--min-samples-leaf", str(LEAF), "--cv", "0"]))
            race.say(fit.library)
            note_parts(read, fit, path)
    return [command, read, fit]


def write(data: str, path: Path) -> None:
    import polars

    split = load(data)
    names = [f"x{number}" for number in range(split.X.shape[1])]
    columns = dict(zip(names, split.X.T.astype(np.float64), strict=True))
    frame = polars.DataFrame(columns | {"class": split.y})
    frame.write_csv(path) if path.suffix == ".csv" else frame.write_parquet(path)


def note_parts(read: Entry, fit: Entry, path: Path) -> None:
    command = [sys.executable, "-c", BARE, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=True)
    measured = json.loads(done.stdout.splitlines()[-1])
    read.seconds.append(measured["read"])
    fit.seconds.append(measured["fit"])
