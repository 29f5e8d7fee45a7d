"""Cases that a model is tried on: counted in the leaves of a tree, or kept row by row."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from roctree.cli.cases import KnownCases, known_cases, known_parts
from roctree.cli.output import told_once
from roctree.cli.parts import count_parts
from roctree.data.arrow import pa
from roctree.errors import DataError, ParameterError
from roctree.large.parquet import is_pattern, parquet_files
from roctree.roc import mauc
from roctree.tally import Tally


class Counted(NamedTuple):
    """Cases of which only the tally is kept, however many rows there were.

    Parameters
    ----------
    cases : the tally
    n_rows : the number of rows
    """

    cases: Tally
    n_rows: int

    def confusion(self, tree: Any) -> Any:
        """Return the weights of cases by predicted and true class."""
        return tree.confusion(self.cases)

    def curve(self, tree: Any, positive: Any) -> Any:
        """Return the ROC curve of a class."""
        return tree.roc(self.cases, positive=positive)

    def mauc(self, tree: Any) -> float:
        """Return the mean area of all pairs of classes."""
        return mauc(*tree.leaf_table(self.cases))


class Kept(NamedTuple):
    """Cases row by row, for models that score each row by itself."""

    cases: KnownCases

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.cases.y)

    def confusion(self, model: Any) -> Any:
        """Return the weights of cases by predicted and true class."""
        (X, y, weights), classes = self.cases, model.classes_
        found, each = model.predict(X), np.ones(len(y)) if weights is None else weights
        return np.array(
            [[each[(found == ours) & (y == theirs)].sum() for theirs in classes]
             for ours in classes]
        )  # fmt: skip

    def curve(self, model: Any, positive: Any) -> Any:
        """Return the ROC curve of a class."""
        X, y, weights = self.cases
        return model.roc(X, y, positive=positive, sample_weight=weights)

    def mauc(self, model: Any) -> float:
        """Return the mean area of all pairs of classes."""
        X, y, weights = self.cases
        scores = model.predict_proba(X)
        return mauc(scores, y, classes=model.classes_, sample_weight=weights)


def judged_by(
    paths: Sequence[str],
    model: Any,
    target: str | None,
    reading: Mapping[str, Any],
    weight: str | None,
    dask: str | None = None,
) -> Counted | Kept:
    """Read the cases of all files: block by block if the model is a tree.

    Parameters
    ----------
    paths : of files, of folders of Parquet files, or patterns of such
    model : what is tried
    target, weight : columns
    reading : how text files are written
    dask : address of a scheduler whose workers are to read Parquet files
    """
    if dask is not None:
        return _counted_by_workers(paths, model, target, weight, dask)
    files = _files(paths)
    if hasattr(model, "tally"):
        return _counted(files, model, target, reading, weight)
    found = [known_cases(file, model, target, reading, weight) for file in files]
    X, y, weights = zip(*found, strict=True)
    joined = None if weight is None else np.concatenate(weights)
    return Kept(KnownCases(pa.concat_tables(X), np.concatenate(y), joined))


def _files(paths: Sequence[str]) -> list[str]:
    """The files that are meant, of which none may count twice."""
    several = [path for path in paths if Path(path).is_dir() or is_pattern(path)]
    found = [file for path in paths
             for file in (parquet_files([path]) if path in several else [path])]  # fmt: skip
    places = [Path(file).absolute() for file in found]
    twice = next((file for file in places if places.count(file) > 1), None)
    if twice is not None:
        raise DataError(f"{str(twice)!r} is named twice: its rows would count twice.")
    return found


def _counted_by_workers(
    paths: Sequence[str], model: Any, target: str | None, weight: str | None, dask: str
) -> Counted:
    if not hasattr(model, "tally"):
        raise ParameterError("--dask is for trees; this model scores each row by itself.")
    with told_once():
        return Counted(*count_parts(paths, model, target, weight, dask))


def _counted(
    files: Sequence[str],
    tree: Any,
    target: str | None,
    reading: Mapping[str, Any],
    weight: str | None,
) -> Counted:
    n_rows = 0

    def tallies() -> Iterator[Tally]:
        nonlocal n_rows
        for file in files:
            for part in known_parts(file, tree, target, reading, weight):
                n_rows += len(part.y)
                yield tree.tally(*part)

    with told_once():
        tally = Tally.joined(tallies())
    return Counted(tally, n_rows)
