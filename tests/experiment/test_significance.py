"""Significance tests: worked examples, corner cases, and the marks that the papers print."""

import math
import sys
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from roctree.errors import DataError, ParameterError
from roctree.experiment import (
    Ranks,
    corrected_resampled_t,
    critical_difference,
    paired_t,
    unpaired_t,
    wilcoxon,
)
from roctree.experiment.significance import t_test, unpaired_t_of_summaries
from roctree.report import displays
from studies.setting import published

D = np.array([0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.01, 0.02, 0.04, 0.0])
ZEROS = np.zeros(10)
# SciPy warns about nearly identical results.
RESULTS = st.lists(st.integers(-99, 99), min_size=4, max_size=12, unique=True)


def test_the_worked_example_of_the_paired_test():
    test = paired_t(D, ZEROS)
    assert test.statistic == pytest.approx(2.940588, abs=5e-7)
    assert test.p_value == pytest.approx(0.016471, abs=5e-7)


def test_the_worked_example_of_the_corrected_test():
    test = corrected_resampled_t(D, ZEROS, 1 / 9)
    assert test.statistic == pytest.approx(2.023852, abs=5e-7)
    assert test.p_value == pytest.approx(0.073662, abs=5e-7)


def test_a_hundred_results_deceive_the_paired_test_and_not_the_corrected_one():
    many, none = np.tile(D, 10), np.zeros(100)
    assert paired_t(many, none).statistic == pytest.approx(9.7528, abs=5e-5)
    corrected = corrected_resampled_t(many, none, 1 / 4)
    assert corrected.statistic == pytest.approx(1.9127, abs=5e-5)
    assert corrected.p_value == pytest.approx(0.0587, abs=5e-5)


@given(RESULTS, st.integers(0, 100))
def test_the_plain_tests_agree_with_scipy(results, seed):
    ours = np.array(results)
    theirs = np.random.default_rng(seed).normal(size=len(ours))
    expected = stats.ttest_rel(ours, theirs)
    assert paired_t(ours, theirs)[1:] == pytest.approx((expected.statistic, expected.pvalue))
    expected = stats.ttest_ind(ours, theirs)
    assert unpaired_t(ours, theirs)[1:] == pytest.approx((expected.statistic, expected.pvalue))


@given(RESULTS, st.sampled_from(["corrected", "paired", "unpaired"]))
def test_swapping_the_configurations_changes_only_the_sign(results, kind):
    theirs = np.linspace(-1, 1, len(results))
    one, other = t_test(kind, results, theirs, 0.25), t_test(kind, theirs, results, 0.25)
    assert one.statistic == pytest.approx(-other.statistic)
    assert one.p_value == pytest.approx(other.p_value)


@pytest.mark.parametrize("test", [paired_t, unpaired_t, wilcoxon])
def test_equal_results_are_a_tie(test):
    assert test(D, D).p_value == pytest.approx(1.0)
    assert test(D, D).verdict() == "tie"


def test_a_constant_difference_is_certain():
    test = corrected_resampled_t(np.ones(5), np.zeros(5), 0.25)
    assert (test.statistic, test.p_value, test.verdict()) == (math.inf, 0.0, "win")
    assert paired_t(np.zeros(5), np.ones(5)).verdict() == "loss"


@pytest.mark.parametrize(
    ("ours", "theirs", "words"),
    [
        ([1.0], [2.0], "two results"),
        ([1.0, 2.0], [1.0, 2.0, 3.0], "as many results of each"),
        ([1.0, math.nan], D, "finite"),
    ],
)
def test_results_that_cannot_be_tested_are_rejected(ours, theirs, words):
    with pytest.raises(DataError, match=words):
        paired_t(ours, theirs)


def test_an_unknown_test_is_rejected():
    with pytest.raises(ParameterError, match="'welch' is not known"):
        t_test("welch", D, ZEROS, 0.25)
    with pytest.raises(ParameterError, match="test_ratio"):
        corrected_resampled_t(D, ZEROS, -1)


def test_the_marks_of_ecml03_follow_from_its_means_by_the_unpaired_test_on_46_of_50_rows():
    rows = published()["ECML03_tables5_6"]["rows"].values()
    verdicts = [
        unpaired_t_of_summaries((*row["m_branch"], 100), (*row["m_estimate"], 100)).verdict(0.1)
        for row in rows
    ]
    marks = [row["better"] for row in rows]
    assert sum(map(str.__eq__, verdicts, marks)) == 46


# Areas of four variants on 14 data sets.
AREAS = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
VARIANTS = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")


def naive_rank(row, value):
    """One more than the number of better values, plus half of the equal ones."""
    return 1 + sum(other > value for other in row) + (list(row).count(value) - 1) / 2


def test_ranks_agree_with_counting_and_friedmans_test_with_scipy():
    ranks = Ranks.of(VARIANTS, AREAS)
    expected = np.mean([[naive_rank(row, value) for value in row] for row in AREAS], axis=0)
    assert ranks.mean_ranks == pytest.approx(expected)
    # Demšar's figure for four classifiers on 14 data sets.
    assert ranks.critical_difference == pytest.approx(1.25, abs=5e-3)
    expected = stats.friedmanchisquare(*AREAS.T)
    assert ranks.chi_squared == pytest.approx(expected.statistic)
    assert ranks.p_value == pytest.approx(expected.pvalue)
    # Iman and Davenport's statistic has k - 1 and (k - 1)(n - 1) degrees of freedom.
    n, k = AREAS.shape
    f_statistic = (n - 1) * ranks.chi_squared / (n * (k - 1) - ranks.chi_squared)
    assert ranks.f_statistic == pytest.approx(f_statistic)
    assert ranks.f_p_value == pytest.approx(stats.f.sf(f_statistic, k - 1, (k - 1) * (n - 1)))


@pytest.mark.parametrize(("k", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (10, 3.164)])
def test_critical_values_agree_with_published_tables(k, q):
    scaled = critical_difference(k, 10) / math.sqrt(k * (k + 1) / 60)
    assert scaled == pytest.approx(q, abs=1.5e-3)


def test_configurations_within_the_critical_difference_share_a_bar():
    ranks = Ranks.of(VARIANTS, AREAS)
    assert ranks.cliques == [("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5")]
    clear = Ranks.of(("a", "b", "c"), np.tile([3.0, 2.0, 1.0], (30, 1)))
    assert clear.cliques == []
    assert clear.f_statistic == math.inf


def test_ranks_follow_the_direction_of_the_measure():
    losses = Ranks.of(VARIANTS, -AREAS, more_is_better=False)
    assert losses.mean_ranks == pytest.approx(Ranks.of(VARIANTS, AREAS).mean_ranks)


def test_the_diagram_is_xml_and_contains_all_names():
    pytest.importorskip("matplotlib").use("Agg")
    ranks = Ranks.of(("a<b", "$100$", *VARIANTS[2:]), AREAS)
    picture = ranks.svg()
    ElementTree.fromstring(picture)
    assert all(name in picture for name in ("a&lt;b", "$100$", *VARIANTS[2:]))
    assert ranks._repr_svg_() == picture


def test_the_diagram_is_as_wide_as_its_names_need():
    pytest.importorskip("matplotlib").use("Agg")

    def width(name):
        picture = Ranks.of((name, "b"), [[1, 2], [2, 1]]).svg()
        return float(ElementTree.fromstring(picture).get("viewBox").split()[2])

    assert width("a") == 640
    assert width("a" * 100) > 2 * 100 * 6


def test_without_matplotlib_ranks_are_shown_as_text(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ranks = Ranks.of(("a", "b"), [[1, 2], [2, 1]])
    with pytest.raises(ImportError, match="matplotlib"):
        ranks.svg()
    assert ranks._repr_svg_() is None


@pytest.mark.parametrize("scores", [[[1.0, 2.0]], [[1.0, math.nan], [1.0, 2.0]], [[1.0], [2.0]]])
def test_scores_that_cannot_be_ranked_are_rejected(scores):
    with pytest.raises(DataError, match="Ranks need"):
        Ranks.of(("a", "b"), scores)


def test_wilcoxons_test_agrees_with_scipy():
    ours, theirs = AREAS[:, 1], AREAS[:, 0]
    expected = stats.wilcoxon(ours, theirs, zero_method="zsplit")
    assert wilcoxon(ours, theirs).p_value == pytest.approx(expected.pvalue)
    assert wilcoxon(ours, theirs).verdict(0.05) == "win"


@pytest.mark.parametrize("critical", [0.5, 1.25, 40.0])
def test_the_bar_of_the_critical_difference_is_as_long_as_on_the_axis(critical, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.setattr(displays, "svg_text", lambda figure: figure)
    found = Ranks.of(VARIANTS, AREAS)
    ranks = SimpleNamespace(
        names=found.names,
        mean_ranks=found.mean_ranks,
        cliques=found.cliques,
        critical_difference=critical,
    )
    (ax,) = displays.critical_difference_svg(ranks, 600).axes
    (bar,) = [line for line in ax.lines if line.get_linewidth() == 2.0]
    axis = ax.lines[0]
    (begin, end), (left, right) = bar.get_xdata(), axis.get_xdata()
    assert begin == left
    per_rank = (right - left) / (len(VARIANTS) - 1)
    width = ax.get_xlim()[1]
    assert end == pytest.approx(min(begin + critical * per_rank, width))
    assert bar.get_ydata()[0] == bar.get_ydata()[1]
    captions = [text.get_position()[1] for text in ax.texts if "critical" in text.get_text()]
    assert captions[0] < bar.get_ydata()[0] < axis.get_ydata()[0]
