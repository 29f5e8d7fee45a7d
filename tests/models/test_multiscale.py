"""The cells of the Multiscale Classifier: definition 11, its example, and a plain reference."""

import pickle
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import check_estimator

from roctree import DataError, MultiscaleClassifier, NotFittedError, ParameterError
from tests.naive import multiscale as naive

ROWS = [[0.1, 0.2], [0.8, 0.9], [0.2, 0.3], [0.15, 0.22], [0.6, 0.1]]
LABELS = [0, 1, 1, 0, 1]

# Quarters, so that scaling is exact; few of them, so that many rows are alike.
values = st.integers(-6, 6).map(lambda number: number / 4)


@st.composite
def labelled(draw):
    n_features = draw(st.integers(1, 4))
    rows = draw(st.lists(st.tuples(*[values] * n_features), min_size=1, max_size=25))
    labels = draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    return [list(row) for row in rows], labels


def counts_of(classifier, rows):
    """The classes and counts of the nodes where rows stop."""
    return [
        {label: n for label, n in zip(classifier.classes_.tolist(), counts, strict=True) if n}
        for counts in classifier.tree_.counts[classifier.apply(rows)]
    ]


def in_order(tables):
    return sorted(sorted(table.items()) for table in tables)


@pytest.mark.parametrize(
    "estimator",
    [
        MultiscaleClassifier(),
        MultiscaleClassifier(pruning="minimum_error", merge_leaves=True),
        MultiscaleClassifier(max_level=3, smoothing="none", labels="majority"),
        MultiscaleClassifier(bounds=(-10, 10), pruning="pessimistic"),
    ],
    ids=repr,
)
def test_every_check_of_scikit_learn_passes(estimator):
    check_estimator(estimator, on_skip=None)


def test_the_example_has_four_leaves_on_two_levels():
    cells = MultiscaleClassifier(bounds=(0, 1)).fit(ROWS, LABELS)
    assert (cells.get_n_leaves(), cells.get_depth()) == (4, 2)
    assert cells.predict(ROWS).tolist() == LABELS
    assert cells.to_text() == (
        "x0 < 0.5, x1 < 0.5\n"
        "|   x0 < 0.25, x1 < 0.25: A 0  (0 0.75, 2 cases)\n"
        "|   x0 < 0.25, 0.25 <= x1 < 0.5: D 1  (0 0.33, 1 case)\n"
        "0.5 <= x0, x1 < 0.5: B 1  (0 0.33, 1 case)\n"
        "0.5 <= x0, 0.5 <= x1: C 1  (0 0.33, 1 case)"
    )


def test_all_120_orders_of_the_example_give_one_tree():
    whole = MultiscaleClassifier(bounds=(0, 1)).fit(ROWS, LABELS)
    for order in permutations(range(5)):
        cells = MultiscaleClassifier(bounds=(0, 1))
        for case in order:
            cells.partial_fit([ROWS[case]], [LABELS[case]], classes=[0, 1])
        assert cells.cells_ == whole.cells_
        assert cells.tree_ == whole.tree_


@given(labelled(), st.sampled_from([0, 1, 2, 30]))
def test_cells_are_those_of_inserting_case_after_case(data, max_level):
    rows, labels = data
    bounds = naive.bounds_of(rows)
    root = naive.grow(rows, labels, bounds, max_level)
    cells = MultiscaleClassifier(max_level=max_level).fit(rows, labels)
    assert in_order(counts_of(cells, rows)) == in_order(
        [naive.counts_at(root, row, bounds, max_level) for row in rows]
    )
    leaves = cells.tree_.counts[cells.tree_.leaves].tolist()
    tables = [
        {c: n for c, n in zip(cells.classes_.tolist(), leaf, strict=True) if n} for leaf in leaves
    ]
    assert in_order(tables) == in_order(naive.leaves(root))


@given(labelled(), st.lists(values, min_size=12, max_size=12))
def test_a_row_in_a_cell_never_seen_goes_by_the_smallest_cell_around_it(data, numbers):
    rows, labels = data
    n_features = len(rows[0])
    # Some of the new rows are outside the range.
    new = np.reshape(numbers[: 12 // n_features * n_features], (-1, n_features)).tolist()
    bounds = naive.bounds_of(rows)
    root = naive.grow(rows, labels, bounds, 30)
    found = counts_of(MultiscaleClassifier().fit(rows, labels), new)
    assert found == [naive.counts_at(root, row, bounds, 30) for row in new]


@given(labelled(), st.randoms(use_true_random=False))
def test_learning_in_parts_is_learning_at_once(data, random):
    rows, labels = data
    whole = MultiscaleClassifier().fit(rows, labels)
    order = random.sample(range(len(rows)), len(rows))
    cells = MultiscaleClassifier()
    for begin in range(0, len(order), 7):
        part = order[begin : begin + 7]
        cells.partial_fit(
            [rows[i] for i in part], [labels[i] for i in part], classes=sorted(set(labels))
        )
    assert cells.cells_ == whole.cells_
    assert cells.tree_ == whole.tree_
    assert pickle.dumps(cells.cells_) == pickle.dumps(whole.cells_)


@given(labelled(), st.data())
def test_a_row_of_weight_k_counts_as_k_rows(data, draw):
    rows, labels = data
    n = st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))
    weights = draw.draw(n.filter(any))
    repeated = np.repeat(np.array(rows), weights, axis=0), np.repeat(labels, weights)
    by_weight = MultiscaleClassifier().fit(rows, labels, sample_weight=weights)
    by_rows = MultiscaleClassifier().fit(*repeated)
    assert by_weight.cells_ == by_rows.cells_
    assert by_weight.predict_proba(rows).tolist() in (
        by_rows.predict_proba(rows).tolist(),
        # A class without weight is still a class.
        by_weight.predict_proba(rows).tolist() if by_weight.n_classes_ > by_rows.n_classes_ else [],
    )


def test_cells_are_consistent_with_cases_that_differ():
    X, y = load_iris(return_X_y=True)
    cells = MultiscaleClassifier().fit(X, y)
    assert cells.score(X, y) == 1.0
    assert clone(cells).fit(X, y).cells_ == cells.cells_


def test_the_largest_value_is_in_the_last_cell():
    cells = MultiscaleClassifier().fit([[0.0], [0.9], [1.0]], ["a", "b", "b"])
    assert cells.get_n_leaves() == 2
    assert cells.predict([[1.0], [7.0], [-7.0]]).tolist() == ["b", "b", "a"]


def test_a_constant_attribute_divides_nothing():
    cells = MultiscaleClassifier().fit([[3.0, 0.0], [3.0, 1.0]], [0, 1])
    assert cells.predict([[3.0, 1.0], [99.0, 1.0]]).tolist() == [1, 1]
    assert "x0" not in cells.to_text()


def test_equal_inputs_of_different_classes_share_a_leaf():
    rows = [[0.3, 0.3]] * 3 + [[0.9, 0.9]]
    cells = MultiscaleClassifier(smoothing="none").fit(rows, ["a", "b", "b", "a"])
    assert cells.get_n_leaves() == 2
    assert cells.predict_proba([[0.3, 0.3]]).round(3).tolist() == [[0.333, 0.667]]


@pytest.mark.parametrize("n_features", [1, 8, 9, 300])
def test_any_number_of_attributes_is_halved(n_features):
    X = np.random.default_rng(0).random((60, n_features))
    y = np.arange(60) % 3
    cells = MultiscaleClassifier().fit(X, y)
    assert cells.score(X, y) == 1.0
    assert cells.cells_.n_cells <= 2 * 60


def size_without_cases(X, y):
    """The cells of a model that keeps no cases, and the bytes of its pickle."""
    cells = MultiscaleClassifier(keep_cases=False).fit(X, y)
    return cells.cells_.n_cells, len(pickle.dumps(cells))


@pytest.mark.parametrize("n_features", [1, 3, 40])
def test_memory_is_in_proportion_to_the_cells_with_cases(n_features):
    rng = np.random.default_rng(0)
    few, many = (
        size_without_cases(rng.random((n, n_features)), rng.integers(0, 2, n)) for n in (100, 4000)
    )
    per_cell = (many[1] - few[1]) / (many[0] - few[0])
    # A corner is 32 bits an attribute; 83 bytes are levels, numbers of nodes, counts and shares.
    assert per_cell == pytest.approx(4 * n_features + 83, rel=0.01)


def test_cases_that_need_no_cell_of_their_own_take_no_memory():
    rng = np.random.default_rng(0)
    y = np.arange(8000) % 2
    X = y[:, None] + 0.4 * rng.random((8000, 6))
    few, many = (size_without_cases(X[:n], y[:n]) for n in (200, 8000))
    assert few[0] == many[0] == 3
    assert abs(many[1] - few[1]) < 50


def test_huge_and_close_values_are_told_apart():
    X = [[-1e308, 1.0], [1e308, 1.0], [1.1e308, 1.0 + 1e-9]]
    cells = MultiscaleClassifier().fit(X, [0, 1, 0])
    assert cells.predict(X).tolist() == [0, 1, 0]


def test_the_curve_of_the_cells_is_that_of_their_scores():
    X, y = load_iris(return_X_y=True)
    cells = MultiscaleClassifier(smoothing="m_branch").fit(X[::2], y[::2] == 1)
    scores = cells.predict_proba(X[1::2])[:, 1]
    assert cells.roc(X[1::2], y[1::2] == 1).auc == pytest.approx(
        roc_auc_score(y[1::2] == 1, scores)
    )
    assert cells.roc().auc == 1.0


def test_costs_relabel_cells_and_rows_that_stop_on_the_way():
    rows = [[0.1], [0.1], [0.1], [0.6], [0.9], [0.95]]
    labels = ["well", "well", "ill", "ill", "well", "well"]
    cells = MultiscaleClassifier(bounds=(0, 1)).fit(rows, labels)
    careful = cells.at(cost_fp=1, cost_fn=5, positive="ill")
    assert cells.predict([[0.1], [0.6], [0.9]]).tolist() == ["well", "ill", "well"]
    assert careful.predict([[0.1], [0.6], [0.9]]).tolist() == ["ill", "ill", "well"]
    assert careful.operating_point_.tpr == 1.0
    # Half the cases of this cell's surroundings are ill, which the costs make enough.
    rows = [[0.1, 0.1], [0.9, 0.1], [0.9, 0.9]]
    square = MultiscaleClassifier(bounds=(0, 1)).fit(rows, ["ill", "well", "well"])
    assert square.predict([[0.1, 0.9]]).tolist() == ["well"]
    assert square.at(cost_fp=1, cost_fn=5, positive="ill").predict([[0.1, 0.9]]).tolist() == ["ill"]


def test_labellings_are_those_that_some_costs_choose():
    rng = np.random.default_rng(3)
    X, y = rng.random((200, 2)).round(1), rng.integers(0, 2, 200)
    cells = MultiscaleClassifier(max_level=2).fit(X, y)
    table = cells.labellings(counts="smoothed", positive=1)
    assert len(table[-1].positive_leaves) == cells.tree_.n_nodes
    for row in table[1:-1]:
        ratio = np.sqrt(row.cost_ratio[0] * row.cost_ratio[1])
        chosen = cells.at(cost_fp=1, cost_fn=ratio, counts="smoothed", positive=1)
        point = chosen.operating_point_
        assert (point.fpr, point.tpr) == pytest.approx((row.fpr, row.tpr))
        # No training case stops in an inner cell: its label may change within a row.
        flagged = np.flatnonzero((point.labels == 1) & cells.tree_.is_leaf)
        assert set(flagged) == {leaf for leaf in row.positive_leaves if cells.tree_.is_leaf[leaf]}


@pytest.mark.parametrize("request_", [{"max_fpr": 0.2}, {"beta": 1.0}, {"threshold": 0.4}])
def test_scores_are_positive_just_where_the_second_class_is_predicted(request_):
    X, y = load_iris(return_X_y=True)
    cells = MultiscaleClassifier().fit(X[::3], y[::3] == 1).at(**request_)
    assert ((cells.decision_function(X) > 0) == cells.predict(X)).all()
    assert cells.predict_proba(X).shape == (150, 2)


def test_an_operating_point_can_be_chosen_by_cases_held_out():
    X, y = load_iris(return_X_y=True)
    cells = MultiscaleClassifier().fit(X[::2], y[::2] == 1)
    held_out = X[1::2], y[1::2] == 1
    chosen = cells.at(max_fpr=0.1, counts=held_out)
    called = chosen.predict(held_out[0])
    assert called[~held_out[1]].mean() == pytest.approx(chosen.operating_point_.fpr)
    assert called[held_out[1]].mean() == pytest.approx(chosen.operating_point_.tpr)
    with pytest.raises(ParameterError, match="held-out cases, which are not kept"):
        chosen.smoothed("none")


def test_a_matrix_of_costs_decides_for_single_cases():
    X, y = load_iris(return_X_y=True)
    cells = MultiscaleClassifier().fit(X, y)
    always_two = np.array([[9.0] * 3, [9.0] * 3, [0.0] * 3])
    assert set(cells.predict(X, cost_matrix=always_two)) == {2}
    assert cells.at(cost_matrix=always_two).predict(X).tolist() == [2] * 150


def test_another_smoothing_needs_no_fit():
    cells = MultiscaleClassifier(bounds=(0, 1)).fit(ROWS, LABELS)
    again = MultiscaleClassifier(bounds=(0, 1), smoothing="none").fit(ROWS, LABELS)
    assert (cells.smoothed("none").predict_proba(ROWS) == again.predict_proba(ROWS)).all()


def test_text_shows_few_attributes_and_as_many_digits_as_it_takes():
    rows = np.zeros((2, 6))
    rows[1] = 1.0
    cells = MultiscaleClassifier().fit(rows, [0, 1])
    assert (
        cells.to_text()
        .splitlines()[0]
        .startswith("x0 < 0.5, x1 < 0.5, x2 < 0.5, x3 < 0.5, … (2 more):")
    )
    close = MultiscaleClassifier(bounds=(0, 1)).fit([[0.3], [0.3 + 1e-7]], [0, 1])
    assert close.to_text().startswith("0.3 <= x0 < 0.3000001: B 0")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_level": 33}, "max_level=33 is not allowed: give an integer from 0 to 32"),
        ({"max_level": 2.5}, "max_level=2.5 is not allowed"),
        ({"bounds": (1, 0)}, r"bounds=\(1, 0\) is not allowed: give 'training', a pair"),
        ({"bounds": "data"}, "bounds='data' is not allowed"),
        ({"bounds": [(0, 1)] * 3}, "for each of the 2 attributes"),
        ({"merge_leaves": "yes"}, "merge_leaves='yes' is not allowed: give True or False"),
        ({"keep_cases": None}, "keep_cases=None is not allowed"),
        ({"labels": "plurality"}, "labels='plurality' is not allowed"),
        ({"pruning": "critical_value"}, "critical_value uses the gain of splits"),
        ({"pruning": "reduced_error"}, "needs more than the counts of the cells"),
        ({"smoothing": "laplas"}, "did you mean 'laplace'"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        MultiscaleClassifier(**parameters).fit(ROWS, LABELS)


def test_a_strength_left_to_the_data_is_refused():
    from roctree.smoothing import MBranch

    with pytest.raises(ParameterError, match=r"needs cross-validation, .*: give a number"):
        MultiscaleClassifier(smoothing=MBranch(M="auto")).fit(ROWS, LABELS)


def test_categories_and_missing_values_are_refused_in_one_sentence():
    with pytest.raises(DataError, match="column 'x1' holds categories, and only numbers"):
        MultiscaleClassifier().fit([[1.0, "red"], [2.0, "blue"]], [0, 1])
    with pytest.raises(DataError, match=r"column 'x0' is missing \(NaN\) in row 1"):
        MultiscaleClassifier().fit([[1.0], [None]], [0, 1])
    cells = MultiscaleClassifier().fit(ROWS, LABELS)
    with pytest.raises(DataError, match=r"column 'x1' is missing \(NaN\) in row 0"):
        cells.predict([[1.0, np.nan]])


def test_learning_goes_on_from_the_rows_as_they_were():
    X = np.array(ROWS[:3], dtype=float)
    begun = MultiscaleClassifier().fit(X, LABELS[:3])
    X[:] = 0.0
    begun.partial_fit(ROWS[3:], LABELS[3:])
    assert begun.cells_ == MultiscaleClassifier().fit(ROWS, LABELS).cells_


def test_learning_goes_on_only_where_the_cases_were_kept():
    begun = MultiscaleClassifier().fit(ROWS[:3], LABELS[:3]).partial_fit(ROWS[3:], LABELS[3:])
    assert begun.cells_ == MultiscaleClassifier().fit(ROWS, LABELS).cells_
    closed = MultiscaleClassifier(keep_cases=False).fit(ROWS, LABELS)
    assert closed.cases_ is None
    with pytest.raises(ParameterError, match="start with keep_cases=True"):
        closed.partial_fit(ROWS, LABELS)
    with pytest.raises(ParameterError, match="classes is required in the first call"):
        MultiscaleClassifier().partial_fit(ROWS, LABELS)
    with pytest.raises(DataError, match="label 2, which is not a class"):
        MultiscaleClassifier().partial_fit(ROWS, [0, 1, 2, 0, 0], classes=[0, 1])
    with pytest.raises(
        ParameterError, match="classes are 0, 1, 2, but the model was fitted to 0, 1"
    ):
        begun.partial_fit(ROWS, LABELS, classes=[0, 1, 2])
    with pytest.raises(NotFittedError):
        MultiscaleClassifier().predict(ROWS)


def test_names_of_columns_are_those_of_the_first_part():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS, columns=["width", "height"])
    cells = MultiscaleClassifier().partial_fit(frame, LABELS, classes=[0, 1])
    assert cells.feature_names_in_.tolist() == ["width", "height"]
    with pytest.raises(DataError, match="feature names should match"):
        cells.partial_fit(frame[["height", "width"]], LABELS)
