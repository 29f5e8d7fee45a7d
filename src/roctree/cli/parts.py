"""Parquet files that are read part by part, here or by the workers of a cluster."""

import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from roctree import distributed
from roctree.cli.parameters import system_of
from roctree.data.arrow import pa
from roctree.data.files import as_types
from roctree.data.known import types_of
from roctree.data.roles import ColumnFacts, Wishes, cases_of, named
from roctree.errors import DataError, ParameterError
from roctree.large import tally_large_data
from roctree.large.batches import PARQUET_SUFFIXES, reading
from roctree.large.parquet import common_schema, is_pattern, parquet_files, parquet_rows
from roctree.tally import Tally

# What columns are is told by so many rows.
LOOKED_AT = 1 << 17


class Fitted(NamedTuple):
    """A tree, the number of rows it was grown from, and what was found out about the columns.

    Parameters
    ----------
    tree : the tree
    n_rows : number of rows
    facts : of the columns
    n_looked_at : number of rows, the first, that tell these facts
    """

    tree: Any
    n_rows: int
    facts: tuple[ColumnFacts, ...]
    n_looked_at: int


def come_in_parts(paths: Sequence[str], splits: str | None, dask: str | None) -> bool:
    """Whether the data are read part by part; refused where they must be and cannot."""
    odd = next((path for path in paths if not _is_parquet(path)), None)
    if splits == "binned" and odd is None:
        return True
    if dask is None and len(paths) == 1 and not _stands_for_several(paths[0]):
        return False
    lost = next((path for path in paths if not _is_there(path)), None)
    if lost is not None:
        raise ParameterError(f"there is no file {lost!r}; a name with spaces needs quotes.")
    if odd is not None:
        raise ParameterError(
            f"{odd!r} is no Parquet file: several files, and files for --dask, must be."
        )
    folder = next((f"{path} is a folder: " for path in paths if Path(path).is_dir()), "")
    raise ParameterError(
        f"{folder}folders, patterns, several files and --dask are for trees grown from bins, so "
        "add --splits binned."
    )


def fit_parts(
    paths: Sequence[str], wanted: Wishes, parameters: Mapping[str, Any], dask: str | None
) -> Fitted:
    """Grow a tree from Parquet files, of which only the first rows are looked at here."""
    files = parquet_files(paths)
    rows = parquet_rows(files, common_schema(files))
    with reading("the Parquet files"):
        sample = as_types(rows.head(LOOKED_AT), wanted.types)
    if sample.num_rows == 0:
        raise DataError(f"there are no rows in {', '.join(map(repr, paths))}.")
    facts = cases_of(sample, wanted).facts
    used = [sample.schema.field(fact.name) for fact in facts if fact.role != "ignored"]
    estimator = system_of(parameters, _classes(rows, wanted.target, parameters))
    known = parquet_rows(files, pa.schema(used)), wanted.target, wanted.weight
    with _without_logs():
        tree = distributed.fit(estimator, *known, client=dask, progress=True)
    return Fitted(tree, rows.count_rows(), facts, sample.num_rows)


def count_parts(
    paths: Sequence[str], tree: Any, target: str | None, weight: str | None, dask: str
) -> tuple[Tally, int]:
    """Have the workers of a cluster count the cases of Parquet files in the leaves of a tree.

    Parameters
    ----------
    paths : of files, folders, or patterns
    tree : whose leaves they are
    target, weight : columns; None for the one that the tree was grown to predict, and for none
    dask : address of the scheduler
    """
    odd = next((path for path in paths if not _is_parquet(path)), None)
    if odd is not None:
        raise ParameterError(f"{odd!r} is no Parquet file: files for --dask must be.")
    files = parquet_files(paths)
    there = common_schema(files)
    wanted = [target or tree.training_.target or "", *([weight] if weight else [])]
    types = types_of(tree.schema_)
    if weight in types:
        raise ParameterError(f"the tree looks at {weight!r}: with --dask it cannot weigh, too.")
    others = [there.field(name) for name in named(wanted, there.names, several=False)]
    known = [pa.field(name, types[name]) for name in named(types, there.names, several=False)]
    rows = parquet_rows(files, pa.schema([*known, *others]))
    with _without_logs():
        tally = tally_large_data(tree.tree_, tree.schema_, rows, wanted[0], weight, client=dask)
    assert tally is not None
    return tally, rows.count_rows()


@contextmanager
def _without_logs() -> Iterator[None]:
    """Leave it to one sentence to say what went wrong: Dask logs it in many lines."""
    if "--debug" not in sys.argv:
        logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def _classes(rows: Any, target: str, parameters: Mapping[str, Any]) -> list[Any]:
    """The classes, which only their weights have to be told apart by before the tree is grown."""
    if "=" not in str(parameters.get("class_weight", "")):
        return []
    found: set[Any] = set()
    with reading("the Parquet files"):
        for batch in rows.to_batches(columns=[target]):
            found.update(batch.column(0).unique().to_pylist())
    return list(found)


def _is_there(path: str) -> bool:
    return _stands_for_several(path) or Path(path).exists()


def _is_parquet(path: str) -> bool:
    return _stands_for_several(path) or Path(path).suffix.lower() in PARQUET_SUFFIXES


def _stands_for_several(path: str) -> bool:
    return Path(path).is_dir() or is_pattern(path)
