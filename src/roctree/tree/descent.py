"""What descending a tree needs to know about its nodes, in the form that is quickest to read."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from roctree.tree.tree import Tree

# A step has 16 bytes: as float64 it begins with CUT, as uint32 it ends with ATTRIBUTE and NEXT.
CUT = 0
ATTRIBUTE, NEXT = 2, 3

# rule_ints[node, column] and rule_floats[node, column]
N_CHILDREN, FIRST_CHILD, FEATURE, MISSING_BRANCH, CATEGORY_START, N_CATEGORIES = range(6)
THRESHOLD, SOFTNESS, SHARE = range(3)


@dataclass(frozen=True, eq=False)
class Descent:
    """The nodes of a tree, packed for the kernels.

    Parameters
    ----------
    cuts, steps : all that a mere comparison needs: float64[n, 2], and the same bytes as
        uint32[n, 4]
    rule_ints, rule_floats : all about every split: int32[n, 6], float64[n, 3]
    category_branch : as in ``Tree``
    """

    cuts: NDArray[np.float64]
    steps: NDArray[np.uint32]
    rule_ints: NDArray[np.int32]
    rule_floats: NDArray[np.float64]
    category_branch: NDArray[np.int16]

    @cached_property
    def used(self) -> NDArray[np.int64]:
        """The attributes that splits ask for."""
        inner = self.rule_ints[:, N_CHILDREN] > 0
        return np.flatnonzero(np.bincount(self.rule_ints[inner, FEATURE]))

    @cached_property
    def place(self) -> NDArray[np.uint32]:
        """Where the attribute of each node stands among those that are used; a leaf's parent's."""
        return np.searchsorted(self.used, self.steps[:, ATTRIBUTE]).astype(np.uint32)

    @cached_property
    def numeric(self) -> NDArray[np.bool_]:
        """Which of the attributes that are used have thresholds only."""
        nominal = self.rule_ints[:, N_CATEGORIES] > 0
        return ~np.isin(self.used, self.rule_ints[nominal, FEATURE])


def pack(tree: "Tree", missing_branch: NDArray[np.int16], softness: NDArray[np.float64]) -> Descent:
    """Pack the nodes, with other rules for missing values and soft thresholds than the tree's."""
    rule_floats = np.column_stack([tree.threshold, softness, tree.share])
    rule_ints = np.empty((tree.n_nodes, 6), dtype=np.int32)
    rule_ints[:, N_CHILDREN] = tree.n_children
    rule_ints[:, FIRST_CHILD] = tree.first_child
    rule_ints[:, FEATURE] = tree.feature
    rule_ints[:, MISSING_BRANCH] = missing_branch
    rule_ints[:, CATEGORY_START] = tree.category_offsets[:-1]
    rule_ints[:, N_CATEGORIES] = np.diff(tree.category_offsets)
    cuts = _pack_steps(tree, softness)
    steps = cuts.view(np.uint32)
    return Descent(cuts, steps, rule_ints, rule_floats, tree.category_branch)


def heaviest_branch(tree: "Tree") -> NDArray[np.int16]:
    """Return the heaviest branch of each node, the first of equals; -1 at leaves."""
    branches = np.full(tree.n_nodes, -1, dtype=np.int16)
    inner = ~tree.is_leaf
    if inner.any():
        starts = tree.first_child[inner] - 1
        heaviest = np.maximum.reduceat(tree.weight[1:], starts)
        lighter = tree.weight[1:] < np.repeat(heaviest, tree.n_children[inner])
        branches[inner] = np.minimum.reduceat(
            np.where(lighter, tree.n_nodes, tree.branch[1:]), starts
        )
    return branches


def _pack_steps(tree: "Tree", softness: NDArray[np.float64]) -> NDArray[np.float64]:
    """Put all that one step reads into one cache line.

    A leaf leads to itself, by an attribute that the row is known to have: its parent's. NaN marks
    splits that take more than a comparison.
    """
    cuts = np.empty((tree.n_nodes, 2))
    cuts[:, CUT] = np.where(softness == 0.0, tree.threshold, np.nan)
    cuts[tree.is_leaf, CUT] = np.inf
    steps = cuts.view(np.uint32)
    attribute = np.where(tree.is_leaf, tree.feature[tree.parent], tree.feature)
    steps[:, ATTRIBUTE] = np.maximum(attribute, 0)
    steps[:, NEXT] = np.where(tree.is_leaf, np.arange(tree.n_nodes), tree.first_child)
    return cuts
