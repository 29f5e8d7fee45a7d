"""What a smoother is, and how its options may be left to the data.

A smoother turns the class counts of a tree into probabilities, one line for each node: that of a
leaf with the path above it. The line of an inner node is what it would be as a leaf.
"""

from dataclasses import replace
from itertools import product
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError
from roctree.strategy import check_number, is_number, refuse
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]
Auto = Literal["auto"]

# Probabilities may be off by this much in sum.
_UNEVEN = 1e-6


@runtime_checkable
class Smoother(Protocol):
    """A function from a tree to float64[nodes, classes], rows adding up to 1."""

    def __call__(self, tree: Tree) -> Floats:
        """The probabilities of the classes at each node."""


def probabilities(smoother: Smoother, tree: Tree) -> Floats:
    """What a smoother makes of a tree; one's own may forget the inner nodes, or empty leaves."""
    try:
        found = np.asarray(smoother(tree), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{smoother!r} gives no array of probabilities: {error}.") from error
    if found.shape != tree.counts.shape:
        raise ParameterError(
            f"{smoother!r} gives an array of shape {found.shape} for a tree of {tree.n_nodes} "
            f"nodes and {tree.n_classes} classes: give a line for each node."
        )
    if not np.isfinite(found).all():
        raise ParameterError(
            f"{smoother!r} gives node {np.argmin(np.isfinite(found).all(axis=1))} probabilities "
            f"that are no numbers; note that a node may have no cases."
        )
    of_leaves = found[tree.leaves]
    wrong = (of_leaves < 0.0).any(axis=1) | (np.abs(of_leaves.sum(axis=1) - 1.0) > _UNEVEN)
    if wrong.any():
        raise ParameterError(
            f"{smoother!r} gives leaf {tree.leaves[np.argmax(wrong)]} the probabilities "
            f"{of_leaves[np.argmax(wrong)].tolist()}, which do not add up to 1 from 0 on."
        )
    return found


def choices(smoother: Smoother) -> list[Smoother]:
    """The smoothers that an option left at "auto" stands for; else the smoother alone."""
    grid: dict[str, tuple[float, ...]] = getattr(smoother, "grid", {})
    open_options = [option for option in grid if getattr(smoother, option) == "auto"]
    values = product(*(grid[option] for option in open_options))
    settled = [dict(zip(open_options, each, strict=True)) for each in values]
    return [replace(smoother, **each) if each else smoother for each in settled]  # type: ignore[type-var]


def check_strength(smoother: Any, option: str) -> None:
    """Refuse a strength that is neither "auto" nor a number from zero on."""
    value = getattr(smoother, option)
    if is_number(value):
        check_number(smoother, option)
    elif not (isinstance(value, str) and value == "auto"):
        refuse(smoother, option, "give a finite number, or 'auto'")


def strength(smoother: Any, option: str) -> float:
    """The number that an option has by now."""
    value = getattr(smoother, option)
    if value == "auto":
        raise ParameterError(
            f"{type(smoother).__name__}({option}='auto') is chosen by other trees of the training "
            "data: give it to ROCTreeClassifier(smoothing=...), or X and y to smoothed(...)."
        )
    return float(value)


def shares(tree: Tree) -> Floats:
    """The class frequencies of each node; zeros where no training case has come."""
    return np.asarray(tree.counts / np.where(tree.weight == 0.0, 1.0, tree.weight)[:, None])
