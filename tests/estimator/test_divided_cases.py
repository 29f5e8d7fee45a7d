"""Operating points where missing values or soft thresholds divide cases among leaves."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris, make_classification

from roctree import ROCTreeClassifier, presets
from roctree.roc import Curve
from tests.estimator import weather
from tests.naive import scored_points
from tests.strategies import data_sets
from tests.tree.growing import patient

REQUESTS = [{"max_fpr": 0.15}, {"min_tpr": 0.8}, {"cost_fn": 3}, {"beta": 1}]


def rates(labels, truth, positive="play", weights=None):
    flagged = labels == positive
    weights = np.ones(len(truth)) if weights is None else weights
    sides = truth != positive, truth == positive
    return [np.average(flagged[side], weights=weights[side]) for side in sides]


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return X, y


@pytest.fixture(scope="module")
def soft(tumours):
    return presets.readable().fit(*tumours)


@st.composite
def divided_trees(draw, classes=(2, 2)):
    """A tree that divides cases, and its training cases; thresholds are soft or values missing."""
    data = draw(data_sets(rows=(4, 25), classes=classes, weights=st.integers(1, 3).map(float)))
    X, y, weights = data.matrix, np.array(data.labels), np.array(data.weights)
    assume(len(set(data.labels)) == data.n_classes)
    tree = ROCTreeClassifier(ranking=draw(st.sampled_from(["soft", "leaf"])), max_leaf_nodes=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree.fit(X, y, weights)
    assume(tree.fitted_.scored is not None)
    return tree, X, y, weights


def cases_of(tree, X, y, weights, positive=1):
    """The training cases for the naive reference; scores that differ by rounding are equal."""
    scores = np.round(tree.predict_proba(X)[:, positive], 12).tolist()
    return list(zip(scores, (y == positive).tolist(), weights.tolist(), strict=True))


@pytest.mark.filterwarnings("ignore:max_fpr")
@given(divided_trees(), st.sampled_from([0.0, 0.1, 1 / 3, 0.5, 0.9]), st.integers(0, 1))
@patient
def test_rates_are_the_best_that_thresholds_on_probabilities_of_training_cases_give(
    fitted, rate, positive
):
    tree, X, y, weights = fitted
    cases = cases_of(*fitted, positive)

    def reached(**request):
        chosen = tree.at(positive=positive, **request)
        point = chosen.operating_point_
        assert not point.in_parts
        if point.chance == 0.0:
            found = rates(chosen.predict(X), y, positive, weights)
            assert found == pytest.approx([point.fpr, point.tpr])
        return point

    assert reached(max_fpr=rate).tpr == pytest.approx(scored_points.max_fpr(cases, rate))
    assert reached(min_tpr=rate).fpr == pytest.approx(scored_points.min_tpr(cases, rate))
    mixed = reached(max_fpr=rate, randomise=True)
    assert mixed.tpr == pytest.approx(scored_points.randomised(cases, rate))
    assert mixed.confusion.sum() == pytest.approx(1.0)
    point = reached(beta=2.0)
    share = np.average(y == positive, weights=weights)
    hits, alarms = point.tpr * share, point.fpr * (1 - share)
    found = 5 * hits / (5 * hits + 4 * (share - hits) + alarms) if hits else 0.0
    assert found == pytest.approx(scored_points.best_f_beta(cases, 2.0))


@given(divided_trees(), st.sampled_from([0.05, 0.5, 1, 2, 3, 20]), st.none() | st.just(0.2))
@patient
def test_costs_are_weighed_by_probabilities_and_rates_are_those_of_predictions(
    fitted, ratio, reject
):
    tree, X, y, weights = fitted
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the cost of a rejection may be too high
        chosen = tree.at(cost_fn=ratio, positive=1, cost_reject=reject)
    found, point = chosen.predict(X), chosen.operating_point_
    matrix = [[0, ratio], [1, 0]] + [[reject, reject]] * (reject is not None)
    for label, shares in zip(found.tolist(), tree.predict_proba(X).tolist(), strict=True):
        place = {0: 0, 1: 1, None: 2}[label]
        best = scored_points.cheapest(shares, matrix)
        assert place in best
        assert place == 1 or 1 not in best  # ties go to the positive class
    assert rates(found, y, 1, weights) == pytest.approx([point.fpr, point.tpr])
    if reject is None:
        low, high = point.cost_ratio
        assert low <= ratio * (1 + 1e-9)
        assert high >= ratio * (1 - 1e-9)


@given(divided_trees(classes=(3, 3)), st.integers(0, 2))
@patient
def test_rates_of_several_classes_are_those_of_predictions(fitted, positive):
    tree, X, y, weights = fitted
    matrix = [[0, 1, 5], [2, 0, 1], [1, 3, 0]]
    chosen = tree.at(cost_matrix=matrix)
    found = np.zeros((3, 3))
    np.add.at(found, (chosen.predict(X), y), weights)
    assert chosen.operating_point_.confusion == pytest.approx(found / weights.sum())
    for label, shares in zip(chosen.predict(X), tree.predict_proba(X).tolist(), strict=True):
        assert label == scored_points.cheapest(shares, matrix)[0]
    one = tree.at(min_tpr=0.5, positive=positive)
    cases = cases_of(*fitted, positive)
    assert one.operating_point_.fpr == pytest.approx(scored_points.min_tpr(cases, 0.5))
    expected = rates(one.predict(X), y, positive, weights)
    assert [one.operating_point_.fpr, one.operating_point_.tpr] == pytest.approx(expected)


@given(divided_trees(classes=(2, 3)), st.integers(0, 1))
@patient
def test_labellings_and_the_curve_are_all_thresholds_on_probabilities(fitted, positive):
    tree, X, y, weights = fitted
    expected = scored_points.all_rates(cases_of(*fitted, positive))
    table = tree.labellings(positive=positive)
    assert [(row.fpr, row.tpr) for row in table] == [pytest.approx(each) for each in expected]
    bounds = np.array([row.cost_ratio for row in table])
    assert (bounds[:-1, 1] == bounds[1:, 0]).all()
    assert set(table[-1].positive_leaves) == set(tree.tree_.leaves)
    curve = tree.roc(positive=positive)
    scores = tree.predict_proba(X)[:, positive]
    of_cases = Curve.from_scores(y == positive, np.round(scores, 12), sample_weight=weights)
    assert curve.auc == pytest.approx(of_cases.auc)
    assert "approximate" not in repr(table) + repr(curve)


def test_each_labelling_has_the_rates_of_the_predictions_at_its_costs(soft, tumours):
    X, y = tumours
    for row in soft.labellings()[::20]:
        low, high = row.cost_ratio
        ratio = np.sqrt(low * high) if low > 0 and high < np.inf else max(low, 1e-9) * 1.5
        found = soft.at(cost_fn=ratio).predict(X)
        assert rates(found, y, 0) == pytest.approx([row.fpr, row.tpr])


def test_an_extreme_cost_and_a_low_rate_choose_what_the_probabilities_allow(soft, tumours):
    X, y = tumours
    careful = soft.at(cost_fn=20, positive=1)
    assert careful.operating_point_.fpr == pytest.approx(rates(careful.predict(X), y, 1)[0])
    assert careful.operating_point_.fpr > 0.2
    assert soft.at(max_fpr=0.02, positive=1).operating_point_.tpr > 0.9


def test_a_rate_that_the_first_probabilities_exceed_is_said_to_leave_nothing_positive():
    x = np.repeat([0.0, 1.0, 2.0, np.nan], 100)[:, None]
    y = np.concatenate([np.arange(100) < n for n in (10, 30, 60, 33)])
    tree = ROCTreeClassifier().fit(x, y)
    with pytest.warns(UserWarning, match=r"max_fpr=0\.05 leaves no case positive: .* of 0\.1498"):
        chosen = tree.at(max_fpr=0.05, positive=True)
    assert not chosen.predict(x).any()


def test_with_more_than_a_thousand_probabilities_rates_are_still_those_of_predictions():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 4))
    y = (X.sum(axis=1) + rng.normal(size=6000) > 0).astype(int)
    tree = ROCTreeClassifier(ranking="soft", min_samples_leaf=20).fit(X, y)
    assert len(np.unique(tree.predict_proba(X))) > 2000
    assert len(tree.fitted_.scored.scores) - tree.get_n_leaves() <= 1001
    costs = [{"cost_fn": ratio} for ratio in (0.02, 0.3, 1, 3, 17, 60)]
    for request in ({"max_fpr": 0.1}, {"min_tpr": 0.95}, {"beta": 2}, {"prior": 0.1}, *costs):
        chosen = tree.at(positive=1, **request)
        point = chosen.operating_point_
        assert [point.fpr, point.tpr] == pytest.approx(rates(chosen.predict(X), y, 1))
    threshold = 1 / (1 + 3)
    flagged = tree.at(cost_fn=3, positive=1).predict(X) == 1
    scores = tree.predict_proba(X)[:, 1]
    assert scores[flagged].min() > threshold - 0.0006
    assert scores[~flagged].max() < threshold + 0.0006
    again = ROCTreeClassifier(ranking="soft", min_samples_leaf=20).fit(X[::-1], y[::-1])
    assert pickle.dumps(again.fitted_) == pickle.dumps(tree.fitted_)


@pytest.mark.parametrize("smoothing", ["none", "hierarchical_shrinkage"])
def test_rates_of_one_class_of_several_are_those_of_predictions_if_probabilities_are_rounded(
    smoothing,
):
    X, y = make_classification(3000, 8, n_informative=5, n_classes=3, flip_y=0.2, random_state=0)
    tree = ROCTreeClassifier(
        max_leaf_nodes=16, min_samples_leaf=5, ranking="soft", smoothing=smoothing
    ).fit(X, y)
    scored = tree.fitted_.scored
    assert scored.decimals == 2
    assert scored.scores.min() >= 0.0
    assert scored.scores.sum(axis=1) == pytest.approx(1.0)
    requests = [{"max_fpr": 0.2}, {"max_fpr": 0.05}, {"min_tpr": 0.9}, {"beta": 1}]
    for request in (*requests, {"cost_fn": 3}, {"prior": 0.1}):
        for positive in range(3):
            chosen = tree.at(positive=positive, **request)
            point = chosen.operating_point_
            found = rates(chosen.predict(X), y, positive)
            assert [point.fpr, point.tpr] == pytest.approx(found), (request, positive)
            assert found[0] <= request.get("max_fpr", 1.0)
    for row in tree.labellings(positive=2)[1:-1:20]:
        low, high = row.cost_ratio
        chosen = tree.at(cost_fn=np.sqrt(low * high), positive=2)
        assert rates(chosen.predict(X), y, 2) == pytest.approx([row.fpr, row.tpr])


def test_with_too_many_probabilities_of_several_classes_counts_of_leaves_remain(monkeypatch):
    monkeypatch.setattr("roctree.tally._ROUNDINGS", ((), ((12, 10), (2, 20))))
    tree = ROCTreeClassifier(ranking="soft").fit(*load_iris(return_X_y=True))
    assert tree.fitted_.scored is None
    assert "approximate" in repr(tree.roc(positive=1))


def test_a_tree_that_divides_no_case_is_chosen_by_its_leaves():
    whole = ROCTreeClassifier(min_samples_leaf=5).fit(*weather.complete(300))
    assert whole.fitted_.scored is None
    assert "approximate" not in repr(whole.at(max_fpr=0.1).operating_point_)
    sent = ROCTreeClassifier(min_samples_leaf=5, missing="branch")
    sent.fit(*weather.frame(300, missing=0.3))
    assert not sent.divides_cases_
    assert sent.fitted_.scored is None


@pytest.mark.filterwarnings("ignore:max_fpr")
def test_rates_are_approximate_once_probabilities_change_unless_the_training_cases_are_given():
    X, y = weather.frame(300, missing=0.3)
    tree = presets.readable(max_leaf_nodes=8).fit(X, y).at(max_fpr=0.1)
    hard = ROCTreeClassifier(max_leaf_nodes=8).fit(X, y).at(max_fpr=0.1)
    changes = {
        "smoothed": lambda **cases: tree.smoothed("laplace", **cases),
        "pruned": lambda **cases: tree.pruned("pessimistic", **cases),
        "wider": lambda **cases: tree.ranked("soft", width=2.0, **cases),
        "hard": lambda **cases: tree.ranked("leaf", **cases),
    }
    for name, change in changes.items():
        assert change().operating_point_.in_parts, name
        known = change(X=X, y=y)
        point = known.operating_point_
        assert not point.in_parts, name
        found = rates(known.predict(X), y, known.positive_class_)
        assert found == pytest.approx([point.fpr, point.tpr]), name
        # Labels by costs follow from probabilities alone.
        ours, theirs = (each.at(cost_fn=5).predict(X) for each in (change(), known))
        assert np.array_equal(ours, theirs), name
    calibrated = hard.calibrated(*weather.frame(200, missing=0.3, seed=1))
    assert calibrated.operating_point_.in_parts
    assert not hard.ranked("global").operating_point_.in_parts


def test_a_single_leaf_divides_no_case():
    tree = ROCTreeClassifier(max_leaf_nodes=8).fit(*weather.frame(300, missing=0.3))
    stump = tree.pruned("cost_complexity", alpha=1.0)
    assert stump.get_n_leaves() == 1
    shown = repr(stump.labellings()) + repr(stump.roc()) + repr(stump.at(cost_fn=2))
    assert "approximate" not in shown + repr(stump.at(cost_fn=2).operating_point_)


def test_training_cases_without_weight_change_no_rate():
    X, y = weather.frame(300, missing=0.3)
    tree = presets.readable(max_leaf_nodes=8).fit(X, y)
    # The only rows with rain are those without weight.
    weights = np.where(X.sky == "rain", 0.0, 2.0)
    ours = tree.smoothed("laplace", X=X, y=y, sample_weight=weights)
    kept = weights > 0.0
    theirs = tree.smoothed("laplace", X=X[kept], y=y[kept])
    for name in ("scores", "leaf"):
        ours_, theirs_ = (getattr(each.fitted_.scored, name) for each in (ours, theirs))
        assert np.array_equal(ours_, theirs_)
    assert np.array_equal(ours.fitted_.scored.counts, 2.0 * theirs.fitted_.scored.counts)


@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ranking", ["leaf", "soft"])
def test_rates_on_held_out_cases_are_those_of_the_predictions(request_, seed, ranking):
    tree = ROCTreeClassifier(min_samples_leaf=5, ranking=ranking)
    tree.fit(*weather.frame(300, missing=0.3))
    new, truth = weather.frame(200, missing=0.4, seed=seed + 1)
    chosen = tree.at(counts=(new, truth), positive="play", **request_)
    point = chosen.operating_point_
    assert [point.fpr, point.tpr] == pytest.approx(rates(chosen.predict(new), truth))
    assert not point.in_parts
    if "max_fpr" in request_:
        assert point.fpr <= 0.15


def test_labellings_on_held_out_cases_count_leaves_and_not_divided_cases():
    tree = ROCTreeClassifier(min_samples_leaf=5).fit(*weather.frame(300, missing=0.3))
    table = tree.labellings(counts=weather.frame(200, missing=0.4, seed=1))
    assert len(table[-1].positive_leaves) == tree.get_n_leaves()
    assert set(table[-1].positive_leaves) == set(tree.tree_.leaves)
    assert (table[-1].fpr, table[-1].tpr) == (1.0, 1.0)
