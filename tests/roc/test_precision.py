import numpy as np
import pytest
from hypothesis import given

from tests.naive import roc as naive
from tests.roc.leaves import curve_of, leaf_tables, some


@given(leaf_tables())
def test_precision_and_recall_are_those_of_all_thresholds(leaves):
    found = curve_of(leaves).precision_recall()
    n_positive, _ = naive.totals(leaves)
    assert found.threshold.tolist() == naive.thresholds(leaves)
    for threshold, precision, recall in zip(
        found.threshold, found.precision, found.recall, strict=True
    ):
        tp, fp = naive.called(leaves, threshold)
        assert recall == pytest.approx(float(tp / n_positive), abs=1e-15)
        assert precision == pytest.approx(float(tp / (tp + fp)) if tp + fp else 1.0, abs=1e-15)


@given(leaf_tables())
def test_average_precision_is_the_sum_over_steps_of_recall(leaves):
    found = curve_of(leaves).precision_recall().average
    assert found == pytest.approx(float(naive.average_precision(leaves)), abs=1e-13)


@some
@given(leaf_tables())
def test_gains_are_those_of_precision_and_recall_from_where_recall_is_the_prior(leaves):
    found = curve_of(leaves).precision_recall_gain()
    expected = distinct(np.array(naive.gains(leaves), dtype=float))
    assert distinct(np.column_stack([found.recall, found.precision])) == pytest.approx(
        expected, abs=1e-9
    )


def distinct(points):
    """Leave out repeats; a recall that is the prior on paper may be its neighbour in floats."""
    return points[np.append(True, np.abs(np.diff(points, axis=0)).sum(axis=1) > 1e-9)]


@some
@given(leaf_tables())
def test_the_area_of_the_gains_is_that_of_the_fractions(leaves):
    found = curve_of(leaves).precision_recall_gain()
    assert found.area == pytest.approx(float(naive.area(naive.gains(leaves))), abs=1e-9)


@given(leaf_tables())
def test_gains_run_from_a_recall_gain_of_zero_to_one_and_end_without_gain(leaves):
    found = curve_of(leaves).precision_recall_gain()
    assert found.recall[[0, -1]] == pytest.approx([0.0, 1.0], abs=1e-12)
    assert found.precision[-1] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("leaves", "area"),
    [([(1, 3, 0), (0, 0, 5)], 1.0), ([(1, 3, 5)], 0.0)],
    ids=["separated classes", "one leaf"],
)
def test_the_area_of_the_gains_is_one_for_separated_classes_and_zero_for_one_leaf(leaves, area):
    assert curve_of(leaves).precision_recall_gain().area == pytest.approx(area, abs=1e-12)
