"""Write tables block by block, to standard output or to a file that appears once it is complete."""

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
def open_output(path: str) -> Iterator[BinaryIO]:
    """Open a file for writing, or standard output; a file appears once it is complete."""
    if path == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with whole_file(Path(path)) as file:
        yield file


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
    suffix = suffix or (".csv" if path == STANDARD_OUTPUT else Path(path).suffix.lower())
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
        options = csv.WriteOptions(
            include_header=False,
            delimiter=self._delimiter,
            quoting_style="needed" if self._needs_quotes(table) else "none",
        )
        csv.write_csv(table, self._file, options)

    def _needs_quotes(self, table: Any) -> bool:
        special = f'[\r\n"{self._delimiter}]'
        texts = [column for column in table.columns if pa.types.is_string(column.type)]
        return any(
            compute.any(compute.match_substring_regex(text, special)).as_py() for text in texts
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
    return parquet.ParquetWriter(file, schema)


def _feather(file: BinaryIO, schema: Any) -> Any:
    return ipc.new_file(file, schema)


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
