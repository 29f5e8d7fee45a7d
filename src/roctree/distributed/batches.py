"""Data on disk, or that come in batches: read part by part, as often as needed.

All are read by pyarrow. What can be read only once, an iterator of batches or the result of a lazy
query, is written to a temporary file first.
"""

import errno
import itertools
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roctree.distributed.parts import Part
from roctree.errors import DataError, ParameterError, how_to_install

ENDINGS = (".parquet", ".pq")
# So many rows are read at a time, and no more than a few batches ahead.
BATCH_ROWS = 1 << 17
READ_AHEAD = 2
_MAKE_ROOM = "make room, or set TMPDIR to a folder that has it"


@dataclass(frozen=True)
class Batches:
    """Columns of a pyarrow data set, one of them the target and perhaps one the weights.

    Parameters
    ----------
    rows : pyarrow.dataset.Dataset
    target : name of the column with the labels
    weight : name of the column with the weights, or None
    is_copy : whether the rows are in a file that the user does not know
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
                    f"{role} names the column {name!r}, and the data have {', '.join(names)}."
                )

    @property
    def features(self) -> list[str]:
        """The columns that are attributes."""
        return [name for name in self.rows.schema.names if name not in (self.target, self.weight)]

    @property
    def n_rows(self) -> int:
        """The number of rows, from what the files say of themselves where they do."""
        with reading("the data"):
            return int(self.rows.count_rows())

    def __iter__(self) -> Iterator[Part]:
        file, begin = None, 0
        for number, (batch, source) in enumerate(self._read()):
            file, begin = source, begin if source == file else 0
            yield self.part(number, batch, place(source, begin))
            begin += batch.num_rows

    def part(self, number: int, rows: Any, source: str) -> Part:
        """Return some rows with labels and weights apart."""
        import pyarrow as pa

        table = pa.Table.from_batches([rows]) if isinstance(rows, pa.RecordBatch) else rows
        weights = None if self.weight is None else table[self.weight].to_numpy()
        return Part(number, table.select(self.features), table[self.target], weights, source)

    def _read(self) -> Iterator[tuple[Any, str]]:
        """Yield batches of rows, and the file that each is from."""
        scanner = self.rows.scanner(
            batch_size=BATCH_ROWS, batch_readahead=READ_AHEAD, fragment_readahead=1
        )
        found, what = scanner.scan_batches(), "the data"
        while True:
            with reading(what):
                tagged = next(found, None)
            if tagged is None:
                return
            source = "" if self.is_copy else getattr(tagged.fragment, "path", "")
            what = f"the data after rows of {source!r}" if source else "the data"
            yield tagged.record_batch, source


def open_batches(X: Any, y: Any, sample_weight: Any, folder: Path) -> Batches:
    """Return the rows as batches that can be read twice.

    Parameters
    ----------
    X : path of a Parquet file or of a folder of them, a pattern, a list of such, a pyarrow data
        set, an iterable of record batches, or a polars LazyFrame
    y, sample_weight : names of columns
    folder : where to put what can be read only once
    """
    pads = data_sets()
    check_names(y, sample_weight)
    if are_files(X):
        return Batches(rows_of_files(X), y, sample_weight)
    if isinstance(X, pads.Dataset):
        return Batches(X, y, sample_weight)
    with room_in(folder):
        write = _query_written if hasattr(X, "sink_parquet") else _batches_written
        return Batches(write(X, folder, pads), y, sample_weight, is_copy=True)


def are_batches(X: Any) -> bool:
    """Whether these are data to be read in batches."""
    kind = type(X)
    if are_files(X) or hasattr(kind, "__next__"):
        return True
    if isinstance(X, list | tuple):
        return len(X) > 0 and type(X[0]).__name__ in ("RecordBatch", "Table")
    # A pyarrow data set counts its rows; a table of it, which is in memory, does not.
    return hasattr(kind, "sink_parquet") or hasattr(kind, "count_rows")


def are_files(X: Any) -> bool:
    """Whether these are paths of files, of folders, or patterns."""
    return isinstance(X, str | Path) or _are_paths(X)


def rows_of_files(X: Any) -> Any:
    """Return the rows of Parquet files as a data set."""
    from roctree.distributed.parquet import parquet_files, parquet_rows

    return parquet_rows(parquet_files([X] if isinstance(X, str | Path) else X))


def data_sets() -> Any:
    """Return pyarrow's data sets."""
    try:
        from roctree.data.arrow import dataset
    except ImportError:
        raise ParameterError(
            f"Data that do not fit memory are read by pyarrow: {how_to_install('parquet')}."
        ) from None
    return dataset


def check_names(y: Any, sample_weight: Any) -> None:
    """Refuse labels and weights that are not named."""
    for role, name in (("y", y), ("sample_weight", sample_weight)):
        if not isinstance(name, str) and not (name is None and role == "sample_weight"):
            raise ParameterError(f"{role} must be the name of a column of these data.")


def place(source: str, begin: int) -> str:
    """Say where rows are."""
    return f"{source!r} from row {begin} on" if source else ""


@contextmanager
def reading(what: str, how: str = "") -> Iterator[None]:
    """Say in a sentence that data, which had seemed to be in order, cannot be read."""
    from roctree.data.arrow import pa

    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"{what} cannot be read{how} ({first_line(error)}).") from None


def first_line(error: Exception) -> str:
    """Return the first line of what an error says."""
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__


@contextmanager
def room_in(folder: Path) -> Iterator[None]:
    """Say in a sentence that the disk is full, or that somebody may not write as much to it."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise DataError(
            f"{str(folder.parent)!r} has no room left for temporary files: {_MAKE_ROOM}."
        ) from None


def check_disk(n_bytes: int, folder: Path) -> None:
    """Refuse to begin what the disk has no room for."""
    free = shutil.disk_usage(folder).free
    if n_bytes > free:
        raise DataError(
            f"the coded rows need {n_bytes / 1e9:.1f} GB in {str(folder.parent)!r}, which has "
            f"{free / 1e9:.1f} GB free: {_MAKE_ROOM}."
        )


def reserve(path: Path, n_bytes: int) -> None:
    """Make a file of that size; a disk that is full is told now, not when pages are written."""
    check_disk(n_bytes, path.parent)
    with room_in(path.parent), path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, n_bytes)
        else:
            file.truncate(n_bytes)


def _are_paths(X: Any) -> bool:
    if not isinstance(X, list | tuple) or len(X) == 0:
        return False
    return all(
        isinstance(path, Path) or (isinstance(path, str) and path.endswith(ENDINGS)) for path in X
    )


def _query_written(query: Any, folder: Path, pads: Any) -> Any:
    """Write the result of a lazy query to a file, and return it as a data set."""
    from polars.exceptions import PolarsError

    path = folder / "query.parquet"
    try:
        query.sink_parquet(path)
    except PolarsError as error:
        raise DataError(f"the lazy query fails ({first_line(error)}).") from error
    return pads.dataset(path, format="parquet")


def _batches_written(batches: Iterable[Any], folder: Path, pads: Any) -> Any:
    """Write batches to a file, and return it as a data set."""
    import pyarrow as pa

    batches = iter(batches)
    first = next(batches, None)
    if first is None:
        raise DataError("X is an iterator without batches: at least one row is required.")
    # A file has one dictionary of a column, and each batch may have its own.
    schema, path = spelled_out(_checked(first, 0, pa).schema), folder / "batches.arrow"
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, schema) as writer:
        for number, batch in enumerate(itertools.chain([first], batches)):
            try:
                for name in _checked(batch, number, pa).schema.names:
                    schema.field(name)  # a column that the first lacks
                writer.write(batch.select(schema.names).cast(schema))
            except (pa.ArrowException, KeyError) as error:
                raise DataError(
                    f"batch {number} (counting from 0) does not fit the columns and types of the "
                    f"first ({first_line(error)}): give all of them the same."
                ) from None
    return pads.dataset(path, format="ipc")


def _checked(batch: Any, number: int, pa: Any) -> Any:
    if not isinstance(batch, pa.RecordBatch | pa.Table):
        raise DataError(
            f"X gives a {type(batch).__name__} as batch {number} (counting from 0): an iterator "
            "must give record batches of pyarrow."
        )
    return batch


def spelled_out(schema: Any) -> Any:
    """Return columns with values in place of numbers that stand for them."""
    import pyarrow as pa

    return pa.schema(
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in schema
    )
