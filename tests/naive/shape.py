"""Trees as nested nodes, and what may be made of them, by recursion."""

from dataclasses import dataclass, field, replace

SLACK = 0.001  # C4.5's: a leaf may err by so much more than its subtree


@dataclass
class Node:
    counts: list
    children: list = field(default_factory=list)
    feature: int = -1
    threshold: float = float("nan")
    categories: list = field(default_factory=list)  # the branch of each
    missing: int = -1
    softness: float = 0.0
    gain: float = 0.0

    @property
    def weight(self):
        return sum(self.counts)

    @property
    def errors(self):
        return self.weight - max(self.counts)


def breadth_first(root):
    nodes = [root]
    for node in nodes:
        nodes.extend(node.children)
    return nodes


def cut(node, final):
    """Nodes for which ``final`` holds become leaves."""
    if final(node) or not node.children:
        return Node(node.counts)
    return replace(node, children=[cut(child, final) for child in node.children])


def collapse(node):
    children = [collapse(child) for child in node.children]
    if not children or sum(map(leaf_errors, children)) >= node.errors - SLACK:
        return Node(node.counts)
    return replace(node, children=children)


def leaf_errors(node):
    return sum(map(leaf_errors, node.children)) if node.children else node.errors


def best_first(root, max_leaves):
    numbers = {id(node): number for number, node in enumerate(breadth_first(root))}
    opened, leaves = set(), [root]
    while True:
        room = max_leaves - len(leaves) + 1
        openable = [node for node in leaves if node.children and len(node.children) <= room]
        if not openable:
            break
        node = max(openable, key=lambda node: (node.gain * node.weight, -numbers[id(node)]))
        opened.add(id(node))
        leaves = [leaf for leaf in leaves if leaf is not node] + node.children
    return cut(root, lambda node: id(node) not in opened)


def observed_thresholds(root, columns):
    """Each threshold becomes the largest value in its column that is not above it."""
    children = [observed_thresholds(child, columns) for child in root.children]
    moved = replace(root, children=children)
    if root.children and not root.categories:
        below = [value for value in columns[root.feature] if value <= root.threshold]
        moved.threshold = max(below)
    return moved


def node_thresholds(root, rows):
    """Each threshold becomes the largest value on its left among the rows that reach the node."""
    branches = [[row for row in rows if i in reached(root, row)] for i in range(len(root.children))]
    children = [node_thresholds(*pair) for pair in zip(root.children, branches, strict=True)]
    moved = replace(root, children=children)
    if root.children and not root.categories:
        known = [row[root.feature] for row in rows if row[root.feature] is not None]
        moved.threshold = max((v for v in known if v <= root.threshold), default=root.threshold)
    return moved


def reached(node, row):
    """The branches that a row takes: all of them if its value is missing and none is for that."""
    value, found = row[node.feature], -1
    if value is not None and not node.categories:
        found = int(value > node.threshold)
    elif value is not None and value < len(node.categories):
        found = node.categories[int(value)]
    found = node.missing if found < 0 else found
    return range(len(node.children)) if found < 0 else [found]
