"""Data sets that need no files: scikit-learn's own, and those that follow from their rules.

``diabetes`` tells patients whose disease advanced by more than the median from the others.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.utils import Bunch

from roctree.experiment.sources.drawn import DRAWN
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
        return sorted([*_MADE, *_SCIKIT_LEARN])

    def load(self, name: str) -> Problem:
        """Make or read the data set."""
        if name in _MADE:
            return _MADE[name]()
        if name not in _SCIKIT_LEARN:
            raise unknown(name, self.names(), "roctree itself")
        bunch = _SCIKIT_LEARN[name]()
        return Problem.from_data(name, bunch.data, bunch.target_names[bunch.target])


def _diabetes() -> Any:
    bunch = datasets.load_diabetes(scaled=False)
    advanced = (bunch.target > np.median(bunch.target)).astype(int)
    return Bunch(data=bunch.data, target=advanced, target_names=np.array(["less", "more"]))


_MADE: dict[str, Callable[[], Problem]] = GENERATED | DRAWN
_SCIKIT_LEARN: dict[str, Callable[[], Any]] = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast-wdbc": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "diabetes": _diabetes,
}
