"""A part of large data: a frame or matrix with labels and weights, encoded as the whole would be.

The data are read twice. The first pass summarises each part (``summarise_part``); the summaries
merge into the schema and the bins of all rows. The second pass codes each part by these bins
(``code_part``). A fitted tree can be evaluated in one more pass (``tally_part``).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.data import Dataset, Schema
from roctree.errors import DataError
from roctree.geometry import Moments
from roctree.large.summary import Summary
from roctree.tally import Tally
from roctree.tree import Tree
from roctree.tree.bins import Edges
from roctree.tree.columns import Columns
from roctree.tree.growth import class_counts, drop_zero_weight, on_grid
from roctree.tree.kernels.tables import Bounds
from roctree.tree.shards import Shard, Shards, omit_unit_weights

Floats = NDArray[np.float64]


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


def summarise_part(part: Part, categorical_features: Any) -> Summary | None:
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
class Coding:
    """How the rows of all parts are coded.

    Parameters
    ----------
    schema : Schema
    edges : Edges
        The bins of the columns.
    quantum : float
        Unit of the grid that weights lie on.
    middle : float64[features]
        A value of each column, about which moments are taken.
    """

    schema: Schema
    edges: Edges
    quantum: float
    middle: Floats


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
        values = np.empty((0, coding.middle.size))
        moments = Moments.from_rows(values, np.empty(0), coding.middle)
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
        codes = np.empty((0, coding.middle.size), coding.edges.code_type)
        return CodedPart(Shard(codes, np.empty(0, np.uint32), np.empty(0)), Totals.empty(coding))
    rows = part.encode(coding.schema)
    weights = on_grid(rows.weights, coding.quantum)
    values, labels, weights = drop_zero_weight(rows.values, rows.labels, weights)
    codes, bounds = coding.edges.code(values)
    counts = class_counts(labels, weights, coding.schema.n_classes)
    totals = Totals(len(weights), bounds, counts, Moments.from_rows(values, weights, coding.middle))
    return CodedPart(Shard(codes, labels.astype(np.uint32), omit_unit_weights(weights)), totals)


def tally_part(part: Part, tree: Tree, schema: Schema) -> Tally | None:
    """Return the rows of a part counted in the leaves of a tree; None if none has weight."""
    return None if part.is_empty else Tally.of(tree, part.encode(schema))


def merged_tally(parts: Iterable[Tally | None]) -> Tally:
    """Return the tally of all parts; parts without rows are None."""
    return Tally.joined(part for part in parts if part is not None)
