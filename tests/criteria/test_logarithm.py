import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from roctree.criteria import log2


@given(st.floats(1e-300, 1e300))
@example(math.sqrt(0.5))
@example(math.nextafter(math.sqrt(0.5), 0.0))
@example(math.nextafter(1.0, 0.0))
@example(math.nextafter(1.0, 2.0))
def test_the_logarithm_is_that_of_the_library_but_for_the_last_bits(x):
    assert log2(x) == pytest.approx(math.log2(x), rel=1e-15, abs=0.0)


@given(st.integers(-1022, 1023))
def test_powers_of_two_are_exact(exponent):
    assert log2(2.0**exponent) == exponent


def test_zero_times_its_logarithm_is_zero():
    assert 0.0 * log2(0.0) == 0.0
