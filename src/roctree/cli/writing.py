"""Tables written block after block, to standard output or to files that are whole or not there."""

import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from roctree.data.arrow import compute, csv, ipc, pa, parquet
from roctree.errors import ParameterError
from roctree.files.atomic import whole_file

STANDARD_OUTPUT = "-"


@contextmanager
def written(path: str) -> Iterator[BinaryIO]:
    """Open a file, or standard output, to be written; a file appears when all is written."""
    if path == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with whole_file(Path(path)) as file:
        yield file


@contextmanager
def table_writer(
    path: str, schema: Any, ending: str | None = None
) -> Iterator[Callable[[Any], None]]:
    """Open a table to be written, as what its name says: csv, tsv, Parquet or Feather.

    Parameters
    ----------
    path : of the file; "-" for standard output
    schema : pyarrow's names and types of the columns
    ending : what to write if not what the name says
    """
    ending = ending or (".csv" if path == STANDARD_OUTPUT else Path(path).suffix.lower())
    if ending not in WRITERS:
        raise ParameterError(f"{path} cannot be written: end the name in {', '.join(WRITERS)}.")
    with written(path) as file, WRITERS[ending](file, schema) as writer:
        yield writer.write


class Lines:
    """A row a line, with a mark between cells; quotes only in blocks of rows that need some.

    Parameters
    ----------
    file : what is written to
    schema : pyarrow's names and types
    delimiter : the mark
    """

    def __init__(self, file: BinaryIO, schema: Any, delimiter: str) -> None:
        self._file, self._delimiter = file, delimiter
        names = delimiter.join(_quoted(name, delimiter) for name in schema.names)
        file.write(f"{names}\n".encode())

    def write(self, table: Any) -> None:
        """Write the rows of a table."""
        style = "needed" if self._needs_quotes(table) else "none"
        options = csv.WriteOptions(
            include_header=False, delimiter=self._delimiter, quoting_style=style
        )
        csv.write_csv(table, self._file, options)

    def _needs_quotes(self, table: Any) -> bool:
        special = f'[\r\n"{self._delimiter}]'
        texts = [column for column in table.columns if pa.types.is_string(column.type)]
        return any(
            compute.any(compute.match_substring_regex(text, special)).as_py() for text in texts
        )


@contextmanager
def _csv(file: BinaryIO, schema: Any) -> Iterator[Any]:
    yield Lines(file, schema, ",")


@contextmanager
def _tsv(file: BinaryIO, schema: Any) -> Iterator[Any]:
    yield Lines(file, schema, "\t")


def _parquet(file: BinaryIO, schema: Any) -> Any:
    return parquet.ParquetWriter(file, schema)


def _feather(file: BinaryIO, schema: Any) -> Any:
    return ipc.new_file(file, schema)


@contextmanager
def _jsonl(file: BinaryIO, schema: Any) -> Iterator[Any]:
    yield JSONLines(file)


class JSONLines:
    """A row a line, each an object of JSON."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, table: Any) -> None:
        """Write the rows of a table."""
        for row in table.to_pylist():
            self._file.write(json.dumps({name: _plain(row[name]) for name in row}).encode() + b"\n")


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _quoted(name: str, delimiter: str) -> str:
    if not any(mark in name for mark in (delimiter, '"', "\n", "\r")):
        return name
    return '"' + name.replace('"', '""') + '"'


WRITERS: dict[str, Callable[..., Any]] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".parquet": _parquet,
    ".feather": _feather,
    ".jsonl": _jsonl,
}
