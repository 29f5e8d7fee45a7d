"""Parquet files in pieces that can be read one by one, by whoever finds the files."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from roctree.distributed.batches import (
    Batches,
    are_files,
    check_names,
    data_sets,
    place,
    reading,
    rows_of_files,
)
from roctree.distributed.parts import Part
from roctree.errors import ParameterError
from roctree.tree.binned import SHARD_ROWS


class Piece(NamedTuple):
    """Some row groups of a file, which a worker reads in one go, and where they are."""

    batches: Batches
    source: str

    def read(self, number: int) -> Part:
        """Return the rows as a part of that number."""
        with reading(self.source, " by a worker, and all must find the files under the same paths"):
            table = self.batches.rows.to_table()
        return self.batches.part(number, table, self.source)


def open_pieces(X: Any, y: Any, sample_weight: Any) -> list[Piece]:
    """Return the rows of Parquet files as pieces that can be read one by one, anywhere.

    Parameters
    ----------
    X : path of a Parquet file or of a folder of them, a pattern, a list of such, or a pyarrow data
        set of Parquet files
    y, sample_weight : names of columns
    """
    pads = data_sets()
    check_names(y, sample_weight)
    rows = rows_of_files(X) if are_files(X) else X
    if not isinstance(getattr(rows, "format", None), pads.ParquetFileFormat):
        raise ParameterError(
            f"workers of a cluster read Parquet files or Dask collections, and X is a "
            f"{type(X).__name__}: write it to files first."
        )
    return list(_pieces(Batches(rows, y, sample_weight), pads))


def _pieces(batches: Batches, pads: Any) -> Iterator[Piece]:
    schema, kind = batches.rows.schema, batches.rows.format
    for fragment in _fragments(batches.rows):
        begin = 0
        for groups in _grouped(fragment.row_groups):
            part = fragment.subset(row_group_ids=[group.id for group in groups])
            rows = pads.FileSystemDataset([part], schema, kind, fragment.filesystem)
            yield Piece(replace(batches, rows=rows), place(fragment.path, begin))
            begin += sum(group.num_rows for group in groups)


def _fragments(rows: Any) -> list[Any]:
    try:
        return list(rows.get_fragments())
    except ValueError:
        raise ParameterError(
            "a filtered data set cannot be sent to workers: write what is left of it to files."
        ) from None


def _grouped(row_groups: Iterable[Any]) -> Iterator[list[Any]]:
    """Put small row groups together, up to the rows of a shard."""
    together: list[Any] = []
    for group in row_groups:
        if sum(each.num_rows for each in [*together, group]) > SHARD_ROWS and together:
            yield together
            together = []
        together.append(group)
    if together:
        yield together
