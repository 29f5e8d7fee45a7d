"""How a tree is to be grown, as the grower wants it: every choice made, every limit a number."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from roctree.tree.kernels import layout

Missing = Literal["fractional", "category", "branch"]
Nominal = Literal["binary", "multiway", "one_vs_rest"]

_NOMINAL = {
    "binary": layout.BINARY,
    "multiway": layout.MULTIWAY,
    "one_vs_rest": layout.ONE_VS_REST,
}
_CORRECTION = {
    "none": layout.NO_CORRECTION,
    "split_info": layout.SPLIT_INFO,
    "log2": layout.LOG2,
}
# Shares of cases with missing values are rounded, so a branch may fall short of a whole number
# by a hair.
_ENOUGH = 1.0 - 1e-6


class SplitCriterion(Protocol):
    """What the grower asks of a criterion; ``roctree.criteria`` says what it means."""

    @property
    def function(self) -> Callable[[NDArray[np.float64]], float]:
        """The score of a table, as a plain function."""

    @property
    def children_correction(self) -> Literal["none", "log2", "split_info"]:
        """What the improvement is divided by."""

    @property
    def penalty(self) -> bool:
        """Whether a threshold pays for the number tried."""

    @property
    def tolerance(self) -> float:
        """Scores that differ by less are ties."""

    def convex(self, n_classes: int) -> bool:
        """Whether dividing a branch further can never lower the score."""


@dataclass(frozen=True)
class Growth:
    """The criterion, the kinds of split and the limits of growth.

    ``min_steered`` is the least weight of a branch after class weights; all other limits count
    the weight of the cases as given.
    """

    criterion: SplitCriterion
    class_weight: NDArray[np.float64]
    nominal: Nominal = "binary"
    missing: Missing = "fractional"
    max_depth: int | None = None
    min_split: float = 2.0
    min_leaf: float = 1.0
    min_steered: float = 0.0
    min_gain: float = 0.0
    c45_numeric_minimum: bool = False

    @property
    def needs_every_cut(self) -> bool:
        """Whether the cuts of an attribute are counted, so that none may be passed over."""
        return self.criterion.penalty or self.c45_numeric_minimum

    @property
    def guard(self) -> str:
        """Which gains a ratio may come from: "c45", "average" or "none".

        A criterion that does not say wants at least the mean gain where it divides by the split's
        information, as C4.5 does lest tiny branches win.
        """
        divides = self.criterion.children_correction == "split_info"
        return str(getattr(self.criterion, "guard", "average" if divides else "none"))

    def bounded(self) -> bool:
        """Whether candidates may be passed over on the strength of a bound."""
        convex = self.criterion.convex(self.class_weight.size)
        return convex and self.criterion.tolerance == 0.0

    def limits(self, quantum: float) -> NDArray[np.float64]:
        """Everything that the kernels ask, in the order of ``layout``."""
        limits = np.zeros(layout.CLASS_WEIGHTS + self.class_weight.size)
        limits[layout.MAX_DEPTH] = math.inf if self.max_depth is None else self.max_depth
        limits[layout.MIN_SPLIT] = self.min_split * _ENOUGH
        limits[layout.MIN_LEAF] = self.min_leaf * _ENOUGH
        limits[layout.MIN_STEERED] = self.min_steered * _ENOUGH
        limits[layout.MIN_GAIN] = self.min_gain
        limits[layout.C45_MINIMUM] = self.c45_numeric_minimum
        limits[layout.JOIN_MISSING] = self.missing == "branch"
        limits[layout.NOMINAL] = _NOMINAL[self.nominal]
        limits[layout.CORRECTION] = _CORRECTION[self.criterion.children_correction]
        limits[layout.GUARD] = self.guard != "none"
        limits[layout.PENALTY] = self.criterion.penalty
        limits[layout.TOLERANCE] = self.criterion.tolerance
        limits[layout.QUANTUM] = quantum
        limits[layout.CLASS_WEIGHTS :] = self.class_weight
        return limits


def weight_grid(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Round weights to a power of two so coarse that every sum of them is exact in float64.

    Whole numbers stay as they are. The grid depends on the number of cases and their largest
    weight alone, hence not on their order.
    """
    quantum = grid_of(weights.size, float(weights.max()))
    return on_grid(weights, quantum), quantum


def grid_of(n_cases: int, largest: float) -> float:
    """Return the unit of the grid for so many cases of at most such a weight."""
    return math.ldexp(1.0, math.frexp(largest * n_cases)[1] - 52)


def on_grid(weights: NDArray[np.float64], quantum: float) -> NDArray[np.float64]:
    """Round weights to whole multiples of the unit."""
    units = weights / quantum
    return np.multiply(np.rint(units, out=units), quantum, out=units)
