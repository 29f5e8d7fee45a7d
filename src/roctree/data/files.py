"""Tables in files: csv, tsv, Parquet, Feather and ARFF, packed or not, or standard input.

Tables are pyarrow's, which everything else in the library reads as it reads data frames.
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
from roctree.data.sources import Source
from roctree.data.spelling import Spelling
from roctree.errors import DataError
from roctree.strategy import nearest
from roctree.table import on_one_line

Choice = Callable[[list[str]], list[str]]

TEXT = "csv"
FORMATS = {
    ".csv": TEXT,
    ".tsv": TEXT,
    ".tab": TEXT,
    ".txt": TEXT,
    ".data": TEXT,
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".arff": "arff",
}
PACKED = (".gz", ".bz2", ".zst")
BATCH_ROWS = 100_000
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "feather"}


def read_file(path: str, spelling: Spelling | None = None, types: Any = None) -> Any:
    """Return a file as a table of pyarrow.

    Parameters
    ----------
    path : of the file; its name, without .gz, .bz2 or .zst, says what is in it; "-" for standard
        input, whose first bytes say it
    spelling : how a text file is written
    types : type of some columns, by name; a text file is otherwise read for what all cells of a
        column are
    """
    spelled, wanted = spelling or Spelling(), dict(types or {})
    with Source(path) as source, _refusals(source):
        kind = format_of(source)
        if kind == TEXT:
            table = csv_file.read(source, spelled, wanted)
        elif kind == "parquet":
            # parquet.read_table takes folders too, and twice as long.
            table = parquet.ParquetFile(source.file()).read()
        elif kind == "feather":
            table = feather.read_table(source.file())
        else:
            table = pa.concat_tables(arff.batches(source, spelled))
        _refuse_doubles(table.column_names, source.name)
        return as_types(table, wanted)


def file_batches(
    path: str, columns: list[str] | Choice, spelling: Spelling | None = None, types: Any = None
) -> Iterator[Any]:
    """Yield some columns of a file as tables of some thousand rows, at least one table.

    Parameters
    ----------
    path : of the file, as in ``read_file``
    columns : which are read, in this order, or a function that chooses among those that there are
    spelling : how a text file is written
    types : type of some columns, by name; others of a text file are text
    """
    spelled, wanted = spelling or Spelling(), dict(types or {})
    with Source(path) as source, _refusals(source):
        choice = columns if callable(columns) else partial(all_of, columns, source=source.name)
        for batch in _batches(source, spelled, wanted, choice):
            yield as_types(batch, wanted)


def file_columns(path: str, spelling: Spelling | None = None) -> list[str]:
    """Return the names of the columns of a file, which is not read beyond them."""
    spelled = spelling or Spelling()
    with Source(path) as source, _refusals(source):
        kind = format_of(source)
        if kind == TEXT:
            return csv_file.column_names(source, spelled)
        if kind == "parquet":
            return list(parquet.ParquetFile(source.file()).schema_arrow.names)
        return list(next(_whole_tables(source, spelled, kind)).column_names)


def as_types(table: Any, types: Mapping[str, Any]) -> Any:
    """Return a table with some columns read as other types, by name."""
    columns = [_casted(column, name, types.get(name, column.type))
               for name, column in zip(table.column_names, table.columns, strict=True)]  # fmt: skip
    return pa.Table.from_arrays(columns, table.column_names)


def format_of(source: Source) -> str:
    """Return what a file holds, by its name, else by its first bytes."""
    name = Path(source.path)
    ending = (name.with_suffix("") if name.suffix.lower() in PACKED else name).suffix.lower()
    if ending in FORMATS:
        return FORMATS[ending]
    for mark, kind in _MAGIC.items():
        if source.head.startswith(mark):
            return kind
    first = next((line for line in source.head.splitlines() if line.strip()), b"")
    return "arff" if first.lstrip().lower().startswith((b"@relation", b"%")) else TEXT


def _batches(
    source: Source, spelling: Spelling, types: Mapping[str, Any], choice: Choice
) -> Iterator[Any]:
    kind = format_of(source)
    if kind == TEXT:
        chosen = choice(csv_file.column_names(source, spelling))
        tables = csv_file.batches(source, spelling, types, chosen)
    elif kind == "parquet":
        file = parquet.ParquetFile(source.file())
        chosen = choice(file.schema_arrow.names)
        tables = _at_least_one(file.iter_batches(BATCH_ROWS, columns=chosen), file.schema_arrow)
    else:
        tables = _whole_tables(source, spelling, kind)
        first = next(tables)
        chosen, tables = choice(first.column_names), chain([first], tables)
    for table in tables:
        yield table.select(chosen)


def _whole_tables(source: Source, spelling: Spelling, kind: str) -> Iterator[Any]:
    """Yield all columns of a file of which none can be left out."""
    if kind == "arff":
        return arff.batches(source, spelling)
    file = ipc.open_file(source.file())
    found = (file.get_batch(number) for number in range(file.num_record_batches))
    return _at_least_one(found, file.schema)


def _at_least_one(found: Iterable[Any], schema: Any) -> Iterator[Any]:
    """Yield batches as tables; if there are none, a table without rows."""
    empty = True
    for batch in found:
        empty = False
        yield pa.Table.from_batches([batch])
    if empty:
        yield schema.empty_table()


def _casted(column: Any, name: str, wanted: Any) -> Any:
    if column.type.equals(wanted):
        return column
    try:
        return column.cast(wanted)
    except pa.ArrowInvalid as error:
        word = "numbers" if pa.types.is_floating(wanted) else f"{wanted} values"
        raise DataError(f"column {name!r} does not hold {word}: {_short(error)}.") from None


def _refuse_doubles(names: list[str], source: str) -> None:
    for double in (name for name, times in Counter(names).items() if times > 1):
        raise DataError(f"{source} has two columns {double!r}: rename one.")


def all_of(columns: list[str], there: list[str], source: str) -> list[str]:
    """Return the columns of a file; refused unless all are there."""
    known = set(there)
    absent = [name for name in columns if name not in known]
    if absent:
        raise DataError(
            f"{source} has no column {', '.join(map(repr, absent))}{nearest(absent[0], there)}; it "
            f"has {', '.join(map(repr, there[:12]))}{', ...' * (len(there) > 12)}."
        )
    return columns


@contextmanager
def _refusals(source: Source) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise DataError(
            f"{source.name} holds texts of another alphabet: name it, as by --encoding latin-1."
        ) from error
    except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
        if "cannot infer number of columns" in str(error):
            raise DataError(f"{source.name} has no rows below its first line.") from error
        raise DataError(f"{source.name} cannot be read: {_short(error)}.") from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise DataError(f"{source.name} cannot be unpacked: {_short(error)}.") from error


def _short(error: Exception) -> str:
    """The first line of what pyarrow says, which may quote the file."""
    said = str(error).splitlines()[0][:300].rstrip(".") if str(error) else type(error).__name__
    return on_one_line(said)
