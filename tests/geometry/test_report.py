from dataclasses import astuple

import numpy as np
import pytest

from roctree.geometry import BoundaryReport


def report_of(distances, right, weights=None):
    weights = np.ones(len(distances)) if weights is None else weights
    return BoundaryReport.from_distances(
        np.array(distances), np.array(right), np.array(weights, dtype=float)
    )


def test_lambda_is_the_difference_of_the_means_in_its_own_deviations():
    report = report_of([3.0, 5.0, 4.0, 1.0, 2.0], [True, True, True, False, False])
    assert (report.n_hits, report.n_errors) == (3, 2)
    assert (report.mean_hits, report.mean_errors) == (4.0, 1.5)
    assert report.lambda_ == pytest.approx(2.5 / np.sqrt(1.0 / 3 + 0.5 / 2))
    assert report.accuracy == 0.6


@pytest.mark.parametrize(
    ("hits", "errors", "advice"),
    [
        ([3.0, 3.1, 3.2], [0.1, 0.2], "likely to help"),
        ([1.0, 3.0], [1.5, 2.0], "may help a little"),
        ([1.0, 2.0], [4.0, 5.0], "will not help"),
        ([1.0, 2.0], [], "too few"),
        ([1.0], [0.5, 0.7], "too few"),
        ([1.0, 1.0], [1.0, 1.0], "equally far from the boundary: geometric ranking will not help"),
    ],
)
def test_the_advice_follows_lambda(hits, errors, advice):
    right = np.arange(len(hits) + len(errors)) < len(hits)
    report = report_of(hits + errors, right)
    assert advice in report.advice
    assert repr(report).endswith(report.advice)


def test_a_report_is_read_at_a_glance():
    report = report_of([3.0, 5.0, 1.0, 2.0], [True, True, False, False])
    assert repr(report) == (
        "            cases  mean distance\n"
        "hits            2  4\n"
        "errors          2  1.5\n"
        "lambda 2.24, accuracy 0.500\n"
        "Errors lie near the boundary: geometric ranking is likely to help."
    )


def test_a_case_of_weight_k_counts_as_k_cases():
    distances, right = np.array([0.3, 0.5, 0.4, 0.1, 0.2]), np.array([1, 1, 1, 0, 0], dtype=bool)
    weights = [2, 1, 3, 2, 0]
    by_weight = report_of(distances, right, weights)
    by_rows = report_of(np.repeat(distances, weights), np.repeat(right, weights))
    assert (by_weight.n_hits, by_weight.n_errors) == (6, 2)
    assert astuple(by_weight) == pytest.approx(astuple(by_rows), rel=1e-12)
    assert (report_of(distances, right, np.zeros(5)).accuracy) == 0.0


@pytest.mark.parametrize("distance", [0.1, 20**0.5, 1e300, 0.0])
def test_where_all_are_equally_far_nothing_is_told(distance):
    report = report_of([distance] * 7, [True] * 4 + [False] * 3)
    assert np.isnan(report.lambda_)
    assert "equally far" in report.advice
