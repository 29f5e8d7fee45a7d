from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree import ParameterError, Schema
from roctree.geometry import SCALINGS, Spread, diagonal, metric, scale_of

SCHEMA = Schema(("age", "pay", "sky"), (None, None, ("rain", "sun")), np.array(["no", "yes"]))
VALUES = np.array([[20.0, 1.0, 0.0], [40.0, np.nan, 1.0], [25.0, 1.0, np.nan]])


def spread(values, weights=None):
    return Spread.from_rows(values, np.ones(len(values)) if weights is None else weights)


def test_spread_is_the_range_and_the_deviation_by_n_minus_1_of_known_values():
    found = spread(VALUES)
    assert found.ranges.tolist() == [20.0, 0.0, 1.0]
    assert found.deviations[:2] == pytest.approx([np.std([20, 40, 25], ddof=1), 0.0], rel=1e-9)


@pytest.mark.parametrize("order", ["C", "F"])
def test_spread_of_many_rows_is_that_of_numpy(order):
    values = np.random.default_rng(0).normal(1e6, 3.0, (10_001, 3))
    values[::7, 1] = np.nan
    found = spread(np.asarray(values, order=order))
    assert np.array_equal(found.ranges, np.nanmax(values, axis=0) - np.nanmin(values, axis=0))
    assert found.deviations == pytest.approx(np.nanstd(values, axis=0, ddof=1), rel=1e-9)


def test_a_weight_counts_as_so_many_rows():
    values = np.array([[1.0], [2.0], [5.0]])
    repeated = spread(np.repeat(values, [3, 1, 2], axis=0))
    weighted = spread(values, np.array([3.0, 1.0, 2.0]))
    assert weighted.deviations == pytest.approx(repeated.deviations, rel=1e-9)


@given(st.permutations(range(12)))
def test_the_order_of_the_rows_leaves_no_trace(order):
    values = np.random.default_rng(1).normal(size=(12, 3))
    weights = np.random.default_rng(2).random(12)
    one, other = spread(values, weights), spread(values[order], weights[list(order)])
    assert np.array_equal(one.ranges, other.ranges)
    assert np.array_equal(one.deviations, other.deviations)


@pytest.mark.parametrize("values", [[[np.nan]], [[1.0]], [[2.0], [2.0]], [[1e308], [-1e308]]])
def test_nothing_known_nothing_different_and_too_much_are_no_trouble(values):
    found = spread(np.array(values))
    assert np.isfinite(found.ranges).all()
    assert np.isfinite(found.deviations).all()


def test_nominal_attributes_have_a_scale_of_one():
    assert scale_of("minmax", spread(VALUES), SCHEMA).tolist() == [20.0, 0.0, 1.0]
    assert scale_of("standard", spread(VALUES), SCHEMA)[2] == 1.0
    assert set(SCALINGS) == {"minmax", "standard"}


def test_a_user_may_give_scales_in_order_or_some_by_name():
    assert scale_of([1, 2, 3], spread(VALUES), SCHEMA).tolist() == [1.0, 2.0, 3.0]
    assert scale_of({"pay": 5.0}, spread(VALUES), SCHEMA).tolist() == [20.0, 5.0, 1.0]


def test_the_extent_is_the_diagonal_of_what_varies():
    scale = scale_of("minmax", spread(VALUES), SCHEMA)
    assert diagonal(spread(VALUES), scale, SCHEMA.nominal) == pytest.approx(2**0.5)
    assert diagonal(spread(VALUES[:1]), np.zeros(3), np.zeros(3, dtype=bool)) == 1.0


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("minmx", r"did you mean 'minmax'\?"),
        ([1.0, 2.0], "for each of the 3 attributes"),
        (3.0, "metric=3.0 must be one of"),
        (None, "metric=None must be one of"),
        ([1.0, -2.0, 1.0], "metric has -2.0 for 'pay': it must be a number above 0"),
        ([1.0, "wide", 1.0], "metric has 'wide' for 'pay'"),
        (["1", "2", "3"], "metric has '1' for 'age': it must be a number above 0"),
        ([1.0, True, 1.0], "metric has True for 'pay'"),
        ([1.0, float("inf"), 1.0], "metric has inf for 'pay'"),
        ({"agee": 1.0}, r"not an attribute \(did you mean 'age'\?\)"),
        ({"age": 0.0}, "metric has 0.0 for 'age'"),
    ],
)
def test_what_is_no_metric_is_refused_in_a_sentence(metric, message):
    with pytest.raises(ParameterError, match=message):
        scale_of(metric, spread(VALUES), SCHEMA)


def test_many_rows_are_added_part_by_part_by_kernels():
    random = np.random.default_rng(2)
    values = random.normal(size=(1000, 3)) * [1.0, 1e6, 1e-6] + [0.0, 1e8, 5.0]
    values[random.random(values.shape) < 0.2] = np.nan
    values[:, 2] = np.nan
    weights = random.random(1000)
    expected = Spread.from_rows(values, weights)
    with mock.patch.object(metric, "_PART_ROWS", 64):
        for n_threads in (1, 3):
            found = Spread.from_rows(values, weights, n_threads)
            np.testing.assert_array_equal(found.ranges, expected.ranges)
            np.testing.assert_array_equal(found.deviations, expected.deviations)
