"""Naive Bayes on intervals and categories, and a tree with such a model at each leaf.

Each attribute is a set of cells: the intervals of a number, or categories. A model is made of
counts: the weight of each class in each cell, with one case added to every cell. So a fold of
cross-validation is removed by subtracting its cases, and only counts need to be stored.

Products and sums are computed in Weka's order, so that probabilities equal Weka's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled, kernel, typed_kernel
from roctree.arrays import (
    Floats,
    Floats2D,
    Ints,
    Ints2D,
    ReadonlyFloats,
    ReadonlyFloats2D,
    ReadonlyInts,
)
from roctree.data import Schema
from roctree.models.mdl import copy_to
from roctree.text import pluralize
from roctree.tree.kernels.descent import Paths, Reached, visit
from roctree.tree.tree import Tree, read_only

Int = Any  # a Python or NumPy integer

WEKA_FOLDS = 5
MISSING = -1
# No likelihood is smaller than LEAST, and smaller products are multiplied by SCALE, so that none
# underflows to zero.
LEAST, SCALE = 1e-75, 1e75


class Model(NamedTuple):
    """Naive Bayes model of the cases of one node.

    Parameters
    ----------
    cuts : for each attribute the upper bounds of its intervals except the last; empty for
        categories
    n_cells : int64[features], number of intervals or categories
    counts : float64[cells, classes], weights of the cases, one attribute after the other
    class_counts : float64[classes]
    """

    cuts: list[Floats]
    n_cells: Ints
    counts: Floats
    class_counts: Floats


@dataclass(frozen=True, eq=False)
class Models:
    """Several models in shared arrays, read-only.

    Parameters
    ----------
    cut_starts : int64[models * features + 1], where the cuts of each attribute of each model begin
    cuts : float64[...], ascending; values up to a cut belong to the interval before it
    cell_starts : int64[models * features + 1], where the cells of each attribute begin
    counts : float64[cells, classes], weights of the training cases
    class_counts : float64[models, classes]
    """

    cut_starts: Ints
    cuts: Floats
    cell_starts: Ints
    counts: Floats
    class_counts: Floats

    def __post_init__(self) -> None:
        for name in ("cut_starts", "cuts", "cell_starts", "counts", "class_counts"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @classmethod
    def from_models(cls, models: Sequence[Model]) -> "Models":
        """Join models."""
        cuts = [cuts for model in models for cuts in model.cuts]
        return cls(
            offsets([len(part) for part in cuts]),
            np.concatenate(cuts),
            offsets(np.concatenate([model.n_cells for model in models])),
            np.concatenate([model.counts for model in models]),
            np.array([model.class_counts for model in models]),
        )

    def __len__(self) -> int:
        return len(self.class_counts)

    @property
    def n_features(self) -> int:
        """Number of attributes."""
        return (len(self.cell_starts) - 1) // len(self)

    @cached_property
    def prior(self) -> Floats:
        """Probability of each class in each model, with one case added to each class."""
        counted = self.class_counts + 1.0
        return read_only(counted / counted.sum(axis=1, keepdims=True))

    @cached_property
    def likelihood(self) -> Floats:
        """Probability of each cell given the class, with one case added to each cell."""
        n_cells = np.diff(self.cell_starts)
        totals = np.add.reduceat(self.counts, self.cell_starts[:-1], axis=0) + n_cells[:, None]
        shares = (self.counts + 1.0) / np.repeat(totals, n_cells, axis=0)
        return read_only(np.maximum(shares, LEAST))

    def cells(self, model: int, feature: int) -> slice:
        """Return the rows of ``counts`` and ``likelihood`` of an attribute."""
        place = model * self.n_features + feature
        return slice(int(self.cell_starts[place]), int(self.cell_starts[place + 1]))

    def cuts_of(self, model: int, feature: int) -> Floats:
        """Return the cuts of an attribute."""
        place = model * self.n_features + feature
        return self.cuts[self.cut_starts[place] : self.cut_starts[place + 1]]


@dataclass(frozen=True, eq=False)
class NaiveBayesTree:
    """A tree whose leaves are Naive Bayes models, read-only.

    Parameters
    ----------
    nodes : the tree; the branch of a category has its number
    model : int64[nodes], number of the model of each leaf, -1 at other nodes; a leaf without cases
        uses the model of its parent
    models : the models
    nominal : bool[features], whether the cells of an attribute are categories
    """

    nodes: Tree
    model: Ints
    models: Models
    nominal: NDArray[np.bool_]

    def __post_init__(self) -> None:
        for name in ("model", "nominal"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self.nodes.n_nodes

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self.nodes.n_leaves

    @property
    def weight(self) -> Floats:
        """Weight of the training cases at each node."""
        return self.nodes.weight

    @property
    def max_depth(self) -> int:
        """Depth of the deepest node; 0 if the root is a leaf."""
        return self.nodes.max_depth

    def probabilities(self, values: NDArray[Any]) -> Floats:
        """Return the class probabilities of encoded rows, float64[rows, classes].

        Where missing values lead to several leaves, their probabilities are averaged.
        """
        paths, models = self.nodes.all_paths, self.models
        mixture = np.empty((len(values), self.nodes.n_classes))
        compiled(mix_posteriors, steps=5 * values.size)(
            np.ascontiguousarray(values, dtype=np.float64),
            paths,
            LeafModels(
                self.model,
                self.nominal.astype(np.int64),
                models.cell_starts,
                models.cut_starts,
                models.cuts,
                models.likelihood,
                models.prior,
            ),
            mixture,
        )
        return mixture

    def __repr__(self) -> str:
        size = f"{pluralize(self.n_nodes, 'node')}, {pluralize(self.n_leaves, 'leaf', 'leaves')}"
        return f"<NaiveBayesTree of {size}, depth {self.max_depth}>"


def count_cells(
    cells: Ints, n_cells: Ints, labels: Ints, weights: Floats, n_classes: int
) -> Floats:
    """Return the weight of each class in each cell, one attribute after the other.

    Parameters
    ----------
    cells : int64[features, cases], -1 where missing
    n_cells : int64[features]
    labels : int64[cases]
    weights : float64[cases]
    n_classes : number of classes
    """
    starts = offsets(n_cells)
    rows = cells + starts[:-1, None]
    known = cells >= 0
    places = (rows * n_classes + labels)[known]
    added = np.broadcast_to(weights, cells.shape)[known]
    summed = np.bincount(places, added, starts[-1] * n_classes)
    return np.asarray(summed, dtype=np.float64).reshape(-1, n_classes)


def category_cells(schema: Schema) -> Ints:
    """Return the number of cells of each nominal attribute, 0 for numbers.

    A nominal attribute without any known category has one cell, which stays empty.
    """
    return np.asarray(np.maximum(schema.n_categories, 1) * schema.nominal, dtype=np.int64)


def offsets(sizes: Sequence[int] | Ints) -> Ints:
    """Return where parts of these sizes begin, and their total size at the end."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)


class LeafModels(NamedTuple):
    """The models of a tree's leaves, as the prediction kernel reads them.

    Parameters
    ----------
    model : int64[nodes], number of the model of each leaf
    nominal : int64[features], 1 where cells are categories
    cell_starts, cut_starts, cuts : as in ``Models``
    likelihood : float64[cells, classes]
    prior : float64[models, classes]
    """

    model: ReadonlyInts
    nominal: ReadonlyInts
    cell_starts: ReadonlyInts
    cut_starts: ReadonlyInts
    cuts: ReadonlyFloats
    likelihood: ReadonlyFloats2D
    prior: ReadonlyFloats2D


@typed_kernel(allocates=True)
def mix_posteriors(
    values: ReadonlyFloats2D,
    paths: Paths,
    leaves: LeafModels,
    mixture: Floats2D,
) -> None:
    """Write the class probabilities of each row, averaged over the leaves it reaches.

    Parameters
    ----------
    values : float64[rows, features]
    paths : the nodes of the tree
    leaves : the models
    mixture : float64[rows, classes]
    """
    n_features = leaves.nominal.size
    n_nodes = paths.rules.size
    reached = Reached(np.empty(n_nodes, dtype=np.int64), np.empty(n_nodes))
    cells, out = np.empty(n_features, dtype=np.int64), np.empty(leaves.prior.shape[1])
    for row in range(values.shape[0]):
        mixture[row] = 0.0
        n_reached = visit(values, row, 0, paths, reached)
        for i in range(n_reached):
            leaf = reached.nodes[i]
            if paths.rules[leaf].n_children > 0:
                continue
            model = leaves.model[leaf]
            first = model * n_features
            for feature in range(n_features):
                place = first + feature
                cells[feature] = cell_of(
                    values[row, feature],
                    leaves.nominal[feature],
                    leaves.cell_starts[place],
                    leaves.cuts[leaves.cut_starts[place] : leaves.cut_starts[place + 1]],
                )
            posterior(cells, leaves.prior[model], leaves.likelihood, out)
            for label in range(out.size):
                mixture[row, label] += reached.parts[i] * out[label]


@kernel
def cell_of(value: float, is_category: Int, start: Int, cuts: Floats) -> Int:
    """Return the row of the cell that a value is in, -1 if it is missing."""
    if value != value:
        return MISSING
    if is_category:
        return start + int(value)
    low, high = 0, cuts.size
    while low < high:
        middle = (low + high) // 2
        if value > cuts[middle]:
            low = middle + 1
        else:
            high = middle
    return start + low


@kernel
def posterior(cells: Ints, prior: Floats, likelihood: Floats, out: Floats) -> None:
    """Write the class probabilities of a case by the cell of each attribute, -1 where missing."""
    copy_to(out, prior)
    # As long as one product is large enough, the others need no check.
    leader = 0
    for cell in cells:
        if cell == MISSING:
            continue
        for label in range(out.size):
            out[label] *= likelihood[cell, label]
        if out[leader] < LEAST:
            leader = largest(out)
            if out[leader] < LEAST:
                for label in range(out.size):
                    out[label] *= SCALE
    total = 0.0
    for label in range(out.size):
        total += out[label]
    for label in range(out.size):
        out[label] /= total


@kernel
def most_probable(cells: Ints, prior: Floats, likelihood: Floats, out: Floats) -> Int:
    """Return the class that is most probable by ``posterior``."""
    if out.size != 2:
        posterior(cells, prior, likelihood, out)
        return largest(out)
    # The same for two classes, without loops over them.
    first, second = prior[0], prior[1]
    for cell in cells:
        if cell == MISSING:
            continue
        first *= likelihood[cell, 0]
        second *= likelihood[cell, 1]
        if first < LEAST and second < LEAST:
            first *= SCALE
            second *= SCALE
    total = first + second
    return int(second / total > first / total)


@kernel
def largest(numbers: Floats) -> Int:
    """Return the place of the largest number, the first of equals."""
    best = 0
    for i in range(1, numbers.size):
        if numbers[i] > numbers[best]:
            best = i
    return best


class Members(NamedTuple):
    """Some cases of a node, in Weka's order.

    Parameters
    ----------
    cases : int64[members], their numbers at the node
    weights : float64[members], the weight that is left of each
    sequence : int64[members], places of the members in the order in which folds follow each other
    """

    cases: Ints
    weights: Floats
    sequence: Ints


class Discretized(NamedTuple):
    """The cells of some cases.

    Parameters
    ----------
    cells : int64[features, cases], the cell of each case in each attribute, -1 where missing
    n_cells : int64[features], number of cells of each attribute
    cuts : float64[features, cases], upper bounds of the intervals of numbers except the last
    """

    cells: Ints2D
    n_cells: Ints
    cuts: Floats2D


class Tallies(NamedTuple):
    """Weights of cases by class, each with one case added to every cell.

    Parameters
    ----------
    cells : float64[cells, classes], one attribute after the other
    attributes : float64[attributes, classes], cases whose value is known
    classes : float64[classes]
    total : float64[1]
    """

    cells: Floats2D
    attributes: Floats2D
    classes: Floats
    total: Floats


@kernel(allocates=True)
def cross_validated_errors(
    found: Discretized,
    members: Members,
    labels: Ints,
    n_classes: Int,
    has_fractions: bool,
    limit: float,
) -> float:
    """Return the weight of the members that are misclassified when their fold is left out.

    Folds are consecutive parts of ``members.sequence``. Sums of fractional weights depend on their
    order; those of each attribute are then accumulated as Weka does. Counting stops after the first
    fold with which the errors exceed the limit.
    """
    # Only attributes with more than one cell are informative.
    n_features, n_members = found.n_cells.size, members.cases.size
    starts = np.empty(n_features + 1, dtype=np.int64)
    informative = np.empty(n_features, dtype=np.int64)
    n_informative = 0
    starts[0] = 0
    for feature in range(n_features):
        if found.n_cells[feature] > 1:
            informative[n_informative] = feature
            starts[n_informative + 1] = starts[n_informative] + found.n_cells[feature]
            n_informative += 1
    n_cells = starts[n_informative]
    tallies = Tallies(
        np.ones((n_cells, n_classes)),
        np.ones((n_informative, n_classes)),
        np.ones(n_classes),
        np.full(1, float(n_classes)),
    )
    for i in range(n_informative):
        for label in range(n_classes):
            tallies.attributes[i, label] = found.n_cells[informative[i]]
    rows = np.empty((n_members, n_informative), dtype=np.int64)
    all_cells, sequence = found.cells, members.sequence
    for i in range(n_informative):
        for j in range(n_members):
            cell = all_cells[informative[i], sequence[j]]
            rows[j, i] = MISSING if cell == MISSING else starts[i] + cell
    dealt, weights = np.empty(n_members, dtype=np.int64), np.empty(n_members)
    member_cases, member_weights = members.cases, members.weights
    for j in range(n_members):
        dealt[j] = labels[member_cases[sequence[j]]]
        weights[j] = member_weights[sequence[j]]
    add_cases(tallies, rows, dealt, weights, 1.0, has_fractions)
    prior, out = np.empty(n_classes), np.empty(n_classes)
    likelihood = np.empty((n_cells, n_classes))
    errors = 0.0
    for fold in range(WEKA_FOLDS):
        begin = fold * (n_members // WEKA_FOLDS) + min(fold, n_members % WEKA_FOLDS)
        end = begin + n_members // WEKA_FOLDS + int(fold < n_members % WEKA_FOLDS)
        others = Tallies(
            tallies.cells.copy(),
            tallies.attributes.copy(),
            tallies.classes.copy(),
            tallies.total.copy(),
        )
        fold_cases = rows[begin:end], dealt[begin:end], weights[begin:end]
        add_cases(others, *fold_cases, -1.0, has_fractions)
        if not has_fractions:
            add_up_attributes(others, starts)
        estimate(others, starts, likelihood, prior)
        for j in range(begin, end):
            if most_probable(rows[j], prior, likelihood, out) != dealt[j]:
                errors += weights[j]
        if errors > limit:
            break
    return errors


@kernel
def add_cases(
    tallies: Tallies, rows: Ints, labels: Ints, weights: Floats, sign: float, has_fractions: bool
) -> None:
    """Add cases to the tallies, or remove them if ``sign`` is -1."""
    cells, attributes, classes, total = tallies
    for j in range(labels.size):
        label, weight = labels[j], sign * weights[j]
        for i in range(rows.shape[1]):
            row = rows[j, i]
            if row != MISSING:
                cells[row, label] += weight
                if has_fractions:
                    attributes[i, label] += weight
        classes[label] += weight
        total[0] += weight


@kernel
def add_up_attributes(tallies: Tallies, starts: Ints) -> None:
    """Set the tallies of each attribute to the sum over its cells, exact for integer weights."""
    cells, attributes = tallies.cells, tallies.attributes
    for i in range(attributes.shape[0]):
        for label in range(attributes.shape[1]):
            attributes[i, label] = 0.0
        for row in range(starts[i], starts[i + 1]):
            for label in range(attributes.shape[1]):
                attributes[i, label] += cells[row, label]


@kernel
def estimate(tallies: Tallies, starts: Ints, likelihood: Floats, prior: Floats) -> None:
    """Write the likelihood of each cell and the prior of each class."""
    cells, attributes, classes, total = tallies
    for i in range(attributes.shape[0]):
        for row in range(starts[i], starts[i + 1]):
            for label in range(prior.size):
                likelihood[row, label] = max(LEAST, cells[row, label] / attributes[i, label])
    for label in range(prior.size):
        prior[label] = classes[label] / total[0]
