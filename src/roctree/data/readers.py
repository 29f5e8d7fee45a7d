"""Tables from files: CSV, Parquet, Feather and ARFF, compressed or not, or from standard input.

The name of a file, without .gz, .bz2 or .zst, tells its format; for standard input and other names
its first bytes do. Tables are pyarrow's, which the rest of the library reads like data frames.

To add a format: write a function that yields the tables of an opened file, add it to
``WHOLE_TABLE_READERS`` and its suffix to ``FORMATS``. CSV and Parquet files, whose columns can be
read one by one, have branches of their own.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from roctree.data import arff, csv_file
from roctree.data.arrow import feather, ipc, pa, parquet
from roctree.data.csv_file import CsvFormat
from roctree.data.streams import Source
from roctree.errors import DataError
from roctree.text import did_you_mean, escape_unprintable

ColumnChooser = Callable[[list[str]], list[str]]
TableReader = Callable[[Source, CsvFormat], Iterator[Any]]


def _arff_tables(source: Source, csv_format: CsvFormat) -> Iterator[Any]:
    return arff.batches(source, csv_format.encoding)


def _feather_tables(source: Source, csv_format: CsvFormat) -> Iterator[Any]:
    file = source.seekable_file()
    try:
        batches = ipc.open_file(file)
    except pa.ArrowInvalid:  # the first version of Feather, which is not an Arrow file
        return iter([feather.read_table(file)])
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
COMPRESSED_SUFFIXES = (".gz", ".bz2", ".zst")
BATCH_ROWS = 100_000
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "feather"}
_MOST_LISTED = 12


def read_file(path: str, csv_format: CsvFormat | None = None, types: Any = None) -> Any:
    """Return a file as a table of pyarrow.

    Parameters
    ----------
    path : str
        The file; "-" for standard input.
    csv_format : CsvFormat, optional
        How a CSV file is written.
    types : mapping of str to pyarrow.DataType, optional
        Types of some columns; the types of other columns of a CSV file are inferred from all cells.
    """
    csv_format, types = csv_format or CsvFormat(), dict(types or {})
    with Source(path) as source, _reading_errors(source):
        kind = file_format(source)
        if kind == "csv":
            table = csv_file.read(source, csv_format, types)
        elif kind == "parquet":
            # parquet.read_table also takes folders, and twice as long.
            table = parquet.ParquetFile(source.seekable_file()).read()
        else:
            table = pa.concat_tables(WHOLE_TABLE_READERS[kind](source, csv_format))
        for name, times in Counter(table.column_names).items():
            if times > 1:
                raise DataError(f"{source.name} has two columns {name!r}: rename one.", column=name)
        return cast_columns(table, types)


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
            return csv_file.column_names(source, csv_format)
        if kind == "parquet":
            return list(parquet.ParquetFile(source.seekable_file()).schema_arrow.names)
        return list(next(WHOLE_TABLE_READERS[kind](source, csv_format)).column_names)


def file_format(source: Source) -> str:
    """Return the format of a file, by its name, else by its first bytes."""
    name = Path(source.path)
    if name.suffix.lower() in COMPRESSED_SUFFIXES:
        name = name.with_suffix("")
    if name.suffix.lower() in FORMATS:
        return FORMATS[name.suffix.lower()]
    for mark, kind in _MAGIC.items():
        if source.head.startswith(mark):
            return kind
    first = next((line for line in source.head.splitlines() if line.strip()), b"")
    return "arff" if first.lstrip().lower().startswith((b"@relation", b"%")) else "csv"


def require_columns(columns: list[str], existing: list[str], source: str) -> list[str]:
    """Return the columns, all of which a file must have."""
    known = set(existing)
    absent = [name for name in columns if name not in known]
    if absent:
        raise DataError(
            f"{source} has no column {', '.join(map(repr, absent))}"
            f"{did_you_mean(absent[0], existing)}; it has {list_names(existing)}.",
            column=absent[0],
        )
    return columns


def list_names(names: list[str]) -> str:
    """Return names in quotes, not more than the first dozen."""
    listed = ", ".join(map(repr, names[:_MOST_LISTED]))
    return f"{listed}, ..." if len(names) > _MOST_LISTED else listed


def cast_columns(table: Any, types: Mapping[str, Any]) -> Any:
    """Return a table with some columns cast to other types, by name."""
    columns = [
        _cast(column, name, types.get(name, column.type))
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    return pa.Table.from_arrays(columns, table.column_names)


def _cast(column: Any, name: str, wanted: Any) -> Any:
    if column.type.equals(wanted):
        return column
    try:
        return column.cast(wanted)
    except pa.ArrowInvalid as error:
        expected = "numbers" if pa.types.is_floating(wanted) else f"{wanted} values"
        raise DataError(
            f"column {name!r} does not contain only {expected}: {_first_line(error)}.", column=name
        ) from None


def _batches(
    source: Source, csv_format: CsvFormat, types: Mapping[str, Any], choose: ColumnChooser
) -> Iterator[Any]:
    kind = file_format(source)
    if kind == "csv":
        chosen = choose(csv_file.column_names(source, csv_format))
        tables = csv_file.batches(source, csv_format, types, chosen)
    elif kind == "parquet":
        file = parquet.ParquetFile(source.seekable_file())
        chosen = choose(file.schema_arrow.names)
        tables = _at_least_one(file.iter_batches(BATCH_ROWS, columns=chosen), file.schema_arrow)
    else:
        tables = WHOLE_TABLE_READERS[kind](source, csv_format)
        first = next(tables)
        chosen, tables = choose(first.column_names), chain([first], tables)
    for table in tables:
        yield table.select(chosen)


def _at_least_one(found: Iterable[Any], schema: Any) -> Iterator[Any]:
    """Yield batches as tables; if there are none, a table without rows."""
    empty = True
    for batch in found:
        empty = False
        yield pa.Table.from_batches([batch])
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
            "{encoding='latin-1'}",
            source=source.name,
        ) from error
    except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
        if "cannot infer number of columns" in str(error):
            raise DataError(f"{source.name} has no rows below its first line.") from error
        raise DataError(f"{source.name} cannot be read: {_first_line(error)}.") from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise DataError(f"{source.name} cannot be decompressed: {_first_line(error)}.") from error


def _first_line(error: Exception) -> str:
    """Return the first line of a message of pyarrow, which may quote the file."""
    text = str(error).splitlines()[0][:300].rstrip(".") if str(error) else type(error).__name__
    return escape_unprintable(text)
