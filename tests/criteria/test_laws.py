"""The laws of ``roctree.checks`` and agreement with the naive references, for every criterion."""

import pytest
from hypothesis import given, settings

from roctree import checks
from roctree.criteria import CRITERIA, DKM, FMeasure
from tests.criteria.variants import ALL, EMPTY_BRANCH_COUNTS, NAIVE, OTHER_LOOPS, UNSMOOTHED
from tests.strategies import COUNTS, EIGHTHS, tables

# Of the F-measure the first class wins ties, and the change counts in either direction.
ALL_BUT_F_MEASURES = [criterion for criterion in ALL if not isinstance(criterion, FMeasure)]

few = settings(max_examples=25)


def every(criteria):
    return pytest.mark.parametrize("criterion", criteria, ids=repr)


def test_every_registered_criterion_is_among_those_tested():
    assert set(CRITERIA.values()) <= set(ALL)


@every(ALL)
@given(table=tables(COUNTS) | tables(EIGHTHS))
@few
def test_a_criterion_agrees_with_its_definition(criterion, table):
    expected = float(NAIVE[criterion](table.tolist()))
    assert criterion(table) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@every(ALL)
@given(table=tables())
@few
def test_scores_are_finite(criterion, table):
    checks.score_is_finite(criterion, table)


@every(ALL)
@given(table=tables(classes=(30, 100)))
@settings(max_examples=5)
def test_scores_of_many_classes_are_finite(criterion, table):
    checks.score_is_finite(criterion, table)


@every(ALL)
@given(table=tables())
@few
def test_branches_have_no_order(criterion, table):
    checks.branch_order_changes_nothing(criterion, table)


@every(ALL_BUT_F_MEASURES)
@given(table=tables())
@few
def test_classes_have_no_order(criterion, table):
    checks.class_order_changes_nothing(criterion, table)


@every(UNSMOOTHED)
@given(table=tables())
@few
def test_only_proportions_count_without_smoothing(criterion, table):
    checks.scale_changes_nothing(criterion, table)


@every([criterion for criterion in ALL if criterion not in EMPTY_BRANCH_COUNTS])
@given(table=tables())
@few
def test_an_empty_branch_counts_for_nothing(criterion, table):
    checks.empty_branch_changes_nothing(criterion, table)


# Not concave: see the docstring of ``DKM``.
SMOOTHED_LARGEST = [DKM("largest", "laplace"), DKM("largest", "m_estimate")]


@every([criterion for criterion in ALL_BUT_F_MEASURES if criterion not in SMOOTHED_LARGEST])
@given(table=tables())
@few
def test_a_useless_split_is_no_better_than_none(criterion, table):
    checks.useless_split_earns_nothing(criterion, table)


@every([criterion for criterion in ALL if criterion.convex(2)])
@given(table=tables(branches=(2, 5)))
@few
def test_dividing_a_branch_never_lowers_the_score_of_a_convex_criterion(criterion, table):
    checks.refining_never_lowers_the_score(criterion, table)


@every([criterion for criterion in ALL if criterion.convex(2)])
@given(table=tables(branches=(2, 3), classes=(2, 2)))
@few
def test_splits_between_two_others_never_beat_the_corners_of_a_convex_criterion(criterion, table):
    checks.corners_are_never_beaten(criterion, table)


@every([criterion for criterion in ALL if criterion.convex(3)])
@given(table=tables(branches=(2, 2)))
@few
def test_no_split_is_worse_than_a_useless_one_for_a_convex_criterion(criterion, table):
    half = table.sum(axis=0) / 2.0
    assert criterion([half, half]) <= criterion(table) + 1e-12


@every(CRITERIA.values())
@given(table=tables() | tables(branches=(2, 2)))
@few
def test_compiled_scores_are_the_same(criterion, table):
    checks.compiled_score_is_the_same(criterion, table)


@pytest.mark.slow
@every(OTHER_LOOPS)
@given(table=tables() | tables(branches=(2, 2)))
@few
def test_compiled_scores_are_the_same_with_any_option(criterion, table):
    checks.compiled_score_is_the_same(criterion, table)
