"""Helpers of arrays."""

from roctree.arrays import row_parts


def test_few_rows_are_one_part():
    assert row_parts(0, 4) == [slice(0, 0)]
    assert row_parts(10, 4) == [slice(0, 10)]
