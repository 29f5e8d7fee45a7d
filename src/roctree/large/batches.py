"""Rows read in batches: Parquet files, pyarrow data sets, record batches, lazy queries.

Everything is read by pyarrow, part by part and as often as needed. Sources that can be read only
once, such as an iterator of batches or a lazy query, are first written to a temporary file. The
workers of a cluster read Parquet files in pieces of a few row groups.
"""

import errno
import glob
import itertools
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from roctree.data.lazy import arrow
from roctree.errors import DataError, ParameterError, how_to_install
from roctree.large.parts import Part
from roctree.text import did_you_mean, first_line
from roctree.tree.levels import SHARD_ROWS

PARQUET_SUFFIXES = (".parquet", ".pq")
# Rows per batch, and how many batches pyarrow reads ahead.
BATCH_ROWS = 1 << 17
READ_AHEAD = 2


def are_batches(X: Any) -> bool:
    """Whether X is read in batches: files, a data set, batches or a lazy query."""
    kind = type(X)
    if are_files(X) or hasattr(kind, "__next__"):
        return True
    if isinstance(X, list | tuple):
        return len(X) > 0 and type(X[0]).__name__ in ("RecordBatch", "Table")
    # A pyarrow data set has count_rows; a pyarrow table, which is in memory, does not.
    return hasattr(kind, "sink_parquet") or hasattr(kind, "count_rows") or is_relation(X)


def is_relation(X: Any) -> bool:
    """Return whether X is a relation of DuckDB."""
    return type(X).__name__ == "DuckDBPyRelation"


def are_files(X: Any) -> bool:
    """Return whether X is a path, a pattern, or a list of paths of Parquet files."""
    if isinstance(X, str | Path):
        return True
    if not isinstance(X, list | tuple) or len(X) == 0:
        return False
    return all(
        isinstance(path, Path) or (isinstance(path, str) and path.endswith(PARQUET_SUFFIXES))
        for path in X
    )


@dataclass(frozen=True)
class Batches:
    """Rows of a pyarrow data set, with the names of the target and of the weights.

    Parameters
    ----------
    rows : pyarrow.dataset.Dataset
    target : str
        Column with the labels.
    weight : str or None
        Column with the weights.
    is_copy : bool
        Whether the rows are in a temporary file, whose name is not shown to the user.
    """

    rows: Any
    target: str
    weight: str | None = None
    is_copy: bool = False

    def __post_init__(self) -> None:
        names = self.rows.schema.names
        for role, name in (("y", self.target), ("sample_weight", self.weight)):
            if name is not None and name not in names:
                raise DataError(
                    f"{role} names the column {name!r}, but the data have {', '.join(names)}."
                )

    @property
    def features(self) -> list[str]:
        """Names of the columns that are attributes."""
        return [name for name in self.rows.schema.names if name not in (self.target, self.weight)]

    @property
    def n_rows(self) -> int:
        """Number of rows, from the metadata of the files where possible."""
        with reading_errors("the data"):
            return int(self.rows.count_rows())

    def __iter__(self) -> Iterator[Part]:
        file, begin = None, 0
        for number, (batch, source) in enumerate(self._read()):
            file, begin = source, begin if source == file else 0
            yield self.part(number, batch, _position(source, begin))
            begin += batch.num_rows

    def part(self, number: int, rows: Any, source: str) -> Part:
        """Return some rows as a part, with labels and weights taken out."""
        table = arrow.Table.from_batches([rows]) if isinstance(rows, arrow.RecordBatch) else rows
        weights = None if self.weight is None else table[self.weight].to_numpy()
        return Part(number, table.select(self.features), table[self.target], weights, source)

    def _read(self) -> Iterator[tuple[Any, str]]:
        """Yield batches of rows, each with the file it is from."""
        scanner = self.rows.scanner(
            batch_size=BATCH_ROWS, batch_readahead=READ_AHEAD, fragment_readahead=1
        )
        found, what = scanner.scan_batches(), "the data"
        while True:
            with reading_errors(what):
                tagged = next(found, None)
            if tagged is None:
                return
            source = "" if self.is_copy else getattr(tagged.fragment, "path", "")
            what = f"the data after rows of {source!r}" if source else "the data"
            yield tagged.record_batch, source


def _position(source: str, begin: int) -> str:
    return f"{source!r} from row {begin} on" if source else ""


def open_batches(X: Any, y: Any, sample_weight: Any, folder: Path) -> Batches:
    """Return rows as batches that can be read several times.

    Parameters
    ----------
    X : path, pattern, list of paths, pyarrow data set, iterable of record batches, polars LazyFrame
        or DuckDB relation
    y, sample_weight : str
        Names of columns.
    folder : Path
        Folder for a temporary copy of what can be read only once.
    """
    pads = import_datasets()
    check_column_names(y, sample_weight)
    if are_files(X):
        return Batches(rows_of_files(X), y, sample_weight)
    if isinstance(X, pads.Dataset):
        return Batches(X, y, sample_weight)
    X = _batches_of_relation(X) if is_relation(X) else X
    with _disk_errors(folder):
        write = _write_query if hasattr(X, "sink_parquet") else _write_batches
        return Batches(write(X, folder, pads), y, sample_weight, is_copy=True)


def read_tables(X: Any, names: Sequence[str]) -> Iterator[Any]:
    """Yield some columns of batches, in their order, as pyarrow tables.

    Parameters
    ----------
    X : as for ``open_batches``
    names : sequence of str
        The columns; others are not read.
    """
    pads, columns = import_datasets(), list(names)
    with TemporaryDirectory() as folder:
        if hasattr(X, "sink_parquet"):
            X = _write_query(X.select(columns), Path(folder), pads)
        elif are_files(X):
            X = rows_of_files(X)
        elif is_relation(X):
            X = _batches_of_relation(X)
        if isinstance(X, pads.Dataset):
            _check_columns(columns, X.schema.names)
            X = X.to_batches(columns=columns, batch_size=BATCH_ROWS)
        for number, batch in enumerate(X):
            rows = _checked(batch, number)
            _check_columns(columns, rows.schema.names)
            if rows.num_rows:
                table = rows if isinstance(rows, arrow.Table) else arrow.Table.from_batches([rows])
                yield table.select(columns)


def read_columns(X: Any, names: Sequence[str]) -> Any:
    """Return some columns of batches as one pyarrow table."""
    return arrow.concat_tables(read_tables(X, names))


def _check_columns(needed: list[str], known: list[str]) -> None:
    for name in needed:
        if name not in known:
            raise DataError(
                reason="X lacks the column {column!r}{suggestion}, which the model was fitted on",
                column=name,
                suggestion=did_you_mean(name, known),
            )


def _batches_of_relation(X: Any) -> Any:
    """Return the rows of a relation of DuckDB as an iterator of record batches."""
    # The method has another name in older releases of DuckDB.
    for name in ("to_arrow_reader", "fetch_record_batch"):
        if hasattr(X, name):
            return getattr(X, name)(BATCH_ROWS)
    raise DataError("X is a relation of a DuckDB that cannot be read in batches: upgrade DuckDB.")


def rows_of_files(X: Any) -> Any:
    """Return the rows of Parquet files as a pyarrow data set."""
    return parquet_rows(parquet_files([X] if isinstance(X, str | Path) else X))


def import_datasets() -> Any:
    """Return ``pyarrow.dataset``, or raise ``ParameterError`` if it is not installed."""
    try:
        return arrow.dataset
    except ImportError:
        raise ParameterError(
            f"Data larger than memory are read by pyarrow: {how_to_install('parquet')}."
        ) from None


def check_column_names(y: Any, sample_weight: Any) -> None:
    """Raise ``ParameterError`` unless y and sample_weight are names of columns."""
    for role, name in (("y", y), ("sample_weight", sample_weight)):
        if not isinstance(name, str) and not (name is None and role == "sample_weight"):
            raise ParameterError(
                f"X is read in parts: {role} must be the name of a column of X, not the values."
            )


def _write_query(query: Any, folder: Path, pads: Any) -> Any:
    """Write the result of a lazy query to a file, and return it as a data set."""
    from polars.exceptions import PolarsError

    path = folder / "query.parquet"
    try:
        query.sink_parquet(path)
    except PolarsError as error:
        raise DataError(f"the lazy query fails ({first_line(error)}).") from error
    return pads.dataset(path, format="parquet")


def _write_batches(batches: Iterable[Any], folder: Path, pads: Any) -> Any:
    """Write batches to a file, and return it as a data set."""
    batches = iter(batches)
    first = next(batches, None)
    if first is None:
        raise DataError("X is an iterator without batches: at least one row is required.")
    # A file has one dictionary per column, while each batch may have its own.
    schema, path = without_dictionaries(_checked(first, 0).schema), folder / "batches.arrow"
    with arrow.OSFile(str(path), "wb") as file, arrow.ipc.new_file(file, schema) as writer:
        for number, batch in enumerate(itertools.chain([first], batches)):
            try:
                for name in _checked(batch, number).schema.names:
                    schema.field(name)  # KeyError for a column that the first batch lacks
                writer.write(batch.select(schema.names).cast(schema))
            except (arrow.ArrowException, KeyError) as error:
                raise DataError(
                    f"batch {number} (counting from 0) does not have the columns and types of the "
                    f"first batch ({first_line(error)}): all batches must have the same."
                ) from None
    return pads.dataset(path, format="ipc")


def _checked(batch: Any, number: int) -> Any:
    if not isinstance(batch, arrow.RecordBatch | arrow.Table):
        raise DataError(
            f"batch {number} (counting from 0) of X is a {type(batch).__name__}: an iterator must "
            "yield pyarrow record batches."
        )
    return batch


def without_dictionaries(schema: Any) -> Any:
    """Return an Arrow schema with the value type in place of dictionary types."""
    return arrow.schema(
        field.with_type(field.type.value_type) if arrow.types.is_dictionary(field.type) else field
        for field in schema
    )


# --- Which Parquet files are named, and one schema for all of them ---

_WILDCARDS = frozenset("*?[")


def parquet_files(given: Sequence[str | Path]) -> list[str]:
    """Return the files that paths of files, folders and patterns name.

    In a folder, files and subfolders whose names begin with a dot or an underscore are skipped, as
    is the convention of programs that write such folders.
    """
    if "" in given:
        raise DataError("the name of a file or folder is empty.")
    found = [str(file.absolute()) for path in given for file in _files_of(Path(path))]
    for twice in _repeated(found):
        raise DataError(f"{twice!r} is named twice: its rows would count twice.")
    return found


def is_pattern(path: str | Path) -> bool:
    """Return whether a path is a pattern: it has wildcards, and no file of that name exists."""
    return not _WILDCARDS.isdisjoint(str(path)) and not Path(path).exists()


def _files_of(path: Path) -> list[Path]:
    if is_pattern(path):
        found = [Path(each) for each in sorted(glob.glob(str(path), recursive=True))]  # noqa: PTH207
        if not found:
            raise DataError(f"no file matches {str(path)!r}.")
        return [file for each in found for file in _files_of(each)]
    if not path.exists():
        raise DataError(f"there is no file or folder {str(path)!r}.")
    if not path.is_dir():
        return [path]
    files = sorted(file for suffix in PARQUET_SUFFIXES for file in path.rglob(f"*{suffix}"))
    files = [file for file in files if _is_visible(file.relative_to(path)) and file.is_file()]
    if not files:
        raise DataError(
            f"the folder {str(path)!r} has no files that end in {' or '.join(PARQUET_SUFFIXES)}."
        )
    return files


def _is_visible(path: Path) -> bool:
    return not any(part.startswith((".", "_")) for part in path.parts)


def parquet_rows(paths: Sequence[str], schema: Any = None) -> Any:
    """Return the rows of files as a pyarrow data set.

    Parameters
    ----------
    paths : list of str
        Files, as returned by ``parquet_files``.
    schema : pyarrow.Schema, optional
        Columns to read and their types; by default all columns of the files.
    """
    return arrow.dataset.dataset(list(paths), schema or common_schema(paths), format="parquet")


def common_schema(paths: Sequence[str]) -> Any:
    """Return the columns of the files, each with a type that holds the values of all files."""
    first, *others = paths
    common = _schema_of(first)
    for path in others:
        common = _unified(common, _schema_of(path), first, path)
    return common


def _schema_of(path: str) -> Any:
    with reading_errors(repr(path), " as Parquet"):
        schema = arrow.parquet.read_schema(path)
    for name in _repeated(schema.names):
        raise DataError(f"{path!r} has two columns {name!r}: rename one.")
    return schema.remove_metadata()


def _repeated(names: Sequence[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]


def _unified(common: Any, schema: Any, first: str, path: str) -> Any:
    for lacking, there, at_hand, here in (
        (path, schema, first, common),
        (first, common, path, schema),
    ):
        for name in sorted(set(here.names) - set(there.names)):
            raise DataError(
                f"{lacking!r} has no column {name!r}, but {at_hand!r} has one: all files must have "
                "the same columns."
            )
    fields = [_unified_field(field, schema.field(field.name), path) for field in common]
    return arrow.schema(fields)


def _unified_field(ours: Any, theirs: Any, path: str) -> Any:
    """Return a field for the values of both: numbers as wide as needed, categories as text."""
    if ours.type.equals(theirs.type):
        return ours
    both = [arrow.schema([field.remove_metadata()]) for field in (ours, theirs)]
    for schemas in (both, [without_dictionaries(schema) for schema in both]):
        try:
            return arrow.unify_schemas(schemas, promote_options="permissive").field(0)
        except arrow.ArrowTypeError:
            continue
    raise DataError(
        f"column {ours.name!r} has type {theirs.type} in {path!r} and type {ours.type} in the "
        "files before it: give it one type in all files."
    )


# --- Pieces of Parquet files, for the workers of a cluster ---


class Piece(NamedTuple):
    """Row groups of a file that a worker reads at once, and their position for messages."""

    batches: Batches
    source: str

    def read(self, number: int) -> Part:
        """Return the rows as the part with this number."""
        hint = " by a worker; all workers must find the files under the same paths"
        with reading_errors(self.source, hint):
            table = self.batches.rows.to_table()
        return self.batches.part(number, table, self.source)


def open_pieces(X: Any, y: Any, sample_weight: Any) -> list[Piece]:
    """Return the rows of Parquet files as pieces that any process can read independently.

    Parameters
    ----------
    X : path, pattern, list of paths, or pyarrow data set of Parquet files
    y, sample_weight : str
        Names of columns.
    """
    pads = import_datasets()
    check_column_names(y, sample_weight)
    rows = rows_of_files(X) if are_files(X) else X
    if not isinstance(getattr(rows, "format", None), pads.ParquetFileFormat):
        raise ParameterError(
            "workers of a cluster read Parquet files or Dask collections, but X is a "
            f"{type(X).__name__}: write it to Parquet files first."
        )
    return list(_pieces(Batches(rows, y, sample_weight), pads))


def _pieces(batches: Batches, pads: Any) -> Iterator[Piece]:
    try:
        fragments = list(batches.rows.get_fragments())
    except ValueError:
        raise ParameterError(
            "a filtered data set cannot be sent to workers: write the filtered rows to files."
        ) from None
    schema, kind = batches.rows.schema, batches.rows.format
    for fragment in fragments:
        begin = 0
        for groups in _grouped(fragment.row_groups):
            part = fragment.subset(row_group_ids=[group.id for group in groups])
            rows = pads.FileSystemDataset([part], schema, kind, fragment.filesystem)
            yield Piece(replace(batches, rows=rows), _position(fragment.path, begin))
            begin += sum(group.num_rows for group in groups)


def _grouped(row_groups: Iterable[Any]) -> Iterator[list[Any]]:
    """Combine small row groups, up to the number of rows of a shard."""
    merged: list[Any] = []
    for group in row_groups:
        if sum(each.num_rows for each in [*merged, group]) > SHARD_ROWS and merged:
            yield merged
            merged = []
        merged.append(group)
    if merged:
        yield merged


# --- Failures of files and disks as errors with advice ---

_MAKE_ROOM = "free some space, or set TMPDIR to a folder with more"


@contextmanager
def reading_errors(what: str, how: str = "") -> Iterator[None]:
    """Turn a failure to read data into a ``DataError``."""
    try:
        yield
    except (OSError, arrow.ArrowException) as error:
        raise DataError(f"{what} cannot be read{how} ({first_line(error)}).") from None


@contextmanager
def _disk_errors(folder: Path) -> Iterator[None]:
    """Turn a full disk or an exceeded quota into a ``DataError``."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise DataError(
            f"{str(folder.parent)!r} has no space left for temporary files: {_MAKE_ROOM}."
        ) from None


def check_disk(n_bytes: int, folder: Path) -> None:
    """Raise ``DataError`` if the disk lacks space for that many bytes."""
    free = shutil.disk_usage(folder).free
    if n_bytes > free:
        raise DataError(
            f"the coded rows need {n_bytes / 1e9:.1f} GB in {str(folder.parent)!r}, which has "
            f"{free / 1e9:.1f} GB free: {_MAKE_ROOM}."
        )


def reserve(path: Path, n_bytes: int) -> None:
    """Allocate a file of that size, so that a full disk fails here and not at a page write."""
    check_disk(n_bytes, path.parent)
    with _disk_errors(path.parent), path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, n_bytes)
        else:
            file.truncate(n_bytes)
