"""Start-up times: cold, warm, of ``--help`` and of the import."""

import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter

from benchmarks.race import Entry, Race, Row

COLD, WARM, COMMAND = 3, 5, 10
LIMIT = 300.0
FIRST = ("first fit", "imports before it")

FIRST_FIT = """
import json
from time import perf_counter
begin = perf_counter()
from roctree import ROCTreeClassifier
from sklearn.datasets import load_iris
X, y = load_iris(return_X_y=True)
imported = perf_counter()
ROCTreeClassifier().fit(X, y)
fitted = perf_counter()
print(json.dumps({"import": imported - begin, "fit": fitted - imported}))
"""


def rows(quick: bool = False) -> list[Row]:
    times = 1 if quick else COLD
    return [
        Row("start", "cold-start", "empty cache", partial(cold, times), "median"),
        Row("start", "warm-start", "filled cache", warm, "median"),
        Row("start", "commands", "whole processes", commands, "median"),
    ]


def process(name: str) -> Entry:
    return Entry(name, threads=0)


def cold(times: int, race: Race) -> list[Entry]:
    """Compile what a fit needs, each time with a new cache, and once all kernels."""
    fit, importing, every = (process(name) for name in (*FIRST, "roctree warm-up"))
    for _ in range(times):
        race.patience.wait()
        race.say("cold start")
        with tempfile.TemporaryDirectory() as cache:
            note_first_fit(fit, importing, cache)
    if times > 1:
        race.say("warm-up")
        with tempfile.TemporaryDirectory() as cache:
            every.seconds.append(wall_time([script(), "warm-up"], cache))
    return [fit, importing, every]


def warm(race: Race) -> list[Entry]:
    """Start with kernels compiled by an earlier process."""
    fit, importing = (process(name) for name in FIRST)
    with tempfile.TemporaryDirectory() as cache:
        race.say("filling a cache")
        note_first_fit(process(""), process(""), cache)
        for _ in range(WARM):
            race.patience.wait()
            race.say("warm start")
            note_first_fit(fit, importing, cache)
    return [fit, importing]


def note_first_fit(fit: Entry, importing: Entry, cache: str) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    command = [sys.executable, "-c", FIRST_FIT]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=LIMIT, check=True
    )
    measured = json.loads(done.stdout.splitlines()[-1])
    importing.seconds.append(measured["import"])
    fit.seconds.append(measured["fit"])


def commands(race: Race) -> list[Entry]:
    """Time whole processes in turn; an empty one measures the start of Python."""
    lines = {
        "roctree --help": [script(), "--help"],
        "import roctree": [sys.executable, "-c", "import roctree"],
        "import sklearn.tree": [sys.executable, "-c", "import sklearn.tree"],
        "python -c pass": [sys.executable, "-c", "pass"],
    }
    entries = [process(name) for name in lines]
    for _ in range(COMMAND):
        for entry in entries:
            race.patience.wait()
            race.say(entry.library)
            entry.seconds.append(wall_time(lines[entry.library]))
    return entries


def script() -> str:
    """Return the command installed with this Python."""
    return str(Path(sys.executable).with_name("roctree"))


def wall_time(command: list[str], cache: str | None = None) -> float:
    """Return the duration of a process in seconds."""
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": cache} if cache else {})}
    begin = perf_counter()
    subprocess.run(command, env=environment, capture_output=True, timeout=LIMIT, check=True)
    return perf_counter() - begin
