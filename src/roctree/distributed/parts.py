"""A part of large data: a frame or matrix with labels and weights, read as the whole would be."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.data import Dataset, Schema
from roctree.distributed.summary import Summary
from roctree.errors import DataError
from roctree.geometry import Moments
from roctree.tally import Tally
from roctree.tree.binned import own_weights
from roctree.tree.binning import Bounds, Edges
from roctree.tree.columns import Columns
from roctree.tree.grow import class_counts, weighty
from roctree.tree.growth import on_grid
from roctree.tree.shards import Shard, Shards
from roctree.tree import Tree

Floats = NDArray[np.float64]


class Part(NamedTuple):
    """Some rows, and for messages which part of the data they are, and where they were read."""

    number: int
    X: Any
    y: Any
    sample_weight: Any = None
    source: str = ""


@dataclass(frozen=True)
class Coding:
    """How the rows of all parts are coded: the same for each.

    Parameters
    ----------
    schema : what the columns and labels mean
    edges : the bins
    quantum : the unit of the grid that weights lie on
    middle : float64[features], a value of each column, about which moments are taken
    """

    schema: Schema
    edges: Edges
    quantum: float
    middle: Floats


@dataclass(frozen=True)
class Facts:
    """What the rows of a part add to what is known of all: the values in bins, class counts."""

    n_rows: int
    bounds: Bounds
    counts: Floats
    moments: Moments

    @classmethod
    def none(cls, coding: Coding) -> "Facts":
        """What no rows add."""
        values = np.empty((0, coding.middle.size))
        moments = Moments.of(values, np.empty(0), coding.middle)
        return cls(0, Bounds.empty(coding.edges.size), np.zeros(coding.schema.n_classes), moments)

    def merged(self, other: "Facts") -> "Facts":
        """The facts of both parts."""
        return Facts(
            self.n_rows + other.n_rows,
            self.bounds.merged(other.bounds),
            self.counts + other.counts,
            self.moments.merged(other.moments),
        )


class CodedPart(NamedTuple):
    """The rows of a part in codes, and what they add to what is known of all."""

    shard: Shard
    facts: Facts


class Coded(NamedTuple):
    """All rows in codes, wherever they are, and what is known of them."""

    facts: Facts
    shards: Callable[[Columns], Shards]


def summarise(part: Part, categorical_features: Any) -> Summary | None:
    """Return the summary of a part; None if it has no rows."""
    if part.X.shape[0] == 0:
        return None
    # Weights that are all zero are refused for the whole only.
    weights = None if is_empty(part) else part.sample_weight
    try:
        rows = Dataset.from_data(
            part.X, part.y, sample_weight=weights, categorical_features=categorical_features
        )
    except DataError as error:
        raise in_part(part.number, error, part.source) from None
    if is_empty(part):
        rows = replace(rows, weights=np.zeros(len(rows.weights)))
    return Summary.of(rows, part.number)


def code(part: Part, coding: Coding) -> CodedPart:
    """Return the rows of a part that have weight, in codes."""
    if is_empty(part):
        codes = np.empty((0, coding.middle.size), coding.edges.code_type)
        return CodedPart(Shard(codes, np.empty(0, np.uint32), np.empty(0)), Facts.none(coding))
    rows = rows_of(part, coding.schema)
    weights = on_grid(rows.weights, coding.quantum)
    values, labels, weights = weighty(rows.values, rows.labels, weights)
    codes, bounds = coding.edges.code(values)
    counts = class_counts(labels, weights, coding.schema.n_classes)
    facts = Facts(len(weights), bounds, counts, Moments.of(values, weights, coding.middle))
    return CodedPart(Shard(codes, labels.astype(np.uint32), own_weights(weights)), facts)


def tally(part: Part, tree: Tree, schema: Schema) -> Tally | None:
    """Return the rows of a part counted in the leaves of a tree; None if none has weight."""
    return None if is_empty(part) else Tally.of(tree, rows_of(part, schema))


def merged_tally(parts: Iterable[Tally | None]) -> Tally:
    """The rows of all parts, of which some may have none."""
    return Tally.joined(part for part in parts if part is not None)


def rows_of(part: Part, schema: Schema) -> Dataset:
    """Return the rows of a part, read by a schema."""
    try:
        return Dataset.encoded(part.X, part.y, schema, sample_weight=part.sample_weight)
    except DataError as error:
        raise in_part(part.number, error, part.source) from None


def is_empty(part: Part) -> bool:
    """Whether a part has no row of any weight."""
    if part.X.shape[0] == 0:
        return True
    return part.sample_weight is not None and not np.any(np.asarray(part.sample_weight))


def in_part(number: int, error: DataError, source: str = "") -> DataError:
    """Say in which part of the data something is wrong, and where that was read."""
    place = f", {source}" if source else ""
    return DataError(f"part {number} of the data (counting from 0){place}: {error}")
