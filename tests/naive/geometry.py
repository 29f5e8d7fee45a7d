"""The distance from the decision boundary as Alvarez and Bernard (2005) write it, in plain loops.

Trees are nested nodes of ``tests.naive.descend``, a missing value is None. ``labels`` has the label
of each leaf by its path. Algorithm 2 is extended by what the paper leaves open: categories, missing
values, and tests for missing values only.
"""

from math import inf, sqrt

from tests.naive.descend import branch

NO_LIMIT = 1.7976931348623157e308  # the threshold that every known value passes


def leaves(node, path=(), tests=()):
    """All leaves: their paths, and the tests on the way as (node, branch)."""
    if not node.children:
        return [(path, tests)]
    return [
        leaf
        for number, child in enumerate(node.children)
        for leaf in leaves(child, (*path, number), (*tests, (node, number)))
    ]


def distance(root, labels, row, own, scale):
    """Algorithm 1: the least distance to a leaf whose label is not ``own``."""
    others = [tests for path, tests in leaves(root) if labels[path] != own]
    return min((distance_to_leaf(row, tests, scale) for tests in others), default=inf)


def distance_to_leaf(row, tests, scale):
    """The length of the projection on a leaf, infinite where nothing leads there."""
    moved = list(row)
    costs = [0.0] * len(row)
    for node, number in tests:
        attribute = node.feature
        if node.threshold is not None:
            if not project_number(moved, node, number):
                return inf
            if row[attribute] is not None:
                costs[attribute] = abs(row[attribute] - moved[attribute]) / scale[attribute]
        elif costs[attribute] == 0.0 and branch(node, row) not in (None, number):
            costs[attribute] = 1.0 / scale[attribute]
    return sqrt(sum(cost**2 for cost in costs))


def project_number(moved, node, number):
    """Algorithm 2, line 3: where a test fails, take the threshold; whether that is possible."""
    value = moved[node.feature]
    if value is None:
        return True
    if node.threshold == NO_LIMIT:
        return number == 0
    fails = value > node.threshold if number == 0 else value <= node.threshold
    if fails:
        moved[node.feature] = node.threshold
    return True
