from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree import DataError
from roctree.data import encode_labels

WORDS = ["no", "yes", "no", "maybe"]


@pytest.mark.parametrize(
    "y",
    [
        WORDS,
        tuple(WORDS),
        np.array(WORDS),
        np.array(WORDS, dtype=object),
        np.array(WORDS, dtype=np.dtypes.StringDType()),
        np.array(WORDS)[:, None],
        pd.Series(WORDS),
        pd.Series(WORDS, dtype=object),
        pd.Series(WORDS, dtype="category"),
        pd.Series(pd.Categorical(WORDS, categories=["yes", "no", "never", "maybe"])),
        pd.DataFrame({"y": WORDS}),
        pl.Series(WORDS),
        pl.Series(WORDS, dtype=pl.Categorical),
        pl.Series(WORDS, dtype=pl.Enum(["yes", "no", "never", "maybe"])),
        pl.DataFrame({"y": WORDS}),
        pa.array(WORDS),
        pa.chunked_array([WORDS[:1], WORDS[1:]]),
        pa.chunked_array([pa.array(WORDS).dictionary_encode()]),
    ],
    ids=lambda y: f"{type(y).__module__}.{type(y).__name__}",
)
def test_text_of_any_origin_gives_the_sorted_classes(y):
    classes, labels = encode_labels(y)
    assert classes.tolist() == ["maybe", "no", "yes"]
    assert (labels.tolist(), labels.dtype) == ([1, 2, 1, 0], np.int32)


@pytest.mark.parametrize(
    ("y", "dtype"),
    [
        (WORDS, "U5"),
        (np.array(WORDS), "U5"),
        (np.array(WORDS, dtype=object), object),
        (pd.Series(WORDS), object),
        (np.array([1, 0], dtype=np.int8), np.int8),
        (np.array([1.0, 0.0], dtype=np.float32), np.float32),
        ([True, False], np.bool_),
        ([1, 0], np.int64),
        (pd.Series([1, 0], dtype="Int64"), np.int64),
        (pd.Series([True, False], dtype="boolean"), np.bool_),
        (pl.Series([True, False]), np.bool_),
        (pd.Series([1, 0], dtype="category"), np.int64),
    ],
)
def test_classes_keep_the_type_of_the_labels(y, dtype):
    assert encode_labels(y)[0].dtype == dtype


@pytest.mark.parametrize(
    "y",
    [
        [3, 1, 3],
        [3.0, 1.0, 3.0],
        [3, 1.0, Decimal(3)],
        np.array([3, 1, 3], dtype=np.uint8),
        np.array([3, 1, 3], dtype=np.float16),
        pd.Series([3, 1, 3], dtype=pd.ArrowDtype(pa.int64())),
        pl.Series([3, 1, 3], dtype=pl.Int128),
        pa.array([3, 1, 3]),
    ],
)
def test_numbers_of_any_origin_give_the_sorted_classes(y):
    classes, labels = encode_labels(y)
    assert (classes.tolist(), labels.tolist()) == ([1, 3], [1, 0, 1])


def test_large_integers_stay_apart():
    assert encode_labels([2**60, 2**60 + 1])[0].tolist() == [2**60, 2**60 + 1]


def test_one_class_is_enough():
    classes, labels = encode_labels(["a", "a"])
    assert (classes.tolist(), labels.tolist()) == (["a"], [0, 0])


@pytest.mark.parametrize(
    "y",
    [
        ["a", None, "b"],
        ["a", np.nan, "b"],
        [1, None, 2],
        [1.0, np.nan, 2.0],
        [True, pd.NA, False],
        np.array([1.0, np.nan, 2.0]),
        np.array(["a", None, "b"], dtype=object),
        pd.Series(["a", None, "b"]),
        pd.Series([1, None, 2], dtype="Int64"),
        pd.Series(["a", None, "b"], dtype="category"),
        pl.Series(["a", None, "b"]),
        pl.Series([1.0, float("nan"), 2.0]),
        pa.array(["a", None, "b"]),
    ],
)
def test_a_missing_label_is_refused_with_its_row(y):
    with pytest.raises(DataError, match=r"y contains NaN.*row 1 \(counting from 0\) is missing"):
        encode_labels(y)


@pytest.mark.parametrize("y", [["a", 1], [True, "a"], np.array(["a", 0.5], dtype=object)])
def test_text_beside_other_types_is_refused(y):
    with pytest.raises(DataError, match="y mixes text with other types"):
        encode_labels(y)


@pytest.mark.parametrize("y", [[1.0, 0.5], np.array([1.0, 0.5]), pl.Series([1.0, 0.5])])
def test_a_continuous_target_is_refused_with_its_row(y):
    with pytest.raises(DataError, match=r"Unknown label type: continuous, y holds 0.5 in row 1"):
        encode_labels(y)


def test_an_infinite_label_is_refused():
    with pytest.raises(DataError, match="y holds inf in row 0"):
        encode_labels([np.inf, 1.0])


@pytest.mark.parametrize(
    "y", [np.zeros((2, 2)), [["a", "b"]], pd.DataFrame({"a": [1], "b": [2]}), 3, "yes"], ids=repr
)
def test_labels_that_are_no_single_column_are_refused(y):
    with pytest.raises(DataError, match="y should be a 1d array, got an array of shape"):
        encode_labels(y)


@pytest.mark.parametrize("y", [[], np.array([]), pd.Series([], dtype=object)])
def test_no_labels_are_refused(y):
    with pytest.raises(DataError, match="y is empty"):
        encode_labels(y)


@pytest.mark.parametrize("labels", [[0, 1, 1], [0.0, 1.0, 1.0], ["a", "b", "b"], [[0], [1], [1]]])
@pytest.mark.parametrize("dtype", [None, object], ids=str)
def test_a_masked_label_is_missing(labels, dtype):
    cells = np.array(labels, dtype=dtype)
    y = np.ma.array(cells, mask=np.reshape([False, False, True], cells.shape))
    with pytest.raises(DataError, match=r"the label of row 2 .* is missing"):
        encode_labels(y)


def test_labels_of_which_none_is_masked_are_labels():
    classes, labels = encode_labels(np.ma.array(["b", "a"]))
    assert (classes.tolist(), labels.tolist()) == (["a", "b"], [1, 0])


def test_no_target_is_refused():
    with pytest.raises(DataError, match="requires y to be passed, but the target y is None"):
        encode_labels(None)


@pytest.mark.parametrize("y", [[{"a": 1}], [b"a"]])
def test_labels_of_other_types_are_refused(y):
    with pytest.raises(DataError, match=r"y holds .* in row 0"):
        encode_labels(y)


def test_dates_are_not_classes():
    with pytest.raises(DataError, match="y holds dates, which are not classes"):
        encode_labels(pd.Series(pd.to_datetime(["2020"])))


def test_whole_numbers_on_both_sides_of_the_largest_int64_are_classes_of_their_own():
    classes, labels = encode_labels([2**63 + 1, 0, 2**63])
    assert (classes.tolist(), labels.tolist()) == ([0, 2**63, 2**63 + 1], [2, 0, 1])


@given(st.one_of(st.lists(kind, min_size=1) for kind in (st.text(), st.integers(), st.booleans())))
def test_classes_indexed_by_labels_give_the_labels_back(y):
    classes, labels = encode_labels(np.array(y, dtype=object))
    assert classes[labels].tolist() == y
    assert classes.tolist() == sorted(set(y))


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        ([3, -2, 3, 7], np.int64),
        ([-128, 127, 0], np.int8),
        ([2**64 - 1, 2**64 - 3], np.uint64),
        ([2**63 - 1, 2**63 - 2, -(2**63)], np.int64),
        ([5, 5], np.uint16),
        ([0, 1 << 16, 9], np.int32),
        ([True, False, True], np.bool_),
    ],
)
def test_whole_labels_are_numbered_in_order_however_far_apart(labels, dtype):
    given = np.array(labels, dtype)
    classes, codes = encode_labels(given)
    assert (classes.dtype, codes.dtype) == (given.dtype, np.int32)
    assert classes.tolist() == sorted(set(labels))
    assert classes[codes].tolist() == labels
