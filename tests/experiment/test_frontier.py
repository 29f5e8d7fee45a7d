"""Size against quality."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import roctree
from roctree import DataError, ParameterError
from roctree.experiment.frontier import WAYS, TrainingFold
from tests.estimator import weather

IRIS = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def small():
    X, y = weather.frame(150)
    return roctree.frontier(X, y, leaves=[8, 2], folds=2)


@pytest.mark.parametrize("way", WAYS)
def test_no_tree_has_more_leaves_than_allowed(way):
    trees = list(WAYS[way](TrainingFold(*IRIS, [2, 5], {}, 0)))
    assert [tree.get_n_leaves() for tree in trees] <= [2, 5]
    assert trees[0].get_n_leaves() == 2


def test_all_ways_and_sizes_are_tried(small):
    assert small.ways == list(WAYS)
    for way in WAYS:
        assert [point.max_leaves for point in small.of(way)] == [2, 8]
    for point in small.points:
        assert 0.5 < point.auc < 1.0
        assert 0.0 < point.log_loss < 1.0
        assert 0.0 < point.cost < 0.5
        assert point.n_leaves <= point.max_leaves


def test_the_table_is_available_as_text_html_and_data_frame(small):
    lines = small.to_text().splitlines()
    assert lines[0].split() == ["way", "at", "most", "leaves", "AUC", "±", "log-loss", "cost"]
    assert len(lines) == 1 + len(small.points)
    assert "<table>" in small._repr_html_()
    pytest.importorskip("pandas")
    assert small.to_pandas().way.tolist() == [point.way for point in small.points]


def test_costs_count_by_class():
    X, y = weather.complete(150)
    options = {"leaves": [4], "ways": ["best_first"], "folds": 2}
    costs = {"play": {"home": 1.0}, "home": {"play": 0.0}}
    (point,) = roctree.frontier(X, y, cost_matrix=costs, **options).points
    # Predicting "home" costs nothing.
    assert point.cost == 0.0


def test_the_progress_callback_counts_trees():
    told = []
    options = {"leaves": [2, 3], "ways": ["best_first"], "folds": 2}
    roctree.frontier(*IRIS, progress=lambda *numbers: told.append(numbers), **options)
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_invalid_options_are_rejected():
    with pytest.raises(ParameterError, match=r"ways='softly' is not known .*did you mean 'soft'"):
        roctree.frontier(*IRIS, ways=["softly"])
    with pytest.raises(ParameterError, match=r"leaves=\[0\] is not allowed"):
        roctree.frontier(*IRIS, leaves=[0])
    with pytest.raises(DataError, match="only one class"):
        roctree.frontier(np.ones((9, 1)), np.ones(9))


BAD = [
    ({"leaves": [4.5]}, "integers of at least 1"),
    ({"leaves": [np.inf]}, "integers of at least 1"),
    ({"leaves": []}, "integers of at least 1"),
    ({"leaves": "4,8"}, "integers of at least 1"),
    ({"max_leaf_nodes": 5}, "max_leaf_nodes is varied by frontier: use leaves"),
    ({"growth": "best_first"}, "growth is varied by frontier: use ways"),
    ({"ranking": "leaf"}, "ranking is varied by frontier: use ways"),
    ({"ways": []}, r"ways=\[\] is empty"),
    ({"ways": 5}, "ways=5 is not known"),
    ({"depth": 5}, "'depth' is not a parameter"),
    ({"criterion": "goodness"}, "criterion"),
    ({"folds": 1}, "folds=1"),
    ({"random_state": -1}, "random_state=-1 is not a seed"),
    ({"progress": True}, "progress=True must be a function"),
    ({"cost_matrix": [[0, 1]]}, "cost_matrix"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=str)
def test_wrong_options_are_rejected_before_any_tree_is_grown(options, message, monkeypatch):
    monkeypatch.setattr(roctree.ROCTreeClassifier, "fit", None)
    with pytest.raises(ParameterError, match=message):
        roctree.frontier(*IRIS, **options)


def test_one_size_and_one_way_need_no_list():
    (point,) = roctree.frontier(*IRIS, leaves=3, ways="best_first", folds=2).points
    assert (point.way, point.max_leaves) == ("best_first", 3)


def test_duplicate_ways_are_tried_once():
    options = {"leaves": 2, "folds": 2}
    (point,) = roctree.frontier(*IRIS, ways=["best_first", "best_first"], **options).points
    assert (point,) == roctree.frontier(*IRIS, ways="best_first", **options).points


def test_a_class_needs_two_cases_and_rows_need_labels():
    X, y = IRIS
    with pytest.raises(DataError, match="only one case of class 9"):
        roctree.frontier(X, np.append(y[1:], 9))
    with pytest.raises(DataError):
        roctree.frontier(X[:100], y)


def test_folds_without_a_rare_class_are_left_out_of_the_mean_area():
    rare = np.where(np.isin(np.arange(150), (10, 90, 120)), "rare", "usual")
    (point,) = roctree.frontier(IRIS[0], rare, leaves=[3], ways=["best_first"]).points
    assert 0.0 <= point.auc <= 1.0
    assert np.isfinite(point.auc_deviation)


def test_no_two_ways_look_alike(small):
    pytest.importorskip("matplotlib").use("Agg")
    lines = roctree.FrontierDisplay(small).plot().lines_
    looks = {(line.get_color(), line.get_linestyle()) for line in lines}
    assert len(looks) == len({line.get_color() for line in lines}) == len(lines)


def test_a_line_is_drawn_for_each_way(small):
    pytest.importorskip("matplotlib").use("Agg")
    display = roctree.FrontierDisplay(small).plot("log_loss")
    assert len(display.lines_) == len(WAYS)
    assert display.ax_.get_ylabel() == "log-loss"
    with pytest.raises(ParameterError, match="measure='error' is not known"):
        display.plot("error")


def test_lines_carry_their_names_apart_and_the_deviations_of_the_folds(small):
    pytest.importorskip("matplotlib").use("Agg")
    display = roctree.FrontierDisplay(small).plot()
    assert display.ax_.get_legend() is None
    names = {text.get_text(): text for text in display.ax_.texts}
    assert set(names) == {line.get_label() for line in display.lines_}
    for line in display.lines_:
        assert names[line.get_label()].xy == (line.get_xdata()[-1], line.get_ydata()[-1])
    display.figure_.canvas.draw()
    places = sorted(text.get_window_extent().y0 for text in names.values())
    assert np.diff(places).min() > 8
    bars = [each for each in display.ax_.containers if len(each) == 3]
    assert len(bars) == len(WAYS)
