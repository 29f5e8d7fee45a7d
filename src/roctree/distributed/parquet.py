"""Parquet files read part by part: which are meant, and one schema for all of them."""

import glob
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from roctree.data.arrow import dataset as pads
from roctree.data.arrow import pa, parquet
from roctree.distributed.batches import ENDINGS, reading, spelled_out
from roctree.errors import DataError

_OF_PATTERNS = frozenset("*?[")


def parquet_rows(paths: Sequence[str], schema: Any = None) -> Any:
    """Return the rows of files as a data set of pyarrow.

    Parameters
    ----------
    paths : of the files, as ``parquet_files`` gives them
    schema : the columns to read, and as what; if not given, all that the files have
    """
    return pads.dataset(list(paths), schema or common_schema(paths), format="parquet")


def parquet_files(given: Sequence[str | Path]) -> list[str]:
    """Return the files that are meant by paths of files and folders and by patterns.

    Of a folder those files count whose names, and the names of folders on the way, begin neither
    with a dot nor with an underscore, as programs that write such folders mean them.
    """
    if "" in given:
        raise DataError("the name of a file or folder is empty.")
    found = [str(file.absolute()) for path in given for file in _files_of(Path(path))]
    for twice in _doubles(found):
        raise DataError(f"{twice!r} is named twice: its rows would count twice.")
    return found


def common_schema(paths: Sequence[str]) -> Any:
    """Return the columns that all files have, of a type that holds what is in all of them."""
    first, *others = paths
    common = _schema_of(first)
    for path in others:
        common = _unified(common, _schema_of(path), first, path)
    return common


def is_pattern(path: str | Path) -> bool:
    """Whether a path stands for all that look like it: there is none of this very name."""
    return not _OF_PATTERNS.isdisjoint(str(path)) and not Path(path).exists()


def _files_of(path: Path) -> list[Path]:
    if is_pattern(path):
        found = [Path(each) for each in sorted(glob.glob(str(path), recursive=True))]  # noqa: PTH207
        if not found:
            raise DataError(f"no file is called like {str(path)!r}.")
        return [file for each in found for file in _files_of(each)]
    if not path.exists():
        raise DataError(f"there is no file or folder {str(path)!r}.")
    if not path.is_dir():
        return [path]
    files = sorted(file for ending in ENDINGS for file in path.rglob(f"*{ending}"))
    files = [file for file in files if _is_shown(file.relative_to(path)) and file.is_file()]
    if not files:
        raise DataError(
            f"the folder {str(path)!r} has no files that end in {' or '.join(ENDINGS)}."
        )
    return files


def _is_shown(path: Path) -> bool:
    return not any(part.startswith((".", "_")) for part in path.parts)


def _schema_of(path: str) -> Any:
    with reading(repr(path), " as Parquet"):
        schema = parquet.read_schema(path)
    for double in _doubles(schema.names):
        raise DataError(f"{path!r} has two columns {double!r}: rename one.")
    return schema.remove_metadata()


def _doubles(names: Sequence[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]


def _unified(common: Any, schema: Any, first: str, path: str) -> Any:
    for lacking, there, at_hand, here in (
        (path, schema, first, common),
        (first, common, path, schema),
    ):
        for name in sorted(set(here.names) - set(there.names)):
            raise DataError(
                f"{lacking!r} has no column {name!r}, and {at_hand!r} has one: give all files the "
                "same columns."
            )
    fields = [_unified_field(field, schema.field(field.name), path) for field in common]
    return pa.schema(fields)


def _unified_field(ours: Any, theirs: Any, path: str) -> Any:
    """Return a field for the values of both: numbers as wide as needed, names as texts."""
    if ours.type.equals(theirs.type):
        return ours
    both = [pa.schema([field.remove_metadata()]) for field in (ours, theirs)]
    for schemas in (both, [spelled_out(schema) for schema in both]):
        try:
            return pa.unify_schemas(schemas, promote_options="permissive").field(0)
        except pa.ArrowTypeError:
            continue
    raise DataError(
        f"column {ours.name!r} holds {theirs.type} values in {path!r} and {ours.type} values in "
        "files before it: give it one type in all files."
    )
