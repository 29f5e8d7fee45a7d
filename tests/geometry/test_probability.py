import math

import numpy as np
import pytest

from roctree import ParameterError
from roctree.geometry import Boundary, GeometricProbability
from roctree.geometry.boundary import REACH, _sum_gaussians, signed_distance, silverman
from roctree.tree.tree import Tree
from tests.geometry.test_distance import boundary_of, paper_example


def made(n=400, seed=0):
    values = np.random.default_rng(seed).random((n, 2))
    inside = (values[:, 0] > 0.5) & (values[:, 1] > 0.4)
    wrong = np.random.default_rng(seed + 1).random(n) < 0.3 * np.exp(
        -8 * np.abs(values[:, 0] - 0.5)
    )
    return values, (inside != wrong).astype(np.int32)


def boundary():
    return boundary_of(*paper_example(), 2, (1.0, 1.0), n_features=2)


def estimate(values, labels, weights=None):
    weights = np.ones(len(values)) if weights is None else weights
    return GeometricProbability.from_cases(boundary(), values, labels, weights)


def exact(values, labels, new, bandwidth):
    """The definition, sum by sum."""
    mine, theirs = signed_distance(boundary(), values), signed_distance(boundary(), new)
    kernel = np.exp(-0.5 * ((theirs[:, None] - mine) / bandwidth) ** 2)
    return kernel @ labels / kernel.sum(axis=1)


@pytest.mark.parametrize("width", [1.0, 2.5])
def test_a_case_counts_up_to_twice_the_reach_and_no_further(width):
    table = np.zeros((100, 2))
    table[0], table[99, 1] = (3.0, 1.0), 2.0
    places = np.arange(100.0)
    bells = [np.exp(-0.5 * (away / width) ** 2) for away in (places, places[::-1])]
    near, far = (np.where(bell >= math.exp(-0.5 * (2.0 * REACH) ** 2), bell, 0.0) for bell in bells)
    found = _sum_gaussians(table, width)
    assert found == pytest.approx(np.column_stack([3.0 * near, near + 2.0 * far]), rel=1e-12)
    assert not found[41:, 0].any()


def test_it_is_the_kernel_estimate_but_for_the_grid():
    values, labels = made()
    found = estimate(values, labels)
    new, _ = made(seed=7)
    wanted = exact(values, labels, new, found.bandwidth)
    assert found(new, np.zeros((len(new), 2)))[:, 1] == pytest.approx(wanted, abs=2e-3)


def test_it_is_a_probability():
    values, labels = made()
    shares = estimate(values, labels)(values, np.zeros((len(values), 2)))
    assert ((shares >= 0) & (shares <= 1)).all()
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(values)), rel=1e-12)


def test_it_is_calibrated_on_the_training_cases():
    values, labels = made(4000)
    shares = estimate(values, labels)(values, np.zeros((len(values), 2)))[:, 1]
    assert shares.mean() == pytest.approx(labels.mean(), abs=0.01)
    groups = np.array_split(np.argsort(shares), 10)
    gaps = [abs(shares[group].mean() - labels[group].mean()) for group in groups]
    assert np.mean(gaps) < 0.03


def test_far_from_all_training_cases_the_leaf_speaks():
    values, labels = made()
    leaf = np.array([[0.25, 0.75]])
    assert estimate(values, labels)(np.array([[500.0, 900.0]]), leaf).tolist() == leaf.tolist()


def test_the_order_of_the_rows_leaves_no_trace_and_weights_count_as_rows():
    values, labels = made(60)
    order = np.random.default_rng(3).permutation(60)
    one, other = estimate(values, labels), estimate(values[order], labels[order])
    assert np.array_equal(one.sums, other.sums)
    counts = np.random.default_rng(4).integers(0, 5, 60)
    copied = estimate(np.repeat(values, counts, axis=0), np.repeat(labels, counts))
    weighted = estimate(values, labels, counts.astype(float))
    assert weighted.bandwidth == pytest.approx(copied.bandwidth)
    # Rows without weight only lengthen the grid.
    new, _ = made(seed=7)
    leaf = np.zeros((len(new), 2))
    assert weighted(new, leaf) == pytest.approx(copied(new, leaf), abs=1e-3)


def test_the_bandwidth_of_weighted_values_is_that_of_repeated_ones():
    rng = np.random.default_rng(2)
    values, counts = np.sort(rng.normal(size=50)), rng.integers(1, 9, 50)
    repeated = silverman(np.repeat(values, counts), np.ones(counts.sum()))
    assert silverman(values, counts.astype(float)) == pytest.approx(repeated)
    assert silverman(np.array([0.0, 1.0, 5.0]), np.array([1.0, 8.0, 1.0])) == pytest.approx(
        0.9 * np.repeat([0.0, 1.0, 5.0], [1, 8, 1]).std() * 10**-0.2
    )


def test_not_the_cases_are_kept_but_a_grid():
    values, labels = made(20_000)
    assert len(estimate(values, labels).sums) <= 4096


def test_where_all_distances_are_the_same_it_is_the_share_of_the_class():
    single = Boundary(Tree.single_leaf([3.0, 1.0]), np.array([[3.0, 1.0]]), np.ones(1))
    labels = np.array([0, 0, 0, 1], dtype=np.int32)
    found = GeometricProbability.from_cases(single, np.zeros((4, 1)), labels, np.ones(4))
    assert found(np.zeros((1, 1)), np.zeros((1, 2))) == pytest.approx(np.array([[0.75, 0.25]]))


def test_a_far_away_case_only_makes_it_smoother():
    values, labels = made(200)
    values[0] = [1e6, 1e6]
    found = estimate(values, labels)
    shares = found(values, np.zeros((200, 2)))
    assert shares.sum(axis=1) == pytest.approx(np.ones(200))


def test_the_bandwidth_is_that_of_silverman():
    values = np.sort(np.random.default_rng(0).normal(size=1000))
    wanted = 0.9 * min(values.std(), np.subtract(*np.quantile(values, [0.75, 0.25])) / 1.34)
    assert silverman(values, np.ones(1000)) == pytest.approx(wanted * 1000**-0.2, rel=0.01)
    mostly_zero = np.sort(np.append(np.zeros(99), 1.0))
    assert silverman(mostly_zero, np.ones(100)) == pytest.approx(0.9 * 0.0099**0.5 * 100**-0.2)


def test_more_classes_are_refused():
    three = Boundary(Tree.single_leaf([1.0, 1.0, 1.0]), np.ones((1, 3)), np.ones(1))
    with pytest.raises(ParameterError, match="needs two classes, but there are 3"):
        GeometricProbability.from_cases(
            three, np.zeros((1, 1)), np.zeros(1, dtype=np.int32), np.ones(1)
        )
