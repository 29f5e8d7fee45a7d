"""``roctree fit``: grow a tree from a file, or from Parquet files that are read in parts."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import typer

import roctree
from roctree.arrays import Floats
from roctree.cli.data_files import (
    column_roles,
    first_other_than_parquet,
    is_folder_or_pattern,
    read_training_file,
    silenced_logs,
)
from roctree.cli.estimators import (
    READABLE,
    default_options,
    system_from_options,
    system_options,
)
from roctree.cli.options import (
    COLUMNS,
    FILE_FORMATS,
    READING,
    Dask,
    Output,
    TrainingTarget,
    Weight,
    command,
    option_name,
    parse_class,
)
from roctree.cli.output import Report, ReportTable, shown_tree
from roctree.data import IdentifierWarning, arrow, encode_labels
from roctree.data.readers import cast_columns
from roctree.data.roles import ColumnOptions, ColumnReport, LabelledTable, assign_roles
from roctree.errors import DataError, ParameterError
from roctree.fitted import FittedModel, FittedTree
from roctree.large.batches import common_schema, parquet_files, parquet_rows
from roctree.large.batches import reading as reading_batches
from roctree.progress import count_bar, spinner
from roctree.roc import mauc
from roctree.scorecard import FittedScorecard
from roctree.text import pluralize
from roctree.tree.text import WHOLE_TREE_LEAVES

if TYPE_CHECKING:
    from roctree.classifier import FittedClassifier

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
ValidationFolds = Annotated[
    int, typer.Option("--cv", metavar="FOLDS", help="Folds of the cross-validated AUC; 0 for none.")
]
# Column roles of data that are read in parts are inferred from this many rows.
INSPECTED_ROWS = 1 << 17


class FitSummary(NamedTuple):
    """A fitted estimator, its number of training rows, and the roles of the columns.

    Parameters
    ----------
    estimator : FittedClassifier
    n_rows : int
    columns : tuple of ColumnReport
    n_inspected : int
        Number of rows, the first ones, from which the roles were inferred.
    """

    estimator: "FittedClassifier"
    n_rows: int
    columns: tuple[ColumnReport, ...]
    n_inspected: int


@command(columns=COLUMNS, parameters=system_options(), reading=READING)
def fit(
    data: Files,
    target: TrainingTarget,
    output: Output = None,
    weight: Weight = None,
    positive: Positive = None,
    dask: Dask = None,
    cv: ValidationFolds = 5,
    *,
    columns: dict[str, Any],
    parameters: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Grow a tree from a data file, and show how each column was interpreted.

    Without options of the tree it is small enough to be read: --preset readable --max-leaves 16
    --min-samples-leaf 5.
    The AUC is that of the training data and, for other cases, that of cross-validation.

    Example:
      roctree fit data.csv --target outcome -o tree.json
      roctree fit big/*.parquet --target outcome --splits binned -o tree.json
      roctree fit big --target outcome --splits binned --dask tcp://127.0.0.1:8786
    """
    if cv < 0:
        raise ParameterError(parameter="cv", value=cv, reason="must be a number of folds, or 0")
    roles = column_roles(target, weight, columns)
    if _read_in_parts(data, parameters.get("splits"), dask):
        fitted = _fit_parts(data, roles, parameters, dask)
        fold_aucs = np.empty(0)
    else:
        cases = read_training_file(data[0], roles, reading)
        classes = encode_labels(cases.y)[0].tolist()
        chosen = _positive_class(positive, classes)
        fitted = _fit_cases(cases, parameters, classes)
        fold_aucs = _cross_validate(cases, parameters, classes, chosen, cv)
    estimator, n_rows, facts, n_inspected = fitted
    # pyarrow columns have no name that fit could remember.
    training = replace(estimator.fitted_.training, target=target)
    model = estimator.fitted_ = replace(estimator.fitted_, training=training)
    if output is not None:
        estimator.save(output)
    found = _facts(model, n_rows, positive, fold_aucs)
    found["columns"] = [asdict(fact) for fact in facts]
    found |= {"rows_looked_at": n_inspected, "output": output}
    title = f"Columns by the first {n_inspected:,} rows" if n_inspected < n_rows else ""
    columns_shown, tree = _column_table(facts, title), shown_tree(model)
    saved = f"Wrote {output}" if output else "Not saved: use -o FILE to save the tree."
    notes = [_summary_line(model, found), *_advice(model, parameters), saved]
    return Report(found, [columns_shown, tree, *notes])


def _positive_class(text: str | None, classes: Sequence[Any]) -> Any:
    """Return the class whose AUC is reported; None for that of all pairs of three or more."""
    if text is not None:
        return parse_class("positive", text, classes)
    return classes[-1] if len(classes) == 2 else None


def _fit_cases(
    cases: LabelledTable, parameters: Mapping[str, Any], classes: Sequence[Any]
) -> FitSummary:
    with (
        spinner("Growing the tree; the first run compiles the kernels"),
        warnings.catch_warnings(),
    ):
        # The table of columns has a remark on each of them.
        warnings.simplefilter("ignore", IdentifierWarning)
        estimator = system_from_options(parameters, classes).fit(cases.X, cases.y, cases.weights)
    return FitSummary(estimator, cases.X.num_rows, cases.columns, cases.X.num_rows)


def _cross_validate(
    cases: LabelledTable,
    parameters: Mapping[str, Any],
    classes: Sequence[Any],
    positive: Any,
    folds: int,
) -> Floats:
    """Return the AUC of each fold, for the same options; none if a class has too few cases."""
    from roctree.experiment.designs import CrossValidation

    labels = encode_labels(cases.y)[1]
    folds = min(folds, int(np.bincount(labels).min()))
    if folds < 2 or len(classes) < 2:
        return np.empty(0)
    weights = np.ones(len(labels)) if cases.weights is None else cases.weights
    areas = []
    with count_bar("Cross-validating") as report, warnings.catch_warnings():
        # The tree of all cases has given its warnings already.
        warnings.simplefilter("ignore")
        for split in CrossValidation(folds).splits(labels):
            report(split.fold, folds)
            train, test = arrow.array(split.train), arrow.array(split.test)
            tree = system_from_options(parameters, classes).fit(
                cases.X.take(train), cases.y.take(train), weights[split.train]
            )
            rows, truth = cases.X.take(test), cases.y.take(test)
            areas.append(_auc(tree.fitted_, positive, rows, truth, weights[split.test]))
    return np.array(areas)


def _auc(
    model: FittedModel, positive: Any, X: Any = None, y: Any = None, weights: Any = None
) -> float:
    """Return the AUC of a class, or the mean over all pairs; without cases, in training."""
    if positive is not None:
        return float(model.roc(X, y, positive=positive, sample_weight=weights).auc)
    return mauc(*model.leaf_table(X, y, weights))


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
    known = parquet_rows(files, arrow.schema(used)), roles.target, roles.weight
    with silenced_logs():
        roctree.distributed.fit(estimator, *known, client=dask, progress=True)
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


def _facts(
    model: FittedModel, n_rows: int, positive: str | None, fold_aucs: Floats
) -> dict[str, Any]:
    classes = model.classes.tolist()
    return {
        "rows": n_rows,
        "classes": classes,
        "leaves": model.n_leaves,
        "depth": model.depth,
        "training_auc": (
            None if len(classes) == 1 else _auc(model, _positive_class(positive, classes))
        ),
        "cross_validated_auc": float(fold_aucs.mean()) if fold_aucs.size else None,
        "cross_validated_auc_deviation": float(fold_aucs.std(ddof=1)) if fold_aucs.size else None,
        "folds": fold_aucs.size,
    }


def _summary_line(model: FittedModel, facts: Mapping[str, Any]) -> str:
    rows, classes = pluralize(facts["rows"], "row"), len(facts["classes"])
    size = f"{model.size_text}, from {rows} of {pluralize(classes, 'class', 'classes')}"
    training, validated = facts["training_auc"], facts["cross_validated_auc"]
    if training is None:
        return f"\n{size}."
    # Those of a tree with points are scores of cases that were held out.
    cases = "held-out scores" if isinstance(model, FittedScorecard) else "the training data"
    shown = f"{training:.4f} on {cases}"
    if validated is not None:
        spread = f"± {facts['cross_validated_auc_deviation']:.4f}"
        shown = f"{validated:.4f} {spread} by {facts['folds']}-fold cross-validation, {shown}"
    return f"\n{size}. AUC {shown}."


def _advice(model: FittedModel, parameters: Mapping[str, Any]) -> list[str]:
    """Return advice: the default options that were used, or how to get a readable tree."""
    options = {name: f"{option_name(name)} {value}" for name, value in READABLE.items()}
    if default_options(parameters):
        listed = " ".join(options.values())
        return [
            f"Grown with {listed}, the defaults of this command; "
            "if you give any option of the tree, only yours apply."
        ]
    if isinstance(model, FittedTree) and model.n_leaves > WHOLE_TREE_LEAVES:
        return [f"For a tree that can be read as a whole: {options['max_leaves']}."]
    return []


def _column_table(facts: tuple[ColumnReport, ...], title: str) -> ReportTable:
    rows = [(fact.name, fact.role, fact.values, str(fact.n_missing), fact.remark) for fact in facts]
    return ReportTable(("column", "role", "values", "missing", "remark"), rows, title)
