import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roctree.geometry import boundary as boundaries
from roctree.geometry.boundary import Boundary
from tests.geometry.trees import boundary_of, distance, halving, labelled_trees, rows
from tests.naive import geometry as naive
from tests.naive.descend import Node, add_counts
from tests.tree.trees import as_values, chain

SCALES = st.lists(st.sampled_from([0.25, 1.0, 3.0]), min_size=3, max_size=3)


def paper_example():
    """x0 <= .5: 0; x0 > .5 and x1 <= .4: 0; x0 > .5 and x1 > .4: 1."""
    below = Node([], 1, threshold=0.4, children=[Node([1.0, 0.0]), Node([0.0, 1.0])])
    root = Node([], 0, threshold=0.5, children=[Node([1.0, 0.0]), below])
    add_counts(root)
    return root, {(0,): 0, (1, 0): 0, (1, 1): 1}


POINTS = [(0.9, 0.9), (0.6, 0.9), (0.9, 0.45), (0.55, 0.42), (0.2, 0.9), (0.2, 0.1), (0.7, 0.1)]


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        ((1.0, 1.0), [0.4, 0.1, 0.05, 0.02, -0.3, -(0.18**0.5), -0.3]),
        ((2.0, 1.0), [0.2, 0.05, 0.05, 0.02, -0.15, -(0.1125**0.5), -0.3]),
    ],
)
def test_the_worked_example_has_its_distances(scale, expected):
    boundary = boundary_of(*paper_example(), 2, scale, n_features=2)
    values = np.array([*POINTS, (0.5, 0.9)])
    own = boundary.predicted(values)
    signed = boundary.one_vs_rest(values, own)[:, 1]
    assert signed[:-1] == pytest.approx(expected, rel=1e-12)
    assert signed[-1] == 0.0
    assert not np.signbit(signed[-1])
    assert distance(boundary, values, own) == pytest.approx(np.abs(signed), rel=1e-15)


@settings(max_examples=150)
@given(labelled_trees(), rows(), SCALES, st.data())
def test_distances_are_those_of_the_paper_to_any_other_label(made, some_rows, scale, data):
    root, labels, n_classes = made
    boundary = boundary_of(root, labels, n_classes, scale)
    own = np.array([data.draw(st.integers(0, n_classes - 1)) for _ in some_rows])
    found = distance(boundary, as_values(some_rows), own)
    wanted = [
        naive.distance(root, labels, *case, scale) for case in zip(some_rows, own, strict=True)
    ]
    assert found == pytest.approx([min(each, 7.0) if each == np.inf else each for each in wanted],
                                  rel=1e-12, abs=0.0)  # fmt: skip


@settings(max_examples=60)
@given(labelled_trees(), rows(), SCALES)
def test_distances_of_one_class_against_the_rest_are_those_of_two_labels(made, some_rows, scale):
    root, labels, n_classes = made
    boundary = boundary_of(root, labels, n_classes, scale)
    values = as_values(some_rows)
    own = boundary.predicted(values)
    signed = boundary.one_vs_rest(values, own)
    for label in range(n_classes):
        inside = {path: int(each == label) for path, each in labels.items()}
        for row, mine, found in zip(some_rows, own == label, signed[:, label], strict=True):
            wanted = naive.distance(root, inside, row, int(mine), scale)
            wanted = 7.0 if wanted == np.inf else wanted
            assert found == pytest.approx(wanted if mine else -wanted, rel=1e-12, abs=0.0)


@given(labelled_trees(numeric=True, classes=(2, 2)), st.data())
def test_a_case_between_two_labels_on_a_threshold_has_no_distance(made, data):
    root, labels, n_classes = made
    boundary = boundary_of(root, labels, n_classes, [1.0, 1.0, 1.0])
    row = [data.draw(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 2.0, 3.0])) for _ in range(2)]
    values = np.array([[*row, 0.0]])
    above = np.array([[*np.nextafter(row, np.inf), 0.0]])
    other = [
        np.array([[above[0, 0], row[1], 0.0]]),
        np.array([[row[0], above[0, 1], 0.0]]),
        above,
    ]
    own = boundary.predicted(values)
    on_boundary = any(boundary.predicted(each)[0] != own[0] for each in other)
    assert (distance(boundary, values, own)[0] == 0.0) == on_boundary


def test_a_tree_with_one_label_has_the_extent_for_a_distance():
    root, labels = paper_example()
    boundary = boundary_of(root, dict.fromkeys(labels, 1), 2, (1.0, 1.0), n_features=2)
    assert distance(boundary, np.array(POINTS), np.ones(7, dtype=int)).tolist() == [7.0] * 7
    assert boundary.one_vs_rest(np.array(POINTS), np.ones(7, dtype=int)).tolist() == [[-7, 7]] * 7


def test_a_known_number_is_never_led_to_where_it_is_missing():
    root = Node([], 0, threshold=naive.NO_LIMIT, missing=1,
                children=[Node([1.0, 0.0]), Node([0.0, 1.0])])  # fmt: skip
    add_counts(root)
    boundary = boundary_of(root, {(0,): 0, (1,): 1}, 2, [1.0], n_features=1)
    values = np.array([[3.0], [np.nan]])
    assert distance(boundary, values, np.array([0, 1])).tolist() == [7.0, 0.0]


def many_rows(n_rows, share_missing=0.0):
    """Rows on and between thresholds, some of them with missing values."""
    random = np.random.default_rng(0)
    values = random.choice([-2.0, -1.0, 0.0, 0.1, 0.25, 0.4, 0.5, 0.7, 2.0, 3.5], (n_rows, 3))
    values[random.random(values.shape) < share_missing] = np.nan
    return values


@settings(max_examples=20)
@given(labelled_trees(depth=6, numeric=True, classes=(2, 3)), SCALES, st.data())
@pytest.mark.parametrize("share_missing", [0.0, 0.05])
def test_rows_that_are_searched_together_have_the_distances_of_single_rows(
    share_missing, made, scale, data
):
    root, labels, n_classes = made
    boundary = boundary_of(root, labels, n_classes, scale)
    values = many_rows(data.draw(st.sampled_from([15, 16, 140])), share_missing)
    own = boundary.predicted(values)
    if data.draw(st.booleans()):
        own = np.arange(len(values)) % n_classes
    together = distance(boundary, values, own)
    each = [distance(boundary, values[[row]], own[[row]])[0] for row in range(len(values))]
    assert together.tolist() == each


@pytest.mark.parametrize(("n_threads", "block"), [(1, 999), (2, 3000), (2, 1 << 14)])
def test_threads_and_blocks_change_nothing(monkeypatch, n_threads, block):
    values = many_rows(9_000, 0.01)[:, :2]
    boundary = boundary_of(*paper_example(), 2, (1.0, 0.7), n_features=2)
    own = boundary.predicted(values)
    whole = distance(boundary, values, own)
    monkeypatch.setattr(boundaries, "SEARCHED_ROWS", block)
    assert np.array_equal(distance(boundary, values, own, n_threads), whole)
    assert np.array_equal(distance(boundary, np.asfortranarray(values), own, n_threads), whole)
    assert np.array_equal(boundary.distances(values, "any", n_threads), whole)


def test_numbers_of_any_size_have_a_finite_distance():
    boundary = boundary_of(*paper_example(), 2, (1e-300, 1.0), n_features=2)
    values = np.array([[1e10, 0.0], [-1e300, 1e300], [5e-324, 0.3]])
    with np.errstate(over="ignore"):
        assert np.isfinite(distance(boundary, values, np.array([0, 0, 0]))).all()


def test_float32_is_read_as_it_is():
    boundary = boundary_of(*paper_example(), 2, (1.0, 1.0), n_features=2)
    values = np.array(POINTS * 10, dtype=np.float32)
    own = boundary.predicted(values)
    same = distance(boundary, values.astype(np.float64), own)
    assert np.array_equal(distance(boundary, values, own), same)


def most_memory(depth, n_rows=80_000):
    """The bytes that distances take at their peak, in a tree whose leaves alternate in label."""
    tree = halving(depth)
    labels = np.arange(tree.n_nodes) % 2
    boundary = Boundary(tree, np.eye(2)[labels], np.ones(1))
    values = np.linspace(0.0, 1.0, n_rows)[:, None]
    own = boundary.predicted(values)
    distance(boundary, values[:1], own[:1])
    tracemalloc.start()
    found = distance(boundary, values, own)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.max() <= 2.0**-depth
    return peak


@pytest.mark.slow
def test_more_leaves_take_no_more_memory_than_a_packed_copy_of_the_splits():
    few, many = most_memory(4), most_memory(14)
    n_nodes = 2**15 - 1
    # A split is packed in 56 bytes, and every node is a branch of 4.
    assert many - few <= 56 * n_nodes / 2 + 4 * n_nodes + 10_000


@pytest.mark.slow
def test_a_chain_of_100_000_levels_is_searched():
    tree = chain(100_000)
    votes = np.column_stack([np.arange(tree.n_nodes) % 4 != 3, np.arange(tree.n_nodes) % 4 == 3])
    boundary = Boundary(tree, votes.astype(float), np.ones(1))
    values = np.array([[0.0], [50_000.0], [99_999.9]])
    own = boundary.predicted(values)
    assert (distance(boundary, values, own) <= 1.0).all()


def test_distances_do_not_lose_what_is_small_beside_a_large_value():
    root = Node([], 0, threshold=1e9, children=[Node([1.0, 0.0]), Node([0.0, 1.0])])
    add_counts(root)
    boundary = boundary_of(root, {(0,): 0, (1,): 1}, 2, [3.0], n_features=1)
    value = np.nextafter(1e9, np.inf)
    exact = (Fraction(value) - Fraction(1e9)) / 3
    (found,) = distance(boundary, np.array([[value]]), np.array([1]))
    assert found == pytest.approx(float(exact), rel=1e-15)
