"""Problems from folders, from rules and from scikit-learn."""

import csv
import gzip
import io
import json
from collections import Counter
from hashlib import sha256

import numpy as np
import pytest

from roctree import ROCTreeClassifier
from roctree.data import EncodedRows
from roctree.errors import DataError
from roctree.experiment import BuiltIn, Folder, Problem, UnknownDataSetError
from roctree.experiment.sources import _AGRAWAL, _GENERATED, TextTable

ATTRIBUTES = [
    {"name": "size", "kind": "numeric"},
    {"name": "colour", "kind": "nominal"},
    {"name": "code", "kind": "numeric"},
]
CASES = [
    ["1.5", "red", "1", "a"],
    ["2.5", "", "2", "b"],
    ["", "blue", "1", "c"],
    ["4.5", "red", "2", "a"],
]


def folder_of(path, variants=(), cases=CASES, **changes):
    """A folder with one data set, ``things``."""
    text = io.StringIO()
    names = [attribute["name"] for attribute in ATTRIBUTES]
    csv.writer(text).writerows([[*names, "class"], *cases])
    packed = gzip.compress(text.getvalue().encode(), mtime=0)
    (path / "things.csv.gz").write_bytes(packed)
    entry = {
        "name": "things",
        "file": "things.csv.gz",
        "sha256": sha256(packed).hexdigest(),
        "attributes": ATTRIBUTES,
        "variants": list(variants),
    }
    content = {"format": 1, "datasets": [entry | changes]}
    (path / "manifest.json").write_text(json.dumps(content))
    return Folder(path)


def unpacked(path, content):
    """Replace the bytes of the file, and its checksum in the manifest."""
    folder_of(path, sha256=sha256(content).hexdigest())
    (path / "things.csv.gz").write_bytes(content)


def derived(path, **derivation):
    return folder_of(path, [{"id": "other", "derivation": derivation}]).load("other")


def test_a_data_set_is_read_with_missing_values_and_categories(tmp_path):
    problem = folder_of(tmp_path).load("things")
    assert problem.rows.categories == (None, ("blue", "red"), None)
    assert np.isnan(problem.rows.values[[2, 1], [0, 1]]).all()
    assert problem.rows.values[:, 1].tolist()[::3] == [1.0, 1.0]
    assert problem.y.tolist() == ["a", "b", "c", "a"]
    assert repr(problem) == (
        "<Problem things: 4 cases, 1 nominal + 2 numeric attributes, 3 classes>"
    )


def test_rows_with_missing_values_can_be_dropped(tmp_path):
    assert derived(tmp_path, drop_missing_rows=True).y.tolist() == ["a", "a"]
    assert derived(tmp_path, drop_missing_rows=["size"]).y.tolist() == ["a", "b", "a"]


def test_attributes_can_be_dropped_and_their_kind_changed(tmp_path):
    assert derived(tmp_path, drop_attributes=["size"]).rows.names == ("colour", "code")
    assert derived(tmp_path, kinds={"code": "nominal"}).rows.categories[2] == ("1", "2")


def test_classes_can_be_dropped_merged_and_set_against_the_rest(tmp_path):
    assert derived(tmp_path, drop_classes=["a"]).classes == ("b", "c")
    assert derived(tmp_path, merge={"bc": ["b", "c"]}).classes == ("a", "bc")
    opposed = derived(tmp_path, positive_class="b")
    assert (opposed.classes, opposed.positive) == (("b", "rest"), "b")
    assert derived(tmp_path, first_rows=2).classes == ("a", "b")


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (lambda path: (path / "manifest.json").unlink(), "no manifest.json"),
        (lambda path: (path / "manifest.json").write_text("{"), "Cannot read"),
        (lambda path: (path / "manifest.json").write_text('{"format": 9}'), "format 1"),
        (
            lambda path: (path / "manifest.json").write_text('{"format": 1, "datasets": 1}'),
            "has no list of 'datasets'",
        ),
        (lambda path: folder_of(path, [{"derivation": {}}]), "a variant without an 'id'"),
        (lambda path: folder_of(path, attributes=["size"]), "has the attribute 'size'"),
        (
            lambda path: folder_of(path, attributes=[{"name": "size", "kind": "ordinal"}]),
            "'nominal' or 'numeric' as its 'kind'",
        ),
        (lambda path: (path / "things.csv.gz").write_bytes(b"other"), "checksum differs"),
        (lambda path: unpacked(path, b"size,class"), "is not a gzip-compressed CSV file"),
        (
            lambda path: unpacked(path, gzip.compress(b"size")[:-4]),
            "is not a gzip-compressed CSV file",
        ),
        (lambda path: unpacked(path, gzip.compress(b"")), "it has no header"),
        (lambda path: (path / "things.csv.gz").unlink(), "Cannot read"),
    ],
)
def test_a_damaged_folder_is_rejected_in_one_sentence(tmp_path, break_it, words):
    source = folder_of(tmp_path)
    break_it(tmp_path)
    with pytest.raises(DataError, match=words):
        source.load("things")


def test_a_missing_file_is_an_unknown_data_set(tmp_path):
    source = folder_of(tmp_path)
    (tmp_path / "things.csv.gz").unlink()
    with pytest.raises(UnknownDataSetError):
        source.load("things")


def test_a_variant_that_differs_from_the_manifest_is_rejected(tmp_path):
    variant = {"id": "other", "derivation": {}, "result": {"rows": 5}}
    with pytest.raises(DataError, match="has rows 4, but the manifest says 5"):
        folder_of(tmp_path, [variant]).load("other")
    with pytest.raises(DataError, match="unknown step 'shuffle'"):
        derived(tmp_path, shuffle=True)


def test_a_derivation_must_name_existing_attributes(tmp_path):
    with pytest.raises(DataError, match=r"'sizes', which is not an attribute \(did you"):
        derived(tmp_path, drop_attributes=["sizes"])
    with pytest.raises(DataError, match="The step 'kinds' of 'other'"):
        derived(tmp_path, kinds={"weight": "nominal"})
    with pytest.raises(DataError, match="'other' has no rows"):
        derived(tmp_path, drop_classes=["a", "b", "c"])


def test_errors_in_a_table_name_the_line_or_column(tmp_path):
    with pytest.raises(DataError, match=r"Line 6 of .* has 2 cells, but the header has 4"):
        folder_of(tmp_path, cases=[*CASES, ["1.5", "red"]]).load("things")
    with pytest.raises(DataError, match=r"'size' of 'things' is declared numeric: .*'big'"):
        folder_of(tmp_path, cases=[["big", "red", "1", "a"]]).load("things")
    content = {"format": 1, "datasets": [{"name": "things"}]}
    (tmp_path / "manifest.json").write_text(json.dumps(content))
    with pytest.raises(DataError, match=r"Data set 1 of .* has no 'file'"):
        Folder(tmp_path).load("things")


def test_an_unknown_name_is_rejected_with_a_suggestion(tmp_path):
    with pytest.raises(DataError, match="did you mean 'things'"):
        folder_of(tmp_path).load("thing")
    with pytest.raises(DataError, match="did you mean 'iris'"):
        BuiltIn().load("iriss")


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("monks1", {"0": 216, "1": 216}),
        ("monks2", {"0": 290, "1": 142}),
        ("monks3", {"0": 204, "1": 228}),
        ("tic-tac-toe", {"negative": 332, "positive": 626}),
        ("balance-scale", {"B": 49, "L": 288, "R": 288}),
        ("iris", {"setosa": 50, "versicolor": 50, "virginica": 50}),
    ],
)
def test_built_in_data_sets_have_the_known_class_counts(name, counts):
    assert Counter(BuiltIn().load(name).y.tolist()) == counts


def test_built_in_data_sets_are_reproducible():
    for name in BuiltIn().names():
        problem = BuiltIn().load(name)
        assert problem.name == name
        assert problem.checksum == BuiltIn().load(name).checksum


def test_the_checksum_changes_with_any_value_or_label():
    problem = Problem.from_data("p", [[1.0], [2.0]], ["a", "b"])
    others = [
        Problem.from_data("p", [[1.0], [2.5]], ["a", "b"]),
        Problem.from_data("p", [[1.0], [2.0]], ["b", "a"]),
        Problem.from_data("p", [[1.0], [2.0]], ["a", "c"]),
    ]
    assert all(other.checksum != problem.checksum for other in others)
    assert Problem.from_data("q", [[1.0], [2.0]], ["a", "b"]).checksum == problem.checksum


def test_classes_can_be_set_against_the_rest():
    iris = BuiltIn().load("iris")
    two = iris.against_rest(("setosa", "virginica"), "two")
    assert (two.name, two.positive, two.classes) == (
        "two",
        "setosa+virginica",
        ("rest", "setosa+virginica"),
    )
    assert Counter(two.y.tolist()) == {"rest": 50, "setosa+virginica": 100}
    with pytest.raises(DataError, match="is not a class of 'iris'"):
        iris.against_rest("rose")
    with pytest.raises(DataError, match="All classes of 'iris' are positive"):
        iris.against_rest(iris.classes)


def test_encoded_rows_give_the_same_tree_as_the_frame():
    pandas = pytest.importorskip("pandas")
    colours = ["red", "blue", "red", "white"] * 10
    frame = pandas.DataFrame({"colour": pandas.Categorical(colours), "size": np.arange(40.0) / 2})
    y = np.array(["a", "b"] * 20)
    problem = Problem.from_data("colours", frame, y)
    ours = ROCTreeClassifier().fit(problem.rows, y)
    theirs = ROCTreeClassifier().fit(frame, y)
    assert np.array_equal(ours.predict_proba(problem.rows[:7]), theirs.predict_proba(frame[:7]))
    assert ours.schema_.categories == theirs.schema_.categories


def test_rows_with_other_categories_are_rejected():
    rows = EncodedRows(np.array([[0.0], [1.0]] * 5), ("c",), (("a", "b"),))
    tree = ROCTreeClassifier().fit(rows, [0, 1] * 5)
    with pytest.raises(DataError, match="categories of the encoded rows differ"):
        tree.predict(EncodedRows(np.array([[0.0]]), ("c",), (("b", "a"),)))


def test_encoded_rows_convert_to_an_array():
    from sklearn.tree import DecisionTreeClassifier

    problem = BuiltIn().load("iris")
    tree = DecisionTreeClassifier(random_state=0).fit(problem.rows, problem.y)
    assert tree.score(problem.rows, problem.y) == 1.0


@pytest.mark.parametrize(
    ("age", "education", "low"),
    [
        *((age, level, 25 if level <= 1 else 50) for age in (20, 39) for level in range(5)),
        *((age, level, 50 if 1 <= level <= 3 else 75) for age in (40, 59) for level in range(5)),
        *((age, level, 50 if level >= 2 else 25) for age in (60, 80) for level in range(5)),
    ],
)
def test_the_fourth_function_of_agrawal_has_a_range_of_salaries(age, education, low):
    salaries = 1000.0 * np.array([low - 1, low, low + 50, low + 51])
    values = {"age": age, "education": education}
    applicants = {name: np.full(4, value) for name, value in values.items()}
    group = _AGRAWAL[4](applicants | {"salary": salaries})
    assert group.tolist() == [False, True, True, False]


def test_the_seventh_function_of_agrawal_is_about_disposable_income():
    salary = np.array([50_000.0, 50_000.0, 20_000.0])
    commission, loan = np.array([0.0, 0.0, 30_000.0]), np.array([67_400.0, 67_600.0, 67_400.0])
    applicants = {"salary": salary, "commission": commission, "loan": loan}
    assert _AGRAWAL[7](applicants).tolist() == [True, False, True]


@pytest.mark.parametrize("name", _GENERATED)
def test_generated_data_sets_have_a_name_and_perhaps_categories_for_each_column(name):
    problem = _GENERATED[name]()
    rows, n_columns = problem.rows, np.asarray(problem.rows).shape[1]
    assert len(rows.names) == len(rows.categories) == n_columns
    for column, categories in zip(np.asarray(rows).T, rows.categories, strict=True):
        if categories is not None:
            known = column[~np.isnan(column)]
            assert set(known.tolist()) <= set(range(len(categories)))
    assert len(problem.labels) == len(rows)
    assert set(problem.labels.tolist()) == set(range(len(problem.classes)))


def test_a_table_with_rows_of_different_lengths_is_an_error():
    table = TextTable(["a"], {"a": "numeric"}, [["1", "x"], ["2", "y", "more"]])
    with pytest.raises(ValueError, match="longer"):
        table.problem("odd", None)
