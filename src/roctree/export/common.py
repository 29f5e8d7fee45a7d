"""What all exports share: the lines that describe a model, and the tree that they write down."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._version import __version__
from roctree.data import Schema
from roctree.errors import ParameterError
from roctree.labelling import OperatingPoint
from roctree.text import escape_unprintable, pluralize
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]

SOFT = "thresholds are soft: a case near one goes down both branches, and its leaves are averaged"
_MOST_CLASSES = 10
_SURROGATE = re.compile("[\ud800-\udfff]")


def origin(model: Any) -> tuple[str, ...]:
    """Return the lines that head every export: model, training data, size and labels.

    Control characters are escaped, so that each line stays one line in any format.
    """
    schema, training = model.schema_, model.training_
    classes = [repr(label) for label in schema.classes.tolist()]
    classes[_MOST_CLASSES:] = ["..."] * (len(classes) > _MOST_CLASSES)
    columns = pluralize(schema.n_features, "column")
    saved = f"; first saved {training.date}" if training.date is not None else ""
    size = f"{pluralize(model.tree_.n_nodes, 'node')}, {size_of(model)}"
    smoothing = getattr(model, "smoothing_", None)
    lines: tuple[str, ...] = (
        f"{' '.join(repr(model).split())}, by roctree {training.version or __version__}",
        f"grown from {training}, {columns}, classes {', '.join(classes)}{saved}",
        size if smoothing is None else f"{size}; probabilities by {smoothing!r}",
        f"labels: {_labelling(model)}",
    )
    if has_soft_thresholds(model):
        lines += (SOFT,)
    return tuple(map(escape_unprintable, lines))


def with_origin(model: Any, text: str) -> str:
    """Return a text below the origin of its model, as comments."""
    return "\n".join([*(f"# {line}" for line in origin(model)), text])


def size_of(model: Any) -> str:
    """Describe the size of a tree, such as "8 leaves, depth 3"."""
    return f"{pluralize(model.get_n_leaves(), 'leaf', 'leaves')}, depth {model.get_depth()}"


def has_soft_thresholds(model: Any) -> bool:
    """Whether cases near thresholds go down both branches."""
    softness = getattr(model.tree_, "softness", None)
    return softness is not None and bool(softness.any())


def _labelling(model: Any) -> str:
    point = model.operating_point_
    if point is None:
        return default_labelling(model)
    return f"{point!r}, chosen by {point.counts} counts"


def default_labelling(model: Any) -> str:
    """Describe how a model without an operating point chooses labels."""
    if getattr(model, "node_labels_", None) is not None:
        return "by the costs of pruning"
    by_majority = getattr(model, "labels", "probability") == "majority"
    return "the majority of the training cases" if by_majority else "the most probable class"


@dataclass(frozen=True, eq=False)
class LabelledTree:
    """A tree with everything that an export writes down.

    Parameters
    ----------
    tree : Tree
    schema : Schema
        Names, categories and classes.
    probabilities : float64[nodes, classes]
    votes : float64[nodes, classes]
        A case has the class with the largest sum of votes over its leaves.
    point : OperatingPoint or None
    origin : tuple of str
        Lines that describe the model, see ``origin``.
    geometric : bool
        Whether probabilities are estimated from distances instead of leaf counts.
    """

    tree: Tree
    schema: Schema
    probabilities: Floats
    votes: Floats
    point: OperatingPoint | None
    origin: tuple[str, ...]
    geometric: bool = False

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """Class number of each node, as if it were a leaf."""
        return np.asarray(self.votes.argmax(axis=1))

    @cached_property
    def soft(self) -> NDArray[np.bool_]:
        """Which nodes have a soft threshold."""
        return (self.steepness > 0.0) & ~np.isnan(self.tree.threshold)

    @cached_property
    def steepness(self) -> Floats:
        """Slope of the share that goes above a soft threshold; 0 for hard thresholds."""
        with np.errstate(divide="ignore", over="ignore"):
            steepness = 0.5 / self.tree.softness
        return np.where(np.isfinite(steepness), steepness, 0.0)

    @property
    def divides(self) -> NDArray[np.bool_]:
        """Which nodes divide cases with a missing value, or near a soft threshold."""
        return ~self.tree.is_leaf & (self.tree.missing_branch < 0) | self.soft

    @cached_property
    def undivided(self) -> "LabelledTree":
        """The same tree with hard thresholds and missing values in the heaviest branch."""
        tree = self.tree
        single = np.where(tree.missing_branch < 0, tree.heaviest_branch, tree.missing_branch)
        hard = replace(tree, softness=np.zeros(tree.n_nodes), missing_branch=single)
        return replace(self, tree=hard)

    @property
    def follows_probabilities(self) -> bool:
        """Whether the label of a case is its most probable class."""
        return np.array_equal(self.votes, self.probabilities)

    def check_portable(self) -> None:
        """Raise ``ParameterError`` for results that no other program can reproduce."""
        if self.point is not None and self.point.chance > 0.0:
            raise ParameterError(
                reason="Randomised labels cannot be exported: use {at(...)} without "
                "{randomise=True}."
            )
        if self.geometric:
            raise ParameterError(
                reason="Geometric probabilities cannot be exported: fit without "
                "{geometric_probability=True}."
            )
        for text in self._texts():
            if _SURROGATE.search(text):
                raise ParameterError(
                    f"{text!r} contains a lone surrogate, which is not valid Unicode text: "
                    "rename it."
                )

    def _texts(self) -> Iterator[str]:
        """Yield all names, categories and labels that are strings."""
        categories = (known for known in self.schema.categories if known is not None)
        for value in chain(self.schema.names, *categories, self.schema.classes.tolist()):
            if isinstance(value, str):
                yield value
