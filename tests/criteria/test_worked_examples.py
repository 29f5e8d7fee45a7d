"""Numbers worked out by hand, by other programs or by the papers' authors, to six digits."""

from dataclasses import replace
from math import log2

import numpy as np
import pytest

from roctree.criteria import AUC, CRITERIA, DKM, MSEE, Entropy, FMeasure, GainRatio, Gini, Hellinger
from roctree.data import Dataset, Schema
from tests.naive import criteria as naive
from tests.tree.growing import found_at_root

FIRST = [[8, 1, 1], [2, 5, 3]]
SECOND = [[7, 0, 0], [2, 5, 1], [1, 1, 3]]
NODE = [[10, 6, 4]]


def near(value):
    return pytest.approx(value, abs=6e-7)


def improvement(criterion, table):
    return naive.improvement(criterion, table)


def found(criterion, table):
    """What the grower finds for a nominal attribute of which this is the table."""
    branches, labels = np.indices(np.shape(table)).reshape(2, -1)
    weights = np.ravel(table).astype(float)
    categories = tuple(f"c{branch}" for branch in range(len(table)))
    schema = Schema(("x",), (categories,), np.arange(len(table[0])))
    data = Dataset(branches[:, None].astype(float), labels.astype(np.int32), weights, schema)
    (split,) = found_at_root(data, criterion, nominal="multiway")
    return split


# Three classes, two splits of one node.

IMPURITIES = {
    "entropy": (Entropy(), 1.485475, 1.203702, 0.281774, 0.862256, 0.623220),
    "gini": (Gini(), 0.620000, 0.480000, 0.140000, 0.352500, 0.267500),
    "dkm_pairwise": (DKM(), 1.896950, 1.614160, 0.282790, 1.127666, 0.769284),
    "dkm_largest": (DKM("largest"), 1.000000, 0.900000, 0.100000, 0.632247, 0.367753),
    "dkm_one_vs_rest": (DKM("one_vs_rest"), 1.358258, 1.179129, 0.179129, 0.821616, 0.536641),
    "error": (CRITERIA["error"], 0.500000, 0.350000, 0.150000, 0.250000, 0.250000),
    "msee": (MSEE(), 0.415600, 0.344000, 0.071600, 0.244084, 0.171516),
    "msee_laplace": (MSEE("laplace"), 0.422597, 0.387451, 0.035146, 0.362109, 0.060488),
    "entropy_laplace": (Entropy("laplace"), 1.509872, 1.362209, 0.147662, 1.271823, 0.238048),
}


@pytest.fixture(params=IMPURITIES.values(), ids=IMPURITIES)
def impurity(request):
    return request.param


def test_impurity_of_the_node(impurity):
    criterion, node, *_ = impurity
    assert criterion(NODE) == near(-node)


def test_impurity_of_the_first_split(impurity):
    criterion, _, first, *_ = impurity
    assert criterion(FIRST) == near(-first)


def test_improvement_of_the_first_split(impurity):
    criterion, _, _, first, *_ = impurity
    assert improvement(criterion, FIRST) == near(first)


def test_impurity_of_the_second_split(impurity):
    criterion, *_, second, _ = impurity
    assert criterion(SECOND) == near(-second)


def test_improvement_of_the_second_split(impurity):
    criterion, *_, second = impurity
    assert improvement(criterion, SECOND) == near(second)


def test_the_grower_finds_the_improvement_of_both_splits(impurity):
    criterion, _, _, first, _, second = impurity
    assert found(criterion, FIRST).gain == near(first)
    assert found(criterion, SECOND).gain == near(second)


@pytest.mark.parametrize(("table", "expected"), [(FIRST, 1.000000), (SECOND, 1.558872)])
def test_information_of_the_split(table, expected):
    assert naive.split_info(table) == near(expected)
    assert found(GainRatio(), table).info == near(expected)


@pytest.mark.parametrize(("table", "expected"), [(FIRST, 0.281774), (SECOND, 0.399789)])
def test_gain_ratio(table, expected):
    assert improvement(GainRatio(), table) / naive.split_info(table) == near(expected)
    assert found(GainRatio(), table).ratio == near(expected)


@pytest.mark.parametrize(("table", "expected"), [(FIRST, 0.697222), (SECOND, 0.851389)])
def test_area_over_pairs_of_classes(table, expected):
    assert AUC()(table) == near(expected)


@pytest.mark.parametrize(("table", "expected"), [(FIRST, 0.652778), (SECOND, 0.730362)])
def test_area_with_one_added_to_every_cell(table, expected):
    assert AUC(split_smoothing="laplace")(table) == near(expected)


def area(i, j):
    return float(naive.area(naive.exact(FIRST), i, j, naive.share_of))


@pytest.mark.parametrize(("i", "j", "expected"), [(0, 1, 0.816667), (0, 2, 0.775), (1, 2, 0.5)])
def test_area_of_a_pair_of_classes_in_the_first_split(i, j, expected):
    assert (area(i, j) + area(j, i)) / 2 == near(expected)


@pytest.mark.parametrize(("i", "j", "expected"), [(1, 2, 0.541667), (2, 1, 0.458333)])
def test_area_by_the_share_of_one_class_in_the_first_split(i, j, expected):
    assert area(i, j) == near(expected)


# What the improvement is divided by.


@pytest.mark.parametrize(
    ("criterion", "table", "expected"),
    [
        (AUC(), FIRST, 0.197222),
        (AUC(), SECOND, 0.225412),
        (MSEE(), FIRST, 0.071600),
        (MSEE(), SECOND, 0.110025),
        (AUC(split_smoothing="laplace"), FIRST, 0.152778),
        (AUC(split_smoothing="laplace"), SECOND, 0.147775),
    ],
)
def test_improvement_over_the_information_of_the_split(criterion, table, expected):
    assert improvement(criterion, table) / naive.split_info(table) == near(expected)
    corrected = replace(criterion, children_correction="split_info")
    assert found(corrected, table).ratio == near(expected)


@pytest.mark.parametrize(
    ("criterion", "table", "expected"),
    [
        (AUC(), FIRST, 0.197222),
        (AUC(), SECOND, 0.221702),
        (MSEE(), FIRST, 0.071600),
        (MSEE(), SECOND, 0.108214),
    ],
)
def test_improvement_over_the_logarithm_of_the_number_of_branches(criterion, table, expected):
    assert improvement(criterion, table) / log2(len(table)) == near(expected)
    assert found(replace(criterion, children_correction="log2"), table).ratio == near(expected)


@pytest.mark.parametrize("table", [FIRST, SECOND])
@pytest.mark.parametrize("criterion", [AUC(), MSEE()], ids=repr)
def test_without_correction_attributes_compare_by_what_they_improve(criterion, table):
    split = found(replace(criterion, children_correction="none"), table)
    assert (split.gain, split.info) == (near(improvement(criterion, table)), 1.0)


# Two classes.


@pytest.mark.parametrize(
    ("criterion", "expected"), [(DKM(), 0.916515), (Gini(), 0.42), (MSEE(), 0.2436)]
)
def test_impurity_of_three_to_seven(criterion, expected):
    assert criterion([[3, 7]]) == near(-expected)


@pytest.mark.parametrize(("node", "expected"), [([1, 1, 1], 0.942809), ([1, 1, 0], 1.0)])
def test_dkm_of_the_largest_share_rates_three_equal_classes_below_two(node, expected):
    assert DKM("largest")([node]) == near(-expected)


@pytest.mark.parametrize("n_classes", [2, 3, 5, 10])
def test_msee_of_equal_classes_is_the_square_of_the_others_share(n_classes):
    assert MSEE()([[1] * n_classes]) == pytest.approx(-((1 - 1 / n_classes) ** 2), abs=1e-15)


@pytest.mark.parametrize(
    ("criterion", "expected"), [(Gini("laplace"), -0.024444), (Entropy("laplace"), -0.037005)]
)
def test_a_useless_split_is_worse_than_none_when_smoothed(criterion, expected):
    assert improvement(criterion, [[3, 1], [3, 1]]) == near(expected)


def test_area_of_the_leaves_of_the_icml_paper():
    assert AUC()([[5, 1], [4, 2], [3, 5]]) == near(138 / 192)


@pytest.mark.parametrize(("smoothing", "expected"), [("none", 0.545455), ("laplace", 0.589744)])
def test_smoothing_changes_the_order_and_the_area_together(smoothing, expected):
    assert AUC(split_smoothing=smoothing)([[1, 0], [10, 1]]) == near(expected)


@pytest.mark.parametrize(
    ("table", "raw", "smoothed"),
    [([[8, 2], [1, 9]], 0.770031, 0.618865), ([[1, 0], [9, 10]], 0.320364, 0.127605)],
)
def test_smoothing_brings_the_classes_closer_most_of_all_in_small_branches(table, raw, smoothed):
    assert Hellinger()(table) == near(raw)
    assert Hellinger("laplace")(table) == near(smoothed)


# The F-measure: the node, the two sides, their mean, the change.

F_MEASURES = [
    ([[8, 2], [1, 9]], 0.709677, 0.842105, 0.857143, 0.849624, 0.139947),
    ([[5, 5], [5, 5]], 0.666667, 0.5, 0.5, 0.5, 0.166667),
    ([[3, 3], [6, 0]], 0.857143, 0.4, 0.8, 0.6, 0.257143),
]


@pytest.mark.parametrize(("table", "node", "left", "right", "mean", "change"), F_MEASURES)
def test_change_of_the_f_measure(table, node, left, right, mean, change):
    assert FMeasure()(table) == near(change)


@pytest.mark.parametrize(("table", "node", "left", "right", "mean", "change"), F_MEASURES)
def test_f_measures_of_node_and_sides(table, node, left, right, mean, change):
    sides = [naive.f_of([side], [other], 1) for side, other in zip(table, table[::-1], strict=True)]
    weighted = sum(f * sum(side) for f, side in zip(sides, table, strict=True)) / sum(
        map(sum, table)
    )
    numbers = [float(x) for x in (naive.f_of(table, [], 1), *sides, weighted)]
    assert numbers == near([node, left, right, mean])


def test_change_of_the_f_measure_with_recall_counting_four_times():
    assert FMeasure(beta=2)([[8, 2], [1, 9]]) == near(0.007926)


def test_f_measure_prefers_a_useless_split_to_a_perfect_one():
    assert FMeasure()([[19, 0], [0, 1]]) == near(0.025641)
    assert FMeasure()([[9, 1], [10, 0]]) == near(0.319187)


@pytest.mark.parametrize(
    ("table", "raw", "smoothed"),
    [([[10, 9], [0, 1]], 0.0024, 0.05), ([[10, 0], [0, 10]], 0.3333, 0.25)],
)
def test_smoothing_would_reward_tiny_branches_by_the_f_measure(table, raw, smoothed):
    """Hence there is no such option; docs/reference/criteria.md gives these numbers."""
    assert FMeasure()(table) == pytest.approx(raw, abs=1e-4)
    assert FMeasure()([[cell + 1 for cell in branch] for branch in table]) == near(smoothed)
    with pytest.raises(TypeError, match=r"FMeasure.*unexpected keyword argument 'split_smoothing'"):
        FMeasure(split_smoothing="laplace")
