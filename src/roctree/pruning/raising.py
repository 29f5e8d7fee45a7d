"""Subtree raising of C4.5: a node may be replaced by its largest branch.

Unlike other pruning, this needs the training cases: those of the other branches are sent down the
raised one, and decide whether that makes fewer errors.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from roctree.arrays import Floats, Ints
from roctree.data.dataset import Dataset
from roctree.errors import DataError
from roctree.tree.growth import weight_grid
from roctree.tree.tree import NO_BRANCH, Tree

ErrorEstimate = Callable[[Floats, Floats], Floats]  # (errors, cases) of a leaf -> expected errors


def raise_subtrees(tree: Tree, data: Dataset, estimate: ErrorEstimate, slack: float) -> Tree:
    """Prune a tree bottom-up, with subtree raising.

    Parameters
    ----------
    tree : Tree
        The tree.
    data : Dataset
        The cases that grew it.
    estimate : callable
        Expected errors of leaves from their errors and weights.
    slack : float
        Number of additional errors allowed for a leaf, or for a raised branch.

    Returns
    -------
    Tree
        The pruned tree; with raised branches it is not a part of the original.
    """
    return SubtreeRaising(tree, data, estimate, slack).prune()


@dataclass
class RowWeights:
    """Rows of the data, and the weight of each that reaches a node."""

    rows: Ints
    weights: Floats


@dataclass(eq=False)
class MutableNode:
    """A node that may still change: which node of the tree it splits like, and its cases."""

    origin: int
    cases: RowWeights
    counts: Floats
    children: list["MutableNode"] = field(default_factory=list)
    expected: float = 0.0


class SubtreeRaising:
    """The tree as nodes that can be changed, and the data that decide."""

    def __init__(self, tree: Tree, data: Dataset, estimate: ErrorEstimate, slack: float) -> None:
        self.tree, self.data, self.estimate, self.slack = tree, data, estimate, slack
        self.weights, self.quantum = weight_grid(data.weights)
        # Most nodes are small, and share their numbers with others.
        self.estimates: dict[tuple[float, float], float] = {}

    def prune(self) -> Tree:
        """Decide on every node from the leaves up; nodes of a raised branch are decided again."""
        root = self.build()
        if not np.allclose(root.counts, self.tree.counts[0], rtol=1e-6):
            raise DataError(
                f"Subtree raising needs the training cases, but these have the class counts "
                f"{root.counts.tolist()} instead of {self.tree.counts[0].tolist()}: give the X and "
                "y, and sample_weight, that the tree was fitted on."
            )
        pending = [(root, False)]
        while pending:
            node, below_is_done = pending.pop()
            if not node.children:
                node.expected = self.leaf_errors(node.counts)
            elif not below_is_done:
                pending.append((node, True))
                pending.extend((child, False) for child in node.children)
            elif self._replace(node):
                pending.append((node, False))
        return _freeze(self.tree, root)

    def build(self) -> MutableNode:
        """Return the root of the tree, with the cases of every node."""
        rows = np.flatnonzero(self.weights > 0.0)
        root = self._node(0, RowWeights(rows, self.weights[rows]))
        pending = [root]
        while pending:
            node = pending.pop()
            first, count = self.tree.first_child[node.origin], self.tree.n_children[node.origin]
            if count > 0:
                parts = self._divide(node.origin, node.cases)
                node.children = [
                    self._node(first + branch, part) for branch, part in enumerate(parts)
                ]
                pending.extend(node.children)
        return root

    def _replace(self, node: MutableNode) -> bool:
        """Make a node a leaf, raise its largest branch, or keep it; return True if raised."""
        largest = largest_branch(node)
        as_leaf = self.leaf_errors(node.counts)
        as_tree = sum(child.expected for child in node.children)
        as_branch = self.branch_errors(largest, node.cases)
        if as_leaf <= as_tree + self.slack and as_leaf <= as_branch + self.slack:
            node.children, node.expected = [], as_leaf
            return False
        if as_branch > as_tree + self.slack:
            node.expected = as_tree
            return False
        node.origin, node.children = largest.origin, largest.children
        self._redistribute(node)
        return True

    def _redistribute(self, node: MutableNode) -> None:
        """Send the cases of a node down its current branches."""
        pending = [node]
        while pending:
            above = pending.pop()
            if above.children:
                parts = self._divide(above.origin, above.cases)
                for child, part in zip(above.children, parts, strict=True):
                    child.cases, child.counts = part, self._count(part)
                pending.extend(above.children)

    def branch_errors(self, branch: MutableNode, cases: RowWeights) -> float:
        """Return the expected errors of a branch on other cases."""
        total, pending = 0.0, [(branch, cases)]
        while pending:
            node, part = pending.pop()
            if node.children:
                parts = self._divide(node.origin, part)
                pending.extend(zip(node.children, parts, strict=True))
            else:
                total += self.leaf_errors(self._count(part))
        return total

    def leaf_errors(self, counts: Floats) -> float:
        """Return the expected errors of a leaf with these class counts."""
        total = float(counts.sum())
        wrong = total - float(counts.max())
        if (wrong, total) not in self.estimates:
            found = self.estimate(np.array([wrong]), np.array([total]))
            self.estimates[wrong, total] = float(found[0])
        return self.estimates[wrong, total]

    def _divide(self, origin: int, cases: RowWeights) -> list[RowWeights]:
        """Divide cases among the branches of a split, missing values by the rule of the split."""
        tree = self.tree
        branch = self._branches(origin, cases.rows)
        branch[branch == NO_BRANCH] = tree.missing_branch[origin]
        known = branch != NO_BRANCH
        n_branches = int(tree.n_children[origin])
        if known.all():
            return [
                RowWeights(cases.rows[branch == b], cases.weights[branch == b])
                for b in range(n_branches)
            ]
        sizes = np.bincount(branch[known], cases.weights[known], minlength=n_branches)
        first = tree.first_child[origin]
        shares = sizes / sizes.sum() if sizes.any() else tree.share[first : first + n_branches]
        divided = []
        for number in range(n_branches):
            weights = np.where(known, np.where(branch == number, 1.0, 0.0), shares[number])
            # On the grid of all weights, sums do not depend on the order of rows.
            weights = np.rint(weights * cases.weights / self.quantum) * self.quantum
            divided.append(RowWeights(cases.rows[weights > 0.0], weights[weights > 0.0]))
        return divided

    def _branches(self, origin: int, rows: Ints) -> Ints:
        """Return the branch of each row, -1 if its value is missing or was not seen in training."""
        tree = self.tree
        values = self.data.values[rows, tree.feature[origin]]
        if not np.isnan(tree.threshold[origin]):
            above = (values > tree.threshold[origin]).astype(np.int64)
            return np.where(np.isnan(values), NO_BRANCH, above)
        begin, end = tree.category_offsets[origin : origin + 2]
        known = ~np.isnan(values) & (values < end - begin)
        codes = np.where(known, values, 0.0).astype(np.int64)
        branches = tree.category_branch[begin:end].astype(np.int64)[codes]
        return np.asarray(np.where(known, branches, NO_BRANCH))

    def _node(self, origin: int, cases: RowWeights) -> MutableNode:
        return MutableNode(int(origin), cases, self._count(cases))

    def _count(self, cases: RowWeights) -> Floats:
        labels = self.data.labels[cases.rows]
        return np.asarray(np.bincount(labels, cases.weights, minlength=self.tree.n_classes) * 1.0)


def largest_branch(node: MutableNode) -> MutableNode:
    """Return the child with the largest weight; the last if tied, up to 1e-6, as C4.5 does."""
    best, most = node.children[0], -np.inf
    for child in node.children:
        weight = child.counts.sum()
        if weight > most - 1e-6:
            best, most = child, weight
    return best


def _freeze(tree: Tree, root: MutableNode) -> Tree:
    """Return the nodes in breadth-first order, with the splits of the tree and their own counts."""
    nodes, level = [root], [root]
    while level:
        level = [child for node in level for child in node.children]
        nodes.extend(level)
    origins = np.array([node.origin for node in nodes])
    leaf = np.array([not node.children for node in nodes])
    sizes = np.where(leaf, 0, np.diff(tree.category_offsets)[origins])
    tables = [
        tree.category_branch[tree.category_offsets[origin] : tree.category_offsets[origin + 1]]
        for origin in origins[~leaf]
    ]
    return Tree(
        n_children=np.array([len(node.children) for node in nodes], dtype=np.int32),
        feature=np.where(leaf, -1, tree.feature[origins]).astype(np.int32),
        threshold=np.where(leaf, np.nan, tree.threshold[origins]),
        category_branch=np.concatenate([np.empty(0, np.int16), *tables]),
        category_offsets=np.append(0, np.cumsum(sizes)).astype(np.int32),
        missing_branch=np.where(leaf, NO_BRANCH, tree.missing_branch[origins]).astype(np.int16),
        counts=np.array([node.counts for node in nodes]),
        softness=np.where(leaf, 0.0, tree.softness[origins]),
        gain=np.where(leaf, 0.0, tree.gain[origins]),
    )
