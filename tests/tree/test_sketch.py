"""Sketches of parts merge into the sketch of the whole."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roctree.tree.bins import Sketch, hash_values, sketch_columns

VALUES = st.lists(st.integers(-30, 30).map(float) | st.floats(-1e9, 1e9), max_size=60)
COLUMN = np.zeros(1, np.int64)


def sketch_of(values, size):
    return sketch_columns(np.array(values, float)[:, None], COLUMN, size)[0]


def as_lists(sketch):
    return sketch.values.tolist(), sketch.counts.tolist(), int(sketch.limit)


@given(st.lists(VALUES, min_size=1, max_size=5), st.integers(1, 30))
def test_parts_in_any_order_merge_into_the_sketch_of_the_whole(parts, size):
    whole = sketch_of([value for part in parts for value in part], size)
    for order in (parts, parts[::-1]):
        merged = Sketch.empty()
        for part in order:
            merged = merged.merged(sketch_of(part, size), size)
        assert as_lists(merged) == as_lists(whole)


@given(VALUES, st.integers(1, 30))
def test_the_values_with_the_lowest_numbers_are_kept_and_counted(values, size):
    values = [value + 0.0 for value in values]
    distinct = np.array(sorted(set(values)))
    kept = distinct[np.argsort(hash_values(distinct), kind="stable")[:size]]
    sketch = sketch_of(values, size)
    assert sketch.values.tolist() == sorted(kept.tolist())
    assert sketch.counts.tolist() == [values.count(value) for value in sorted(kept.tolist())]
    assert sketch.is_exact == (len(distinct) <= size)


def test_missing_values_are_passed_over_and_zeros_are_one_value():
    sketch = sketch_of([np.nan, 0.0, -0.0, np.nan, 2.0], 10)
    assert as_lists(sketch)[:2] == ([0.0, 2.0], [2, 1])


def test_zero_is_always_kept():
    assert sketch_of([0.0, *np.random.default_rng(0).random(5000)], 3).values[0] == 0.0
