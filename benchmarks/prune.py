"""Every pruner that needs the tree alone, on a tree of some 200 000 nodes."""

from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.race import Entry, Race, Row

INNER, QUICK_INNER = 100_000, 5_000
ROUNDS = 5


def rows(quick: bool = False) -> list[Row]:
    n_inner = QUICK_INNER if quick else INNER
    heading = f"{2 * n_inner + 1:,} nodes, two classes"
    return [Row("prune", f"prune-{n_inner}", heading, partial(prune_all, n_inner))]


def prune_all(n_inner: int, race: Race) -> list[Entry]:
    from roctree.pruning import PRUNING, AUCPruning, CostComplexity, need

    fixed = {"cost_complexity": CostComplexity(alpha=0.0), "auc": AUCPruning(n_inner // 2)}
    pruners = {**PRUNING, **fixed}
    counted = {name: pruner for name, pruner in pruners.items() if need(pruner) == "counts"}
    tree = balanced_tree(n_inner)
    entries = [Entry("roctree", 1, name) for name in counted]
    for entry in entries:
        pruner = counted[entry.variant]
        entry.facts = {"leaves": pruner(tree).n_leaves}
        for _ in range(ROUNDS):
            race.patience.wait()
            race.say(f"pruning by {entry.variant}")
            entry.seconds.append(seconds(pruner, tree))
    return entries


def seconds(pruner: Any, tree: Any) -> float:
    """Return the time of one call; nothing that an earlier one derived from the tree is there."""
    fresh = replace(tree)
    begin = perf_counter()
    pruner(fresh)
    return perf_counter() - begin


def balanced_tree(n_inner: int) -> Any:
    """Return a tree in which every level is full but the last; its leaves are rather pure."""
    from roctree.tree.passes import over_leaves
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
        counts=np.zeros((n_nodes, 2)),
        softness=np.zeros(n_nodes),
        gain=np.where(inner, rng.random(n_nodes), 0.0),
    )
    cases = rng.integers(1, 20, n_nodes)
    positive = rng.binomial(cases, rng.beta(0.3, 0.3, n_nodes))
    counts = [over_leaves(tree, each.astype(float)) for each in (cases - positive, positive)]
    return replace(tree, counts=np.column_stack(counts))
