import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree import DataError, Dataset
from roctree.data import encode_columns

FRAME = pd.DataFrame({"size": [1.5, 2.5], "colour": ["red", "blue"], "open": [True, False]})
SCHEMA = Dataset.from_data(FRAME, ["no", "yes"]).schema
CODES = [[1.5, 1.0, 1.0], [2.5, 0.0, 0.0]]
NUMERIC = Dataset.from_data(np.ones((2, 2)), [0, 1]).schema


@pytest.mark.parametrize(
    "X",
    [
        FRAME,
        pl.DataFrame(FRAME.to_dict("list")),
        pa.Table.from_pandas(FRAME),
        FRAME.to_numpy(),
        FRAME.to_numpy().tolist(),
        FRAME.astype({"colour": "category"}),
        FRAME.astype({"colour": pd.CategoricalDtype(["red", "green", "blue"])}),
        FRAME.astype({"open": float}),
    ],
    ids=["pandas", "polars", "pyarrow", "array", "list", "category", "wider", "number"],
)
def test_training_data_of_any_kind_are_encoded_as_in_training(X):
    assert encode_columns(X, SCHEMA).tolist() == CODES


def test_a_float64_matrix_is_not_copied():
    matrix = np.ones((3, 2))
    assert encode_columns(matrix, NUMERIC) is matrix


UNSEEN = r"missing: 'colour' in 2 rows \(such as 'pink'\), 'open' in 3 rows \(such as '\?'\)\."


def test_unseen_categories_are_missing_and_counted_in_one_warning():
    frame = pl.DataFrame({"size": [1, 2, 3], "colour": ["pink", "pink", "red"], "open": ["?"] * 3})
    with pytest.warns(UserWarning, match=UNSEEN) as caught:
        values = encode_columns(frame, SCHEMA)
    assert len(caught) == 1
    np.testing.assert_array_equal(values[:, 1:], [[np.nan] * 2, [np.nan] * 2, [1, np.nan]])


def test_one_unseen_row_is_counted_in_the_singular():
    with pytest.warns(UserWarning, match=r"'colour' in 1 row \("):
        encode_columns([[1.5, "pink", True], [1.5, "red", True]], SCHEMA)


def test_booleans_written_as_text_are_booleans():
    rows = [[1.5, "red", "True"], [1.5, "red", "False"], [1.5, "red", None]]
    np.testing.assert_array_equal(encode_columns(rows, SCHEMA)[:, 2], [1, 0, np.nan])


def test_numbers_written_as_text_are_found_among_categories_that_are_numbers():
    schema = Dataset.from_data([[1], [2]], [0, 1], categorical_features=[0]).schema
    assert encode_columns([["2"], ["1"]], schema).tolist() == [[1.0], [0.0]]


def test_a_boolean_spelt_in_another_way_is_shown_by_the_warning():
    with pytest.warns(UserWarning, match=r"'open' in 1 row \(such as 'yes'\)"):
        encode_columns([[1.5, "red", "yes"]], SCHEMA)


def test_missing_cells_are_not_unseen():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = encode_columns([[None, None, None]], SCHEMA)
    assert np.isnan(values).all()


def test_a_category_that_is_declared_but_never_occurs_is_not_unseen():
    colour = pd.Categorical(["red"], categories=["red", "pink"])
    frame = pd.DataFrame({"size": [1.0], "colour": colour, "open": [True]})
    values = encode_columns(frame, SCHEMA)
    assert values.tolist() == encode_columns(frame.astype({"colour": object}), SCHEMA).tolist()
    assert not np.isnan(values).any()


def test_other_text_is_unseen_where_the_categories_are_numbers():
    schema = Dataset.from_data([[1], [2]], [0, 1], categorical_features=[0]).schema
    with pytest.warns(UserWarning, match=r"'x0' in 1 row \(such as 'one'\)"):
        assert encode_columns([["one"], ["1"]], schema)[1] == 0.0


def test_integers_and_floats_are_the_same_category():
    schema = Dataset.from_data(np.array([[1], [2]]), [0, 1], categorical_features=[0]).schema
    assert encode_columns(np.array([[2.0], [1.0]]), schema).tolist() == [[1.0], [0.0]]


def test_numbers_match_the_text_they_were_learned_as():
    schema = Dataset.from_data([[1], ["other"]], [0, 1]).schema
    assert encode_columns([[1], [1]], schema).tolist() == [[0.0], [0.0]]


def test_a_column_that_had_only_missing_text_in_training_takes_no_category():
    empty = pl.DataFrame({"c": pl.Series([None, None], dtype=pl.String)})
    schema = Dataset.from_data(empty, [0, 1]).schema
    with pytest.warns(UserWarning, match="'c' in 1 row"):
        assert np.isnan(encode_columns(pl.DataFrame({"c": ["a"]}), schema)).all()


@pytest.mark.parametrize("n_features", [1, 3])
def test_another_number_of_features_is_refused(n_features):
    match = f"X has {n_features} features, but prediction is expecting 2 features as input: x0, x1"
    with pytest.raises(DataError, match=match):
        encode_columns(np.ones((2, n_features)), NUMERIC)


@pytest.mark.parametrize(
    ("columns", "match"),
    [
        (["size", "open"], r"passed during fit: missing 'colour'\."),
        (["size", "colour", "open", "age"], r"passed during fit: unexpected 'age'\."),
        (["size", "color", "age"], r"missing 'colour', 'open'; unexpected 'color', 'age'\."),
        (["open", "colour", "size"], r"but in the order 'size', 'colour', 'open'\."),
    ],
    ids=str,
)
def test_other_column_names_are_refused_in_one_sentence(columns, match):
    with pytest.raises(DataError, match=match):
        encode_columns(FRAME.reindex(columns=columns), SCHEMA)


def test_names_are_not_compared_if_training_had_none():
    frame = pd.DataFrame(np.ones((2, 2)), columns=["a", "b"])
    assert encode_columns(frame, NUMERIC).tolist() == [[1.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize("text", ["tall", "1.5"])
def test_text_in_a_numeric_column_is_refused_by_name(text):
    with pytest.raises(DataError, match="column 'size' was numeric in training"):
        encode_columns([[text, "red", True]], SCHEMA)


def test_infinity_is_refused_with_its_place():
    with pytest.raises(DataError, match="column 'size' holds inf in row 0"):
        encode_columns([[np.inf, "red", True]], SCHEMA)


def test_infinity_in_a_matrix_is_refused_with_its_place():
    with pytest.raises(DataError, match="column 'x1' holds inf in row 0"):
        encode_columns(np.array([[1.0, np.inf]]), NUMERIC)


@pytest.mark.parametrize(
    "X",
    [
        [[1.0], [None]],
        np.array([[1.0], [np.nan]]),
        pd.DataFrame({"x0": [1.0, None]}),
        pl.DataFrame({"x0": [1, None]}),
        pd.DataFrame({"x0": pd.Categorical([1.0, None], categories=[1.0, "x"])}),
        [["1"], [None]],
    ],
    ids=lambda X: type(X).__module__,
)
def test_a_whole_number_is_found_among_text_whatever_its_type(X):
    schema = Dataset.from_data([[1], ["x"]], [0, 1]).schema
    np.testing.assert_array_equal(encode_columns(X, schema), [[0.0], [np.nan]])


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
            st.one_of(st.none(), st.text(max_size=3), st.integers(), st.booleans()),
        ),
        min_size=1,
        max_size=10,
    )
)
def test_encoding_the_training_data_again_gives_the_training_values(rows):
    data = Dataset.from_data(rows, [0] * len(rows), categorical_features=[1])
    np.testing.assert_array_equal(encode_columns(rows, data.schema), data.values)
