"""Many categories are divided by shrunk counts: the rule, its laws, the same bytes everywhere."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roctree._jit import JIT_DISABLED
from roctree.criteria import CRITERIA, DKM, MSEE, Entropy, Gini
from roctree.data import Dataset, Schema
from roctree.tree.growth import GrowthRules, estimate_strength, grow
from roctree.tree.kernels.nominal import shrink
from roctree.tree.levels import LocalShards, bin_dataset
from tests.naive import category_shrinkage
from tests.naive import criteria as naive_criteria
from tests.strategies import data_sets
from tests.tree.growing import (
    MISSING,
    NOMINAL,
    as_bytes,
    as_dataset,
    bins,
    found_at_root,
    grown,
    patient,
    take,
)
from tests.tree.test_binned import shuffled_rows

AUTO = {"category_shrinkage": "auto"}
criteria = st.sampled_from(list(CRITERIA.values()))
TWO_CLASSES = [[i % 3, 4 + i % 5] for i in range(12)]
THREE_CLASSES = [[i % 3, 4 + i % 5, i % 2] for i in range(12)]


# Compiled, it is a piece of other kernels only; the best gain of two sets tests that.
interpreted = pytest.mark.skipif(not JIT_DISABLED, reason="not called from Python")


def shrunk(counts, strength):
    counts = np.array(counts, float)
    shrink(len(counts), strength, counts, np.empty(counts.shape[1]))
    return counts


@pytest.mark.parametrize(
    ("counts", "strength"),
    [
        (TWO_CLASSES, 2.2301965820866165),
        (THREE_CLASSES, 2.7477838779417),
        ([[1, 0], [0, 1]] * 20, 10 / 3),
        ([[5, 0], [0, 5]] * 10, 50 / 89),
        ([[5, 0], [0, 5]] * 5, 0.0),
        ([[5, 0], [0, 5]] * 5 + [[0, 0]], 0.0),
        ([[3, 0]] * 20, 0.0),
    ],
)
def test_the_strength_is_that_of_the_worked_examples(counts, strength):
    assert estimate_strength(np.array(counts, float)) == pytest.approx(strength, rel=1e-14)
    assert float(category_shrinkage.strength(counts)) == pytest.approx(strength, rel=1e-14)


@interpreted
def test_shrunk_counts_are_those_of_the_worked_example():
    found = shrunk(TWO_CLASSES, 2.2301965820866165)
    assert found[[0, 2]] == pytest.approx(
        np.array([[0.20703186, 3.79296814], [1.8161624, 6.1838376]]), abs=1e-8
    )


def tables(classes=(2, 4), most=14):
    cells = st.integers(0, 6)
    return st.integers(*classes).flatmap(
        lambda n: st.lists(
            st.lists(cells, min_size=n, max_size=n).filter(any), min_size=11, max_size=most
        )
    )


@interpreted
@given(tables(), st.sampled_from([0.01, 1.0, 30.0]))
def test_strength_and_counts_agree_with_fractions_and_keep_their_sums(counts, strength):
    expected = float(category_shrinkage.strength(counts))
    assert estimate_strength(np.array(counts, float)) == pytest.approx(expected, rel=1e-9)
    found = shrunk(counts, strength)
    naive = category_shrinkage.shrunk(counts, category_shrinkage.Fraction(strength))
    assert found == pytest.approx(np.array(naive, float), rel=1e-12, abs=1e-12)
    assert found.sum(axis=0) == pytest.approx(np.sum(counts, axis=0), rel=1e-12)
    assert found.sum(axis=1) == pytest.approx(np.sum(counts, axis=1), rel=1e-12)
    assert (found >= 0.0).all()


def one_column(counts):
    """A data set with these counts of categories, and nothing else."""
    counts = np.array(counts)
    cells = np.argwhere(counts >= 0).repeat(counts.ravel(), axis=0)
    names = tuple(f"c{code}" for code in range(len(counts)))
    schema = Schema(("x",), (names,), np.arange(counts.shape[1]))
    labels = cells[:, 1].astype(np.int32)
    return Dataset(cells[:, :1].astype(float), labels, np.ones(len(cells)), schema)


@patient
@given(tables(classes=(2, 2), most=11), st.sampled_from([Gini(), Entropy(), MSEE(), DKM()]))
def test_two_sets_have_the_best_score_of_all_by_shrunk_counts(counts, criterion):
    assume(np.count_nonzero(np.sum(counts, axis=0)) == 2)
    (found,) = found_at_root(one_column(counts), criterion, **AUTO)
    score = getattr(naive_criteria, type(criterion).__name__.lower())
    strength = category_shrinkage.strength(counts)
    expected = category_shrinkage.best_gain(counts, strength, score)
    assert found.gain == pytest.approx(expected, abs=1e-9)


@patient
@given(data_sets(), criteria, st.sampled_from(MISSING), st.sampled_from(NOMINAL))
def test_few_categories_grow_the_tree_of_plain_counts(data, criterion, missing, nominal):
    dataset, how = as_dataset(data), {"missing": missing, "nominal": nominal}
    assert as_bytes(grown(dataset, criterion, **how, **AUTO)) == as_bytes(
        grown(dataset, criterion, **how)
    )


@pytest.mark.parametrize("n_categories", [10, 11])
def test_more_than_ten_categories_are_shrunk(n_categories):
    dataset = one_column([[1 + i % 3, 1 + i % 2] for i in range(n_categories)])
    plain, by_rule = grown(dataset, Gini()), grown(dataset, Gini(), **AUTO)
    assert (as_bytes(plain) == as_bytes(by_rule)) == (n_categories == 10)
    assert np.array_equal(plain.counts[0], by_rule.counts[0])
    assert by_rule.gain[0] < plain.gain[0] or n_categories == 10


@pytest.mark.parametrize("nominal", ["multiway", "one_vs_rest"])
def test_only_two_sets_are_shrunk(nominal):
    dataset = one_column(TWO_CLASSES)
    for shrinkage in ("auto", 5.0):
        found = grown(dataset, Gini(), nominal=nominal, category_shrinkage=shrinkage)
        assert as_bytes(found) == as_bytes(grown(dataset, Gini(), nominal=nominal))


def test_a_missing_value_is_one_more_category_unless_cases_are_divided():
    counts = [[1 + i % 3, 1 + i % 2] for i in range(11)]
    dataset = one_column(counts)
    values = np.where(dataset.values == 10.0, np.nan, dataset.values)
    schema = replace(dataset.schema, categories=(dataset.schema.categories[0][:10],))
    gaps = Dataset(values, dataset.labels, dataset.weights, schema)
    whole = grown(dataset, Gini(), max_depth=1, **AUTO)
    for missing in ("category", "branch"):
        tree = grown(gaps, Gini(), max_depth=1, missing=missing, **AUTO)
        assert tree.gain[0] == whole.gain[0]
        assert np.array_equal(tree.counts, whole.counts)
        assert tree.missing_branch[0] == whole.category_branch[10]
    divided = grown(gaps, Gini(), max_depth=1, **AUTO)
    assert as_bytes(divided) == as_bytes(grown(gaps, Gini(), max_depth=1))


def test_a_number_is_the_strength_for_every_attribute():
    dataset = one_column([[1, 4], [3, 2], [5, 1]])
    for strength in (0.5, 8.0):
        (found,) = found_at_root(dataset, Gini(), category_shrinkage=strength)
        expected = category_shrinkage.best_gain(
            [[1, 4], [3, 2], [5, 1]], category_shrinkage.Fraction(strength), naive_criteria.gini
        )
        assert found.gain == pytest.approx(expected, abs=1e-12)
    assert as_bytes(grown(dataset, Gini(), category_shrinkage=0.0)) == as_bytes(
        grown(dataset, Gini())
    )


@st.composite
def many_categories(draw, weights=None):
    """Rows with two columns of 11 to 40 categories, a number and gaps."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_rows, n_classes = draw(st.integers(30, 120)), draw(st.integers(2, 3))
    sizes = draw(st.lists(st.integers(11, 40), min_size=2, max_size=2))
    values = np.column_stack([*(rng.integers(0, n, n_rows) for n in sizes), rng.random(n_rows)])
    labels = (values[:, 0] + rng.integers(0, 20, n_rows)).astype(np.int32) % n_classes
    values[rng.random(values.shape) < draw(st.sampled_from([0.0, 0.1]))] = np.nan
    values[:, 2] = np.round(values[:, 2], 1)
    categories = (*(tuple(f"c{code}" for code in range(n)) for n in sizes), None)
    schema = Schema(("a", "b", "x"), categories, np.arange(n_classes))
    each = np.ones(n_rows) if weights is None else rng.choice(weights, n_rows)
    return Dataset(values.astype(float), labels, each, schema)


@patient
@given(
    many_categories(weights=[0.25, 1.0, 3.0]),
    criteria,
    st.sampled_from(MISSING),
    st.randoms(use_true_random=False),
)
def test_rows_in_any_order_threads_bins_and_shards_give_the_same_bytes(
    dataset, criterion, missing, random
):
    how = {"missing": missing, **AUTO}
    n_rows = len(dataset.labels)
    order = np.array(random.sample(range(n_rows), n_rows))
    expected = as_bytes(grown(dataset, criterion, **how))
    assert as_bytes(grown(take(dataset, order), criterion, **how)) == expected
    with bins():
        assert as_bytes(grown(take(dataset, order), criterion, n_threads=2, **how)) == expected
    rules = GrowthRules(criterion, np.ones(dataset.schema.n_classes), **how)
    whole = bin_dataset(dataset)
    assert as_bytes(whole.grow(rules, 2)) == expected
    parts = shuffled_rows(whole, dataset, order).divided(3)
    n_classes = dataset.schema.n_classes
    in_parts = replace(whole, shards=lambda columns: LocalShards(parts, columns, n_classes, 2))
    assert as_bytes(in_parts.grow(rules)) == expected


@patient
@given(many_categories(), criteria, st.data())
def test_a_row_of_weight_k_equals_k_copies(dataset, criterion, draws):
    complete = replace(dataset, values=np.nan_to_num(dataset.values))
    n_rows = len(dataset.labels)
    times = np.array(draws.draw(st.lists(st.integers(1, 3), min_size=n_rows, max_size=n_rows)))
    weighted = replace(complete, weights=times.astype(float))
    repeated = take(complete, np.repeat(np.arange(n_rows), times))
    assert as_bytes(grown(weighted, criterion, **AUTO)) == as_bytes(
        grown(repeated, criterion, **AUTO)
    )


@patient
@given(many_categories(), st.sampled_from([Gini(), MSEE(), Entropy()]))
def test_light_weights_count_as_cases(dataset, criterion):
    """The strength is estimated as if the weights had a mean of one, and is then a weight."""
    light = replace(dataset, weights=dataset.weights / 64)
    tree = grown(dataset, criterion, **AUTO)
    small = grown(light, criterion, min_split=2 / 64, min_leaf=1 / 64, unit=1 / 64, **AUTO)
    assert as_bytes(small) == as_bytes(replace(tree, counts=tree.counts / 64))


def test_class_weights_do_not_change_the_strength():
    dataset = one_column(TWO_CLASSES)
    (found,) = found_at_root(dataset, Gini(), **AUTO)
    rules = GrowthRules(Gini(), np.full(2, 7.0), max_depth=1, **AUTO)
    assert grow(dataset, rules).gain[0] == pytest.approx(found.gain)
