"""Every pruner against plain recursion, on trees with empty leaves, weights and one class."""

from dataclasses import replace
from functools import partial
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from roctree.pruning import (
    PRUNING,
    CardPerClass,
    CostComplexity,
    CriticalValue,
    ErrorBased,
    ExpectedError,
    MinimumError,
    Pessimistic,
    ReducedError,
    cost_complexity_path,
    need,
)
from roctree.pruning.by_counts import all_equal
from roctree.pruning.cost_complexity import held_out_path
from roctree.pruning.cost_curve import breakpoints
from roctree.tree.shape import cut
from tests.naive import pruning as naive
from tests.naive.descend import breadth_first
from tests.pruning.growing import WHOLE, tree, trees
from tests.tree.trees import as_tree, nested_trees

LEAVES = ["keep", "relabel"]
LIMITS = ["exact", "c45", "weka"]


weighted_trees, whole_trees = trees, partial(trees, WHOLE)


@st.composite
def costs_for(draw, root):
    """A cost for each class, or a matrix with something on its diagonal, which means nothing."""
    n_classes = len(root.counts)
    row = st.tuples(*[st.integers(1, 9)] * n_classes)
    return draw(row | st.tuples(*[row] * n_classes) if n_classes > 1 else row)


@given(nested_trees())
@settings(max_examples=30)
def test_what_is_pruned_is_a_tree(root):
    tree = as_tree(root)
    for pruner in PRUNING.values():
        if need(pruner) == "counts":
            assert pruner(tree).validate().counts[0].tolist() == root.counts


def numbered(root):
    return [node for _, node in breadth_first(root)]


def flags(root, final):
    return np.array([id(node) in final for node in numbered(root)])


def agree(root, pruner, final):
    tree = as_tree(root)
    assert pruner(tree).validate() == cut(tree, flags(root, final))


def agree_on_labels(root, pruner, final, labels):
    tree = as_tree(root)
    expected = cut(tree, flags(root, final))
    pruned = pruner.labelled(tree)
    assert pruned.tree.validate() == expected == pruner(tree)
    assert pruned.labels.tolist() == [labels[id(node)] for node in kept(root, final)]


def kept(root, final):
    level, found = [root], []
    while level:
        found += level
        level = [child for node in level if id(node) not in final for child in node.children]
    return found


@given(weighted_trees())
def test_pessimistic_pruning(root):
    agree(root, Pessimistic(), naive.pessimistic(root))


@given(weighted_trees(), st.sampled_from([0, 0.5, 2, 8]), st.sampled_from(["training", "uniform"]))
def test_minimum_error(root, m, prior):
    expected = naive.minimum_error(root, naive.Fraction(m), prior)
    agree(root, MinimumError(m=m, prior=prior), expected)


@given(weighted_trees())
def test_minimum_error_of_1986(root):
    expected = naive.bottom_up(root, lambda node: naive.weight(node) * naive.niblett_bratko(node))
    agree(root, MinimumError(m="classes", prior="uniform"), expected[0])


@pytest.mark.parametrize("slack", [0.0, 0.1])
@pytest.mark.parametrize("limit", LIMITS)
@given(whole_trees(), st.sampled_from([0.01, 0.25, 0.6]))
def test_error_based_pruning_of_whole_cases(limit, slack, root, cf):
    agree(root, ErrorBased(cf, limit, slack=slack), naive.error_based(root, cf, limit, slack))


@pytest.mark.parametrize("limit", ["c45", "weka"])
@given(weighted_trees(), st.sampled_from([0.01, 0.25, 0.6]))
def test_error_based_pruning_of_weights(limit, root, cf):
    agree(root, ErrorBased(cf, limit), naive.error_based(root, cf, limit, 0.1))


@given(weighted_trees())
def test_expected_error(root):
    agree(root, ExpectedError(), naive.expected_error(root))


@given(weighted_trees(), st.sampled_from([0, 1, 4]))
def test_card_per_class(root, K):
    n_classes = len(root.counts)
    printed = naive.card_per_class(root, naive.Fraction(2 * K, n_classes))
    agree(root, CardPerClass(K), printed)
    agree(root, CardPerClass(K, "per_class"), naive.card_per_class(root, 2 * K * n_classes))


@given(weighted_trees(), st.data())
def test_critical_value(root, data):
    inner = [node for node in numbered(root) if node.children]
    drawn = st.lists(st.sampled_from([0.0, 0.1, 0.5]), min_size=len(inner), max_size=len(inner))
    gains = dict(zip(map(id, inner), data.draw(drawn), strict=True))
    gain = np.array([gains.get(id(node), 0.0) for node in numbered(root)])
    tree = replace(as_tree(root), gain=gain)
    for value in (0.0, 0.1, 0.4, 0.6):
        expected = cut(tree, flags(root, naive.critical_value(root, gains, value)))
        assert CriticalValue(value)(tree) == expected


@st.composite
def with_other_cases(draw):
    """A tree, and class counts of other cases at each of its nodes."""
    root, rng = draw(weighted_trees()), Random(draw(st.integers(0, 999)))
    other = {
        id(leaf): [0.125 * rng.randint(0, 3) for _ in root.counts] for leaf in naive.leaves(root)
    }
    fill(root, other)
    return root, other


def fill(node, counts):
    for child in node.children:
        fill(child, counts)
    if node.children:
        columns = zip(*(counts[id(child)] for child in node.children), strict=True)
        counts[id(node)] = [sum(column) for column in columns]


def held_out_counts(root, other):
    return np.array([other[id(node)] for node in numbered(root)])


@given(with_other_cases())
def test_reduced_error(both):
    root, other = both
    tree = as_tree(root)
    expected = cut(tree, flags(root, naive.reduced_error(root, other)))
    assert ReducedError()(tree, held_out_counts(root, other)) == expected


@given(weighted_trees())
def test_the_path_of_cost_complexity_is_that_of_the_weakest_links(root):
    tree = as_tree(root)
    path = cost_complexity_path(tree)
    steps = naive.cost_complexity_path(root)
    assert path.alphas == pytest.approx([float(alpha) for alpha, *_ in steps], abs=1e-12)
    assert path.n_leaves.tolist() == [n_leaves for _, _, n_leaves, _ in steps]
    assert path.losses == pytest.approx([float(loss) for *_, loss in steps], abs=1e-12)
    for alpha, (_, final, *_) in zip(path.alphas, steps, strict=True):
        assert cut(tree, path.final(alpha)).validate() == cut(tree, flags(root, final))
    for alpha, (_, final, *_) in zip(path.between(), steps, strict=True):
        assert CostComplexity(float(alpha))(tree) == cut(tree, flags(root, final))


@given(with_other_cases())
def test_errors_along_the_path_are_those_of_each_pruned_tree(both):
    root, other = both
    tree = as_tree(root)
    path = cost_complexity_path(tree)
    alphas = np.sort(np.concatenate([path.between(), path.alphas]))
    wrong = naive.held_out_errors(root, other)
    expected = [
        sum(wrong[leaf] for leaf in naive.leaves_at(root, naive.cost_complexity(root, alpha)))
        for alpha in map(nudged, alphas)
    ]
    assert held_out_path(tree, held_out_counts(root, other), alphas) == pytest.approx(expected)


def nudged(alpha):
    """A price that is on the path up to rounding, from above."""
    return naive.Fraction(alpha) + naive.Fraction(1, 10**12)


@pytest.mark.parametrize("leaves", LEAVES)
@given(st.data(), weighted_trees(), st.sampled_from([0, 2, 8]))
def test_minimum_error_under_costs(leaves, data, root, m):
    costs = data.draw(costs_for(root))
    prior = naive.priors(root, "training")

    def cost(node):
        found = naive.minimum_error_costs(node, m, prior, costs)
        return [naive.weight(node) * each for each in found]

    expected = naive.under_costs(root, cost, leaves)
    agree_on_labels(root, MinimumError(m=m, costs=costs, leaves=leaves), *expected)


small_trees = st.builds(tree, st.integers(0, 2**32), st.integers(1, 3), st.just(2))


@pytest.mark.parametrize("leaves", LEAVES)
@given(small_trees, st.sampled_from([0, 2, 8]))
def test_breakpoints_are_all_ratios_at_which_another_tree_is_the_cheapest(leaves, root, m):
    prior = naive.priors(root, "training")

    def errors(node):
        return [naive.weight(node) * each for each in naive.m_errors(node, m, prior)]

    lines = naive.cost_lines(root, errors, leaves)
    assume(len(lines) < 200)
    expected = [ratio for ratio in naive.breakpoints(lines) if ratio < 10**6]
    pruner = MinimumError(m=m, leaves=leaves)
    found = breakpoints(as_tree(root), pruner, positive=1)
    assert found == pytest.approx(list(map(float, expected)), rel=1e-9)


@pytest.mark.parametrize("leaves", LEAVES)
@pytest.mark.parametrize("limit", LIMITS)
@given(st.data(), whole_trees(), st.sampled_from([0.01, 0.25]))
def test_error_based_pruning_under_costs(limit, leaves, data, root, cf):
    costs = data.draw(costs_for(root))

    def cost(node):
        # Rounded, so that labels that cost the same on paper do so here.
        return [round(each, 9) for each in naive.error_based_costs(node, cf, limit, costs)]

    assume(leaves == "relabel" or not all_equal(costs))
    expected = naive.under_costs(root, cost, leaves, slack=1e-8)
    agree_on_labels(root, ErrorBased(cf, limit, costs=costs, leaves=leaves), *expected)


@pytest.mark.parametrize("leaves", LEAVES)
@given(st.data(), weighted_trees())
def test_pessimistic_pruning_under_costs(leaves, data, root):
    costs = data.draw(costs_for(root))
    expected = naive.pessimistic_under_costs(root, costs, leaves)
    agree_on_labels(root, Pessimistic(costs=costs, leaves=leaves), *expected)
