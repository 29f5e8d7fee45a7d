"""The distance from the decision boundary as Alvarez and Bernard (2005) write it, in plain loops.

Trees are nested nodes of ``tests.naive.descend``, a missing value is None. ``labels`` has the label
of each leaf by its path. Algorithm 2 is extended by what the paper leaves open: categories, missing
values, and tests for missing values only. ``least_change`` has no boxes and no projection: it tries
values.
"""

from math import inf, nextafter, sqrt

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


def least_change(root, labels, row, wanted, scale, allowed):
    """The least distance to a leaf with a wanted label, by trying every value that could matter.

    ``allowed`` has for each attribute what it may change to: a pair of numbers, a list of codes, or
    None if it cannot change.
    """
    totals = [inf]
    for path, tests in leaves(root):
        if labels[path] in wanted:
            squares = [
                attribute_cost(attribute, row, tests, scale[attribute], allowed[attribute]) ** 2
                for attribute in {node.feature for node, _ in tests}
            ]
            totals.append(sqrt(sum(squares)))
    return min(totals)


def attribute_cost(attribute, row, tests, scale, allowed):
    """What an attribute must move by for all its tests on the way to a leaf to be passed."""
    own = [(node, number) for node, number in tests if node.feature == attribute]

    def passes(value):
        changed = [*row[:attribute], value, *row[attribute + 1 :]]
        return all(branch(node, changed) == number for node, number in own)

    value = row[attribute]
    if passes(value):
        return 0.0
    if own[0][0].threshold is None:
        options = [code for code in allowed or [] if passes(code)]
        elsewhere = any(branch(node, row) not in (None, number) for node, number in own)
        return inf if not options else elsewhere / scale
    cuts = [node.threshold for node, _ in own]
    ends = [] if allowed is None else [*cuts, *(nextafter(cut, inf) for cut in cuts), *allowed, 0.0]
    finite = [each for each in ends if abs(each) < inf and allowed[0] <= each <= allowed[1]]
    options = [each for each in finite if passes(each)]
    if value is None:
        return 0.0 if options else inf
    return min((abs(value - each) / scale for each in options), default=inf)
