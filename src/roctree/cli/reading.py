"""Read data files for a command: training data, and rows for a model whose columns are known."""

import logging
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from roctree.data import Schema
from roctree.data.arrow import pa
from roctree.data.csv_file import CsvFormat
from roctree.data.readers import (
    ColumnChooser,
    read_batches,
    read_column_names,
    read_file,
    require_columns,
)
from roctree.data.roles import (
    ColumnOptions,
    LabelledTable,
    assign_roles,
    column_types,
    find_columns,
    find_target,
    label_type,
    read_labels,
    read_weights,
    weight_type,
)
from roctree.data.streams import is_pipe
from roctree.errors import DataError
from roctree.fitted import FittedModel, FittedTree
from roctree.large.batches import PARQUET_SUFFIXES
from roctree.large.parquet import is_pattern
from roctree.progress import spinner


class LabelledRows(NamedTuple):
    """Attributes, class labels and weights (None for ones) of rows that a model can judge."""

    X: Any
    y: Any
    weights: Any


def text_format(reading: Mapping[str, Any]) -> CsvFormat:
    """Return the format of text files that the options of ``READING`` describe."""
    return CsvFormat(**{**reading, "missing_value": tuple(reading.get("missing_value", ()))})


def column_roles(target: str, weight: str | None, columns: Mapping[str, Any]) -> ColumnOptions:
    """Return the roles that the options of ``COLUMNS`` assign to columns."""
    return ColumnOptions(target, weight, **{name: tuple(given) for name, given in columns.items()})


def read_training(path: str, roles: ColumnOptions, reading: Mapping[str, Any]) -> LabelledTable:
    """Read a file to fit a model to."""
    with spinner(f"Reading {path}"):
        written = text_format(reading)
        cases = assign_roles(read_file(path, written, roles.types), roles, written.decimal)
    if cases.X.num_columns == 0:
        raise DataError(f"{path} has no column left to predict {roles.target!r} from.")
    return cases


def read_labelled(
    path: str,
    model: FittedModel,
    target: str | None,
    reading: Mapping[str, Any],
    weight: str | None = None,
) -> LabelledRows:
    """Read labelled rows with the columns and classes of a model.

    Parameters
    ----------
    path : str
    model : FittedModel
    target, weight : str or None
        Columns with labels and weights. The default target is that of the training data, or the
        only column that holds classes.
    reading : mapping
        Options of ``READING``.
    """
    schema = model.schema
    with spinner(f"Reading {path}"):
        table = read_file(path, text_format(reading), weight_type(weight) | column_types(schema))
    present, trained = table.column_names, model.training.target
    weights = (
        read_weights(table, find_columns([weight], present, several=False)[0]) if weight else None
    )
    if target is None:
        rest = table.select([name for name in present if name != weight])
        is_known = trained is not None and trained in present
        target = str(trained) if is_known else find_target(rest, schema)
    (name,) = find_columns([target], present, several=False)
    attributes = with_all_columns(table.select(present_attributes(model, present, path)), schema)
    labels = read_labels(table.column(name), schema.classes, name)
    return LabelledRows(attributes, labels, weights)


def labelled_blocks(
    path: str,
    model: FittedModel,
    target: str | None,
    reading: Mapping[str, Any],
    weight: str | None = None,
) -> Iterator[LabelledRows]:
    """Read labelled rows block by block; see ``read_labelled``.

    A file is read as a whole if the target must be found by its values, and so is standard input,
    whose columns cannot be inspected before it is read.
    """
    schema, name = model.schema, target or model.training.target
    if name is None or is_pipe(path) or name not in read_column_names(path, text_format(reading)):
        yield read_labelled(path, model, target, reading, weight)
        return
    types = label_type(name, schema.classes) | weight_type(weight) | column_types(schema)
    others = [name, *([weight] if weight else [])]
    choice, begin = column_choice(model, others, path), 0
    for table in read_batches(path, choice, text_format(reading), types):
        labels = read_labels(table.column(name), schema.classes, name, begin)
        # Rows of weight 0 do not count, and a block may contain no others.
        if table.num_rows and (weight is None or table.column(weight).to_numpy().any()):
            weights = read_weights(table, weight, begin) if weight else None
            yield LabelledRows(with_all_columns(table, schema), labels, weights)
        begin += table.num_rows


def column_choice(model: FittedModel, others: Sequence[str], path: str) -> ColumnChooser:
    """Return a function that chooses the columns of a file to read.

    Parameters
    ----------
    model : FittedModel
        Its attributes are read.
    others : sequence of str
        Further columns; a text that is not a column may list several, separated by commas.
    path : str
        The file, for messages.
    """

    def choose(present: list[str]) -> list[str]:
        attributes = present_attributes(model, present, path)
        return list(dict.fromkeys([*attributes, *find_columns(others, present)]))

    return choose


def present_attributes(model: FittedModel, present: list[str], path: str) -> list[str]:
    """Return the attributes of a model that a file has; those that the model uses must be there."""
    names = model.schema.names
    require_columns(_used_attributes(model), present, path)
    absent = [name for name in names if name not in present]
    if absent:
        listed = ", ".join(map(repr, absent))
        warnings.warn(f"{path} has no column {listed}, which the tree does not use.", stacklevel=2)
    return [name for name in names if name in present]


def _used_attributes(model: FittedModel) -> list[str]:
    """Return the attributes that predictions depend on: for a tree, those of its splits."""
    names, point = model.schema.names, model.operating_point
    randomised = point is not None and point.chance > 0.0  # draws depend on all values of a row
    if randomised or not isinstance(model, FittedTree):
        return list(names)
    return [names[feature] for feature in np.unique(model.tree.feature).tolist() if feature >= 0]


def with_all_columns(table: Any, schema: Schema) -> Any:
    """Return the attributes of a schema in their order; absent columns have missing values."""
    absent = {name: pa.nulls(table.num_rows, kind) for name, kind in column_types(schema).items()}
    present = dict(zip(table.column_names, table.columns, strict=True))
    return pa.table({name: present.get(name, absent[name]) for name in schema.names})


# Parquet files that are read in parts


def is_folder_or_pattern(path: str) -> bool:
    """Whether a path stands for several files."""
    return Path(path).is_dir() or is_pattern(path)


def first_other_than_parquet(paths: Sequence[str]) -> str | None:
    """Return the first path that cannot be read in parts, None if all can."""
    for path in paths:
        if not is_folder_or_pattern(path) and Path(path).suffix.lower() not in PARQUET_SUFFIXES:
            return path
    return None


@contextmanager
def silenced_logs() -> Iterator[None]:
    """Silence the logs of Dask, which repeat errors in many lines, unless in ``--debug``."""
    if "--debug" not in sys.argv:
        logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
