import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from roctree import DataError
from roctree.data import Schema, encode_columns, learn_columns

TEXT = ["red", None, "blue", "red"]
NUMBERS = [3, None, 1, 2]
FLAGS = [True, None, False, True]


def arrow(cells, kind):
    return pd.Series(cells, dtype=pd.ArrowDtype(kind))


def frame_of(series):
    """One column called "c", in the frame of the library that the series comes from."""
    if isinstance(series, pl.Series):
        return pl.DataFrame({"c": series})
    if isinstance(series, pa.Array | pa.ChunkedArray):
        return pa.table({"c": series})
    return pd.DataFrame({"c": series})


TEXT_COLUMNS = {
    "pandas str": pd.Series(TEXT, dtype="str"),
    "pandas string": pd.Series(TEXT, dtype="string"),
    "pandas python string": pd.Series(TEXT, dtype=pd.StringDtype("python")),
    "pandas object": pd.Series(TEXT, dtype=object),
    "pandas category": pd.Series(TEXT, dtype="category"),
    "pandas arrow string": arrow(TEXT, pa.string()),
    "pandas arrow dictionary": arrow(TEXT, pa.dictionary(pa.int32(), pa.string())),
    "polars String": pl.Series(TEXT, dtype=pl.String),
    "polars Categorical": pl.Series(TEXT, dtype=pl.Categorical),
    "polars Enum": pl.Series(TEXT, dtype=pl.Enum(["blue", "red"])),
    "pyarrow string": pa.array(TEXT),
    "pyarrow large string": pa.array(TEXT, pa.large_string()),
    "pyarrow string view": pa.array(TEXT, pa.string_view()),
    "pyarrow dictionary": pa.array(TEXT).dictionary_encode(),
    "pyarrow chunks": pa.chunked_array([TEXT[:2], TEXT[2:]]),
    "pyarrow dictionaries": pa.chunked_array(
        [pa.array(TEXT[:2]).dictionary_encode(), pa.array(TEXT[2:]).dictionary_encode()]
    ),
}
NUMBER_COLUMNS = {
    "pandas float": pd.Series(NUMBERS, dtype="float64"),
    "pandas float32": pd.Series(NUMBERS, dtype="float32"),
    "pandas Int64": pd.Series(NUMBERS, dtype="Int64"),
    "pandas UInt8": pd.Series(NUMBERS, dtype="UInt8"),
    "pandas Float64": pd.Series(NUMBERS, dtype="Float64"),
    "pandas object": pd.Series(NUMBERS, dtype=object),
    "pandas arrow int": arrow(NUMBERS, pa.int64()),
    "pandas arrow decimal": arrow(NUMBERS, pa.decimal128(5, 2)),
    "polars Int64": pl.Series(NUMBERS, dtype=pl.Int64),
    "polars Int128": pl.Series(NUMBERS, dtype=pl.Int128),
    "polars Float32": pl.Series(NUMBERS, dtype=pl.Float32),
    "polars Decimal": pl.Series([None if n is None else Decimal(n) for n in NUMBERS]),
    "polars NaN": pl.Series([3.0, float("nan"), 1.0, 2.0]),
    "pyarrow int": pa.array(NUMBERS),
    "pyarrow half": pa.array([3.0, None, 1.0, 2.0], pa.float16()),
    "pyarrow double": pa.array([3.0, float("nan"), 1.0, 2.0]),
    "pyarrow decimal": pa.array(NUMBERS, pa.decimal128(5, 2)),
}
FLAG_COLUMNS = {
    "pandas boolean": pd.Series(FLAGS, dtype="boolean"),
    "pandas object": pd.Series(FLAGS, dtype=object),
    "pandas arrow": arrow(FLAGS, pa.bool_()),
    "polars": pl.Series(FLAGS),
    "pyarrow": pa.array(FLAGS),
}
EMPTY_COLUMNS = {
    "pandas object": pd.Series([None, None], dtype=object),
    "pandas float": pd.Series([None, None], dtype="float64"),
    "polars Null": pl.Series([None, None]),
    "pyarrow null": pa.nulls(2),
}
DATES = {
    "pandas datetime": pd.Series(pd.to_datetime(["1970-01-01", "1970-01-02"])),
    "pandas objects": pd.Series([datetime.date(1970, 1, 1), datetime.date(1970, 1, 2)]),
    "polars Date": pl.Series([0, 1]).cast(pl.Date),
    "pyarrow date": pa.array([0, 1], pa.date32()),
}
TIMES = {
    "pandas timedelta": pd.Series(pd.to_timedelta([1, 2])),
    "polars Duration": pl.Series([0, 1]).cast(pl.Duration),
    "pyarrow time": pa.array([0, 1], pa.time32("s")),
}
UNUSABLE_COLUMNS = {
    "pandas period": pd.Series(pd.period_range("2020", periods=2, freq="D")),
    "pandas complex": pd.Series([1j, 2j]),
    "polars List": pl.Series([[1], [2]]),
    "polars Struct": pl.Series([{"a": 1}, {"a": 2}]),
    "pyarrow list": pa.array([[1], [2]]),
    "pyarrow binary": pa.array([b"a", b"b"]),
}


def each(columns):
    return pytest.mark.parametrize("column", columns.values(), ids=columns.keys())


@each(TEXT_COLUMNS)
def test_text_becomes_codes_of_sorted_categories(column):
    names, categories, values, *_ = learn_columns(frame_of(column))
    assert (names, categories) == (("c",), (("blue", "red"),))
    np.testing.assert_array_equal(values[:, 0], [1, np.nan, 0, 1])


@each(TEXT_COLUMNS)
def test_new_text_is_encoded_with_the_learned_categories(column):
    schema = Schema(("c",), (("black", "blue", "red"),), np.array([0, 1]))
    values = encode_columns(frame_of(column), schema)
    np.testing.assert_array_equal(values[:, 0], [2, np.nan, 1, 2])


@each(NUMBER_COLUMNS)
def test_numbers_stay_numbers(column):
    _, categories, values, *_ = learn_columns(frame_of(column))
    assert categories == (None,)
    np.testing.assert_array_equal(values[:, 0], [3, np.nan, 1, 2])


@each(NUMBER_COLUMNS)
def test_listed_numbers_become_codes(column):
    _, categories, values, *_ = learn_columns(frame_of(column), ["c"])
    assert categories == ((1, 2, 3),)
    np.testing.assert_array_equal(values[:, 0], [2, np.nan, 0, 1])


@each(FLAG_COLUMNS)
def test_booleans_are_nominal(column):
    _, categories, values, *_ = learn_columns(frame_of(column))
    assert categories == ((False, True),)
    np.testing.assert_array_equal(values[:, 0], [1, np.nan, 0, 1])


@each(FLAG_COLUMNS)
def test_booleans_are_numbers_if_nothing_is_nominal(column):
    _, categories, values, *_ = learn_columns(frame_of(column), None)
    assert categories == (None,)
    np.testing.assert_array_equal(values[:, 0], [1, np.nan, 0, 1])


@each(EMPTY_COLUMNS)
def test_a_column_of_nothing_is_numeric(column):
    _, categories, values, *_ = learn_columns(frame_of(column))
    assert categories == (None,)
    assert np.isnan(values).all()


@each(UNUSABLE_COLUMNS)
def test_other_types_are_refused_by_name(column):
    with pytest.raises(DataError, match=r"column 'c' holds .*: convert it to numbers or strings"):
        learn_columns(frame_of(column))


@each(DATES)
def test_dates_are_numbers_of_days(column):
    encoded = learn_columns(frame_of(column))
    assert encoded.categories == (None,)
    assert encoded.values[:, 0].tolist() == [0.0, 1.0]
    assert encoded.dates == ("days",)


@each(TIMES)
def test_times_of_day_and_durations_are_refused(column):
    with pytest.raises(DataError, match=r"column 'c' holds .*: convert times of day and durations"):
        learn_columns(frame_of(column))


def test_text_without_any_value_has_no_categories():
    _, categories, values, *_ = learn_columns(
        pl.DataFrame({"c": pl.Series([None], dtype=pl.String)})
    )
    assert categories == ((),)
    assert np.isnan(values).all()


def test_categories_declared_to_pandas_are_kept_in_their_order():
    column = pd.Categorical(["lo", "hi"], categories=["lo", "mid", "hi"])
    _, categories, values, *_ = learn_columns(frame_of(column))
    assert (categories, values.tolist()) == ((("lo", "mid", "hi"),), [[0.0], [2.0]])


def test_categories_of_an_enum_are_kept_in_their_order():
    column = pl.Series(["lo", "hi"], dtype=pl.Enum(["lo", "mid", "hi"]))
    _, categories, values, *_ = learn_columns(frame_of(column))
    assert (categories, values.tolist()) == ((("lo", "mid", "hi"),), [[0.0], [2.0]])


def test_declared_categories_that_never_occur_are_kept_without_any_value():
    column = pd.Categorical([None], categories=["a", "b"])
    assert learn_columns(frame_of(column))[1] == (("a", "b"),)


def test_the_order_of_a_dictionary_is_no_declaration():
    column = pa.DictionaryArray.from_arrays([1, 0], ["b", "a", "never"])
    assert learn_columns(frame_of(column))[1] == (("a", "b"),)


@pytest.mark.parametrize("ordered", [False, True])
def test_categories_that_are_numbers_stay_numbers(ordered):
    column = pd.Categorical([10, None, 9], ordered=ordered)
    _, categories, values, *_ = learn_columns(frame_of(column))
    assert categories == ((9, 10),)
    np.testing.assert_array_equal(values[:, 0], [1, np.nan, 0])


def test_a_dictionary_of_numbers_has_numbers_for_categories():
    column = pa.array([10, None, 9]).dictionary_encode()
    _, categories, values, *_ = learn_columns(frame_of(column))
    assert categories == ((9, 10),)
    np.testing.assert_array_equal(values[:, 0], [1, np.nan, 0])


def test_intervals_become_text():
    column = pd.cut(pd.Series([1.0, 5.0, None]), [0, 2, 8])
    _, categories, values, *_ = learn_columns(frame_of(column))
    assert categories == (("(0, 2]", "(2, 8]"),)
    np.testing.assert_array_equal(values[:, 0], [0, 1, np.nan])


def test_categories_with_the_same_text_are_one():
    column = pd.Categorical([1, "1", "a"], categories=[1, "1", "a"])
    _, categories, values, *_ = learn_columns(frame_of(column))
    assert (categories, values.tolist()) == ((("1", "a"),), [[0.0], [0.0], [1.0]])


def test_a_number_after_a_hundred_strings_is_still_found():
    column = pd.Series(["a"] * 150 + [1], dtype=object)
    assert learn_columns(frame_of(column))[1] == (("1", "a"),)


def test_large_integers_of_pyarrow_are_rounded():
    column = pa.array([2**53 + 1, None])
    assert learn_columns(frame_of(column))[2][0, 0] == 2.0**53


def test_several_columns_keep_their_places():
    frame = pl.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"], "c": [True, False]})
    names, categories, values, *_ = learn_columns(frame)
    assert names == ("a", "b", "c")
    assert categories == (None, ("x", "y"), (False, True))
    assert values.tolist() == [[1.5, 0.0, 1.0], [2.5, 1.0, 0.0]]


DIGITS = ["10", "2", "3.5", None, "-1e3"]


@pytest.mark.parametrize(
    "data",
    [
        pd.DataFrame({"age": DIGITS}, dtype=object),
        pd.DataFrame({"age": pd.Series(DIGITS, dtype="string")}),
        pl.DataFrame({"age": DIGITS}),
        {"age": DIGITS},
    ],
    ids=["objects", "strings", "polars", "dict"],
)
def test_numbers_as_text_are_categories_with_a_remark(data):
    if isinstance(data, dict):
        data = pd.DataFrame(data)
    with pytest.warns(UserWarning, match="Numbers in 'age' are text, so that each is a category"):
        found = learn_columns(data)
    assert found.categories == (("-1e3", "10", "2", "3.5"),)


@pytest.mark.parametrize(
    ("data", "nominal"),
    [
        (pd.DataFrame({"age": pd.Categorical(DIGITS)}), "from_dtype"),
        (pd.DataFrame({"age": DIGITS}), ["age"]),
        (pd.DataFrame({"postcode": ["01067", "10115", "20095"]}), "from_dtype"),
        (pd.DataFrame({"flag": ["0", "1", "0"]}), "from_dtype"),
        (pd.DataFrame({"size": ["1", "2", "3", "large"]}), "from_dtype"),
        (pa.table({"age": DIGITS}), "from_dtype"),
    ],
    ids=["declared", "listed", "codes", "two", "words", "Arrow"],
)
def test_numbers_that_are_meant_as_categories_give_no_remark(data, nominal):
    assert learn_columns(data, nominal).categories[0] is not None
