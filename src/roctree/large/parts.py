"""Parts of large data, frames or matrices with labels and weights, encoded like the whole.

The data are read twice. The first pass summarises each part (``summarise_part``); the summaries
merge into the schema and the bins of all rows. The second pass codes each part by these bins
(``code_part``). A fitted tree can be evaluated in one more pass (``count_part``).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.arrays import Floats
from roctree.data import CategoricalFeatures, Categories, Dataset, Schema, encode_labels
from roctree.errors import DataError
from roctree.fitted import FittedTree
from roctree.fitting import distinct_cases
from roctree.geometry import Moments
from roctree.tally import Counted
from roctree.tree.bins import Edges, Sketch, check_category_count, sketch_columns
from roctree.tree.columns import Columns
from roctree.tree.growth import class_counts, drop_zero_weight, round_to_grid
from roctree.tree.kernels.tables import Bounds
from roctree.tree.levels import Shard, Shards, omit_unit_weights


class Part(NamedTuple):
    """Some rows; the number of the part and the source are for messages."""

    number: int
    X: Any
    y: Any
    sample_weight: Any = None
    source: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether no row has a weight above 0."""
        if self.X.shape[0] == 0:
            return True
        return self.sample_weight is not None and not np.any(np.asarray(self.sample_weight))

    def encode(self, schema: Schema) -> Dataset:
        """Return the rows, encoded by a schema."""
        try:
            return Dataset.encoded(self.X, self.y, schema, sample_weight=self.sample_weight)
        except DataError as error:
            raise in_part(self.number, error, self.source) from None


def in_part(number: int, error: DataError, source: str = "") -> DataError:
    """Return the error with the number and the source of the part in front of its message."""
    place = f", {source}" if source else ""
    return DataError(f"part {number} of the data (counting from 0){place}: {error}")


# --- First pass: the summary of a part, and how summaries merge ---
#
# Merging is associative and commutative, so a data set has one summary however it is divided into
# parts.


def summarise_part(part: Part, categorical_features: CategoricalFeatures) -> "Summary | None":
    """Return the summary of a part; None if it has no rows."""
    if part.X.shape[0] == 0:
        return None
    # Weights that are all zero are an error only if those of all parts are.
    weights = None if part.is_empty else part.sample_weight
    try:
        rows = Dataset.from_data(
            part.X, part.y, sample_weight=weights, categorical_features=categorical_features
        )
    except DataError as error:
        raise in_part(part.number, error, part.source) from None
    if part.is_empty:
        rows = replace(rows, weights=np.zeros(len(rows.weights)))
    return Summary.from_dataset(rows, part.number)


@dataclass(frozen=True)
class SketchedColumn:
    """A column of a part: a sketch of its numbers, or its categories.

    A column without known values takes its kind from the other parts. Rows without weight have no
    effect: a category that only they have is dropped at the end, when all parts are known.

    Parameters
    ----------
    sketch : Sketch
        Of the numbers.
    categories : tuple or None
        Categories of a nominal column.
    seen : frozenset
        Categories that rows with weight have.
    weightless : frozenset
        Categories that only rows without weight have.
    n_missing : int
        Number of missing values.
    part : int
        Number of the part; of merged parts, the first one with known values.
    dates : str
        "days" or "times" if the numbers are dates, else "".
    """

    sketch: Sketch
    categories: Categories | None
    seen: frozenset[Any]
    weightless: frozenset[Any]
    n_missing: int
    part: int
    dates: str = ""

    @property
    def is_known(self) -> bool:
        """Whether some value is known, or categories are declared."""
        return bool(self.categories) or self.sketch.values.size > 0

    @property
    def kept(self) -> Categories | None:
        """The categories without those that only rows without weight have."""
        if self.categories is None or not self.weightless:
            return self.categories
        return tuple(each for each in self.categories if each not in self.weightless)

    def merged(self, other: "SketchedColumn", name: str) -> "SketchedColumn":
        """Return the summary of the column in both parts."""
        known = [column.part for column in (self, other) if column.is_known]
        seen = self.seen | other.seen
        return SketchedColumn(
            sketch=self.sketch.merged(other.sketch),
            categories=self._categories(other, name),
            seen=seen,
            weightless=(self.weightless | other.weightless) - seen,
            n_missing=self.n_missing + other.n_missing,
            part=min(known or [self.part, other.part]),
            dates=max(self.dates, other.dates),  # "" < "days" < "times"
        )

    def _categories(self, other: "SketchedColumn", name: str) -> Categories | None:
        if not other.is_known:
            return self.categories
        if not self.is_known:
            return other.categories
        if self.categories is None and other.categories is None:
            return None
        if self.categories is None or other.categories is None:
            numbers, names = (self, other) if self.categories is None else (other, self)
            raise DataError(
                f"column {name!r} has numbers in part {numbers.part} of the data and text or "
                f"categories in part {names.part} (counting from 0): give it one type in all parts."
            )
        return _joined(self.categories, other.categories, name, (self.part, other.part))


def _joined(ours: Categories, theirs: Categories, name: str, parts: tuple[int, int]) -> Categories:
    """Return the categories of both, sorted by value if they differ."""
    ours, theirs = _of_one_type(ours, theirs)
    if ours == theirs:
        return ours
    try:
        joined = tuple(sorted({*ours, *theirs}))
    except TypeError:
        raise DataError(
            f"the categories of column {name!r} are text in one and numbers in the other of parts "
            f"{min(parts)} and {max(parts)} of the data (counting from 0): give them one type in "
            "all parts."
        ) from None
    # A column of row names would fill the memory long before all rows are read.
    check_category_count(name, len(joined))
    return joined


def _of_one_type(ours: Categories, theirs: Categories) -> tuple[Categories, Categories]:
    """Return numbers in the widest of their types: integers with gaps are read as floats."""
    kinds = set(map(type, (*ours, *theirs)))
    if len(kinds) == 1 or not kinds <= {bool, int, float}:
        return ours, theirs
    widest = float if float in kinds else int
    return tuple(map(widest, ours)), tuple(map(widest, theirs))


@dataclass(frozen=True)
class Summary:
    """Summary of a part of the data, or of several.

    Parameters
    ----------
    names : tuple of str
        Names of the columns.
    named : bool
        Whether the names are from the data.
    columns : tuple of SketchedColumn
    classes : array
        Class labels, sorted.
    n_rows : int
        Number of rows with weight.
    largest : float
        Largest weight.
    all_ones : bool
        Whether all weights are one.
    part : int
        Number of the part, the lowest of several.
    """

    names: tuple[str, ...]
    named: bool
    columns: tuple[SketchedColumn, ...]
    classes: NDArray[Any]
    n_rows: int
    largest: float
    all_ones: bool
    part: int

    def __sizeof__(self) -> int:
        """Return the size of the sketches in bytes."""
        sketches = [column.sketch for column in self.columns]
        return sum(each.values.nbytes + each.units.nbytes for each in sketches)

    @classmethod
    def from_dataset(cls, part: Dataset, number: int) -> "Summary":
        """Summarise the rows of a part; perhaps none has weight."""
        values, _, weights = drop_zero_weight(part.values, part.labels, part.weights)
        others = part.values[part.weights == 0.0]
        schema, numeric = part.schema, np.flatnonzero(~part.schema.nominal)
        all_ones = bool((weights == 1.0).all())
        sketches = dict(
            zip(
                numeric.tolist(),
                sketch_columns(values, numeric, None if all_ones else weights),
                strict=True,
            )
        )
        missing = np.isnan(values).sum(axis=0).tolist()
        columns = []
        for feature, categories in enumerate(schema.categories):
            seen = _categories_in(values[:, feature], categories)
            column = SketchedColumn(
                sketch=sketches.get(feature, Sketch.empty()),
                categories=categories,
                seen=seen,
                weightless=_categories_in(others[:, feature], categories) - seen,
                n_missing=missing[feature],
                part=number,
                dates=schema.date_unit(feature),
            )
            columns.append(column)
        return cls(
            names=schema.names,
            named=schema.named,
            columns=tuple(columns),
            classes=schema.classes,
            n_rows=len(weights),
            largest=float(weights.max(initial=0.0)),
            all_ones=all_ones,
            part=number,
        )

    def merged(self, other: "Summary") -> "Summary":
        """Return the summary of both parts."""
        if self.names != other.names:
            raise DataError(
                f"part {self.part} of the data (counting from 0) has the columns "
                f"{', '.join(self.names)}, but part {other.part} has {', '.join(other.names)}: all "
                "parts must have the same columns in the same order."
            )
        columns = tuple(
            ours.merged(theirs, name)
            for ours, theirs, name in zip(self.columns, other.columns, self.names, strict=True)
        )
        return Summary(
            names=self.names,
            named=self.named,
            columns=columns,
            classes=self._classes(other),
            n_rows=self.n_rows + other.n_rows,
            largest=max(self.largest, other.largest),
            all_ones=self.all_ones and other.all_ones,
            part=min(self.part, other.part),
        )

    def _classes(self, other: "Summary") -> NDArray[Any]:
        try:
            return encode_labels(np.concatenate([self.classes, other.classes]))[0]
        except DataError as error:
            raise DataError(
                f"the labels of parts {self.part} and {other.part} of the data (counting from 0) "
                f"are incompatible: {error}"
            ) from None

    @property
    def schema(self) -> Schema:
        """Names, categories and classes of all rows."""
        categories = tuple(column.kept for column in self.columns)
        dates = tuple(column.dates for column in self.columns)
        known = dates if any(dates) else ()
        return Schema(self.names, categories, self.classes, self.named, known)

    @property
    def sketches(self) -> list[Sketch]:
        """Sketches of the columns without categories; of text without known values, empty ones."""
        return [column.sketch for column in self.columns if not column.kept]

    @property
    def centre(self) -> NDArray[np.float64]:
        """A typical value of each column, to take differences from."""
        known = [column.sketch.values for column in self.columns]
        return np.array([values[values.size // 2] if values.size else 0.0 for values in known])

    @property
    def has_missing(self) -> NDArray[np.bool_]:
        """Whether some value of each column is missing."""
        return np.array([column.n_missing > 0 for column in self.columns], dtype=np.bool_)

    @property
    def occurring(self) -> list[tuple[str, int, int]]:
        """Name, number of occurring categories and of known values of each nominal column."""
        return [
            (name, len(column.seen), self.n_rows - column.n_missing)
            for name, column in zip(self.names, self.columns, strict=True)
            if column.categories is not None
        ]


def _categories_in(codes: NDArray[np.float64], categories: Categories | None) -> frozenset[Any]:
    """Return the categories that occur among the codes of a column."""
    if categories is None:
        return frozenset()
    times = np.bincount(codes[~np.isnan(codes)].astype(np.int64), minlength=len(categories))
    return frozenset(categories[code] for code in np.flatnonzero(times))


def merged_parts(parts: Iterable[Summary | None]) -> Summary | None:
    """Return the summary of some parts; None if no part has rows."""
    known = (part for part in parts if part is not None)
    first = next(known, None)
    return None if first is None else reduce(Summary.merged, known, first)


def merged_summary(parts: Iterable[Summary | None]) -> Summary:
    """Return the summary of all parts; parts without rows are None."""
    whole = merged_parts(parts)
    if whole is None or whole.n_rows == 0:
        raise DataError("X is empty: at least one row with a weight above 0 is required.")
    return whole


# --- Second pass: the rows of a part in codes, and their totals ---


@dataclass(frozen=True)
class Coding:
    """How the rows of all parts are coded.

    Parameters
    ----------
    schema : Schema
    edges : Edges
        The bins of the columns.
    quantum : float
        Unit of the grid that weights lie on.
    centre : float64[features]
        A value of each column, about which moments are taken.
    """

    schema: Schema
    edges: Edges
    quantum: float
    centre: Floats


@dataclass(frozen=True)
class Totals:
    """Number, bin bounds, class counts and moments of coded rows; totals of parts merge."""

    n_rows: int
    bounds: Bounds
    counts: Floats
    moments: Moments

    @classmethod
    def empty(cls, coding: Coding) -> "Totals":
        """Return the totals of no rows."""
        values = np.empty((0, coding.centre.size))
        moments = Moments.from_rows(values, np.empty(0), coding.centre)
        return cls(
            0, Bounds.empty(coding.edges.size.size), np.zeros(coding.schema.n_classes), moments
        )

    def merged(self, other: "Totals") -> "Totals":
        """Return the totals of both."""
        return Totals(
            self.n_rows + other.n_rows,
            self.bounds.merged(other.bounds),
            self.counts + other.counts,
            self.moments.merged(other.moments),
        )


class CodedPart(NamedTuple):
    """The coded rows of a part, and their totals."""

    shard: Shard
    totals: Totals


class CodedRows(NamedTuple):
    """All rows in codes, wherever they are, and their totals."""

    totals: Totals
    shards: Callable[[Columns], Shards]


def code_part(part: Part, coding: Coding) -> CodedPart:
    """Return the rows of a part that have weight, in codes."""
    if part.is_empty:
        codes = np.empty((0, coding.centre.size), coding.edges.code_type)
        return CodedPart(Shard(codes, np.empty(0, np.uint32), np.empty(0)), Totals.empty(coding))
    rows = part.encode(coding.schema)
    weights = round_to_grid(rows.weights, coding.quantum)
    values, labels, weights = drop_zero_weight(rows.values, rows.labels, weights)
    codes, bounds = coding.edges.code(values)
    counts = class_counts(labels, weights, coding.schema.n_classes)
    totals = Totals(len(weights), bounds, counts, Moments.from_rows(values, weights, coding.centre))
    return CodedPart(Shard(codes, labels.astype(np.uint32), omit_unit_weights(weights)), totals)


def count_part(part: Part, model: FittedTree) -> Counted | None:
    """Return the rows of a part, counted for a fitted tree; None if none has weight."""
    return None if part.is_empty else model.count(part.encode(model.schema))


def sample_part(part: Part, schema: Schema, most: int) -> Dataset | None:
    """Return a pseudo-random sample of at most ``most`` distinct rows of a part; None if empty."""
    if part.is_empty:
        return None
    return distinct_cases(part.encode(schema).drop_zero_weight(), most)
