"""What an export needs of a fitted tree."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from roctree.data import Schema
from roctree.errors import ParameterError
from roctree.labelling import OperatingPoint
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, eq=False)
class Exported:
    """A labelled tree.

    Parameters
    ----------
    tree : the tree
    schema : names, categories and classes
    probabilities : float64[nodes, classes]
    votes : float64[nodes, classes]; a case has the class of the largest sum over its leaves
    point : where the tree operates, if that was chosen
    origin : lines that say what model, operating point and data it came from
    geometric : whether probabilities are not those of the leaves but estimated from distances
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
        """The number of the class of each node, as if it were a leaf."""
        return np.asarray(self.votes.argmax(axis=1))

    @cached_property
    def soft(self) -> NDArray[np.bool_]:
        """Which nodes divide a case near their threshold between their branches."""
        return (self.steepness > 0.0) & ~np.isnan(self.tree.threshold)

    @cached_property
    def steepness(self) -> Floats:
        """By how much the part above a soft threshold rises with the value; 0 if that is hard."""
        with np.errstate(divide="ignore", over="ignore"):
            steepness = 0.5 / self.tree.softness
        return np.where(np.isfinite(steepness), steepness, 0.0)

    @property
    def divides(self) -> NDArray[np.bool_]:
        """Which nodes divide some cases among their branches, by missing values or near by."""
        return ~self.tree.is_leaf & (self.tree.missing_branch < 0) | self.soft

    @cached_property
    def undivided(self) -> "Exported":
        """The same with hard thresholds, where missing values take the heaviest branch."""
        tree = self.tree
        single = np.where(tree.missing_branch < 0, tree.heaviest_branch, tree.missing_branch)
        hard = replace(tree, softness=np.zeros(tree.n_nodes), missing_branch=single)
        return replace(self, tree=hard)

    @property
    def follows_probabilities(self) -> bool:
        """Whether labels are those of the largest probability."""
        return np.array_equal(self.votes, self.probabilities)

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
        for text in self._texts():
            if _SURROGATE.search(text):
                raise ParameterError(
                    f"{text!r} has half a letter, which only Python takes: rename."
                )

    def _texts(self) -> Iterator[str]:
        """All names, categories and labels that are text."""
        categories = (known for known in self.schema.categories if known is not None)
        for value in chain(self.schema.names, *categories, self.schema.classes.tolist()):
            if isinstance(value, str):
                yield value
