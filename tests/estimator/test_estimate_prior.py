"""Class shares of unlabelled cases: a naive twin, consistency on simulated shifts, all models."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from roctree import (
    DataError,
    MultiscaleClassifier,
    NaiveBayesTreeClassifier,
    ParameterError,
    ROCTreeClassifier,
)
from roctree.prevalence import (
    ChiSquared,
    PriorEstimate,
    _pooled,
    _pools,
    estimate_prior,
    most_likely_shares,
    score_order,
)
from tests.naive import prevalence as naive

CLASSIFIERS = [
    ROCTreeClassifier(min_samples_leaf=10),
    ROCTreeClassifier(min_samples_leaf=10, ranking="soft"),
    NaiveBayesTreeClassifier(),
    MultiscaleClassifier(max_level=3),
]
each_classifier = pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
CENTRES = np.array([[0.0, 0.0], [1.5, 1.0], [-1.0, 1.5]])


def cases(shares, n_rows, seed):
    """Cases whose classes have these shares; those of a class are alike whatever the shares."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(len(shares), n_rows, p=shares)
    X = CENTRES[labels] + rng.normal(size=(n_rows, 2))
    return X.round(1), np.array(["a", "b", "c"])[labels]


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=5),
    st.lists(st.integers(0, 4), min_size=4, max_size=12),
)
@settings(max_examples=30)
def test_shares_are_those_of_expectation_maximisation_case_by_case(table, leaves):
    counts = np.array(table, dtype=float) + 1.0
    distributions = counts / counts.sum(axis=0)
    chosen = [leaf % len(table) for leaf in leaves]
    expected = naive.most_likely_shares(distributions.tolist(), chosen)
    weights = np.bincount(chosen, minlength=len(table)).astype(float)
    found = most_likely_shares(distributions[None], weights[None], np.array([0.3, 0.7]))[0]

    def likelihood(shares):
        return weights @ np.log(distributions @ np.asarray(shares))

    # Shares may be undetermined; their likelihood is not.
    assert likelihood(found) == pytest.approx(likelihood(expected), abs=1e-4)
    assert likelihood(found) >= max(likelihood([1 - s, s]) for s in (0.01, 0.2, 0.5, 0.8, 0.99))


def test_classes_that_are_hard_to_tell_apart_reach_the_maximum_too():
    # The last class fills the leaves nearly as a mixture of the others, which explains the cases
    # exactly. Steps of plain expectation maximisation become tiny long before.
    distributions = np.array([[0.6, 0.1, 0.37], [0.3, 0.4, 0.34], [0.1, 0.5, 0.29]])
    weights = np.array([20.0, 38.0, 42.0])
    (found,) = most_likely_shares(distributions[None], weights[None], np.full(3, 1 / 3))
    assert found == pytest.approx([0.2, 0.8, 0.0], abs=0.005)


@each_classifier
@pytest.mark.parametrize("share", [0.05, 0.3, 0.8])
def test_the_estimate_is_consistent_on_simulated_shifts(model, share):
    fitted = model.fit(*cases([0.6, 0.4], 800, 0))
    held_out = cases([0.5, 0.5], 4000, 1)
    X, y = cases([1 - share, share], 4000, 2)
    found = fitted.estimate_prior(X, counts=held_out)
    low, high = found.intervals[1]
    assert found["b"] == pytest.approx((y == "b").mean(), abs=0.05)
    assert low <= found["b"] <= high
    assert high - low < 0.12
    assert found.is_explained


@each_classifier
def test_more_cases_bring_it_nearer(model):
    fitted = model.fit(*cases([0.6, 0.4], 800, 0))
    widths = []
    for n_rows in (200, 8000):
        found = fitted.estimate_prior(
            cases([0.8, 0.2], n_rows, 3)[0], counts=cases([0.5, 0.5], n_rows, 4)
        )
        low, high = found.intervals[1]
        widths.append(high - low)
    assert widths[1] < 0.4 * widths[0]


@each_classifier
def test_several_classes_have_shares_that_add_up(model):
    fitted = model.fit(*cases([0.4, 0.3, 0.3], 900, 0))
    X, y = cases([0.1, 0.3, 0.6], 4000, 1)
    found = fitted.estimate_prior(X, counts=cases([0.4, 0.3, 0.3], 4000, 2))
    assert sum(found.values()) == pytest.approx(1.0)
    for label in "abc":
        assert found[label] == pytest.approx((y == label).mean(), abs=0.05)
    changed = fitted.at(prior=found)
    assert changed.score(X, y) > fitted.score(X, y)


@each_classifier
@pytest.mark.parametrize("counts", ["training", "smoothed"])
def test_counts_of_training_serve_without_held_out_cases(model, counts):
    fitted = model.fit(*cases([0.6, 0.4], 800, 0))
    found = fitted.estimate_prior(cases([0.9, 0.1], 2000, 2)[0], counts=counts)
    assert found["b"] < 0.3
    assert list(found) == ["a", "b"]


def test_intervals_cover_the_shares_about_as_often_as_they_say():
    rng = np.random.default_rng(0)
    distributions = rng.dirichlet(np.ones(8), 2).T
    inside = []
    for _ in range(80):
        share = rng.uniform(0.1, 0.9)
        reference = np.column_stack([rng.multinomial(300, each) for each in distributions.T])
        weights = rng.multinomial(400, distributions @ [1 - share, share])
        found = estimate_prior(
            reference.astype(float), weights.astype(float), np.arange(8.0), np.array([0, 1])
        )
        low, high = found.intervals[1]
        inside.append(low <= share <= high)
    assert 0.88 <= np.mean(inside) <= 1.0


@each_classifier
def test_a_shift_of_shares_is_reported_and_explained(model):
    fitted, reference = model.fit(*cases([0.6, 0.4], 800, 0)), cases([0.6, 0.4], 2000, 1)
    same = fitted.estimate_prior(cases([0.6, 0.4], 2000, 5)[0], counts=reference)
    assert not same.has_shifted
    assert "no sign of a shift" in same.sentence
    other = fitted.estimate_prior(cases([0.1, 0.9], 2000, 5)[0], counts=reference)
    assert other.has_shifted
    assert other.is_explained
    assert "other class shares explain it" in repr(other)


def test_shares_outside_their_intervals_are_mentioned_even_if_no_leaf_stands_out():
    rng = np.random.default_rng(3)
    n_leaves = 24
    ours = np.linspace(0.25, 0.75, n_leaves)
    reference = np.column_stack([20 * (1 - ours), 20 * ours])
    weights = rng.multinomial(250, reference[:, 0] / reference[:, 0].sum()).astype(float)
    found = estimate_prior(reference, weights, ours, np.array(["no", "yes"]))
    assert found.shares_differ
    assert not found.has_shifted
    assert "no sign of a shift" not in found.sentence
    assert "differ from those of the reference cases" in found.sentence


@each_classifier
def test_a_shift_of_the_cases_themselves_is_told_apart(model):
    fitted, reference = model.fit(*cases([0.6, 0.4], 800, 0)), cases([0.6, 0.4], 2000, 1)
    X, _ = cases([0.6, 0.4], 2000, 2)
    # Between the classes, where neither has many cases.
    moved = np.array([0.75, 0.5]) + 0.3 * (X - np.array([0.75, 0.5]))
    found = fitted.estimate_prior(moved, counts=reference)
    assert found.has_shifted
    assert not found.is_explained
    assert "no class shares explain it" in found.sentence


@given(st.lists(st.tuples(st.integers(20, 60), st.integers(20, 60)), min_size=2, max_size=6))
@settings(max_examples=15)
def test_the_test_of_change_is_that_of_a_table_of_two_rows(table):
    first, second = zip(*table, strict=True)
    reference = np.column_stack([np.array(first) / 4, 3 * np.array(first) / 4])
    reference[0, :] = reference[0, ::-1]
    found = estimate_prior(
        reference, np.array(second, dtype=float), np.arange(float(len(table))), np.array([0, 1])
    ).change
    assert found.statistic == pytest.approx(naive.homogeneity(first, second))
    assert found.df == len(table) - 1
    assert found.p_value == pytest.approx(chi2.sf(found.statistic, found.df))


def test_false_alarms_are_as_rare_as_they_should_be():
    rng = np.random.default_rng(2)
    distributions = rng.dirichlet(np.ones(12), 2).T
    changed, unexplained = [], []
    for _ in range(60):
        reference = np.column_stack([rng.multinomial(400, each) for each in distributions.T])
        weights = rng.multinomial(500, distributions @ [0.5, 0.5])
        found = estimate_prior(
            reference.astype(float), weights.astype(float), np.arange(12.0), np.array([0, 1])
        )
        changed.append(found.change.p_value < 0.05)
        unexplained.append(found.fit.p_value < 0.05)
    assert np.mean(changed) < 0.15
    assert np.mean(unexplained) < 0.15


def test_weights_count_as_repeated_cases_and_batches_add_up():
    pa = pytest.importorskip("pyarrow")
    tree = CLASSIFIERS[0].fit(*cases([0.6, 0.4], 800, 0))
    X, _ = cases([0.2, 0.8], 300, 1)
    times = np.arange(300) % 3
    weighted = tree.estimate_prior(X, sample_weight=times)
    repeated = tree.estimate_prior(np.repeat(X, times, axis=0))
    assert weighted["b"] == pytest.approx(repeated["b"])
    table = pa.table({"x0": X[:, 0], "x1": X[:, 1]})
    named = ROCTreeClassifier(min_samples_leaf=10)
    fitted, y = cases([0.6, 0.4], 800, 0)
    named.fit(pa.table({"x0": fitted[:, 0], "x1": fitted[:, 1]}), y)
    whole = named.estimate_prior(table)
    parts = named.estimate_prior([table.slice(0, 100), table.slice(100)])
    assert parts["b"] == pytest.approx(whole["b"])
    assert parts.n_cases == 300


def test_a_tally_serves_as_the_labelled_cases():
    tree = CLASSIFIERS[0].fit(*cases([0.6, 0.4], 800, 0))
    X, y = cases([0.5, 0.5], 500, 1)
    new = cases([0.2, 0.8], 300, 2)[0]
    by_tally = tree.estimate_prior(new, counts=tree.tally(X, y))
    assert dict(by_tally) == dict(tree.estimate_prior(new, counts=(X, y)))


def test_the_same_seed_gives_the_same_intervals():
    tree = CLASSIFIERS[0].fit(*cases([0.6, 0.4], 800, 0))
    new = cases([0.2, 0.8], 300, 2)[0]
    first, again, other = (tree.estimate_prior(new, random_state=seed) for seed in (0, 0, 1))
    assert np.array_equal(first.intervals, again.intervals)
    assert not np.array_equal(first.intervals, other.intervals)


def test_a_single_leaf_says_nothing():
    tree = ROCTreeClassifier(max_leaf_nodes=1).fit(*cases([0.6, 0.4], 100, 0))
    with pytest.raises(ParameterError, match="do not separate the classes"):
        tree.estimate_prior(cases([0.6, 0.4], 100, 1)[0])


def test_two_leaves_do_not_tell_three_classes_apart():
    # Whatever the shares of b and c, the cases are distributed alike: an interval would be wrong.
    distributions = np.array([[90.0, 10.0, 10.0], [10.0, 90.0, 90.0]])
    with pytest.raises(ParameterError, match=r"2 groups .* shares of 3 classes"):
        estimate_prior(distributions, np.array([40.0, 60.0]), np.arange(2.0), np.array(list("abc")))


def test_labelled_cases_of_one_class_are_refused():
    tree = CLASSIFIERS[0].fit(*cases([0.6, 0.4], 800, 0))
    X, y = cases([0.6, 0.4], 400, 1)
    with pytest.raises(ParameterError, match="labelled cases have a single class"):
        tree.estimate_prior(X, counts=(X[y == "a"], y[y == "a"]))


def test_a_shift_that_two_leaves_show_is_not_called_explained():
    counts, new = np.array([[90.0, 10.0], [10.0, 90.0]]), np.array([200.0, 40.0])
    found = estimate_prior(counts, new, np.arange(2.0), np.array(["a", "b"]))
    assert found.has_shifted
    assert found.fit.df == 0
    assert "with 1 degree of freedom" in found.sentence
    assert "too few leaves or cases to test" in found.sentence


def test_few_cases_cannot_be_compared():
    tree = CLASSIFIERS[0].fit(*cases([0.6, 0.4], 800, 0))
    found = tree.estimate_prior(cases([0.2, 0.8], 5, 2)[0])
    assert (
        found.sentence == "There are too few cases to compare their distributions over the leaves."
    )


# Laws of the estimate from tables of leaves, with plain loops


LEAVES = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 60), st.integers(0, 5)),
    min_size=2,
    max_size=9,
).filter(lambda leaves: all(sum(leaf[k] for leaf in leaves) for k in range(3)))


def arrays(leaves):
    table = np.array(leaves, dtype=float)
    return table[:, :2], table[:, 2], table[:, 3]


@given(LEAVES)
def test_leaves_are_pooled_as_by_plain_loops(leaves):
    reference, weights, order = arrays(leaves)
    together, others = _pooled(reference, weights, order)
    expected = naive.pooled(reference.tolist(), weights.tolist(), order.tolist())
    assert together.tolist() == [labelled for labelled, _ in expected]
    assert others.tolist() == [unlabelled for _, unlabelled in expected]


@given(st.lists(st.sampled_from([0.0, 1.0, 2.5, 4.9, 5.0, 7.0, 30.0]), min_size=1, max_size=7))
def test_cells_that_expect_few_cases_are_one(expected):
    pools = _pools(np.array(expected))
    found = {}
    for place, pool in enumerate(pools.tolist()):
        found.setdefault(pool, []).append(place)
    assert sorted(found) == list(range(len(found)))
    plain = [sorted(cell) for cell in naive.cells(expected)]
    assert sorted(found.values()) == sorted(plain)


@given(LEAVES, st.sampled_from([1, 3]))
@settings(max_examples=30)
def test_both_tests_are_those_of_plain_loops(leaves, times):
    reference, weights, order = arrays(leaves)
    reference, weights = times * reference, times * weights
    try:
        found = estimate_prior(reference, weights, order, np.array(["no", "yes"]))
    except ParameterError:
        return
    pooled = naive.pooled(reference.tolist(), weights.tolist(), order.tolist())
    labelled, unlabelled = ([pool[k] for pool in pooled] for k in (0, 1))
    statistic, df = naive.goodness_of_fit(labelled, unlabelled, found.shares)
    assert found.fit.df == max(df, 0)
    if df > 0:
        assert found.fit.statistic == pytest.approx(statistic, rel=1e-6, abs=1e-9)
        assert found.fit.p_value == pytest.approx(chi2.sf(statistic, df), abs=1e-9)
    else:
        assert found.fit.p_value == 1.0
    sizes = reference.sum(), weights.sum()
    common = (reference.sum(axis=1) + weights) * min(sizes) / sum(sizes)
    cells = naive.cells(common.tolist())
    first, second = ([sum(table[cell]) for cell in cells] for table in (reference.sum(1), weights))
    assert found.change.df == len(cells) - 1
    if len(cells) > 1:
        assert found.change.statistic == pytest.approx(naive.homogeneity(first, second))
    assert found.reference == pytest.approx(reference.sum(axis=0) / reference.sum())
    assert found.n_cases == weights.sum()
    low, high = found.intervals.T
    assert ((low <= found.shares) & (found.shares <= high)).all()
    # Of two shares that add up to 1, so do the ends of their intervals.
    assert low == pytest.approx(1.0 - high[::-1])


def test_estimates_do_not_depend_on_scale_and_intervals_narrow_with_cases_and_level():
    reference = np.array([[40.0, 5.0], [30.0, 20.0], [10.0, 60.0]])
    weights, order, classes = np.array([35.0, 30.0, 35.0]), np.arange(3.0), np.array([0, 1])

    def width(found):
        low, high = found.intervals[1]
        return high - low

    one = estimate_prior(reference, weights, order, classes)
    four = estimate_prior(4 * reference, 4 * weights, order, classes)
    assert four.shares == pytest.approx(one.shares, abs=1e-7)
    assert 0.4 < width(four) / width(one) < 0.6
    half = estimate_prior(reference, weights, order, classes, level=0.5)
    assert 0.25 < width(half) / width(one) < 0.45  # 0.67 and 1.96 standard errors
    assert half.level == 0.5
    # Each sample alone is uncertain.
    known = estimate_prior(1000 * reference, weights, order, classes)
    sure = estimate_prior(reference, 1000 * weights, order, classes)
    assert 0.0 < width(known) < width(one)
    assert 0.0 < width(sure) < width(one)


def test_a_class_without_reference_cases_keeps_a_share_of_zero():
    reference = np.array([[40.0, 5.0, 0.0], [10.0, 60.0, 0.0]])
    found = estimate_prior(reference, np.array([30.0, 70.0]), np.arange(2.0), np.arange(3))
    assert found[2] == 0.0
    assert found.intervals[2].tolist() == [0.0, 0.0]
    two = estimate_prior(reference[:, :2], np.array([30.0, 70.0]), np.arange(2.0), np.arange(2))
    assert found.shares[:2] == pytest.approx(two.shares)


def test_leaves_of_one_class_are_ordered_by_its_probability():
    assert score_order(np.array([[0.2, 0.8], [0.9, 0.1]])).tolist() == [0.8, 0.1]
    three = np.array([[0.5, 0.3, 0.2], [0.9, 0.1, 0.0], [0.1, 0.5, 0.4], [0.0, 0.1, 0.9]])
    assert score_order(three).tolist() == [0.25, 0.45, 1.25, 2.45]


@each_classifier
def test_no_batches_at_all_are_refused(model):
    X, y = cases([0.5, 0.5], 200, seed=0)
    fitted = model.fit(X, y)
    with pytest.raises(DataError, match="X has no rows"):
        fitted.estimate_prior(iter([]))


def estimate(change, fit, before=0.5):
    shares, intervals = np.array([0.25, 0.75]), np.array([[0.2, 0.31], [0.69, 0.8]])
    before = np.array([1.0 - before, before])
    return PriorEstimate(np.array(["no", "yes"]), shares, intervals, before, 0.95, 80, change, fit)


def test_an_estimate_reads_like_a_table_and_a_sentence():
    rare, likely = ChiSquared(30.25, 2, 0.00001), ChiSquared(1.0, 1, 0.32)
    found = estimate(rare, likely)
    assert repr(found).splitlines() == [
        "class   share          interval  reference",
        "   no  0.2500  0.2000 to 0.3100     0.5000",
        "  yes  0.7500  0.6900 to 0.8000     0.5000",
        "The new cases are distributed differently over the leaves (chi-squared 30.2 with 2 "
        "degrees of freedom, p < 0.0001), and other class shares explain it (chi-squared 1.0 with "
        "1 degree of freedom, p = 0.3200): use at(prior=...) with the estimated shares.",
    ]
    assert "no class shares explain it" in estimate(rare, rare).sentence
    assert "no sign of a shift" in estimate(likely, rare, before=0.7).sentence
    for before in (0.5, 0.9):  # outside the intervals
        assert "outside the intervals" in estimate(likely, rare, before).sentence
    assert estimate(ChiSquared(9.0, 1, 0.01), ChiSquared(9.0, 1, 0.01)).is_explained
    assert not estimate(ChiSquared(9.0, 1, 0.01), likely).has_shifted
    assert "too few cases" in estimate(ChiSquared(0.0, 0, 1.0), likely).sentence
    assert (dict(found), len(found)) == ({"no": 0.25, "yes": 0.75}, 2)
