"""Cases stay undecided where that is cheapest (Chow 1970): a naive twin, laws, and all models."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roctree import (
    MultiscaleClassifier,
    NaiveBayesTreeClassifier,
    ParameterError,
    ROCTreeClassifier,
)
from roctree.errors import ParameterWarning
from roctree.labelling import Labellings, LeastCost, MaxFPR, cost_of_labels, operating_point
from tests.estimator import weather
from tests.files.models import as_bytes, from_bytes
from tests.labelling.tables import grown, leaves, tables, worked_tree
from tests.labelling.test_lemma_1 import problems, weights_of
from tests.naive.labelling import cost, least_cost

REJECT = st.integers(0, 12) | st.sampled_from([0.25, 0.5, 1.5])
pytestmark = pytest.mark.filterwarnings("ignore:.*leaves no case undecided")


def with_reject(matrix, reject):
    """The costs with a row for undecided cases."""
    return [*matrix, [reject] * len(matrix)]


@given(problems(), REJECT)
def test_no_labelling_is_cheaper_decided_or_not(problem, reject):
    table, matrix, parts = problem
    prior = tuple(part / sum(parts) for part in parts)
    labeller = LeastCost(cost_matrix=tuple(map(tuple, matrix)), prior=prior, cost_reject=reject)
    point = operating_point(leaves(table), labeller, len(table) + 1)
    weights = weights_of(table, parts)
    least = least_cost(table, with_reject(matrix, reject), weights)
    total = sum(map(sum, table))
    assert point.expected_cost * total == pytest.approx(least, abs=1e-9)
    found = cost(table, point.labels[1:].tolist(), with_reject(matrix, reject), weights)
    assert found == pytest.approx(least, abs=1e-9)


@given(problems(), REJECT, st.sampled_from(["matrix", "one class"]))
def test_labels_cost_on_the_cases_they_were_chosen_by_what_was_expected(problem, reject, kind):
    table, matrix, parts = problem
    prior = tuple(part / sum(parts) for part in parts)
    made = leaves(table)
    assume(made.counts.sum(axis=0).all())
    labeller = LeastCost(cost_matrix=tuple(map(tuple, matrix)), prior=prior, cost_reject=reject)
    if kind == "one class":
        labeller = LeastCost(cost_fp=1.0, cost_fn=3.0, prior=prior, cost_reject=reject)
    point = operating_point(made, labeller, len(table) + 1)
    cost, of_one_label = cost_of_labels(point, 100.0 * point.confusion)
    assert cost == pytest.approx(point.expected_cost)
    assert cost <= of_one_label + 1e-9
    by_rate = operating_point(made, MaxFPR(1.0), len(table) + 1)
    assert cost_of_labels(by_rate, by_rate.confusion) is None
    assert cost_of_labels(point, np.diag([0.0, *np.ones(len(matrix) - 1)])) is None


@given(problems(), REJECT, st.sampled_from(["matrix", "one class"]))
def test_the_share_of_undecided_cases_is_that_at_the_prior(problem, reject, kind):
    table, matrix, parts = problem
    prior = [part / sum(parts) for part in parts]
    made = leaves(table)
    totals = made.counts.sum(axis=0)
    assume(totals.all())
    costs = {"cost_matrix": tuple(map(tuple, matrix))}
    if kind == "one class":
        costs = {"cost_fp": 1.0, "cost_fn": 3.0}
    labeller = LeastCost(prior=tuple(prior), cost_reject=reject, **costs)
    point = operating_point(made, labeller, len(table) + 1)
    undecided = point.labels[1:] == len(matrix)
    left = made.counts[undecided].sum(axis=0)
    expected = sum(share * a / b for share, a, b in zip(prior, left, totals, strict=True))
    if kind == "one class" and len(matrix) > 2:
        rest = [place for place in range(len(matrix)) if place != made.positive]
        of_rest = left[rest].sum() / totals[rest].sum()
        share = prior[made.positive]
        expected = share * left[made.positive] / totals[made.positive] + (1 - share) * of_rest
    assert point.rejected == pytest.approx(expected)


@given(tables(classes=(2, 4)), st.integers(0, 100))
def test_with_equal_errors_a_leaf_is_decided_if_its_largest_share_is_at_least_one_minus_the_cost(
    table, percent
):
    made = leaves(table)
    undecided = LeastCost(cost_reject=percent / 100)(made).labels == len(table[0])
    largest = made.shares.max(axis=1)
    expected = largest < 1.0 - percent / 100 - 1e-9
    close = np.abs(largest - (1.0 - percent / 100)) < 1e-9
    assert (undecided == expected)[~close].all()
    assert not undecided[close].any()


@given(tables(leaves=(1, 6)), REJECT, st.sampled_from([0, 1]), st.integers(1, 40))
def test_a_labelling_of_the_table_is_the_cheapest_within_its_range_of_costs(
    table, reject, positive, ratio
):
    ratio, negative = ratio / 4, 1 - positive
    made = leaves(table, positive)
    rows = list(Labellings(made.with_empty_joined(), cost_reject=float(reject)))
    assert len(rows) <= len(table) + 1
    costs = [[0, 0], [0, 0], [reject, reject]]
    costs[positive][negative], costs[negative][positive] = 1, ratio
    optimal = [row for row in rows if row.cost_ratio[0] <= ratio <= row.cost_ratio[1]]
    assert optimal
    for row in optimal:
        labels = np.full(len(table), negative)
        labels[row.positive_leaves - 1] = positive
        labels[row.undecided_leaves - 1] = 2
        found = cost(table, labels.tolist(), costs)
        assert found == pytest.approx(least_cost(table, costs), abs=1e-9)
        total = sum(map(sum, table))
        rejected = sum(sum(each) for each, label in zip(table, labels, strict=True) if label == 2)
        assert row.rejected == pytest.approx(rejected / total)
        right = sum(each[label] for each, label in zip(table, labels, strict=True) if label < 2)
        assert row.accuracy == pytest.approx(right / total)


@given(tables(leaves=(1, 6)))
def test_a_rejection_that_costs_a_false_alarm_leaves_the_labellings_as_they_are(table):
    made = leaves(table).with_empty_joined()
    plain, priced = Labellings(made), Labellings(made, cost_reject=1.0)
    assert np.array_equal(plain.cost_ranges, priced.cost_ranges)
    assert np.array_equal(plain.columns()["fpr"], priced.columns()["fpr"])


@given(tables(leaves=(1, 6)), st.integers(0, 6))
def test_the_operating_point_is_one_of_the_labellings(table, reject):
    tree = grown(table)
    assume(tree.n_classes_ == 2)
    asked = {"cost_fp": 1, "cost_fn": 3, "cost_reject": reject / 8, "positive": 1}
    point = tree.at(**asked).operating_point_
    found = tree.labellings(positive=1, cost_reject=reject / 8)
    rates = {(round(row.fpr, 9), round(row.tpr, 9), round(row.rejected, 9)) for row in found}
    assert (round(point.fpr, 9), round(point.tpr, 9), round(point.rejected, 9)) in rates


def test_worked_example():
    tree = worked_tree(smoothing="none")
    point = tree.at(cost_fp=1, cost_fn=1, cost_reject=0.35, positive=1).operating_point_
    # Leaves (5, 1), (4, 2) and (3, 5): only the last has no share of at least 0.65.
    assert point.labels[tree.tree_.leaves].tolist() == [1, 1, 2]
    assert point.confusion.tolist() == [[0, 0], [3 / 20, 9 / 20], [5 / 20, 3 / 20]]
    assert point.expected_cost == pytest.approx((3 + 0.35 * 8) / 20)
    assert point.rejected == pytest.approx(8 / 20)
    assert "0.4000 of the cases undecided" in repr(point)
    assert point.cost_ratio is None


@pytest.mark.parametrize("tenths", range(1, 10))
def test_a_leaf_whose_errors_cost_as_much_as_leaving_it_undecided_is_decided(tenths):
    # 1 - 0.7 is more than 0.3 in floats.
    made = leaves([(tenths, 10 - tenths), (20, 0)])
    last = Labellings(made, cost_reject=tenths / 10)[-1]
    assert last.positive_leaves.tolist() == [1]
    assert last.undecided_leaves.tolist() == [2]


def test_the_table_of_labellings_shows_undecided_leaves():
    shown = str(worked_tree().labellings(positive=1, cost_reject=0.35))
    assert shown.splitlines() == [
        "4 labellings, positive class 1, undecided cases cost 0.35 false alarms",
        "leaves +  undecided    FPR    TPR  accuracy  rejected  cost ratio (miss : false alarm)",
        "       0          0  0.000  0.000     0.400     0.000                         0 to 0.2",
        "       1          0  0.125  0.417     0.600     0.000                       0.2 to 0.5",
        "       2          0  0.375  0.750     0.700     0.000                     0.5 to 0.933",
        "       2          1  0.375  0.750     0.450     0.400                    0.933 or more",
    ]


MODELS = [
    ROCTreeClassifier(min_samples_leaf=5),
    ROCTreeClassifier(ranking="soft", min_samples_leaf=5),
    NaiveBayesTreeClassifier(),
    MultiscaleClassifier(max_level=2),
]


def numbers(n_classes):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(160, 2)).round(1)
    score = X[:, 0] + 0.7 * rng.normal(size=160)
    return X, np.array(["low", "mid", "high"])[np.digitize(score, [0.0, 1.0][: n_classes - 1])]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_model_leaves_cases_undecided_and_keeps_doing_so_in_files(model, n_classes):
    X, y = numbers(n_classes)
    fitted = model.fit(X, y)
    for request in ({"cost_reject": 0.2}, {"cost_reject": 0.2, "counts": "smoothed"}):
        changed = fitted.at(**request)
        labels, table = changed.predict(X), changed.confusion(X, y)
        assert (labels == "undecided").sum() == table[-1].sum() > 0
        assert table.sum() == len(X)
        assert changed.score(X, y) == pytest.approx((labels == y).mean())
        again = from_bytes(as_bytes(changed))
        assert np.array_equal(again.predict(X), labels)
        assert np.array_equal(changed.predict_proba(X), fitted.predict_proba(X))
        assert changed.operating_point_.rejected == again.operating_point_.rejected > 0
    by_probability = fitted.at(cost_reject=0.2, counts="smoothed").predict(X)
    if not isinstance(model, ROCTreeClassifier) or model.ranking == "leaf":
        decided = fitted.predict_proba(X).max(axis=1) >= 0.8 - 1e-12
        assert np.array_equal(by_probability != "undecided", decided)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_one_class_against_the_rest_may_be_undecided(model):
    X, y = numbers(3)
    changed = model.fit(X, y).at(cost_fp=1, cost_fn=2, cost_reject=0.3, positive="high")
    assert set(changed.predict(X)) >= {"low", "high", "undecided"}


def test_beside_numbers_undecided_is_none():
    X, y = numbers(2)
    changed = ROCTreeClassifier(min_samples_leaf=5).fit(X, y == "mid").at(cost_reject=0.2)
    labels = changed.predict(X)
    assert labels.dtype == object
    assert set(labels) == {True, False, None}
    assert changed.score(X, y == "mid") == np.mean(labels == (y == "mid"))


def test_scores_are_positive_exactly_where_the_second_class_is_predicted():
    X, y = numbers(2)
    changed = ROCTreeClassifier(min_samples_leaf=5).fit(X, y).at(cost_reject=0.2)
    assert np.array_equal(changed.decision_function(X) > 0, changed.predict(X) == "mid")


def test_cases_with_missing_values_are_decided_by_the_mean_vote():
    X, y = weather.frame(missing=0.3)
    tree = ROCTreeClassifier(min_samples_leaf=5).fit(X, y)
    by_probability = tree.at(cost_reject=0.3, counts="smoothed").predict(X)
    decided = tree.predict_proba(X).max(axis=1) >= 0.7 - 1e-12
    assert np.array_equal(by_probability != "undecided", decided)
    assert 0 < decided.sum() < len(X)


def test_texts_name_undecided_leaves():
    X, y = numbers(2)
    changed = ROCTreeClassifier(min_samples_leaf=5).fit(X, y).at(cost_reject=0.2)
    for text in (changed.to_text(), changed.to_rules(), changed.to_dot(), changed._html_repr()):
        assert "undecided" in text
    row = X[changed.predict(X) == "undecided"][0]
    assert str(changed.explain(row)).startswith("undecided: ")


def test_a_class_may_not_be_called_undecided():
    tree = ROCTreeClassifier().fit([[1.0], [2.0]], ["undecided", "yes"])
    with pytest.raises(ParameterError, match="'undecided', which is a class"):
        tree.at(cost_reject=0.1)


@pytest.mark.parametrize("request_", [{"max_fpr": 0.1}, {"beta": 1.0}, {"threshold": 0.5}])
def test_rates_and_thresholds_decide_every_case(request_):
    tree = worked_tree()
    with pytest.raises(ParameterError, match="ask for two labellings"):
        tree.at(cost_reject=0.1, **request_)


def test_the_boundary_of_undecided_cases_is_one_of_labels():
    X, y = numbers(2)
    changed = ROCTreeClassifier(min_samples_leaf=5).fit(X, y).at(cost_reject=0.2)
    labels, distance = changed.predict(X), changed.boundary_distance(X)
    for case, label, far in zip(changed.nearest_change(X), labels, distance, strict=True):
        assert case.label == label != case.to
        assert case.distance == pytest.approx(far)
    wanted = changed.nearest_change(X[labels == "undecided"], to="mid")
    assert {case.to for case in wanted} == {"mid"}


@pytest.mark.parametrize("ranking", ["local", "global"])
def test_scores_by_distance_are_those_of_cases_that_have_to_be_decided(ranking):
    X, y = numbers(2)
    tree = ROCTreeClassifier(min_samples_leaf=5, ranking=ranking).fit(X, y)
    costs = {"cost_fp": 1, "cost_fn": 2}
    scores = tree.at(**costs, cost_reject=0.2).decision_function(X)
    assert np.array_equal(scores, tree.at(**costs).decision_function(X))


@pytest.mark.filterwarnings("error")
def test_a_rejection_that_never_pays_is_reported():
    tree = worked_tree()
    with pytest.warns(ParameterWarning, match=r"decision never costs more than 0\.75"):
        tree.at(cost_fp=1, cost_fn=3, cost_reject=0.75, positive=1)
    tree.at(cost_fp=1, cost_fn=3, cost_reject=0.74, positive=1)


@pytest.mark.parametrize("value", [-1, np.inf, "much"])
def test_a_cost_that_is_none_is_refused(value):
    with pytest.raises(ParameterError, match="cost_reject"):
        worked_tree().at(cost_reject=value)
    with pytest.raises(ParameterError, match="cost_reject"):
        worked_tree().labellings(positive=1, cost_reject=value)


def test_predictions_of_frames_are_undecided_too():
    X, y = numbers(2)
    frame = pd.DataFrame(X, columns=["a", "b"])
    changed = ROCTreeClassifier(min_samples_leaf=5).fit(frame, y).at(cost_reject=0.2)
    assert "undecided" in changed.predict(frame)


@pytest.mark.filterwarnings("error")
def test_the_limit_of_a_useful_cost_includes_that_of_being_right():
    # Where both decisions cost the same, at 5 cases in 6 of the second class, they cost 31 / 6.
    made, matrix = leaves([(5, 5), (1, 9)]), ((1.0, 6.0), (6.0, 5.0))
    with pytest.warns(ParameterWarning, match=r"a decision never costs more than 5\.167"):
        LeastCost(cost_matrix=matrix, cost_reject=5.2)(made)
    LeastCost(cost_matrix=matrix, cost_reject=5.1)(made)
