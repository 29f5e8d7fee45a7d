"""Partial removal of subtrees, which Bradley and Lovell (1995) propose: merging some leaves.

A cell may have hundreds of parts, and pruning can only make one leaf of all of them. Here the parts
that are leaves first become groups, one for each class, and where the cell has other parts as well
the groups become one group. A pruner then decides for each group, as for any other node, whether it
is better as a leaf; so every pruner can remove a subtree in part, by its own rule.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.pruning import majority
from roctree.systems.cells import Ints, hierarchy
from roctree.tree.arrange import breadth_first
from roctree.tree.tree import Tree


class Grouped(NamedTuple):
    """A tree with groups, and the number in it of each node that was there before."""

    tree: Tree
    numbers: Ints


def grouped(tree: Tree) -> Grouped:
    """Return the tree with its leaves in groups."""
    leaves = tree.leaves[tree.leaves > 0]
    parent = tree.parent.copy()
    above = parent[leaves]
    # A group of one is none, nor is one of all parts: that is the cell itself.
    pairs, of_pair, sizes = np.unique(
        above * tree.n_classes + majority(tree)[leaves], return_inverse=True, return_counts=True
    )
    cell_of_pair = pairs // tree.n_classes
    n_leaves = np.bincount(above, minlength=tree.n_nodes)
    n_labels = np.bincount(cell_of_pair, minlength=tree.n_nodes)
    mixed = (n_labels > 1) & (n_leaves < tree.n_children)
    of_one_class = (sizes > 1) & (sizes < tree.n_children[cell_of_pair])

    group_of_cell = _numbered(mixed, tree.n_nodes, np.arange(tree.n_nodes))
    n_before = tree.n_nodes + np.count_nonzero(mixed)
    group_of_pair = _numbered(of_one_class, n_before, group_of_cell[cell_of_pair])
    parent[leaves] = group_of_pair[of_pair]
    parents = [parent, np.flatnonzero(mixed), group_of_cell[cell_of_pair[of_one_class]]]
    return _arranged(tree, np.concatenate(parents))


def _numbered(chosen: NDArray[np.bool_], first: int, others: Ints) -> Ints:
    """Number what is chosen from ``first`` on; the others keep what they have."""
    numbers = np.array(others)
    numbers[chosen] = first + np.arange(np.count_nonzero(chosen))
    return numbers


def _arranged(tree: Tree, parent: Ints) -> Grouped:
    """Line up nodes, of which the first are those of a tree, by the parent that each has now."""
    together = np.argsort(parent, kind="stable")
    n_children = np.bincount(parent[1:], minlength=len(parent))
    first_child = 1 + np.cumsum(n_children) - n_children
    order = together[breadth_first(first_child[together], n_children[together])]
    counts = np.zeros((len(parent), tree.n_classes))
    counts[tree.leaves] = tree.counts[tree.leaves]
    numbers = np.empty(len(parent), dtype=np.int64)
    numbers[order] = np.arange(len(order))
    made = hierarchy(n_children[order].astype(np.int32), counts[order])
    return Grouped(made, numbers[: tree.n_nodes])
