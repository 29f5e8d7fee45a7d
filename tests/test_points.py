"""Points beside a tree: laws, and agreement with a plain reference."""

import math

import numpy as np
import pandas as pd
import pytest

import roctree
from roctree import ROCTreeClassifier, presets
from roctree.errors import ParameterError
from roctree.files.fitted_tree import write
from roctree.points import (
    POINTS,
    AttributePoints,
    Points,
    PointsCases,
    RidgeRegression,
    Scorecard,
    basis_of,
    learn_points,
    softmax,
    tree_scores,
)
from roctree.points import resolve as resolve_points
from roctree.roc import mauc
from roctree.scorecard import FittedScorecard
from tests.estimator import weather
from tests.naive import points as naive

KINDS = {
    "linear": Points(),
    "curves": Points(shape="curves"),
    "free": Points(shape="curves", tree_weight="free"),
    "three attributes": Points(max_attributes=3),
    "whole": Points(integer=True),
}


def additive(n_rows=300, n_classes=2, seed=0):
    """Many weak effects, a category and missing values: what a small tree cannot hold."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 5)).round(2), columns=list("abcde"))
    X["kind"] = rng.choice(["x", "y", "z"], n_rows)
    score = X[list("abcde")].sum(axis=1) + (X.kind == "x") * 1.5 + rng.logistic(size=n_rows)
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    X = X.mask(rng.random(X.shape) < 0.05)
    return X, np.array(["no", "yes", "perhaps"])[y]


def small_tree(points, **parameters):
    return presets.readable(max_leaf_nodes=4, points=points, **parameters)


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    return KINDS[request.param]


@pytest.fixture(scope="module", params=[2, 3])
def fitted(request, kind):
    X, y = additive(n_classes=request.param)
    return small_tree(kind).fit(X, y), X, y


def problem_of(n_classes, points, seed=0):
    X, y = additive(80, n_classes, seed)
    data = ROCTreeClassifier().fit(X, y).fitted_.dataset(X, y)
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(n_classes) * 3, 80)
    weights = rng.integers(1, 4, 80).astype(float)
    labels = data.labels.astype(np.int64)
    return PointsCases(data.values, labels, weights, shares, np.arange(80) % 5), data.schema


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("points", [Points("curves"), Points("curves", tree_weight="free")])
def test_the_solution_is_the_minimum_of_the_plain_objective(n_classes, points):
    cases, schema = problem_of(n_classes, points)
    bases = [basis_of(points, cases, schema, feature) for feature in range(schema.n_features)]
    problem = RidgeRegression.of(points, cases, bases, tree_scores(cases.shares))
    problem.solve(3.0)
    by_attribute, intercept, weight = problem.coefficients()
    coefficients = np.concatenate(by_attribute, axis=1)
    if n_classes == 2:
        # Halves of opposite sign, as in the symmetric form of the plain objective.
        coefficients, intercept = (
            np.concatenate([-each, each]) / 2 for each in (coefficients, intercept)
        )
    columns = np.concatenate(
        [basis.columns(cases.values[:, basis.feature]) for basis in bases]
    ).T.tolist()
    plain = list(zip(cases.shares.tolist(), columns, cases.labels, cases.weights, strict=True))
    free = points.tree_weight == "free"

    def value(weight, intercept, coefficients):
        return naive.objective(plain, weight, intercept, coefficients, 3.0, free)

    least = value(weight, intercept, coefficients)
    rng = np.random.default_rng(1)
    for _ in range(12):
        change = rng.normal(size=coefficients.shape) * 0.05
        level = rng.normal(size=intercept.shape) * 0.05
        more = rng.normal() * 0.05 * free
        assert value(weight + more, intercept + level, coefficients + change) > least
    assert least == pytest.approx(
        value(weight * (1 + 1e-4 * free), intercept, coefficients), rel=1e-6
    )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("shape", ["linear", "curves"])
def test_points_by_segment_are_those_of_the_plain_columns(shape, n_classes):
    points = Points(shape)
    cases, schema = problem_of(n_classes, points)
    rng = np.random.default_rng(3)
    for feature in range(schema.n_features):
        basis = basis_of(points, cases, schema, feature)
        coefficients = rng.normal(size=(2, basis.n_columns))
        categories = schema.categories[feature]
        found = basis.attribute_points(coefficients, len(categories or ()))
        if categories is None:
            names = [(0, "value", None), *((0, "hinge", bend) for bend in basis.bends)]
        else:
            codes = range(max(basis.column_of) + 1)
            names = [(0, "category", np.flatnonzero(basis.column_of == code)) for code in codes]
        names += [(0, "missing", None)] * basis.has_missing
        known = [basis.mean], [basis.deviation], [(basis.low, basis.high)]
        for value in [*cases.values[:20, feature], np.nan]:
            plain = [naive.column_value([value], name, *known) for name in names]
            wanted = coefficients @ plain
            if math.isnan(value) and not basis.has_missing:
                wanted = np.zeros(2)
            assert found(np.array([value]))[0] == pytest.approx(wanted, abs=1e-9)


def test_probabilities_are_those_of_leaf_points_and_sum(fitted):
    tree, X, _ = fitted
    model = tree.fitted_
    assert isinstance(model, FittedScorecard)
    values = model.encode(X)
    shares = tree.without_points().predict_proba(X)
    card = model.points
    total = card.leaf_points(shares) + card.intercept
    for each in card.attributes:
        total = total + each(values[:, each.feature])
    assert tree.predict_proba(X) == pytest.approx(softmax(card.unit * total), abs=1e-12)
    assert tree.predict_proba(X).sum(axis=1) == pytest.approx(1.0)


def test_points_of_zero_leave_every_probability_as_it_was():
    X, y = additive()
    tree = presets.readable(max_leaf_nodes=8).fit(X, y)
    flat = np.zeros((1, 1))
    none = AttributePoints(0, np.zeros(1), 0.0, flat, flat, np.zeros(1))
    card = Scorecard(1.0, np.zeros(1), (none,))
    shares = tree.predict_proba(X)
    assert card.probabilities(shares, tree.fitted_.encode(X)) == pytest.approx(shares, abs=1e-12)


def test_a_constant_column_changes_nothing(kind):
    X, y = additive(150)
    plain = small_tree(kind).fit(X, y)
    more = small_tree(kind).fit(X.assign(constant=1.0), y)
    wide = X.assign(constant=1.0)
    assert np.array_equal(plain.predict_proba(X), more.predict_proba(wide))


def test_points_have_the_same_bytes_for_shuffled_rows_threads_and_copies(kind):
    X, y = additive(200)
    data = small_tree(kind).fit(X, y).fitted_
    order = np.random.default_rng(0).permutation(len(y))
    shuffled = small_tree(kind).fit(X.iloc[order], y[order]).fitted_
    threads = small_tree(kind, n_jobs=3).fit(X, y).fitted_
    assert written(data) == written(shuffled) == written(threads)
    twice = small_tree(kind).fit(pd.concat([X, X]), np.concatenate([y, y])).fitted_
    weighted = small_tree(kind).fit(X, y, np.full(len(y), 2.0)).fitted_
    assert written(twice)["points"] == written(weighted)["points"]
    assert written(twice)["scored"] == written(weighted)["scored"]


def written(model):
    return write(model, [])


def test_points_rank_better_where_effects_add_up(fitted):
    tree, _, _ = fitted
    X, y = additive(600, tree.n_classes_, seed=1)
    alone = tree.without_points()
    gain = mauc(tree.predict_proba(X), y) - mauc(alone.predict_proba(X), y)
    assert gain > 0.02


def test_no_points_win_where_they_do_not_help_and_say_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 1))
    X = np.concatenate([X, -X])
    y = (np.abs(X[:, 0]) > 0.7) ^ (rng.random(len(X)) < 0.1)
    tree = ROCTreeClassifier(max_leaf_nodes=3, points="linear").fit(X, y)
    assert tree.points_.scorecard.attributes == ()
    assert repr(tree.points_).startswith("no points: they hardly lower the log-loss")
    alone = ROCTreeClassifier(max_leaf_nodes=3).fit(X, y)
    assert np.array_equal(tree.predict_proba(X), alone.predict_proba(X))
    assert "no points" in tree.to_text(head=True)


def test_labels_follow_the_scores_at_every_operating_point(fitted):
    tree, X, y = fitted
    positive = "yes"
    assert np.array_equal(tree.predict(X), tree.classes_[tree.predict_proba(X).argmax(axis=1)])
    place = tree.classes_.tolist().index(positive)
    cheap = tree.at(threshold=0.3, positive=positive)
    by_threshold = tree.predict_proba(X)[:, place] >= 0.3
    assert np.array_equal(cheap.predict(X) == positive, by_threshold)
    assert np.array_equal(cheap.predict_proba(X), tree.predict_proba(X))
    screen = tree.at(max_fpr=0.2, positive=positive, counts=(X, y))
    flagged = screen.predict(X) == positive
    assert np.mean(flagged[y != positive]) <= 0.2 + 1e-12
    assert screen.operating_point_.fpr == pytest.approx(np.mean(flagged[y != positive]))


def test_scores_are_positive_exactly_where_the_second_class_is_predicted(fitted):
    tree, X, _ = fitted
    if tree.n_classes_ == 2:
        for model in (tree, tree.at(cost_fp=1, cost_fn=4)):
            second = model.predict(X) == model.classes_[1]
            assert np.array_equal(model.decision_function(X) > 0, second)


def test_curves_without_cases_are_those_of_held_out_scores(fitted):
    tree, X, y = fitted
    held_out, own = tree.roc(positive="yes").auc, tree.roc(X, y, positive="yes").auc
    assert 0.5 < held_out < own
    rows = tree.labellings(positive="yes")
    assert (rows[0].tpr, rows[-1].tpr) == (0.0, 1.0)
    assert tree.confusion(X, y).sum() == pytest.approx(len(y))


def test_whole_points_are_whole_and_the_loss_is_reported():
    X, y = additive()
    tree = small_tree(Points(integer=True)).fit(X, y)
    card = tree.points_.scorecard
    for each in card.attributes:
        assert each.is_steps
        assert np.array_equal(each.values, np.rint(each.values))
    assert card.rounding_loss is not None
    assert abs(card.rounding_loss) < 0.02
    assert "rounding costs" in repr(tree.points_)


def test_the_explanation_adds_up(fitted):
    tree, X, _ = fitted
    found = tree.explain(X.iloc[7])
    assert list(found.probabilities.values()) == pytest.approx(tree.predict_proba(X[7:8])[0])
    sums = np.sum([points for _, points in found.steps], axis=0)
    assert found.total == pytest.approx(sums)
    assert found.label == tree.predict(X[7:8])[0]
    text = str(found)
    assert text.index("tree") < text.index("every case") < text.index("sum")


def test_the_table_says_attribute_value_points_and_share(fitted):
    tree, _, _ = fitted
    frame = tree.points_.to_pandas()
    assert list(frame.columns[:2]) == ["attribute", "value"]
    assert frame.columns[-1] == "share"
    shares = frame.drop_duplicates("attribute").share.sum() + tree.points_.scorecard.tree_share
    assert shares == pytest.approx(1.0)
    assert tree.to_text().endswith(repr(tree.points_))


def test_at_most_so_many_attributes_have_points():
    X, y = additive()
    tree = small_tree(Points(max_attributes=2)).fit(X, y)
    assert len(tree.points_.scorecard.attributes) == 2


def test_unseen_categories_and_missing_values_have_probabilities(fitted):
    tree, X, _ = fitted
    empty = X[:1].copy()
    empty.loc[:, list("abcde")] = np.nan
    empty["kind"] = "other"
    with pytest.warns(UserWarning, match="not seen in training"):
        assert np.isfinite(tree.predict_proba(empty)).all()


def test_a_fitted_tree_gets_points_without_growing_again():
    X, y = weather.frame(300)
    tree = ROCTreeClassifier(max_leaf_nodes=4).fit(X, y)
    card = tree.with_points(X, y, points="curves")
    assert card.tree_ is tree.tree_
    fitted = ROCTreeClassifier(max_leaf_nodes=4, points="curves").fit(X, y)
    assert np.array_equal(card.predict_proba(X), fitted.predict_proba(X))
    assert np.array_equal(card.without_points().predict_proba(X), tree.predict_proba(X))


@pytest.mark.parametrize(
    "wrong",
    [
        {"labels": "majority"},
        {"ranking": "global"},
        {"geometric_probability": True},
        {"points": "curved"},
        {"points": Points},
    ],
)
def test_parameters_without_meaning_are_refused(wrong):
    with pytest.raises(ParameterError):
        ROCTreeClassifier(**({"points": "linear"} | wrong)).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    "options",
    [{"shape": "round"}, {"max_attributes": 0}, {"tree_weight": -1.0}, {"tree_weight": "full"}],
)
def test_options_without_meaning_are_refused(options):
    with pytest.raises(ParameterError):
        Points(**options)


@pytest.mark.parametrize(
    "change",
    [
        lambda tree, X, y: tree.smoothed("laplace"),
        lambda tree, X, y: tree.pruned("pessimistic"),
        lambda tree, X, y: tree.ranked("leaf"),
        lambda tree, X, y: tree.boundary_distance(X),
        lambda tree, X, y: tree.nearest_change(X),
        lambda tree, X, y: tree.cost_pruning_curve(),
    ],
)
def test_what_has_no_meaning_with_points_is_refused_with_a_reason(change):
    X, y = additive(150)
    with pytest.raises(ParameterError, match="points"):
        change(small_tree("linear").fit(X, y), X, y)


def test_options_of_points_are_parameters_of_parameters():
    tree = ROCTreeClassifier(points="linear").set_params(points__max_attributes=3)
    assert tree.points == Points(max_attributes=3)
    assert tree.get_params()["points__shape"] == "linear"


def test_names_stand_for_points():
    assert {name: resolve_points(name) for name in POINTS} == POINTS
    assert resolve_points(None) is None


def test_too_few_cases_have_no_points():
    tree = ROCTreeClassifier(points="linear").fit([[0.0], [1.0]], [0, 1])
    assert tree.points_.scorecard.attributes == ()
    same = ROCTreeClassifier(points="linear").fit(np.zeros((9, 2)), [0, 1, 2] * 3)
    assert same.points_.scorecard.attributes == ()


def test_learning_from_cases_alone():
    cases, schema = problem_of(3, Points())
    found = learn_points(Points(), cases, schema)
    assert found.probabilities.shape == cases.shares.shape
    assert found.scorecard.n_cases == 80


def test_a_saved_scorecard_predicts_the_same(fitted, tmp_path):
    tree, X, _ = fitted
    tree.save(tmp_path / "card.json")
    again = roctree.load(tmp_path / "card.json")
    assert np.array_equal(again.predict_proba(X), tree.predict_proba(X))
    assert repr(again.points_) == repr(tree.points_)
