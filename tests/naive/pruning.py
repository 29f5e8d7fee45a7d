"""Pruning by recursion over nested nodes, as the definitions say it, in fractions where possible.

A node has ``counts`` and ``children``. A pruner returns the nodes that become leaves, as a set of
their ids; under costs also the label of each node by its id.
"""

from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import comb, sqrt
from statistics import NormalDist

ROUNDING = 1e-10
C45_TABLE = [(0, 4.0), (0.001, 3.09), (0.005, 2.58), (0.01, 2.33), (0.05, 1.65), (0.1, 1.28),
             (0.2, 0.84), (0.4, 0.25), (1, 0.0)]  # fmt: skip


def nodes(node):
    return [node, *(below for child in node.children for below in nodes(child))]


def leaves(node):
    return [below for below in nodes(node) if not below.children]


def weight(node):
    return sum(map(Fraction, node.counts))


def errors(node):
    return weight(node) - Fraction(max(node.counts))


def majority(node, of_parent=0):
    """The first class of most weight; that of the parent where there are no cases."""
    return node.counts.index(max(node.counts)) if weight(node) else of_parent


def bottom_up(node, value, slack=0):
    """The nodes that lose no more as leaves than below, and what the pruned subtree loses."""
    if not node.children:
        return {id(node)}, value(node)
    final, below = set(), 0
    for child in node.children:
        flagged, lost = bottom_up(child, value, slack)
        final |= flagged
        below += lost
    if value(node) <= below + slack:
        return final | {id(node)}, value(node)
    return final, below


def pessimistic(root):
    """From the root down; leaves without cases are not counted."""
    if not root.children:
        return set()
    below = [leaf for leaf in leaves(root) if weight(leaf) > 0]
    subtree = float(sum(map(errors, below)) + Fraction(len(below), 2))
    total = float(weight(root))
    deviation = sqrt(max(subtree * (total - subtree), 0) / total) if total else 0
    if float(errors(root)) + (0.5 if total else 0) <= subtree + deviation:
        return {id(root)}
    return {flagged for child in root.children for flagged in pessimistic(child)}


def priors(root, kind):
    total = weight(root)
    if kind == "uniform" or not total:
        return [Fraction(1, len(root.counts))] * len(root.counts)
    return [Fraction(count) / total for count in root.counts]


def m_errors(node, m, prior):
    """The expected error of a node as a leaf of each label."""
    total = weight(node) + m
    return [
        (weight(node) - Fraction(count) + (1 - of_class) * m) / total if total else Fraction(0)
        for count, of_class in zip(node.counts, prior, strict=True)
    ]


def minimum_error(root, m, prior="training"):
    found = priors(root, prior)
    return bottom_up(root, lambda node: weight(node) * min(m_errors(node, m, found)))[0]


def niblett_bratko(node):
    k = len(node.counts)
    return (errors(node) + k - 1) / (weight(node) + k)


def expected_error(root):
    """A split is not made if its children, as leaves, are expected to err as much."""
    return {
        id(node)
        for node in nodes(root)
        if node.children
        and weight(node) * niblett_bratko(node)
        <= sum(weight(child) * niblett_bratko(child) for child in node.children)
    }


def card_per_class(root, threshold):
    return {id(node) for node in nodes(root) if weight(node) < threshold}


def critical_value(root, gains, value):
    """``gains`` by the ids of inner nodes."""
    return {
        id(node)
        for node in nodes(root)
        if all(gains[id(below)] < value for below in nodes(node) if below.children)
    }


def reduced_error(root, held_out):
    """``held_out`` has other counts by the ids of nodes; labels are those of training."""
    return bottom_up(root, held_out_errors(root, held_out).__getitem__)[0]


class ById(dict):
    def __getitem__(self, node):
        return super().__getitem__(id(node))


def held_out_errors(root, held_out):
    labels = labels_of_majority(root)
    return ById(
        (id(node), sum(held_out[id(node)]) - held_out[id(node)][labels[id(node)]])
        for node in nodes(root)
    )


def labels_of_majority(node, of_parent=0):
    own = majority(node, of_parent)
    labels = {id(node): own}
    for child in node.children:
        labels |= labels_of_majority(child, own)
    return labels


def cost_complexity_path(root):
    """The steps (alpha, final nodes, leaves, error rate) of cutting the weakest links in turn."""
    total = weight(root) or 1
    final = {id(leaf) for leaf in leaves(root)}
    steps = []
    alpha = Fraction(0)
    while True:
        links = weakest(root, final, total)
        if links and min(links.values()) <= alpha:
            final = final | {node for node, link in links.items() if link <= alpha}
            continue
        kept = leaves_at(root, final)
        steps.append((alpha, final, len(kept), sum(map(errors, kept)) / total))
        if not links:
            return steps
        alpha = min(links.values())


def leaves_at(node, final):
    if id(node) in final:
        return [node]
    return [leaf for child in node.children for leaf in leaves_at(child, final)]


def weakest(node, final, total):
    """What each node that is still split gains by its subtree, per leaf more than one."""
    if id(node) in final:
        return {}
    below = leaves_at(node, final)
    gained = (errors(node) - sum(map(errors, below))) / total
    links = {id(node): gained / (len(below) - 1)}
    for child in node.children:
        links |= weakest(child, final, total)
    return links


def cost_complexity(root, alpha):
    return [final for least, final, *_ in cost_complexity_path(root) if least <= alpha][-1]


@cache
def exact_limit(wrong, total, cf):
    """The rate at which at most so many errors of whole cases have the chance ``cf``."""
    if wrong >= total:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        rate = (low + high) / 2
        chance = sum(
            comb(int(total), i) * rate**i * (1 - rate) ** (int(total) - i)
            for i in range(int(wrong) + 1)
        )
        low, high = (rate, high) if chance > cf else (low, rate)
    return (low + high) / 2


def c45_deviation(cf):
    for (low, of_low), (high, of_high) in pairwise(C45_TABLE):
        if low <= cf <= high:
            return of_low + (of_high - of_low) * (cf - low) / (high - low)
    raise ValueError(cf)


def added_errors(wrong, total, cf, program):
    """What C4.5 or Weka add to the errors of a leaf."""
    if program == "weka" and cf > 0.5:
        return 0.0
    none = total * (1 - cf ** (1 / total))
    if wrong < 1e-6:
        return none
    if wrong < 0.9999:
        return none + wrong * (added_errors(1.0, total, cf, program) - none)
    if wrong + 0.5 >= total:
        return max(total - wrong, 0) * (0.67 if program == "c45" else 1.0)
    z = c45_deviation(cf) if program == "c45" else NormalDist().inv_cdf(1 - cf)
    half = wrong + 0.5
    root = sqrt(z * z * (half * (1 - half / total) + z * z / 4))
    return (half + z * z / 2 + root) / (total + z * z) * total - wrong


def limited_errors(wrong, total, cf, limit):
    wrong, total = float(wrong), float(total)
    if total == 0:
        return 0.0
    if limit == "exact":
        return total * exact_limit(wrong, total, cf)
    return wrong + added_errors(wrong, total, cf, limit)


def error_based(root, cf, limit, slack):
    def value(node):
        return limited_errors(errors(node), weight(node), cf, limit)

    return bottom_up(root, value, slack + ROUNDING)[0]


def price_of_error(costs, label, cases):
    """The mean cost of an error, if these cases get the label."""
    if not isinstance(costs[0], tuple):
        return Fraction(costs[label])
    others = [true for true in range(len(cases)) if true != label]
    wrong = sum(cases[true] for true in others)
    if wrong == 0:
        return Fraction(sum(costs[label][true] for true in others), max(len(others), 1))
    return sum(cases[true] * Fraction(costs[label][true]) for true in others) / wrong


def minimum_error_costs(node, m, prior, costs):
    """The expected cost of a node as a leaf of each label."""
    cases = [Fraction(n) + m * p for n, p in zip(node.counts, prior, strict=True)]
    found = m_errors(node, m, prior)
    return [error * price_of_error(costs, c, cases) for c, error in enumerate(found)]


def error_based_costs(node, cf, limit, costs):
    """The same, times the weight, by a limit of the errors under each label."""
    cases = list(map(Fraction, node.counts))
    return [
        limited_errors(sum(cases) - cases[c], sum(cases), cf, limit)
        * float(price_of_error(costs, c, cases))
        for c in range(len(cases))
    ]


def cheapest(node, cost, of_parent=0):
    """The label of least cost of each node; that of the parent where there are no cases."""
    values = cost(node)
    own = values.index(min(values)) if weight(node) else of_parent
    labels = {id(node): own}
    for child in node.children:
        labels |= cheapest(child, cost, own)
    return labels


def under_costs(root, cost, leaves_are, slack=0):
    """Prune by what each label costs; leaves "keep" that of the majority, or "relabel"."""
    labels = cheapest(root, cost)
    if leaves_are == "keep":
        kept = labels_of_majority(root)
        labels |= {id(leaf): kept[id(leaf)] for leaf in leaves(root)}
    final, _ = bottom_up(root, lambda node: cost(node)[labels[id(node)]], slack)
    if leaves_are == "relabel":
        merge(root, final, labels)
    return final, labels


def merge(node, final, labels):
    """Make one leaf of subtrees whose leaves all have one label; return that label, or None."""
    if id(node) not in final:
        below = {merge(child, final, labels) for child in node.children}
        if len(below) > 1 or None in below:
            return None
        final.add(id(node))
        labels[id(node)] = below.pop()
    return labels[id(node)]


def pessimistic_under_costs(root, costs, leaves_are):
    """Half an error more for each label; a standard error of errors at their mean cost."""

    def wrong(node, label):
        total = weight(node)
        return total - Fraction(node.counts[label]) + Fraction(1, 2) if total else Fraction(0)

    def cost(node):
        cases = list(map(Fraction, node.counts))
        return [wrong(node, c) * price_of_error(costs, c, cases) for c in range(len(cases))]

    labels = cheapest(root, cost)
    if leaves_are == "keep":
        kept = labels_of_majority(root)
        labels |= {id(leaf): kept[id(leaf)] for leaf in leaves(root)}
    final = {id(leaf) for leaf in leaves(root)}
    for node in nodes(root):
        below = leaves(node)
        expected = sum(wrong(leaf, labels[id(leaf)]) for leaf in below)
        lost = sum(cost(leaf)[labels[id(leaf)]] for leaf in below)
        total = weight(node)
        deviation = sqrt(max(expected * (total - expected), 0) / total) if total else 0
        allowed = float(lost) + (float(lost / expected) * deviation if expected else 0)
        if float(cost(node)[labels[id(node)]]) <= allowed + ROUNDING:
            final.add(id(node))
    if leaves_are == "relabel":
        merge(root, final, labels)
    return final, labels


def cost_lines(node, errors, leaves_are, of_parent=0):
    """The expected errors by label 0 and by label 1 of every tree that pruning could make."""
    own = majority(node, of_parent)
    labels = [own] if leaves_are == "keep" and not node.children else [0, 1]
    found = {(errors(node)[0], Fraction(0)) if label == 0 else (Fraction(0), errors(node)[1])
             for label in labels}  # fmt: skip
    if node.children:
        sums = {(Fraction(0), Fraction(0))}
        for child in node.children:
            below = cost_lines(child, errors, leaves_are, own)
            sums = {(a + c, b + d) for a, b in sums for c, d in below}
        found |= sums
    return found


def breakpoints(lines):
    """The ratios of costs (label 0 : label 1) at which another line becomes the lowest."""
    crossings = {
        (d - b) / (a - c) for a, b in lines for c, d in lines if a != c and (d - b) / (a - c) > 0
    }
    return [ratio for ratio in sorted(crossings) if len(lowest(lines, ratio)) > 1]


def lowest(lines, ratio):
    """The lines that are lowest at a ratio of costs."""
    height = {(a, b): a * ratio + b for a, b in lines}
    least = min(height.values())
    return {line for line, each in height.items() if each == least}
