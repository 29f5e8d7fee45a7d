"""Data sets that need no files: scikit-learn's own, and those that follow from their rules."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn import datasets

from roctree.experiment.sources.generated import GENERATED
from roctree.experiment.sources.problem import Problem, unknown


@dataclass(frozen=True)
class BuiltIn:
    """What is always there.

    Examples
    --------
    >>> BuiltIn().load("iris")
    <Problem iris: 150 cases, 0 nominal + 4 numeric attributes, 3 classes>
    """

    def names(self) -> list[str]:
        """The data sets."""
        return sorted([*GENERATED, *_SCIKIT_LEARN])

    def load(self, name: str) -> Problem:
        """Make or read the data set."""
        if name in GENERATED:
            made: Problem = GENERATED[name]()
            return made
        if name not in _SCIKIT_LEARN:
            raise unknown(name, self.names(), "roctree itself")
        bunch = _SCIKIT_LEARN[name]()
        return Problem.from_data(name, bunch.data, bunch.target_names[bunch.target])


_SCIKIT_LEARN: dict[str, Callable[[], Any]] = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast-wdbc": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
}
