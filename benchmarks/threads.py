"""Growth on several threads: seconds for each number of threads, beside LightGBM and XGBoost.

``python -m benchmarks.threads`` runs on whatever cores there are and prints the table of
docs/evidence/threads.md. ``--seconds`` bounds the whole run: cells that would start later are left
empty. Peers that are not installed are left out. Every number is the least of three fits of the
same float32 table, preparation included, with the threads of all libraries limited to the column's.
"""

import argparse
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from benchmarks.data import SEED
from benchmarks.libraries import LIBRARIES, Task

MIN_CASES = 20
Fit = Callable[[np.ndarray, np.ndarray, int], object]


@dataclass(frozen=True)
class Workload:
    """A column of the printed table: a learner on a table of some size, to some depth."""

    learner: str
    rows: int
    depth: int | None

    @property
    def name(self) -> str:
        size = f"{self.rows // 1000}k" if self.rows < 1_000_000 else f"{self.rows // 1_000_000}M"
        return f"{size} {self.learner}" + (f", depth {self.depth}" if self.depth else "")


def fit_with(library: str, depth: int | None, **options: str) -> Fit:
    """Return a function that fits one tree, as in the other benchmarks."""
    learner = LIBRARIES[library](**options)
    task = Task("threads", MIN_CASES, depth)
    return lambda X, y, n_threads: learner.fit(X, y, task, n_threads)


LEARNERS: dict[str, Callable[[int | None], Fit]] = {
    "exact": lambda depth: fit_with("roctree", depth),
    "binned": lambda depth: fit_with("roctree", depth, splits="binned"),
    "LightGBM": lambda depth: fit_with("LightGBM", depth),
    "XGBoost": lambda depth: fit_with("XGBoost", depth),
}


def table(n_rows: int, n_columns: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Return a noisy table of two classes."""
    random = np.random.default_rng(SEED)
    X = random.normal(size=(n_rows, n_columns)).astype(np.float32)
    noise = random.normal(size=n_rows)
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + noise > 0).astype(np.int64)


def least_time(fit: Fit, X: np.ndarray, y: np.ndarray, n_threads: int, repeats: int = 3) -> float:
    times = []
    for _ in range(repeats):
        start = perf_counter()
        fit(X, y, n_threads)
        times.append(perf_counter() - start)
    return min(times)


def measure(
    workloads: list[Workload], threads: list[int], seconds: float
) -> dict[tuple[Workload, int], float]:
    """Time every workload with every number of threads, as far as the time goes."""
    stop = perf_counter() + seconds
    found: dict[tuple[Workload, int], float] = {}
    for size in sorted({each.rows for each in workloads}):
        X, y = table(size)
        for each in (each for each in workloads if each.rows == size):
            with suppress(ImportError):
                fit = LEARNERS[each.learner](each.depth)
                fit(X[:50_000], y[:50_000], threads[-1])  # compiles, and starts the threads
                for n_threads in threads:
                    if perf_counter() < stop:
                        found[each, n_threads] = least_time(fit, X, y, n_threads)
                        print(f"{each.name}, {n_threads}: {found[each, n_threads]:.3f}", flush=True)
    return found


def as_markdown(
    workloads: list[Workload], threads: list[int], found: dict[tuple[Workload, int], float]
) -> str:
    """Return the table: a line for each number of threads, a column for each workload measured."""
    measured = [each for each in workloads if any((each, n) in found for n in threads)]
    lines = [
        "| threads | " + " | ".join(each.name for each in measured) + " |",
        "|---" * (len(measured) + 1) + "|",
    ]
    for n in threads:
        cells = [f"{found[each, n]:.3f}" if (each, n) in found else "" for each in measured]
        lines.append(f"| {n} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[200_000, 1_000_000])
    parser.add_argument("--depths", type=int, nargs="+", default=[0, 8], help="0: unlimited")
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=list(LEARNERS))
    parser.add_argument("--seconds", type=float, default=600.0)
    chosen = parser.parse_args()
    n_cores = os.cpu_count() or 1
    threads = [n for n in (1, 2, 4, 8, 16, 32) if n <= n_cores]
    workloads = [
        Workload(learner, size, depth or None)
        for size in chosen.rows
        for depth in chosen.depths
        for learner in chosen.learners
    ]
    print(as_markdown(workloads, threads, measure(workloads, threads, chosen.seconds)))


if __name__ == "__main__":
    main()
