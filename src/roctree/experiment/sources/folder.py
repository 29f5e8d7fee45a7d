"""A folder of gzipped CSV files, with a manifest that says what they are and what to make of them.

``manifest.json`` is ``{"format": 1, "datasets": [...]}``. Every data set has ``name``, ``file``,
``sha256`` of the file, ``attributes`` (``name`` and ``kind``, "nominal" or "numeric", in the order
of the columns) and may have ``variants``: an ``id``, a ``derivation`` and the ``result`` to
expect. A file has a header, the class in its last column, and an empty field where a value is
missing. A derivation is applied in this order:

- ``first_rows``: keep only so many
- ``drop_attributes``: leave these columns out
- ``drop_missing_rows``: true, or the attributes that must be known
- ``drop_classes``: drop the rows of these classes
- ``merge``: new class -> old classes
- ``positive_class``: this class against "rest"
- ``kinds``: attribute -> its kind here
"""

import csv
import gzip
import json
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from roctree.data import Rows
from roctree.errors import DataError
from roctree.experiment.sources.problem import Problem, unknown

FORMAT = 1
STEPS = (
    *("first_rows", "drop_attributes", "drop_missing_rows", "drop_classes"),
    *("merge", "positive_class", "kinds"),
)


@dataclass(frozen=True)
class Folder:
    """Data sets and their variants in a folder with a manifest.

    Parameters
    ----------
    path : the folder
    """

    path: Path

    def names(self) -> list[str]:
        """The data sets and their variants."""
        return sorted(self._entries)

    def load(self, name: str) -> Problem:
        """Read a data set or derive a variant; both are checked against the manifest."""
        if name not in self._entries:
            raise unknown(name, self.names(), f"The folder {str(self.path)!r}")
        entry, variant = self._entries[name]
        text = Text(
            [attribute["name"] for attribute in entry["attributes"]],
            {attribute["name"]: attribute["kind"] for attribute in entry["attributes"]},
            self._rows(entry),
        )
        derived = text.derived(variant.get("derivation", {}), name)
        _check_result(derived, variant.get("result", {}), name)
        return derived.problem(name, variant.get("derivation", {}).get("positive_class"))

    @cached_property
    def _manifest(self) -> dict[str, Any]:
        path = self.path / "manifest.json"
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise DataError(
                f"{str(self.path)!r} has no manifest.json: give a folder of data sets, see "
                "docs/experiments.md."
            ) from None
        except (OSError, ValueError) as error:
            raise DataError(f"{str(path)!r} cannot be read: {error}.") from None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise DataError(f"{str(path)!r} is no manifest of format {FORMAT}.")
        return found

    @cached_property
    def _entries(self) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
        entries: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
        for entry in self._manifest["datasets"]:
            entries[entry["name"]] = entry, {}
            for variant in entry.get("variants", []):
                entries[variant["id"]] = entry, variant
        return entries

    def _rows(self, entry: dict[str, Any]) -> list[list[str]]:
        path = self.path / entry["file"]
        try:
            packed = path.read_bytes()
        except OSError as error:
            raise DataError(f"{str(path)!r} cannot be read: {error.strerror}.") from None
        if sha256(packed).hexdigest() != entry["sha256"]:
            raise DataError(
                f"{str(path)!r} is not the file that the manifest describes: its checksum differs."
            )
        text = gzip.decompress(packed).decode("utf-8")
        header, *rows = csv.reader(StringIO(text, newline=""))
        expected = [attribute["name"] for attribute in entry["attributes"]]
        if header[:-1] != expected:
            raise DataError(f"The columns of {str(path)!r} are not those of the manifest.")
        return rows


@dataclass(frozen=True)
class Text:
    """A table as text, the class in the last column, an empty cell where a value is missing."""

    names: list[str]
    kinds: dict[str, str]
    rows: list[list[str]] = field(repr=False)

    def derived(self, steps: dict[str, Any], name: str) -> "Text":
        """Return the table after the steps of a derivation, in their fixed order."""
        for step in steps:
            if step not in STEPS:
                raise DataError(f"The derivation of {name!r} has an unknown step {step!r}.")
        names, kinds, rows = self.names, self.kinds | steps.get("kinds", {}), self.rows
        rows = rows[: steps.get("first_rows")]
        dropped = set(steps.get("drop_attributes", ()))
        kept = [place for place, column in enumerate(names) if column not in dropped]
        names, rows = [names[i] for i in kept], [[*(row[i] for i in kept), row[-1]] for row in rows]
        wanted = steps.get("drop_missing_rows", [])
        known = [i for i, column in enumerate(names) if wanted is True or column in wanted]
        rows = [row for row in rows if all(row[i] for i in known)]
        return Text(names, kinds, _relabelled(rows, steps))

    def problem(self, name: str, positive: str | None) -> Problem:
        """Return the table as numbers and codes."""
        *columns, labels = zip(*self.rows, strict=True)
        nominal = [self.kinds[column] == "nominal" for column in self.names]
        categories = tuple(
            tuple(sorted(set(column) - {""})) if is_nominal else None
            for column, is_nominal in zip(columns, nominal, strict=True)
        )
        values = [_numbers(*pair) for pair in zip(columns, categories, strict=True)]
        classes = tuple(sorted(set(labels)))
        codes = np.searchsorted(classes, labels).astype(np.int32)
        rows = Rows(np.column_stack(values), tuple(self.names), categories)
        return Problem(name, rows, codes, classes, positive)


def _relabelled(rows: list[list[str]], steps: dict[str, Any]) -> list[list[str]]:
    dropped = set(steps.get("drop_classes", ()))
    merged = {old: new for new, olds in steps.get("merge", {}).items() for old in olds}
    positive = steps.get("positive_class")

    def label(found: str) -> str:
        found = merged.get(found, found)
        return found if positive in (None, found) else "rest"

    return [[*row[:-1], label(row[-1])] for row in rows if row[-1] not in dropped]


def _numbers(column: tuple[str, ...], categories: tuple[str, ...] | None) -> Any:
    if categories is None:
        return np.array([float(cell) if cell else np.nan for cell in column])
    codes = {category: float(code) for code, category in enumerate(categories)}
    return np.array([codes.get(cell, np.nan) for cell in column])


def _check_result(text: Text, expected: dict[str, Any], name: str) -> None:
    found = {
        "rows": len(text.rows),
        "nominal": sum(text.kinds[column] == "nominal" for column in text.names),
        "numeric": sum(text.kinds[column] == "numeric" for column in text.names),
        "classes": dict(Counter(row[-1] for row in text.rows)),
    }
    for key, value in found.items():
        if key in expected and expected[key] != value:
            raise DataError(
                f"The variant {name!r} has {key} {value} where the manifest says {expected[key]}."
            )
