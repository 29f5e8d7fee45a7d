"""Stadler and Corlett's tree, as their program grows it: every case's value is a threshold.

Two classes. Of equal thresholds the first visited wins, so that the order of visits matters.
"""

from dataclasses import dataclass


@dataclass
class Node:
    counts: tuple
    feature: int | None = None
    threshold: float | None = None
    left: "Node | None" = None
    right: "Node | None" = None


def f_score(hits, wrong, missed):
    return 2 * hits / (2 * hits + wrong + missed) if hits else 0.0


def side_f(here, there):
    positive = int(here[1] > here[0])
    return f_score(here[positive], here[1 - positive], there[positive])


def change(left, right):
    counts = [a + b for a, b in zip(left, right, strict=True)]
    before = f_score(max(counts), min(counts), 0)
    after = sum(left) * side_f(left, right) + sum(right) * side_f(right, left)
    return abs(before - after / sum(counts))


def count(labels):
    return len(labels) - sum(labels), sum(labels)


def best_split(rows, labels, visit):
    best, best_change = None, -1.0
    for feature in range(len(rows[0])):
        column = [row[feature] for row in rows]
        for threshold in visit(column):
            pairs = list(zip(column, labels, strict=True))
            left = count([label for value, label in pairs if value <= threshold])
            right = count([label for value, label in pairs if value > threshold])
            if sum(right) and change(left, right) > best_change:
                best, best_change = (feature, threshold), change(left, right)
    return best


def grow(rows, labels, leaf_size, max_depth, visit):
    """``visit`` puts the values of a column in the order in which they are tried."""
    node = Node(count(labels))
    if len(labels) <= leaf_size or min(node.counts) == 0 or max_depth == 0:
        return node
    best = best_split(rows, labels, visit)
    if best is None:
        return node
    node.feature, node.threshold = best
    goes_left = [row[node.feature] <= node.threshold for row in rows]
    for name, side in (("left", True), ("right", False)):
        chosen = [i for i, left in enumerate(goes_left) if left is side]
        part = [rows[i] for i in chosen], [labels[i] for i in chosen]
        setattr(node, name, grow(*part, leaf_size, max_depth - 1, visit))
    return node


def leaf_counts(node, row):
    while node.feature is not None:
        node = node.left if row[node.feature] <= node.threshold else node.right
    return node.counts
