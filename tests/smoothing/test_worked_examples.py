"""The numbers of the papers, to six digits."""

import pytest

from roctree.smoothing import (
    Curtailment,
    Frequencies,
    HierarchicalShrinkage,
    Laplace,
    MBranch,
    MEstimate,
)
from tests.naive import smoothing as naive
from tests.smoothing.variants import along, end_of

THREE_LEVELS = [60, 40], [10, 30], [0, 5]
THREE_CLASSES = [50, 30, 20], [5, 25, 0], [0, 4, 0], [0, 2, 0]


def near(value):
    return pytest.approx(value, abs=6e-7)


def at_the_end(smoother, branch):
    tree = along(*branch)
    return smoother(tree)[end_of(tree)].tolist()


def steps(branch):
    return naive.m_branch_steps([naive.exact(counts) for counts in branch])


@pytest.mark.parametrize(
    ("branch", "added"),
    [(THREE_LEVELS, [30.666667, 24, 4]), (THREE_CLASSES, [34, 30.666667, 24, 4])],
)
def test_the_cases_that_m_branch_adds_grow_with_the_height_above_the_leaf(branch, added):
    assert [float(m) for m, _ in steps(branch)] == near(added)


@pytest.mark.parametrize(
    ("level", "expected"),
    [(0, [0.576531, 0.423469]), (1, [0.372449, 0.627551]), (2, [0.165533, 0.834467])],
)
def test_the_estimates_of_m_branch_on_the_way_to_a_leaf(level, expected):
    _, estimate = steps(THREE_LEVELS)[level]
    assert list(map(float, estimate)) == near(expected)


@pytest.mark.parametrize(
    ("branch", "expected"),
    [
        (THREE_LEVELS, [0.165533, 0.834467]),
        (([60, 40], [50, 10]), [0.817540, 0.182460]),
        (([60, 40],), [0.596154, 0.403846]),
        (THREE_CLASSES, [0.179308, 0.753149, 0.067543]),
        (([10, 90], [1, 0]), [0.341935, 0.658065]),
    ],
    ids=["three levels", "two levels", "one node", "three classes", "against the majority"],
)
def test_m_branch_at_the_leaf(branch, expected):
    assert at_the_end(MBranch(M=4), branch) == near(expected)


def test_m_branch_of_an_inner_node_is_that_of_a_leaf_in_its_place():
    assert MBranch()(along(*THREE_LEVELS))[0].tolist() == near([0.596154, 0.403846])


def test_m_branch_of_an_empty_leaf_is_its_parents_term():
    m, estimate = steps([[60, 40], [10, 30], [0, 0]])[1]
    assert float(m) == near(24)
    assert at_the_end(MBranch(), ([60, 40], [10, 30], [0, 0])) == near(list(map(float, estimate)))


@pytest.mark.parametrize(
    ("smoother", "expected"),
    [
        (Laplace(), [0.142857, 0.857143]),
        (MEstimate(m=4), [0.222222, 0.777778]),
        (Frequencies(), [0.0, 1.0]),
        (MEstimate(m=4, prior="training"), [2.4 / 9, 6.6 / 9]),
        (Curtailment(minimum=40), [0.25, 0.75]),
        (Curtailment(minimum=41), [0.6, 0.4]),
    ],
    ids=repr,
)
def test_other_smoothers_at_the_leaf_of_three_levels(smoother, expected):
    assert at_the_end(smoother, THREE_LEVELS) == near(expected)


def test_hierarchical_shrinkage_believes_each_step_by_the_size_of_the_node_above():
    # 0.6, a step of -0.35 below 100 cases, a step of -0.25 below 40 cases
    expected = 0.6 - 0.35 / (1 + 10 / 100) - 0.25 / (1 + 10 / 40)
    shrunk = at_the_end(HierarchicalShrinkage(strength=10), THREE_LEVELS)
    assert shrunk == near([expected, 1 - expected])
    assert shrunk == near([0.081818, 0.918182])
