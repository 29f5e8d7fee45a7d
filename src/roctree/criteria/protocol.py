"""What a criterion is to the grower, and what all criteria of the library have in common.

A criterion scores a contingency table: one row a branch of the split, one column a class, the
cells weights. The higher the score the better. Everything else a criterion says is about how
its scores are to be compared.
"""

from collections.abc import Callable
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roctree.errors import DataError

Table = NDArray[np.float64]
Score = Callable[[Table], float]
Correction = Literal["none", "log2", "split_info"]
Smoothing = Literal["none", "laplace"]


@runtime_checkable
class Criterion(Protocol):
    """What the grower asks of a criterion, built in or the user's own."""

    @property
    def function(self) -> Score:
        """The score of a table, as a plain function that can be compiled.

        Equal criteria give the very same function, so that it is compiled once.
        """

    @property
    def children_correction(self) -> Correction:
        """What the improvement over the unsplit node is divided by.

        Nothing, the logarithm of the number of branches, or the split's own information.
        """

    @property
    def penalty(self) -> bool:
        """Whether a threshold pays log2(number of thresholds tried) / weight of the node."""

    @property
    def tolerance(self) -> float:
        """Scores that differ by less are ties."""

    def convex(self, n_classes: int) -> bool:
        """Whether the score is a convex function of the counts, or rises with one.

        Dividing a branch further then never lowers it, and between two thresholds it cannot
        exceed what the counts at both allow: the grower passes over many candidates.
        """

    def __call__(self, table: ArrayLike) -> float:
        """The score of a table, lists welcome."""


class _Scored(Protocol):
    @property
    def function(self) -> Score: ...


def evaluate(criterion: _Scored, table: ArrayLike) -> float:
    """The score of a table, lists welcome: the ``__call__`` of every criterion."""
    return float(criterion.function(as_table(table)))


def as_table(table: ArrayLike) -> Table:
    """The table as an array of floats; refused unless its cells are weights."""
    cells = np.ascontiguousarray(table, dtype=np.float64)
    if cells.ndim != 2 or cells.size == 0:
        raise DataError("A table needs a row for each branch and a column for each class.")
    if not (np.isfinite(cells).all() and (cells >= 0.0).all()):
        raise DataError("The cells of a table are weights: give finite numbers, none below zero.")
    return cells


def pseudocount(smoothing: Smoothing) -> float:
    """The count that a smoothing adds to every cell."""
    return 1.0 if smoothing == "laplace" else 0.0
