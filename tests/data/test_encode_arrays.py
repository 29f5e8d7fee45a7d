from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from roctree import DataError
from roctree.data import learn_columns

NUMBERS = [[0, 1], [1, 0], [1, 1]]


@pytest.mark.parametrize(
    "dtype", ["f2", "f4", "f8", "g", ">f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
)
def test_arrays_of_every_numeric_type_are_numeric(dtype):
    _, categories, values, *_ = learn_columns(np.array(NUMBERS, dtype=dtype))
    assert categories == (None, None)
    assert (values.tolist(), values.dtype) == (NUMBERS, np.float64)


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_memory_order_is_kept(order):
    values = learn_columns(np.array(NUMBERS, dtype=np.int32, order=order))[2]
    assert values.flags[f"{order}_CONTIGUOUS"]


def test_a_read_only_memory_map_is_read_in_place(tmp_path):
    np.save(tmp_path / "x.npy", np.array(NUMBERS, dtype=np.float64))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert np.shares_memory(learn_columns(mapped)[2], mapped)


def test_memory_that_is_not_aligned_is_copied():
    table = np.zeros((3, 2), dtype=[("flag", "i1"), ("x", "f8")])
    assert learn_columns(table["x"])[2].flags.aligned


def test_masked_cells_are_missing():
    masked = np.ma.array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    np.testing.assert_array_equal(learn_columns(masked)[2], [[1, np.nan], [3, 4]])


@pytest.mark.parametrize("dtype", [object, "U3", np.dtypes.StringDType()], ids=str)
def test_masked_text_is_missing(dtype):
    cells = np.array([["b", "x"], ["a", "y"]], dtype=dtype)
    masked = np.ma.array(cells, mask=[[False, True], [False, False]])
    _, categories, values, *_ = learn_columns(masked)
    assert categories == (("a", "b"), ("y",))
    np.testing.assert_array_equal(values, [[1, np.nan], [0, 0]])
    assert cells[0, 1] == "x"


def test_masked_objects_may_hide_what_no_cell_may_be():
    masked = np.ma.array(np.array([[1], [{}]], dtype=object), mask=[[False], [True]])
    _, categories, values, *_ = learn_columns(masked)
    assert categories == (None,)
    np.testing.assert_array_equal(values, [[1], [np.nan]])


def test_masked_booleans_among_objects_remain_nominal():
    masked = np.ma.array(np.array([[True], [False]], dtype=object), mask=[[False], [True]])
    assert learn_columns(masked)[1] == ((False, True),)


@pytest.mark.parametrize("dtype", ["c16", "m8[D]", "V4"])
def test_masked_arrays_of_other_types_are_refused(dtype):
    with pytest.raises(DataError, match=r"X holds|Complex data not supported"):
        learn_columns(np.ma.zeros((1, 1), dtype=dtype))


def test_anything_that_numpy_can_read_is_an_array():
    class Readings:
        def __array__(self, dtype=None, copy=None):
            return np.array(NUMBERS, dtype=dtype)

    assert learn_columns(Readings())[2].tolist() == NUMBERS


def test_integers_beyond_two_to_the_53_are_rounded():
    assert learn_columns(np.array([[2**53 + 1]]))[2].tolist() == [[2.0**53]]


@pytest.mark.parametrize(
    "make", [list, tuple, lambda rows: np.array(rows, dtype=object)], ids=["list", "tuple", "array"]
)
def test_columns_of_mixed_rows_are_read_one_by_one(make):
    rows = [[1.5, "b", True, 7], [None, "a", False, 8], [2, None, None, 9]]
    _, categories, values, *_ = learn_columns(make(rows))
    assert categories == (None, ("a", "b"), (False, True), None)
    expected = [[1.5, 1, 1, 7], [np.nan, 0, 0, 8], [2, np.nan, np.nan, 9]]
    np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, Decimal("NaN")], ids=str)
@pytest.mark.parametrize("cell", [1, 1.5, True, "a"])
def test_every_kind_of_missing_cell_becomes_nan(missing, cell):
    values = learn_columns([[cell], [missing]])[2]
    assert np.isnan(values[:, 0]).tolist() == [False, True]


@pytest.mark.parametrize(
    "cell", [1, 1.0, np.int8(1), np.float32(1), Decimal(1), Fraction(1)], ids=lambda c: type(c)
)
def test_every_kind_of_number_is_a_number(cell):
    _, categories, values, *_ = learn_columns([[cell], [2]])
    assert (categories, values.tolist()) == ((None,), [[1.0], [2.0]])


def test_numbers_beside_booleans_are_numbers():
    _, categories, values, *_ = learn_columns([[True], [2.5]])
    assert (categories, values.tolist()) == ((None,), [[1.0], [2.5]])


def test_numbers_beside_text_become_text():
    assert learn_columns([[1], ["other"], [1.0], [True]])[1] == (("1", "True", "other"),)


def test_nan_beside_text_is_no_number():
    assert learn_columns([["b"], [np.nan], ["a"]])[1] == (("a", "b"),)


def test_a_column_without_any_value_is_numeric():
    _, categories, values, *_ = learn_columns([[None], [None]])
    assert categories == (None,)
    assert np.isnan(values).all()


@pytest.mark.parametrize("dtype", ["U3", object, np.dtypes.StringDType()], ids=str)
def test_arrays_of_strings_are_nominal(dtype):
    _, categories, values, *_ = learn_columns(np.array([["red"], ["blu"], ["red"]], dtype=dtype))
    assert (categories, values.tolist()) == ((("blu", "red"),), [[1.0], [0.0], [1.0]])


def test_the_empty_string_is_a_category():
    assert learn_columns([[""], ["a"]])[1] == (("", "a"),)


def test_declared_booleans_count_even_if_one_never_occurs():
    assert learn_columns([[True], [True]])[1] == ((False, True),)


def test_a_large_matrix_passes_without_a_temporary():
    import tracemalloc

    matrix = np.ones((100_000, 20))
    tracemalloc.start()
    learn_columns(matrix)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < matrix.nbytes / 100


def test_a_sum_that_overflows_is_not_taken_for_infinity():
    matrix = np.full((3, 2), np.finfo(np.float64).max)
    assert learn_columns(matrix)[2] is matrix


@pytest.mark.parametrize("one", [1, 1.0, np.float32(1), Decimal("1.0"), "1"], ids=repr)
def test_a_whole_number_beside_text_is_written_without_a_point(one):
    assert learn_columns([[one], ["x"], [0.5]])[1] == (("0.5", "1", "x"),)


def test_infinity_beside_text_is_text():
    assert learn_columns([[np.inf], ["x"], [Decimal("1e200")]])[1][0][1:] == ("inf", "x")
