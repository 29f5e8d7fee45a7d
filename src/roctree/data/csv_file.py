"""Text files with a row a line and a mark between cells, read and written by pyarrow."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from roctree.data.arrow import compute, csv, pa
from roctree.data.sources import Source
from roctree.data.spelling import ENCODING, Spelling
from roctree.data.texts import are_codes, other_mark
from roctree.errors import DataError

DELIMITERS = ",;\t|"
# pyarrow reads up to thirty blocks ahead of who takes them.
BLOCK = 1 << 22
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_QUOTED = re.compile(r'"[^"]*"')
_LINE = re.compile(r'(?:[^"\r\n]|"[^"]*")*')
_CONVERSION = re.compile(r"In CSV column #(\d+):.* conversion error to (\S+): invalid value (.*)")
_WORDS = {"double": "numbers", "int64": "whole numbers", "bool": "truth values"}


def read(source: Source, spelling: Spelling, types: Mapping[str, Any]) -> Any:
    """Return the whole file as a table; columns whose type is not given are inferred from all.

    Columns of digits that begin with needless zeros hold codes, and stay texts.
    """
    names = _names(source, spelling)
    known = _codes(source, spelling, names) | {names.get(name, name): types[name] for name in types}
    options = _options(source, spelling, known)
    with _naming(names, source, spelling.decimal):
        return _tidy(csv.read_csv(source.stream(), **options), names)


def batches(
    source: Source, spelling: Spelling, types: Mapping[str, Any], columns: list[str]
) -> Iterator[Any]:
    """Yield some columns of the file a block of rows at a time; others than typed are text."""
    names = _names(source, spelling)
    known = {names[name]: types.get(name, pa.string()) for name in columns}
    options = _options(source, spelling, known)
    options["convert_options"].include_columns = list(known)
    with _naming(names, source, spelling.decimal):
        reader = csv.open_csv(source.stream(), **options)
    empty = True
    with _naming(names, source, spelling.decimal):
        for batch in reader:
            empty = False
            yield _tidy(pa.Table.from_batches([batch]), names)
    if empty:
        yield _tidy(reader.schema.empty_table(), names)


@contextmanager
def _naming(names: Mapping[str, str], source: Source, decimal: str) -> Iterator[None]:
    """Name a column that a cell does not fit, which pyarrow calls by its number."""
    try:
        yield
    except pa.ArrowInvalid as error:
        found = _CONVERSION.search(str(error))
        if found is None or int(found[1]) >= len(names):
            raise
        name, wanted = list(names)[int(found[1])], _WORDS.get(found[2], f"{found[2]} values")
        hint = other_mark(found[3].strip("'"), decimal)
        raise DataError(
            f"{source.name}: column {name!r} does not hold {wanted}: {found[3]} is none{hint}."
        ) from None


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


def _codes(source: Source, spelling: Spelling, names: Mapping[str, str]) -> dict[str, Any]:
    """Columns whose digits have needless zeros before them, as far as the first bytes tell.

    Read as a number, 007 would become 7 and the order of postcodes would count.
    """
    head = source.head.decode(spelling.encoding, "replace").rpartition("\n")[0]
    spelled = replace(spelling, encoding=ENCODING)
    options = _options(source, spelling, dict.fromkeys(names.values(), pa.string()))
    options["read_options"] = _read_options(spelled)
    try:
        table = csv.read_csv(pa.BufferReader(f"{head}\n".encode()), **options)
    except pa.ArrowInvalid:
        # What is wrong with the file is said when all of it is read.
        return {}
    cells = zip(table.column_names, table.columns, strict=True)
    return {name: pa.string() for name, column in cells if are_codes(column)}


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
    called = {spelled: name for name, spelled in names.items()}
    tidy = [called.get(name, name) for name in table.column_names]
    columns = [_trimmed(*pair) for pair in zip(tidy, table.columns, strict=True)]
    return pa.Table.from_arrays(columns, tidy)


def _trimmed(name: str, column: Any) -> Any:
    if pa.types.is_binary(column.type):
        raise DataError(
            f"column {name!r} holds texts of another alphabet: name it, as by --encoding latin-1."
        )
    return compute.utf8_trim_whitespace(column) if pa.types.is_string(column.type) else column
