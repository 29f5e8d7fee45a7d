"""The decision boundary of a labelled tree, and how far cases are from it.

The distance of a case is that to the nearest leaf with another label (Alvarez and Bernard 2005).
The tests on the way to a leaf bound a box; a case is moved into it along each attribute as little
as possible. What the paper leaves open:

- A test of categories that fails costs one, once for each attribute.
- A missing number may be any number and costs nothing. A missing category costs nothing where its
  case is divided among the branches; where it has a branch of its own, the others cost one. A
  category that training did not see at a node counts as missing there.
- Who has a number is not led to a branch for missing ones only.
- Where no leaf has another label, the distance is the diagonal of the training cases.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.geometry.metric import units_of
from roctree.geometry.search_kernels import MIXED, search
from roctree.tree.apply import mix
from roctree.tree.passes import of_one_label
from roctree.tree.tree import IS_PRESENT, Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BLOCK_ROWS = 2048


@dataclass(frozen=True, eq=False)
class Boundary:
    """A tree whose leaves are labelled, and a metric.

    Parameters
    ----------
    tree : the tree
    votes : float64[nodes, classes], what each leaf says for each class; the largest sum wins
    scale : float64[features], how much of an attribute counts as a distance of one
    extent : what is said instead of an infinite distance
    """

    tree: Tree
    votes: Floats
    scale: Floats
    extent: float = 1.0

    @cached_property
    def labels(self) -> Ints:
        """The label of each node, as if it were a leaf."""
        return np.asarray(self.votes.argmax(axis=1))

    def predicted(self, values: Floats, n_threads: int = 1) -> Ints:
        """Return the label of each row."""
        return np.asarray(mix(self.tree, values, self.votes, n_threads=n_threads).argmax(axis=1))

    def distance(self, values: Floats, own: Ints, n_threads: int = 1) -> Floats:
        """Return how far each row, with its own label, is from any other label."""
        return self._distance(values, own, self.labels, n_threads)

    def one_vs_rest(self, values: Floats, own: Ints, n_threads: int = 1) -> Floats:
        """Return the signed distance of each row from each class, float64[rows, classes].

        That of its own label is positive, or zero, and leads to any other; that of another class
        is negative, or zero, and leads to the nearest leaf of that class.
        """
        n_classes = self.votes.shape[1]
        signed = np.empty((len(values), n_classes))
        for label in range(n_classes):
            if n_classes == 2 and label == 1:
                # Whoever is not of one class is of the other.
                signed[:, 1] = -signed[:, 0]
                continue
            inside, leaves = own == label, self.labels == label
            far = self._distance(values, inside.astype(np.int64), leaves.astype(np.int64),
                                 n_threads)  # fmt: skip
            signed[:, label] = np.where(inside, far, -far)
        return signed + 0.0  # no zero has a sign

    def _distance(self, values: Floats, own: Ints, labels: Ints, n_threads: int) -> Floats:
        squared = np.empty(len(values))
        joined = joined_labels(self.tree, labels)
        mine = own.astype(np.int32)
        known = *self._steps, *self._rules, joined
        units = units_of(self.scale)

        def fill(begin: int, end: int) -> None:
            room = _room(self.tree, values.shape[1])
            for rows in _blocks(begin, end):
                block = np.ascontiguousarray(values[rows], dtype=np.float64)
                compiled(search)(block, *known, mine[rows], units, *room, squared[rows])

        _in_threads(fill, len(values), n_threads)
        return np.where(np.isinf(squared), self.extent, np.sqrt(squared))

    @cached_property
    def _steps(self) -> tuple[NDArray[Any], ...]:
        cuts = self.tree.all_hard_paths.cuts.copy()
        # A test for missing values is more than a comparison.
        cuts[self.tree.threshold == IS_PRESENT, 0] = np.nan
        return cuts, self.tree.all_hard_paths.steps

    @property
    def _rules(self) -> tuple[NDArray[Any], ...]:
        descent = self.tree.all_hard_paths
        return descent.rule_ints, descent.rule_floats, descent.category_branch


def joined_labels(tree: Tree, labels: Ints) -> NDArray[np.int32]:
    """Return the label that all leaves below a node share, or MIXED."""
    one, shared = of_one_label(tree, tree.is_leaf, labels)
    return np.where(one, shared, MIXED).astype(np.int32)


def _room(tree: Tree, n_features: int) -> tuple[NDArray[Any], ...]:
    """Return room for the search of one row after the other."""
    n_levels = tree.max_depth + 1
    n_waiting = n_levels * max(int(tree.n_children.max()) - 1, 1) + 1
    return (
        np.zeros(n_features),
        np.empty(n_levels, dtype=np.int32),
        np.empty(n_levels),
        np.empty((n_waiting, 3), dtype=np.int32),
        np.empty((n_waiting, 2)),
    )


def _blocks(begin: int, end: int) -> Iterator[slice]:
    for first in range(begin, end, BLOCK_ROWS):
        yield slice(first, min(first + BLOCK_ROWS, end))


def _in_threads(fill: Callable[[int, int], None], n_rows: int, n_threads: int) -> None:
    """Fill the result for all rows, each thread a stretch of them."""
    n_threads = max(1, min(n_threads, n_rows // BLOCK_ROWS))
    if n_threads == 1:
        fill(0, n_rows)
        return
    # Compiled by one thread, before all ask for it at once.
    compiled(search)
    ends = [n_rows * thread // n_threads for thread in range(n_threads + 1)]
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(fill, ends[:-1], ends[1:]))
