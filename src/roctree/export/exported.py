"""What an export needs of a fitted tree, and the lines that say where it came from."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._version import __version__
from roctree.data import Schema
from roctree.errors import ParameterError
from roctree.files import Training
from roctree.labelling import OperatingPoint
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]

_MOST_CLASSES = 10


@dataclass(frozen=True, eq=False)
class Exported:
    """A labelled tree.

    Parameters
    ----------
    title : the model and its parameters
    tree : the tree
    schema : names, categories and classes
    probabilities : float64[nodes, classes]
    votes : float64[nodes, classes]; a case has the class of the largest sum over its leaves
    labelling : how the leaves got their labels, in words
    point : where the tree operates, if that was chosen
    training : what the tree was grown from
    smoothing : how the probabilities were made
    geometric : whether probabilities are not those of the leaves but estimated from distances
    """

    title: str
    tree: Tree
    schema: Schema
    probabilities: Floats
    votes: Floats
    labelling: str
    point: OperatingPoint | None
    training: Training
    smoothing: Any
    geometric: bool = False

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """The number of the class of each node, as if it were a leaf."""
        return np.asarray(self.votes.argmax(axis=1))

    @property
    def divides(self) -> NDArray[np.bool_]:
        """Which nodes divide a case with a missing value among their branches."""
        return ~self.tree.is_leaf & (self.tree.missing_branch < 0)

    @property
    def follows_probabilities(self) -> bool:
        """Whether labels are those of the largest probability."""
        return np.array_equal(self.votes, self.probabilities)

    def head(self) -> list[str]:
        """Return lines without control characters that say what this is."""
        tree, n = self.tree, self.schema.n_features
        classes = [repr(label) for label in self.schema.classes.tolist()]
        classes[_MOST_CLASSES:] = ["..."] * (len(classes) > _MOST_CLASSES)
        lines = [
            f"{self.title}, by roctree {self.training.version or __version__}",
            f"grown from {self.training}, {n} column{'s' * (n != 1)}, classes {', '.join(classes)}",
            f"{tree.n_nodes} nodes, {tree.n_leaves} leaves, depth {tree.max_depth}; probabilities "
            f"by {self.smoothing!r}",
            f"labels: {self.labelling}",
        ]
        if self.training.date is not None:
            lines[1] += f"; first saved {self.training.date}"
        return [_printable(line) for line in lines]

    def refuse_what_only_python_does(self) -> None:
        """Refuse what would come out differently elsewhere."""
        if self.point is not None and self.point.chance > 0.0:
            raise ParameterError(
                "Labels that are drawn by chance cannot be exported: use at(...) without "
                "randomise=True."
            )
        if self.geometric:
            raise ParameterError(
                "Probabilities by distances cannot be exported: fit without geometric_probability."
            )
        if self.tree.softness.any():
            raise ParameterError("Soft thresholds cannot be exported: use ranked('leaf') first.")


def labelling_words(point: OperatingPoint | None, labels: Any, by: str) -> str:
    """Say how leaves get their labels.

    Parameters
    ----------
    point : where the tree operates, if that was chosen
    labels : the labels that pruning under costs has given, or None
    by : the parameter ``labels``
    """
    if point is not None:
        return f"{point!r}, chosen by {point.counts} counts"
    if labels is not None:
        return "by the costs of pruning"
    return {"probability": "the most probable class"}.get(by, "the majority of the training cases")


def _printable(text: str) -> str:
    """Return text on one line, as Python would escape it."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )
