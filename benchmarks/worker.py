"""One process per library, so that none can stop or slow down the others."""

import gc
import multiprocessing
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.data import TrainAndTest, load
from benchmarks.libraries import LIBRARIES, Library, Task, levels
from benchmarks.quiet import Bystanders

WARM_UP_ROWS = 5_000
WARM_UP_LIMIT = 300.0

# Seconds of each repeat, the model, and the cores that other processes used.
Timed = tuple[list[float], Any, float]


@dataclass(frozen=True)
class Job:
    """A fit, or predictions by an earlier fit, and the number of repeats."""

    task: Task
    threads: int
    repeats: int = 1
    options: dict[str, Any] = field(default_factory=dict)
    predict: str | None = None

    def warm_up(self) -> "Job":
        """Return the same job with few rows, for the warm-up."""
        return replace(self, task=replace(self.task, n_rows=WARM_UP_ROWS), repeats=1, predict=None)


@dataclass
class Reply:
    """The seconds of each repeat and facts about the tree, or the error."""

    seconds: list[float] = field(default_factory=list)
    facts: dict[str, float] = field(default_factory=dict)
    note: str | None = None
    others: float = 0.0


class Bench:
    """A library and its fitted models."""

    def __init__(self, library: str) -> None:
        self.make_library = LIBRARIES[library]
        self.models: dict[tuple[Task, int], Any] = {}

    def answer(self, job: Job) -> Reply:
        split = load(job.task.data)
        library = self.make_library(**job.options)
        act = self.fit if job.predict is None else self.predict
        seconds, model, others = act(library, job, split)
        scores = library.probabilities(model, library.table(split.X_test), job.threads)
        auc = float(roc_auc_score(split.y_test, scores, multi_class="ovr"))
        facts = {"leaves": int(library.leaves(model)), "auc": auc}
        if hasattr(model, "tree_"):
            facts["levels"] = levels(model.tree_)
        return Reply(seconds, facts, others=others)

    def fit(self, library: Library, job: Job, split: TrainAndTest) -> Timed:
        n_rows = job.task.n_rows
        table, y = library.table(split.X[:n_rows]), split.y[:n_rows]
        seconds, model = [], None
        with Bystanders() as others:
            for _ in range(job.repeats):
                model = None
                gc.collect()
                begin = perf_counter()
                model = library.fit(table, y, job.task, job.threads)
                seconds.append(perf_counter() - begin)
        return seconds, model, others.cores

    def predict(self, library: Library, job: Job, split: TrainAndTest) -> Timed:
        key = job.task, job.threads
        if key not in self.models:
            self.models[key] = self.fit(library, replace(job, repeats=1), split)[1]
        table = library.table(split.X.astype(np.dtype(job.predict)))
        seconds = []
        with Bystanders() as others:
            for _ in range(job.repeats):
                begin = perf_counter()
                library.probabilities(self.models[key], table, job.threads)
                seconds.append(perf_counter() - begin)
        return seconds, self.models[key], others.cores


def serve(library: str, pipe: Connection) -> None:
    """Answer jobs until the pipe is closed."""
    warnings.simplefilter("ignore")
    bench = Bench(library)
    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(bench.answer(job))
        except Exception as error:
            pipe.send(Reply(note="failed: " + _sentence(error)))


def _sentence(error: Exception) -> str:
    return traceback.format_exception_only(error)[-1].strip().splitlines()[0][:200]


class Worker:
    """A library's process, started on first use and restarted after a failure."""

    def __init__(self, library: str) -> None:
        self.library = library
        self.process: Any = None
        self.pipe: Any = None

    def ask(self, job: Job, limit: float) -> Reply:
        """Return the answer; a new process warms up before it is timed."""
        if self.process is None:
            self.begin()
            self.exchange(job.warm_up(), WARM_UP_LIMIT)
        return self.exchange(job, limit)

    def exchange(self, job: Job, limit: float) -> Reply:
        """Return the answer; after ``limit`` seconds the process is ended."""
        if self.process is None:
            self.begin()
        try:
            self.pipe.send(job)
            if self.pipe.poll(limit):
                return self.pipe.recv()
            note = f"stopped after {limit:.0f} s"
        except (EOFError, OSError):
            self.process.join(5)
            note = f"failed: the process ended with {self.process.exitcode}"
        self.end()
        return Reply(note=note)

    def begin(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(self.library, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def end(self) -> None:
        if self.process is None:
            return
        self.pipe.close()
        self.process.join(2)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process = None


class Workers:
    """The processes of all libraries; leaving the context ends them."""

    def __init__(self, libraries: Sequence[str]) -> None:
        self.workers = {library: Worker(library) for library in libraries}

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self.workers.values():
            worker.end()

    def ask(self, library: str, job: Job, limit: float) -> Reply:
        return self.workers[library].ask(job, limit)
