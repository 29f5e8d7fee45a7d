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
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.errors import ParameterError
from roctree.geometry.metric import Spread, extent, units_of
from roctree.geometry.search_kernels import ATTRIBUTE, BRANCHES, NUMBER, SIZE, search
from roctree.tree.apply import mix
from roctree.tree.passes import of_one_label
from roctree.tree.tree import IS_PRESENT, Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Boundaries = Literal["any", "one_vs_rest"]

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

    @classmethod
    def of(
        cls, tree: Tree, votes: Floats, scale: Floats, spread: Spread, nominal: NDArray[np.bool_]
    ) -> "Boundary":
        """Return the boundary between the leaves of a tree; soft thresholds are refused.

        Parameters
        ----------
        tree, votes, scale : as above
        spread, nominal : of the attributes, for the diagonal of the training cases
        """
        if tree.softness.any():
            raise ParameterError(
                "Soft thresholds have no boundary between leaves: use ranked('leaf') first."
            )
        return cls(tree, votes, scale, extent(spread, scale, nominal))

    @cached_property
    def labels(self) -> Ints:
        """The label of each node, as if it were a leaf."""
        return np.asarray(self.votes.argmax(axis=1))

    def predicted(self, values: Floats, n_threads: int = 1) -> Ints:
        """Return the label of each row."""
        return np.asarray(mix(self.tree, values, self.votes, n_threads=n_threads).argmax(axis=1))

    def distances(self, values: Floats, kind: Boundaries, n_threads: int = 1) -> Floats:
        """Return how far rows are from any other label, or from each class, float64[rows, ...]."""
        own = self.predicted(values, n_threads)
        if kind == "any":
            return self.distance(values, own, n_threads)
        return np.abs(self.one_vs_rest(values, own, n_threads))

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
        paths, mine = self.tree.all_hard_paths, own.astype(np.int32)
        cuts, branches = splits_of(self.tree, labels)
        known = cuts, cuts.view(np.int32), paths, branches
        units = units_of(self.scale)

        def fill(begin: int, end: int) -> None:
            room = _room(self.tree, values.shape[1])
            for rows in _blocks(begin, end):
                block = np.ascontiguousarray(values[rows], dtype=np.float64)
                compiled(search)(block, *known, mine[rows], units, *room, squared[rows])

        _in_threads(fill, len(values), n_threads)
        return np.where(np.isinf(squared), self.extent, np.sqrt(squared))


def check_boundary(kind: Any) -> None:
    """Refuse what is no kind of boundary."""
    if kind not in get_args(Boundaries):
        raise ParameterError(f"boundary={kind!r} is not known: give 'any' or 'one_vs_rest'.")


def splits_of(tree: Tree, labels: Ints) -> tuple[Floats, NDArray[np.int32]]:
    """Pack the splits above more than one label, and return each node as a branch.

    What the search reads is all in one place, and so little that it stays in the cache. The kernel
    says what the columns are.
    """
    one, shared = of_one_label(tree, tree.is_leaf, labels)
    nodes = np.flatnonzero(~one)
    branches = np.where(one, -1 - shared, 0).astype(np.int32)
    branches[nodes] = SIZE * np.arange(len(nodes))
    cuts = np.empty((len(nodes), SIZE // 2))
    # A test for missing values is more than a comparison.
    cuts[:, 0] = np.where(tree.threshold[nodes] == IS_PRESENT, np.nan, tree.threshold[nodes])
    ints = cuts.view(np.int32)
    ints[:, BRANCHES] = branches[tree.first_child[nodes]]
    ints[:, BRANCHES + 1] = branches[tree.first_child[nodes] + 1]
    ints[:, ATTRIBUTE] = tree.feature[nodes]
    ints[:, NUMBER] = nodes
    return cuts.reshape(-1), branches


def _room(tree: Tree, n_features: int) -> tuple[NDArray[Any], ...]:
    """Return room for the search of one row after the other."""
    n_levels = tree.max_depth + 1
    n_waiting = n_levels * max(int(tree.n_children.max()) - 1, 1) + 1
    return (
        np.zeros(n_features),
        *(np.empty(n_levels, dtype=kind) for kind in (np.int32, np.float64)),
        *(np.empty(n_waiting, dtype=kind) for kind in (*[np.int32] * 3, *[np.float64] * 2)),
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
