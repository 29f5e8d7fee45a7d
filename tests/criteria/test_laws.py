"""The laws of ``roctree.checks`` and agreement with the naive references, for every criterion."""

import pytest
from hypothesis import given, settings

from roctree import checks
from roctree.criteria import CRITERIA, DKM, FMeasure
from tests.criteria.variants import ALL, EMPTY_BRANCH_COUNTS, NAIVE, OTHER_LOOPS, UNSMOOTHED
from tests.strategies import COUNTS, EIGHTHS, tables

# Of the F-measure the first class wins ties, and the change counts in either direction.
ALL_BUT_F_MEASURES = [criterion for criterion in ALL if not isinstance(criterion, FMeasure)]


def keep(law, criteria, table):
    """One table for all criteria: to draw it takes longer than to score it."""
    for criterion in criteria:
        law(criterion, table)


def test_every_registered_criterion_is_among_those_tested():
    assert set(CRITERIA.values()) <= set(ALL)


@given(table=tables(COUNTS) | tables(EIGHTHS))
def test_a_criterion_agrees_with_its_definition(table):
    for criterion, twin in NAIVE.items():
        expected = float(twin(table.tolist()))
        assert criterion(table) == pytest.approx(expected, rel=1e-12, abs=1e-12), criterion


@given(table=tables())
def test_scores_are_finite(table):
    keep(checks.score_is_finite, ALL, table)


@given(table=tables(classes=(30, 100)))
@settings(max_examples=5)
def test_scores_of_many_classes_are_finite(table):
    keep(checks.score_is_finite, ALL, table)


@given(table=tables())
def test_branches_have_no_order(table):
    keep(checks.branch_order_changes_nothing, ALL, table)


@given(table=tables())
def test_classes_have_no_order(table):
    keep(checks.class_order_changes_nothing, ALL_BUT_F_MEASURES, table)


@given(table=tables())
def test_only_proportions_count_without_smoothing(table):
    keep(checks.scale_changes_nothing, UNSMOOTHED, table)


@given(table=tables())
def test_an_empty_branch_counts_for_nothing(table):
    indifferent = [criterion for criterion in ALL if criterion not in EMPTY_BRANCH_COUNTS]
    keep(checks.empty_branch_changes_nothing, indifferent, table)


# Not concave: see the docstring of ``DKM``.
SMOOTHED_LARGEST = [DKM("largest", "laplace"), DKM("largest", "m_estimate")]


@given(table=tables())
def test_a_useless_split_is_no_better_than_none(table):
    concave = [each for each in ALL_BUT_F_MEASURES if each not in SMOOTHED_LARGEST]
    keep(checks.useless_split_earns_nothing, concave, table)


@given(table=tables(branches=(2, 5)))
def test_dividing_a_branch_never_lowers_the_score_of_a_convex_criterion(table):
    keep(checks.refining_never_lowers_the_score, ALL, table)


@given(table=tables(branches=(2, 3), classes=(2, 2)))
@settings(max_examples=25)
def test_splits_between_two_others_never_beat_the_corners_of_a_convex_criterion(table):
    keep(checks.corners_are_never_beaten, ALL, table)


@given(table=tables(branches=(2, 2)))
def test_no_split_is_worse_than_a_useless_one_for_a_convex_criterion(table):
    half = table.sum(axis=0) / 2.0
    for criterion in ALL:
        if criterion.convex(3):
            assert criterion([half, half]) <= criterion(table) + 1e-12, criterion


@given(table=tables() | tables(branches=(2, 2)))
def test_compiled_scores_are_the_same(table):
    keep(checks.compiled_score_is_the_same, CRITERIA.values(), table)


@pytest.mark.slow
@given(table=tables() | tables(branches=(2, 2)))
def test_compiled_scores_are_the_same_with_any_option(table):
    keep(checks.compiled_score_is_the_same, OTHER_LOOPS, table)
