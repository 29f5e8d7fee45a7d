"""Laws of criteria, tried on a few hundred tables."""

import math
from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
from numpy.typing import ArrayLike

from roctree._jit import block_score, table_score
from roctree.checks.law import at_most, close, hold
from roctree.criteria import Criterion, resolve
from roctree.criteria.protocol import Table, as_table

_RANDOM_TABLES = 200


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
    hold(math.isfinite(value), f"{criterion} scores {value} on {_cells(table)}")


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
    hold(
        at_most(useless, node),
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
        hold(
            at_most(coarser, score),
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
        hold(
            at_most(score(*shares), best),
            f"{criterion} says it is convex but of {_cells(table)} scores {score(*shares)} with "
            f"shares {shares} of the second branch on the left, with all or none at most {best}",
        )


def compiled_score_is_the_same(criterion: Criterion, table: ArrayLike) -> None:
    """The compiled criterion, of one table or of a block of splits, agrees with the function."""
    cells = as_table(table)
    expected = _score(criterion, cells)
    compiled = table_score(criterion.function)(cells)
    hold(close(compiled, expected), f"{criterion} gives {expected}, compiled {compiled}")
    if len(cells) == 2:
        scores = np.empty(1)
        weights = np.ones(cells.shape[1])
        block_score(criterion.function, cells.shape[1])(
            cells, 0, 1, cells.sum(axis=0), weights, scores
        )
        hold(close(scores[0], expected), f"{criterion} gives {expected}, in a block {scores[0]}")


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
    hold(close(before, after), f"{criterion} scores {before} on {_cells(table)}, {after} {change}")


def _cells(table: ArrayLike) -> list[list[float]]:
    cells: list[list[float]] = as_table(table).tolist()
    return cells
