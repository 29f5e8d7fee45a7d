"""No labelling is cheaper than the one of least cost at each leaf (ICML02, Lemma 1)."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roctree import ParameterError
from roctree.labelling import LeastCost, Majority, operating_point
from tests.labelling.tables import grown, leaves, tables
from tests.naive.labelling import cost, least_cost

COST = st.integers(-5, 20)


@st.composite
def problems(draw):
    """A table, a matrix of costs with any diagonal, and a prior of its classes."""
    table = draw(tables(leaves=(1, 5), classes=(2, 4)))
    n_classes = len(table[0])
    row = st.lists(COST, min_size=n_classes, max_size=n_classes)
    matrix = draw(st.lists(row, min_size=n_classes, max_size=n_classes))
    assume(any(matrix[i][j] > matrix[j][j] for i in range(n_classes) for j in range(n_classes)))
    parts = draw(st.lists(st.integers(0, 9), min_size=n_classes, max_size=n_classes))
    return table, matrix, parts if sum(parts) > 0 else [1] * n_classes


def weights_of(table, parts):
    """How many times as often each class occurs at another prior."""
    totals = [sum(row[place] for row in table) for place in range(len(parts))]
    return [part / sum(parts) / (count / sum(totals))
            for part, count in zip(parts, totals, strict=True)]  # fmt: skip


@given(problems())
def test_no_labelling_is_cheaper(problem):
    table, matrix, _ = problem
    chosen = LeastCost(cost_matrix=tuple(map(tuple, matrix)))(leaves(table)).labels
    assert cost(table, chosen.tolist(), matrix) == least_cost(table, matrix)


@pytest.mark.parametrize("forbidden", [1e11, 1e13, 1e40])
def test_a_forbidden_class_does_not_make_the_others_equal(forbidden):
    table = [[3.0, 2.0, 1.0], [1.0, 5.0, 0.0], [2.0, 2.0, 3.0]]
    matrix = ((0.0, 5.0, 1.0), (1.0, 0.0, 1.0), (forbidden, forbidden, 0.0))
    chosen = LeastCost(cost_matrix=matrix)(leaves(table)).labels
    assert cost(table, chosen.tolist(), matrix) == least_cost(table, matrix)


@given(problems())
def test_no_labelling_is_cheaper_at_another_prior(problem):
    table, matrix, parts = problem
    prior = tuple(part / sum(parts) for part in parts)
    chosen = LeastCost(cost_matrix=tuple(map(tuple, matrix)), prior=prior)(leaves(table)).labels
    weights = weights_of(table, parts)
    found = cost(table, chosen.tolist(), matrix, weights)
    assert found == pytest.approx(least_cost(table, matrix, weights), abs=1e-9)


@given(problems())
def test_the_expected_cost_is_the_mean_cost_of_a_case(problem):
    table, matrix, parts = problem
    prior = tuple(part / sum(parts) for part in parts)
    labeller = LeastCost(cost_matrix=tuple(map(tuple, matrix)), prior=prior)
    point = operating_point(leaves(table), labeller, len(table) + 1)
    mean = least_cost(table, matrix, weights_of(table, parts)) / sum(map(sum, table))
    assert point.expected_cost == pytest.approx(mean, abs=1e-9)
    assert point.confusion.sum() == pytest.approx(1.0)


@given(problems())
def test_no_labelling_of_a_grown_tree_is_cheaper_than_that_of_at(problem):
    table, matrix, parts = problem
    tree = grown(table)
    prior = [part / sum(parts) for part in parts]
    point = tree.at(cost_matrix=matrix, prior=prior).operating_point_
    own = tree.tree_.counts[tree.tree_.leaves].tolist()
    weights = weights_of(own, parts)
    found = cost(own, point.labels[tree.tree_.leaves].tolist(), matrix, weights)
    assert found == pytest.approx(least_cost(own, matrix, weights), abs=1e-9)


@given(tables(), st.integers(1, 9), st.integers(1, 9), st.sampled_from([0, 1]))
def test_two_costs_are_the_matrix_that_they_stand_for(table, cost_fp, cost_fn, positive):
    matrix = np.zeros((2, 2))
    matrix[positive, 1 - positive], matrix[1 - positive, positive] = cost_fp, cost_fn
    short = LeastCost(cost_fp=cost_fp, cost_fn=cost_fn)(leaves(table, positive))
    long = LeastCost(cost_matrix=tuple(map(tuple, matrix)))(leaves(table, positive))
    assert np.array_equal(short.labels, long.labels)


@given(tables(), st.integers(1, 9), st.integers(1, 9), st.floats(-1e6, 1e6))
def test_what_being_right_costs_as_well_changes_nothing(table, cost_fp, cost_fn, more):
    matrix = ((more, cost_fn), (cost_fp + more, 0.0))
    plain = LeastCost(cost_fp=cost_fp, cost_fn=cost_fn)(leaves(table))
    # Numbers so large round the costs themselves.
    assume(float(cost_fp + more) - more == cost_fp)
    assert np.array_equal(LeastCost(cost_matrix=matrix)(leaves(table)).labels, plain.labels)


@given(st.integers(1, 30), st.integers(1, 30), st.sampled_from([0, 1]))
def test_a_tie_goes_to_the_positive_class(n_positive, n_negative, positive):
    row = (n_negative, n_positive) if positive == 1 else (n_positive, n_negative)
    # The cost of a false alarm is that of a miss times the odds, but for rounding.
    labeller = LeastCost(cost_fp=n_positive / n_negative, cost_fn=1.0)
    assert labeller(leaves([row, (1, 1)], positive)).labels[0] == positive


def test_of_several_classes_that_cost_the_same_the_first_is_taken():
    matrix = ((0, 1, 1), (1, 0, 1), (1, 1, 0))
    labels = LeastCost(cost_matrix=matrix)(leaves([(1, 3, 3), (2, 2, 2), (0, 1, 2)])).labels
    assert labels.tolist() == [1, 0, 2]


def test_an_error_that_costs_less_than_being_right_is_made_everywhere():
    matrix = ((0, 3), (-1, 0))
    assert LeastCost(cost_matrix=matrix)(leaves([(9, 0), (9, 1)])).labels.tolist() == [1, 1]


def test_a_class_that_no_longer_occurs_is_not_predicted():
    matrix = ((0, 1, 1), (1, 0, 1), (1, 1, 0))
    labeller = LeastCost(cost_matrix=matrix, prior=(0.0, 0.5, 0.5))
    assert labeller(leaves([(9, 1, 0), (9, 1, 4), (9, 2, 9)])).labels.tolist() == [1, 2, 2]


def test_a_class_without_cases_cannot_be_given_a_share():
    with pytest.raises(ParameterError, match="positive share for a class that has no cases in"):
        LeastCost(prior=(0.4, 0.3, 0.3))(leaves([(1, 0, 3), (2, 0, 2)]))


def test_the_majority_is_what_equal_costs_choose_but_for_ties():
    table = [(3, 1, 0), (1, 5, 2), (2, 2, 9)]
    equal = LeastCost()(leaves(table)).labels
    assert Majority()(leaves(table)).labels.tolist() == equal.tolist() == [0, 1, 2]
    assert Majority()(leaves([(2, 2)])).labels.tolist() == [0]
