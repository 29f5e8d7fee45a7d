"""``roctree fit``: grow a tree from a file, or from Parquet files that are read in parts."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from roctree import distributed
from roctree.classifier import FittedClassifier
from roctree.cli.estimators import system_from_options, system_options
from roctree.cli.options import (
    COLUMNS,
    FILE_FORMATS,
    READING,
    Dask,
    Output,
    TrainingTarget,
    Weight,
    command,
)
from roctree.cli.output import Report, Table
from roctree.cli.reading import (
    column_roles,
    first_other_than_parquet,
    is_folder_or_pattern,
    read_training,
    silenced_logs,
)
from roctree.cli.values import parse_class
from roctree.data.arrow import pa
from roctree.data.readers import cast_columns
from roctree.data.roles import ColumnOptions, ColumnSummary, assign_roles
from roctree.errors import DataError, ParameterError
from roctree.fitted import FittedModel
from roctree.large.batches import reading as reading_batches
from roctree.large.parquet import common_schema, parquet_files, parquet_rows
from roctree.progress import spinner
from roctree.text import pluralize, quote_if_needed

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA",
        help=f"{FILE_FORMATS} With --splits binned also several Parquet files, folders or glob "
        "patterns, which are read in parts.",
    ),
]
Positive = Annotated[
    str | None, typer.Option(metavar="CLASS", help="Positive class of the reported AUC.")
]
SHOWN_DEPTH = 3
# Column roles of data that are read in parts are inferred from this many rows.
INSPECTED_ROWS = 1 << 17


class FitSummary(NamedTuple):
    """A fitted estimator, its number of training rows, and the roles of the columns.

    Parameters
    ----------
    estimator : FittedClassifier
    n_rows : int
    columns : tuple of ColumnSummary
    n_inspected : int
        Number of rows, the first ones, from which the roles were inferred.
    """

    estimator: FittedClassifier
    n_rows: int
    columns: tuple[ColumnSummary, ...]
    n_inspected: int


@command(columns=COLUMNS, parameters=system_options(), reading=READING)
def fit(
    data: Files,
    target: TrainingTarget,
    output: Output = None,
    weight: Weight = None,
    positive: Positive = None,
    dask: Dask = None,
    *,
    columns: dict[str, Any],
    parameters: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Grow a tree from a data file, and show how each column was interpreted.

    Example:
      roctree fit data.csv --target outcome -o tree.json
      roctree fit big/*.parquet --target outcome --splits binned -o tree.json
      roctree fit big --target outcome --splits binned --dask tcp://127.0.0.1:8786
    """
    roles = column_roles(target, weight, columns)
    if _read_in_parts(data, parameters.get("splits"), dask):
        fitted = _fit_parts(data, roles, parameters, dask)
    else:
        fitted = _fit_file(data[0], roles, parameters, reading)
    estimator, n_rows, facts, n_inspected = fitted
    # pyarrow columns have no name that fit could remember.
    training = replace(estimator.fitted_.training, target=target)
    model = estimator.fitted_ = replace(estimator.fitted_, training=training)
    _warn_of_single_class(model)
    if output is not None:
        estimator.save(output)
    found = _facts(model, n_rows, positive)
    found["columns"] = [asdict(fact) for fact in facts]
    found |= {"rows_looked_at": n_inspected, "output": output}
    title = f"Columns by the first {n_inspected:,} rows" if n_inspected < n_rows else ""
    saved = f"Wrote {output}" if output else "Not saved: use -o FILE to save the tree."
    top = model.to_text(max_depth=SHOWN_DEPTH)
    return Report(found, [_column_table(facts, title), top, _summary(model, found), saved])


def _fit_file(
    path: str, roles: ColumnOptions, parameters: Mapping[str, Any], reading: Mapping[str, Any]
) -> FitSummary:
    cases = read_training(path, roles, reading)
    classes = cases.y.unique().to_pylist()
    with spinner("Growing the tree; the first run compiles the kernels"):
        estimator = system_from_options(parameters, classes).fit(cases.X, cases.y, cases.weights)
    return FitSummary(estimator, cases.X.num_rows, cases.columns, cases.X.num_rows)


def _read_in_parts(paths: Sequence[str], splits: str | None, dask: str | None) -> bool:
    """Whether data are read in parts; raise ``ParameterError`` if they must be and cannot."""
    other = first_other_than_parquet(paths)
    if splits == "binned" and other is None:
        return True
    if dask is None and len(paths) == 1 and not is_folder_or_pattern(paths[0]):
        return False
    for path in paths:
        if not is_folder_or_pattern(path) and not Path(path).exists():
            raise ParameterError(f"There is no file {path!r}; quote names that contain spaces.")
    if other is not None:
        raise ParameterError(
            f"{other!r} is not a Parquet file: several files, and files for --dask, must be."
        )
    folder = next((f"{path} is a folder: " for path in paths if Path(path).is_dir()), "")
    raise ParameterError(
        f"{folder}folders, glob patterns, several files and --dask need binned splits: add "
        "--splits binned."
    )


def _fit_parts(
    paths: Sequence[str], roles: ColumnOptions, parameters: Mapping[str, Any], dask: str | None
) -> FitSummary:
    files = parquet_files(paths)
    rows = parquet_rows(files, common_schema(files))
    with reading_batches("the Parquet files"):
        sample = cast_columns(rows.head(INSPECTED_ROWS), roles.types)
    if sample.num_rows == 0:
        raise DataError(f"There are no rows in {', '.join(map(repr, paths))}.")
    facts = assign_roles(sample, roles).columns
    used = [sample.schema.field(fact.name) for fact in facts if fact.role != "ignored"]
    estimator = system_from_options(parameters, _weighted_classes(rows, roles.target, parameters))
    known = parquet_rows(files, pa.schema(used)), roles.target, roles.weight
    with silenced_logs():
        distributed.fit(estimator, *known, client=dask, progress=True)
    return FitSummary(estimator, rows.count_rows(), facts, sample.num_rows)


def _weighted_classes(rows: Any, target: str, parameters: Mapping[str, Any]) -> list[Any]:
    """Return the classes if weights are given by class; they are not needed otherwise."""
    if "=" not in str(parameters.get("class_weight", "")):
        return []
    found: set[Any] = set()
    with reading_batches("the Parquet files"):
        for batch in rows.to_batches(columns=[target]):
            found.update(batch.column(0).unique().to_pylist())
    return list(found)


def _warn_of_single_class(model: FittedModel) -> None:
    if len(model.classes) == 1:
        warnings.warn(
            f"{model.training.target!r} is {quote_if_needed(model.classes[0])} in all rows, and "
            "so is every prediction: choose another target, or add rows of another class.",
            stacklevel=2,
        )


def _facts(model: FittedModel, n_rows: int, positive: str | None) -> dict[str, Any]:
    classes = model.classes.tolist()
    chosen = None if positive is None else parse_class("positive", positive, classes)
    has_curve = chosen is not None or len(classes) == 2
    return {
        "rows": n_rows,
        "classes": classes,
        "leaves": model.n_leaves,
        "depth": model.depth,
        "training_auc": model.roc(positive=chosen).auc if has_curve else None,
    }


def _summary(model: FittedModel, facts: Mapping[str, Any]) -> str:
    auc = facts["training_auc"]
    shown = "" if auc is None else f", AUC {auc:.4f} on the training data"
    rows, classes = pluralize(facts["rows"], "row"), len(facts["classes"])
    size = f"{model.size_text}, from {rows} of {pluralize(classes, 'class', 'classes')}"
    return f"\n{size}{shown}."


def _column_table(facts: tuple[ColumnSummary, ...], title: str) -> Table:
    rows = [(fact.name, fact.role, fact.values, str(fact.n_missing), fact.remark) for fact in facts]
    return Table(("column", "role", "values", "missing", "remark"), rows, title)
