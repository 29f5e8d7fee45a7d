"""The study of quality: what it compares, and the page that it writes."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from roctree import ROCTreeClassifier
from roctree.data import EncodedRows, take_cells, take_rows
from roctree.experiment import BuiltIn, Results
from roctree.experiment.store import Outcome
from studies import quality
from studies.peers import Boosted, OneHot, TreeMadeBy, booster_of, one_hot
from studies.quality import FURTHER, REFERENCE, further_problems, of_sizes, size_name
from studies.setting import Setting, published

IRIS = BuiltIn().load("iris")


def sky(n_rows=60):
    """Rows of a nominal attribute with missing values and a numeric one."""
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=n_rows).astype(float)
    y = np.where(codes == 1, "wet", "dry")
    codes[::7] = np.nan
    values = np.column_stack([codes, rng.normal(size=n_rows)])
    return EncodedRows(values, ("sky", "wind"), (("blue", "grey", "white"), None)), y


def test_a_classifier_of_numbers_gets_one_column_per_category():
    rows, y = sky()
    encoded = one_hot(rows)
    assert encoded.shape == (60, 4)
    assert encoded[::7, :3].sum() == 0.0
    model = OneHot(DecisionTreeClassifier(random_state=0)).fit(rows, y)
    theirs = DecisionTreeClassifier(random_state=0).fit(encoded, y)
    assert np.array_equal(model.predict_proba(rows), theirs.predict_proba(encoded))
    assert model.get_n_leaves() == theirs.get_n_leaves()


def test_a_forest_has_no_leaves_to_count():
    rows, y = sky()
    forest = OneHot(RandomForestClassifier(2, random_state=0)).fit(rows, y)
    assert np.isnan(forest.get_n_leaves())


def test_the_booster_of_one_fold_is_fitted_once():
    rows, y = sky()
    boosted = Boosted().fit(rows, y)
    assert booster_of(rows, tuple(y.tolist())) is boosted.model_
    assert boosted.predict_proba(rows).shape == (60, 2)
    assert set(boosted.predict(rows)) <= {"dry", "wet"}


def test_other_trees_are_pruned_to_a_number_of_leaves():
    tree = TreeMadeBy("c45_cut_back", 3).fit(IRIS.rows, IRIS.y)
    assert tree.get_n_leaves() <= 3
    assert tree.predict_proba(IRIS.rows).shape == (150, 3)
    assert TreeMadeBy("c45_cut_back").fit(IRIS.rows, IRIS.y).get_n_leaves() > 3


def test_generated_cases_of_encoded_rows_keep_their_categories():
    rows, _ = sky()
    places = np.column_stack([np.arange(60)[::-1], np.arange(60)])
    taken = take_cells(rows, places)
    assert taken.categories == rows.categories
    assert np.array_equal(taken.values[:, 0], rows.values[::-1, 0], equal_nan=True)
    assert np.array_equal(taken.values[:, 1], rows.values[:, 1])
    assert np.array_equal(take_rows(rows, np.array([3, 1])).values, rows.values[[3, 1]])


def test_the_ten_further_data_sets_are_not_among_the_fifty():
    known = {name for *_, name in published()["data_sets"]["ECML03"]}
    assert len(FURTHER) == 10
    assert not known & set(FURTHER)


def test_missing_further_data_sets_are_named(tmp_path):
    found, absent = further_problems(Setting(BuiltIn(), tmp_path))
    assert [problem.name for problem in found] == [
        "diabetes",
        "led24",
        "ringnorm",
        "agrawal-4",
        "agrawal-7",
    ]
    assert absent == ["glass", "vehicle", "vowel-numeric", "heart-statlog", "climate-crashes"]


def outcomes(problems, names, area):
    """Ten outcomes each, with the areas that a function returns."""
    return [
        Outcome(problem, name, 0, fold, measures(area(problem, name, fold)), 0.0)
        for problem in problems
        for name in names
        for fold in range(10)
    ]


def measures(area):
    return dict.fromkeys(quality.METRICS, area) | {"leaves": 16.0}


def study_of(problems, names, area):
    results = Results(outcomes(problems, names, area), tuple(problems), tuple(names), 0.25)
    return quality.Study(results, results.problems)


def test_mean_areas_are_geometric_and_can_exclude_a_data_set():
    areas = {"iris": 0.9, "monks2": 0.4}
    study = study_of(areas, [REFERENCE], lambda problem, *_: areas[problem])
    assert study.mean(quality.HAND_TILL, REFERENCE) == pytest.approx(60.0)
    assert study.mean("log_loss", REFERENCE) == pytest.approx(0.65)
    rest = study.without("monks2")
    assert study.mean(quality.HAND_TILL, REFERENCE, rest) == pytest.approx(90.0)


def test_data_sets_that_are_significantly_below_are_named():
    def area(problem, name, fold):
        worse = name == "default" and problem == "iris"
        return 0.8 + (name == "default") * (0.1 + 0.01 * (fold % 2)) - 0.3 * worse

    study = study_of(["iris", "wine"], [REFERENCE, "default"], area)
    assert study.below("default") == ["iris"]
    assert study.score("default") == "1/0/1"


def test_the_page_has_all_tables(tmp_path, monkeypatch):
    def run(_, problems, groups):
        parts = [groups] if isinstance(groups, dict) else groups
        names = list(dict.fromkeys(name for part in parts for name in part))
        return study_of(
            [problem.name for problem in problems], names, lambda *key: 0.5 + 0.001 * key[2]
        )

    monkeypatch.setattr(quality, "_run", run)
    report = quality.quality(Setting(BuiltIn(), tmp_path, quick=True))
    titles = [table.title for table in report.tables]
    assert len(titles) == 6
    page = report.markdown()
    assert page.startswith("# How well one tree ranks")
    assert "| readable, at most 16, Hand-Till | 88 | 50.45 | no |" in page
    assert "| readable, data sets significantly below | 0 | 0 | yes |" in page
    assert "| readable, at most 8, ahead of the best of others of that size | 0 | 0.00 | no" in page
    assert "default is significantly below MSEE, m-branch, multiway on no data set." in page
    assert "Not in the data given: MONKS" not in page


def test_trees_of_a_size_have_at_most_that_many_leaves():
    for way in ("readable", "soft, best first", "the same, hard"):
        tree = of_sizes(way)[size_name(way, 8)].fit(IRIS.rows, IRIS.y)
        assert isinstance(tree, ROCTreeClassifier)
        assert tree.get_n_leaves() <= 8
