"""Probabilities of many rows, by trees of unlimited depth grown from some of them, and by small
trees with soft and with hard thresholds."""

from functools import partial

from benchmarks.data import DATA, load
from benchmarks.libraries import Task
from benchmarks.race import Entry, Race, Row, entrants
from benchmarks.worker import Job

SOFT_LEAVES, SOFT_ROUNDS = 32, 5
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
    ] + [
        Row(
            "predict_soft",
            "predict-soft",
            f"{DATA[task.data].title}, {SOFT_LEAVES} leaves",
            partial(predict_softly, task),
        )
    ]


def predict_all(task: Task, dtype: str, race: Race) -> list[Entry]:
    entries = entrants()
    jobs = [Job(task, entry.threads, predict=dtype) for entry in entries]
    return race.run(entries, jobs, rounds=5, budget=10.0)


def predict_softly(task: Task, race: Race) -> list[Entry]:
    """The same tree with soft and with hard thresholds, in turn."""
    from roctree import ROCTreeClassifier

    split = load(task.data)
    X, y = split.X[: task.n_rows], split.y[: task.n_rows]
    hard = ROCTreeClassifier(max_leaf_nodes=SOFT_LEAVES, min_samples_leaf=task.leaf).fit(X, y)
    trees = {"soft": hard.ranked("soft", X=X, y=y), "hard": hard}
    contest = [
        (Entry("roctree", threads, name), tree)
        for threads in (1, 2)
        for name, tree in trees.items()
    ]
    for number in range(SOFT_ROUNDS):
        for entry, tree in contest:
            race.say(f"{entry.label}, round {number + 1}")
            race.patience.wait()
            tree.set_params(n_jobs=entry.threads)
            tree.predict_proba(X)  # the first prediction compiles kernels
            entry.time(partial(tree.predict_proba, split.X))
    return [entry for entry, _ in contest]
