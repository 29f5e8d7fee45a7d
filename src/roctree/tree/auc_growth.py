"""Growth by the area under the ROC curve of the whole tree.

Of all leaves that could be split, that one is split next which raises the area most: a split that
tells classes apart in a leaf among the others of its probability counts for more than one whose
leaves stay at the end of the ranking. With more than two classes it is the mean area of all pairs,
each ranked by its own two classes, so that a split never lowers it. How a leaf is split is the
criterion's choice, hence the tree is part of the one that growth without a limit makes.

The rank of a node among all nodes is known from the start. What a split changes are pairs of cases
of the leaf with each other, and with cases of leaves that rank between its children.
"""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.tree.auc_growth_kernels import open_leaves
from roctree.tree.shape import cut
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def largest_area(tree: Tree, max_leaves: int) -> Tree:
    """Return the part of a tree that growth by area makes, with at most so many leaves.

    Of leaves that raise the area as much the one with the largest gain times weight is split, the
    first on ties. A leaf whose split would make too many stays one, and the next best is tried.
    """
    totals = tree.counts[0]
    present = np.flatnonzero(totals > 0.0)
    pairs = np.array(list(combinations(present, 2)), dtype=np.int64).reshape(-1, 2)
    ranks = _ranks(tree.counts, pairs)
    final = np.ones(tree.n_nodes, dtype=np.bool_)
    compiled(open_leaves)(
        max_leaves,
        np.array([tree.first_child, tree.n_children], dtype=np.int64),
        tree.counts / np.where(totals > 0.0, totals, 1.0),
        tree.gain * tree.weight,
        pairs,
        ranks,
        np.zeros((len(pairs), 2, int(ranks.max(initial=0)) + 1)),
        np.empty(tree.n_nodes, dtype=np.int64),
        final,
    )
    return cut(tree, final)


def _ranks(counts: Floats, pairs: Ints) -> Ints:
    """Return the rank of each node by its share of the first of two classes, from 1."""
    ranks = np.ones((len(pairs), len(counts)), dtype=np.int64)
    for place, (one, two) in enumerate(pairs):
        both = counts[:, one] + counts[:, two]
        share = np.divide(counts[:, one], both, out=np.full(len(counts), 0.5), where=both > 0.0)
        ranks[place] += np.unique(share, return_inverse=True)[1]
    return ranks
