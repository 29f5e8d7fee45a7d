"""Parquet files: which ones paths, folders and patterns name, and one schema for all of them."""

import glob
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from roctree.data.arrow import pa, parquet
from roctree.errors import DataError
from roctree.large.batches import PARQUET_SUFFIXES, reading, without_dictionaries

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
    from roctree.data.arrow import dataset

    return dataset.dataset(list(paths), schema or common_schema(paths), format="parquet")


def common_schema(paths: Sequence[str]) -> Any:
    """Return the columns of the files, each with a type that holds the values of all files."""
    first, *others = paths
    common = _schema_of(first)
    for path in others:
        common = _unified(common, _schema_of(path), first, path)
    return common


def _schema_of(path: str) -> Any:
    with reading(repr(path), " as Parquet"):
        schema = parquet.read_schema(path)
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
    return pa.schema(fields)


def _unified_field(ours: Any, theirs: Any, path: str) -> Any:
    """Return a field for the values of both: numbers as wide as needed, categories as text."""
    if ours.type.equals(theirs.type):
        return ours
    both = [pa.schema([field.remove_metadata()]) for field in (ours, theirs)]
    for schemas in (both, [without_dictionaries(schema) for schema in both]):
        try:
            return pa.unify_schemas(schemas, promote_options="permissive").field(0)
        except pa.ArrowTypeError:
            continue
    raise DataError(
        f"column {ours.name!r} has type {theirs.type} in {path!r} and type {ours.type} in the "
        "files before it: give it one type in all files."
    )
