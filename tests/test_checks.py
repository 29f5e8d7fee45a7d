from dataclasses import replace

import numpy as np
import pytest

from roctree import checks
from roctree.criteria import AUC, CRITERIA, Gini, criterion

TABLE = [[3.0, 1.0], [2.0, 6.0]]


@criterion
def first_branch(table):
    return table[0, 0]


@criterion
def division(table):
    return 1.0 / (table[0, 0] - table[1, 0])


@criterion(convex=True)
def fewest_branches(table):
    return -float(table.shape[0])


@criterion
def most_branches(table):
    return float(table.shape[0])


@pytest.mark.parametrize("name", sorted(set(CRITERIA) - {"f_measure"}))
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_registered_criterion_passes(name, n_classes):
    checks.check_criterion(name, n_classes)


def test_the_f_measure_is_known_to_reward_a_useless_split():
    with pytest.raises(AssertionError, match=r"more than 0\.0 for the node they come from"):
        checks.check_criterion("f_measure")


def test_a_score_that_is_no_number_is_reported():
    with pytest.raises(AssertionError, match=r"division.*(scores inf|fails) on"):
        checks.check_criterion(division)


def test_an_exception_is_reported_with_the_table():
    failing = criterion(lambda table: [][0])
    with pytest.raises(
        AssertionError, match=r"fails on \[\[3.0, 1.0\], \[2.0, 6.0\]\]: list index"
    ):
        checks.score_is_finite(failing, TABLE)


def test_dependence_on_the_order_of_branches_is_reported():
    with pytest.raises(AssertionError, match="branches in another order"):
        checks.branch_order_changes_nothing(first_branch, TABLE)


def test_dependence_on_the_order_of_classes_is_reported():
    with pytest.raises(AssertionError, match="classes renamed"):
        checks.class_order_changes_nothing(first_branch, TABLE)


def test_dependence_on_scale_is_reported():
    with pytest.raises(AssertionError, match=r"all weights times 0\.1"):
        checks.scale_changes_nothing(Gini("laplace"), TABLE)


def test_an_empty_branch_that_counts_is_reported():
    with pytest.raises(AssertionError, match="an additional empty branch"):
        checks.empty_branch_changes_nothing(AUC(split_smoothing="laplace"), TABLE)


def test_a_reward_for_a_useless_split_is_reported():
    with pytest.raises(AssertionError, match="two branches"):
        checks.useless_split_earns_nothing(most_branches, TABLE)


def test_a_broken_promise_of_convexity_is_reported():
    with pytest.raises(AssertionError, match=r"declares itself convex.*branches 0 and 1 joined"):
        checks.refining_never_lowers_the_score(fewest_branches, TABLE)


@criterion(convex=True)
def evenness(table):
    left = table[0, 0] + table[0, 1]
    right = table[1, 0] + table[1, 1]
    return left * right


# The even split has half of the second branch on the left, or a quarter.
@pytest.mark.parametrize("first", [1.0, 3.0])
def test_a_split_that_beats_its_corners_is_reported(first):
    with pytest.raises(AssertionError, match=r"shares \(.*\) of the second branch"):
        checks.corners_are_never_beaten(evenness, [[first, first], [8.0, 0.0], [1.0, 1.0]])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_strategies_are_checked_with_empty_pure_and_mixed_leaves_of_whole_and_fractional_weight(
    n_classes,
):
    leaves = np.concatenate([tree.counts[tree.is_leaf] for tree in checks._trees(n_classes)])
    n_present = np.count_nonzero(leaves, axis=1)
    assert set(n_present) == set(range(n_classes + 1))
    whole = (leaves == np.rint(leaves)).all(axis=1)
    assert whole[n_present == 1].any()
    assert (~whole).any()


def test_other_cases_have_a_case_of_every_class_besides_those_that_chance_adds():
    empty = [replace(tree, counts=np.zeros_like(tree.counts)) for tree in checks._trees(2)]
    fewest = np.min([checks._other_cases(tree)[0] for tree in empty], axis=0)
    assert fewest.tolist() == [1.0, 1.0]
