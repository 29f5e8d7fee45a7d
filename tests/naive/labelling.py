"""All labellings of some leaves, one by one; a table has a row of class counts for each leaf."""

from itertools import product


def all_labellings(n_leaves, n_classes=2):
    return list(product(range(n_classes), repeat=n_leaves))


def positives_of(table, labels, positive=1):
    """False and true positives: cases of each class in leaves that are labelled positive."""
    chosen = [row for row, label in zip(table, labels, strict=True) if label == positive]
    return sum(row[1 - positive] for row in chosen), sum(row[positive] for row in chosen)


def all_points(table, positive=1):
    """The false and true positives of every labelling."""
    return {positives_of(table, labels, positive) for labels in all_labellings(len(table))}


def upper_hull(points):
    """The corners of the least concave curve above all points, from the first to the last."""
    corners = []
    for point in sorted(points):
        while len(corners) > 1 and not _turns_right(corners[-2], corners[-1], point):
            corners.pop()
        if corners and corners[-1][0] == point[0] and len(corners) > 1:
            corners.pop()
        corners.append(point)
    return corners


def _turns_right(first, second, third):
    rise = (second[1] - first[1]) * (third[0] - first[0])
    run = (third[1] - first[1]) * (second[0] - first[0])
    return rise > run


def cost(table, labels, matrix, weights=None):
    """What all cases together cost: matrix[predicted][true], each class so many times as often."""
    total = 0
    for row, label in zip(table, labels, strict=True):
        for true, count in enumerate(row):
            total += count * (1 if weights is None else weights[true]) * matrix[label][true]
    return total


def least_cost(table, matrix, weights=None):
    """The cost of the cheapest of all labellings."""
    every = all_labellings(len(table), len(matrix))
    return min(cost(table, labels, matrix, weights) for labels in every)


def f_beta(table, labels, beta, weights=(1, 1), positive=1):
    """The F-measure: 0 where nothing is found."""
    alarms, hits = positives_of(table, labels, positive)
    alarms, hits = alarms * weights[1 - positive], hits * weights[positive]
    misses = sum(row[positive] for row in table) * weights[positive] - hits
    below = (1 + beta**2) * hits + beta**2 * misses + alarms
    return (1 + beta**2) * hits / below if hits else 0


def best_f_beta(table, beta, weights=(1, 1), positive=1):
    every = all_labellings(len(table))
    return max(f_beta(table, labels, beta, weights, positive) for labels in every)
