"""The plot of a tree pruned under one ratio of costs after another, by its structure."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_validate

from roctree import CostPruningDisplay, DataError, ParameterError, ROCTreeClassifier
from roctree.pruning import curve_of_labels
from tests.report.displays.drawn import points_of, words

pytest.importorskip("matplotlib").use("Agg")


class TestCostPruning:
    """Five costs and four trees; the second is below the hull."""

    CURVE = SimpleNamespace(
        fpr=np.array([0.0, 0.1, 0.2, 0.5, 1.0]),
        tpr=np.array([0.0, 0.2, 0.7, 0.9, 1.0]),
        cost_ratio=np.array([0.1, 0.5, 1.0, 4.0, 16.0]),
        on_hull=np.array([True, False, True, True, True]),
        positive="ill",
    )

    def test_draws_the_trees_the_hull_and_equal_costs(self):
        display = CostPruningDisplay(self.CURVE, name="tree").plot()
        expected = np.column_stack([self.CURVE.fpr, self.CURVE.tpr])
        assert np.allclose(points_of(display.line_), expected)
        assert np.allclose(points_of(display.hull_), expected[self.CURVE.on_hull])
        assert points_of(display.equal_).tolist() == [[0.2, 0.7]]
        assert display.equal_.get_marker() == "x"
        assert display.ax_.get_xlabel() == "false positive rate (positive: ill)"
        assert [text.get_text() for text in display.ratios_] == ["0.1", "1", "4", "16"]
        assert CostPruningDisplay(self.CURVE).plot(ratios=False).ratios_ == []

    def test_the_hull_begins_and_ends_with_a_tree_of_one_leaf(self):
        one = SimpleNamespace(**{name: values[2:3] for name, values in vars(self.CURVE).items()})
        display = CostPruningDisplay(one).plot()
        assert points_of(display.hull_).tolist() == [[0.0, 0.0], [0.2, 0.7], [1.0, 1.0]]

    def test_ratios_of_trees_that_lie_close_are_not_written_over_each_other(self):
        close = SimpleNamespace(
            fpr=np.array([0.2, 0.21, 0.21]), tpr=np.array([0.7, 0.71, 0.71]),
            cost_ratio=np.array([1.0, 2.0, 3.0]), on_hull=np.ones(3, dtype=bool), positive="ill",
        )  # fmt: skip
        written = CostPruningDisplay(close).plot().ratios_
        assert [text.get_text() for text in written] == ["1"]

    def test_a_tree_is_asked_for_its_curve(self):
        X, y = load_breast_cancer(return_X_y=True)
        tree = ROCTreeClassifier(min_samples_leaf=5).fit(X, y)
        display = CostPruningDisplay.from_estimator(tree, X, y, pruning={"m": 8})
        expected = tree.cost_pruning_curve(X_test=X, y_test=y, m=8)
        assert np.array_equal(display.curve.cost_ratio, expected.cost_ratio)
        assert np.array_equal(display.curve.on_hull, expected.on_hull)
        assert points_of(display.line_).shape == (len(expected), 2)


def pairs_and_labels(tree, cases):
    costs = [(1, 4), (1, 1), (4, 1)]
    return costs, [tree.at(cost_fn=miss, cost_fp=alarm).predict(cases[0]) for miss, alarm in costs]


def test_cost_pruning_draws_labels_that_were_given_under_costs(tree, cases):
    costs, labels = pairs_and_labels(tree, cases)
    display = CostPruningDisplay.from_predictions(cases[1], labels, costs, positive="play")
    rates = [[(each[cases[1] == name] == "play").mean() for name in ("home", "play")]
             for each in labels]  # fmt: skip
    assert np.allclose(points_of(display.line_), sorted(rates))
    assert points_of(display.equal_).tolist() == [rates[1]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"positive": "rain"}, "is not a class"),
        ({"costs": [(1, 1)]}, "give the labels of all cases for each pair"),
        ({"costs": "many"}, "must be a list of pairs"),
    ],
)
def test_cost_pruning_refuses_what_does_not_fit(tree, cases, changes, message):
    costs, labels = pairs_and_labels(tree, cases)
    given = {"costs": costs, "positive": None} | changes
    with pytest.raises(ValueError, match=message):
        CostPruningDisplay.from_predictions(cases[1], labels, **given)


def test_cost_pruning_refuses_labels_that_are_no_classes(tree, cases):
    costs, labels = pairs_and_labels(tree, cases)
    with pytest.raises(DataError, match="'playing', which is not a class of y"):
        CostPruningDisplay.from_predictions(cases[1], [["playing"] * 300, *labels[1:]], costs)


def test_a_mean_is_of_curves_of_the_same_costs_and_positive_class(tree, cases):
    def curve(costs, **options):
        return tree.cost_pruning_curve(costs, *cases, **options)

    for others in (curve([(100, 100)]), curve([(1, 1)], positive="play")):
        with pytest.raises(ParameterError, match="same costs and the same positive class"):
            CostPruningDisplay([curve([(1, 1)]), others])
    costs, labels = pairs_and_labels(tree, cases)
    given = curve_of_labels(cases[1], labels, costs)
    assert CostPruningDisplay((given, given)).curve.tpr.tolist() == given.tpr.tolist()


def test_cost_pruning_draws_the_mean_of_folds(cases):
    found = cross_validate(
        ROCTreeClassifier(), *cases, cv=3, return_estimator=True, return_indices=True
    )
    display = CostPruningDisplay.from_cv_results(found, *cases)
    assert len(display.folds_) == 3
    each = np.array([[curve.fpr, curve.tpr] for curve in display.curves])
    mean = sorted(map(tuple, each.mean(axis=0).T))
    assert np.allclose(points_of(display.line_), mean)
    assert "3 folds" in words(display)


def test_cost_pruning_marks_equal_costs_only_where_they_were_tried(tree, cases):
    display = CostPruningDisplay.from_estimator(tree, *cases, pruning={"costs": [2, 4]})
    assert display.equal_ is None
