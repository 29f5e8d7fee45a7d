import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris

from roctree import NotFittedError, ParameterError, ROCTreeClassifier
from roctree.geometry import RANKINGS, SCALINGS
from tests.estimator import weather
from tests.strategies import data_sets

GEOMETRIC = [name for name, score in RANKINGS.items() if score is not None]
POINTS = [
    {},
    {"max_fpr": 0.05},
    {"min_tpr": 0.9},
    {"cost_fp": 1, "cost_fn": 9},
    {"cost_fp": 0, "cost_fn": 1},
    {"max_fpr": 0.15, "randomise": True},
    {"threshold": 0.8},
    {"beta": 2.0},
]


def paper_tree(**parameters):
    """The tree of the worked example, on attributes whose ranges are one."""
    rows = [[0, 0], [0.4, 1], [0.6, 0.3], [1, 0.1], [0.6, 0.5], [1, 1], [0.4, 0], [1, 0.5]]
    labels = [0, 0, 0, 0, 1, 1, 0, 1]
    return ROCTreeClassifier(**parameters).fit(rows, labels)


def test_the_worked_example_is_ranked_by_distance():
    tree = paper_tree(ranking="global")
    assert sorted(tree.tree_.threshold[~np.isnan(tree.tree_.threshold)]) == [0.4, 0.5]
    points = [[0.9, 0.9], [0.6, 0.9], [0.9, 0.45], [0.2, 0.9], [0.7, 0.1], [0.5, 0.9]]
    wanted = [0.4, 0.1, 0.05, -0.3, -0.3, 0.0]
    assert tree.decision_function(points) == pytest.approx(wanted, abs=1e-12)
    assert tree.boundary_distance(points) == pytest.approx(np.abs(wanted), abs=1e-12)


@pytest.mark.parametrize("point", POINTS, ids=str)
@pytest.mark.parametrize("ranking", GEOMETRIC)
def test_scores_are_positive_exactly_where_predict_says_so_at_any_point(ranking, point):
    X, y = weather.frame()
    tree = ROCTreeClassifier(ranking=ranking, max_leaf_nodes=12, n_jobs=2).fit(X, y)
    tree = tree.at(**point) if point else tree
    assert np.array_equal(tree.decision_function(X) > 0, tree.predict(X) == tree.classes_[1])


@pytest.mark.parametrize("ranking", GEOMETRIC)
def test_points_chosen_by_cases_held_out_are_followed_too(ranking):
    X, y = weather.frame()
    tree = ROCTreeClassifier(ranking=ranking).fit(X[:60], y[:60])
    tree = tree.at(cost_fp=1, cost_fn=1, counts=(X[60:], y[60:]))
    assert np.array_equal(tree.decision_function(X) > 0, tree.predict(X) == tree.classes_[1])


@settings(max_examples=40)
@given(data_sets(classes=(2, 4)), st.sampled_from(GEOMETRIC), st.sampled_from(list(SCALINGS)))
def test_scores_and_predictions_agree_on_any_data(data, ranking, metric):
    tree = ROCTreeClassifier(
        ranking=ranking, metric=metric, categorical_features=list(data.nominal)
    ).fit(data.matrix, data.labels)
    scores, winners = tree.decision_function(data.matrix), tree.predict(data.matrix)
    assert np.isfinite(scores).all()
    if tree.n_classes_ == 2:
        assert np.array_equal(scores > 0, winners == tree.classes_[1])
    else:
        assert np.array_equal(tree.classes_[scores.argmax(axis=1)], winners)


def test_local_ranking_keeps_the_order_of_the_leaves_and_breaks_their_ties():
    X, y = load_breast_cancer(return_X_y=True)
    tree = ROCTreeClassifier(max_leaf_nodes=6, ranking="local").fit(X, y)
    scores, shares = tree.decision_function(X), tree.predict_proba(X)[:, 1].round(12)
    for share in np.unique(shares):
        inside, below = shares == share, shares < share
        assert below.sum() == 0 or scores[inside].min() > scores[below].max()
        signed = tree.ranked("global").decision_function(X)[inside]
        assert np.array_equal(
            np.argsort(signed, kind="stable"), np.argsort(scores[inside], kind="stable")
        )
    assert len(np.unique(scores)) > 100 > len(np.unique(shares))


@pytest.mark.parametrize("metric", SCALINGS)
@pytest.mark.parametrize("ranking", GEOMETRIC)
def test_other_units_of_an_attribute_change_nothing(metric, ranking):
    X, y = load_iris(return_X_y=True)
    other = X * [2.0, 0.25, 1000.0, 1.0] + [3.0, 0.0, 100.0, -7.0]
    one, two = (ROCTreeClassifier(ranking=ranking, metric=metric, max_leaf_nodes=5).fit(each, y)
                for each in (X, other))  # fmt: skip
    assert two.boundary_distance(other) == pytest.approx(one.boundary_distance(X), abs=1e-9)
    assert two.decision_function(other) == pytest.approx(one.decision_function(X), abs=1e-9)


@pytest.mark.parametrize("metric", SCALINGS)
def test_an_attribute_that_is_mirrored_has_the_same_distances(metric):
    X, y = load_breast_cancer(return_X_y=True)
    factors = np.where(np.arange(30) % 3, -2.0, 3.0)
    one, two = (ROCTreeClassifier(metric=metric, max_leaf_nodes=3).fit(each, y)
                for each in (X, X * factors + 7.0))  # fmt: skip
    assert two.boundary_distance(X * factors + 7.0) == pytest.approx(
        one.boundary_distance(X), abs=1e-9
    )


def test_a_fitted_tree_is_ranked_in_another_way_without_a_fit():
    X, y = load_breast_cancer(return_X_y=True)
    tree = ROCTreeClassifier(max_leaf_nodes=5).fit(X, y)
    fresh = ROCTreeClassifier(max_leaf_nodes=5, ranking="global", metric="standard").fit(X, y)
    other = tree.ranked("global", metric="standard")
    assert np.array_equal(other.decision_function(X), fresh.decision_function(X))
    assert other.get_params() == fresh.get_params()
    assert other.tree_ is tree.tree_
    assert (tree.ranking, tree.metric) == ("leaf", "minmax")
    back = other.ranked("leaf").decision_function(X)
    assert np.array_equal(back, tree.decision_function(X))
    assert np.array_equal(other.predict_proba(X), tree.predict_proba(X))


def test_the_boundary_is_that_of_the_tree_as_it_is_now():
    X, y = load_breast_cancer(return_X_y=True)
    tree = ROCTreeClassifier(max_leaf_nodes=9, ranking="global").fit(X, y)
    small = tree.pruned("pessimistic")
    same = ROCTreeClassifier(max_leaf_nodes=9, pruning="pessimistic", ranking="global").fit(X, y)
    assert np.array_equal(small.decision_function(X), same.decision_function(X))
    strict = tree.at(cost_fp=50, cost_fn=1)
    changed = strict.predict(X) != tree.predict(X)
    assert changed.any()
    assert (np.sign(strict.decision_function(X)) != np.sign(tree.decision_function(X)))[
        changed
    ].all()


def test_a_tree_with_one_label_gives_a_constant_with_the_sign_of_the_class():
    X, y = load_iris(return_X_y=True)
    tree = ROCTreeClassifier(ranking="global").fit(X[:100], y[:100])
    yes, no = tree.at(threshold=0.0), tree.at(threshold=1.0)
    assert yes.decision_function(X) == pytest.approx(np.full(150, 2.0))
    assert no.decision_function(X) == pytest.approx(np.full(150, -2.0))
    assert no.boundary_distance(X) == pytest.approx(np.full(150, 2.0))


def test_on_a_threshold_the_distance_is_zero_and_the_score_has_the_sign_of_the_class():
    tree = ROCTreeClassifier(ranking="global").fit([[1.0], [2.0], [3.0], [5.0]], [1, 1, 0, 0])
    on_it, above = [[2.5]], [[np.nextafter(2.5, 3.0)]]
    assert tree.predict(on_it) == [1]
    assert 0 < tree.decision_function(on_it)[0] < 1e-300
    assert tree.boundary_distance(on_it) == [0.0]
    assert tree.boundary_distance(above) > 0.0


def test_more_classes_have_a_column_each():
    X, y = load_iris(return_X_y=True)
    tree = ROCTreeClassifier(max_leaf_nodes=4).fit(X, y)
    nearest, columns = tree.boundary_distance(X), tree.boundary_distance(X, boundary="one_vs_rest")
    assert nearest.shape == (150,)
    assert columns.shape == (150, 3)
    own = tree.predict(X)
    assert np.array_equal(columns[np.arange(150), own], nearest)
    signed = tree.ranked("global").decision_function(X)
    assert np.array_equal(np.abs(signed), columns)
    assert np.array_equal(signed > 0, own[:, None] == [0, 1, 2])


def test_the_scale_is_kept_with_the_tree():
    X, y = load_iris(return_X_y=True)
    tree = ROCTreeClassifier(ranking="global", metric="standard").fit(X, y)
    assert tree.scale_ == pytest.approx(X.std(axis=0, ddof=1), rel=1e-9)
    assert tree.ranked("global", metric="minmax").scale_.tolist() == np.ptp(X, axis=0).tolist()
    copied = pickle.loads(pickle.dumps(tree))
    assert np.array_equal(copied.decision_function(X), tree.decision_function(X))


def test_names_may_say_the_scale():
    X, y = weather.frame()
    tree = ROCTreeClassifier(ranking="global", metric={"warmth": 10.0}).fit(X, y)
    assert tree.scale_[list(X.columns).index("warmth")] == 10.0


def test_threads_change_nothing():
    X, y = load_breast_cancer(return_X_y=True)
    tree = ROCTreeClassifier(ranking="local").fit(X, y)
    X = np.tile(X, (12, 1))
    one = tree.decision_function(X)
    assert np.array_equal(tree.set_params(n_jobs=3).decision_function(X), one)


def test_a_report_tells_whether_to_rank_by_distance():
    X, y = load_breast_cancer(return_X_y=True)
    tree = ROCTreeClassifier(max_leaf_nodes=4).fit(X[::2], y[::2])
    report = tree.boundary_report(X[1::2], y[1::2])
    right = tree.predict(X[1::2]) == y[1::2]
    distances = tree.boundary_distance(X[1::2])
    assert report.mean_hits == pytest.approx(distances[right].mean())
    assert report.n_errors == (~right).sum()
    assert report.lambda_ > 2
    assert "likely to help" in repr(report)
    weights = np.where(right, 2.0, 1.0)
    weighted = tree.boundary_report(X[1::2], y[1::2], sample_weight=weights)
    assert (weighted.n_hits, weighted.n_errors) == (2 * right.sum(), (~right).sum())
    assert weighted.mean_hits == pytest.approx(report.mean_hits)


@pytest.mark.filterwarnings("ignore:max_fpr")  # which no leaf keeps
def test_geometric_probabilities_are_proper_calibrated_and_unmoved_by_other_labels():
    X, y = load_breast_cancer(return_X_y=True)
    tree = ROCTreeClassifier(max_leaf_nodes=5, geometric_probability=True).fit(X, y)
    shares = tree.predict_proba(X)
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(X)))
    assert shares[:, 1].mean() == pytest.approx(y.mean(), abs=0.02)
    assert len(np.unique(shares[:, 1])) > 100
    assert np.array_equal(tree.at(max_fpr=0.01).predict_proba(X), shares)
    plain = ROCTreeClassifier(max_leaf_nodes=5).fit(X, y)
    assert np.array_equal(tree.predict(X), plain.predict(X))
    assert np.array_equal(tree.decision_function(X), plain.decision_function(X))


def test_after_pruning_geometric_probabilities_need_the_training_cases():
    X, y = load_breast_cancer(return_X_y=True)
    tree = ROCTreeClassifier(geometric_probability=True).fit(X, y)
    with pytest.raises(ParameterError, match="needs the training cases again"):
        tree.pruned("pessimistic")
    again = tree.pruned("pessimistic", X=X, y=y).predict_proba(X)
    at_once = ROCTreeClassifier(geometric_probability=True, pruning="pessimistic").fit(X, y)
    assert np.array_equal(again, at_once.predict_proba(X))


def test_geometric_probability_of_more_classes_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ParameterError, match="needs two classes, but there are 3"):
        ROCTreeClassifier(geometric_probability=True).fit(X, y)


def test_what_is_unknown_is_refused_in_a_sentence():
    tree = paper_tree()
    with pytest.raises(ParameterError, match=r"ranking='globl' is not allowed \(did you mean"):
        tree.ranked("globl")
    with pytest.raises(ParameterError, match="metric='euclid' is unknown"):
        tree.ranked("global", metric="euclid")
    with pytest.raises(ParameterError, match="boundary='some' must be 'any' or 'one_vs_rest'"):
        tree.boundary_distance([[0.0, 0.0]], boundary="some")
    with pytest.raises(ParameterError, match="metric=4 must be one of"):
        ROCTreeClassifier(metric=4).fit([[0.0], [1.0]], [0, 1])
    for ask in (tree.boundary_distance, tree.nearest_change):
        with pytest.raises(ValueError, match=r"features|columns|attributes"):
            ask([[0.0]])
    with pytest.raises(NotFittedError):
        ROCTreeClassifier(ranking="global").decision_function([[0.0]])
    with pytest.raises(NotFittedError):
        ROCTreeClassifier().ranked("local")
