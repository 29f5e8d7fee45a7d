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


def pooled(reference, weights, order, least_cases=20, least_part=20):
    """Leaves pooled in the given order: a pool ends as soon as it and the rest are large enough."""
    cases = [sum(leaf) for leaf in reference]
    least = max(least_cases, sum(cases) / least_part)
    pools, current = [], []
    rest = sorted(range(len(order)), key=lambda leaf: order[leaf])
    while rest:
        inside, left = sum(cases[leaf] for leaf in current), sum(cases[leaf] for leaf in rest)
        if inside >= least and left >= least:
            pools.append(current)
            current = []
        current.append(rest.pop(0))
    pools.append(current)
    return [
        ([sum(reference[leaf][label] for leaf in pool) for label in range(len(reference[0]))],
         sum(weights[leaf] for leaf in pool))
        for pool in pools
    ]  # fmt: skip


def cells(expected, least=5):
    """Cells of a chi-squared test: all that expect few cases are one, with one more if need be."""
    few = [place for place, number in enumerate(expected) if number < least]
    others = [place for place in range(len(expected)) if place not in few]
    if few and others and sum(expected[place] for place in few) < least:
        smallest = min(others, key=lambda place: expected[place])
        few.append(smallest)
        others.remove(smallest)
    return ([few] if few else []) + [[place] for place in others]


def goodness_of_fit(reference, weights, shares):
    """Statistic and degrees of freedom of cases as a mixture of estimated class distributions."""
    totals = [sum(column) for column in zip(*reference, strict=True)]
    size = sum(weights)
    expected, variances = [], []
    for leaf in reference:
        parts = [count / total for count, total in zip(leaf, totals, strict=True)]
        expected.append(sum(s * p for s, p in zip(shares, parts, strict=True)))
        variances.append(
            expected[-1] / size
            + sum(s * s * p / t for s, p, t in zip(shares, parts, totals, strict=True))
        )
    least = [min(size * share, sum(leaf)) for share, leaf in zip(expected, reference, strict=True)]
    statistic, pools = 0.0, cells(least)
    for pool in pools:
        difference = sum(weights[leaf] / size - expected[leaf] for leaf in pool)
        statistic += difference**2 / sum(variances[leaf] for leaf in pool)
    return statistic, len(pools) - 1 - (len(totals) - 1)
