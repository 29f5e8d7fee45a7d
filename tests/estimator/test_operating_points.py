"""What a user asks of ``at(...)`` and ``labellings()``."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from roctree import DataError, NotFittedError, ParameterError, ROCTreeClassifier
from tests.estimator import weather
from tests.labelling.tables import tables, worked_tree

REQUESTS = [
    {"cost_fp": 1, "cost_fn": 5},
    {"cost_fn": 3},
    {"cost_matrix": [[0, 4], [1, -1]]},
    {"prior": 0.9},
    {"max_fpr": 0.1},
    {"max_fpr": 0.13, "randomise": True},
    {"min_tpr": 0.8},
    {"min_tpr": 0.8, "randomise": True},
    {"beta": 2},
    {"beta": 2, "prior": 0.1},
    {"threshold": 0.3},
]
SEPARATE = "There are 3 classes: give positive, the class to separate from the rest"
NAMED = [str(request) for request in REQUESTS]


@pytest.mark.filterwarnings("ignore:max_fpr")  # of small trees, in which no leaf keeps the rate
@pytest.mark.parametrize("request_", REQUESTS, ids=NAMED)
class TestEveryRequest:
    def test_leaves_the_tree_and_its_probabilities_alone(self, tree, data, request_):
        before = tree.predict(data[0])
        other = tree.at(**request_)
        assert other.tree_ is tree.tree_
        assert np.array_equal(other.predict_proba(data[0]), tree.predict_proba(data[0]))
        assert tree.operating_point_ is None
        assert np.array_equal(tree.predict(data[0]), before)

    def test_survives_a_pickle_and_not_a_clone(self, tree, data, request_):
        other = tree.at(**request_)
        again = pickle.loads(pickle.dumps(other))
        assert np.array_equal(again.predict(data[0]), other.predict(data[0]))
        assert repr(again.operating_point_) == repr(other.operating_point_)
        with pytest.raises(NotFittedError):
            clone(other).predict(data[0])
        assert clone(other).fit(*data).operating_point_ is None

    def test_scores_above_zero_just_where_it_predicts_the_second_class(self, tree, data, request_):
        for positive in tree.classes_:
            other = tree.at(positive=positive, **request_)
            second = other.predict(data[0]) == tree.classes_[1]
            assert np.array_equal(other.decision_function(data[0]) > 0.0, second)

    def test_labels_rows_as_their_leaf(self, tree, data, request_):
        whole = data[0].dropna()
        other = tree.at(**request_)
        point = other.operating_point_
        leaf = other.apply(whole)
        found = np.searchsorted(tree.classes_, other.predict(whole))
        assert ((found == point.labels[leaf]) | (found == point.others[leaf])).all()

    def test_is_kept_by_smoothing_and_pruning(self, tree, request_):
        for counts in ("training", "smoothed"):
            asked = tree.at(counts=counts, **request_)
            for other in (asked.smoothed("laplace"), asked.pruned("pessimistic")):
                point = other.operating_point_
                plain = tree.smoothed("laplace") if other.tree_ is tree.tree_ else (
                    tree.pruned("pessimistic")
                )  # fmt: skip
                expected = plain.at(counts=counts, **request_).operating_point_
                assert np.array_equal(point.votes, expected.votes)

    def test_replaces_the_one_before(self, tree, data, request_):
        twice = tree.at(threshold=0.9).at(**request_)
        assert np.array_equal(twice.predict(data[0]), tree.at(**request_).predict(data[0]))

    def test_works_where_a_single_leaf_is_all_there_is(self, request_):
        stump = ROCTreeClassifier(max_depth=0).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
        assert set(stump.at(**request_).predict([[0.0], [9.0]])) <= {0, 1}
        assert len(stump.labellings()) == 2

    def test_can_be_chosen_by_cases_held_out(self, tree, data, request_):
        cases = weather.frame(300, seed=1)
        point = tree.at(counts=cases, **request_).operating_point_
        weighted = tree.at(counts=(*cases, np.full(300, 2.0)), **request_).operating_point_
        assert point.counts == "held_out"
        assert np.array_equal(point.votes, weighted.votes)
        assert point.confusion.sum() == pytest.approx(1.0)


@pytest.mark.filterwarnings("ignore:max_fpr")
@given(tables(leaves=(1, 6)), st.sampled_from(REQUESTS), st.sampled_from(["laplace", "none"]))
def test_the_rates_of_the_point_are_those_of_its_predictions(table, request, smoothing):
    from tests.labelling.tables import cases, grown

    X, y, weights = cases(table)
    other = grown(table, smoothing=smoothing).at(counts="training", positive=1, **request)
    point = other.operating_point_
    leaf = other.apply(X)
    found = (1.0 - point.chance) * point.labels[leaf] + point.chance * point.others[leaf]
    assert np.average(found[y == 1], weights=weights[y == 1]) == pytest.approx(point.tpr)
    assert np.average(found[y == 0], weights=weights[y == 0]) == pytest.approx(point.fpr)
    # Labels that are drawn are one of the two; all others are those of the leaf.
    certain = point.labels[leaf] == point.others[leaf]
    predicted = other.predict(X)
    assert np.array_equal(predicted[certain], point.labels[leaf][certain])
    assert point.chance > 0.0 or certain.all()


class TestCounts:
    def test_are_those_of_training_unless_a_threshold_is_asked_for(self, tree):
        assert tree.at(cost_fn=2).operating_point_.counts == "training"
        assert tree.at(threshold=0.5).operating_point_.counts == "smoothed"

    def test_smoothed_are_said_to_give_estimates(self, tree):
        words = "estimated by smoothed probabilities"
        assert words in repr(tree.at(threshold=0.3).operating_point_)
        assert words not in repr(tree.at(threshold=0.3, counts="training").operating_point_)

    def test_smoothed_follow_the_probabilities(self, tree, data):
        matrix = np.array([[0.0, 3.0], [1.0, 0.0]])
        by_leaf = tree.at(cost_matrix=matrix, counts="smoothed").predict(data[0])
        assert np.array_equal(by_leaf, tree.predict(data[0], cost_matrix=matrix))

    def test_a_threshold_is_one_of_predict_proba_even_where_values_are_missing(self, tree, data):
        for threshold in (0.2, 0.5, 0.77):
            found = tree.at(threshold=threshold).predict(data[0]) == tree.classes_[1]
            assert np.array_equal(found, tree.predict_proba(data[0])[:, 1] >= threshold)

    def test_held_out_cases_are_labelled_at_least_cost(self, tree):
        X, y = weather.complete(300, seed=2)
        point = tree.at(cost_fp=1, cost_fn=4, counts=(X, y)).operating_point_
        leaves = tree.labellings(counts=(X, y)).leaves
        cost = leaves.curve.expected_cost(1, 4)
        assert point.expected_cost == pytest.approx(cost.min())

    def test_are_chosen_again_where_thresholds_become_soft(self, tree, data):
        complete = weather.complete(200)
        whole = ROCTreeClassifier(max_depth=4).fit(*complete)
        assert not whole.at(max_fpr=0.1).operating_point_.in_parts
        soft = whole.at(max_fpr=0.1).ranked("soft", X=complete[0], y=complete[1])
        wider = soft.ranked("soft", width=2.0)
        assert [each.operating_point_.in_parts for each in (soft, wider)] == [False, True]
        assert not soft.ranked("leaf").operating_point_.in_parts
        held_out = tree.at(max_fpr=0.1, counts=data)
        with pytest.raises(ParameterError, match="soften thresholds first, then call at"):
            held_out.ranked("soft", X=data[0], y=data[1])

    def test_say_where_figures_are_approximate(self, tree, data):
        assert "approximate" not in repr(tree.labellings()) + repr(tree.roc())
        smoothed = tree.smoothed("laplace")
        assert "approximate" in repr(smoothed.labellings())
        assert "approximate" in repr(smoothed.roc())
        assert "approximate" not in repr(tree.labellings(counts=data))
        assert "approximate" not in repr(tree.roc(*data))
        whole = ROCTreeClassifier(max_depth=4).fit(*weather.complete(200))
        assert "approximate" not in repr(whole.roc())

    def test_are_not_kept_where_held_out(self, tree):
        chosen = tree.at(cost_fn=2, counts=weather.frame(50, seed=3))
        with pytest.raises(ParameterError, match="soften thresholds first, then call at"):
            chosen.pruned("pessimistic")

    @pytest.mark.parametrize(
        ("counts", "sentence"),
        [
            ("trainings", "counts='trainings' is not known (did you mean 'training'?)"),
            (
                ([[1.0]],),
                "counts is a tuple of 1: give (X, y) or (X, y, sample_weight) of held-out cases.",
            ),
            ([[1.0]], "counts must be 'training', 'smoothed', or (X, y) of held-out cases."),
            (np.ones((2, 2)), "counts must be 'training', 'smoothed', or (X, y)"),
            (None, "Give an operating point"),
        ],
    )
    def test_that_are_none_are_refused(self, tree, counts, sentence):
        request = {} if counts is None else {"cost_fn": 2}
        with pytest.raises(ParameterError) as raised:
            tree.at(counts=counts, **request)
        assert sentence in str(raised.value)

    def test_without_cases_are_refused(self, tree, data):
        empty = data[0].iloc[:0], data[1][:0]
        with pytest.raises(DataError, match="X is empty"):
            tree.at(cost_fn=2, counts=empty)
        with pytest.raises(DataError, match="weights in sample_weight are zero"):
            tree.at(cost_fn=2, counts=(*data, np.zeros(len(data[1]))))

    def test_of_one_class_have_no_rate_of_the_other(self, tree, data):
        only = data[1] == "home"
        held_out = data[0][only], data[1][only]
        with pytest.raises(ParameterError, match="min_tpr needs positive cases"):
            tree.at(min_tpr=0.5, counts=held_out)
        with pytest.raises(
            ParameterError, match=r"prior=0\.5 has a positive share for a class that has no cases"
        ):
            tree.at(prior=0.5, counts=held_out)
        point = tree.at(max_fpr=0.0, counts=held_out).operating_point_
        assert point.fpr == 0.0
        assert np.isnan(point.tpr)
        assert (tree.at(cost_fn=9, counts=held_out).predict(data[0]) == "home").any()


class TestRandomised:
    """Leaf 2 of the worked example, (4, 2), is positive by half at a rate of 0.25."""

    def tree(self, seed=0):
        return worked_tree().at(max_fpr=0.25, positive=1, randomise=True, random_state=seed)

    def test_the_rate_is_met_by_many_draws(self):
        cases = np.repeat([[0.0], [1.0], [2.0]], [1, 2, 5], axis=0)
        rates = [self.tree(seed).predict(np.tile(cases, (500, 1))).mean() for seed in range(5)]
        # Half of a quarter of 4000 cases is drawn: a deviation of 0.004.
        assert np.abs(np.array(rates) - 0.25).max() < 0.02

    def test_cases_that_come_one_by_one_are_drawn_one_by_one(self):
        X = np.random.default_rng(0).normal(size=(300, 1))
        flat = ROCTreeClassifier(max_depth=0).fit(X, np.arange(300) % 2)
        half = flat.at(max_fpr=0.5, randomise=True)
        alone = np.array([half.predict(row[None])[0] for row in X])
        assert 100 < alone.sum() < 200

    def test_the_same_rows_and_seed_give_the_same_labels(self):
        rows = np.full((200, 1), 1.0)
        assert np.array_equal(self.tree().predict(rows), self.tree().predict(rows))
        assert not np.array_equal(self.tree(0).predict(rows), self.tree(1).predict(rows))
        assert 60 < self.tree().predict(rows).sum() < 140

    def test_draws_are_even_whatever_the_values(self):
        from roctree.fitted import _random_draws as draws

        for values in (np.zeros((20000, 1)), np.full((20000, 3), np.nan), np.eye(150)[:, :2],
                       np.arange(20000.0)[:, None], np.empty((20000, 0))):  # fmt: skip
            for seed in (0, 1, 2**32 - 1):
                found = draws(values, seed)
                assert ((found >= 0.0) & (found < 1.0)).all()
                counts = np.histogram(found, 10, (0.0, 1.0))[0]
                expected = len(values) / 10
                # Chi squared of nine degrees of freedom is above 40 once in 100 000 times.
                assert ((counts - expected) ** 2 / expected).sum() < 40.0

    def test_zeros_of_both_signs_are_one_value(self):
        from roctree.fitted import _random_draws as draws

        assert np.array_equal(draws(np.array([[0.0]]), 3), draws(np.array([[-0.0]]), 3))

    @pytest.mark.parametrize("seed", [-1, 2**32, 1.5, "a", True])
    def test_a_seed_that_is_none_is_refused(self, seed):
        with pytest.raises(ParameterError, match=r"random_state=.* is not a seed"):
            self.tree(seed)


class TestSeveralClasses:
    COSTS = np.array([[0.0, 1.0, 9.0], [2.0, 0.0, 9.0], [1.0, 1.0, 0.0]])

    def test_costs_may_name_the_classes(self, iris):
        X, _, tree = iris
        names = tree.classes_.tolist()
        frame = pd.DataFrame(self.COSTS, index=names, columns=names)
        by_name = {
            row: {column: frame.loc[row, column] for column in names if column != row}
            for row in reversed(names)
        }
        expected = tree.at(cost_matrix=self.COSTS).predict(X)
        assert not np.array_equal(expected, tree.predict(X))
        for named in (by_name, frame, frame.iloc[::-1, [2, 0, 1]], pd.DataFrame(self.COSTS)):
            assert np.array_equal(tree.at(cost_matrix=named).predict(X), expected)
            again = tree.predict(X, cost_matrix=named)
            assert np.array_equal(again, tree.predict(X, cost_matrix=self.COSTS))

    def test_a_prior_may_name_the_classes(self, iris):
        X, _, tree = iris
        prior = {"virginica": 0.9, "setosa": 0.05, "versicolor": 0.05}
        point = tree.at(prior=prior).operating_point_
        assert np.array_equal(point.votes, tree.at(prior=[0.05, 0.05, 0.9]).operating_point_.votes)
        assert (tree.at(prior=prior).predict(X) == "virginica").sum() > 50

    def test_the_point_has_a_confusion_and_no_rates(self, iris):
        X, y, tree = iris
        point = tree.at(cost_matrix=self.COSTS).operating_point_
        assert (point.fpr, point.tpr, point.cost_ratio) == (None, None, None)
        found = pd.crosstab(tree.at(cost_matrix=self.COSTS).predict(X), y, normalize="all")
        found = found.reindex(tree.classes_, fill_value=0.0)
        assert np.allclose(point.confusion, found[tree.classes_])

    def test_the_score_is_the_probability_of_each(self, iris):
        X, _, tree = iris
        other = tree.at(cost_matrix=self.COSTS)
        assert np.array_equal(other.decision_function(X), tree.predict_proba(X))

    @pytest.mark.parametrize(
        ("request_", "sentence"),
        [
            ({"cost_fp": 1}, SEPARATE),
            ({"max_fpr": 0.1}, SEPARATE),
            ({"min_tpr": 0.1}, SEPARATE),
            ({"beta": 1}, SEPARATE),
            ({"threshold": 0.1}, SEPARATE),
            ({"prior": 0.3}, SEPARATE),
            ({"prior": {"setosa": 1.0}}, "prior lacks the share of 'versicolor'"),
            (
                {"cost_matrix": {"setosa": {}}},
                "cost_matrix lacks what it costs to predict 'versicolor'",
            ),
            (
                {"cost_matrix": np.zeros((3, 3))},
                "has no error that costs more than a correct prediction",
            ),
            ({"cost_matrix": COSTS, "positive": "setosa"}, "positive='setosa' has no effect"),
        ],
    )
    def test_what_separates_one_class_needs_its_name(self, iris, request_, sentence):
        with pytest.raises(ParameterError) as raised:
            iris[2].at(**request_)
        assert sentence in str(raised.value)

    def test_the_labellings_separate_one_class(self, iris):
        with pytest.raises(ParameterError, match=SEPARATE):
            iris[2].labellings()


class TestOneClass:
    def tree(self):
        return ROCTreeClassifier().fit([[0.0], [1.0]], ["same", "same"])

    def test_has_one_label_whatever_it_costs(self):
        assert self.tree().at(cost_matrix=[[0.0]]).predict([[5.0]]).tolist() == ["same"]
        assert self.tree().at(prior=[1.0]).predict([[5.0]]).tolist() == ["same"]
        assert self.tree().predict([[5.0]], cost_matrix=[[0.0]]).tolist() == ["same"]

    def test_has_no_rates(self):
        with pytest.raises(ParameterError, match="but the tree has only one"):
            self.tree().at(max_fpr=0.1)
        with pytest.raises(ParameterError, match="but the tree has only one"):
            self.tree().labellings()


class TestScores:
    @pytest.mark.parametrize(
        "relabelled",
        [
            lambda X, y: ROCTreeClassifier(labels="majority", smoothing="laplace").fit(X, y),
            lambda X, y: ROCTreeClassifier().fit(X, y).pruned(
                "minimum_error", m=8, costs={"home": 1, "play": 6}
            ),
            lambda X, y: ROCTreeClassifier(labels="majority", class_weight={"play": 4}).fit(X, y),
        ],
        ids=["majority", "pruned under costs", "majority by weight"],
    )  # fmt: skip
    def test_are_above_zero_just_where_the_second_class_is_predicted(self, data, relabelled):
        other = relabelled(*data)
        scores, found = other.decision_function(data[0]), other.predict(data[0])
        assert np.array_equal(scores > 0.0, found == other.classes_[1])
        assert len(set(found)) == 2

    def test_rank_each_class_of_rows_by_probability(self, tree, data):
        other = tree.at(cost_fp=1, cost_fn=3)
        scores, probability = other.decision_function(data[0]), tree.predict_proba(data[0])[:, 1]
        second = other.predict(data[0]) == tree.classes_[1]
        assert np.allclose(scores[second], 0.5 + probability[second] / 2.0)
        assert np.allclose(scores[~second], probability[~second] / 2.0 - 0.5)

    def test_are_the_difference_of_the_probabilities_by_default(self, tree, data):
        found = tree.predict_proba(data[0])
        assert np.array_equal(tree.decision_function(data[0]), found[:, 1] - found[:, 0])


def test_a_positive_class_that_comes_first_is_the_mirror_image(tree):
    ours = tree.at(cost_fp=1, cost_fn=3, positive="home").operating_point_
    theirs = tree.at(cost_fp=3, cost_fn=1, positive="play").operating_point_
    assert ours.expected_cost == pytest.approx(theirs.expected_cost)
    assert (ours.tpr, ours.fpr) == pytest.approx((1.0 - theirs.fpr, 1.0 - theirs.tpr))


def test_at_replaces_the_labels_of_pruning_under_costs(data):
    small = ROCTreeClassifier().fit(*data).pruned("minimum_error", costs={"home": 1, "play": 9})
    assert small.node_labels_ is not None
    eager = small.at(cost_fp=1, cost_fn=1000)
    assert (eager.predict(data[0]) == "play").mean() > (small.predict(data[0]) == "play").mean()


def test_an_operating_point_says_what_it_is(tree):
    text = repr(tree.at(max_fpr=0.13, randomise=True).operating_point_)
    assert "FPR 0.1300" in text
    assert "positive with probability" in text
    assert "optimal for cost ratios (miss : false alarm)" in repr(
        tree.at(cost_fn=2).operating_point_
    )


def test_without_a_seed_draws_differ_from_tree_to_tree(tree, data):
    request = {"max_fpr": 0.13, "randomise": True, "random_state": None}
    seeds = {tree.at(**request).operating_point_.seed for _ in range(4)}
    assert len(seeds) > 1


def test_a_subtree_that_is_not_shown_has_the_label_that_most_of_its_cases_get():
    rows = [[float(value)] for value in range(8)]
    tree = ROCTreeClassifier().fit(rows, ["a", "a", "a", "b", "b", "a", "b", "b"])
    there = tree.at(cost_fp=1, cost_fn=3, positive="b")
    assert sorted(re.findall(r": [A-D] (\w) ", there.to_text())) == ["a", "a", "b", "b"]
    assert there.to_text(max_depth=1).splitlines() == [
        "x0 <= 2.5: D a  (b 0.29, 3 cases)",
        "x0 > 2.5: b  (b 0.67, 5 cases) …",
    ]
    assert "b\\nb 0.67" in there.to_dot(max_depth=1)
