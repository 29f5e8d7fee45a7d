"""Performance targets, and whether a run met them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks import prune, start
from benchmarks.fit import OWN_GINI
from benchmarks.race import EXACT, Entry, RowResult

PEERS = ("XGBoost", "LightGBM", "YDF")
BINNING_PEERS = ("XGBoost", "LightGBM")
ONE_THREAD, TWO_THREADS = 22.0, 30.0
NEAR_GINI = ("auc", "msee", "entropy", "gain_ratio")
GINI_RATIO, PREDICT_RATIO, SOFT_RATIO = 1.5, 2.0, 2.0
OWN_RATIO = 1.2
PRUNED = 1.0
BOUNDARY_RATIO = 100.0
NBTREE_RATIO = 20.0
MULTISCALE = 2.0
POINTS_FIT, LARGE_FIT, POINTS_PREDICT = 10.0, 3.0, 2.0
MATRICES = 4.0
COMMAND_RATIO = 1.3
BINS_RATIO = 0.7
ON_DISK = 2.0
AREA_OF_BINS = 0.002
# Processor seconds.
FIRST_FIT, WARM_FIT, REINSTALLED = 1.5, 1.0, 1.0
COMPILING = {
    "default fit": 4.0,
    "another criterion, more": 1.0,
    "readable with prediction, more": 2.0,
    "j48, more": 3.0,
    "binned, more": 5.0,
    "NBTree": 8.0,
    start.EVERYTHING: 35.0,
}
SMALL_COMMAND, HELP, IMPORT = 0.8, 0.3, 0.1
SMALL_COMMANDS = ("predict", "evaluate", "describe", "export", "explore", "labellings")


@dataclass(frozen=True)
class TargetResult:
    """A target and the measured number."""

    target: str
    wanted: str
    measured: str
    met: bool | None

    @property
    def word(self) -> str:
        return "not measured" if self.met is None else "met" if self.met else "**missed**"


def judge(outcomes: Sequence[RowResult]) -> list[TargetResult]:
    """Compare the outcomes of a run with every target."""
    rows = {outcome.row: outcome for outcome in outcomes}
    verdicts = [
        *scikit_learn(rows),
        *criteria(rows),
        *(never_slower(outcomes, peer) for peer in PEERS),
        iris(rows),
        *bins_against_exact(outcomes),
        *predictions(rows),
        *pruners(rows),
        boundary(rows),
        nbtree(outcomes),
        multiscale(rows),
        *points(rows),
        *memory(rows),
        *bins(outcomes),
        area_of_bins(rows),
        on_disk(rows),
        *starts(rows),
        *commands(rows),
    ]
    return verdicts


def at_least(target: str, limit: float, ratio: float | None) -> TargetResult:
    measured = "–" if ratio is None else f"{ratio:.1f}×"
    met = None if ratio is None else ratio >= limit
    return TargetResult(target, f"≥ {limit:g}×", measured, met)


def at_most(
    target: str, limit: float, value: float | None, unit: str, more: str = ""
) -> TargetResult:
    measured = "–" if value is None else f"{value:.2f}{unit}{more}"
    met = None if value is None else value <= limit
    return TargetResult(target, f"≤ {limit:g}{unit}", measured, met)


def ratio(
    rows: dict[str, RowResult], row: str, ours: tuple[str, int], theirs: tuple[str, int]
) -> float | None:
    outcome = rows.get(row)
    return outcome and outcome.ratio(outcome.find(*ours), outcome.find(*theirs))


def scikit_learn(rows: dict[str, RowResult]) -> Iterator[TargetResult]:
    for data, size in (("200k", "200k × 20"), ("1M", "1M × 20")):
        for threads, limit in ((1, ONE_THREAD), (2, TWO_THREADS)):
            times = ratio(rows, f"{data}-leaf20-full", ("roctree", threads), ("scikit-learn", 1))
            plural = "s" * (threads > 1)
            target = f"fit, gini, {size}, leaves ≥ 20, {threads} thread{plural}, to scikit-learn"
            yield at_least(target, limit, times)


def criteria(rows: dict[str, RowResult]) -> Iterator[TargetResult]:
    outcome = rows.get("criteria-200k-leaf20-full")
    for name in NEAR_GINI:
        times = outcome and outcome.ratio(
            outcome.find("roctree", 1, "gini"), outcome.find("roctree", 1, name)
        )
        yield at_most(f"{name}, time relative to gini, 200k × 20", GINI_RATIO, times, "×")
    times = outcome and outcome.ratio(
        outcome.find("roctree", 1, "gini"), outcome.find("roctree", 1, OWN_GINI)
    )
    yield at_most(f"{OWN_GINI}, time relative to gini, 200k × 20", OWN_RATIO, times, "×")


def duels(outcomes: Sequence[RowResult], peer: str) -> Iterator[tuple[float, str]]:
    """Yield the ratio and the name of every comparison with a peer at equal threads."""
    for outcome in outcomes:
        for entry in outcome.entries:
            times = outcome.ratio(_own(outcome, entry.threads), entry)
            if entry.library == peer and times is not None:
                yield times, f"{outcome.row}, {entry.threads} thread{'s' * (entry.threads > 1)}"


def _own(outcome: RowResult, threads: int) -> Entry | None:
    return outcome.find("roctree", threads)


def never_slower(outcomes: Sequence[RowResult], peer: str) -> TargetResult:
    met = sorted(duels(outcomes, peer))
    target = f"never slower than {peer}, all rows, equal threads"
    if not met:
        return TargetResult(target, "≥ 1×", "–", None)
    lost = [name for times, name in met if times < 1.0]
    least, worst = met[0]
    measured = f"least {least:.2f}× ({worst}); slower in {len(lost)} of {len(met)}"
    return TargetResult(target, "≥ 1×", measured, not lost)


def iris(rows: dict[str, RowResult]) -> TargetResult:
    found = (ratio(rows, "iris", ("roctree", 1), (peer, 1)) for peer in ("scikit-learn", *PEERS))
    least = min((times for times in found if times is not None), default=None)
    return at_least("fit of iris, 1 thread, to the fastest other library", 1.0, least)


def predictions(rows: dict[str, RowResult]) -> Iterator[TargetResult]:
    for dtype in ("float32", "float64"):
        row = f"predict-1M-{dtype}"
        times = ratio(rows, row, ("roctree", 1), ("scikit-learn", 1))
        target = f"predict_proba of 1M × 20 {dtype}, 1 thread, to scikit-learn"
        yield at_least(target, PREDICT_RATIO, times)
    outcome = rows.get("predict-soft")
    for threads in (1, 2):
        times = outcome and outcome.ratio(
            outcome.find("roctree", threads, "hard"), outcome.find("roctree", threads, "soft")
        )
        target = f"predict_proba of 1M × 20, 32 leaves, {threads} thread{'s' * (threads > 1)}"
        yield at_most(f"{target}, soft thresholds to hard ones", SOFT_RATIO, times, "×")


def pruners(rows: dict[str, RowResult]) -> Iterator[TargetResult]:
    """Yield the slowest of the pruners of each tree."""
    for suffix, (n_classes, priced) in prune.PRUNED.items():
        outcome = rows.get(f"prune-{prune.INNER}{suffix}")
        entries = outcome.entries if outcome else []
        times = {min(entry.seconds): entry.variant for entry in entries if entry.seconds}
        slowest = max(times, default=None)
        words = f"{prune.COUNTED[n_classes]} classes" + ", a cost matrix" * priced
        target = f"every pruner by counts, {prune.nodes(prune.INNER)}, {words}"
        more = "" if slowest is None else f" ({times[slowest]})"
        yield at_most(target, PRUNED, slowest, " s", more)


def boundary(rows: dict[str, RowResult]) -> TargetResult:
    outcome = rows.get("boundary-100k-20-2000")
    times = outcome and outcome.ratio(
        outcome.find("roctree", 2), outcome.find("NumPy", 1, "all leaves")
    )
    target = (
        "distances from the boundary, 100k × 20, 2000 leaves, 2 threads, to the paper's in NumPy"
    )
    return at_least(target, BOUNDARY_RATIO, times)


def nbtree(outcomes: Sequence[RowResult]) -> TargetResult:
    ratios = [
        outcome.ratio(outcome.find("roctree"), outcome.find("Weka"))
        for outcome in outcomes
        if outcome.section == "nbtree"
    ]
    measured = [times for times in ratios if times is not None]
    least = min(measured, default=None)
    return at_least("Naive Bayes trees, the least of all rows, to Weka", NBTREE_RATIO, least)


def multiscale(rows: dict[str, RowResult]) -> TargetResult:
    outcome = rows.get("multiscale-100k-10")
    entry = outcome and outcome.find("roctree", 1, "fit")
    taken = outcome.summary(entry.seconds) if outcome and entry and entry.seconds else None
    return at_most("Multiscale Classifier, fit of 100k × 10", MULTISCALE, taken, " s")


def points(rows: dict[str, RowResult]) -> Iterator[TargetResult]:
    """Compare trees with points to the same trees without."""
    for preset in ("scorecard", "best_ranking"):
        for size, words, limit in (
            ("10k", "10k × 20", POINTS_FIT),
            ("1000k", "1M × 20", LARGE_FIT),
        ):
            outcome = rows.get(f"points-{preset}-{size}")
            target = f"`{preset}`, fit of {words}, to its tree alone"
            yield at_most(target, limit, _points_ratio(outcome, "fit"), "×")
        outcome = rows.get(f"points-{preset}-1000k")
        target = f"`{preset}`, prediction, to its tree alone with soft thresholds"
        yield at_most(target, POINTS_PREDICT, _points_ratio(outcome, "predict"), "×")


def _points_ratio(outcome: RowResult | None, step: str) -> float | None:
    if outcome is None:
        return None
    alone = outcome.find("roctree", 1, f"{step}, tree alone")
    return outcome.ratio(alone, outcome.find("roctree", 1, step))


def memory(rows: dict[str, RowResult]) -> Iterator[TargetResult]:
    outcome = rows.get("memory-1M-leaf20-full")
    for threads in (1, 2):
        entry = outcome and outcome.find("roctree", threads)
        matrices = entry and matrix_multiple(entry)
        target = f"peak memory of a fit, 1M × 20 float64, {threads} thread{'s' * (threads > 1)}"
        yield at_most(target, MATRICES, matrices, " matrices")


def bins(outcomes: Sequence[RowResult]) -> Iterator[TargetResult]:
    """Compare fits by bins with the libraries that bin too, at equal depth and threads."""
    binned = [outcome for outcome in outcomes if outcome.section == "binned"]
    for peer in BINNING_PEERS:
        least = min((times for times, _ in duels(binned, peer)), default=None)
        yield at_least(f"fit by bins, the least of all rows, equal threads, to {peer}", 1.0, least)


def bins_against_exact(outcomes: Sequence[RowResult]) -> Iterator[TargetResult]:
    """Compare fits by bins with fits by exact splits of the same rows in the same race."""
    for threads in (1, 2):
        ratios = [
            (times, outcome.row)
            for outcome in outcomes
            if outcome.section == "binned"
            and (times := outcome.ratio(
                outcome.find("roctree", threads, EXACT), outcome.find("roctree", threads)
            )) is not None
        ]  # fmt: skip
        most, row = max(ratios, default=(None, ""))
        target = f"fit by bins, {threads} thread{'s' * (threads > 1)}, to exact splits"
        yield at_most(target, BINS_RATIO, most, "×", f" ({row})" if row else "")


def area_of_bins(rows: dict[str, RowResult]) -> TargetResult:
    """Compare the held-out areas of trees grown by bins and exactly, of the same rows."""
    target = "held-out AUC of trees grown by bins, difference from exact ones, the largest"
    areas = [(_area(outcome), _area(rows.get(name.removeprefix("binned-"))))
             for name, outcome in rows.items() if outcome.section == "binned"]  # fmt: skip
    differences = [abs(ours - exact) for ours, exact in areas if ours and exact]
    if not differences:
        return TargetResult(target, f"≤ {AREA_OF_BINS:g}", "–", None)
    largest = max(differences)
    measured = f"{largest:.4f} (rows: {len(differences)})"
    return TargetResult(target, f"≤ {AREA_OF_BINS:g}", measured, largest <= AREA_OF_BINS)


def _area(outcome: RowResult | None) -> float | None:
    entry = outcome and (outcome.find("roctree", 1) or outcome.find("roctree", 2))
    return entry.facts.get("auc") if entry else None


def on_disk(rows: dict[str, RowResult]) -> TargetResult:
    outcome = rows.get("disk-20000000")
    entry = outcome and outcome.find("roctree", 2, "out of core")
    peak = entry.facts["peak"] / 2**30 if entry and entry.facts else None
    return at_most("memory of a fit from disk, 20M × 20", ON_DISK, peak, " GiB")


def matrix_multiple(entry: Entry) -> float | None:
    """Return the growth at the peak as a multiple of the matrix that was fitted."""
    return entry.facts["growth"] / entry.facts["matrix"] if entry.facts else None


def starts(rows: dict[str, RowResult]) -> Iterator[TargetResult]:
    """Compare processor seconds, of all threads and child processes, with their limits."""
    for row, part, name, limit in (
        ("cold-start", "first fit", "first fit of breast cancer, empty cache", FIRST_FIT),
        ("warm-start", "first fit", "first fit of a process, filled cache", WARM_FIT),
        ("reinstalled", start.REINSTALLED, "fit by compiled kernels, reinstalled", REINSTALLED),
        *(("compiling", part, f"compiling: {part}", limit) for part, limit in COMPILING.items()),
        *(("commands", f"roctree {name}", f"roctree {name}", SMALL_COMMAND)
          for name in SMALL_COMMANDS),
        ("commands", start.SLOWEST_HELP, start.SLOWEST_HELP, HELP),
        ("commands", "import roctree", "import roctree", IMPORT),
    ):  # fmt: skip
        yield at_most(f"{name}, processor time", limit, middle(rows, row, part), " s")
    ours, theirs = (middle(rows, "commands", line) for line in start.IMPORTS[1:])
    times = ours / theirs if ours and theirs else None
    yield at_most(f"{start.IMPORTS[1]}, to {start.IMPORTS[2]}, processor time", 1.0, times, "×")


def middle(rows: dict[str, RowResult], row: str, part: str) -> float | None:
    outcome = rows.get(row)
    entry = outcome and outcome.find(part, threads=0)
    return outcome.summary(entry.seconds) if outcome and entry and entry.seconds else None


def commands(rows: dict[str, RowResult]) -> Iterator[TargetResult]:
    for form in ("csv", "parquet"):
        times = command_ratio(rows.get(f"command-1M-{form}"))
        target = f"roctree fit of 1M × 20, {form}, to polars' read and the bare fit"
        yield at_most(target, COMMAND_RATIO, times, "×")


def command_ratio(outcome: RowResult | None) -> float | None:
    """Return the time of a command as a multiple of that of its parts."""
    if outcome is None or not all(entry.seconds for entry in outcome.entries):
        return None
    command, read, fit = (outcome.summary(entry.seconds) for entry in outcome.entries)
    return command / (read + fit)
