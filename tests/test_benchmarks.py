import subprocess
import sys
from importlib.util import find_spec
from time import sleep

import pytest
from rich.console import Console

from benchmarks import boundary, files, fit, multiscale, nbtree, points, predict, prune, rank
from benchmarks.__main__ import SECTIONS, measure_all, plan
from benchmarks.libraries import LIBRARIES, Task
from benchmarks.own_criterion import own_gini
from benchmarks.quiet import STATISTICS, Bystanders, Patience
from benchmarks.race import EXACT, LONGEST, Entry, Race, Row, RowResult, entrants
from benchmarks.tables import tables
from benchmarks.targets import judge
from benchmarks.worker import Job, Reply, Worker
from roctree.criteria import CRITERIA
from roctree.smoothing import SMOOTHING

MACHINE = {
    "date": "2020-01-02 03:04 UTC",
    "commit": "abc",
    "processor": "slow",
    "cores": 1,
    "memory": "1 GB",
    "system": "Linux",
    "load": 0.0,
    "python": "3.11",
    "packages": {"roctree": "0"},
}
NO_PATIENCE = Patience(at_once=0.0)
README = f"By hand.\n{files.BEGIN}\nformer\n{files.END}\nAlso by hand.\n"

needs_peers = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("xgboost", "lightgbm", "ydf", "pandas")),
    reason="pip install --group bench",
)


class StubWorkers:
    """Answers at once, with the seconds given for each library."""

    def __init__(self, *, others=(), **seconds):
        self.seconds = seconds
        self.others = list(others)
        self.asked = []

    def ask(self, library, request, limit):
        is_timed = request.task.n_rows is None
        self.asked.append((library, is_timed))
        others = self.others.pop(0) if self.others and is_timed else 0.0
        seconds = self.seconds.get(library, 1.0) + others
        return Reply([seconds] * request.repeats, others=others)


def ignore(text):
    pass


def outcome(row, **seconds):
    entries = [Entry(library, seconds=times) for library, times in seconds.items()]
    return RowResult("fit", row, row, entries)


@needs_peers
@pytest.mark.slow
def test_a_row_is_measured_by_every_library_and_told_in_every_table(tmp_path):
    (tmp_path / "README.md").write_text(README)
    path = files.result_path(tmp_path, MACHINE)
    outcomes = measure_all(
        [fit.peers_row(Task("tiny", 5, 4), quick=True)],
        Console(quiet=True),
        lambda done: files.save(path, MACHINE, "test", done),
        NO_PATIENCE,
    )
    (measured,) = outcomes
    assert [entry.note for entry in measured.entries] == [None] * len(entrants())
    assert all(min(entry.seconds) > 0 for entry in measured.entries)
    assert all(entry.facts["auc"] > 0.7 for entry in measured.entries)
    assert all(2 <= entry.facts["leaves"] <= 16 for entry in measured.entries)
    assert files.load_outcomes(path) == outcomes
    files.rewrite_readme(tmp_path, MACHINE, "test", outcomes)
    assert measured.title in (tmp_path / "README.md").read_text()
    assert all(table.rich().row_count for table in tables(outcomes))


@pytest.mark.slow
def test_what_was_measured_before_a_stop_is_not_measured_again():
    row = Row("fit", "iris", "iris", lambda race: [Entry("roctree", seconds=[1.0])])
    before = RowResult("fit", "iris", "iris", [Entry("roctree", seconds=[2.0])])
    saved = []
    outcomes = measure_all([row], Console(quiet=True), saved.append, NO_PATIENCE, [before])
    assert outcomes == [before]
    assert saved == []


def test_a_library_that_fails_or_takes_too_long_says_so_and_goes_on():
    worker, task = Worker("scikit-learn"), Task("tiny", 5)
    try:
        wrong = worker.ask(Job(task, 1, options={"splitter": "nonsense"}), 600.0)
        assert wrong.note.startswith("failed: TypeError")
        assert worker.ask(Job(task, 1), 600.0).note is None
        assert worker.ask(Job(task, 1, repeats=1_000_000), 0.2).note == "stopped after 0 s"
        assert worker.ask(Job(task, 1), 600.0).note is None
    finally:
        worker.end()


def test_areas_of_leaves_and_of_sorted_rows_are_the_same_and_told_in_a_table(monkeypatch):
    monkeypatch.setattr(rank, "ROUNDS", 1)
    race = Race(StubWorkers(), ignore, NO_PATIENCE)
    entries = rank.rank_all(Task("tiny", 20), 2_000, race)
    assert {round(entry.facts["auc"], 9) for entry in entries} == {
        round(entries[0].facts["auc"], 9)
    }
    _, table = tables([RowResult("rank", "rank-tiny", "tiny", entries)])
    assert [line[0] for line in table.cells] == [
        "tiny: roctree",
        "tiny: roctree table given",
        "tiny: scikit-learn",
    ]


def test_libraries_take_turns():
    workers = StubWorkers()
    entries = [Entry("roctree"), Entry("XGBoost")]
    Race(workers, ignore, NO_PATIENCE).run(
        entries, [Job(Task("1k", 5), 1)] * 2, rounds=3, budget=9.0
    )
    timed = [library for library, is_timed in workers.asked if is_timed]
    assert timed == ["roctree", "XGBoost"] * 3


def test_a_library_whose_budget_is_spent_rests():
    entries = [Entry("roctree"), Entry("YDF")]
    race = Race(StubWorkers(YDF=10.0), ignore, NO_PATIENCE)
    race.run(entries, [Job(Task("1k", 5), 1)] * 2, rounds=3, budget=9.0)
    assert [len(entry.seconds) for entry in entries] == [3, 1]


def test_a_turn_that_others_disturb_is_repeated_once_and_the_quieter_counts():
    entry = Entry("YDF")
    race = Race(StubWorkers(others=[0.9, 0.5, 0.1]), ignore, NO_PATIENCE)
    race.run([entry], [Job(Task("1k", 5), 1)], rounds=2, budget=9.0)
    assert entry.seconds == [1.5, 1.1]
    assert entry.others == [0.5, 0.1]


@pytest.mark.skipif(not STATISTICS.exists(), reason="only Linux tells")
def test_other_processes_are_noticed():
    work = [sys.executable, "-c", "while True: pass"]
    with subprocess.Popen(work) as process:
        try:
            with Bystanders() as others:
                sleep(1.0)
        finally:
            process.kill()
    assert others.cores > 0.3


def test_a_fit_expected_to_take_too_long_is_not_begun():
    race = Race(StubWorkers(YDF=LONGEST / 3), ignore, NO_PATIENCE)
    small, large = Entry("YDF"), Entry("YDF")
    race.run([small], [Job(Task("200k", 5), 1)], rounds=1, budget=1.0)
    race.run([large], [Job(Task("1M", 5), 1)], rounds=1, budget=1.0)
    assert small.note is None
    assert large.note.startswith("skipped: about 2")
    assert not large.seconds


def test_times_are_compared_in_the_rounds_that_both_took_part_in():
    row = outcome("x", roctree=[2.0, 1.0], YDF=[6.0])
    assert row.ratio(row.find("roctree"), row.find("YDF")) == 3.0


def test_a_target_is_met_or_missed_or_not_measured():
    rows = [
        outcome("200k-leaf20-full", **{"roctree": [1.0], "scikit-learn": [21.0], "YDF": [0.9]}),
        outcome("1M-leaf20-full", **{"roctree": [1.0], "scikit-learn": [23.0], "YDF": [2.0]}),
    ]
    verdicts = {verdict.target: verdict for verdict in judge(rows)}
    words = [verdict.word for verdict in verdicts.values()]
    assert words[:4] == ["**missed**", "not measured", "met", "not measured"]
    ydf = verdicts["never slower than YDF, all rows, equal threads"]
    assert ydf.measured == "least 0.90× (200k-leaf20-full, 1 thread); slower in 1 of 2"
    assert ydf.word == "**missed**"


def test_bins_are_compared_with_those_of_others_and_with_exact_splits():
    def fitted(section, row, area, **seconds):
        entries = [Entry(name, seconds=[taken]) for name, taken in seconds.items()]
        entries[0].facts["auc"] = area
        return RowResult(section, row, row, entries)

    rows = [
        fitted("fit", "1M-leaf20-depth8", 0.9407, roctree=2.0, XGBoost=1.0),
        fitted("binned", "binned-1M-leaf20-depth8", 0.9417, roctree=2.0, XGBoost=3.0, LightGBM=1.0),
        fitted("binned", "binned-5M-leaf20-depth8", 0.9000, roctree=2.0, XGBoost=2.5, LightGBM=4.0),
    ]
    found = [
        verdict
        for verdict in judge(rows)
        if "by bins" in verdict.target and "exact splits" not in verdict.target
    ]
    assert [(verdict.measured, verdict.word) for verdict in found] == [
        ("1.2×", "met"),
        ("0.5×", "**missed**"),
        ("0.0010 (rows: 1)", "met"),
    ]
    unknown = [verdict.word for verdict in judge([]) if "by bins" in verdict.target]
    assert unknown == ["not measured"] * 5


def test_bins_are_compared_with_exact_splits_of_the_same_race():
    def fitted(row, binned, exact):
        entries = [Entry("roctree", seconds=[binned]), Entry("roctree", 1, EXACT, seconds=[exact])]
        return RowResult("binned", row, row, entries)

    rows = [
        fitted("binned-200k-leaf20-full", 3.0, 10.0),
        fitted("binned-1M-leaf20-full", 8.0, 10.0),
    ]
    found = {verdict.target: verdict for verdict in judge(rows)}
    one = found["fit by bins, 1 thread, to exact splits"]
    assert (one.measured, one.word) == ("0.80× (binned-1M-leaf20-full)", "**missed**")
    assert found["fit by bins, 2 threads, to exact splits"].word == "not measured"
    table = next(table for table in tables(rows) if "exact splits" in table.title)
    assert [line[3] for line in table.cells] == ["0.30×", "0.80×"]


def test_soft_and_hard_thresholds_predict_in_one_race(monkeypatch):
    monkeypatch.setattr(predict, "SOFT_ROUNDS", 1)
    race = Race(StubWorkers(), ignore, NO_PATIENCE)
    entries = predict.predict_softly(Task("tiny", 5), race)
    assert [(entry.threads, entry.variant) for entry in entries] == [
        *((1, "soft"), (1, "hard"), (2, "soft"), (2, "hard"))
    ]
    for entry, seconds in zip(entries, (3.0, 1.0, 1.0, 1.0), strict=True):
        entry.seconds = [seconds]
    verdicts = [it for it in judge([RowResult("predict_soft", "predict-soft", "x", entries)])
                if "soft thresholds to hard" in it.target]  # fmt: skip
    assert [verdict.word for verdict in verdicts] == ["**missed**", "met"]


def test_rows_measured_on_another_occasion_say_so(tmp_path):
    (tmp_path / "README.md").write_text(README)
    rows = [outcome("old", roctree=[1.0]), outcome("new", roctree=[1.0])]
    rows[1].measured = "2020-02-03 at commit def, fast"
    files.rewrite_readme(tmp_path, MACHINE, "test", rows)
    text = (tmp_path / "README.md").read_text()
    assert "Measured on 2020-02-03 at commit def, fast: new." in text


def test_the_readme_keeps_what_was_written_by_hand(tmp_path):
    path = tmp_path / "README.md"
    path.write_text(README)
    files.rewrite_readme(tmp_path, MACHINE, "test", [outcome("x", roctree=[1.0])])
    text = path.read_text()
    assert text.startswith(f"By hand.\n{files.BEGIN}")
    assert text.endswith(f"{files.END}\nAlso by hand.\n")
    assert "former" not in text
    assert [file.name for file in tmp_path.iterdir()] == ["README.md"]


def test_a_run_never_changes_the_results_of_another(tmp_path):
    first = files.result_path(tmp_path, MACHINE)
    files.save(first, MACHINE, "test", [])
    assert files.result_path(tmp_path, MACHINE) != first


def test_every_pruner_of_counts_is_timed_on_a_tree_that_it_cuts():
    entries = prune.prune_all(200, Race(StubWorkers(), ignore, NO_PATIENCE))
    pruned = RowResult("prune", "prune-200", "401 nodes", entries)
    assert {"pessimistic", "error_based", "minimum_error"} <= {e.variant for e in entries}
    assert all(len(entry.seconds) == prune.ROUNDS for entry in entries)
    assert min(entry.facts["leaves"] for entry in entries) < 201
    assert [table.title for table in tables([pruned])] == ["Targets", "Pruning"]


def test_distances_are_timed_and_told_with_the_memory_they_take():
    entries = boundary.measure_all(300, 3, 8, True, Race(StubWorkers(), ignore, NO_PATIENCE))
    measured = RowResult("boundary", "boundary-100k-20-2000", "300 × 3", entries)
    assert [entry.label for entry in entries] == [
        "roctree, 1 thread",
        "roctree, 2 threads",
        "NumPy all leaves, 1 thread",
    ]
    assert max(entry.facts["largest difference"] for entry in entries) < 1e-12
    assert 300 * 8 < entries[0].facts["peak"] < 1e6
    _, table = tables([measured])
    assert table.cells[0][-1].endswith(" MB")
    entries[0].facts.pop("peak")  # as in the results of former runs
    assert tables([measured])[1].cells[0][-1] == "–"


def test_pruners_that_know_costs_are_timed_under_a_matrix_of_six_classes():
    race = Race(StubWorkers(), ignore, NO_PATIENCE)
    entries = prune.prune_all(200, race, n_classes=6, priced=True)
    assert [entry.variant for entry in entries] == ["pessimistic", "error_based", "minimum_error"]
    pruned = RowResult("prune", f"prune-{prune.INNER}-six-costs", "401 nodes", entries)
    verdicts = {verdict.target: verdict.word for verdict in judge([pruned])}
    nodes = "every pruner by counts, 200,001 nodes"
    assert verdicts[f"{nodes}, six classes, a cost matrix"] in ("met", "missed")
    assert verdicts[f"{nodes}, six classes"] == "not measured"


def test_every_smoother_is_timed_and_told_in_a_table():
    entries = prune.smooth_all(50, Race(StubWorkers(), ignore, NO_PATIENCE))
    assert [entry.variant for entry in entries] == list(SMOOTHING)
    _, table = tables([RowResult("smooth", "smooth-50", "101 nodes", entries)])
    assert [line[0] for line in table.cells] == [f"101 nodes: {name}" for name in SMOOTHING]


def test_raising_subtrees_is_timed_on_the_tree_of_its_cases():
    (entry,) = prune.raise_all(300, Race(StubWorkers(), ignore, NO_PATIENCE))
    assert entry.variant.startswith("error_based, raising in ")
    assert len(entry.seconds) == 1
    assert entry.facts["leaves"] < 100


def test_a_criterion_of_ones_own_races_the_one_that_it_repeats():
    race = Race(StubWorkers(), ignore, NO_PATIENCE)
    entries = fit.fit_criteria(Task("tiny", 20), True, race)
    assert [entry.variant for entry in entries] == [*CRITERIA, fit.OWN_GINI]
    for table in ([[8.0, 1.0], [2.0, 5.0]], [[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]]):
        assert own_gini(table) == pytest.approx(CRITERIA["gini"](table))
    found = RowResult("criteria", "criteria-200k-leaf20-full", "tiny", entries)
    verdicts = {verdict.target: verdict.word for verdict in judge([found])}
    assert verdicts[f"{fit.OWN_GINI}, time relative to gini, 200k × 20"] in ("met", "missed")


def test_trees_with_points_are_beside_the_same_trees_alone(monkeypatch):
    monkeypatch.setattr(points, "PREDICTED", 1000)
    race = Race(StubWorkers(), ignore, NO_PATIENCE)
    entries = points.measure_all("scorecard", 2500, 4, race)
    assert [len(entry.seconds) for entry in entries] == [points.ROUNDS] * 4
    for entry in entries:
        entry.seconds = [2.0 if "alone" in entry.variant else 5.0]
    measured = RowResult("points", "points-scorecard-1000k", "2500 × 4", entries)
    verdicts = {each.target: each for each in judge([measured])}
    found = verdicts["`scorecard`, fit of 1M × 20, to its tree alone"]
    assert (found.measured, found.met) == ("2.50×", True)
    found = verdicts["`scorecard`, prediction, to its tree alone with soft thresholds"]
    assert (found.measured, found.met) == ("2.50×", False)
    assert "Trees with points" in {table.title.partition(",")[0] for table in tables([measured])}


def test_cells_are_timed_and_told_with_the_bytes_of_each():
    entries = multiscale.measure_all(500, 3, Race(StubWorkers(), ignore, NO_PATIENCE))
    measured = RowResult("multiscale", "multiscale-100k-10", "500 × 3", entries)
    _, table = tables([measured])
    assert [len(entry.seconds) for entry in entries] == [multiscale.ROUNDS] * 3
    assert 50 < entries[0].facts["bytes per cell"] < 200
    assert table.cells[0][0] == "500 × 3"
    verdicts = {verdict.target: verdict.word for verdict in judge([measured])}
    assert verdicts["Multiscale Classifier, fit of 100k × 10"] == "met"


@pytest.mark.parametrize("quick", [True, False])
def test_every_row_has_a_name_of_its_own(quick):
    names = [row.name for row in plan(list(SECTIONS), "", quick)]
    assert len(names) == len(set(names))


def test_every_library_is_entered_with_equal_threads():
    entered = {(entry.library, entry.threads) for entry in entrants()}
    assert {library for library, _ in entered} == set(LIBRARIES)
    assert ("scikit-learn", 2) not in entered


def test_naive_bayes_trees_are_timed_and_weka_says_why_it_is_not(monkeypatch):
    monkeypatch.setenv("WEKA_JAR", "nowhere.jar")
    entries = nbtree.grow_all(
        lambda: nbtree.generated(60, 2), Race(StubWorkers(), ignore, NO_PATIENCE)
    )
    ours, theirs = entries
    assert len(ours.seconds) == nbtree.ROUNDS
    assert theirs.note == nbtree.ABSENT
    measured = RowResult("nbtree", "nbtree-tiny", "60 × 2", entries)
    assert [table.title for table in tables([measured])] == ["Targets", "Naive Bayes trees"]


def test_what_weka_prints_is_read():
    says = "print('Number of Leaves  : \\t12\\nTime taken to build model: 0.61 seconds')"
    entry = Entry("Weka")
    nbtree.weka_turn(entry, [sys.executable, "-c", says])
    assert (entry.seconds, entry.facts, entry.note) == ([0.61], {"leaves": 12}, None)
    nbtree.weka_turn(entry, [sys.executable, "-c", "print('no such file')"])
    assert entry.note == "failed: no such file"
    assert nbtree.arff(*nbtree.generated(3, 2)).count("\n") == 8
