import numpy as np
import pytest

from roctree.geometry import BoundaryReport


def test_lambda_is_the_difference_of_the_means_in_its_own_deviations():
    distances = np.array([3.0, 5.0, 4.0, 1.0, 2.0])
    report = BoundaryReport.of(distances, np.array([True, True, True, False, False]))
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
        ([1.0, 1.0], [1.0, 1.0], "too few"),
    ],
)
def test_the_advice_follows_lambda(hits, errors, advice):
    right = np.arange(len(hits) + len(errors)) < len(hits)
    report = BoundaryReport.of(np.array(hits + errors), right)
    assert advice in report.advice
    assert repr(report).endswith(report.advice)


def test_a_report_is_read_at_a_glance():
    report = BoundaryReport.of(np.array([3.0, 5.0, 1.0, 2.0]), np.array([True, True, False, False]))
    assert repr(report) == (
        "            cases  mean distance\n"
        "hits            2  4\n"
        "errors          2  1.5\n"
        "lambda 2.24, accuracy 0.500\n"
        "Errors lie near the boundary: geometric ranking is likely to help."
    )
