"""Class shares of unlabelled cases by expectation maximisation, case by case and one at a time."""


def most_likely_shares(distributions, cases, steps=3000):
    """Shares of the classes, from equal ones: each case is divided by its posterior.

    ``distributions[leaf][label]`` is the share of a class that is in a leaf; ``cases`` lists the
    leaf of each unlabelled case.
    """
    n_classes = len(distributions[0])
    shares = [1 / n_classes] * n_classes
    for _ in range(steps):
        sums = [0.0] * n_classes
        for leaf in cases:
            joint = [share * part for share, part in zip(shares, distributions[leaf], strict=True)]
            for label, part in enumerate(joint):
                sums[label] += part / sum(joint)
        shares = [each / len(cases) for each in sums]
    return shares


def homogeneity(first, second):
    """Pearson's chi-squared of a table of two rows."""
    total = sum(first) + sum(second)
    statistic = 0.0
    for row in (first, second):
        for count, one, other in zip(row, first, second, strict=True):
            expected = sum(row) * (one + other) / total
            statistic += (count - expected) ** 2 / expected
    return statistic
