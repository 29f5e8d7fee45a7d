"""Data sets for an experiment: what a problem is, and where problems come from.

A ``Problem`` is a table of cases with their classes. A source is any object with ``names()`` and
``load(name)``: ``Folder`` reads gzip-compressed CSV files that a manifest describes, ``OpenML``
downloads from openml.org, and ``BuiltIn`` (in ``roctree.experiment.builtin``) needs no files.

The manifest of a folder, ``manifest.json``, is ``{"format": 1, "datasets": [...]}``. Each data set
has a ``name``, a ``file``, the ``sha256`` of the file and its ``attributes`` (``name`` and
``kind``, "nominal" or "numeric", in column order). It may have ``variants``, each with an ``id``, a
``derivation`` and the expected ``result``. The steps of a derivation always run in this order:

- ``first_rows``: keep this many rows
- ``drop_attributes``: drop these columns
- ``drop_missing_rows``: drop rows with missing values; true, or the attributes that must be known
- ``drop_classes``: drop the rows of these classes
- ``merge``: new class -> old classes
- ``positive_class``: this class keeps its name, all others become "rest"
- ``kinds``: attribute -> kind, where it differs from the file's

A file has a header row, the class in its last column, and an empty field for a missing value.
"""

import csv
import gzip
import json
import warnings
import zlib
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any, Protocol
from urllib.error import URLError

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import fetch_openml

from roctree.data import Dataset, EncodedRows, encode_labels
from roctree.errors import DataError
from roctree.text import did_you_mean

FORMAT = 1
KEYS = ("name", "file", "sha256", "attributes")
KINDS = ("nominal", "numeric")
STEPS = (
    *("first_rows", "drop_attributes", "drop_missing_rows", "drop_classes"),
    *("merge", "positive_class", "kinds"),
)
# Number of data sets that an error message lists.
MOST_LISTED = 20


class UnknownDataSetError(DataError):
    """A source has no data set of this name."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A classification problem.

    Parameters
    ----------
    name : str
        Name in tables.
    rows : EncodedRows
        The cases; nominal attributes declare all their categories.
    labels : int32 array of shape (n,)
        Class index of each case.
    classes : tuple
        The classes in sorted order.
    positive : object, default=None
        The class that F-scores refer to; None for the last one.
    """

    name: str
    rows: EncodedRows
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
        """Read data in the same way as ``ROCTreeClassifier.fit``.

        Examples
        --------
        >>> Problem.from_data("colours", [[1.5, "red"], [None, "blue"]], ["yes", "no"])
        <Problem colours: 2 cases, 1 nominal + 1 numeric attributes, 2 classes>
        """
        read = Dataset.from_data(X, y, categorical_features=categorical_features)
        schema = read.schema
        rows = EncodedRows(read.values, schema.names, schema.categories)
        return cls(name, rows, read.labels, tuple(schema.classes.tolist()), positive)

    def __post_init__(self) -> None:
        if len(self.rows) != len(self.labels):
            raise DataError(
                f"{self.name!r} has {len(self.rows)} rows and {len(self.labels)} labels: "
                "give one label per row."
            )
        if self.positive is not None and self.positive not in self.classes:
            known = ", ".join(map(repr, self.classes))
            raise DataError(f"positive={self.positive!r} is not a class of {self.name!r}: {known}.")

    @property
    def y(self) -> NDArray[Any]:
        """The class of each case."""
        return np.array(self.classes)[self.labels]

    @property
    def positive_number(self) -> int:
        """Index of the positive class."""
        last = len(self.classes) - 1
        return last if self.positive is None else self.classes.index(self.positive)

    @property
    def n_nominal(self) -> int:
        """Number of nominal attributes."""
        return sum(categories is not None for categories in self.rows.categories)

    @cached_property
    def checksum(self) -> str:
        """Digest of the cases, the classes and the meaning of the columns."""
        digest = sha256()
        meaning = (self.rows.names, self.rows.categories, self.classes, self.positive)
        digest.update(repr(meaning).encode())
        digest.update(np.ascontiguousarray(self.rows.values + 0.0, np.float64).tobytes())
        digest.update(np.ascontiguousarray(self.labels, np.int32).tobytes())
        return digest.hexdigest()

    def against_rest(self, positive: Any, name: str | None = None) -> "Problem":
        """Return the two-class problem of one or several classes against all others.

        Parameters
        ----------
        positive : object or tuple
            A class, or several.
        name : str, default=None
            Name of the new problem; None keeps the old one.
        """
        chosen = positive if isinstance(positive, tuple) else (positive,)
        for label in chosen:
            if label not in self.classes:
                known = ", ".join(map(repr, self.classes))
                raise DataError(f"{label!r} is not a class of {self.name!r}, which has {known}.")
        if set(chosen) == set(self.classes):
            raise DataError(f"All classes of {self.name!r} are positive: choose fewer.")
        is_positive = np.isin(self.labels, [self.classes.index(label) for label in chosen])
        title = "+".join(map(str, chosen))
        classes = tuple(sorted([title, "rest"]))
        labels = np.where(is_positive, classes.index(title), classes.index("rest"))
        return replace(
            self,
            name=self.name if name is None else name,
            labels=labels.astype(np.int32),
            classes=classes,
            positive=title,
        )

    def __repr__(self) -> str:
        n_numeric = len(self.rows.names) - self.n_nominal
        return (
            f"<Problem {self.name}: {len(self.rows)} cases, {self.n_nominal} nominal + "
            f"{n_numeric} numeric attributes, {len(self.classes)} classes>"
        )


class Source(Protocol):
    """Problems by name."""

    def names(self) -> list[str]:
        """Return the names that can be loaded, as far as they are known."""

    def load(self, name: str) -> Problem:
        """Return the problem of this name; raise ``UnknownDataSetError`` if there is none."""


def unknown_data_set(name: str, names: list[str], place: str) -> UnknownDataSetError:
    """Return the error for a name that a source does not have."""
    shown = ", ".join(names[:MOST_LISTED]) + (", ..." if len(names) > MOST_LISTED else "")
    return UnknownDataSetError(
        f"{place} has no data set {name!r}{did_you_mean(name, names)}: choose from {shown}."
    )


@dataclass(frozen=True)
class Folder:
    """Data sets and their variants in a folder with a manifest.

    Parameters
    ----------
    path : path-like
        The folder.
    """

    path: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))

    def names(self) -> list[str]:
        """Return the names of the data sets and their variants."""
        return sorted(self._entries)

    def load(self, name: str) -> Problem:
        """Read a data set or derive a variant, and check it against the manifest."""
        if name not in self._entries:
            raise unknown_data_set(name, self.names(), f"The folder {str(self.path)!r}")
        entry, variant = self._entries[name]
        attributes = entry["attributes"]
        table = TextTable(
            [attribute["name"] for attribute in attributes],
            {attribute["name"]: attribute["kind"] for attribute in attributes},
            self._rows(entry),
        )
        derivation = variant.get("derivation", {})
        derived = table.derive(derivation, name)
        derived.check(variant.get("result", {}), name)
        return derived.problem(name, derivation.get("positive_class"))

    @cached_property
    def _manifest(self) -> dict[str, Any]:
        path = self.path / "manifest.json"
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            raise DataError(
                f"{str(self.path)!r} has no manifest.json: give a folder of data sets as "
                "described in docs/experiments.md."
            ) from None
        except (OSError, ValueError) as error:
            raise DataError(f"Cannot read {str(path)!r}: {error}.") from None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise DataError(f"{str(path)!r} is not a manifest of format {FORMAT}.")
        return found

    @cached_property
    def _entries(self) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
        """The data set and the variant behind each name."""
        entries: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
        path = str(self.path / "manifest.json")
        given = self._manifest.get("datasets", [])
        if not isinstance(given, list):
            raise DataError(f"{path!r} has no list of 'datasets'.")
        for number, entry in enumerate(given, 1):
            _check_entry(entry, f"Data set {number} of {path!r}")
            entries[entry["name"]] = entry, {}
            for variant in entry.get("variants", []):
                entries[variant["id"]] = entry, variant
        return entries

    def _rows(self, entry: dict[str, Any]) -> list[list[str]]:
        path = self.path / entry["file"]
        try:
            compressed = path.read_bytes()
        except FileNotFoundError:
            raise UnknownDataSetError(
                f"Cannot read {str(path)!r}: the manifest lists it, but the file does not exist."
            ) from None
        except OSError as error:
            raise DataError(f"Cannot read {str(path)!r}: {error.strerror}.") from None
        if sha256(compressed).hexdigest() != entry["sha256"]:
            raise DataError(
                f"{str(path)!r} is not the file that the manifest describes: its checksum differs."
            )
        header, *rows = _csv_lines(compressed, path)
        expected = [attribute["name"] for attribute in entry["attributes"]]
        if header[:-1] != expected:
            raise DataError(f"The columns of {str(path)!r} differ from those of the manifest.")
        for number, row in enumerate(rows, 2):
            if len(row) != len(header):
                raise DataError(
                    f"Line {number} of {str(path)!r} has {len(row)} cells, but the header has "
                    f"{len(header)}."
                )
        return rows


def _check_entry(entry: Any, place: str) -> None:
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


def _csv_lines(compressed: bytes, path: Path) -> list[list[str]]:
    """Return the cells of a file line by line, the header first."""
    try:
        text = gzip.decompress(compressed).decode("utf-8")
        lines = list(csv.reader(StringIO(text, newline="")))
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{str(path)!r} is not a gzip-compressed CSV file ({error}).") from None
    if not lines:
        raise DataError(f"{str(path)!r} is empty: it has no header.")
    return lines


@dataclass(frozen=True)
class TextTable:
    """A table of strings before it is encoded; an empty string is a missing value.

    Parameters
    ----------
    names : list of str
        The attributes.
    kinds : dict
        "nominal" or "numeric" for each attribute.
    rows : list of list of str
        The cells of each row, the class last.
    """

    names: list[str]
    kinds: dict[str, str]
    rows: list[list[str]] = field(repr=False)

    def derive(self, steps: dict[str, Any], name: str) -> "TextTable":
        """Return the table after the steps of a derivation, in their fixed order."""
        for step in steps:
            if step not in STEPS:
                raise DataError(f"The derivation of {name!r} has an unknown step {step!r}.")
        for step in ("drop_attributes", "drop_missing_rows", "kinds"):
            self._check_attributes(steps.get(step), f"The step {step!r} of {name!r}")
        rows = self.rows[: steps.get("first_rows")]
        dropped = set(steps.get("drop_attributes", ()))
        kept = [place for place, column in enumerate(self.names) if column not in dropped]
        names = [self.names[i] for i in kept]
        rows = [[*(row[i] for i in kept), row[-1]] for row in rows]
        required = steps.get("drop_missing_rows", [])
        known = [i for i, column in enumerate(names) if required is True or column in required]
        rows = [row for row in rows if all(row[i] for i in known)]
        kinds = self.kinds | steps.get("kinds", {})
        return TextTable(names, kinds, _relabel(rows, steps))

    def _check_attributes(self, given: Any, step: str) -> None:
        for name in given if isinstance(given, list | dict) else ():
            if name not in self.names:
                suggestion = did_you_mean(name, self.names)
                raise DataError(f"{step} names {name!r}, which is not an attribute{suggestion}.")

    def check(self, expected: dict[str, Any], name: str) -> None:
        """Raise ``DataError`` unless rows, kinds of attributes and class counts are as expected."""
        found = {
            "rows": len(self.rows),
            "nominal": sum(self.kinds[column] == "nominal" for column in self.names),
            "numeric": sum(self.kinds[column] == "numeric" for column in self.names),
            "classes": dict(Counter(row[-1] for row in self.rows)),
        }
        for key, value in found.items():
            if key in expected and expected[key] != value:
                raise DataError(
                    f"The variant {name!r} has {key} {value}, but the manifest says "
                    f"{expected[key]}."
                )

    def problem(self, name: str, positive: str | None) -> Problem:
        """Return the table with numbers and category codes."""
        if not self.rows:
            raise DataError(f"{name!r} has no rows.")
        *columns, labels = zip(*self.rows, strict=True)
        categories = tuple(
            tuple(sorted(set(cells) - {""})) if self.kinds[column] == "nominal" else None
            for column, cells in zip(self.names, columns, strict=True)
        )
        values = [
            _encode_column(cells, known, f"{column!r} of {name!r}")
            for cells, known, column in zip(columns, categories, self.names, strict=True)
        ]
        classes = tuple(sorted(set(labels)))
        codes = np.searchsorted(classes, labels).astype(np.int32)
        rows = EncodedRows(np.column_stack(values), tuple(self.names), categories)
        return Problem(name, rows, codes, classes, positive)


def _relabel(rows: list[list[str]], steps: dict[str, Any]) -> list[list[str]]:
    dropped = set(steps.get("drop_classes", ()))
    merged = {old: new for new, olds in steps.get("merge", {}).items() for old in olds}
    positive = steps.get("positive_class")

    def label(found: str) -> str:
        found = merged.get(found, found)
        return found if positive in (None, found) else "rest"

    return [[*row[:-1], label(row[-1])] for row in rows if row[-1] not in dropped]


def _encode_column(
    cells: tuple[str, ...], categories: tuple[str, ...] | None, title: str
) -> NDArray[np.float64]:
    if categories is not None:
        codes = {category: float(code) for code, category in enumerate(categories)}
        return np.array([codes.get(cell, np.nan) for cell in cells])
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells])
    except ValueError as error:
        raise DataError(f"The attribute {title} is declared numeric: {error}.") from None


@dataclass(frozen=True)
class OpenML:
    """Data sets of openml.org, downloaded once and cached.

    Parameters
    ----------
    cache : path-like, default=None
        Folder for downloads; None for scikit-learn's.
    retries : int, default=2
        How often to retry when the network fails, at least once.
    """

    cache: Path | None = None
    retries: int = 2

    def names(self) -> list[str]:
        """Return an empty list: OpenML has thousands of data sets."""
        return []

    def load(self, name: str) -> Problem:
        """Download a data set; ``"name@3"`` is version 3, a plain name is version 1."""
        bunch = self.fetch(name)
        if bunch.target is None:
            raise DataError(f"OpenML does not say which column of {name!r} is the class.")
        names = tuple(bunch.feature_names)
        known = bunch.categories or {}
        categories = tuple(tuple(known[column]) if column in known else None for column in names)
        classes, labels = encode_labels(np.asarray(bunch.target))
        rows = EncodedRows(np.asarray(bunch.data, np.float64), names, categories)
        return Problem(name, rows, labels, tuple(classes.tolist()))

    def fetch(self, name: str) -> Any:
        """Download a data set as scikit-learn's ``Bunch``, nominal values as category codes."""
        title, _, version = name.partition("@")
        if version and not version.isdigit():
            raise DataError(f"{name!r} has no valid version: write it as {title}@1.")
        try:
            with warnings.catch_warnings():
                # The retries need no warning: if they all fail, that is an error.
                warnings.filterwarnings("ignore", "A network error occurred", UserWarning)
                return fetch_openml(
                    title,
                    version=int(version or 1),
                    data_home=None if self.cache is None else str(self.cache),
                    as_frame=False,
                    parser="liac-arff",
                    n_retries=self.retries,
                )
        except (URLError, TimeoutError) as error:
            raise DataError(
                f"openml.org does not respond to a request for {name!r} ({error}): try again, or "
                "give a folder."
            ) from None
        except ValueError as error:
            is_unknown = type(error).__name__ == "OpenMLError"
            kind = UnknownDataSetError if is_unknown else DataError
            raise kind(f"Cannot use OpenML's data set {name!r}: {error}") from None
