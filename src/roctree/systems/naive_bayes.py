"""Naive Bayes on intervals and categories, and a tree with such a model at each leaf."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.data import Schema
from roctree.systems.naive_bayes_kernels import LEAST, mix_posteriors
from roctree.table import amount
from roctree.tree.tree import Tree, read_only

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Model(NamedTuple):
    """Naive Bayes of the cases of one node.

    Parameters
    ----------
    cuts : for each attribute where its intervals end, but for the last; none of categories
    n_cells : int64[features], how many intervals or categories
    counts : float64[cells, classes], weights of the cases, one attribute after the other
    class_counts : float64[classes]
    """

    cuts: list[Floats]
    n_cells: Ints
    counts: Floats
    class_counts: Floats


@dataclass(frozen=True, eq=False)
class Models:
    """Several models side by side, read-only.

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
    def of(cls, models: Sequence[Model]) -> "Models":
        """Put models side by side."""
        cuts = [cuts for model in models for cuts in model.cuts]
        return cls(
            starts_of([len(part) for part in cuts]),
            np.concatenate(cuts),
            starts_of(np.concatenate([model.n_cells for model in models])),
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
        """Share of each class in each model, as if there were one more case of each."""
        counted = self.class_counts + 1.0
        return read_only(counted / counted.sum(axis=1, keepdims=True))

    @cached_property
    def likelihood(self) -> Floats:
        """Share of each cell in its class, as if each cell had one more case of each."""
        n_cells = np.diff(self.cell_starts)
        totals = np.add.reduceat(self.counts, self.cell_starts[:-1], axis=0) + n_cells[:, None]
        shares = (self.counts + 1.0) / np.repeat(totals, n_cells, axis=0)
        return read_only(np.maximum(shares, LEAST))

    def cells(self, model: int, feature: int) -> slice:
        """Return the rows of ``counts`` and ``likelihood`` of an attribute."""
        place = model * self.n_features + feature
        return slice(int(self.cell_starts[place]), int(self.cell_starts[place + 1]))

    def cuts_of(self, model: int, feature: int) -> Floats:
        """Return where the intervals of an attribute end."""
        place = model * self.n_features + feature
        return self.cuts[self.cut_starts[place] : self.cut_starts[place + 1]]


@dataclass(frozen=True, eq=False)
class NaiveBayesTree:
    """A tree whose leaves are Naive Bayes models, read-only.

    Parameters
    ----------
    nodes : the tree; a category has the branch of its number
    model : int64[nodes], the number of the model that a leaf goes by, -1 at other nodes; a leaf
        without cases goes by that of the node above
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

        Where missing values lead to several leaves, these are mixed.
        """
        paths, models = self.nodes.all_paths, self.models
        mixture = np.empty((len(values), self.nodes.n_classes))
        compiled(mix_posteriors)(
            np.ascontiguousarray(values, dtype=np.float64),
            paths,
            self.model,
            self.nominal.astype(np.int64),
            models.cell_starts,
            models.cut_starts,
            models.cuts,
            models.likelihood,
            models.prior,
            mixture,
        )
        return mixture

    def __repr__(self) -> str:
        size = f"{amount(self.n_nodes, 'node')}, {amount(self.n_leaves, 'leaf', 'leaves')}"
        facts = f"{size}, depth {self.max_depth}"
        return f"<NaiveBayesTree of {facts}>"


def counted(cells: Ints, n_cells: Ints, labels: Ints, weights: Floats, n_classes: int) -> Floats:
    """Return the weight of each class in each cell, one attribute after the other.

    Parameters
    ----------
    cells : int64[features, cases], -1 where missing
    n_cells : int64[features]
    labels, weights : int64[cases], float64[cases]
    n_classes : how many classes there are
    """
    starts = starts_of(n_cells)
    rows = cells + starts[:-1, None]
    known = cells >= 0
    places = (rows * n_classes + labels)[known]
    added = np.broadcast_to(weights, cells.shape)[known]
    summed = np.bincount(places, added, starts[-1] * n_classes)
    return np.asarray(summed, dtype=np.float64).reshape(-1, n_classes)


def n_categories_of(schema: Schema) -> Ints:
    """Return how many cells the categories of each attribute are, 0 of numbers.

    An attribute whose categories are all missing has one, to which nothing belongs.
    """
    return np.asarray(np.maximum(schema.n_categories, 1) * schema.nominal, dtype=np.int64)


def starts_of(sizes: Sequence[int] | Ints) -> Ints:
    """Return where parts of these sizes begin, and in the end how long they are together."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
