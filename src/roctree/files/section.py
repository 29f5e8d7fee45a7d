"""A part of a document whose fields are read by type; what is wrong is said with its place."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ModelFileError

Floats = NDArray[np.float64]
NUMBERS = {int, float}


@dataclass(frozen=True)
class Section:
    """An object of a document.

    Parameters
    ----------
    values : its fields
    place : where it stands, in words
    """

    values: dict[str, Any]
    place: str

    @classmethod
    def of(cls, value: Any, place: str, names: Collection[str]) -> "Section":
        """Return the section; refused unless it has these fields and no others."""
        section = cls(value, place)
        if not isinstance(value, dict):
            section._refuse("is no object")
        for name in names:
            if name not in value:
                section._refuse(f"has no {name!r}")
        for name in value:
            if name not in names:
                section._refuse(f"has {name[:40]!r}, which this version of the format has not")
        return section

    def section(self, name: str, names: Collection[str]) -> "Section":
        """Return a section within this one."""
        return Section.of(self.values[name], self.named(name), names)

    def has(self, name: str) -> bool:
        """Return whether a field is not null."""
        return self.values[name] is not None

    def named(self, name: str) -> str:
        """Return where a field stands, in words."""
        return f"{name!r} of {self.place}"

    def refuse(self, name: str, what: str) -> NoReturn:
        """Say what is wrong with a field."""
        raise ModelFileError(f"{self.named(name)} {what}.")

    def text(self, name: str) -> str:
        """Return a string."""
        value = self.values[name]
        if not isinstance(value, str):
            self.refuse(name, "is no text")
        return value

    def choice(self, name: str, choices: Collection[str]) -> str:
        """Return one of some words."""
        value = self.text(name)
        if value not in choices:
            self.refuse(name, f"is none of {', '.join(choices)}")
        return value

    def flag(self, name: str) -> bool:
        """Return true or false."""
        value = self.values[name]
        if not isinstance(value, bool):
            self.refuse(name, "is neither true nor false")
        return value

    def whole(self, name: str, least: int, end: int) -> int:
        """Return a whole number from ``least`` on, below ``end``."""
        value = self.values[name]
        if type(value) is not int or not least <= value < end:
            self.refuse(name, f"is no whole number from {least} to {end - 1}")
        return value

    def number(self, name: str, least: float = -np.inf) -> float:
        """Return a finite number from ``least`` on."""
        value = self.values[name]
        if type(value) not in NUMBERS or not least <= value < np.inf:
            self.refuse(name, "is no finite number, or out of range")
        return float(self._floats(name, [value])[0])

    def items(self, name: str) -> list[Any]:
        """Return a list."""
        value = self.values[name]
        if not isinstance(value, list):
            self.refuse(name, "is no list")
        return value

    def floats(self, name: str, *shape: int) -> Floats:
        """Return finite numbers, in one row or several."""
        return self._floats(name, self._flat(name, shape)).reshape(shape)

    def sizes(self, name: str, *shape: int) -> Floats:
        """Return finite numbers from 0 on, in one row or several."""
        found = self.floats(name, *shape)
        if (found < 0.0).any():
            self.refuse(name, "has a number below 0")
        return found

    def floats_or_null(self, name: str, length: int) -> Floats:
        """Return finite numbers, NaN where the file has null."""
        items = self._flat(name, (length,))
        known = [item for item in items if item is not None]
        numbers = np.full(length, np.nan)
        numbers[[item is not None for item in items]] = self._floats(name, known)
        return numbers

    def ints(self, name: str, dtype: type[np.integer[Any]], *shape: int) -> NDArray[Any]:
        """Return whole numbers of a type, in one row or several."""
        items = self._flat(name, shape)
        bounds = np.iinfo(dtype)
        if not set(map(type, items)) <= {int}:
            self.refuse(name, "holds something other than whole numbers")
        if items and not bounds.min <= min(items) <= max(items) <= bounds.max:
            self.refuse(name, f"holds a number that is none of {np.dtype(dtype)}")
        return np.array(items, dtype=dtype).reshape(shape)

    def _flat(self, name: str, shape: Sequence[int]) -> list[Any]:
        """Return the items of a list, or of lists of one length in a list."""
        items = self.items(name)
        if len(items) != shape[0]:
            self.refuse(name, f"has {len(items)} entries instead of {shape[0]}")
        if len(shape) == 1:
            return items
        if not all(type(row) is list and len(row) == shape[1] for row in items):
            self.refuse(name, f"is not made of lists of {shape[1]} numbers")
        return list(chain.from_iterable(items))

    def _floats(self, name: str, items: list[Any]) -> Floats:
        # By type first: numpy would make text of numbers beside text, as wide as the longest.
        if not set(map(type, items)) <= NUMBERS:
            self.refuse(name, "holds something other than numbers")
        try:
            numbers = np.array(items, dtype=np.float64)
        except OverflowError:
            numbers = np.array([np.inf])
        if not np.isfinite(numbers).all():
            self.refuse(name, "holds a number that is too large")
        return numbers

    def _refuse(self, what: str) -> NoReturn:
        raise ModelFileError(f"{self.place[:1].upper()}{self.place[1:]} {what}.")
