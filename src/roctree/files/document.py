"""A document as bytes, and typed access to its sections.

A document is JSON that begins with its format and version and ends with a checksum of all bytes
before it. The checksum detects accidents, not forgeries: a document with a correct checksum is
checked field by field as well. ``Section`` does that; its errors name the field.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from roctree.arrays import Floats
from roctree.errors import ModelFileError

# The second version has points beside a tree; files without any are of the first.
FORMAT, VERSION = "roctree", 2
# Format and version are within this many bytes, whatever blanks are between them.
HEAD_SIZE = 2048

_BEGINNING = re.compile(rb'\s{0,99}\{\s{0,99}"format"\s{0,99}:\s{0,99}"roctree"\s{0,99},')
_VERSION = re.compile(rb'\s{0,99}"version"\s{0,99}:\s{0,99}(\d{1,9})\s{0,99}[,}]')
_CHECKSUM = b'"checksum"'
_ENDING = re.compile(rb'"checksum"\s{0,99}:\s{0,99}"([0-9a-f]{64})"\s{0,99}\}\s{0,99}')
_OWN_FIELDS = ("format", "version", "checksum")
_NUMBER_TYPES = {int, float}


# Bytes


def encode(sections: dict[str, Any], version: int = 1) -> bytes:
    """Return the bytes of JSON values, one line for each section and each field of one.

    Parameters
    ----------
    sections : dict of str to object
    version : int
        The first version of the format that has all these sections.
    """
    document = {"format": FORMAT, "version": version, **sections}
    # Text in any script stays readable; a lone surrogate becomes its escape in JSON.
    head = _json_lines(document).removesuffix("\n}").encode("utf-8", "backslashreplace") + b",\n  "
    return head + f'"checksum": "{sha256(head).hexdigest()}"\n}}\n'.encode()


def decode(data: bytes) -> tuple[int, dict[str, Any]]:
    """Return the version and the sections of a document, or raise ``ModelFileError``."""
    version = check_version(data)
    _check_checksum(data)
    try:
        document = json.loads(
            data.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_reject_constant
        )
    except UnicodeDecodeError as error:
        raise ModelFileError(f"The file is not UTF-8 text: see byte {error.start}.") from None
    except json.JSONDecodeError as error:
        raise ModelFileError(
            f"The file is not valid JSON: {error.msg}, line {error.lineno}."
        ) from None
    except RecursionError:
        raise ModelFileError("The file nests its values too deeply.") from None
    except ValueError as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError("The file has a number with too many digits.") from None
    return version, {name: document[name] for name in document if name not in _OWN_FIELDS}


def check_version(data: bytes) -> int:
    """Return the version; reject data that do not begin like a document of a known one."""
    head = _BEGINNING.match(data)
    if head is None:
        raise ModelFileError(
            'The file is not a roctree model: it does not begin with "format": "roctree". Give a '
            "file that save or roctree fit has written."
        )
    version = _VERSION.match(data, head.end())
    if version is None:
        raise ModelFileError('The file is not a roctree model: it lacks its "version".')
    if int(version[1]) > VERSION:
        raise ModelFileError(
            f"The file has version {int(version[1])} of the format, but this release of roctree "
            f"reads up to version {VERSION}: upgrade roctree to read it."
        )
    if int(version[1]) < 1:
        raise ModelFileError(f"The file has version {int(version[1])}, which does not exist.")
    return int(version[1])


def _check_checksum(data: bytes) -> None:
    place = data.rfind(_CHECKSUM)
    tail = _ENDING.fullmatch(data, place) if place >= 0 else None
    if tail is None:
        raise ModelFileError("The file does not end with its checksum: part of it is missing.")
    if sha256(data[:place]).hexdigest().encode() != tail[1]:
        raise ModelFileError(
            "The file does not match its checksum: it has been changed or damaged."
        )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise ModelFileError(f"The file has {twice[:40]!r} twice in one place.")
    return found


def _reject_constant(name: str) -> Any:
    raise ModelFileError(f"The file has {name}, which is not a number of JSON.")


def _json_lines(value: Any, indent: str = "") -> str:
    """Return JSON with a line for each field, and for each object of a list."""
    deeper = indent + "  "
    if isinstance(value, dict) and value:
        fields = [f"{deeper}{_compact(name)}: {_json_lines(value[name], deeper)}" for name in value]
        return "{\n" + ",\n".join(fields) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return "[\n" + ",\n".join(deeper + _compact(item) for item in value) + f"\n{indent}]"
    return _compact(value)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


# Sections


@dataclass(frozen=True)
class Section:
    """An object of a document whose fields are read by type.

    Parameters
    ----------
    values : dict of str to object
        The fields.
    place : str
        What the section is called in messages.
    """

    values: dict[str, Any]
    place: str

    @classmethod
    def from_value(
        cls, value: Any, place: str, names: Collection[str], optional: Collection[str] = ()
    ) -> "Section":
        """Return a section, which must have exactly these fields; it may have the optional ones."""
        section = cls(value, place)
        if not isinstance(value, dict):
            section._reject_all("is not an object")
        for name in names:
            if name not in value:
                section._reject_all(f"has no {name!r}")
        for name in value:
            if name not in names and name not in optional:
                section._reject_all(f"has {name[:40]!r}, which this version of the format lacks")
        return section

    def section(
        self, name: str, names: Collection[str], optional: Collection[str] = ()
    ) -> "Section":
        """Return a section within this one."""
        return Section.from_value(self.values[name], self._field(name), names, optional)

    def has(self, name: str) -> bool:
        """Return whether a field is not null."""
        return self.values[name] is not None

    def reject(self, name: str, problem: str) -> NoReturn:
        """Raise ``ModelFileError`` about a field."""
        raise ModelFileError(f"{self._field(name)} {problem}.")

    def text(self, name: str) -> str:
        """Return a string."""
        value = self.values[name]
        if not isinstance(value, str):
            self.reject(name, "is not text")
        return value

    def choice(self, name: str, choices: Collection[str]) -> str:
        """Return one of some strings."""
        value = self.text(name)
        if value not in choices:
            self.reject(name, f"is not one of {', '.join(choices)}")
        return value

    def flag(self, name: str) -> bool:
        """Return true or false."""
        value = self.values[name]
        if not isinstance(value, bool):
            self.reject(name, "is neither true nor false")
        return value

    def integer(self, name: str, least: int, end: int) -> int:
        """Return an integer from ``least`` on, below ``end``."""
        value = self.values[name]
        if type(value) is not int or not least <= value < end:
            self.reject(name, f"is not an integer from {least} to {end - 1}")
        return value

    def number(self, name: str, least: float = -np.inf, most: float = np.inf) -> float:
        """Return a finite number from ``least`` to ``most``."""
        value = self.values[name]
        if type(value) not in _NUMBER_TYPES or value == np.inf or not least <= value <= most:
            self.reject(name, "is not a finite number, or out of range")
        return float(self._as_floats(name, [value])[0])

    def items(self, name: str) -> list[Any]:
        """Return a list."""
        value = self.values[name]
        if not isinstance(value, list):
            self.reject(name, "is not a list")
        return value

    def floats(self, name: str, *shape: int) -> Floats:
        """Return finite numbers, in one row or several."""
        return self._as_floats(name, self._flat(name, shape)).reshape(shape)

    def nonnegative(self, name: str, *shape: int) -> Floats:
        """Return finite numbers of at least 0, in one row or several."""
        found = self.floats(name, *shape)
        if (found < 0.0).any():
            self.reject(name, "has a number below 0")
        return found

    def floats_or_null(self, name: str, length: int) -> Floats:
        """Return finite numbers, NaN where the file has null."""
        items = self._flat(name, (length,))
        known = [item for item in items if item is not None]
        numbers = np.full(length, np.nan)
        numbers[[item is not None for item in items]] = self._as_floats(name, known)
        return numbers

    def ints(self, name: str, dtype: type[np.integer[Any]], *shape: int) -> NDArray[Any]:
        """Return integers of a type, in one row or several."""
        items = self._flat(name, shape)
        bounds = np.iinfo(dtype)
        if not set(map(type, items)) <= {int}:
            self.reject(name, "has something other than integers")
        if items and not bounds.min <= min(items) <= max(items) <= bounds.max:
            self.reject(name, f"has a number outside the range of {np.dtype(dtype)}")
        return np.array(items, dtype=dtype).reshape(shape)

    def probabilities(self, name: str, rows: Any, n_rows: int, n_classes: int) -> Floats:
        """Return probabilities; those of ``rows`` must add up to 1."""
        found = self.floats(name, n_rows, n_classes)
        sums = found[rows].sum(axis=1)
        if (found[rows] < 0.0).any() or (np.abs(sums - 1.0) > 1e-6).any():
            self.reject(name, "has a leaf whose probabilities do not add up to 1")
        return found

    def _field(self, name: str) -> str:
        """Return what a field is called in messages."""
        return f"{name!r} of {self.place}"

    def _flat(self, name: str, shape: Sequence[int]) -> list[Any]:
        """Return the items of a list, or of a list of lists of the same length."""
        items = self.items(name)
        if len(items) != shape[0]:
            self.reject(name, f"has {len(items)} entries instead of {shape[0]}")
        if len(shape) == 1:
            return items
        if not all(type(row) is list and len(row) == shape[1] for row in items):
            self.reject(name, f"does not consist of lists of {shape[1]} numbers")
        return list(chain.from_iterable(items))

    def _as_floats(self, name: str, items: list[Any]) -> Floats:
        # By type first: numpy would turn numbers beside text into text, as wide as the longest.
        if not set(map(type, items)) <= _NUMBER_TYPES:
            self.reject(name, "has something other than numbers")
        try:
            numbers = np.array(items, dtype=np.float64)
        except OverflowError:
            numbers = np.array([np.inf])
        if not np.isfinite(numbers).all():
            self.reject(name, "has a number that is too large")
        return numbers

    def _reject_all(self, problem: str) -> NoReturn:
        raise ModelFileError(f"{self.place[:1].upper()}{self.place[1:]} {problem}.")
