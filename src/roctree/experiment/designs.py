"""How cases are split into training and test sets.

All configurations of an experiment see the same splits, which depend only on the classes and the
seed.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from roctree.arrays import Ints
from roctree.errors import DataError
from roctree.strategy import is_finite_number, is_integer, reject_option

MAX_SEEDS = 2**32


class Split(NamedTuple):
    """One split; ``train`` and ``test`` are row indices."""

    repeat: int
    fold: int
    train: Ints
    test: Ints


class Design(Protocol):
    """How often and how to split."""

    @property
    def places(self) -> list[tuple[int, int]]:
        """The repeat and fold of each split."""

    @property
    def test_ratio(self) -> float:
        """Number of test cases per training case, used by the corrected resampled t-test."""

    @property
    def rule(self) -> str:
        """What the splits depend on, as text; more repeats start with the splits of fewer."""

    def splits(self, labels: NDArray[np.int32]) -> Iterator[Split]:
        """Yield the splits of cases with these class indices."""

    def quick(self) -> "Design":
        """Return the same design with fewer repeats."""


@dataclass(frozen=True)
class CrossValidation:
    """Repeated stratified cross-validation.

    Parameters
    ----------
    folds : int, default=10
        Number of folds.
    repeats : int, default=1
        Number of repetitions.
    seed : int, default=0
        Seed of the first repetition; the others use the following numbers.

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
        _check_integer(self, "folds", 2)
        _check_repeats(self)

    @property
    def places(self) -> list[tuple[int, int]]:
        """The repeat and fold of each split."""
        return list(product(range(self.repeats), range(self.folds)))

    @property
    def test_ratio(self) -> float:
        """Number of test cases per training case."""
        return 1.0 / (self.folds - 1)

    @property
    def rule(self) -> str:
        """What the splits depend on, apart from their number."""
        return repr(replace(self, repeats=1))

    def splits(self, labels: NDArray[np.int32]) -> Iterator[Split]:
        """Yield the splits of cases with these class indices."""
        if np.bincount(labels).max(initial=0) < self.folds:
            raise DataError(
                f"Every class has fewer cases than there are folds ({self.folds}): use fewer folds."
            )
        for repeat in range(self.repeats):
            parts = StratifiedKFold(self.folds, shuffle=True, random_state=self.seed + repeat)
            with warnings.catch_warnings():
                # A class with fewer cases than folds is absent from some folds, which is fine.
                warnings.filterwarnings("ignore", "The least populated class", UserWarning)
                found = list(parts.split(np.zeros(len(labels)), labels))
            for fold, (train, test) in enumerate(found):
                yield Split(repeat, fold, train, test)

    def quick(self) -> "CrossValidation":
        """Return the same design with one repeat."""
        return replace(self, repeats=1)


@dataclass(frozen=True)
class HoldOut:
    """Repeated random stratified split into training and test cases.

    Parameters
    ----------
    test : float, default=0.3
        Share of the cases that are held out.
    repeats : int, default=10
        Number of repetitions.
    seed : int, default=0
        Seed of the splits.

    Examples
    --------
    >>> len(HoldOut(test=0.25, repeats=4).places)
    4
    """

    test: float = 0.3
    repeats: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        if not is_finite_number(self.test) or not 0 < self.test < 1:
            reject_option(self, "test", "give a share between 0 and 1")
        _check_repeats(self)

    @property
    def places(self) -> list[tuple[int, int]]:
        """The repeat and fold of each split."""
        return [(repeat, 0) for repeat in range(self.repeats)]

    @property
    def test_ratio(self) -> float:
        """Number of test cases per training case."""
        return self.test / (1.0 - self.test)

    @property
    def rule(self) -> str:
        """What the splits depend on, apart from their number."""
        return repr(replace(self, repeats=1))

    def splits(self, labels: NDArray[np.int32]) -> Iterator[Split]:
        """Yield the splits of cases with these class indices."""
        parts = StratifiedShuffleSplit(self.repeats, test_size=self.test, random_state=self.seed)
        try:
            found = list(parts.split(np.zeros(len(labels)), labels))
        except ValueError as error:
            raise DataError(f"The cases cannot be split in this way: {error}") from None
        for repeat, (train, test) in enumerate(found):
            yield Split(repeat, 0, train, test)

    def quick(self) -> "HoldOut":
        """Return the same design with one repeat."""
        return replace(self, repeats=1)


@dataclass(frozen=True)
class Bootstrap(HoldOut):
    """Bootstrap samples of all cases, each split by class into training and test cases.

    All copies of a case are on the same side of the split, so that no tree is tested on a case that
    it was grown from.

    Parameters
    ----------
    test : float, default=1/3
        Share of the distinct cases of a sample that are held out.
    repeats : int, default=100
        Number of samples.
    seed : int, default=0
        Seed of the samples.

    Examples
    --------
    >>> len(Bootstrap(repeats=20).places)
    20
    """

    test: float = 1 / 3
    repeats: int = 100

    def splits(self, labels: NDArray[np.int32]) -> Iterator[Split]:
        """Yield the splits of cases with these class indices."""
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
        """Return the same design with a tenth of the samples: one is too few to compare areas."""
        return replace(self, repeats=max(self.repeats // 10, 1))


def _check_repeats(design: CrossValidation | HoldOut) -> None:
    _check_integer(design, "repeats", 1)
    _check_integer(design, "seed", 0)
    if design.seed + design.repeats > MAX_SEEDS:
        reject_option(design, "seed", f"with its repeats it must not exceed {MAX_SEEDS - 1}")


def _check_integer(design: Design, option: str, least: int) -> None:
    value = getattr(design, option)
    if not is_integer(value) or value < least:
        reject_option(design, option, f"give an integer of at least {least}")
