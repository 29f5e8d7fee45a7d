"""One tree that learns from a teacher."""

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import roctree
from roctree import DataError, Dataset, ParameterError, ROCTreeClassifier
from roctree.data import EncodedRows, take_cells
from roctree.models.distill import _MANY_ROWS, Booster, TeacherSample, _few_threads
from tests.estimator import weather

IRIS = load_iris(return_X_y=True)


def noisy_line(n_rows=400, seed=0):
    """Two classes on either side of a slope, which no small tree of few cases finds well."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 2))
    return X, np.where(X.sum(axis=1) + rng.normal(size=n_rows) > 0, "up", "down")


@pytest.fixture(scope="module")
def line():
    X, y = noisy_line(150)
    teacher = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    return X, y, teacher


def test_a_pupil_of_a_good_teacher_ranks_better_than_a_tree_alone_of_its_size(line):
    X, y, teacher = line
    alone = ROCTreeClassifier(ranking="soft").fit(X, y)
    pupil = roctree.distill(teacher, X, y, max_leaf_nodes=alone.get_n_leaves(), n_generated=4000)
    X_test, y_test = noisy_line(4000, seed=1)
    areas = [
        roc_auc_score(y_test == "up", tree.predict_proba(X_test)[:, 1]) for tree in (pupil, alone)
    ]
    assert areas[0] > areas[1] + 0.02


def test_counts_are_those_of_the_true_labels(line):
    X, y, teacher = line
    pupil = roctree.distill(teacher, X, y, max_leaf_nodes=8, n_generated=1000)
    assert pupil.tree_.counts[0].tolist() == [(y == "down").sum(), (y == "up").sum()]
    leaves = pupil.apply(X)
    for leaf in pupil.tree_.leaves:
        expected = [np.sum((leaves == leaf) & (y == label)) for label in ("down", "up")]
        assert pupil.tree_.counts[leaf].tolist() == expected
    pupil.tree_.validate(2)


def test_a_pupil_has_no_more_leaves_than_wanted_or_than_twice_a_tree_alone(line):
    X, y, teacher = line
    assert roctree.distill(teacher, X, y, max_leaf_nodes=5, n_generated=500).get_n_leaves() == 5
    alone = ROCTreeClassifier().fit(X, y).get_n_leaves()
    assert alone < roctree.distill(teacher, X, y, n_generated=500).get_n_leaves() <= 2 * alone


def test_the_seed_decides_about_the_generated_cases(line):
    X, y, teacher = line
    one, two, other = (
        roctree.distill(teacher, X, y, max_leaf_nodes=8, n_generated=500, random_state=seed)
        for seed in (3, 3, 4)
    )
    assert one.tree_ == two.tree_
    assert one.tree_ != other.tree_


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_any_table_with_categories_and_gaps_can_be_taught(library):
    module = pytest.importorskip(library)
    X, y = weather.frame(80)
    if library == "polars":
        X = module.from_pandas(X)
    elif library == "pyarrow":
        X = module.Table.from_pandas(X)
    pupil = roctree.distill("auto", X, y, max_leaf_nodes=6, n_generated=300)
    assert pupil.predict(X).shape == (80,)
    assert pupil.feature_names_in_.tolist() == ["warmth", "sky", "wind"]


def test_a_column_without_any_value_is_no_obstacle_to_the_teacher():
    X, y = IRIS
    empty = np.column_stack([X, np.full(len(X), np.nan)])
    pupil = roctree.distill("auto", empty, y, max_leaf_nodes=4, n_generated=200)
    assert (pupil.predict(empty) == y).mean() > 0.9


def test_more_than_two_classes_in_whatever_order_the_teacher_has_them():
    X, y = IRIS
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    teacher = RandomForestClassifier(20, random_state=0).fit(X, names)
    teacher.classes_ = teacher.classes_[::-1]
    backwards = Backwards(teacher, teacher.classes_)
    pupil = roctree.distill(backwards, X, names, max_leaf_nodes=6, n_generated=1000)
    assert (pupil.predict(X) == names).mean() > 0.95


class Backwards:
    """A teacher whose columns stand in the opposite order."""

    def __init__(self, teacher, classes):
        self.teacher, self.classes_ = teacher, classes

    def predict_proba(self, X):
        return self.teacher.predict_proba(X)[:, ::-1]


def test_rows_without_weight_leave_no_trace(line):
    X, y, teacher = line
    extra, labels = np.vstack([X, X[:20] + 9.0]), np.append(y, y[:20])
    weights = np.append(np.ones(len(y)), np.zeros(20))
    options = {"max_leaf_nodes": 8, "n_generated": 500}
    one = roctree.distill(teacher, extra, labels, sample_weight=weights, **options)
    assert one.tree_ == roctree.distill(teacher, X, y, **options).tree_


def test_progress_is_told_in_sentences(line):
    X, y, teacher = line
    told = []
    roctree.distill(teacher, X, y, max_leaf_nodes=3, n_generated=50, progress=told.append)
    assert len(told) == 2
    assert told[1].startswith("Growing a tree of at most 3 leaves on ")


def test_parameters_of_the_tree_are_passed_on(line):
    X, y, teacher = line
    pupil = roctree.distill(
        teacher, X, y, max_leaf_nodes=4, n_generated=50, ranking="leaf", criterion="gini"
    )
    assert (pupil.ranking, pupil.criterion) == ("leaf", "gini")
    assert not pupil.tree_.softness.any()


BAD = [
    ({"teacher": "forest"}, "teacher='forest' is not known"),
    ({"teacher": StandardScaler()}, "StandardScaler has no predict_proba"),
    ({"teacher": LogisticRegression()}, "fit the teacher first"),
    ({"smear": 2.0}, "smear=2.0 is not a probability"),
    ({"n_generated": -1}, "n_generated=-1 is not allowed"),
    ({"max_leaf_nodes": 0}, "max_leaf_nodes=0 is not allowed"),
    ({"depth": 3}, "'depth' is not a parameter"),
    ({"random_state": "now"}, "is not a seed"),
    ({"progress": True}, "progress=True must be a function"),
    ({"teacher": LogisticRegression}, "fit the teacher first"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=str)
def test_what_makes_no_sense_is_refused(line, options, message):
    X, y, teacher = line
    with pytest.raises(ParameterError, match=message):
        roctree.distill(**({"teacher": teacher, "X": X, "y": y} | options))


def test_a_teacher_of_other_classes_is_refused(line):
    X, y, teacher = line
    message = "has the classes 'down', 'up', and y has 'high', 'low': fit it to the same classes"
    with pytest.raises(ParameterError, match=message):
        roctree.distill(teacher, X, np.where(y == "up", "high", "low"))
    with pytest.raises(ParameterError, match="y has 'down', 'over', 'up'"):
        roctree.distill(teacher, X, np.where(X[:, 0] > 1.5, "over", y))


class Says:
    """A teacher that says the same of all rows."""

    def __init__(self, *answer, classes=("down", "up")):
        self.answer, self.classes_ = answer, classes

    def predict_proba(self, X):
        return np.array([self.answer] * len(X)).squeeze()


class Fails(Says):
    """A teacher that fails in a way of its own."""

    def predict_proba(self, X):
        raise KeyError("sepal length")


@pytest.mark.parametrize(
    ("teacher", "message"),
    [
        (Fails(), r"cannot predict rows of X \('sepal length'\)"),
        (Says("likely", "not"), "does not return a table of numbers"),
        (Says(0.4), r"an array of shape \(150,\) for 150 rows and 2 classes"),
        (Says(0.2, 0.3, 0.5), r"an array of shape \(150, 3\)"),
        (Says(0.4, 0.7), "rows that are not probabilities"),
        (Says(-0.5, 1.5), "rows that are not probabilities"),
        (Says(np.nan, 1.0), "rows that are not probabilities"),
        (Says(0.4, 0.6, classes=[[0, 1], [0, 1]]), "not have a single list of classes"),
    ],
    ids=lambda value: str(getattr(value, "answer", "")),
)
def test_a_teacher_that_says_no_probabilities_is_refused(line, teacher, message):
    with pytest.raises(ParameterError, match=message):
        roctree.distill(teacher, *line[:2], max_leaf_nodes=3, n_generated=0)


def test_an_unknown_teacher_is_refused_before_a_tree_is_grown(line):
    told = []
    with pytest.raises(ParameterError, match="teacher='forest' is not known"):
        roctree.distill("forest", [[1.0]], ["up"], progress=told.append)
    assert not told


def test_there_is_nothing_to_teach_about_one_class(line):
    with pytest.raises(DataError, match="y has only one class"):
        roctree.distill("auto", line[0], ["up"] * len(line[0]))


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_a_user_s_own_booster_teaches_a_frame_of_categories_and_gaps(library):
    module = pytest.importorskip(library)
    X, y = weather.frame(120)
    X = X.assign(sky=X.sky.astype("category"))
    if library == "lightgbm":
        teacher = module.LGBMClassifier(n_estimators=5, n_jobs=1, verbose=-1)
    else:
        # It wants classes that are numbered.
        teacher = module.XGBClassifier(n_estimators=5, n_jobs=1, enable_categorical=True)
        y = (y == "play").astype(int)
    pupil = roctree.distill(teacher.fit(X, y), X, y, max_leaf_nodes=6, n_generated=300)
    assert (pupil.predict(X) == y).mean() > 0.7
    assert pupil.classes_.tolist() == sorted(set(y.tolist()))


def test_weights_say_how_many_cases_there_are(line):
    X, y, teacher = line
    weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    pupil = roctree.distill(teacher, X, y, sample_weight=weights, max_leaf_nodes=6, n_generated=300)
    assert pupil.tree_.counts[0].tolist() == [
        weights[y == "down"].sum(),
        weights[y == "up"].sum(),
    ]


def test_the_same_seed_gives_the_same_bytes(line, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    X, y, _ = line
    for name in ("one", "two"):
        roctree.distill("auto", X, y, max_leaf_nodes=6, n_generated=300).save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_generated_cases_weigh_as_much_as_all_others():
    X, y = noisy_line(50)
    cases = Dataset.from_data(X, y)
    sample = TeacherSample(lambda sources: np.full((len(sources), 2), 0.5), cases)
    drawn = sample.draw(200, 0.3, np.random.default_rng(0))
    assert drawn.weights.sum() == pytest.approx(100.0)
    # Of a training case three quarters are its label's, half of them the teacher's.
    assert sorted(set(drawn.weights[:100].round(4))) == [0.25, 0.75]
    for column in range(2):
        assert set(drawn.values[:, column]) <= set(X[:, column])


def test_smearing_replaces_the_wanted_share_of_cells():
    X = np.arange(1000.0)[:, None] * np.ones(8)
    cases = Dataset.from_data(X, np.arange(1000) % 2)
    places = TeacherSample(None, cases)._smeared(1000, 0.3, np.random.default_rng(0))
    own = np.median(places, axis=1)[:, None]
    assert (places != own).mean() == pytest.approx(0.3, abs=0.02)


def test_cells_are_taken_column_by_column():
    rows = np.array([[0, 1], [1, 1], [1, 0]])
    assert take_cells([[1, "a"], [2, "b"]], rows).tolist() == [[1, "b"], [2, "b"], [2, "a"]]
    encoded = EncodedRows(np.array([[1.0, 0.0], [2.0, 1.0]]), ("x", "c"), (None, ("a", "b")))
    assert take_cells(encoded, rows).values.tolist() == [[1.0, 1.0], [2.0, 1.0], [2.0, 0.0]]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1.5, None], "c": pandas.Categorical(["a", "b"])}, index=[7, 9])
    taken = take_cells(frame, rows)
    assert taken.c.tolist() == ["b", "b", "a"]
    assert taken.x.isna().tolist() == [False, True, True]
    assert taken.dtypes.tolist() == frame.dtypes.tolist()


def test_an_empty_table_is_refused():
    with pytest.raises(DataError):
        roctree.distill("auto", np.empty((0, 2)), [])


def test_the_booster_knows_which_attributes_are_categories():
    X, y = weather.complete(60)
    many = [f"code {number % 300}" for number in range(600)]
    wide = pd.concat([X] * 10, ignore_index=True).assign(code=many)
    for frame, labels in ((X, y), (wide, np.tile(y, 10))):
        cases = Dataset.from_data(frame, labels)
        found = Booster.from_cases(cases, 0).booster.is_categorical_
        n_categories = cases.schema.n_categories
        expected = [0 < n <= 255 for n in n_categories]
        assert any(expected)
        assert found.tolist() == expected


def test_only_large_tables_are_predicted_by_several_threads(monkeypatch):
    limits = []

    def limit(*given):
        limits.append(given)
        return nullcontext()

    monkeypatch.setattr("roctree.models.distill.threadpool_limits", limit)
    for n_rows in (1, _MANY_ROWS - 1, _MANY_ROWS):
        with _few_threads(n_rows):
            pass
    assert limits == [(1, "openmp")] * 2
