"""The outcomes of a run as tables, for the terminal and for the README."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rich.table import Table as RichTable

from benchmarks.libraries import LIBRARIES
from benchmarks.quiet import DISTURBED
from benchmarks.race import EXACT, Entry, RowResult
from benchmarks.targets import command_ratio, judge, matrix_multiple

MARK = {1: "¹", 2: "²"}
THREADS_REMARK = "¹ one thread, ² two; scikit-learn has one only and is compared with both of ours"
DUELS = (
    ("scikit-learn", 1, 1),
    ("scikit-learn", 1, 2),
    *((peer, threads, threads) for peer in ("XGBoost", "LightGBM", "YDF") for threads in (1, 2)),
)
COLUMNS = (("roctree", 1, 1), ("roctree", 2, 2), *DUELS)


@dataclass
class ResultTable:
    """A title, a header and cells, independent of the output format."""

    title: str
    header: tuple[str, ...]
    cells: list[list[str]]
    remarks: list[str] = field(default_factory=list)

    def markdown(self) -> str:
        rule = ["---"] + ["---:"] * (len(self.header) - 1)
        lines = [f"| {' | '.join(line)} |" for line in (self.header, rule, *self.cells)]
        remarks = [f"- {remark}" for remark in self.remarks]
        return "\n".join([f"## {self.title}", "", *lines, *([""] * bool(remarks)), *remarks])

    def rich(self) -> RichTable:
        table = RichTable(title=self.title, caption="\n".join(self.remarks) or None)
        for number, name in enumerate(self.header):
            table.add_column(name, justify="right" if number else "left")
        for line in self.cells:
            table.add_row(*(cell.replace("**", "") for cell in line))
        return table


def tables(outcomes: Sequence[RowResult]) -> list[ResultTable]:
    """Return the targets and a table for each section that was measured."""
    made = [targets_table(outcomes)]
    for section, make in SECTION_TABLES:
        chosen = [outcome for outcome in outcomes if outcome.section == section]
        if chosen:
            made.append(make(chosen))
    return made


def targets_table(outcomes: Sequence[RowResult]) -> ResultTable:
    cells = [
        [verdict.target, verdict.wanted, verdict.measured, verdict.word]
        for verdict in judge(outcomes)
    ]
    return ResultTable("Targets", ("target", "wanted", "measured", "verdict"), cells)


def race_table(title: str) -> Callable[[Sequence[RowResult]], ResultTable]:
    """Return a function that makes a table of our times and the ratios of others."""
    header = ("row", *(f"{name}{MARK[threads]}" for name, _, threads in COLUMNS))

    def make(outcomes: Sequence[RowResult]) -> ResultTable:
        cells = [
            [outcome.title, *(own_time(outcome, threads) for threads in (1, 2)), *duels(outcome)]
            for outcome in outcomes
        ]
        return ResultTable(title, header, cells, [THREADS_REMARK, *notes(outcomes)])

    return make


def own_time(outcome: RowResult, threads: int) -> str:
    entry = outcome.find("roctree", threads)
    return time_of(outcome, entry) if entry else "–"


def time_of(outcome: RowResult, entry: Entry) -> str:
    return seconds(outcome.summary(entry.seconds)) if entry.seconds else "–"


def seconds(value: float) -> str:
    return f"{1000 * value:.2f} ms" if value < 0.1 else f"{value:.2f} s"


def duels(outcome: RowResult) -> list[str]:
    ratios = (
        outcome.ratio(outcome.find("roctree", ours), outcome.find(peer, theirs))
        for peer, theirs, ours in DUELS
    )
    return ["–" if ratio is None else _times(ratio) for ratio in ratios]


def _times(ratio: float) -> str:
    return f"{ratio:.2f}×" if ratio >= 1.0 else f"**{ratio:.2f}×**"


def notes(outcomes: Sequence[RowResult]) -> list[str]:
    return [
        f"{outcome.row}, {entry.label}: {entry.note}"
        for outcome in outcomes
        for entry in outcome.entries
        if entry.note
    ] + disturbances(outcomes)


def disturbances(outcomes: Sequence[RowResult]) -> list[str]:
    """Return a remark on the entries whose every turn was disturbed by other processes."""
    disturbed = [
        f"{outcome.row} ({entry.label})"
        for outcome in outcomes
        for entry in outcome.entries
        if min(entry.others, default=0.0) > DISTURBED
    ]
    if not disturbed:
        return []
    return [f"disturbed in every turn by other processes: {', '.join(disturbed)}"]


def quality_table(outcomes: Sequence[RowResult]) -> ResultTable:
    """Return leaves and held-out AUC of each library's tree, to compare the work."""
    cells = [
        [outcome.title, *(quality(outcome.find(name)) for name in LIBRARIES)]
        for outcome in outcomes
    ]
    title = "Leaves and held-out AUC of the trees of the fits above (iris: AUC of its own rows)"
    return ResultTable(title, ("row", *LIBRARIES), cells)


def quality(entry: Entry | None) -> str:
    if entry is None or not entry.facts:
        return "–"
    return f"{entry.facts['leaves']:,.0f}; {entry.facts['auc']:.4f}"


def exact_table(outcomes: Sequence[RowResult]) -> ResultTable:
    """Return our times by bins and by exact splits."""
    cells = []
    for outcome in outcomes:
        line = [outcome.title.removesuffix(", ours binned")]
        for threads in (1, 2):
            binned, exact = (outcome.find("roctree", threads, name) for name in ("", EXACT))
            times = outcome.ratio(exact, binned)
            line += [time_of(outcome, each) if each else "–" for each in (binned, exact)]
            line.append("–" if times is None else f"{times:.2f}×")
        cells.append(line)
    header = ("row", *(f"{name}{MARK[n]}" for n in (1, 2) for name in ("binned", "exact", "ratio")))
    return ResultTable("Bins and exact splits of roctree", header, cells)


def soft_table(outcomes: Sequence[RowResult]) -> ResultTable:
    """Return times of predictions with soft and hard thresholds."""
    cells = []
    for outcome in outcomes:
        for threads in (1, 2):
            soft, hard = (outcome.find("roctree", threads, name) for name in ("soft", "hard"))
            if soft and hard:
                times = outcome.ratio(hard, soft)
                ratio = "–" if times is None else f"{times:.2f}×"
                seconds_of = [time_of(outcome, each) for each in (soft, hard)]
                cells.append([f"{outcome.title}{MARK[threads]}", *seconds_of, ratio])
    return ResultTable("Soft thresholds", ("predictions", "soft", "hard", "ratio"), cells)


def criteria_table(outcomes: Sequence[RowResult]) -> ResultTable:
    cells = []
    for outcome in outcomes:
        gini = outcome.find("roctree", 1, "gini")
        for entry in outcome.entries:
            times = outcome.ratio(gini, entry)
            relative = "–" if times is None else f"{times:.2f}×"
            time = time_of(outcome, entry)
            cells.append([entry.variant, time, relative, levels_of(entry), quality(entry)])
    header = ("criterion", "1 thread", "relative to gini", "levels", "leaves; held-out AUC")
    return ResultTable(f"Criteria: {outcomes[0].title}", header, cells, notes(outcomes))


def levels_of(entry: Entry) -> str:
    """Return the mean number of splits on the path of a case."""
    return f"{entry.facts['levels']:.1f}" if "levels" in entry.facts else "–"


def prune_table(outcomes: Sequence[RowResult]) -> ResultTable:
    cells = [
        [f"{outcome.title}: {entry.variant}", time_of(outcome, entry), leaves_by_counts(entry)]
        for outcome in outcomes
        for entry in outcome.entries
    ]
    return ResultTable("Pruning", ("pruner", "time", "leaves left"), cells, notes(outcomes))


def smooth_table(outcomes: Sequence[RowResult]) -> ResultTable:
    cells = [
        [f"{outcome.title}: {entry.variant}", time_of(outcome, entry)]
        for outcome in outcomes
        for entry in outcome.entries
    ]
    return ResultTable("Smoothing a fitted tree", ("smoother", "time"), cells, notes(outcomes))


def leaves_by_counts(entry: Entry) -> str:
    return f"{entry.facts['leaves']:,.0f}" if entry.facts else "–"


def rank_table(outcomes: Sequence[RowResult]) -> ResultTable:
    cells = []
    for outcome in outcomes:
        ours = outcome.find("roctree")
        for entry in outcome.entries:
            times = outcome.ratio(ours, entry)
            relative = "–" if times is None else f"{times:.3g}×"
            name = f"{outcome.title}: {entry.library} {entry.variant}".strip()
            cells.append([name, time_of(outcome, entry), relative, quality(entry)])
    header = ("what", "1 thread", "relative to roctree", "leaves; AUC")
    return ResultTable("Ranking", header, cells, notes(outcomes))


def boundary_table(outcomes: Sequence[RowResult]) -> ResultTable:
    cells = []
    for outcome in outcomes:
        times = [own_time(outcome, threads) for threads in (1, 2)]
        paper = outcome.find("NumPy", 1, "all leaves")
        ratios = [outcome.ratio(outcome.find("roctree", threads), paper) for threads in (1, 2)]
        relative = ["–" if ratio is None else f"{ratio:.0f}×" for ratio in ratios]
        leaves = f"{outcome.entries[0].facts.get('leaves', 0):,.0f}"
        seconds_of_paper = time_of(outcome, paper) if paper else "–"
        peak = megabytes(outcome.find("roctree", 1))
        cells.append([outcome.title, leaves, *times, seconds_of_paper, *relative, peak])
    times_of = ("roctree¹", "roctree²", "NumPy¹", "ratio¹", "ratio²")
    header = ("rows × attributes", "leaves", *times_of, "memory of roctree¹")
    return ResultTable("Distances from the decision boundary", header, cells, notes(outcomes))


def megabytes(entry: Entry | None) -> str:
    """Return the peak memory of an entry, if it was measured."""
    peak = entry and entry.facts.get("peak")
    return "–" if peak is None else f"{peak / 1e6:.1f} MB"


def nbtree_table(outcomes: Sequence[RowResult]) -> ResultTable:
    cells = []
    for outcome in outcomes:
        ours, theirs = outcome.find("roctree"), outcome.find("Weka")
        times = outcome.ratio(ours, theirs)
        ratio = "–" if times is None else f"{times:.1f}×"
        both = [entry for entry in (ours, theirs) if entry is not None]
        seconds_and_leaves = [
            f"{time_of(outcome, entry)}; {leaves_by_counts(entry)}" for entry in both
        ]
        cells.append([outcome.title, *seconds_and_leaves, ratio])
    header = ("data", "roctree; leaves", "Weka; leaves", "Weka takes")
    return ResultTable("Naive Bayes trees", header, cells, notes(outcomes))


def multiscale_table(outcomes: Sequence[RowResult]) -> ResultTable:
    cells = []
    for outcome in outcomes:
        facts = outcome.entries[0].facts
        times = [time_of(outcome, entry) for entry in outcome.entries]
        sizes = [f"{facts.get(name, 0.0):,.0f}" for name in ("cells", "bytes per cell")]
        cells.append([outcome.title, *times, *sizes])
    header = ("rows × attributes", "fit", "prune", "predict", "cells", "bytes per cell")
    return ResultTable("The Multiscale Classifier, one thread", header, cells, notes(outcomes))


def points_table(outcomes: Sequence[RowResult]) -> ResultTable:
    cells = []
    for outcome in outcomes:
        facts = outcome.entries[0].facts
        line = [outcome.title, f"{facts.get('attributes', 0.0):.0f}"]
        for step in ("fit", "predict"):
            ours = outcome.find("roctree", 1, step)
            alone = outcome.find("roctree", 1, f"{step}, tree alone")
            times = outcome.ratio(alone, ours)
            ratio = "–" if times is None else f"{times:.1f}×"
            line += [time_of(outcome, each) if each else "–" for each in (ours, alone)]
            line.append(ratio)
        cells.append(line)
    header = ("preset, rows × columns", "attributes", "fit", "tree alone", "ratio", "predict 200k")
    header += ("tree alone", "ratio")
    return ResultTable(
        "Trees with points, processor time of one thread", header, cells, notes(outcomes)
    )


def memory_table(outcomes: Sequence[RowResult]) -> ResultTable:
    cells = []
    for outcome in outcomes:
        for entry in outcome.entries:
            matrices = matrix_multiple(entry)
            times = "–" if matrices is None else f"{matrices:.2f}"
            cells.append([f"{outcome.title}: {entry.label}", times, time_of(outcome, entry)])
    header = ("fit", "growth at the peak, in matrices", "time")
    return ResultTable("Memory", header, cells, notes(outcomes))


def disk_table(outcomes: Sequence[RowResult]) -> ResultTable:
    cells = []
    for outcome in outcomes:
        for entry in outcome.entries:
            peak = f"{entry.facts['peak'] / 2**30:.2f}" if entry.facts else "–"
            cells.append([f"{outcome.title}: {entry.label}", peak, time_of(outcome, entry)])
    header = ("fit", "most memory of the process, GiB", "time")
    return ResultTable("Rows on disk", header, cells, notes(outcomes))


def start_table(outcomes: Sequence[RowResult]) -> ResultTable:
    cells = [
        [f"{outcome.title}: {entry.library}", time_of(outcome, entry)]
        for outcome in outcomes
        for entry in outcome.entries
    ]
    return ResultTable("Start", ("what", "processor time, median"), cells, notes(outcomes))


def command_table(outcomes: Sequence[RowResult]) -> ResultTable:
    cells = []
    for outcome in outcomes:
        ratio = command_ratio(outcome)
        times = [time_of(outcome, entry) for entry in outcome.entries]
        cells.append([outcome.title, *times, "–" if ratio is None else f"{ratio:.2f}×"])
    names = (entry.library for entry in outcomes[0].entries)
    return ResultTable("From a file", ("file", *names, "ratio"), cells, notes(outcomes))


SECTION_TABLES: tuple[tuple[str, Callable[[Sequence[RowResult]], ResultTable]], ...] = (
    ("fit", race_table("Fits: seconds of ours, and how many times as long others take")),
    ("fit", quality_table),
    ("binned", race_table("Bins: seconds of ours, and how many times as long others take")),
    ("binned", exact_table),
    ("binned", quality_table),
    ("out_of_core", disk_table),
    ("criteria", criteria_table),
    ("predict", race_table("Predictions: seconds of ours, and how many times as long others take")),
    ("predict_soft", soft_table),
    ("prune", prune_table),
    ("smooth", smooth_table),
    ("rank", rank_table),
    ("boundary", boundary_table),
    ("nbtree", nbtree_table),
    ("multiscale", multiscale_table),
    ("points", points_table),
    ("memory", memory_table),
    ("start", start_table),
    ("command", command_table),
)
