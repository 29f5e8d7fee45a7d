"""Whether other processes are busy, on Linux; elsewhere the machine counts as quiet."""

import os
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time, sleep

STATISTICS = Path("/proc/stat")
# Cores that others may use before a turn begins, and during one that need not be repeated.
QUIET = 0.15
DISTURBED = 0.25
SAMPLE = 0.1
# The kernel counts in hundredths of a second: over shorter spans the load is unreliable.
SHORT = 0.2


def busy_seconds() -> float:
    """Return the busy time of all processors since boot."""
    if not STATISTICS.exists():
        return 0.0
    user, nice, system, _, _, *interrupts = map(int, STATISTICS.read_text().split()[1:9])
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")


class Bystanders:
    """A context that measures the cores used by other processes."""

    cores = 0.0

    def __enter__(self) -> "Bystanders":
        self.begin = perf_counter(), busy_seconds(), process_time()
        return self

    def __exit__(self, *error: object) -> None:
        now = perf_counter(), busy_seconds(), process_time()
        wall, busy, own = (after - before for after, before in zip(now, self.begin, strict=True))
        if wall > SHORT:
            self.cores = max(busy - own, 0.0) / wall


@dataclass
class Patience:
    """Seconds that a run may wait for other processes, per turn and in total."""

    at_once: float = 60.0
    altogether: float = 3600.0

    def wait(self) -> None:
        """Return when the machine is quiet or the waiting time is used up."""
        begin = perf_counter()
        most = min(self.at_once, self.altogether)
        while perf_counter() - begin < most and not self.is_quiet():
            sleep(1.0)
        self.altogether -= perf_counter() - begin

    @staticmethod
    def is_quiet() -> bool:
        before = busy_seconds()
        sleep(SAMPLE)
        return busy_seconds() - before <= QUIET * SAMPLE
