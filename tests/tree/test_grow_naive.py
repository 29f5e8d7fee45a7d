"""Every split of a grown tree is as good as the best that plain loops find.

The naive growers look at the cases of each node of the tree in turn, so that one tie among many
does not end the comparison.
"""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree.criteria import AUC, DKM, MSEE, Entropy, Error, FMeasure, GainRatio, Gini, Hellinger
from tests.criteria.variants import NAIVE
from tests.naive import criteria as naive
from tests.naive import gain_ratio, splitter
from tests.strategies import data_sets
from tests.tree.growing import as_dataset, bins, grown, patient

TIE = 1e-9
TWO = 2 * (1 - 1e-6)  # cases a branch: shares of cases add up to two with rounding
SCORES = {
    Gini(): naive.gini,
    Entropy(): naive.entropy,
    Error(): naive.error,
    MSEE(): naive.msee,
    DKM(): naive.dkm,
    Hellinger(): NAIVE[Hellinger()],
    FMeasure(): NAIVE[FMeasure(1)],
    AUC(children_correction="none"): naive.auc,
    AUC("renormalised", children_correction="none"): NAIVE[AUC("renormalised")],
    Gini("laplace"): NAIVE[Gini("laplace")],
}
LIGHTEST = 0.125
WEIGHTS = st.integers(1, 24).map(lambda n: n * LIGHTEST)


def remembered(score):
    """The score, worked out once for each table: exact fractions take their time."""
    once = cache(score)
    return lambda table: once(tuple(map(tuple, table)))


PLAIN = {criterion: remembered(score) for criterion, score in SCORES.items()}


def parts(tree, node, data, rows):
    """The rows of each branch; cases are complete."""
    column = data.columns[tree.feature[node]]
    if int(tree.feature[node]) in data.nominal:
        branch_of = tree.category_branch[tree.category_offsets[node] :]
        sides = [int(branch_of[column[row]]) for row in rows]
    else:
        sides = [int(column[row] > tree.threshold[node]) for row in rows]
    return [
        [row for row, side in zip(rows, sides, strict=True) if side == branch]
        for branch in range(tree.n_children[node])
    ]


def nodes_with_rows(tree, data):
    rows = {0: list(range(data.n_rows))}
    for node in range(tree.n_nodes):
        yield node, rows[node]
        if not tree.is_leaf[node]:
            for branch, part in enumerate(parts(tree, node, data, rows[node])):
                rows[int(tree.first_child[node]) + branch] = part


def check_splits(tree, data, score, min_leaf):
    for node, rows in nodes_with_rows(tree, data):
        counts = splitter.class_counts(rows, data.labels, data.n_classes, data.weights)
        assert tree.counts[node].tolist() == counts
        best = splitter.best_split(
            data.columns, data.labels, data.n_classes, score, rows, data.nominal, min_leaf,
            data.weights,
        )  # fmt: skip
        if tree.is_leaf[node]:
            assert best is None or best[0] < 2 * TIE or np.count_nonzero(counts) < 2
            continue
        branches = parts(tree, node, data, rows)
        table = [
            splitter.class_counts(part, data.labels, data.n_classes, data.weights)
            for part in branches
        ]
        assert min(map(sum, table)) >= min_leaf
        assert tree.gain[node] == pytest.approx(float(best[0]), abs=TIE)
        assert float(score(table) - score([counts])) == pytest.approx(float(best[0]), abs=TIE)
        check_threshold(tree, node, data, branches)


def check_threshold(tree, node, data, branches):
    feature = int(tree.feature[node])
    if feature in data.nominal:
        return
    low = max(data.columns[feature][row] for row in branches[0])
    high = min(data.columns[feature][row] for row in branches[1])
    middle = low + (high - low) / 2
    assert tree.threshold[node] == pytest.approx(middle if middle < high else low)


@pytest.mark.parametrize("criterion", PLAIN, ids=repr)
@patient
@given(
    data=data_sets(missing=False, weights=WEIGHTS), min_leaf=st.sampled_from([LIGHTEST, 1.0, 2.5])
)
def test_no_split_is_better_than_the_one_made(criterion, data, min_leaf):
    if data.n_classes > 2 or not criterion.convex(2):
        data.nominal.clear()  # sets of categories are found exactly only otherwise
    if data.nominal:
        min_leaf = LIGHTEST  # and where no pair of sets is ruled out by its weight
    options = {"min_leaf": min_leaf, "min_split": 0.0, "min_gain": TIE}
    dataset = as_dataset(data)
    check_splits(grown(dataset, criterion, **options), data, PLAIN[criterion], min_leaf)
    with bins():
        check_splits(grown(dataset, criterion, **options), data, PLAIN[criterion], min_leaf)


@pytest.mark.parametrize("missing", ["branch", "fractional", "category"])
@pytest.mark.parametrize("criterion", PLAIN, ids=repr)
@patient
@given(data=data_sets(weights=WEIGHTS))
def test_no_split_of_the_root_is_better_where_values_are_missing(criterion, missing, data):
    data.nominal.clear()
    joins, score = missing == "branch", PLAIN[criterion]
    known = data.columns, data.labels, data.n_classes
    best = splitter.best_gain_with_gaps(*known, score, joins, data.weights)
    options = {"min_leaf": LIGHTEST, "min_split": 0.0, "min_gain": TIE, "missing": missing}
    with bins():
        tree = grown(as_dataset(data), criterion, **options, max_depth=1)
    if tree.n_nodes == 1:
        assert best < 2 * TIE or np.count_nonzero(tree.counts[0]) < 2
    else:
        assert tree.gain[0] == pytest.approx(best, abs=TIE)


def shared_parts(tree, node, data, cases):
    """The weight of each case in each branch, unknown values shared as C4.5 does."""
    feature = int(tree.feature[node])
    column, n_branches = data.columns[feature], int(tree.n_children[node])
    side = {
        row: column[row] if feature in data.nominal else int(column[row] > tree.threshold[node])
        for row in cases
        if column[row] is not None
    }
    known = [sum(cases[row] for row in side if side[row] == b) for b in range(n_branches)]
    return [
        {
            row: weight if row in side else weight * known[branch] / sum(known)
            for row, weight in cases.items()
            if (side[row] == branch if row in side else known[branch] > 0)
        }
        for branch in range(n_branches)
    ]


def candidates(data, cases, penalty):
    rows, weights = list(cases), list(cases.values())
    labels = [data.labels[row] for row in rows]
    for feature, column in enumerate(data.columns):
        values = [column[row] for row in rows]
        if feature in data.nominal:
            n = data.nominal[feature]
            yield gain_ratio.nominal_candidate(values, n, labels, data.n_classes, weights, TWO)
        else:
            yield gain_ratio.numeric_candidate(
                values, labels, data.n_classes, weights, TWO, penalty
            )


def check_ratios(tree, data, penalty):
    n_categories = [data.nominal.get(feature) for feature in range(len(data.columns))]
    many = gain_ratio.left_out_of_mean(n_categories, sum(data.weights))
    shares = {0: dict(enumerate(data.weights))}
    for node in range(tree.n_nodes):
        cases = shares[node]
        assert tree.weight[node] == pytest.approx(sum(cases.values()), abs=TIE)
        found = list(candidates(data, cases, penalty))
        chosen = gain_ratio.choose(found, many)
        best = found[chosen].ratio if chosen is not None else 0.0
        if tree.is_leaf[node]:
            pure = np.count_nonzero(tree.counts[node] > TIE) < 2
            small = tree.weight[node] < 4 * (1 - TIE)
            assert chosen is None or pure or small or (penalty and best < TIE)
            continue
        ours = found[tree.feature[node]]
        # A gain that is zero on paper may be just above it here and just below it there.
        assert (ours.ratio if ours else 0.0) == pytest.approx(best, abs=TIE)
        assert tree.gain[node] == pytest.approx(ours.gain if ours else 0.0, abs=TIE)
        for branch, part in enumerate(shared_parts(tree, node, data, cases)):
            shares[int(tree.first_child[node]) + branch] = part


@pytest.mark.parametrize("penalty", [False, True])
@patient
@given(data=data_sets(rows=(4, 25)))
def test_c45_chooses_the_attribute_that_its_program_would(penalty, data):
    options = {"min_leaf": 2, "min_split": 4, "c45_numeric_minimum": True, "nominal": "multiway"}
    tree = grown(as_dataset(data), GainRatio(penalty=penalty), **options)
    check_ratios(tree, data, penalty)
