"""What release 8 of C4.5 computes on its golf data, to six digits: by the grower, and naively."""

from math import log2

import numpy as np
import pytest

from roctree.criteria import Entropy, GainRatio
from roctree.data import Dataset, Schema
from tests.naive import criteria as naive
from tests.naive.gain_ratio import choose, nominal_candidate, numeric_candidate
from tests.tree.growing import Found, found_at_root

OUTLOOK = [0, 0, 1, 2, 2, 2, 1, 0, 0, 2, 0, 1, 1, 2]  # sunny, overcast, rain
TEMPERATURE = [85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71]
HUMIDITY = [85, 90, 78, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 80]
WINDY = [0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1]
PLAY = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1]  # 0 plays, 1 does not
ONES = [1.0] * 14
OF_OUTLOOK, OF_TEMPERATURE, OF_HUMIDITY, OF_WINDY = range(4)
C45 = {"nominal": "multiway", "min_leaf": 2, "min_split": 4, "c45_numeric_minimum": True}


def near(value):
    return pytest.approx(value, abs=6e-7)


def numeric(column, rows=range(14), **options):
    values, labels = [column[row] for row in rows], [PLAY[row] for row in rows]
    return numeric_candidate(values, labels, 2, [1.0] * len(labels), **options)


def found(rows=range(14), outlook=OUTLOOK, penalty=True):
    """What the grower finds for each attribute at a node of these rows."""
    categories = ("sunny", "overcast", "rain"), None, None, ("false", "true")
    names = ("outlook", "temperature", "humidity", "windy")
    values = np.array([outlook, TEMPERATURE, HUMIDITY, WINDY], dtype=float).T[list(rows)]
    labels = np.array([PLAY[row] for row in rows], dtype=np.int32)
    golf = Dataset(values, labels, np.ones(len(labels)), Schema(names, categories, np.arange(2)))
    return found_at_root(golf, GainRatio(penalty=penalty), **C45)


def sunny_days():
    return [row for row in range(14) if OUTLOOK[row] == 0]


def numbers(split: Found):
    return [split.gain, split.info, split.ratio]


def test_the_grower_finds_the_gains_and_ratios_of_golf():
    attributes = found()
    assert numbers(attributes[OF_OUTLOOK]) == near([0.246750, 1.577406, 0.156428])
    assert numbers(attributes[OF_WINDY]) == near([0.048127, 0.985228, 0.048849])
    assert attributes[OF_TEMPERATURE] is attributes[OF_HUMIDITY] is None


def test_the_grower_finds_the_gains_of_thresholds_of_golf_before_the_penalty():
    attributes = found(penalty=False)
    assert attributes[OF_TEMPERATURE].gain == near(0.045334)
    assert attributes[OF_HUMIDITY].gain == near(0.102244)


def test_the_grower_finds_the_gains_and_the_ratio_of_the_sunny_days_of_golf():
    attributes, unpenalised = found(sunny_days()), found(sunny_days(), penalty=False)
    assert unpenalised[OF_HUMIDITY].gain == near(0.970951)
    assert unpenalised[OF_TEMPERATURE].gain == near(0.419973)
    assert attributes[OF_HUMIDITY].gain == near(0.770951)
    assert attributes[OF_HUMIDITY].ratio == near(0.794016)
    assert attributes[OF_TEMPERATURE].gain == near(0.219973)


def test_the_grower_finds_the_ratio_of_an_outlook_that_is_missing_once():
    outlook = [np.nan if row == 11 else OUTLOOK[row] for row in range(14)]
    split = found(outlook=outlook)[OF_OUTLOOK]
    assert numbers(split) == near([0.199041, 1.809200, 0.110016])


@pytest.mark.parametrize(
    ("table", "gain", "info", "ratio"),
    [
        ([[2, 3], [4, 0], [3, 2]], 0.246750, 1.577406, 0.156428),
        ([[6, 2], [3, 3]], 0.048127, 0.985228, 0.048849),
    ],
    ids=["outlook", "windy"],
)
def test_gain_of_the_nominal_attributes_of_golf(table, gain, info, ratio):
    assert naive.improvement(GainRatio(), table) == near(gain)
    assert naive.split_info(table) == near(info)
    assert naive.improvement(GainRatio(), table) / naive.split_info(table) == near(ratio)


@pytest.mark.parametrize(
    ("column", "gain", "tries", "net"),
    [(TEMPERATURE, 0.045334, 9, -0.181089), (HUMIDITY, 0.102244, 6, -0.082397)],
    ids=["temperature", "humidity"],
)
def test_the_penalty_makes_the_thresholds_of_golf_unusable(column, gain, tries, net):
    candidate = numeric(column, penalty=False)
    assert (candidate.gain, candidate.tries) == (near(gain), tries)
    assert candidate.gain - log2(tries) / 14 == near(net)
    assert numeric(column) is None


def test_golf_is_split_on_outlook_first():
    outlook = nominal_candidate(OUTLOOK, 3, PLAY, 2, ONES)
    windy = nominal_candidate(WINDY, 2, PLAY, 2, ONES)
    assert (outlook.gain + windy.gain) / 2 == near(0.147438)
    assert choose([outlook, numeric(TEMPERATURE), numeric(HUMIDITY), windy]) == 0


def test_humidity_of_the_sunny_days_of_golf():
    humidity = numeric(HUMIDITY, sunny_days())
    assert numeric(HUMIDITY, sunny_days(), penalty=False).gain == near(0.970951)
    assert (humidity.threshold, humidity.tries) == (77.5, 2)
    assert (humidity.gain, humidity.ratio) == (near(0.770951), near(0.794016))


def test_temperature_of_the_sunny_days_of_golf():
    assert numeric(TEMPERATURE, sunny_days(), penalty=False).gain == near(0.419973)
    assert numeric(TEMPERATURE, sunny_days()).gain == near(0.219973)


def test_a_missing_outlook_lowers_the_gain_and_is_one_more_branch():
    codes = [None if row == 11 else OUTLOOK[row] for row in range(14)]
    outlook = nominal_candidate(codes, 3, PLAY, 2, ONES)
    assert outlook.gain == near(0.199041)
    assert outlook.split_info == near(1.809200)
    assert outlook.ratio == near(0.110016)


def test_the_gain_with_a_missing_outlook_is_that_of_the_known_cases():
    known = [[2, 3], [3, 0], [3, 2]]
    assert Entropy()(naive.merged(known)) == near(-0.961237)
    assert Entropy()(known) == near(-0.746885)
    assert 13 / 14 * naive.improvement(Entropy(), known) == near(0.199041)
