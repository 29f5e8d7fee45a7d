"""Fayyad and Irani's intervals: worked examples, plain loops, and the transformer."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from roctree import DataError, MDLDiscretizer, NotFittedError
from roctree.models.discretizer import (
    ClassCounts,
    SortedColumn,
    best_cut,
    best_integer_cut,
    cut_points,
    x_log_x_table,
)
from tests.naive import mdl as naive

HALVES = [0] * 6 + [1] * 6
MIXED = [0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1]


@st.composite
def columns(draw):
    """Few distinct values, so that there are ties, and labels that follow them more or less."""
    n = draw(st.integers(2, 60))
    values = draw(st.lists(st.integers(0, 12), min_size=n, max_size=n))
    noise = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return [float(value) for value in values], [
        min(value // 5, 2) if chance else chance
        for value, chance in zip(values, noise, strict=True)
    ]


def cuts_of(values, labels, weights=None):
    values, labels = np.array(values, dtype=float), np.array(labels)
    ones = np.ones(len(values)) if weights is None else np.array(weights, dtype=float)
    return cut_points(values, labels, ones, 3).tolist()


@pytest.mark.parametrize(
    ("labels", "gain", "delta", "price", "cuts"),
    [
        (HALVES, 1.0, 0.807355, 0.355566, [6.5]),
        (MIXED, 0.349978, None, 0.572240, []),
        ([0, 0, 1, 1], 1.0, None, 0.598079, [2.5]),
    ],
)
def test_the_worked_examples(labels, gain, delta, price, cuts):
    values = [float(number) for number in range(1, len(labels) + 1)]
    middles = [value + 0.5 for value in values[:-1]]
    best = max(naive.gain_and_price(values, labels, cut) for cut in middles)
    assert best[0] == pytest.approx(gain, abs=1e-6)
    assert best[2] == pytest.approx(price, abs=1e-6)
    assert delta is None or best[1] == pytest.approx(delta, abs=1e-6)
    assert cuts_of(values, labels) == naive.cut_points(values, labels) == cuts


@given(columns())
def test_cuts_are_those_of_plain_loops(column):
    values, labels = column
    assert cuts_of(values, labels) == naive.cut_points(values, labels)


@given(columns(), st.randoms(use_true_random=False))
def test_a_case_of_weight_k_is_k_cases_in_any_order(column, random):
    values, labels = column
    weights = [random.randint(1, 3) for _ in values]
    repeated = [
        pair
        for pair, weight in zip(zip(values, labels, strict=True), weights, strict=True)
        for _ in range(weight)
    ]
    random.shuffle(repeated)
    assert cuts_of(values, labels, weights) == cuts_of(*zip(*repeated, strict=True))


def best_cut_by(search, values, labels, weights):
    """The place of the best cut, and the class counts on its left."""
    column = SortedColumn(np.array(values, dtype=float), np.array(labels), weights, weights)
    counts = ClassCounts(*np.zeros((5, 3), dtype=weights.dtype))
    counts.total[:] = np.bincount(labels, weights, 3)
    table, n = x_log_x_table(float(weights.sum())), len(values)
    place = search(column, 0, n, table, 0.0, counts, np.empty(n))
    return place, counts.best_left.tolist()


@given(
    columns(),
    st.lists(st.integers(1, 5), min_size=60, max_size=60),
    st.permutations([0, 1, 2]),
)
def test_two_classes_are_cut_where_any_number_is(column, weights, names):
    order = np.argsort(column[0], kind="stable")
    values = np.array(column[0])[order]
    labels = np.array(names)[np.minimum(np.array(column[1])[order], 1)]
    assume(len(set(labels)) == 2)
    weights = np.array(weights[: len(values)])
    expected = best_cut_by(best_cut, values, labels, weights.astype(float))
    assert best_cut_by(best_integer_cut, values, labels, weights) == expected


def test_of_cuts_whose_entropies_round_to_the_same_the_lowest_is_taken():
    values, labels = np.repeat([0.0, 1.0, 2.0], 2), [0, 1, 0, 1, 0, 1]
    weights = np.array([14, 4, 1, 61, 14, 4])
    assert best_cut_by(best_integer_cut, values, labels, weights) == (1, [14, 4, 0])


@pytest.mark.parametrize("weight", [0.25, 0.5, 0.75, 0.99])
def test_fewer_than_two_cases_are_not_cut(weight):
    assert cuts_of([1.0, 2.0], [0, 1], [weight, weight]) == []


def test_missing_values_take_no_part():
    gaps = [np.nan, *np.arange(1.0, 13.0), np.nan]
    assert cuts_of(gaps, [1, *HALVES, 0]) == [6.5]


def test_iris_has_the_intervals_that_weka_finds():
    cuts = MDLDiscretizer().fit(*load_iris(return_X_y=True)).cut_points_
    assert [column.tolist() for column in cuts] == [
        pytest.approx([5.55, 6.15]),
        pytest.approx([2.95, 3.35]),
        pytest.approx([2.45, 4.75]),
        pytest.approx([0.8, 1.75]),
    ]


@pytest.mark.slow
def test_the_transformer_passes_every_check_of_scikit_learn():
    check_estimator(MDLDiscretizer(), on_skip=None)


def test_values_on_a_cut_belong_to_the_interval_below():
    discretizer = MDLDiscretizer().fit([[float(i)] for i in range(1, 13)], HALVES)
    assert discretizer.transform([[6.5], [6.6], [None]]).tolist()[:2] == [[0.0], [1.0]]
    assert np.isnan(discretizer.transform([[None]])).all()


def test_a_frame_keeps_its_names_and_its_categories():
    frame = pd.DataFrame({"size": np.arange(12.0), "colour": ["red", "blue"] * 6})
    discretizer = MDLDiscretizer().set_output(transform="pandas").fit(frame, HALVES)
    found = discretizer.transform(frame)
    assert found["size"].tolist() == [0.0] * 6 + [1.0] * 6
    assert found["colour"].tolist() == [1.0, 0.0] * 6
    with pytest.warns(UserWarning, match="not seen in training"):
        unseen = discretizer.transform(frame.assign(colour="green"))
    assert unseen["colour"].isna().all()


def test_it_serves_in_a_pipeline():
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(MDLDiscretizer(), CategoricalNB(min_categories=5)).fit(X, y)
    assert model.score(X, y) > 0.9


def test_infinity_and_use_before_fit_are_refused():
    with pytest.raises(DataError, match="infinity"):
        MDLDiscretizer().fit([[np.inf], [1.0]], [0, 1])
    with pytest.raises(NotFittedError):
        MDLDiscretizer().transform([[1.0]])
