"""Probabilities of many rows, by trees of unlimited depth grown from some of them."""

from functools import partial

from benchmarks.data import DATA
from benchmarks.libraries import Task
from benchmarks.race import Entry, Race, Row, entrants
from benchmarks.worker import Job

TASK = Task("1M", 20, n_rows=200_000)
QUICK_TASK = Task("20k", 20, n_rows=10_000)


def rows(quick: bool = False) -> list[Row]:
    task = QUICK_TASK if quick else TASK
    return [
        Row(
            "predict",
            f"predict-{task.data}-{dtype}",
            f"predict_proba of {DATA[task.data].title} {dtype}",
            partial(predict_all, task, dtype),
        )
        for dtype in ("float32", "float64")
    ]


def predict_all(task: Task, dtype: str, race: Race) -> list[Entry]:
    entries = entrants()
    jobs = [Job(task, entry.threads, predict=dtype) for entry in entries]
    return race.run(entries, jobs, rounds=5, budget=10.0)
