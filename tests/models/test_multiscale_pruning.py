"""Cells cut back: definition 4 on cells, curves of costs, and subtrees removed in part."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer

from roctree import MultiscaleClassifier
from roctree.models.cells import dissolve, group_leaves, tree_of_counts
from roctree.pruning import PRUNING, AUCPruning, CostComplexity, ErrorBased, MinimumError, need

# Root (12, 8): left (9, 1); right (3, 7), which is (3, 1) and (0, 6).
ROWS = [[0.1]] * 10 + [[0.6]] * 4 + [[0.9]] * 6
LABELS = ["A"] * 9 + ["B"] + ["A"] * 3 + ["B"] + ["B"] * 6

COUNTED = {
    **{name: pruner for name, pruner in PRUNING.items() if need(pruner) == "counts"},
    "cost_complexity": CostComplexity(alpha=0.01),
    "auc": AUCPruning(8),
}
COUNTED.pop("critical_value")


def cells_of_definition_4():
    return MultiscaleClassifier(bounds=(0, 1)).fit(ROWS, LABELS)


@pytest.mark.parametrize(
    ("pruner", "n_leaves", "labels"),
    [
        (MinimumError(m="classes", prior="uniform"), 3, "AAB"),
        (MinimumError(m=2), 3, "AAB"),
        (MinimumError(m=8), 3, "AAB"),
        (MinimumError(m=8, costs=(1, 4)), 1, "AAA"),
        (MinimumError(m=8, costs=(4, 1)), 1, "BBB"),
        (ErrorBased(cf=0.25, costs=(1, 1)), 3, "AAB"),
        (ErrorBased(cf=0.25, costs=(1, 4)), 3, "AAB"),
        (ErrorBased(cf=0.25, costs=(1, 16)), 1, "AAA"),
        (ErrorBased(cf=0.01, costs=(1, 1)), 3, "AAB"),
        (ErrorBased(cf=0.01, costs=(1, 4)), 1, "AAA"),
    ],
)
def test_cells_are_pruned_as_the_tree_of_definition_4(pruner, n_leaves, labels):
    cells = cells_of_definition_4().pruned(pruner)
    assert cells.get_n_leaves() == n_leaves
    assert "".join(cells.predict([[0.1], [0.6], [0.9]])) == labels
    again = MultiscaleClassifier(bounds=(0, 1), pruning=pruner).fit(ROWS, LABELS)
    assert again.cells_ == cells.cells_


def test_costs_may_name_the_classes():
    cells = cells_of_definition_4().pruned("minimum_error", m=8, costs={"B": 4, "A": 1})
    assert cells.predict([[0.9]]).tolist() == ["A"]


@pytest.mark.parametrize("merge_leaves", [False, True])
@pytest.mark.parametrize("name", COUNTED)
def test_every_pruner_of_counts_takes_cells(name, merge_leaves):
    X, y = load_breast_cancer(return_X_y=True)
    cells = MultiscaleClassifier(merge_leaves=merge_leaves).fit(X[:, :4], y)
    smaller = cells.pruned(COUNTED[name])
    tree = smaller.tree_
    assert tree.n_leaves <= cells.tree_.n_leaves
    assert tree.counts[0].tolist() == cells.tree_.counts[0].tolist()
    sums = np.zeros_like(tree.counts)
    np.add.at(sums, tree.parent[1:], tree.counts[1:])
    assert (sums[~tree.is_leaf] == tree.counts[~tree.is_leaf]).all()
    assert tree.is_leaf[smaller.apply(X[:, :4])].all()
    assert smaller.cells_.n_cells <= cells.cells_.n_cells


@pytest.mark.parametrize("merge_leaves", [False, True])
@pytest.mark.parametrize("method", ["minimum_error", "error_based", "pessimistic"])
def test_each_point_of_the_curve_is_what_its_tree_does_to_the_test_cases(method, merge_leaves):
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, [0, 1, 4]]
    cells = MultiscaleClassifier(merge_leaves=merge_leaves).fit(X[::2], y[::2])
    X_test, y_test = X[1::2], y[1::2]
    curve = cells.cost_pruning_curve(
        [(1, 4), (1, 1), (3, 1)], X_test, y_test, method=method, positive=1
    )
    stops = cells.tree_.is_leaf[cells.apply(X_test)]
    assert not stops.all()  # some test cases are in cells that training never saw
    for point in curve:
        smaller = cells.pruned(point.pruner)
        called = smaller.predict(X_test) == 1
        assert point.n_leaves == smaller.get_n_leaves()
        assert point.fpr == pytest.approx(called[y_test == 0].mean())
        assert point.tpr == pytest.approx(called[y_test == 1].mean())


@pytest.mark.parametrize("merge_leaves", [False, True])
@pytest.mark.parametrize("method", ["minimum_error", "error_based"])
def test_all_costs_include_those_at_which_an_inner_cell_changes_its_label(method, merge_leaves):
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, [0, 1, 4]]
    cells = MultiscaleClassifier(merge_leaves=merge_leaves).fit(X[::2], y[::2])
    cases = {"X_test": X[1::2], "y_test": y[1::2], "method": method, "positive": 1}
    every = cells.cost_pruning_curve("all", **cases)
    # Between two breakpoints all ratios make the same predictions.
    some = cells.cost_pruning_curve(np.geomspace(0.02, 50.0, 200), **cases)
    for point, place in zip(some, np.searchsorted(every.breakpoints, some.cost_ratio), strict=True):
        assert point[2:5] == every[place][2:5]


def test_single_cases_are_merged_and_heavy_parts_stay():
    """Of eight parts four have one case of a, one has one of b, and one is divided further."""
    quarters = [[0.1, 0.1, 0.1], [0.1, 0.1, 0.9], [0.1, 0.9, 0.1], [0.9, 0.1, 0.1], [0.1, 0.9, 0.9]]
    rows = quarters + [[0.6, 0.6, 0.6]] * 8 + [[0.9, 0.9, 0.9]] * 8
    labels = ["a"] * 4 + ["b"] + ["b"] * 8 + ["a"] * 8
    cells = MultiscaleClassifier(bounds=(0, 1)).fit(rows, labels)
    whole = cells.pruned("minimum_error", m=8)
    part = cells.pruned("minimum_error", m=8, merge_leaves=True)
    assert (cells.get_n_leaves(), whole.get_n_leaves(), part.get_n_leaves()) == (7, 7, 3)
    assert whole.predict([quarters[4]]).tolist() == ["b"]
    assert part.predict([quarters[4], [0.6, 0.6, 0.6], [0.9, 0.9, 0.9]]).tolist() == ["a", "b", "a"]
    assert "any of 5 cells: B a  (b 0.29, 5 cases)" in part.to_text()
    assert part.pruned("minimum_error", m=8).tree_ == part.tree_


@st.composite
def trees(draw):
    """Counts of cells: each is a leaf, or has two to five parts."""
    n_children, waiting = [], 1
    while waiting:
        n = draw(st.sampled_from([0, 0, 2, 3, 5])) if len(n_children) < 6 else 0
        n_children.append(n)
        waiting += n - 1
    counts = np.zeros((len(n_children), 2))
    for node, n in enumerate(n_children):
        if n == 0:
            counts[node] = draw(st.sampled_from([(0, 1), (0, 3), (1, 0), (4, 0), (1, 1)]))
    return tree_of_counts(np.array(n_children, dtype=np.int32), counts)


@given(trees())
def test_groups_have_the_lightest_leaves_of_one_cell_and_change_no_count(tree):
    made, numbers = group_leaves(tree)
    assert (made.counts[numbers] == tree.counts).all()
    assert made.n_leaves == tree.n_leaves
    assert (made.n_children != 1).all()
    groups = np.setdiff1d(np.arange(made.n_nodes), numbers)
    for group in groups:
        inside, cell = below(made, group), int(made.parent[group])
        while cell in groups:
            cell = int(made.parent[cell])
        siblings = tree.leaves[numbers[tree.parent[tree.leaves]] == cell]
        outside = np.setdiff1d(numbers[siblings], inside)
        assert set(inside) <= set(numbers[siblings])
        assert max(made.weight[inside]) < min(made.weight[outside], default=np.inf)


@given(trees())
def test_groups_that_are_not_merged_leave_no_trace(tree):
    made, numbers = group_leaves(tree)
    idle = ~np.isin(np.arange(made.n_nodes), numbers)
    again, back = dissolve(made, idle)
    assert again.n_children.sum() == tree.n_children.sum()
    assert (again.counts[back[numbers]] == tree.counts).all()
    above = again.parent[back[numbers]]
    assert above[1:].tolist() == back[numbers][tree.parent[1:]].tolist()


def below(tree, node):
    """The leaves below a node."""
    nodes = [node]
    for other in range(node + 1, tree.n_nodes):
        if tree.parent[other] in nodes:
            nodes.append(other)
    return [other for other in nodes if tree.is_leaf[other]]
