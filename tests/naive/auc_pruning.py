"""Weakest-link pruning by the area under the ROC curve, everything from scratch at every step.

A tree is two lists: the children of each node, in breadth-first order, and its class counts.
"""

from fractions import Fraction


def area(table):
    """Hand and Till's M of rows (scores of the classes, counts of the classes), by all pairs."""
    classes = [i for i in range(len(table[0][1])) if any(counts[i] for _, counts in table)]
    areas = [_one_against(table, i, j) for i in classes for j in classes if i != j]
    return sum(areas) / len(areas) if areas else Fraction(1)


def _one_against(table, one, other):
    """Counts are whole numbers, so that twice the pairs in order are one too."""
    twice = total = 0
    for scores, counts in table:
        for rival_scores, rival_counts in table:
            pairs = int(counts[one]) * int(rival_counts[other])
            total += pairs
            if pairs and scores[one] >= rival_scores[one]:
                twice += pairs if scores[one] == rival_scores[one] else 2 * pairs
    return Fraction(twice, 2 * total)


def frequencies(counts):
    """Equal quotients of small whole numbers are equal floats."""
    return [count / sum(counts) if sum(counts) else 0.0 for count in counts]


def leaves_below(children, final, node=0):
    if not children[node] or node in final:
        return [node]
    return [leaf for child in children[node] for leaf in leaves_below(children, final, child)]


def training_area(children, counts, final):
    leaves = leaves_below(children, final)
    return area([(frequencies(counts[leaf]), counts[leaf]) for leaf in leaves])


def path(children, counts):
    """The leaves of the whole tree, and after each step: the first of the weakest goes."""
    final, parents = set(), {child: node for node, few in enumerate(children) for child in few}
    yield sorted(leaves_below(children, final))
    while leaves_below(children, final) != [0]:
        before = training_area(children, counts, final)
        weakest = None
        for node in _inner_nodes(children, parents, final):
            saved = len(leaves_below(children, final, node)) - 1
            loss = (before - training_area(children, counts, final | {node})) / saved
            if weakest is None or loss < weakest[0]:
                weakest = loss, node
        final.add(weakest[1])
        yield sorted(leaves_below(children, final))


def _inner_nodes(children, parents, final):
    for node in range(len(children)):
        above = node
        while above in parents and above not in final:
            above = parents[above]
        if children[node] and above not in final:
            yield node
