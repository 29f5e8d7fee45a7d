"""Pruning, smoothing and subtree raising of a fitted tree of about 200 000 nodes."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.race import Entry, Race, Row

INNER, QUICK_INNER = 100_000, 5_000
# A readable tree, to be smoothed interactively.
SMALL_INNER = 100
# Grown without limits from random labels; the tree has about half as many nodes as rows.
# Raising depends on the rows, so this tree is smaller than the others.
RAISED_ROWS, QUICK_RAISED_ROWS = 10_000, 1_000
ROUNDS = 5
# The pruners of a row: how many classes, and whether errors have costs.
PRUNED = {
    "": (2, False),
    "-six": (6, False),
    "-costs": (2, True),
    "-six-costs": (6, True),
}
COUNTED = {2: "two", 6: "six"}


def rows(quick: bool = False) -> list[Row]:
    n_inner = QUICK_INNER if quick else INNER
    return [
        *(prune_row(n_inner, *each) for each in PRUNED.items()),
        *(smooth_row(size) for size in (SMALL_INNER, n_inner)),
        raise_row(QUICK_RAISED_ROWS if quick else RAISED_ROWS),
    ]


def nodes(n_inner: int) -> str:
    return f"{2 * n_inner + 1:,} nodes"


def prune_row(n_inner: int, suffix: str, kind: tuple[int, bool]) -> Row:
    n_classes, priced = kind
    heading = f"{nodes(n_inner)}, {COUNTED[n_classes]} classes" + ", a cost matrix" * priced
    measure = partial(prune_all, n_inner, n_classes=n_classes, priced=priced)
    return Row("prune", f"prune-{n_inner}{suffix}", heading, measure)


def smooth_row(n_inner: int) -> Row:
    heading = f"{nodes(n_inner)}, two classes"
    return Row("smooth", f"smooth-{n_inner}", heading, partial(smooth_all, n_inner))


def raise_row(n_rows: int) -> Row:
    heading = f"{n_rows:,} rows, labels by chance"
    return Row("prune", f"raise-{n_rows}", heading, partial(raise_all, n_rows))


def prune_all(n_inner: int, race: Race, *, n_classes: int = 2, priced: bool = False) -> list[Entry]:
    """Time every pruner that needs only the tree, or all of those that support costs."""
    from roctree.pruning import PRUNING, AUCPruning, CostComplexity, need

    fixed = {"cost_complexity": CostComplexity(alpha=0.0), "auc": AUCPruning(n_inner // 2)}
    pruners = {**PRUNING, **fixed}
    counted = {name: pruner for name, pruner in pruners.items() if need(pruner) == "counts"}
    if priced:
        costs = cost_matrix(n_classes)
        counted = {
            name: replace(pruner, costs=costs)
            for name, pruner in counted.items()
            if "costs" in options(pruner)
        }
    return timed(counted, balanced_tree(n_inner, n_classes), race, "pruning by")


def smooth_all(n_inner: int, race: Race) -> list[Entry]:
    """Time every smoother."""
    from roctree.smoothing import SMOOTHING, probabilities

    smoothers = {name: partial(probabilities, smoother) for name, smoother in SMOOTHING.items()}
    return timed(smoothers, balanced_tree(n_inner), race, "smoothing by")


def raise_all(n_rows: int, race: Race) -> list[Entry]:
    """Time C4.5's pruning with subtree raising, on the training cases."""
    from roctree import ROCTreeClassifier
    from roctree.data import Dataset
    from roctree.pruning import ErrorBased

    rng = np.random.default_rng(0)
    X, y = rng.random((n_rows, 5)), rng.integers(0, 2, n_rows)
    tree = ROCTreeClassifier(criterion="gini").fit(X, y).tree_
    pruner, training = ErrorBased(raising=True), Dataset.from_data(X, y)
    name = f"error_based, raising in {tree.n_nodes:,} nodes"
    return timed({name: lambda fresh: pruner(fresh, training)}, tree, race, "pruning by", rounds=1)


def timed(
    actions: Mapping[str, Callable[[Any], Any]],
    tree: Any,
    race: Race,
    words: str,
    rounds: int = ROUNDS,
) -> list[Entry]:
    """Time actions on a tree; the first call of each is not timed, only its result is used."""
    entries = [Entry("roctree", 1, name) for name in actions]
    for entry in entries:
        act = actions[entry.variant]
        made = act(tree)
        entry.facts = {"leaves": getattr(made, "n_leaves", tree.n_leaves)}
        for _ in range(rounds):
            race.patience.wait()
            race.say(f"{words} {entry.variant}")
            entry.seconds.append(seconds(act, tree))
    return entries


def seconds(act: Callable[[Any], Any], tree: Any) -> float:
    """Return the time of one call, without values cached by earlier calls."""
    fresh = replace(tree)
    begin = perf_counter()
    act(fresh)
    return perf_counter() - begin


def options(strategy: Any) -> list[str]:
    return [field.name for field in fields(strategy)] if is_dataclass(strategy) else []


def cost_matrix(n_classes: int) -> tuple[tuple[float, ...], ...]:
    """Return costs from 1 to 9 for each error."""
    costs = np.random.default_rng(1).integers(1, 10, (n_classes, n_classes)).astype(float)
    np.fill_diagonal(costs, 0.0)
    return tuple(map(tuple, costs.tolist()))


def balanced_tree(n_inner: int, n_classes: int = 2) -> Any:
    """Return a tree in which every level but the last is full; its leaves are rather pure."""
    from roctree.tree.shape import leaf_sums
    from roctree.tree.tree import NO_BRANCH, Tree

    rng = np.random.default_rng(0)
    n_nodes = 2 * n_inner + 1
    inner = np.arange(n_nodes) < n_inner
    tree = Tree(
        n_children=np.where(inner, 2, 0).astype(np.int32),
        feature=np.where(inner, 0, -1).astype(np.int32),
        threshold=np.where(inner, 0.0, np.nan),
        category_branch=np.empty(0, dtype=np.int16),
        category_offsets=np.zeros(n_nodes + 1, dtype=np.int32),
        missing_branch=np.full(n_nodes, NO_BRANCH, dtype=np.int16),
        counts=np.zeros((n_nodes, n_classes)),
        softness=np.zeros(n_nodes),
        gain=np.where(inner, rng.random(n_nodes), 0.0),
    )
    cases = rng.integers(1, 20, n_nodes)
    shares = rng.beta(0.3, 0.3, n_nodes)
    positive = rng.binomial(cases, shares)
    if n_classes == 2:
        columns = [cases - positive, positive]
    else:
        columns = list(rng.multinomial(cases, rng.dirichlet([0.3] * n_classes, n_nodes)).T)
    counts = [leaf_sums(tree, each.astype(float)) for each in columns]
    return replace(tree, counts=np.column_stack(counts))
