"""Points beside a tree: laws, and agreement with a plain reference."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import roctree
from roctree import ROCTreeClassifier, presets
from roctree.data import Schema
from roctree.errors import ParameterError
from roctree.files.fitted_tree import write
from roctree.points import (
    LEFT_OUT,
    MAX_ROUNDING_LOSS,
    PENALTIES,
    POINTS,
    SELECTING_PENALTY,
    AttributePoints,
    Points,
    PointsCases,
    PointsTable,
    RidgeRegression,
    Scorecard,
    basis_of,
    choose_penalty,
    learn_points,
    ranges_of,
    resolve_points,
    round_between,
    select_bases,
    softmax,
    tree_scores,
    whole_points,
)
from roctree.roc import mauc
from roctree.scorecard import FittedScorecard
from roctree.tree.text import leaf_letters
from tests.estimator import weather
from tests.naive import points as naive
from tests.shared_data import DATA

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
    problem = RidgeRegression.from_cases(points, cases, bases, tree_scores(cases.shares))
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


def test_of_equally_good_penalties_the_strongest_is_chosen(monkeypatch):
    monkeypatch.setattr("roctree.points.mean_log_loss", lambda *_: 0.5)
    cases, schema = problem_of(2, Points())
    bases = [basis_of(Points(), cases, schema, feature) for feature in range(schema.n_features)]
    problem = RidgeRegression.from_cases(Points(), cases, bases, tree_scores(cases.shares))
    assert choose_penalty(problem, cases, cases.folds >= 0, 1).penalty == max(PENALTIES)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_held_out_probabilities_of_many_cases_are_rounded_and_add_up_to_one(n_classes, monkeypatch):
    monkeypatch.setattr("roctree.fitting._MAX_EXACT_SCORES", 30)
    scored = small_tree(Points()).fit(*additive(200, n_classes)).fitted_.scored
    assert scored.scores.sum(axis=1) == pytest.approx(1.0)
    of_first = np.unique(scored.scores[:, 0].round(9))
    assert n_classes > 2 or np.array_equal(of_first, of_first.round(3))


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
    """What a file would contain, but for when the model was trained."""
    document = write(model, [])
    return document | {"training": document["training"] | {"date": None}}


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


def test_whole_points_are_whole_in_few_ranges_and_the_loss_is_reported():
    X, y = additive()
    tree = small_tree(Points(integer=True)).fit(X, y)
    card = tree.points_.scorecard
    for each in card.attributes:
        assert each.is_steps
        assert np.array_equal(each.values, np.rint(each.values))
        assert len(each.values) <= 12
    exact = small_tree(Points()).fit(X, y).points_.scorecard
    assert card.log_loss <= (1.0 + MAX_ROUNDING_LOSS) * exact.log_loss
    assert abs(card.rounding_loss) < 0.02
    assert "rounding costs" in repr(tree.points_)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 9), st.integers(1, 2))
def test_ranges_keep_most_of_the_spread(seed, size, n_columns):
    rng = np.random.default_rng(seed)
    starts = np.sort(rng.choice(50, size, replace=False)).astype(float)
    values = rng.integers(-5, 6, (size, n_columns)).astype(float)
    each = AttributePoints(
        0, starts, starts[-1], values, np.zeros_like(values), np.zeros(n_columns)
    )
    weights = rng.integers(1, 4, size).astype(float)
    begins, means = ranges_of(each, starts, weights, 4)
    if n_columns == 1:
        found = naive.ranges(values[:, 0], weights, 4, LEFT_OUT)
        wanted = [
            np.average(part, weights=own)
            for part, own in zip(
                np.split(values[:, 0], found[1:]), np.split(weights, found[1:]), strict=True
            )
        ]
        left = []
        for level, cuts in ((np.array(wanted), starts[list(found)]), (means[:, 0], begins)):
            place = np.searchsorted(cuts, starts, "right") - 1
            left.append(np.sum(weights * (values[:, 0] - level[place]) ** 2))
        assert left[1] == pytest.approx(left[0])
    assert (np.diff(begins) > 0).all()


@pytest.mark.parametrize(("low", "high"), [(-3.2, -1.0), (0.0, 1e-9), (1e8, 1e8 + 1), (-1.0, 2.0)])
def test_bounds_are_between_the_values(low, high):
    assert low < round_between(low, high) <= high


def test_whole_points_can_be_added_up_by_hand():
    X, y = additive(400)
    tree = small_tree(Points("curves", integer=True), ranking="leaf").fit(X, y)
    table = tree.points_
    lines = [(name, value, points[0]) for name, value, points, _ in table.lines()]
    chances = dict(table.chances())
    assert 0.01 <= min(chances.values()) < max(chances.values()) <= 0.99
    letters = leaf_letters(tree.tree_, tree.fitted_.probabilities[:, 1])
    leaves = tree.apply(X)
    for row in range(5, 400, 80):
        case = {name: None if value is pd.NA else value for name, value in X.iloc[row].items()}
        total = naive.added_up(case, lines, letters[leaves[row]])
        assert total == tree.explain(X.iloc[row]).total[0]
        chance = 1.0 / (1.0 + math.exp(-table.scorecard.unit * total))
        assert tree.predict_proba(X[row : row + 1])[0, 1] == pytest.approx(chance)
        assert chances.get(total, chance) == pytest.approx(chance)


@pytest.mark.parametrize(
    ("name", "rows"),
    [("heart-statlog", [0, 50, 100, 150, 200]), ("hepatitis", [3, 30, 60, 90, 120])],
)
def test_the_forms_of_the_gallery_can_be_filled_in_by_hand(name, rows):
    X = pd.read_csv(DATA / f"{name}.csv.gz")
    y = X.pop("class")
    form = Points("curves", max_attributes=5, integer=True)
    model = presets.scorecard(max_leaf_nodes=4, ranking="leaf", points=form).fit(X, y)
    table, place = model.points_, model.points_.positive
    lines = [(name, value, points[0]) for name, value, points, _ in table.lines()]
    letters = leaf_letters(model.tree_, model.fitted_.probabilities[:, place])
    for row in rows:
        case = {name: None if pd.isna(value) else value for name, value in X.iloc[row].items()}
        total = naive.added_up(case, lines, letters[model.apply(X[row : row + 1])[0]])
        chance = 1.0 / (1.0 + math.exp(-table.scorecard.unit * total))
        assert total == model.explain(X.iloc[row]).total[0]
        assert model.predict_proba(X[row : row + 1])[0, place] == pytest.approx(chance)


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
    shares = frame.drop_duplicates("attribute").set_index("attribute").share
    if tree.points_.scorecard.whole:
        assert shares["(leaf)"] == tree.points_.scorecard.tree_share
    else:
        assert "(leaf)" not in shares
        shares["(leaf)"] = tree.points_.scorecard.tree_share
    assert shares.sum() == pytest.approx(1.0)
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


def test_no_points_are_refused_where_points_are_added():
    X, y = weather.frame(60)
    tree = ROCTreeClassifier(max_leaf_nodes=4).fit(X, y)
    with pytest.raises(ParameterError, match="points=None is no table of points"):
        tree.with_points(X, y, points=None)


def test_points_keep_categories_whose_cases_have_no_weight():
    X, y = additive()
    tree = ROCTreeClassifier(max_leaf_nodes=4).fit(X, y)
    card = tree.with_points(X, y, np.where(X.kind == "x", 0.0, 1.0))
    assert card.points_.scorecard.attributes
    kind = X.columns.get_loc("kind")
    for each in card.points_.scorecard.attributes:
        assert len(each.starts) == 3 or each.feature != kind


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


# Learning, compared with plain loops


def columns_of(cases, basis):
    return basis.columns(cases.values[:, basis.feature]).T.tolist()


def all_bases(points, cases, schema):
    return [basis_of(points, cases, schema, feature) for feature in range(schema.n_features)]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("informed", [0.5, -0.2])
def test_derivatives_of_the_plain_objective_are_zero_at_the_solution(n_classes, informed):
    points = Points("curves", tree_weight="free")
    cases, schema = problem_of(n_classes, points)
    shares = cases.shares + informed * np.eye(n_classes)[cases.labels]
    shares = np.maximum(shares, 0.05)
    cases = cases._replace(shares=shares / shares.sum(axis=1, keepdims=True))
    bases = all_bases(points, cases, schema)
    problem = RidgeRegression.from_cases(points, cases, bases, tree_scores(cases.shares))
    for _ in range(4):  # each time from the last solution on, and nearer
        problem.solve(3.0)
    by_attribute, intercept, weight = problem.coefficients()
    coefficients = np.concatenate(by_attribute, axis=1)
    if n_classes == 2:
        coefficients, intercept = (
            np.concatenate([-each, each]) / 2 for each in (coefficients, intercept)
        )
    columns = np.concatenate([columns_of(cases, each) for each in bases], axis=1).tolist()
    plain = list(zip(cases.shares.tolist(), columns, cases.labels, cases.weights, strict=True))

    def slope(change):
        """The derivative in a direction (tree weight, intercept, coefficients) of length 1."""
        ends = [
            naive.objective(
                plain, weight + h * change[0], intercept + h * change[1],
                coefficients + h * change[2], 3.0, True,
            )
            for h in (1e-4, -1e-4)
        ]  # fmt: skip
        return (ends[0] - ends[1]) / 2e-4

    zeros = np.zeros_like(intercept), np.zeros_like(coefficients)
    if informed > 0.0:
        assert weight > 0.0
        assert slope((1.0, *zeros)) == pytest.approx(0.0, abs=0.05)
    else:  # a tree that misleads is silent, but never speaks against itself
        assert weight == 0.0
        assert slope((1.0, *zeros)) > 0.0
    rng = np.random.default_rng(0)
    for _ in range(10):
        level, change = (rng.normal(size=each.shape) for each in zeros)
        length = math.sqrt((level**2).sum() + (change**2).sum())
        assert slope((0.0, level / length, change / length)) == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_attributes_are_added_in_the_order_of_the_plain_promise(n_classes):
    points = Points(max_attributes=1)
    for seed in range(3):
        cases, schema = problem_of(n_classes, points, seed)
        bases, leaves = all_bases(points, cases, schema), tree_scores(cases.shares)
        before: list = []
        for size in range(1, 4):
            problem = RidgeRegression.from_cases(points, cases, before, leaves)
            shares = softmax(problem.solve(SELECTING_PENALTY).T).tolist()
            rows = list(zip(shares, cases.labels, cases.weights, strict=True))
            promises = [
                -1.0 if each in before else naive.promise(rows, columns_of(cases, each), 10.0)
                for each in bases
            ]
            before.append(bases[int(np.argmax(promises))])
            chosen = select_bases(Points(max_attributes=size), cases, bases, leaves)
            assert chosen == sorted(before, key=lambda each: each.feature)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("points", [Points(), Points("curves", max_attributes=3)])
def test_the_penalty_has_the_least_plain_log_loss_of_held_out_cases(n_classes, points):
    cases, schema = helpful(n_classes)
    found = learn_points(points, cases, schema)
    card = found.scorecard
    bases, leaves = all_bases(points, cases, schema), tree_scores(cases.shares)
    if points.max_attributes:
        bases = select_bases(points, cases, bases, leaves)
    losses, tried = [], None
    parts = [
        RidgeRegression.from_cases(points, cases, bases, leaves).without(cases.folds == f)
        for f in range(5)
    ]
    for penalty in PENALTIES:
        held_out = np.empty_like(cases.shares)
        for fold, part in enumerate(parts):
            rows = cases.folds == fold
            held_out[rows] = softmax(part.solve(penalty).T)[rows]
        losses.append(naive.mean_log_loss(held_out.tolist(), cases.labels, cases.weights))
        if losses[-1] == min(losses):
            tried = penalty, held_out
        if len(losses) - 1 - int(np.argmin(losses)) == 2:
            break
    assert card.penalty == tried[0]
    assert card.log_loss == pytest.approx(min(losses), rel=1e-6)
    assert found.rows.all()
    assert found.probabilities == pytest.approx(tried[1], rel=1e-6)
    alone = naive.mean_log_loss(cases.shares.tolist(), cases.labels, cases.weights)
    assert card.tree_log_loss == pytest.approx(alone)
    assert card.log_loss < 0.995 * card.tree_log_loss


def helpful(n_classes, seed=0):
    """Cases with weights whose tree says little, so that points help."""
    cases, schema = problem_of(n_classes, Points(), seed)
    return cases._replace(shares=0.3 * cases.shares + 0.7 / n_classes), schema


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("points", KINDS.values(), ids=KINDS)
def test_a_case_of_weight_k_equals_k_cases(n_classes, points):
    cases, schema = helpful(n_classes)
    weights = np.arange(80) % 3 + 1.0
    copies = np.repeat(np.arange(80), weights.astype(int))
    weighted = learn_points(points, cases._replace(weights=weights), schema).scorecard
    copied = learn_points(
        points,
        PointsCases(*(each[copies] for each in cases))._replace(weights=np.ones(len(copies))),
        schema,
    ).scorecard
    assert weighted.features == copied.features
    assert weighted.penalty == copied.penalty
    for name in ("log_loss", "tree_log_loss", "tree_weight", "tree_share", "unit", "intercept"):
        assert getattr(weighted, name) == pytest.approx(getattr(copied, name), rel=1e-6, abs=1e-9)
    for mine, other in zip(weighted.attributes, copied.attributes, strict=True):
        assert mine.share == pytest.approx(other.share, rel=1e-6)
        for name in ("starts", "values", "slopes", "missing"):
            assert getattr(mine, name) == pytest.approx(getattr(other, name), rel=1e-6, abs=1e-9)
    assert weighted.n_cases == 80


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("points", KINDS.values(), ids=KINDS)
def test_shares_are_those_of_the_plain_spread_of_points_the_largest_first(n_classes, points):
    cases, schema = helpful(n_classes)
    card = learn_points(replace_whole(points), cases, schema).scorecard
    weights = cases.weights.tolist()
    spreads = [
        naive.spread(each(cases.values[:, each.feature]).tolist(), weights)
        for each in card.attributes
    ]
    of_tree = naive.spread((card.tree_weight * tree_scores(cases.shares)).tolist(), weights)
    total = sum(spreads) + of_tree
    assert [each.share for each in card.attributes] == pytest.approx([s / total for s in spreads])
    assert card.tree_share == pytest.approx(of_tree / total)
    assert spreads == sorted(spreads, reverse=True)


def replace_whole(points):
    return Points(points.shape, points.max_attributes, points.tree_weight)


# The columns of an attribute


def basis(values, weights=None, shape="linear", categories=None):
    values = np.array(values, dtype=float)
    n = len(values)
    weights = np.ones(n) if weights is None else np.array(weights, dtype=float)
    cases = PointsCases(
        values[:, None], np.zeros(n, int), weights, np.ones((n, 2)) / 2, np.zeros(n, int)
    )
    schema = Schema(("x",), (categories,), np.array(["no", "yes"]))
    return basis_of(Points(shape), cases, schema, 0)


def test_mean_and_deviation_are_those_of_copies_and_far_values_are_clipped():
    values, weights = [1.0, 2.0, 4.0, 1e6], [3, 2, 4, 1]
    found, copies = basis(values, weights), np.repeat(values, weights)
    assert found.mean == pytest.approx(copies.mean())
    assert found.deviation == pytest.approx(copies.std())
    assert (found.low, found.high) == (1.0, 1e6)
    far = basis([*range(1000), 1e9])
    assert far.high == pytest.approx(far.mean + 6 * far.deviation)
    assert far.low == 0.0
    near = basis([*range(1000), -1e9])
    assert near.low == pytest.approx(near.mean - 6 * near.deviation)
    assert near.high == 999.0


def test_curves_bend_at_the_fifths_of_the_cases_and_only_if_there_are_many_values():
    values = np.random.default_rng(0).permutation(100).astype(float)
    assert basis(values, shape="curves").bends.tolist() == [19.0, 39.0, 59.0, 79.0]
    assert basis(values).bends.size == 0
    # Weight on the lowest values moves the fifths there; an end is no bend.
    weights = np.where(values < 10, 100.0, 1.0)
    assert basis(values, weights, "curves").bends.tolist() == [2.0, 4.0, 6.0, 8.0]
    assert basis([0] * 60 + list(range(1, 41)), shape="curves").bends.tolist() == [20.0]
    assert basis(np.arange(8.0).tolist() * 3, shape="curves").bends.size == 0
    assert basis(np.arange(9.0).tolist() * 3, shape="curves").bends.size > 0


def test_rare_categories_share_a_column_and_unused_ones_have_none():
    codes = [0] * 5 + [1] * 4 + [2] * 6 + [4]
    found = basis(codes, categories=("a", "b", "c", "d", "e"))
    assert found.column_of.tolist() == [0, 2, 1, -1, 2]
    assert (found.n_columns, found.has_missing) == (3, False)
    assert found.columns(np.array([0.0, 1.0, 2.0, 3.0, 4.0, np.nan])).T.tolist() == [
        [1, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, 0], [0, 0, 1], [0, 0, 0],
    ]  # fmt: skip
    # By weight, not by number.
    few = basis([0, 1, 1, 1, 1, 1], [5, 1, 1, 1, 1, 0.5], categories=("a", "b"))
    assert few.column_of.tolist() == [0, 1]
    only_missing = basis([0, 0, np.nan], [9, 9, 1], categories=("a", "b"))
    assert only_missing.column_of.tolist() == [-1, -1]
    assert only_missing.columns(np.array([0.0, np.nan])).tolist() == [[0.0, 1.0]]


def test_a_single_value_has_no_column_but_that_of_missing_ones():
    assert basis([3.0, 3.0]).n_columns == 0
    assert basis([np.nan, np.nan]).n_columns == 0
    found = basis([3.0, np.nan])
    assert found.columns(np.array([3.0, np.nan, 9.0])).tolist() == [[0.0, 1.0, 0.0]]
    points = found.attribute_points(np.array([[0.5]]), 0)
    assert points(np.array([3.0, np.nan]))[:, 0].tolist() == [0.0, 0.5]
    assert (points.starts.tolist(), points.high) == ([0.0], 0.0)


# Scorecards made by hand


def attribute(feature=0, starts=(0.0,), high=0.0, values=((0.0,),), slopes=None, missing=(0.0,),
              share=0.0):  # fmt: skip
    values = np.array(values, dtype=float)
    slopes = np.zeros_like(values) if slopes is None else np.array(slopes, dtype=float)
    starts, missing = np.array(starts, dtype=float), np.array(missing, dtype=float)
    return AttributePoints(feature, starts, high, values, slopes, missing, share)


AGE = attribute(0, (20.0, 40.0), 60.0, [[-1.0], [0.0]], [[0.05], [0.1]], [0.5], share=0.5)
COLOUR = attribute(1, (0.0, 1.0, 2.0), 2.0, [[0.25], [-0.75], [0.0]], share=0.25)
DAY = attribute(2, (0.0, 365.0), 730.0, [[1.0], [-1.0]], share=0.05)
BY_HAND = Scorecard(
    2.0, np.array([-0.5]), (AGE, COLOUR, DAY), tree_share=0.2, penalty=10.0, log_loss=0.4,
    tree_log_loss=0.5, n_cases=100,
)  # fmt: skip
SCHEMA = Schema(
    ("age", "colour", "day"),
    (None, ("blue", "red one", "white"), None),
    np.array(["ill", "well"]),
    dates=("", "", "days"),
)


def test_points_between_beyond_and_without_values():
    values = np.array([-5.0, 20.0, 30.0, 40.0, 50.0, 60.0, 99.0, np.nan])
    expected = [-1.0, -1.0, -0.5, 0.0, 1.0, 2.0, 2.0, 0.5]
    assert AGE(values)[:, 0].tolist() == pytest.approx(expected)
    rows = np.column_stack([values, np.zeros(8), np.full(8, 400.0)])
    for n_threads in (1, 3):
        found = BY_HAND.points(rows, n_threads)[:, 0]
        assert found.tolist() == pytest.approx(np.array(expected) - 0.5 + 0.25 - 1.0)
    assert AGE.largest == pytest.approx(3.0)
    assert attribute(values=[[0.25]], missing=[-1.0]).largest == pytest.approx(1.25)
    assert not AGE.is_steps
    assert COLOUR.is_steps


def test_points_of_the_leaf_are_its_weighted_log_odds():
    shares = np.array([[0.5, 0.5], [0.2, 0.8], [0.0, 1.0]])
    expected = [0.0, 2 * math.log(4), 2 * math.log(1 / 0.001)]
    assert BY_HAND.leaf_points(shares)[:, 0].tolist() == pytest.approx(expected)
    whole = Scorecard(2.0, np.zeros(1), (), unit=0.5, whole=True)
    assert whole.leaf_points(shares)[:, 0].tolist() == [0.0, 6.0, 28.0]
    three = tree_scores(np.array([[0.2, 0.3, 0.5]]))[0]
    assert three.sum() == pytest.approx(0.0)
    assert np.diff(three).tolist() == pytest.approx([math.log(1.5), math.log(5 / 3)])


def test_the_table_of_a_scorecard_made_by_hand():
    assert PointsTable(BY_HAND, SCHEMA).to_text().splitlines() == [
        "attribute     value          points well  share",
        "(every case)                       -0.50",
        "age           at 20                -1.00   50 %",
        "              at 40                +0.00",
        "              at 60                +2.00",
        "              missing              +0.50",
        "colour        blue                 +0.25   25 %",
        "              red one              -0.75",
        "              white                +0.00",
        "day           < 1971-01-01         +1.00    5 %",
        "              >= 1971-01-01        -1.00",
        "points for 3 attributes, tree weight 2; log-loss of held-out cases 0.400, "
        "0.500 by the tree alone; share of the tree 20 %",
    ]
    other = PointsTable(BY_HAND, SCHEMA, positive=0)
    assert other.points_names == ["points ill"]
    mine = PointsTable(BY_HAND, SCHEMA).columns()
    assert np.array(other.columns()["points ill"]).tolist() == [-x for x in mine["points well"]]
    assert mine["attribute"][:2] == ["(every case)", "age"]
    assert mine["share"][1:6] == [0.5] * 4 + [0.25]
    assert math.isnan(mine["share"][0])


def test_steps_are_listed_as_ranges():
    steps = attribute(0, (1.0, 2.5, 7.0), 9.0, [[1.0], [2.0], [-3.0]])
    any_value = attribute(1, (1.0,), 9.0, [[1.0]])
    card = Scorecard(1.0, np.zeros(1), (steps, any_value), tree_log_loss=1.0, whole=True, unit=0.25)
    schema = Schema(("x", "y"), (None, None), np.arange(2))
    table = PointsTable(card, schema)
    assert [line[1] for line in table.lines()] == ["", "< 2.5", "2.5 to < 7", ">= 7", "any"]
    assert [cells[2] for cells in table.cells()] == ["+0", "+1", "+2", "-3", "+1"]
    assert table.note.endswith("; a point is 0.25 of log-odds")
    three = Scorecard(1.0, np.zeros(3), (attribute(values=[[1.0, 2.0, 3.0]], missing=[0.0] * 3),))
    of_three = PointsTable(three, Schema(("x",), (None,), np.array(["a", "b", "c"])), positive=0)
    assert of_three.points_names == ["points a", "points b", "points c"]
    assert of_three.columns()["points c"] == [0.0, 3.0]


# Whole points


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("shape", ["linear", "curves"])
def test_whole_points_are_the_rounded_means_of_their_ranges(shape, n_classes):
    cases, schema = helpful(n_classes)
    card = learn_points(Points(shape), cases, schema).scorecard
    whole = whole_points(card, schema, cases, 10, 5)
    assert max(each.largest for each in card.attributes) == pytest.approx(10 * whole.unit)
    assert whole.whole
    assert whole.intercept.tolist() == np.rint(card.intercept / whole.unit).tolist()
    for before, after in zip(card.attributes, whole.attributes, strict=True):
        assert after.is_steps
        assert after.missing.tolist() == np.rint(before.missing / whole.unit).tolist()
        if schema.categories[before.feature] is not None:
            assert after.values.tolist() == np.rint(before.values / whole.unit).tolist()
            continue
        assert len(after.values) <= 5
        assert (np.diff(after.values, axis=0) != 0.0).any(axis=1).all()
        known = ~np.isnan(cases.values[:, before.feature])
        column, weights = cases.values[known, before.feature], cases.weights[known]
        place = np.searchsorted(after.starts, column, "right") - 1
        for number, points in enumerate(after.values):
            own = place == number
            mean = np.average(before(column[own]), axis=0, weights=weights[own]) / whole.unit
            # Neighbours with the same points are one range.
            assert np.abs(points - mean).max() <= 0.5 + 1e-9


def test_whole_points_of_whole_numbers_change_at_whole_numbers():
    line = attribute(0, (0.0,), 10.0, [[0.0]], [[0.1]])
    values, ones = np.arange(11.0)[:, None], np.ones(11)
    cases = PointsCases(values, ones.astype(int), ones, np.ones((11, 2)) / 2, ones.astype(int))
    schema = Schema(("x",), (None,), np.arange(2))
    whole = whole_points(Scorecard(1.0, np.array([0.26]), (line,)), schema, cases, 10, 11)
    assert whole.unit == pytest.approx(0.1)
    assert whole.intercept.tolist() == [3.0]
    only = whole.attributes[0]
    assert only.starts[1:].tolist() == np.ceil(only.starts[1:]).tolist()
    assert np.abs(only(np.arange(11.0))[:, 0] - np.arange(11)).max() <= 1.0
    flat = whole_points(Scorecard(1.0, np.array([0.26]), ()), SCHEMA, cases, 10, 6)
    assert flat.unit == 1.0


def test_probabilities_of_extreme_scores_are_finite():
    assert softmax(np.array([[800.0, 0.0, -800.0]])).tolist() == [[1.0, 0.0, 0.0]]
    assert softmax(np.array([[800.0], [-800.0]]))[:, 1].tolist() == [1.0, 0.0]
