"""How long one waits before anything happens: cold, warm, for help, for the import."""

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
LIMIT = 120.0

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
        Row("start", "cold-start", "first fit, empty cache", partial(cold, times), "median"),
        Row("start", "warm-start", "first fit, filled cache", warm, "median"),
        Row("start", "commands", "whole processes", commands, "median"),
    ]


def cold(times: int, race: Race) -> list[Entry]:
    """Compile everything, each time in a new cache."""
    fit, importing = Entry("roctree"), Entry("import")
    for _ in range(times):
        race.say("cold start")
        with tempfile.TemporaryDirectory() as cache:
            note_first_fit(fit, importing, cache)
    return [fit, importing]


def warm(race: Race) -> list[Entry]:
    """Find everything compiled by a process before."""
    fit, importing = Entry("roctree"), Entry("import")
    with tempfile.TemporaryDirectory() as cache:
        race.say("filling a cache")
        note_first_fit(Entry(""), Entry(""), cache)
        for _ in range(WARM):
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
    """Time whole processes in turn; an empty one shows what Python itself takes."""
    lines = {
        "roctree --help": [str(Path(sys.executable).with_name("roctree")), "--help"],
        "import roctree": [sys.executable, "-c", "import roctree"],
        "import sklearn.tree": [sys.executable, "-c", "import sklearn.tree"],
        "python -c pass": [sys.executable, "-c", "pass"],
    }
    entries = [Entry(name) for name in lines]
    for _ in range(COMMAND):
        for entry in entries:
            race.say(entry.library)
            begin = perf_counter()
            subprocess.run(lines[entry.library], capture_output=True, timeout=LIMIT, check=True)
            entry.seconds.append(perf_counter() - begin)
    return entries
