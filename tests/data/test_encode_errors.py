import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from roctree import DataError
from roctree.data import learn_columns
from roctree.errors import ColumnTypeError


def assert_refused(X, match, error=DataError):
    with pytest.raises(error, match=match):
        learn_columns(X)


@pytest.mark.parametrize("X", [np.zeros((0, 2)), pd.DataFrame({"a": []}), pl.DataFrame({"a": []})])
def test_no_rows_are_refused(X):
    assert_refused(X, r"0 sample\(s\)")


@pytest.mark.parametrize("X", [np.zeros((3, 0)), pd.DataFrame(index=[0, 1, 2]), [[], [], []]])
def test_no_columns_are_refused(X):
    assert_refused(X, r"0 feature\(s\) \(shape=\(3, 0\)\)")


@pytest.mark.parametrize("X", [np.zeros(3), [1.0, 2.0], ["a", "b"], []])
def test_one_dimension_is_refused(X):
    assert_refused(X, r"Expected 2D array, got 1D array.*Reshape your data")


@pytest.mark.parametrize("X", [np.zeros((2, 2, 2)), [[[1], [2]], [[3], [4]]]])
def test_three_dimensions_are_refused(X):
    assert_refused(X, "Expected 2D array, got 3D array")


@pytest.mark.parametrize("X", [3.0, {"a": [1, 2]}, None, "table.csv"])
def test_what_is_no_table_is_refused(X):
    assert_refused(X, f"X is a {type(X).__name__}: expected a data frame, an array or a list")


@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_infinity_in_an_array_is_refused_with_its_place(infinity):
    matrix = np.ones((4, 3))
    matrix[2, 1] = infinity
    assert_refused(matrix, rf"column 'x1' holds {infinity} in row 2 \(counting from 0\)")


@pytest.mark.parametrize("n_threads", [1, 3])
def test_the_place_of_infinity_does_not_depend_on_threads(n_threads):
    matrix = np.ones((20_000, 2))
    matrix[15_000, 1] = np.inf
    with pytest.raises(DataError, match="column 'x1' holds inf in row 15000 "):
        learn_columns(matrix, n_threads=n_threads)


def test_infinity_is_found_beside_nan_and_its_opposite():
    assert_refused([[np.nan, 1.0], [np.inf, -np.inf]], "column 'x0' holds inf in row 1")


def test_infinity_in_a_data_frame_is_refused_with_its_place():
    frame = pl.DataFrame({"colour": ["red", "red"], "size": [1.0, float("inf")]})
    assert_refused(frame, "column 'size' holds inf in row 1")


@pytest.mark.parametrize("number", [10**400, -(10**400)], ids=["positive", "negative"])
def test_an_integer_too_large_for_a_float_is_refused_with_its_place(number):
    assert_refused([[None], [1], [number]], "column 'x0' holds a number too large .* in row 2")


def test_a_number_that_overflows_float64_is_refused_with_its_place():
    huge = np.longdouble(np.finfo(np.float64).max) * 2
    assert_refused(np.array([[1.0], [huge]]), "column 'x0' holds inf in row 1")


def test_ragged_rows_are_refused_with_their_lengths():
    assert_refused([[1, 2], [3, 4], [5]], "ragged: row 2 has 1 cell, but row 0 has 2 cells")


def test_a_row_that_is_no_list_is_refused():
    assert_refused([[1, 2], 3], "ragged: row 1 is not a list of cells, but row 0 has 2 cells")


def test_rows_of_different_shape_are_refused():
    assert_refused([np.zeros((2, 2)), np.zeros((2, 3))], "ragged")


@pytest.mark.parametrize(
    "X", [np.ones((2, 2), dtype=complex), [[1.0, 2.0], [3.0, 1j]], [[np.complex64(1)], [2]]]
)
def test_complex_numbers_are_refused(X):
    assert_refused(X, "Complex data not supported")


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix])
def test_sparse_matrices_are_refused(kind):
    assert_refused(kind(np.eye(3)), r"sparse.*use X.toarray\(\)")


@pytest.mark.parametrize("cells", [[0, 1, 0], [0.0, 1.0, 0.0]], ids=["int", "float"])
def test_sparse_columns_are_refused(cells):
    frame = pd.DataFrame({"a": pd.arrays.SparseArray(cells), "b": [1, 2, 3]})
    assert_refused(frame, r"column 'a' holds Sparse.* dense.* convert it with .sparse.to_dense\(\)")


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pa.table([[1], [2]], names=["a", "a"]),
    ],
    ids=["pandas", "pyarrow"],
)
def test_duplicate_column_names_are_refused(X):
    assert_refused(X, "duplicate column names.*'a' 2 times")


def test_names_of_which_only_some_are_strings_are_refused():
    assert_refused(pd.DataFrame([[1, 2]], columns=["a", 7]), "all are strings, but one is 7")


def test_a_lazy_frame_is_refused():
    assert_refused(pl.LazyFrame({"a": [1]}), r"lazy frame: call its collect\(\)")


@pytest.mark.parametrize("cell", [{"a": 1}, [1], {1}, b"text", object()], ids=type)
@pytest.mark.parametrize(
    "make",
    [
        lambda cells: np.array([[cell] for cell in cells] + [[0]], dtype=object)[:2],
        lambda cells: pd.DataFrame({"x0": pd.Series(cells, dtype=object)}),
    ],
    ids=["array", "pandas"],
)
def test_other_objects_are_refused_with_their_place(cell, make):
    X = make(["text", None])
    if isinstance(X, np.ndarray):
        X[1, 0] = cell
    else:
        X.at[1, "x0"] = cell
    kind = type(cell).__name__
    assert_refused(
        X,
        f"column 'x0' holds a {kind} in row 1.*argument must be a string or a number",
        ColumnTypeError,
    )


def test_a_column_type_error_is_a_type_error():
    assert_refused([[1], [b"2"]], "argument must be a string or a number", TypeError)


def test_arrays_of_durations_are_refused():
    assert_refused(
        np.zeros((2, 2), dtype="m8[s]"),
        r"convert times of day and durations to numbers, such as hours\.",
    )


def test_a_date_beside_a_number_is_refused_with_its_row():
    rows = [[1], [datetime.date(2020, 1, 1)]]
    assert_refused(rows, "column 'x0' holds a date in row 1.* beside other values: convert all")


@pytest.mark.parametrize("dtype", ["S3", [("a", "f8"), ("b", "f8")], "V4"], ids=str)
def test_arrays_of_bytes_and_structures_are_refused(dtype):
    assert_refused(np.zeros((2, 2), dtype=dtype), "must be a string or a number", ColumnTypeError)
