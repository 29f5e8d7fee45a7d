"""Grow a tree from a file."""

import warnings
from dataclasses import asdict, replace
from typing import Annotated, Any

import typer

from roctree.cli.cases import column_table, training_cases, wishes
from roctree.cli.options import COLUMNS, READING, Dask, Output, Report, Weight, command
from roctree.cli.parameters import options_of_systems, system_of
from roctree.cli.parts import Fitted, come_in_parts, fit_parts
from roctree.cli.values import label
from roctree.data.roles import Wishes
from roctree.export.common import size_of
from roctree.progress import spinner
from roctree.table import amount, plain

TargetColumn = Annotated[
    str, typer.Option("--target", metavar="COLUMN", help="The class to predict.")
]
Positive = Annotated[
    str | None, typer.Option(metavar="CLASS", help="The class whose area is shown.")
]
Files = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA",
        help="csv, tsv, Parquet, Feather or ARFF, packed or not; - for a pipe. With --splits "
        "binned also several Parquet files, folders or patterns, read part by part.",
    ),
]
SHOWN_DEPTH = 3


@command(columns=COLUMNS, parameters=options_of_systems(), reading=READING)
def fit(
    data: Files,
    target: TargetColumn,
    output: Output = None,
    weight: Weight = None,
    positive: Positive = None,
    dask: Dask = None,
    *,
    columns: dict[str, Any],
    parameters: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Grow a tree from a file of cases, and say what each column was taken for.

    Example:
      roctree fit data.csv --target outcome -o tree.json
      roctree fit big/*.parquet --target outcome --splits binned -o tree.json
      roctree fit big --target outcome --splits binned --dask tcp://127.0.0.1:8786
    """
    wanted = wishes(target, weight, columns)
    if come_in_parts(data, parameters.get("splits"), dask):
        tree, n_rows, facts, n_looked_at = fit_parts(data, wanted, parameters, dask)
    else:
        tree, n_rows, facts, n_looked_at = _fit_file(data[0], wanted, parameters, reading)
    # The columns of pyarrow do not know their names.
    _name_target(tree, target)
    _warn_of_one_class(tree)
    if output is not None:
        tree.save(output)
    about = {"columns": [asdict(fact) for fact in facts], "rows_looked_at": n_looked_at}
    found = _facts(tree, n_rows, positive)
    saved = f"Written: {output}" if output else "Not kept: name a file by -o to keep the tree."
    title = f"Columns by the first {n_looked_at:,} rows" if n_looked_at < n_rows else ""
    top = tree.to_text(max_depth=SHOWN_DEPTH)
    shown = [column_table(facts, title), top, _sentence(tree, found), saved]
    return Report(found | about | {"output": output}, shown)


def _name_target(tree: Any, target: str) -> None:
    training = replace(tree.training_, target=target)
    if hasattr(tree, "fitted_"):
        tree.fitted_ = replace(tree.fitted_, training=training)
    else:
        tree.training_ = training


def _fit_file(
    path: str, wanted: Wishes, parameters: dict[str, Any], reading: dict[str, Any]
) -> Fitted:
    """Grow a tree from a file that is read as a whole."""
    cases = training_cases(path, wanted, reading)
    classes = cases.y.unique().to_pylist()
    with spinner("Growing the tree; kernels are compiled when a machine first needs them"):
        tree = system_of(parameters, classes).fit(cases.X, cases.y, cases.weights)
    return Fitted(tree, cases.X.num_rows, cases.facts, cases.X.num_rows)


def _facts(tree: Any, n_rows: int, positive: str | None) -> dict[str, Any]:
    classes = tree.classes_.tolist()
    chosen = None if positive is None else label("positive", positive, classes)
    two = chosen is not None or len(classes) == 2
    return {
        "rows": n_rows,
        "classes": classes,
        "leaves": tree.get_n_leaves(),
        "depth": tree.get_depth(),
        "training_auc": tree.roc(positive=chosen).auc if two else None,
    }


def _sentence(tree: Any, facts: dict[str, Any]) -> str:
    area, classes = facts["training_auc"], amount(len(facts["classes"]), "class", "classes")
    shown = "" if area is None else f", AUC {area:.4f} on the training cases"
    return f"\n{size_of(tree)}, from {amount(facts['rows'], 'row')} of {classes}{shown}."


def _warn_of_one_class(tree: Any) -> None:
    if tree.n_classes_ == 1:
        warnings.warn(
            f"{tree.training_.target!r} is {plain(tree.classes_[0])} in all rows, and so will be "
            "every prediction: name another target, or add rows of another class.",
            stacklevel=2,
        )
