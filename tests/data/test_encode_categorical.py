import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from roctree import DataError, ParameterError
from roctree.data import Dataset, encode_columns, learn_columns

FRAME = pd.DataFrame({"size": [1.5, 2.5], "grade": [3, 1], "colour": ["red", "blue"]})
GRADED = (None, (1, 3), ("blue", "red"))


@pytest.mark.parametrize(
    "listed",
    [
        ["grade", "colour"],
        ("colour", "grade"),
        np.array(["grade", "colour"]),
        pd.Index(["grade", "colour"]),
        [1, 2],
        np.array([2, 1, 1], dtype=np.uint8),
        [False, True, True],
        np.array([False, True, True]),
    ],
    ids=str,
)
def test_names_numbers_and_masks_say_the_same(listed):
    _, categories, values, *_ = learn_columns(FRAME, listed)
    assert categories == GRADED
    assert values.tolist() == [[1.5, 1.0, 1.0], [2.5, 0.0, 0.0]]


def test_listed_columns_of_an_array_are_nominal():
    matrix = np.array([[7.0, 0.5], [np.nan, 1.5], [3.0, 2.5]])
    _, categories, values, *_ = learn_columns(matrix, [0])
    assert categories == ((3.0, 7.0), None)
    np.testing.assert_array_equal(values, [[1, 0.5], [np.nan, 1.5], [0, 2.5]])


def test_listed_integers_are_integers_in_the_schema():
    categories = learn_columns(np.array([[2], [1]]), [0])[1]
    assert [type(category) for category in categories[0]] == [int, int]


def test_an_unchanged_array_is_left_as_it_was():
    matrix = np.array([[7.0], [3.0]])
    learn_columns(matrix, [0])
    assert matrix.tolist() == [[7.0], [3.0]]


@pytest.mark.parametrize(
    "nothing", [None, [], (), np.array([], dtype=int), [False, False]], ids=str
)
def test_nothing_listed_makes_everything_numeric(nothing):
    matrix = np.ones((2, 2))
    _, categories, values, *_ = learn_columns(matrix, nothing)
    assert categories == (None, None)
    assert values is matrix


@pytest.mark.parametrize("nothing", [None, [], [0]], ids=str)
def test_unlisted_columns_of_text_are_refused_by_name(nothing):
    frame = pl.DataFrame({"size": [1.5], "colour": ["red"], "shape": ["oval"]})
    with pytest.raises(DataError, match="categories in 'colour', 'shape', which"):
        learn_columns(frame, nothing)


@pytest.mark.parametrize(
    ("listed", "match"),
    [
        ("grade", "categorical_features='grade' is not allowed: use 'from_dtype', None"),
        (["grade", "shape"], "names 'shape', which X does not have; its columns are 'size'"),
        ([3], "names column 3, but X has the columns 0 to 2"),
        ([-1], "names column -1"),
        ([True, False], "a mask of 2 entries, but X has 3 features"),
        ([0.5], "use 'from_dtype'"),
        (1, "use 'from_dtype'"),
        ([[1], [2]], "use 'from_dtype'"),
        ([None, "grade"], "is not allowed: use 'from_dtype', None, column names"),
    ],
    ids=str,
)
def test_what_names_no_column_is_refused(listed, match):
    with pytest.raises(ParameterError, match=match):
        learn_columns(FRAME, listed)


def test_names_for_columns_without_names_are_refused():
    with pytest.raises(ParameterError, match="the columns of X have no names"):
        learn_columns(np.ones((2, 2)), ["x0"])


IDS = [2**53, 2**53 + 1, 2**60 + 3, 2**60 + 4]


@pytest.mark.parametrize(
    "X",
    [
        np.array(IDS)[:, None],
        np.array(IDS, np.uint64)[:, None],
        [[number] for number in IDS],
        pd.DataFrame({"id": IDS}),
        pd.DataFrame({"id": pd.array(IDS, dtype="Int64")}),
        pd.DataFrame({"id": pd.Categorical(IDS)}),
        pl.DataFrame({"id": IDS}),
        pa.table({"id": IDS}),
    ],
    ids=["int64", "uint64", "list", "pandas", "Int64", "category", "polars", "pyarrow"],
)
def test_whole_numbers_that_float64_would_round_are_categories_of_their_own(X):
    data = Dataset.from_data(X, [0, 1, 0, 1], categorical_features=[0])
    assert data.schema.categories == (tuple(IDS),)
    assert data.values[:, 0].tolist() == [0, 1, 2, 3]
    assert encode_columns(X, data.schema)[:, 0].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("gap", [None, pd.NA])
def test_a_gap_does_not_round_the_categories_beside_it(gap):
    frame = pd.DataFrame({"id": pd.array([*IDS, gap], dtype="Int64")})
    data = Dataset.from_data(frame, [0, 1, 0, 1, 0], categorical_features=["id"])
    assert data.schema.categories == (tuple(IDS),)
    assert np.isnan(data.values[4, 0])
