"""A tree of nested nodes, descended by recursion.

A missing value is None. A path is the tuple of branches that leads from the root to a node.
"""

from dataclasses import dataclass, field


@dataclass
class Node:
    counts: list  # weight of each class; filled in at inner nodes by ``add_counts``
    feature: int = -1
    threshold: float | None = None  # of a numeric split: branch 0 when value <= threshold
    branch_of: list | None = None  # of a nominal split: the branch of each code, -1 if not seen
    missing: int = -1
    softness: float = 0.0
    children: list = field(default_factory=list)

    @property
    def weight(self):
        return sum(self.counts)


def add_counts(node):
    """Give every inner node the sum of its children's counts."""
    if node.children:
        node.counts = [sum(column) for column in zip(*map(add_counts, node.children), strict=True)]
    return node.counts


def breadth_first(root):
    """All nodes with their paths, level by level."""
    level, found = [((), root)], []
    while level:
        found += level
        level = [
            ((*path, branch), child)
            for path, node in level
            for branch, child in enumerate(node.children)
        ]
    return found


def branch(node, row):
    """The branch that a row takes, or None if it is divided because a value is missing."""
    value = row[node.feature]
    if value is not None and node.threshold is not None:
        return 0 if value <= node.threshold else 1
    if value is not None and 0 <= value < len(node.branch_of) and node.branch_of[int(value)] >= 0:
        return node.branch_of[int(value)]
    return node.missing if node.missing >= 0 else None


def branch_parts(node, row, soft, part):
    """How much of a part of a row goes to each branch; a thousandth of it is not split."""
    value = row[node.feature]
    if soft and node.softness > 0 and value is not None:
        below = (node.threshold + node.softness - value) / (2 * node.softness)
        if part * min(below, 1.0 - below) >= 0.001:
            return [below, 1.0 - below]
    taken = branch(node, row)
    if taken is not None:
        return [1.0 if i == taken else 0.0 for i in range(len(node.children))]
    weights = [child.weight for child in node.children]
    if sum(weights) == 0:
        weights = [1.0] * len(weights)
    return [weight / sum(weights) for weight in weights]


def parts(node, row, soft=True, path=(), part=1.0):
    """All nodes that a row reaches: path -> the part of the row that arrives there."""
    reached = {path: part}
    if node.children:
        for i, share in enumerate(branch_parts(node, row, soft, part)):
            if share > 0:
                reached.update(parts(node.children[i], row, soft, (*path, i), part * share))
    return reached


def single_path(node, row):
    """The path of a row that follows the heaviest branch, the first of equals, if divided."""
    if not node.children:
        return ()
    taken = branch(node, row)
    if taken is None:
        weights = [child.weight for child in node.children]
        taken = weights.index(max(weights))
    return (taken, *single_path(node.children[taken], row))
