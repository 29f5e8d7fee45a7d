"""Growth of a Naive Bayes tree (Kohavi 1996), as Weka's NBTree goes about it.

A candidate is the split that C4.5 would make on an attribute. It is judged by the errors that Naive
Bayes makes in its branches when each fold of their cases is unlearned in turn.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled, compiling
from roctree.data import Dataset
from roctree.systems.c45_kernels import SMALL
from roctree.systems.candidate_kernels import NO_SPLIT, best_candidate
from roctree.systems.naive_bayes import Model, Models, NaiveBayesTree, counted
from roctree.systems.naive_bayes_kernels import N_FOLDS
from roctree.systems.nbtree_cases import Cases, Split
from roctree.systems.nbtree_kernels import judge_node
from roctree.systems.weka_kernels import java_random
from roctree.tree.tree import NO_BRANCH, Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# A tree has no room for more.
MOST_BRANCHES = int(np.iinfo(np.int16).max)
SEED = 1
# Candidates are not looked at to the end whose errors are too many by more than rounding.
SLACK = 1e-9


def grow_naive_bayes_tree(
    dataset: Dataset, min_weight: float, min_reduction: float
) -> NaiveBayesTree:
    """Grow a tree.

    Parameters
    ----------
    dataset : the training cases; folds depend on their order
    min_weight : least weight of a node that is split
    min_reduction : least part of a node's errors that its split avoids
    """
    # What the search compiles is mostly the verdict: a second process would do that once more.
    with compiling(judge_node):
        root = Cases.of(dataset)
    nodes, models = Nodes(), list[Model]()
    # Nodes are split in the order of their numbers. One without cases is only the number of the
    # model that it goes by, that of the node above.
    waiting: deque[Cases | int] = deque([root])
    while waiting:
        cases = waiting.popleft()
        if isinstance(cases, int):
            nodes.add_leaf(np.zeros(root.n_classes), cases)
            continue
        class_counts = class_weights(cases)
        order = np.arange(len(cases.labels))
        verdict = judged(cases)
        split = None
        if _may_be_split(cases, class_counts, verdict.errors, min_weight):
            limit = verdict.errors * min(1.0, 1.0 - min_reduction + SLACK)
            split, errors = best_split(cases, order, limit)
        if split is None or (verdict.errors - errors) / verdict.errors < min_reduction:
            nodes.add_leaf(class_counts, len(models))
            models.append(verdict.model(cases, class_counts))
            continue
        spared = (verdict.errors - errors) / float(class_counts.sum())
        nodes.add_split(split, class_counts, spared)
        if not split.shares.all():
            models.append(verdict.model(cases, class_counts))
        for (members, weights), share in zip(split.parts(cases, order), split.shares, strict=True):
            waiting.append(cases.part(members, weights) if share > 0.0 else len(models) - 1)
    leaf_models = np.array(nodes.model)
    return NaiveBayesTree(nodes.tree(), leaf_models, Models.of(models), dataset.schema.nominal)


class Verdict(NamedTuple):
    """What Naive Bayes makes of some cases.

    Parameters
    ----------
    errors : weight of the cases that are misclassified when their fold is unlearned
    cells : int64[features, cases], the interval or category of each case, -1 where missing
    n_cells : int64[features]
    cuts : float64[features, cases], where the intervals of numbers end
    """

    errors: float
    cells: Ints
    n_cells: Ints
    cuts: Floats

    def model(self, cases: Cases, class_counts: Floats) -> Model:
        """Return the model of all cases of a node."""
        n_cuts = np.where(cases.n_categories > 0, 0, self.n_cells - 1)
        cuts = [self.cuts[feature, :n].copy() for feature, n in enumerate(n_cuts)]
        found = counted(self.cells, self.n_cells, cases.labels, cases.weights, cases.n_classes)
        return Model(cuts, self.n_cells, found, class_counts)


def judged(cases: Cases) -> Verdict:
    """Try Naive Bayes on the cases of a node, with folds that are stretches of them."""
    cells, cuts = np.empty(cases.values.shape, dtype=np.int64), np.empty(cases.values.shape)
    n_cells = np.empty(len(cases.values), dtype=np.int64)
    errors = compiled(judge_node)(*cases, cells, n_cells, cuts)
    return Verdict(errors, cells, n_cells, cuts)


def best_split(cases: Cases, order: Ints, limit: float) -> tuple[Split | None, float]:
    """Return the split with the fewest errors, the first of equals, and how many.

    None has fewer than the limit if there is none. Each attribute leaves the cases in an order of
    its own to the next, and in the end to the branches.
    """
    most_branches = min(max(2, int(cases.n_categories.max())), MOST_BRANCHES)
    branch, shares = np.empty_like(order), np.empty(most_branches)
    feature, threshold, errors = compiled(best_candidate)(
        *cases, limit, java_random(SEED), order, branch, shares
    )
    if feature == NO_SPLIT:
        return None, limit
    n_branches = int(cases.n_categories[feature]) or 2
    return Split(feature, threshold, branch, shares[:n_branches]), errors


def class_weights(cases: Cases) -> Floats:
    """Return the weight of each class."""
    return np.asarray(np.bincount(cases.labels, cases.weights, cases.n_classes), dtype=np.float64)


def _may_be_split(cases: Cases, class_counts: Floats, errors: float, min_weight: float) -> bool:
    if cases.copies.sum() < N_FOLDS or errors == 0.0:
        return False
    weight = class_counts.sum()
    return bool(weight > min_weight - SMALL and weight - class_counts.max() >= SMALL)


@dataclass
class Nodes:
    """The nodes made so far, a list for each field of a tree, in breadth-first order."""

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
        self._add(n_branches, split.feature, split.threshold, n_categories, gain, counts, NO_BRANCH)

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
