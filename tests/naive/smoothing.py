"""The smoothers as their authors define them: plain loops over one branch, exact fractions.

A branch is a list of class counts, those of the root first and those of the leaf last.
"""

import math
from fractions import Fraction
from itertools import pairwise

from tests.naive.descend import breadth_first


def branches(root):
    """The branch that ends at each node of a tree of nested nodes, in breadth-first order."""
    counts = {path: node.counts for path, node in breadth_first(root)}
    return [
        [exact(counts[path[:length]]) for length in range(len(path) + 1)]
        for path, _ in breadth_first(root)
    ]


def exact(counts):
    return [Fraction(count) for count in counts]


def uniform(counts):
    return [Fraction(1, len(counts)) for _ in counts]


def frequencies(counts):
    return [count / sum(counts) for count in counts]


def none(branch):
    """The frequencies of the last node that has any cases."""
    return curtailment(branch, 0)


def laplace(branch):
    leaf = branch[-1]
    return [(count + 1) / (sum(leaf) + len(leaf)) for count in leaf]


def m_estimate(branch, m=4, prior="uniform"):
    root, leaf = branch[0], branch[-1]
    known = prior == "training" and sum(root) > 0
    expected = frequencies(root) if known else uniform(root)
    return _m_estimate(leaf, Fraction(m), expected)


def _m_estimate(counts, m, prior):
    if sum(counts) + m == 0:
        return prior
    return [(n + m * p) / (sum(counts) + m) for n, p in zip(counts, prior, strict=True)]


def m_branch(branch, M=4):
    return m_branch_steps(branch, M)[-1][1]


def m_branch_steps(branch, M=4):
    """The cases added at each node of the branch, and the estimate there."""
    estimate, steps = uniform(branch[0]), []
    root_of_size = Fraction(math.sqrt(sum(branch[0])))
    for j, counts in enumerate(branch, start=1):
        height = len(branch) + 1 - j
        m = Fraction(M) * (1 + (1 - Fraction(1, height)) * root_of_size)
        estimate = _m_estimate(counts, m, estimate)
        steps.append((m, estimate))
    return steps


def hierarchical_shrinkage(branch, strength=10):
    """The mean of the root, and of each step down from there a part."""
    if sum(branch[0]) == 0:
        return uniform(branch[0])
    estimate = frequencies(branch[0])
    for parent, child in pairwise(branch):
        if sum(child) == 0:
            break
        belief = 1 / (1 + Fraction(strength) / sum(parent))
        changes = zip(frequencies(child), frequencies(parent), strict=True)
        steps = [(below - above) * belief for below, above in changes]
        estimate = [p + step for p, step in zip(estimate, steps, strict=True)]
    return estimate


def curtailment(branch, minimum=20):
    """The frequencies of the last node with enough cases."""
    for counts in reversed(branch):
        is_root = counts is branch[0]
        if sum(counts) > 0 and (sum(counts) >= minimum or is_root):
            return frequencies(counts)
    return uniform(branch[0])
