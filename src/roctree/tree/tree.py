"""A decision tree: nodes in breadth-first order, one array per field, class counts at every node.

The children of a node are consecutive, and siblings follow in the order of their parents. So the
number of children of each node is the whole structure: no sequence of numbers can express a cycle,
a dangling child or a node with two parents.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.table import amount
from roctree.tree import scikit_names
from roctree.tree.check import check_tree
from roctree.tree.descent import Descent, heaviest_branch, pack

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NO_BRANCH = -1
IS_PRESENT = float(np.finfo(np.float64).max)  # the threshold that every known value passes


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes of a decision tree, read-only.

    Parameters
    ----------
    n_children : int32[n], 0 at leaves, 2 at a threshold, any number but 1 at a nominal split
    feature : int32[n], the attribute that splits the node, -1 at leaves
    threshold : float64[n], values up to it go to branch 0, others to 1; NaN unless numeric
    category_branch : int16[...], the branch of each category code, one nominal node after another;
        -1 for a category that training did not see at this node: it counts as missing there
    category_offsets : int32[n + 1], where the categories of each node begin and end
    missing_branch : int16[n], the branch of missing values, or -1: all branches, in proportion to
        their weights
    counts : float64[n, classes], weights of the training cases of each class
    softness : float64[n], half-width of the zone around the threshold where a prediction mixes
        both branches; 0 for a hard threshold
    gain : float64[n], improvement of the criterion by the split, 0 at leaves
    """

    n_children: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: Floats
    category_branch: NDArray[np.int16]
    category_offsets: NDArray[np.int32]
    missing_branch: NDArray[np.int16]
    counts: Floats
    softness: Floats
    gain: Floats

    def __post_init__(self) -> None:
        for name, array in self._arrays().items():
            object.__setattr__(self, name, read_only(array))

    @classmethod
    def single_leaf(cls, counts: Any) -> "Tree":
        """Make a tree of one leaf with the given class counts."""
        return cls(
            n_children=np.zeros(1, dtype=np.int32),
            feature=np.full(1, -1, dtype=np.int32),
            threshold=np.full(1, np.nan),
            category_branch=np.empty(0, dtype=np.int16),
            category_offsets=np.zeros(2, dtype=np.int32),
            missing_branch=np.full(1, NO_BRANCH, dtype=np.int16),
            counts=np.array([counts], dtype=np.float64),
            softness=np.zeros(1),
            gain=np.zeros(1),
        )

    def validate(self, n_features: int | None = None) -> "Tree":
        """Return this tree, or say in a ``ModelFileError`` why its arrays are not a tree."""
        check_tree(self, n_features)
        return self

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.n_children)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return len(self.leaves)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.counts.shape[1])

    @property
    def max_depth(self) -> int:
        """Depth of the deepest node; 0 if the root is a leaf."""
        return len(self.level_starts) - 2

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each node is a leaf."""
        return read_only(self.n_children == 0)

    @cached_property
    def leaves(self) -> Ints:
        """The leaves in the order of their numbers."""
        return read_only(np.flatnonzero(self.is_leaf))

    @cached_property
    def weight(self) -> Floats:
        """Weight of the training cases of each node."""
        return read_only(self.counts.sum(axis=1))

    @cached_property
    def first_child(self) -> Ints:
        """First child of each node; of a leaf, where its first child would stand."""
        return read_only(1 + np.cumsum(self.n_children, dtype=np.int64) - self.n_children)

    @cached_property
    def parent(self) -> Ints:
        """Parent of each node, -1 for the root."""
        parents = np.repeat(np.arange(self.n_nodes), self.n_children)
        return read_only(np.concatenate([[-1], parents]))

    @cached_property
    def branch(self) -> Ints:
        """Which branch of its parent each node is, -1 for the root."""
        branches = np.arange(self.n_nodes) - self.first_child[self.parent]
        branches[0] = NO_BRANCH
        return read_only(branches)

    @cached_property
    def depth(self) -> Ints:
        """Number of splits between the root and each node."""
        return read_only(np.repeat(np.arange(self.max_depth + 1), np.diff(self.level_starts)))

    @cached_property
    def level_starts(self) -> Ints:
        """First node of each depth, and the number of nodes at the end."""
        # One step a level, and each so cheap that a chain of 10^5 levels takes milliseconds.
        next_start = self.first_child + self.n_children
        starts = [0, 1]
        while starts[-2] < starts[-1] < self.n_nodes:
            starts.append(int(next_start[starts[-1] - 1]))
        return read_only(np.array(starts))

    @cached_property
    def share(self) -> Floats:
        """Part that each node has in the weight of its siblings and itself; 1 for the root.

        Where all siblings are empty, their shares are equal.
        """
        totals = np.bincount(self.parent[1:], self.weight[1:], self.n_nodes)
        empty = totals == 0.0
        parts = np.ones(self.n_nodes)
        of = self.parent[1:]
        parts[1:] = (self.weight[1:] + empty[of]) / (totals + empty * self.n_children)[of]
        return read_only(parts)

    @cached_property
    def heaviest_branch(self) -> NDArray[np.int16]:
        """Heaviest branch of each node, the first of equals; -1 at leaves."""
        return read_only(heaviest_branch(self))

    @cached_property
    def all_paths(self) -> Descent:
        """How rows descend if they may be divided among branches."""
        return pack(self, self.missing_branch, self.softness)

    @cached_property
    def all_hard_paths(self) -> Descent:
        """How rows descend if only missing values divide them among branches."""
        if not self.softness.any():
            return self.all_paths
        return pack(self, self.missing_branch, np.zeros(self.n_nodes))

    @cached_property
    def single_path(self) -> Descent:
        """How rows descend to a single leaf."""
        missing_branch = np.where(
            self.missing_branch < 0, self.heaviest_branch, self.missing_branch
        )
        return pack(self, missing_branch, np.zeros(self.n_nodes))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        pairs = zip(self._arrays().values(), other._arrays().values(), strict=True)
        return all(
            mine.dtype == theirs.dtype and np.array_equal(mine, theirs, equal_nan=True)
            for mine, theirs in pairs
        )

    __hash__ = None  # type: ignore[assignment]  # its fields are arrays

    def __reduce__(self) -> tuple[Any, ...]:
        # Only the fields: equal trees have equal pickles, whatever has been derived from them.
        return Tree, tuple(self._arrays().values())

    def __repr__(self) -> str:
        leaves = amount(self.n_leaves, "leaf", "leaves")
        return f"<Tree of {amount(self.n_nodes, 'node')}, {leaves}, depth {self.max_depth}>"

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    # How scikit-learn spells a binary tree, for tools that read such trees.
    node_count = property(scikit_names.node_count)
    n_features = property(scikit_names.n_features)
    n_outputs = property(scikit_names.n_outputs)
    max_n_classes = property(scikit_names.max_n_classes)
    children_left = property(scikit_names.children_left)
    children_right = property(scikit_names.children_right)
    value = property(scikit_names.value)
    impurity = property(scikit_names.impurity)
    n_node_samples = property(scikit_names.n_node_samples)
    weighted_n_node_samples = property(scikit_names.weighted_n_node_samples)


def read_only(array: Any) -> NDArray[Any]:
    """Return a contiguous view that cannot be written to; the array itself keeps its flags."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view
