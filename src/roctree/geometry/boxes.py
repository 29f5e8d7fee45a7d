"""The box of every node: which values lead there, be they numbers, categories or missing."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.tree.tree import Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# What a category, or a missing value, does on the way to a leaf: it leads there; its case is
# divided among branches; it leads elsewhere.
LEADS, DIVIDED, ELSEWHERE = range(3)


@dataclass(frozen=True, eq=False)
class Boxes:
    """What the tests on the way to each node demand.

    Parameters
    ----------
    low, high : float64[nodes, features], numbers above ``low``, up to ``high``
    gaps : uint8[nodes, features], what a missing number does: LEADS or DIVIDED, for any number may
        be in its place
    categories : per nominal attribute that is tested, uint8[nodes, codes + 1], what each category
        does; the last column is for missing values and categories that training did not see
    """

    low: Floats
    high: Floats
    gaps: NDArray[np.uint8]
    categories: dict[int, NDArray[np.uint8]]

    @classmethod
    def of(cls, tree: Tree, n_features: int) -> "Boxes":
        """Return the boxes of all nodes, each made from its parent's."""
        shape = tree.n_nodes, n_features
        boxes = cls(
            np.full(shape, -np.inf),
            np.full(shape, np.inf),
            np.zeros(shape, dtype=np.uint8),
            {number: _unbounded(tree, number) for number in _nominal(tree)},
        )
        for begin, end in zip(tree.level_starts[1:-1], tree.level_starts[2:], strict=True):
            boxes._narrow(tree, np.arange(begin, end))
        return boxes

    def _narrow(self, tree: Tree, nodes: Ints) -> None:
        """Make the boxes of one level."""
        parents = tree.parent[nodes]
        tables: list[NDArray[Any]] = [self.low, self.high, self.gaps, *self.categories.values()]
        for table in tables:
            table[nodes] = table[parents]
        attributes, cuts = tree.feature[parents], tree.threshold[parents]
        numeric = ~np.isnan(cuts)
        first = tree.branch[nodes] == 0
        left = nodes[numeric & first], attributes[numeric & first]
        right = nodes[numeric & ~first], attributes[numeric & ~first]
        self.high[left] = np.minimum(self.high[left], cuts[numeric & first])
        self.low[right] = np.maximum(self.low[right], cuts[numeric & ~first])
        divided = numeric & (tree.missing_branch[parents] != tree.branch[nodes])
        self.gaps[nodes[divided], attributes[divided]] = DIVIDED
        for node in nodes[~numeric]:
            self._sort_out(tree, int(node))

    def _sort_out(self, tree: Tree, node: int) -> None:
        """Judge each category by the test above a node."""
        parent = tree.parent[node]
        table = self.categories[int(tree.feature[parent])]
        begin, end = tree.category_offsets[parent : parent + 2]
        taken = np.full(table.shape[1], -1)
        taken[: end - begin] = tree.category_branch[begin:end]
        taken[taken < 0] = tree.missing_branch[parent]
        effect = np.where(taken == tree.branch[node], LEADS, ELSEWHERE)
        effect[taken < 0] = DIVIDED
        np.maximum(table[node], effect, out=table[node], casting="unsafe")


def _nominal(tree: Tree) -> list[int]:
    tested = ~tree.is_leaf & np.isnan(tree.threshold)
    return [int(number) for number in np.unique(tree.feature[tested])]


def _unbounded(tree: Tree, attribute: int) -> NDArray[np.uint8]:
    on_it = tree.feature == attribute
    n_codes = int(np.diff(tree.category_offsets)[on_it].max())
    return np.zeros((tree.n_nodes, n_codes + 1), dtype=np.uint8)
