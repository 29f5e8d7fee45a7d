import pickle

import numpy as np
import pytest

from roctree import DataError, ParameterError
from roctree.criteria import (
    AUC,
    CRITERIA,
    DKM,
    MSEE,
    Criterion,
    Entropy,
    Error,
    FMeasure,
    GainRatio,
    Gini,
    node_impurities,
    resolve_criterion,
)
from tests.criteria.variants import ALL

NAMES = ["gini", "entropy", "gain_ratio", "dkm", "error", "auc", "msee", "f_measure", "hellinger"]


def test_the_names_that_users_know_are_registered():
    assert set(NAMES) <= set(CRITERIA)


@pytest.mark.parametrize("name", CRITERIA)
def test_a_name_stands_for_the_criterion_with_its_default_options(name):
    assert resolve_criterion(name) == type(resolve_criterion(name))()


def test_a_criterion_is_what_the_grower_asks_for():
    for criterion in ALL:
        assert isinstance(criterion, Criterion)
        assert resolve_criterion(criterion) is criterion


def test_equal_criteria_share_one_function():
    for criterion in ALL:
        again = pickle.loads(pickle.dumps(criterion))
        assert again == criterion
        assert again.function is criterion.function


def test_gain_ratio_is_scored_by_the_function_of_entropy():
    assert GainRatio().function is Entropy().function


def test_an_unknown_name_lists_the_known_ones_and_the_nearest():
    with pytest.raises(ParameterError, match=r"'ginni' is not known \(did you mean 'gini'\?\)"):
        resolve_criterion("ginni")
    with pytest.raises(ParameterError, match=r"choose from gini, entropy, .*, hellinger"):
        resolve_criterion("purity")


@pytest.mark.parametrize("wrong", [Gini, len, lambda table: 0.0, None, 3])
def test_what_is_no_criterion_is_refused(wrong):
    with pytest.raises(ParameterError, match="neither a name nor a criterion"):
        resolve_criterion(wrong)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Gini("lap"), r"Gini\(split_smoothing='lap'\).*'none', 'laplace'"),
        (lambda: MSEE(children_correction="gain"), "children_correction='gain'.*'split_info'"),
        (lambda: DKM("all_pairs"), "multiclass='all_pairs'.*'pairwise', 'one_vs_rest', 'largest'"),
        (lambda: AUC("half"), "pairs='half'.*'hand_till', 'renormalised'"),
        (lambda: GainRatio(penalty="yes"), "penalty='yes'.*False, True"),
        (lambda: GainRatio(tolerance=-1.0), "tolerance=-1.0.*zero or more"),
        (lambda: GainRatio(tolerance=float("nan")), "tolerance=nan.*finite number"),
        (lambda: FMeasure(0), "beta=0.*above zero"),
        (lambda: FMeasure("1"), "beta='1'.*finite number"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused_by_name(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.parametrize(
    "table",
    [[], [[]], [1, 2], [[1, -1]], [[float("nan"), 1]], [[[1]]], [[1], [2, 3]], "gini", None],
)
def test_what_is_no_table_of_weights_is_refused(table):
    with pytest.raises(DataError, match="table"):
        Gini()(table)


def test_a_criterion_leaves_the_table_as_it_was():
    table = np.array([[3.0, 1.0, 0.0], [2.0, 5.0, 1.0]])
    for criterion in ALL:
        criterion(table)
        assert table.tolist() == [[3.0, 1.0, 0.0], [2.0, 5.0, 1.0]], criterion


def test_what_each_improvement_is_divided_by_unless_asked_otherwise():
    divided = {name for name in NAMES if CRITERIA[name].children_correction != "none"}
    assert divided == {"auc", "gain_ratio"}
    assert GainRatio().children_correction == AUC().children_correction == "split_info"


def test_no_default_has_a_penalty_or_a_tolerance():
    assert not any(criterion.penalty or criterion.tolerance for criterion in CRITERIA.values())


def test_smoothing_ends_convexity():
    assert not any(
        criterion.convex(2)
        for criterion in ALL
        if getattr(criterion, "split_smoothing", "") == "laplace"
    )


def test_the_mean_area_of_hand_and_till_is_convex_for_two_classes_only():
    assert AUC().convex(2)
    assert not AUC().convex(3)
    assert AUC("renormalised").convex(3)


def test_dkm_of_the_largest_share_is_convex_for_two_classes_only():
    assert DKM("largest").convex(2)
    assert not DKM("largest").convex(3)


def test_joining_branches_can_raise_the_score_of_what_is_not_convex():
    """A promise of convexity withheld without need would cost speed."""
    for criterion in ALL:
        if criterion.convex(3):
            continue
        one = criterion([[5, 3, 0], [0, 1, 2]]) > criterion([[3, 2, 0], [2, 1, 0], [0, 1, 2]])
        other = criterion([[2, 2, 2], [1, 0, 1]]) > criterion([[1, 0, 1], [1, 2, 1], [1, 0, 1]])
        assert one or other, criterion


def test_the_impurity_of_a_node_is_that_of_its_criterion():
    counts = np.array([[1.0, 2.0, 1.0], [3.0, 0.0, 0.0]])
    assert node_impurities(Error(), counts).tolist() == [0.5, 0.0]
    assert node_impurities(Gini(), counts).tolist() == pytest.approx([1 - 6 / 16, 0.0])
    for criterion in (Entropy(), GainRatio()):
        assert node_impurities(criterion, counts).tolist() == pytest.approx([1.5, 0.0])
    assert node_impurities(AUC(), counts).tolist() == node_impurities(Gini(), counts).tolist()
