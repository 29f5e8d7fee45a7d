import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree.geometry.boundary import (
    ScoredCases,
    _largest_at,
    by_distance,
    by_leaf_and_distance,
)

LEVELS = [0.0, 0.2, 1 / 3, 1 / 3 + 1e-14, 0.5, 0.9, 1.0]
DISTANCES = st.sampled_from([0.0, 1e-9, 0.1, 0.25, 4.0, 1e6])


@st.composite
def scenes(draw, monotone):
    """Leaves with a probability and a label each, and cases in them at some distance."""
    n_leaves = draw(st.integers(1, 5))
    levels = np.array([draw(st.sampled_from(LEVELS)) for _ in range(n_leaves)])
    if monotone:
        labels = (levels > draw(st.sampled_from([-0.1, 0.1, 0.4, 0.6, 1.1]))).astype(int)
    else:
        labels = np.array([draw(st.integers(0, 1)) for _ in range(n_leaves)])
    leaf = np.array(draw(st.lists(st.integers(0, n_leaves - 1), min_size=1, max_size=12)))
    far = np.array([draw(DISTANCES) for _ in leaf])
    signed = np.where(labels[leaf] == 1, far, -far)
    pairs = np.column_stack([1 - levels, levels])
    return ScoredCases(
        labels[leaf], np.column_stack([-signed, signed]), pairs[leaf], labels, pairs, np.ones(2)
    )


@given(st.booleans().flatmap(scenes))
def test_scores_are_positive_exactly_for_the_second_class(scene):
    for score in (by_distance, by_leaf_and_distance):
        found = score(scene)
        assert np.array_equal(found > 0, scene.own == 1)
        assert np.isfinite(found).all()
        assert not np.signbit(found[found == 0]).any()


@given(scenes(monotone=True))
def test_the_order_of_leaves_is_kept_and_ties_are_ordered_by_distance(scene):
    found = by_leaf_and_distance(scene)
    key = list(zip(np.round(scene.probabilities[:, 1], 12), scene.signed[:, 1], strict=True))
    for i in range(len(found)):
        for j in range(len(found)):
            assert found[i] < found[j] or key[i][0] >= key[j][0]
            assert found[i] <= found[j] or key[i] > key[j]
            assert found[i] == found[j] or key[i] != key[j]


def test_where_labels_do_not_follow_probabilities_the_predicted_come_first():
    pairs = np.array([[0.7, 0.3], [0.4, 0.6]])
    scene = ScoredCases(
        np.array([1, 0]),
        np.array([[-0.1, 0.1], [0.1, -0.1]]),
        pairs,
        np.array([1, 0]),
        pairs,
        np.ones(2),
    )
    high, low = by_leaf_and_distance(scene)
    assert high > 0 > low


def test_a_case_whose_leaves_outvote_its_probability_is_next_to_the_boundary():
    leaves = np.array([[0.9, 0.1], [0.2, 0.8]])
    cases = np.array([[0.45, 0.55], [0.2, 0.8]])
    scene = ScoredCases(
        np.array([0, 1]),
        np.array([[0.0, -0.0], [-2.0, 2.0]]),
        cases,
        np.array([0, 1]),
        leaves,
        np.ones(2),
    )
    assert by_leaf_and_distance(scene) == pytest.approx([0.0, 0.3 + 0.49 * 0.7 * 2 / 3])


def test_of_more_classes_the_largest_score_is_that_of_the_predicted():
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(3), 20)
    own = rng.integers(0, 3, 20)
    far = rng.integers(0, 2, (20, 3)) * rng.random((20, 3))
    signed = np.where(own[:, None] == np.arange(3), far, -far)
    scene = ScoredCases(own, signed, shares, own, shares, np.array([1.0, 2.0, 0.5]))
    for score in (by_distance, by_leaf_and_distance):
        assert np.array_equal(score(scene).argmax(axis=1), own)


def test_scores_are_raised_only_where_another_class_would_be_predicted():
    scores = np.array([[0.2, 0.5, 0.3], [0.4, 0.4, 0.1], [-2.0, -1.0, -3.0]])
    found = _largest_at(scores, np.array([1, 1, 2]))
    assert found.argmax(axis=1).tolist() == [1, 1, 2]
    changed = [(1, 1), (2, 2)]
    for place in np.ndindex(scores.shape):
        assert bool(found[place] == scores[place]) is (place not in changed)
    assert found[1, 1] == pytest.approx(0.4, abs=1e-15)
    assert found[2, 2] == pytest.approx(-1.0, abs=1e-15)
    assert scores[1, 1] == 0.4  # what was given is not changed
