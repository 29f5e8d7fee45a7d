"""Data sets for an experiment: what a problem is, and where problems come from.

A ``Problem`` is a table of cases with their classes. A source is any object with ``names()`` and
``load(name)``: ``Folder`` reads gzip-compressed CSV files that a manifest describes, ``OpenML``
downloads from openml.org, and ``BuiltIn`` needs no files.

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
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from io import StringIO
from itertools import product
from pathlib import Path
from typing import Any, Protocol
from urllib.error import URLError

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.datasets import fetch_openml
from sklearn.utils import Bunch

from roctree.arrays import Bools, Floats
from roctree.data import Dataset, EncodedRows, encode_labels
from roctree.errors import DataError
from roctree.requests import rarer_class
from roctree.text import did_you_mean

MANIFEST_FORMAT = 1
MANIFEST_KEYS = ("name", "file", "sha256", "attributes")
ATTRIBUTE_KINDS = ("nominal", "numeric")
PREPARATION_STEPS = (
    *("first_rows", "drop_attributes", "drop_missing_rows", "drop_classes"),
    *("merge", "positive_class", "kinds"),
)
# Number of data sets that an error message lists.
MAX_LISTED = 20


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

    Examples
    --------
    >>> Problem.from_data("colours", [[1.5, "red"], [None, "blue"]], ["yes", "no"]).classes
    ('no', 'yes')
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

        Parameters
        ----------
        name : str
            Name in tables.
        X : table of shape (n_samples, n_features)
            The cases.
        y : array of shape (n_samples,)
            Class of each case.
        positive : label or None
            Positive class of a two-class problem.
        categorical_features : "from_dtype", None, names, indices or mask, default="from_dtype"
            Which columns are nominal.

        Returns
        -------
        Problem
            The problem.

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
        """Index of the positive class, by default the rarer of two."""
        if self.positive is not None:
            return self.classes.index(self.positive)
        return rarer_class(np.bincount(self.labels, minlength=len(self.classes)))

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

        Returns
        -------
        Problem
            The two-class problem.

        Examples
        --------
        >>> problem = Problem.from_data("sizes", [[1.0], [2.0], [3.0]], ["s", "m", "l"])
        >>> problem.against_rest("m").classes
        ('m', 'rest')
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


class ProblemSource(Protocol):
    """Problems by name."""

    def names(self) -> list[str]:
        """Return the names that can be loaded, as far as they are known."""

    def load(self, name: str) -> Problem:
        """Return the problem of this name; raise ``UnknownDataSetError`` if there is none."""


def unknown_data_set(name: str, names: list[str], place: str) -> UnknownDataSetError:
    """Return the error for a name that a source does not have."""
    shown = ", ".join(names[:MAX_LISTED]) + (", ..." if len(names) > MAX_LISTED else "")
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

    Examples
    --------
    >>> Folder("studies/data").load("iris")  # doctest: +SKIP
    <Problem iris: 150 cases, 0 nominal + 4 numeric attributes, 3 classes>
    """

    path: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))

    def names(self) -> list[str]:
        """Return the names of the data sets and their variants.

        Returns
        -------
        list of str
            The names.

        Examples
        --------
        >>> "iris" in Folder("studies/data").names()  # doctest: +SKIP
        True
        """
        return sorted(self._entries)

    def load(self, name: str) -> Problem:
        """Read a data set or derive a variant, and check it against the manifest.

        Parameters
        ----------
        name : str
            Name of the data set.

        Returns
        -------
        Problem
            The data set.

        Examples
        --------
        >>> Folder("studies/data").load("iris")  # doctest: +SKIP
        <Problem iris: 150 cases, 0 nominal + 4 numeric attributes, 3 classes>
        """
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
                "described in docs/howto/experiments.md."
            ) from None
        except (OSError, ValueError) as error:
            raise DataError(f"Cannot read {str(path)!r}: {error}.") from None
        if not isinstance(found, dict) or found.get("format") != MANIFEST_FORMAT:
            raise DataError(f"{str(path)!r} is not a manifest of format {MANIFEST_FORMAT}.")
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
    for key in MANIFEST_KEYS:
        if not isinstance(entry, dict) or key not in entry:
            raise DataError(f"{place} has no {key!r}.")
    for attribute in entry["attributes"]:
        named = isinstance(attribute, dict) and "name" in attribute
        if not named or attribute.get("kind") not in ATTRIBUTE_KINDS:
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
            if step not in PREPARATION_STEPS:
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

    Examples
    --------
    >>> OpenML().load("credit-g")  # doctest: +SKIP
    <Problem credit-g: 1000 cases, 13 nominal + 7 numeric attributes, 2 classes>
    """

    cache: Path | None = None
    retries: int = 2

    def names(self) -> list[str]:
        """Return an empty list: OpenML has thousands of data sets.

        Returns
        -------
        list of str
            The names.

        Examples
        --------
        >>> OpenML().names()
        []
        """
        return []

    def load(self, name: str) -> Problem:
        """Download a data set; ``"name@3"`` is version 3, a plain name is version 1.

        Parameters
        ----------
        name : str
            Name of the data set.

        Returns
        -------
        Problem
            The data set.

        Examples
        --------
        >>> OpenML().load("credit-g")  # doctest: +SKIP
        <Problem credit-g: 1000 cases, 13 nominal + 7 numeric attributes, 2 classes>
        """
        bunch = self.fetch(name)
        if bunch.target is None:
            raise DataError(
                f"OpenML does not say which column of {name!r} is the class: download the table "
                "and use Problem.from_data."
            )
        names = tuple(bunch.feature_names)
        known = bunch.categories or {}
        categories = tuple(tuple(known[column]) if column in known else None for column in names)
        classes, labels = encode_labels(np.asarray(bunch.target))
        rows = EncodedRows(np.asarray(bunch.data, np.float64), names, categories)
        return Problem(name, rows, labels, tuple(classes.tolist()))

    def fetch(self, name: str) -> Any:
        """Download a data set as scikit-learn's ``Bunch``, nominal values as category codes.

        Parameters
        ----------
        name : str
            Name of the data set, with or without a version.

        Returns
        -------
        Bunch
            The download.

        Examples
        --------
        >>> OpenML().fetch("credit-g")  # doctest: +SKIP
        """
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


# Data sets that need no files

Board = tuple[int, ...]


@dataclass(frozen=True)
class BuiltIn:
    """Data sets that are always available: scikit-learn's own, and those that follow from a rule.

    Complete enumerations: ``monks1``, ``monks2`` and ``monks3`` contain all 432 robots with their
    true class (the files of the competition contain a training sample and these 432, with some
    noise in the third); ``tic-tac-toe`` contains every final board of a game that x began,
    ``balance-scale`` all weights and distances.

    Random samples of published generators, each with a fixed seed: ``waveform`` (Breiman's three
    noisy mixtures of waves), ``led24`` (Breiman's faulty display: seven segments of a digit, each
    inverted with probability 0.1, and 17 irrelevant ones), ``ringnorm`` (Breiman's narrow normal
    distribution inside a wide one), ``agrawal-4`` and ``agrawal-7`` (Agrawal's fourth and seventh
    function of loan applicants, with perturbed numbers and 5 % label noise; a tenth of the values
    of the seventh is missing).

    From scikit-learn: ``iris``, ``wine``, ``breast-wdbc``, ``digits``, and ``diabetes`` with
    progression above or below the median as its class.

    Examples
    --------
    >>> BuiltIn().load("iris")
    <Problem iris: 150 cases, 0 nominal + 4 numeric attributes, 3 classes>
    """

    def names(self) -> list[str]:
        """Return the names of the data sets.

        Returns
        -------
        list of str
            The names.

        Examples
        --------
        >>> "iris" in BuiltIn().names()
        True
        """
        return sorted([*_GENERATED, *_SCIKIT_LEARN])

    def load(self, name: str) -> Problem:
        """Generate or read a data set.

        Parameters
        ----------
        name : str
            Name of the data set.

        Returns
        -------
        Problem
            The data set.

        Examples
        --------
        >>> BuiltIn().load("iris")
        <Problem iris: 150 cases, 0 nominal + 4 numeric attributes, 3 classes>
        """
        if name in _GENERATED:
            return _GENERATED[name]()
        if name not in _SCIKIT_LEARN:
            raise unknown_data_set(name, self.names(), "roctree itself")
        bunch = _SCIKIT_LEARN[name]()
        return Problem.from_data(name, bunch.data, bunch.target_names[bunch.target])


def _diabetes() -> Any:
    bunch = datasets.load_diabetes(scaled=False)
    advanced = (bunch.target > np.median(bunch.target)).astype(int)
    return Bunch(data=bunch.data, target=advanced, target_names=np.array(["less", "more"]))


_SCIKIT_LEARN: dict[str, Callable[[], Any]] = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast-wdbc": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "diabetes": _diabetes,
}


# Complete enumerations

ROBOT = {
    "head_shape": 3,
    "body_shape": 3,
    "is_smiling": 2,
    "holding": 3,
    "jacket_colour": 4,
    "has_tie": 2,
}


def monks(number: int) -> Problem:
    """Return one of the three MONK's problems, each robot once, without noise."""
    concepts: dict[int, Callable[..., bool]] = {
        1: lambda a, b, c, d, e, f: a == b or e == 1,
        2: lambda *values: values.count(1) == 2,
        3: lambda a, b, c, d, e, f: (e == 3 and d == 1) or (e != 4 and b != 3),
    }
    robots = list(product(*(range(1, size + 1) for size in ROBOT.values())))
    labels = [int(concepts[number](*robot)) for robot in robots]
    categories = tuple(tuple(map(str, range(1, size + 1))) for size in ROBOT.values())
    rows = EncodedRows(np.array(robots, np.float64) - 1.0, tuple(ROBOT), categories)
    return Problem(f"monks{number}", rows, np.array(labels, np.int32), ("0", "1"))


SQUARES = tuple(
    f"{row}-{column}"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
)
LINES = (
    *((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8)),
    *((0, 4, 8), (2, 4, 6)),
)


def tic_tac_toe() -> Problem:
    """Return the final boards of all games; positive where x has won."""
    ends: dict[Board, bool] = {}
    _play((0,) * 9, 1, ends, set())
    boards = sorted(ends)
    # On a board 0 is blank, 1 is x and 2 is o; the categories are sorted.
    codes = np.array([0.0, 2.0, 1.0])[np.array(boards)]
    rows = EncodedRows(codes, SQUARES, (("b", "o", "x"),) * 9)
    labels = np.array([ends[board] for board in boards], np.int32)
    return Problem("tic-tac-toe", rows, labels, ("negative", "positive"))


def _play(board: Board, player: int, ends: dict[Board, bool], seen: set[Board]) -> None:
    """Try every move: a game has at most nine, and a board determines who moves."""
    if board in seen:
        return
    seen.add(board)
    for square in [square for square, taken in enumerate(board) if not taken]:
        after = (*board[:square], player, *board[square + 1 :])
        won = any(all(after[place] == player for place in line) for line in LINES)
        if won or 0 not in after:
            ends[after] = won and player == 1
        else:
            _play(after, 3 - player, ends, seen)


def balance_scale() -> Problem:
    """Return the side to which a scale tips for all weights and distances: B for neither."""
    cases = np.array(list(product(range(1, 6), repeat=4)), np.float64)
    names = ("left-weight", "left-distance", "right-weight", "right-distance")
    torque = cases[:, 0] * cases[:, 1] - cases[:, 2] * cases[:, 3]
    labels = np.where(torque == 0, 0, np.where(torque > 0, 1, 2)).astype(np.int32)
    return Problem("balance-scale", EncodedRows(cases, names, (None,) * 4), labels, ("B", "L", "R"))


# Random samples

WAVEFORM_SIZE, WAVEFORM_SEED, WAVE_WIDTH = 5000, 0, 21
SAMPLE_SEED = 2003


def waveform() -> Problem:
    """Return Breiman's waveforms: noisy mixtures of two of three triangles."""
    random = np.random.default_rng(WAVEFORM_SEED)
    places = np.arange(WAVE_WIDTH)
    waves = np.maximum(6.0 - np.abs(places - np.array([[6.0], [14.0], [10.0]])), 0.0)
    labels = random.integers(3, size=WAVEFORM_SIZE).astype(np.int32)
    first, second = np.array([[0, 0, 1], [1, 2, 2]])[:, labels]
    share = random.random((WAVEFORM_SIZE, 1))
    values = share * waves[first] + (1.0 - share) * waves[second]
    values += random.standard_normal(values.shape)
    names = tuple(f"x{place + 1}" for place in places)
    return Problem(
        "waveform", EncodedRows(values, names, (None,) * WAVE_WIDTH), labels, ("0", "1", "2")
    )


# The segments that each digit lights: top, upper left, upper right, middle, lower left, lower
# right, bottom.
SEGMENTS = (
    *("1110111", "0010010", "1011101", "1011011", "0111010"),
    *("1101011", "1101111", "1010010", "1111111", "1111011"),
)
N_IRRELEVANT, WRONG_SEGMENT = 17, 0.1


def led24(n: int = 1000) -> Problem:
    """Return digits as a faulty display shows them."""
    random = np.random.default_rng(SAMPLE_SEED)
    digits = random.integers(10, size=n)
    lit = np.array([[segment == "1" for segment in digit] for digit in SEGMENTS])[digits]
    shown = lit ^ (random.random(lit.shape) < WRONG_SEGMENT)
    values = np.column_stack([shown, random.random((n, N_IRRELEVANT)) < 0.5]).astype(np.float64)
    names = tuple(f"segment{place + 1}" for place in range(values.shape[1]))
    rows = EncodedRows(values, names, (("off", "on"),) * len(names))
    return Problem("led24", rows, digits.astype(np.int32), tuple("0123456789"))


RING_SIZE = 20


def ringnorm(n: int = 1000) -> Problem:
    """Return a normal distribution inside another one with four times its variance."""
    random = np.random.default_rng(SAMPLE_SEED)
    inner = random.random(n) < 0.5
    noise = random.standard_normal((n, RING_SIZE))
    values = np.where(inner[:, None], 2.0 / RING_SIZE**0.5 + noise, 2.0 * noise)
    names = tuple(f"x{place + 1}" for place in range(RING_SIZE))
    rows = EncodedRows(values, names, (None,) * RING_SIZE)
    return Problem("ringnorm", rows, (~inner).astype(np.int32), ("inner", "outer"))


# Number of categories of the nominal attributes.
NOMINAL = {"education": 5, "car": 20, "zip": 9}
WRONG_LABEL, MISSING, SHIFT = 0.05, 0.1, 0.05
Applicants = dict[str, Floats]


def agrawal(number: int, *, missing: float = 0.0, n: int = 2000) -> Problem:
    """Return loan applicants in two groups, by one of Agrawal's functions."""
    random = np.random.default_rng([SAMPLE_SEED, number])
    applicants = _applicants(random, n)
    chosen = _AGRAWAL[number](applicants) ^ (random.random(n) < WRONG_LABEL)
    columns = []
    for name, column in applicants.items():
        shift = SHIFT * (column.max() - column.min()) * random.uniform(-1.0, 1.0, n)
        shown = column if name in NOMINAL else column + shift
        columns.append(np.where(random.random(n) < missing, np.nan, shown))
    categories = tuple(
        tuple(f"{code:02}" for code in range(NOMINAL[name])) if name in NOMINAL else None
        for name in applicants
    )
    rows = EncodedRows(np.column_stack(columns), tuple(applicants), categories)
    classes = "group A", "other"
    return Problem(f"agrawal-{number}", rows, (~chosen).astype(np.int32), classes, classes[0])


def _applicants(random: np.random.Generator, n: int) -> Applicants:
    salary = random.uniform(20_000, 150_000, n)
    code = random.integers(NOMINAL["zip"], size=n)
    return {
        "salary": salary,
        "commission": np.where(salary >= 75_000, 0.0, random.uniform(10_000, 75_000, n)),
        "age": random.integers(20, 81, n).astype(np.float64),
        "education": random.integers(NOMINAL["education"], size=n).astype(np.float64),
        "car": random.integers(NOMINAL["car"], size=n).astype(np.float64),
        "zip": code.astype(np.float64),
        "house": random.uniform(0.5, 1.5, n) * 100_000 * (NOMINAL["zip"] - code),
        "years": random.integers(1, 31, n).astype(np.float64),
        "loan": random.uniform(0, 500_000, n),
    }


def _by_age_education_and_salary(applicants: Applicants) -> Bools:
    """Agrawal's fourth function: group A has a range of salaries for each age and education."""
    age, education, salary = (applicants[name] for name in ("age", "education", "salary"))
    young, old = age < 40, age >= 60
    middle = (education >= 1) & (education <= 3)
    schooled = np.where(young, education <= 1, np.where(old, education >= 2, middle))
    least = np.where(
        young,
        np.where(schooled, 25, 50),
        np.where(old, np.where(schooled, 50, 25), np.where(schooled, 50, 75)),
    )
    return np.asarray((salary >= 1000 * least) & (salary <= 1000 * (least + 50)))


def _by_disposable_income(applicants: Applicants) -> Bools:
    """Agrawal's seventh function: income minus the cost of the loan."""
    income = applicants["salary"] + applicants["commission"]
    return np.asarray(0.67 * income - 0.2 * applicants["loan"] - 20_000 > 0)


_AGRAWAL: dict[int, Callable[[Applicants], Bools]] = {
    4: _by_age_education_and_salary,
    7: _by_disposable_income,
}
_GENERATED: dict[str, Callable[[], Problem]] = {
    "monks1": lambda: monks(1),
    "monks2": lambda: monks(2),
    "monks3": lambda: monks(3),
    "tic-tac-toe": tic_tac_toe,
    "balance-scale": balance_scale,
    "waveform": waveform,
    "led24": led24,
    "ringnorm": ringnorm,
    "agrawal-4": lambda: agrawal(4),
    "agrawal-7": lambda: agrawal(7, missing=MISSING),
}
