"""C4.5's subtree raising: the heaviest branch in place of the node, if it errs less on its cases.

Unlike all other pruning this needs the training cases, which go down other branches than before.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data.dataset import Dataset
from roctree.errors import DataError
from roctree.tree.growth import weight_grid
from roctree.tree.passes import Floats
from roctree.tree.tree import NO_BRANCH, Tree

Estimate = Callable[[Floats, Floats], Floats]
Rows = NDArray[np.int64]

# Branches whose weights differ by less are equally heavy; the last of them counts.
_EQUAL = 1e-6


@dataclass
class Cases:
    """Rows of the data, and the part of each that has come."""

    rows: Rows
    weights: Floats


@dataclass(eq=False)
class Node:
    """A node while it may still change: the split of a node of the tree, and its cases."""

    origin: int
    cases: Cases
    counts: Floats
    children: list["Node"] = field(default_factory=list)
    expected: float = 0.0


def raise_subtrees(tree: Tree, data: Dataset, estimate: Estimate, slack: float) -> Tree:
    """Prune a tree from below, with raising.

    Parameters
    ----------
    tree : the tree
    data : the cases that have grown it
    estimate : expected errors from the errors and the weight of a leaf
    slack : how much more a leaf, or a raised branch, may err
    """
    surgeon = _Surgeon(tree, data, estimate, slack)
    return surgeon.operate()


class _Surgeon:
    """The tree as nodes that can be changed, and the data that decide."""

    def __init__(self, tree: Tree, data: Dataset, estimate: Estimate, slack: float) -> None:
        self.tree, self.data, self.estimate, self.slack = tree, data, estimate, slack
        self.weights, self.quantum = weight_grid(data.weights)
        # Most nodes are small, and have the numbers of others.
        self.known: dict[tuple[float, float], float] = {}

    def operate(self) -> Tree:
        root = self._built()
        self._check_cases(root)
        pending = [(root, False)]
        while pending:
            node, below_is_done = pending.pop()
            if not node.children:
                node.expected = self._errors(node.counts)
            elif not below_is_done:
                pending.append((node, True))
                pending.extend((child, False) for child in node.children)
            elif self._raised(node):
                pending.append((node, False))
        return _arrays(self.tree, root)

    def _check_cases(self, root: Node) -> None:
        if not np.allclose(root.counts, self.tree.counts[0], rtol=1e-6):
            raise DataError(
                f"Subtrees are raised by the training cases, and these have the class counts "
                f"{root.counts.tolist()} instead of {self.tree.counts[0].tolist()}: give the X and "
                "y, and sample_weight, that the tree was fitted on."
            )

    def _raised(self, node: Node) -> bool:
        """Decide on a node whose branches are pruned: leaf, raised branch, or as it is."""
        heaviest = _heaviest(node)
        as_leaf = self._errors(node.counts)
        as_tree = sum(child.expected for child in node.children)
        as_branch = self._errors_of(heaviest, node.cases)
        if as_leaf <= as_tree + self.slack and as_leaf <= as_branch + self.slack:
            node.children, node.expected = [], as_leaf
            return False
        if as_branch > as_tree + self.slack:
            node.expected = as_tree
            return False
        node.origin, node.children = heaviest.origin, heaviest.children
        self._send(node)
        return True

    def _built(self) -> Node:
        """The tree with all its cases; without this everyone would know only counts."""
        rows = np.flatnonzero(self.weights > 0.0)
        root = self._node(0, Cases(rows, self.weights[rows]))
        pending = [root]
        while pending:
            node = pending.pop()
            first, count = self.tree.first_child[node.origin], self.tree.n_children[node.origin]
            if count > 0:
                parts = self._parts(node.origin, node.cases)
                node.children = [
                    self._node(first + branch, part) for branch, part in enumerate(parts)
                ]
                pending.extend(node.children)
        return root

    def _send(self, node: Node) -> None:
        """Send the cases of a node down the branches it has by now."""
        pending = [node]
        while pending:
            above = pending.pop()
            if above.children:
                parts = self._parts(above.origin, above.cases)
                for child, part in zip(above.children, parts, strict=True):
                    child.cases, child.counts = part, self._counted(part)
                pending.extend(above.children)

    def _errors_of(self, branch: Node, cases: Cases) -> float:
        """The expected errors of a branch if other cases came to it."""
        total, pending = 0.0, [(branch, cases)]
        while pending:
            node, part = pending.pop()
            if node.children:
                parts = self._parts(node.origin, part)
                pending.extend(zip(node.children, parts, strict=True))
            else:
                total += self._errors(self._counted(part))
        return total

    def _parts(self, origin: int, cases: Cases) -> Sequence[Cases]:
        """Divide cases among the branches of a split; missing values as the split says."""
        tree = self.tree
        branch = self._branches(origin, cases.rows)
        branch[branch == NO_BRANCH] = tree.missing_branch[origin]
        known = branch != NO_BRANCH
        n_branches = int(tree.n_children[origin])
        if known.all():
            return [
                Cases(cases.rows[branch == b], cases.weights[branch == b])
                for b in range(n_branches)
            ]
        heavy = np.bincount(branch[known], cases.weights[known], minlength=n_branches)
        first = tree.first_child[origin]
        shares = heavy / heavy.sum() if heavy.any() else tree.share[first : first + n_branches]
        divided = []
        for number in range(n_branches):
            weights = np.where(known, np.where(branch == number, 1.0, 0.0), shares[number])
            # On the grid of all weights sums do not depend on the order of the rows.
            weights = np.rint(weights * cases.weights / self.quantum) * self.quantum
            divided.append(Cases(cases.rows[weights > 0.0], weights[weights > 0.0]))
        return divided

    def _branches(self, origin: int, rows: Rows) -> NDArray[Any]:
        """The branch of each row, -1 where its value is missing or was not seen."""
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

    def _node(self, origin: int, cases: Cases) -> Node:
        return Node(int(origin), cases, self._counted(cases))

    def _counted(self, cases: Cases) -> Floats:
        labels = self.data.labels[cases.rows]
        return np.asarray(np.bincount(labels, cases.weights, minlength=self.tree.n_classes) * 1.0)

    def _errors(self, counts: Floats) -> float:
        total = float(counts.sum())
        wrong = total - float(counts.max())
        if (wrong, total) not in self.known:
            found = self.estimate(np.array([wrong]), np.array([total]))
            self.known[wrong, total] = float(found[0])
        return self.known[wrong, total]


def _heaviest(node: Node) -> Node:
    best, most = node.children[0], -np.inf
    for child in node.children:
        weight = child.counts.sum()
        if weight > most - _EQUAL:
            best, most = child, weight
    return best


def _arrays(tree: Tree, root: Node) -> Tree:
    """The nodes in breadth-first order, with the splits of the tree and their own counts."""
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
