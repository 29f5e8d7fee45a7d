"""A part of large data: a frame or matrix with labels and weights, read as the whole would be."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.data import Dataset, Schema
from roctree.distributed.summary import Summary
from roctree.errors import DataError
from roctree.tree.binned import own_weights
from roctree.tree.binning import Bounds, Edges
from roctree.tree.grow import class_counts
from roctree.tree.growth import on_grid
from roctree.tree.shards import Shard


class Part(NamedTuple):
    """Some rows, and which part of the data they are, for messages."""

    number: int
    X: Any
    y: Any
    sample_weight: Any = None


@dataclass(frozen=True)
class Coding:
    """How the rows of all parts are coded: the same for each."""

    schema: Schema
    edges: Edges
    quantum: float


@dataclass(frozen=True)
class CodedPart:
    """The rows of a part in codes, and what they add to what is known of the bins."""

    shard: Shard
    bounds: Bounds
    counts: NDArray[np.float64]


def summarise(part: Part, categorical_features: Any) -> Summary | None:
    """Return the summary of a part; None if it has no rows of any weight."""
    if is_empty(part):
        return None
    try:
        return Summary.of(
            Dataset.from_data(
                part.X,
                part.y,
                sample_weight=part.sample_weight,
                categorical_features=categorical_features,
            )
        )
    except DataError as error:
        raise _of_part(part, error) from None


def code(part: Part, coding: Coding) -> CodedPart:
    """Return the rows of a part that have weight, in codes."""
    schema, edges = coding.schema, coding.edges
    if is_empty(part):
        return _no_rows(coding)
    rows = rows_of(part, schema)
    weights = on_grid(rows.weights, coding.quantum)
    used = weights > 0.0
    values, labels, weights = rows.values[used], rows.labels[used], weights[used]
    codes, bounds = edges.code(values)
    shard = Shard(codes, labels.astype(np.uint32), own_weights(weights))
    return CodedPart(shard, bounds, class_counts(labels, weights, schema.n_classes))


def rows_of(part: Part, schema: Schema) -> Dataset:
    """Return the rows of a part, read by a schema."""
    try:
        return Dataset.encoded(part.X, part.y, schema, sample_weight=part.sample_weight)
    except DataError as error:
        raise _of_part(part, error) from None


def is_empty(part: Part) -> bool:
    """Whether a part has no row of any weight."""
    if part.X.shape[0] == 0:
        return True
    return part.sample_weight is not None and not np.any(np.asarray(part.sample_weight))


def _no_rows(coding: Coding) -> CodedPart:
    edges = coding.edges
    codes = np.empty((0, edges.size.size), edges.code_type)
    shard = Shard(codes, np.empty(0, np.uint32), np.empty(0))
    return CodedPart(shard, Bounds.empty(edges.size), np.zeros(coding.schema.n_classes))


def _of_part(part: Part, error: DataError) -> DataError:
    return DataError(f"part {part.number} of the data (counting from 0): {error}")

