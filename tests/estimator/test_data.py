import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from roctree import DataError, ROCTreeClassifier
from roctree.data import IdentifierWarning
from tests.estimator import weather

FRAMES = {
    "pandas": lambda frame: frame,
    "polars": lambda frame: pl.from_pandas(frame),
    "pyarrow": lambda frame: pa.Table.from_pandas(frame),
}


@pytest.mark.parametrize("library", FRAMES)
def test_every_frame_library_gives_the_same_tree(library):
    X, y = weather.frame()
    tree = ROCTreeClassifier().fit(FRAMES[library](X), y)
    assert tree.tree_ == ROCTreeClassifier().fit(X, y).tree_
    assert tree.feature_names_in_.tolist() == ["warmth", "sky", "wind"]
    for other in FRAMES.values():
        assert np.array_equal(tree.predict(other(X)), tree.predict(X))


def test_labels_may_be_a_series_of_any_library():
    X, y = weather.frame()
    for labels in (pd.Series(y), pl.Series(y), pa.array(y), list(y)):
        assert ROCTreeClassifier().fit(X, labels).score(X, y) > 0.9


def test_arrays_of_objects_may_hold_text():
    X, y = weather.frame()
    tree = ROCTreeClassifier().fit(X.to_numpy(dtype=object), y)
    assert tree.tree_ == ROCTreeClassifier().fit(X, y).tree_


def test_a_column_vector_of_labels_is_taken_with_a_warning():
    X, y = weather.frame()
    with pytest.warns(UserWarning, match="column-vector y was passed"):
        ROCTreeClassifier().fit(X, y[:, None])


def test_unseen_categories_are_missing_with_one_warning_that_counts_them():
    X, y = weather.frame()
    tree = ROCTreeClassifier().fit(X, y)
    new, gap = X.assign(sky="snow"), X.assign(sky=None)
    with pytest.warns(UserWarning, match="'sky' in 120 rows") as caught:
        labels = tree.predict(new)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert np.array_equal(labels, tree.predict(gap))


@pytest.mark.parametrize(
    "ask",
    [
        lambda tree, X, y: tree.at(cost_fn=3).decision_function(X),
        lambda tree, X, y: tree.predict_proba(X),
        lambda tree, X, y: tree.ranked("global").decision_function(X),
        lambda tree, X, y: tree.explain(X[:1]),
        lambda tree, X, y: tree.boundary_report(X, y),
        lambda tree, X, y: tree.roc(X, y),
    ],
)
@pytest.mark.parametrize("geometric", [False, True])
def test_the_warning_comes_once_whatever_is_asked(ask, geometric):
    X, y = weather.frame()
    tree = ROCTreeClassifier(geometric_probability=geometric).fit(X, y)
    with pytest.warns(UserWarning, match="'sky'") as caught:
        ask(tree, X.assign(sky="snow"), y)
    assert len(caught) == 1


def labelled(n_rows, **columns):
    rng = np.random.default_rng(0)
    return pd.DataFrame({"n": rng.random(n_rows), **columns}), rng.integers(0, 2, n_rows)


MANY = {
    "ids": [f"case {i}" for i in range(300)],
    "text dates": pd.date_range("2020-01-01", periods=300).astype(str),
    "gaps": [f"case {i}" if i % 2 else None for i in range(300)],
    "categories": pd.Categorical([f"case {i}" for i in range(300)]),
    "half": [f"case {i % 151}" for i in range(300)],
}
ORDINARY = {
    "few rows": [f"case {i}" for i in range(10)],
    "postcodes": [f"case {i % 150}" for i in range(300)],
    "declared": pd.Categorical(["a", "b"] * 150, categories=["a", "b", *map(str, range(200))]),
}


@pytest.mark.parametrize("column", MANY.values(), ids=MANY)
def test_a_column_that_names_rows_is_warned_of_by_name(column):
    X, y = labelled(300, who=column)
    with pytest.warns(UserWarning, match=r"'who' \(\d+ in \d+ rows\)\. Drop the column") as caught:
        ROCTreeClassifier(max_depth=2).fit(X, y)
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("column", ORDINARY.values(), ids=ORDINARY)
def test_columns_with_many_categories_are_no_reason_to_warn(column):
    X, y = labelled(len(column), where=column)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ROCTreeClassifier(max_depth=2).fit(X, y)
    assert [str(warning.message) for warning in caught] == []


def test_booleans_are_numbers_where_other_columns_are_listed():
    X, y = weather.complete()
    X = X.assign(holiday=np.arange(len(X)) % 2 == 0)
    tree = ROCTreeClassifier(categorical_features=["sky", "wind"]).fit(X, y)
    assert tree.schema_.nominal.tolist() == [False, True, True, False]
    assert ROCTreeClassifier().fit(X, y).schema_.nominal.tolist()[-1]


def test_an_array_of_booleans_holds_numbers():
    X = np.array([[True, False], [False, False], [True, True], [False, True]])
    tree = ROCTreeClassifier().fit(X, [0, 1, 0, 1])
    assert not tree.schema_.nominal.any()
    assert tree.tree_ == ROCTreeClassifier().fit(X.astype(float), [0, 1, 0, 1]).tree_
    listed = ROCTreeClassifier(categorical_features=[0]).fit(X, [0, 1, 0, 1])
    assert listed.schema_.categories == ((0.0, 1.0), None)


def test_names_that_appear_or_vanish_at_prediction_are_warned_of():
    X, y = weather.complete()
    numbers = X[["warmth", "wind"]]
    named = ROCTreeClassifier().fit(numbers, y)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        named.predict(numbers.to_numpy())
    nameless = ROCTreeClassifier().fit(numbers.to_numpy(), y)
    with pytest.warns(UserWarning, match="X has feature names, but ROCTreeClassifier"):
        nameless.predict(numbers)


def refusal(action, *arguments):
    with pytest.raises(DataError) as error:
        action(*arguments)
    sentence = str(error.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (["sky", "warmth", "wind"], "the same columns, but in the order 'warmth', 'sky', 'wind'"),
        (["warmth", "sky"], "missing 'wind'"),
    ],
)
def test_other_columns_at_prediction_are_refused(columns, sentence):
    X, y = weather.frame()
    tree = ROCTreeClassifier().fit(X, y)
    assert sentence in refusal(tree.predict, X[columns])


def test_another_number_of_columns_is_refused():
    tree = ROCTreeClassifier().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    assert "X has 1 features, but prediction is expecting 2 " in refusal(tree.predict, [[0.0]])


def test_text_where_numbers_were_is_refused():
    tree = ROCTreeClassifier().fit(pd.DataFrame({"n": [0.0, 1.0]}), [0, 1])
    assert "'n' was numeric in training" in refusal(tree.predict, pd.DataFrame({"n": ["x"]}))


@pytest.mark.parametrize(
    ("row", "advice"),
    [
        (pd.DataFrame({"n": [0.0, 1.0], "c": ["a", "b"]}).iloc[0], "df.iloc[[i]]"),
        (pd.Series([0.0, 1.0]), "df.iloc[[i]]"),
        (pl.Series([0.0, 1.0]), "df[i : i + 1]"),
    ],
    ids=["mixed", "pandas", "polars"],
)
def test_a_row_that_is_no_table_is_refused_with_how_to_take_one(row, advice):
    tree = ROCTreeClassifier().fit(pd.DataFrame({"n": [0.0, 1.0], "c": ["a", "b"]}), [0, 1])
    assert f"select one row of a data frame with {advice}" in refusal(tree.predict, row)


UNUSABLE = {
    "no rows": (np.empty((0, 2)), [], "0 sample(s)"),
    "no columns": (np.empty((2, 0)), [0, 1], "0 feature(s)"),
    "no labels": ([[1.0]], None, "requires y to be passed"),
    "infinity": ([[1.0, 2.0], [3.0, -np.inf]], [0, 1], "column 'x1' holds -inf in row 1"),
    "ragged rows": ([[1.0, 2.0], [3.0]], [0, 1], "row 1 has 1 cell, but row 0 has 2 cells"),
    "one dimension": ([1.0, 2.0], [0, 1], "Reshape your data"),
    "a sparse matrix": (scipy.sparse.eye_array(2).tocsr(), [0, 1], "X.toarray()"),
    "complex numbers": (np.array([[1j], [2.0]]), [0, 1], "Complex data not supported"),
    "durations": (pd.DataFrame({"wait": pd.to_timedelta([1])}), [0], "durations to numbers"),
    "a list in a cell": (
        pd.DataFrame({"c": [[1]]}, dtype=object),
        [0],
        "'c' holds a list in row 0",
    ),
    "twice the same name": (
        pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]),
        [0],
        "duplicate column names",
    ),
    "too few labels": ([[1.0], [2.0]], [0], "X has 2 rows and y has 1 labels"),
    "a missing label": ([[1.0], [2.0]], ["a", None], "the label of row 1"),
    "a continuous target": ([[1.0], [2.0]], [0.5, 1.5], "Unknown label type"),
}


@pytest.mark.parametrize(("X", "y", "sentence"), UNUSABLE.values(), ids=UNUSABLE)
def test_unusable_data_are_refused_in_one_sentence(X, y, sentence):
    assert sentence in refusal(ROCTreeClassifier().fit, X, y)


def test_a_missing_label_is_refused_by_score_as_by_fit():
    tree = ROCTreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    y = np.array(["a", np.nan], dtype=object)
    assert "the label of row 1" in refusal(tree.score, [[1.0], [2.0]], y)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1.0, -1.0], "sample_weight is -1.0 in row 1"),
        ([np.nan, 1.0], "sample_weight is nan in row 0"),
        ([0.0, 0.0], "all weights in sample_weight are zero"),
        ([1.0], "sample_weight has shape (1,), expected (2,)"),
    ],
)
def test_unusable_weights_are_refused_in_one_sentence(weights, sentence):
    assert sentence in refusal(ROCTreeClassifier().fit, [[0.0], [1.0]], [0, 1], weights)


def identified(**columns):
    """Sixty rows with a number that tells the class, and other columns."""
    frame = pd.DataFrame({"x": np.arange(60.0) * 7 % 60, **columns})
    return frame, np.where(frame["x"] > 30, "yes", "no")


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        (range(60), "Columns that number the rows identify them .*: 'id'. Drop the column"),
        ([f"P{n}" for n in range(60)], r"nearly as many categories as rows .*: 'id' \(60 in 60"),
        (pd.Categorical([f"P{n}" for n in range(60)]), r"nearly as many categories as rows"),
    ],
)
def test_a_column_that_identifies_rows_is_named_in_a_warning(column, sentence):
    with pytest.warns(IdentifierWarning, match=sentence):
        ROCTreeClassifier().fit(*identified(id=column))


@pytest.mark.parametrize("column", [pd.date_range("2024-01-01", periods=60), np.arange(60) % 7])
def test_days_in_a_row_and_numbers_that_repeat_identify_nothing(column):
    tree = ROCTreeClassifier().fit(*identified(id=column))  # a warning would be an error
    assert tree.get_n_leaves() == 2


def test_rows_that_are_dicts_should_be_a_frame():
    X, y = identified()
    with pytest.raises(DataError, match=r"list of dicts: convert it to a data frame"):
        ROCTreeClassifier().fit(X.to_dict("records"), y)
