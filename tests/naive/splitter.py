"""Every split of a node, and a grower that tries them all.

For complete data. Columns are lists; a nominal column holds category codes. Scores are those of
``criteria``: a function of a table, the higher the better.
"""

from dataclasses import dataclass
from itertools import combinations, pairwise

# Scores that are floats may differ in their last bits where the definitions say they are equal.
TIE = 1e-12


@dataclass
class Node:
    rows: list
    counts: list
    feature: int | None = None
    threshold: float | None = None  # of a numeric feature: left when value <= threshold
    left_codes: frozenset | None = None  # of a nominal feature: left when the code is in here
    improvement: float | None = None
    left: "Node | None" = None
    right: "Node | None" = None


def thresholds(values):
    """The midpoints between neighbouring distinct values."""
    distinct = sorted(set(values))
    for low, high in pairwise(distinct):
        middle = low + (high - low) / 2
        yield middle if middle < high else low


def subsets(codes):
    """The left sides of the two-branch splits of a nominal column, each split once."""
    first, *others = sorted(set(codes))
    for size in range(len(others)):
        for chosen in combinations(others, size):
            yield frozenset((first, *chosen))


def class_counts(rows, labels, n_classes, weights=None):
    counts = [0] * n_classes
    for row in rows:
        counts[labels[row]] += 1 if weights is None else weights[row]
    return counts


def splits(column, rows, nominal):
    """Every (cut, rows on the left, rows on the right); the cut is a threshold or a set."""
    values = [column[row] for row in rows]
    for cut in subsets(values) if nominal else thresholds(values):
        left = [row for row in rows if (column[row] in cut if nominal else column[row] <= cut)]
        yield cut, left, [row for row in rows if row not in set(left)]


def best_split(columns, labels, n_classes, score, rows, nominal=(), min_leaf=1, weights=None):
    """The best (improvement, feature, cut, left, right): the first of equals, or None."""
    node = score([class_counts(rows, labels, n_classes, weights)])
    best = None
    for feature, column in enumerate(columns):
        for cut, left, right in splits(column, rows, feature in nominal):
            table = [class_counts(side, labels, n_classes, weights) for side in (left, right)]
            if min(map(sum, table)) < min_leaf:
                continue
            gain = score(table) - node
            if gain > TIE and (best is None or gain > best[0] + TIE):
                best = gain, feature, cut, left, right
    return best


def best_gain_with_gaps(columns, labels, n_classes, score, joins, weights):
    """The best improvement by numeric columns with missing values (None), or 0.

    If they join a branch, both are tried, and a branch of their own; else they have no part in the
    score of a split, which counts by the share of the known cases.
    """
    rows, best = range(len(labels)), 0.0
    for column in columns:
        known = [row for row in rows if column[row] is not None]
        unknown = [row for row in rows if column[row] is None]
        counted = rows if joins else known
        before = class_counts(counted, labels, n_classes, weights)
        pairs = [(left, right) for _, left, right in splits(column, known, nominal=False)]
        if joins:
            pairs = [
                sides
                for left, right in pairs
                for sides in ((left + unknown, right), (left, right + unknown))
            ]
            pairs += [(known, unknown)] if known and unknown else []
        for sides in pairs:
            table = [class_counts(side, labels, n_classes, weights) for side in sides]
            share = sum(before) / sum(class_counts(rows, labels, n_classes, weights))
            best = max(best, share * float(score(table) - score([before])))
    return best


def grow(
    columns,
    labels,
    n_classes,
    score,
    nominal=(),
    min_leaf=1,
    max_depth=None,
    weights=None,
    rows=None,
):
    rows = list(range(len(labels))) if rows is None else rows
    node = Node(rows, class_counts(rows, labels, n_classes, weights))
    if max_depth == 0 or sum(count > 0 for count in node.counts) < 2:
        return node
    best = best_split(columns, labels, n_classes, score, rows, nominal, min_leaf, weights)
    if best is None:
        return node
    node.improvement, node.feature, cut, left, right = best
    if node.feature in nominal:
        node.left_codes = cut
    else:
        node.threshold = cut
    deeper = None if max_depth is None else max_depth - 1
    options = (columns, labels, n_classes, score, nominal, min_leaf, deeper, weights)
    node.left, node.right = grow(*options, left), grow(*options, right)
    return node


def leaves(node):
    return [node] if node.feature is None else leaves(node.left) + leaves(node.right)


def leaf_of(node, row):
    """The leaf that a row of features falls into."""
    while node.feature is not None:
        value = row[node.feature]
        goes_left = value in node.left_codes if node.left_codes else value <= node.threshold
        node = node.left if goes_left else node.right
    return node
