"""Trees of release 8 of C4.5, pruned or not, and of Weka where it does not collapse."""

import numpy as np
import pytest

from roctree import presets
from roctree.criteria import GainRatio
from roctree.data.dataset import Dataset
from roctree.pruning import ErrorBased
from roctree.tree.growth import GrowthRules, grow
from roctree.tree.shape import collapse, observed_thresholds
from tests.oracle.classify import training_errors
from tests.shared_data import oracle

OUTLOOK, TEMPERATURE, HUMIDITY, WINDY = range(4)
OVERCAST, RAIN, SUNNY = range(3)
GOLF = """sunny 85 85 false no, sunny 80 90 true no, overcast 83 78 false yes,
    rain 70 96 false yes, rain 68 80 false yes, rain 65 70 true no, overcast 64 65 true yes,
    sunny 72 95 false no, sunny 69 70 false yes, rain 75 80 false yes, sunny 75 70 true yes,
    overcast 72 90 true yes, overcast 81 75 false yes, rain 71 80 true no"""


@pytest.fixture
def golf():
    rows = [row.split() for row in GOLF.split(",")]
    table = [[outlook, float(t), float(h), windy] for outlook, t, h, windy, _ in rows]
    return Dataset.from_data(table, [play for *_, play in rows])


def c45(dataset):
    """Grow as release 8 of C4.5 does by default."""
    growth = GrowthRules(
        GainRatio(penalty=True),
        np.ones(dataset.schema.n_classes),
        nominal="multiway",
        missing="fractional",
        min_leaf=2,
        min_split=4,
        c45_numeric_minimum=True,
    )
    return grow(dataset, growth)


def sklearn_data(name):
    datasets = pytest.importorskip("sklearn.datasets")
    return Dataset.from_data(*getattr(datasets, f"load_{name}")(return_X_y=True))


def test_golf_splits_on_outlook_then_humidity_and_wind(golf):
    expected = oracle("definitions")["c45_r8_oracle"]["golf"]
    tree = c45(golf)
    assert tree.feature.tolist() == [OUTLOOK, -1, WINDY, HUMIDITY, -1, -1, -1, -1]
    assert tree.gain[0] == pytest.approx(expected["root"]["outlook"][0], abs=1e-6)
    sunny = 1 + SUNNY
    assert tree.threshold[sunny] == expected["sunny"]["humidity"][2]
    assert tree.gain[sunny] == pytest.approx(expected["sunny"]["humidity"][5], abs=1e-6)
    assert collapse(tree) == tree


def test_the_threshold_is_a_value_from_elsewhere_in_the_data(golf):
    expected = oracle("definitions")["c45_r8_oracle"]["golf"]["sunny"]["stored_threshold"]
    tree = observed_thresholds(c45(golf), golf.values, golf.schema.n_categories)
    assert tree.threshold[1 + SUNNY] == expected == 75


def test_a_golf_case_without_outlook_is_shared_among_the_leaves(golf):
    expected = oracle("definitions")["c45_r8_oracle"]["golf_missing_outlook_row12"]
    golf.values[11, OUTLOOK] = np.nan
    tree = c45(golf)
    assert tree.gain[0] == pytest.approx(expected["gain"], abs=1e-6)
    overcast, windy_rain, humid_sunny = 1 + OVERCAST, 5, 7
    assert tree.feature[[1 + RAIN, 1 + SUNNY]].tolist() == [WINDY, HUMIDITY]
    errors = tree.weight - tree.counts.max(axis=1)
    leaves = [overcast, humid_sunny, windy_rain]
    assert tree.weight[leaves] == pytest.approx([3.2, 3.4, 2.4], abs=0.05)
    assert errors[leaves] == pytest.approx([0.0, 0.4, 0.4], abs=0.05)


@pytest.mark.slow
def test_iris_and_wdbc_have_the_sizes_that_c45_prints():
    expected = oracle("definitions")["c45_r8_oracle"]
    iris = sklearn_data("iris")
    tree = collapse(c45(iris))
    assert tree.n_nodes == expected["iris_default"]["size"]
    assert training_errors(tree, iris) == expected["iris_default"]["train_err"]
    wdbc = collapse(c45(sklearn_data("breast_cancer")))
    assert wdbc.n_nodes == expected["wdbc_default"]["unpruned_size"]


def pruned_by_c45(name, **options):
    """Size and training errors of C4.5's pruned tree."""
    dataset = sklearn_data(name)
    tree = presets.c45(**options).fit(dataset.values, dataset.labels)
    wrong = tree.predict(dataset.values) != dataset.labels
    return [tree.tree_.n_nodes, int(wrong.sum())]


def test_iris_is_pruned_as_c45_prints_it():
    expected = oracle("definitions")["c45_r8_oracle"]["iris_default"]
    assert pruned_by_c45("iris") == [expected["size"], expected["train_err"]]


@pytest.mark.slow
def test_wdbc_is_pruned_as_c45_prints_it():
    expected = oracle("definitions")["c45_r8_oracle"]
    by_default, by_one_percent = expected["wdbc_default"], expected["wdbc_c1"]
    assert pruned_by_c45("breast_cancer") == [by_default["pruned_size"], by_default["pruned_err"]]
    one_percent = ErrorBased(cf=0.01, limit="c45", raising=True)
    assert pruned_by_c45("breast_cancer", pruning=one_percent) == [
        by_one_percent["pruned_size"],
        by_one_percent["pruned_err"],
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "key"), [("iris", "iris"), ("breast_cancer", "wdbc")])
def test_pruned_trees_are_those_of_the_newer_weka(name, key):
    expected = oracle("definitions")["weka_397_oracle"][key]["J48"]
    dataset = sklearn_data(name)
    tree = presets.j48().fit(dataset.values, dataset.labels).tree_
    assert [tree.n_leaves, tree.n_nodes, training_errors(tree, dataset)] == expected


@pytest.mark.slow
@pytest.mark.parametrize(("name", "key"), [("iris", "iris"), ("breast_cancer", "wdbc")])
def test_trees_that_do_not_collapse_are_those_of_weka(name, key):
    expected = oracle("definitions")["weka_397_oracle"][key]["J48 -U -O"]
    dataset = sklearn_data(name)
    tree = presets.j48(pruning="none", collapse=False).fit(dataset.values, dataset.labels).tree_
    assert [tree.n_leaves, tree.n_nodes, training_errors(tree, dataset)] == expected
