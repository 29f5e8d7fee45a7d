"""The nested trees of weakest-link pruning by the area under the ROC curve.

The score of a node is a number of its own, whatever is pruned elsewhere; so all nodes, leaves or
not, have a rank from the start. With the sums of positives and negatives of the leaves up to each
rank, the exact loss of area by making a leaf of a node takes no more than a look at the leaves
below it. The node that loses least for each leaf saved is taken, then what has changed for those
above is found anew; and so on. What a node loses depends on all others too, but little: these sums
are kept until an eighth of the leaves is gone. Below sixteen leaves that is each time, and every
loss exact. Only nodes of few leaves, or of none but their children, are looked at; others wait
until they are such.

Losses for a leaf do not rise along the way as errors do in cost-complexity pruning, since pairs
that two new leaves put out of order count only when both are there. So a tree of the path is known
by its size, not by a price.
"""

from dataclasses import dataclass

import numpy as np

from roctree._jit import compiled
from roctree.pruning.auc_kernels import FEW, STEP, new_links, prune
from roctree.tree.passes import Flags, Floats, Ints
from roctree.tree.tree import Tree


@dataclass(frozen=True)
class AUCPath:
    """The trees of pruning by area, from the whole tree down, a step for each.

    Parameters
    ----------
    n_leaves : int64[steps], leaves of each tree, falling
    step : int64[nodes], the step from which on each node is a leaf: 0 at leaves, the number of
        steps for nodes that never are
    """

    n_leaves: Ints
    step: Ints

    def final(self, step: int) -> Flags:
        """Return which nodes are leaves, or below one, at a step."""
        return np.asarray(self.step <= step)

    def first_within(self, max_leaves: int) -> int:
        """Return the first step with no more leaves than these."""
        return int(np.searchsorted(-self.n_leaves, -max_leaves))


def auc_path(tree: Tree, ranks: Ints, least: int = 1) -> AUCPath:
    """Return the nested trees of a tree, down to the first of so few leaves.

    Parameters
    ----------
    tree : the tree
    ranks : int64[nodes, classes], rank of each node by its score for each class
    least : how many leaves are few enough
    """
    masses, columns = _masses(tree)
    # What is looked up together lies together: a leaf has all its ranks in one place.
    of_class = np.ascontiguousarray(ranks[:, columns])
    links = new_links(tree)
    room = np.zeros((3, 2 * max(FEW, int(tree.n_children.max()))), dtype=np.int64)
    sums = np.zeros((len(columns), int(of_class.max()) + 1, 2))
    n_leaves = np.zeros(int(np.count_nonzero(~tree.is_leaf)) + 1, dtype=np.int64)
    key = np.zeros(tree.n_nodes)
    n_steps = 1 + compiled(prune)(least, links, of_class, masses, sums, key, n_leaves, room)
    step = np.where(tree.is_leaf | (links[STEP] > 0), links[STEP], n_steps)
    return AUCPath(n_leaves[:n_steps], step)


def _masses(tree: Tree) -> tuple[Floats, Ints]:
    """Return what counts at each node, and the classes to be ranked.

    The masses are those of each ranked class, and last the sum of these and their rivals. Two
    classes need one ranking, and their counts as they are: sums of these are exact. More are
    ranked each against the others, and all weigh the same, which is Hand and Till's M.
    """
    totals = tree.counts[0]
    columns = np.flatnonzero(totals > 0.0) if totals.any() else np.zeros(1, dtype=np.int64)
    if len(columns) <= 2:
        masses = np.column_stack([tree.counts[:, columns[-1]], tree.weight])
        return masses, columns[-1:]
    shares = tree.counts[:, columns] / totals[columns]
    return np.ascontiguousarray(np.column_stack([shares, shares.sum(axis=1)])), columns
