"""NBTree as an estimator: data of any kind, operating points, text, and what is refused."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import check_estimator

from roctree import DataError, NaiveBayesTreeClassifier, NotFittedError, ParameterError
from tests.estimator import weather

REQUESTS = [
    {"cost_fp": 1, "cost_fn": 5},
    {"cost_fn": 3},
    {"cost_matrix": [[0, 4], [1, 0]]},
    {"cost_matrix": {"home": {"play": 4}, "play": {"home": 1}}},
    {"prior": 0.9},
    {"max_fpr": 0.1},
    {"max_fpr": 0.13, "randomise": True},
    {"min_tpr": 0.8},
    {"min_tpr": 0.8, "randomise": True},
    {"beta": 2},
    {"threshold": 0.3},
]
NAMED = [str(request) for request in REQUESTS]


class TreeOfNumbers(NaiveBayesTreeClassifier):
    """The default, but for the tag that makes the checks round their data to categories."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = False
        return tags


@pytest.mark.slow
@pytest.mark.parametrize(
    "estimator",
    [NaiveBayesTreeClassifier(), NaiveBayesTreeClassifier(folds="kinds"), TreeOfNumbers()],
    ids=repr,
)
def test_every_check_of_scikit_learn_passes(estimator):
    check_estimator(estimator, on_skip=None)


@pytest.fixture(scope="module")
def data():
    return weather.frame(400)


@pytest.fixture(scope="module")
def tree(data):
    return NaiveBayesTreeClassifier().fit(*data)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    return X, names[y]


def exclusive_or(n_rows=200):
    values = np.random.default_rng(0).integers(0, 2, (n_rows, 3))
    frame = pd.DataFrame(values.astype(str), columns=["left", "right", "noise"])
    return frame, np.where(values[:, 0] != values[:, 1], "odd", "even")


def test_an_exclusive_or_takes_one_split():
    X, y = exclusive_or()
    tree = NaiveBayesTreeClassifier().fit(X, y)
    assert (tree.get_n_leaves(), tree.get_depth()) == (2, 1)
    assert (tree.predict(X) == y).all()


def test_what_would_not_avoid_enough_errors_is_not_split():
    X, y = exclusive_or()
    assert NaiveBayesTreeClassifier(min_samples_split=201).fit(X, y).get_n_leaves() == 1
    assert NaiveBayesTreeClassifier(min_samples_split=200).fit(X, y).get_n_leaves() == 2
    noise = np.random.default_rng(1).random((100, 2))
    labels = np.random.default_rng(2).integers(0, 2, 100)
    assert NaiveBayesTreeClassifier(min_error_reduction=1.0).fit(noise, labels).get_n_leaves() == 1


@pytest.mark.parametrize("weight", [0.125, 0.5])
def test_the_limit_counts_cases_of_average_weight_where_that_is_below_one(weight):
    X, y = exclusive_or()
    for limit, n_leaves in ((200, 2), (201, 1)):
        tree = NaiveBayesTreeClassifier(min_samples_split=limit)
        assert tree.fit(X, y, np.full(len(y), weight)).get_n_leaves() == n_leaves


def test_a_single_error_is_worth_a_split():
    X, y = np.array([[*"0001010011"], [*"0110011010"]]).T, [*"0001000001"]
    tree = NaiveBayesTreeClassifier(min_samples_split=5, min_error_reduction=1.0).fit(X, y)
    assert tree.tree_.nodes.gain.tolist() == [1 / len(y), 0.0, 0.0]


def test_a_single_heavy_row_may_be_split_off():
    X, y = np.arange(13.0)[:, None], ["alone"] + ["rest"] * 12
    tree = NaiveBayesTreeClassifier().fit(X, y, sample_weight=[20.0] + [5.0] * 12)
    assert tree.tree_.nodes.threshold[0] == 0.5


def test_the_text_shows_the_tree_and_the_table_of_each_leaf():
    X, y = exclusive_or(8)
    X = pd.concat([X, X, X, X], ignore_index=True)
    y = np.concatenate([y, y, y, y])
    text = NaiveBayesTreeClassifier().fit(X, y).to_text()
    assert "[NB 1]" in text
    assert "\nNB 1: " in text
    assert "  = 0" in text


def test_a_category_without_cases_goes_by_the_node_above():
    X, y = exclusive_or()
    declared = X.astype(pd.CategoricalDtype(["0", "1", "2"]))
    tree = NaiveBayesTreeClassifier().fit(declared, y)
    assert tree.get_n_leaves() == 3
    (empty,) = np.flatnonzero(tree.tree_.nodes.is_leaf & (tree.tree_.nodes.weight == 0.0))
    above = tree.tree_.models.class_counts[tree.tree_.model[empty]]
    assert above.tolist() == tree.tree_.nodes.counts[0].tolist()
    name = X.columns[tree.tree_.nodes.feature[0]]
    other = declared.assign(**{name: pd.Categorical(["2"] * len(X), ["0", "1", "2"])})
    assert np.ptp(tree.predict_proba(other), axis=0).max() < 0.2


def test_a_missing_value_mixes_the_leaves():
    X, y = exclusive_or()
    tree = NaiveBayesTreeClassifier().fit(X, y)
    split = X.columns[tree.tree_.nodes.feature[0]]
    parts = tree.tree_.nodes.weight[1:] / tree.tree_.nodes.weight[0]
    of_each = [tree.predict_proba(X.assign(**{split: value})) for value in ("0", "1")]
    mixed = tree.predict_proba(X.assign(**{split: None}))
    # Naive Bayes leaves the missing value out, and within its leaf it is always the same.
    assert mixed == pytest.approx(parts[0] * of_each[0] + parts[1] * of_each[1], abs=0.02)


def test_data_of_pandas_and_polars_give_the_same_tree(data):
    frame, labels = data
    other = pl.from_pandas(frame)
    ours = NaiveBayesTreeClassifier().fit(frame, labels)
    theirs = NaiveBayesTreeClassifier().fit(other, labels)
    assert np.array_equal(ours.predict_proba(frame), theirs.predict_proba(other))
    with pytest.raises(DataError, match="in the order"):
        ours.predict(frame[frame.columns[::-1]])
    with pytest.warns(UserWarning, match="not seen in training"):
        ours.predict(frame.assign(sky="snow"))


def test_rows_in_any_order_and_weights_for_copies_give_the_same_tree_by_kinds(data):
    frame, labels = data
    rng = np.random.default_rng(3)
    weights = rng.integers(0, 4, len(labels))
    places = np.repeat(np.arange(len(labels)), weights)
    rng.shuffle(places)
    by_kinds = NaiveBayesTreeClassifier(folds="kinds")
    weighted = clone(by_kinds).fit(frame, labels, sample_weight=weights)
    repeated = clone(by_kinds).fit(frame.iloc[places], labels[places])
    assert weighted.tree_.nodes == repeated.tree_.nodes
    assert np.array_equal(weighted.predict_proba(frame), repeated.predict_proba(frame))


@pytest.mark.parametrize("request_", REQUESTS, ids=NAMED)
class TestEveryRequest:
    def test_leaves_the_probabilities_alone_and_survives_a_pickle(self, tree, data, request_):
        other = tree.at(**request_)
        assert np.array_equal(other.predict_proba(data[0]), tree.predict_proba(data[0]))
        assert tree.operating_point_ is None
        again = pickle.loads(pickle.dumps(other))
        assert np.array_equal(again.predict(data[0]), other.predict(data[0]))
        assert not hasattr(clone(other), "operating_point_")

    def test_scores_are_above_zero_just_where_the_second_class_is_predicted(
        self, tree, data, request_
    ):
        other = tree.at(**request_)
        assert ((other.decision_function(data[0]) > 0) == (other.predict(data[0]) == "play")).all()

    def test_rates_are_those_of_the_predictions(self, tree, data, request_):
        point = tree.at(counts="training", **request_).operating_point_
        drawn = [
            tree.at(counts="training", random_state=seed, **request_).predict(data[0]) == "play"
            for seed in range(40 if point.chance > 0.0 else 1)
        ]
        # Each of the n cases that are drawn deviates by 1/2 at most.
        for rate, label in ((point.tpr, "play"), (point.fpr, "home")):
            share = np.mean(drawn, axis=0)[data[1] == label]
            slack = 4 * 0.5 * np.sqrt(np.sum((share > 0) & (share < 1)) / len(drawn)) / len(share)
            assert rate == pytest.approx(share.mean(), abs=slack + 1e-9)


def test_a_threshold_is_one_of_the_probability(tree, data):
    ours = tree.predict_proba(data[0])[:, 1] >= 0.3
    assert ((tree.at(threshold=0.3).predict(data[0]) == "play") == ours).all()


def test_costs_decide_by_expected_cost(tree, data):
    probabilities = tree.predict_proba(data[0])
    expected = probabilities[:, 1] * 5 > probabilities[:, 0]
    by_point = tree.at(cost_fp=1, cost_fn=5).predict(data[0]) == "play"
    by_matrix = tree.predict(data[0], cost_matrix=[[0, 5], [1, 0]]) == "play"
    assert (by_point == expected).all()
    assert (by_matrix == expected).all()


def test_rates_are_kept_on_held_out_cases(tree):
    X, y = weather.frame(300, seed=5)
    cautious = tree.at(max_fpr=0.2, counts=(X, y))
    predicted = cautious.predict(X)
    assert np.mean(predicted[y == "home"] == "play") <= 0.2
    assert cautious.operating_point_.counts == "held_out"
    exact = tree.at(max_fpr=0.2, randomise=True, counts=(X, y)).operating_point_
    assert exact.fpr == pytest.approx(0.2)


def test_cost_matrices_and_priors_serve_many_classes(iris):
    X, y = iris
    tree = NaiveBayesTreeClassifier().fit(X, y)
    costs = np.array([[0, 1, 1], [1, 0, 9], [1, 1, 0]], dtype=float)
    expected = (tree.predict_proba(X) @ costs.T).argmin(axis=1)
    found = tree.at(cost_matrix=costs).predict(X)
    assert (found == tree.classes_[expected]).mean() > 0.99
    rare = tree.at(prior=[0.98, 0.01, 0.01])
    assert (rare.predict(X) == "setosa").sum() >= (tree.predict(X) == "setosa").sum()


@pytest.mark.parametrize("counts", ["training", "smoothed"])
def test_labellings_are_what_costs_make_of_the_probabilities(tree, data, counts):
    table = tree.labellings(counts=counts)
    scores = np.unique(tree.predict_proba(data[0])[:, 1].round(12))[::-1]
    assert len(table) == len(scores) + 1
    np.testing.assert_allclose(table.cost_bounds[1:-1], (1 - scores) / scores, rtol=1e-9)
    for row in table[1:-1:7]:
        ratio = np.sqrt(row.cost_ratio[0] * row.cost_ratio[1])
        point = tree.at(cost_fp=1, cost_fn=ratio, counts=counts).operating_point_
        assert (point.fpr, point.tpr) == pytest.approx((row.fpr, row.tpr))


def test_answers_know_their_leaf(tree, data):
    scored = tree.scored_
    assert set(scored.leaf) <= set(tree.tree_.nodes.leaves)
    for leaf in tree.tree_.nodes.leaves:
        inside = scored.counts[scored.leaf == leaf].sum()
        if not data[0].isna().any(axis=None):
            assert inside == pytest.approx(tree.tree_.nodes.weight[leaf])


def test_the_curve_is_that_of_the_scores(tree, data):
    curve = tree.roc(*data)
    scores = tree.decision_function(data[0])
    positive = data[1] == "play"
    wins = scores[positive][:, None] - scores[~positive][None]
    assert curve.auc == pytest.approx(np.mean((wins > 0) + 0.5 * (wins == 0)))
    assert tree.roc().auc == pytest.approx(curve.auc)


def test_many_classes_have_a_curve_each(iris):
    tree = NaiveBayesTreeClassifier().fit(*iris)
    assert tree.roc(*iris, positive="setosa").auc == 1.0
    with pytest.raises(ParameterError, match="3 classes: give positive"):
        tree.roc(*iris)


def test_fitted_arrays_cannot_be_written_to(tree):
    with pytest.raises(ValueError, match="read-only"):
        tree.tree_.models.counts[0] = 7.0
    assert repr(tree.tree_).startswith("<NaiveBayesTree of ")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"min_samples_split": -1}, "min_samples_split=-1 is not allowed"),
        ({"min_error_reduction": 2}, "a number from 0 to 1"),
        ({"folds": "row"}, "did you mean 'rows'"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(iris, parameters, message):
    with pytest.raises(ParameterError, match=message):
        NaiveBayesTreeClassifier(**parameters).fit(*iris)


def test_requests_that_make_no_sense_are_refused(tree, data):
    with pytest.raises(ParameterError, match="two labellings"):
        tree.at(cost_fp=1, max_fpr=0.1)
    with pytest.raises(ParameterError, match="counts='test' is not known"):
        tree.at(cost_fp=1, counts="test")
    with pytest.raises(ParameterError, match="not a class"):
        tree.at(cost_fp=1, positive="work")
    with pytest.raises(NotFittedError):
        NaiveBayesTreeClassifier().at(cost_fp=1)


def test_only_splits_have_a_gain():
    X, y = load_iris(return_X_y=True)
    nodes = NaiveBayesTreeClassifier(min_samples_split=10).fit(X, y).tree_.nodes
    assert (nodes.gain[nodes.is_leaf] == 0.0).all()
