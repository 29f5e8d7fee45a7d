"""The curve of a tree pruned under one ratio of costs after another."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree import DataError, ParameterError, ROCTreeClassifier
from roctree.pruning import MinimumError, cost_pruning_curve
from roctree.pruning.cost_curve import PAPER_COSTS
from tests.shared_data import load
from tests.tree.trees import of_thresholds

METHODS = ["minimum_error", "error_based", "pessimistic"]


def worked_example():
    """The tree of section 4 of the definitions: classes A and B, three leaves."""
    threshold = np.array([0.5, np.nan, 0.5, np.nan, np.nan])
    counts = np.array([[12, 8], [9, 1], [3, 7], [3, 1], [0, 6]], dtype=float)
    return of_thresholds(threshold, counts).validate()


def curve_of(tree, costs, pruner=None, counts=None, positive=1):
    counts = tree.counts if counts is None else counts
    return cost_pruning_curve(tree, pruner or MinimumError(), costs, counts, ["A", "B"], positive)


def data_with_noise(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, np.where(X[:, 0] + 0.7 * rng.normal(size=n_rows) > 0.5, "ill", "well")


@pytest.fixture(scope="module")
def fitted():
    return ROCTreeClassifier().fit(*data_with_noise())


def test_the_worked_example_has_these_points():
    # B is positive: a false alarm costs what B costs, a miss what A costs.
    whole, all_a, all_b = curve_of(worked_example(), [(1, 1), (1, 4), (4, 1)])
    assert (whole.fpr, whole.tpr, whole.n_leaves) == (0.0, 6 / 8, 3)
    assert whole.cost == pytest.approx(2 / 20)
    assert (all_a.fpr, all_a.tpr, all_a.n_leaves) == (0.0, 0.0, 1)
    assert all_a.cost == pytest.approx(8 / 20)
    assert (all_b.fpr, all_b.tpr, all_b.n_leaves) == (1.0, 1.0, 1)
    assert all_b.cost == pytest.approx(12 / 20)


def test_relabelled_leaves_of_one_class_are_merged():
    (point,) = curve_of(worked_example(), [(1, 4)], MinimumError(leaves="relabel"))
    assert (point.fpr, point.tpr, point.n_leaves) == (0.0, 0.0, 1)


def test_the_other_class_may_be_positive():
    (point,) = curve_of(worked_example(), [(1, 1)], positive=0)
    assert (point.fpr, point.tpr) == (2 / 8, 1.0)
    as_b, as_a = curve_of(worked_example(), [(1, 4)]), curve_of(worked_example(), [(4, 1)], None,
                                                                None, 0)  # fmt: skip
    assert as_b[0].pruner == as_a[0].pruner


def test_the_statistic_of_a_point_is_that_of_its_confusion_matrix():
    whole, all_a, all_b = curve_of(worked_example(), [(1, 1), (1, 4), (4, 1)])
    # 12 of A are called A; of B 2 are called A and 6 are called B.
    assert whole.chi_squared == pytest.approx(20 * (6 * 12) ** 2 / (12 * 8 * 6 * 14))
    assert all_a.chi_squared == all_b.chi_squared == 0.0


def test_the_area_joins_the_points_and_the_corners():
    curve = curve_of(worked_example(), [(1, 1), (1, 4), (4, 1)])
    assert curve.auc == pytest.approx((6 / 8 + 1.0) / 2.0)


def test_all_costs_give_every_tree_once(fitted):
    X, y = data_with_noise(seed=1)
    curve = fitted.cost_pruning_curve("all", X, y, positive="ill")
    assert len(curve.breakpoints) == len(curve) - 1 > 10
    assert (np.diff(curve.breakpoints) > 0.0).all()
    trees = [fitted.pruned(point.pruner) for point in curve]
    # Just before and just after a breakpoint are the trees of the points beside it.
    for before, after, ratio in zip(trees, trees[1:], curve.breakpoints, strict=False):
        assert before.tree_ != after.tree_ or (before.predict(X) != after.predict(X)).any()
        for tree, factor in ((before, 1 - 1e-9), (after, 1 + 1e-9)):
            (point,) = fitted.cost_pruning_curve([ratio * factor], X, y, positive="ill")
            assert fitted.pruned(point.pruner).tree_ == tree.tree_
    # No other ratio gives another tree.
    rates = set(zip(curve.fpr, curve.tpr, strict=True))
    for point in fitted.cost_pruning_curve(np.geomspace(0.01, 100, 300), X, y, positive="ill"):
        assert (point.fpr, point.tpr) in rates


def test_equal_costs_are_among_all_costs_where_no_tree_changes_there(fitted):
    assert 1.0 in fitted.cost_pruning_curve("all").cost_ratio


def test_breakpoints_need_a_pruner_that_minimises_a_cost(fitted):
    with pytest.raises(ParameterError, match="does not minimise a cost"):
        fitted.cost_pruning_curve("all", method="pessimistic")


def test_a_number_is_the_cost_of_a_miss_in_false_alarms():
    tree = worked_example()
    assert curve_of(tree, [4, 0.25]).points == curve_of(tree, [(4, 1), (0.25, 1)]).points


def test_the_costs_are_those_of_the_paper_unless_told(fitted):
    ratios = [8, 4, 2, 1.5, 1.25, 1, 1 / 1.25, 1 / 1.5, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32]
    assert [alarm / miss for miss, alarm in PAPER_COSTS] == ratios
    curve = fitted.cost_pruning_curve()
    assert [(point.cost_fn, point.cost_fp) for point in curve] == list(PAPER_COSTS)


@pytest.mark.parametrize("method", METHODS)
def test_a_point_is_what_the_pruned_tree_predicts(fitted, method):
    X, y = data_with_noise(seed=1)
    for point in fitted.cost_pruning_curve(None, X, y, method=method, positive="ill"):
        pruned = fitted.pruned(point.pruner)
        called = pruned.predict(X) == "ill"
        assert point.tpr == pytest.approx(called[y == "ill"].mean())
        assert point.fpr == pytest.approx(called[y == "well"].mean())
        assert point.n_leaves == pruned.get_n_leaves()
        missed, alarms = ~called & (y == "ill"), called & (y == "well")
        assert point.cost == pytest.approx((point.cost_fn * missed + point.cost_fp * alarms).mean())


@pytest.mark.parametrize("ranking", ["leaf", "soft"])
def test_so_it_is_where_cases_are_divided_among_leaves(ranking):
    X, y = data_with_noise(200)
    X[np.random.default_rng(2).random(X.shape) < 0.3] = np.nan
    tree = ROCTreeClassifier(ranking=ranking).fit(X[:100], y[:100])
    X, y = X[100:], y[100:]
    weights = np.arange(1.0, 101.0)
    for point in tree.cost_pruning_curve(
        [(1, 4), (4, 1)], X, y, sample_weight=weights, positive="well"
    ):
        called = tree.pruned(point.pruner).predict(X) == "well"
        of = {name: weights * (y == name) for name in ("ill", "well")}
        assert point.tpr == pytest.approx(of["well"] @ called / of["well"].sum())
        assert point.fpr == pytest.approx(of["ill"] @ called / of["ill"].sum())
    assert "approximate" in repr(tree.cost_pruning_curve())
    assert "approximate" not in repr(tree.cost_pruning_curve(None, X, y))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("leaves", ["keep", "relabel"])
def test_extreme_costs_leave_nothing_but_the_cheap_class(fitted, method, leaves):
    curve = fitted.cost_pruning_curve([1e-9, 1e9], method=method, positive="ill", leaves=leaves)
    assert curve.fpr.tolist() == curve.tpr.tolist() == [0.0, 1.0]
    # A few leaves of one label may be left where labels are kept, never where they are not.
    assert all(point.n_leaves <= (3 if leaves == "keep" else 1) for point in curve)


def test_dearer_misses_never_make_fewer_positives_where_all_leaves_are_relabelled(fitted):
    curve = fitted.cost_pruning_curve(np.geomspace(0.01, 100, 30), m=0, leaves="relabel")
    assert (np.diff(curve.tpr) >= 0.0).all()
    assert (np.diff(curve.fpr) >= 0.0).all()


@given(st.lists(st.tuples(st.integers(1, 32), st.integers(1, 32)), min_size=1, max_size=5))
def test_operating_points_are_those_that_no_mixture_of_others_beats(costs):
    counts = np.array([[9, 11], [7, 3], [2, 8], [2, 2], [0, 6]], dtype=float)
    curve = curve_of(worked_example(), costs, counts=counts)
    others = [(0.0, 0.0), (1.0, 1.0), *zip(curve.fpr, curve.tpr, strict=True)]
    for point in curve:
        beaten = any(
            x <= point.fpr <= v
            and x < v
            and y + (point.fpr - x) / (v - x) * (w - y) > point.tpr + 1e-12
            for x, y in others
            for v, w in others
        )
        assert not (point.operating and beaten)


def test_points_inside_the_hull_are_not_marked(fitted):
    X, y = data_with_noise(seed=1)
    curve = fitted.cost_pruning_curve(np.geomspace(0.05, 20, 25), X, y, positive="ill")
    operating = [point for point in curve if point.operating]
    assert 2 < len(operating) < len(curve)
    assert max(curve, key=lambda point: point.tpr - point.fpr).operating


def test_a_wanted_rate_gives_the_costs_to_prune_with(fitted):
    X, y = data_with_noise(seed=1)
    curve = fitted.cost_pruning_curve(None, X, y, positive="ill")
    point = curve.for_fpr(0.1)
    assert point.fpr <= 0.1
    assert point.tpr == max(other.tpr for other in curve if other.fpr <= 0.1)
    point = curve.for_fnr(0.2)
    assert point.fnr <= 0.2
    assert point.fpr == min(other.fpr for other in curve if other.fnr <= 0.2)
    assert fitted.pruned(point.pruner).get_n_leaves() == point.n_leaves


def test_a_rate_out_of_reach_says_what_is_the_least():
    curve = curve_of(worked_example(), [(1, 1)], positive=0)
    with pytest.raises(ParameterError, match=r"the lowest is 0.25; try higher costs of false"):
        curve.for_fpr(0.1)
    with pytest.raises(ParameterError, match=r"the lowest is 0.25; try higher costs of misses"):
        curve_of(worked_example(), [(1, 1)]).for_fnr(0.1)
    with pytest.raises(ParameterError, match="give a number from 0 to 1"):
        curve.for_fpr(10)


def test_the_curve_is_a_readable_table():
    curve = curve_of(worked_example(), [(1, 1), (1, 4)])
    assert repr(curve).splitlines() == [
        "2 cost ratios, positive class 'B'",
        "miss : false alarm    FPR    TPR  leaves  cost   chi2  operating",
        "             1 : 1  0.000  0.750       3   0.1  12.86        yes",
        "             1 : 4  0.000  0.000       1   0.4      0",
    ]
    assert "<td>1 : 4</td>" in curve._repr_html_()
    assert len(curve) == 2


def test_more_than_two_classes_need_a_positive_one():
    tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["a", "b", "c"])
    with pytest.raises(ParameterError, match="There are 3 classes: give positive"):
        tree.cost_pruning_curve()


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (5, "must be a list of pairs"),
        ([], "is empty"),
        ([0], "above 0"),
        (["1:8"], "as a pair"),
        ([(1, 2, 3)], "as a pair"),
        ([(1, -2)], "above 0"),
    ],
)
def test_costs_that_make_no_sense_are_refused(fitted, costs, message):
    with pytest.raises(ParameterError, match=message):
        fitted.cost_pruning_curve(costs)


def test_other_pruners_are_refused(fitted):
    with pytest.raises(ParameterError, match="does not prune under costs: choose from"):
        fitted.cost_pruning_curve(method="cost_complexity")


def test_test_data_need_labels_of_both_classes(fitted):
    X, y = data_with_noise()
    with pytest.raises(DataError, match="no case of class 'ill'"):
        fitted.cost_pruning_curve(None, X[y == "well"], y[y == "well"])
    with pytest.raises(ParameterError, match="X_test and y_test"):
        fitted.cost_pruning_curve(X_test=X)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["minimum_error", "error_based"])
@pytest.mark.parametrize("name", ["breast-cancer-wisconsin", "pima"])
def test_the_papers_data_give_a_curve_above_the_diagonal(name, method):
    data = load(name)
    X, y = data.matrix, np.array(data.labels)
    test = np.arange(len(y)) % 10 < 3
    positive = min(data.classes, key=data.labels.count)
    options = {"cf": 0.01} if method == "error_based" else {"m": 8}
    tree = ROCTreeClassifier().fit(X[~test], y[~test])
    curve = tree.cost_pruning_curve(
        None, X[test], y[test], method=method, positive=positive, **options
    )
    assert (curve.tpr >= curve.fpr - 0.02).all()
    assert max(curve.tpr - curve.fpr) > (0.8 if name.startswith("breast") else 0.25)
    # Dear false alarms lead to the left end, dear misses to the right one.
    assert curve[0].fpr <= curve[5].fpr <= curve[-1].fpr
    assert curve[0].tpr <= curve[5].tpr <= curve[-1].tpr
