"""Laws of all pruners, of those that choose by other cases too, and of pruning under costs."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from roctree import checks
from roctree.pruning import (
    PRUNING,
    AUCPruning,
    CostComplexity,
    ErrorBased,
    MinimumError,
    Pessimistic,
    ReducedError,
)
from roctree.pruning.cost_complexity import Bends, LeftistHeap, _find_prices
from roctree.pruning.cost_curve import breakpoints
from roctree.pruning.protocol import training_errors
from roctree.tree.tree import Tree
from tests.naive.descend import Node, add_counts
from tests.pruning import growing
from tests.pruning.variants import BY_OTHER_CASES, FROM_ABOVE, PRICED, VARIANTS
from tests.tree.trees import as_tree, chain

CLASSES = [1, 2, 3]
STABLE = [pruner for pruner in VARIANTS if not isinstance(pruner, FROM_ABOVE)]
STABLE_BY_OTHER_CASES = [ReducedError(), CostComplexity(choice="best")]
RATIOS = [1.0, 2.0, 4.0, 16.0, 64.0, 1e6]


def trees(n_classes):
    return list(checks._trees(n_classes))


@pytest.mark.parametrize("pruner", VARIANTS, ids=repr)
def test_every_pruner_keeps_the_laws(pruner):
    for n_classes in CLASSES:
        checks.check_pruner(pruner, n_classes)


@pytest.mark.parametrize("pruner", STABLE, ids=repr)
def test_pruning_twice_changes_nothing(pruner):
    for tree in itertools.chain(*map(trees, CLASSES)):
        checks.pruning_again_changes_nothing(pruner, tree)


def test_every_registered_pruner_is_among_those_tested():
    assert set(PRUNING.values()) <= {*VARIANTS, *BY_OTHER_CASES}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("pruner", BY_OTHER_CASES, ids=repr)
def test_every_pruner_that_chooses_by_other_cases_keeps_the_laws(pruner, n_classes):
    checks.check_pruner(pruner, n_classes)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("pruner", STABLE_BY_OTHER_CASES, ids=repr)
def test_pruning_twice_by_the_same_cases_changes_nothing(pruner, n_classes):
    for tree in trees(n_classes):
        checks.pruning_again_changes_nothing(pruner, tree, checks._other_cases(tree))


def test_one_standard_error_may_be_granted_again():
    assert goes_on(CostComplexity())


def test_a_size_chosen_by_area_may_be_another_among_the_trees_of_what_is_left():
    assert goes_on(AUCPruning())


def test_pessimistic_pruning_may_go_on_because_it_judges_by_what_it_cuts_off():
    assert goes_on(Pessimistic())


@pytest.mark.parametrize("leaves", ["keep", "relabel"])
@pytest.mark.parametrize("pruner", [Pessimistic(), *PRICED], ids=repr)
def test_pruning_again_and_again_comes_to_an_end(pruner, leaves):
    priced = replace(pruner, costs=(1.0, 3.0), leaves=leaves)
    for tree in trees(2):
        while (smaller := priced(tree)) != tree:
            checks.pruned_tree_is_part_of_the_tree(priced, tree)
            assert smaller.n_nodes < tree.n_nodes
            tree = smaller


def test_a_label_by_costs_is_not_known_when_the_leaf_is_pruned_again():
    assert goes_on(MinimumError(costs=(1, 4)))


def goes_on(pruner):
    """A tree that is pruned once more when it is pruned again."""

    def again(tree):
        checks.pruning_again_changes_nothing(pruner, tree, checks._other_cases(tree))

    def changes(tree):
        try:
            again(tree)
        except AssertionError:
            return True
        return False

    tree = next(filter(changes, trees(2)))
    with pytest.raises(AssertionError, match="when applied again"):
        again(tree)
    return tree


# With costs, minimum-error pruning judges a leaf by the class that it predicts, and without by the
# class of the least expected error.
ALIKE_WITHOUT_COSTS = [pruner for pruner in PRICED if not isinstance(pruner, MinimumError)]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("pruner", ALIKE_WITHOUT_COSTS, ids=repr)
def test_equal_costs_change_nothing(pruner, n_classes):
    matrix = tuple(tuple(3.0 * (i != j) for j in range(n_classes)) for i in range(n_classes))
    for tree in trees(n_classes):
        for costs in ((1.0,) * n_classes, (3.0,) * n_classes, matrix):
            checks.equal_costs_change_nothing(pruner, replace(pruner, costs=costs), tree)


@pytest.mark.parametrize("leaves", ["keep", "relabel"])
def test_nearly_equal_costs_prune_like_equal_ones(leaves):
    for tree in trees(2):
        pruner = MinimumError(costs=(1.0, 1.0), leaves=leaves)
        if all(abs(ratio - 1.0) > 1e-6 for ratio in breakpoints(tree, pruner, 1)):
            nearly = replace(pruner, costs=(1.0, 1.0 + 1e-7))
            checks.equal_costs_change_nothing(pruner, nearly, tree)


@pytest.mark.parametrize("leaves", ["keep", "relabel"])
@pytest.mark.parametrize("pruner", PRICED, ids=repr)
def test_only_the_proportions_of_costs_matter(pruner, leaves):
    for tree in trees(2):
        for factor in (1e-6, 1e6):
            costs = replace(pruner, costs=(1.0, 4.0), leaves=leaves)
            dearer = replace(costs, costs=(factor, 4.0 * factor))
            checks.equal_costs_change_nothing(costs, dearer, tree)


@pytest.mark.parametrize("pruner", PRICED, ids=repr)
def test_a_matrix_with_one_cost_in_each_row_is_that_cost_for_the_class(pruner):
    for tree in trees(3):
        rows = replace(pruner, costs=((0, 2, 2), (5, 9, 5), (1, 1, 0)))
        assert rows(tree) == replace(pruner, costs=(2, 5, 1))(tree)


@pytest.mark.parametrize("pruner", PRICED, ids=repr)
def test_with_costs_in_the_other_order_the_other_class_is_cheap(pruner):
    for tree in trees(2):
        # Of leaves with as many cases of each class the first is the label, whichever that is.
        if (tree.counts[tree.is_leaf, 0] == tree.counts[tree.is_leaf, 1]).any():
            continue
        mirrored = replace(tree, counts=tree.counts[:, ::-1])
        one, other = replace(pruner, costs=(1, 3)), replace(pruner, costs=(3, 1))
        assert one(tree).counts.tolist() == other(mirrored).counts[:, ::-1].tolist()


@pytest.fixture
def bradley_lovell():
    inner = Node([], 0, 0.5, children=[Node([3.0, 1.0]), Node([0.0, 6.0])])
    root = Node([], 0, 0.5, children=[Node([9.0, 1.0]), inner])
    add_counts(root)
    return as_tree(root)


@pytest.mark.parametrize("pruner", PRICED, ids=repr)
@pytest.mark.parametrize("cheap", [0, 1])
def test_the_tree_shrinks_to_one_leaf_of_the_cheap_class(bradley_lovell, pruner, cheap):
    sizes = []
    for ratio in RATIOS:
        costs = (1.0, ratio) if cheap == 0 else (ratio, 1.0)
        pruned = replace(pruner, costs=costs).labelled(bradley_lovell)
        sizes.append(pruned.tree.n_nodes)
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1
    assert pruned.labels.tolist() == [cheap]


@pytest.mark.parametrize("pruner", PRICED, ids=repr)
def test_where_leaves_are_relabelled_one_leaf_of_the_cheap_class_is_left_of_any_tree(pruner):
    for tree in trees(2):
        pruned = replace(pruner, costs=(1.0, 1e9), leaves="relabel").labelled(tree)
        if (tree.counts[:, 0] > 0).all():
            assert pruned.tree.n_nodes == 1
        assert 0 in pruned.labels[pruned.tree.is_leaf] or tree.counts[0, 0] == 0


@pytest.mark.parametrize("pruner", PRICED, ids=repr)
def test_a_leaf_without_cases_has_the_label_of_its_parent(pruner):
    root = Node([], 2, branch_of=[0, 1, 2, -1])
    root.children = [Node([0.0, 9.0]), Node([0.0, 0.0]), Node([2.0, 0.0])]
    add_counts(root)
    for leaves in ("keep", "relabel"):
        found = replace(pruner, costs=(2.0, 1.0), leaves=leaves).labelled(as_tree(root))
        assert found.labels.tolist() in ([1, 1, 1, 0], [1])


@pytest.mark.parametrize("pruner", VARIANTS, ids=repr)
def test_a_tree_without_cases_can_be_pruned(pruner):
    root = Node([], 0, 0.5, children=[Node([0.0, 0.0]), Node([0.0, 0.0])])
    add_counts(root)
    assert pruner(as_tree(root)).validate().counts.sum() == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("pruner", [*VARIANTS, *BY_OTHER_CASES], ids=repr)
def test_a_chain_of_a_hundred_thousand_levels_is_no_trouble(pruner):
    tree = chain(100_000)
    assert checks._is_part(checks._pruned(pruner, tree, tree.counts), tree)


@pytest.mark.parametrize("seed", [0, 2, 3, 4])
def test_heaps_of_prices_lean_to_the_left_however_they_are_merged(seed):
    """Else a merger would take more than logarithmic time; see the module's docstring."""
    tree = as_tree(growing.tree(seed, 9, 2))
    n = tree.n_nodes
    bends = Bends(np.full(n, np.inf), np.zeros(n), np.zeros(n))
    heap = LeftistHeap(*(np.full(n, -1) for _ in range(4)))
    _find_prices(tree.first_child, tree.n_children, training_errors(tree), bends, heap)
    inside = list(heap.top[:1])
    for node in inside:
        below = [heap.left[node], heap.right[node]]
        lengths = [heap.spine[child] + 1 if child >= 0 else 0 for child in below]
        assert lengths[0] >= lengths[1] == heap.spine[node]
        inside += [child for child in below if child >= 0]
    assert len(inside) == np.isfinite(bends.price).sum() > 10


# The laws themselves.


def grows(tree):
    return Tree.single_leaf(tree.counts[0] + 1.0)


def by_first_class(tree):
    return Tree.single_leaf(tree.counts[0]) if tree.counts[0, 0] > tree.counts[0, 1] else tree


def test_a_pruner_that_changes_counts_is_reported():
    with pytest.raises(AssertionError, match="not a part of it") as error:
        checks.check_pruner(grows)
    assert (
        "for <Tree of 1 node, 1 leaf, depth 0> with n_children [0] and counts [[1.0, 1.0]]"
        in str(error.value)
    )


def test_a_pruner_that_makes_no_tree_is_reported():
    def broken(tree):
        return replace(tree, feature=tree.feature - 5)

    with pytest.raises(AssertionError, match="not return a valid tree"):
        checks.check_pruner(broken)


def test_another_split_is_reported(bradley_lovell):
    def moved(tree):
        return replace(tree, threshold=tree.threshold + 1.0)

    with pytest.raises(AssertionError, match="not a part of it"):
        checks.pruned_tree_is_part_of_the_tree(moved, bradley_lovell)


def test_another_number_of_branches_is_reported(bradley_lovell):
    def wider(_):
        root = Node([], 2, branch_of=[0, 1, 2, -1])
        root.children = [Node([9.0, 1.0]), Node([3.0, 7.0]), Node([0.0, 0.0])]
        add_counts(root)
        return as_tree(root)

    with pytest.raises(AssertionError, match="not a part of it"):
        checks.pruned_tree_is_part_of_the_tree(wider, bradley_lovell)


def test_dependence_on_the_numbers_of_classes_is_reported(bradley_lovell):
    with pytest.raises(AssertionError, match="classes renamed"):
        checks.class_numbers_change_no_pruning(by_first_class, bradley_lovell)


def test_costs_that_matter_though_equal_are_reported(bradley_lovell):
    with pytest.raises(AssertionError, match=r"and <function by_first_class .*> <Tree of 1 node,"):
        checks.equal_costs_change_nothing(ErrorBased(), by_first_class, bradley_lovell)


def test_counts_of_leaves_add_up_in_the_trees_of_the_checks():
    for tree in trees(3):
        tree.validate()
        assert np.array_equal(tree.counts[tree.is_leaf].sum(axis=0), tree.counts[0])
