"""Points beside a tree, as plainly as possible: one row and one column at a time.

A column is (attribute, kind, where): "value" is the standardised number, "hinge" what is beyond a
bend, "category" and "missing" are 0 or 1.
"""

import math


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
