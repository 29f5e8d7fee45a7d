"""Start-up times: cold, warm, after a reinstallation, of ``--help`` and of the import.

Small first fits are interpreted. What compiling costs is measured by itself, in processor seconds.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter

import roctree
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


# Each step compiles what it needs beyond the steps before.
STEPS = """
import json, resource, sys
import numpy as np, roctree, roctree.models
from roctree._jit.kernels import Waiting
from sklearn.datasets import load_breast_cancer

Waiting.loading = Waiting.compiling = 0.0

def spent():
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in both)

X, y = load_breast_cancer(return_X_y=True)
Tree = roctree.ROCTreeClassifier
steps = {
    "default fit": lambda: Tree().fit(X, y),
    "another criterion": lambda: Tree(criterion="hellinger").fit(X, y),
    "readable, with prediction": lambda: roctree.presets.readable().fit(X, y).predict_proba(X),
    "j48": lambda: roctree.presets.j48().fit(X, y),
    "binned": lambda: Tree(splits="binned").fit(X, y),
    "NBTree": lambda: roctree.NaiveBayesTreeClassifier().fit(X, y).predict_proba(X),
}
for name, step in steps.items():
    before = spent()
    step()
    print(json.dumps({name: spent() - before}), flush=True)
"""


def rows(quick: bool = False) -> list[Row]:
    times = 1 if quick else COLD
    return [
        Row("start", "cold-start", "empty cache", partial(cold, times), "median"),
        Row("start", "warm-start", "filled cache", warm, "median"),
        Row("start", "reinstalled", "filled cache, another copy of the package", copied, "median"),
        Row("start", "compiling", "empty cache, processor seconds", partial(compiling, times)),
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


def copied(race: Race) -> list[Entry]:
    """Start from another copy of the package, as after a reinstallation."""
    fit, importing = (process(name) for name in FIRST)
    sources = Path(roctree.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        cache = str(Path(folder) / "cache")
        note_first_fit(process(""), process(""), cache)
        shutil.copytree(sources, Path(folder) / "copy" / "roctree", copy_function=shutil.copy)
        race.patience.wait()
        race.say("another copy")
        note_first_fit(fit, importing, cache, PYTHONPATH=str(Path(folder) / "copy"))
    return [fit, importing]


def compiling(times: int, race: Race) -> list[Entry]:
    """Compile the kernels of one kind of fit after the other, and all of them."""
    entries: dict[str, Entry] = {}
    for _ in range(times):
        race.patience.wait()
        race.say("compiling")
        with tempfile.TemporaryDirectory() as cache:
            done = run_cold([sys.executable, "-c", STEPS], cache)
        for line in done.stdout.splitlines():
            for name, seconds in json.loads(line).items():
                entries.setdefault(name, process(name)).seconds.append(seconds)
    return list(entries.values())


def run_cold(
    command: list[str], cache: str, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run a command with a cache of its own, without background processes."""
    environment = {"NUMBA_CACHE_DIR": cache, "ROCTREE_BACKGROUND": "0", **environment}
    return subprocess.run(
        command,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=True,
    )


def note_first_fit(fit: Entry, importing: Entry, cache: str, **environment: str) -> None:
    done = run_cold([sys.executable, "-c", FIRST_FIT], cache, **environment)
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
