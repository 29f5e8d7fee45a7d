"""What growth must not depend on: the order of rows, how weights are written, how it searches."""

from dataclasses import dataclass, replace
from typing import ClassVar
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree.criteria import (
    AUC,
    CRITERIA,
    DKM,
    MSEE,
    Entropy,
    Error,
    FMeasure,
    GainRatio,
    Gini,
    Hellinger,
)
from roctree.data import Dataset, Schema
from roctree.tree import subtrees
from tests.strategies import data_sets
from tests.tree.growing import (
    MISSING,
    NOMINAL,
    as_bytes,
    as_dataset,
    bins,
    grown,
    numeric_dataset,
    patient,
    scans,
    take,
)

WEIGHTS = st.integers(1, 5).map(float) | st.floats(0.01, 10.0)
criteria = st.sampled_from(list(CRITERIA.values()))
modes = st.fixed_dictionaries(
    {
        "missing": st.sampled_from(MISSING),
        "nominal": st.sampled_from(NOMINAL),
        "min_leaf": st.sampled_from([0.5, 1.0, 2.0]),
        "max_depth": st.sampled_from([None, 2]),
    }
)
# Bounds are true of these only, so that others use neither bounds nor bins.
OTHERS = [Entropy(), DKM(), Error(), MSEE(), Hellinger(), AUC("renormalised")]
CONVEX = [Gini(), GainRatio(), *(pytest.param(other, marks=pytest.mark.slow) for other in OTHERS)]


@patient
@given(data_sets(weights=WEIGHTS), criteria, modes, st.randoms(use_true_random=False))
def test_shuffling_rows_changes_no_byte(data, criterion, mode, random):
    dataset = as_dataset(data)
    shuffled = take(dataset, random.sample(range(data.n_rows), data.n_rows))
    expected = as_bytes(grown(dataset, criterion, **mode))
    assert as_bytes(grown(shuffled, criterion, **mode)) == expected
    with bins():
        assert as_bytes(grown(shuffled, criterion, **mode)) == expected


@patient
@given(data_sets(), criteria, modes, st.data())
def test_integer_weights_equal_repeated_rows(data, criterion, mode, draws):
    if mode["missing"] != "branch":
        data = replace(data, columns=[complete(column) for column in data.columns])
    times = draws.draw(st.lists(st.integers(0, 3), min_size=data.n_rows, max_size=data.n_rows))
    times[0] = max(times[0], 1)
    dataset = as_dataset(data)
    weighted = replace(dataset, weights=np.array(times, float))
    repeated = take(dataset, np.repeat(np.arange(data.n_rows), times))
    expected = as_bytes(grown(repeated, criterion, **mode))
    assert as_bytes(grown(weighted, criterion, **mode)) == expected


def complete(column):
    """The column with something in place of missing values, whose shares would be rounded."""
    return [0 if value is None else value for value in column]


@patient
@given(data_sets(weights=WEIGHTS), criteria, modes, st.sampled_from([4.0, 0.25, 2.0**40]))
def test_weights_times_a_power_of_two_scale_the_counts_only(data, criterion, mode, factor):
    # A power of four, so that square roots of counts are scaled exactly too. Attributes with many
    # values against the weight of all cases are treated differently, where ratios are compared.
    if criterion.children_correction != "none":
        data.nominal.clear()
    dataset = as_dataset(data)
    heavy = replace(dataset, weights=dataset.weights * factor)
    tree = grown(dataset, criterion, **mode, min_split=2.0)
    mode = mode | {"min_leaf": mode["min_leaf"] * factor}
    scaled = grown(heavy, criterion, **mode, min_split=2.0 * factor)
    assert as_bytes(scaled) == as_bytes(replace(tree, counts=tree.counts * factor))


def plentiful(seed, missing=0.0):
    """Rows with every kind of attribute, and weights that make ties improbable."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(100, 150))
    kinds = [
        rng.normal(size=n),
        np.exp(5 * rng.normal(size=n)),
        rng.integers(0, 80, n) / 7,
        rng.integers(0, 20, n),
        rng.integers(0, 5, n),
    ]
    values = np.column_stack(kinds).astype(float)
    labels = rng.integers(0, 3, n) * (values[:, 0] + rng.normal(size=n) > 0)
    values[rng.random(values.shape) < missing] = np.nan
    categories = (None, None, None, None, tuple("abcde"))
    schema = Schema(tuple("vwxyz"), categories, np.arange(3))
    return Dataset(values, labels.astype(np.int32), 0.1 + rng.random(n), schema)


@pytest.mark.parametrize("criterion", CONVEX, ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_passing_over_candidates_by_a_bound_finds_the_same_tree(criterion, seed):
    dataset = plentiful(seed, missing=0.05)
    for weights in (dataset.weights, np.ones(len(dataset.labels))):
        same = replace(dataset, weights=weights)
        with scans(bounded=False):
            expected = as_bytes(grown(same, criterion, missing="branch", min_leaf=2.0))
        with scans(bounded=True):
            assert as_bytes(grown(same, criterion, missing="branch", min_leaf=2.0)) == expected


@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize("ends", [(20, 80), (16, 83), (40, 97)])
def test_the_first_of_equally_good_cuts_is_made(bounded, ends):
    # Cutting off the zeros on one side is as good as on the other.
    labels = np.zeros(sum(ends))
    labels[ends[0] : ends[1]] = 1
    dataset = numeric_dataset(np.arange(len(labels))[:, None], labels)
    with scans(bounded=bounded):
        tree = grown(dataset, Gini(), max_depth=1)
    assert tree.threshold[0] == ends[0] - 0.5


@pytest.mark.parametrize("n_cuts", [2, 300])
def test_cuts_inside_bins_are_scored_in_portions_of_any_size(n_cuts):
    random = np.random.default_rng(4)
    values = random.permutation(1600)[:, None] / 7
    labels = ((values[:, 0] > 60) ^ (random.random(1600) < 0.3)).astype(int)
    dataset = numeric_dataset(values, labels)
    expected = as_bytes(grown(dataset, Error(), max_depth=2))
    with (
        bins(narrow=80, most_bins=2, sample=50),
        mock.patch.object(subtrees, "_INNER_CUTS", n_cuts),
    ):
        assert as_bytes(grown(dataset, Error(), max_depth=2)) == expected


@pytest.mark.parametrize("criterion", CONVEX, ids=repr)
@pytest.mark.parametrize("missing", MISSING)
def test_searching_by_bins_finds_the_same_tree(criterion, missing):
    dataset = plentiful(7, missing=0.05)
    for weights in (dataset.weights, np.ones(len(dataset.labels))):
        same = replace(dataset, weights=weights)
        expected = as_bytes(grown(same, criterion, missing=missing))
        for size in (4, 40):
            with bins(narrow=size, most_bins=size, sample=3 * size):
                assert as_bytes(grown(same, criterion, missing=missing)) == expected


@pytest.mark.parametrize("criterion", CONVEX, ids=repr)
@pytest.mark.parametrize("missing", MISSING)
def test_searching_the_cells_of_large_bins_finds_the_same_tree(criterion, missing):
    random = np.random.default_rng(11)
    values = np.column_stack([random.normal(size=600), random.integers(0, 300, 600) / 7])
    labels = ((values[:, 0] > 0.1) ^ (random.random(600) < 0.2)).astype(np.int32)
    labels[values[:, 1] > 35] = 1
    values[random.random(values.shape) < 0.02] = np.nan
    weights = random.integers(0, 3, 600) * 0.7
    dataset = numeric_dataset(values, labels, weights)
    for same in (dataset, replace(dataset, weights=np.ones(600))):
        expected = as_bytes(grown(same, criterion, missing=missing, min_leaf=5.0))
        with bins(narrow=80, most_bins=3, sample=50):
            assert as_bytes(grown(same, criterion, missing=missing, min_leaf=5.0)) == expected


@dataclass(frozen=True)
class Guarded(Entropy):
    """Only attributes of at least the mean gain may be chosen."""

    guard: ClassVar[str] = "average"


@pytest.mark.parametrize("seed", [4, 42, 76])
def test_searching_by_bins_finds_the_mean_gain_where_it_matters(seed):
    random = np.random.default_rng(seed)
    numbers, codes = random.normal(size=(80, 3)), random.integers(0, 6, (80, 1))
    labels = (codes[:, 0] >= 3) ^ (random.random(80) < 0.35)
    labels ^= (numbers[:, 0] > 0.3) & (random.random(80) < 0.6)
    dataset = numeric_dataset(np.column_stack([numbers, codes]), labels)
    categories = (None, None, None, tuple(map(str, range(6))))
    dataset = replace(dataset, schema=replace(dataset.schema, categories=categories))
    criterion = Guarded(children_correction="log2")
    expected = as_bytes(grown(dataset, criterion, nominal="multiway"))
    with bins(narrow=8, most_bins=4, sample=20):
        assert as_bytes(grown(dataset, criterion, nominal="multiway")) == expected


@pytest.mark.parametrize("criterion", CONVEX, ids=repr)
@pytest.mark.parametrize("missing", MISSING)
def test_the_number_of_threads_changes_no_byte(criterion, missing):
    dataset = plentiful(5, missing=0.05)
    with bins(narrow=10, most_bins=20):
        expected = as_bytes(grown(dataset, criterion, missing=missing))
        for n_threads in (2, 3, 8):
            tree = grown(dataset, criterion, n_threads, missing=missing)
            assert as_bytes(tree) == expected


@pytest.mark.parametrize("criterion", [*CRITERIA.values(), FMeasure(2)], ids=repr)
def test_permuting_columns_only_renumbers_features(criterion):
    dataset = plentiful(11)
    order = np.array([3, 0, 4, 2, 1])
    schema = Schema(
        tuple(dataset.schema.names[i] for i in order),
        tuple(dataset.schema.categories[i] for i in order),
        dataset.schema.classes,
    )
    permuted = replace(dataset, values=dataset.values[:, order], schema=schema)
    # With a few cases in a leaf no two attributes part the cases alike; no gain is a tie.
    tree = grown(dataset, criterion, min_leaf=4.0, min_gain=1e-9)
    there = grown(permuted, criterion, min_leaf=4.0, min_gain=1e-9)
    feature = np.where(there.is_leaf, -1, order[there.feature]).astype(np.int32)
    assert as_bytes(replace(there, feature=feature)) == as_bytes(tree)


@patient
@given(data_sets(weights=WEIGHTS), criteria, modes)
def test_children_are_heavy_enough_and_add_up(data, criterion, mode):
    tree = grown(as_dataset(data), criterion, **mode)
    light = tree.weight[1:] < mode["min_leaf"] * (1 - 1e-6)
    assert not light.any() or mode["nominal"] == "multiway"
    assert tree.max_depth <= (mode["max_depth"] or data.n_rows)


def test_cases_without_weight_take_no_part():
    dataset = numeric_dataset([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 0], [1, 1, 1, 0])
    assert grown(dataset, Gini()) == grown(take(dataset, [0, 1, 2]), Gini())
