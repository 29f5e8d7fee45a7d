"""Sketches of parts merge into the sketch of the whole."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roctree.tree.bins import Sketch, hash_values, sketch_columns

VALUES = st.lists(st.integers(-30, 30).map(float) | st.floats(-1e9, 1e9), max_size=60)
COLUMN = np.zeros(1, np.int64)


WEIGHTS = st.integers(1, 9).map(float) | st.floats(1e-9, 1e9)
# A weight of 1 in the units of a sketch.
ONE = 1 << 24


def sketch_of(values, size, weights=None):
    weights = None if weights is None else np.array(weights, float)
    return sketch_columns(np.array(values, float)[:, None], COLUMN, weights, size)[0]


def as_lists(sketch):
    """The values, the weights of each by exponent, and the limit."""
    used = sketch.units.any(axis=1)
    units = sketch.units[used].tolist()
    return sketch.values.tolist(), sketch.exponents[used].tolist(), units, int(sketch.limit)


def merged_sketch(sketches, size):
    merged = Sketch.empty()
    for sketch in sketches:
        merged = merged.merged(sketch, size)
    return merged


@given(st.lists(VALUES, min_size=1, max_size=5), st.integers(1, 30))
def test_parts_in_any_order_merge_into_the_sketch_of_the_whole(parts, size):
    whole = sketch_of([value for part in parts for value in part], size)
    sketches = [sketch_of(part, size) for part in parts]
    for order in (sketches, sketches[::-1]):
        assert as_lists(merged_sketch(order, size)) == as_lists(whole)


@given(st.lists(st.lists(st.tuples(st.integers(0, 9), WEIGHTS), max_size=20), min_size=1))
def test_weights_of_parts_in_any_order_add_up_to_those_of_the_whole(parts):
    whole = sketch_of(*columns_of([row for part in parts for row in part]))
    sketches = [sketch_of(*columns_of(part)) for part in parts]
    for order in (sketches, sketches[::-1]):
        assert as_lists(merged_sketch(order, 8)) == as_lists(whole)


def columns_of(rows):
    return [value for value, _ in rows], 8, [weight for _, weight in rows]


@given(VALUES.filter(bool), st.integers(1, 30), st.data())
def test_a_weight_of_k_counts_as_k_rows(values, size, data):
    weights = data.draw(st.lists(st.integers(1, 9), min_size=len(values), max_size=len(values)))
    one, other = sketch_of(values, size, weights), sketch_of(np.repeat(values, weights), size)
    assert one.values.tolist() == other.values.tolist()
    assert (one.weights / one.weights.sum()).tolist() == (
        other.weights / other.weights.sum()
    ).tolist()


@given(VALUES.filter(bool), st.integers(-60, 60), st.data())
def test_weights_times_a_power_of_two_are_in_the_same_proportion(values, power, data):
    weights = data.draw(st.lists(WEIGHTS, min_size=len(values), max_size=len(values)))
    one, other = (sketch_of(values, 9, np.ldexp(weights, each)) for each in (0, power))
    assert (one.weights / one.weights.max()).tolist() == (
        other.weights / other.weights.max()
    ).tolist()


@given(VALUES, st.integers(1, 30))
def test_the_values_with_the_lowest_numbers_are_kept_and_counted(values, size):
    values = [value + 0.0 for value in values]
    distinct = np.array(sorted(set(values)))
    kept = distinct[np.argsort(hash_values(distinct), kind="stable")[:size]]
    sketch = sketch_of(values, size)
    assert sketch.values.tolist() == sorted(kept.tolist())
    counts = [ONE * values.count(value) for value in sorted(kept.tolist())]
    assert sketch.units.tolist() == [counts]
    assert (sketch.limit == np.iinfo(np.uint64).max) == (len(distinct) <= size)


def test_missing_values_are_passed_over_and_zeros_are_one_value():
    sketch = sketch_of([np.nan, 0.0, -0.0, np.nan, 2.0], 10)
    assert sketch.values.tolist() == [0.0, 2.0]
    assert sketch.units.tolist() == [[2 * ONE, ONE]]


def test_zero_is_always_kept():
    assert sketch_of([0.0, *np.random.default_rng(0).random(5000)], 3).values[0] == 0.0
