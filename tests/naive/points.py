"""Points beside a tree, as plainly as possible: one row and one column at a time.

A column is (attribute, kind, where): "value" is the standardised number, "hinge" what is beyond a
bend, "category" and "missing" are 0 or 1.
"""

import math
from itertools import combinations, pairwise


def column_value(row, column, means, deviations, ranges):
    attribute, kind, where = column
    value = row[attribute]
    absent = value is None or math.isnan(value)
    if kind == "missing":
        return 1.0 if absent else 0.0
    if absent:
        return 0.0
    if kind == "category":
        return 1.0 if value in where else 0.0
    low, high = ranges[attribute]
    value = min(max(value, low), high)
    if kind == "value":
        return (value - means[attribute]) / deviations[attribute]
    return max(value - where, 0.0) / deviations[attribute]


def probabilities(shares, weight, intercept, coefficients, columns):
    """Probabilities of a row from those of its tree and the values of its columns."""
    scores = []
    for label, share in enumerate(shares):
        score = weight * math.log(max(share, 1e-3)) + intercept[label]
        for coefficient, value in zip(coefficients[label], columns, strict=True):
            score += coefficient * value
        scores.append(score)
    most = max(scores)
    powers = [math.exp(score - most) for score in scores]
    return [power / sum(powers) for power in powers]


def objective(cases, weight, intercept, coefficients, penalty, free):
    """Penalised log-loss of cases (shares, columns, label, weight)."""
    total = 0.0
    for shares, columns, label, count in cases:
        found = probabilities(shares, weight, intercept, coefficients, columns)
        total -= count * math.log(found[label])
    for row in coefficients:
        total += penalty / 2.0 * sum(value * value for value in row)
    return total + (0.5 * (weight - 1.0) ** 2 if free else 0.0)


def ranges(points, weights, most, left_out):
    """Where ranges of consecutive values begin that keep most of the spread of their points.

    All divisions into one range, into two and so on are tried, until at most a part of the spread
    is left out.
    """

    def spread(begin, end):
        own = list(zip(weights[begin:end], points[begin:end], strict=True))
        mean = sum(w * p for w, p in own) / sum(w for w, _ in own)
        return sum(w * (p - mean) ** 2 for w, p in own)

    size = len(points)
    for count in range(1, most + 1):
        divisions = [(0, *cuts, size) for cuts in combinations(range(1, size), count - 1)]
        left = [sum(spread(a, b) for a, b in pairwise(cuts)) for cuts in divisions]
        if min(left) <= left_out * spread(0, size):
            break
    return divisions[left.index(min(left))][:-1]


def added_up(case, table, letter):
    """The sum of whole points of a case, read off a table (attribute, value, points) as by hand."""
    total = 0
    for attribute, value, points in table:
        if attribute == "(leaf)":
            counts = value == letter
        else:
            counts = attribute == "(every case)" or fits(case[attribute], value)
        total += points if counts else 0
    return total


def fits(value, words):
    """Whether a value is what a line of the table says, such as "2 to < 5", ">= 5" or "female"."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return words == "missing"
    if isinstance(value, str) or words == "missing":
        return words == value
    if words.startswith("<"):
        return value < float(words[2:])
    if words.startswith(">="):
        return value >= float(words[3:])
    low, high = words.split(" to < ")
    return float(low) <= value < float(high)


def mean_log_loss(shares, labels, weights):
    total = sum(
        -weight * math.log(max(row[label], 1e-3))
        for row, label, weight in zip(shares, labels, weights, strict=True)
    )
    return total / sum(weights)


def promise(cases, columns, penalty):
    """First derivative squared by the second one, of each column and class with points.

    ``cases`` are (probabilities, label, weight), ``columns[case]`` their values of an attribute. Of
    two classes only the second has points.
    """
    n_classes = len(cases[0][0])
    total = 0.0
    for label in range(1, 2) if n_classes == 2 else range(n_classes):
        for place in range(len(columns[0])):
            first = second = 0.0
            for (shares, own, weight), values in zip(cases, columns, strict=True):
                first += weight * ((own == label) - shares[label]) * values[place]
                second += weight * shares[label] * (1.0 - shares[label]) * values[place] ** 2
            total += first**2 / (second + penalty)
    return total


def spread(points, weights):
    """Standard deviations of the columns of points, added up."""
    total = 0.0
    for column in zip(*points, strict=True):
        mean = sum(w * x for w, x in zip(weights, column, strict=True)) / sum(weights)
        square = sum(w * (x - mean) ** 2 for w, x in zip(weights, column, strict=True))
        total += math.sqrt(square / sum(weights))
    return total
