"""Reproductions: the published numbers, the reports, and the command."""

import json
import signal
from dataclasses import replace
from importlib import import_module
from xml.etree import ElementTree

import numpy as np
import pytest

from roctree import ROCTreeClassifier
from roctree.data import EncodedRows
from roctree.errors import DataError, ParameterError
from roctree.experiment import (
    BuiltIn,
    CrossValidation,
    Folder,
    HoldOut,
    Table,
    UnknownDataSetError,
)
from roctree.experiment.store import Store
from roctree.presets import smiles_2003
from studies import REPRODUCTIONS, descriptions, ecml03, names_matching, sc17
from studies.__main__ import main
from studies.charts import Series, chart
from studies.report import PaperNumber, StudyReport, compared, geometric_mean, within
from studies.setting import MissingDataError, Setting, published
from studies.sources import DATA
from tests.shared_data import oracle

WANTED = [
    *("icml02-figure1", "icml02-table2", "icml02-table3", "icml02-table4", "icml02-leaves"),
    *("ecml03-tables3-4", "ecml03-tables5-6", "ecml03-table7", "ecml03-table8", "ecml03-figure1"),
    *("ecml03-readings", "ecml03-claims"),
    *("bl95-figure1", "bl95-figure2"),
    *("ab05-table1", "ab05-table2", "ab05-table3", "ab05-table4", "ab05-table5", "ab05-figure1"),
    *("ab05-vehicle", "ab05-claims"),
    *("sc17", "quality", "points"),
]
HALF_A_DIGIT = 0.5001e-4


def test_every_table_and_figure_has_a_name_and_a_description():
    assert list(REPRODUCTIONS) == WANTED
    assert all(line.endswith(".") for line in descriptions().values())


def test_a_name_selects_a_table_a_paper_or_all_papers():
    assert names_matching("sc17") == ["sc17"]
    assert names_matching("bl95") == ["bl95-figure1", "bl95-figure2"]
    assert names_matching("quality") == ["quality"]
    assert [*names_matching("all"), "quality", "points"] == WANTED
    with pytest.raises(ParameterError, match="did you mean 'ecml03-table8'"):
        names_matching("ecml03-tabel8")


def test_published_tables_are_complete():
    tables = published()
    assert len(tables["data_sets"]["ECML03"]) == len(tables["ECML03_tables3_4"]["rows"]) == 50
    assert len(tables["data_sets"]["ICML02"]) == len(tables["ICML02_table3"]["rows"]) == 25
    assert len(tables["data_sets"]["AB05"]) == len(tables["AB05_table4"]["rows"]) == 16
    for paper, rows in tables["data_sets"].items():
        assert len({name for *_, name in rows}) == len(rows), paper


def test_the_row_orders_of_sc17_are_those_of_its_program():
    known, orders = oracle("definitions"), sc17.row_orders()
    assert orders["breast"].tolist() == known["stadler_breast_permutation_of_sklearn_rows"]
    assert orders["pop"].tolist() == known["stadler_popfailures_permutation_of_uci_rows"]
    assert sorted(orders["heart"]) == list(range(270))


def test_sc17_rejects_a_data_set_of_another_size():
    with pytest.raises(DataError, match="has 150 rows, but the paper's has 270"):
        sc17.ordered("heart", BuiltIn().load("iris"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "name", "criterion"),
    [
        *(("breast", "breast-wdbc", criterion) for criterion in sc17.CRITERIA),
        *(("heart", "heart-statlog", criterion) for criterion in sc17.CRITERIA),
        *(("pop", "climate-crashes", criterion) for criterion in ("G", "M")),
    ],
)
def test_the_preset_reproduces_sc17_to_the_last_digit(key, name, criterion):
    ours = sc17.outcome(key, Folder(DATA).load(name), sc17.CRITERIA[criterion])
    train = published()["SC17_train"]["rows"][key][criterion]
    error, f_score, area = published()["SC17_test"]["rows"][key][criterion]
    area = published()["SC17_corrected_auc"].get(key, {}).get(criterion, area)
    found = [*ours.training, ours.error, ours.f_score, ours.curve.auc]
    assert found == pytest.approx([*train, error, f_score, area], abs=HALF_A_DIGIT)


@pytest.mark.parametrize("smoothing", ["none", "m_branch"])
def test_empty_leaves_of_ecml03_predict_equal_probabilities(smoothing):
    colours = EncodedRows(
        np.array([[0.0], [0.0], [1.0], [1.0]]), ("colour",), (("blue", "red", "white"),)
    )
    usual = smiles_2003(smoothing=smoothing).fit(colours, [0, 0, 1, 0])
    tree = usual.smoothed(ecml03.SMOOTHINGS[smoothing])
    white = EncodedRows(np.array([[2.0]]), colours.names, colours.categories)
    assert tree.predict_proba(white).tolist() == [[0.5, 0.5]]
    assert usual.predict_proba(white)[0, 0] > 0.5
    assert (tree.predict_proba(colours) == usual.predict_proba(colours)).all()


@pytest.mark.slow
def test_a_reproduction_runs_on_built_in_data(tmp_path):
    class Few(BuiltIn):
        def load(self, name):
            if name not in ("iris", "balance-scale"):
                raise UnknownDataSetError("left out, to be quick")
            return super().load(name)

    setting = Setting(Few(), tmp_path, quick=True, together=True)
    for name in ("ecml03-tables5-6", "ecml03-table8"):
        report = REPRODUCTIONS[name](setting)
        assert any(sentence.startswith("Not in the data given") for sentence in report.summary)
        paths = report.write(tmp_path)
        assert [path.name for path in paths] == [f"{name}.md", f"{name}.json"]
        assert json.loads(paths[1].read_text())["name"] == name
    # Several tables are views of one experiment.
    n_results = len(ecml03.configurations()) * 2 * 5
    assert len(Store(tmp_path / "ecml03-quick.sqlite").present()) == n_results
    table = REPRODUCTIONS["ecml03-tables5-6"](setting).tables[0]
    assert [row[0] for row in table.rows] == ["27 BALANCE-SCALE", "35 IRIS"]
    assert abs(float(table.rows[1][2]) - 98.5) < 1.5


@pytest.mark.slow
def test_readings_and_claims_of_ecml03_run_on_built_in_data(tmp_path):
    class Iris(BuiltIn):
        def load(self, name):
            if name != "iris":
                raise UnknownDataSetError("left out, to be quick")
            return super().load(name)

    setting = Setting(Iris(), tmp_path, repeats=1)
    (readings,) = REPRODUCTIONS["ecml03-readings"](setting).tables
    names = [row[0] for row in readings.rows]
    assert len(set(names)) == 4 * 3 + 3 * 9
    assert {"c45 laplace", "msee log2 m_estimate", "mauc renormalised split_info none"} < set(names)
    pruned, strengths = REPRODUCTIONS["ecml03-claims"](setting).tables
    assert [row[0] for row in strengths.rows] == [1, 2, 4, 8, 16]
    leaves = {row[0]: row[3] for row in pruned.rows}
    assert leaves["pessimistic, none"] < leaves["unpruned, none"]


def test_the_number_of_repeats_can_be_chosen(tmp_path):
    full = CrossValidation(folds=5, repeats=20, seed=1000)
    assert Setting(BuiltIn(), tmp_path, repeats=3).design(full) == replace(full, repeats=3)
    assert Setting(BuiltIn(), tmp_path).design(full) == full


def test_figure_1_of_icml02_has_all_labellings(tmp_path):
    report = REPRODUCTIONS["icml02-figure1"](Setting(BuiltIn(), tmp_path))
    (table,) = report.tables
    assert len(table.rows) == 8
    assert [row[2] for row in table.rows].count("yes") == 4
    ElementTree.fromstring(report.figures["roc"])


@pytest.mark.slow
def test_every_table_of_ab05_can_be_made_from_one_data_set(tmp_path):
    class Wine(BuiltIn):
        def load(self, name):
            if name != "wine":
                raise UnknownDataSetError("left out, to be quick")
            return super().load(name)

    setting = Setting(Wine(), tmp_path, quick=True)
    names = [name for name in names_matching("ab05") if name != "ab05-vehicle"]
    reports = {name: REPRODUCTIONS[name](setting) for name in names}
    assert {len(report.tables[0].rows) for report in reports.values()} == {1, 3}
    ((_, bound, effect),) = reports["ab05-claims"].tables[0].rows
    assert effect <= 5 * bound
    with pytest.raises(MissingDataError, match="no data set vehicle"):
        REPRODUCTIONS["ab05-vehicle"](setting)
    columns = reports["ab05-table3"].tables[0].columns
    assert [each for each in columns if each.endswith("paper")] == [
        *("reduced_error: paper", "normal: paper", "none: paper", "vs_nbtree: paper"),
    ]
    (_, unpruned, ours, less, by_other_cases, normal) = reports["ab05-table1"].tables[0].rows[0]
    assert ours == pytest.approx(unpruned, rel=0.2)
    assert abs(by_other_cases - less) < abs(normal - less)
    (_, reach) = reports["ab05-table5"].tables[0].rows[0]
    assert 0.0 <= reach <= 0.5
    areas = dict(reports["ab05-figure1"].tables[0].rows)
    assert list(areas) == ["leaf", "local", "global"]
    assert min(areas.values()) > 0.8
    ElementTree.fromstring(reports["ab05-figure1"].figures["roc"])


@pytest.mark.slow
def test_cells_are_a_single_leaf_beyond_16_to_1_as_bl95_says(tmp_path):
    report = REPRODUCTIONS["bl95-figure2"](Setting(Folder(DATA), tmp_path, quick=True))
    claims, numbers, points = report.tables
    leaves = {row[0]: row[4] for row in claims.rows}
    for _, area, every_area, trees, every_tree, *_ in numbers.rows:
        assert every_area >= area - 0.01
        assert every_tree >= trees
    assert leaves["multiscale, minimum error"] == leaves["multiscale, error limits"] == 1.0
    assert len(points.rows) == 4 * 13
    ElementTree.fromstring(report.figures["roc"])


def test_reproductions_without_data_are_skipped_and_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(
        REPRODUCTIONS, "bl95-figure2", lambda _: StudyReport("x", "A title", [], [])
    )
    assert main(["bl95", "--data", "builtin", "--out", str(tmp_path)]) == 0
    skipped = "bl95-figure1 was skipped: The source has none of the data sets of BL95"
    assert skipped in capsys.readouterr().out
    assert (tmp_path / "x.md").exists()


def test_unreadable_data_are_an_error_and_not_missing(tmp_path):
    class Broken(BuiltIn):
        def load(self, name):
            if name == "wine":
                raise DataError("its checksum differs")
            return super().load(name)

    with pytest.raises(DataError, match="its checksum differs"):
        Setting(Broken(), tmp_path).rows("AB05")


def test_without_any_data_a_reproduction_says_what_to_do(tmp_path):
    class Nothing(BuiltIn):
        def load(self, name):
            raise UnknownDataSetError("there is nothing")

    with pytest.raises(DataError, match=r"--data.*there is nothing"):
        REPRODUCTIONS["sc17"](Setting(Nothing(), tmp_path))


def test_an_entry_measures_distance_in_printed_deviations():
    assert PaperNumber(90.0, 2.0, 91.0).distance == pytest.approx(0.5)
    assert PaperNumber(99.9, 0.0, 99.7).distance == pytest.approx(-2.0)
    assert PaperNumber(0.28, 0.02, 0.32).distance == pytest.approx(2.0)
    assert PaperNumber(90.0, None, 91.0).distance != PaperNumber(90.0, None, 91.0).distance
    rows = {"a": {"x": PaperNumber(90.0, 2.0, 91.0)}, "b": {"x": PaperNumber(90.0, 2.0, 95.0)}}
    assert within(rows, "x") == "1 of 2 rows within one SD"
    assert compared("t", rows).cells == [
        ["a", "90.0 ± 2.0", "91.0", "+0.5"],
        ["b", "90.0 ± 2.0", "95.0", "+2.5"],
    ]


def test_the_geometric_mean():
    assert geometric_mean([1.0, 4.0]) == pytest.approx(2.0)
    assert geometric_mean([0.0, 4.0]) == 0.0
    assert geometric_mean([]) != geometric_mean([])


def test_a_report_is_written_with_its_figures(tmp_path):
    series = [Series("a & b", [(0.0, 0.0), (1.0, 1.0)], dots=True, marked=[(0.5, 0.2)])]
    picture = chart(series, x_label="x", y_label="y")
    ElementTree.fromstring(picture)
    assert "a &amp; b" in picture
    assert picture == chart(series, x_label="x", y_label="y")
    table = Table(("a", "b"), (("x", float("nan")),))
    report = StudyReport("r", "A report", [table], ["One sentence."], {"roc": picture})
    paths = report.write(tmp_path / "new")
    assert [path.name for path in paths] == ["r.md", "r.json", "r-roc.svg"]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(
        path.name for path in paths
    )
    assert json.loads(paths[1].read_text())["tables"][0]["rows"] == [["x", None]]
    assert "![roc](r-roc.svg)" in paths[0].read_text()


def test_the_command_lists_all_reproductions(capsys):
    assert main(["list"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in WANTED)
    assert main(["list", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == WANTED


def test_the_command_shows_tables_or_json_and_writes_the_report(tmp_path, monkeypatch, capsys):
    table = Table(("set", "AUC"), (("iris", 98.06),), title="Areas", digits=1)
    report = StudyReport("sc17", "A title", [table], ["One sentence."])
    monkeypatch.setitem(REPRODUCTIONS, "sc17", lambda _: report)
    assert main(["sc17", "--out", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Areas\nset    AUC\niris  98.1\n\n- One sentence.\nWritten: ")
    assert main(["sc17", "--out", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"sc17": json.loads(report.json())}


def test_the_command_rejects_an_unknown_name(tmp_path, capsys):
    assert main(["nothing", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("Error: There is no reproduction 'nothing'")


def test_a_folder_without_a_manifest_is_rejected_in_one_sentence(tmp_path, capsys):
    assert main(["sc17", "--data", str(tmp_path)]) == 2
    assert "has no manifest.json" in capsys.readouterr().err


@pytest.mark.slow
def test_errors_name_the_options_of_the_command(tmp_path, monkeypatch, capsys):
    def reproduce(setting):
        tree = {"tree": ROCTreeClassifier(max_depth=1)}
        return setting.run("x", [BuiltIn().load("iris")], tree, HoldOut(repeats=1), ["auc"])

    monkeypatch.setitem(REPRODUCTIONS, "sc17", reproduce)
    reproduce(Setting(BuiltIn(), tmp_path))
    # The package has a function of the same name as this module.
    monkeypatch.setattr(
        import_module("roctree.experiment.run"),
        "code_fingerprint",
        lambda: {"tree/tree.py": "other"},
    )
    assert main(["sc17", "--out", str(tmp_path), "--jobs", "1"]) == 2
    assert "code in tree/tree.py. Use --changed again to run" in capsys.readouterr().err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_the_command(monkeypatch, capsys, number, code):
    monkeypatch.setitem(REPRODUCTIONS, "sc17", lambda _: signal.raise_signal(number))
    # In the background of some shells SIGINT is ignored.
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert main(["sc17"]) == code
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    assert capsys.readouterr().err == "Stopped.\n"
