"""A problem: cases, their classes, and which class is the positive one."""

from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data import Dataset, Rows
from roctree.errors import DataError
from roctree.strategy import nearest


class UnknownDataSetError(DataError):
    """A source has no data set of that name."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A classification problem by name.

    Parameters
    ----------
    name : what it is called in tables
    rows : the cases; nominal attributes with all their categories
    labels : int32[n], the number of each case's class
    classes : the classes, in sorted order
    positive : the class that F-scores are of; None for the last
    """

    name: str
    rows: Rows
    labels: NDArray[np.int32]
    classes: tuple[Any, ...]
    positive: Any = None

    @classmethod
    def from_data(
        cls,
        name: str,
        X: Any,
        y: Any,
        *,
        positive: Any = None,
        categorical_features: Any = "from_dtype",
    ) -> "Problem":
        """Read data as ``ROCTreeClassifier.fit`` does.

        Examples
        --------
        >>> Problem.from_data("colours", [[1.5, "red"], [None, "blue"]], ["yes", "no"])
        <Problem colours: 2 cases, 1 nominal + 1 numeric attributes, 2 classes>
        """
        read = Dataset.from_data(X, y, categorical_features=categorical_features)
        schema = read.schema
        rows = Rows(read.values, schema.names, schema.categories)
        return cls(name, rows, read.labels, tuple(schema.classes.tolist()), positive)

    def __post_init__(self) -> None:
        if len(self.rows) != len(self.labels):
            raise DataError(
                f"{self.name!r} has {len(self.rows)} rows and {len(self.labels)} labels: "
                "give one label for each row."
            )
        if self.positive is not None and self.positive not in self.classes:
            known = ", ".join(map(repr, self.classes))
            raise DataError(f"positive={self.positive!r} is no class of {self.name!r}: {known}.")

    @property
    def y(self) -> NDArray[Any]:
        """The class of each case."""
        return np.array(self.classes)[self.labels]

    @property
    def positive_number(self) -> int:
        """The number of the positive class."""
        last = len(self.classes) - 1
        return last if self.positive is None else self.classes.index(self.positive)

    @property
    def n_nominal(self) -> int:
        """Number of nominal attributes."""
        return sum(categories is not None for categories in self.rows.categories)

    @cached_property
    def checksum(self) -> str:
        """What changes when the data do: a digest of cases, classes and meaning of the columns."""
        digest = sha256()
        meaning = (self.rows.names, self.rows.categories, self.classes, self.positive)
        digest.update(repr(meaning).encode())
        digest.update(np.ascontiguousarray(self.rows.values + 0.0, np.float64).tobytes())
        digest.update(np.ascontiguousarray(self.labels, np.int32).tobytes())
        return digest.hexdigest()

    def against_rest(self, positive: Any, name: str | None = None) -> "Problem":
        """Return the problem of telling some classes, or one, from all others.

        Parameters
        ----------
        positive : a class, or a tuple of them
        name : of the new problem; None for the old one
        """
        chosen = positive if isinstance(positive, tuple) else (positive,)
        for label in chosen:
            if label not in self.classes:
                known = ", ".join(map(repr, self.classes))
                raise DataError(f"{label!r} is no class of {self.name!r}, which has {known}.")
        if set(chosen) == set(self.classes):
            raise DataError(f"No class of {self.name!r} is left as the rest: name fewer.")
        ours = np.isin(self.labels, [self.classes.index(label) for label in chosen])
        title = "+".join(map(str, chosen))
        classes = tuple(sorted([title, "rest"]))
        return replace(
            self,
            name=self.name if name is None else name,
            labels=np.where(ours, classes.index(title), classes.index("rest")).astype(np.int32),
            classes=classes,
            positive=title,
        )

    def __repr__(self) -> str:
        n_numeric = len(self.rows.names) - self.n_nominal
        return (
            f"<Problem {self.name}: {len(self.rows)} cases, {self.n_nominal} nominal + "
            f"{n_numeric} numeric attributes, {len(self.classes)} classes>"
        )


def unknown(name: str, names: list[str], place: str) -> UnknownDataSetError:
    """Return the error that a source does not have that name."""
    shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    return UnknownDataSetError(
        f"{place} has no data set {name!r}{nearest(name, names)}: it has {shown}."
    )
