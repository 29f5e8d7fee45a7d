"""How fit divides the data to choose by held-out cases, and what it chooses."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest

from roctree import (
    Dataset,
    MultiscaleClassifier,
    NaiveBayesTreeClassifier,
    ROCTreeClassifier,
)
from roctree.fitting import best_smoother, folds, hold_out, ranks_in_class, total_log_loss
from roctree.smoothing import Frequencies, Laplace, MEstimate, choices
from roctree.tree.tree import Tree


def data(rows, labels, weights=None):
    return Dataset.from_data(np.array(rows, dtype=float), labels, sample_weight=weights)


def random_data(n_rows=100, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 4, (n_rows, 2)).astype(float)
    values[rng.random((n_rows, 2)) < 0.1] = np.nan
    return Dataset.from_data(values, rng.integers(0, 3, n_rows))


def row_list(dataset):
    return sorted(map(str, np.column_stack([dataset.values, dataset.labels]).tolist()))


def leaf(dataset):
    """A tree that does not look at the values."""
    counts = np.bincount(dataset.labels, dataset.weights, dataset.schema.n_classes)
    return Tree.single_leaf(counts)


def test_each_row_is_held_out_once():
    dataset = random_data()
    out = [row for _, part in folds(dataset) for row in row_list(part)]
    assert sorted(out) == row_list(dataset)


def test_a_row_is_either_kept_or_held_out():
    dataset = random_data()
    for kept, out in folds(dataset):
        assert sorted(row_list(kept) + row_list(out)) == row_list(dataset)


def test_rows_that_are_alike_stay_together():
    for kept, out in folds(random_data()):
        assert not set(row_list(kept)) & set(row_list(out))


def test_a_part_depends_on_the_row_and_not_on_its_place():
    dataset = random_data()
    order = np.random.default_rng(1).permutation(len(dataset.labels))
    shuffled = Dataset(
        dataset.values[order], dataset.labels[order], dataset.weights[order], dataset.schema
    )
    assert np.array_equal(ranks_in_class(shuffled), ranks_in_class(dataset)[order])
    for (_, one), (_, other) in zip(folds(dataset), folds(shuffled), strict=True):
        assert row_list(one) == row_list(other)


def test_parts_have_about_as_many_kinds_of_rows_of_each_class():
    rng = np.random.default_rng(0)
    dataset = data(rng.normal(size=(103, 2)), [0] * 40 + [1] * 63)
    sizes = [np.bincount(out.labels, minlength=2).tolist() for _, out in folds(dataset)]
    assert sizes == [[8, 13], [8, 13], [8, 13], [8, 12], [8, 12]]


def test_the_two_zeros_are_one_value():
    assert ranks_in_class(data([[0.0], [-0.0], [1.0]], [0, 0, 0])).tolist()[:2] in ([0, 0], [1, 1])


def test_any_two_missing_values_are_alike_and_unlike_zero():
    negative = np.copysign(np.nan, -1.0)
    first, second, zero = ranks_in_class(data([[np.nan], [negative], [0.0]], [0, 0, 0]))
    assert first == second != zero


def test_the_layout_of_the_matrix_does_not_matter():
    values = np.random.default_rng(0).normal(size=(30, 4))
    by_rows = data(values, [0, 1] * 15)
    by_columns = Dataset(np.asfortranarray(values), by_rows.labels, by_rows.weights, by_rows.schema)
    assert np.array_equal(ranks_in_class(by_rows), ranks_in_class(by_columns))


@pytest.mark.parametrize("rows", [[[1.0]], [[1.0], [1.0], [1.0]]])
def test_rows_that_are_all_alike_make_no_folds(rows):
    assert list(folds(data(rows, [0] * len(rows)))) == []


def test_the_loss_is_minus_the_logarithm_of_what_was_the_case_by_weight():
    cases = data([[0.0], [0.0]], ["a", "b"], weights=[3.0, 2.0])
    tree = Tree.single_leaf([3.0, 1.0])
    expected = -(3 * math.log(0.75) + 2 * math.log(0.25))
    assert total_log_loss(tree, Frequencies(), cases) == pytest.approx(expected)


def test_what_was_thought_impossible_costs_much_but_not_everything():
    cases = data([[0.0], [0.0]], ["a", "b"])
    assert 30 < total_log_loss(Tree.single_leaf([5.0, 0.0]), Frequencies(), cases) < 40


def test_the_smoother_chosen_has_the_least_loss_of_its_grid():
    dataset = random_data()
    losses = {
        choice: sum(total_log_loss(leaf(kept), choice, out) for kept, out in folds(dataset))
        for choice in choices(MEstimate("auto"))
    }
    chosen = best_smoother(MEstimate("auto"), dataset, leaf)
    assert losses[chosen] == min(losses.values())


def test_pure_classes_apart_want_the_least_smoothing_and_noise_the_most():
    def by_sign(dataset):
        counts = np.zeros((3, 2))
        np.add.at(counts, (1 + (dataset.values[:, 0] > 0), dataset.labels), dataset.weights)
        counts[0] = counts.sum(axis=0)
        return Tree(
            n_children=np.array([2, 0, 0], dtype=np.int32),
            feature=np.array([0, -1, -1], dtype=np.int32),
            threshold=np.array([0.0, np.nan, np.nan]),
            category_branch=np.empty(0, dtype=np.int16),
            category_offsets=np.zeros(4, dtype=np.int32),
            missing_branch=np.full(3, -1, dtype=np.int16),
            counts=counts,
            softness=np.zeros(3),
            gain=np.zeros(3),
        ).validate()

    values = np.linspace(-1.0, 1.0, 40)[:, None]
    pure = data(values, (values[:, 0] > 0).astype(int))
    noise = data(values, np.arange(40) % 2)
    assert best_smoother(MEstimate("auto"), pure, by_sign).m == 0.5
    assert best_smoother(MEstimate("auto"), noise, by_sign).m == 64


def test_a_smoother_without_choices_needs_no_folds():
    def grow(_):
        raise AssertionError("nothing is to be grown")

    assert best_smoother(Laplace(), random_data(), grow) == Laplace()


def test_the_arrays_of_a_fitted_model_cannot_be_changed():
    dataset = random_data()
    X, y = dataset.values, dataset.labels
    plain = [
        model.fit(np.nan_to_num(X), y) for model in (ROCTreeClassifier(), MultiscaleClassifier())
    ]
    models = [*plain, NaiveBayesTreeClassifier().fit(X, y)]
    models += [model.at(cost_matrix=1.0 - np.eye(3)) for model in models]
    for model in models:
        for fitted in (model.fitted_, pickle.loads(pickle.dumps(model.fitted_))):
            for part in (fitted, fitted.operating_point):
                arrays = [
                    value
                    for value in vars(part or fitted).values()
                    if isinstance(value, np.ndarray)
                ]
                assert not any(array.flags.writeable for array in arrays)
    assert "probabilities" in vars(models[0].fitted_)


@pytest.mark.parametrize("fraction", [0.25, 1 / 3, 0.5])
def test_a_row_far_more_common_than_others_is_divided_by_the_fraction(fraction):
    X = np.array([[0.0]] * 30 + [[float(number)] for number in range(1, 13)])
    cases = data(X, [0] * len(X))
    kept, out = hold_out(cases, fraction)
    common = [part.weights[part.values[:, 0] == 0.0].sum() for part in (kept, out)]
    assert sum(common) == 30.0
    assert common[1] == pytest.approx(30.0 * fraction, abs=0.05)
    assert kept.weights.sum() + out.weights.sum() == 42.0


@pytest.mark.parametrize(
    "parameters", [{}, {"splits": "binned"}, {"growth": "whole_tree_auc"}], ids=repr
)
def test_a_split_with_more_branches_than_leaves_allowed_is_not_made_with_a_remark(parameters):
    rng = np.random.default_rng(0)
    wards, scores = rng.integers(0, 40, 800), rng.normal(size=800)
    X = pd.DataFrame({"ward": [f"w{ward}" for ward in wards], "score": scores})
    y = rng.normal(size=40)[wards] + 0.1 * scores > 0.0
    tree = ROCTreeClassifier(nominal="multiway", max_leaf_nodes=8, **parameters)
    with pytest.warns(
        UserWarning, match="by column 'ward', would have 40 branches.*max_leaf_nodes"
    ):
        assert tree.fit(X, y).get_n_leaves() == 1
    # Neither if it fits, nor if sets of categories are split.
    assert tree.set_params(max_leaf_nodes=50).fit(X, y).get_n_leaves() >= 40
    assert tree.set_params(max_leaf_nodes=8, nominal="binary").fit(X, y).get_n_leaves() > 2
