"""Growth by the area of the whole tree: every leaf tried, every pair of cases compared.

A tree is given by the counts and children of its nodes; counts are whole numbers.
"""

from fractions import Fraction
from itertools import combinations


def area(leaves, counts):
    """The mean area over all pairs of classes, each ranked by its own two classes."""
    n_classes = len(counts[0])
    totals = [sum(counts[leaf][label] for leaf in leaves) for label in range(n_classes)]
    areas = [
        pair_area([(counts[leaf][one], counts[leaf][two]) for leaf in leaves])
        for one, two in combinations(range(n_classes), 2)
        if totals[one] and totals[two]
    ]
    return sum(areas) / len(areas) if areas else Fraction(1, 2)


def pair_area(table):
    """The area of a table of two classes, with ties one half."""
    table = [(one, two) for one, two in table if one + two]
    in_order = Fraction(0)
    for one, of_one in table:
        for other, two in table:
            ours, theirs = Fraction(one, one + of_one), Fraction(other, other + two)
            worth = 1 if ours > theirs else Fraction(1, 2) if ours == theirs else 0
            in_order += one * two * worth
    return in_order / (sum(one for one, _ in table) * sum(two for _, two in table))


def opened(counts, children, worth, max_leaves):
    """The nodes that are opened, in order."""
    leaves, found = [0], []
    while True:
        best = None
        for leaf in leaves:
            if not children[leaf] or len(leaves) + len(children[leaf]) - 1 > max_leaves:
                continue
            after = [other for other in leaves if other != leaf] + children[leaf]
            key = (area(after, counts), worth[leaf], -leaf)
            if best is None or key > best[0]:
                best = key, leaf, after
        if best is None:
            return found
        _, leaf, leaves = best
        found.append(leaf)
