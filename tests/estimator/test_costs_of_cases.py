"""Costs that differ from case to case, given to ``predict``."""

import numpy as np
import pytest

from roctree import ParameterError


class TestCostsOfEachCase:
    def test_each_row_has_its_cheapest_class(self, tree, data):
        X = data[0]
        costs = np.random.default_rng(0).uniform(0, 5, (len(X), 2, 2))
        expected = np.einsum("nij,nj->ni", costs, tree.predict_proba(X)).argmin(axis=1)
        assert np.array_equal(tree.predict(X, cost_matrix=costs), tree.classes_[expected])

    def test_of_several_classes_too(self, iris):
        X, _, tree = iris
        costs = np.random.default_rng(1).uniform(0, 5, (len(X), 3, 3))
        expected = np.einsum("nij,nj->ni", costs, tree.predict_proba(X)).argmin(axis=1)
        assert np.array_equal(tree.predict(X, cost_matrix=costs), tree.classes_[expected])

    def test_the_same_costs_for_all_are_one_matrix(self, tree, data):
        matrix = np.array([[0.0, 3.0], [1.0, 0.0]])
        many = np.broadcast_to(matrix, (len(data[0]), 2, 2))
        one = tree.predict(data[0], cost_matrix=matrix)
        assert np.array_equal(tree.predict(data[0], cost_matrix=many), one)

    def test_they_go_before_the_operating_point(self, tree, data):
        matrix = np.array([[0.0, 3.0], [1.0, 0.0]])
        other = tree.at(threshold=0.9)
        found = other.predict(data[0], cost_matrix=matrix)
        assert np.array_equal(found, tree.predict(data[0], cost_matrix=matrix))

    @pytest.mark.parametrize(
        ("costs", "sentence"),
        [
            (np.ones((3, 2, 2)), "cost_matrix has shape (3, 2, 2): give (2, 2), predicted by true"),
            (np.ones(2), "cost_matrix has shape (2,): it must have 2 rows"),
            ("cheap", "cost_matrix must contain numbers, in rows of equal length."),
            ([[0, None], [1, 0]], "cost_matrix must contain only finite costs"),
            ([[0, 0], [0, 0]], "cost_matrix has no error that costs more than a correct"),
        ],
    )
    def test_that_do_not_fit_are_refused(self, tree, data, costs, sentence):
        with pytest.raises(ParameterError) as raised:
            tree.predict(data[0], cost_matrix=costs)
        assert sentence in str(raised.value)

    def test_a_cost_that_is_no_number_is_named_by_its_row(self, tree, data):
        costs = np.ones((len(data[0]), 2, 2))
        costs[7, 0, 1] = np.nan
        with pytest.raises(ParameterError, match="a cost for row 7 that is not finite"):
            tree.predict(data[0], cost_matrix=costs)

    def test_that_forgive_all_errors_are_refused(self, tree, data):
        with pytest.raises(ParameterError, match="no error that costs more"):
            tree.predict(data[0], cost_matrix=np.zeros((len(data[0]), 2, 2)))
