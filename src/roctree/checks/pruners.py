"""Laws of pruners that go by the counts of a tree, or of other cases too, on a hundred trees."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from roctree.checks.law import hold
from roctree.criteria.protocol import Table
from roctree.errors import ModelFileError
from roctree.pruning import Fold, Pruner, need, resolve
from roctree.tree.passes import over_leaves, places_in, with_those_below
from roctree.tree.shape import cut
from roctree.tree.tree import NO_BRANCH, Tree

_RANDOM_TREES = 100


def check_pruner(pruner: str | Pruner, n_classes: int = 2) -> None:
    """Raise ``AssertionError`` unless a pruner that needs no training cases keeps the laws.

    What it makes of a tree is part of that tree, with the counts and splits of the nodes that stay,
    and is the same if the classes have other numbers. Where it asks for cases that did not grow the
    tree, it gets some. Pruning twice is another matter: ``pruning_again_changes_nothing`` is true
    of pruners that decide from below on what is left, or on one split at a time, and untrue of
    some that do not.

    Examples
    --------
    >>> check_pruner("minimum_error", n_classes=3)
    >>> check_pruner("reduced_error")
    """
    pruner = resolve(pruner)
    for tree in _trees(n_classes):
        other_cases = _other_cases(tree)
        pruned_tree_is_part_of_the_tree(pruner, tree, other_cases)
        if need(pruner) == "counts" or not _has_tied_majority(tree):
            class_numbers_change_no_pruning(pruner, tree, other_cases)


def pruned_tree_is_part_of_the_tree(
    pruner: Pruner, tree: Tree, other_cases: Table | None = None
) -> None:
    """The nodes that stay are as they were, but for those that have become leaves.

    ``other_cases``, here and below, are class counts at the nodes, float64[nodes, classes], of
    cases that did not grow the tree, for pruners that ask for them.
    """
    part = _pruned(pruner, tree, other_cases)
    try:
        part.validate()
    except ModelFileError as error:
        raise AssertionError(f"{pruner} makes what is no tree of {tree}: {error}") from error
    hold(_is_part(part, tree), f"{pruner} makes {part} of {tree}, which is no part of it")


def pruning_again_changes_nothing(
    pruner: Pruner, tree: Tree, other_cases: Table | None = None
) -> None:
    """A pruned tree stays as it is.

    Untrue where a node is judged by what is cut off below it, as in pessimistic pruning, and where
    costs give a new leaf another label than that of its majority, by which it is judged again.
    Untrue also of "one_se", since the best of what is left is worse, and may be fallen short of
    again, and of sizes that pruning by area chooses, since what is left leads to other trees.
    """
    once = _pruned(pruner, tree, other_cases)
    left = None if other_cases is None else other_cases[places_in(tree, once)]
    twice = _pruned(pruner, once, left)
    hold(once == twice, f"{pruner} makes {once} of {tree}, and {twice} of that")


def class_numbers_change_no_pruning(
    pruner: Pruner, tree: Tree, other_cases: Table | None = None
) -> None:
    """Classes have no order.

    Under costs that differ this is untrue: they are in that order. So it is of pruners that count
    the errors of other cases, where two classes have the most at a node and the first is its label.
    """
    renamed = replace(tree, counts=np.roll(tree.counts, 1, axis=1))
    others = None if other_cases is None else np.roll(other_cases, 1, axis=1)
    before, after = _pruned(pruner, tree, other_cases), _pruned(pruner, renamed, others)
    same = before == replace(after, counts=np.roll(after.counts, -1, axis=1))
    hold(same, f"{pruner} makes {before} of {tree}, and {after} with its classes renamed")


def equal_costs_change_nothing(pruner: Pruner, under_costs: Pruner, tree: Tree) -> None:
    """Where every error costs the same, costs do not matter."""
    plain, priced = pruner(tree), under_costs(tree)
    hold(plain == priced, f"{pruner} makes {plain} of {tree}, and {under_costs} makes {priced}")


def _pruned(pruner: Pruner, tree: Tree, other_cases: Table | None) -> Tree:
    """What a pruner makes of a tree, with the cases that it asks for."""
    wanted = need(pruner)
    if wanted == "held_out":
        return pruner(tree, other_cases)
    if wanted == "folds":
        return pruner(tree, [] if other_cases is None else [Fold(tree, other_cases)])
    return pruner(tree)


def _other_cases(tree: Tree) -> Table:
    """Class counts of cases that fall like those of the tree, some elsewhere, of every class."""
    random = np.random.default_rng(tree.n_nodes)
    cells = random.poisson(tree.counts + 0.25).astype(np.float64)
    cells[-1] += 1.0  # the last node is a leaf
    return with_those_below(tree, np.where(tree.is_leaf[:, None], cells, 0.0))


def _has_tied_majority(tree: Tree) -> bool:
    """Whether two classes have the most cases at some node."""
    most = tree.counts.max(axis=1, keepdims=True)
    return bool(((tree.counts == most).sum(axis=1) > 1)[tree.weight > 0.0].any())


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
