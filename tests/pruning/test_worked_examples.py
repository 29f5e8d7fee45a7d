"""The worked examples of the definitions, number by number."""

import numpy as np
import pytest

from roctree import ROCTreeClassifier, presets
from roctree.data import Dataset, Schema
from roctree.fitting import FitOptions, grower
from roctree.pruning import (
    CardPerClass,
    CostComplexity,
    ErrorBased,
    ExpectedError,
    MinimumError,
    Pessimistic,
    ReducedError,
    cost_complexity_path,
)
from roctree.pruning.by_counts import (
    additional_errors,
    exact_rate,
    expected_errors,
    standard_error,
)
from roctree.pruning.raising import SubtreeRaising, largest_branch
from tests.naive.descend import Node, add_counts
from tests.shared_data import oracle
from tests.tree.trees import as_tree

A, B = 0, 1
ROOT, L, R, RL, RR = range(5)


def split(*children):
    """A node with these branches; numbers are class counts of a leaf."""
    nodes = [Node([float(n) for n in each]) if isinstance(each, tuple) else each
             for each in children]  # fmt: skip
    if len(nodes) == 2:
        return Node([], 0, threshold=0.5, children=nodes)
    return Node([], 2, branch_of=[0, 1, 2, -1], children=nodes)


def grown(root):
    add_counts(root)
    return as_tree(root)


@pytest.fixture
def bradley_lovell():
    """Root (12, 8), L leaf (9, 1), R (3, 7), RL leaf (3, 1), RR leaf (0, 6)."""
    return grown(split((9, 1), split((3, 1), (0, 6))))


# Pessimistic pruning.


@pytest.mark.parametrize(
    ("root", "is_kept"),
    [
        # 35 cases, 15 errors; the leaves err 2, 0, 6, 2 times: 15.5 > 12 + 2.808.
        (split(split((8, 2), (0, 5)), split((9, 6), (2, 3))), True),
        # 16 cases, 1 error, three pure leaves: 1.5 <= 1.5 + 1.166.
        (split(split((9, 0), (0, 1)), (6, 0)), False),
        # 14 cases, 5 errors, five pure leaves: 5.5 > 2.5 + 1.433.
        (split(split((0, 3), (2, 0)), (4, 0), split((0, 2), (3, 0))), True),
    ],
)
def test_pessimistic_pruning_decides_as_in_the_three_examples(root, is_kept):
    tree = grown(root)
    assert (Pessimistic()(tree).n_nodes > 1) is is_kept


def test_standard_errors_are_those_of_the_examples():
    errors, cases = np.array([12.0, 1.5, 2.5]), np.array([35.0, 16.0, 14.0])
    expected = [2.808151, 1.165922, 1.433029]
    assert standard_error(errors, cases) == pytest.approx(expected, abs=1e-6)


def test_more_errors_than_cases_have_no_standard_error():
    assert standard_error(np.array([2.5, 0.0]), np.array([2.0, 0.0])).tolist() == [0.0, 0.0]


def test_leaves_without_cases_are_not_charged():
    tree = grown(split((5, 0), (0, 3), (0, 0)))
    # 3.5 against 1 + 0.935 of two leaves; a third would make it 1.5 + 1.104.
    assert Pessimistic()(tree) == tree


# The limit of errors.


@pytest.mark.parametrize(
    ("errors", "cases", "exact", "c45", "weka"),
    [
        (0, 1, 0.750000, 0.750000, 0.750000),
        (0, 6, 0.206299, 0.206299, 0.206299),
        (0, 9, 0.142756, 0.142756, 0.142756),
        (1, 2, 0.866025, 0.898121, 0.895747),
        (1, 16, 0.159611, 0.156681, 0.154732),
        (2, 5, 0.640564, 0.647917, 0.644394),
        (5, 14, 0.483513, 0.485357, 0.482937),
        (10, 100, 0.128211, 0.128147, 0.127496),
        (0.5, 6, None, 0.297024, 0.295109),
    ],
)
def test_the_limit_of_errors_at_a_quarter(errors, cases, exact, c45, weka):
    for limit, expected in {"exact": exact, "c45": c45, "weka": weka}.items():
        if expected is not None:
            assert rate(errors, cases, 0.25, limit) == pytest.approx(expected, abs=5e-7)


def test_the_limits_of_the_shared_table():
    for pair, (exact, c45) in oracle("definitions")["U_CF"]["CF=.25"].items():
        errors, cases = map(float, pair.split(","))
        assert rate(errors, cases, 0.25, "exact") == pytest.approx(exact, abs=5e-7)
        assert rate(errors, cases, 0.25, "c45") == pytest.approx(c45, abs=5e-7)


def rate(errors, cases, cf, limit):
    found = expected_errors(np.array([float(errors)]), np.array([float(cases)]), cf, limit)
    return found[0] / cases


def test_all_errors_and_none_have_closed_forms():
    for cases in (1.0, 2.0, 7.5):
        assert rate(cases, cases, 0.1, "exact") == 1.0
        assert rate(0, cases, 0.1, "exact") == pytest.approx(1 - 0.1 ** (1 / cases))


@pytest.mark.parametrize("unit", [1.0, 0.125, 2.0**30], ids=["whole", "eighths", "many"])
def test_the_exact_limit_of_a_leaf_does_not_depend_on_the_others(unit):
    cases = np.repeat([1.0, 3.0, 7.0, 7.0, 50.0], 4).reshape(5, 4) * unit
    errors = np.array([0.0, 0.5, 0.75, 1.0]) * cases
    together = exact_rate(np.floor(errors), cases, 0.25)
    alone = [exact_rate(np.floor(errors[i : i + 1]), cases[i : i + 1], 0.25)[0] for i in range(5)]
    assert together.tolist() == np.array(alone).tolist()
    assert (np.diff(together, axis=1) >= 0.0).all()


def test_the_book_example_compares_3_273_with_2_512():
    pure = expected_errors(np.zeros(3), np.array([6.0, 9.0, 1.0]), 0.25, "c45")
    assert pure.sum() == pytest.approx(3.273, abs=5e-4)
    assert 16 * rate(1, 16, 0.25, "c45") == pytest.approx(2.512, abs=6e-3)
    assert 16 * rate(1, 16, 0.25, "exact") == pytest.approx(2.554, abs=5e-4)
    tree = grown(split((6, 0), (9, 0), (0, 1)))
    assert ErrorBased(limit="c45")(tree).n_nodes == 1


def test_weka_adds_nothing_above_a_half():
    assert rate(2, 5, 0.6, "weka") == pytest.approx(0.4)


def test_c45_interpolates_its_table():
    # 0.6925 in place of 0.674490.
    c45 = additional_errors(np.array([5.0]), np.array([14.0]), 0.25, "c45")
    weka = additional_errors(np.array([5.0]), np.array([14.0]), 0.25, "weka")
    z = 0.6925
    half, square = 5.5, z * z
    wilson = half + square / 2 + np.sqrt(square * (half * (1 - half / 14) + square / 4))
    assert c45[0] == pytest.approx(wilson / (14 + square) * 14 - 5)
    assert c45[0] > weka[0]


# Golf, as release 8 of C4.5 prints it.

GOLF = """sunny 85 85 false no, sunny 80 90 true no, overcast 83 78 false yes,
    rain 70 96 false yes, rain 68 80 false yes, rain 65 70 true no, overcast 64 65 true yes,
    sunny 72 95 false no, sunny 69 70 false yes, rain 75 80 false yes, sunny 75 70 true yes,
    overcast 72 90 true yes, overcast 81 75 false yes, rain 71 80 true no"""
OUTLOOKS, WINDS = ("sunny", "overcast", "rain"), ("true", "false")


@pytest.fixture
def golf():
    """The categories in the order in which C4.5's file names them."""
    rows = [row.split() for row in GOLF.split(",")]
    values = [
        [OUTLOOKS.index(outlook), float(warmth), float(humidity), WINDS.index(windy)]
        for outlook, warmth, humidity, windy, _ in rows
    ]
    names = ("outlook", "temperature", "humidity", "windy")
    schema = Schema(names, (OUTLOOKS, None, None, WINDS), np.array(["no", "yes"]))
    labels = np.array([play == "yes" for *_, play in rows]).astype(np.int32)
    return Dataset(np.array(values), labels, np.ones(len(rows)), schema)


def test_golf_has_the_numbers_of_release_8(golf):
    estimator = presets.c45(pruning="none")
    grow, _ = grower(golf, FitOptions.from_parameters(estimator.get_params(deep=False)))
    tree = grow(golf)
    raising = SubtreeRaising(tree, golf, ErrorBased(limit="c45")._upper_limit, 0.1)
    root = raising.build()
    sunny = root.children[0]
    assert numbers(raising, sunny) == pytest.approx([2.11, 2 + 1.24, 3.24], abs=0.005)
    assert numbers(raising, root) == pytest.approx([5.39, 5 + 1.79, 7.74], abs=0.005)
    assert ErrorBased(limit="c45", raising=True)(tree, golf) == tree


def numbers(raising, node):
    """Expected errors of a node's subtree, of a leaf, and of its heaviest branch."""
    below, pending = 0.0, [node]
    while pending:
        each = pending.pop()
        pending.extend(each.children)
        below += 0.0 if each.children else raising.leaf_errors(each.counts)
    branch = raising.branch_errors(largest_branch(node), node.cases)
    return [below, raising.leaf_errors(node.counts), branch]


# Minimum error, and costs.


@pytest.mark.parametrize(
    ("pruner", "of_r", "of_root", "result"),
    [
        (MinimumError("classes", "uniform"), (0.333333, 0.208333), (0.409091, 0.187500), None),
        (MinimumError(2), (0.350000, 0.210000), (0.400000, 0.180000), None),
        (MinimumError(8), (0.433333, 0.345714), (0.400000, 0.289524), None),
        (MinimumError(8, costs=(1, 4)), (0.566667, 0.962857), (0.400000, 0.400000), A),
        (MinimumError(8, costs=(4, 1)), (0.433333, 0.765714), (0.600000, 0.683333), B),
        (ErrorBased(0.25, costs=(1, 1)), (0.457696, 0.341251), (0.500598, 0.294311), None),
        (ErrorBased(0.25, costs=(1, 4)), (0.824429, 0.712590), (0.500598, 0.479980), None),
        (ErrorBased(0.25, costs=(1, 16)), (0.824429, 2.197946), (0.500598, 0.535900), A),
        (ErrorBased(0.01, costs=(1, 1)), (0.702884, 0.665158), (0.676576, 0.584755), None),
        (ErrorBased(0.01, costs=(1, 4)), (0.952493, 1.629672), (0.676576, 0.728423), A),
    ],
)
def test_static_and_backed_up_values(bradley_lovell, pruner, of_r, of_root, result):
    tree = bradley_lovell
    assert backed_up(tree, costs_of(pruner, tree), leaf_labels=(A, A, B)) == [
        pytest.approx(of_r, abs=1e-6),
        pytest.approx(of_root, abs=1e-6),
    ]
    pruned = pruner.labelled(tree)
    if result is None:
        assert pruned.tree == tree
        assert pruned.labels[[L, RL, RR]].tolist() == [A, A, B]
    else:
        assert pruned.tree.n_nodes == 1
        assert pruned.labels.tolist() == [result]


def test_static_and_backed_up_values_where_leaves_are_relabelled(bradley_lovell):
    tree, pruner = bradley_lovell, MinimumError(8, costs=(1, 4), leaves="relabel")
    assert backed_up(tree, costs_of(pruner, tree), leaf_labels=(A, A, A)) == [
        pytest.approx((0.566667, 0.534286), abs=1e-6),
        pytest.approx((0.400000, 0.383810), abs=1e-6),
    ]
    # The same shape with all leaves A, hence merged to one.
    assert pruner.labelled(tree).tree.n_nodes == 1
    assert pruner.labelled(tree).labels.tolist() == [A]


def costs_of(pruner, tree):
    """What each node costs as a leaf of each label."""
    if isinstance(pruner, MinimumError):
        return pruner.expected(tree)
    wrong = tree.weight[:, None] - tree.counts
    weight = np.broadcast_to(tree.weight[:, None], wrong.shape)
    return exact_rate(wrong, weight, pruner.cf) * np.array(pruner.costs)


def backed_up(tree, cost, leaf_labels):
    """The static and the backed-up value of R, then those of the root, after R is decided."""
    value = dict(zip((L, RL, RR), cost[[L, RL, RR], leaf_labels], strict=True))
    found = []
    for node, (first, second) in {R: (RL, RR), ROOT: (L, R)}.items():
        static = cost[node].min()
        parts = tree.weight[[first, second]] / tree.weight[node]
        backed = parts @ [value[first], value[second]]
        value[node] = min(static, backed)
        found.append((static, backed))
    return found


def test_with_uniform_priors_and_m_the_classes_it_is_the_error_of_1986(bradley_lovell):
    tree = bradley_lovell
    expected = (tree.weight - tree.counts.max(axis=1) + 1) / (tree.weight + 2)
    found = MinimumError("classes", "uniform").expected(tree).min(axis=1)
    assert found == pytest.approx(expected)


def test_without_m_it_is_the_training_error(bradley_lovell):
    found = MinimumError(0).expected(bradley_lovell).min(axis=1)
    assert found == pytest.approx([0.4, 0.1, 0.3, 0.25, 0.0])


def test_an_exact_tie_is_pruned(bradley_lovell):
    # The fourth line of the table: 0.4 against 0.4, which floats would tell apart.
    cost = MinimumError(8, costs=(1, 4)).expected(bradley_lovell)
    assert 0.5 * cost[L, A] + 0.5 * cost[R, A] == pytest.approx(cost[ROOT, A], abs=1e-15)


# Other methods.


def test_reduced_error_prunes_r_and_keeps_the_root(bradley_lovell):
    counts = np.array([[6, 6], [4, 1], [2, 5], [1, 2], [1, 3]], dtype=float)
    pruned = ReducedError()(bradley_lovell, counts)
    assert pruned.counts.tolist() == [[12, 8], [9, 1], [3, 7]]


def test_cost_complexity_cuts_r_at_a_tenth_and_the_root_at_a_fifth(bradley_lovell):
    path = cost_complexity_path(bradley_lovell)
    assert path.alphas == pytest.approx([0.0, 0.10, 0.20])
    assert path.n_leaves.tolist() == [3, 2, 1]
    assert path.losses == pytest.approx([0.10, 0.20, 0.40])
    sizes = [CostComplexity(alpha)(bradley_lovell).n_leaves for alpha in (0.0, 0.09, 0.1, 0.19, 1)]
    assert sizes == [3, 3, 2, 2, 1]


def test_critical_values_of_information_gain(bradley_lovell):
    # In L the second attribute says nothing, lest it be better than the first at the root.
    leaves = [("l", "rl", 4, 0), ("l", "rr", 5, 1), ("r", "rl", 3, 1), ("r", "rr", 0, 6)]
    rows = [[*names, play] for *names, a, b in leaves for play in [A] * a + [B] * b]
    X, y = [row[:2] for row in rows], [row[2] for row in rows]
    fitted = ROCTreeClassifier(criterion="entropy", max_leaf_nodes=3).fit(X, y)
    assert fitted.tree_.counts.tolist() == bradley_lovell.counts.tolist()
    assert fitted.tree_.gain[[ROOT, R]] == pytest.approx([0.295807, 0.556780], abs=1e-6)
    assert fitted.pruned("critical_value", value=0.4).tree_ == fitted.tree_
    assert fitted.pruned("critical_value", value=0.6).get_n_leaves() == 1


def test_expected_error_looks_at_one_split_only():
    # (4, 4) with expected error 0.5; its children (2, 2) are as bad, though theirs are pure.
    tree = grown(split(split((2, 0), (0, 2)), split((2, 0), (0, 2))))
    assert ExpectedError()(tree).n_nodes == 1
    assert MinimumError("classes", "uniform")(tree) == tree


@pytest.mark.parametrize(
    ("n_classes", "K", "printed", "per_class"),
    [
        (2, 1, 1, 4),
        (2, 4, 4, 16),
        (2, 16, 16, 64),
        (3, 1, 2 / 3, 6),
        (3, 4, 8 / 3, 24),
        (3, 16, 32 / 3, 96),
        (10, 1, 0.2, 20),
        (10, 4, 0.8, 80),
        (10, 16, 3.2, 320),
    ],
)
def test_card_per_class_cuts_nodes_below_its_threshold(n_classes, K, printed, per_class):
    for rule, threshold in {"printed": printed, "per_class": per_class}.items():
        for weight, is_kept in [(threshold + 1e-9, True), (threshold - 1e-9, False)]:
            half = (weight / 2, *[0.0] * (n_classes - 1))
            tree = grown(split(half, half))
            assert (CardPerClass(K, rule)(tree) == tree) is is_kept


def test_card_per_class_of_one_prunes_nothing_by_the_printed_rule(bradley_lovell):
    assert CardPerClass(1)(bradley_lovell) == bradley_lovell
    assert CardPerClass(0, "per_class")(bradley_lovell) == bradley_lovell
