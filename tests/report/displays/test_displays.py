"""Plots by their structure: which lines there are, through which points, in which words."""

import itertools
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from roctree import ParameterError, ROCTreeClassifier
from roctree.report import (
    BrierCurveDisplay,
    CostCurveDisplay,
    CostPruningDisplay,
    LossCurveDisplay,
    ReliabilityDisplay,
    ROCHullDisplay,
)
from roctree.report.displays import (
    _STEP,
    _along,
    _inside,
    _pixels_of,
    _scores_of,
    _write_name,
)
from roctree.roc import Curve
from tests.report.displays.drawn import points_of, words

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
to_rgb = pytest.importorskip("matplotlib.colors").to_rgb
pyplot = pytest.importorskip("matplotlib.pyplot")

KINDS = [ROCHullDisplay, CostCurveDisplay]
each_kind = pytest.mark.parametrize("kind", KINDS)


class TestROCHull:
    def test_draws_curve_hull_and_labellings(self, tree, cases):
        display = ROCHullDisplay.from_estimator(tree, *cases)
        curve = tree.roc(*cases)
        expected = np.column_stack([curve.fpr, curve.tpr])
        assert np.allclose(points_of(display.line_), expected)
        assert np.allclose(points_of(display.labellings_), expected)
        hull = curve.hull()
        assert np.allclose(points_of(display.hull_), np.column_stack([hull.fpr, hull.tpr]))
        assert display.isocost_ is None
        assert display.band_ is None
        assert words(display)[:3] == [
            "chance",
            f"ROCTreeClassifier (AUC = {curve.auc:.3f})",
            f"{len(curve.fpr)} labellings",
        ]

    def test_all_labellings_are_mirrored_and_below_the_hull(self):
        # The leaves of Ferri, Flach and Hernández-Orallo (2002), figure 1.
        curve = Curve.from_leaves([5 / 6, 2 / 3, 3 / 8], [5, 4, 3], [1, 2, 5])
        display = ROCHullDisplay(curve, all_labellings=True).plot()
        found = {tuple(point) for point in points_of(display.all_labellings_).round(9).tolist()}
        assert len(found) == 8
        assert found == {(round(1 - x, 9), round(1 - y, 9)) for x, y in found}
        assert {(0.0, 0.0), (0.125, 0.416666667), (0.375, 0.75), (1.0, 1.0)} < found
        assert all(y <= np.interp(x, curve.fpr, curve.tpr) + 1e-9 for x, y in found)
        assert "all 8 labellings" in words(display)
        assert ROCHullDisplay(curve).plot().all_labellings_ is None
        assert ROCHullDisplay(curve).plot(all_labellings=True).all_labellings_ is not None

    def test_all_labellings_of_many_leaves_are_refused(self):
        curve = Curve.from_scores(np.arange(40) % 2, np.arange(40))
        with pytest.raises(ParameterError, match="at most 16 leaves"):
            ROCHullDisplay(curve).plot(all_labellings=True)

    def test_the_point_is_where_the_labels_are(self, tree, cases):
        X, y = cases
        other = tree.at(max_fpr=0.1, positive="play")
        found, truth = other.predict(X) == "play", y == "play"
        display = ROCHullDisplay.from_estimator(other, X, y)
        assert points_of(display.point_).tolist() == [[found[~truth].mean(), found[truth].mean()]]

    @pytest.mark.parametrize(("cost_fp", "cost_fn"), [(1, 1), (1, 20), (20, 1), (0, 1)])
    def test_the_line_of_equal_cost_touches_the_hull_and_stays_inside(
        self, tree, cases, cost_fp, cost_fn
    ):
        display = ROCHullDisplay.from_estimator(
            tree, *cases, cost_fp=cost_fp, cost_fn=cost_fn, positive="play"
        )
        ends = points_of(display.isocost_)
        assert ((ends >= -1e-9) & (ends <= 1.0 + 1e-9)).all()
        slope = np.divide(*(ends[1] - ends[0])[::-1])
        prior = (cases[1] == "play").mean()
        assert slope == pytest.approx(cost_fp * (1 - prior) / (cost_fn * prior))
        hull = points_of(display.hull_)
        above = ends[0, 1] + slope * (hull[:, 0] - ends[0, 0]) - hull[:, 1]
        assert above.min() == pytest.approx(0.0, abs=1e-9)

    def test_costs_of_the_operating_point_are_drawn_unless_others_are_given(self, tree, cases):
        other = tree.at(cost_fp=1, cost_fn=5, prior=0.3, positive="play")
        drawn = ROCHullDisplay.from_estimator(other, *cases)
        assert drawn.slope == pytest.approx(0.7 / 1.5)
        assert "equal cost (slope 0.467)" in words(drawn)
        assert ROCHullDisplay.from_estimator(other, *cases, prior=0.5).slope == 1.0
        assert ROCHullDisplay.from_estimator(tree.at(beta=1), *cases).slope is None
        assert ROCHullDisplay.from_estimator(other, *cases, positive="home").slope is None

    def test_the_positive_class_is_that_of_the_operating_point(self, tree, cases):
        display = ROCHullDisplay.from_estimator(tree.at(cost_fn=5, positive="home"), *cases)
        expected = tree.roc(*cases, positive="home")
        assert np.allclose(display.line_.get_ydata(), expected.tpr)

    @pytest.mark.parametrize("method", ["bootstrap", "fixed_width"])
    def test_the_band_encloses_the_curve(self, tree, cases, method):
        display = ROCHullDisplay.from_estimator(tree, *cases, band=method)
        assert "confidence band" in words(display)
        assert (display.band.low <= display.band.high).all()
        corners = display.band_.get_paths()[0].vertices
        assert corners.min() >= 0.0
        assert corners.max() <= 1.0

    def test_too_many_labellings_are_not_marked_unless_wanted(self):
        rng = np.random.default_rng(0)
        truth, scores = rng.integers(0, 2, 500), rng.random(500)
        assert ROCHullDisplay.from_predictions(truth, scores).labellings_ is None
        marked = ROCHullDisplay.from_predictions(truth, scores, labellings=True)
        assert len(marked.labellings_.get_xdata()) > 200

    def test_the_area_that_is_named_is_that_under_the_line_that_is_drawn(self, tree, cases):
        display = ROCHullDisplay.from_estimator(tree, *cases)
        corners = display.line_.get_path().vertices  # steps would have more of them than labellings
        area = np.trapezoid(corners[:, 1], corners[:, 0])
        assert area == pytest.approx(display.curves[0].auc)
        assert f"AUC = {area:.3f}" in display.line_.get_label()

    def test_steps_go_through_what_labels_without_chance_achieve(self, tree, cases):
        stepped = ROCHullDisplay.from_estimator(tree, *cases, drawstyle="steps-post")
        assert stepped.line_.get_drawstyle() == "steps-post"

    def test_folds_are_drawn_with_their_mean(self, cases):
        results = cross_validate(
            ROCTreeClassifier(max_depth=3), *cases, cv=4, return_estimator=True, return_indices=True
        )
        display = ROCHullDisplay.from_cv_results(results, *cases, name="tree")
        assert len(display.line_) == 4
        areas = [curve.auc for curve in display.curves]
        facts = f"mean, AUC = {np.mean(areas):.3f} ± {np.std(areas):.3f}"
        assert words(display) == ["chance", "4 folds", f"tree ({facts})"]
        mean = points_of(display.mean_)
        assert (np.diff(mean, axis=0) >= -1e-12).all()
        assert mean[0].tolist() == [0.0, 0.0]
        assert mean[-1].tolist() == [1.0, 1.0]

    def test_the_square_is_shown_whole(self, tree, cases):
        ax = ROCHullDisplay.from_estimator(tree, *cases).ax_
        assert ax.get_xlim() == ax.get_ylim() == (-0.02, 1.02)
        assert ax.get_aspect() == 1.0
        assert ax.get_ylabel().startswith("true positive rate")

    def test_axes_name_the_positive_class(self, tree, cases):
        positive = tree.classes_[0]
        by_tree = ROCHullDisplay.from_estimator(tree, *cases, positive=positive)
        by_scores = ROCHullDisplay.from_predictions(cases[1], tree.predict_proba(cases[0])[:, 1])
        assert by_tree.ax_.get_xlabel() == f"false positive rate (positive: {positive})"
        assert by_scores.ax_.get_ylabel() == f"true positive rate (positive: {tree.classes_[1]})"
        costs = CostCurveDisplay.from_estimator(tree, *cases, positive=tree.classes_[1])
        assert costs.ax_.get_xlabel().endswith(f"(positive: {tree.classes_[1]})")


class TestReliability:
    def test_the_line_is_the_isotonic_regression_and_leaves_have_dots(self, tree, cases):
        X, y = cases
        display = ReliabilityDisplay.from_estimator(tree, X, y)
        pools = display.curves[0].reliability()
        (line,) = display.lines_
        assert np.allclose(line.get_ydata(), np.repeat(pools.probability, 2))
        shown = display.dots_.get_offsets()
        counts = display.curves[0].positives + display.curves[0].negatives
        assert len(shown) == (counts >= 10).sum()
        assert f"miscalibration {pools.miscalibration:.4f}" in line.get_label()

    def test_folds_have_a_line_each(self):
        curve = Curve.from_leaves([0.9, 0.4, 0.1], [8, 3, 1], [1, 4, 7])
        display = ReliabilityDisplay([curve, curve]).plot(level=0.9)
        assert len(display.lines_) == 2
        assert display.dots_ is display.intervals_ is None


class TestLossCurves:
    def test_the_area_under_a_brier_curve_is_the_brier_score(self, tree, cases):
        X, y = cases
        display = BrierCurveDisplay.from_estimator(tree, X, y, positive="play")
        column = list(tree.classes_).index("play")
        score = np.mean((tree.predict_proba(X)[:, column] - (y == "play")) ** 2)
        assert words(display)[0] == f"ROCTreeClassifier (score-driven, Brier score {score:.4f})"
        cost, loss = points_of(display.lines_["score_driven"]).T
        assert np.trapezoid(loss, cost) == pytest.approx(score)
        assert list(display.lines_) == ["score_driven", "optimal"]

    def test_draws_scored_cases_and_folds(self):
        y, scores = np.arange(20) % 2, np.linspace(0.0, 1.0, 20)
        display = LossCurveDisplay.from_predictions(y, scores)
        assert list(display.lines_) == ["score_driven", "rate_driven", "optimal"]
        curve = Curve.from_scores(y, scores)
        choices = ("fixed", "rate_driven")
        folds = LossCurveDisplay([curve, curve], choices=choices).plot(threshold=0.3)
        assert [len(folds.lines_[choice]) for choice in choices] == [2, 2]

    def test_a_brier_curve_needs_probabilities(self):
        with pytest.raises(ParameterError, match="need probabilities"):
            BrierCurveDisplay.from_predictions([0, 1], [0.0, 2.0])


class TestCostCurve:
    def test_draws_the_least_cost_and_the_trivial_labels(self, tree, cases):
        display = CostCurveDisplay.from_estimator(tree, *cases)
        costs = tree.roc(*cases).cost_curve()
        assert np.allclose(points_of(display.line_), np.column_stack(costs))
        assert [points_of(line).tolist() for line in display.trivial_] == [
            [[0, 0], [1, 1]],
            [[0, 1], [1, 0]],
        ]
        assert f"ROCTreeClassifier (least cost, mean {costs.area:.3f})" in words(display)

    def test_the_least_cost_is_below_every_labelling(self, tree, cases):
        display = CostCurveDisplay.from_estimator(tree, *cases)
        weight, cost = display.line_.get_data()
        lines = points_of(display.labellings_).reshape(-1, 3, 2)
        for (_, low), (_, high), _ in lines:
            assert (cost <= low + weight * (high - low) + 1e-9).all()

    def test_labels_that_do_not_change_are_a_line_from_one_rate_to_the_other(self, tree, cases):
        display = CostCurveDisplay.from_estimator(tree.at(max_fpr=0.1), *cases)
        fpr, tpr = display.point
        assert points_of(display.point_).tolist() == [[0.0, fpr], [1.0, 1.0 - tpr]]

    def test_the_costs_at_hand_are_a_place_on_the_axis(self, tree, cases):
        display = CostCurveDisplay.from_estimator(tree, *cases, cost_fp=1, cost_fn=3, prior=0.5)
        assert display.weight == 0.75
        assert list(display.weight_.get_xdata()) == [0.75, 0.75]
        assert CostCurveDisplay.from_estimator(tree, *cases).weight_ is None

    def test_folds_are_drawn_with_their_mean(self, cases):
        results = cross_validate(
            ROCTreeClassifier(max_depth=3), *cases, cv=3, return_estimator=True, return_indices=True
        )
        display = CostCurveDisplay.from_cv_results(results, *cases)
        assert len(display.line_) == 3
        assert words(display)[2] == "3 folds"
        assert display.mean_.get_ydata().max() <= 0.5


@each_kind
def test_scored_cases_give_the_curve_of_the_scores(kind, cases, tree):
    X, y = cases
    scores = tree.predict_proba(X)[:, 1]
    display = kind.from_predictions(y, scores, positive="play", cost_fn=2, name="scores")
    assert display.curves[0].auc == Curve.from_scores(y, scores, positive="play").auc
    assert any("scores (" in text for text in words(display))


@each_kind
@pytest.mark.parametrize("other", [GaussianNB(), RidgeClassifier()], ids=["proba", "decision"])
def test_other_classifiers_are_drawn_by_their_scores(kind, other):
    X, y = load_iris(return_X_y=True)
    other = other.fit(X[50:], y[50:])
    for positive in (None, 1):
        display = kind.from_estimator(other, X[50:], y[50:], positive=positive)
        assert display.curves[0].auc > 0.9


@each_kind
def test_one_of_several_classes_is_drawn_against_the_rest(kind):
    X, y = load_iris(return_X_y=True)
    tree = ROCTreeClassifier(max_depth=2).fit(X, y)
    with pytest.raises(ParameterError, match="There are 3 classes: give positive="):
        kind.from_estimator(tree, X, y)
    with pytest.raises(ParameterError, match="positive=7 is not a class; the classes are"):
        kind.from_estimator(tree, X, y, positive=7)
    display = kind.from_estimator(tree, X, y, positive=0)
    assert display.curves[0].auc == 1.0
    assert tuple(display.point) == (0.0, 1.0)


@each_kind
def test_axes_that_are_given_are_drawn_on_and_the_display_returned(kind, tree, cases):
    figure, (left, right) = pyplot.subplots(1, 2)
    display = kind.from_estimator(tree, *cases, ax=left)
    assert (display.ax_, display.figure_) == (left, figure)
    assert display.plot(ax=right, name="again") is display
    assert display.ax_ is right
    assert len(pyplot.get_fignums()) == 1
    assert any("again" in text for text in words(display))


@each_kind
def test_lines_differ_in_more_than_colour(kind, tree, cases):
    other = tree.at(cost_fp=1, cost_fn=3)
    display = kind.from_estimator(other, *cases)
    looks = [
        (line.get_linestyle(), line.get_marker(), line.get_linewidth())
        for line in display.ax_.get_lines()
    ]
    assert len(set(looks)) == len(looks)


@each_kind
def test_options_reach_the_line(kind, tree, cases):
    display = kind.from_estimator(tree, *cases, linewidth=5, color="red")
    assert (display.line_.get_linewidth(), display.line_.get_color()) == (5, "red")


@each_kind
def test_results_without_estimators_are_refused(kind, cases):
    with pytest.raises(ParameterError, match="return_estimator=True, return_indices=True"):
        kind.from_cv_results({"test_score": [1.0]}, *cases)


@each_kind
def test_costs_without_a_line_are_refused(kind, tree, cases):
    with pytest.raises(ParameterError, match="do not define a line of equal cost"):
        kind.from_estimator(tree, *cases, cost_fn=0)


@each_kind
def test_it_can_be_drawn_to_a_file(kind, tree, cases, tmp_path):
    kind.from_estimator(tree, *cases, cost_fn=2).figure_.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 5000


@pytest.mark.parametrize("kind", [*KINDS, CostPruningDisplay])
@pytest.mark.parametrize("curves", [None, [], "curve", [None]])
def test_what_is_no_curve_is_refused(kind, curves):
    with pytest.raises(ParameterError, match="cannot be drawn"):
        kind(curves)


@each_kind
def test_weights_count_as_copies(kind, tree, cases):
    X, y = cases
    weights = 1 + np.arange(len(y)) % 3
    drawn = kind.from_estimator(tree, X, y, sample_weight=weights)
    copies = np.repeat(np.arange(len(y)), weights)
    expected = kind.from_estimator(tree, X.iloc[copies], y[copies])
    assert np.allclose(points_of(drawn.line_), points_of(expected.line_))
    assert drawn.point == pytest.approx(expected.point)
    found = cross_validate(tree, X, y, cv=3, return_estimator=True, return_indices=True)
    folds = kind.from_cv_results(found, X, y, sample_weight=weights)
    assert len(folds.curves) == 3
    assert sum(curve.n_positive for curve in folds.curves) == weights[y == "play"].sum()


@pytest.mark.parametrize("kind", [*KINDS])
def test_a_classifier_that_is_not_fitted_is_refused(kind, cases):
    with pytest.raises(ParameterError, match="fit a classifier first"):
        kind.from_estimator(ROCTreeClassifier(), *cases)


@each_kind
def test_cases_of_one_class_are_refused(kind, tree, cases):
    X, y = cases
    with pytest.raises(ValueError, match="a plot of rates needs both"):
        kind.from_estimator(tree, X[y == "play"], y[y == "play"])


@each_kind
def test_the_name_that_scikit_learn_has_for_the_positive_class_is_explained(kind, tree, cases):
    with pytest.raises(ParameterError, match="give positive='home'"):
        kind.from_estimator(tree, *cases, pos_label="home")


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "roctree\[plot\]"') as raised:
        ROCHullDisplay.from_predictions([0, 1], [0.1, 0.9])
    assert "\n" not in str(raised.value)


def test_displays_are_imported_without_matplotlib():
    script = "import sys; from roctree import ROCHullDisplay; print('matplotlib' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def two_folds():
    one = Curve.from_leaves([0.9, 0.5, 0.1], [5, 3, 1], [1, 2, 5])
    other = Curve.from_leaves([0.8, 0.4, 0.2], [4, 4, 1], [0, 3, 5])
    return [one, other]


def test_the_mean_of_folds_is_drawn_from_0_to_1_and_labellings_are_not():
    first, second = two_folds()
    for kind in KINDS:
        display = kind([first, second]).plot()
        x, y = points_of(display.mean_).T
        assert (x[0], x[-1]) == (0.0, 1.0)
        assert np.diff(x).max() < 0.01
        assert len(display.line_) == 2
        assert display.labellings_ is None
    grid = np.linspace(0.0, 1.0, 11)
    expected = np.mean([np.interp(grid, each.fpr, each.tpr) for each in (first, second)], axis=0)
    x, y = points_of(ROCHullDisplay([first, second]).plot().mean_).T
    assert np.interp(grid, x[1:], y[1:]) == pytest.approx(expected)


def test_reliability_names_its_intervals_and_dots():
    found = words(ReliabilityDisplay(two_folds()[0]).plot())
    assert "95% interval" in found
    assert "cases of one probability" in found


@each_kind
def test_a_classifier_that_only_predicts_labels_cannot_be_drawn(kind, cases):
    class Majority:
        classes_ = np.unique(cases[1])

        def predict(self, X):
            return np.full(len(X), self.classes_[0])

    with pytest.raises(ParameterError, match="Majority has neither predict_proba nor decision_fun"):
        kind.from_estimator(Majority(), *cases)


def names_of(ax):
    """The names that are written beside lines, and their places in pixels."""
    ax.figure.canvas.draw()
    found = [text for text in ax.texts if text.get_gid() == "roctree-label"]
    return {text.get_text(): (text, text.get_window_extent()) for text in found}


@pytest.mark.parametrize(
    "kind", [*KINDS, BrierCurveDisplay, LossCurveDisplay, ReliabilityDisplay, CostPruningDisplay]
)
def test_lines_are_named_beside_them_and_names_lie_on_nothing(kind, tree, cases):
    other = tree.at(cost_fp=1, cost_fn=3, positive="play")
    ax = kind.from_estimator(other, *cases).ax_
    labels = ax.get_legend_handles_labels()[1]
    found, legend = names_of(ax), ax.get_legend()
    rest = [] if legend is None else [text.get_text() for text in legend.get_texts()]
    assert sorted([*found, *rest]) == sorted(set(labels))
    # The line that the display is about is named beside it, in its colour.
    assert len(found) > len(rest)
    boxes = [box for _, box in found.values()]
    for place, box in enumerate(boxes):
        assert not any(box.overlaps(each) for each in boxes[:place])
        assert legend is None or not box.overlaps(legend.get_window_extent())
        assert ax.bbox.x0 <= box.x0
        assert box.x1 <= ax.bbox.x1
        assert ax.bbox.y0 <= box.y0
        assert box.y1 <= ax.bbox.y1


def test_names_stay_off_the_width_of_the_hull():
    curve = Curve.from_leaves([5 / 6, 2 / 3, 3 / 8], positives=[5, 4, 3], negatives=[1, 2, 5])
    display = ROCHullDisplay(curve, all_labellings=True).plot()
    found = names_of(display.ax_)
    (hull,) = [line for line in display.ax_.lines if line.get_label().startswith("hull")]
    half = hull.get_linewidth() / 2 * display.figure_.dpi / 72
    assert half > 3
    corners = display.ax_.transData.transform(np.column_stack(hull.get_data()))
    steps = np.linspace(0, 1, 200)[:, None]
    line = np.concatenate([a + (b - a) * steps for a, b in itertools.pairwise(corners)])
    for text, box in found.values():
        x, y = np.clip(line, box.min, box.max).T
        assert np.hypot(*(line - np.column_stack([x, y])).T).min() > half - 1, text


def test_a_name_within_half_the_width_of_a_line_lies_on_it():
    box = np.array([10.0, 10.0, 20.0, 20.0])
    assert _inside(box, np.array([[20.5, 15.0], [15.0, 9.5], [21.5, 15.0]])) == 2


@pytest.mark.parametrize("dpi", [72, 200])
def test_a_name_stands_where_room_was_found_for_it(dpi):
    ax, taken = pyplot.figure(dpi=dpi).add_subplot(), []
    (line,) = ax.plot([0.0, 1.0], [0.0, 1.0])
    assert _write_name(ax, line, "a name", 0, [_pixels_of(ax, line)], taken)
    (text,), (room,) = ax.texts, taken
    assert text.get_window_extent().extents == pytest.approx(room, abs=dpi / 72)


def test_lines_are_followed_in_even_steps_and_gaps_are_left_out():
    corners = np.array([[0.0, 0.0], [30.0, 40.0], [np.nan, 0.0], [90.0, 0.0], [90.0, 1.0]])
    found = _along(corners)
    assert found[-1].tolist() == [90.0, 1.0]
    steps = np.hypot(*np.diff(found[:-1], axis=0).T)
    assert steps.sum() == pytest.approx(50.0)
    assert steps == pytest.approx(50.0 / np.ceil(50.0 / _STEP))


def test_a_name_has_the_colour_of_its_line_and_is_near_it(tree, cases):
    ax = ROCHullDisplay.from_estimator(tree, *cases).ax_
    found = names_of(ax)
    for line, label in zip(*ax.get_legend_handles_labels(), strict=True):
        if label in found:
            text, box = found[label]
            assert text.get_color() == to_rgb(line.get_color())
            corners = ax.transData.transform(line.get_xydata())
            steps = np.linspace(0.0, 1.0, 200)[:, None, None]
            points = (corners[:-1] + steps * np.diff(corners, axis=0)).reshape(-1, 2)
            apart = np.maximum(np.maximum(box.min - points, points - box.max), 0.0)
            assert np.hypot(*apart.T).min() < 45


def test_displays_that_share_axes_name_every_line_once(tree, cases):
    first = ROCHullDisplay.from_estimator(tree, *cases, name="one")
    ROCHullDisplay.from_estimator(tree.pruned("pessimistic"), *cases, name="two", ax=first.ax_)
    found = names_of(first.ax_)
    rest = first.ax_.get_legend()
    every = [*found, *([] if rest is None else [text.get_text() for text in rest.get_texts()])]
    assert every.count("chance") == 1
    assert sum(name.startswith("one (AUC") for name in every) == 1
    assert sum(name.startswith("two (AUC") for name in every) == 1


def test_decisions_between_two_classes_are_scores_of_either_class():
    X, y = load_iris(return_X_y=True)
    classifier = RidgeClassifier().fit(X[:100], y[:100])
    decisions = classifier.decision_function(X[:100])
    np.testing.assert_array_equal(_scores_of(classifier, X[:100], 1), decisions)
    np.testing.assert_array_equal(_scores_of(classifier, X[:100], 0), -decisions)
