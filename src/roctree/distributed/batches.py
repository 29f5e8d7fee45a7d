"""Data on disk, or that come in batches: read part by part, as often as needed.

All are read by pyarrow. What can be read only once, an iterator of batches or the result of a lazy
query, is written to a temporary file first.
"""

import itertools
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roctree.distributed.parts import Part
from roctree.errors import DataError, ParameterError

# So many rows are read at a time, and no more than a few batches ahead.
BATCH_ROWS = 1 << 17
READ_AHEAD = 2


@dataclass(frozen=True)
class Batches:
    """Columns of a pyarrow data set, one of them the target and perhaps one the weights.

    Parameters
    ----------
    rows : pyarrow.dataset.Dataset
    target : name of the column with the labels
    weight : name of the column with the weights, or None
    """

    rows: Any
    target: str
    weight: str | None = None

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
        return int(self.rows.count_rows())

    def __iter__(self) -> Iterator[Part]:
        import pyarrow as pa

        batches = self.rows.to_batches(
            batch_size=BATCH_ROWS, batch_readahead=READ_AHEAD, fragment_readahead=1
        )
        for number, batch in enumerate(batches):
            table = pa.Table.from_batches([batch])
            weights = None if self.weight is None else table[self.weight].to_numpy()
            yield Part(number, table.select(self.features), table[self.target], weights)


def open_batches(X: Any, y: Any, sample_weight: Any, folder: Path) -> Batches:
    """Return the rows as batches that can be read twice.

    Parameters
    ----------
    X : path of a Parquet file or of a folder of them, a list of such paths, a pyarrow data set, an
        iterable of record batches, or a polars LazyFrame
    y, sample_weight : names of columns
    folder : where to put what can be read only once
    """
    try:
        import pyarrow.dataset as pads
    except ImportError:
        raise ParameterError(
            "Data that do not fit memory are read by pyarrow: pip install 'roctree[parquet]'."
        ) from None
    for role, name in (("y", y), ("sample_weight", sample_weight)):
        if not isinstance(name, str) and not (name is None and role == "sample_weight"):
            raise ParameterError(f"{role} must be the name of a column of these data.")
    if isinstance(X, str | Path):
        rows = _parquet([Path(X)], pads)
    elif _are_paths(X):
        rows = _parquet(list(map(Path, X)), pads)
    elif isinstance(X, pads.Dataset):
        rows = X
    elif hasattr(X, "sink_parquet"):
        X.sink_parquet(folder / "query.parquet")
        rows = pads.dataset(folder / "query.parquet", format="parquet")
    else:
        rows = _spooled(X, folder / "batches.arrow", pads)
    return Batches(rows, y, sample_weight)


def are_batches(X: Any) -> bool:
    """Whether these are data to be read in batches."""
    kind = type(X)
    if isinstance(X, str | Path) or _are_paths(X) or hasattr(kind, "__next__"):
        return True
    if isinstance(X, list | tuple):
        return len(X) > 0 and type(X[0]).__name__ == "RecordBatch"
    # A pyarrow data set counts its rows; a table of it, which is in memory, does not.
    return hasattr(kind, "sink_parquet") or hasattr(kind, "count_rows")


def check_disk(n_bytes: int, folder: Path) -> None:
    """Refuse to begin what the disk has no room for."""
    free = shutil.disk_usage(folder).free
    if n_bytes > free:
        raise DataError(
            f"the coded rows need {n_bytes / 1e9:.1f} GB in {str(folder.parent)!r}, which has "
            f"{free / 1e9:.1f} GB free: make room, or set TMPDIR to a folder that has it."
        )


def reserve(path: Path, n_bytes: int) -> None:
    """Make a file of that size; a disk that is full is told now, not when pages are written."""
    check_disk(n_bytes, path.parent)
    with path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, n_bytes)
        else:
            file.truncate(n_bytes)


def _are_paths(X: Any) -> bool:
    if not isinstance(X, list | tuple) or len(X) == 0:
        return False
    return all(
        isinstance(path, Path) or (isinstance(path, str) and path.endswith(".parquet"))
        for path in X
    )


def _parquet(paths: list[Path], pads: Any) -> Any:
    missing = [path for path in paths if not path.exists()]
    if missing:
        raise DataError(f"there is no file or folder {str(missing[0])!r}.")
    try:
        found = paths[0] if len(paths) == 1 else [str(path) for path in paths]
        return pads.dataset(found, format="parquet")
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"{str(paths[0])!r} cannot be read as Parquet ({reason}).") from None


def _spooled(batches: Iterable[Any], path: Path, pads: Any) -> Any:
    """Write batches to a file, and return it as a data set."""
    import pyarrow as pa

    batches = iter(batches)
    first = next(batches, None)
    if first is None:
        raise DataError("X is an iterator without batches: at least one row is required.")
    if not isinstance(first, pa.RecordBatch | pa.Table):
        raise DataError(
            f"X gives a {type(first).__name__}: an iterator must give record batches of pyarrow."
        )
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, first.schema) as writer:
        for number, batch in enumerate(itertools.chain([first], batches)):
            try:
                writer.write(batch.select(first.schema.names).cast(first.schema))
            except (pa.ArrowException, KeyError, ValueError) as error:
                reason = str(error).splitlines()[0]
                raise DataError(
                    f"batch {number} (counting from 0) does not fit the columns and types of the "
                    f"first ({reason}): give all of them the same."
                ) from None
    return pads.dataset(path, format="ipc")
