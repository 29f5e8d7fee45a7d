"""Data files of a command: training data, rows for a model whose columns are known, and results."""

import csv
import json
import logging
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from roctree.cli.output import STANDARD_OUTPUT, open_output
from roctree.data import Schema
from roctree.data.csv_file import CsvFormat
from roctree.data.lazy import arrow
from roctree.data.readers import (
    ColumnChooser,
    cast_columns,
    read_batches,
    read_column_names,
    read_file,
    require_columns,
    unused_missing_values,
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
from roctree.errors import DataError, ParameterError
from roctree.export.common import used_features
from roctree.files.atomic import is_pipe_or_device
from roctree.fitted import FittedModel, FittedTree
from roctree.large.batches import PARQUET_SUFFIXES, is_pattern
from roctree.progress import spinner


class LabelledRows(NamedTuple):
    """Attributes, class labels and weights (None for ones) of labelled rows."""

    X: Any
    y: Any
    weights: Any


def text_format(reading: Mapping[str, Any]) -> CsvFormat:
    """Return the format of text files that the options of ``READING`` describe."""
    spellings = tuple(
        cell.strip()
        for text in reading.get("missing_value", ())
        # As in a line of CSV, quotes protect commas.
        for cells in csv.reader([text], skipinitialspace=True)
        for cell in cells
    )
    return CsvFormat(**{**reading, "missing_value": spellings})


def column_roles(target: str, weight: str | None, columns: Mapping[str, Any]) -> ColumnOptions:
    """Return the roles that the options of ``COLUMNS`` assign to columns."""
    return ColumnOptions(target, weight, **{name: tuple(given) for name, given in columns.items()})


def read_training_file(
    path: str, roles: ColumnOptions, reading: Mapping[str, Any]
) -> LabelledTable:
    """Read a file to fit a model to."""
    with spinner(f"Reading {path}"):
        written = text_format(reading)
        keep_integers = [roles.target, *([roles.weight] if roles.weight else [])]
        table = read_file(path, written, roles.types, keep_integers)
        if table.num_rows == 0:
            raise DataError(
                f"{path} has no rows below its first line, which names the columns: add the cases."
            )
        unused = unused_missing_values(path, written)
        if unused:
            listed = ", ".join(map(repr, unused))
            warnings.warn(
                f"--missing-value lists {listed}, which no cell of {path} is.", stacklevel=2
            )
        cases = assign_roles(table, roles, written.decimal)
    if cases.X.num_columns == 0:
        raise DataError(
            f"{path} has no column left to predict {roles.target!r} from: ignore fewer columns, or "
            "give a file with more."
        )
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
    schema, used = model.schema, _used_attributes(model)
    types = {name: kind for name, kind in column_types(schema).items() if name in used}
    with spinner(f"Reading {path}"):
        table = read_file(path, text_format(reading), weight_type(weight) | types)
    present, trained = table.column_names, model.training.target
    weights = (
        read_weights(table, find_columns([weight], present, several=False)[0]) if weight else None
    )
    if target is None:
        rest = table.select([name for name in present if name != weight])
        is_known = trained is not None and trained in present
        target = str(trained) if is_known else find_target(rest, schema, path, trained)
    (name,) = find_columns([target], present, several=False)
    table = _with_unused_columns(table, model, path)
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
        The attributes that its predictions depend on are read.
    others : sequence of str
        Further columns; a text that is not a column may list several, separated by commas.
    path : str
        The file, for messages.
    """
    used = _used_attributes(model)

    def choose(present: list[str]) -> list[str]:
        attributes = [name for name in present_attributes(model, present, path) if name in used]
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
    """Return the attributes that predictions depend on: those of a tree's splits and points."""
    names, point = model.schema.names, model.operating_point
    randomised = point is not None and point.chance > 0.0  # draws depend on all values of a row
    if randomised or not isinstance(model, FittedTree):
        return list(names)
    return [names[feature] for feature in used_features(model)]


def _with_unused_columns(table: Any, model: FittedModel, path: str) -> Any:
    """Return a table whose unused attributes have the types of training; missing if they cannot."""
    used, present = _used_attributes(model), table.column_names
    for name, kind in column_types(model.schema).items():
        if name in present and name not in used:
            place = present.index(name)
            try:
                column = cast_columns(table.select([name]), {name: kind}).column(0)
            except DataError:
                warnings.warn(
                    f"{path} has other values in {name!r} than the training data; they are left "
                    "out, as the tree does not use them.",
                    stacklevel=2,
                )
                column = arrow.nulls(table.num_rows, kind)
            table = table.set_column(place, name, column)
    return table


def with_all_columns(table: Any, schema: Schema) -> Any:
    """Return the attributes of a schema in their order; absent columns have missing values."""
    absent = {
        name: arrow.nulls(table.num_rows, kind) for name, kind in column_types(schema).items()
    }
    present = dict(zip(table.column_names, table.columns, strict=True))
    return arrow.table({name: present.get(name, absent[name]) for name in schema.names})


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


# Writing: tables, block by block


@contextmanager
def table_writer(
    path: str, schema: Any, suffix: str | None = None
) -> Iterator[Callable[[Any], None]]:
    """Open a table for writing; the suffix of the name determines the format.

    Parameters
    ----------
    path : str
        The file; "-" for standard output.
    schema : pyarrow.Schema
        Names and types of the columns.
    suffix : str or None
        Format to write instead, such as ".csv".
    """
    is_stream = path == STANDARD_OUTPUT or is_pipe_or_device(Path(path))
    suffix = suffix or (".csv" if is_stream else Path(path).suffix.lower())
    if suffix not in WRITERS:
        raise ParameterError(
            f"-o {path} has an unknown format: use a name that ends in {', '.join(WRITERS)}."
        )
    with open_output(path) as file, WRITERS[suffix](file, schema) as writer:
        yield writer.write


class DelimitedWriter:
    """Writes delimited text; cells are quoted only in blocks that need it.

    Parameters
    ----------
    file : binary file
    schema : pyarrow.Schema
    delimiter : str
    """

    def __init__(self, file: BinaryIO, schema: Any, delimiter: str) -> None:
        self._file, self._delimiter = file, delimiter
        names = delimiter.join(map(self._quoted, schema.names))
        file.write(f"{names}\n".encode())

    def write(self, table: Any) -> None:
        """Write the rows of a table."""
        options = arrow.csv.WriteOptions(
            include_header=False,
            delimiter=self._delimiter,
            quoting_style="needed" if self._needs_quotes(table) else "none",
        )
        arrow.csv.write_csv(table, self._file, options)

    def _needs_quotes(self, table: Any) -> bool:
        special = f'[\r\n"{self._delimiter}]'
        texts = [column for column in table.columns if arrow.types.is_string(column.type)]
        return any(
            arrow.compute.any(arrow.compute.match_substring_regex(text, special)).as_py()
            for text in texts
        )

    def _quoted(self, name: str) -> str:
        if not any(special in name for special in (self._delimiter, '"', "\n", "\r")):
            return name
        return '"' + name.replace('"', '""') + '"'


class JSONLinesWriter:
    """Writes one JSON object per row."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, table: Any) -> None:
        """Write the rows of a table."""
        for row in table.to_pylist():
            finite = {
                name: None if isinstance(cell, float) and not math.isfinite(cell) else cell
                for name, cell in row.items()
            }
            self._file.write(json.dumps(finite).encode() + b"\n")


@contextmanager
def _csv(file: BinaryIO, schema: Any) -> Iterator[DelimitedWriter]:
    yield DelimitedWriter(file, schema, ",")


@contextmanager
def _tsv(file: BinaryIO, schema: Any) -> Iterator[DelimitedWriter]:
    yield DelimitedWriter(file, schema, "\t")


def _parquet(file: BinaryIO, schema: Any) -> Any:
    return arrow.parquet.ParquetWriter(file, schema)


def _feather(file: BinaryIO, schema: Any) -> Any:
    return arrow.ipc.new_file(file, schema)


@contextmanager
def _jsonl(file: BinaryIO, schema: Any) -> Iterator[JSONLinesWriter]:
    yield JSONLinesWriter(file)


WRITERS: dict[str, Callable[..., Any]] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".parquet": _parquet,
    ".feather": _feather,
    ".jsonl": _jsonl,
}
