"""Laws that a criterion or a pruner must satisfy, for our own tests and for yours.

``check_criterion`` tries those that every criterion must satisfy on a few hundred tables, and
``check_pruner`` those of pruners on as many trees. Each law is a function of a criterion and one
table, or of a pruner and one tree, as well; where it is broken it raises ``AssertionError`` with a
sentence that says what happened.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

import numpy as np
from numpy.typing import ArrayLike

from roctree._jit import block_score, table_score
from roctree.criteria import Criterion, resolve
from roctree.criteria.protocol import Table, as_table
from roctree.errors import ModelFileError
from roctree.pruning import Pruner
from roctree.pruning import resolve as resolve_pruner
from roctree.tree.passes import over_leaves
from roctree.tree.shape import cut
from roctree.tree.tree import NO_BRANCH, Tree

_RANDOM_TABLES = 200
_RANDOM_TREES = 100


def check_criterion(criterion: str | Criterion, n_classes: int = 2) -> None:
    """Raise ``AssertionError`` unless a criterion keeps the laws that growing a tree relies on.

    Its scores are finite, do not depend on the order of the branches, are no higher for a split
    that tells nothing than for the unsplit node, and are the same compiled as not. If it says it
    is convex they never fall when a branch is divided further, and splits between two others are
    bounded by their corners. The built-in ``f_measure`` breaks the third law, as its authors
    defined it.

    Examples
    --------
    >>> check_criterion("gini", n_classes=3)
    """
    criterion = resolve(criterion)
    for table in _tables(n_classes):
        score_is_finite(criterion, table)
        branch_order_changes_nothing(criterion, table)
        useless_split_earns_nothing(criterion, table)
        refining_never_lowers_the_score(criterion, table)
        corners_are_never_beaten(criterion, table)
        compiled_score_is_the_same(criterion, table)


def score_is_finite(criterion: Criterion, table: ArrayLike) -> None:
    """The score of any table with a case in it is a finite number."""
    value = _score(criterion, table)
    _hold(math.isfinite(value), f"{criterion} scores {value} on {_cells(table)}")


def branch_order_changes_nothing(criterion: Criterion, table: ArrayLike) -> None:
    """Branches have no order."""
    _same(criterion, table, as_table(table)[::-1], "with its branches in another order")


def class_order_changes_nothing(criterion: Criterion, table: ArrayLike) -> None:
    """Classes have no order. A criterion may break this law if its classes play roles."""
    _same(criterion, table, np.roll(as_table(table), 1, axis=1), "with its classes renamed")


def scale_changes_nothing(criterion: Criterion, table: ArrayLike) -> None:
    """A hundred times the cases, in the same proportions, score the same: untrue if smoothed."""
    for factor in (0.1, 100.0):
        _same(criterion, table, factor * as_table(table), f"with all weights times {factor}")


def empty_branch_changes_nothing(criterion: Criterion, table: ArrayLike) -> None:
    """A branch without cases might as well not be there: untrue if smoothed."""
    padded = np.vstack([as_table(table), np.zeros(as_table(table).shape[1])])
    _same(criterion, table, padded, "with an empty branch more")


def useless_split_earns_nothing(criterion: Criterion, table: ArrayLike) -> None:
    """Two branches with equal counts score no higher than the node that they come from."""
    half = as_table(table).sum(axis=0, keepdims=True) / 2.0
    node, useless = _score(criterion, 2.0 * half), _score(criterion, np.vstack([half, half]))
    _hold(
        _at_most(useless, node),
        f"{criterion} scores {useless} for two branches {_cells(half)[0]} each, "
        f"more than {node} for the node they come from",
    )


def refining_never_lowers_the_score(criterion: Criterion, table: ArrayLike) -> None:
    """Of a convex criterion: undoing a division of a branch never raises the score."""
    cells = as_table(table)
    if not criterion.convex(cells.shape[1]):
        return
    score = _score(criterion, cells)
    for first, second in combinations(range(len(cells)), 2):
        joined = np.delete(cells, second, axis=0)
        joined[first] = cells[first] + cells[second]
        coarser = _score(criterion, joined)
        _hold(
            _at_most(coarser, score),
            f"{criterion} says it is convex but scores {score} on {_cells(table)} "
            f"and {coarser} with branches {first} and {second} joined",
        )


def corners_are_never_beaten(criterion: Criterion, table: ArrayLike) -> None:
    """Of a convex criterion and two classes: the best of a box of splits is at a corner.

    The first branch goes left, the second may go either way, class by class and case by case,
    all others go right.
    """
    cells = as_table(table)
    if cells.shape[1] != 2 or not criterion.convex(2):
        return
    always, open_, total = cells[0], cells[1], cells.sum(axis=0)

    def score(*shares: float) -> float:
        left = always + open_ * shares
        return _score(criterion, np.vstack([left, np.maximum(total - left, 0.0)]))

    best = max(score(*shares) for shares in product((0.0, 1.0), repeat=2))
    for shares in product((0.0, 0.25, 0.5, 1.0), repeat=2):
        _hold(
            _at_most(score(*shares), best),
            f"{criterion} says it is convex but of {_cells(table)} scores {score(*shares)} with "
            f"shares {shares} of the second branch on the left, with all or none at most {best}",
        )


def compiled_score_is_the_same(criterion: Criterion, table: ArrayLike) -> None:
    """The compiled criterion, of one table or of a block of splits, agrees with the function."""
    cells = as_table(table)
    expected = _score(criterion, cells)
    compiled = table_score(criterion.function)(cells)
    _hold(_close(compiled, expected), f"{criterion} gives {expected}, compiled {compiled}")
    if len(cells) == 2:
        scores = np.empty(1)
        weights = np.ones(cells.shape[1])
        block_score(criterion.function, cells.shape[1])(
            cells, 0, 1, cells.sum(axis=0), weights, scores
        )
        _hold(_close(scores[0], expected), f"{criterion} gives {expected}, in a block {scores[0]}")


def check_pruner(pruner: str | Pruner, n_classes: int = 2) -> None:
    """Raise ``AssertionError`` unless a pruner that needs a tree only keeps the laws of pruning.

    What it makes of a tree is part of that tree, with the counts and splits of the nodes that stay,
    and is the same if the classes have other numbers. Pruning twice is another matter:
    ``pruning_again_changes_nothing`` is true of pruners that decide from below on what is left, or
    on one split at a time, and untrue of some that do not.

    Examples
    --------
    >>> check_pruner("minimum_error", n_classes=3)
    """
    pruner = resolve_pruner(pruner)
    for tree in _trees(n_classes):
        pruned_tree_is_part_of_the_tree(pruner, tree)
        class_numbers_change_no_pruning(pruner, tree)


def pruned_tree_is_part_of_the_tree(pruner: Pruner, tree: Tree) -> None:
    """The nodes that stay are as they were, but for those that have become leaves."""
    part = pruner(tree)
    try:
        part.validate()
    except ModelFileError as error:
        raise AssertionError(f"{pruner} makes what is no tree of {tree}: {error}") from error
    _hold(_is_part(part, tree), f"{pruner} makes {part} of {tree}, which is no part of it")


def pruning_again_changes_nothing(pruner: Pruner, tree: Tree) -> None:
    """A pruned tree stays as it is.

    Untrue where a node is judged by what is cut off below it, as in pessimistic pruning, and where
    costs give a new leaf another label than that of its majority, by which it is judged again.
    """
    once = pruner(tree)
    twice = pruner(once)
    _hold(once == twice, f"{pruner} makes {once} of {tree}, and {twice} of that")


def class_numbers_change_no_pruning(pruner: Pruner, tree: Tree) -> None:
    """Classes have no order. Under costs that differ this is untrue: they are in that order."""
    renamed = replace(tree, counts=np.roll(tree.counts, 1, axis=1))
    before, after = pruner(tree), pruner(renamed)
    same = before == replace(after, counts=np.roll(after.counts, -1, axis=1))
    _hold(same, f"{pruner} makes {before} of {tree}, and {after} with its classes renamed")


def equal_costs_change_nothing(pruner: Pruner, under_costs: Pruner, tree: Tree) -> None:
    """Where every error costs the same, costs do not matter."""
    plain, priced = pruner(tree), under_costs(tree)
    _hold(plain == priced, f"{pruner} makes {plain} of {tree}, and {under_costs} makes {priced}")


def _is_part(part: Tree, whole: Tree) -> bool:
    """Whether a tree is another, cut: the same splits and counts from the root down."""
    origin, inner = [0], np.ones(whole.n_nodes, dtype=np.bool_)
    for node, n_children in enumerate(part.n_children.tolist()):
        above = origin[node]
        if n_children:
            if n_children != whole.n_children[above]:
                return False
            first = int(whole.first_child[above])
            origin.extend(range(first, first + n_children))
            inner[above] = False
    return part == cut(whole, inner)


def _trees(n_classes: int) -> Iterator[Tree]:
    """A single leaf, then trees at random with empty leaves, pure leaves and leaves of weights."""
    yield Tree.single_leaf(np.ones(n_classes))
    random = np.random.default_rng(0)
    for number in range(_RANDOM_TREES):
        yield _tree(random, n_inner=1 + number // 4, n_classes=n_classes)


def _tree(random: np.random.Generator, n_inner: int, n_classes: int) -> Tree:
    """A tree of so many splits by thresholds or, of three branches, by categories."""
    sizes = random.choice([2, 2, 3], n_inner)
    n_nodes = 1 + int(sizes.sum())
    inner = _inner_nodes(random, sizes, n_nodes)
    n_children = np.zeros(n_nodes, dtype=np.int32)
    n_children[inner] = sizes
    nominal = n_children == 3
    tree = Tree(
        n_children=n_children,
        feature=np.where(n_children == 0, -1, nominal).astype(np.int32),
        threshold=np.where(n_children == 2, random.normal(size=n_nodes), np.nan),
        category_branch=np.tile(np.arange(3, dtype=np.int16), np.count_nonzero(nominal)),
        category_offsets=np.append(0, np.cumsum(3 * nominal)).astype(np.int32),
        missing_branch=np.full(n_nodes, NO_BRANCH, dtype=np.int16),
        counts=np.zeros((n_nodes, n_classes)),
        softness=np.zeros(n_nodes),
        gain=np.where(n_children > 0, random.random(n_nodes) ** 4, 0.0),
    )
    cells = random.integers(0, 9, (n_nodes, n_classes)) * random.integers(0, 2, (n_nodes, 1))
    # In eighths, weights add up exactly.
    weights = cells * random.choice([1.0, 0.125], (n_nodes, 1))
    counts = np.column_stack([over_leaves(tree, each) for each in weights.T])
    return replace(tree, counts=counts)


def _inner_nodes(random: np.random.Generator, sizes: Table, n_nodes: int) -> list[int]:
    """Numbers of nodes to be split, each after the split that makes it."""
    inner, known = [0], 1 + int(sizes[0])
    for size in sizes[1:]:
        # Any that is there by now and comes after the last.
        inner.append(int(random.integers(inner[-1] + 1, known)))
        known += int(size)
    return inner


def _tables(n_classes: int) -> Iterator[Table]:
    """Tables of two to five branches: the extreme ones, then counts and weights at random."""
    for branches in (2, 3):
        yield np.ones((branches, n_classes))
        yield np.eye(branches, n_classes)
        yield np.eye(1, branches * n_classes).reshape(branches, n_classes)
    random = np.random.default_rng(0)
    for number in range(_RANDOM_TABLES):
        shape = random.integers(2, 6), n_classes
        counts = random.integers(0, 2 + number, shape) * random.integers(0, 2, shape)
        counts[0, 0] += 1
        yield as_table(counts * random.random(shape) if number % 2 else counts)


def _score(criterion: Criterion, table: ArrayLike) -> float:
    try:
        with np.errstate(all="ignore"):
            return float(criterion.function(as_table(table)))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise AssertionError(f"{criterion} fails on {_cells(table)}: {error}") from error


def _same(criterion: Criterion, table: ArrayLike, other: Table, change: str) -> None:
    before, after = _score(criterion, table), _score(criterion, other)
    _hold(
        _close(before, after), f"{criterion} scores {before} on {_cells(table)}, {after} {change}"
    )


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)


def _at_most(low: float, high: float) -> bool:
    return low <= high or _close(low, high)


def _cells(table: ArrayLike) -> list[list[float]]:
    cells: list[list[float]] = as_table(table).tolist()
    return cells


def _hold(law: bool, sentence: str) -> None:
    if not law:
        raise AssertionError(sentence)
