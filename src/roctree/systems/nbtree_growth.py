"""Growth of a Naive Bayes tree (Kohavi 1996), as Weka's NBTree goes about it.

Nodes are split in the order of their numbers, so that the tree is in breadth-first order as it is
made.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled, compiling
from roctree.data import Dataset
from roctree.systems.mdl import logarithms
from roctree.systems.naive_bayes import Model, Models, NaiveBayesTree, counted
from roctree.systems.naive_bayes_kernels import N_FOLDS
from roctree.systems.nbtree_kernels import ERRORS, SMALL, THRESHOLD, judge_node, try_attribute
from roctree.tree.tree import NO_BRANCH, Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# A tree has no room for more.
MOST_BRANCHES = int(np.iinfo(np.int16).max)


class Cases(NamedTuple):
    """The cases of a node, in Weka's order.

    Parameters
    ----------
    values : float64[features, cases]
    ranked, n_known : int64[features, cases], int64[features], the cases with a known number in
        ascending order, and how many they are
    n_categories : int64[features], 0 of numbers
    labels, weights : int64[cases], float64[cases]
    copies : float64[cases], how many cases each stood for before missing values divided it
    """

    values: Floats
    ranked: Ints
    n_known: Ints
    n_categories: Ints
    labels: Ints
    weights: Floats
    copies: Floats

    @classmethod
    def of(cls, dataset: Dataset) -> "Cases":
        """Return the cases of the root."""
        values = np.ascontiguousarray(dataset.values.T, dtype=np.float64)
        weights = np.ascontiguousarray(dataset.weights, dtype=np.float64)
        return cls(
            values,
            np.argsort(values, axis=1, kind="stable"),
            np.count_nonzero(~np.isnan(values), axis=1),
            dataset.schema.n_categories.astype(np.int64),
            dataset.labels.astype(np.int64),
            weights,
            weights,
        )

    def part(self, members: Ints, weights: Floats) -> "Cases":
        """Return some of the cases, in the order given, with other weights."""
        place = np.full(len(self.labels), -1)
        place[members] = np.arange(len(members))
        ranked = np.zeros((len(self.values), len(members)), dtype=np.int64)
        n_known = np.zeros_like(self.n_known)
        for feature in np.flatnonzero(self.n_categories == 0):
            kept = place[self.ranked[feature, : self.n_known[feature]]]
            kept = kept[kept >= 0]
            ranked[feature, : len(kept)] = kept
            n_known[feature] = len(kept)
        return Cases(
            np.take(self.values, members, axis=1),
            ranked,
            n_known,
            self.n_categories,
            self.labels[members],
            weights,
            self.copies[members],
        )


class Split(NamedTuple):
    """A split of a node: the branch of each case, -1 where divided, and what branches get then."""

    feature: int
    threshold: float
    branch: Ints
    shares: Floats
    errors: float


@dataclass
class Nodes:
    """The nodes made so far, a list for each field of a tree."""

    n_children: list[int] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    n_categories: list[int] = field(default_factory=list)
    gain: list[float] = field(default_factory=list)
    counts: list[Floats] = field(default_factory=list)
    model: list[int] = field(default_factory=list)

    def add_leaf(self, counts: Floats, model: int) -> None:
        """Add a leaf that goes by a model."""
        self._add(0, NO_BRANCH, np.nan, 0, 0.0, counts, model)

    def add_split(self, split: Split, counts: Floats, gain: float) -> None:
        """Add a split; a category has the branch of its number."""
        n_branches = len(split.shares)
        n_categories = n_branches if np.isnan(split.threshold) else 0
        self._add(
            n_branches, split.feature, split.threshold, n_categories, gain, counts, NO_BRANCH
        )

    def _add(self, *values: object) -> None:
        for name, value in zip(self.__dataclass_fields__, values, strict=True):
            getattr(self, name).append(value)

    def tree(self) -> Tree:
        """Return the nodes as a tree."""
        sizes = np.array(self.n_categories)
        branches = [np.arange(size, dtype=np.int16) for size in self.n_categories]
        return Tree(
            n_children=np.array(self.n_children, dtype=np.int32),
            feature=np.array(self.feature, dtype=np.int32),
            threshold=np.array(self.threshold),
            category_branch=np.concatenate(branches),
            category_offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
            missing_branch=np.full(len(sizes), NO_BRANCH, dtype=np.int16),
            counts=np.array(self.counts),
            softness=np.zeros(len(sizes)),
            gain=np.array(self.gain),
        )


def grow_naive_bayes_tree(dataset: Dataset, min_weight: float, min_reduction: float) -> NaiveBayesTree:
    """Grow a tree.

    Parameters
    ----------
    dataset : the training cases; folds depend on their order
    min_weight : least weight of a node that is split
    min_reduction : least part of a node's errors that its split avoids
    """
    n_classes = dataset.schema.n_classes
    table = logarithms(float(dataset.weights.sum()))
    nodes, models = Nodes(), list[Model]()
    with compiling(try_attribute, judge_node):
        pass
    # The cases of a node; where it has none, the number of the model of the node above.
    waiting: deque[Cases | int] = deque([Cases.of(dataset)])
    while waiting:
        cases = waiting.popleft()
        if isinstance(cases, int):
            nodes.add_leaf(np.zeros(n_classes), cases)
            continue
        class_counts = np.bincount(cases.labels, cases.weights, n_classes)
        order = np.arange(len(cases.labels))
        errors, model = _judged(cases, class_counts, table, order)
        split = None
        if _may_be_split(cases, class_counts, errors, min_weight):
            split = _best_split(cases, n_classes, table, order, errors)
        if split is None or (errors - split.errors) / errors < min_reduction:
            nodes.add_leaf(class_counts, len(models))
            models.append(model)
            continue
        nodes.add_split(split, class_counts, (errors - split.errors) / float(class_counts.sum()))
        branches = _branches(cases, split, order)
        if any(part is None for part in branches):
            models.append(model)
        waiting += [len(models) - 1 if part is None else part for part in branches]
    nominal = dataset.schema.n_categories > 0
    return NaiveBayesTree(nodes.tree(), np.array(nodes.model), Models.of(models), nominal)


def _judged(
    cases: Cases, class_counts: Floats, table: Floats, order: Ints
) -> tuple[float, Model]:
    """Return the errors of Naive Bayes at a node, and its model."""
    cells = np.empty(cases.values.shape, dtype=np.int64)
    n_cells, cuts = np.empty(len(cells), dtype=np.int64), np.empty(cells.shape)
    n_classes = len(class_counts)
    errors = compiled(judge_node)(*cases, n_classes, table, order, cells, n_cells, cuts)
    n_cuts = np.where(cases.n_categories > 0, 0, n_cells - 1)
    counts = counted(cells, n_cells, cases.labels, cases.weights, n_classes)
    kept = [cuts[feature, :n].copy() for feature, n in enumerate(n_cuts)]
    return errors, Model(kept, n_cells, counts, class_counts)


def _may_be_split(
    cases: Cases, class_counts: Floats, errors: float, min_weight: float
) -> bool:
    if cases.copies.sum() < N_FOLDS or errors == 0.0:
        return False
    weight = class_counts.sum()
    return bool(weight > min_weight - SMALL and weight - class_counts.max() >= SMALL)


def _best_split(
    cases: Cases, n_classes: int, table: Floats, order: Ints, errors: float
) -> Split | None:
    """Return the split with the fewest errors, the first of equals; None if none has fewer.

    Each attribute leaves the cases in an order of its own to the next, and in the end to the
    branches.
    """
    best: Split | None = None
    result = np.empty(2)
    for feature, n_categories in enumerate(cases.n_categories):
        if n_categories > MOST_BRANCHES:
            continue
        branch, shares = np.empty_like(order), np.empty(n_categories or 2)
        result[THRESHOLD] = np.nan
        found = compiled(try_attribute)(
            feature, *cases, n_classes, table, order, branch, shares, result
        )
        if found and result[ERRORS] < (best.errors if best else errors):
            best = Split(feature, float(result[THRESHOLD]), branch, shares, float(result[ERRORS]))
    return best


def _branches(cases: Cases, split: Split, order: Ints) -> list[Cases | None]:
    """Return the cases of each branch, None where it has none."""
    parts: list[Cases | None] = []
    branch = split.branch[order]
    for number, share in enumerate(split.shares):
        inside = (branch == number) | ((branch < 0) & (share > 0.0))
        members = order[inside]
        weights = cases.weights[members] * np.where(branch[inside] < 0, share, 1.0)
        parts.append(cases.part(members, weights) if len(members) else None)
    return parts
