import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree.labelling import BestFBeta, Labellings
from tests.labelling.tables import leaves, tables
from tests.naive.labelling import best_f_beta, f_beta

BETAS = st.sampled_from([0.25, 0.5, 1.0, 2.0, 5.0])


@given(tables(), BETAS, st.sampled_from([0, 1]))
def test_no_labelling_has_a_higher_f_measure(table, beta, positive):
    labels = BestFBeta(beta)(leaves(table, positive)).labels.tolist()
    found = f_beta(table, labels, beta, positive=positive)
    assert found == pytest.approx(best_f_beta(table, beta, positive=positive))


@given(tables(leaves=(1, 7)), BETAS, st.floats(0.05, 0.95))
def test_no_labelling_has_a_higher_f_measure_at_another_prior(table, beta, prior):
    labels = BestFBeta(beta, prior)(leaves(table)).labels.tolist()
    n_negative, n_positive = (sum(row[place] for row in table) for place in (0, 1))
    weights = ((1 - prior) / n_negative, prior / n_positive)
    found = f_beta(table, labels, beta, weights)
    assert found == pytest.approx(best_f_beta(table, beta, weights))


@given(tables(), BETAS)
def test_it_is_one_of_the_optimal_labellings(table, beta):
    some_leaves = leaves(table)
    chosen = set((np.flatnonzero(BestFBeta(beta)(some_leaves).labels) + 1).tolist())
    assert chosen in [set(row.positive_leaves.tolist()) for row in Labellings(some_leaves)]


@given(tables(), st.sampled_from([1e-300, 1e-9, 1e9, 1e300]))
def test_extreme_betas_are_the_best_precision_and_the_full_recall(table, beta):
    some_leaves = leaves(table)
    labels = BestFBeta(beta)(some_leaves).labels
    if beta > 1.0:
        assert some_leaves.counts[labels == 0, 1].sum() == 0.0
    else:
        full = some_leaves.counts.sum(axis=1) > 0.0
        purest = some_leaves.shares[full, 1].max()
        assert np.allclose(some_leaves.shares[full & (labels == 1), 1], purest)


def test_without_positives_no_leaf_is_positive():
    assert BestFBeta(1.0)(leaves([(3, 0), (2, 0)])).labels.tolist() == [0, 0]
