"""Tables from files: CSV, Parquet, Feather and ARFF, compressed or not, or from standard input.

The suffix of a file, without .gz, .bz2 or .zst, determines its format; for standard input and other
names, its first bytes do. Tables are pyarrow's, which the rest of the library reads like data
frames.

To add a format: write a function that yields the tables of an opened file, add it to
``WHOLE_TABLE_READERS`` and its suffix to ``FORMATS``. CSV and Parquet files, whose columns can be
read one by one, have branches of their own.
"""

import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from roctree.data import csv_file
from roctree.data.csv_file import CsvFormat
from roctree.data.lazy import arrow
from roctree.data.streams import Source, is_pipe
from roctree.errors import DataError
from roctree.text import did_you_mean, first_line

ColumnChooser = Callable[[list[str]], list[str]]
TableReader = Callable[[Source, CsvFormat], Iterator[Any]]

COMPRESSED_SUFFIXES = (".gz", ".bz2", ".zst")
PARQUET_BATCH_ROWS = 100_000
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "feather"}
_MAX_LISTED = 12
_LONGEST_NAME = 60


def read_file(
    path: str,
    csv_format: CsvFormat | None = None,
    types: Any = None,
    keep_integers: Collection[str] = (),
) -> Any:
    """Return a file as a table of pyarrow.

    Parameters
    ----------
    path : str
        The file; "-" for standard input.
    csv_format : CsvFormat, optional
        How a CSV file is written.
    types : mapping of str to pyarrow.DataType, optional
        Types of some columns; the types of other columns of a CSV file are inferred from all cells.
    keep_integers : collection of str
        Columns of labels or weights, in which integers stay integers.
    """
    csv_format, types = csv_format or CsvFormat(), dict(types or {})
    with Source(path) as source, _reading_errors(source):
        kind = file_format(source)
        if kind == "csv":
            table = csv_file.read_csv(source, csv_format, types)
        elif kind == "parquet":
            # arrow.parquet.read_table also accepts folders, but takes twice as long.
            table = arrow.parquet.ParquetFile(source.seekable_file()).read()
        else:
            table = arrow.concat_tables(WHOLE_TABLE_READERS[kind](source, csv_format))
        for name, times in Counter(table.column_names).items():
            if times > 1:
                what = (
                    f"{name!r}: rename one"
                    if name
                    else "without a name: name them in its first line"
                )
                raise DataError(f"{source.name} has two columns {what}.", column=name)
        return cast_columns(table, types, keep_integers)


def read_batches(
    path: str,
    columns: list[str] | ColumnChooser,
    csv_format: CsvFormat | None = None,
    types: Any = None,
) -> Iterator[Any]:
    """Yield some columns of a file as tables of some thousand rows, at least one table.

    Parameters
    ----------
    path : str
        The file; "-" for standard input.
    columns : list of str or callable
        The columns to read, in this order, or a function that chooses among the existing ones.
    csv_format : CsvFormat, optional
        How a CSV file is written.
    types : mapping of str to pyarrow.DataType, optional
        Types of some columns; other columns of a CSV file are text.
    """
    csv_format, types = csv_format or CsvFormat(), dict(types or {})
    with Source(path) as source, _reading_errors(source):
        choose = (
            columns if callable(columns) else partial(require_columns, columns, source=source.name)
        )
        for batch in _batches(source, csv_format, types, choose):
            yield cast_columns(batch, types)


def read_column_names(path: str, csv_format: CsvFormat | None = None) -> list[str]:
    """Return the names of the columns of a file, without reading more than necessary."""
    csv_format = csv_format or CsvFormat()
    with Source(path) as source, _reading_errors(source):
        kind = file_format(source)
        if kind == "csv":
            return _csv_column_names(source, csv_format)
        if kind == "parquet":
            return list(arrow.parquet.ParquetFile(source.seekable_file()).schema_arrow.names)
        return list(next(WHOLE_TABLE_READERS[kind](source, csv_format)).column_names)


def unused_missing_values(path: str, csv_format: CsvFormat) -> list[str]:
    """Return the additional spellings of a missing value that no cell of a CSV file has.

    The file is read once more, unless there are no such spellings or it can be read only once.
    """
    left = [word for word in csv_format.missing_value if word not in csv_file.MISSING_VALUES]
    if not left or is_pipe(path):
        return []
    with Source(path) as source, _reading_errors(source):
        if file_format(source) != "csv":
            return []
        plain = replace(csv_format, missing_value=(), thousands=None)
        names = csv_file.column_names(source, plain)
        for table in csv_file.csv_batches(source, plain, {}, names):
            for column in table.columns:
                words = arrow.array(left, arrow.string())
                left = words.filter(
                    arrow.compute.invert(arrow.compute.is_in(words, column))
                ).to_pylist()
            if not left:
                break
    return left


def file_format(source: Source) -> str:
    """Return the format of a file, by its name, else by its first bytes."""
    named = data_format(source.path)
    if named is not None:
        return named
    for mark, kind in _MAGIC.items():
        if source.head.startswith(mark):
            return kind
    first = next((line for line in source.head.splitlines() if line.strip()), b"")
    return "arff" if first.lstrip().lower().startswith((b"@relation", b"%")) else "csv"


def data_format(path: str) -> str | None:
    """Return the format indicated by the name of a file, None if there is none."""
    name = Path(path)
    if name.suffix.lower() in COMPRESSED_SUFFIXES:
        name = name.with_suffix("")
    return FORMATS.get(name.suffix.lower())


def require_columns(columns: list[str], existing: list[str], source: str) -> list[str]:
    """Return the columns, all of which a file must have."""
    known = set(existing)
    absent = [name for name in columns if name not in known]
    if absent:
        raise DataError(
            f"{source} has no column {', '.join(map(repr, absent))}"
            f"{did_you_mean(absent[0], existing)}: add it, or rename a column; it has "
            f"{list_names(existing)}.",
            column=absent[0],
        )
    return columns


def list_names(names: list[str]) -> str:
    """Return names in quotes, not more than the first dozen, and long ones shortened."""
    short = (
        name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}..."
        for name in names[:_MAX_LISTED]
    )
    listed = ", ".join(map(repr, short))
    return f"{listed}, ..." if len(names) > _MAX_LISTED else listed


def cast_columns(table: Any, types: Mapping[str, Any], keep_integers: Collection[str] = ()) -> Any:
    """Return a table with some columns cast to other types, by name.

    A dictionary, as of a pandas Categorical, becomes its values; integers that are categories
    become text, so that they are not read as numbers.

    Parameters
    ----------
    table : pyarrow.Table
    types : mapping of str to pyarrow.DataType
    keep_integers : collection of str
        Columns of labels or weights, in which integers stay integers.
    """
    if not table.column_names:
        return table  # which still has its number of rows
    categorical = _pandas_categories(table.schema) - set(keep_integers)
    columns = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = column.type
        if arrow.types.is_dictionary(kind):
            kind = kind.value_type
            categorical |= {name} - set(keep_integers)
        if name in categorical and arrow.types.is_integer(kind):
            kind = arrow.string()
        columns.append(_cast(column, name, types.get(name) or kind))
    return arrow.Table.from_arrays(columns, table.column_names)


def _pandas_categories(schema: Any) -> set[str]:
    """Return the columns that are categorical in pandas, which Parquet records only as metadata."""
    noted = (schema.pandas_metadata or {}).get("columns", ())
    return {each.get("field_name") for each in noted if each.get("pandas_type") == "categorical"}


def _cast(column: Any, name: str, to_type: Any) -> Any:
    if column.type.equals(to_type):
        return column
    if arrow.types.is_dictionary(column.type):
        # Not every dictionary can be cast to another type directly.
        column = column.cast(column.type.value_type)
    try:
        return column.cast(to_type)
    except arrow.ArrowInvalid as error:
        expected = "numbers" if arrow.types.is_floating(to_type) else f"{to_type} values"
        raise DataError(
            f"column {name!r} does not contain only {expected}: {first_line(error)}.",
            column=name,
        ) from None


def _batches(
    source: Source, csv_format: CsvFormat, types: Mapping[str, Any], choose: ColumnChooser
) -> Iterator[Any]:
    kind = file_format(source)
    if kind == "csv":
        chosen = choose(_csv_column_names(source, csv_format))
        tables = csv_file.csv_batches(source, csv_format, types, chosen)
    elif kind == "parquet":
        file = arrow.parquet.ParquetFile(source.seekable_file())
        chosen = choose(file.schema_arrow.names)
        tables = _at_least_one(
            file.iter_batches(PARQUET_BATCH_ROWS, columns=chosen or file.schema_arrow.names[:1]),
            file.schema_arrow,
        )
    else:
        tables = WHOLE_TABLE_READERS[kind](source, csv_format)
        first = next(tables)
        chosen, tables = choose(first.column_names), chain([first], tables)
    for table in tables:
        yield table.select(chosen)


def _csv_column_names(source: Source, csv_format: CsvFormat) -> list[str]:
    """Return the names in the first line of a file that is not empty."""
    if not source.head.strip():
        raise _empty_file(source)
    return csv_file.column_names(source, csv_format)


def _empty_file(source: Source) -> DataError:
    return DataError(
        f"{source.name} is empty: give a file with the names of the columns in its first line, and "
        "a row for each case below."
    )


def _at_least_one(found: Iterable[Any], schema: Any) -> Iterator[Any]:
    """Yield batches as tables; if there are none, a table without rows."""
    empty = True
    for batch in found:
        empty = False
        yield arrow.Table.from_batches([batch])
    if empty:
        yield schema.empty_table()


@contextmanager
def _reading_errors(source: Source) -> Iterator[None]:
    """Turn exceptions of pyarrow and of decoding into a DataError that names the file."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise DataError(
            reason="{source} has text in another encoding: set its encoding, such as "
            "{encoding='cp1252'}",
            source=source.name,
        ) from error
    except (arrow.ArrowInvalid, arrow.ArrowKeyError) as error:
        if not source.head.strip():
            raise _empty_file(source) from error
        if "Empty CSV" in str(error) or "cannot infer number of columns" in str(error):
            raise DataError(
                f"{source.name} has no rows below its first line, which names the columns: add "
                "the cases."
            ) from error
        raise DataError(f"{source.name} cannot be read: {first_line(error)}.") from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise DataError(f"{source.name} cannot be decompressed: {first_line(error)}.") from error


# ARFF, the format of Weka: attributes with their types, then rows. Written here because scipy's
# reader supports neither string attributes nor sparse rows and returns bytes, and the other
# packages are no longer maintained.

ARFF_BATCH_ROWS = 50_000
_NUMERIC_TYPES = ("numeric", "real", "integer")
_QUOTED_PATTERN = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED_PATTERN}|[^\s{{]+)\s*(.+)", re.IGNORECASE)
_CELL = re.compile(rf"((?:{_QUOTED_PATTERN}|[^,])*)(?:,|$)")
_SPARSE_CELL = re.compile(r"\s*(\d+)\s+(.*)", re.DOTALL)
_MISSING = "?"

Cell = str | None


class Attribute(NamedTuple):
    """An attribute: its categories are None if it is numeric, and empty if it holds any text."""

    name: str
    categories: tuple[str, ...] | None


class Line(NamedTuple):
    """A line and its number, counting from 1."""

    number: int
    text: str


def _arff_tables(source: Source, csv_format: CsvFormat) -> Iterator[Any]:
    """Yield the rows as tables of at most ``ARFF_BATCH_ROWS`` rows, at least one table."""
    lines = _numbered_lines(source, csv_format.encoding)
    attributes = list(_attributes(lines, source.name))
    if not attributes:
        raise DataError(f"{source.name} has no attributes before @data: is it an ARFF file?")
    yield _table(attributes, list(islice(lines, ARFF_BATCH_ROWS)), source.name)
    while block := list(islice(lines, ARFF_BATCH_ROWS)):
        yield _table(attributes, block, source.name)


def split_cells(text: str) -> list[str]:
    """Return the cells of a row, or the categories of an attribute; quotes are kept.

    >>> split_cells("1, 'a, b',?")
    ['1', "'a, b'", '?']
    """
    if "'" not in text and '"' not in text:
        return [cell.strip() for cell in text.split(",")] if text.strip() else []
    found = _CELL.findall(text)
    # The pattern also matches the empty string after the last cell.
    return [cell.strip() for cell in (found if text.endswith(",") else found[:-1])]


def unquote(cell: str) -> str:
    """Return a cell without its quotes and escapes."""
    if len(cell) < 2 or cell[0] not in "'\"" or cell[-1] != cell[0]:
        return cell
    return re.sub(r"\\(.)", r"\1", cell[1:-1])


def _numbered_lines(source: Source, encoding: str) -> Iterator[Line]:
    """Yield the lines that are neither empty nor comments."""
    text = io.TextIOWrapper(source.stream(), encoding=encoding)
    for number, line in enumerate(text, 1):
        bare = line.strip()
        if bare and not bare.startswith("%"):
            yield Line(number, bare)


def _attributes(lines: Iterator[Line], name: str) -> Iterator[Attribute]:
    for line in lines:
        word = line.text.split(None, 1)[0].lower()
        if word == "@data":
            return
        if word == "@attribute":
            yield _read_attribute(line, name)
        elif word != "@relation":
            raise DataError(f"{name}, line {line.number}: {word!r} is not known before @data.")


def _read_attribute(line: Line, name: str) -> Attribute:
    found = _ATTRIBUTE.fullmatch(line.text)
    if found is None:
        raise DataError(f"{name}, line {line.number}: give @attribute a name and a type.")
    attribute, kind = unquote(found[1]), found[2].strip()
    if kind.startswith("{") and kind.endswith("}"):
        return Attribute(attribute, tuple(map(unquote, split_cells(kind[1:-1]))))
    if kind.lower() in _NUMERIC_TYPES:
        return Attribute(attribute, None)
    if kind.split()[0].lower() in ("string", "date"):
        return Attribute(attribute, ())
    raise DataError(
        f"{name}, line {line.number}: type {kind!r} is not known; attributes are numeric, real, "
        "integer, string, date, or categories in braces."
    )


def _table(attributes: list[Attribute], lines: list[Line], name: str) -> Any:
    rows = [_row(line, attributes, name) for line in lines]
    columns: list[list[Cell]] = [list(column) for column in zip(*rows, strict=True)]
    columns = columns or [[] for _ in attributes]

    def place(row: int) -> str:
        return f"{name}, line {lines[row].number}"

    arrays = [_arrow_array(*pair, place) for pair in zip(attributes, columns, strict=True)]
    return arrow.table(arrays, names=[attribute.name for attribute in attributes])


def _row(line: Line, attributes: list[Attribute], name: str) -> list[Cell]:
    if line.text.startswith("{") and line.text.endswith("}"):
        return _sparse_row(line, attributes, name)
    cells = split_cells(line.text)
    if len(cells) != len(attributes):
        raise DataError(
            f"{name}, line {line.number}: {len(cells)} values for {len(attributes)} attributes."
        )
    return [None if cell == _MISSING else unquote(cell) for cell in cells]


def _sparse_row(line: Line, attributes: list[Attribute], name: str) -> list[Cell]:
    """Return a row that lists only what is not zero, or not the first category."""
    row: list[Cell] = [
        attribute.categories[0] if attribute.categories else "0" for attribute in attributes
    ]
    for cell in split_cells(line.text[1:-1]):
        found = _SPARSE_CELL.fullmatch(cell)
        if found is None or int(found[1]) >= len(attributes):
            raise DataError(
                f"{name}, line {line.number}: {cell!r} is not the number of an attribute and a "
                "value."
            )
        row[int(found[1])] = None if found[2] == _MISSING else unquote(found[2])
    return row


def _arrow_array(attribute: Attribute, cells: list[Cell], place: Callable[[int], str]) -> Any:
    if attribute.categories is None:
        numbers = [_number(cell, row, attribute, place) for row, cell in enumerate(cells)]
        return arrow.array(numbers, arrow.float64())
    known = set(attribute.categories)
    if known and not known.issuperset(cell for cell in cells if cell is not None):
        row = next(i for i, cell in enumerate(cells) if cell is not None and cell not in known)
        raise DataError(
            f"{place(row)}: {cells[row]!r} is not a category of {attribute.name!r}.",
            column=attribute.name,
        )
    return arrow.array(cells, arrow.string())


def _number(
    cell: Cell, row: int, attribute: Attribute, place: Callable[[int], str]
) -> float | None:
    try:
        return None if cell is None else float(cell)
    except ValueError:
        raise DataError(
            f"{place(row)}: {cell!r} is not a number, but {attribute.name!r} is numeric.",
            column=attribute.name,
        ) from None


# Feather


def _feather_tables(source: Source, csv_format: CsvFormat) -> Iterator[Any]:
    file = source.seekable_file()
    try:
        batches = arrow.ipc.open_file(file)
    except arrow.ArrowInvalid:  # the first version of Feather, which is not an Arrow file
        return iter([arrow.feather.read_table(file)])
    found = (batches.get_batch(number) for number in range(batches.num_record_batches))
    return _at_least_one(found, batches.schema)


# Formats that are always read with all columns.
WHOLE_TABLE_READERS: dict[str, TableReader] = {
    "arff": _arff_tables,
    "feather": _feather_tables,
}
FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".data": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".arff": "arff",
}
