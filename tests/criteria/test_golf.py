"""What release 8 of C4.5 computes on its golf data, to six digits.

The criterion gives gain and its naive twin the rest, which is the grower's affair.
"""

from math import log2

import pytest

from roctree.criteria import Entropy, GainRatio
from tests.naive import criteria as naive
from tests.naive.gain_ratio import choose, nominal_candidate, numeric_candidate

OUTLOOK = [0, 0, 1, 2, 2, 2, 1, 0, 0, 2, 0, 1, 1, 2]  # sunny, overcast, rain
TEMPERATURE = [85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71]
HUMIDITY = [85, 90, 78, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 80]
WINDY = [0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1]
PLAY = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1]  # 0 plays, 1 does not
ONES = [1.0] * 14


def near(value):
    return pytest.approx(value, abs=6e-7)


def numeric(column, rows=range(14), **options):
    values, labels = [column[row] for row in rows], [PLAY[row] for row in rows]
    return numeric_candidate(values, labels, 2, [1.0] * len(labels), **options)


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
    sunny = [row for row in range(14) if OUTLOOK[row] == 0]
    humidity = numeric(HUMIDITY, sunny)
    assert numeric(HUMIDITY, sunny, penalty=False).gain == near(0.970951)
    assert (humidity.threshold, humidity.tries) == (77.5, 2)
    assert (humidity.gain, humidity.ratio) == (near(0.770951), near(0.794016))


def test_temperature_of_the_sunny_days_of_golf():
    sunny = [row for row in range(14) if OUTLOOK[row] == 0]
    assert numeric(TEMPERATURE, sunny, penalty=False).gain == near(0.419973)
    assert numeric(TEMPERATURE, sunny).gain == near(0.219973)


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
