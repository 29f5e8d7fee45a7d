"""Scaling of growth on Dask workers, with one variable changed at a time.

``python -m benchmarks.scaling`` prints the tables of docs/howto/large-data.md in some minutes.
Times are seconds of processor time of all workers, which a busy machine disturbs least; bytes are
those that Dask counts when a worker hands a result to another or to the client; memory is the most
that a worker has held so far.
"""

import argparse
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from benchmarks.data import SEED
from benchmarks.memory import resident

FILE_ROWS = 125_000
STEPS = ("reading", "coding", "growing")


@dataclass(frozen=True)
class Case:
    rows: int = 1_000_000
    attributes: int = 20
    classes: int = 2
    depth: int = 8
    workers: int = 2

    @property
    def name(self) -> str:
        return (
            f"{self.rows:,} × {self.attributes}, {self.classes} classes, depth {self.depth}, "
            f"{self.workers} worker{'s' * (self.workers > 1)}"
        )


BASE = Case()
VARIED = {
    "rows": (500_000, 1_000_000, 2_000_000),
    "attributes": (10, 20, 40),
    "classes": (2, 5, 10),
    "depth": (4, 8, 12),
    "workers": (1, 2, 4),
}


@dataclass
class Meter:
    """Resources used by the workers so far, recorded at every progress report of the fit."""

    client: object
    seconds: list[float] = field(default_factory=list)
    clock: list[float] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    peaks: list[int] = field(default_factory=list)
    states: list[object] = field(default_factory=list)

    def note(self, now: object) -> None:
        # Only starts of steps and levels: recording every partition would disturb the measurement.
        if now.step != "growing" and 0 < now.done < now.total:
            return
        self.states.append(now)
        self.seconds.append(sum(self.client.run(process_time).values()))
        self.sent.append(sum(self.client.run(bytes_sent).values()))
        self.peaks.append(max(self.client.run(resident, "VmHWM").values()))
        self.clock.append(perf_counter())

    def of_step(self, step: str, noted: list[float]) -> float:
        places = [place for place, state in enumerate(self.states) if state.step == step]
        # A step ends when the next one begins.
        last = min(places[-1] + 1, len(noted) - 1)
        return noted[last] - noted[places[0]]

    @property
    def levels(self) -> list[int]:
        """The indices of the levels; the first record is the start, the last the end."""
        places = [place for place, state in enumerate(self.states) if state.step == "growing"]
        return places[1:-1]

    def by_level(self, noted: list[float]) -> list[float]:
        return [noted[place] - noted[place - 1] for place in self.levels]


def bytes_sent(dask_worker):
    return dask_worker.transfer_outgoing_bytes_total


def measured(case: Case) -> dict[str, object]:
    """Grow a tree, after a small one that loads the kernels."""
    import distributed

    import roctree.distributed
    from roctree import ROCTreeClassifier

    tree = ROCTreeClassifier(splits="binned", max_depth=case.depth, min_samples_leaf=20)
    with (
        tempfile.TemporaryDirectory() as folder,
        distributed.LocalCluster(
            n_workers=case.workers, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        small, whole = Path(folder, "small"), Path(folder, "whole")
        write(small, replace(case, rows=4000), file_rows=500)
        write(whole, case, FILE_ROWS)
        roctree.distributed.fit(tree, small, "y", client=client)
        meter = Meter(client)
        roctree.distributed.fit(tree, whole, "y", client=client, progress=meter.note)
        meter.note(meter.states[-1])
    return {
        "steps": {step: meter.of_step(step, meter.seconds) for step in STEPS},
        "wall": sum(meter.of_step(step, meter.clock) for step in STEPS),
        "before": meter.of_step("reading", meter.sent) + meter.of_step("coding", meter.sent),
        "seconds": meter.by_level(meter.seconds),
        "sent": meter.by_level(meter.sent),
        "peaks": [meter.peaks[place] for place in meter.levels],
        "peak": meter.peaks[-1],
        "leaves": tree.get_n_leaves(),
    }


def write(folder: Path, case: Case, file_rows: int) -> None:
    """Write numeric rows, a few of whose columns determine the label."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    generator = np.random.default_rng(SEED)
    for number, begin in enumerate(range(0, case.rows, file_rows)):
        size = min(file_rows, case.rows - begin)
        X = generator.standard_normal((size, case.attributes), dtype=np.float32)
        score = X[:, :8].sum(axis=1) + X[:, 0] * X[:, 1] + generator.normal(0.0, 2.0, size)
        # Classes of about equal size, by the quantiles of a score of about this spread.
        y = np.clip((score / 8.0 + 0.5) * case.classes, 0, case.classes - 1).astype(np.int8)
        columns = {f"x{feature}": X[:, feature] for feature in range(case.attributes)}
        table = pa.table({**columns, "y": y})
        pq.write_table(table, folder / f"{number}.parquet", compression="none")


def line(case: Case, found: dict[str, object]) -> str:
    steps = " | ".join(f"{found['steps'][step]:.1f}" for step in STEPS)
    sent = f"{found['before'] / 1e6:.1f} | {sum(found['sent']) / 1e6:.1f}"
    return (
        f"| {case.name} | {steps} | {found['wall']:.1f} | {found['peak'] / 2**20:.0f} | {sent} | "
        f"{found['leaves']} |"
    )


def level_lines(case: Case, found: dict[str, object]) -> str:
    """Return the time, traffic and memory of each level, as three rows of a table."""
    shown = {
        "s": [f"{taken:.2f}" for taken in found["seconds"]],
        "MB": [f"{sent / 1e6:.2f}" for sent in found["sent"]],
        "MiB": [f"{peak / 2**20:.0f}" for peak in found["peaks"]],
    }
    return "\n".join(f"| {case.name}, {unit} | {' | '.join(of)} |" for unit, of in shown.items())


def cases(names: list[str]) -> list[Case]:
    found = [BASE]
    for name in names:
        found += [replace(BASE, **{name: value}) for value in VARIED[name]]
    return list(dict.fromkeys(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("varied", nargs="*", metavar="WHAT", help=f"of {', '.join(VARIED)}")
    chosen = parser.parse_args().varied or list(VARIED)
    print("| | reading s | coding s | growing s | wall clock s | MiB a worker | MB sent before | "
          "MB sent growing | leaves |")  # fmt: skip
    print("|---|" + "---:|" * 8)
    by_level = []
    for case in cases(chosen):
        found = measured(case)
        print(line(case, found), flush=True)
        by_level.append(level_lines(case, found))
    print("\nLevel by level:\n")
    print("\n".join(by_level))


if __name__ == "__main__":
    main()
