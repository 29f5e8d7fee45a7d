"""Neyman-Pearson points: the most that a rate allows, exactly if labels are drawn by chance."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree import ParameterError
from roctree.labelling import (
    BestFBeta,
    Labellings,
    LeastCost,
    MaxFPR,
    MinTPR,
    Threshold,
    operating_point,
)
from tests.labelling.tables import leaves, tables
from tests.naive.labelling import all_points

RATES = st.floats(0.0, 1.0) | st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0])


def point_of(table, labeller):
    return operating_point(leaves(table), labeller, len(table) + 1)


def rates_of_all(table):
    n_negative, n_positive = (sum(row[place] for row in table) for place in (0, 1))
    return [(fp / n_negative, tp / n_positive) for fp, tp in all_points(table)]


def hull_at(table, fpr=None, tpr=None):
    """The other rate on the hull of all labellings."""
    rows = Labellings(leaves(table))
    found = [(row.fpr, row.tpr) for row in rows]
    if fpr is not None:
        return max(interpolated(found, fpr))
    return min(interpolated([(tpr_, fpr_) for fpr_, tpr_ in found], tpr))


def interpolated(points, where):
    for (x, y), (next_x, next_y) in pairwise(points):
        if x <= where <= next_x:
            part = (where - x) / (next_x - x) if next_x > x else 0.0
            yield y + part * (next_y - y)
            if next_x == x:
                yield next_y


@pytest.mark.filterwarnings("ignore:max_fpr")
@given(tables(leaves=(1, 8)), RATES)
def test_max_fpr_keeps_the_rate_and_is_on_the_hull(table, rate):
    point = point_of(table, MaxFPR(rate))
    assert point.fpr <= rate + 1e-9
    allowed = [(row.fpr, row.tpr) for row in Labellings(leaves(table)) if row.fpr <= rate + 1e-12]
    assert point.tpr == pytest.approx(max(tpr for _, tpr in allowed))
    assert point.fpr == pytest.approx(min(fpr for fpr, tpr in allowed if tpr >= point.tpr - 1e-12))


@given(tables(leaves=(1, 8)), RATES)
def test_min_tpr_reaches_the_rate_with_the_fewest_false_alarms_on_the_hull(table, rate):
    point = point_of(table, MinTPR(rate))
    assert point.tpr >= rate - 1e-9
    enough = [row.fpr for row in Labellings(leaves(table)) if row.tpr >= rate - 1e-12]
    assert point.fpr == pytest.approx(min(enough))


@given(tables(leaves=(1, 6)), RATES)
def test_randomised_max_fpr_hits_the_rate_and_no_labelling_or_mixture_does_better(table, rate):
    point = point_of(table, MaxFPR(rate, randomise=True))
    assert point.fpr == pytest.approx(rate, abs=1e-9)
    assert point.tpr == pytest.approx(hull_at(table, fpr=rate), abs=1e-9)
    for fpr, tpr in rates_of_all(table):
        assert fpr > rate or tpr <= point.tpr + 1e-9


@given(tables(leaves=(1, 6)), RATES)
def test_randomised_min_tpr_hits_the_rate_and_no_labelling_or_mixture_does_better(table, rate):
    point = point_of(table, MinTPR(rate, randomise=True))
    assert point.tpr == pytest.approx(rate, abs=1e-9)
    assert point.fpr == pytest.approx(hull_at(table, tpr=rate), abs=1e-9)
    for fpr, tpr in rates_of_all(table):
        assert tpr < rate or fpr >= point.fpr - 1e-9


@given(tables(leaves=(2, 8)), RATES)
def test_only_leaves_of_one_share_are_labelled_by_chance(table, rate):
    point = point_of(table, MaxFPR(rate, randomise=True))
    changed = np.flatnonzero(point.labels != point.others) - 1
    assert len({round(float(leaves(table).shares[leaf, 1]), 12) for leaf in changed}) <= 1
    assert (point.cost_ratio is None) == (len(changed) > 0)


def test_a_rate_that_a_labelling_has_needs_no_chance():
    table = [(1, 5), (2, 4), (5, 3)]
    for labeller in (MaxFPR(3 / 8, randomise=True), MinTPR(9 / 12, randomise=True)):
        point = point_of(table, labeller)
        assert point.chance == 0.0
        assert point.labels.tolist() == [0, 1, 1, 0]


# Sums of tenths are rarely exact, and neither are rates that they are divided into.
LABELLERS = [
    lambda rate: MaxFPR(rate),
    lambda rate: MaxFPR(rate, randomise=True),
    lambda rate: MinTPR(rate),
    lambda rate: MinTPR(rate, randomise=True),
    lambda rate: LeastCost(cost_fp=rate, cost_fn=1.0 - rate),
    lambda rate: BestFBeta(beta=0.5 + rate),
    lambda rate: Threshold(rate),
]


@pytest.mark.filterwarnings("ignore:max_fpr")
@pytest.mark.parametrize("labeller", LABELLERS)
@given(tables(leaves=(1, 6)), st.integers(0, 20), st.sampled_from([0.1, 0.3, 1 / 3, 0.7]))
def test_fractional_weights_in_the_same_proportions_give_the_same_point(
    labeller, table, part, scale
):
    n_negative, n_positive = (sum(row[place] for row in table) for place in (0, 1))
    # Rates that leaves attain exactly, where rounding decides.
    n_cases = n_positive if isinstance(labeller(0.5), MinTPR) else n_negative
    rate = min(part, n_cases) / n_cases
    whole = point_of(table, labeller(rate))
    light = [tuple(scale * count for count in row) for row in table]
    found = point_of(light, labeller(rate))
    assert found.labels.tolist() == whole.labels.tolist()
    assert found.others.tolist() == whole.others.tolist()
    assert found.chance == pytest.approx(whole.chance)
    assert (found.fpr, found.tpr) == pytest.approx((whole.fpr, whole.tpr))
    assert (found.cost_ratio is None) == (whole.cost_ratio is None)


@pytest.mark.parametrize(
    ("table", "scale", "labeller", "labels"),
    [
        ([(8, 2), (7, 6), (0, 3)], 0.7, MinTPR(9 / 11), [0, 0, 1, 1]),
        # F is 5/7 with the last leaf alone, and with the last two.
        ([(7, 0), (3, 4), (2, 6)], 0.7, BestFBeta(0.5), [0, 0, 0, 1]),
        ([(0, 7), (6, 2), (7, 8), (7, 6)], 0.3, Threshold(6 / 13), [0, 1, 0, 1, 1]),
    ],
)
def test_what_is_short_of_a_rate_or_share_by_rounding_reaches_it(table, scale, labeller, labels):
    light = [tuple(scale * count for count in row) for row in table]
    assert point_of(table, labeller).labels.tolist() == labels
    assert point_of(light, labeller).labels.tolist() == labels


def test_no_false_alarm_is_raised_that_finds_nothing():
    assert point_of([(0, 5), (5, 0)], MaxFPR(1.0)).fpr == 0.0
    assert point_of([(0, 5), (5, 0)], MaxFPR(1.0, randomise=True)).fpr == 1.0


@pytest.mark.parametrize(("labeller", "words"), [(MaxFPR(0.1), "negative"), (MinTPR(0.1), "posit")])
def test_a_rate_needs_cases_of_its_class(labeller, words):
    table = [(0, 3), (0, 1)] if words == "negative" else [(3, 0), (1, 0)]
    with pytest.raises(ParameterError, match=f"needs {words}.*contains none"):
        labeller(leaves(table))


# Of the first leaf a quarter of the negatives is.
COARSE = [(2, 6), (6, 2)]


def test_a_rate_that_the_first_leaf_exceeds_is_said_to_leave_nothing_positive():
    sentence = (
        r"max_fpr=0\.1 leaves no case positive: the first leaves already have a false "
        r"positive rate of 0\.25\. Raise max_fpr, or attain the rate at random with randomise\."
    )
    with pytest.warns(UserWarning, match=sentence):
        point = point_of(COARSE, MaxFPR(np.float64(0.1)))
    assert (point.fpr, point.tpr) == (0.0, 0.0)
    assert point_of(COARSE, MaxFPR(0.1, randomise=True)).tpr == pytest.approx(0.3)


def test_where_no_false_alarm_is_allowed_chance_is_no_help_and_not_spoken_of():
    with pytest.warns(UserWarning, match=r"Raise max_fpr\.$"):
        point_of(COARSE, MaxFPR(0.0))


def test_a_rate_that_some_leaves_keep_is_no_matter_for_a_warning():
    assert point_of(COARSE, MaxFPR(0.25)).tpr == 0.75
    assert point_of([(0, 6), (8, 2)], MaxFPR(0.0)).tpr == 0.75
