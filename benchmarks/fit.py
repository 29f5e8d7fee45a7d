"""Fits: the grid of data sets and trees, every criterion, and one very small data set."""

from dataclasses import replace
from functools import partial
from itertools import product

from benchmarks.data import DATA
from benchmarks.libraries import Task
from benchmarks.race import Entry, Race, Row, entrants
from benchmarks.worker import Job

GRID = ("1k", "20k", "200k", "1M", "missing", "classes", "nominal")
QUICK_GRID = ("1k", "20k")
LEAVES = (20, 1)
DEPTHS = (8, None)
SMALL_ROWS = 5_000
SMALL_REPEATS = 10
IRIS_REPEATS = 20
OWN_GINI = "gini, a user's own"


def rows(quick: bool = False) -> list[Row]:
    grid = [
        peers_row(Task(data, leaf, depth), quick)
        for data, leaf, depth in product(QUICK_GRID if quick else GRID, LEAVES, DEPTHS)
    ]
    own = [iris_row(), criteria_row(Task("20k" if quick else "200k", 20), quick)]
    return grid + own + ([] if quick else [fractional_row(Task("missing", 20))])


def peers_row(task: Task, quick: bool) -> Row:
    return Row("fit", task.name, title(task), partial(fit_all, task, quick))


def title(task: Task) -> str:
    depth = "unlimited depth" if task.depth is None else f"depth {task.depth}"
    return f"{DATA[task.data].title}, leaves ≥ {task.leaf}, {depth}"


def fit_all(task: Task, quick: bool, race: Race) -> list[Entry]:
    entries = entrants()
    jobs = [Job(task, entry.threads, repeats(task, quick)) for entry in entries]
    return race.run(entries, jobs, **effort(quick))


def repeats(task: Task, quick: bool) -> int:
    return SMALL_REPEATS if DATA[task.data].n_rows < SMALL_ROWS and not quick else 1


def effort(quick: bool) -> dict[str, float]:
    """Return the number of rounds, and the time budget of a library in seconds."""
    return {"rounds": 2, "budget": 2.0} if quick else {"rounds": 4, "budget": 10.0}


def criteria_row(task: Task, quick: bool) -> Row:
    name, heading = f"criteria-{task.name}", f"every criterion, {title(task)}"
    return Row("criteria", name, heading, partial(fit_criteria, task, quick))


def fit_criteria(task: Task, quick: bool, race: Race) -> list[Entry]:
    """Time every criterion, and a custom copy of a built-in one."""
    from benchmarks.own_criterion import own_gini
    from roctree.criteria import CRITERIA

    chosen = {**dict.fromkeys(CRITERIA), OWN_GINI: own_gini}
    entries = [Entry("roctree", 1, name) for name in chosen]
    jobs = [
        Job(task, 1, options={"criterion": criterion or name}) for name, criterion in chosen.items()
    ]
    return race.run(entries, jobs, **effort(quick))


def fractional_row(task: Task) -> Row:
    """A separate row, because other libraries cannot divide a case among branches."""
    name, heading = f"{task.name}-fractional", f"{title(task)}, ours fractional"
    return Row("fit", name, heading, partial(fit_fractional, task))


def fit_fractional(task: Task, race: Race) -> list[Entry]:
    entries = entrants()
    jobs = [Job(task, entry.threads) for entry in entries]
    for number, entry in enumerate(entries):
        if entry.library == "roctree":
            jobs[number] = replace(jobs[number], options={"missing": "fractional"})
    return race.run(entries, jobs, **effort(quick=False))


def iris_row() -> Row:
    return Row("fit", "iris", "iris, 150 × 4", fit_iris, statistic="median")


def fit_iris(race: Race) -> list[Entry]:
    entries = entrants()
    jobs = [Job(Task("iris", 1), entry.threads, IRIS_REPEATS) for entry in entries]
    return race.run(entries, jobs, rounds=10, budget=5.0)
