"""Pruning by the area under the ROC curve."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roctree import DataError, ParameterError, ROCTreeClassifier, checks
from roctree.data.dataset import Dataset
from roctree.fitting import grow_and_prune
from roctree.pruning import PRUNING, AUCPruning, CostComplexity, Fold, Pruned
from roctree.pruning.auc import _sizes, auc_pruning_path, held_out_areas
from roctree.pruning.cost_complexity import cost_complexity_path, held_out_path
from roctree.roc import mauc
from roctree.roc.multiclass import hand_till, ranks_of
from roctree.tree.shape import kept_nodes
from roctree.tree.tree import Tree
from tests.naive import auc_pruning as naive
from tests.pruning import growing
from tests.strategies import tables
from tests.tree.trees import as_tree, chain

WHOLE_TREES = growing.trees(growing.WHOLE).map(as_tree)
TREES = growing.trees().map(as_tree)
EXACT_BELOW = 16  # leaves; larger trees are looked at anew only now and then


def leaves_at(tree, path, step):
    final = path.final(step)
    return np.flatnonzero(kept_nodes(tree, final) & final)


def children_of(tree):
    ends = tree.first_child + tree.n_children
    return [list(range(first, end)) for first, end in zip(tree.first_child, ends, strict=True)]


def noisy_tree(n_cases, n_classes=2, seed=0):
    """A tree that splits some cases of noisy classes at random until its leaves are pure."""
    rng = np.random.default_rng(seed)
    wave = n_classes * (0.5 + 0.4 * np.sin(7.0 * np.linspace(0.0, 1.0, n_cases)))
    labels = np.clip(wave + 0.5 * rng.normal(size=n_cases), 0, n_classes - 1).round().astype(int)
    sums = np.vstack([np.zeros(n_classes), np.cumsum(np.eye(n_classes)[labels], axis=0)])
    stretches, n_children = [(0, n_cases)], []
    for begin, end in stretches:
        pure = np.count_nonzero(sums[end] - sums[begin]) < 2
        n_children.append(0 if pure else 2)
        if not pure:
            middle = int(rng.integers(begin + 1, end))
            stretches += [(begin, middle), (middle, end)]
    inner = np.array(n_children) > 0
    n = len(inner)
    begins, ends = np.array(stretches).T
    return Tree(
        n_children=np.array(n_children, dtype=np.int32),
        feature=np.where(inner, 0, -1).astype(np.int32),
        threshold=np.where(inner, 0.5, np.nan),
        category_branch=np.empty(0, dtype=np.int16),
        category_offsets=np.zeros(n + 1, dtype=np.int32),
        missing_branch=np.full(n, -1, dtype=np.int16),
        counts=sums[ends] - sums[begins],
        softness=np.zeros(n),
        gain=np.zeros(n),
    )


@given(WHOLE_TREES)
def test_each_step_takes_the_node_that_loses_least_area_for_a_leaf(tree):
    assume(1 < tree.n_leaves < EXACT_BELOW)
    path = auc_pruning_path(tree)
    expected = list(naive.path(children_of(tree), tree.counts.tolist()))
    found = [leaves_at(tree, path, step).tolist() for step in range(len(path.n_leaves))]
    assert found == expected


@given(TREES)
def test_trees_of_a_path_are_nested_and_as_large_as_it_says(tree):
    path = auc_pruning_path(tree)
    kept_before = np.ones(tree.n_nodes, dtype=bool)
    for step, size in enumerate(path.n_leaves):
        kept = kept_nodes(tree, path.final(step))
        assert not (kept & ~kept_before).any()
        assert len(leaves_at(tree, path, step)) == size
        kept_before = kept
    assert path.n_leaves[0] == tree.n_leaves
    assert path.n_leaves[-1] == 1
    assert (np.diff(path.n_leaves) < 0).all()


@given(TREES, st.integers(1, 12))
def test_no_more_leaves_are_left_than_asked_for_and_pruning_again_changes_nothing(tree, most):
    pruner = AUCPruning(max_leaves=most)
    smaller = pruner(tree)
    assert smaller.n_leaves <= most
    assert pruner(smaller) == smaller
    assert smaller.validate() == smaller


@pytest.mark.parametrize("n_classes", [1, 2, 3])
@pytest.mark.parametrize("most", [1, 3, 8])
def test_it_keeps_the_laws_of_pruners(most, n_classes):
    checks.check_pruner(AUCPruning(max_leaves=most), n_classes)


def test_a_path_that_ends_early_is_the_beginning_of_the_whole_path():
    tree = noisy_tree(600, 3)
    whole = auc_pruning_path(tree)
    for least in (1, 20, 100):
        path = auc_pruning_path(tree, least)
        steps = len(path.n_leaves)
        assert path.n_leaves.tolist() == whole.n_leaves[:steps].tolist()
        assert path.n_leaves[-1] <= least < path.n_leaves[-2]
        assert np.array_equal(path.final(steps - 1), whole.final(steps - 1))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_large_tree_loses_area_slowly(n_classes):
    tree = noisy_tree(600, n_classes)
    path = auc_pruning_path(tree)
    ranks = ranks_of(tree.counts / tree.weight[:, None])
    areas = []
    for step in range(len(path.n_leaves)):
        leaves = leaves_at(tree, path, step)
        areas.append(hand_till(ranks[leaves], tree.counts[leaves]).value)
    assert tree.n_leaves > 100
    # Leaves that are merged never rank their own cases better; with more than two classes they
    # may, as the leaves of a class are not ranked against each rival alone.
    assert areas[0] == pytest.approx(1.0)
    assert (np.diff(areas) < (1e-12 if n_classes == 2 else 0.01)).all()
    assert areas[path.first_within(20)] > 0.75


def test_a_nominal_split_of_many_branches_becomes_a_leaf_as_a_whole():
    counts = np.zeros((51, 2))
    counts[1:26] = [3.0, 1.0]
    counts[26:] = [1.0, 3.0]
    counts[0] = counts.sum(axis=0)
    tree = Tree(
        n_children=np.array([50] + 50 * [0], dtype=np.int32),
        feature=np.array([0] + 50 * [-1], dtype=np.int32),
        threshold=np.full(51, np.nan),
        category_branch=np.arange(50, dtype=np.int16),
        category_offsets=np.array([0] + 51 * [50], dtype=np.int32),
        missing_branch=np.full(51, -1, dtype=np.int16),
        counts=counts,
        softness=np.zeros(51),
        gain=np.zeros(51),
    ).validate()
    assert auc_pruning_path(tree).n_leaves.tolist() == [50, 1]


def test_a_chain_of_many_levels_is_pruned_step_by_step():
    tree = chain(500)
    path = auc_pruning_path(tree)
    assert path.n_leaves[0] == 501
    assert path.n_leaves[-1] == 1


@pytest.mark.slow
def test_many_nodes_are_pruned():
    tree = noisy_tree(33_000)
    assert tree.n_nodes > 20_000
    assert AUCPruning(max_leaves=10)(tree).n_leaves <= 10


@given(tables(branches=(1, 6)), st.data())
def test_the_area_of_a_table_of_leaves_is_hand_and_tills(counts, data):
    few = st.sampled_from([0.0, 0.25, 0.5, 0.75])
    row = st.lists(few, min_size=counts.shape[1], max_size=counts.shape[1])
    scores = data.draw(st.lists(row, min_size=len(counts), max_size=len(counts)))
    found = hand_till(ranks_of(np.array(scores)), counts)
    if np.count_nonzero(counts.any(axis=0)) < 2:
        assert np.isnan(found.value)
        return
    assert found.value == pytest.approx(mauc(scores, counts), abs=1e-9)
    assert found.variance >= 0.0


def test_the_variance_of_an_area_is_delongs():
    counts = np.array([[5.0, 1.0], [4.0, 2.0], [3.0, 5.0]])
    scores = np.array([[5 / 6, 1 / 6], [2 / 3, 1 / 3], [3 / 8, 5 / 8]])
    below, above = np.array([7.5, 6.0, 2.5]) / 8.0, np.array([2.5, 7.0, 10.5]) / 12.0
    of_first = np.repeat(below, [5, 4, 3]).var() / 12.0
    of_second = np.repeat(above, [1, 2, 5]).var() / 8.0
    found = hand_till(ranks_of(scores), counts)
    assert found.value == pytest.approx(0.71875)
    assert found.variance == pytest.approx(of_first + of_second)


def test_the_size_is_that_of_the_largest_area_on_other_cases():
    tree = noisy_tree(300)
    others = noisy_tree(300, seed=1).counts[0] * np.zeros((tree.n_nodes, 1))
    rng = np.random.default_rng(5)
    for leaf in tree.leaves:
        node = leaf
        drawn = rng.multinomial(2, [0.5, 0.5])
        while node >= 0:
            others[node] += drawn
            node = tree.parent[node]
    fold = Fold(tree, others)
    best = AUCPruning().settled(tree, [fold])
    sizes = np.arange(tree.n_leaves, 0, -1)
    areas = held_out_areas(fold, sizes)[:, 0]
    assert areas[sizes == best.max_leaves] >= areas.max() - 0.01  # some sizes are not tried
    assert AUCPruning()(tree, [fold]) == best(tree)


def folds_of_noise(n_folds):
    """Trees of other cases, each with held-out cases of its own that are drawn at random."""
    for seed in range(1, n_folds + 1):
        tree = noisy_tree(200, seed=seed)
        rng = np.random.default_rng(seed)
        others = np.zeros((tree.n_nodes, 2))
        for leaf in tree.leaves:
            node, share = leaf, 0.25 + 0.5 * tree.counts[leaf, 1] / tree.weight[leaf]
            drawn = rng.multinomial(2, [1.0 - share, share])
            while node >= 0:
                others[node] += drawn
                node = tree.parent[node]
        yield Fold(tree, others)


@pytest.mark.parametrize("n_folds", [1, 4])
def test_one_se_is_the_smallest_size_within_the_standard_error_of_the_mean(n_folds):
    tree, folds = noisy_tree(200), list(folds_of_noise(n_folds))
    path = auc_pruning_path(tree)
    sizes = sorted({int(path.n_leaves[path.first_within(size)]) for size in range(1, 200)})
    found = {choice: AUCPruning(choice=choice).settled(tree, folds).max_leaves
             for choice in ("best", "one_se")}  # fmt: skip
    areas = {size: [held_out_areas(fold, np.array([size]))[0] for fold in folds] for size in sizes}
    mean = {size: np.mean([area for area, _ in areas[size]]) for size in sizes}
    variances = [variance for _, variance in areas[found["best"]]]
    # The standard error of a mean of n folds is that of one divided by the root of n.
    error = np.sqrt(np.mean(variances) / n_folds)
    allowed = mean[found["best"]] - error
    assert mean[found["one_se"]] >= allowed - 1e-12
    assert found["one_se"] < found["best"]
    # Not all sizes are tried, so one between this and the next smaller one tried may pass too.
    tried = [size for size in _sizes(tree).tolist() if size < found["one_se"]]
    assert all(mean[size] < allowed for size in tried)


def data_with_noise(n_rows=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, np.where(X[:, 0] + rng.normal(size=n_rows) > 0.0, "yes", "no")


def test_fit_prunes_and_says_to_which_size():
    X, y = data_with_noise()
    whole, tree = ROCTreeClassifier().fit(X, y), ROCTreeClassifier(pruning="auc").fit(X, y)
    assert 1 < tree.get_n_leaves() < whole.get_n_leaves()
    assert tree.get_n_leaves() <= tree.pruning_.max_leaves
    assert whole.pruned(tree.pruning_).tree_ == tree.tree_
    assert PRUNING["auc"] == AUCPruning()


def test_validation_data_choose_the_size_of_a_fitted_tree():
    X, y = data_with_noise()
    X_val, y_val = data_with_noise(seed=1)
    tree = ROCTreeClassifier().fit(X, y)
    smaller = tree.pruned("auc", X_val=X_val, y_val=y_val)
    assert smaller.get_n_leaves() < tree.get_n_leaves()
    assert smaller.roc(X_val, y_val).auc >= tree.roc(X_val, y_val).auc - 0.05


def test_several_classes_are_pruned():
    X, y = data_with_noise()
    y = np.where(X[:, 1] > 0.5, "perhaps", y)
    tree = ROCTreeClassifier(pruning="auc").fit(X, y)
    assert 3 <= tree.get_n_leaves() < ROCTreeClassifier().fit(X, y).get_n_leaves()


@pytest.mark.parametrize("rows", [slice(None, None, -1), np.random.default_rng(0).permutation(200)])
def test_the_order_of_the_rows_does_not_matter(rows):
    X, y = data_with_noise()
    first = ROCTreeClassifier(pruning="auc").fit(X, y)
    assert ROCTreeClassifier(pruning="auc").fit(X[rows], y[rows]).tree_ == first.tree_


def test_a_class_alone_leaves_nothing_to_prune():
    tree = ROCTreeClassifier(pruning="auc").fit([[1.0], [2.0]], ["yes", "yes"])
    assert tree.get_n_leaves() == 1
    assert tree.pruning_ == AUCPruning(max_leaves=1)


def test_without_other_cases_there_is_nothing_to_choose_by():
    tree = ROCTreeClassifier().fit([[1.0], [2.0]], ["no", "yes"])
    with pytest.raises(ParameterError, match="pass X_val and y_val, or give a number"):
        tree.pruned("auc")
    with pytest.raises(DataError, match="all of one class"):
        tree.pruned("auc", X_val=[[1.0]], y_val=["no"])


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True, "all", None])
def test_a_size_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ParameterError, match="give an integer of at least 1, or 'auto'"):
        AUCPruning(max_leaves=wrong)


def test_a_choice_that_makes_no_sense_is_refused():
    with pytest.raises(ParameterError, match="choose from 'best', 'one_se'"):
        AUCPruning(choice="largest")


def test_a_pruner_with_a_size_needs_counts_only():
    X, y = data_with_noise()
    data = Dataset.from_data(X, y)
    tree = ROCTreeClassifier().fit(X, y).tree_
    pruner, pruned = grow_and_prune(data, lambda _: tree, AUCPruning(max_leaves=4))
    assert pruner == AUCPruning(max_leaves=4)
    assert isinstance(pruned, Pruned)
    assert pruned.tree.n_leaves <= 4


@pytest.mark.parametrize("n_folds", [1, 4])
def test_costs_of_leaves_are_chosen_by_the_standard_error_of_held_out_error_rates(n_folds):
    tree, folds = noisy_tree(200), list(folds_of_noise(n_folds))
    prices = cost_complexity_path(tree).between()
    total = sum(fold.counts[0].sum() for fold in folds)
    rates = np.sum([held_out_path(each.tree, each.counts, prices) for each in folds], axis=0)
    rates = (rates / total).tolist()
    least = min(rates)
    error = np.sqrt(least * (1.0 - least) / total)
    for choice, allowed in (("best", 0.0), ("one_se", error)):
        good = [price for price, rate in zip(prices, rates, strict=True)
                if rate <= least + allowed + 1e-12]  # fmt: skip
        found = CostComplexity(alpha="auto", choice=choice).settled(tree, folds)
        assert found.alpha == good[-1]
