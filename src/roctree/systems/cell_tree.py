"""A tree of cells: where the cells are, and the class counts in each, as pruners know trees."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from roctree.data import Dataset
from roctree.labelling import Leaves
from roctree.operating import leaves_of
from roctree.pruning import CostPruningCurve, Pruner, cost_pruning_curve
from roctree.roc import Curve
from roctree.selection import pruned
from roctree.smoothing import Frequencies
from roctree.systems.cell_groups import dissolved, grouped
from roctree.systems.cell_kernels import BITS
from roctree.systems.cells import Bounds, Cells, Floats, Ints, grow, tally
from roctree.tree.passes import with_those_below
from roctree.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class CellTree:
    """Cells of some attributes' ranges, and their counts.

    Parameters
    ----------
    bounds : the range of each attribute
    cells : where the cells are, and which node of the tree each belongs to
    tree : class counts of the nodes; it has no splits
    """

    bounds: Bounds
    cells: Cells
    tree: Tree

    @classmethod
    def grown(cls, cases: Dataset, bounds: Bounds, max_level: int) -> "CellTree":
        """Return the cells that tell the classes of these cases apart."""
        addresses = bounds.addresses(cases.values, max_level)
        return cls(bounds, *grow(addresses, cases.labels, cases.weights, cases.schema.n_classes))

    def nodes(self, values: Floats) -> Ints:
        """Return the node that each row stops at: an inner one if its cell was never seen."""
        return self.cells.nodes(self.bounds.addresses(values, BITS))

    def stops(self, cases: Dataset | None = None) -> Floats:
        """Return the class counts of the cases that stop at each node; None for training."""
        tree = self.tree
        if cases is None:
            return np.where(tree.is_leaf[:, None], tree.counts, 0.0)
        nodes = self.nodes(cases.values)
        return tally(nodes, cases.labels, cases.weights, tree.n_nodes, tree.n_classes)

    def roc(self, scores: Floats, positive: int, cases: Dataset | None = None) -> Curve:
        """Return the ROC curve of the nodes by their scores; of training if there are no cases."""
        counts = self.stops(cases)
        ours = counts[:, positive]
        return Curve.from_leaves(scores, ours, counts.sum(axis=1) - ours)

    def cost_pruning_curve(
        self, pruner: Pruner, costs: Any, labels: list[Any], positive: int, cases: Dataset | None
    ) -> CostPruningCurve:
        """Return how the cells err when pruned under costs; on training if there are no cases."""
        counts, stopped = self.tree.counts, None
        if cases is not None:
            stopped = self.stops(cases)
            counts = with_those_below(self.tree, stopped)
        return cost_pruning_curve(
            self.tree, pruner, costs, counts, labels, positive, stopped=stopped
        )

    def in_groups(self) -> "CellTree":
        """Return the same cells, those that may be merged in groups."""
        together = grouped(self.tree)
        cells = self.cells.renumbered(together.numbers)
        return replace(self, cells=cells, tree=together.tree)

    def pruned(self, pruner: Pruner) -> tuple["CellTree", Ints | None]:
        """Return the cells that a pruner leaves, and the labels that costs give their nodes."""
        smaller = pruned(pruner, self.tree)
        cells, labels = self.cells.pruned(self.tree, smaller.tree), smaller.labels
        # Groups that were not merged have no cell of their own.
        idle = np.bincount(cells.node, minlength=smaller.tree.n_nodes) == 0
        tree, numbers = dissolved(smaller.tree, idle)
        if labels is not None:
            labels = labels[np.argsort(numbers)[np.count_nonzero(idle) :]]
        return replace(self, cells=cells.renumbered(numbers), tree=tree), labels

    def leaves(self, probabilities: Floats, counts: Any, positive: int) -> Leaves:
        """Return every node as a leaf with the cases that stop there, for any of them may.

        Parameters
        ----------
        probabilities : float64[nodes, classes], smoothed
        counts : "training", "smoothed", or class counts of other cases where they stop
        positive : number of the positive class
        """
        frequencies, nodes = Frequencies()(self.tree), np.arange(self.tree.n_nodes)
        if isinstance(counts, np.ndarray):
            return Leaves.from_counts(self.tree, counts, frequencies, positive, nodes)
        stopping = replace(self.tree, counts=self.stops())
        return leaves_of(stopping, probabilities, frequencies, counts, positive, nodes)
