"""Laws of smoothers, tried on some dozens of trees."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from roctree.checks.law import hold
from roctree.smoothing import Smoother, probabilities, resolve
from roctree.smoothing.protocol import Floats
from roctree.smoothing.protocol import shares as frequencies
from roctree.tree.tree import Tree

_RANDOM_TREES = 40
_ROUNDING = 1e-12
# So many times the cases are as good as infinitely many, to so many digits.
_MANY, _NEARLY = 1e9, 1e-4


def check_smoother(smoother: str | Smoother, n_classes: int = 2) -> None:
    """Raise ``AssertionError`` unless a smoother keeps the laws that one expects of probabilities.

    Those of a node lie between 0 and 1 and add up to 1. That of a class never falls when a case of
    it is added. Very many cases keep their frequencies. The order of the classes does not matter,
    nor does anything but the counts and the shape of the tree. The built-in ``curtailment`` breaks
    the third law, as its authors defined it: a leaf that comes to have enough cases no longer asks
    the node above.

    Examples
    --------
    >>> check_smoother("m_branch", n_classes=3)
    """
    smoother = resolve(smoother)
    for tree in _trees(n_classes):
        rows_add_up_to_one(smoother, tree)
        probabilities_lie_between_zero_and_one(smoother, tree)
        a_case_more_never_lowers_its_class(smoother, tree)
        many_cases_keep_their_frequencies(smoother, tree)
        renamed_classes_change_places_only(smoother, tree)
        only_counts_and_shape_matter(smoother, tree)


def rows_add_up_to_one(smoother: Smoother, tree: Tree) -> None:
    """The probabilities of each node, leaf or not, add up to 1."""
    sums = _smoothed(smoother, tree).sum(axis=1)
    worst = int(np.abs(sums - 1.0).argmax())
    hold(
        abs(sums[worst] - 1.0) <= _ROUNDING,
        f"{_name(smoother)} gives node {worst} of {_counts(tree)} probabilities that add up to "
        f"{sums[worst]}",
    )


def probabilities_lie_between_zero_and_one(smoother: Smoother, tree: Tree) -> None:
    """No probability is negative or above 1."""
    found = _smoothed(smoother, tree)
    outside = ((found < 0.0) | (found > 1.0 + _ROUNDING)).any(axis=1)
    first = int(outside.argmax())
    hold(
        not outside.any(),
        f"{_name(smoother)} gives node {first} of {_counts(tree)} the probabilities "
        f"{found[first].tolist()}",
    )


def a_case_more_never_lowers_its_class(smoother: Smoother, tree: Tree) -> None:
    """A leaf with one more case of a class does not find that class less probable."""
    before = _smoothed(smoother, tree)
    for leaf, label in product(tree.leaves.tolist(), range(tree.n_classes)):
        after = _smoothed(smoother, _with_a_case(tree, leaf, label))[leaf, label]
        hold(
            after >= before[leaf, label] - _ROUNDING,
            f"{_name(smoother)} lowers the probability of class {label} at leaf {leaf} of "
            f"{_counts(tree)} from {before[leaf, label]} to {after} for one more case of it",
        )


def many_cases_keep_their_frequencies(smoother: Smoother, tree: Tree) -> None:
    """Smoothing hardly changes what very many cases say."""
    many = replace(tree, counts=_MANY * tree.counts)
    sure = tree.is_leaf & (tree.weight > 0.0)
    found, expected = _smoothed(smoother, many)[sure], frequencies(tree)[sure]
    hold(
        np.allclose(found, expected, rtol=0.0, atol=_NEARLY),
        f"{_name(smoother)} changes the frequencies of leaves with {_MANY:g} times the cases of "
        f"{_counts(tree)}: {found.tolist()} instead of {expected.tolist()}",
    )


def renamed_classes_change_places_only(smoother: Smoother, tree: Tree) -> None:
    """Classes have no order: with other names they have the same probabilities."""
    renamed = replace(tree, counts=np.roll(tree.counts, 1, axis=1))
    found = np.roll(_smoothed(smoother, renamed), -1, axis=1)
    hold(
        np.allclose(found, _smoothed(smoother, tree), rtol=0.0, atol=_ROUNDING),
        f"{_name(smoother)} finds other probabilities for {_counts(tree)} with its classes renamed",
    )


def only_counts_and_shape_matter(smoother: Smoother, tree: Tree) -> None:
    """What the splits ask does not matter, only whom they send where; nor what came before."""
    other = replace(
        tree,
        feature=np.where(tree.is_leaf, -1, tree.feature + 1).astype(np.int32),
        threshold=tree.threshold + 1.0,
        missing_branch=np.where(tree.is_leaf, -1, 0).astype(np.int16),
        gain=np.where(tree.is_leaf, 0.0, tree.gain + 1.0),
    )
    hold(
        np.array_equal(_smoothed(smoother, tree), _smoothed(smoother, other)),
        f"{_name(smoother)} finds other probabilities for {_counts(tree)} with other splits",
    )


def _trees(n_classes: int) -> Iterator[Tree]:
    """A single leaf, then trees of nominal splits at random; some leaves are empty."""
    yield Tree.single_leaf(np.arange(1.0, n_classes + 1.0))
    random = np.random.default_rng(0)
    for number in range(_RANDOM_TREES):
        tree = _tree_of(_shape(random, n_splits=1 + number % 5), n_classes)
        counts = np.zeros(tree.counts.shape)
        cells = (tree.n_leaves, n_classes)
        cases = random.integers(0, 2 + 5 * number, cells) * random.integers(0, 2, cells)
        counts[tree.leaves] = cases * (random.random(cells) if number % 2 else 1.0)
        counts[tree.leaves[0], 0] += 1.0
        for node in range(tree.n_nodes - 1, 0, -1):
            counts[tree.parent[node]] += counts[node]
        yield replace(tree, counts=counts).validate()


def _shape(random: np.random.Generator, n_splits: int) -> list[int]:
    """The number of children of each node, in breadth-first order."""
    children: list[int] = []
    pending = 1
    while pending > 0:
        splits = n_splits > 0 and (pending == 1 or random.random() < 0.5)
        children.append(int(random.integers(2, 4)) if splits else 0)
        n_splits -= splits
        pending += children[-1] - 1
    return children


def _tree_of(children: list[int], n_classes: int) -> Tree:
    """A tree of that shape without any cases; each branch of a split has a category."""
    n_nodes = len(children)
    return Tree(
        n_children=np.array(children, dtype=np.int32),
        feature=np.where(np.array(children) > 0, 0, -1).astype(np.int32),
        threshold=np.full(n_nodes, np.nan),
        category_branch=np.array([b for n in children for b in range(n)], dtype=np.int16),
        category_offsets=np.cumsum([0, *children]).astype(np.int32),
        missing_branch=np.full(n_nodes, -1, dtype=np.int16),
        counts=np.zeros((n_nodes, n_classes)),
        softness=np.zeros(n_nodes),
        gain=np.zeros(n_nodes),
    )


def _with_a_case(tree: Tree, leaf: int, label: int) -> Tree:
    counts, node = tree.counts.copy(), leaf
    while node >= 0:
        counts[node, label] += 1.0
        node = int(tree.parent[node])
    return replace(tree, counts=counts)


def _smoothed(smoother: Smoother, tree: Tree) -> Floats:
    try:
        with np.errstate(all="ignore"):
            return probabilities(smoother, tree)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise AssertionError(f"{_name(smoother)} fails on {_counts(tree)}: {error}") from error


def _counts(tree: Tree) -> str:
    return f"a tree with {tree.n_children.tolist()} children and counts {tree.counts.tolist()}"


def _name(smoother: Smoother) -> str:
    return str(getattr(smoother, "__name__", smoother))
