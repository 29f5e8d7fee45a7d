"""The cases of a node of a Naive Bayes tree, and how splits divide them."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.data import Dataset
from roctree.systems.c45_kernels import DIVIDED
from roctree.systems.mdl import logarithms
from roctree.systems.naive_bayes import n_categories_of
from roctree.systems.nbtree_kernels import GONE, keep_ranked

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Cases(NamedTuple):
    """The cases of a node, in the order in which Weka would have them.

    Parameters
    ----------
    values : float64[features, cases]
    ranked, n_known : int64[features, cases], int64[features], the cases with a known number in
        ascending order, and how many they are
    n_categories : int64[features], 0 of numbers
    labels : int64[cases]
    copies : float64[cases], how many cases each stood for before missing values divided it
    weights : float64[cases], what is left of each
    n_classes : number of classes of the whole tree
    table : float64[...], x ln x of the first whole numbers
    """

    values: Floats
    ranked: Ints
    n_known: Ints
    n_categories: Ints
    labels: Ints
    copies: Floats
    weights: Floats
    n_classes: int
    table: Floats

    @classmethod
    def of(cls, dataset: Dataset) -> "Cases":
        """Return the cases of the root."""
        values = np.ascontiguousarray(dataset.values.T, dtype=np.float64)
        weights = np.ascontiguousarray(dataset.weights, dtype=np.float64)
        # An attribute of categories is none of numbers, even where it has none.
        return cls(
            values,
            np.argsort(values, axis=1, kind="stable"),
            np.count_nonzero(~np.isnan(values), axis=1),
            n_categories_of(dataset.schema),
            dataset.labels.astype(np.int64),
            weights,
            weights,
            dataset.schema.n_classes,
            logarithms(float(weights.sum())),
        )

    def part(self, members: Ints, weights: Floats) -> "Cases":
        """Return some of the cases, in the order given, with other weights."""
        place = np.full(len(self.labels), GONE)
        place[members] = np.arange(len(members))
        ranked = np.zeros((len(self.values), len(members)), dtype=np.int64)
        n_known = np.zeros_like(self.n_known)
        compiled(keep_ranked)(self.ranked, self.n_known, self.n_categories, place, ranked, n_known)
        return self._replace(
            values=np.take(self.values, members, axis=1),
            ranked=ranked,
            n_known=n_known,
            labels=self.labels[members],
            weights=weights,
            copies=self.copies[members],
        )


class Split(NamedTuple):
    """A split of a node.

    Parameters
    ----------
    feature : which attribute
    threshold : of numbers, NaN of categories
    branch : int64[cases], the branch of each case, -1 of one that is divided among all
    shares : float64[branches], what each branch gets of such a case
    """

    feature: int
    threshold: float
    branch: Ints
    shares: Floats

    def parts(self, cases: Cases, order: Ints) -> Iterator[tuple[Ints, Floats]]:
        """Yield the cases of each branch, in an order, and what is left of each.

        A branch that gets nothing of divided cases has them nevertheless, with weight 0.
        """
        branch = self.branch[order]
        divided = branch == DIVIDED
        for number, share in enumerate(self.shares):
            inside = (branch == number) | divided
            members = order[inside]
            yield members, cases.weights[members] * np.where(divided[inside], share, 1.0)
