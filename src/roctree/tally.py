"""Counts of labelled cases: in the leaves of a tree, or by predicted probabilities.

Missing values and soft thresholds divide cases. A divided case is scored and labelled as a whole,
by the mean of its leaves. If it were counted in parts, it would have several labels, and the rates
would not be those of the predictions. Where the cases of a leaf have different probabilities, also
because they are divided, operating points are chosen by cases grouped by probability
(``ScoreGroups``).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.arrays import Floats, Ints
from roctree.data import Dataset
from roctree.errors import DataError, ParameterError
from roctree.labelling import Leaves, round_half_up
from roctree.text import DisplayTable
from roctree.tree.growth import weight_grid
from roctree.tree.prediction import (
    apply,
    divided_rows,
    mix,
    node_class_counts,
    undivided_ends,
)
from roctree.tree.shape import subtree_counts
from roctree.tree.tree import SCORE_DECIMALS, Tree, make_read_only


@dataclass(frozen=True, eq=False)
class Tally:
    """Class counts by line: one line per leaf of a tree, then one per divided case.

    Parameters
    ----------
    tree : the tree
    parts : float64[nodes, classes], the cases at all nodes, divided ones in parts
    counts : float64[lines, classes], the cases of each line
    values : float64[divided, features], the divided cases
    """

    tree: Tree
    parts: Floats
    counts: Floats
    values: Floats

    @classmethod
    def from_cases(cls, tree: Tree, cases: Dataset) -> "Tally":
        """Count some cases."""
        values, labels, weights = cases.values, cases.labels, cases.weights
        parts = node_class_counts(tree, values, labels, weights)
        divided = divided_rows(tree, values)
        if not divided.any():
            # Not a view, which would keep the values of all cases.
            return cls(tree, parts, parts[tree.leaves], values[:0].copy())
        whole = node_class_counts(tree, values[~divided], labels[~divided], weights[~divided])
        own = np.zeros((int(divided.sum()), tree.n_classes))
        own[np.arange(len(own)), labels[divided]] = weights[divided]
        return cls(tree, parts, np.concatenate([whole[tree.leaves], own]), values[divided])

    def of_tree(self, tree: Tree) -> "Tally":
        """Return this tally; raise ``ParameterError`` if its cases were counted in another tree."""
        if self.tree != tree:
            raise ParameterError("The cases were counted in another tree: count them in this one.")
        return self

    @classmethod
    def joined(cls, tallies: Iterable["Tally"]) -> "Tally":
        """Return the sum of several tallies of the same tree, which may be an iterator."""
        rest = iter(tallies)
        first = next(rest, None)
        if first is None:
            raise DataError("X is empty: at least one row with a weight above 0 is required.")
        n_leaves = first.tree.n_leaves
        parts, leaves = first.parts.copy(), first.counts[:n_leaves].copy()
        own, values = [first.counts[n_leaves:]], [first.values]
        for other in rest:
            parts += other.parts
            leaves += other.counts[:n_leaves]
            own.append(other.counts[n_leaves:])
            values.append(other.values)
        return cls(first.tree, parts, np.concatenate([leaves, *own]), np.concatenate(values))

    @property
    def undivided(self) -> Floats:
        """The cases at all nodes except divided ones, float64[nodes, classes]."""
        counts = np.zeros_like(self.parts)
        counts[self.tree.leaves] = self.counts[: self.tree.n_leaves]
        return subtree_counts(self.tree, counts)

    @property
    def divided(self) -> tuple[Floats, Floats]:
        """The divided cases, float64[divided, features], and their weights in their classes."""
        return self.values, self.counts[self.tree.n_leaves :]

    @property
    def nodes(self) -> NDArray[np.int64]:
        """The numbers of the leaves, -1 for divided cases."""
        return np.append(self.tree.leaves, np.full(len(self.values), -1))

    def lines(self, table: Floats) -> Floats:
        """Return the values of each line, given a table of all nodes, float64[lines, columns]."""
        own = table[self.tree.leaves]
        if not len(self.values):
            return own
        return np.concatenate([own, mix(self.tree, self.values, table)])


# Prefixes of columns that hold numbers from 0 to 1.
_SHARES = ("probability ", "low ", "high ")


@dataclass(frozen=True, eq=False, repr=False)
class LeafTable(DisplayTable):
    """The leaves of a tree as a table: their cases and their probabilities, by class.

    Unpacked, it is ``probabilities, counts``, which metrics such as ``mauc(*table)`` take.

    Parameters
    ----------
    probabilities, counts : float64[lines, classes]
    leaves : int64[lines]
        Node of each leaf, as from ``apply``; -1 for a case that is divided among leaves.
    classes : array
        Class labels.
    intervals : float64[lines, classes, 2] or None
        Confidence intervals of the probabilities, if they are calibrated.
    """

    probabilities: Floats
    counts: Floats
    leaves: Ints
    classes: NDArray[Any]
    intervals: Floats | None = None

    def __iter__(self) -> Iterator[Floats]:
        yield self.probabilities
        yield self.counts

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of the table by name."""
        labels = self.classes.tolist()
        found = {
            "leaf": self.leaves,
            "cases": self.counts.sum(axis=1),
            **{f"cases {label}": self.counts[:, i] for i, label in enumerate(labels)},
        }
        for i, label in enumerate(labels):
            found[f"probability {label}"] = self.probabilities[:, i]
            if self.intervals is not None:
                found[f"low {label}"] = self.intervals[:, i, 0]
                found[f"high {label}"] = self.intervals[:, i, 1]
        return found

    @property
    def head(self) -> list[str]:
        """Names of the columns."""
        return list(self.columns())

    def cells(self) -> list[list[str]]:
        """Return the table as text, one list of cells per line."""
        columns = [
            [f"{value:.4f}" if name.startswith(_SHARES) else f"{value:.10g}" for value in each]
            for name, each in self.columns().items()
        ]
        return [list(line) for line in zip(*columns, strict=True)]


@dataclass(frozen=True, eq=False)
class ScoreGroups:
    """The distinct probabilities that a model gives some cases, and the classes of these cases.

    Parameters
    ----------
    scores : float64[n, classes]
        Distinct class probabilities.
    counts : float64[n, classes]
        Weight of the cases of each class with these probabilities.
    leaf : int64[n] or None
        The leaf that gave them, the heaviest where a case reaches several; -1 or None if unknown.
        In a tree without points there is a group for each leaf, then one for each probability of
        divided cases.
    decimals : int or None
        Decimals that probabilities are rounded to, if there were too many.
    """

    scores: Floats
    counts: Floats
    leaf: Ints | None = None
    decimals: int | None = None

    def __post_init__(self) -> None:
        make_read_only(self)

    @classmethod
    def grouped(cls, probabilities: Floats, cases: Dataset, leaf: Ints) -> "ScoreGroups":
        """Group cases by their probabilities and their leaf."""
        answers = np.column_stack([probabilities, leaf])
        distinct, group = np.unique(answers, axis=0, return_inverse=True)
        counts = np.zeros((len(distinct), probabilities.shape[1]))
        np.add.at(counts, (group.reshape(-1), cases.labels), cases.weights)
        return cls(distinct[:, :-1].copy(), counts, distinct[:, -1].astype(np.int64))

    @classmethod
    def of_leaves(cls, tree: Tree, probabilities: Floats, counts: Floats) -> "ScoreGroups":
        """Return a group for each leaf, given tables of all nodes."""
        return cls(probabilities[tree.leaves], counts[tree.leaves], tree.leaves)

    @classmethod
    def of_tally(cls, tally: Tally, probabilities: Floats) -> "ScoreGroups":
        """Return the lines of a tally, given the probabilities of all nodes."""
        return cls(tally.lines(probabilities), tally.counts, tally.nodes)

    @classmethod
    def of_cases(
        cls, tree: Tree, probabilities: Floats, cases: Dataset, n_threads: int = 1
    ) -> "ScoreGroups | None":
        """Group cases by leaf, and divided ones by their probabilities.

        With many different probabilities, all are rounded; with too many nevertheless, None is
        returned. The result does not depend on the order of the cases.

        Parameters
        ----------
        tree : Tree
        probabilities : float64[nodes, classes]
        cases : Dataset
        n_threads : int
        """
        n_classes, leaves = tree.n_classes, tree.leaves
        weights, _ = weight_grid(cases.weights, n_threads)
        ends = undivided_ends(tree, cases.values, n_threads=n_threads)
        whole = _class_totals(ends, cases.labels, weights, (tree.n_nodes, n_classes))[leaves]
        divided = np.flatnonzero(~tree.is_leaf[ends] & (weights > 0.0))
        values, labels, weights = cases.values[divided], cases.labels[divided], weights[divided]
        shares = mix(tree, values, probabilities, n_threads=n_threads)
        for decimals, most in _ROUNDINGS[n_classes > 2]:
            own, group = _distinct(_round_shares(shares, decimals))
            if len(own) <= most:
                heaviest = apply(tree, values, n_threads=n_threads)
                counts = _class_totals(group, labels, weights, (len(own), n_classes))
                return cls(
                    np.concatenate([_round_shares(probabilities[leaves], decimals), own]),
                    np.concatenate([whole, counts]),
                    np.append(leaves, _most_common(heaviest, group, weights)),
                    None if decimals == SCORE_DECIMALS else decimals,
                )
        return None

    @classmethod
    def joined(cls, parts: Iterable["ScoreGroups"]) -> "ScoreGroups":
        """Return the cases of all, scored by one model."""
        every = list(parts)
        if not every:
            raise DataError("X is empty: at least one row with a weight above 0 is required.")
        leaves = [each.leaf for each in every if each.leaf is not None]
        return cls(
            np.concatenate([each.scores for each in every]),
            np.concatenate([each.counts for each in every]),
            np.concatenate(leaves) if len(leaves) == len(every) else None,
        )

    def with_cases(self) -> "ScoreGroups":
        """Return the groups that have cases."""
        full = self.counts.any(axis=1)
        leaf = None if self.leaf is None else self.leaf[full]
        return replace(self, scores=self.scores[full], counts=self.counts[full], leaf=leaf)

    def with_expected_counts(self) -> "ScoreGroups":
        """Return the same scores with the class counts that they predict."""
        return replace(self, counts=self.scores * self.counts.sum(axis=1, keepdims=True))

    def as_leaves(self, positive: int) -> Leaves:
        """Return the scores as leaves."""
        nodes = np.arange(len(self.scores))
        return Leaves(nodes, self.counts, self.scores, positive, True, self.decimals)

    def with_pure_leaves(self, positive: int) -> Leaves:
        """Return the scores as leaves, followed by an empty pure leaf for each class.

        The votes that a labeller gives the pure leaves determine its votes for any probabilities:
        see ``FittedScores``.
        """
        n_classes = self.scores.shape[1]
        scores = np.concatenate([self.scores, np.eye(n_classes)])
        counts = np.concatenate([self.counts, np.zeros((n_classes, n_classes))])
        return Leaves(np.arange(len(scores)), counts, scores, positive, True, self.decimals)


# Decimals of the probabilities of divided cases, and the most groups that are kept with them, for
# two classes and for more. Thresholds halfway between groups separate their cases in the same way.
_ROUNDINGS = ((SCORE_DECIMALS, 1000), (3, 1001)), ((SCORE_DECIMALS, 1000), (2, 10_000))


def _round_shares(shares: Floats, decimals: int) -> Floats:
    """Return class probabilities with fewer decimals that add up to 1.

    What rounded probabilities of several classes lack or exceed is spread over them, so that each
    still rounds to the same number: rows that differ in one class stay on their side of thresholds.
    """
    if shares.shape[1] == 2:
        # On a grid, also those of the other class.
        second = np.round(shares[:, 1], decimals)
        return np.column_stack([np.round(1.0 - second, decimals), second])
    if decimals == SCORE_DECIMALS:
        return np.round(shares, decimals)
    found = round_half_up(shares, decimals)
    excess = found.sum(axis=1, keepdims=True) - 1.0
    room = np.minimum(np.where(excess > 0.0, found, 1.0 - found), 0.5 / 10.0**decimals)
    return np.asarray(found - excess * (room / room.sum(axis=1, keepdims=True)))


def _distinct(shares: Floats) -> tuple[Floats, Ints]:
    """Return the distinct rows, and which of them each row is."""
    if shares.shape[1] == 2:
        # One column determines the other, and is much faster to sort.
        _, first, group = np.unique(shares[:, 1], return_index=True, return_inverse=True)
        return shares[first], group
    found, group = np.unique(shares, axis=0, return_inverse=True)
    return found, group.reshape(-1)


def _most_common(leaf: Ints, group: Ints, weights: Floats) -> Ints:
    """Return the leaf with the largest weight in each group, the first on ties."""
    width = int(leaf.max(initial=0)) + 1
    cells, place = np.unique(group * width + leaf, return_inverse=True)
    totals = np.bincount(place, weights)
    order = np.lexsort((cells, -totals, cells // width))
    _, first = np.unique(cells[order] // width, return_index=True)
    return np.asarray(cells[order][first] % width)


def _class_totals(
    group: Ints, labels: NDArray[Any], weights: Floats, shape: tuple[int, int]
) -> Floats:
    """Return the weight of each class in each group, float64[groups, classes]."""
    cell = group * shape[1] + labels
    totals = np.bincount(cell, weights, shape[0] * shape[1])
    return totals.astype(np.float64).reshape(shape)


# Labelled cases, counted as a model needs it to be evaluated.
Counted = Tally | ScoreGroups


def joined(parts: Iterable[Counted]) -> Counted:
    """Return the cases of all parts, counted for one model; they may come one after the other."""
    rest = iter(parts)
    first = next(rest, None)
    every = chain([] if first is None else [first], rest)
    if isinstance(first, ScoreGroups):
        return ScoreGroups.joined(each for each in every if isinstance(each, ScoreGroups))
    return Tally.joined(each for each in every if isinstance(each, Tally))
