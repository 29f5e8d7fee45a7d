"""Corners of growth where something once went wrong, or well might."""

from unittest import mock

import numpy as np
import pytest

from roctree.criteria import MSEE, Entropy, FMeasure, GainRatio, Gini
from roctree.data import Dataset, Schema
from roctree.errors import DataError
from roctree.tree import subtrees
from tests.tree.growing import as_bytes, bins, grown, numeric_dataset, take

NAN = np.nan


def test_a_penalty_is_finite_where_known_is_cut_from_missing():
    dataset = numeric_dataset([[1.0], [1.0], [1.0], [NAN], [NAN]], [0, 0, 0, 1, 1])
    tree = grown(dataset, GainRatio(penalty=True), missing="branch")
    assert tree.gain[0] == pytest.approx(0.970951, abs=1e-6)
    assert tree.counts[1:].tolist() == [[3, 0], [0, 2]]


def test_an_attribute_with_many_values_is_not_chosen_where_it_is_the_only_one_with_a_gain():
    codes = np.tile(np.arange(4.0), 2)
    schema = Schema(("code", "constant"), (tuple("abcd"), None), np.arange(2))
    values = np.column_stack([codes, np.zeros(8)])
    dataset = Dataset(values, (codes > 1).astype(np.int32), np.ones(8), schema)
    assert grown(dataset, GainRatio(), nominal="multiway").n_nodes == 1
    # Four values are few against thirty-two cases, whether repeated or weighted.
    repeated = take(dataset, np.repeat(np.arange(8), 4))
    weighted = Dataset(values, dataset.labels, np.full(8, 4.0), schema)
    tree = grown(repeated, GainRatio(), nominal="multiway")
    assert tree.n_nodes == 5
    assert grown(weighted, GainRatio(), nominal="multiway") == tree


def test_values_a_hundred_thousandth_apart_are_compared_as_j48_does():
    low, high = 1.511, 1.51101
    assert not low + 1e-5 < high
    assert high - low > 1e-5  # but this is not how J48 asks
    dataset = numeric_dataset([[low]] * 4 + [[high]] * 4, [0] * 4 + [1] * 4)
    options = {"c45_numeric_minimum": True, "min_leaf": 2.0}
    assert grown(dataset, GainRatio(), **options).n_nodes == 1


@pytest.mark.parametrize("scale", [1.7e308, 5e-324, 2.0**-52])
def test_the_largest_and_smallest_floats_grow_the_same_tree_by_bins(scale):
    rng = np.random.default_rng(3)
    steps = rng.uniform(-1, 1, 60) if scale > 1 else rng.integers(-40, 40, 60)
    values = (steps * scale + (scale == 2.0**-52))[:, None]
    labels = (values[:, 0] > np.median(values)) ^ (rng.random(60) < 0.1)
    dataset = numeric_dataset(values, labels)
    expected = grown(dataset, Gini())
    assert expected.n_leaves > 2
    with bins():
        assert as_bytes(grown(dataset, Gini())) == as_bytes(expected)


def test_a_threshold_between_neighbouring_floats_is_the_lower():
    high = np.nextafter(1.0, 2.0)
    tree = grown(numeric_dataset([[1.0], [high]], [0, 1]), Gini())
    assert tree.threshold[0] == 1.0


def test_a_weight_too_small_beside_another_takes_no_part():
    values = np.arange(12.0)[:, None]
    labels = np.arange(12) % 2
    weights = np.where(np.arange(12) < 6, 1e20, 1e-3)
    tree = grown(numeric_dataset(values, labels, weights), Gini())
    assert tree.n_leaves == 6
    with bins():
        assert grown(numeric_dataset(values, labels, weights), Gini()) == tree


@pytest.mark.parametrize("missing", ["fractional", "category", "branch"])
def test_missing_values_everywhere_make_a_leaf_of_constants(missing):
    dataset = numeric_dataset([[NAN, 1.0], [NAN, 1.0], [NAN, 1.0]], [0, 1, 0])
    assert grown(dataset, Entropy(), missing=missing).n_nodes == 1


def test_nothing_is_read_of_an_attribute_whose_values_are_all_missing(monkeypatch):
    """Found by chance: what lay in the workspace before was scored."""
    empty = np.empty
    monkeypatch.setattr(np, "empty", lambda *args: filled_with_dust(empty(*args)))
    values = [[1.0, NAN], [2.0, NAN], [3.0, NAN], [4.0, NAN], [NAN, NAN], [NAN, NAN]]
    dataset = numeric_dataset(values, [0, 1, 1, 0, 0, 1])
    with bins():
        tree = grown(dataset, MSEE(), missing="branch")
    assert set(tree.feature[~tree.is_leaf]) == {0}


def filled_with_dust(array):
    """Smallest numbers, whose reciprocals overflow."""
    if array.dtype == float:
        array.fill(5e-324)
    return array


def test_a_split_without_gain_is_made_where_later_splits_need_it():
    xor = numeric_dataset([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0])
    assert grown(xor, Gini()).n_leaves == 4
    assert grown(xor, Gini(), min_gain=1e-6).n_leaves == 1


def test_copies_of_cases_with_missing_values_find_room():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(300, 2))
    values[rng.random(values.shape) < 0.4] = NAN
    dataset = numeric_dataset(values, rng.integers(0, 2, 300))
    tree = grown(dataset, FMeasure(), max_depth=6)
    assert tree.weight[tree.is_leaf].sum() == pytest.approx(300)


def test_memory_that_subtrees_pass_on_does_not_grow_with_their_number():
    """Each subtree needs more room than it starts with, and hands its memory to the next."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(2_000, 3))
    labels = (values.sum(axis=1) + rng.normal(size=len(values)) > 0.0).astype(int)
    values[rng.random(values.shape) < 0.1] = NAN
    dataset, sizes = numeric_dataset(values, labels), []

    def release_memory(space):
        memory = kept(space)
        sizes.append(max(memory.spare.weight.size, memory.bin_work.keys.size))
        assert sizes[-1] < 10 * len(values)
        return memory

    kept = subtrees.Workspace.release_memory
    with bins(narrow=16), mock.patch.object(subtrees.Workspace, "release_memory", release_memory):
        grown(dataset, Gini(), n_threads=2)
    assert len(sizes) > 10


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_missing_cases_that_join_a_branch_count_as_its_own_in_the_split_information(order):
    # Both attributes part the cases alike once the missing case has joined: the first is chosen.
    complete = np.repeat([0.0, 1.0], 4)
    lacking = np.where(np.arange(8) == 7, NAN, complete)
    values = np.column_stack([complete, lacking])[:, order]
    schema = Schema(("x", "y"), (("a", "b"),) * 2, np.arange(2))
    labels = np.array([0, 0, 0, 1, 1, 1, 1, 1], np.int32)
    dataset = Dataset(values, labels, np.full(8, 10.0), schema)
    tree = grown(dataset, GainRatio(), nominal="multiway", missing="branch")
    assert tree.feature[0] == 0


def test_a_root_that_falls_short_by_rounding_is_split():
    dataset = numeric_dataset(np.arange(3.0)[:, None], [0, 0, 1], np.full(3, 0.1))
    assert grown(dataset, Gini(), min_leaf=0.1, min_split=0.3 + 1e-10).n_nodes == 3


def coded_dataset(n_categories):
    """Two cases of each category, whose class is the parity of the code."""
    codes = np.repeat(np.arange(float(n_categories)), 2)
    schema = Schema(("code",), (tuple(map(str, range(n_categories))),), np.arange(2))
    labels = (codes % 2).astype(np.int32)
    return Dataset(codes[:, None], labels, np.ones(codes.size), schema)


def test_more_categories_than_a_node_can_have_branches_are_refused():
    with pytest.raises(DataError, match="column 'code' has more than 32767 categories"):
        grown(coded_dataset(32768), Gini(), nominal="multiway")


@pytest.mark.slow
def test_more_categories_than_codes_of_sixteen_bits_are_parted_as_well():
    tree = grown(coded_dataset(70_000), Gini())
    assert tree.n_nodes == 3
    assert tree.category_branch.tolist() == [0, 1] * 35_000
