"""The decision boundary of a labelled tree, and the distances of cases from it.

The distance of a case is that to the nearest leaf with another label (Alvarez and Bernard 2005).
The tests on the path to a leaf bound a box, and the case is moved into it as little as possible
along each attribute. The paper leaves some questions open; this module answers them as follows:

- A failed test of categories costs one, once per attribute.
- A missing number may be any number and costs nothing. A missing category costs nothing if its case
  is divided among the branches; if missing values have a branch of their own, the others cost one.
  A category that was not seen at a node in training counts as missing there.
- A known number does not enter a branch that is only for missing ones.
- If no leaf has another label, the distance is the diagonal of the training cases.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.arrays import Floats, Ints, in_threads
from roctree.errors import ParameterError
from roctree.geometry.kernels import Pending, SplitTree, Trail, search
from roctree.geometry.metric import Spread, diagonal, units_of
from roctree.tree.prediction import mix
from roctree.tree.shape import uniform_subtrees
from roctree.tree.tree import IS_PRESENT, Tree

Boundaries = Literal["any", "one_vs_rest"]

BLOCK_ROWS = 2048


@dataclass(frozen=True, eq=False)
class Boundary:
    """A tree with labelled leaves and a metric.

    Parameters
    ----------
    tree : Tree
    votes : float64[nodes, classes]
        Votes of each leaf; the class with the largest sum wins.
    scale : float64[features]
        Difference of each attribute that counts as a distance of one.
    extent : float
        Distance reported instead of infinity.
    """

    tree: Tree
    votes: Floats
    scale: Floats
    extent: float = 1.0

    @classmethod
    def from_spread(
        cls, tree: Tree, votes: Floats, scale: Floats, spread: Spread, nominal: NDArray[np.bool_]
    ) -> "Boundary":
        """Return a boundary whose extent is the diagonal of the training cases.

        Parameters
        ----------
        tree, votes, scale : see the class
        spread : Spread
            Spread of the training cases.
        nominal : bool[features]
            Which attributes are nominal.
        """
        if tree.softness.any():
            raise ParameterError(
                reason="Soft thresholds have no boundary between leaves: use "
                "{ranked(ranking='leaf')} first"
            )
        return cls(tree, votes, scale, diagonal(spread, scale, nominal))

    @cached_property
    def labels(self) -> Ints:
        """The label of each node, as if it were a leaf."""
        return np.asarray(self.votes.argmax(axis=1))

    def predicted(self, values: Floats, n_threads: int = 1) -> Ints:
        """Return the label of each row."""
        return np.asarray(mix(self.tree, values, self.votes, n_threads=n_threads).argmax(axis=1))

    def distances(self, values: Floats, kind: Boundaries, n_threads: int = 1) -> Floats:
        """Return the distance of each row from any other label, or from each class."""
        own = self.predicted(values, n_threads)
        if kind == "any":
            return self.distance(values, own, n_threads)
        return np.abs(self.one_vs_rest(values, own, n_threads))

    def distance(self, values: Floats, own: Ints, n_threads: int = 1) -> Floats:
        """Return the distance of each row, whose own label is given, from any other label."""
        return self._distance(values, own, self.labels, n_threads)

    def one_vs_rest(self, values: Floats, own: Ints, n_threads: int = 1) -> Floats:
        """Return the signed distance of each row from each class, float64[rows, classes].

        For the row's own label it is nonnegative: the distance to any other label. For another
        class it is nonpositive: the distance to the nearest leaf of that class, negated.
        """
        n_classes = self.votes.shape[1]
        signed = np.empty((len(values), n_classes))
        for label in range(n_classes):
            if n_classes == 2 and label == 1:
                signed[:, 1] = -signed[:, 0]
                continue
            inside = own == label
            labels = (self.labels == label).astype(np.int64)
            far = self._distance(values, inside.astype(np.int64), labels, n_threads)
            signed[:, label] = np.where(inside, far, -far)
        return signed + 0.0  # no negative zeros

    def _distance(self, values: Floats, own: Ints, labels: Ints, n_threads: int) -> Floats:
        n_rows = len(values)
        squared, mine = np.empty(n_rows), own.astype(np.int32)
        splits = _split_tree(self.tree, labels, units_of(self.scale))
        run = compiled(search, steps=5.0 * n_rows * self.tree.n_nodes)

        def fill(stretch: tuple[int, int]) -> None:
            scratch = _scratch(self.tree, values.shape[1])
            for rows in _blocks(*stretch):
                block = np.ascontiguousarray(values[rows], dtype=np.float64)
                run(block, mine[rows], splits, *scratch, squared[rows])

        n_threads = max(1, min(n_threads, n_rows // BLOCK_ROWS))
        ends = [n_rows * thread // n_threads for thread in range(n_threads + 1)]
        in_threads(n_threads, fill, pairwise(ends))
        return np.where(np.isinf(squared), self.extent, np.sqrt(squared))


def check_boundary(kind: Any) -> None:
    """Raise unless the value is a kind of boundary."""
    if kind not in get_args(Boundaries):
        raise ParameterError(
            parameter="boundary", value=kind, reason="must be 'any' or 'one_vs_rest'"
        )


def _split_tree(tree: Tree, labels: Ints, units: Floats) -> SplitTree:
    """Collect the splits above more than one label, compactly, so that they stay in the cache."""
    one, shared = uniform_subtrees(tree, tree.is_leaf, labels)
    nodes = np.flatnonzero(~one).astype(np.int32)
    branch = np.where(one, -1 - shared, 0).astype(np.int32)
    branch[nodes] = np.arange(len(nodes), dtype=np.int32)
    cut = tree.threshold[nodes]
    # A test for missing values needs more than a comparison.
    cut[cut == IS_PRESENT] = np.nan
    first = tree.first_child[nodes]
    return SplitTree(
        cut=cut,
        left=branch[first],
        right=branch[first + 1],
        attribute=tree.feature[nodes],
        node=nodes,
        branch=branch,
        paths=tree.all_hard_paths,
        unit=units,
    )


def _scratch(tree: Tree, n_features: int) -> tuple[Trail, Pending]:
    """Return memory for a search, which is reused from row to row."""
    n_levels = tree.max_depth + 1
    n_pending = n_levels * max(int(tree.n_children.max()) - 1, 1) + 1
    return (
        Trail(
            displaced=np.zeros(n_features),
            attribute=np.empty(n_levels, dtype=np.int32),
            before=np.empty(n_levels),
        ),
        Pending(
            branch=np.empty(n_pending, dtype=np.int32),
            attribute=np.empty(n_pending, dtype=np.int32),
            length=np.empty(n_pending),
            squared=np.empty(n_pending),
            n_trail=np.empty(n_pending, dtype=np.int32),
        ),
    )


def _blocks(begin: int, end: int) -> Iterator[slice]:
    for first in range(begin, end, BLOCK_ROWS):
        yield slice(first, min(first + BLOCK_ROWS, end))
