"""Start-up in processor seconds: cold, warm, after a reinstallation, and of every small command.

Small first fits are interpreted. What compiling costs is measured by itself. Processor time counts
all threads and child processes; unlike elapsed time, it hardly depends on other processes, so these
rows do not wait for a quiet machine.
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

COLD, WARM, COMMAND = 3, 3, 3
LIMIT = 900.0
FIRST = ("first fit", "imports before it")

SPENT = """
import json, resource

def spent():
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in both)
"""

FIRST_FIT = f"""{SPENT}
begin = spent()
from roctree import ROCTreeClassifier
from sklearn.datasets import load_breast_cancer
X, y = load_breast_cancer(return_X_y=True)
imported = spent()
ROCTreeClassifier().fit(X, y)
print(json.dumps({{"import": imported - begin, "fit": spent() - imported}}))
"""

# Imports, then steps. Each step compiles what it needs beyond the steps before.
STEPS = f"""{SPENT}
import sys
import roctree, roctree.models
from roctree._jit import Waiting
from sklearn.datasets import load_breast_cancer

Waiting.loading = Waiting.compiling = 0.0
X, y = load_breast_cancer(return_X_y=True)
Tree = roctree.ROCTreeClassifier
steps = {{
    "default fit": lambda: Tree().fit(X, y),
    "another criterion, more": lambda: Tree(criterion="hellinger").fit(X, y),
    "readable with prediction, more": lambda: roctree.presets.readable().fit(X, y).predict_proba(X),
    "j48, more": lambda: roctree.presets.j48().fit(X, y),
    "binned, more": lambda: Tree(splits="binned").fit(X, y),
    "NBTree": lambda: roctree.NaiveBayesTreeClassifier().fit(X, y).predict_proba(X),
}}
for name in sys.argv[1:]:
    before = spent()
    steps[name]()
    print(json.dumps({{name: spent() - before}}), flush=True)
"""
# The steps of one process, with an empty cache each.
PROCESSES = (
    (
        "default fit",
        "another criterion, more",
        "readable with prediction, more",
        "j48, more",
        "binned, more",
    ),
    ("NBTree",),
)
EVERYTHING = "roctree warm-up"
REINSTALLED = "default fit, compiled kernels"

# Prints the processor time up to the end of the import.
IMPORT = "{line}\nimport time\nprint(time.process_time())"
IMPORTS = ("import roctree", "from roctree import ROCTreeClassifier", "import sklearn.tree")
SLOWEST_HELP = "--help, the slowest command"


def rows(quick: bool = False) -> list[Row]:
    times = 1 if quick else COLD
    return [
        Row("start", "cold-start", "empty cache", partial(cold, times), "median"),
        Row("start", "warm-start", "filled cache", warm, "median"),
        Row("start", "reinstalled", "filled cache, another copy of the package", copied, "median"),
        Row("start", "compiling", "compiling, empty cache", partial(compiling, times), "median"),
        Row("start", "commands", "small files, filled cache", commands, "median"),
    ]


def process(name: str) -> Entry:
    return Entry(name, threads=0)


def cold(times: int, race: Race) -> list[Entry]:
    """Fit a small table, each time with a new cache."""
    fit, importing = (process(name) for name in FIRST)
    for _ in range(times):
        race.say("cold start")
        with tempfile.TemporaryDirectory() as cache:
            note_first_fit(fit, importing, cache)
    return [fit, importing]


def warm(race: Race) -> list[Entry]:
    """Start with kernels compiled by an earlier process."""
    fit, importing = (process(name) for name in FIRST)
    with tempfile.TemporaryDirectory() as cache:
        race.say("filling a cache")
        run_steps(PROCESSES[0][:1], cache)
        for _ in range(WARM):
            race.say("warm start")
            note_first_fit(fit, importing, cache)
    return [fit, importing]


def copied(race: Race) -> list[Entry]:
    """Fit from another copy of the package, as after a reinstallation; nothing is compiled."""
    fit = process(REINSTALLED)
    sources = Path(roctree.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        cache = str(Path(folder) / "cache")
        run_steps(PROCESSES[0][:1], cache)
        kernels = sorted(Path(cache).rglob("*.kernel"))
        shutil.copytree(sources, Path(folder) / "copy" / "roctree", copy_function=shutil.copy)
        for _ in range(WARM):
            race.say("another copy")
            found = run_steps(PROCESSES[0][:1], cache, PYTHONPATH=str(Path(folder) / "copy"))
            fit.seconds.append(found["default fit"])
        if sorted(Path(cache).rglob("*.kernel")) != kernels:
            fit.note = "kernels were compiled again"
    return [fit]


def compiling(times: int, race: Race) -> list[Entry]:
    """Compile the kernels of one kind of fit after the other, and all of them."""
    entries = {name: process(name) for steps in PROCESSES for name in steps}
    every = process(EVERYTHING)
    for _ in range(times):
        for steps in PROCESSES:
            race.say("compiling")
            with tempfile.TemporaryDirectory() as cache:
                for name, seconds in run_steps(steps, cache).items():
                    entries[name].seconds.append(seconds)
    race.say(EVERYTHING)
    with tempfile.TemporaryDirectory() as cache:
        every.seconds.append(processor_time([script(), "warm-up"], cache))
    return [*entries.values(), every]


def run_steps(steps: tuple[str, ...], cache: str, **environment: str) -> dict[str, float]:
    """Return the processor time of each of some steps, in one process."""
    done = run_cold([sys.executable, "-c", STEPS, *steps], cache, **environment)
    found: dict[str, float] = {}
    for line in done.stdout.splitlines():
        found.update(json.loads(line))
    return found


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


def note_first_fit(fit: Entry, importing: Entry, cache: str) -> None:
    done = run_cold([sys.executable, "-c", FIRST_FIT], cache)
    measured = json.loads(done.stdout.splitlines()[-1])
    importing.seconds.append(measured["import"])
    fit.seconds.append(measured["fit"])


def small_commands(folder: Path) -> dict[str, list[str]]:
    """Return the commands that are to start at once, on the breast-cancer data."""
    from sklearn.datasets import load_breast_cancer

    data, model, page = (str(folder / name) for name in ("data.csv", "tree.json", "page.html"))
    frame = load_breast_cancer(as_frame=True).frame
    frame.to_csv(data, index=False)
    roctree.ROCTreeClassifier().fit(frame.drop(columns="target"), frame["target"]).save(model)
    return {
        "roctree predict": ["predict", model, data],
        "roctree evaluate": ["evaluate", model, data],
        "roctree describe": ["describe", model],
        "roctree export": ["export", model, "--to", "sql"],
        "roctree explore": ["explore", model, data, "-o", page],
        "roctree labellings": ["labellings", model],
    }


def commands(race: Race) -> list[Entry]:
    """Time small commands, the help of all commands, and imports, in turn."""
    from roctree.cli import COMMANDS

    entries = [process(SLOWEST_HELP), *map(process, IMPORTS)]
    with tempfile.TemporaryDirectory() as folder:
        lines = small_commands(Path(folder))
        working = [process(name) for name in lines]
        for _ in range(COMMAND):
            for entry in working:
                race.say(entry.library)
                entry.seconds.append(processor_time([script(), *lines[entry.library]]))
            race.say("--help")
            helped = [processor_time([script(), name, "--help"]) for name in COMMANDS]
            entries[0].seconds.append(max(helped))
            for entry in entries[1:]:
                race.say(entry.library)
                code = IMPORT.format(line=entry.library)
                done = run_cold([sys.executable, "-c", code], folder)
                entry.seconds.append(float(done.stdout))
    return [*working, *entries]


def script() -> str:
    """Return the command installed with this Python."""
    return str(Path(sys.executable).with_name("roctree"))


def processor_time(command: list[str], cache: str | None = None) -> float:
    """Return the processor time of a process and its children in seconds."""
    import resource  # only on POSIX

    environment = {**os.environ, "ROCTREE_BACKGROUND": "0"}
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, capture_output=True, timeout=LIMIT, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def wall_time(command: list[str]) -> float:
    """Return the duration of a process in seconds."""
    begin = perf_counter()
    subprocess.run(command, capture_output=True, timeout=LIMIT, check=True)
    return perf_counter() - begin
