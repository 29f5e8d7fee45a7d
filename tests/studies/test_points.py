"""The study of points: its page from finished and unfinished results, and results kept as text."""

import numpy as np
import pytest

from roctree.experiment import BuiltIn, Results
from roctree.experiment.store import Outcome, Store
from roctree.presets import readable
from studies import folds, peers, points
from studies.peers import LogisticModelTree, arff, weka_jar
from studies.setting import Setting

IRIS = BuiltIn().load("iris")


def results_of(problems, area, names=("readable", "scorecard", "best_ranking", points.EBM)):
    """Twenty outcomes each, five of slow rows, with the areas that a function returns."""
    found = [
        Outcome(problem, name, repeat, fold, measures(area(problem, name, fold)), 0.01)
        for problem in problems
        for name in names
        for repeat in range(1 if name == points.EBM else 4)
        for fold in range(5)
    ]
    return Results(found, tuple(problems), tuple(points.NAMES), 0.25)


def measures(area):
    return dict.fromkeys(points.METRICS, area) | {"leaves": 16.0}


def areas(problem, name, fold):
    lead = {"best_ranking": 0.05, "scorecard": -0.1 if problem == "wine" else 0.02}
    return 0.9 + lead.get(name, 0.0) + 0.001 * fold


def test_the_page_compares_rows_on_common_data_sets():
    page = points.report_of(results_of(["iris", "wine"], areas), ["iris", "wine"], [], [])
    goals, means, peers_table, by_set = page.tables
    assert [line[3] for line in goals.rows][:3] == ["yes", "no", "no"]
    assert [line[0] for line in means.rows] == ["readable", "scorecard", "best_ranking", "EBM"]
    assert means.rows[2][3] == "+5.00 ± 0.00"
    assert ["best_ranking", "EBM", "+5.00 ± 0.00"] in [line[:3] for line in peers_table.rows]
    assert by_set.rows[1][0] == "wine"
    text = page.markdown()
    assert "`scorecard` is significantly below `readable` on wine." in text
    assert "EBM is behind `best_ranking` on 2 data sets" in text


def test_a_mean_that_depends_on_one_data_set_is_given_without_it_too():
    sets = ["iris", "wine", "glass"]

    def failing_once(problem, name, fold):
        return areas(problem, name, fold) - 0.4 * (name == points.EBM and problem == "glass")

    text = points.report_of(results_of(sets, failing_once), sets, [], []).markdown()
    assert "Without glass (-45.0) it is -5.00 ± 0.00; the median of all is -5.00." in text


def test_unfinished_rows_cover_fewer_data_sets_and_are_named():
    results = results_of(["iris", "wine"], areas)
    kept = [
        each
        for each in results.outcomes
        if (each.problem, each.configuration, each.repeat) != ("wine", "scorecard", 3)
    ]
    partial = Results(kept, results.problems, results.configurations, 0.25)
    page = points.report_of(partial, ["iris", "wine"], [], [])
    assert [line[-1] for line in page.tables[1].rows] == [2, 1, 2, 2]
    assert page.tables[0].rows[2][3] == "unfinished"
    assert "scorecard 1" in page.markdown()


def test_a_quick_study_has_a_page(tmp_path, monkeypatch):
    for part in ("OURS", "PEERS", "CEILINGS"):
        monkeypatch.setattr(points, part, {"readable": readable()})
    monkeypatch.setattr(points, "SLOW", {})
    monkeypatch.setattr(points, "further_problems", lambda _: ([], ["glass"]))

    class Few(Setting):
        def rows(self, _):
            return [type("Row", (), {"problem": IRIS})()], []

    page = points.points(Few(BuiltIn(), tmp_path, quick=True))
    assert page.tables[1].rows[0][0] == "readable"
    assert page.tables[1].rows[0][-1] == 1
    assert "Not in the data given: glass." in page.markdown()


def test_stored_results_are_reported_without_a_run(tmp_path):
    known = {"readable": readable()}
    arguments = ("points", [IRIS], known, points.DESIGN, points.METRICS)
    ran = Setting(BuiltIn(), tmp_path, quick=True).run(*arguments)
    setting = Setting(BuiltIn(), tmp_path, quick=True, stored=True)
    assert len(setting.run(*arguments).outcomes) == len(ran.outcomes) == 5
    assert setting.run("other", *arguments[1:]).outcomes == []


def test_results_kept_as_text_can_be_extended(tmp_path):
    store = Store(tmp_path / "points.sqlite")
    store.keep("code", {"numpy": "2"})
    store.add(results_of(["iris", "wine"], areas).outcomes)
    text = folds.pack(store)
    again = Store(tmp_path / "again.sqlite")
    folds.unpack(text, again)
    assert folds.pack(again) == text
    assert again.facts("code") == {"numpy": "2"}
    ours, theirs = store.outcomes(), again.outcomes()
    assert [each[:4] for each in ours] == [each[:4] for each in theirs]
    found = [each.measures[points.HAND_TILL] for each in theirs]
    assert found == pytest.approx([each.measures[points.HAND_TILL] for each in ours], abs=1e-5)


def test_files_are_converted_by_their_names(tmp_path):
    Store(tmp_path / "a.sqlite").add(results_of(["iris"], areas).outcomes)
    assert folds.main([str(tmp_path / "a.sqlite"), str(tmp_path / "a.json")]) == 0
    assert folds.main([str(tmp_path / "a.json"), str(tmp_path / "b.sqlite")]) == 0
    assert Store(tmp_path / "b.sqlite").present() == Store(tmp_path / "a.sqlite").present()
    assert folds.main([]) == 2


def test_weka_is_found_by_a_variable(monkeypatch, tmp_path):
    monkeypatch.setattr(peers.shutil, "which", lambda _: "java")
    monkeypatch.setenv("WEKA_JAR", str(tmp_path / "weka.jar"))
    assert weka_jar() is None
    (tmp_path / "weka.jar").touch()
    assert weka_jar() == tmp_path / "weka.jar"


@pytest.mark.skipif(weka_jar() is None, reason="needs Java and weka.jar (WEKA_JAR=PATH)")
def test_logistic_model_trees_have_probabilities_in_the_order_of_classes():
    model = LogisticModelTree().fit(IRIS.rows, IRIS.y)
    shares = model.predict_proba(IRIS.rows)
    assert shares.sum(axis=1) == pytest.approx(1.0, abs=0.01)
    assert np.mean(model.predict(IRIS.rows) == IRIS.y) > 0.9


def test_rows_for_weka_have_as_many_lines_as_cases():
    assert len(arff(IRIS.rows, IRIS.labels, 3).splitlines()) == 1 + 4 + 1 + 1 + 150
