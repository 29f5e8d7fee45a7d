"""Laws that a criterion and a smoother must satisfy, for our own tests and for yours.

``check_criterion`` tries those that every criterion must satisfy on a few hundred tables, and
``check_smoother`` those of a smoother on some dozens of trees. Each law is a function as well, of a
criterion and one table or of a smoother and one tree; where the law is broken it raises
``AssertionError`` with a sentence that says what happened.
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
from roctree.smoothing import Smoother, probabilities
from roctree.smoothing import resolve as resolve_smoother
from roctree.smoothing.protocol import Floats
from roctree.smoothing.protocol import shares as frequencies
from roctree.tree.tree import Tree

_RANDOM_TABLES = 200
_RANDOM_TREES = 40
_ROUNDING = 1e-12
# So many times the cases are as good as infinitely many, to so many digits.
_MANY, _NEARLY = 1e9, 1e-4


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


def check_smoother(smoother: str | Smoother, n_classes: int = 2) -> None:
    """Raise ``AssertionError`` unless a smoother keeps the laws that one expects of probabilities.

    Those of a node lie between 0 and 1 and add up to 1. That of a class never falls when a case of
    it is added. Very many cases keep their frequencies. The order of the classes does not matter,
    nor does anything but the counts and the shape of the tree. The built-in ``curtailment`` breaks
    the third law, as its authors defined it: a leaf that comes to have enough cases no longer asks
    the node above.

    Examples
    --------
    >>> check_smoother("m_branch", n_classes=3)
    """
    smoother = resolve_smoother(smoother)
    for tree in _trees(n_classes):
        rows_add_up_to_one(smoother, tree)
        probabilities_lie_between_zero_and_one(smoother, tree)
        a_case_more_never_lowers_its_class(smoother, tree)
        many_cases_keep_their_frequencies(smoother, tree)
        renamed_classes_change_places_only(smoother, tree)
        only_counts_and_shape_matter(smoother, tree)


def rows_add_up_to_one(smoother: Smoother, tree: Tree) -> None:
    """The probabilities of each node, leaf or not, add up to 1."""
    sums = _smoothed(smoother, tree).sum(axis=1)
    worst = int(np.abs(sums - 1.0).argmax())
    _hold(
        abs(sums[worst] - 1.0) <= _ROUNDING,
        f"{_name(smoother)} gives node {worst} of {_counts(tree)} probabilities that add up to "
        f"{sums[worst]}",
    )


def probabilities_lie_between_zero_and_one(smoother: Smoother, tree: Tree) -> None:
    """No probability is negative or above 1."""
    found = _smoothed(smoother, tree)
    outside = ((found < 0.0) | (found > 1.0 + _ROUNDING)).any(axis=1)
    first = int(outside.argmax())
    _hold(
        not outside.any(),
        f"{_name(smoother)} gives node {first} of {_counts(tree)} the probabilities "
        f"{found[first].tolist()}",
    )


def a_case_more_never_lowers_its_class(smoother: Smoother, tree: Tree) -> None:
    """A leaf with one more case of a class does not find that class less probable."""
    before = _smoothed(smoother, tree)
    for leaf, label in product(tree.leaves.tolist(), range(tree.n_classes)):
        after = _smoothed(smoother, _with_a_case(tree, leaf, label))[leaf, label]
        _hold(
            after >= before[leaf, label] - _ROUNDING,
            f"{_name(smoother)} lowers the probability of class {label} at leaf {leaf} of "
            f"{_counts(tree)} from {before[leaf, label]} to {after} for one more case of it",
        )


def many_cases_keep_their_frequencies(smoother: Smoother, tree: Tree) -> None:
    """Smoothing hardly changes what very many cases say."""
    many = replace(tree, counts=_MANY * tree.counts)
    sure = tree.is_leaf & (tree.weight > 0.0)
    found, expected = _smoothed(smoother, many)[sure], frequencies(tree)[sure]
    _hold(
        np.allclose(found, expected, rtol=0.0, atol=_NEARLY),
        f"{_name(smoother)} changes the frequencies of leaves with {_MANY:g} times the cases of "
        f"{_counts(tree)}: {found.tolist()} instead of {expected.tolist()}",
    )


def renamed_classes_change_places_only(smoother: Smoother, tree: Tree) -> None:
    """Classes have no order: with other names they have the same probabilities."""
    renamed = replace(tree, counts=np.roll(tree.counts, 1, axis=1))
    found = np.roll(_smoothed(smoother, renamed), -1, axis=1)
    _hold(
        np.allclose(found, _smoothed(smoother, tree), rtol=0.0, atol=_ROUNDING),
        f"{_name(smoother)} finds other probabilities for {_counts(tree)} with its classes renamed",
    )


def only_counts_and_shape_matter(smoother: Smoother, tree: Tree) -> None:
    """What the splits ask does not matter, only whom they send where; nor what came before."""
    other = replace(
        tree,
        feature=np.where(tree.is_leaf, -1, tree.feature + 1).astype(np.int32),
        threshold=tree.threshold + 1.0,
        missing_branch=np.where(tree.is_leaf, -1, 0).astype(np.int16),
        gain=np.where(tree.is_leaf, 0.0, tree.gain + 1.0),
    )
    _hold(
        np.array_equal(_smoothed(smoother, tree), _smoothed(smoother, other)),
        f"{_name(smoother)} finds other probabilities for {_counts(tree)} with other splits",
    )


def _trees(n_classes: int) -> Iterator[Tree]:
    """A single leaf, then trees of nominal splits at random; some leaves are empty."""
    yield Tree.single_leaf(np.arange(1.0, n_classes + 1.0))
    random = np.random.default_rng(0)
    for number in range(_RANDOM_TREES):
        tree = _tree_of(_shape(random, n_splits=1 + number % 5), n_classes)
        counts = np.zeros(tree.counts.shape)
        cells = (tree.n_leaves, n_classes)
        cases = random.integers(0, 2 + 5 * number, cells) * random.integers(0, 2, cells)
        counts[tree.leaves] = cases * (random.random(cells) if number % 2 else 1.0)
        counts[tree.leaves[0], 0] += 1.0
        for node in range(tree.n_nodes - 1, 0, -1):
            counts[tree.parent[node]] += counts[node]
        yield replace(tree, counts=counts).validate()


def _shape(random: np.random.Generator, n_splits: int) -> list[int]:
    """The number of children of each node, in breadth-first order."""
    children: list[int] = []
    pending = 1
    while pending > 0:
        splits = n_splits > 0 and (pending == 1 or random.random() < 0.5)
        children.append(int(random.integers(2, 4)) if splits else 0)
        n_splits -= splits
        pending += children[-1] - 1
    return children


def _tree_of(children: list[int], n_classes: int) -> Tree:
    """A tree of that shape without any cases; each branch of a split has a category."""
    n_nodes = len(children)
    return Tree(
        n_children=np.array(children, dtype=np.int32),
        feature=np.where(np.array(children) > 0, 0, -1).astype(np.int32),
        threshold=np.full(n_nodes, np.nan),
        category_branch=np.array([b for n in children for b in range(n)], dtype=np.int16),
        category_offsets=np.cumsum([0, *children]).astype(np.int32),
        missing_branch=np.full(n_nodes, -1, dtype=np.int16),
        counts=np.zeros((n_nodes, n_classes)),
        softness=np.zeros(n_nodes),
        gain=np.zeros(n_nodes),
    )


def _with_a_case(tree: Tree, leaf: int, label: int) -> Tree:
    counts, node = tree.counts.copy(), leaf
    while node >= 0:
        counts[node, label] += 1.0
        node = int(tree.parent[node])
    return replace(tree, counts=counts)


def _smoothed(smoother: Smoother, tree: Tree) -> Floats:
    try:
        with np.errstate(all="ignore"):
            return probabilities(smoother, tree)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise AssertionError(f"{_name(smoother)} fails on {_counts(tree)}: {error}") from error


def _counts(tree: Tree) -> str:
    return f"a tree with {tree.n_children.tolist()} children and counts {tree.counts.tolist()}"


def _name(smoother: Smoother) -> str:
    return str(getattr(smoother, "__name__", smoother))


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
