"""How cases are divided into those that grow a tree and those that try it, again and again.

All configurations of a study see the same divisions, which depend on the classes and the seed
alone.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from numbers import Integral
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from roctree.errors import DataError
from roctree.strategy import is_number, refuse

Ints = NDArray[np.int64]
MOST_SEEDS = 2**32


class Split(NamedTuple):
    """One division; ``train`` and ``test`` are places of cases."""

    repeat: int
    fold: int
    train: Ints
    test: Ints


class Design(Protocol):
    """How often and how to divide."""

    @property
    def places(self) -> list[tuple[int, int]]:
        """The repeat and fold of every division."""

    @property
    def test_ratio(self) -> float:
        """Test cases for one training case, which the corrected resampled t-test wants to know."""

    @property
    def rule(self) -> str:
        """What the divisions depend on, as text: more repeats begin with those of fewer."""

    def splits(self, labels: NDArray[np.int32]) -> Iterator[Split]:
        """The divisions of cases with these class numbers."""

    def quick(self) -> "Design":
        """The same with one repeat."""


@dataclass(frozen=True)
class CrossValidation:
    """Stratified folds, each of which tries the tree of the others; all of that several times.

    Parameters
    ----------
    folds : number of folds
    repeats : how often
    seed : of the first repeat; the others follow

    Examples
    --------
    >>> design = CrossValidation(folds=5, repeats=2)
    >>> len(design.places), design.test_ratio
    (10, 0.25)
    """

    folds: int = 10
    repeats: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        _check_whole(self, "folds", 2)
        _check_whole(self, "repeats", 1)
        _check_seed(self)

    @property
    def places(self) -> list[tuple[int, int]]:
        """The repeat and fold of every division."""
        return list(product(range(self.repeats), range(self.folds)))

    @property
    def test_ratio(self) -> float:
        """Test cases for one training case."""
        return 1.0 / (self.folds - 1)

    @property
    def rule(self) -> str:
        """What the divisions depend on, but for their number."""
        return repr(replace(self, repeats=1))

    def splits(self, labels: NDArray[np.int32]) -> Iterator[Split]:
        """The divisions of cases with these class numbers."""
        if np.bincount(labels).max(initial=0) < self.folds:
            raise DataError(
                f"There are {self.folds} folds and fewer cases of every class: use fewer folds."
            )
        for repeat in range(self.repeats):
            parts = StratifiedKFold(self.folds, shuffle=True, random_state=self.seed + repeat)
            with warnings.catch_warnings():
                # A class of fewer cases than folds is absent from some: that is as it must be.
                warnings.filterwarnings("ignore", "The least populated class", UserWarning)
                found = list(parts.split(np.zeros(len(labels)), labels))
            for fold, (train, test) in enumerate(found):
                yield Split(repeat, fold, train, test)

    def quick(self) -> "CrossValidation":
        """The same with one repeat."""
        return CrossValidation(self.folds, 1, self.seed)


@dataclass(frozen=True)
class HoldOut:
    """A stratified share of the cases tries the tree of the others; several times at random.

    Parameters
    ----------
    test : share of the cases that are held out
    repeats : how often
    seed : of the divisions
    """

    test: float = 0.3
    repeats: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        _check_draws(self)

    @property
    def places(self) -> list[tuple[int, int]]:
        """The repeat and fold of every division."""
        return [(repeat, 0) for repeat in range(self.repeats)]

    @property
    def test_ratio(self) -> float:
        """Test cases for one training case."""
        return self.test / (1.0 - self.test)

    @property
    def rule(self) -> str:
        """What the divisions depend on, but for their number."""
        return repr(replace(self, repeats=1))

    def splits(self, labels: NDArray[np.int32]) -> Iterator[Split]:
        """The divisions of cases with these class numbers."""
        parts = StratifiedShuffleSplit(self.repeats, test_size=self.test, random_state=self.seed)
        try:
            found = list(parts.split(np.zeros(len(labels)), labels))
        except ValueError as error:
            raise DataError(f"The cases cannot be divided in this way: {error}") from None
        for repeat, (train, test) in enumerate(found):
            yield Split(repeat, 0, train, test)

    def quick(self) -> "HoldOut":
        """The same once."""
        return HoldOut(self.test, 1, self.seed)


@dataclass(frozen=True)
class Bootstrap:
    """A sample with replacement of all cases, divided by class; several times at random.

    All copies of a case go to the same side, so that no case is tried by the tree it has grown.

    Parameters
    ----------
    test : share of the distinct cases in a sample that are held out
    repeats : how often
    seed : of the samples
    """

    test: float = 1 / 3
    repeats: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        _check_draws(self)

    @property
    def places(self) -> list[tuple[int, int]]:
        """The repeat and fold of every division."""
        return [(repeat, 0) for repeat in range(self.repeats)]

    @property
    def test_ratio(self) -> float:
        """Test cases for one training case."""
        return self.test / (1.0 - self.test)

    @property
    def rule(self) -> str:
        """What the divisions depend on, but for their number."""
        return repr(replace(self, repeats=1))

    def splits(self, labels: NDArray[np.int32]) -> Iterator[Split]:
        """The divisions of cases with these class numbers."""
        for repeat in range(self.repeats):
            random = np.random.default_rng([self.seed, repeat])
            train, test = [], []
            for label in np.unique(labels):
                cases = np.flatnonzero(labels == label)
                drawn = random.choice(cases, size=len(cases))
                held_out = random.permutation(np.unique(drawn))
                held_out = held_out[: round(self.test * len(held_out))]
                out = np.isin(drawn, held_out)
                train.append(drawn[~out])
                test.append(drawn[out])
            yield Split(repeat, 0, np.sort(np.concatenate(train)), np.sort(np.concatenate(test)))

    def quick(self) -> "Bootstrap":
        """The same with a tenth of the samples: one says nothing about a difference of areas."""
        return Bootstrap(self.test, max(self.repeats // 10, 1), self.seed)


def _check_draws(design: HoldOut | Bootstrap) -> None:
    if not is_number(design.test) or not 0 < design.test < 1:
        refuse(design, "test", "give a share between 0 and 1")
    _check_whole(design, "repeats", 1)
    _check_seed(design)


def _check_whole(design: Design, option: str, least: int) -> None:
    value = getattr(design, option)
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        refuse(design, option, f"give a whole number from {least} on")


def _check_seed(design: CrossValidation | HoldOut | Bootstrap) -> None:
    """Refuse seeds of repeats that scikit-learn does not take."""
    _check_whole(design, "seed", 0)
    if design.seed + design.repeats > MOST_SEEDS:
        refuse(design, "seed", f"with its repeats it may go up to {MOST_SEEDS - 1}")
