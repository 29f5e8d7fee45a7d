"""Growth of a Naive Bayes tree (Kohavi 1996), as Weka's NBTree does it.

A candidate split is the one that C4.5 would make on an attribute. It is judged by the errors of
Naive Bayes in its branches, in cross-validation on the cases of each branch.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled, compiling
from roctree.data import Dataset
from roctree.models.mdl import x_log_x_table
from roctree.models.nbtree.candidates import (
    DIVIDED,
    NO_SPLIT,
    SMALL,
    NodeCases,
    Partition,
    RankedCases,
    evaluate_node,
    keep_ranked,
)
from roctree.models.nbtree.naive_bayes import (
    MISSING,
    N_FOLDS,
    Discretized,
    Model,
    Models,
    NaiveBayesTree,
    category_cells,
    count_cells,
)
from roctree.models.nbtree.weka import java_random
from roctree.tree.growth import weight_grid
from roctree.tree.tree import NO_BRANCH, Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# The largest number of branches that a tree can store.
MAX_BRANCHES = int(np.iinfo(np.int16).max)
SEED = 1


def grow_naive_bayes_tree(
    dataset: Dataset, min_weight: float, min_reduction: float
) -> NaiveBayesTree:
    """Grow a tree.

    Parameters
    ----------
    dataset : the training cases; folds depend on their order
    min_weight : least weight of a node that is split
    min_reduction : least part of a node's errors that its split must avoid
    """
    with compiling(evaluate_node):
        root = root_cases(dataset)
    nodes, models = _Nodes(), list[Model]()
    # Nodes are numbered in the order in which they are taken from the queue. A node without cases
    # is represented by the number of the model it uses, that of its parent.
    queue: deque[NodeCases | int] = deque([root])
    while queue:
        cases = queue.popleft()
        if isinstance(cases, int):
            nodes.add_leaf(np.zeros(root.n_classes), cases)
            continue
        class_counts: Floats = np.asarray(
            np.bincount(cases.labels, cases.weights, cases.n_classes), dtype=np.float64
        )
        evaluation = _evaluate(cases, class_counts, min_weight, min_reduction)
        errors, split = evaluation.errors, evaluation.split
        if split is None or (errors - split.errors) / errors < min_reduction:
            nodes.add_leaf(class_counts, len(models))
            models.append(evaluation.model(cases, class_counts))
            continue
        nodes.add_split(split, class_counts, (errors - split.errors) / float(class_counts.sum()))
        if not split.shares.all():
            models.append(evaluation.model(cases, class_counts))
        parts = zip(split.parts(cases), split.shares, strict=True)
        for (members, weights), share in parts:
            queue.append(branch_cases(cases, members, weights) if share > 0.0 else len(models) - 1)
    leaf_models = np.array(nodes.model)
    all_models = Models.from_models(models)
    return NaiveBayesTree(nodes.tree(), leaf_models, all_models, dataset.schema.nominal)


def merge_equal_rows(dataset: Dataset) -> Dataset:
    """Return one row for all equal rows, with their total weight, sorted by values and class.

    The result does not depend on the order of the rows, nor on whether equal rows are repeated or
    weighted.

    Examples
    --------
    >>> merged = merge_equal_rows(Dataset.from_data([[2.0], [1.0], [2.0]], ["no", "yes", "no"]))
    >>> merged.values, merged.weights
    (array([[1.],
           [2.]]), array([1., 2.]))
    """
    # On the grid the sum of weights does not depend on their order.
    weights, _ = weight_grid(dataset.weights)
    # No data contain infinity; adding zero turns -0.0 into 0.0.
    keys = np.where(np.isnan(dataset.values), np.inf, dataset.values + 0.0)
    rows = np.column_stack([dataset.labels, keys[:, ::-1]])
    order = np.lexsort(rows.T)
    is_new = np.any(rows[order[1:]] != rows[order[:-1]], axis=1)
    starts = np.flatnonzero(np.concatenate([[True], is_new]))
    first = order[starts]
    return replace(
        dataset,
        values=dataset.values[first],
        labels=dataset.labels[first],
        weights=np.add.reduceat(weights[order], starts),
    )


def root_cases(dataset: Dataset) -> NodeCases:
    """Return the cases of the root."""
    values = np.ascontiguousarray(dataset.values.T, dtype=np.float64)
    weights = np.ascontiguousarray(dataset.weights, dtype=np.float64)
    return NodeCases(
        values=values,
        ranked=np.argsort(values, axis=1, kind="stable"),
        n_known=np.count_nonzero(~np.isnan(values), axis=1),
        n_categories=category_cells(dataset.schema),
        labels=dataset.labels.astype(np.int64),
        copies=weights,
        weights=weights,
        n_classes=dataset.schema.n_classes,
        table=x_log_x_table(float(weights.sum())),
    )


def branch_cases(node: NodeCases, members: Ints, weights: Floats) -> NodeCases:
    """Return some of the cases of a node, in the order given, with other weights."""
    place = np.full(len(node.labels), MISSING)
    place[members] = np.arange(len(members))
    n_features = len(node.values)
    kept = RankedCases(
        np.zeros((n_features, len(members)), dtype=np.int64), np.zeros(n_features, dtype=np.int64)
    )
    compiled(keep_ranked)(node, place, kept)
    return node._replace(
        values=np.take(node.values, members, axis=1),
        ranked=kept.ranked,
        n_known=kept.n_known,
        labels=node.labels[members],
        weights=weights,
        copies=node.copies[members],
    )


class _Split(NamedTuple):
    """A split of a node.

    Parameters
    ----------
    feature : number of the attribute
    threshold : of numbers, NaN for categories
    errors : of Naive Bayes in the branches
    order : int64[cases], the order in which the branches receive the cases
    branch : int64[cases], the branch of each case, or ``DIVIDED``
    shares : float64[branches], what each branch receives of a divided case
    """

    feature: int
    threshold: float
    errors: float
    order: Ints
    branch: Ints
    shares: Floats

    def parts(self, node: NodeCases) -> Iterator[tuple[Ints, Floats]]:
        """Yield the cases of each branch and their weights.

        A branch whose share is zero still lists the divided cases, with weight 0.
        """
        branch = self.branch[self.order]
        divided = branch == DIVIDED
        for number, share in enumerate(self.shares):
            inside = (branch == number) | divided
            members = self.order[inside]
            yield members, node.weights[members] * np.where(divided[inside], share, 1.0)


class _Evaluation(NamedTuple):
    """Naive Bayes on the cases of a node, and the best split.

    Parameters
    ----------
    errors : weight of the cases that are misclassified when their fold is left out
    found : the cells of the cases
    split : the split of fewest errors; None if no candidate has few enough
    """

    errors: float
    found: Discretized
    split: _Split | None

    def model(self, node: NodeCases, class_counts: Floats) -> Model:
        """Return the model of all cases of the node."""
        cells, n_cells, cuts = self.found
        n_cuts = np.where(node.n_categories > 0, 0, n_cells - 1)
        counts = count_cells(cells, n_cells, node.labels, node.weights, node.n_classes)
        own_cuts = [cuts[feature, :n].copy() for feature, n in enumerate(n_cuts)]
        return Model(own_cuts, n_cells, counts, class_counts)


def _evaluate(
    node: NodeCases, class_counts: Floats, min_weight: float, min_reduction: float
) -> _Evaluation:
    n_features, n_cases = node.values.shape
    found = Discretized(
        np.empty((n_features, n_cases), dtype=np.int64),
        np.empty(n_features, dtype=np.int64),
        np.empty((n_features, n_cases)),
    )
    order = np.arange(n_cases)
    max_branches = min(max(2, int(node.n_categories.max())), MAX_BRANCHES)
    split = Partition(np.empty_like(order), np.empty(max_branches))
    weight = class_counts.sum()
    may_split = (
        node.copies.sum() >= N_FOLDS
        and weight > min_weight - SMALL
        and weight - class_counts.max() >= SMALL
    )
    errors, feature, threshold, split_errors = compiled(evaluate_node)(
        node, bool(may_split), min_reduction, java_random(SEED), order, found, split
    )
    if feature == NO_SPLIT:
        return _Evaluation(errors, found, None)
    n_branches = int(node.n_categories[feature]) or 2
    shares = split.shares[:n_branches]
    best = _Split(feature, threshold, split_errors, order, split.branch, shares)
    return _Evaluation(errors, found, best)


@dataclass
class _Nodes:
    """The nodes grown so far, one list per field of a tree, in breadth-first order."""

    n_children: list[int] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    n_categories: list[int] = field(default_factory=list)
    gain: list[float] = field(default_factory=list)
    counts: list[Floats] = field(default_factory=list)
    model: list[int] = field(default_factory=list)

    def add_leaf(self, counts: Floats, model: int) -> None:
        """Add a leaf and the number of its model."""
        self._add(0, NO_BRANCH, np.nan, 0, 0.0, counts, model)

    def add_split(self, split: _Split, counts: Floats, gain: float) -> None:
        """Add a split; the branch of a category has its number."""
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
