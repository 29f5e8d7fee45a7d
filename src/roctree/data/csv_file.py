"""Text files with a row a line and a mark between cells, read and written by pyarrow."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from roctree.data.arrow import compute, csv, pa
from roctree.data.sources import Source
from roctree.data.spelling import ENCODING, Spelling
from roctree.errors import DataError

DELIMITERS = ",;\t|"
# pyarrow reads up to thirty blocks ahead of who takes them.
BLOCK = 1 << 22
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_QUOTED = re.compile(r'"[^"]*"')
_LINE = re.compile(r'(?:[^"\r\n]|"[^"]*")*')


def read(source: Source, spelling: Spelling, types: Mapping[str, Any]) -> Any:
    """Return the whole file as a table; columns whose type is not given are inferred from all."""
    names = _names(source, spelling)
    options = _options(source, spelling, {names.get(name, name): types[name] for name in types})
    return _tidy(csv.read_csv(source.stream(), **options), names)


def batches(
    source: Source, spelling: Spelling, types: Mapping[str, Any], columns: list[str]
) -> Iterator[Any]:
    """Yield some columns of the file a block of rows at a time; others than typed are text."""
    names = _names(source, spelling)
    known = {names[name]: types.get(name, pa.string()) for name in columns}
    options = _options(source, spelling, known)
    options["convert_options"].include_columns = list(known)
    reader = csv.open_csv(source.stream(), **options)
    empty = True
    for batch in reader:
        empty = False
        yield _tidy(pa.Table.from_batches([batch]), names)
    if empty:
        yield _tidy(reader.schema.empty_table(), names)


def column_names(source: Source, spelling: Spelling) -> list[str]:
    """Return what the first line says, without blanks around names."""
    return list(_names(source, spelling))


def delimiter_of(line: str) -> str:
    """Return the mark between the cells of a first line: the most frequent outside of quotes."""
    bare = _QUOTED.sub("", line)
    return max(DELIMITERS, key=bare.count)


def _names(source: Source, spelling: Spelling) -> dict[str, str]:
    """What columns are called, without blanks if that makes no twins, and how it is spelled."""
    line = _first_line(source, spelling)
    if not line:
        return {}
    spelled = replace(spelling, encoding=ENCODING)
    options = _options(source, spelling, {}) | {"read_options": _read_options(spelled)}
    names: list[str] = csv.read_csv(pa.BufferReader(f"{line}\n".encode()), **options).column_names
    bare = [name.strip() for name in names]
    return dict(zip(bare if len(set(bare)) == len(set(names)) else names, names, strict=True))


def _options(source: Source, spelling: Spelling, types: Mapping[str, Any]) -> dict[str, Any]:
    line = _first_line(source, spelling)
    return {
        "read_options": _read_options(spelling),
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


def _read_options(spelling: Spelling) -> Any:
    return csv.ReadOptions(block_size=BLOCK, encoding=spelling.encoding)


def _first_line(source: Source, spelling: Spelling) -> str:
    """The line with the names, which may break within quotes."""
    if source.head.startswith(UTF_16) and spelling.encoding == ENCODING:
        raise DataError(f"{source.name} is written in UTF-16: say so by --encoding utf-16.")
    text = source.head.decode(spelling.encoding, "replace").lstrip("\r\n")
    found = _LINE.match(text)
    return found[0] if found else ""


def _tidy(table: Any, names: Mapping[str, str]) -> Any:
    """Cut blanks around texts and names: pyarrow does so for numbers only."""
    for place, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            trimmed = compute.utf8_trim_whitespace(table.column(place))
            table = table.set_column(place, field, trimmed)
        elif pa.types.is_binary(field.type):
            raise DataError(
                f"column {field.name!r} holds texts of another alphabet: name its encoding, such "
                "as latin-1."
            )
    called = {spelled: name for name, spelled in names.items()}
    return table.rename_columns([called.get(name, name) for name in table.column_names])
