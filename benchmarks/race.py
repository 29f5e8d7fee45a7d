"""Compare libraries: fits in turn, the best of a few rounds, the same rounds for both sides."""

import gc
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import log2
from statistics import median
from time import perf_counter
from typing import Any, TypeVar

from benchmarks.data import DATA
from benchmarks.libraries import LIBRARIES, SINGLE_THREADED, Task
from benchmarks.quiet import DISTURBED, Bystanders, Patience
from benchmarks.worker import WARM_UP_LIMIT, Job, Reply, Workers

LONGEST = 120.0
# The limit for stopping a fit is a little higher than that for skipping one.
STOPPED = 1.5 * LONGEST
# Longer turns are not repeated.
REPEATED = 30.0

# The variant of our entries by exact splits in rows of fits by bins.
EXACT = "exact"

Say = Callable[[str], None]
Result = TypeVar("Result")


@dataclass
class Entry:
    """The result of one library in a row, with a number of threads (0 for a process)."""

    library: str
    threads: int = 1
    variant: str = ""
    seconds: list[float] = field(default_factory=list)
    facts: dict[str, float] = field(default_factory=dict)
    note: str | None = None
    # Cores that other processes used in each turn.
    others: list[float] = field(default_factory=list)

    @property
    def label(self) -> str:
        name = f"{self.library} {self.variant}".strip()
        return f"{name}, {self.threads} thread{'s' * (self.threads > 1)}" if self.threads else name

    def time(self, action: Callable[[], Result]) -> Result:
        """Note the time of a call in this process, and the cores that others used meanwhile."""
        gc.collect()
        with Bystanders() as others:
            begin = perf_counter()
            result = action()
            self.seconds.append(perf_counter() - begin)
        self.others.append(round(others.cores, 2))
        return result


@dataclass
class RowResult:
    """A row of the tables."""

    section: str
    row: str
    title: str
    entries: list[Entry]
    statistic: str = "best"
    # Date, commit and processor; empty in older files, where they are those of the whole run.
    measured: str = ""

    def find(self, library: str, threads: int = 1, variant: str = "") -> Entry | None:
        for entry in self.entries:
            if (entry.library, entry.threads, entry.variant) == (library, threads, variant):
                return entry
        return None

    def summary(self, seconds: Sequence[float]) -> float:
        return median(seconds) if self.statistic == "median" else min(seconds)

    def ratio(self, ours: Entry | None, theirs: Entry | None) -> float | None:
        """Return the ratio of their time to ours, in the rounds in which both took part."""
        if ours is None or theirs is None or not ours.seconds or not theirs.seconds:
            return None
        n = min(len(ours.seconds), len(theirs.seconds))
        return self.summary(theirs.seconds[:n]) / self.summary(ours.seconds[:n])

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "RowResult":
        entries = [Entry(**entry) for entry in stored["entries"]]
        return cls(**{**stored, "entries": entries})


@dataclass(frozen=True)
class Row:
    """A row still to be measured."""

    section: str
    name: str
    title: str
    measure: Callable[["Race"], list[Entry]]
    statistic: str = "best"


@dataclass
class Race:
    """The workers, the durations of fits so far, and the progress callback."""

    workers: Workers
    say: Say
    patience: Patience = field(default_factory=Patience)
    # The work (rows, columns and levels) and the seconds of each library's longest fit.
    longest: dict[tuple[Any, ...], tuple[float, float]] = field(default_factory=dict)

    def run(
        self,
        entries: list[Entry],
        jobs: list[Job],
        rounds: int,
        budget: float,
    ) -> list[Entry]:
        """Let every entry take its turn in each round, until its budget is spent."""
        running = [
            (entry, job)
            for entry, job in zip(entries, jobs, strict=True)
            if self.admitted(entry, job)
        ]
        for number in range(rounds):
            for entry, job in running:
                if entry.note is None and sum(entry.seconds) < budget:
                    self.say(f"{entry.label}, round {number + 1}")
                    self.turn(entry, job)
        return entries

    def turn(self, entry: Entry, job: Job) -> None:
        """Time an entry once, and again if other processes were busy."""
        reply = self.ask(entry, job)
        if reply.others > DISTURBED and sum(reply.seconds) < REPEATED:
            reply = min(reply, self.ask(entry, job), key=lambda reply: reply.others)
        entry.seconds += reply.seconds
        entry.others.append(round(reply.others, 2))
        entry.facts.update(reply.facts)
        entry.note = reply.note
        if reply.seconds and job.predict is None:
            self.longest[_key(entry, job)] = work(job.task), min(entry.seconds)

    def ask(self, entry: Entry, job: Job) -> Reply:
        self.patience.wait()
        return self.workers.ask(entry.library, job, STOPPED)

    def admitted(self, entry: Entry, job: Job) -> bool:
        """Whether the fit is not too long, and its warm-up succeeds."""
        seconds = self.expected(entry, job)
        if seconds > LONGEST:
            entry.note = f"skipped: about {seconds:.0f} s expected"
            return False
        self.say(f"{entry.label}, warm-up")
        entry.note = self.workers.ask(entry.library, job.warm_up(), WARM_UP_LIMIT).note
        return entry.note is None

    def expected(self, entry: Entry, job: Job) -> float:
        """Return the expected time of a fit, extrapolated from a smaller data set."""
        known = self.longest.get(_key(entry, job))
        return 0.0 if known is None else known[1] * work(job.task) / known[0]


def _key(entry: Entry, job: Job) -> tuple[Any, ...]:
    task = job.task
    kind = DATA[task.data].kind
    return entry.library, entry.variant, entry.threads, kind, task.leaf, task.depth


def work(task: Task) -> float:
    """Return rows times columns times levels."""
    recipe = DATA[task.data]
    n_rows = task.n_rows or recipe.n_rows
    return n_rows * recipe.n_columns * (task.depth or log2(n_rows))


def entrants() -> list[Entry]:
    """Every library, with one and two threads where it can use them."""
    return [
        Entry(library, threads)
        for threads in (1, 2)
        for library in LIBRARIES
        if threads == 1 or library not in SINGLE_THREADED
    ]
