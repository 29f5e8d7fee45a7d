"""A folder of gzipped CSV files, with a manifest that says what they are and what to make of them.

``manifest.json`` is ``{"format": 1, "datasets": [...]}``. Every data set has ``name``, ``file``,
``sha256`` of the file, ``attributes`` (``name`` and ``kind``, "nominal" or "numeric", in the order
of the columns) and may have ``variants``: an ``id``, a ``derivation`` and the ``result`` to
expect, see ``roctree.experiment.sources.derivation``. A file has a header, the class in its last
column, and an empty field where a value is missing.
"""

import csv
import gzip
import json
import zlib
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

from roctree.errors import DataError
from roctree.experiment.sources.derivation import Text, check_result
from roctree.experiment.sources.problem import Problem, UnknownDataSetError, unknown

FORMAT = 1
KEYS = ("name", "file", "sha256", "attributes")
KINDS = ("nominal", "numeric")


@dataclass(frozen=True)
class Folder:
    """Data sets and their variants in a folder with a manifest.

    Parameters
    ----------
    path : the folder
    """

    path: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))

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
        check_result(derived, variant.get("result", {}), name)
        return derived.problem(name, variant.get("derivation", {}).get("positive_class"))

    @cached_property
    def _manifest(self) -> dict[str, Any]:
        path = self.path / "manifest.json"
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
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
        given = self._manifest.get("datasets", [])
        if not isinstance(given, list):
            raise DataError(f"{str(self.path / 'manifest.json')!r} has no list of 'datasets'.")
        for number, entry in enumerate(given, 1):
            _check(entry, f"Data set {number} of {str(self.path / 'manifest.json')!r}")
            entries[entry["name"]] = entry, {}
            for variant in entry.get("variants", []):
                entries[variant["id"]] = entry, variant
        return entries

    def _rows(self, entry: dict[str, Any]) -> list[list[str]]:
        path = self.path / entry["file"]
        try:
            packed = path.read_bytes()
        except FileNotFoundError:
            raise UnknownDataSetError(
                f"{str(path)!r} cannot be read: it is in the manifest, and not there."
            ) from None
        except OSError as error:
            raise DataError(f"{str(path)!r} cannot be read: {error.strerror}.") from None
        if sha256(packed).hexdigest() != entry["sha256"]:
            raise DataError(
                f"{str(path)!r} is not the file that the manifest describes: its checksum differs."
            )
        header, *rows = _lines(packed, path)
        expected = [attribute["name"] for attribute in entry["attributes"]]
        if header[:-1] != expected:
            raise DataError(f"The columns of {str(path)!r} are not those of the manifest.")
        for number, row in enumerate(rows, 2):
            if len(row) != len(header):
                raise DataError(
                    f"Line {number} of {str(path)!r} has {len(row)} cells, and the header "
                    f"{len(header)}."
                )
        return rows


def _check(entry: Any, place: str) -> None:
    """Refuse what does not describe a data set."""
    for key in KEYS:
        if not isinstance(entry, dict) or key not in entry:
            raise DataError(f"{place} has no {key!r}.")
    for attribute in entry["attributes"]:
        named = isinstance(attribute, dict) and "name" in attribute
        if not named or attribute.get("kind") not in KINDS:
            raise DataError(
                f"{place} has the attribute {attribute!r}: give its 'name', and 'nominal' or "
                "'numeric' as its 'kind'."
            )
    for variant in entry.get("variants", []):
        if not isinstance(variant, dict) or "id" not in variant:
            raise DataError(f"{place} has a variant without an 'id'.")


def _lines(packed: bytes, path: Path) -> list[list[str]]:
    """Return the cells of a file line by line, the first its header."""
    try:
        text = gzip.decompress(packed).decode("utf-8")
        lines = list(csv.reader(StringIO(text, newline="")))
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{str(path)!r} is no gzipped table of text ({error}).") from None
    if not lines:
        raise DataError(f"{str(path)!r} has no line, not even a header.")
    return lines
