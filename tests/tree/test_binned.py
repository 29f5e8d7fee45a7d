"""Trees from tables: the exact tree where bins hold one value, the same bytes from any shards."""

from dataclasses import fields, replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree import DataError
from roctree._jit import JIT_DISABLED
from roctree.criteria import CRITERIA, GainRatio, Gini
from roctree.data import Dataset, Schema
from roctree.tree import levels
from roctree.tree.bins import Edges, learn_edges
from roctree.tree.columns import code_rows, describe_columns
from roctree.tree.growth import GrowthRules, grow
from roctree.tree.levels import Binned, LocalShards, Shard, bin_dataset, omit_unit_weights
from tests.strategies import data_sets
from tests.tree.growing import (
    MISSING,
    NOMINAL,
    as_bytes,
    as_dataset,
    bins,
    numeric_dataset,
    patient,
)

WEIGHTS = st.just(1.0) | st.integers(1, 5).map(float) | st.floats(0.01, 10.0)
criteria = st.sampled_from([*CRITERIA.values(), GainRatio(penalty=True), GainRatio(tolerance=1e-6)])
modes = st.fixed_dictionaries(
    {
        "missing": st.sampled_from(MISSING),
        "nominal": st.sampled_from(NOMINAL),
        "min_leaf": st.sampled_from([0.5, 1.0, 2.0]),
        "max_depth": st.sampled_from([None, 2]),
        "c45_numeric_minimum": st.booleans(),
    }
)


def by_levels(rows):
    """The same data, to be grown from tables alone."""
    return Binned(*(getattr(rows, field.name) for field in fields(Binned)))


def growth_of(dataset, criterion, **options):
    return GrowthRules(criterion, np.ones(dataset.schema.n_classes), **options)


@patient
@given(data_sets(weights=WEIGHTS), criteria, modes, st.integers(1, 3))
def test_few_values_give_the_bytes_of_the_exact_tree(data, criterion, mode, n_threads):
    dataset = as_dataset(data)
    growth = growth_of(dataset, criterion, **mode)
    binned, expected = bin_dataset(dataset, n_threads=n_threads), as_bytes(grow(dataset, growth))
    tree = binned.grow(growth, n_threads)
    assert as_bytes(tree.validate(dataset.schema.n_features)) == expected
    tree = by_levels(binned).grow(growth, n_threads)
    assert as_bytes(tree.validate(dataset.schema.n_features)) == expected


@patient
@given(data_sets(weights=WEIGHTS, rows=(5, 40)), criteria, modes, st.integers(2, 5))
def test_rows_in_memory_give_the_bytes_of_tables(data, criterion, mode, max_bins):
    dataset = as_dataset(data)
    growth = growth_of(dataset, criterion, **mode)
    binned = bin_dataset(dataset, max_bins)
    expected = as_bytes(by_levels(binned).grow(growth))
    assert as_bytes(binned.grow(growth)) == expected
    with bins(narrow=2):
        assert as_bytes(binned.grow(growth)) == expected


@patient
@given(data_sets(weights=WEIGHTS, rows=(8, 40)), criteria, modes)
def test_levels_counted_in_groups_give_the_same_bytes(data, criterion, mode):
    dataset = as_dataset(data)
    growth = growth_of(dataset, criterion, **mode)
    with mock.patch.object(levels, "_MAX_TABLE_BYTES", 1):
        tree = by_levels(bin_dataset(dataset)).grow(growth)
    assert as_bytes(tree) == as_bytes(grow(dataset, growth))


@patient
@given(
    data_sets(weights=WEIGHTS, rows=(5, 40)),
    criteria,
    modes,
    st.integers(2, 5),
    st.integers(1, 9),
    st.randoms(use_true_random=False),
)
def test_shards_of_any_size_in_any_order_give_the_same_bytes(
    data, criterion, mode, max_bins, n_parts, random
):
    dataset = as_dataset(data)
    growth = growth_of(dataset, criterion, **mode)
    order = np.array(random.sample(range(data.n_rows), data.n_rows))
    whole = bin_dataset(dataset, max_bins)
    parts = shuffled_rows(whole, dataset, order).divided(n_parts)
    random.shuffle(parts)
    in_parts = replace(
        by_levels(whole), shards=lambda columns: LocalShards(parts, columns, data.n_classes, 2)
    )
    assert as_bytes(in_parts.grow(growth)) == as_bytes(whole.grow(growth))


def shuffled_rows(binned: Binned, dataset: Dataset, order):
    """All rows as one shard, in another order; weights are whole multiples of the grid."""
    codes, _ = binned.edges.code(dataset.values[order])
    weights = np.rint(dataset.weights[order] / binned.quantum) * binned.quantum
    return Shard(codes, dataset.labels[order].astype(np.uint32), omit_unit_weights(weights))


def test_a_table_of_every_node_is_counted_or_the_rest_of_its_parents():
    random = np.random.default_rng(3)
    values = random.integers(0, 40, (300 if JIT_DISABLED else 3000, 5)).astype(float)
    labels = (values[:, 0] + values[:, 1] + 20 * random.random(len(values)) > 50).astype(int)
    dataset = numeric_dataset(values, labels)
    growth = growth_of(dataset, Gini(), min_leaf=2.0)
    counted, count = [], LocalShards.count

    def counting(shards, nodes, n_tables):
        counted.append(nodes.size)
        return count(shards, nodes, n_tables)

    with mock.patch.object(LocalShards, "count", counting):
        tree = bin_dataset(dataset).grow(growth)
    assert as_bytes(tree) == as_bytes(grow(dataset, growth))
    assert sum(counted) <= tree.n_nodes / 2 + 1


def test_bins_hold_equal_shares_and_thresholds_lie_between_values():
    random = np.random.default_rng(0)
    values = np.exp(random.normal(size=(400 if JIT_DISABLED else 20_000, 2)))
    edges = learn_edges(values, np.zeros(2, np.int32), ("a", "b"), max_bins=50)
    codes, bounds = edges.code(values)
    shares = np.bincount(codes[:, 0]) / len(values)
    assert edges.size.tolist() == [50, 50]
    assert 0.01 < shares.min() <= shares.max() < 0.03
    assert (bounds.highest[0, :49] < bounds.lowest[0, 1:50]).all()
    dataset = numeric_dataset(values, (values[:, 0] > 1.0).astype(int))
    tree = bin_dataset(dataset, 50).grow(growth_of(dataset, Gini()))
    middles = (bounds.highest[0, :49] + bounds.lowest[0, 1:50]) / 2
    assert np.isin(tree.threshold[tree.feature == 0], middles).all()


def test_shares_of_rows_below_edges_are_off_by_no_more_than_documented():
    values = np.random.default_rng(5).lognormal(size=(100_000, 3))
    edges = learn_edges(values, np.zeros(3, np.int32), ("a", "b", "c"), max_bins=100)
    for column, ends in zip(values.T, edges.ends, strict=True):
        shares = np.searchsorted(np.sort(column), ends[:99], side="right") / column.size
        assert np.abs(shares - np.arange(1, 100) / 100).max() < 0.0127


def test_the_zeros_of_amounts_have_a_bin_of_their_own():
    random = np.random.default_rng(1)
    amounts = np.where(random.random(60_000) < 0.7, 0.0, random.lognormal(size=60_000))
    edges = learn_edges(amounts[:, None], np.zeros(1, np.int32), ("amount",))
    codes, bounds = edges.code(amounts[:, None])
    assert bounds.highest[0, codes[amounts == 0.0, 0][0]] == 0.0


def test_a_frequent_value_has_a_bin_of_its_own():
    for frequent in range(1, 99):
        values = np.repeat(np.arange(100.0), np.where(np.arange(100) == frequent, 7, 1))[:, None]
        edges = learn_edges(values, np.zeros(1, np.int32), ("x",), max_bins=20)
        assert {frequent - 1.0, float(frequent)} <= set(edges.ends[0])


@pytest.mark.parametrize("n_values", [19, 20])
def test_as_many_values_as_bins_have_a_bin_each_however_frequent(n_values):
    values = np.repeat(np.arange(float(n_values)), [1] * (n_values - 1) + [500])[:, None]
    edges = learn_edges(values, np.zeros(1, np.int32), ("x",), max_bins=20)
    assert edges.size.tolist() == [n_values]
    assert edges.ends[0, : n_values - 1].tolist() == list(range(n_values - 1))


def test_codes_are_exact_where_values_are_few_and_bins_equal_where_they_are_many():
    random = np.random.default_rng(6)
    values = np.column_stack([random.integers(0, 9, 3000), random.normal(size=3000)])
    dataset = numeric_dataset(values, np.zeros(3000))
    found = describe_columns(values, np.zeros(2, np.int32), 3000.0, growth_of(dataset, Gini()))
    codes = code_rows(found)
    assert found.bins.exact.tolist() == [True, False]
    assert np.array_equal(codes[:, 0], values[:, 0])
    shares = np.bincount(codes[:, 1] >> found.bins.shift[1]) / 3000
    assert shares.size == 255
    assert shares.max() < 0.01


@pytest.mark.parametrize("missing", MISSING)
def test_more_categories_than_a_byte_has_values(missing):
    random = np.random.default_rng(2)
    codes = random.integers(0, 400, 900).astype(float)
    codes[::50] = np.nan
    values = np.column_stack([codes, random.integers(0, 7, 900)])
    schema = Schema(("n", "x"), (tuple(map(str, range(400))), None), np.arange(3))
    dataset = Dataset(values, random.integers(0, 3, 900).astype(np.int32), np.ones(900), schema)
    growth = growth_of(dataset, Gini(), missing=missing, max_depth=3)
    binned = bin_dataset(dataset)
    assert binned.edges.code_type == np.uint16
    assert as_bytes(binned.grow(growth)) == as_bytes(grow(dataset, growth))


def test_columns_without_values_are_passed_over():
    values = np.column_stack([np.full(6, np.nan), [0, 0, 0, 1, 1, 1]])
    dataset = numeric_dataset(values, [0, 0, 0, 1, 1, 1])
    tree = bin_dataset(dataset).grow(growth_of(dataset, Gini()))
    assert tree.feature.tolist() == [1, -1, -1]
    assert tree.threshold[0] == 0.5


def test_more_categories_than_codes_name_the_column():
    with pytest.raises(DataError, match=r"'ward' has more than 65534 categories.*splits='exact'"):
        Edges.from_sketches([], np.array([70_000], np.int32), ("ward",))
