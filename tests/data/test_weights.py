import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from roctree import DataError
from roctree.data import check_weights


@pytest.mark.parametrize(
    "weights",
    [
        [1, 0, 2],
        (1.0, 0.0, 2.0),
        np.array([1, 0, 2], dtype=np.int8),
        pd.Series([1, 0, 2], index=[7, 8, 9]),
        pd.Series([1, 0, 2], dtype="Int64"),
        pl.Series([1, 0, 2]),
        pa.chunked_array([[1, 0, 2]]),
    ],
    ids=lambda weights: f"{type(weights).__module__}.{type(weights).__name__}",
)
def test_weights_of_any_origin_become_floats(weights):
    checked = check_weights(weights, 3)
    assert (checked.tolist(), checked.dtype) == ([1.0, 0.0, 2.0], np.float64)


def test_no_weights_mean_ones():
    assert check_weights(None, 2).tolist() == [1.0, 1.0]


def test_float64_weights_are_not_copied():
    weights = np.array([0.5, 1.5])
    assert check_weights(weights, 2) is weights


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf, -np.inf])
def test_weights_that_weigh_nothing_sensible_are_refused_with_their_row(weight):
    with pytest.raises(DataError, match=rf"sample_weight is {weight} in row 1 \(counting from 0\)"):
        check_weights([1.0, weight], 2)


def test_a_missing_weight_is_refused():
    with pytest.raises(DataError, match="sample_weight is nan in row 1"):
        check_weights(pl.Series([1, None]), 2)


@pytest.mark.parametrize("weights", [[1.0], [[1.0], [2.0]], 1.0], ids=str)
def test_weights_of_another_shape_are_refused(weights):
    with pytest.raises(DataError, match=r"has shape .*, expected \(2,\): one weight per row"):
        check_weights(weights, 2)


@pytest.mark.parametrize("weights", [["heavy", "light"], ["1", "2"], [{}, []], [1j, 2.0]], ids=str)
def test_weights_that_are_no_numbers_are_refused(weights):
    with pytest.raises(DataError, match="sample_weight must contain only numbers"):
        check_weights(weights, 2)


def test_weights_that_are_all_zero_are_refused():
    with pytest.raises(DataError, match="all weights in sample_weight are zero"):
        check_weights([0, 0], 2)


def test_a_masked_weight_is_refused_with_its_row():
    weights = np.ma.array([1.0, 2.0], mask=[False, True])
    with pytest.raises(DataError, match=r"sample_weight is masked in row 1 \(counting from 0\)"):
        check_weights(weights, 2)


def test_weights_of_which_none_is_masked_are_weights():
    assert check_weights(np.ma.array([1.0, 2.0]), 2).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("weights", [[1e150, 0.0], [1e308, 1e308], [9e-141, 0.0]], ids=str)
def test_weights_too_extreme_to_add_up_are_refused(weights):
    with pytest.raises(DataError, match=r"the largest weight in sample_weight is .*, too extreme"):
        check_weights(weights, 2)


@pytest.mark.parametrize("weights", [[5e149, 0.0], [1e-140, 0.0], [1.0, 5e-324]], ids=str)
def test_weights_that_add_up_are_taken_however_large_or_small(weights):
    assert check_weights(weights, 2).tolist() == weights
