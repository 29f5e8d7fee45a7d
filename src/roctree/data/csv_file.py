"""Text files with a row a line and a mark between cells, read and written by pyarrow."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from roctree.data.arrow import compute, csv, pa
from roctree.data.sources import Source
from roctree.data.spelling import Spelling
from roctree.errors import DataError

DELIMITERS = ",;\t|"
# pyarrow reads up to thirty blocks ahead of who takes them.
BLOCK = 1 << 22
_QUOTED = re.compile(r'"[^"]*"')


def read(source: Source, spelling: Spelling, types: Mapping[str, Any]) -> Any:
    """Return the whole file as a table; columns whose type is not given are inferred from all."""
    options = _options(source, spelling, types)
    return _tidy(csv.read_csv(source.stream(), **options))


def batches(
    source: Source, spelling: Spelling, types: Mapping[str, Any], columns: list[str]
) -> Iterator[Any]:
    """Yield some columns of the file a block of rows at a time; others than typed are text."""
    known = {name: types.get(name, pa.string()) for name in columns}
    options = _options(source, spelling, known)
    options["convert_options"].include_columns = columns
    reader = csv.open_csv(source.stream(), **options)
    empty = True
    for batch in reader:
        empty = False
        yield _tidy(pa.Table.from_batches([batch]))
    if empty:
        yield reader.schema.empty_table()


def column_names(source: Source, spelling: Spelling) -> list[str]:
    """Return what the first line says."""
    options = _options(source, spelling, {})
    line = pa.BufferReader(_first_line(source) + b"\n")
    names: list[str] = csv.read_csv(line, **options).column_names
    return names


def delimiter_of(line: str) -> str:
    """Return the mark between the cells of a first line: the most frequent outside of quotes."""
    bare = _QUOTED.sub("", line)
    return max(DELIMITERS, key=bare.count)


def _options(source: Source, spelling: Spelling, types: Mapping[str, Any]) -> dict[str, Any]:
    line = _first_line(source).decode(spelling.encoding, "replace")
    return {
        "read_options": csv.ReadOptions(block_size=BLOCK, encoding=spelling.encoding),
        "parse_options": csv.ParseOptions(
            delimiter=spelling.delimiter or delimiter_of(line), newlines_in_values=True
        ),
        "convert_options": csv.ConvertOptions(
            column_types=dict(types),
            null_values=spelling.null_values,
            strings_can_be_null=True,
            decimal_point=spelling.decimal,
        ),
    }


def _first_line(source: Source) -> bytes:
    return source.head.splitlines()[0] if source.head else b""


def _tidy(table: Any) -> Any:
    """Cut blanks around texts: pyarrow does so for numbers only."""
    for place, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            trimmed = compute.utf8_trim_whitespace(table.column(place))
            table = table.set_column(place, field, trimmed)
        elif pa.types.is_binary(field.type):
            raise DataError(
                f"column {field.name!r} holds texts of another alphabet: name its encoding, such "
                "as latin-1."
            )
    return table
