"""Naive Bayes trees: ours, and those of Weka where Java and ``weka.jar`` are found."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits

from benchmarks.data import numeric
from benchmarks.race import STOPPED, Entry, Race, Row

Data = tuple[np.ndarray, np.ndarray]

ROUNDS = 3
# Where Debian's package ``weka`` puts it, unless WEKA_JAR says otherwise.
JAR = Path("/usr/share/java/weka.jar")
BUILT = re.compile(r"Time taken to build model: ([\d.]+) seconds")
LEAVES = re.compile(r"Number of Leaves\s*:\s*(\d+)")
ABSENT = "not run: needs Java and weka.jar (Debian's package weka, or WEKA_JAR=PATH)"


def breast_cancer() -> Data:
    return load_breast_cancer(return_X_y=True)


def digits() -> Data:
    return load_digits(return_X_y=True)


def generated(n_rows: int, n_columns: int) -> Data:
    X, y = numeric(n_rows, n_columns)
    return X.astype(np.float64), y


DATA: dict[str, tuple[str, Callable[[], Data]]] = {
    "wdbc": ("breast cancer, 569 × 30", breast_cancer),
    "digits": ("digits, 1797 × 64, 10 classes", digits),
    "5k": ("5000 × 20", partial(generated, 5000, 20)),
}


def rows(quick: bool = False) -> list[Row]:
    names = ["wdbc"] if quick else list(DATA)
    return [
        Row("nbtree", f"nbtree-{name}", DATA[name][0], partial(grow_all, DATA[name][1]))
        for name in names
    ]


def grow_all(load: Callable[[], Data], race: Race) -> list[Entry]:
    """Time our fit and, where it can be run, Weka's."""
    X, y = load()
    ours, theirs = Entry("roctree"), Entry("Weka")
    grow(X, y)  # compile before the timed turns
    for number in range(ROUNDS):
        race.say(f"{ours.label}, round {number + 1}")
        race.patience.wait()
        ours.facts["leaves"] = ours.time(partial(grow, X, y))
    command = weka_command()
    if command is None:
        theirs.note = ABSENT
        return [ours, theirs]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "data.arff"
        file.write_text(arff(X, y))
        for number in range(ROUNDS):
            race.say(f"{theirs.label}, round {number + 1}")
            race.patience.wait()
            weka_turn(theirs, [*command, "-t", str(file), "-no-cv"])
            if theirs.note is not None:
                break
    return [ours, theirs]


def grow(X: np.ndarray, y: np.ndarray) -> int:
    from roctree import NaiveBayesTreeClassifier

    return NaiveBayesTreeClassifier().fit(X, y).get_n_leaves()


def weka_turn(entry: Entry, command: list[str]) -> None:
    """Let Weka grow its tree; the seconds are its own, without the start of Java."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=STOPPED)
    except subprocess.TimeoutExpired:
        entry.note = f"stopped after {STOPPED:.0f} s"
        return
    seconds, leaves = BUILT.search(done.stdout), LEAVES.search(done.stdout)
    if seconds is None or leaves is None:
        entry.note = f"failed: {(done.stderr or done.stdout).strip()[:200]}"
        return
    entry.seconds.append(float(seconds[1]))
    entry.facts["leaves"] = int(leaves[1])


def weka_command() -> list[str] | None:
    """Return the command that runs NBTree, or None if it is not found."""
    java, jar = shutil.which("java"), Path(os.environ.get("WEKA_JAR", JAR))
    if java is None or not jar.exists():
        return None
    return [java, "-cp", str(jar), "weka.classifiers.trees.NBTree"]


def arff(X: np.ndarray, y: np.ndarray) -> str:
    """Return numbers and classes in the format of Weka."""
    head = ["@relation data", *(f"@attribute x{i} numeric" for i in range(X.shape[1]))]
    classes = ",".join(f"c{label}" for label in np.unique(y))
    lines = [
        ",".join([*map(repr, row), f"c{label}"])
        for row, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    return "\n".join([*head, f"@attribute class {{{classes}}}", "@data", *lines, ""])
